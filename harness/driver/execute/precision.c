/* precision.c: has a cell been measured often enough? For suites that ask for a precision. The interval is that of
 * harness/judging/statistics/intervals.py: from the d-th of n sorted values to the d-th from above, with the largest d
 * that covers the true median with 95 %. */
#pragma once

#include "harness/driver/plan/suite.c"
#include "harness/measuring/median.h"

#define PRECISION_LEAST 6 /* the fewest values that give an interval covering 95 % */
#define UNCOVERED 0.05

/* The lower rank of the interval, from 0: the greatest d with 2 P(fewer than d + 1 of n coins show heads) at most
 * UNCOVERED. */
static size_t lower_rank(size_t count) {
    double probability = exp2(-(double)count), below = probability; /* probability of no heads */
    for (size_t rank = 0;; rank++) {
        probability *= (double)(count - rank) / (double)(rank + 1); /* probability of rank + 1 heads */
        below += probability;
        if (2 * below > UNCOVERED)
            return rank;
    }
}

/* The invocations that a cell has whatever they show: all, or six if more depend on its interval (or within > 0). */
unsigned precision_first(const struct suite_options *options, double within) {
    const bool all = options->invocations <= PRECISION_LEAST || !(within > 0 || options->precision > 0);
    return all ? options->invocations : PRECISION_LEAST;
}

/* Half of the interval's width as a percentage of the median; infinite with too few values. */
double precision_of(const double *values, size_t count) {
    if (count < PRECISION_LEAST)
        return INFINITY;
    double *sorted = memcpy(allocate(count, sizeof *sorted), values, count * sizeof *sorted);
    const double middle = median(sorted, count);
    const size_t rank = lower_rank(count);
    const double width = sorted[count - 1 - rank] - sorted[rank];
    free(sorted);
    return middle > 0 ? 50 * width / middle : width > 0 ? INFINITY : 0;
}

/* How many values the precision `wanted` will take, if the interval shrinks with the root of their number. The answer
 * is more than count unless the precision is reached, and at most `most`. It is asked of the first 6, 12, 24, ...
 * values only: asking after each would stop at intervals that are narrow by chance. */
unsigned precision_needs(const double *values, size_t count, double wanted, unsigned most) {
    double needed = PRECISION_LEAST;
    for (size_t look = PRECISION_LEAST; look <= count; look *= 2) {
        const double now = precision_of(values, look);
        if (now <= wanted)
            return (unsigned)count;
        needed = fmax((double)look * (now / wanted) * (now / wanted), (double)count + 1);
    }
    return needed < (double)most ? (unsigned)needed : most;
}
