/* dag.c: the exploration of a directed acyclic graph, the bulk paper's "pseudo workload" (figures 9 and 10).
 *
 * A worker takes a node, works for as long as the node costs, claims those of its children that nobody has claimed yet
 * and pushes them to its own deque. The paper's thief takes half of the victim's items, asks victims in order of their
 * numbers, and toggles a flag before and after, one thief at a time: victims=sequential steal=half turns=1.
 *
 * In the paper each worker begins with a node of its own: first=each, worker i of n at node number i/n of all nodes.
 * first=one: worker 0 has the root, and the others steal from the start.
 *
 * The paper does not say the graph's shape, its number of arcs, or the cost of a node; here the last two are
 * parameters.
 *
 * Only waiting nodes have a task, and with stored=0 a graph takes no memory: 300 million nodes need 37.5 MB for claims,
 * and a task for each node that waits.
 */
#include "workloads/applications/dag/graph.h"
#include "workloads/applications/task_cost.h"
#include "workloads/pool/pool.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORED_TOGETHER 16384 /* nodes whose arcs are written by one task */
#define PIECE 64              /* children that are claimed, then pushed, together */

static const struct parameter parameters[] = {
    PARAMETER_INTEGER("nodes", 2500000, 1, GRAPH_NODES_MAX, "nodes", "size of the graph"),
    PARAMETER_INTEGER("degree", 4, 2, 1024, "arcs", "arcs out of a node"),
    PARAMETER_INTEGER("width", 1000, 0, GRAPH_NODES_MAX, "nodes", "how far an arc leads at most; 0: to any later node"),
    PARAMETER_CHOICE("push", "batch", "batch|single", "a node's children are pushed in one call, or one by one"),
    PARAMETER_SWITCH("stored", "1: the graph stands in memory, as the paper's did; workers have written it"),
    COST_PARAMETERS(0, "ns", "a node"),
    PARAMETERS_END,
};

enum { NODES, ARCS, CHECKSUM }; /* a worker's counts */

struct node_task {
    struct pool_task task;
    uint32_t node;
};

struct dag {
    struct graph graph;
    struct graph_census expected;
    struct task_cost cost;
    bool single, each, stores;
    struct node_task *first; /* to begin with, one a worker */
    struct pool_task **first_tasks;
    _Atomic uint64_t *claims; /* a bit a node */
    size_t words;
};

/* Any worker: did it claim the node? Relaxed: a claim publishes nothing; the node's task travels through a deque. The
 * load spares claimed nodes the exchange. */
static bool claim(struct dag *dag, uint32_t node) {
    _Atomic uint64_t *word = &dag->claims[node / 64];
    uint64_t bit = UINT64_C(1) << node % 64;
    if (atomic_load_explicit(word, memory_order_relaxed) & bit)
        return false;
    return !(atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit);
}

static void visit(struct pool_worker *worker, struct pool_task *task);

/* Claims what can be claimed of some nodes and pushes it; false: no memory, the pool has failed. */
static bool push_unclaimed(struct pool_worker *worker, struct dag *dag, const uint32_t *nodes, size_t count) {
    struct pool_task *ready[PIECE];
    size_t claimed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!claim(dag, nodes[i]))
            continue;
        struct node_task *task = (struct node_task *)pool_take(worker);
        if (!task) {
            pool_fail(worker, 3, "no memory for the task of a node");
            return false;
        }
        task->task.run = visit;
        task->node = nodes[i];
        ready[claimed++] = &task->task;
    }
    if (!dag->single && claimed > 0)
        pool_spawn_all(worker, ready, claimed);
    for (size_t i = 0; dag->single && i < claimed; i++)
        pool_spawn(worker, ready[i]);
    return true;
}

static void visit(struct pool_worker *worker, struct pool_task *task) {
    struct dag *dag = pool_context(worker);
    uint64_t *tally = pool_tally(worker);
    const uint32_t node = ((struct node_task *)task)->node;
    uint32_t children[PIECE];
    size_t count = PIECE;
    pool_give(worker, task);
    if (dag->cost.mean > 0)
        task_cost_work(task_cost_of(&dag->cost, node));
    tally[NODES]++;
    tally[CHECKSUM] += graph_mark(node);
    for (uint64_t first = 0; count == PIECE; first += PIECE) {
        count = graph_children(&dag->graph, node, first, children, PIECE);
        tally[ARCS] += count;
        if (!push_unclaimed(worker, dag, children, count))
            return;
    }
}

static void begin(struct pool_worker *worker, struct pool_task *task) {
    push_unclaimed(worker, pool_context(worker), &((const struct node_task *)task)->node, 1);
}

static bool check(const struct pool *pool, const struct dag *dag) {
    const struct graph_census found = {pool_tallied(pool, NODES), pool_tallied(pool, ARCS),
                                       pool_tallied(pool, CHECKSUM)};
    uint64_t claimed = 0;
    for (size_t i = 0; i < dag->words; i++)
        claimed += (uint64_t)__builtin_popcountll(atomic_load_explicit(&dag->claims[i], memory_order_relaxed));
    return graph_verify(&dag->expected, &found, claimed);
}

/* The part of the graph that begins at the node. */
static void store(struct pool_worker *worker, struct pool_task *task) {
    struct dag *dag = pool_context(worker);
    graph_store(&dag->graph, ((const struct node_task *)task)->node, STORED_TOGETHER);
}

/* The workers write the graph to memory. first=each deals worker i the part that it begins to explore, so that this
 * part lies on its node; with memory=interleaved all lies on all nodes. */
static int store_graph(struct pool *pool, struct dag *dag) {
    const size_t count = dag->graph.nodes / STORED_TOGETHER + 1, workers = pool_threads(pool);
    struct node_task *parts = calloc(count, sizeof *parts);
    struct pool_task **tasks = calloc(count, sizeof *tasks);
    int failure = 3;
    dag->graph.stored = malloc(dag->graph.nodes * dag->graph.degree * sizeof *dag->graph.stored);
    for (size_t i = 0; parts && i < count; i++)
        parts[i] = (struct node_task){{store}, (uint32_t)(i * STORED_TOGETHER)};
    for (size_t round = 0, dealt = 0; parts && tasks && dealt < count; round++)
        for (size_t worker = 0; worker < workers; worker++)
            if (worker * count / workers + round < (worker + 1) * count / workers)
                tasks[dealt++] = &parts[worker * count / workers + round].task;
    if (parts && tasks && dag->graph.stored)
        failure = pool_run(pool, tasks, count);
    else
        fprintf(stderr, "dag: no memory to store a graph of %" PRIu64 " nodes\n", dag->graph.nodes);
    free(parts);
    free((void *)tasks);
    return failure;
}

static int explore(struct pool *pool, void *context, unsigned repetition) {
    struct dag *dag = context;
    const unsigned beginners = dag->each ? pool_threads(pool) : 1;
    int failure = dag->stores && repetition == 0 ? store_graph(pool, dag) : 0;
    if (failure != 0)
        return failure;
    for (unsigned i = 0; i < beginners; i++) {
        dag->first[i] = (struct node_task){{begin}, (uint32_t)(dag->graph.nodes / beginners * i)};
        dag->first_tasks[i] = &dag->first[i].task;
    }
    memset(dag->claims, 0, dag->words * sizeof dag->claims[0]);
    failure = pool_run(pool, dag->first_tasks, beginners);
    if (failure == 0 && !check(pool, dag))
        failure = 1;
    if (failure == 0)
        pool_report_run(pool, repetition, (double)dag->expected.nodes, "nodes_per_second", "nodes/s");
    return failure;
}

static int run(const struct cell *cell) {
    struct dag dag = {.graph = {.nodes = cell_integer(cell, "nodes"),
                                .degree = (uint32_t)cell_integer(cell, "degree"),
                                .width = (uint32_t)cell_integer(cell, "width"),
                                .seed = cell_integer(cell, "seed")},
                      .single = cell_is(cell, "push", "single"),
                      .stores = cell_integer(cell, "stored") != 0,
                      .each = cell_is(cell, "first", "each")};
    const struct pool_settings settings = {.task_bytes = sizeof(struct node_task), .context = &dag};
    int failure = 3;
    dag.expected = graph_by_construction(&dag.graph);
    dag.words = dag.graph.nodes / 64 + 1;
    dag.claims = malloc(dag.words * sizeof dag.claims[0]);
    dag.first = calloc(cell_integer(cell, "threads"), sizeof dag.first[0]);
    dag.first_tasks = calloc(cell_integer(cell, "threads"), sizeof dag.first_tasks[0]);
    if (!dag.claims || !dag.first || !dag.first_tasks) {
        fprintf(stderr, "dag: no memory for a graph of %" PRIu64 " nodes\n", dag.graph.nodes);
    } else {
        double iteration;
        dag.cost = task_cost_of_cell(cell, &iteration);
        cell_sample(cell, "process", 0, "graph_nodes", (double)dag.expected.nodes, "nodes", 0);
        cell_sample(cell, "process", 0, "graph_arcs", (double)dag.expected.arcs, "arcs", 0);
        failure = pool_measure(cell, &settings, explore);
    }
    free((void *)dag.claims);
    free(dag.graph.stored);
    free(dag.first);
    free((void *)dag.first_tasks);
    return failure;
}

REGISTER_WORKLOAD(dag, .name = "dag", .summary = "exploration of a directed acyclic graph",
                  .parameters = {pool_parameters, parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
