/* numbers.h: quicksort's input, and the check of its result. C++ includes it as well. */
#pragma once

#include "harness/measuring/words.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NUMBERS_ORDERS(ORDER)                                                                                          \
    ORDER(NUMBERS_RANDOM, "random")                                                                                    \
    ORDER(NUMBERS_SORTED, "sorted")                                                                                    \
    ORDER(NUMBERS_REVERSED, "reversed")                                                                                \
    ORDER(NUMBERS_FEW_DISTINCT, "few_distinct")
enum numbers_order { NUMBERS_ORDERS(LIST_NAME) };
#define NUMBERS_ORDERS_HELP "their order before; few_distinct: 16 values"

/* A sum over all values that does not depend on their order, and very probably differs for other values. */
struct numbers_sum {
    uint64_t first, second;
};

/* Main. The same seed gives the same numbers. */
void numbers_fill(int64_t *values, size_t count, enum numbers_order, uint64_t seed);

struct numbers_sum numbers_sum_of(const int64_t *values, size_t count);

/* Main. Are the values sorted, with the same sum? Says on standard error what is wrong. */
bool numbers_verify(const int64_t *values, size_t count, struct numbers_sum before);

#ifdef __cplusplus
}
#endif
