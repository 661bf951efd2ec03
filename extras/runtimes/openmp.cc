// openmp.cc: the application workloads on OpenMP's tasks. The same code runs on gcc's libgomp and, linked
// otherwise (openmp_llvm.cc), on LLVM's libomp. Where nothing is computed on the way back no task is joined, and the
// last child is none: libgomp takes nine times as long for a tree that is joined.
#include "extras/runtimes/dag.h"
#include "extras/runtimes/fib.h"
#include "extras/runtimes/nqueens.h"
#include "extras/runtimes/quicksort.h"
#include "extras/runtimes/uts.h"
#include <cctype>
#include <cstdlib>
#include <dlfcn.h>
#include <omp.h>
#include <string>

// The loader knows which of the two runs this. libomp's folder has its version; libgomp's is the compiler's.
const char *runtime_title() {
    static std::string title = "OpenMP";
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(omp_get_thread_num), &info) == 0)
        return title.c_str();
    char *path = realpath(info.dli_fname, nullptr);
    const std::string file = path ? path : info.dli_fname;
    free(path);
    const size_t llvm = file.find("llvm-");
    size_t end = llvm == std::string::npos ? llvm : llvm + 5;
    while (end < file.size() && isdigit(static_cast<unsigned char>(file[end])))
        end++;
    if (file.find("libomp") == std::string::npos)
        title = "OpenMP on gcc's libgomp " __VERSION__;
    else {
        title = "OpenMP on LLVM's libomp";
        if (llvm != std::string::npos)
            title.append(" ").append(file, llvm + 5, end - llvm - 5);
    }
    return title.c_str();
}

namespace {

unsigned thread() { return static_cast<unsigned>(omp_get_thread_num()); }

void gather() {
#pragma omp parallel
    runtime_arrive();
}

// Main thread. Starts the team and binds each thread of it; the runtime keeps the team for later regions of that size.
int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    omp_set_dynamic(0);
    omp_set_num_threads(static_cast<int>(runtime_threads));
#pragma omp parallel
    runtime_take_place(thread());
    return measure(cell);
}

long fib(int n) {
    if (n <= fib_cutoff)
        return fib_last(n);
    long x = 0;
#pragma omp task shared(x) firstprivate(n)
    x = fib(n - 1);
    const long y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

void run_fib(void *context) {
    auto *work = static_cast<struct fib *>(context);
#pragma omp parallel
#pragma omp single
    work->result = fib(work->n);
}
RUNTIME_WORKLOAD(fib, "fib on OpenMP tasks", nullptr);

uint64_t place(struct board board) {
    uint64_t ways[NQUEENS_MAX], sum = 0;
    size_t count = 0;
    if (board_is_last(board))
        return board_ways(board);
    uint32_t free = board_free(board);
    if (free == 0)
        return 0;
    for (; free & (free - 1); free &= free - 1) {
        const struct board next = board_next(board, free);
        uint64_t *way = &ways[count++];
#pragma omp task firstprivate(way, next)
        *way = place(next);
    }
    sum = place(board_next(board, free));
    if (count > 0) {
#pragma omp taskwait
    }
    while (count > 0)
        sum += ways[--count];
    return sum;
}

void run_nqueens(void *context) {
    auto *queens = static_cast<struct nqueens *>(context);
#pragma omp parallel
#pragma omp single
    queens->ways = place({0, 0, 0, 0});
}
RUNTIME_WORKLOAD(nqueens, "nqueens on OpenMP tasks", nullptr);

void sort(int64_t *values, size_t count, unsigned cutoff, unsigned levels) {
    const size_t lower = sort_step(values, count, cutoff, levels);
    if (lower == 0)
        return;
#pragma omp task firstprivate(values, lower, count, cutoff, levels)
    sort(values + lower, count - lower, cutoff, levels - 1);
    sort(values, lower, cutoff, levels - 1);
}

void run_quicksort(void *context) {
    auto *work = static_cast<struct sorting *>(context);
#pragma omp parallel
#pragma omp single
    sort(work->values, work->size, work->cutoff, sort_levels(work->size));
}
RUNTIME_WORKLOAD(quicksort, "quicksort on OpenMP tasks", nullptr);

void search(struct uts *uts, const struct tree_node &node) {
    const unsigned children = uts_visit(uts, thread(), &node);
    struct tree_node child;
    for (unsigned i = 0; i + 1 < children; i++) {
        tree_child(&node, i, &child);
#pragma omp task firstprivate(uts, child)
        search(uts, child);
    }
    if (children > 0) {
        tree_child(&node, children - 1, &child);
        search(uts, child);
    }
}

void run_uts(void *context) {
    auto *uts = static_cast<struct uts *>(context);
#pragma omp parallel
#pragma omp single
    {
        struct tree_node root;
        tree_root(uts->tree, &root);
        search(uts, root);
    }
}
RUNTIME_WORKLOAD(uts, "unbalanced tree search on OpenMP tasks", uts_unsupported);

void explore(struct dag *dag, uint32_t node) {
    uint32_t children[DAG_DEGREE_MAX];
    for (size_t count; (count = dag_visit(dag, thread(), node, children)) > 0; node = children[count - 1])
        for (size_t i = 0; i + 1 < count; i++) {
            const uint32_t child = children[i];
#pragma omp task firstprivate(dag, child)
            explore(dag, child);
        }
}

void run_dag(void *context) {
    auto *dag = static_cast<struct dag *>(context);
#pragma omp parallel
#pragma omp single
    explore(dag, 0);
}
RUNTIME_WORKLOAD(dag, "graph exploration on OpenMP tasks", nullptr);

} // namespace
