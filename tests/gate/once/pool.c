/* pool.c: the pool over this deque. No task lost or run twice, no wake-up lost, every run ends, memory that runs out is
 * an error.
 *
 * Compiled once a flavour: it meets the deque through the pool. A run that hangs is caught by the watchdog.
 */
#include "harness/items.h"
#include "tests/gate/verdict.h"
#include "workloads/pool/state.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct parameter parameters[] = {POOL_PARAMETERS};
static const struct parameter common[] = {
    {"placement", PARAMETER_TEXT, "none", 0, 0, NULL, "", ""},
    {"memory", PARAMETER_TEXT, "owner", 0, 0, NULL, "", ""},
    {"counters", PARAMETER_TEXT, "none", 0, 0, NULL, "", ""},
    {"events", PARAMETER_TEXT, "default", 0, 0, NULL, "", ""},
    {"seed", PARAMETER_INTEGER, "1", 0, 0, NULL, "", ""},
};

/* A cell as the driver would make it, "threads=4;steal=half" and the rest as declared. */
static struct cell cell_of(struct settings *settings, uint64_t seed, const char *text) {
    char copy[160], *rest = copy;
    memset(settings, 0, sizeof *settings);
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        settings_set(settings, parameters[i].name, parameters[i].fallback);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        settings_set(settings, common[i].name, common[i].fallback);
    if (pool_deque.traits->mode) {
        char first[96];
        snprintf(first, sizeof first, "%s", pool_deque.traits->mode_values);
        first[strcspn(first, "|")] = '\0';
        settings_set(settings, pool_deque.traits->mode, first);
    }
    snprintf(copy, sizeof copy, "%s", text);
    for (char *one; (one = strsep(&rest, ";"));) {
        char *value = strchr(one, '=');
        *value++ = '\0';
        settings_set(settings, one, value);
    }
    return (struct cell){.settings = settings, .seed = seed};
}

/* --- a random tree of tasks, each of which runs exactly once */
#define NODES_MOST 20000
struct tree;
struct node {
    struct pool_task task;
    struct tree *tree;
    _Atomic unsigned ran;
    unsigned number, value; /* value: written plainly by whoever spawns it, so that a race detector sees it handed on */
    struct pool_task *held; /* to be spawned by whoever releases the hold */
};
struct tree {
    struct node *nodes;
    _Atomic unsigned used;
    unsigned most;
    unsigned batch; /* children at once, at most */
    bool memory;    /* tasks live in pool_take's memory */
    bool holds;
    _Atomic unsigned done;
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

/* The pool holds no task when it calls run. */
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
    if (node->number < tree->most / 4 && wanted == 0)
        wanted = 1;
    unsigned first = atomic_fetch_add_explicit(&tree->used, wanted, memory_order_relaxed);
    for (unsigned i = 0; i < wanted && first + i < tree->most; i++) {
        struct node *child = &tree->nodes[first + i];
        child->tree = tree;
        child->number = child->value = first + i;
        children[got] = task_of(worker, child);
        if (!children[got])
            return;
        got++;
    }
    if (got > 0 && tree->holds) {
        /* as if something outside brought them later */
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

static void tree_prepare(struct tree *tree) {
    unsigned used = atomic_load_explicit(&tree->used, memory_order_relaxed);
    for (unsigned i = 0; i < used && i < tree->most; i++)
        atomic_store_explicit(&tree->nodes[i].ran, 0, memory_order_relaxed);
    atomic_store_explicit(&tree->used, 1, memory_order_relaxed);
    atomic_store_explicit(&tree->done, 0, memory_order_relaxed);
    tree->nodes[0].tree = tree;
    tree->nodes[0].number = tree->nodes[0].value = 0;
    tree->nodes[0].task.run = run_node;
}

static void tree_verify(const struct pool *pool, struct tree *tree) {
    unsigned used = atomic_load_explicit(&tree->used, memory_order_relaxed);
    uint64_t tasks = 0;
    used = used < tree->most ? used : tree->most;
    for (unsigned i = 0; i < used; i++)
        if (atomic_load_explicit(&tree->nodes[i].ran, memory_order_relaxed) != 1)
            gate_fail("task %u of %u has never run", i, used);
    for (unsigned i = 0; i < pool->threads; i++)
        tasks += pool->worker[i]->counts.tasks;
    if (tasks != used)
        gate_fail("the workers count %llu tasks, there were %u", (unsigned long long)tasks, used);
}

static struct pool *opened(const struct cell *cell, const struct pool_settings *settings) {
    struct pool *pool;
    int failure = pool_open(&pool, cell, settings);
    if (failure != 0)
        gate_fail("pool_open returned %d", failure);
    return pool;
}

static void try_trees(uint64_t seed, const char *text, unsigned rounds, unsigned most) {
    struct settings settings;
    struct cell cell = cell_of(&settings, seed, text);
    struct tree tree = {.most = most};
    struct pool_settings own = {.task_bytes = sizeof(struct small_task)};
    gate_trying("", "trees of tasks, %s", text);
    if (pool_unsupported(&cell))
        return;
    tree.nodes = calloc(most, sizeof *tree.nodes);
    struct pool *pool = opened(&cell, &own);
    for (unsigned i = 0; i < rounds; i++) {
        struct pool_task *root = &tree.nodes[0].task;
        tree.batch = i % 3 == 0 ? 3 : i % 3 == 1 ? 63 : 8;
        tree.memory = i & 1;
        tree.holds = i % 4 == 3;
        tree_prepare(&tree);
        int failure = pool_run(pool, &root, 1);
        if (failure != 0)
            gate_fail("pool_run returned %d", failure);
        tree_verify(pool, &tree);
        gate_step();
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

/* A chain: each child forks the next, and a leaf. */
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

static void try_forks(uint64_t seed, const char *text, unsigned n, unsigned depth) {
    struct settings settings;
    struct cell cell = cell_of(&settings, seed, text);
    uint64_t known[64] = {0, 1};
    for (unsigned i = 2; i < 64; i++)
        known[i] = known[i - 1] + known[i - 2];
    gate_trying("", "fork and join, %s", text);
    if (pool_unsupported(&cell))
        return;
    struct pool *pool = opened(&cell, NULL);
    struct root root = {.task = {run_fib}, .fib = {.n = n}}, chain = {.task = {run_chain}, .depth = depth};
    struct pool_task *tasks[] = {&root.task, &chain.task};
    for (int i = 0; i < 2; i++) {
        root.fib.result = chain.fib.result = 0;
        if (pool_run(pool, tasks, 2) != 0)
            gate_fail("pool_run failed");
        if (root.fib.result != known[n])
            gate_fail("fib(%u) is %llu, not %llu", n, (unsigned long long)known[n],
                      (unsigned long long)root.fib.result);
        if (chain.fib.result != 2 * (uint64_t)depth + 1)
            gate_fail("a chain of %u forks gave %llu", depth, (unsigned long long)chain.fib.result);
        gate_step();
    }
    pool_close(pool);
}

/* --- wake-ups. A task waits until another worker has run what it spawned: nobody else can. */
struct ping {
    struct pool_task task;
    struct pool_task *pongs;
    unsigned count, cycles;
    bool patient; /* the other is asleep before anything is spawned */
    _Atomic unsigned answered;
};

static struct ping *ping_of(struct pool_worker *worker) { return pool_context(worker); }

static void run_pong(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    atomic_fetch_add_explicit(&ping_of(worker)->answered, 1, memory_order_release);
}

static bool all_others_sleep(const struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    for (unsigned i = 0; i < pool->threads; i++)
        if (i != worker->number && !atomic_load_explicit(&pool->worker[i]->asleep, memory_order_relaxed))
            return false;
    return true;
}

static void run_ping(struct pool_worker *worker, struct pool_task *task) {
    struct ping *ping = (struct ping *)(void *)task;
    unsigned leaves = pool_deque.traits->thieves_leave;
    for (unsigned i = 0; i < ping->cycles; i++) {
        /* until about when others go to sleep; each turn given away is a round of theirs where processors are shared */
        uint64_t turns = pool_random(worker) % 300;
        while (ping->patient ? !all_others_sleep(worker) : turns-- > 0)
            sched_yield();
        atomic_store_explicit(&ping->answered, 0, memory_order_relaxed);
        for (unsigned j = 0; j < ping->count; j++)
            pool_spawn(worker, &ping->pongs[j]);
        while (atomic_load_explicit(&ping->answered, memory_order_acquire) + leaves < ping->count)
            sched_yield();
        gate_step();
        if (leaves > 0)
            return; /* those that no thief can take are this worker's, after this task */
    }
}

static void try_wakes(uint64_t seed, unsigned threads, unsigned cycles, bool patient) {
    struct settings settings;
    char text[64];
    unsigned leaves = pool_deque.traits->thieves_leave;
    if (pool_deque.traits->thieves == DEQUE_OWNER_ONLY || pool_deque.traits->native & DEQUE_POLL)
        return; /* an owner that has to answer cannot wait inside of a task */
    snprintf(text, sizeof text, "threads=%u;idle=sleep;room=4096", threads);
    struct cell cell = cell_of(&settings, seed, text);
    struct ping ping = {.task = {run_ping}, .count = 2 * leaves + 1, .cycles = cycles, .patient = patient};
    struct pool_settings own = {.context = &ping};
    gate_trying("", "wake-ups, %s, %s", text, patient ? "of sleepers" : "of those about to sleep");
    ping.pongs = calloc(ping.count, sizeof *ping.pongs);
    for (unsigned i = 0; i < ping.count; i++)
        ping.pongs[i].run = run_pong;
    struct pool *pool = opened(&cell, &own);
    struct pool_task *task = &ping.task;
    for (unsigned i = 0; i < (leaves ? cycles : 1); i++)
        if (pool_run(pool, &task, 1) != 0)
            gate_fail("pool_run failed");
    pool_close(pool);
    free(ping.pongs);
}

/* The run ends while all others sleep. */
static void run_until_asleep(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    while (!all_others_sleep(worker))
        sched_yield();
}

static void try_ends(uint64_t seed, const char *text, unsigned cycles) {
    struct settings settings;
    struct cell cell = cell_of(&settings, seed, text);
    struct pool_task only = {run_until_asleep}, *task = &only;
    gate_trying("", "an end while others sleep, %s", text);
    if (pool_unsupported(&cell))
        return;
    struct pool *pool = opened(&cell, NULL);
    for (unsigned i = 0; i < cycles; i++) {
        if (pool_run(pool, &task, 1) != 0)
            gate_fail("pool_run failed");
        gate_step();
    }
    pool_close(pool);
}

/* Runs one after the other: workers start, find nothing, fall asleep, are woken for the end or the next run. */
static void try_starts(uint64_t seed, unsigned threads, unsigned cycles) {
    struct settings settings;
    char text[64];
    snprintf(text, sizeof text, "threads=%u", threads);
    struct cell cell = cell_of(&settings, seed, text);
    struct ping ping = {.task = {run_pong}};
    struct pool_settings own = {.context = &ping};
    struct pool_task *task = &ping.task;
    gate_trying("", "short runs, %s", text);
    if (pool_unsupported(&cell))
        return;
    struct pool *pool = opened(&cell, &own);
    for (unsigned i = 0; i < cycles; i++) {
        if (pool_run(pool, &task, i % 2) != 0)
            gate_fail("pool_run failed");
        gate_step();
    }
    if (atomic_load_explicit(&ping.answered, memory_order_relaxed) != cycles / 2)
        gate_fail("of %u tasks %u ran", cycles / 2, atomic_load_explicit(&ping.answered, memory_order_relaxed));
    pool_close(pool);
}

/* --- something outside the pool, which the application's callback brings in */
struct outside {
    struct pool_task start;
    struct ping ping; /* answered counts the tasks */
    _Atomic unsigned under_way;
    struct pool_task tasks[200];
};

static void run_start(struct pool_worker *worker, struct pool_task *task) {
    struct outside *outside = (struct outside *)(void *)task;
    for (unsigned i = 0; i < 200; i++)
        pool_hold(worker);
    atomic_store_explicit(&outside->under_way, 200, memory_order_release);
}

static void run_brought(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    atomic_fetch_add_explicit(&((struct outside *)pool_context(worker))->ping.answered, 1, memory_order_relaxed);
}

/* Now and then one thing more is there. */
static bool bring(struct pool_worker *worker, void *context) {
    struct outside *outside = context;
    unsigned left = atomic_load_explicit(&outside->under_way, memory_order_acquire);
    if (left == 0 || pool_random(worker) % 4 != 0 ||
        !atomic_compare_exchange_strong_explicit(&outside->under_way, &left, left - 1, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    outside->tasks[left - 1].run = run_brought;
    pool_spawn(worker, &outside->tasks[left - 1]);
    pool_release(worker);
    return true;
}

static void try_holds(uint64_t seed, unsigned threads) {
    static struct outside outside;
    struct settings settings;
    char text[64];
    snprintf(text, sizeof text, "threads=%u", threads);
    struct cell cell = cell_of(&settings, seed, text);
    struct pool_settings own = {.between = bring, .every = 1, .context = &outside};
    struct pool_task *task = &outside.start;
    outside.start.run = run_start;
    atomic_store_explicit(&outside.ping.answered, 0, memory_order_relaxed);
    gate_trying("", "holds, %s", text);
    if (pool_unsupported(&cell))
        return;
    struct pool *pool = opened(&cell, &own);
    if (pool_run(pool, &task, 1) != 0 || atomic_load_explicit(&outside.ping.answered, memory_order_relaxed) != 200)
        gate_fail("of 200 tasks from outside %u ran",
                  atomic_load_explicit(&outside.ping.answered, memory_order_relaxed));
    pool_close(pool);
    gate_step();
}

/* --- failures */
struct failing {
    struct pool_fork fork;
    unsigned depth;
};

static void failing_child(struct pool_worker *worker, struct pool_fork *fork) {
    unsigned depth = ((struct failing *)(void *)fork)->depth;
    struct failing left = {.depth = depth - 1}, right = {.depth = depth - 1};
    if (depth == 0) {
        if (pool_random(worker) % 64 == 0)
            pool_fail(worker, 1, "as the check wants");
        return;
    }
    pool_fork(worker, &left.fork, failing_child);
    pool_fork(worker, &right.fork, failing_child);
    pool_join(worker, &right.fork);
    pool_join(worker, &left.fork);
}

static void run_failing(struct pool_worker *worker, struct pool_task *task) {
    struct failing first = {.depth = 9};
    (void)task;
    failing_child(worker, &first.fork);
    pool_fail(worker, 1, "as the check wants");
}

static void try_failures(uint64_t seed, const char *text) {
    struct settings settings;
    struct cell cell = cell_of(&settings, seed, text);
    gate_trying("", "runs that fail, %s", text);
    if (pool_unsupported(&cell))
        return;
    struct ping ping = {.task = {run_pong}};
    struct pool_settings own = {.context = &ping};
    struct pool *pool = opened(&cell, &own);
    struct pool_task failing[20], *tasks[20], *task = &ping.task;
    for (unsigned i = 0; i < 10; i++) {
        for (unsigned j = 0; j < 20; j++) {
            failing[j].run = run_failing;
            tasks[j] = &failing[j];
        }
        int failure = pool_run(pool, tasks, 20);
        if (failure != 1)
            gate_fail("a run that failed by 1 returned %d", failure);
        if (pool_run(pool, &task, 1) != 0 || atomic_load_explicit(&ping.answered, memory_order_relaxed) != i + 1)
            gate_fail("after a run that failed the next one does not work");
        gate_step();
    }
    pool_close(pool);
}

/* Memory ends after so many allocations: an error, or none, but no hang; with memory again all is well again. */
static void try_memory(uint64_t seed, const char *text, struct tree *tree) {
    struct settings settings;
    struct cell cell = cell_of(&settings, seed, text);
    struct pool_settings own = {.task_bytes = 1024};
    unsigned refused = 0, failed = 0;
    if (pool_unsupported(&cell))
        return;
    for (long left = 0; left < 60; left = left < 30 ? left + 1 : left + 7) {
        struct pool *pool = NULL;
        struct pool_task *root = &tree->nodes[0].task;
        gate_trying("", "memory ends after %ld allocations, %s", left, text);
        pool_memory_fails_after(left);
        int failure = pool_open(&pool, &cell, &own);
        if (failure != 0 && failure != 3)
            gate_fail("pool_open without memory returned %d", failure);
        if (failure == 0) {
            tree_prepare(tree);
            failure = pool_run(pool, &root, 1);
            if (failure != 0 && failure != 3)
                gate_fail("pool_run without memory returned %d", failure);
            failed += failure != 0;
            if (failure == 0)
                tree_verify(pool, tree);
            pool_memory_fails_after(-1);
            tree_prepare(tree);
            if (pool_run(pool, &root, 1) != 0)
                gate_fail("a run with memory again fails");
            tree_verify(pool, tree);
        } else {
            refused++;
        }
        pool_memory_fails_after(-1);
        pool_close(pool);
        gate_step();
    }
    if (refused == 0 || failed == 0)
        gate_fail("without memory %u pools did not open and %u runs failed: this check does not reach them", refused,
                  failed);
}

static void try_all_failures(uint64_t seed) {
    struct tree tree = {.most = 4000, .batch = 8, .memory = true};
    /* what is said on standard error is meant here */
    int error = dup(STDERR_FILENO), nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    tree.nodes = calloc(tree.most, sizeof *tree.nodes);
    try_failures(seed, "threads=1");
    try_failures(seed, "threads=3;room=16");
    try_failures(seed, "threads=3;steal=half;slot=1;room=4");
    try_failures(seed, "threads=4;master=1;steal=half");
    try_memory(seed, "threads=1;room=2", &tree);
    try_memory(seed, "threads=3;room=2;steal=half", &tree);
    free(tree.nodes);
    dup2(error, STDERR_FILENO);
    close(nothing);
    close(error);
}

/* --- any mixture of settings */
static const char *one_of(uint64_t *random, const char *const *words, size_t count) {
    return words[random_next(random) % count];
}
#define ONE_OF(...)                                                                                                    \
    one_of(random, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void try_mixture(uint64_t *random) {
    char text[160];
    snprintf(text, sizeof text, "threads=%s;victims=%s;steal=%s;idle=%s;room=%s;slot=%s;master=%s;turns=%s",
             ONE_OF("1", "2", "2", "3", "4", "7"),
             ONE_OF("sequential", "random", "two_choices", "longest", "probabilistic", "nearest"),
             ONE_OF("one", "half"), ONE_OF("spin", "yield", "sleep", "sleep"), ONE_OF("1", "2", "16", "256", "1024"),
             ONE_OF("0", "1"), ONE_OF("0", "0", "1"), ONE_OF("0", "1"));
    if (random_next(random) % 3 == 0)
        try_forks(random_next(random), text, 12, 100);
    else
        try_trees(random_next(random), text, 4, 1500);
}

static void try_fixed(uint64_t seed) {
    static const char *const each[] = {
        "threads=1",
        "threads=2",
        "threads=3;room=2;steal=half",
        "threads=4;victims=sequential;turns=1",
        "threads=4;victims=two_choices;slot=1;room=16",
        "threads=3;victims=longest;steal=half;slot=1",
        "threads=3;victims=probabilistic;idle=yield",
        "threads=3;victims=nearest;idle=spin;steal=half",
        "threads=4;master=1",
        "threads=3;master=1;steal=half;room=8",
    };
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        try_trees(seed + i, each[i], 4, NODES_MOST / 10);
        try_forks(seed + i, each[i], 14, 200);
    }
    /* first in, first out nests what it waits on; a chain is deep by itself */
    try_forks(seed, "threads=1;room=65536", 22, 3000);
    try_forks(seed, "threads=2;room=65536", 17, 3000);
    static const char *const crowds[] = {"threads=8", "threads=17;steal=half", "threads=33", "threads=64"};
    for (size_t i = 0; i < sizeof crowds / sizeof crowds[0]; i++)
        try_trees(seed, crowds[i], 2, 1500);
    try_wakes(seed, 2, 500, false);
    try_wakes(seed, 3, 500, false);
    try_wakes(seed, 2, 100, true);
    try_starts(seed, 2, 1000);
    try_starts(seed, 5, 100);
    try_ends(seed, "threads=3", 50);
    try_ends(seed, "threads=3;master=1", 50);
    try_holds(seed, 1);
    try_holds(seed, 3);
    try_all_failures(seed);
}

static int run(const struct check_request *request) {
    uint64_t random = request->seed | 1, start = clock_nanoseconds();
    unsigned long mixtures = 0;
    gate_begin("pool", pool_deque.traits->id, request);
    if (!pool_deque.traits->sound || pool_deque.traits->keeps_nothing)
        return gate_passed("not served by the pool, nothing to check");
    if (request->rounds == 0)
        try_fixed(request->seed);
    while (request->rounds ? mixtures < request->rounds
                           : (double)(clock_nanoseconds() - start) * 1e-9 < request->seconds || mixtures < 3) {
        try_mixture(&random);
        mixtures++;
    }
    return gate_passed("%lu runs and cycles, %lu of them mixtures of settings", gate_steps(), mixtures);
}

static const struct check pool_check = {
    .name = "pool",
    .summary = "the pool: no task lost or run twice, no wake-up lost, every run ends, no memory is an error",
    .run = run,
};
REGISTER_CHECK(pool_check);
