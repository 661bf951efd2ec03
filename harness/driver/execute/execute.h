/* execute.h: a plan carried out: how long it will take, when a cell has been measured often enough, and the measuring.
 */
#ifndef STEALBENCH_EXECUTE_H
#define STEALBENCH_EXECUTE_H

#include "harness/driver/record/record.h"
#include <stdbool.h>
#include <stddef.h>

/* --- precision.c: has a cell been measured often enough? For suites that ask for a precision.
 *
 * The interval is the median's by ranks: from the d-th of n sorted values to the d-th from above, with the largest d
 * that covers the true median with 95 %. It is exact for any distribution (H. A. David, H. N. Nagaraja: Order
 * Statistics, 2003, section 7.1). Tables and figures use the bootstrap's intervals, which are slightly narrower.
 */

#define PRECISION_LEAST 6 /* values, for an interval that covers 95 % */

/* Half of the interval's width by the median, in percent; infinite with too few values. Sorts them. */
double precision_of(double *values, size_t count);

/* Copies the values measured at the most frequent distance between the threads' processors; returns how many. Values at
 * other distances are another machine's. */
size_t precision_values(const struct judged *, size_t count, double *values);

/* How many values the precision `wanted` will take, if the interval shrinks with the root of their number: more than
 * count unless it is reached, and at most `most`. */
unsigned precision_needs(double *values, size_t count, double wanted, unsigned most);

/* --- durations.c: how long an invocation of each cell takes: as in this run, as in the last run here, or as cells like
 * it.
 *
 * results/.durations has a line a cell: a hash of what it measures (whatever the build), the seconds of an invocation
 * and, where a precision was asked for, the number of values and their precision. It may be deleted.
 */

struct duration {
    uint64_t key;
    double seconds;
    unsigned values;  /* 0: not known */
    double precision; /* of these, in percent */
};

/* Sorted by key. */
struct durations {
    struct duration *at;
    size_t count;
};

uint64_t durations_key(const struct planned_cell *);

/* Reads those of a folder of runs, without lines that make no sense. */
void durations_read(struct durations *, const char *parent);

/* Adds or replaces these and writes all; 0, or an errno value. One without values leaves the values that are kept. */
int durations_keep(struct durations *, const char *parent, const struct duration *added, size_t count);

/* What is known of a plan's cells. */
struct estimate {
    const struct plan *plan;
    double *kept;     /* by cell: seconds of an invocation in the last run, or negative */
    double *measured; /* the same in this run, or negative */
    double *wanted;   /* invocations until it is as precise as asked for, by the last run's values, or negative */
};

void estimate_open(struct estimate *, const struct plan *, const struct durations *);

/* The seconds that an invocation of each cell will take: as measured; else as kept, times how much slower this run is
 * than the kept one; else the mean of its group, or of its workload in its section; else what it asks for. Returns how
 * many cells were measured or kept. */
size_t estimate_cells(const struct estimate *, double *seconds);

/* The invocations that each cell will take: as many as it asks for; with a precision as many as in the last run, else
 * the mean of its group, of its workload in its section, or of all. false where less than half of the cells with a
 * precision are known: each then takes the most that it asks for. */
bool estimate_invocations(const struct estimate *, double *invocations);

/* The same seconds on a machine with so many processors that is not here: the minimum time, or the section's `work`
 * divided among the threads. */
double estimate_asked(const struct planned_cell *, unsigned processors);

/* The cells to try: at most PILOTS of each workload in each section, spread over the groups of which nothing is known.
 * Returns how many. */
#define PILOTS 6
size_t estimate_pilots(const struct estimate *, size_t *cells);

/* --- simulation.c: cells with counters=callgrind run under valgrind, in a build of their deque for x86-64-v3
 * (build/simulated/ID): valgrind 3.19 knows nothing beyond AVX2. */

struct simulation {
    const char *build;
    const char *why; /* why nothing can be simulated; NULL when it can */
};

/* Is it the plan's first cell that wants its deque simulated? */
bool simulation_is_first(const struct plan *, size_t cell);

/* Looks for valgrind and the builds, and says what is missing. Cells without them report that they were not simulated.
 */
void simulation_open(struct simulation *, const struct plan *, const char *build);

/* Adds the words before --run: the executable, behind valgrind where it is simulated. counts: valgrind's file. */
void simulation_command(const struct simulation *, const struct planned_cell *, unsigned invocation, const char *counts,
                        struct words *arguments);

/* Adds the counts of valgrind's file to what the process printed, as samples, and removes the file. */
void simulation_take_counts(const char *counts, struct text *output);

/* --- progress.c: on standard error: one line, rewritten, on a terminal; elsewhere a line every ten seconds. Nothing is
 * written while a process measures. */

struct progress {
    bool quiet, terminal;
    double start, last; /* seconds: when it began; when it last wrote */
    size_t done, total; /* invocations */
    bool open;          /* there is an unfinished line on the terminal */
};

void progress_begin(struct progress *, bool quiet, size_t total);

/* Before an invocation. seconds_left: of all; below 0: not known. */
void progress_show(struct progress *, const char *what, double seconds_left);

/* A line of its own that stays, quiet or not. */
void progress_say(struct progress *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Erases the unfinished line. */
void progress_end(struct progress *);

/* "1:02:03" or "2:03" */
void progress_duration(double seconds, char *text, size_t size);

/* --- runner.c: each invocation of each cell is a fresh process. Its rows are on disk before the next begins.
 *
 * Invocation 0 of every cell comes before invocation 1 of any: a busy minute of the machine costs many cells one
 * invocation, not one cell all of them. Within an invocation the groups follow each other, and a group's deques come in
 * the order of a row of a Latin square. A cell ends when it is as precise as was asked for.
 */

struct run_outcome {
    size_t measured, kept, failed, denied, skipped; /* invocations */
    size_t imprecise;                               /* cells whose interval is wider than was asked for */
    size_t unproven;                                /* cells */
    size_t anew;                                    /* cells measured again because the build changed */
    size_t failed_cells;
    size_t refused_cells; /* of those: exit code 2, for bad input */
    bool interrupted;
    bool refused;          /* an input was, and run->refusal_ends */
    const char *unwritten; /* why results could not be written; NULL: they could */
};

struct run_forecast {
    size_t known, pilots; /* cells measured here before; cells tried */
    /* Of the whole run: at least; at most, with a precision; likely, by the last run. */
    size_t least_invocations, invocations;
    double least_seconds, seconds;
    bool is_likely_known;
    double likely_invocations, likely_seconds;
    bool interrupted;
};

/* How long the whole run would take. Some cells of which nothing is known are tried; none for another machine. seconds:
 * of an invocation of each cell. Writes only the durations. */
void runner_forecast(const struct run *, struct run_forecast *, double *seconds);

/* 0; 2: an input was refused, and nothing else went wrong; 3: something cannot be done here, or a deque is unproven;
 * 4: a cell failed, or results could not be written; 130: interrupted. */
int runner_run(struct run *, struct run_outcome *);

#endif
