#include "workloads/applications/knapsack/knapsack_instance.h"
#include <errno.h>
#include <stdlib.h>

/* Better in profit by weight first; then the heavier, so that the order is one. Zero weight comes before all. */
static int compare_items(const void *left, const void *right) {
    const uint64_t *a = left, *b = right; /* profit, weight */
    uint64_t x = a[0] * b[1], y = b[0] * a[1];
    if (x != y)
        return x > y ? -1 : 1;
    return a[1] != b[1] ? (a[1] > b[1] ? -1 : 1) : a[0] != b[0] ? (a[0] > b[0] ? -1 : 1) : 0;
}

static void order_items(struct knapsack_problem *problem, const struct knapsack_instance *instance,
                        uint64_t (*pairs)[2]) {
    size_t count = 0;
    for (size_t i = 0; i < instance->items; i++) {
        if (instance->weight[i] > instance->capacity || instance->profit[i] == 0)
            continue;
        pairs[count][0] = instance->profit[i];
        pairs[count++][1] = instance->weight[i];
    }
    qsort(pairs, count, sizeof pairs[0], compare_items);
    problem->items = count;
    problem->words = count / 64 + 1;
    for (size_t i = 0; i < count; i++) {
        problem->profit[i] = pairs[i][0];
        problem->weight[i] = pairs[i][1];
        problem->profits_before[i + 1] = problem->profits_before[i] + pairs[i][0];
        problem->weights_before[i + 1] = problem->weights_before[i] + pairs[i][1];
    }
    problem->capacity = instance->capacity;
    if (problem->capacity > problem->weights_before[count])
        problem->capacity = problem->weights_before[count];
}

int knapsack_prepare(struct knapsack_problem *problem, const struct knapsack_instance *instance) {
    size_t room = instance->items + 1;
    uint64_t(*pairs)[2] = calloc(room, sizeof pairs[0]);
    *problem = (struct knapsack_problem){.profit = calloc(room, sizeof(uint64_t)),
                                         .weight = calloc(room, sizeof(uint64_t)),
                                         .profits_before = calloc(room, sizeof(uint64_t)),
                                         .weights_before = calloc(room, sizeof(uint64_t))};
    if (!pairs || !problem->profit || !problem->weight || !problem->profits_before || !problem->weights_before) {
        free(pairs);
        knapsack_unprepare(problem);
        return ENOMEM;
    }
    order_items(problem, instance, pairs);
    free(pairs);
    return 0;
}

void knapsack_unprepare(struct knapsack_problem *problem) {
    free(problem->profit);
    free(problem->weight);
    free(problem->profits_before);
    free(problem->weights_before);
    *problem = (struct knapsack_problem){0};
}

uint64_t knapsack_bound(const struct knapsack_problem *problem, size_t item, uint64_t room, uint64_t profit) {
    const uint64_t *before = problem->weights_before;
    size_t low = item, high = problem->items; /* all items up to low fit; those up to high + 1 do not */
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (before[middle] - before[item] <= room)
            low = middle;
        else
            high = middle - 1;
    }
    profit += problem->profits_before[low] - problem->profits_before[item];
    if (low < problem->items)
        profit += problem->profit[low] * (room - (before[low] - before[item])) / problem->weight[low];
    return profit;
}
