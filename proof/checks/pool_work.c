/* pool_work.c: trees of tasks, each of which runs exactly once, forks that nest, runs that fail, and memory that runs
 * out. */
#include "proof/checks/pool_check.h" /* first: it decides where a deque gets its memory */

#include "harness/measuring/describe.h"
#include <fcntl.h>
#include <unistd.h>

static void set(struct settings *settings, const struct parameter *parameter, const char *value) {
    char message[MESSAGE_SIZE];
    if (!settings_set(settings, parameter, value, message))
        check_fail("%s", message);
}

/* A cell as the driver would make it: "threads=4;steal=half" and defaults, but bound to no processor. */
static struct cell check_cell(struct settings *settings, uint64_t seed, const char *text) {
    static _Thread_local struct parameter mode; /* the settings point to it */
    char copy[CHECK_TEXT], *rest = copy;
    memset(settings, 0, sizeof *settings);
    for (const struct parameter *one = pool_parameters; one->name; one++)
        set(settings, one, one->fallback);
    for (const struct parameter *one = common_parameters; one->name; one++)
        set(settings, one, strcmp(one->name, "placement") == 0 ? "none" : one->fallback);
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
struct tree;
struct node {
    struct pool_task task;
    struct tree *tree;
    _Atomic unsigned ran;
    unsigned number; /* the spawner writes it plainly, so that a race detector checks that it is handed on */
};
struct tree {
    struct node *nodes;
    _Atomic unsigned used;
    unsigned max;
    unsigned batch; /* most children at once */
    bool memory;    /* tasks are in memory from pool_take */
};
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
        check_fail("task %u has run twice", node->number);
    unsigned wanted = (unsigned)(pool_random(worker) % (tree->batch + 1)), got = 0;
    if (node->number < tree->max / 4 && wanted == 0)
        wanted = 1;
    unsigned first = atomic_fetch_add_explicit(&tree->used, wanted, memory_order_relaxed);
    for (unsigned i = 0; i < wanted && first + i < tree->max; i++) {
        struct node *child = &tree->nodes[first + i];
        child->tree = tree;
        child->number = first + i;
        children[got] = task_of(worker, child);
        if (!children[got])
            return;
        got++;
    }
    if (got > 4) {
        pool_spawn_all(worker, children, got);
    } else {
        for (unsigned i = 0; i < got; i++)
            pool_spawn(worker, children[i]);
    }
}

static void prepare(struct tree *tree) {
    unsigned used = atomic_load_explicit(&tree->used, memory_order_relaxed);
    for (unsigned i = 0; i < used && i < tree->max; i++)
        atomic_store_explicit(&tree->nodes[i].ran, 0, memory_order_relaxed);
    atomic_store_explicit(&tree->used, 1, memory_order_relaxed);
    tree->nodes[0].tree = tree;
    tree->nodes[0].number = 0;
    tree->nodes[0].task.run = run_node;
}

void check_nobody_sleeps(const struct pool *pool) {
    if (atomic_load_explicit(&pool->sleepers, memory_order_relaxed) != 0 ||
        atomic_load_explicit(&pool->parents, memory_order_relaxed) != pool->must_fence)
        check_fail("between two runs somebody counts as asleep or searching");
}

static void verify(const struct pool *pool, struct tree *tree) {
    unsigned used = atomic_load_explicit(&tree->used, memory_order_relaxed);
    uint64_t tasks = 0, stamped = 0;
    used = used < tree->max ? used : tree->max;
    check_nobody_sleeps(pool);
    for (unsigned i = 0; i < used; i++)
        if (atomic_load_explicit(&tree->nodes[i].ran, memory_order_relaxed) != 1)
            check_fail("task %u of %u has never run", i, used);
    for (unsigned i = 0; i < pool->threads; i++)
        tasks += pool->worker[i]->counts.tasks, stamped += pool->worker[i]->waits.total;
    if (pool->waits && stamped != used)
        check_fail("the waits of %llu tasks were told, there were %u", (unsigned long long)stamped, used);
    if (tasks != used)
        check_fail("the workers count %llu tasks, there were %u", (unsigned long long)tasks, used);
}

struct pool *check_pool_open(uint64_t seed, const char *text, const struct pool_settings *own) {
    static struct settings settings; /* the pool keeps a pointer to the cell */
    static struct cell cell;
    struct pool *pool = NULL;
    cell = check_cell(&settings, seed, text);
    int failure = pool_unsupported(&cell) ? 0 : pool_open(&pool, &cell, own);
    if (failure != 0)
        check_fail("pool_open returned %d", failure);
    return pool;
}

void check_run(struct pool *pool, struct pool_task *const *tasks, size_t count) {
    int failure = pool_run(pool, tasks, count);
    if (failure != 0)
        check_fail("pool_run returned %d", failure);
    check_step();
}

void check_trees(uint64_t seed, const char *text, unsigned rounds, unsigned max) {
    struct tree tree = {.max = max};
    struct pool_settings own = {.task_bytes = sizeof(struct small_task)};
    check_trying("", "trees of tasks, %s", text);
    struct pool *pool = check_pool_open(seed, text, &own);
    if (!pool)
        return;
    tree.nodes = calloc(max, sizeof *tree.nodes);
    for (unsigned i = 0; i < rounds; i++) {
        struct pool_task *root = &tree.nodes[0].task;
        tree.batch = i % 3 == 0 ? 3 : i % 3 == 1 ? 63 : 8;
        tree.memory = i & 1;
        prepare(&tree);
        check_run(pool, &root, 1);
        verify(pool, &tree);
    }
    pool_close(pool);
    free(tree.nodes);
}

/* --- forks. FIB: two children, each. CHAIN: a leaf, and the next link. FAILING: like FIB, and some leaves fail.
 * PLACES: forks by place. */
enum shape { FIB, CHAIN, FAILING, PLACES };
struct branch {
    struct pool_fork fork;
    unsigned n;
    enum shape shape;
    uint64_t count; /* of itself and all below */
};

/* Spawned by the last link of the chain, whose leaves fill the deque: a deque that spills gives forks back. */
static void run_bottom(struct pool_worker *worker, struct pool_task *task) { (void)worker, (void)task; }
static struct pool_task bottom = {run_bottom};

static void branch_run(struct pool_worker *worker, struct pool_fork *fork) {
    struct branch *self = (struct branch *)(void *)fork, one, other;
    self->count = 1;
    if (self->n < 2) {
        if (self->shape == FAILING && pool_random(worker) % 64 == 0)
            pool_fail(worker, 1, "as the check wants");
        if (self->shape == CHAIN && self->n == 1)
            pool_spawn(worker, &bottom);
        return;
    }
    one.n = self->shape == CHAIN ? 0 : self->n - 1;
    other.n = self->shape == CHAIN ? self->n - 1 : self->n - 2;
    one.shape = other.shape = self->shape;
    pool_fork(worker, &one.fork, branch_run);
    pool_fork(worker, &other.fork, branch_run);
    pool_join(worker, &other.fork);
    pool_join(worker, &one.fork);
    self->count += one.count + other.count;
}

struct root {
    struct pool_task task;
    struct branch first;
};

static void run_root(struct pool_worker *worker, struct pool_task *task) {
    struct branch *first = &((struct root *)(void *)task)->first;
    if (first->shape == PLACES)
        check_places(worker, first->n);
    else
        branch_run(worker, &first->fork);
    if (first->shape == FAILING)
        pool_fail(worker, 1, "as the check wants");
}

static uint64_t branches(unsigned n) {
    uint64_t before = 1, count = 1;
    for (unsigned i = 2; i <= n; i++) {
        uint64_t next = before + count + 1;
        before = count;
        count = next;
    }
    return count;
}

/* The result of pool_run; if it is 0, the answers are right. */
static int fork_run(struct pool *pool, unsigned n, unsigned depth) {
    struct root root[] = {{{run_root}, {.n = depth, .shape = PLACES}}, /* the oldest: below its forks are no tasks */
                          {{run_root}, {.n = n, .shape = FIB}},
                          {{run_root}, {.n = depth, .shape = CHAIN}}};
    struct pool_task *tasks[] = {&root[0].task, &root[1].task, &root[2].task};
    int failure = pool_run(pool, tasks, 3);
    check_nobody_sleeps(pool);
    if (failure != 0)
        return failure;
    if (root[1].first.count != branches(n) || root[2].first.count != 2 * (uint64_t)depth - 1)
        check_fail("%llu forks of a tree ran, and %llu of a chain, where %llu and %u were due",
                   (unsigned long long)root[1].first.count, (unsigned long long)root[2].first.count,
                   (unsigned long long)branches(n), 2 * depth - 1);
    return 0;
}

void check_forks(uint64_t seed, const char *text, unsigned n, unsigned depth) {
    check_trying("", "fork and join, %s", text);
    struct pool *pool = check_pool_open(seed, text, NULL);
    if (!pool)
        return;
    for (int i = 0; i < 2; i++) {
        if (fork_run(pool, n, depth) != 0)
            check_fail("pool_run failed");
        check_step();
    }
    pool_close(pool);
}

/* --- failures */
static void try_failures(uint64_t seed, const char *text) {
    check_trying("", "runs that fail, %s", text);
    struct pool *pool = check_pool_open(seed, text, NULL);
    if (!pool)
        return;
    struct root failing[20];
    struct pool_task *tasks[20];
    for (unsigned i = 0; i < 10; i++) {
        for (unsigned j = 0; j < 20; j++) {
            failing[j] = (struct root){{run_root}, {.n = SANITIZED(13, 8), .shape = FAILING}};
            tasks[j] = &failing[j].task;
        }
        int failure = pool_run(pool, tasks, 20);
        if (failure != 1)
            check_fail("a run that failed by 1 returned %d", failure);
        if (fork_run(pool, 3, 3) != 0)
            check_fail("after a run that failed the next one does not work");
        check_step();
    }
    pool_close(pool);
}

/* tree: NULL stands for forks. */
static int run_work(struct pool *pool, struct tree *tree) {
    if (!tree)
        return fork_run(pool, SANITIZED(12, 8), SHARE(500));
    struct pool_task *root = &tree->nodes[0].task;
    prepare(tree);
    int failure = pool_run(pool, &root, 1);
    if (failure == 0)
        verify(pool, tree);
    return failure;
}

/* Memory runs out after so many allocations, from pool_open on or from the first fork on. That is an error or harmless,
 * but nothing hangs; when memory is back, everything works again. */
static void try_memory(uint64_t seed, const char *text, struct tree *tree) {
    struct settings settings;
    struct cell cell = check_cell(&settings, seed, text);
    struct pool_settings own = {.task_bytes = tree ? 1024 : 0};
    if (pool_unsupported(&cell))
        return;
    for (long left = 0; left < (tree ? 60 : 10); left += left < 30 ? SANITIZED(1, tree ? 4 : 1) : 7) {
        struct pool *pool = NULL;
        check_trying("", "memory ends after %ld allocations, %s, %s", left, tree ? "trees" : "forks", text);
        pool_memory_fails_after(tree ? left : -1);
        int failure = pool_open(&pool, &cell, &own);
        if (failure != 0 && failure != 3)
            check_fail("pool_open without memory returned %d", failure);
        if (failure == 0) {
            if (!tree)
                pool_memory_fails_after(left);
            failure = run_work(pool, tree);
            if (failure != 0 && failure != 3)
                check_fail("pool_run without memory returned %d", failure);
            pool_memory_fails_after(-1);
            if (run_work(pool, tree) != 0)
                check_fail("a run with memory again fails");
        }
        pool_memory_fails_after(-1);
        pool_close(pool);
        check_step();
    }
}

void check_failures(uint64_t seed, unsigned tasks) {
    struct tree tree = {.max = tasks, .batch = 8, .memory = true};
    /* the messages on standard error are expected here */
    int error = dup(STDERR_FILENO), nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    tree.nodes = calloc(tree.max, sizeof *tree.nodes);
    try_failures(seed, "threads=1");
    try_failures(seed, "threads=3;steal=half;slot=1;room=4");
    try_memory(seed, "threads=1;room=2", &tree);
    try_memory(seed, "threads=3;room=2;steal=half", &tree);
    try_memory(seed, "threads=1;room=4", NULL); /* the last link of the chain finds forks in a full deque */
    try_memory(seed, "threads=3;room=2;slot=1;steal=half", NULL);
    free(tree.nodes);
    dup2(error, STDERR_FILENO);
    close(nothing);
    close(error);
}
