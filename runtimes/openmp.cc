// openmp.cc: the application workloads on OpenMP tasks, as the compiler's own runtime has them.
#include "runtimes/fib.h"
#include "runtimes/quicksort.h"
#include "runtimes/uts.h"
extern "C" {
#include "workloads/inputs/graph.h"
}
#include <atomic>
#include <memory>
#include <omp.h>
#include <parallel/algorithm>
#include <vector>

namespace {

// Main thread. Starts the team and binds each thread of it; libgomp keeps the team for later regions of that size.
int with_team(const struct cell *cell, int (*measure)(const struct cell *)) {
    int failure = peer_open(cell);
    if (failure != 0)
        return failure;
    const int threads = static_cast<int>(cell_integer(cell, "threads"));
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
#pragma omp parallel
    peer_take_place(static_cast<unsigned>(omp_get_thread_num()));
    failure = measure(cell);
    places_close(&peer_places);
    return failure;
}

long fib(int n) {
    if (n < 2)
        return n;
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

int measure_fib(const struct cell *cell) { return fib_measure(cell, run_fib); }
int fib_workload_run(const struct cell *cell) { return with_team(cell, measure_fib); }

const struct workload fib_workload = {"fib",          "fib on OpenMP tasks",
                                      fib_parameters, sizeof fib_parameters / sizeof fib_parameters[0],
                                      nullptr,        fib_workload_run};
REGISTER_WORKLOAD(fib_workload);

void sort(int64_t *values, size_t count, size_t cutoff) {
    if (count <= cutoff) {
        sort_by_insertion(values, count);
        return;
    }
    const size_t lower = partition(values, count);
#pragma omp task firstprivate(values, lower, count, cutoff)
    sort(values + lower, count - lower, cutoff);
#pragma omp task firstprivate(values, lower, cutoff)
    sort(values, lower, cutoff);
}

void run_quicksort(void *context) {
    auto *work = static_cast<struct sorting *>(context);
    if (work->own) {
        __gnu_parallel::sort(work->values, work->values + work->size);
        return;
    }
#pragma omp parallel
#pragma omp single
    sort(work->values, work->size, work->cutoff);
}

int measure_quicksort(const struct cell *cell) { return quicksort_measure(cell, run_quicksort); }
int quicksort_workload_run(const struct cell *cell) { return with_team(cell, measure_quicksort); }

const struct workload quicksort_workload = {"quicksort",
                                            "quicksort on OpenMP tasks, and libstdc++'s parallel sort",
                                            quicksort_parameters,
                                            sizeof quicksort_parameters / sizeof quicksort_parameters[0],
                                            nullptr,
                                            quicksort_workload_run};
REGISTER_WORKLOAD(quicksort_workload);

void search(struct uts *uts, const struct tree_node &node) {
    const unsigned children = uts_visit(uts, static_cast<unsigned>(omp_get_thread_num()), &node);
    for (unsigned i = 0; i < children; i++) {
        struct tree_node child;
        tree_child(&node, i, &child);
#pragma omp task firstprivate(uts, child)
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

int measure_uts(const struct cell *cell) { return uts_measure(cell, run_uts); }
int uts_workload_run(const struct cell *cell) { return with_team(cell, measure_uts); }

const struct workload uts_workload = {"uts",           "unbalanced tree search on OpenMP tasks",
                                      uts_parameters,  sizeof uts_parameters / sizeof uts_parameters[0],
                                      uts_unsupported, uts_workload_run};
REGISTER_WORKLOAD(uts_workload);

// The other way to explore a graph: level by level, all nodes of a level side by side, a barrier after each.
constexpr size_t piece = 64;

const struct parameter dag_parameters[] = {
    {"shape", PARAMETER_CHOICE, "random", 0, 0, "random|layered|tree", "", "of a generated graph; see inputs/graph.h"},
    {"nodes", PARAMETER_INTEGER, "2500000", 1, GRAPH_NODES_MOST, nullptr, "nodes", "size of a generated graph"},
    {"degree", PARAMETER_INTEGER, "4", 1, GRAPH_DEGREE_MOST, nullptr, "arcs",
     "arcs out of a node of a generated graph"},
    {"width", PARAMETER_INTEGER, "1000", 1, GRAPH_NODES_MOST, nullptr, "nodes", "nodes in a layer; shape=layered"},
    PEER_PARAMETERS,
};

struct exploration {
    struct graph graph = {};
    struct graph_census expected = {}, found = {};
    std::unique_ptr<std::atomic<uint64_t>[]> claims;
    size_t words = 0;
    std::vector<std::vector<uint32_t>> next; // of each thread

    bool claim(uint32_t node) {
        std::atomic<uint64_t> &word = claims[node / 64];
        const uint64_t bit = uint64_t{1} << node % 64;
        // relaxed: the claim decides who; what a level found is published by the barrier at its end
        return !(word.load(std::memory_order_relaxed) & bit) && !(word.fetch_or(bit, std::memory_order_relaxed) & bit);
    }
};

bool prepare_exploration(void *context) {
    auto *work = static_cast<exploration *>(context);
    for (size_t i = 0; i < work->words; i++)
        work->claims[i].store(0, std::memory_order_relaxed);
    return true;
}

bool verify_exploration(void *context) {
    const auto *work = static_cast<exploration *>(context);
    if (work->found.nodes == work->expected.nodes && work->found.checksum == work->expected.checksum)
        return true;
    fprintf(stderr, "stealbench: the exploration by levels found %" PRIu64 " of %" PRIu64 " nodes\n", work->found.nodes,
            work->expected.nodes);
    return false;
}

void explore(void *context) {
    auto *work = static_cast<exploration *>(context);
    std::vector<uint32_t> level;
    uint64_t nodes = 0, checksum = 0;
    for (uint64_t i = 0; i < work->graph.roots; i++) {
        const uint32_t root = graph_root(&work->graph, i);
        if (work->claim(root))
            level.push_back(root);
    }
    while (!level.empty()) {
#pragma omp parallel reduction(+ : nodes, checksum)
        {
            std::vector<uint32_t> &mine = work->next[static_cast<size_t>(omp_get_thread_num())];
            mine.clear();
            uint32_t children[piece];
#pragma omp for schedule(dynamic, 256)
            for (size_t i = 0; i < level.size(); i++) {
                size_t count = piece;
                nodes++;
                checksum += graph_mark(level[i]);
                for (uint64_t first = 0; count == piece; first += piece) {
                    count = graph_children(&work->graph, level[i], first, children, piece);
                    for (size_t child = 0; child < count; child++)
                        if (work->claim(children[child]))
                            mine.push_back(children[child]);
                }
            }
        }
        level.clear();
        for (const std::vector<uint32_t> &part : work->next)
            level.insert(level.end(), part.begin(), part.end());
    }
    work->found.nodes = nodes;
    work->found.checksum = checksum;
}

int measure_dag(const struct cell *cell) {
    exploration work;
    char message[GRAPH_MESSAGE];
    const auto shape = static_cast<enum graph_shape>(choice_index("random|layered|tree", cell_text(cell, "shape")));
    if (graph_generate(&work.graph, shape, cell_integer(cell, "nodes"),
                       static_cast<uint32_t>(cell_integer(cell, "degree")),
                       static_cast<uint32_t>(cell_integer(cell, "width")), cell_integer(cell, "seed"), message) != 0) {
        fprintf(stderr, "stealbench: %s\n", message);
        return 2;
    }
    graph_by_construction(&work.graph, &work.expected);
    work.words = work.graph.nodes / 64 + 1;
    work.claims = std::make_unique<std::atomic<uint64_t>[]>(work.words);
    work.next.resize(cell_integer(cell, "threads"));
    const struct peer_work measured = {&work, prepare_exploration, explore, verify_exploration, nullptr, 0};
    return peer_measure(cell, &measured);
}

int dag_workload_run(const struct cell *cell) { return with_team(cell, measure_dag); }

const struct workload dag_workload = {
    "dag",          "exploration of a generated graph level by level, by OpenMP loops",
    dag_parameters, sizeof dag_parameters / sizeof dag_parameters[0],
    nullptr,        dag_workload_run};
REGISTER_WORKLOAD(dag_workload);

} // namespace
