/* explore.h: looks for a schedule under which a client of the deque goes wrong. */
#ifndef STEALBENCH_LAB_EXPLORE_H
#define STEALBENCH_LAB_EXPLORE_H

#include "proof/lab/engine/machine.h"
#include <stdbool.h>
#include <stdint.h>

struct explore_request {
    uint64_t seed;
    uint64_t schedules;    /* random ones, for each client */
    unsigned bound;        /* of the exhaustive part */
    double seconds;        /* for all of it; 0: no limit */
    const char *client;    /* only this one, or NULL */
    const char *replay;    /* one schedule: a seed ("0x1f") or a list of steps; needs client */
    enum fault_kind fault; /* look for this kind only; FAULT_NONE: the worst */
    const char *program;   /* the command that repeats this */
    bool quiet;            /* no trace, one line */
    bool weak;             /* on memory weaker than TSO (weak_memory.h) */
};

/* 0: no fault found. 1: a fault, reported on standard output. 2: no such client or schedule. */
int explore(const struct explore_request *);

#endif
