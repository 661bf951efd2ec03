// libfork.cc: the workloads of forks on libfork, from RUNTIMES_FROM or as a transplant's host: coroutines; all but the
// last child are forked, the last is called, as in its own benchmarks.
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include "extras/runtimes/quicksort.h"
#include "extras/runtimes/uts.h"
#include <libfork.hpp>
#include <string>

const char *runtime_title() {
#ifdef RUNTIME_REVISION
    return "libfork " RUNTIME_REVISION;
#endif
    static const std::string title = "libfork " + std::to_string(LF_VERSION_MAJOR) + "." +
                                     std::to_string(LF_VERSION_MINOR) + "." + std::to_string(LF_VERSION_PATCH);
    return title.c_str();
}

// Its workers cannot be woken on request: the first, untimed round wakes them.
#define gather nullptr

namespace {

lf::lazy_pool *pool;

int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    lf::lazy_pool all(runtime_threads);
    runtime_bind_process();
    pool = &all;
    return measure(cell);
}

constexpr auto fib_task = [](auto self, int n) -> lf::task<long> {
    if (n <= fib_cutoff)
        co_return fib_last(n);
    long x = 0, y = 0;
    co_await lf::fork[&x, self](n - 1);
    co_await lf::call[&y, self](n - 2);
    co_await lf::join;
    co_return x + y;
};

constexpr auto place = [](auto self, struct board board) -> lf::task<uint64_t> {
    uint64_t ways[NQUEENS_MAX] = {}, sum = 0;
    if (board_is_last(board))
        co_return board_ways(board);
    uint32_t free = board_free(board);
    if (free == 0)
        co_return 0;
    unsigned forked = 0;
    for (; free & (free - 1); free &= free - 1, forked++)
        co_await lf::fork[&ways[forked], self](board_next(board, free));
    co_await lf::call[&ways[forked], self](board_next(board, free));
    co_await lf::join;
    for (unsigned i = 0; i <= forked; i++)
        sum += ways[i];
    co_return sum;
};

constexpr auto sort = [](auto self, int64_t *values, size_t count, unsigned cutoff, unsigned levels) -> lf::task<void> {
    const size_t lower = sort_step(values, count, cutoff, levels);
    if (lower == 0)
        co_return;
    co_await lf::fork[self](values, lower, cutoff, levels - 1);
    co_await lf::call[self](values + lower, count - lower, cutoff, levels - 1);
    co_await lf::join;
};

// Threads number themselves. A call, because a coroutine goes on in another thread after a fork.
__attribute__((noinline)) unsigned thread_number() {
    static unsigned threads;
    static thread_local unsigned number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED); // tells threads apart
    return number;
}

constexpr auto search = [](auto self, struct uts *uts, struct tree_node node) -> lf::task<void> {
    const unsigned children = uts_visit(uts, thread_number(), &node);
    struct tree_node child;
    for (unsigned i = 0; i + 1 < children; i++) {
        tree_child(&node, i, &child);
        co_await lf::fork[self](uts, child);
    }
    if (children > 0) {
        tree_child(&node, children - 1, &child);
        co_await lf::call[self](uts, child);
    }
    co_await lf::join;
};

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    work->result = lf::sync_wait(*pool, fib_task, work->n);
}

void run_nqueens(void *context) {
    static_cast<struct nqueens *>(context)->ways = lf::sync_wait(*pool, place, board{0, 0, 0, 0});
}

void run_quicksort(void *context) {
    const auto *work = static_cast<const struct sorting *>(context);
    lf::sync_wait(*pool, sort, work->values, work->size, work->cutoff, sort_levels(work->size));
}

void run_uts(void *context) {
    auto *uts = static_cast<struct uts *>(context);
    struct tree_node root;
    tree_root(uts->tree, &root);
    lf::sync_wait(*pool, search, uts, root);
}

} // namespace

RUNTIME_WORKLOAD(fib, "fib on libfork", NULL);
RUNTIME_WORKLOAD(nqueens, "nqueens on libfork", NULL);
RUNTIME_WORKLOAD(quicksort, "quicksort on libfork", NULL);
RUNTIME_WORKLOAD(uts, "unbalanced tree search on libfork", uts_unsupported);
