/* Is the sequential part of quicksort right on inputs of any size and of any shape, and does it end soon on each? */
#include "workloads/inputs/mix.h"
#include "workloads/inputs/numbers.h"
#include "workloads/inputs/partition.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 3000

enum shape {
    RANDOM,
    SORTED,
    REVERSED,
    SIXTEEN_VALUES,
    TWO_VALUES,
    EQUAL,
    ONE_SMALLER,
    ONE_LARGER,
    MANY_SMALLEST,
    SHAPES
};

static void fill(int64_t *values, size_t count, enum shape shape, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        uint64_t random = mix64(seed * MOST + i);
        const int64_t each[SHAPES] = {(int64_t)random,
                                      (int64_t)i,
                                      -(int64_t)i,
                                      (int64_t)(random % 16),
                                      (int64_t)(random & 1),
                                      7,
                                      7,
                                      7,
                                      random % 4 ? INT64_MIN : INT64_MAX};
        values[i] = each[shape];
    }
    if (shape == ONE_SMALLER || shape == ONE_LARGER)
        values[mix64(seed) % count] = shape == ONE_SMALLER ? INT64_MIN : INT64_MAX;
}

/* Nothing changed but the order, both sides have something, and none of the lower is above one of the upper. */
static void test_sides(void **state) {
    static int64_t values[MOST];
    (void)state;
    for (size_t count = 2; count <= MOST; count += count < 300 ? 1 : 97) {
        for (unsigned shape = 0; shape < SHAPES; shape++) {
            fill(values, count, (enum shape)shape, count);
            struct numbers_sum before = numbers_sum_of(values, count);
            size_t lower = partition(values, count);
            struct numbers_sum after = numbers_sum_of(values, count);
            assert_int_equal(after.first, before.first);
            assert_int_equal(after.second, before.second);
            assert_in_range(lower, 1, count - 1);
            int64_t largest = values[0], smallest = values[lower];
            for (size_t i = 0; i < count; i++) {
                if (i < lower && values[i] > largest)
                    largest = values[i];
                if (i >= lower && values[i] < smallest)
                    smallest = values[i];
            }
            assert_true(largest <= smallest);
        }
    }
}

static unsigned sort(int64_t *values, size_t count) {
    if (count <= 8) {
        sort_by_insertion(values, count);
        return 1;
    }
    size_t lower = partition(values, count);
    unsigned below = sort(values, lower), above = sort(values + lower, count - lower);
    return 1 + (below > above ? below : above);
}

/* A depth as of halves, give or take: sorted, reversed and equal values are no bad case. */
static void test_depth(void **state) {
    enum { COUNT = 100000 };
    int64_t *values = malloc(COUNT * sizeof *values);
    (void)state;
    for (unsigned shape = 0; shape < SHAPES; shape++) {
        fill(values, COUNT, (enum shape)shape, 1);
        struct numbers_sum before = numbers_sum_of(values, COUNT);
        assert_in_range(sort(values, COUNT), 10, 60);
        assert_true(numbers_verify(values, COUNT, before));
    }
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sides), cmocka_unit_test(test_depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
