/* median.h: the median of what one process has measured. All other statistics are plots/'s. */
#ifndef STEALBENCH_MEDIAN_H
#define STEALBENCH_MEDIAN_H

#include <stdlib.h>

static inline int median_compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of count values, 1 or more; sorts them. */
static inline double median(double *values, size_t count) {
    qsort(values, count, sizeof values[0], median_compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

#endif
