/* run.h: one run: what is measured, by what, and where its results go. */
#ifndef STEALBENCH_RUN_H
#define STEALBENCH_RUN_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/plan/stamp.h"
#include "harness/driver/record/results.h"

struct simulation;

struct run {
    const char *name, *parent;  /* its folder's name, and the folder of runs */
    const char *host;           /* this machine's name, for every row */
    const char *part;           /* "3/12": of a run that is measured in parts; else NULL */
    unsigned repeat;            /* of the part: on which of several nodes */
    uint64_t split;             /* hash of the run's split.csv */
    const char *build, *root;   /* the build folder; the source tree */
    const char *const *command; /* the command line, ending on NULL */
    struct suite suite;
    struct catalogue catalogue;
    struct plan plan;
    struct stamp *stamps;                /* one a deque of the catalogue */
    const struct simulation *simulation; /* for cells with counters=callgrind */
    struct results results;
    struct finished finished; /* what results that are continued have already */
    bool continued;
    bool refusal_ends; /* exit code 2, an input that is refused (a file, say), ends the run: nothing of it is kept */
    bool quiet;
    const char *topology; /* of a forecast: another machine (places_plan); or NULL */
};

#endif
