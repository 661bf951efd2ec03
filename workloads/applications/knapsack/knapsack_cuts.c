#include "workloads/applications/knapsack/knapsack_cuts.h"
#include <stdlib.h>
#include <string.h>

struct knapsack_cut {
    uint64_t *items; /* bit i: item i is in it; problem->words words */
    size_t most;     /* of them can be taken */
    uint64_t price;  /* of each of them: the best where the cut was made */
    uint32_t *order; /* items that gain at that price, the largest gain by weight first */
    size_t gaining;  /* how many */
};

struct knapsack_cuts {
    const struct knapsack_problem *problem;
    size_t kept, count;
    /* the one that pruned or was made last comes first; behind the last one is room for one that is being made */
    struct knapsack_cut cut[KNAPSACK_CUTS_MAX + 1];
    uint64_t *words;  /* of all cuts */
    uint32_t *orders; /* of all cuts */
    uint32_t *cover;  /* scratch: items, the heaviest first */
    struct priced_item {
        uint64_t profit, weight;
        uint32_t item;
    } * priced; /* scratch */
};

struct knapsack_cuts *knapsack_cuts(const struct knapsack_problem *problem, size_t kept) {
    struct knapsack_cuts *cuts = calloc(1, sizeof *cuts);
    if (!cuts)
        return NULL;
    cuts->problem = problem;
    cuts->kept = kept;
    cuts->words = calloc((kept + 1) * problem->words, sizeof cuts->words[0]);
    cuts->orders = calloc((kept + 1) * (problem->items + 1), sizeof cuts->orders[0]);
    cuts->cover = calloc(problem->items + 1, sizeof cuts->cover[0]);
    cuts->priced = calloc(problem->items + 1, sizeof cuts->priced[0]);
    if (!cuts->words || !cuts->orders || !cuts->cover || !cuts->priced) {
        knapsack_cuts_free(cuts);
        return NULL;
    }
    for (size_t i = 0; i <= kept; i++) {
        cuts->cut[i].items = cuts->words + i * problem->words;
        cuts->cut[i].order = cuts->orders + i * (problem->items + 1);
    }
    return cuts;
}

void knapsack_cuts_free(struct knapsack_cuts *cuts) {
    if (!cuts)
        return;
    free(cuts->words);
    free(cuts->cover);
    free(cuts->orders);
    free(cuts->priced);
    free(cuts);
}

void knapsack_cuts_clear(struct knapsack_cuts *cuts) { cuts->count = 0; }

static bool has(const uint64_t *set, size_t item) { return set[item / 64] >> item % 64 & 1; }

/* Inserts an item into the sorted items, the heaviest first. */
static void insert_by_weight(struct knapsack_cuts *cuts, size_t count, size_t item) {
    const uint64_t *weight = cuts->problem->weight;
    for (; count > 0 && weight[cuts->cover[count - 1]] < weight[item]; count--)
        cuts->cover[count] = cuts->cover[count - 1];
    cuts->cover[count] = (uint32_t)item;
}

/* How many of the cut's items a subproblem has chosen; undecided items count as not chosen. */
static size_t chosen_of(const struct knapsack_cut *cut, const struct knapsack_subproblem *sub) {
    size_t chosen = 0;
    for (size_t i = 0; i < (sub->item + 63) / 64; i++)
        chosen += (size_t)__builtin_popcountll(cut->items[i] & sub->chosen[i]);
    return chosen;
}

static int by_gain(const void *left, const void *right) {
    const struct priced_item *a = left, *b = right;
    const uint64_t x = a->profit * b->weight, y = b->profit * a->weight;
    return x != y ? (x > y ? -1 : 1) : a->item < b->item ? -1 : a->item > b->item;
}

/* The items that gain if each item of the cut costs that price, in order. Returns how many. */
static size_t order_at(struct knapsack_cuts *cuts, const struct knapsack_cut *cut, uint64_t price) {
    const struct knapsack_problem *problem = cuts->problem;
    size_t count = 0;
    for (size_t i = 0; i < problem->items; i++) {
        const uint64_t cost = has(cut->items, i) ? price : 0;
        if (problem->profit[i] > cost)
            cuts->priced[count++] = (struct priced_item){problem->profit[i] - cost, problem->weight[i], (uint32_t)i};
    }
    qsort(cuts->priced, count, sizeof cuts->priced[0], by_gain);
    return count;
}

/* What divisible items add to the subproblem at that price, and how many of the cut's are among them, the divided one
 * included. */
static uint64_t relaxed(struct knapsack_cuts *cuts, const struct knapsack_cut *cut,
                        const struct knapsack_subproblem *sub, uint64_t price, size_t *taken) {
    const size_t count = order_at(cuts, cut, price);
    uint64_t room = sub->room, sum = 0;
    *taken = 0;
    for (size_t i = 0; i < count && room > 0; i++) {
        const struct priced_item *item = &cuts->priced[i];
        if (item->item < sub->item)
            continue;
        *taken += has(cut->items, item->item);
        if (item->weight > room)
            return sum + item->profit * room / item->weight;
        room -= item->weight;
        sum += item->profit;
    }
    return sum;
}

/* The price that bounds this subproblem best. The bound is convex in the price: below the best one more of the cut's
 * items are worth their price than are allowed. false: at no price are there too many, so the cut does nothing here. */
static bool set_price(struct knapsack_cuts *cuts, struct knapsack_cut *cut, const struct knapsack_subproblem *sub) {
    const struct knapsack_problem *problem = cuts->problem;
    const size_t chosen = chosen_of(cut, sub), allowed = cut->most > chosen ? cut->most - chosen : 0;
    uint64_t low = 0, high = 1;
    size_t taken;
    for (size_t i = 0; i < problem->items; i++)
        high = problem->profit[i] > high ? problem->profit[i] : high;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        relaxed(cuts, cut, sub, middle, &taken);
        if (taken > allowed)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    const uint64_t above = allowed * low + relaxed(cuts, cut, sub, low, &taken);
    const uint64_t below = allowed * (low - 1) + relaxed(cuts, cut, sub, low - 1, &taken);
    cut->price = below < above ? low - 1 : low;
    cut->gaining = order_at(cuts, cut, cut->price);
    for (size_t i = 0; i < cut->gaining; i++)
        cut->order[i] = cuts->priced[i].item;
    return true;
}

static bool is_there(const struct knapsack_cuts *cuts, const struct knapsack_cut *cut) {
    for (size_t i = 0; i < cuts->count; i++)
        if (cuts->cut[i].price == cut->price && cuts->cut[i].most == cut->most &&
            memcmp(cuts->cut[i].items, cut->items, cuts->problem->words * sizeof cut->items[0]) == 0)
            return true;
    return false;
}

static void to_front(struct knapsack_cuts *cuts, size_t place) {
    const struct knapsack_cut cut = cuts->cut[place];
    memmove(&cuts->cut[1], &cuts->cut[0], place * sizeof cut);
    cuts->cut[0] = cut;
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
    struct knapsack_cut *cut = &cuts->cut[cuts->count];
    memset(cut->items, 0, problem->words * sizeof cut->items[0]);
    for (size_t i = 0; i < left; i++)
        cut->items[cuts->cover[i] / 64] |= UINT64_C(1) << cuts->cover[i] % 64;
    for (size_t i = 0; i < problem->items; i++)
        if (problem->weight[i] >= problem->weight[cuts->cover[0]])
            cut->items[i / 64] |= UINT64_C(1) << i % 64;
    cut->most = left - 1;
    if (!set_price(cuts, cut, sub) || is_there(cuts, cut))
        return false;
    to_front(cuts, cuts->count);
    cuts->count += cuts->count < cuts->kept;
    return true;
}

/* Dantzig's bound when each item of the cut costs its price, and as many of these prices are paid back as items of the
 * cut are allowed. */
static bool cut_prunes(const struct knapsack_problem *problem, const struct knapsack_cut *cut,
                       const struct knapsack_subproblem *sub, uint64_t best) {
    size_t chosen = chosen_of(cut, sub);
    if (chosen > cut->most)
        return true;
    uint64_t room = sub->room, sum = sub->profit + (cut->most - chosen) * cut->price;
    for (size_t i = 0; i < cut->gaining && sum <= best; i++) {
        const size_t item = cut->order[i];
        if (item < sub->item)
            continue;
        const uint64_t weight = problem->weight[item];
        const uint64_t gain = problem->profit[item] - (has(cut->items, item) ? cut->price : 0);
        if (weight > room)
            return sum + gain * room / weight <= best;
        room -= weight;
        sum += gain;
    }
    return sum <= best;
}

bool knapsack_cuts_prune(struct knapsack_cuts *cuts, const struct knapsack_subproblem *sub, uint64_t best) {
    for (size_t i = 0; i < cuts->count; i++) {
        if (cut_prunes(cuts->problem, &cuts->cut[i], sub, best)) {
            to_front(cuts, i);
            return true;
        }
    }
    return false;
}
