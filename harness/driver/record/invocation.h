/* invocation.h: the results of one process of a cell, as rows of samples.csv. */
#ifndef STEALBENCH_INVOCATION_H
#define STEALBENCH_INVOCATION_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/util/process.h"
#include <stdbool.h>

#define SAMPLES_VERSION 4
#define SAMPLES_COLUMNS                                                                                                \
    "cell,workload,deque,params,placement,role,invocation,repetition,metric,value,unit,status,flags,variant,host,"     \
    "distance"
#define SAMPLES_COLUMN_COUNT 16

/* histograms.csv: the distributions that an invocation gave, one bucket a row; cell, role, invocation and metric are
 * those of samples.csv. */
#define HISTOGRAMS_VERSION 1
#define HISTOGRAMS_COLUMNS "cell,role,invocation,repetition,metric,lower,upper,count,unit"
#define HISTOGRAMS_COLUMN_COUNT 9
enum histograms_column { HISTOGRAM_CELL, HISTOGRAM_ROLE, HISTOGRAM_INVOCATION };

/* The columns by number, for readers. */
enum samples_column {
    COLUMN_CELL,
    COLUMN_WORKLOAD,
    COLUMN_DEQUE,
    COLUMN_PARAMS,
    COLUMN_PLACEMENT,
    COLUMN_ROLE,
    COLUMN_INVOCATION,
    COLUMN_REPETITION,
    COLUMN_METRIC,
    COLUMN_VALUE,
    COLUMN_UNIT,
    COLUMN_STATUS,
    COLUMN_FLAGS,
    COLUMN_VARIANT, /* of the code of the measured loops, or its layout; empty where there is one */
    COLUMN_HOST,    /* the machine it was measured on */
    COLUMN_DISTANCE /* between the threads' processors, ns; empty of one thread, or where it could not be had */
};

/* The metric whose row ends an invocation, and its status when nothing was measured because the deque has no
 * verdict. */
#define INVOCATION_END "invocation_time"
#define STATUS_UNPROVEN "unproven"

enum invocation_status {
    INVOCATION_OK,
    INVOCATION_DENIED, /* cannot be done on this machine: a row says so, without a value */
    INVOCATION_CRASHED,
    INVOCATION_TIMEOUT
};

/* Appends the rows of this process to rows, and those of histograms.csv to histograms. The values of a process that
 * failed are dropped: its rows say only what it cost and how it ended, and why (MESSAGE_SIZE bytes) says it in words.
 * host: the machine that it ran on, by name. unsound: flag every row. */
enum invocation_status invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *,
                                       unsigned invocation, const char *host, const struct process *, bool unsound,
                                       char *why);

/* Appends the rows that stand for an invocation of a cell whose deque is unproven: they have a status and no value, and
 * taking the run up again does not count them. */
void invocation_unproven(struct text *rows, const struct planned_cell *, unsigned invocation, const char *host);

#endif
