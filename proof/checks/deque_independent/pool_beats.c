/* pool_beats.c: what a beat shares, whom that wakes, and that thieves see nothing else. */
#include "proof/checks/deque_independent/pool_check.h"
#include <sched.h>

#define BY_HAND "beat=60000000;room=4096" /* of its own accord a beat comes once a minute */

static void beat(struct pool_worker *worker) {
    atomic_store_explicit(&worker->stack_low, POOL_BEAT, memory_order_relaxed);
}

/* --- one worker: a beat shares its oldest task, once, if nothing is shared; and the worker takes it back last */
struct beaten {
    struct pool_task task;
    struct pool_fork forks[3];
    struct pool_task spawned[2];
    unsigned ran;
};

static void run_child(struct pool_worker *worker, struct pool_fork *fork) {
    (void)fork;
    ((struct beaten *)pool_context(worker))->ran++;
}
static void run_spawned(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    ((struct beaten *)pool_context(worker))->ran++;
}

static void expect_shared(const struct pool_worker *worker, const struct pool_task *task, unsigned times,
                          const char *when) {
    if (atomic_load_explicit(&worker->open_slot, memory_order_relaxed) != task)
        gate_fail("%s: what thieves may take is not %s", when, task ? "the oldest task" : "nothing");
    if (worker->counts.shared != times)
        gate_fail("%s: %u tasks were shared, not %u", when, (unsigned)worker->counts.shared, times);
}

static void run_beaten(struct pool_worker *worker, struct pool_task *task) {
    struct beaten *beaten = (struct beaten *)(void *)task;
    pool_fork(worker, &beaten->forks[0], run_child);
    expect_shared(worker, NULL, 0, "a fork without a beat");
    beat(worker);
    pool_fork(worker, &beaten->forks[1], run_child);
    expect_shared(worker, &beaten->forks[0].task, 1, "a beat");
    beat(worker);
    pool_fork(worker, &beaten->forks[2], run_child);
    expect_shared(worker, &beaten->forks[0].task, 1, "a beat while a task is shared");
    if (pool_beat_due(worker))
        gate_fail("a beat stays, although it was answered");
    for (int i = 3; i-- > 0;)
        pool_join(worker, &beaten->forks[i]);
    expect_shared(worker, NULL, 1, "all are joined");
    beat(worker);
    pool_spawn(worker, &beaten->spawned[0]);
    expect_shared(worker, NULL, 1, "a beat without a task");
    pool_spawn(worker, &beaten->spawned[1]);
    expect_shared(worker, &beaten->spawned[0], 2, "the beat's next look");
}

static void check_shared(uint64_t seed) {
    struct beaten beaten = {.task = {run_beaten}, .spawned = {{run_spawned}, {run_spawned}}};
    struct pool_settings own = {.context = &beaten};
    struct pool_task *task = &beaten.task;
    gate_trying("", "what a beat shares");
    if (pool_deque.traits->thieves_leave > 0) /* the owner keeps a block from itself, too */
        return;
    struct pool *pool = check_pool_open(seed, "threads=1;" BY_HAND, &own);
    for (unsigned run = 0; pool && run < 200; run++) {
        beaten.ran = 0;
        check_run(pool, &task, 1);
        if (beaten.ran != 5)
            gate_fail("of 5 tasks %u ran", beaten.ran);
    }
    pool_close(pool);
}

/* --- a thief sees what was shared, if it sleeps or is about to, and nothing else */
struct woken {
    struct ping ping; /* first: it is the pool's context */
    struct pool_fork *forks;
    struct pool_worker *parent;
    _Atomic unsigned stolen;
};

static void run_stolen(struct pool_worker *worker, struct pool_fork *fork) {
    struct woken *woken = pool_context(worker);
    (void)fork;
    atomic_fetch_add_explicit(&woken->stolen, worker != woken->parent, memory_order_relaxed);
}

static void run_woken(struct pool_worker *worker, struct pool_task *task) {
    struct woken *woken = (struct woken *)(void *)task;
    const unsigned last = woken->ping.count - 1;
    woken->parent = worker;
    for (uint64_t turns = pool_random(worker) % 300; !woken->ping.patient && turns > 0; turns--)
        sched_yield(); /* as in run_ping */
    if (woken->ping.patient)
        check_wait_for_sleep(worker);
    const uint64_t shared = worker->counts.shared;
    for (unsigned i = 0; i < last; i++)
        pool_fork(worker, &woken->forks[i], run_stolen);
    const bool alone = worker->counts.shared == shared; /* on a busy machine a beat may come of its own accord */
    if (woken->ping.patient)
        for (unsigned i = 1; i < worker->pool->threads && alone; i++)
            if (!pool_is_asleep(worker->pool->worker[i]))
                gate_fail("forks that are not shared have woken worker %u", i);
    if (alone && atomic_load_explicit(&woken->stolen, memory_order_relaxed) > 0)
        gate_fail("a thief had a child that was not shared");
    beat(worker);
    pool_fork(worker, &woken->forks[last], run_stolen);
    while (worker->counts.shared > 0 && atomic_load_explicit(&woken->stolen, memory_order_relaxed) == 0)
        sched_yield();
    for (unsigned i = last + 1; i-- > 0;)
        pool_join(worker, &woken->forks[i]);
    if (atomic_load_explicit(&woken->stolen, memory_order_relaxed) > worker->counts.shared)
        gate_fail("thieves had more than was shared");
    atomic_store_explicit(&woken->stolen, 0, memory_order_relaxed);
}

/* A beat waits for the first fork with which thieves may take something. */
static void run_kept(struct pool_worker *worker, struct pool_task *task) {
    struct woken *woken = (struct woken *)(void *)task;
    const uint64_t before = worker->counts.shared;
    woken->parent = worker;
    beat(worker);
    for (unsigned i = 0; i < woken->ping.count; i++)
        pool_fork(worker, &woken->forks[i], run_stolen);
    if (worker->counts.shared != before + 1)
        gate_fail("after a beat and %u forks %u tasks were shared", woken->ping.count,
                  (unsigned)(worker->counts.shared - before));
    for (unsigned i = woken->ping.count; i-- > 0;)
        pool_join(worker, &woken->forks[i]);
}

static void check_woken(uint64_t seed, const char *text, unsigned cycles, bool patient) {
    struct woken woken = {.ping = {.count = 2 * pool_deque.traits->thieves_leave + 3, .patient = patient}};
    gate_trying("", "whom a beat wakes, %s, %s", text, patient ? "sleeping" : "about to sleep");
    woken.forks = calloc(woken.ping.count, sizeof *woken.forks);
    check_pings(seed, "threads=1;" BY_HAND, run_kept, &woken.ping, 1);
    check_pings(seed, text, run_woken, &woken.ping, cycles);
    free(woken.forks);
}

void check_beats(uint64_t seed, unsigned cycles) {
    check_shared(seed);
    if (pool_deque.traits->shared) /* whoever pops takes what was not shared */
        return;
    for (int patient = 0; patient < 2; patient++) {
        check_woken(seed, "threads=2;patience=1;" BY_HAND, cycles, patient);
        check_woken(seed, "threads=3;idle=wake_each;" BY_HAND, cycles, patient);
    }
}
