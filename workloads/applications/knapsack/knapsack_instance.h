/* knapsack_instance.h: instances of the 0-1 knapsack problem: the bulk paper's example, generated ones, and files in
 * the format of Pisinger's hard instances ("Where are the hard knapsack problems?", 2005); and their optimum by dynamic
 * programming, to check a solver against; and the instance made ready for branch and bound.
 */
#ifndef STEALBENCH_KNAPSACK_INSTANCE_H
#define STEALBENCH_KNAPSACK_INSTANCE_H

#include "harness/measuring/cell/words.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KNAPSACK_ITEMS_MAX 10000
#define KNAPSACK_VALUE_MAX 2147483647     /* of a profit or a weight: a product of two still fits into 64 bits */
#define KNAPSACK_MESSAGE (PATH_MAX + 512) /* a path, and what is wrong there */

struct knapsack_instance {
    size_t items;
    uint64_t capacity;
    uint64_t *profit, *weight; /* one an item */
    bool stated;               /* the file states the optimum */
    uint64_t stated_optimum;
};

/* Pisinger's classes: profit and weight drawn evenly from 1 to range and independent of each other; profit within a
 * tenth of the range around the weight; profit a tenth of the range above the weight; profit equal to the weight;
 * weight a tenth of the range above the profit; profit a tenth of the range above the weight, give or take a 500th of
 * it; profit on an ellipse over the weight ("circle", which no bound of his solvers is good at). */
#define KNAPSACK_CLASSES(CLASS)                                                                                        \
    CLASS(KNAPSACK_UNCORRELATED, "uncorrelated")                                                                       \
    CLASS(KNAPSACK_WEAKLY, "weakly")                                                                                   \
    CLASS(KNAPSACK_STRONGLY, "strongly")                                                                               \
    CLASS(KNAPSACK_SUBSET_SUM, "subset_sum")                                                                           \
    CLASS(KNAPSACK_INVERSE, "inverse")                                                                                 \
    CLASS(KNAPSACK_ALMOST, "almost")                                                                                   \
    CLASS(KNAPSACK_CIRCLE, "circle")
enum knapsack_class { KNAPSACK_CLASSES(LIST_NAME) };

/* capacity is percent of the sum of all weights. 0 or ENOMEM. */
int knapsack_generate(struct knapsack_instance *, enum knapsack_class, size_t items, uint64_t range, unsigned percent,
                      uint64_t seed);

/* The example (1) of the bulk paper: four items, optimum 15. 0 or ENOMEM. */
int knapsack_example(struct knapsack_instance *);

/* The instance of that number, from 1, in a file: for each
 *
 *   a name
 *   n ITEMS
 *   c CAPACITY
 *   z OPTIMUM             may be missing, as may "time SECONDS"
 *   1,PROFIT,WEIGHT,X     ITEMS lines, by commas or blanks; X (0 or 1: in the optimum stated) may be missing
 *   -----                 or the end of the file
 *
 * 0; EINVAL with a message "path:line: what is wrong" (KNAPSACK_MESSAGE bytes), nothing to free then; ENOMEM, EMFILE,
 * ENFILE. */
int knapsack_read(struct knapsack_instance *, const char *path, uint64_t number, char *message);

/* The optimum by dynamic programming over all capacities, where items times capacity is at most
 * KNAPSACK_DYNAMIC_MAX; false: it is more, or there is no memory. */
#define KNAPSACK_DYNAMIC_MAX 1000000000
bool knapsack_dynamic(const struct knapsack_instance *, uint64_t *optimum);

/* {0} is fine. */
void knapsack_free(struct knapsack_instance *);

/* An instance made ready: its items in order, without those that never fit. Read-only once made. */
struct knapsack_problem {
    size_t items, words; /* words of 64 bits for a choice among the items */
    uint64_t capacity;
    uint64_t *profit, *weight;
    uint64_t *profits_before, *weights_before; /* sums over the items before this one; one more than there are items */
};

/* 0 or ENOMEM. */
int knapsack_prepare(struct knapsack_problem *, const struct knapsack_instance *);
void knapsack_unprepare(struct knapsack_problem *);

/* Dantzig's bound: profit so far and the most that the items from item on can add to it in that room. */
uint64_t knapsack_bound(const struct knapsack_problem *, size_t item, uint64_t room, uint64_t profit);

#endif
