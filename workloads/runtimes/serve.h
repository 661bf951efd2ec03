/* serve.h: the open load of workloads/serve/ on another runtime: the same generator, requests and metrics. C and C++.
 *
 * The protocol is two functions. The generator's thread calls submit_serve(request), which makes the runtime run a task
 * of its own kind that calls load_serve(serve_load, request). The file defines submit_serve, and serve_attach, or NULL,
 * which the generator's thread calls at its begin (true) and at its end.
 */
#ifndef STEALBENCH_RUNTIMES_SERVE_H
#define STEALBENCH_RUNTIMES_SERVE_H

#include "workloads/runtimes/runtime.h"
#include "workloads/serve/load.h"

static struct load *serve_load;
static struct places serve_places; /* of the workers, and at last the generator */

static inline bool serve_prepare(void *context, struct load *load, size_t requests) {
    (void)context, (void)requests;
    serve_load = load;
    return true;
}

/* What with_runtime calls. */
static inline int serve_measure(const struct cell *cell, bool (*submit)(void *, size_t), void (*attach)(void *, bool)) {
    struct load_server server;
    memset(&server, 0, sizeof server);
    server.places = &serve_places;
    server.threads = runtime_threads;
    server.parts = 1;
    server.prepare = serve_prepare;
    server.attach = attach;
    server.submit = submit;
    const int failure = load_measure(cell, &server);
    places_report(&runtime_places, cell, "worker", "worker");
    return failure;
}

/* Plans the generator's place before the runtime binds any thread. */
static inline int serve_cell(const struct cell *cell, int (*run)(const struct cell *)) {
    struct cell flagged = *cell;
    const unsigned threads = (unsigned)cell_integer(cell, "threads");
    int failure = places_open(&serve_places, cell, threads + 1);
    if (failure != 0)
        return failure == PLACES_DENIED ? 0 : failure;
    if (serve_places.oversubscribed)
        flagged.flags |= (unsigned)SAMPLE_OVERSUBSCRIBED;
    failure = run(&flagged);
    places_close(&serve_places);
    return failure;
}

/* Registers the workload, on submit_serve and serve_attach. started: runs a function with the runtime's threads there.
 */
#define RUNTIME_SERVE(text, started)                                                                                   \
    static int measure_serve(const struct cell *cell) { return serve_measure(cell, submit_serve, serve_attach); }      \
    static int run_serve(const struct cell *cell) { return runtime_cell(cell, started, measure_serve); }               \
    static int cell_of_serve(const struct cell *cell) { return serve_cell(cell, run_serve); }                          \
    REGISTER_WORKLOAD(serve, "serve", text, {load_parameters, runtime_parameters}, "1+threads", false,                 \
                      load_unsupported, cell_of_serve)

#endif
