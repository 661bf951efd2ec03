/* execute.h: carries out a plan: how long it takes, when a cell has been measured often enough, and the measuring. */
#pragma once

#include "harness/driver/record/record.h"

/* --- precision.c: has a cell been measured often enough? For suites that ask for a precision. The interval is that of
 * harness/judging/statistics/intervals.py: from the d-th of n sorted values to the d-th from above, with the largest d
 * that covers the true median with 95 %. */

#define PRECISION_LEAST 6 /* the fewest values that give an interval covering 95 % */

/* The invocations that a cell has whatever they show: all, or six if more depend on its interval (or within > 0). */
unsigned precision_first(const struct suite_options *, double within);

/* Half of the interval's width as a percentage of the median; infinite with too few values. */
double precision_of(const double *values, size_t count);

/* How many values the precision `wanted` will take, if the interval shrinks with the root of their number. The answer
 * is more than count unless the precision is reached, and at most `most`. It is asked of the first 6, 12, 24, ...
 * values only: asking after each would stop at intervals that are narrow by chance. */
unsigned precision_needs(const double *values, size_t count, double wanted, unsigned most);

/* --- durations.c: estimates how long an invocation of each cell takes: from this run, from the last run here, or from
 * what the suite says. results/.durations keeps the seconds by a hash of what the cell measures, whatever the build; it
 * may be deleted. */

/* The seconds that an invocation takes by what the cell asks for: the same on every node. */
double estimate_stated(const struct plan *, const struct planned_cell *);

/* These set the seconds of all cells: as known, the mean of the group, or as stated. They return how many are known. */
size_t estimate_open(struct run *);
size_t estimate_again(struct plan *);

/* Adds what is known to the file. May fail: only the next estimate suffers. */
void estimate_keep(const struct run *);

/* "40 invocations, about 8 min", or with a precision from the least to the most. */
const char *estimate_text(const struct run *);

/* Keeps those sections of a suite, the first ones first, of which the first invocations of each cell fit into
 * run->within seconds. Says what it did. */
void plan_fit(struct run *);

/* Drops the cells of sections that do not fit into the time that is left, by what each takes of it. Returns the names
 * of these sections, each behind a space. */
const char *within_sections(struct run *, double left);

/* --- progress.c: writes to standard error: on a terminal one line that is rewritten, elsewhere a line every ten
 * seconds. Writes nothing while a process measures. */

void progress_begin(bool quiet);
void progress_end(void); /* erases the unfinished line */

/* Call before an invocation. left: so many invocations are to come; seconds_left: of the whole run. */
void progress_show(const char *what, size_t left, double seconds_left);

/* Prints a line of its own that stays, even if the run is quiet. */
void progress_put(char *line); /* frees it */
#define progress_say(...) progress_put(formatted(__VA_ARGS__))

/* "8 min", or "8 to 57 min" if the two differ. */
const char *duration_text(double least, double most);

/* --- runner.c: each invocation of each cell is a fresh process. Its rows are on disk before the next begins.
 *
 * Invocation 0 of every cell comes before invocation 1 of any, group by group, each in a balanced order. So a busy
 * minute of the machine costs many cells one invocation, and no cell all. A cell ends when it is precise enough.
 *
 * Within a time (run->within) there are two stages: six invocations of each cell, as far as whole sections fit; then,
 * one by one until the time is used, another of each cell of the group with the widest interval. The samples decide
 * which, so a resumed run goes on as it would have. */

/* Returns 0; 2: an input was refused, and nothing else went wrong; 3: something cannot be done here, or a deque is
 * unproven; 4: a cell failed, or results could not be written; 130: interrupted. */
int runner_run(struct run *);
