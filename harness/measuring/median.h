/* median.h: the median and the fairness of the values that one process measured. All other statistics are Python's. */
#pragma once

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

/* Jain's index (sum x)^2 / (n sum x^2) of shares: 1 when all have the same or nothing, 1/n when one has all. */
static inline double fairness(const double *shares, size_t count) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += shares[i];
        squares += shares[i] * shares[i];
    }
    return squares > 0 ? sum * sum / ((double)count * squares) : 1;
}
