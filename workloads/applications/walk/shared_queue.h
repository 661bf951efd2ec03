/* shared_queue.h: a thread pool to compare work stealing with: one queue for all, behind a mutex.
 *
 * Phanes's second version: workers take the oldest task under the lock, and wait on a condition variable when there is
 * none.
 */
#ifndef STEALBENCH_SHARED_QUEUE_H
#define STEALBENCH_SHARED_QUEUE_H

#include "harness/measuring/threads/places.h"
#include "workloads/applications/walk/directory_walk.h"

struct shared_queue;

/* Main. Starts places->count - 1 threads, each at its place; main takes place 0. run is called by worker `worker`
 * (from 0) for each task once. 0; 3 no memory or no thread. */
int shared_queue_open(struct shared_queue **, struct places *places,
                      void (*run)(void *context, unsigned worker, struct walk_entry *), void *context);
void shared_queue_close(struct shared_queue *);

/* Main. Runs the task and all that is added meanwhile, with the others, as worker 0; returns when the last has ended.
 */
void shared_queue_run(struct shared_queue *, struct walk_entry *first);

/* A worker within a task: these are ready to be run. A list, linked by next, from first to last. */
void shared_queue_add(struct shared_queue *, struct walk_entry *first, struct walk_entry *last, size_t count);

#endif
