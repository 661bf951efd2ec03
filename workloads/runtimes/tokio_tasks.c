/* tokio_tasks.c: requests that arrive from outside on Tokio's multi-threaded runtime, whose half is in tokio_tasks/. It
 * has no other workload: Tokio is for tasks that wait, not for computations. */
#include "workloads/runtimes/serve.h"

/* Rust's half. */
int tokio_start(uint32_t threads);
void tokio_submit(uint64_t request);

const char *runtime_title(void) { return "Tokio " TOKIO_VERSION; }

void tokio_take_place(uint32_t worker) { runtime_take_place(worker); }
void tokio_serve(uint64_t request) { load_serve(serve_load, request); }

static int with_runtime(const struct cell *cell, int (*measure)(const struct cell *)) {
    const int failure = tokio_start(runtime_threads);
    return failure ? failure : measure(cell);
}

static bool submit_serve(void *context, size_t request) {
    (void)context;
    tokio_submit(request);
    return true;
}
#define serve_attach NULL

RUNTIME_SERVE("requests that arrive from outside, on Tokio's tasks", with_runtime);
