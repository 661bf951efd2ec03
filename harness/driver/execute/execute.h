/* execute.h: a plan carried out: how long it will take, when a cell has been measured often enough, and the measuring.
 */
#ifndef STEALBENCH_EXECUTE_H
#define STEALBENCH_EXECUTE_H

#include "harness/driver/record/record.h"
#include <stdbool.h>
#include <stddef.h>

/* --- precision.c: has a cell been measured often enough? For suites that say how narrow an interval is to be, not how
 * many invocations make it so.
 *
 * The interval is that of the median by ranks: of n sorted values from the d-th to the d-th from above, with the
 * largest d that covers the true median in 95 % of all cases. It is exact for any distribution (H. A. David, H. N.
 * Nagaraja: Order Statistics, 2003, section 7.1). Tables and figures use the bootstrap's intervals, which are slightly
 * narrower.
 */

/* With fewer values no interval made of them covers 95 %. */
#define PRECISION_LEAST 6

/* Half of the interval's width by the median, in percent; infinite with fewer than PRECISION_LEAST values. Sorts them.
 */
double precision_of(double *values, size_t count);

/* The values measured at the most frequent distance between the threads' processors, into values (room for count).
 * Returns how many. Values at other distances do not count, as if another machine had measured them. */
size_t precision_values(const struct judged *, size_t count, double *values);

/* How many values it will take until the precision is `wanted`: it shrinks with the root of their number. At least one
 * more than count, unless it is reached, and at most `most`. */
unsigned precision_needs(double *values, size_t count, double wanted, unsigned most);

/* --- durations.c: how long an invocation of each cell takes: as in this run, as in the last run on this machine, or as
 * cells like it.
 *
 * results/.durations has a line a cell: a hash of what it measures (whatever the build), the seconds of an invocation,
 * and where a precision was asked for how many values there were and how precise they were. It may be deleted at any
 * time.
 */

struct duration {
    uint64_t key;
    double seconds;
    unsigned values;  /* 0: none are known */
    double precision; /* that these had, in percent (precision.c) */
};

/* Sorted by key. */
struct durations {
    struct duration *at;
    size_t count;
};

/* What a cell is kept under. */
uint64_t durations_key(const struct planned_cell *);

/* Reads those kept in a folder of runs; none where there is no such file. Lines that cannot be read are left out. */
void durations_read(struct durations *, const char *parent);

/* Adds to them, or replaces, and writes all; 0, or an errno value. added need not be sorted; one without values leaves
 * those that are kept. */
int durations_keep(struct durations *, const char *parent, const struct duration *added, size_t count);

/* What is known of a plan's cells. */
struct estimate {
    const struct plan *plan;
    double *kept;     /* by cell: seconds of an invocation in the last run, or negative */
    double *measured; /* the same in this run, or negative */
    double *wanted;   /* invocations until it is as precise as asked for, by the last run's values, or negative */
};

void estimate_open(struct estimate *, const struct plan *, const struct durations *);

/* Fills seconds (one a cell) with what an invocation is expected to take: as measured; else as kept, scaled by how much
 * slower today's measurements are than the kept ones; else the mean of its group, or of its workload in its section;
 * else what it asks for. Returns how many cells are known, as measured or kept. */
size_t estimate_cells(const struct estimate *, double *seconds);

/* Fills invocations (one a cell) with how many each is expected to take: as many as it asks for; with a precision as in
 * the last run, else as the mean of its group, of its workload in its section, or of all. Returns whether half of the
 * cells with a precision are known; if not, every cell takes the most that it asks for. */
bool estimate_invocations(const struct estimate *, double *invocations);

/* Seconds of an invocation on a machine with so many processors where the cell cannot be tried: its minimum time, or
 * its section's `work` divided among its threads. */
double estimate_asked(const struct planned_cell *, unsigned processors);

/* The cells to be tried: of each workload in each section at most PILOTS, spread over the groups of which nothing is
 * known. Fills cells (room for all of the plan) and returns how many. */
#define PILOTS 6
size_t estimate_pilots(const struct estimate *, size_t *cells);

/* --- simulation.c: cells with counters=callgrind: their executables, valgrind around them, and its counts.
 *
 * Such a cell runs another build of its deque, build/simulated/ID, for x86-64-v3: valgrind 3.19 knows nothing beyond
 * AVX2. make builds it, on the way of run.sh, which asks the driver by --needs.
 */

struct simulation {
    const char *build;
    const char *why; /* why nothing can be simulated; NULL when it can */
};

/* Is it the plan's first cell that wants its deque simulated? */
bool simulation_is_first(const struct plan *, size_t cell);

/* Looks for what the plan's cells need. Where valgrind or a build is missing it says so, and the cells then run
 * without: they report that they were not simulated. Does nothing for a plan without such cells. */
void simulation_open(struct simulation *, const struct plan *, const char *build);

/* Adds the words before --run: valgrind writing its counts to the file counts, and the executable; or the executable
 * that this invocation times, alone. */
void simulation_command(const struct simulation *, const struct planned_cell *, unsigned invocation, const char *counts,
                        struct words *arguments);

/* Adds to what a process printed the counts that valgrind left in the file, as samples, and removes the file. */
void simulation_take_counts(const char *counts, struct text *output);

/* --- progress.c: what a person sees during a run, on standard error: one line rewritten on a terminal, a plain line
 * every ten seconds elsewhere. Nothing is written while a process measures. */

struct progress {
    bool quiet, terminal;
    double start, last; /* seconds: when it began; when a line was last written */
    size_t done, total; /* invocations */
    bool open;          /* there is an unfinished line on the terminal */
};

void progress_begin(struct progress *, bool quiet, size_t total);

/* Before an invocation: what it is, and the total seconds left (below 0: not known yet). */
void progress_show(struct progress *, const char *what, double seconds_left);

/* A line of its own that stays, quiet or not. */
void progress_say(struct progress *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Erases the unfinished line. */
void progress_end(struct progress *);

/* "1:02:03" or "2:03" */
void progress_duration(double seconds, char *text, size_t size);

/* --- runner.c: measures a plan: each invocation of each cell in a fresh process, in a balanced order, its rows on disk
 * before the next begins.
 *
 * Invocation 0 of every cell comes before invocation 1 of any, so that a busy minute of the machine costs each cell one
 * invocation, not one cell all of them. A cell drops out when it is as precise as was asked for. Within an invocation
 * the groups follow each other, and a group's deques in the order of that row of a Latin square.
 */

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
