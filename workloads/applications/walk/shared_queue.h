/* shared_queue.h: a thread pool to compare work stealing with: one queue for all, behind a mutex.
 *
 * Phanes's second version: workers take the oldest task under the lock, and wait on a condition variable when there is
 * none.
 */
#ifndef STEALBENCH_SHARED_QUEUE_H
#define STEALBENCH_SHARED_QUEUE_H

#include "harness/measuring/places.h"
#include "workloads/applications/walk/directory_walk.h"
#include <pthread.h>

struct shared_queue {
    struct places *places; /* of the threads */
    struct walker *walkers;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* there is a task, the last one has ended, or the pool closes */
    struct walk_entry *first, *last;
    size_t unfinished; /* tasks in the queue and tasks being run */
    unsigned waiting;  /* workers on the condition variable */
    bool closing;
    unsigned started, placed; /* threads besides main; those that have taken their place */
    pthread_t threads[PLACES_MAX];
};

/* Main. Starts places->count - 1 threads, each at its place; main takes place 0. 0; 3 no thread. */
int shared_queue_open(struct shared_queue *, struct places *, struct walker *);
void shared_queue_close(struct shared_queue *); /* not if it was never opened */

/* Main. Runs the task and all that is added meanwhile, with the others, as walker 0; returns when the last has ended.
 */
void shared_queue_run(struct shared_queue *, struct walk_entry *first);

/* A worker within a task: these are ready to be run. */
void shared_queue_add(struct shared_queue *, struct pool_task *const *tasks, size_t count);

#endif
