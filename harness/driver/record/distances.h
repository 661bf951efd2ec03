/* distances.h: what a process said of the way between its threads, a probe before its first repetition and one after
 * each (harness/measuring/threads/distance.h), as its repetitions have it. */
#ifndef STEALBENCH_DISTANCES_H
#define STEALBENCH_DISTANCES_H

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

#endif
