/* pool_arrivals.c: tasks that a thread outside the pool submits, to workers that sleep or not: each runs once, with
 * what it spawns, and no wake-up is lost (the run would not end).
 */
#include "proof/checks/deque_independent/pool_check.h"
#include <pthread.h>
#include <time.h>

#define SUBMITTED 60
#define SPAWNED 3 /* by each */

struct arrival {
    struct pool_task task;
    _Atomic unsigned ran;
    struct pool_task tasks[SPAWNED];
};

static struct arrivals {
    struct pool_task open, close;
    struct pool *pool;
    struct arrival each[SUBMITTED];
    _Atomic unsigned ran;
    _Atomic bool opened;
    uint64_t random;
} arrivals;

static void run_open(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    pool_hold(worker);
    atomic_store_explicit(&arrivals.opened, true, memory_order_release);
}

static void run_close(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    pool_release(worker);
}

static void run_spawned(struct pool_worker *worker, struct pool_task *task) {
    (void)worker, (void)task;
    atomic_fetch_add_explicit(&arrivals.ran, 1, memory_order_relaxed);
}

static void run_arrival(struct pool_worker *worker, struct pool_task *task) {
    struct arrival *arrival = (struct arrival *)(void *)task;
    if (atomic_fetch_add_explicit(&arrival->ran, 1, memory_order_relaxed) > 0)
        gate_fail("a task from outside ran twice");
    for (unsigned i = 0; i < SPAWNED; i++) {
        arrival->tasks[i].run = run_spawned;
        pool_spawn(worker, &arrival->tasks[i]);
    }
    atomic_fetch_add_explicit(&arrivals.ran, 1, memory_order_relaxed);
}

/* At once, or after pauses in which the workers fall asleep. Then closes the run, whatever is still under way. */
static void *submit(void *argument) {
    const struct timespec pause = {.tv_nsec = 200000};
    (void)argument;
    while (!atomic_load_explicit(&arrivals.opened, memory_order_acquire))
        nanosleep(&pause, NULL);
    for (unsigned i = 0; i < SUBMITTED; i++) {
        if (random_below(&arrivals.random, 4) == 0)
            nanosleep(&pause, NULL);
        arrivals.each[i].task.run = run_arrival;
        atomic_store_explicit(&arrivals.each[i].ran, 0, memory_order_relaxed);
        if (!pool_submit(arrivals.pool, &arrivals.each[i].task, (unsigned)random_next(&arrivals.random)))
            gate_fail("a task from outside was refused");
    }
    /* it may overtake others in another queue, so only when all have run */
    while (atomic_load_explicit(&arrivals.ran, memory_order_relaxed) < SUBMITTED * (1 + SPAWNED))
        nanosleep(&pause, NULL);
    pool_submit(arrivals.pool, &arrivals.close, 0);
    return NULL;
}

void check_arrivals(uint64_t seed, const char *text, unsigned cycles) {
    static const enum pool_arrivals kinds[] = {POOL_TO_SHARED, POOL_TO_OWN, POOL_TO_IDLE};
    struct pool_task *open = &arrivals.open;
    arrivals.random = random_start(seed, 0);
    open->run = run_open;
    arrivals.close.run = run_close;
    for (unsigned i = 0; i < cycles * 3; i++) {
        const struct pool_settings own = {.arrivals = kinds[i % 3], .look = i % 2 ? 3 : 0, .one_at_a_time = i % 4 == 0};
        pthread_t thread;
        gate_trying("", "tasks from outside, kind %u, %s", i % 3, text);
        if (!(arrivals.pool = check_pool_open(seed + i, text, &own)))
            return;
        atomic_store_explicit(&arrivals.ran, 0, memory_order_relaxed);
        atomic_store_explicit(&arrivals.opened, false, memory_order_relaxed);
        pthread_create(&thread, NULL, submit, NULL);
        check_run(arrivals.pool, &open, 1);
        pthread_join(thread, NULL);
        if (atomic_load_explicit(&arrivals.ran, memory_order_relaxed) != SUBMITTED * (1 + SPAWNED))
            gate_fail("of %u tasks %u ran", SUBMITTED * (1 + SPAWNED),
                      atomic_load_explicit(&arrivals.ran, memory_order_relaxed));
        check_nobody_sleeps(arrivals.pool);
        pool_close(arrivals.pool);
        gate_step();
    }
}
