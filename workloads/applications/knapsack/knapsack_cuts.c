#include "workloads/applications/knapsack/knapsack_cuts.h"
#include <stdlib.h>
#include <string.h>

#define PRICES 3 /* tried of a cut: the one that pruned last, then each halves where the best one can be */

struct knapsack_cut {
    uint64_t *items; /* bit i: item i is in it; problem->words words */
    size_t most;     /* of them can be taken */
    uint64_t price;  /* that pruned last, 0: none has */
};

struct priced_item {
    uint64_t profit, weight;
    bool of_cut;
};

struct knapsack_cuts {
    const struct knapsack_problem *problem;
    size_t kept, count, oldest;
    struct knapsack_cut cut[KNAPSACK_CUTS_MAX];
    uint64_t *words;             /* of all cuts */
    uint32_t *cover;             /* scratch: items, the heaviest first */
    struct priced_item *by_gain; /* scratch */
};

struct knapsack_cuts *knapsack_cuts(const struct knapsack_problem *problem, size_t kept) {
    struct knapsack_cuts *cuts = calloc(1, sizeof *cuts);
    if (!cuts)
        return NULL;
    cuts->problem = problem;
    cuts->kept = kept;
    cuts->words = calloc(kept * problem->words, sizeof cuts->words[0]);
    cuts->cover = calloc(problem->items + 1, sizeof cuts->cover[0]);
    cuts->by_gain = calloc(problem->items + 1, sizeof cuts->by_gain[0]);
    for (size_t i = 0; cuts->words && i < kept; i++)
        cuts->cut[i].items = cuts->words + i * problem->words;
    if (cuts->words && cuts->cover && cuts->by_gain)
        return cuts;
    knapsack_cuts_free(cuts);
    return NULL;
}

void knapsack_cuts_free(struct knapsack_cuts *cuts) {
    if (!cuts)
        return;
    free(cuts->words);
    free(cuts->cover);
    free(cuts->by_gain);
    free(cuts);
}

void knapsack_cuts_clear(struct knapsack_cuts *cuts) { cuts->count = cuts->oldest = 0; }

static bool has(const uint64_t *set, size_t item) { return set[item / 64] >> item % 64 & 1; }

/* Puts an item where it belongs among those that are there, the heaviest first. */
static void insert_by_weight(struct knapsack_cuts *cuts, size_t count, size_t item) {
    const uint64_t *weight = cuts->problem->weight;
    for (; count > 0 && weight[cuts->cover[count - 1]] < weight[item]; count--)
        cuts->cover[count] = cuts->cover[count - 1];
    cuts->cover[count] = (uint32_t)item;
}

bool knapsack_cuts_make(struct knapsack_cuts *cuts, const struct knapsack_subproblem *sub) {
    const struct knapsack_problem *problem = cuts->problem;
    uint64_t sum = 0;
    size_t count = 0, left = 0;
    for (size_t i = 0; i < problem->items && sum <= problem->capacity; i++) {
        if (i < sub->item && !has(sub->chosen, i))
            continue;
        insert_by_weight(cuts, count++, i);
        sum += problem->weight[i];
    }
    if (sum <= problem->capacity)
        return false;
    /* minimal: without any one of them it fits. The heavy ones go first: the lighter the heaviest, the more are added
     */
    for (size_t i = 0; i < count; i++) {
        uint64_t weight = problem->weight[cuts->cover[i]];
        if (sum - weight > problem->capacity)
            sum -= weight;
        else
            cuts->cover[left++] = cuts->cover[i];
    }
    struct knapsack_cut *cut = &cuts->cut[cuts->oldest];
    memset(cut->items, 0, problem->words * sizeof cut->items[0]);
    for (size_t i = 0; i < left; i++)
        cut->items[cuts->cover[i] / 64] |= UINT64_C(1) << cuts->cover[i] % 64;
    for (size_t i = 0; i < problem->items; i++)
        if (problem->weight[i] >= problem->weight[cuts->cover[0]])
            cut->items[i / 64] |= UINT64_C(1) << i % 64;
    cut->most = left - 1;
    cut->price = 0;
    cuts->oldest = (cuts->oldest + 1) % cuts->kept;
    cuts->count += cuts->count < cuts->kept;
    return true;
}

static bool gains_more(const struct priced_item *a, const struct priced_item *b) {
    return a->profit * b->weight > b->profit * a->weight;
}

/* Puts an item where it belongs among those that are there, the one with the most profit by weight first. Without
 * prices they come in that order, so that few places have to be gone back. */
static void insert_by_gain(struct priced_item *items, size_t count, struct priced_item item) {
    for (; count > 0 && gains_more(&item, &items[count - 1]); count--)
        items[count] = items[count - 1];
    items[count] = item;
}

/* The best that divisible items make of the rest of the subproblem when each of the cut costs that price; and how many
 * of the cut's it takes, the divided one included. */
static uint64_t relaxed(struct knapsack_cuts *cuts, const struct knapsack_cut *cut,
                        const struct knapsack_subproblem *sub, uint64_t price, size_t *taken) {
    const struct knapsack_problem *problem = cuts->problem;
    uint64_t room = sub->room, sum = 0;
    size_t count = 0;
    *taken = 0;
    for (size_t i = sub->item; i < problem->items; i++) {
        uint64_t cost = has(cut->items, i) ? price : 0;
        if (problem->profit[i] > cost)
            insert_by_gain(cuts->by_gain, count++,
                           (struct priced_item){problem->profit[i] - cost, problem->weight[i], cost > 0});
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t weight = cuts->by_gain[i].weight;
        *taken += cuts->by_gain[i].of_cut;
        if (weight > room)
            return sum + cuts->by_gain[i].profit * room / weight;
        room -= weight;
        sum += cuts->by_gain[i].profit;
    }
    return sum;
}

static bool cut_prunes(struct knapsack_cuts *cuts, struct knapsack_cut *cut, const struct knapsack_subproblem *sub,
                       uint64_t best) {
    size_t chosen = 0, taken;
    for (size_t i = 0; i < (sub->item + 63) / 64; i++) /* what is not decided is not chosen */
        chosen += (size_t)__builtin_popcountll(cut->items[i] & sub->chosen[i]);
    if (chosen > cut->most)
        return true;
    const size_t allowed = cut->most - chosen;
    uint64_t low = 1, high = 1;
    for (size_t i = sub->item; i < cuts->problem->items; i++)
        high = cuts->problem->profit[i] > high ? cuts->problem->profit[i] : high;
    for (unsigned i = 0; i < PRICES && low <= high; i++) {
        const uint64_t price = i == 0 && cut->price > 0 && cut->price <= high ? cut->price : low + (high - low) / 2;
        const uint64_t rest = relaxed(cuts, cut, sub, price, &taken);
        if (sub->profit + allowed * price + rest <= best) {
            cut->price = price;
            return true;
        }
        if (taken > allowed) /* too many of the cut are worth their price */
            low = price + 1;
        else
            high = price - 1;
    }
    return false;
}

bool knapsack_cuts_prune(struct knapsack_cuts *cuts, const struct knapsack_subproblem *sub, uint64_t best) {
    for (size_t i = 1; i <= cuts->count; i++) /* the newest first */
        if (cut_prunes(cuts, &cuts->cut[(cuts->oldest + cuts->kept - i) % cuts->kept], sub, best))
            return true;
    return false;
}
