/* numbers.h: what quicksort sorts, and how its result is checked. C++ includes it as well. */
#ifndef STEALBENCH_NUMBERS_H
#define STEALBENCH_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NUMBERS_ORDERS "random|sorted|reversed|few_distinct"
enum numbers_order { NUMBERS_RANDOM, NUMBERS_SORTED, NUMBERS_REVERSED, NUMBERS_FEW_DISTINCT };

/* A sum over all values that is the same in whatever order they are, and unlikely to be that of other values. */
struct numbers_sum {
    uint64_t first, second;
};

/* Main. The same seed gives the same numbers. few_distinct: 16 values at random. */
void numbers_fill(int64_t *values, size_t count, enum numbers_order, uint64_t seed);
struct numbers_sum numbers_sum_of(const int64_t *values, size_t count);

/* Main. Are values sorted, and those that had that sum? Says on standard error what is wrong. */
bool numbers_verify(const int64_t *values, size_t count, struct numbers_sum before);

#ifdef __cplusplus
}
#endif
#endif
