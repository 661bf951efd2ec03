/* numbers.h: quicksort's input, and the check of its result. C++ includes it as well. */
#ifndef STEALBENCH_NUMBERS_H
#define STEALBENCH_NUMBERS_H

#include "harness/measuring/cell/words.h"
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
    ORDER(NUMBERS_FEW_DISTINCT, "few_distinct")                                                                        \
    ORDER(NUMBERS_ORGAN_PIPE, "organ_pipe")                                                                            \
    ORDER(NUMBERS_ADVERSARY, "adversary")
enum numbers_order { NUMBERS_ORDERS(LIST_NAME) };
#define NUMBERS_ORDERS_HELP                                                                                            \
    "their order before; few_distinct: 16 values; organ_pipe: up, then down again; adversary: made against the "       \
    "pivots of this very sort"

/* A sum over all values that does not depend on their order, and very probably differs for other values. */
struct numbers_sum {
    uint64_t first, second;
};

/* Main. The same seed gives the same numbers. false: no memory for those of the adversary, which takes seconds for ten
 * million. */
bool numbers_fill(int64_t *values, size_t count, enum numbers_order, uint64_t seed);

/* Main. Numbers of which each partition by partition.h takes only a few off, until `levels` partitions are made or few
 * are left; the rest is random. M. D. McIlroy: A Killer Adversary for Quicksort, 1999. false: no memory. */
bool numbers_against_partition(int64_t *values, size_t count, size_t levels, uint64_t seed);

struct numbers_sum numbers_sum_of(const int64_t *values, size_t count);

/* Main. Are the values sorted, with the same sum? Says on standard error what is wrong. */
bool numbers_verify(const int64_t *values, size_t count, struct numbers_sum before);

#ifdef __cplusplus
}
#endif
#endif
