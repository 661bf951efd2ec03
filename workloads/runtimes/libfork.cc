// libfork.cc: the workloads of forks on libfork, from RUNTIMES_FROM: coroutines; all but the last child are forked, the
// last is called, as in its own benchmarks.
#include "workloads/runtimes/fib.h"
#include "workloads/runtimes/nqueens.h"
#include "workloads/runtimes/number.h"
#include <libfork.hpp>

const char *runtime_title() { return "libfork " RUNTIME_REVISION; }

// Its workers cannot be woken on request: the first, untimed round wakes them.
#define gather nullptr

namespace {

lf::lazy_pool *pool;

int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    int failure = runtime_open(cell);
    if (failure != 0)
        return failure;
    lf::lazy_pool all(runtime_threads);
    runtime_bind_process();
    pool = &all;
    failure = measure(cell);
    places_close(&runtime_places);
    return failure;
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

constexpr auto sum_up = [](auto self, uint64_t first, uint64_t leaves) -> lf::task<uint64_t> {
    uint64_t part[SKYNET_CHILDREN] = {}, sum = 0;
    if (leaves == 1)
        co_return first;
    leaves /= SKYNET_CHILDREN;
    for (unsigned i = 0; i + 1 < SKYNET_CHILDREN; i++)
        co_await lf::fork[&part[i], self](first + i * leaves, leaves);
    co_await lf::call[&part[SKYNET_CHILDREN - 1], self](first + (SKYNET_CHILDREN - 1) * leaves, leaves);
    co_await lf::join;
    for (uint64_t one : part)
        sum += one;
    co_return sum;
};

constexpr auto multiply = [](auto self, struct product whole) -> lf::task<void> {
    if (whole.side <= MATMUL_SMALL) {
        product_small(whole);
        co_return;
    }
    for (unsigned group = 0; group < 2; group++) {
        for (unsigned i = 0; i < 3; i++)
            co_await lf::fork[self](product_part(whole, i, group));
        co_await lf::call[self](product_part(whole, 3, group));
        co_await lf::join;
    }
};

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    work->result = lf::sync_wait(*pool, fib_task, work->n);
}

void run_nqueens(void *context) {
    static_cast<struct nqueens *>(context)->ways = lf::sync_wait(*pool, place, board{0, 0, 0, 0});
}

void run_skynet(void *context) {
    auto *work = static_cast<struct number *>(context);
    work->result = lf::sync_wait(*pool, sum_up, uint64_t{0}, skynet_leaves(work->depth));
}

void run_matmul(void *context) {
    auto *work = static_cast<struct number *>(context);
    product_clear(&work->product);
    lf::sync_wait(*pool, multiply, work->product);
    work->result = product_sum(&work->product);
}

} // namespace

RUNTIME_WORKLOAD(fib, "fib on libfork", NULL);
RUNTIME_WORKLOAD(nqueens, "nqueens on libfork", NULL);
RUNTIME_WORKLOAD(skynet, "skynet on libfork", NULL);
RUNTIME_WORKLOAD(matmul, "a product of matrices on libfork", NULL);
