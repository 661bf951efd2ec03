/* overflow.h: first-in, first-out queues for tasks that full deques refuse. */
#ifndef STEALBENCH_POOL_OVERFLOW_H
#define STEALBENCH_POOL_OVERFLOW_H

#include "workloads/pool/memory.h"

/* Tasks that no deque had room for: a ring of pointers behind a lock. Each group of POOL_OVERFLOW_GROUP neighbouring
 * workers has one, so that few workers compete for a lock and it stays in their caches. */
#define POOL_OVERFLOW_GROUP 16
struct pool_overflow {
    alignas(POOL_LINE) pthread_mutex_t lock;
    alignas(POOL_LINE) _Atomic size_t count; /* written under the lock; all others read it in every round */
    struct pool_task **ring;
    size_t first, room;
};

/* If there is no memory, the run fails: put runs the forks among the tasks, drops the other tasks, and returns false.
 */
bool pool_overflow_put(struct pool_worker *, struct pool_task *const *, size_t count);
/* From the queue of the worker's own group first, then from the next that has something. */
size_t pool_overflow_take(const struct pool_worker *, struct pool_task **, size_t max);
void pool_overflow_open(struct pool_overflow *);
void pool_overflow_close(struct pool_overflow *);

#endif
