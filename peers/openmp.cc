// openmp.cc: the application workloads on OpenMP tasks, as the compiler's own runtime has them.
#include "peers/fib.h"
#include <omp.h>

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

} // namespace
