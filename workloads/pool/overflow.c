/* overflow.c: first-in, first-out queues for tasks that full deques refuse, one for a group of workers. */
#include "workloads/pool/state.h"
#include <stdlib.h>
#include <string.h>

/* Under the lock: room for count tasks more. */
static bool overflow_grow(struct pool_overflow *queue, size_t count) {
    size_t held = atomic_load_explicit(&queue->count, memory_order_relaxed);
    size_t room = queue->room ? queue->room : 1024;
    if (held + count <= queue->room)
        return true;
    while (room < held + count)
        room *= 2;
    struct pool_task **ring = pool_memory(room * sizeof *ring);
    if (!ring)
        return false;
    size_t tail = queue->room - queue->first; /* from the first to the end of the old ring */
    if (tail > held)
        tail = held;
    if (held > 0) {
        memcpy(ring, queue->ring + queue->first, tail * sizeof *ring);
        memcpy(ring + tail, queue->ring, (held - tail) * sizeof *ring);
    }
    free(queue->ring);
    queue->ring = ring;
    queue->first = 0;
    queue->room = room;
    return true;
}

/* The run has failed, and there is no room for these tasks. Forks are run now, because their parents wait for them. A
 * fork may push, come here again and overwrite the array of tasks: copy them first. It may search and sleep: end the
 * worker's announced sleep first. */
static void run_forks(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    struct pool_task *forks[64];
    size_t held = 0, seen = 0;
    for (; seen < count && held < sizeof forks / sizeof forks[0]; seen++)
        if (tasks[seen]->run == pool_fork_run)
            forks[held++] = tasks[seen];
    if (seen < count)
        run_forks(worker, tasks + seen, count - seen);
    pool_sleep_cancel(worker);
    worker->counts.tasks += held;
    worker->counts.inlined += held;
    for (size_t i = 0; i < held; i++)
        forks[i]->run(worker, forks[i]);
}

bool pool_overflow_put(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    struct pool_overflow *queue = pool_overflow_queue(worker->pool, worker->number / POOL_OVERFLOW_GROUP);
    pthread_mutex_lock(&queue->lock);
    bool room = overflow_grow(queue, count);
    size_t held = atomic_load_explicit(&queue->count, memory_order_relaxed);
    for (size_t i = 0; room && i < count; i++)
        queue->ring[(queue->first + held + i) & (queue->room - 1)] = tasks[i];
    if (room)
        atomic_store_explicit(&queue->count, held + count, memory_order_relaxed);
    pthread_mutex_unlock(&queue->lock);
    if (!room) {
        pool_fail(worker, 3, "no memory for the overflow queue");
        run_forks(worker, tasks, count);
    } else {
        worker->counts.overflowed += count;
        atomic_signal_fence(memory_order_seq_cst); /* pairs with the membarrier in sleep.c */
        if (atomic_load_explicit(&worker->watches, memory_order_relaxed))
            pool_wake(worker, true);
    }
    return room;
}

/* At most a worker's share, so that all workers who take from it get some. */
static size_t take_from(struct pool_overflow *queue, unsigned sharers, struct pool_task **tasks, size_t max) {
    if (atomic_load_explicit(&queue->count, memory_order_relaxed) == 0)
        return 0;
    pthread_mutex_lock(&queue->lock);
    size_t held = atomic_load_explicit(&queue->count, memory_order_relaxed);
    size_t share = (held + sharers - 1) / sharers;
    size_t taken = share < max ? share : max;
    for (size_t i = 0; i < taken; i++)
        tasks[i] = queue->ring[(queue->first + i) & (queue->room - 1)];
    if (taken > 0)
        queue->first = (queue->first + taken) & (queue->room - 1);
    atomic_store_explicit(&queue->count, held - taken, memory_order_relaxed);
    pthread_mutex_unlock(&queue->lock);
    return taken;
}

size_t pool_overflow_take(const struct pool_worker *worker, struct pool_task **tasks, size_t max) {
    const struct pool *pool = worker->pool;
    unsigned groups = pool_overflow_groups(pool), own = worker->number / POOL_OVERFLOW_GROUP;
    size_t taken = 0;
    for (unsigned i = 0; i < groups && taken == 0; i++)
        taken = take_from(pool_overflow_queue(pool, (own + i) % groups), pool->threads, tasks, max);
    return taken;
}
