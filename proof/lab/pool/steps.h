/* steps.h: what the pool does at a task, step by step, for the lab to call. */
#ifndef STEALBENCH_LAB_POOL_STEPS_H
#define STEALBENCH_LAB_POOL_STEPS_H

#include "workloads/pool/state.h"

/* By the worker's own thread. */
struct pool_steps {
    void (*spawn)(struct pool_worker *, struct pool_task *);
    struct pool_task *(*take)(struct pool_worker *); /* from its own deque; NULL: nothing there */
    void (*run)(struct pool_worker *, struct pool_task *);
    bool (*fork)(struct pool_worker *, struct pool_fork *, void (*child)(struct pool_worker *, struct pool_fork *));
    bool (*join)(struct pool_worker *, struct pool_fork *); /* true: the caller has to run the child */
    struct pool_task *(*steal)(struct pool_worker *);       /* a round over all others; NULL: nothing there */
    /* A search in vain, and then the last look and the sleep, in a join for its child or with NULL; what it found */
    struct pool_task *(*sleep)(struct pool_worker *, struct pool_fork *);
    void (*found)(struct pool_worker *); /* the end of a search */
};
extern const struct pool_steps pool_steps;

#endif
