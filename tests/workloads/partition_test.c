/* Is the sequential part of quicksort right on inputs of any size and order, and does it end soon on each? */
#include "tests/unit.h"

static uint64_t comparisons;
#define SORT_BELOW(a, b) (comparisons++, (a) < (b))

#include "workloads/applications/quicksort/numbers.h"
#include "workloads/applications/quicksort/partition.h"
#include <limits.h>
#include <math.h>

#define MOST 3000

static void sort(int64_t *values, size_t count, unsigned levels) {
    size_t lower = sort_step(values, count, 8, levels);
    if (lower == 0)
        return;
    sort(values, lower, levels - 1);
    sort(values + lower, count - lower, levels - 1);
}

/* Sorts them. How many comparisons it takes, for each of the count * log2(count). */
static double comparisons_of(int64_t *values, size_t count, unsigned levels) {
    struct numbers_sum before = numbers_sum_of(values, count);
    comparisons = 0;
    sort(values, count, levels);
    assert_true(numbers_verify(values, count, before));
    return (double)comparisons / ((double)count * log2((double)count));
}

/* Every order that the workload has: twice what halving takes is enough. */
TEST(test_comparisons) {
    static const size_t counts[] = {100, 1000, 10000, 100000, 1000000};
    int64_t *values = malloc(counts[4] * sizeof *values);
    assert_non_null(values);
    for (unsigned order = NUMBERS_RANDOM; order <= NUMBERS_FEW_DISTINCT; order++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            numbers_fill(values, counts[i], (enum numbers_order)order, 1);
            assert_true(comparisons_of(values, counts[i], sort_levels(counts[i])) < 2);
        }
    }
    free(values);
}

/* By halves, and by the heap alone. */
TEST(test_small_pieces) {
    static int64_t values[MOST];
    for (size_t count = 1; count <= MOST; count += count < 300 ? 1 : 97)
        for (unsigned i = 0; i <= 2 * NUMBERS_FEW_DISTINCT + 1; i++) {
            numbers_fill(values, count, (enum numbers_order)(i / 2), count);
            (void)comparisons_of(values, count, i % 2 ? UINT_MAX : 0);
        }
}
