/* pool_scenes.c: runs in which it is known what has to happen: who sleeps, who is woken and for what, when the run
 * ends, who runs which task, and what is counted. A wake-up that is lost hangs.
 */
#include "proof/checks/pool_check.h"
#include <sched.h>

/* The only scene that is played. */
static struct {
    struct pool_task task; /* the run's first */
    struct pool_task *pongs;
    struct pool_fork *children;
    unsigned count; /* of pongs, and of children */
    _Atomic unsigned answered, stolen;
    struct pool_worker *parent;
    double seconds; /* that the timed task took */
} scene;

static unsigned answered(void) { return atomic_load_explicit(&scene.answered, memory_order_acquire); }
static unsigned stolen(void) { return atomic_load_explicit(&scene.stolen, memory_order_relaxed); }
static bool all_answered(void) { return answered() + pool_deque.traits->thieves_leave >= scene.count; }

static void run_pong(struct pool_worker *worker, struct pool_task *task) {
    (void)worker, (void)task;
    atomic_fetch_add_explicit(&scene.answered, 1, memory_order_release);
}

static void spawn_pongs(struct pool_worker *worker) {
    for (unsigned i = 0; i < scene.count; i++)
        pool_spawn(worker, &scene.pongs[i]);
}

static bool all_others_sleep(const struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    for (unsigned i = 0; i < pool->threads; i++)
        if (i != worker->number && !pool_is_asleep(pool->worker[i]))
            return false;
    return true;
}

/* The run ends while all others sleep. */
static void run_until_asleep(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    while (!all_others_sleep(worker))
        sched_yield();
}

/* Waits until others have run what it spawned about when they fell asleep. */
static void run_ping(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    /* where processors are shared, each yield is a round of the others */
    for (uint64_t turns = pool_random(worker) % 300; turns > 0; turns--)
        sched_yield();
    spawn_pongs(worker);
    while (!all_answered())
        sched_yield();
}

/* --- items that no thief may take. Only with idle=wake_each do they wake a sleeper, at each push */
static uint64_t times(const struct pool *pool, bool slept) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < pool->threads; i++)
        sum += slept ? atomic_load_explicit(&pool->worker[i]->counts.sleeps, memory_order_relaxed)
                     : atomic_load_explicit(&pool->worker[i]->wakes, memory_order_relaxed);
    return sum;
}

static void run_hoard(struct pool_worker *worker, struct pool_task *task) {
    run_until_asleep(worker, task);
    for (unsigned i = 0; i < scene.count; i++) {
        const uint64_t before = times(worker->pool, false);
        pool_spawn(worker, &scene.pongs[i]);
        const bool woken = times(worker->pool, false) != before;
        while (!all_others_sleep(worker) && answered() == 0)
            sched_yield();
        if (answered() > 0)
            return;
        if (woken != pool_wakes_each(worker->pool))
            check_fail("of %u items that no thief may take the last has woken %s", i + 1, woken ? "one" : "nobody");
    }
    /* A worker that was about to sleep when the last item came was not woken. It still looks around once, and takes an
     * item. */
    while (answered() == 0)
        sched_yield();
}

/* While an owner that has to be asked does not answer, the thieves that ask sleep in between. The owner has so many
 * items that some are left when it falls silent, because each push answers a thief. Each thief may have had its last
 * look before that. More sleeps than thieves mean that a thief slept although there are items. If thieves can see none
 * of the items, it is enough that all thieves sleep.
 */
static void run_silence(struct pool_worker *worker, struct pool_task *task) {
    const struct pool *pool = worker->pool;
    (void)task;
    spawn_pongs(worker);
    const uint64_t before = times(pool, true);
    while (times(pool, true) - before < pool->threads && (pool_work_in_sight(pool) || !all_others_sleep(worker)))
        sched_yield();
}

/* --- work for all, put there at once while they sleep */
static void run_together(struct pool_worker *worker, struct pool_task *task) {
    run_pong(worker, task);
    while (answered() + 1 < worker->pool->threads)
        sched_yield();
}

static void run_crowd(struct pool_worker *worker, struct pool_task *task) {
    struct pool_task **all = malloc(scene.count * sizeof(struct pool_task *));
    run_until_asleep(worker, task);
    for (unsigned i = 0; i < scene.count; i++) {
        scene.pongs[i].run = run_together;
        all[i] = &scene.pongs[i];
    }
    pool_spawn_all(worker, all, scene.count);
    free((void *)all);
    while (answered() + 1 < worker->pool->threads)
        sched_yield();
}

/* --- a parent that waits for a child sleeps. The child gives it work, and returns when the parent sleeps again */
static void wait_for_parent(void) {
    while (!pool_is_asleep(scene.parent))
        sched_yield();
}

static void run_child(struct pool_worker *worker, struct pool_fork *fork) {
    (void)fork;
    if (worker == scene.parent || atomic_exchange_explicit(&scene.stolen, 1, memory_order_relaxed) != 0)
        return;
    wait_for_parent();
    spawn_pongs(worker);
    while (!all_answered())
        sched_yield();
    wait_for_parent();
}

static void run_parent(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    scene.parent = worker;
    for (unsigned i = 0; i < scene.count; i++)
        pool_fork(worker, &scene.children[i], run_child);
    while (stolen() == 0)
        sched_yield();
    for (unsigned i = scene.count; i-- > 0;)
        pool_join(worker, &scene.children[i]);
}

/* --- thieves get something from a task that only forks and joins. Its work in between grows from nothing to a
 * millisecond, until a thief comes in time: an owner that has to be asked may take back what it exposed at once.
 */
#define BETWEEN_MAX 1000000 /* ns */

static void run_taken(struct pool_worker *worker, struct pool_fork *fork) {
    (void)fork;
    if (worker != scene.parent)
        atomic_store_explicit(&scene.stolen, 1, memory_order_relaxed);
}

static void run_forks(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    scene.parent = worker;
    for (uint64_t between = 0; stolen() == 0; between = between < BETWEEN_MAX ? 2 * between + 1 : between) {
        for (unsigned i = 0; i < scene.count; i++)
            pool_fork(worker, &scene.children[i], run_taken);
        const uint64_t end = clock_nanoseconds() + between;
        while (clock_nanoseconds() < end)
            ;
        for (unsigned i = scene.count; i-- > 0;)
            pool_join(worker, &scene.children[i]);
    }
}

/* --- a run takes at least as long as its only task, although the run is over before the task is: as if another worker
 * had found the end at once */
static void run_timed(struct pool_worker *worker, struct pool_task *task) {
    uint64_t start = clock_nanoseconds(), now;
    (void)task;
    while ((now = clock_nanoseconds()) < start + 20000)
        continue;
    scene.seconds = (double)(now - start) * 1e-9;
    pool_end(worker->pool);
}

static void expect_time(const struct pool *pool) {
    if (pool_seconds(pool) < scene.seconds * 0.999999)
        check_fail("a run took %g s, and its only task %g s", pool_seconds(pool), scene.seconds);
}

/* --- first tasks: worker 0's, or dealt to the workers in turn; with victims=none each runs where it was put */
static void run_dealt(struct pool_worker *worker, struct pool_task *task) {
    const unsigned i = (unsigned)(task - scene.pongs), by = pool_worker_number(worker);
    if (by != (worker->pool->each ? i % worker->pool->threads : 0))
        check_fail("task %u of %u was run by worker %u", i, scene.count, by);
    run_pong(worker, task);
}

/* --- nodes of an intrusive deque come back from a worker that only consumes */
static void expect_few_nodes(const struct pool *pool) {
    size_t bytes = 0;
    for (unsigned i = 0; i < pool->threads; i++)
        bytes += pool->worker[i]->nodes.slab_bytes; /* of the next slab: as much as all before and some more */
    if (bytes > 8 * (scene.count + 4 * POOL_BATCH) * pool_deque.node_bytes)
        check_fail("nodes for %u tasks at once take %zu bytes by now", scene.count, bytes);
}

/* --- the scenes */
static const struct scene_kind {
    const char *what, *text;
    void (*run)(struct pool_worker *, struct pool_task *); /* the first task; run_dealt: all; NULL: none */
    unsigned cycles, count;                                /* count: of pongs that thieves can have */
    enum {
        ANY,
        WAITS,
        ASKED,
        LISTS,
        APART
    } only;                              /* WAITS: the owner does not answer inside its task; APART: deques
                                            that share no state */
    void (*expect)(const struct pool *); /* after each run */
} kinds[] = {
    {"runs without a task", "threads=5", NULL, 100, 0, ANY, NULL},
    {"short runs", "threads=2", run_pong, 500, 0, ANY, NULL},
    {"wake-ups", "threads=2;room=4096", run_ping, 500, 1, WAITS, NULL},
    {"wake-ups", "threads=3;room=4096;idle=wake_each", run_ping, 500, 1, WAITS, NULL},
    {"items that no thief may take", "threads=3;room=4096", run_hoard, 25, 1, WAITS, NULL},
    {"items that no thief may take", "threads=3;room=4096;idle=wake_each", run_hoard, 25, 1, WAITS, NULL},
    {"an owner that does not answer", "threads=3;room=4096", run_silence, 25, 64, ASKED, NULL},
    {"work for all that sleep", "threads=5;room=4096", run_crowd, 25, 5, WAITS, NULL},
    {"work for all that sleep", "threads=5;room=4096;idle=wake_each", run_crowd, 25, 5, WAITS, NULL},
    {"forks until a thief has had a child", "threads=2;room=4096", run_forks, 25, 1, ANY, NULL},
    {"forks until a thief has had a child", "threads=2;room=4096;idle=spin", run_forks, 25, 1, ASKED, NULL},
    {"a parent that waits for a child", "threads=2;room=4096", run_parent, 25, 1, WAITS, NULL},
    {"an end while others sleep", "threads=3", run_until_asleep, 50, 0, ANY, NULL},
    {"an end while others sleep", "threads=3;victims=none", run_until_asleep, 50, 0, ANY, NULL},
    {"the time of a run", "threads=2", run_timed, 50, 0, ANY, expect_time},
    {"first tasks", "threads=4;victims=none;room=4096;first=each", run_dealt, 3, 300, APART, NULL},
    {"first tasks", "threads=4;victims=none;room=4096;first=one", run_dealt, 3, 300, APART, NULL},
    {"nodes that one pushes and another pops", "threads=2;steal=half", run_ping, 70, 500, LISTS, expect_few_nodes},
};

static bool plays(const struct scene_kind *kind) {
    const struct deque_traits *traits = pool_deque.traits;
    const bool asked = traits->native & DEQUE_POLL;
    return kind->only == WAITS   ? !asked && traits->thieves != DEQUE_OWNER_ONLY
           : kind->only == ASKED ? asked
           : kind->only == LISTS ? (traits->native & DEQUE_LISTS) != 0
                                 : kind->only == ANY || !traits->shared;
}

static void play(struct pool *pool, const struct scene_kind *kind, unsigned cycles) {
    struct pool_task *task = &scene.task, **all = calloc(scene.count + 1, sizeof *all);
    scene.task.run = kind->run;
    scene.pongs = calloc(scene.count + 1, sizeof *scene.pongs);
    scene.children = calloc(scene.count + 1, sizeof *scene.children);
    for (unsigned i = 0; i < scene.count; i++) {
        scene.pongs[i].run = kind->run == run_dealt ? run_dealt : run_pong;
        all[i] = &scene.pongs[i];
    }
    for (unsigned i = 0; i < cycles; i++) {
        atomic_store_explicit(&scene.answered, 0, memory_order_relaxed);
        atomic_store_explicit(&scene.stolen, 0, memory_order_relaxed);
        if (kind->run == run_dealt)
            check_run(pool, all, scene.count);
        else
            check_run(pool, &task, kind->run ? 1 : 0);
        check_nobody_sleeps(pool);
        if (kind->expect)
            kind->expect(pool);
    }
    free((void *)all);
    free(scene.pongs);
    free(scene.children);
}

void check_scenes(uint64_t seed, double share) {
    for (const struct scene_kind *kind = kinds; kind < kinds + sizeof kinds / sizeof kinds[0]; kind++) {
        const unsigned some = kind->only == LISTS ? kind->cycles : (unsigned)(kind->cycles * share);
        check_trying("", "%s, %s", kind->what, kind->text);
        struct pool *pool = plays(kind) ? check_pool_open(seed, kind->text, NULL) : NULL;
        if (!pool)
            continue;
        scene.count = kind->count ? kind->count + 2 * pool_deque.traits->thieves_leave : 0;
        play(pool, kind, some < 3 ? 3 : some);
        pool_close(pool);
    }
}
