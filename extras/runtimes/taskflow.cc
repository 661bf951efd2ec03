// taskflow.cc: the application workloads on Taskflow, where the compiler finds its headers (CPPFLAGS=-I...): its
// task_group where tasks are joined, asynchronous tasks of the executor where they are not.
#include "extras/runtimes/dag.h"
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include "extras/runtimes/quicksort.h"
#include "extras/runtimes/uts.h"
#include <string>
#include <taskflow/taskflow.hpp>

const char *runtime_title() {
#ifdef RUNTIME_REVISION
    return "Taskflow " RUNTIME_REVISION;
#endif
    static const std::string title = "Taskflow " + std::to_string(TF_VERSION / 100000) + "." +
                                     std::to_string(TF_VERSION / 100 % 1000) + "." + std::to_string(TF_VERSION % 100);
    return title.c_str();
}

namespace {

tf::Executor *executor;

void gather() {
    for (unsigned i = 0; i < runtime_threads; i++)
        executor->silent_async(runtime_arrive);
    executor->wait_for_all();
}

// Each worker of the executor takes its place; the main thread only waits.
class binder : public tf::WorkerInterface {
    void scheduler_prologue(tf::Worker &worker) override { runtime_take_place(static_cast<unsigned>(worker.id())); }
    void scheduler_epilogue(tf::Worker &, std::exception_ptr) override {}
};

int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    runtime_large_stacks();
    tf::Executor all(runtime_threads, std::make_shared<binder>());
    executor = &all;
    return measure(cell);
}

long fib(int n) {
    if (n <= fib_cutoff)
        return fib_last(n);
    long x = 0;
    tf::TaskGroup group = executor->task_group();
    group.silent_async([&x, n] { x = fib(n - 1); });
    const long y = fib(n - 2);
    group.corun();
    return x + y;
}

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    work->result = executor->async([work] { return fib(work->n); }).get();
}
RUNTIME_WORKLOAD(fib, "fib on Taskflow's task_group", nullptr);

uint64_t place(struct board board) {
    uint64_t ways[NQUEENS_MAX], sum = 0;
    size_t count = 0;
    if (board_is_last(board))
        return board_ways(board);
    uint32_t free = board_free(board);
    if (free == 0)
        return 0;
    tf::TaskGroup row = executor->task_group();
    for (; free & (free - 1); free &= free - 1)
        row.silent_async([way = &ways[count++], next = board_next(board, free)] { *way = place(next); });
    sum = place(board_next(board, free));
    row.corun();
    while (count > 0)
        sum += ways[--count];
    return sum;
}

void run_nqueens(void *context) {
    auto *queens = static_cast<struct nqueens *>(context);
    queens->ways = executor->async([] { return place({0, 0, 0, 0}); }).get();
}
RUNTIME_WORKLOAD(nqueens, "nqueens on Taskflow's task_group, one a row", nullptr);

void sort(int64_t *values, size_t count, unsigned cutoff, unsigned levels) {
    const size_t lower = sort_step(values, count, cutoff, levels);
    if (lower == 0)
        return;
    executor->silent_async([=] { sort(values + lower, count - lower, cutoff, levels - 1); });
    sort(values, lower, cutoff, levels - 1);
}

void run_quicksort(void *context) {
    auto *work = static_cast<struct sorting *>(context);
    executor->silent_async([work] { sort(work->values, work->size, work->cutoff, sort_levels(work->size)); });
    executor->wait_for_all();
}
RUNTIME_WORKLOAD(quicksort, "quicksort on Taskflow's asynchronous tasks", nullptr);

// A group a node: its children are joined before it returns, so that they may look at it. The last child is no task.
void search(struct uts *uts, const struct tree_node &node) {
    const unsigned children = uts_visit(uts, static_cast<unsigned>(executor->this_worker_id()), &node);
    if (children == 0)
        return;
    const auto visit = [uts, &node](unsigned number) {
        struct tree_node child;
        tree_child(&node, number, &child);
        search(uts, child);
    };
    tf::TaskGroup group = executor->task_group();
    for (unsigned i = 0; i + 1 < children; i++)
        group.silent_async([&visit, i] { visit(i); });
    visit(children - 1);
    group.corun();
}

void run_uts(void *context) {
    auto *uts = static_cast<struct uts *>(context);
    struct tree_node root;
    tree_root(uts->tree, &root);
    executor->async([uts, &root] { search(uts, root); }).get();
}
RUNTIME_WORKLOAD(uts, "unbalanced tree search on Taskflow's task_group, one a node", uts_unsupported);

void explore(struct dag *dag, uint32_t node) {
    uint32_t children[DAG_DEGREE_MAX];
    const auto thread = static_cast<unsigned>(executor->this_worker_id());
    for (size_t count; (count = dag_visit(dag, thread, node, children)) > 0; node = children[count - 1])
        for (size_t i = 0; i + 1 < count; i++)
            executor->silent_async([dag, child = children[i]] { explore(dag, child); });
}

void run_dag(void *context) {
    auto *dag = static_cast<struct dag *>(context);
    executor->silent_async([dag] { explore(dag, 0); });
    executor->wait_for_all();
}
RUNTIME_WORKLOAD(dag, "graph exploration on Taskflow's asynchronous tasks", nullptr);

} // namespace
