/* waits.h: records of a run that are made on request: how long tasks wait from push to start (waits=1), and what each
 * worker did when (timeline=1). */
#ifndef STEALBENCH_POOL_WAITS_H
#define STEALBENCH_POOL_WAITS_H

#include "workloads/pool/memory.h"

/* With waits=1: goes into the deque instead of the task, with the time of the push. Only the pool sees its address. */
struct pool_stamp {
    alignas(POOL_OBJECT) struct pool_task task; /* first; its run is pool_stamp_run, by which it is known */
    union {
        struct pool_task *of;
        void *next;
    } u;
    uint64_t pushed; /* ns */
    unsigned worker; /* that pushed it */
};

struct pool_waits;
/* The stamp to push in place of the task. Without memory: the task itself, and the run has failed. */
struct pool_task *pool_stamp(struct pool_worker *, struct pool_task *);
/* The task that a stamp stands for, which begins now. */
struct pool_task *pool_stamp_taken(struct pool_worker *, struct pool_task *stamp);
/* For a stamp that was not pushed, or is dropped: returns its task. */
struct pool_task *pool_stamp_back(struct pool_worker *, struct pool_task *stamp);
void pool_stamp_run(struct pool_worker *, struct pool_task *stamp);
static inline bool pool_is_stamp(const struct pool_task *task) { return task->run == pool_stamp_run; }
/* false: no memory. These do nothing where tasks are not stamped. */
bool pool_waits_open(struct pool_worker *);
bool pool_waits_open_all(struct pool *);
void pool_waits_begin(struct pool_worker *);
/* How many stamped tasks it has begun in this run. After the run, main. */
uint64_t pool_waits_count(const struct pool_worker *);
void pool_waits_report(const struct pool *, unsigned repetition);
/* Writes the distributions of all runs. */
void pool_waits_close(struct pool *);
void pool_waits_free(struct pool_waits *);

/* What a worker was doing, for the timeline. */
enum pool_state { POOL_WORKS, POOL_SEARCHES, POOL_STEALS, POOL_SLEEPS };
struct pool_span {
    uint64_t start, end; /* ns */
    enum pool_state state;
};
#define POOL_SPANS_MAX 131072 /* of all workers in a run; later ones are lost, and counted */

/* A worker: was in that state until now. */
void pool_timeline_add(struct pool_worker *, enum pool_state, uint64_t now);
bool pool_timeline_open(struct pool_worker *);
void pool_timeline_begin(struct pool_worker *, uint64_t now);
void pool_timeline_report(const struct pool *, unsigned repetition);

#endif
