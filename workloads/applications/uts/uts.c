/* uts.c: Unbalanced Tree Search (tree.h): count the nodes of a tree that nobody can divide beforehand. A task a node.
 * Nodes, leaves and depth are held against the published ones of each sample tree.
 */
#include "workloads/applications/uts/tree.h"
#include "workloads/pool/pool.h"
#include <stdio.h>
#include <stdlib.h>

#define SPAWNED_TOGETHER TREE_CHILDREN_MAX

static const struct parameter parameters[] = {
    PARAMETER_CHOICE(
        "tree", "T1", TREE_NAMES,
        "T1 T5 geometric, T2 cyclic, T3 binomial, T4 hybrid, 4 million nodes; S: 68 thousand, L: 100 million, "
        "XL: 1.6 thousand million"),
    PARAMETERS_END,
};

struct search {
    const struct tree *tree;
    struct tree_count *by_worker;
};

struct visit {
    struct pool_task task;
    struct tree_node node;
};

static void visit(struct pool_worker *worker, struct pool_task *task);

/* Children number first to last - 1, as tasks. */
static bool spawn_children(struct pool_worker *worker, const struct tree_node *node, unsigned first, unsigned last) {
    struct pool_task *tasks[SPAWNED_TOGETHER];
    for (unsigned i = first; i < last; i++) {
        struct visit *child = (struct visit *)(void *)pool_take(worker);
        if (!child) {
            pool_fail(worker, 3, "no memory for a task");
            return false;
        }
        child->task.run = visit;
        tree_child(node, i, &child->node);
        tasks[i - first] = &child->task;
    }
    pool_spawn_all(worker, tasks, last - first);
    return true;
}

static void visit_node(struct pool_worker *worker, const struct tree_node *node) {
    struct search *search = pool_context(worker);
    unsigned children = tree_visit(search->tree, &search->by_worker[pool_worker_number(worker)], node);
    for (unsigned i = 0; i < children; i += SPAWNED_TOGETHER)
        if (!spawn_children(worker, node, i, children - i < SPAWNED_TOGETHER ? children : i + SPAWNED_TOGETHER))
            return;
}

static void visit(struct pool_worker *worker, struct pool_task *task) {
    struct tree_node node = ((struct visit *)(void *)task)->node;
    pool_give(worker, task);
    visit_node(worker, &node);
}

static void visit_root(struct pool_worker *worker, struct pool_task *task) {
    visit_node(worker, &((struct visit *)(void *)task)->node);
}

static int search_once(struct pool *pool, void *context, unsigned repetition) {
    const struct cell *cell = pool_cell(pool);
    struct search *search = context;
    struct visit root = {.task = {visit_root}};
    struct pool_task *task = &root.task;
    tree_root(search->tree, &root.node);
    for (unsigned i = 0; i < pool_threads(pool); i++)
        search->by_worker[i] = (struct tree_count){0};
    int failure = pool_run(pool, &task, 1);
    if (failure != 0)
        return failure;
    const struct tree_count sum = tree_sum(search->by_worker, pool_threads(pool));
    if (!tree_verify(search->tree, &sum))
        return 1;
    cell_sample(cell, "pool", repetition, "nodes", (double)sum.nodes, "nodes", 0);
    cell_sample(cell, "pool", repetition, "leaves", (double)sum.leaves, "nodes", 0);
    cell_sample(cell, "pool", repetition, "depth", (double)sum.deepest, "nodes", 0);
    pool_report_run(pool, repetition, (double)sum.nodes, "nodes_per_second", "nodes/s");
    return 0;
}

static int run(const struct cell *cell) {
    const size_t workers = (size_t)cell_integer(cell, "threads");
    struct search search = {.tree = tree_named(cell_text(cell, "tree")),
                            .by_worker =
                                aligned_alloc(alignof(struct tree_count), workers * sizeof(struct tree_count))};
    const struct pool_settings settings = {.task_bytes = sizeof(struct visit), .context = &search};
    if (!search.by_worker) {
        fprintf(stderr, "stealbench: no memory for the counts of %zu workers\n", workers);
        return 3;
    }
    int failure = pool_measure(cell, &settings, search_once);
    free(search.by_worker);
    return failure;
}

static const char *unsupported(const struct cell *cell) {
    const char *why = tree_unsupported();
    return why ? why : pool_unsupported(cell);
}

REGISTER_WORKLOAD(uts, .name = "uts",
                  .summary = "unbalanced tree search: count the nodes of a published tree, one task a node",
                  .parameters = {parameters, pool_parameters}, .threads = "threads", .unsupported = unsupported,
                  .run = run);
