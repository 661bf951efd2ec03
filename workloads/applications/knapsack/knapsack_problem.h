/* knapsack_problem.h: a knapsack instance made ready for branch and bound, and Dantzig's bound. */
#ifndef STEALBENCH_KNAPSACK_PROBLEM_H
#define STEALBENCH_KNAPSACK_PROBLEM_H

#include "workloads/applications/knapsack/knapsack_instance.h"

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
