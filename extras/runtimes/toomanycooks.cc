// toomanycooks.cc: the workloads of forks on TooManyCooks, from RUNTIMES_FROM: coroutines; one child is forked and one
// awaited (fib), or all are spawned at once.
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include <array>
#define TMC_IMPL
#include <tmc/all_headers.hpp>

const char *runtime_title() { return "TooManyCooks " RUNTIME_REVISION; }

// Its workers cannot be told to be awake: the first round wakes them, untimed.
#define gather nullptr

namespace {

int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    tmc::cpu_executor().set_thread_count(runtime_threads).init();
    runtime_bind_process();
    const int failure = measure(cell);
    tmc::cpu_executor().teardown();
    return failure;
}

template <typename Result> Result done(tmc::task<Result> task) {
    return tmc::post_waitable(tmc::cpu_executor(), std::move(task)).get();
}

tmc::task<long> fib_task(int n) {
    if (n <= fib_cutoff)
        co_return fib_last(n);
    auto forked = tmc::spawn(fib_task(n - 1)).fork();
    const long y = co_await fib_task(n - 2);
    const long x = co_await std::move(forked);
    co_return x + y;
}

tmc::task<uint64_t> place(struct board board) {
    std::array<tmc::task<uint64_t>, NQUEENS_MAX> rows;
    uint64_t ways = 0;
    size_t count = 0;
    if (board_is_last(board))
        co_return board_ways(board);
    for (uint32_t free = board_free(board); free; free &= free - 1)
        rows[count++] = place(board_next(board, free));
    if (count == 0)
        co_return 0;
    const auto each = co_await tmc::spawn_many(rows.data(), count);
    for (uint64_t one : each)
        ways += one;
    co_return ways;
}

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    work->result = done(fib_task(work->n));
}

void run_nqueens(void *context) { static_cast<struct nqueens *>(context)->ways = done(place({0, 0, 0, 0})); }

} // namespace

RUNTIME_WORKLOAD(fib, "fib on TooManyCooks", NULL);
RUNTIME_WORKLOAD(nqueens, "nqueens on TooManyCooks", NULL);
