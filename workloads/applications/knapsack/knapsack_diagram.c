#include "workloads/applications/knapsack/knapsack_diagram.h"
#include <stdlib.h>
#include <string.h>

struct node {
    uint64_t room, profit, bound;
    uint32_t parent; /* place in the layer before */
    bool taken;      /* the arc from there takes the item */
    bool exact;
};

/* A node of the cut, and where its path ends. */
struct cut_node {
    size_t item; /* the first that is not decided yet: the node's layer */
    uint32_t place;
    uint64_t room, profit;
};

struct knapsack_workspace {
    const struct knapsack_problem *problem;
    size_t width;
    bool by_layer;
    struct node *here, *next; /* a layer and the one after it; in order of room, most first */
    uint64_t *bounds;         /* scratch */
    bool *in_cut;             /* by place in here */
    uint32_t *trace;          /* [layer * width + place]: twice the parent's place, and 1 when taken */
    uint64_t *chosen;         /* scratch: problem->words */
    struct cut_node *cut;
    size_t cut_count, cut_room;
};

struct knapsack_workspace *knapsack_workspace(const struct knapsack_problem *problem, size_t width, bool by_layer) {
    struct knapsack_workspace *space = calloc(1, sizeof *space);
    if (!space)
        return NULL;
    *space = (struct knapsack_workspace){.problem = problem,
                                         .width = width,
                                         .by_layer = by_layer,
                                         .here = malloc((2 * width + 1) * sizeof(struct node)),
                                         .next = malloc((2 * width + 1) * sizeof(struct node)),
                                         .bounds = malloc((2 * width + 1) * sizeof(uint64_t)),
                                         .in_cut = malloc(width * sizeof(bool)),
                                         .trace = malloc((problem->items + 1) * width * sizeof(uint32_t)),
                                         .chosen = malloc(problem->words * sizeof(uint64_t))};
    if (space->here && space->next && space->bounds && space->in_cut && space->trace && space->chosen)
        return space;
    knapsack_workspace_free(space);
    return NULL;
}

void knapsack_workspace_free(struct knapsack_workspace *space) {
    if (!space)
        return;
    free(space->here);
    free(space->next);
    free(space->bounds);
    free(space->in_cut);
    free(space->trace);
    free(space->chosen);
    free(space->cut);
    free(space);
}

/* Decides which nodes enter the next layer. A node is dropped if no solution through it can beat the best known one, or
 * if an earlier node (they come in order of room) has at least its room and its profit. A merged node overstates both,
 * so it may only replace nodes that are not exact either: the cut lies before those. */
struct sieve {
    uint64_t best;
    uint64_t exact, any; /* the greatest profit so far of an exact node, of any; 0: none, else one more */
};

static bool passes(struct sieve *sieve, const struct node *node) {
    if (node->bound <= sieve->best || node->profit < (node->exact ? sieve->exact : sieve->any))
        return false;
    if (node->exact)
        sieve->exact = node->profit + 1;
    if (node->profit + 1 > sieve->any)
        sieve->any = node->profit + 1;
    return true;
}

/* Among nodes of equal room the one with more profit comes first, and of those an exact one: it sieves the others. */
static bool comes_before(const struct node *a, const struct node *b) {
    if (a->room != b->room)
        return a->room > b->room;
    if (a->profit != b->profit)
        return a->profit > b->profit;
    return a->exact && !b->exact;
}

/* The layer after here, of at most twice as many nodes: those that leave the item and those that take it are each in
 * order already, and are merged into one order. */
static size_t expand(const struct knapsack_workspace *space, size_t count, size_t item, uint64_t best) {
    const struct knapsack_problem *problem = space->problem;
    const uint64_t weight = problem->weight[item], profit = problem->profit[item];
    struct sieve sieve = {.best = best};
    size_t left = 0, taken = 0, made = 0;
    while (left < count || taken < count) {
        struct node node, other;
        bool leaves = false;
        while (taken < count && space->here[taken].room < weight)
            taken++;
        if (left < count) {
            node = space->here[left];
            node.parent = (uint32_t)left;
            node.taken = false;
            leaves = true;
        }
        if (taken < count) {
            other = space->here[taken];
            other.room -= weight;
            other.profit += profit;
            other.parent = (uint32_t)taken;
            other.taken = true;
            if (!leaves || comes_before(&other, &node)) {
                node = other;
                leaves = false;
            }
        } else if (!leaves) {
            break;
        }
        left += leaves;
        taken += !leaves;
        node.bound = knapsack_bound(problem, item + 1, node.room, node.profit);
        if (passes(&sieve, &node))
            space->next[made++] = node;
    }
    return made;
}

/* The value at that place in descending order (quickselect). Reorders. */
static uint64_t at_rank(uint64_t *values, size_t count, size_t rank) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        uint64_t pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (values[i] > pivot)
                i++;
            while (values[j] < pivot)
                j--;
            if (i >= j)
                break;
            uint64_t swapped = values[i];
            values[i++] = values[j];
            values[j--] = swapped;
        }
        if (rank <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[rank];
}

/* Puts a node of here into the cut: one of its arcs leads to a node that is to be merged, so a subproblem of its own
 * decides its paths. There is room for all nodes of here. */
static void add_to_cut(struct knapsack_workspace *space, size_t item, size_t place) {
    const struct node *node = &space->here[place];
    if (space->in_cut[place])
        return;
    space->in_cut[place] = true;
    space->cut[space->cut_count++] = (struct cut_node){item, (uint32_t)place, node->room, node->profit};
}

/* Puts the merged node at its place in the order of next. */
static void insert(struct knapsack_workspace *space, size_t count, const struct node *merged) {
    size_t place = count;
    while (place > 0 && comes_before(merged, &space->next[place - 1]))
        place--;
    memmove(&space->next[place + 1], &space->next[place], (count - place) * sizeof space->next[0]);
    space->next[place] = *merged;
}

/* Reduces next to width nodes. Those with the least bounds are left out (restricted), or become one node (relaxed);
 * then the nodes of here that led to them are cut, and what else these lead to is no longer exact: the subproblem
 * covers it. Returns how many are left. */
static size_t narrow(struct knapsack_workspace *space, size_t made, size_t item, bool relaxed) {
    struct node merged = {.exact = false};
    size_t kept_max = space->width - (relaxed ? 1 : 0), kept = 0, equals = kept_max;
    for (size_t i = 0; i < made; i++)
        space->bounds[i] = space->next[i].bound;
    const uint64_t least = at_rank(space->bounds, made, kept_max - 1);
    for (size_t i = 0; i < made; i++)
        equals -= space->next[i].bound > least;
    for (size_t i = 0; i < made; i++) {
        const struct node *node = &space->next[i];
        bool keeps = node->bound > least || (node->bound == least && equals > 0);
        equals -= keeps && node->bound == least;
        if (keeps) {
            space->next[kept++] = *node;
        } else if (relaxed) {
            if (node->exact)
                add_to_cut(space, item, node->parent);
            merged.room = node->room > merged.room ? node->room : merged.room;
            merged.profit = node->profit > merged.profit ? node->profit : merged.profit;
        }
    }
    if (!relaxed)
        return kept;
    for (size_t i = 0; i < kept; i++)
        space->next[i].exact = space->next[i].exact && !space->in_cut[space->next[i].parent];
    merged.bound = knapsack_bound(space->problem, item + 1, merged.room, merged.profit);
    insert(space, kept, &merged);
    return kept + 1;
}

/* Makes the cut ready for the nodes of here; all of them are in it when divided by layer and none was before. */
static bool prepare_cut(struct knapsack_workspace *space, size_t count, size_t item) {
    if (space->cut_count + count > space->cut_room) {
        size_t room = 2 * (space->cut_count + count);
        struct cut_node *cut = realloc(space->cut, room * sizeof cut[0]);
        if (!cut)
            return false;
        space->cut = cut;
        space->cut_room = room;
    }
    memset(space->in_cut, 0, count * sizeof space->in_cut[0]);
    for (size_t i = 0; space->by_layer && i < count; i++)
        if (space->here[i].exact)
            add_to_cut(space, item, i);
    return true;
}

/* The choice on the path to a node of the diagram, into chosen. */
static void trace_back(struct knapsack_workspace *space, const struct knapsack_subproblem *sub, size_t item,
                       size_t place) {
    memcpy(space->chosen, sub->chosen, space->problem->words * sizeof space->chosen[0]);
    for (; item > sub->item; item--) {
        uint32_t arc = space->trace[(item - sub->item) * space->width + place];
        if (arc & 1)
            space->chosen[(item - 1) / 64] |= UINT64_C(1) << (item - 1) % 64;
        place = arc >> 1;
    }
}

struct built {
    bool whole;     /* nothing was left out or merged */
    bool failed;    /* no memory */
    uint64_t bound; /* the longest path; 0 when no node is left */
    uint64_t nodes;
};

/* Reports the best exact node of the last layer, and finds the longest path. */
static void finish(struct knapsack_workspace *space, const struct knapsack_subproblem *sub,
                   const struct knapsack_search *search, size_t count, struct built *built) {
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        if (space->here[i].profit > built->bound)
            built->bound = space->here[i].profit;
        if (space->here[i].exact && (best == count || space->here[i].profit > space->here[best].profit))
            best = i;
    }
    if (best == count || space->here[best].profit <= search->best(search->context))
        return;
    trace_back(space, sub, space->problem->items, best);
    search->improve(search->context, space->here[best].profit, space->chosen);
}

static struct built build(struct knapsack_workspace *space, const struct knapsack_subproblem *sub,
                          const struct knapsack_search *search, bool relaxed) {
    const struct knapsack_problem *problem = space->problem;
    struct built built = {.whole = true};
    size_t count = 1;
    space->here[0] = (struct node){.room = sub->room, .profit = sub->profit, .exact = true};
    space->cut_count = 0;
    for (size_t item = sub->item; item < problem->items; item++) {
        size_t made = expand(space, count, item, search->best(search->context));
        if (made > space->width) {
            if (relaxed && !prepare_cut(space, count, item)) {
                built.failed = true;
                return built;
            }
            built.whole = false;
            made = narrow(space, made, item, relaxed);
        }
        uint32_t *trace = &space->trace[(item + 1 - sub->item) * space->width];
        for (size_t i = 0; i < made; i++)
            trace[i] = space->next[i].parent << 1 | space->next[i].taken;
        struct node *swapped = space->here;
        space->here = space->next;
        space->next = swapped;
        built.nodes += count = made;
    }
    finish(space, sub, search, count, &built);
    return built;
}

/* Passes on the nodes of the cut that may lead to a better solution. */
static bool divide(struct knapsack_workspace *space, const struct knapsack_subproblem *sub,
                   const struct knapsack_search *search, uint64_t bound) {
    for (size_t i = 0; i < space->cut_count; i++) {
        const struct cut_node *node = &space->cut[i];
        struct knapsack_subproblem next = {.item = node->item, .room = node->room, .profit = node->profit};
        next.bound = knapsack_bound(space->problem, next.item, next.room, next.profit);
        if (next.bound > bound)
            next.bound = bound;
        if (next.bound <= search->best(search->context))
            continue;
        trace_back(space, sub, node->item, node->place);
        next.chosen = space->chosen;
        if (!search->divide(search->context, &next))
            return false;
    }
    return true;
}

struct knapsack_step knapsack_branch(struct knapsack_workspace *space, const struct knapsack_subproblem *sub,
                                     const struct knapsack_search *search) {
    struct knapsack_step step = {0};
    if (sub->bound <= search->best(search->context))
        return step;
    struct built restricted = build(space, sub, search, false);
    step.diagrams = 1;
    step.nodes = restricted.nodes;
    if (restricted.whole)
        return step;
    struct built relaxed = build(space, sub, search, true);
    step.diagrams = 2;
    step.nodes += relaxed.nodes;
    uint64_t bound = relaxed.bound < sub->bound ? relaxed.bound : sub->bound;
    if (relaxed.failed)
        step.failed = true;
    else if (!relaxed.whole && bound > search->best(search->context))
        step.failed = !divide(space, sub, search, bound);
    return step;
}
