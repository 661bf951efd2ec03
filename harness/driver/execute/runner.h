/* runner.h: measures a plan: each invocation of each cell in a fresh process, in a balanced order, its rows on disk
 * before the next begins.
 *
 * Invocation 0 of every cell comes before invocation 1 of any, so that a busy minute of the machine costs each cell one
 * invocation, not one cell all of them. A cell drops out when it is as precise as was asked for. Within an invocation
 * the groups follow each other, and a group's deques in the order of that row of a Latin square.
 */
#ifndef STEALBENCH_RUNNER_H
#define STEALBENCH_RUNNER_H

#include "harness/driver/execute/progress.h"
#include "harness/driver/execute/simulation.h"
#include "harness/driver/record/run.h"

struct run_outcome {
    size_t measured, kept, failed, denied, skipped; /* invocations */
    size_t imprecise;                               /* cells whose interval is wider than was asked for after all */
    size_t unproven;                                /* cells */
    size_t anew;                                    /* cells measured again because the build changed */
    size_t failed_cells;
    size_t refused_cells; /* of those: ended with exit code 2, because a file or folder they were given is no good */
    bool interrupted;
    bool refused;          /* run->refusal_ends: an input was; the process said why */
    const char *unwritten; /* why results could not be written; NULL: they could */
};

struct run_forecast {
    size_t known, pilots; /* cells measured here before; cells tried */
    /* Of the whole run: at least, at most (they differ where a precision is asked for), and by the last run's cells. */
    size_t least_invocations, invocations;
    double least_seconds, seconds;
    bool is_likely_known;
    double likely_invocations, likely_seconds;
    bool interrupted;
};

/* How long the run would take, all of it anew. Cells of which nothing is known are tried (estimate_pilots); for another
 * machine nothing is tried, and each takes what it asks for (estimate_asked). seconds: of an invocation, by cell.
 * Writes only the durations. */
void runner_forecast(const struct run *, struct run_forecast *, double *seconds);

/* 0; 2 when an input was refused and nothing else went wrong; 3 when something cannot be done on this machine, or a
 * deque is unproven; 4 when a cell failed or results could not be written; 130 when interrupted. */
int runner_run(struct run *, struct run_outcome *);

#endif
