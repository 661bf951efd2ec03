/* lace_runtime.c: fib on Lace, where the compiler finds its header and the linker its library. Lace inlines its tasks
 * into its own split deque: the floor of what a call as a task can cost. */
#include "runtimes/fib.h"
#include <lace.h>

TASK_1(long, fib_task, int, n) {
    if (n < 2)
        return n;
    SPAWN(fib_task, n - 1);
    long y = CALL(fib_task, n - 2);
    return SYNC(fib_task) + y;
}

static void run_fib(void *context) {
    struct fib *fib = context;
    fib->result = RUN(fib_task, fib->n);
}

/* Lace binds its workers by itself. */
static int fib_workload_run(const struct cell *cell) {
    int failure = peer_open(cell);
    if (failure != 0)
        return failure;
    lace_start((unsigned)cell_integer(cell, "threads"), 0);
    failure = fib_measure(cell, run_fib);
    lace_stop();
    places_close(&peer_places);
    return failure;
}

static const struct workload fib_workload = {.name = "fib",
                                             .summary = "fib on Lace",
                                             .parameters = fib_parameters,
                                             .parameter_count = sizeof fib_parameters / sizeof fib_parameters[0],
                                             .run = fib_workload_run};
REGISTER_WORKLOAD(fib_workload);
