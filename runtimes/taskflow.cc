// taskflow.cc: fib on Taskflow's asynchronous tasks, where the compiler finds its headers (CPPFLAGS=-I...).
#include "runtimes/fib.h"
#include <taskflow/taskflow.hpp>

namespace {

tf::Executor *executor;

long fib(int n) {
    if (n < 2)
        return n;
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

// Each worker of the executor takes its place; the main thread only waits.
class binder : public tf::WorkerInterface {
    void scheduler_prologue(tf::Worker &worker) override { peer_take_place(static_cast<unsigned>(worker.id())); }
    void scheduler_epilogue(tf::Worker &, std::exception_ptr) override {}
};

int fib_workload_run(const struct cell *cell) {
    int failure = peer_open(cell);
    if (failure != 0)
        return failure;
    tf::Executor all(cell_integer(cell, "threads"), std::make_shared<binder>());
    executor = &all;
    failure = fib_measure(cell, run_fib);
    places_close(&peer_places);
    return failure;
}

const struct workload fib_workload = {"fib",          "fib on Taskflow's task_group",
                                      fib_parameters, sizeof fib_parameters / sizeof fib_parameters[0],
                                      nullptr,        fib_workload_run};
REGISTER_WORKLOAD(fib_workload);

} // namespace
