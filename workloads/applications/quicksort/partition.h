/* partition.h: the sequential part of quicksort. The pool's quicksort and those of other libraries share it, so they
 * differ only in how the halves are scheduled. No atomics: C++ includes it as well. Any thread.
 *
 * It is introsort (D. R. Musser: Introspective Sorting and Selection Algorithms, 1997): a piece that took too many
 * partitions is sorted by a heap. So no input takes more than n log n comparisons, not even one made against these very
 * pivots (numbers.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A test that counts comparisons defines it otherwise. */
#ifndef SORT_BELOW
#define SORT_BELOW(a, b) ((a) < (b))
#endif

/* For pieces up to the cutoff. */
static inline void sort_by_insertion(int64_t *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        int64_t value = values[i];
        size_t j = i;
        for (; j > 0 && SORT_BELOW(value, values[j - 1]); j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

static inline int64_t median_of_three(int64_t a, int64_t b, int64_t c) {
    const bool below = SORT_BELOW(a, b);
    const int64_t low = below ? a : b, high = below ? b : a;
    return SORT_BELOW(c, low) ? low : SORT_BELOW(high, c) ? high : c;
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
        block->waiting += !SORT_BELOW(left[i], pivot);
    }
}

/* The values from right[-1] downwards that are not above the pivot: place 0 is right[-1]. */
static inline void find_misplaced_right(struct misplaced *block, const int64_t *right, int64_t pivot) {
    block->next = block->waiting = 0;
    for (size_t i = 0; i < block->size; i++) {
        block->places[block->waiting] = (unsigned char)i;
        block->waiting += !SORT_BELOW(pivot, right[-1 - (ptrdiff_t)i]);
    }
}

/* Nothing is on one of the sides: the pivot is the smallest or largest value, and all values equal to it make a side.
 */
static inline size_t separate_equal(int64_t *values, size_t count, int64_t pivot, bool smallest) {
    size_t lower = 0;
    for (size_t i = 0; i < count; i++)
        if (smallest ? !SORT_BELOW(pivot, values[i]) : SORT_BELOW(values[i], pivot))
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

/* values[at] goes down to where none below it in the heap is larger. */
static inline void sift_down(int64_t *values, size_t at, size_t count) {
    const int64_t value = values[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && SORT_BELOW(values[child], values[child + 1]);
        if (!SORT_BELOW(value, values[child]))
            break;
        values[at] = values[child];
    }
    values[at] = value;
}

static inline void sort_by_heap(int64_t *values, size_t count) {
    for (size_t i = count / 2; i-- > 0;)
        sift_down(values, i, count);
    for (size_t i = count; i-- > 1;) {
        exchange(&values[0], &values[i]);
        sift_down(values, 0, i);
    }
}

/* How many partitions may lead to a piece of so many values: twice as many as when all of them halve. */
static inline unsigned sort_levels(size_t count) {
    unsigned levels = 0;
    for (; count > 1; count /= 2)
        levels += 2;
    return levels;
}

/* One step of the sort. cutoff at least 1; levels: sort_levels of the whole at first, and one less for both sides after
 * each step. 0: the piece is sorted; else both sides have to be, values[0 .. result) and values[result .. count). */
static inline size_t sort_step(int64_t *values, size_t count, size_t cutoff, unsigned levels) {
    if (count > cutoff && levels > 0)
        return partition(values, count);
    if (count > cutoff)
        sort_by_heap(values, count);
    else
        sort_by_insertion(values, count);
    return 0;
}
