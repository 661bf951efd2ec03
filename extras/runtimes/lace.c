/* lace.c: the application workloads on Lace, where the compiler finds its header and the linker its library.
 * Lace inlines its tasks into its own split deque: the floor of what a call as a task can cost. As in its benchmarks:
 * all but one child are spawned, one is called, and who has spawned joins.
 */
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include "extras/runtimes/quicksort.h"
#include "extras/runtimes/uts.h"
#include <lace.h>
/* Lace's macros convert implicitly, in code that is expanded here. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"

/* Its header has no version; the build looks for the file that was installed beside it. */
const char *runtime_title(void) {
#ifdef RUNTIME_REVISION
    return "Lace " RUNTIME_REVISION;
#elif defined LACE_VERSION
    return "Lace " LACE_VERSION;
#else
    return "Lace, version not told";
#endif
}

/* Each worker runs a copy. Lace binds none by itself, unless it was built to do so by hwloc. */
VOID_TASK_0(take_place) { runtime_take_place(LACE_WORKER_ID); }

/* Lace's workers never sleep between its start and its end, so none must be woken before the clock starts. */
#define gather NULL

static int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    lace_start(runtime_threads, 0);
    TOGETHER(take_place);
    const int failure = measure(cell);
    lace_stop();
    return failure;
}

TASK_1(long, fib_task, int, n) {
    if (n <= fib_cutoff)
        return fib_last(n);
    SPAWN(fib_task, n - 1);
    long y = CALL(fib_task, n - 2);
    return SYNC(fib_task) + y;
}

static void run_fib(void *context) {
    struct fib *fib = context;
    fib->result = RUN(fib_task, fib->n);
}
RUNTIME_WORKLOAD(fib, "fib on Lace", NULL);

TASK_1(uint64_t, place, struct board, board) {
    unsigned spawned = 0;
    if (board_is_last(board))
        return board_ways(board);
    uint32_t free = board_free(board);
    if (free == 0)
        return 0;
    for (; free & (free - 1); free &= free - 1, spawned++)
        SPAWN(place, board_next(board, free));
    uint64_t ways = CALL(place, board_next(board, free));
    while (spawned-- > 0)
        ways += SYNC(place);
    return ways;
}

static void run_nqueens(void *context) {
    struct nqueens *queens = context;
    const struct board empty = {0, 0, 0, 0};
    queens->ways = RUN(place, empty);
}
RUNTIME_WORKLOAD(nqueens, "nqueens on Lace", NULL);

VOID_TASK_4(sort, int64_t *, values, size_t, count, unsigned, cutoff, unsigned, levels) {
    const size_t lower = sort_step(values, count, cutoff, levels);
    if (lower == 0)
        return;
    SPAWN(sort, values + lower, count - lower, cutoff, levels - 1);
    CALL(sort, values, lower, cutoff, levels - 1);
    SYNC(sort);
}

static void run_quicksort(void *context) {
    struct sorting *work = context;
    RUN(sort, work->values, work->size, work->cutoff, sort_levels(work->size));
}

RUNTIME_WORKLOAD(quicksort, "quicksort on Lace", NULL);

/* The child of that number and all below it. Its parent is joined later, so that it may be looked at. */
VOID_TASK_3(search, struct uts *, uts, const struct tree_node *, parent, unsigned, number) {
    struct tree_node node;
    tree_child(parent, number, &node);
    const unsigned children = uts_visit(uts, LACE_WORKER_ID, &node);
    if (children == 0)
        return;
    for (unsigned i = 1; i < children; i++)
        SPAWN(search, uts, &node, i);
    CALL(search, uts, &node, 0);
    for (unsigned i = 1; i < children; i++)
        SYNC(search);
}

VOID_TASK_1(search_all, struct uts *, uts) {
    struct tree_node root;
    tree_root(uts->tree, &root);
    const unsigned children = uts_visit(uts, LACE_WORKER_ID, &root);
    for (unsigned i = 0; i < children; i++)
        SPAWN(search, uts, &root, i);
    for (unsigned i = 0; i < children; i++)
        SYNC(search);
}

static void run_uts(void *context) { RUN(search_all, context); }
RUNTIME_WORKLOAD(uts, "unbalanced tree search on Lace", uts_unsupported);
