/* forecast.h: what a run would be, cell by cell: --dry-run. */
#ifndef STEALBENCH_FORECAST_H
#define STEALBENCH_FORECAST_H

#include "harness/driver/plan/plan.h"
#include <stdio.h>

/* A line a cell: its section, workload, deque and what is not at its default; how many invocations of how many seconds;
 * its threads, the processors in their order and the nodes of its memory. seconds: of an invocation, one a cell;
 * machine: as places_plan takes it. */
void forecast_print(FILE *, const struct plan *, const struct suite *, const double *seconds, const char *machine);

#endif
