/* split.h: a plan divided into parts that are measured by themselves, on several nodes or one after the other.
 *
 * A group is never divided: one process tree measures what is compared, in the balanced order. The groups go to the
 * parts by the time that they are expected to take, the longest first, each to the part that has least so far. That
 * division is written as split.csv before the first part begins: every part that ends changes what is known of times,
 * and all have to agree on who measures what.
 */
#ifndef STEALBENCH_SPLIT_H
#define STEALBENCH_SPLIT_H

#include "harness/driver/plan/plan.h"
#include "harness/driver/util/text.h"

#define SPLIT_PARTS_MAX 10000

struct split {
    unsigned parts;
    unsigned *part_of; /* by cell of the plan: its part, from 1 */
};

/* What all invocations of a cell take, when one takes `seconds`. */
double split_cell_seconds(const struct planned_cell *, double seconds);

/* Divides into `parts` parts, or into as many as there are groups when these are fewer; parts 0: into the fewest that
 * take about `length` seconds at most each, where no group alone takes longer. seconds: of one invocation, by cell. The
 * same plan and seconds make the same split. */
struct split split_make(const struct plan *, const double *seconds, unsigned parts, double length);

/* Appends split.csv. */
void split_write(struct text *, const struct split *, const struct plan *, const double *seconds);

/* Reads what split_write wrote. Refused when it is of other cells than the plan's: another suite, another choice of it,
 * or another build. */
struct split split_read(const struct plan *, const char *text);

/* "3/12" into its two numbers. "12" into parts, or "30m", "2h" or "90s" into seconds: the other is 0. */
void split_parse_part(const char *text, unsigned *part, unsigned *parts);
void split_parse_wish(const char *text, unsigned *parts, double *length);

#endif
