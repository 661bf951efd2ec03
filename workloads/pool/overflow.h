/* overflow.h: first-in, first-out queues for tasks that full deques refuse. */
#ifndef STEALBENCH_POOL_OVERFLOW_H
#define STEALBENCH_POOL_OVERFLOW_H

#include "workloads/pool/memory.h"

/* Tasks that no deque had room for. A ring of pointers behind a lock: one for as many workers, whose numbers follow
 * each other, so that a lock has few who want it and lies with those that use it. */
#define POOL_OVERFLOW_GROUP 16
struct pool_overflow {
    alignas(POOL_LINE) pthread_mutex_t lock;
    alignas(POOL_LINE) _Atomic size_t count; /* written under the lock; all others read it in every round */
    struct pool_task **ring;
    size_t first, room;
};

/* Without memory the run has failed: put then runs the forks among the tasks, drops the rest, and returns false. */
bool pool_overflow_put(struct pool_worker *, struct pool_task *const *, size_t count);
/* From the queue of the worker's own group first, then from the next that has something. */
size_t pool_overflow_take(const struct pool_worker *, struct pool_task **, size_t max);
void pool_overflow_open(struct pool_overflow *);
void pool_overflow_close(struct pool_overflow *);

#endif
