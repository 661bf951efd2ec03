/* partition.h: the sequential part of quicksort, which the pool's quicksort and those of other libraries share, so that
 * they differ in nothing but who runs the halves. No atomics: C++ includes it as well. Any thread.
 */
#ifndef STEALBENCH_PARTITION_H
#define STEALBENCH_PARTITION_H

#include <stddef.h>
#include <stdint.h>

/* For pieces up to the cutoff. */
static inline void sort_by_insertion(int64_t *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        int64_t value = values[i];
        size_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

static inline int64_t median_of_three(int64_t a, int64_t b, int64_t c) {
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* A pivot that sorted and reversed input do not spoil: the median of three, of large pieces the median of three such.
 */
static inline int64_t pivot_of(const int64_t *values, size_t count) {
    const size_t middle = count / 2, last = count - 1, step = count / 8;
    if (count < 128)
        return median_of_three(values[0], values[middle], values[last]);
    int64_t low = median_of_three(values[0], values[step], values[2 * step]);
    int64_t mid = median_of_three(values[middle - step], values[middle], values[middle + step]);
    int64_t high = median_of_three(values[last - 2 * step], values[last - step], values[last]);
    return median_of_three(low, mid, high);
}

/* Hoare's: values[0 .. result) are at most those of values[result .. count). Both sides have at least one; values equal
 * to the pivot go to either side, so that few distinct ones are halved all the same. count at least 2. */
static inline size_t partition(int64_t *values, size_t count) {
    int64_t pivot = pivot_of(values, count);
    int64_t *left = values - 1, *right = values + count;
    for (;;) {
        do
            left++;
        while (*left < pivot);
        do
            right--;
        while (*right > pivot);
        if (left >= right)
            break;
        int64_t value = *left;
        *left = *right;
        *right = value;
    }
    /* right may stand on the last of the left side; a pivot that is the smallest leaves one there */
    size_t lower = (size_t)(right - values) + 1;
    return lower < count ? lower : count - 1;
}

#endif
