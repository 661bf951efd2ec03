/* pool_waits.c: workers that sleep and are woken, runs that begin and end, and what comes from outside the pool. */
#include "proof/checks/deque_independent/pool_check.h"
#include <sched.h>

/* --- wake-ups. A task waits until another worker has run what the task spawned; no other worker can. */
static struct ping *ping_of(struct pool_worker *worker) { return pool_context(worker); }

void check_pong(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    atomic_fetch_add_explicit(&ping_of(worker)->answered, 1, memory_order_release);
}

static void run_ping(struct pool_worker *worker, struct pool_task *task) {
    struct ping *ping = (struct ping *)(void *)task;
    unsigned leaves = pool_deque.traits->thieves_leave;
    for (unsigned i = 0; i < ping->cycles; i++) {
        /* about until others fall asleep; where processors are shared, each yield is a round of the others */
        uint64_t turns = pool_random(worker) % 300;
        if (ping->patient)
            check_wait_for_sleep(worker);
        while (!ping->patient && turns-- > 0)
            sched_yield();
        atomic_store_explicit(&ping->answered, 0, memory_order_relaxed);
        for (unsigned j = 0; j < ping->count; j++)
            pool_spawn(worker, &ping->pongs[j]);
        while (atomic_load_explicit(&ping->answered, memory_order_acquire) + leaves < ping->count)
            sched_yield();
        gate_step();
        if (leaves > 0)
            return; /* tasks that no thief can take: this worker runs them after this task */
    }
}

void check_wakes(uint64_t seed, const char *settings, unsigned cycles, bool patient) {
    char text[CHECK_TEXT];
    unsigned leaves = pool_deque.traits->thieves_leave;
    if (pool_deque.traits->thieves == DEQUE_OWNER_ONLY || pool_deque.traits->native & DEQUE_POLL)
        return; /* an owner that has to answer cannot wait inside a task */
    snprintf(text, sizeof text, "%s;room=4096", settings);
    struct ping ping = {.count = 2 * leaves + 1, .cycles = cycles, .patient = patient};
    gate_trying("", "wake-ups, %s, %s", text, patient ? "of sleepers" : "of those about to sleep");
    check_pings(seed, text, run_ping, &ping, leaves ? cycles : 1);
}

/* The run ends while all others sleep. */
static void run_until_asleep(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    check_wait_for_sleep(worker);
}

void check_ends(uint64_t seed, const char *text, unsigned cycles) {
    struct ping ping = {.count = 0};
    gate_trying("", "an end while others sleep, %s", text);
    check_pings(seed, text, run_until_asleep, &ping, cycles);
}

/* Runs in succession: workers start, find nothing, fall asleep, and are woken for the end or the next run. */
void check_starts(uint64_t seed, unsigned threads, unsigned cycles) {
    char text[64];
    snprintf(text, sizeof text, "threads=%u", threads);
    struct ping ping = {.task = {check_pong}};
    struct pool_settings own = {.context = &ping};
    struct pool_task *task = &ping.task;
    gate_trying("", "short runs, %s", text);
    struct pool *pool = check_pool_open(seed, text, &own);
    if (!pool)
        return;
    for (unsigned i = 0; i < cycles; i++) {
        check_run(pool, &task, i % 2);
    }
    if (atomic_load_explicit(&ping.answered, memory_order_relaxed) != cycles / 2)
        gate_fail("of %u tasks %u ran", cycles / 2, atomic_load_explicit(&ping.answered, memory_order_relaxed));
    pool_close(pool);
}

/* --- tasks from outside the pool, which the application's callback brings in */
struct outside {
    struct pool_task start;
    struct ping ping; /* `answered` counts the tasks */
    _Atomic unsigned under_way;
    struct pool_task tasks[200];
};

static void run_start(struct pool_worker *worker, struct pool_task *task) {
    struct outside *outside = (struct outside *)(void *)task;
    for (unsigned i = 0; i < 200; i++)
        pool_hold(worker);
    atomic_store_explicit(&outside->under_way, 200, memory_order_release);
}

static void run_brought(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    atomic_fetch_add_explicit(&((struct outside *)pool_context(worker))->ping.answered, 1, memory_order_relaxed);
}

/* Now and then brings one more task. */
static bool bring(struct pool_worker *worker, void *context) {
    struct outside *outside = context;
    unsigned left = atomic_load_explicit(&outside->under_way, memory_order_acquire);
    if (left == 0 || pool_random(worker) % 4 != 0 ||
        !atomic_compare_exchange_strong_explicit(&outside->under_way, &left, left - 1, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    outside->tasks[left - 1].run = run_brought;
    pool_spawn(worker, &outside->tasks[left - 1]);
    pool_release(worker);
    return true;
}

void check_holds(uint64_t seed, unsigned threads) {
    static struct outside outside;
    char text[64];
    snprintf(text, sizeof text, "threads=%u", threads);
    struct pool_settings own = {.between = bring, .every = 1, .context = &outside};
    struct pool_task *task = &outside.start;
    outside.start.run = run_start;
    atomic_store_explicit(&outside.ping.answered, 0, memory_order_relaxed);
    gate_trying("", "holds, %s", text);
    struct pool *pool = check_pool_open(seed, text, &own);
    if (!pool)
        return;
    if (pool_run(pool, &task, 1) != 0 || atomic_load_explicit(&outside.ping.answered, memory_order_relaxed) != 200)
        gate_fail("of 200 tasks from outside %u ran",
                  atomic_load_explicit(&outside.ping.answered, memory_order_relaxed));
    pool_close(pool);
    gate_step();
}
