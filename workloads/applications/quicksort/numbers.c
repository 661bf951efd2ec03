#include "workloads/applications/quicksort/numbers.h"
#include "harness/measuring/random.h"
#include <inttypes.h>
#include <stdio.h>

#define DISTINCT 16

void numbers_fill(int64_t *values, size_t count, enum numbers_order order, uint64_t seed) {
    uint64_t state = random_start(seed, 0);
    for (size_t i = 0; i < count; i++) {
        switch (order) {
        case NUMBERS_RANDOM:
            values[i] = (int64_t)random_next(&state);
            break;
        case NUMBERS_SORTED:
            values[i] = (int64_t)i;
            break;
        case NUMBERS_REVERSED:
            values[i] = (int64_t)(count - i);
            break;
        default:
            values[i] = (int64_t)(random_next(&state) >> 60) % DISTINCT;
            break;
        }
    }
}

/* Two sums of mixed values, so that a pair of errors does not cancel out. */
struct numbers_sum numbers_sum_of(const int64_t *values, size_t count) {
    struct numbers_sum sum = {0, 0};
    for (size_t i = 0; i < count; i++) {
        uint64_t value = mix64((uint64_t)values[i]);
        sum.first += value;
        sum.second += mix64(value);
    }
    return sum;
}

bool numbers_verify(const int64_t *values, size_t count, struct numbers_sum before) {
    struct numbers_sum after = numbers_sum_of(values, count);
    for (size_t i = 1; i < count; i++) {
        if (values[i - 1] > values[i]) {
            fprintf(stderr, "stealbench: not sorted: number %zu is %" PRId64 ", number %zu is %" PRId64 "\n", i - 1,
                    values[i - 1], i, values[i]);
            return false;
        }
    }
    if (after.first == before.first && after.second == before.second)
        return true;
    fprintf(stderr, "stealbench: sorted, but these are not the %zu numbers that were given\n", count);
    return false;
}
