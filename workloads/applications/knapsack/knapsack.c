/* knapsack.c: the 0-1 knapsack by branch and bound with decision diagrams, on the pool: a small version of the solver
 * that the bulk paper was made for. Subproblems are tasks. A task solves one or divides it, and pushes the parts
 * together, as that paper's workers do. Tasks differ in cost.
 *
 * A task is a step of Bergman, Cire, van Hoeve and Hooker ("Decision Diagrams for Optimization", 2016). A diagram has a
 * layer an item. A node is a state: the room that is left, and the greatest profit on a path to it. A layer keeps at
 * most `width` nodes. A restricted diagram leaves out the others, so its longest path is a solution and a lower bound.
 * A relaxed one merges them into a node with the most room and the most profit of them all, so its longest path is an
 * upper bound. A node is exact when no merged node comes before it. The exact nodes that lead to merged ones, the
 * frontier, cut all paths that are not decided yet: they are the next subproblems. The width sets a task's size: with 4
 * nodes it takes about a microsecond. Nodes that could not beat the best known solution even if items could be divided
 * (Dantzig's bound) are left out.
 *
 * known=optimum: a first search, which is not timed, finds the optimum, and the timed ones prove that nothing is
 * better. They then have the same subproblems whatever the deque and the threads: no run is fast because it came upon a
 * good solution early. Every answer is compared with the one that dynamic programming finds.
 */
#include "harness/measuring/random.h"
#include "workloads/pool/pool.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 256
#define WIDTH_MAX 256
#define WEIGHT_MAX 1000

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("items", 75, 1, ITEMS_MAX, "items", "of the instance"),
    PARAMETER_INTEGER("width", 4, 2, WIDTH_MAX, "nodes", "most nodes in a layer of a diagram: the size of a task"),
    PARAMETER_CHOICE("known", "none", "none|optimum",
                     "what a timed search knows when it begins: nothing; or the optimum, which it has to prove"),
    PARAMETERS_END,
};

/* --- the instance */

struct item {
    uint64_t weight, profit;
};

struct instance {
    size_t count;
    uint64_t capacity, optimum;
    struct item items[ITEMS_MAX];                                          /* in order */
    uint64_t weights_before[ITEMS_MAX + 1], profits_before[ITEMS_MAX + 1]; /* sums over the items before this one */
};

/* More profit by weight first; then the heavier, so that there is one order. */
static int compare_items(const void *left, const void *right) {
    const struct item *a = left, *b = right;
    const uint64_t x = a->profit * b->weight, y = b->profit * a->weight;
    return x != y ? (x > y ? -1 : 1) : (a->weight < b->weight) - (a->weight > b->weight);
}

/* Over all capacities: best[room] is the most profit of the items so far. false: no memory. */
static bool solve_by_dynamic_programming(struct instance *instance) {
    uint64_t *best = calloc(instance->capacity + 1, sizeof best[0]);
    if (!best)
        return false;
    for (size_t i = 0; i < instance->count; i++) {
        const struct item item = instance->items[i];
        for (uint64_t room = instance->capacity; room >= item.weight; room--)
            if (best[room - item.weight] + item.profit > best[room])
                best[room] = best[room - item.weight] + item.profit;
    }
    instance->optimum = best[instance->capacity];
    free(best);
    return true;
}

/* Pisinger's almost strongly correlated class ("Where are the hard knapsack problems?", 2005): a profit is a tenth of
 * the range above the weight, give or take a 500th. The capacity is half of the sum of weights. */
static bool make_instance(struct instance *instance, size_t items, uint64_t seed) {
    uint64_t sum = 0;
    instance->count = 0;
    for (size_t i = 0; i < items; i++) {
        const uint64_t weight = random_of(seed, 2 * i) % WEIGHT_MAX + 1, draw = random_of(seed, 2 * i + 1);
        instance->items[i] =
            (struct item){weight, weight + WEIGHT_MAX / 10 - WEIGHT_MAX / 500 + draw % (WEIGHT_MAX / 500 * 2 + 1)};
        sum += weight;
    }
    instance->capacity = sum / 2;
    for (size_t i = 0; i < items; i++) /* what never fits is left out */
        if (instance->items[i].weight <= instance->capacity)
            instance->items[instance->count++] = instance->items[i];
    qsort(instance->items, instance->count, sizeof instance->items[0], compare_items);
    for (size_t i = 0; i < instance->count; i++) {
        instance->weights_before[i + 1] = instance->weights_before[i] + instance->items[i].weight;
        instance->profits_before[i + 1] = instance->profits_before[i] + instance->items[i].profit;
    }
    return solve_by_dynamic_programming(instance);
}

/* Dantzig's bound: profit, and the most that the items from there on can add in that room if they can be divided. */
static uint64_t bound_of(const struct instance *instance, size_t item, uint64_t room, uint64_t profit) {
    const uint64_t *before = instance->weights_before;
    size_t low = item, high = instance->count; /* all items up to low fit; those up to high + 1 do not */
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        if (before[middle] - before[item] <= room)
            low = middle;
        else
            high = middle - 1;
    }
    profit += instance->profits_before[low] - instance->profits_before[item];
    if (low < instance->count)
        profit += instance->items[low].profit * (room - (before[low] - before[item])) / instance->items[low].weight;
    return profit;
}

/* --- diagrams */

struct search {
    struct instance instance;
    struct workspace *spaces;            /* one a worker */
    _Alignas(128) _Atomic uint64_t best; /* the greatest profit known */
};

/* The items from item on, with that room, after a choice among earlier ones. No solution of it is better than bound. */
struct subproblem {
    size_t item;
    uint64_t room, profit, bound;
};

struct node {
    uint64_t room, profit, bound;
    uint32_t parent; /* place in the layer before */
    bool exact;
};

struct tally {
    uint64_t steps, nodes, divisions, children_most;
};

/* A worker's own. */
struct workspace {
    _Alignas(128) struct search *search;
    size_t width, cut_count;
    struct tally tally;
    struct node *here, *next; /* a layer and the one after it; in order of room, most first */
    struct node layers[2][2 * WIDTH_MAX + 1];
    uint64_t bounds[2 * WIDTH_MAX + 1];           /* scratch */
    bool in_cut[WIDTH_MAX];                       /* by place in here */
    struct subproblem cut[ITEMS_MAX * WIDTH_MAX]; /* the frontier */
};

/* Relaxed: an older value only prunes less. */
static uint64_t best_known(const struct search *search) {
    return atomic_load_explicit(&search->best, memory_order_relaxed);
}

/* Among nodes of equal room the one with more profit comes first, and of those an exact one. */
static bool comes_before(const struct node *a, const struct node *b) {
    if (a->room != b->room)
        return a->room > b->room;
    return a->profit != b->profit ? a->profit > b->profit : a->exact && !b->exact;
}

/* The layer after here, of at most twice as many nodes: those that leave the item and those that take it are each in
 * order already, and are merged into one order. A node with no more room and less profit than an earlier one is left
 * out. A merged node overstates both, so it may only replace nodes that are not exact either: the cut lies before
 * those. */
static size_t expand(const struct workspace *space, size_t count, size_t at) {
    const struct item item = space->search->instance.items[at];
    const uint64_t best = best_known(space->search);
    uint64_t exact = 0, any = 0; /* the greatest profit so far of an exact node, of any; 0: none, else one more */
    size_t left = 0, taken = 0, made = 0;
    for (;;) {
        struct node node;
        while (taken < count && space->here[taken].room < item.weight)
            taken++;
        bool takes = taken < count;
        if (takes) {
            node = space->here[taken];
            node.room -= item.weight;
            node.profit += item.profit;
            node.parent = (uint32_t)taken;
            takes = left == count || comes_before(&node, &space->here[left]);
        }
        if (!takes) {
            if (left == count)
                return made;
            node = space->here[left];
            node.parent = (uint32_t)left;
        }
        left += !takes;
        taken += takes;
        node.bound = bound_of(&space->search->instance, at + 1, node.room, node.profit);
        if (node.bound <= best || node.profit < (node.exact ? exact : any))
            continue;
        any = node.profit + 1 > any ? node.profit + 1 : any;
        exact = node.exact ? node.profit + 1 : exact;
        space->next[made++] = node;
    }
}

/* The value at that place in descending order (quickselect). Reorders. */
static uint64_t at_rank(uint64_t *values, size_t count, size_t rank) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        const uint64_t pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (values[i] > pivot)
                i++;
            while (values[j] < pivot)
                j--;
            if (i >= j)
                break;
            const uint64_t swapped = values[i];
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

/* Reduces next to width nodes. Those with the least bounds are left out (restricted), or become one node (relaxed);
 * then the nodes of here that led to them are cut, and what else these lead to is no longer exact: the subproblem
 * covers it. Returns how many are left. */
static size_t narrow(struct workspace *space, size_t count, size_t made, size_t item, bool relaxed) {
    struct node merged = {.exact = false};
    size_t kept_max = space->width - relaxed, kept = 0, equals = kept_max;
    for (size_t i = 0; i < made; i++)
        space->bounds[i] = space->next[i].bound;
    const uint64_t least = at_rank(space->bounds, made, kept_max - 1);
    memset(space->in_cut, 0, count * sizeof space->in_cut[0]);
    for (size_t i = 0; i < made; i++)
        equals -= space->next[i].bound > least;
    for (size_t i = 0; i < made; i++) {
        const struct node *node = &space->next[i];
        const bool keeps = node->bound > least || (node->bound == least && equals > 0);
        equals -= keeps && node->bound == least;
        if (keeps) {
            space->next[kept++] = *node;
        } else if (relaxed) {
            const struct node *parent = &space->here[node->parent];
            if (node->exact && !space->in_cut[node->parent])
                space->cut[space->cut_count++] = (struct subproblem){item, parent->room, parent->profit, 0};
            space->in_cut[node->parent] |= node->exact;
            merged.room = node->room > merged.room ? node->room : merged.room;
            merged.profit = node->profit > merged.profit ? node->profit : merged.profit;
        }
    }
    if (!relaxed)
        return kept;
    for (size_t i = 0; i < kept; i++)
        space->next[i].exact = space->next[i].exact && !space->in_cut[space->next[i].parent];
    merged.bound = bound_of(&space->search->instance, item + 1, merged.room, merged.profit);
    size_t place = kept; /* in the order of next */
    for (; place > 0 && comes_before(&merged, &space->next[place - 1]); place--)
        space->next[place] = space->next[place - 1];
    space->next[place] = merged;
    return kept + 1;
}

struct built {
    bool whole;              /* nothing was left out or merged */
    uint64_t exact, longest; /* the longest path to an exact node of the last layer, and to any; 0: none is left */
};

static struct built build(struct workspace *space, const struct subproblem *sub, bool relaxed) {
    struct built built = {.whole = true};
    size_t count = 1;
    space->here[0] = (struct node){.room = sub->room, .profit = sub->profit, .exact = true};
    space->cut_count = 0;
    for (size_t item = sub->item; item < space->search->instance.count; item++) {
        size_t made = expand(space, count, item);
        if (made > space->width) {
            built.whole = false;
            made = narrow(space, count, made, item, relaxed);
        }
        struct node *swapped = space->here;
        space->here = space->next;
        space->next = swapped;
        space->tally.nodes += count = made;
    }
    for (size_t i = 0; i < count; i++) {
        const struct node *node = &space->here[i];
        built.longest = node->profit > built.longest ? node->profit : built.longest;
        built.exact = node->exact && node->profit > built.exact ? node->profit : built.exact;
    }
    return built;
}

/* --- on the pool */

struct subproblem_task {
    struct pool_task task;
    struct subproblem sub;
};

static void solve_task(struct pool_worker *, struct pool_task *);

/* Pushes the subproblems that may lead to a better solution, many at once. Returns how many. */
static size_t divide(struct pool_worker *worker, struct search *search, struct subproblem *subs, size_t count,
                     uint64_t bound) {
    struct pool_task *collected[256];
    size_t n = 0, children = 0;
    for (size_t i = 0; i < count; i++) {
        subs[i].bound = bound_of(&search->instance, subs[i].item, subs[i].room, subs[i].profit);
        subs[i].bound = subs[i].bound < bound ? subs[i].bound : bound;
        if (subs[i].bound <= best_known(search))
            continue;
        struct subproblem_task *task = (struct subproblem_task *)(void *)pool_take(worker);
        if (!task) {
            pool_fail(worker, 3, "no memory for the subproblems");
            break;
        }
        *task = (struct subproblem_task){{solve_task}, subs[i]};
        collected[n++] = &task->task;
        children++;
        if (n == sizeof collected / sizeof collected[0]) {
            pool_spawn_all(worker, collected, n);
            n = 0;
        }
    }
    if (n > 0)
        pool_spawn_all(worker, collected, n);
    return children;
}

/* Bounds the subproblem by a restricted diagram and a relaxed one, and divides it where these do not decide it. */
static void branch(struct pool_worker *worker, struct search *search, struct workspace *space,
                   const struct subproblem *sub) {
    if (sub->bound <= best_known(search))
        return;
    struct built built = build(space, sub, false);
    for (int relaxed = 0;; relaxed = 1) {
        uint64_t best = best_known(search);
        /* relaxed: nothing but the number is passed on */
        while (built.exact > best && !atomic_compare_exchange_weak_explicit(&search->best, &best, built.exact,
                                                                            memory_order_relaxed, memory_order_relaxed))
            ;
        if (built.whole)
            return;
        if (relaxed)
            break;
        built = build(space, sub, true);
    }
    const uint64_t bound = built.longest < sub->bound ? built.longest : sub->bound;
    const size_t children = divide(worker, search, space->cut, space->cut_count, bound);
    space->tally.divisions += children > 0;
    space->tally.children_most = children > space->tally.children_most ? children : space->tally.children_most;
}

static void solve_task(struct pool_worker *worker, struct pool_task *task) {
    struct search *search = pool_context(worker);
    struct workspace *space = &search->spaces[pool_worker_number(worker)];
    const struct subproblem sub = ((struct subproblem_task *)(void *)task)->sub;
    pool_give(worker, task);
    space->tally.steps++;
    branch(worker, search, space, &sub);
}

/* The first task: the whole problem. */
static void begin(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    struct search *search = pool_context(worker);
    struct subproblem root = {.room = search->instance.capacity};
    divide(worker, search, &root, 1, UINT64_MAX);
}

static int solve_once(struct pool *pool, struct search *search) {
    struct pool_task start = {begin}, *tasks[] = {&start};
    for (unsigned i = 0; i < pool_threads(pool); i++)
        search->spaces[i].tally = (struct tally){0};
    const int failure = pool_run(pool, tasks, 1);
    const uint64_t best = best_known(search);
    if (failure == 0 && best != search->instance.optimum) {
        fprintf(stderr, "knapsack: wrong: %" PRIu64 ", but dynamic programming finds %" PRIu64 "\n", best,
                search->instance.optimum);
        return 1;
    }
    return failure;
}

static void report(const struct pool *pool, const struct search *search, unsigned repetition) {
    struct tally sum = {0};
    for (unsigned i = 0; i < pool_threads(pool); i++) {
        const struct tally *one = &search->spaces[i].tally;
        sum.steps += one->steps;
        sum.nodes += one->nodes;
        sum.divisions += one->divisions;
        sum.children_most = one->children_most > sum.children_most ? one->children_most : sum.children_most;
    }
    const struct cell *cell = pool_cell(pool);
    const double seconds = pool_seconds(pool);
    cell_sample(cell, "pool", repetition, "run_time", seconds, "s", 0);
    cell_sample(cell, "pool", repetition, "subproblems", (double)sum.steps, "subproblems", 0);
    cell_sample(cell, "pool", repetition, "subproblems_per_second", (double)sum.steps / seconds, "subproblems/s", 0);
    cell_sample(cell, "pool", repetition, "diagram_nodes", (double)sum.nodes, "nodes", 0);
    if (sum.divisions > 0) {
        cell_sample(cell, "pool", repetition, "children_mean", (double)(sum.steps - 1) / (double)sum.divisions,
                    "subproblems", 0);
        cell_sample(cell, "pool", repetition, "children_most", (double)sum.children_most, "subproblems", 0);
    }
    pool_report(pool, cell, repetition);
}

/* All repetitions. With known=optimum, the result of the first search stays known. */
static int repeat(struct pool *pool, struct search *search, const struct cell *cell) {
    const bool known = cell_is(cell, "known", "optimum");
    int failure = known ? solve_once(pool, search) : 0;
    for (unsigned i = 0; failure == 0 && i < cell->repetitions; i++) {
        if (!known)
            atomic_store_explicit(&search->best, 0, memory_order_relaxed);
        failure = solve_once(pool, search);
        if (failure == 0)
            report(pool, search, i);
    }
    return failure;
}

static int run(const struct cell *cell) {
    static struct search search;
    const size_t workers = (size_t)cell_integer(cell, "threads");
    const struct pool_settings settings = {.task_bytes = sizeof(struct subproblem_task), .context = &search};
    struct pool *pool = NULL;
    search.spaces = aligned_alloc(_Alignof(struct workspace), workers * sizeof search.spaces[0]);
    if (!search.spaces ||
        !make_instance(&search.instance, (size_t)cell_integer(cell, "items"), cell_integer(cell, "seed"))) {
        fprintf(stderr, "knapsack: no memory for the diagrams of %zu workers\n", workers);
        return 3;
    }
    for (size_t i = 0; i < workers; i++) {
        struct workspace *space = &search.spaces[i];
        space->search = &search;
        space->width = (size_t)cell_integer(cell, "width");
        space->here = space->layers[0];
        space->next = space->layers[1];
    }
    int failure = pool_open(&pool, cell, &settings);
    if (failure == 0)
        failure = repeat(pool, &search, cell);
    pool_close(pool);
    free(search.spaces);
    return failure;
}

REGISTER_WORKLOAD(knapsack, .name = "knapsack",
                  .summary = "the 0-1 knapsack by branch and bound with decision diagrams",
                  .parameters = {pool_parameters, parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
