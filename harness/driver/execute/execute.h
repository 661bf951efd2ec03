/* execute.h: carries out a plan: how long it will take, when a cell has been measured often enough, and the measuring.
 */
#pragma once

#include "harness/driver/record/record.h"

/* --- precision.c: has a cell been measured often enough? For suites that ask for a precision.
 *
 * The interval is the median's by ranks: from the d-th of n sorted values to the d-th from above, with the largest d
 * that covers the true median with 95 %. It is exact for any distribution (H. A. David, H. N. Nagaraja: Order
 * Statistics, 2003, section 7.1). harness/judging/statistics/samples.py has the same.
 */

#define PRECISION_LEAST 6 /* the fewest values that give an interval covering 95 % */

/* The invocations that a cell has whatever they show: all, or six if more depend on its interval (within > 0: always).
 */
unsigned precision_first(const struct suite_options *, double within);

/* Half of the interval's width as a percentage of the median; infinite with too few values. */
double precision_of(const double *values, size_t count);

/* How many values the precision `wanted` will take, if the interval shrinks with the root of their number. The answer
 * is more than count unless the precision is reached, and at most `most`. It is asked of the first 6, 12, 24, ...
 * values only: asking after each would stop at intervals that are narrow by chance. */
unsigned precision_needs(const double *values, size_t count, double wanted, unsigned most);

/* --- durations.c: estimates how long an invocation of each cell takes: from this run, from the last run here, or from
 * what the suite says.
 *
 * results/.durations has the seconds of an invocation by a hash of what the cell measures (whatever the build). The
 * file may be deleted.
 */

/* What is known of a plan's cells. Each array is by cell. */
struct estimate {
    const struct run *run;
    double *known;   /* seconds of an invocation in this run, or in the last one; negative: unknown */
    double *seconds; /* that an invocation will take: as known; the mean of its group; as stated */
};

/* The seconds that an invocation takes by what the cell asks for: the same on every node. */
double estimate_stated(const struct plan *, const struct planned_cell *);

/* These set the seconds of all cells, and return how many are known. */
size_t estimate_open(struct estimate *, const struct run *);
size_t estimate_again(const struct estimate *);

/* Adds what is known to the file. May fail: only the next estimate suffers. */
void estimate_keep(const struct estimate *);

/* "40 invocations, about 8 min", or with a precision from the least to the most. */
const char *estimate_text(const struct estimate *);

/* Keeps those sections of a suite, the first ones first, of which the first invocations of each cell fit into
 * run->within seconds. Says what it did. */
void plan_fit(struct run *);

/* Sets which cells are of sections that fit into the time that is left. seconds: that each cell takes of it. Returns
 * the names of the sections that do not fit, each behind a space. */
const char *within_sections(const struct run *, const double *seconds, double left, bool *keep);

/* --- progress.c: writes to standard error: on a terminal one line that is rewritten, elsewhere a line every ten
 * seconds. Writes nothing while a process measures. */

struct progress {
    bool quiet, terminal;
    double start, last; /* seconds: start of the run; last time of writing */
    size_t done, total; /* invocations */
    bool open;          /* an unfinished line is on the terminal */
};

void progress_begin(struct progress *, bool quiet, size_t total);

/* Call before an invocation. seconds_left: of the whole run. */
void progress_show(struct progress *, const char *what, double seconds_left);

/* Prints a line of its own that stays, even if the run is quiet. */
void progress_say(struct progress *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Erases the unfinished line. */
void progress_end(struct progress *);

/* "8 min", or "8 to 57 min" if the two differ. */
const char *duration_text(double least, double most);

/* --- runner.c: each invocation of each cell is a fresh process. Its rows are on disk before the next begins.
 *
 * Invocation 0 of every cell comes before invocation 1 of any cell. So a busy minute of the machine costs many cells
 * one invocation each, and no cell all of them. Within an invocation the groups follow each other. The order of a
 * group's deques is a row of a Latin square. A cell ends when it has the precision asked for.
 *
 * Within a time (run->within) there are two stages: six invocations of each cell, as far as whole sections fit; then,
 * one by one until the time is used, another of each cell of the group with the widest interval. The samples decide
 * which, so a resumed run goes on as it would have.
 */

struct run_outcome {
    size_t measured, kept, failed, denied, skipped; /* invocations */
    size_t imprecise;                               /* cells with a wider interval than asked for */
    size_t unproven;                                /* cells */
    size_t anew;                                    /* cells measured again because the build changed */
    size_t failed_cells;
    size_t refused_cells; /* failed cells with exit code 2, for bad input */
    bool interrupted;
    bool refused;          /* an input was refused, and run->refusal_ends is set */
    const char *unwritten; /* why results could not be written, or NULL */
};

/* Returns 0; 2: an input was refused, and nothing else went wrong; 3: something cannot be done here, or a deque is
 * unproven; 4: a cell failed, or results could not be written; 130: interrupted. */
int runner_run(struct run *, struct run_outcome *);
