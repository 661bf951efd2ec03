/* pool_failures.c: runs that fail, and memory that runs out. */
#include "proof/checks/deque_independent/pool_check.h"
#include <fcntl.h>
#include <unistd.h>

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
    struct failing first = {.depth = SANITIZED(9, 6)};
    (void)task;
    failing_child(worker, &first.fork);
    pool_fail(worker, 1, "as the check wants");
}

static void try_failures(uint64_t seed, const char *text) {
    struct ping ping = {.task = {check_pong}};
    struct pool_settings own = {.context = &ping};
    gate_trying("", "runs that fail, %s", text);
    struct pool *pool = check_pool_open(seed, text, &own);
    if (!pool)
        return;
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

/* Memory runs out after so many allocations. That is an error or harmless, but nothing hangs; when memory is back,
 * everything works again. */
static void try_memory(uint64_t seed, const char *text, struct tree *tree) {
    struct settings settings;
    struct cell cell = check_cell(&settings, seed, text);
    struct pool_settings own = {.task_bytes = 1024};
    unsigned refused = 0, failed = 0;
    if (pool_unsupported(&cell))
        return;
    for (long left = 0; left < 60; left += left < 30 ? SANITIZED(1, 4) : 7) {
        struct pool *pool = NULL;
        struct pool_task *root = &tree->nodes[0].task;
        gate_trying("", "memory ends after %ld allocations, %s", left, text);
        pool_memory_fails_after(left);
        int failure = check_try_open(&pool, &cell, &own);
        if (failure != 0 && failure != 3)
            gate_fail("pool_open without memory returned %d", failure);
        if (failure == 0) {
            check_prepare(tree);
            failure = pool_run(pool, &root, 1);
            if (failure != 0 && failure != 3)
                gate_fail("pool_run without memory returned %d", failure);
            failed += failure != 0;
            if (failure == 0)
                check_verify(pool, tree);
            pool_memory_fails_after(-1);
            check_prepare(tree);
            if (pool_run(pool, &root, 1) != 0)
                gate_fail("a run with memory again fails");
            check_verify(pool, tree);
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

/* The same for forks. None may be left behind: a worker waits for each. */
static void try_fork_memory(uint64_t seed, const char *text) {
    for (long left = 0; left < 10; left++) {
        struct pool *pool = check_pool_open(seed, text, NULL);
        if (!pool)
            return;
        gate_trying("", "memory ends after %ld allocations, forks, %s", left, text);
        pool_memory_fails_after(left);
        int failure = check_fork_run(pool, SANITIZED(12, 8), SHARE(500));
        if (failure != 0 && failure != 3)
            gate_fail("pool_run without memory returned %d", failure);
        pool_memory_fails_after(-1);
        if (check_fork_run(pool, SANITIZED(12, 8), SHARE(500)) != 0)
            gate_fail("a run with memory again fails");
        pool_close(pool);
        gate_step();
    }
}

void check_failures(uint64_t seed, unsigned tasks) {
    struct tree tree = {.max = tasks, .batch = 8, .memory = true};
    /* the messages on standard error are expected here */
    int error = dup(STDERR_FILENO), nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    tree.nodes = calloc(tree.max, sizeof *tree.nodes);
    try_failures(seed, "threads=1");
    try_failures(seed, "threads=3;room=16");
    try_failures(seed, "threads=3;steal=half;slot=1;room=4");
    try_failures(seed, "threads=4;master=1;steal=half");
    try_memory(seed, "threads=1;room=2", &tree);
    try_memory(seed, "threads=3;room=2;steal=half", &tree);
    try_fork_memory(seed, "threads=1;room=2");
    try_fork_memory(seed, "threads=1;room=2;slot=1");
    try_fork_memory(seed, "threads=3;room=2;slot=1;steal=half");
    free(tree.nodes);
    dup2(error, STDERR_FILENO);
    close(nothing);
    close(error);
}
