/* walk.h: a walk over a tree of directories and its check, for every runtime: one task a directory, as our workload
 * walk has it. */
#ifndef STEALBENCH_RUNTIME_WALK_H
#define STEALBENCH_RUNTIME_WALK_H

#include "workloads/runtimes/runtime.h"
#include "workloads/runtimes/walk/walking.h"

#define walk_parameters walking_parameters, directory_input_parameters

/* Main thread, the runtime being there. run walks. */
static inline int walk_measure(const struct cell *cell, void (*run)(void *walking), void (*gather)(void)) {
    struct walking *walking;
    int failure = walking_open(&walking, cell, runtime_threads);
    if (failure != 0)
        return failure;
    struct runtime_work work = {walking, walking_prepare, run, walking_verify, NULL, 0};
    failure = runtime_measure(cell, &work, gather);
    walking_close(walking);
    return failure;
}

#endif
