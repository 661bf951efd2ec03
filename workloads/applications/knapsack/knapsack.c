/* knapsack.c: the 0-1 knapsack by branch and bound with decision diagrams, on the pool: the solver that the bulk paper
 * was made for and could not run. Subproblems are tasks. A step (knapsack_diagram.h) solves one or divides it, and
 * pushes the parts together, as that paper's workers do. Steps differ in cost, and the number of subproblems depends on
 * how early a good solution is found: the irregular work that the paper's deque is meant for.
 *
 * cuts=: a worker makes a cut where it divides a subproblem and prunes by its last ones (knapsack_cuts.h).
 * known=optimum: a first search, which is not timed, finds the optimum, and the timed ones have to prove that nothing
 * is better. Whatever the deque and the threads, they then have the same subproblems (but where cuts prune some): no
 * run is fast because it came upon a good solution early. Every answer is checked: the solution's profit and weight are
 * added up, and the optimum is compared with what dynamic programming finds (where items times capacity allow that) and
 * with what the file states.
 */
#include "workloads/applications/knapsack/knapsack_cuts.h"
#include "workloads/pool/pool.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct parameter parameters[] = {
    PARAMETER_CHOICE("instance", "strongly", &(KNAPSACK_CLASSES(LIST_CHOICE) "|example")[1],
                     "a generated class, or the bulk paper's example"),
    PARAMETER_INTEGER("items", 100, 1, KNAPSACK_ITEMS_MAX, "items", "of a generated instance"),
    PARAMETER_INTEGER("range", 1000, 1, KNAPSACK_VALUE_MAX / 2, "", "weights are drawn from 1 to this"),
    PARAMETER_INTEGER("fill", 50, 0, 100, "percent", "capacity, as a share of the sum of all weights"),
    PARAMETER_TEXT("file", "none", "solve an instance of this file, in Pisinger's format"),
    PARAMETER_INTEGER("number", 1, 1, 1000000, "", "which instance of the file"),
    PARAMETER_INTEGER("width", 64, 2, KNAPSACK_WIDTH_MAX, "nodes", "most nodes in a layer of a diagram"),
    PARAMETER_CHOICE("cut", "frontier", "frontier|layer",
                     "where a subproblem is divided. frontier: at the exact nodes before merged ones; layer: at the "
                     "last exact layer"),
    PARAMETER_INTEGER(
        "cuts", 0, 0, KNAPSACK_CUTS_MAX, "cuts",
        "cuts that a worker keeps (those that pruned last) and prunes by; it makes them where it divides; 0: none"),
    PARAMETER_CHOICE("known", "none", "none|optimum",
                     "what a timed search knows when it begins: nothing; or the optimum, which it has to prove"),
    PARAMETERS_END,
};

struct tally {
    _Alignas(128) uint64_t steps;
    uint64_t diagrams, nodes, pruned;
    uint64_t divisions, children_most;
};

struct knapsack {
    struct knapsack_instance instance;
    struct knapsack_problem problem;
    struct knapsack_workspace **spaces; /* one a worker */
    struct knapsack_cuts **cuts;        /* one a worker, or NULL */
    struct tally *tallies;              /* one a worker */
    bool checked;                       /* dynamic programming knows the optimum */
    uint64_t optimum;
    _Alignas(128) _Atomic uint64_t best; /* read by all, written under the lock */
    pthread_mutex_t lock;
    uint64_t *chosen;  /* of the best; under the lock */
    uint64_t *nothing; /* no item chosen */
};

struct subproblem_task {
    struct pool_task task;
    struct knapsack_subproblem sub; /* its choice follows */
    uint64_t chosen[];
};

/* A worker's step: subproblems are collected and pushed together. */
#define COLLECTED_MAX 256
struct step {
    struct pool_worker *worker;
    struct knapsack *knapsack;
    struct pool_task *collected[COLLECTED_MAX];
    size_t count, children;
};

/* Relaxed: a bound that is not the newest only prunes less. The choice is read under the lock. */
static uint64_t best_of(void *context) {
    return atomic_load_explicit(&((struct step *)context)->knapsack->best, memory_order_relaxed);
}

static void improve(void *context, uint64_t profit, const uint64_t *chosen) {
    struct knapsack *knapsack = ((struct step *)context)->knapsack;
    pthread_mutex_lock(&knapsack->lock);
    if (profit > atomic_load_explicit(&knapsack->best, memory_order_relaxed)) {
        memcpy(knapsack->chosen, chosen, knapsack->problem.words * sizeof chosen[0]);
        atomic_store_explicit(&knapsack->best, profit, memory_order_relaxed);
    }
    pthread_mutex_unlock(&knapsack->lock);
}

static void solve_step(struct pool_worker *worker, struct pool_task *task);

static void push_collected(struct step *step) {
    if (step->count > 0)
        pool_spawn_all(step->worker, step->collected, step->count);
    step->count = 0;
}

static bool divide(void *context, const struct knapsack_subproblem *sub) {
    struct step *step = context;
    struct subproblem_task *task = (struct subproblem_task *)pool_take(step->worker);
    if (!task)
        return false;
    task->task.run = solve_step;
    task->sub = *sub;
    memcpy(task->chosen, sub->chosen, step->knapsack->problem.words * sizeof task->chosen[0]);
    step->collected[step->count++] = &task->task;
    step->children++;
    if (step->count == COLLECTED_MAX)
        push_collected(step);
    return true;
}

static void solve_step(struct pool_worker *worker, struct pool_task *task) {
    struct knapsack *knapsack = pool_context(worker);
    struct tally *tally = &knapsack->tallies[pool_worker_number(worker)];
    struct subproblem_task *mine = (struct subproblem_task *)task;
    struct step step = {.worker = worker, .knapsack = knapsack};
    const struct knapsack_search search = {best_of, improve, divide, &step};
    mine->sub.chosen = mine->chosen;
    struct knapsack_cuts *cuts = knapsack->cuts ? knapsack->cuts[pool_worker_number(worker)] : NULL;
    /* if the bound prunes alone, no cut is needed */
    if (cuts && mine->sub.bound > best_of(&step) && knapsack_cuts_prune(cuts, &mine->sub, best_of(&step))) {
        tally->steps++;
        tally->pruned++;
        pool_give(worker, task);
        return;
    }
    struct knapsack_step done = knapsack_branch(knapsack->spaces[pool_worker_number(worker)], &mine->sub, &search);
    tally->steps++;
    tally->diagrams += done.diagrams;
    tally->nodes += done.nodes;
    tally->divisions += step.children > 0;
    tally->children_most = step.children > tally->children_most ? step.children : tally->children_most;
    if (cuts && step.children > 0)
        knapsack_cuts_make(cuts, &mine->sub);
    push_collected(&step);
    pool_give(worker, task);
    if (done.failed)
        pool_fail(worker, 3, "no memory for the subproblems");
}

/* The first task: the whole problem. */
static void begin(struct pool_worker *worker, struct pool_task *task) {
    struct knapsack *knapsack = pool_context(worker);
    struct step step = {.worker = worker, .knapsack = knapsack};
    struct knapsack_subproblem root = {.room = knapsack->problem.capacity, .chosen = knapsack->nothing};
    (void)task;
    root.bound = knapsack_bound(&knapsack->problem, 0, root.room, 0);
    if (!divide(&step, &root))
        pool_fail(worker, 3, "no memory for the first subproblem");
    push_collected(&step);
}

/* Is the best solution valid, and the optimum, if that is known? */
static int check(const struct knapsack *knapsack) {
    const struct knapsack_problem *problem = &knapsack->problem;
    const uint64_t best = atomic_load_explicit(&knapsack->best, memory_order_relaxed);
    uint64_t profit = 0, weight = 0;
    for (size_t i = 0; i < problem->items; i++) {
        if (knapsack->chosen[i / 64] >> i % 64 & 1) {
            profit += problem->profit[i];
            weight += problem->weight[i];
        }
    }
    if (profit != best || weight > knapsack->instance.capacity) {
        fprintf(stderr,
                "knapsack: wrong: a solution of %" PRIu64 " has profit %" PRIu64 " and weight %" PRIu64
                " where %" PRIu64 " is allowed\n",
                best, profit, weight, knapsack->instance.capacity);
        return 1;
    }
    if (knapsack->checked && best != knapsack->optimum) {
        fprintf(stderr, "knapsack: wrong: %" PRIu64 ", but dynamic programming finds %" PRIu64 "\n", best,
                knapsack->optimum);
        return 1;
    }
    if (knapsack->instance.stated && best != knapsack->instance.stated_optimum) {
        fprintf(stderr, "knapsack: wrong: %" PRIu64 ", but %" PRIu64 " is stated\n", best,
                knapsack->instance.stated_optimum);
        return 1;
    }
    return 0;
}

static void forget_best(struct knapsack *knapsack) {
    atomic_store_explicit(&knapsack->best, 0, memory_order_relaxed);
    memset(knapsack->chosen, 0, knapsack->problem.words * sizeof knapsack->chosen[0]);
}

/* Searches for a better solution than the known one. */
static int solve(struct pool *pool, struct knapsack *knapsack) {
    struct pool_task start = {begin};
    struct pool_task *tasks[] = {&start};
    memset(knapsack->tallies, 0, pool_threads(pool) * sizeof knapsack->tallies[0]);
    for (unsigned i = 0; knapsack->cuts && i < pool_threads(pool); i++)
        knapsack_cuts_clear(knapsack->cuts[i]);
    int failure = pool_run(pool, tasks, 1);
    return failure ? failure : check(knapsack);
}

static void report(const struct pool *pool, const struct knapsack *knapsack, unsigned repetition) {
    struct tally sum = {0};
    for (unsigned i = 0; i < pool_threads(pool); i++) {
        const struct tally *one = &knapsack->tallies[i];
        sum.steps += one->steps;
        sum.diagrams += one->diagrams;
        sum.nodes += one->nodes;
        sum.pruned += one->pruned;
        sum.divisions += one->divisions;
        sum.children_most = one->children_most > sum.children_most ? one->children_most : sum.children_most;
    }
    const struct cell *cell = pool_cell(pool); /* with the flags that hold for this pool */
    double seconds = pool_seconds(pool);
    cell_sample(cell, "pool", repetition, "run_time", seconds, "s", 0);
    cell_sample(cell, "pool", repetition, "subproblems", (double)sum.steps, "subproblems", 0);
    cell_sample(cell, "pool", repetition, "subproblems_per_second", (double)sum.steps / seconds, "subproblems/s", 0);
    cell_sample(cell, "pool", repetition, "diagrams", (double)sum.diagrams, "diagrams", 0);
    cell_sample(cell, "pool", repetition, "diagram_nodes", (double)sum.nodes, "nodes", 0);
    if (sum.divisions > 0) {
        cell_sample(cell, "pool", repetition, "children_mean", (double)(sum.steps - 1) / (double)sum.divisions,
                    "subproblems", 0);
        cell_sample(cell, "pool", repetition, "children_most", (double)sum.children_most, "subproblems", 0);
    }
    if (knapsack->cuts)
        cell_sample(cell, "pool", repetition, "pruned_by_cuts", (double)sum.pruned, "subproblems", 0);
    pool_report(pool, cell, repetition);
}

/* All repetitions. With known=optimum, the result of the first search stays known. */
static int repeat(struct pool *pool, struct knapsack *knapsack, const struct cell *cell) {
    const bool known = cell_is(cell, "known", "optimum");
    forget_best(knapsack);
    int failure = known ? solve(pool, knapsack) : 0;
    for (unsigned i = 0; failure == 0 && i < cell->repetitions; i++) {
        if (!known)
            forget_best(knapsack);
        failure = solve(pool, knapsack);
        if (failure == 0)
            report(pool, knapsack, i);
    }
    return failure;
}

static int make_instance(const struct cell *cell, struct knapsack *knapsack) {
    struct knapsack_instance *instance = &knapsack->instance;
    char message[KNAPSACK_MESSAGE] = "no memory for the instance";
    int failure;
    if (!cell_is(cell, "file", "none"))
        failure = knapsack_read(instance, cell_text(cell, "file"), cell_integer(cell, "number"), message);
    else if (cell_is(cell, "instance", "example"))
        failure = knapsack_example(instance);
    else
        failure = knapsack_generate(instance, (enum knapsack_class)cell_choice(cell, "instance"),
                                    cell_integer(cell, "items"), cell_integer(cell, "range"),
                                    (unsigned)cell_integer(cell, "fill"), cell_integer(cell, "seed"));
    if (failure == 0)
        failure = knapsack_prepare(&knapsack->problem, instance);
    if (failure != 0) {
        fprintf(stderr, "knapsack: %s\n", message);
        return failure == EINVAL ? 2 : 3;
    }
    knapsack->checked = knapsack_dynamic(instance, &knapsack->optimum);
    if (knapsack->checked)
        cell_sample(cell, "process", 0, "optimum_by_dynamic_programming", (double)knapsack->optimum, "", 0);
    else
        cell_no_sample(cell, "process", 0, "optimum_by_dynamic_programming", "", "unsupported");
    return 0;
}

/* Memory for every worker; 0 or 3. */
static int make_room(const struct cell *cell, struct knapsack *knapsack) {
    const size_t workers = (size_t)cell_integer(cell, "threads"), width = (size_t)cell_integer(cell, "width");
    knapsack->spaces = calloc(workers, sizeof knapsack->spaces[0]);
    knapsack->tallies = aligned_alloc(_Alignof(struct tally), workers * sizeof knapsack->tallies[0]);
    knapsack->chosen = calloc(knapsack->problem.words, sizeof knapsack->chosen[0]);
    knapsack->nothing = calloc(knapsack->problem.words, sizeof knapsack->nothing[0]);
    const size_t kept = (size_t)cell_integer(cell, "cuts");
    bool there = knapsack->spaces && knapsack->tallies && knapsack->chosen && knapsack->nothing;
    if (kept > 0)
        there = (knapsack->cuts = calloc(workers, sizeof knapsack->cuts[0])) && there;
    for (size_t i = 0; there && kept > 0 && i < workers; i++)
        there = (knapsack->cuts[i] = knapsack_cuts(&knapsack->problem, kept)) != NULL;
    for (size_t i = 0; there && i < workers; i++) {
        knapsack->spaces[i] = knapsack_workspace(&knapsack->problem, width, cell_is(cell, "cut", "layer"));
        there = knapsack->spaces[i] != NULL;
    }
    if (there)
        return 0;
    fprintf(stderr, "knapsack: no memory for diagrams of width %zu\n", width);
    return 3;
}

static void release(const struct cell *cell, struct knapsack *knapsack) {
    for (size_t i = 0; knapsack->spaces && i < cell_integer(cell, "threads"); i++)
        knapsack_workspace_free(knapsack->spaces[i]);
    for (size_t i = 0; knapsack->cuts && i < cell_integer(cell, "threads"); i++)
        knapsack_cuts_free(knapsack->cuts[i]);
    free(knapsack->spaces);
    free(knapsack->cuts);
    free(knapsack->tallies);
    free(knapsack->chosen);
    free(knapsack->nothing);
    knapsack_unprepare(&knapsack->problem);
    knapsack_free(&knapsack->instance);
    pthread_mutex_destroy(&knapsack->lock);
}

static int run(const struct cell *cell) {
    struct knapsack knapsack = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct pool *pool = NULL;
    int failure = make_instance(cell, &knapsack);
    if (failure == 0)
        failure = make_room(cell, &knapsack);
    if (failure == 0) {
        struct pool_settings settings = {.task_bytes =
                                             sizeof(struct subproblem_task) + knapsack.problem.words * sizeof(uint64_t),
                                         .context = &knapsack};
        failure = pool_open(&pool, cell, &settings);
    }
    if (failure == 0)
        failure = repeat(pool, &knapsack, cell);
    pool_close(pool);
    release(cell, &knapsack);
    return failure;
}

REGISTER_WORKLOAD(knapsack, .name = "knapsack",
                  .summary = "the 0-1 knapsack by branch and bound with decision diagrams",
                  .parameters = {pool_parameters, parameters}, .threads = "threads", .unsupported = pool_unsupported,
                  .run = run);
