/* stage.h: a pool in the lab, without threads of its own. */
#ifndef STEALBENCH_LAB_STAGE_H
#define STEALBENCH_LAB_STAGE_H

#include "workloads/pool/state.h"

#define STAGE_TASKS 32

/* How many workers stage_open makes. */
extern unsigned stage_workers;
/* How its workers sleep and are woken: POOL_SLEEP or POOL_WAKE_EACH. */
extern enum pool_idle stage_idle;

/* Call by machine_call, after machine_reset and machine_begin. The run stays open: it does not end by itself. */
void stage_open(void);

/* The worker that belongs to the calling thread of the run. */
struct pool_worker *stage_worker(void);

/* Task number i below STAGE_TASKS, each on lines of its own. A task does nothing. */
struct pool_task *stage_task(int i);
struct pool_fork *stage_fork(int i);

/* The pool's work on a task, step by step (steps.c, instrumented). Call in the worker's own thread. */
struct pool_steps {
    void (*spawn)(struct pool_worker *, struct pool_task *);
    void (*spawn_all)(struct pool_worker *, struct pool_task *const *, size_t);
    void (*spawn_placed)(struct pool_worker *, struct pool_task *); /* as a fork by place, whatever the deque */
    struct pool_task *(*take)(struct pool_worker *);                /* from its own deque; NULL: nothing there */
    void (*run)(struct pool_worker *, struct pool_task *);
    bool (*fork)(struct pool_worker *, struct pool_fork *, void (*child)(struct pool_worker *, struct pool_fork *));
    bool (*join)(struct pool_worker *, struct pool_fork *); /* true: the caller has to run the child */
    struct pool_task *(*steal)(struct pool_worker *);       /* one round over all others; NULL: nothing found */
    /* A search in vain, then the last look and the sleep: in a join for its child, or with NULL. Returns what it found.
     */
    struct pool_task *(*sleep)(struct pool_worker *, struct pool_fork *);
    void (*found)(struct pool_worker *); /* the end of a search */
};
extern const struct pool_steps pool_steps;

/* The verbs: exit codes. */
int pool_count(void);
int pool_explore(uint64_t seed, uint64_t schedules);

#endif
