/* run.c: one run: how it begins, how its end is found, and how it fails.
 *
 * The end is exact. Each worker counts what it spawned and what it finished. A worker without work sums up all
 * `finished`, and after that all `spawned`. If both sums are equal, every task counted as spawned had finished when the
 * second sum began: a spawn is counted before its task is finished, so a task left out would have an ancestor that was
 * counted as spawned and not as finished (F. Mattern: Algorithms for distributed termination detection, 1987).
 */
#include "workloads/pool/state.h" /* first: it says where a deque has its memory from */

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void pool_word_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds) {
    struct timespec limit = {.tv_sec = (time_t)(nanoseconds / 1000000000u),
                             .tv_nsec = (long)(nanoseconds % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nanoseconds ? &limit : NULL, NULL, 0);
}

void pool_word_wake(_Atomic uint32_t *word, int waiters) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, waiters, NULL, NULL, 0);
}

void pool_pass(struct pool *pool) {
    /* release: pairs with the acquire in pool_wait_for_others; all that this worker did is seen */
    if ((atomic_fetch_add_explicit(&pool->passed, 1, memory_order_acq_rel) + 1) % (pool->threads - 1) == 0)
        pool_word_wake(&pool->passed, 1);
}

void pool_wait_for_others(struct pool *pool, uint32_t times) {
    uint32_t passed;
    for (unsigned looks = 0;
         (passed = atomic_load_explicit(&pool->passed, memory_order_acquire)) < times * (pool->threads - 1); looks++) {
        if (looks < 100)
            sched_yield();
        else
            pool_word_wait(&pool->passed, passed, 0);
    }
}

/* A worker's part in a run. With first=each it spawns its own of the first tasks, once the clock runs: task i is of
 * worker i modulo their number. */
void pool_take_part(struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    worker->counters = (struct counters){0};
    const uint64_t processor = time_on_processors();
    counters_start(&worker->counters);
    const uint64_t arrived = clock_nanoseconds();
    /* acquire: pairs with the release in pool_run; the tasks are there */
    while (pool->each && atomic_load_explicit(&pool->started, memory_order_acquire) == 0)
        sched_yield();
    for (size_t i = worker->number; pool->each && i < pool->first_count; i += pool->threads)
        pool_deque.spawn_first(worker, &pool->first[i], 1);
    pool_deque.work(worker);
    worker->present = clock_nanoseconds() - arrived;
    counters_stop(&worker->counters);
    worker->cpu_time = time_on_processors() - processor;
}

static void begin_run(struct pool *pool, size_t count) {
    for (unsigned i = 0; i < pool->threads; i++) {
        struct pool_worker *worker = pool->worker[i];
        worker->counts = (struct pool_counts){0};
        if (pool->steal_times)
            histogram_clear(&worker->steal_times);
        if (pool->waits)
            histogram_clear(&worker->waits);
        atomic_store_explicit(&worker->finished, 0, memory_order_relaxed);
        /* the first tasks count before anybody may look for the end */
        atomic_store_explicit(&worker->spawned, i == 0 ? count : 0, memory_order_relaxed);
    }
    atomic_store_explicit(&pool->over, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->failure, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->started, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->passed, 0, memory_order_relaxed);
    /* release: pairs with the acquire in worker_thread */
    atomic_fetch_add_explicit(&pool->run, 1, memory_order_release);
    pool_word_wake(&pool->run, INT_MAX);
}

int pool_run(struct pool *pool, struct pool_task *const *tasks, size_t count) {
    pool->first = tasks;
    pool->first_count = count;
    begin_run(pool, count);
    pool_wait_for_others(pool, 1); /* the clock starts with everybody awake */
    /* release: pairs with the acquire in pool_take_part */
    atomic_store_explicit(&pool->started, clock_nanoseconds(), memory_order_release);
    if (!pool->each && count > 0)
        pool_deque.spawn_first(pool->worker[0], tasks, count);
    pool_take_part(pool->worker[0]);
    pool_wait_for_others(pool, 2);
    return atomic_load_explicit(&pool->failure, memory_order_relaxed);
}

double pool_seconds(const struct pool *pool) {
    const uint64_t started = atomic_load_explicit(&pool->started, memory_order_relaxed);
    uint64_t end = started;
    for (unsigned i = 0; i < pool->threads; i++)
        if (pool->worker[i]->counts.last_end > end)
            end = pool->worker[i]->counts.last_end;
    return (double)(end - started) * 1e-9;
}

bool pool_ended(struct pool *pool) {
    uint64_t finished = 0, spawned = 0;
    if (atomic_load_explicit(&pool->over, memory_order_acquire))
        return true;
    /* acquire: pairs with the release of finished when a task has run; what it spawned is then counted */
    for (unsigned i = 0; i < pool->threads; i++)
        finished += atomic_load_explicit(&pool->worker[i]->finished, memory_order_acquire);
    for (unsigned i = 0; i < pool->threads && spawned <= finished; i++) /* more than that is more at the end too */
        spawned += atomic_load_explicit(&pool->worker[i]->spawned, memory_order_relaxed);
    if (finished != spawned)
        return false;
    pool_end(pool);
    return true;
}

void pool_fail(struct pool_worker *worker, int code, const char *reason) {
    int none = 0;
    if (!atomic_compare_exchange_strong_explicit(&worker->pool->failure, &none, code, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    fprintf(stderr, "stealbench: pool: worker %u: %s\n", worker->number, reason);
    pool_end(worker->pool);
}

uint64_t pool_sum(const struct pool *pool, size_t count) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < pool->threads; i++)
        sum += *(const uint64_t *)(const void *)((const char *)&pool->worker[i]->counts + count);
    return sum;
}

uint64_t pool_tallied(const struct pool *pool, unsigned which) {
    return pool_sum(pool, offsetof(struct pool_counts, tally) + which * sizeof(uint64_t));
}
