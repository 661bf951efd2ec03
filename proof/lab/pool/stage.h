/* stage.h: a pool in the lab, without threads of its own. */
#ifndef STEALBENCH_LAB_STAGE_H
#define STEALBENCH_LAB_STAGE_H

#include "workloads/pool/state.h"

#define STAGE_TASKS 32
#define STAGE_WORKERS_MAX 512

/* How many workers stage_open makes. */
extern unsigned stage_workers;

/* By machine_call, after machine_reset and machine_begin. The run is held open: it does not end by itself. */
void stage_open(void);

/* A thread of the run: the worker of its number. */
struct pool_worker *stage_worker(void);

/* Number i below STAGE_TASKS, each on lines of its own. A task does nothing. */
struct pool_task *stage_task(int i);
struct pool_fork *stage_fork(int i);

/* The verbs: exit codes. */
int pool_count(void);
int pool_explore(uint64_t seed, uint64_t schedules);

#endif
