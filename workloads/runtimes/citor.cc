// citor.cc: the workloads of forks on citor, from RUNTIMES_FROM: forkJoin for two children, forkJoinAll for many.
#include "workloads/runtimes/fib.h"
#include "workloads/runtimes/nqueens.h"
#include "workloads/runtimes/number.h"
#include <citor/hints.h>
#include <citor/thread_pool.h>

const char *runtime_title() { return "citor " RUNTIME_REVISION; }

// Its workers cannot be woken on request: the first, untimed round wakes them.
#define gather nullptr

namespace {

citor::ThreadPool *pool;

int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    citor::ThreadPool all(runtime_threads, citor::Affinity::PerCpuSmtPair);
    runtime_bind_process();
    pool = &all;
    return measure(cell);
}

long fib_task(int n) {
    if (n <= fib_cutoff)
        return fib_last(n);
    long x = 0, y = 0;
    pool->forkJoin<citor::HintsDefaults>([&] { x = fib_task(n - 1); }, [&] { y = fib_task(n - 2); });
    return x + y;
}

uint64_t place(struct board board) {
    struct board next[NQUEENS_MAX];
    uint64_t ways[NQUEENS_MAX] = {}, sum = 0;
    size_t count = 0;
    if (board_is_last(board))
        return board_ways(board);
    for (uint32_t free = board_free(board); free; free &= free - 1)
        next[count++] = board_next(board, free);
    if (count > 0)
        pool->forkJoinAll<citor::HintsDefaults>(count, [&](size_t i) { ways[i] = place(next[i]); });
    for (size_t i = 0; i < count; i++)
        sum += ways[i];
    return sum;
}

uint64_t sum_up(uint64_t first, uint64_t leaves) {
    uint64_t part[SKYNET_CHILDREN] = {}, sum = 0;
    if (leaves == 1)
        return first;
    leaves /= SKYNET_CHILDREN;
    pool->forkJoinAll<citor::HintsDefaults>(SKYNET_CHILDREN,
                                            [&](size_t i) { part[i] = sum_up(first + i * leaves, leaves); });
    for (uint64_t one : part)
        sum += one;
    return sum;
}

void multiply(struct product whole) {
    if (whole.side <= MATMUL_SMALL) {
        product_small(whole);
        return;
    }
    for (unsigned group = 0; group < 2; group++)
        pool->forkJoinAll<citor::HintsDefaults>(
            4, [&](size_t i) { multiply(product_part(whole, static_cast<unsigned>(i), group)); });
}

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    work->result = fib_task(work->n);
}

void run_nqueens(void *context) { static_cast<struct nqueens *>(context)->ways = place({0, 0, 0, 0}); }

void run_skynet(void *context) {
    auto *work = static_cast<struct number *>(context);
    work->result = sum_up(0, skynet_leaves(work->depth));
}

void run_matmul(void *context) {
    auto *work = static_cast<struct number *>(context);
    product_clear(&work->product);
    multiply(work->product);
    work->result = product_sum(&work->product);
}

} // namespace

RUNTIME_WORKLOAD(fib, "fib on citor", NULL);
RUNTIME_WORKLOAD(nqueens, "nqueens on citor", NULL);
RUNTIME_WORKLOAD(skynet, "skynet on citor", NULL);
RUNTIME_WORKLOAD(matmul, "a product of matrices on citor", NULL);
