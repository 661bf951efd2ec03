// onetbb.cc: the application workloads on oneTBB: task_group for fork and join, and its own parallel_sort.
#include "runtimes/fib.h"
#include "runtimes/quicksort.h"
#include "runtimes/uts.h"
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

namespace {

// Binds a thread of the arena when it enters.
class binder : public tbb::task_scheduler_observer {
  public:
    explicit binder(tbb::task_arena &arena) : tbb::task_scheduler_observer(arena) { observe(true); }
    ~binder() override { observe(false); }
    void on_scheduler_entry(bool) override {
        peer_take_place(static_cast<unsigned>(tbb::this_task_arena::current_thread_index()));
    }
};

tbb::task_arena *arena;

// Main thread. measure is called with an arena of the cell's threads ready.
int with_arena(const struct cell *cell, int (*measure)(const struct cell *)) {
    int failure = peer_open(cell);
    if (failure != 0)
        return failure;
    const int threads = static_cast<int>(cell_integer(cell, "threads"));
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
    tbb::task_arena all(threads, 1);
    const binder binds(all);
    arena = &all;
    failure = measure(cell);
    places_close(&peer_places);
    return failure;
}

long fib(int n) {
    if (n < 2)
        return n;
    long x = 0;
    tbb::task_group group;
    group.run([&x, n] { x = fib(n - 1); });
    const long y = fib(n - 2);
    group.wait();
    return x + y;
}

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
    arena->execute([work] { work->result = fib(work->n); });
}

int measure_fib(const struct cell *cell) { return fib_measure(cell, run_fib); }
int fib_workload_run(const struct cell *cell) { return with_arena(cell, measure_fib); }

const struct workload fib_workload = {"fib",          "fib on oneTBB's task_group",
                                      fib_parameters, sizeof fib_parameters / sizeof fib_parameters[0],
                                      nullptr,        fib_workload_run};
REGISTER_WORKLOAD(fib_workload);

void sort(tbb::task_group &group, int64_t *values, size_t count, size_t cutoff) {
    if (count <= cutoff) {
        sort_by_insertion(values, count);
        return;
    }
    const size_t lower = partition(values, count);
    group.run([&group, values, lower, count, cutoff] { sort(group, values + lower, count - lower, cutoff); });
    group.run([&group, values, lower, cutoff] { sort(group, values, lower, cutoff); });
}

void run_quicksort(void *context) {
    auto *work = static_cast<struct sorting *>(context);
    arena->execute([work] {
        if (work->own) {
            tbb::parallel_sort(work->values, work->values + work->size);
            return;
        }
        tbb::task_group group;
        sort(group, work->values, work->size, work->cutoff);
        group.wait();
    });
}

int measure_quicksort(const struct cell *cell) { return quicksort_measure(cell, run_quicksort); }
int quicksort_workload_run(const struct cell *cell) { return with_arena(cell, measure_quicksort); }

const struct workload quicksort_workload = {"quicksort",
                                            "quicksort on oneTBB's task_group, and its parallel_sort",
                                            quicksort_parameters,
                                            sizeof quicksort_parameters / sizeof quicksort_parameters[0],
                                            nullptr,
                                            quicksort_workload_run};
REGISTER_WORKLOAD(quicksort_workload);

void search(tbb::task_group &group, struct uts *uts, const struct tree_node &node) {
    const unsigned children =
        uts_visit(uts, static_cast<unsigned>(tbb::this_task_arena::current_thread_index()), &node);
    for (unsigned i = 0; i < children; i++) {
        struct tree_node child;
        tree_child(&node, i, &child);
        group.run([&group, uts, child] { search(group, uts, child); });
    }
}

void run_uts(void *context) {
    auto *uts = static_cast<struct uts *>(context);
    arena->execute([uts] {
        tbb::task_group group;
        struct tree_node root;
        tree_root(uts->tree, &root);
        search(group, uts, root);
        group.wait();
    });
}

int measure_uts(const struct cell *cell) { return uts_measure(cell, run_uts); }
int uts_workload_run(const struct cell *cell) { return with_arena(cell, measure_uts); }

const struct workload uts_workload = {"uts",           "unbalanced tree search on oneTBB's task_group",
                                      uts_parameters,  sizeof uts_parameters / sizeof uts_parameters[0],
                                      uts_unsupported, uts_workload_run};
REGISTER_WORKLOAD(uts_workload);

} // namespace
