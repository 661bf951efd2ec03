/* pool_work.c: trees of tasks, each of which runs exactly once, and forks that nest. */
#include "proof/checks/deque_independent/pool_check.h" /* first: it decides where a deque gets its memory */

#include "harness/measuring/cell/describe.h"

static void set(struct settings *settings, const struct parameter *parameter, const char *value) {
    char message[MESSAGE_SIZE];
    if (!settings_set(settings, parameter, value, message))
        gate_fail("%s", message);
}

/* A cell as the driver would make it: "threads=4;steal=half" and defaults, but bound to no processor. master: of the
 * workload that has one (dag). */
struct cell check_cell(struct settings *settings, uint64_t seed, const char *text) {
    static _Thread_local struct parameter mode; /* the settings point to it */
    static const struct parameter master = PARAMETER_SWITCH("master", "");
    char copy[CHECK_TEXT], *rest = copy;
    memset(settings, 0, sizeof *settings);
    for (const struct parameter *one = pool_parameters; one->name; one++)
        set(settings, one, one->fallback);
    for (const struct parameter *one = common_parameters; one->name; one++)
        set(settings, one, strcmp(one->name, "placement") == 0 ? "none" : one->fallback);
    set(settings, &master, master.fallback);
    if (describe_mode(pool_deque.traits, &mode))
        set(settings, &mode, mode.fallback);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *one; (one = strsep(&rest, ";"));) {
        char *value = strchr(one, '=');
        *value++ = '\0';
        set(settings, settings_get(settings, one)->parameter, value);
    }
    return (struct cell){.settings = settings, .seed = seed};
}

/* --- a random tree of tasks, each of which runs exactly once */
struct small_task {
    struct pool_task task;
    struct node *node;
};

static void node_run(struct pool_worker *worker, struct node *node);
static void run_node(struct pool_worker *worker, struct pool_task *task) {
    node_run(worker, (struct node *)(void *)task);
}
static void run_small(struct pool_worker *worker, struct pool_task *task) {
    struct node *node = ((struct small_task *)(void *)task)->node;
    memset((void *)task, 0x5a, sizeof(struct small_task));
    pool_give(worker, task);
    node_run(worker, node);
}

/* The pool no longer holds the task when it calls run. */
static struct pool_task *task_of(struct pool_worker *worker, struct node *node) {
    node->task.run = run_node;
    if (!node->tree->memory)
        return &node->task;
    struct small_task *small = (struct small_task *)(void *)pool_take(worker);
    if (!small) {
        pool_fail(worker, 3, "no memory for a task");
        return NULL;
    }
    small->task.run = run_small;
    small->node = node;
    return &small->task;
}

static void node_run(struct pool_worker *worker, struct node *node) {
    struct tree *tree = node->tree;
    struct pool_task *children[64];
    if (atomic_fetch_add_explicit(&node->ran, 1, memory_order_relaxed) != 0)
        gate_fail("task %u has run twice", node->number);
    if (node->value != node->number)
        gate_fail("task %u was run before it was whole", node->number);
    atomic_fetch_add_explicit(&tree->done, 1, memory_order_relaxed);
    unsigned wanted = (unsigned)(pool_random(worker) % (tree->batch + 1)), got = 0;
    if (node->number < tree->max / 4 && wanted == 0)
        wanted = 1;
    unsigned first = atomic_fetch_add_explicit(&tree->used, wanted, memory_order_relaxed);
    for (unsigned i = 0; i < wanted && first + i < tree->max; i++) {
        struct node *child = &tree->nodes[first + i];
        child->tree = tree;
        child->number = child->value = first + i;
        children[got] = task_of(worker, child);
        if (!children[got])
            return;
        got++;
    }
    if (got > 0 && tree->holds) {
        /* as if it came from outside later */
        pool_hold(worker);
        pool_spawn_all(worker, children, got);
        pool_release(worker);
    } else if (got > 4) {
        pool_spawn_all(worker, children, got);
    } else {
        for (unsigned i = 0; i < got; i++)
            pool_spawn(worker, children[i]);
    }
}

void check_prepare(struct tree *tree) {
    unsigned used = atomic_load_explicit(&tree->used, memory_order_relaxed);
    for (unsigned i = 0; i < used && i < tree->max; i++)
        atomic_store_explicit(&tree->nodes[i].ran, 0, memory_order_relaxed);
    atomic_store_explicit(&tree->used, 1, memory_order_relaxed);
    atomic_store_explicit(&tree->done, 0, memory_order_relaxed);
    tree->nodes[0].tree = tree;
    tree->nodes[0].number = tree->nodes[0].value = 0;
    tree->nodes[0].task.run = run_node;
}

void check_nobody_sleeps(const struct pool *pool) {
    int32_t nobody = pool->must_fence ? POOL_MUST_FENCE : 0;
    if (atomic_load_explicit(&pool->sleepers, memory_order_relaxed) != nobody ||
        atomic_load_explicit(&pool->parents, memory_order_relaxed) != nobody)
        gate_fail("between two runs somebody counts as asleep or searching");
    for (unsigned i = 0; i < pool->threads; i++)
        if (pool_is_asleep(pool->worker[i]))
            gate_fail("between two runs worker %u counts as asleep", i);
}

void check_verify(const struct pool *pool, struct tree *tree) {
    unsigned used = atomic_load_explicit(&tree->used, memory_order_relaxed);
    uint64_t tasks = 0, stamped = 0;
    used = used < tree->max ? used : tree->max;
    check_nobody_sleeps(pool);
    for (unsigned i = 0; i < used; i++)
        if (atomic_load_explicit(&tree->nodes[i].ran, memory_order_relaxed) != 1)
            gate_fail("task %u of %u has never run", i, used);
    for (unsigned i = 0; i < pool->threads; i++)
        tasks += pool->worker[i]->counts.tasks, stamped += pool_waits_count(pool->worker[i]);
    if (pool->waits && stamped != used)
        gate_fail("the waits of %llu tasks were told, there were %u", (unsigned long long)stamped, used);
    if (tasks != used)
        gate_fail("the workers count %llu tasks, there were %u", (unsigned long long)tasks, used);
}

int check_try_open(struct pool **pool, const struct cell *cell, const struct pool_settings *settings) {
    struct pool_settings all = settings ? *settings : (struct pool_settings){0};
    all.master = cell_integer(cell, "master") != 0;
    return pool_open(pool, cell, &all);
}

struct pool *check_open(const struct cell *cell, const struct pool_settings *settings) {
    struct pool *pool;
    int failure = check_try_open(&pool, cell, settings);
    if (failure != 0)
        gate_fail("pool_open returned %d", failure);
    return pool;
}

struct pool *check_pool_open(uint64_t seed, const char *text, const struct pool_settings *own) {
    static struct settings settings; /* the pool keeps a pointer to the cell */
    static struct cell cell;
    cell = check_cell(&settings, seed, text);
    return pool_unsupported(&cell) ? NULL : check_open(&cell, own);
}

void check_run(struct pool *pool, struct pool_task *const *tasks, size_t count) {
    int failure = pool_run(pool, tasks, count);
    if (failure != 0)
        gate_fail("pool_run returned %d", failure);
    gate_step();
}

void check_trees(uint64_t seed, const char *text, unsigned rounds, unsigned max) {
    struct tree tree = {.max = max};
    struct pool_settings own = {.task_bytes = sizeof(struct small_task)};
    gate_trying("", "trees of tasks, %s", text);
    struct pool *pool = check_pool_open(seed, text, &own);
    if (!pool)
        return;
    tree.nodes = calloc(max, sizeof *tree.nodes);
    for (unsigned i = 0; i < rounds; i++) {
        struct pool_task *root = &tree.nodes[0].task;
        tree.batch = i % 3 == 0 ? 3 : i % 3 == 1 ? 63 : 8;
        tree.memory = i & 1;
        tree.holds = i % 4 == 3;
        check_prepare(&tree);
        check_run(pool, &root, 1);
        check_verify(pool, &tree);
    }
    pool_close(pool);
    free(tree.nodes);
}

/* --- forks */
struct fib {
    struct pool_fork fork;
    unsigned n;
    uint64_t result;
};

static void fib_child(struct pool_worker *worker, struct pool_fork *fork) {
    struct fib *self = (struct fib *)(void *)fork, left, right;
    if (self->n < 2) {
        self->result = self->n;
        return;
    }
    left.n = self->n - 1;
    right.n = self->n - 2;
    pool_fork(worker, &left.fork, fib_child);
    pool_fork(worker, &right.fork, fib_child);
    pool_join(worker, &right.fork);
    pool_join(worker, &left.fork);
    self->result = left.result + right.result;
}

struct root {
    struct pool_task task;
    struct fib fib;
    unsigned depth;
};

static void run_fib(struct pool_worker *worker, struct pool_task *task) {
    fib_child(worker, &((struct root *)(void *)task)->fib.fork);
}

/* A chain: each child forks the next link, and a leaf. */
struct link {
    struct pool_fork fork;
    unsigned depth;
    uint64_t sum;
};
static void link_child(struct pool_worker *worker, struct pool_fork *fork) {
    struct link *self = (struct link *)(void *)fork, next, leaf;
    self->sum = 1;
    if (self->depth == 0)
        return;
    next.depth = self->depth - 1;
    leaf.depth = 0;
    pool_fork(worker, &leaf.fork, link_child);
    pool_fork(worker, &next.fork, link_child);
    pool_join(worker, &next.fork);
    pool_join(worker, &leaf.fork);
    self->sum += next.sum + leaf.sum;
}
static void run_chain(struct pool_worker *worker, struct pool_task *task) {
    struct root *root = (struct root *)(void *)task;
    struct link first = {.depth = root->depth};
    link_child(worker, &first.fork);
    root->fib.result = first.sum;
}

static void run_places(struct pool_worker *worker, struct pool_task *task) {
    check_places(worker, ((struct root *)(void *)task)->depth);
}

int check_fork_run(struct pool *pool, unsigned n, unsigned depth) {
    uint64_t known[64] = {0, 1};
    for (unsigned i = 2; i < 64; i++)
        known[i] = known[i - 1] + known[i - 2];
    struct root root = {.task = {run_fib}, .fib = {.n = n}}, chain = {.task = {run_chain}, .depth = depth};
    struct root places = {.task = {run_places}, .depth = depth}; /* the oldest: below its forks there are no tasks */
    struct pool_task *tasks[] = {&places.task, &root.task, &chain.task};
    int failure = pool_run(pool, tasks, 3);
    check_nobody_sleeps(pool);
    if (failure != 0)
        return failure;
    if (root.fib.result != known[n])
        gate_fail("fib(%u) is %llu, not %llu", n, (unsigned long long)known[n], (unsigned long long)root.fib.result);
    if (chain.fib.result != 2 * (uint64_t)depth + 1)
        gate_fail("a chain of %u forks gave %llu", depth, (unsigned long long)chain.fib.result);
    uint64_t pushed = 0, stamped = 0;
    for (unsigned i = 0; i < pool->threads; i++) {
        pushed += pool->worker[i]->counts.tasks - pool->worker[i]->counts.inlined;
        stamped += pool_waits_count(pool->worker[i]);
    }
    if (pool->waits && (stamped != pushed || stamped == 3)) /* the first three are no forks */
        gate_fail("the waits of %llu forks were told, %llu were pushed", (unsigned long long)stamped,
                  (unsigned long long)pushed);
    return 0;
}

void check_forks(uint64_t seed, const char *text, unsigned n, unsigned depth) {
    gate_trying("", "fork and join, %s", text);
    struct pool *pool = check_pool_open(seed, text, NULL);
    if (!pool)
        return;
    for (int i = 0; i < 2; i++) {
        if (check_fork_run(pool, n, depth) != 0)
            gate_fail("pool_run failed");
        gate_step();
    }
    pool_close(pool);
}
