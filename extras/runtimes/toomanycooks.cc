// toomanycooks.cc: the workloads of forks on TooManyCooks, from RUNTIMES_FROM: coroutines; one child is forked and one
// awaited (fib), or all are spawned at once.
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include "extras/runtimes/number.h"
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

tmc::task<uint64_t> sum_up(uint64_t first, uint64_t leaves) {
    std::array<tmc::task<uint64_t>, SKYNET_CHILDREN> children;
    uint64_t sum = 0;
    if (leaves == 1)
        co_return first;
    leaves /= SKYNET_CHILDREN;
    for (unsigned i = 0; i < SKYNET_CHILDREN; i++)
        children[i] = sum_up(first + i * leaves, leaves);
    const auto each = co_await tmc::spawn_many<SKYNET_CHILDREN>(children.data());
    for (uint64_t one : each)
        sum += one;
    co_return sum;
}

tmc::task<void> multiply(struct product whole) {
    if (whole.side <= MATMUL_SMALL) {
        product_small(whole);
        co_return;
    }
    for (unsigned group = 0; group < 2; group++) {
        std::array<tmc::task<void>, 4> quarters;
        for (unsigned i = 0; i < 4; i++)
            quarters[i] = multiply(product_part(whole, i, group));
        co_await tmc::spawn_many<4>(quarters.data());
    }
}

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    work->result = done(fib_task(work->n));
}

void run_nqueens(void *context) { static_cast<struct nqueens *>(context)->ways = done(place({0, 0, 0, 0})); }

void run_skynet(void *context) {
    auto *work = static_cast<struct number *>(context);
    work->result = done(sum_up(0, skynet_leaves(work->depth)));
}

void run_matmul(void *context) {
    auto *work = static_cast<struct number *>(context);
    product_clear(&work->product);
    done(multiply(work->product));
    work->result = product_sum(&work->product);
}

} // namespace

RUNTIME_WORKLOAD(fib, "fib on TooManyCooks", NULL);
RUNTIME_WORKLOAD(nqueens, "nqueens on TooManyCooks", NULL);
RUNTIME_WORKLOAD(skynet, "skynet on TooManyCooks", NULL);
RUNTIME_WORKLOAD(matmul, "a product of matrices on TooManyCooks", NULL);
