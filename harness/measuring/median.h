/* median.h: the median of the values that one process measured. All other statistics are in plots/. */
#ifndef STEALBENCH_MEDIAN_H
#define STEALBENCH_MEDIAN_H

#include <stdlib.h>

static inline int median_compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The median of count values, at least 1; sorts them. */
static inline double median(double *values, size_t count) {
    qsort(values, count, sizeof values[0], median_compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

#endif
