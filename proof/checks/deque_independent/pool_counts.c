/* pool_counts.c: checks what a run counts: its time, a master's attempts, the memory of an intrusive deque. */
#include "proof/checks/deque_independent/pool_check.h"
#include <sched.h>

/* --- a run takes at least as long as its only task, whichever worker notices the end */
struct timed {
    struct pool_task task;
    _Atomic(struct pool_worker *) by;
    double seconds;
};

static void run_timed(struct pool_worker *worker, struct pool_task *task) {
    struct timed *timed = (struct timed *)(void *)task;
    uint64_t start = clock_nanoseconds(), now;
    while ((now = clock_nanoseconds()) < start + 20000)
        continue;
    timed->seconds = (double)(now - start) * 1e-9;
    atomic_store_explicit(&timed->by, worker, memory_order_relaxed);
}

/* Between two tasks: the worker that ran the only task stays away, so that another worker notices the end. */
static bool stay_away(struct pool_worker *worker, void *context) {
    struct timed *timed = context;
    if (atomic_load_explicit(&timed->by, memory_order_relaxed) == worker)
        while (!atomic_load_explicit(&worker->pool->over, memory_order_relaxed))
            sched_yield();
    return false;
}

void check_times(uint64_t seed, unsigned cycles) {
    struct timed timed = {.task = {run_timed}};
    struct pool_settings own = {.between = stay_away, .every = 1, .context = &timed};
    struct pool_task *task = &timed.task;
    gate_trying("", "the time of a run");
    struct pool *pool = check_pool_open(seed, "threads=2", &own);
    if (!pool)
        return;
    for (unsigned i = 0; i < cycles; i++) {
        atomic_store_explicit(&timed.by, NULL, memory_order_relaxed);
        check_run(pool, &task, 1);
        if (pool_seconds(pool) < timed.seconds * 0.999999)
            gate_fail("a run took %g s, and its only task %g s", pool_seconds(pool), timed.seconds);
    }
    pool_close(pool);
}

/* --- a master without tasks asks every other worker once, however many of them want tasks */
static void run_until_all_want(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    while (atomic_load_explicit(&worker->pool->wanting, memory_order_relaxed) + 1 < worker->pool->threads)
        sched_yield();
}

void check_masters(uint64_t seed, unsigned threads, unsigned cycles) {
    char text[64];
    snprintf(text, sizeof text, "threads=%u;master=1", threads);
    struct pool_task only = {run_until_all_want}, *task = &only;
    gate_trying("", "a master that has nothing, %s", text);
    struct pool *pool =
        pool_deque.traits->shared ? NULL : check_pool_open(seed, text, NULL); /* then any worker has the task */
    if (!pool)
        return;
    for (unsigned i = 0; i < cycles; i++) {
        check_run(pool, &task, 1);
        const struct pool_counts *counts = &pool->worker[0]->counts;
        uint64_t failed = counts->empty + counts->lost + counts->busy;
        if (failed >
            4 * threads) /* at most: a round after the task, one without a task for the others, one for itself */
            gate_fail("a master of %u workers tried %llu steals after its only task", threads,
                      (unsigned long long)failed);
    }
    pool_close(pool);
}

/* --- first tasks: worker 0's, or dealt to the workers in turn; with victims=none each runs where it was put */
struct dealt {
    struct pool_task task;
    unsigned ran, by;
};

static void run_dealt(struct pool_worker *worker, struct pool_task *task) {
    struct dealt *dealt = (struct dealt *)(void *)task;
    dealt->ran++;
    dealt->by = pool_worker_number(worker);
}

void check_dealt(uint64_t seed, const char *text, unsigned tasks) {
    gate_trying("", "first tasks, %s", text);
    struct pool *pool = pool_deque.traits->shared ? NULL : check_pool_open(seed, text, NULL);
    if (!pool)
        return;
    const bool each = strstr(text, "first=each");
    struct dealt *dealt = calloc(tasks, sizeof *dealt);
    struct pool_task **all = calloc(tasks, sizeof *all);
    for (unsigned i = 0; i < tasks; i++) {
        dealt[i].task.run = run_dealt;
        all[i] = &dealt[i].task;
    }
    for (unsigned run = 1; run <= 3; run++) {
        check_run(pool, all, tasks);
        for (unsigned i = 0; i < tasks; i++) {
            if (dealt[i].ran != run)
                gate_fail("task %u has run %u times in %u runs", i, dealt[i].ran, run);
            if (dealt[i].by != (each ? i % pool->threads : 0))
                gate_fail("task %u of %u was run by worker %u", i, tasks, dealt[i].by);
        }
        check_nobody_sleeps(pool);
    }
    pool_close(pool);
    free(dealt);
    free((void *)all);
}

/* --- nodes of an intrusive deque come back from a worker that only consumes */
static size_t node_memory(const struct pool *pool) {
    size_t bytes = 0;
    for (unsigned i = 0; i < pool->threads; i++)
        bytes += pool->worker[i]
                     ->nodes.slab_bytes; /* room for the next slab, which has as much as all before and some more */
    return bytes;
}

static void run_producer(struct pool_worker *worker, struct pool_task *task) {
    struct ping *ping = (struct ping *)(void *)task;
    atomic_store_explicit(&ping->answered, 0, memory_order_relaxed);
    for (unsigned i = 0; i < ping->count; i++) {
        ping->pongs[i].run = check_pong;
        pool_spawn(worker, &ping->pongs[i]);
    }
    while (atomic_load_explicit(&ping->answered, memory_order_acquire) + pool_deque.traits->thieves_leave < ping->count)
        sched_yield();
}

void check_nodes(uint64_t seed) {
    struct ping ping = {.task = {run_producer}, .count = 500};
    struct pool_settings own = {.context = &ping};
    struct pool_task *task = &ping.task;
    gate_trying("", "nodes that one pushes and another pops");
    if (!(pool_deque.traits->native & DEQUE_LISTS))
        return;
    struct pool *pool = check_pool_open(seed, "threads=2;steal=half", &own);
    if (!pool)
        return;
    ping.pongs = calloc(ping.count, sizeof *ping.pongs);
    size_t max = 8 * (ping.count + 4 * POOL_BATCH) * pool_deque.node_bytes, pushed = 0;
    while (pushed < 4 * max) {
        check_run(pool, &task, 1);
        pushed += ping.count * pool_deque.node_bytes;
        if (node_memory(pool) > max)
            gate_fail("nodes for %u tasks at once take %zu bytes by now", ping.count, node_memory(pool));
    }
    pool_close(pool);
    free(ping.pongs);
}
