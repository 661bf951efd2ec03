/* headline.h: what the driver reads of a process's output (harness/README.md): the way between its threads, as each
 * repetition had it, and the one value by which its cell is judged to be measured precisely enough.
 *
 * The threads' distance is probed before the first repetition and after each (harness/measuring/threads/distance.h). */
#ifndef STEALBENCH_HEADLINE_H
#define STEALBENCH_HEADLINE_H

#include "harness/driver/util/text.h"
#include <stdbool.h>
#include <stddef.h>

/* Of more repetitions than that the last probe stands for the others. */
#define DISTANCES_MAX 1024

struct distances {
    double at[DISTANCES_MAX]; /* ns; NAN: it could not be had */
    size_t count;             /* 0: one thread */
};

/* The flags of a row whose distance is empty though it is of several threads. */
#define FLAG_MOVED "moved"
#define FLAG_NO_DISTANCE "no_distance"

void distances_read(struct distances *, const struct text *output);

/* Of a repetition: the mean of the nearest probes before and after it, or the one of them that could be had; NAN: none,
 * or they disagree: *flag says which ("" else). */
double distances_around(const struct distances *, unsigned long repetition, const char **flag);

/* Did the threads' processors move meanwhile? *before and *after are then the two probes. */
bool distances_moved(const struct distances *, double *before, double *after);

/* What is judged of an invocation: the median over repetitions of the first time or rate that is written of a role
 * other than process. */
struct headline {
    char role[64], metric[96];
    double *values;
    size_t count;
    double distance; /* between the threads' processors at the first of them, ns; NAN: not known */
};

/* What was judged: NAN where there was none. */
struct judged {
    double value, distance;
};

/* The next value of the invocation, and the distance at which it was measured (NAN: not known). */
void headline_take(struct headline *, const char *role, const char *metric, const char *unit, const char *status,
                   const char *value, double distance);

/* The median and an empty headline again. */
struct judged headline_end(struct headline *);

/* The same of what a process wrote (harness/README.md), without repetitions during which the threads' processors moved.
 */
struct judged headline_of_output(const struct text *output);

#endif
