/* partition.h: the sequential part of quicksort, which the pool's quicksort and those of other libraries share, so that
 * they differ in nothing but who runs the halves. No atomics: C++ includes it as well. Any thread.
 */
#ifndef STEALBENCH_PARTITION_H
#define STEALBENCH_PARTITION_H

#include <stdbool.h>
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

#define PARTITION_BLOCK 64

/* Places within a block whose values belong to the other side, not exchanged yet. */
struct misplaced {
    size_t size;          /* values in the block, at most PARTITION_BLOCK */
    size_t next, waiting; /* places[next ... next + waiting - 1] */
    unsigned char places[PARTITION_BLOCK];
};

static inline void exchange(int64_t *a, int64_t *b) {
    int64_t value = *a;
    *a = *b;
    *b = value;
}

/* The values from left[0] upwards that are not below the pivot. */
static inline void find_misplaced_left(struct misplaced *block, const int64_t *left, int64_t pivot) {
    block->next = block->waiting = 0;
    for (size_t i = 0; i < block->size; i++) {
        block->places[block->waiting] = (unsigned char)i;
        block->waiting += left[i] >= pivot;
    }
}

/* The values from right[-1] downwards that are not above the pivot: place 0 is right[-1]. */
static inline void find_misplaced_right(struct misplaced *block, const int64_t *right, int64_t pivot) {
    block->next = block->waiting = 0;
    for (size_t i = 0; i < block->size; i++) {
        block->places[block->waiting] = (unsigned char)i;
        block->waiting += right[-1 - (ptrdiff_t)i] <= pivot;
    }
}

/* Nothing is on one of the sides: the pivot is the smallest or largest value, and all values equal to it make a side.
 */
static inline size_t separate_equal(int64_t *values, size_t count, int64_t pivot, bool smallest) {
    size_t lower = 0;
    for (size_t i = 0; i < count; i++)
        if ((values[i] == pivot) == smallest)
            exchange(&values[i], &values[lower++]);
    return lower;
}

/* values[0 .. result) are at most those of values[result .. count). Both sides have at least one; values equal to the
 * pivot go to either side, so that few distinct ones are halved all the same. count at least 2.
 *
 * By blocks from both ends, first looking which values are on the wrong side, then exchanging those (S. Edelkamp, A.
 * Weiss: BlockQuicksort, 2016). Hoare's loop decides at each value where to go on, which a processor guesses wrong half
 * of the time: sorting took two to three times as long, and what a task costs went unseen beside it. */
static inline size_t partition(int64_t *values, size_t count) {
    const int64_t pivot = pivot_of(values, count);
    int64_t *left = values, *right = values + count; /* between them stands what is not known to be in place */
    struct misplaced lower, upper;
    lower.size = upper.size = PARTITION_BLOCK;
    lower.next = lower.waiting = upper.next = upper.waiting = 0;
    for (bool last = false; !last;) {
        size_t rest = (size_t)(right - left);
        last = rest <= 2 * PARTITION_BLOCK;
        if (last) { /* a block with places waiting stays as it is; the other has what remains */
            lower.size = lower.waiting > 0 ? PARTITION_BLOCK : upper.waiting > 0 ? rest - PARTITION_BLOCK : rest / 2;
            upper.size = rest - lower.size;
        }
        if (lower.waiting == 0)
            find_misplaced_left(&lower, left, pivot);
        if (upper.waiting == 0)
            find_misplaced_right(&upper, right, pivot);
        size_t pairs = lower.waiting < upper.waiting ? lower.waiting : upper.waiting;
        for (size_t i = 0; i < pairs; i++)
            exchange(left + lower.places[lower.next + i], right - 1 - upper.places[upper.next + i]);
        lower.next += pairs, lower.waiting -= pairs;
        upper.next += pairs, upper.waiting -= pairs;
        if (!last && lower.waiting == 0)
            left += PARTITION_BLOCK;
        if (!last && upper.waiting == 0)
            right -= PARTITION_BLOCK;
    }
    /* what still waits in one of the two last blocks goes to its end towards the other, the farthest first */
    int64_t *middle = left + lower.size;
    while (lower.waiting > 0)
        exchange(left + lower.places[lower.next + --lower.waiting], --middle);
    while (upper.waiting > 0)
        exchange(right - 1 - upper.places[upper.next + --upper.waiting], middle++);
    size_t below = (size_t)(middle - values);
    return below > 0 && below < count ? below : separate_equal(values, count, pivot, below == 0);
}

#endif
