/* invocation.h: the results of one process of a cell, as rows of samples.csv and histograms.csv. */
#ifndef STEALBENCH_INVOCATION_H
#define STEALBENCH_INVOCATION_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/record/output.h"
#include "harness/driver/util/format.h"
#include "harness/driver/util/process.h"
#include <stdbool.h>

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
 * failed are dropped: its rows say only what it cost and how it ended, and *why says it in words (else NULL). host: the
 * machine that it ran on, by name. */
enum invocation_status invocation_rows(struct text *rows, struct text *histograms, const struct planned_cell *,
                                       unsigned invocation, const char *host, const struct process *,
                                       const struct output *, const char **why);

/* Appends the rows that stand for an invocation of a cell whose deque is unproven: they have a status and no value, and
 * a resumed run does not count them. */
void invocation_unproven(struct text *rows, const struct planned_cell *, unsigned invocation, const char *host);

#endif
