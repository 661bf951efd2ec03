// parlaylib.cc: the application workloads on parlaylib, where the compiler finds its headers (CPPFLAGS=-I...), by
// its par_do.
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include "extras/runtimes/quicksort.h"
#include "extras/runtimes/uts.h"
#include <parlay/parallel.h>
#include <thread>

const char *runtime_title() { return "parlaylib"; } // none of its headers has a version

namespace {

void gather() {
    parlay::parallel_for(
        0, runtime_threads,
        [](size_t) {
            runtime_take_place(static_cast<unsigned>(parlay::worker_id()));
            runtime_arrive();
        },
        1);
}

// The thread that opens a scheduler is its worker 0, so it is one with a large stack.
int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    int failure = 0;
    runtime_large_stacks();
    std::thread first([&] { parlay::execute_with_scheduler(runtime_threads, [&] { failure = measure(cell); }); });
    first.join();
    return failure;
}

long fib(int n) {
    if (n <= fib_cutoff)
        return fib_last(n);
    long x = 0, y = 0;
    parlay::par_do([&x, n] { x = fib(n - 1); }, [&y, n] { y = fib(n - 2); });
    return x + y;
}

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    work->result = fib(work->n);
}
RUNTIME_WORKLOAD(fib, "fib on parlaylib's par_do", nullptr);

uint64_t place(struct board board);

// A queen on each of these columns, at least one.
uint64_t place_row(struct board board, uint32_t free) {
    const uint32_t others = free & (free - 1);
    uint64_t ways = 0, more = 0;
    if (others == 0)
        return place(board_next(board, free));
    parlay::par_do([&] { ways = place(board_next(board, free)); }, [&] { more = place_row(board, others); });
    return ways + more;
}

uint64_t place(struct board board) {
    if (board_is_last(board))
        return board_ways(board);
    const uint32_t free = board_free(board);
    return free ? place_row(board, free) : 0;
}

void run_nqueens(void *context) {
    auto *queens = static_cast<struct nqueens *>(context);
    queens->ways = place({0, 0, 0, 0});
}
RUNTIME_WORKLOAD(nqueens, "nqueens on parlaylib's par_do", nullptr);

void sort(int64_t *values, size_t count, unsigned cutoff, unsigned levels) {
    const size_t lower = sort_step(values, count, cutoff, levels);
    if (lower == 0)
        return;
    parlay::par_do([=] { sort(values, lower, cutoff, levels - 1); },
                   [=] { sort(values + lower, count - lower, cutoff, levels - 1); });
}

void run_quicksort(void *context) {
    const auto *work = static_cast<const struct sorting *>(context);
    sort(work->values, work->size, work->cutoff, sort_levels(work->size));
}

RUNTIME_WORKLOAD(quicksort, "quicksort on parlaylib's par_do", nullptr);

void search(struct uts *uts, const struct tree_node &node);

// The children from one number to another, at least one, by halves.
void search_some(struct uts *uts, const struct tree_node &node, unsigned from, unsigned to) {
    if (to - from > 1) {
        const unsigned middle = from + (to - from) / 2;
        parlay::par_do([&] { search_some(uts, node, from, middle); }, [&] { search_some(uts, node, middle, to); });
        return;
    }
    struct tree_node child;
    tree_child(&node, from, &child);
    search(uts, child);
}

void search(struct uts *uts, const struct tree_node &node) {
    const unsigned children = uts_visit(uts, static_cast<unsigned>(parlay::worker_id()), &node);
    if (children > 0)
        search_some(uts, node, 0, children);
}

void run_uts(void *context) {
    auto *uts = static_cast<struct uts *>(context);
    struct tree_node root;
    tree_root(uts->tree, &root);
    search(uts, root);
}
RUNTIME_WORKLOAD(uts, "unbalanced tree search on parlaylib's par_do, by halves", uts_unsupported);

} // namespace
