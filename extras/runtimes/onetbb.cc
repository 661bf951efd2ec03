// onetbb.cc: the application workloads on oneTBB, each by what is fastest of its public interface: parallel_invoke
// that shares one context (one of its own costs a call as much as its task does), a task_group a node of the tree (one
// group for all nodes takes three times as long, and by halves is a tenth slower).
#include "extras/runtimes/dag.h"
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include "extras/runtimes/quicksort.h"
#include "extras/runtimes/uts.h"
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>
#include <string>
#include <thread>

const char *runtime_title() {
    static const std::string title = std::string("oneTBB ") + TBB_runtime_version();
    return title.c_str();
}

namespace {

using context = tbb::task_group_context;

unsigned thread() { return static_cast<unsigned>(tbb::this_task_arena::current_thread_index()); }

// Binds a thread of the arena when it enters.
class binder : public tbb::task_scheduler_observer {
  public:
    explicit binder(tbb::task_arena &arena) : tbb::task_scheduler_observer(arena) { observe(true); }
    ~binder() override { observe(false); }
    void on_scheduler_entry(bool) override { runtime_take_place(thread()); }
};

tbb::task_arena *arena;

// The thread that measures is one of the arena's.
void gather() {
    arena->execute([] {
        tbb::task_group group;
        for (unsigned i = 1; i < runtime_threads; i++)
            group.run(runtime_arrive);
        runtime_arrive();
        group.wait();
    });
}

// Main thread. measure is called with an arena of the cell's threads ready, in a thread with a large stack.
int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    int failure = 0;
    runtime_large_stacks();
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, runtime_threads);
    const tbb::global_control stacks(tbb::global_control::thread_stack_size, RUNTIME_STACK_BYTES);
    tbb::task_arena all(static_cast<int>(runtime_threads), 1);
    const binder binds(all);
    arena = &all;
    std::thread([&] { failure = measure(cell); }).join();
    return failure;
}

// Runs the work in the arena; tasks share a context, which nobody cancels.
template <typename Work> void in_arena(Work work) {
    arena->execute([work] {
        context shared(context::isolated);
        work(shared);
    });
}

long fib(int n, context &shared) {
    if (n <= fib_cutoff)
        return fib_last(n);
    long x, y;
    tbb::parallel_invoke([&x, n, &shared] { x = fib(n - 1, shared); }, [&y, n, &shared] { y = fib(n - 2, shared); },
                         shared);
    return x + y;
}

void run_fib(void *given) {
    auto *work = static_cast<struct fib *>(given);
    in_arena([work](context &shared) { work->result = fib(work->n, shared); });
}
RUNTIME_WORKLOAD(fib, "fib on oneTBB's parallel_invoke", nullptr);

uint64_t place(struct board board, context &shared);

// As many tasks as boards but one, by halves: a task_group for each row takes a third longer.
uint64_t place_each(const struct board *boards, size_t count, context &shared) {
    if (count == 1)
        return place(boards[0], shared);
    uint64_t x, y;
    tbb::parallel_invoke(
        [&x, boards, count, &shared] { x = place_each(boards, count / 2, shared); },
        [&y, boards, count, &shared] { y = place_each(boards + count / 2, count - count / 2, shared); }, shared);
    return x + y;
}

uint64_t place(struct board board, context &shared) {
    struct board next[NQUEENS_MAX];
    size_t count = 0;
    if (board_is_last(board))
        return board_ways(board);
    for (uint32_t free = board_free(board); free; free &= free - 1)
        next[count++] = board_next(board, free);
    return count > 0 ? place_each(next, count, shared) : 0;
}

void run_nqueens(void *given) {
    auto *queens = static_cast<struct nqueens *>(given);
    in_arena([queens](context &shared) { queens->ways = place({0, 0, 0, 0}, shared); });
}
RUNTIME_WORKLOAD(nqueens, "nqueens on oneTBB's parallel_invoke", nullptr);

void sort(int64_t *values, size_t count, unsigned cutoff, unsigned levels, context &shared) {
    const size_t lower = sort_step(values, count, cutoff, levels);
    if (lower == 0)
        return;
    tbb::parallel_invoke([=, &shared] { sort(values + lower, count - lower, cutoff, levels - 1, shared); },
                         [=, &shared] { sort(values, lower, cutoff, levels - 1, shared); }, shared);
}

void run_quicksort(void *given) {
    auto *work = static_cast<struct sorting *>(given);
    in_arena(
        [work](context &shared) { sort(work->values, work->size, work->cutoff, sort_levels(work->size), shared); });
}
RUNTIME_WORKLOAD(quicksort, "quicksort on oneTBB's parallel_invoke", nullptr);

// A group a node: its children are joined before it returns, so that they may look at it. The last child is no task.
void search(struct uts *uts, const struct tree_node &node) {
    const unsigned children = uts_visit(uts, thread(), &node);
    if (children == 0)
        return;
    const auto visit = [uts, &node](unsigned number) {
        struct tree_node child;
        tree_child(&node, number, &child);
        search(uts, child);
    };
    tbb::task_group group;
    for (unsigned i = 0; i + 1 < children; i++)
        group.run([&visit, i] { visit(i); });
    visit(children - 1);
    group.wait();
}

void run_uts(void *given) {
    auto *uts = static_cast<struct uts *>(given);
    arena->execute([uts] {
        struct tree_node root;
        tree_root(uts->tree, &root);
        search(uts, root);
    });
}
RUNTIME_WORKLOAD(uts, "unbalanced tree search on oneTBB's task_group, one a node", uts_unsupported);

// One group for all nodes: nothing is joined. The last child is no task.
void explore(struct dag *dag, uint32_t node, tbb::task_group &group) {
    uint32_t children[DAG_DEGREE_MAX];
    for (size_t count; (count = dag_visit(dag, thread(), node, children)) > 0; node = children[count - 1])
        for (size_t i = 0; i + 1 < count; i++)
            group.run([dag, child = children[i], &group] { explore(dag, child, group); });
}

void run_dag(void *given) {
    auto *dag = static_cast<struct dag *>(given);
    arena->execute([dag] {
        tbb::task_group group;
        explore(dag, 0, group);
        group.wait();
    });
}
RUNTIME_WORKLOAD(dag, "graph exploration on oneTBB's task_group, one for all nodes", nullptr);

} // namespace
