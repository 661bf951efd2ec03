/* serve.c: an open load on the pool: work arrives from outside, one request after the other, and somebody waits for
 * each.
 *
 * What a request is (request=), made of parts= parts with a cost of their own each:
 *
 *   one        one task; parts= is 1
 *   forkjoin   forks as many children, and ends when it has joined them
 *   chain      one task wakes the next, as two that talk to each other do (ping-pong); ends with the last
 *   fanout     wakes as many tasks, and ends when the slowest has
 *   cancel     a binary tree of tasks, of which those not begun when half of them have run do nothing
 */
#include "workloads/pool/pool.h"
#include "workloads/serve/load.h"
#include <stdio.h>
#include <stdlib.h>

#define REQUESTS(ONE)                                                                                                  \
    ONE(REQUEST_ONE, "one")                                                                                            \
    ONE(REQUEST_FORKJOIN, "forkjoin")                                                                                  \
    ONE(REQUEST_CHAIN, "chain")                                                                                        \
    ONE(REQUEST_FANOUT, "fanout")                                                                                      \
    ONE(REQUEST_CANCEL, "cancel")
enum request_kind { REQUESTS(LIST_NAME) };

static const struct parameter parameters[] = {
    PARAMETER_CHOICE(
        "request", "one", LIST_CHOICES(REQUESTS),
        "one: one task; forkjoin: a fork and join of parts; chain: parts that wake each other one after the other; "
        "fanout: parts woken at once, the slowest one answers; cancel: a tree of parts that is cancelled half-way"),
    PARAMETER_INTEGER("parts", 8, 1, 4096, "tasks", "parts of a request (but for request=one)"),
    PARAMETER_INTEGER("after", 0, 0, 1000, "percent",
                      "chain, fanout: after a task has woken others, it works on for this share of a part's work"),
    PARAMETER_CHOICE(
        "to", "shared", "shared|own|idle",
        "where requests wait. shared: in one queue for all workers (Tokio's injection queue, Go's global one); own: in "
        "one worker's queue, chosen by hashing; idle: in an idle worker's, else in the shared one"),
    PARAMETER_CHOICE(
        "take", "share", "share|one",
        "what a worker takes from its queue. share: its share, at most 16, into its deque; one: one request"),
    PARAMETER_INTEGER(
        "look", 61, 0, 1000000, "tasks",
        "every so many tasks a worker looks into the queue before its own deque (61 as in Go and Tokio); 0: never"),
    PARAMETERS_END,
};

struct serving;

/* A part: as a task or as a fork, whose first member is a task. */
struct part {
    struct pool_fork fork;
    struct job *job;
};

struct job {
    struct pool_task task; /* first */
    struct serving *serving;
    size_t number;
    struct part *parts;
    _Atomic unsigned left, done; /* parts that have not ended; that have worked */
};

struct serving {
    struct pool *pool;
    struct load *load;
    struct job *jobs;
    struct part *parts;
    size_t room;
    unsigned count; /* of parts */
    unsigned after;
    void (*run)(struct pool_worker *, struct pool_task *); /* of a job */
    struct pool_task opening, closing;
};

static struct job *job_of(struct pool_task *task) { return (struct job *)(void *)task; }
static struct part *part_of(struct pool_task *task) { return (struct part *)(void *)task; }

static void work(const struct job *job, unsigned part, unsigned percent) {
    if (percent > 0)
        load_work(job->serving->load, job->number, part, percent);
}
static void begin(const struct job *job) { load_begin(job->serving->load, job->number); }
static void end(const struct job *job) { load_end(job->serving->load, job->number); }

static void run_one(struct pool_worker *worker, struct pool_task *task) {
    (void)worker;
    load_serve(job_of(task)->serving->load, job_of(task)->number);
}

static void run_child(struct pool_worker *worker, struct pool_fork *fork) {
    const struct part *part = (struct part *)(void *)fork;
    (void)worker;
    work(part->job, (unsigned)(part - part->job->parts), 100);
}

static void run_forkjoin(struct pool_worker *worker, struct pool_task *task) {
    struct job *job = job_of(task);
    const unsigned count = job->serving->count;
    begin(job);
    for (unsigned i = 0; i < count; i++)
        pool_fork(worker, &job->parts[i].fork, run_child);
    for (unsigned i = count; i-- > 0;)
        pool_join(worker, &job->parts[i].fork);
    end(job);
}

/* Part number i of a chain; the job may be over when it still works. */
static void run_link(struct pool_worker *worker, struct job *job, unsigned i) {
    const struct serving *serving = job->serving;
    work(job, i, 100);
    if (i + 1 < serving->count) {
        pool_spawn(worker, &job->parts[i + 1].fork.task);
        work(job, i, serving->after);
    } else {
        end(job);
    }
}

static void run_later_link(struct pool_worker *worker, struct pool_task *task) {
    struct part *part = part_of(task);
    run_link(worker, part->job, (unsigned)(part - part->job->parts));
}

static void run_chain(struct pool_worker *worker, struct pool_task *task) {
    begin(job_of(task));
    run_link(worker, job_of(task), 0);
}

/* One part less; acquire and release: the last part sees the work of all. */
static void part_ended(struct job *job) {
    if (atomic_fetch_sub_explicit(&job->left, 1, memory_order_acq_rel) == 1)
        end(job);
}

static void run_fanned(struct pool_worker *worker, struct pool_task *task) {
    struct part *part = part_of(task);
    (void)worker;
    work(part->job, (unsigned)(part - part->job->parts), 100);
    part_ended(part->job);
}

static void run_fanout(struct pool_worker *worker, struct pool_task *task) {
    struct job *job = job_of(task);
    const struct serving *serving = job->serving;
    begin(job);
    atomic_store_explicit(&job->left, serving->count, memory_order_relaxed);
    for (unsigned i = 0; i < serving->count; i++)
        pool_spawn(worker, &job->parts[i].fork.task);
    work(job, 0, serving->after);
}

/* A node of a tree. Once half of the nodes have worked, further ones do nothing and have no children. */
static void run_node(struct pool_worker *worker, struct job *job, unsigned i) {
    const unsigned count = job->serving->count;
    if (atomic_load_explicit(&job->done, memory_order_relaxed) < (count + 1) / 2) {
        work(job, i, 100);
        atomic_fetch_add_explicit(&job->done, 1, memory_order_relaxed);
        for (unsigned child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++) {
            atomic_fetch_add_explicit(&job->left, 1, memory_order_relaxed);
            pool_spawn(worker, &job->parts[child].fork.task);
        }
    }
    part_ended(job);
}

static void run_later_node(struct pool_worker *worker, struct pool_task *task) {
    struct part *part = part_of(task);
    run_node(worker, part->job, (unsigned)(part - part->job->parts));
}

static void run_cancel(struct pool_worker *worker, struct pool_task *task) {
    struct job *job = job_of(task);
    begin(job);
    atomic_store_explicit(&job->left, 1, memory_order_relaxed);
    atomic_store_explicit(&job->done, 0, memory_order_relaxed);
    run_node(worker, job, 0);
}

/* The run is held while requests may come. */
static struct serving *serving_of(struct pool_worker *worker) { return pool_context(worker); }
static void run_opening(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    pool_hold(worker);
    load_opened(serving_of(worker)->load);
}
static void run_closing(struct pool_worker *worker, struct pool_task *task) {
    (void)task;
    pool_release(worker);
}

static const struct kind {
    void (*first)(struct pool_worker *, struct pool_task *);
    void (*later)(struct pool_worker *, struct pool_task *); /* of parts that are tasks */
} kinds[] = {[REQUEST_ONE] = {run_one, NULL},
             [REQUEST_FORKJOIN] = {run_forkjoin, NULL},
             [REQUEST_CHAIN] = {run_chain, run_later_link},
             [REQUEST_FANOUT] = {run_fanout, run_fanned},
             [REQUEST_CANCEL] = {run_cancel, run_later_node}};

static bool prepare(void *context, struct load *load, size_t requests) {
    struct serving *serving = context;
    const struct kind *kind = &kinds[cell_choice(pool_cell(serving->pool), "request")];
    serving->load = load;
    if (requests > serving->room) {
        free(serving->jobs);
        free(serving->parts);
        serving->jobs = calloc(requests, sizeof *serving->jobs);
        serving->parts = calloc(requests * serving->count, sizeof *serving->parts);
        serving->room = serving->jobs && serving->parts ? requests : 0;
        if (serving->room == 0)
            return false;
    }
    for (size_t i = 0; i < requests; i++) {
        struct job *job = &serving->jobs[i];
        *job = (struct job){
            .task = {kind->first}, .serving = serving, .number = i, .parts = &serving->parts[i * serving->count]};
        for (unsigned j = 0; j < serving->count; j++)
            job->parts[j] = (struct part){.fork.task = {kind->later}, .job = job};
    }
    return true;
}

static int serve(void *context) {
    struct serving *serving = context;
    struct pool_task *opening = &serving->opening;
    return pool_run(serving->pool, &opening, 1);
}

static bool submit(void *context, size_t request) {
    struct serving *serving = context;
    return pool_submit(serving->pool, &serving->jobs[request].task, (unsigned)request);
}

static void close_run(void *context) {
    struct serving *serving = context;
    while (!pool_submit(serving->pool, &serving->closing, 0)) /* without memory the run would not end */
        continue;
}

static void report(void *context, unsigned repetition) {
    const struct serving *serving = context;
    pool_report(serving->pool, pool_cell(serving->pool), repetition);
}

static int run(const struct cell *cell) {
    static struct places places;
    const bool whole = cell_is(cell, "request", "one");
    struct serving serving = {.count = whole ? 1 : (unsigned)cell_integer(cell, "parts"),
                              .after = (unsigned)cell_integer(cell, "after"),
                              .opening = {run_opening},
                              .closing = {run_closing}};
    const struct pool_settings settings = {.context = &serving,
                                           .arrivals = cell_is(cell, "to", "own")    ? POOL_TO_OWN
                                                       : cell_is(cell, "to", "idle") ? POOL_TO_IDLE
                                                                                     : POOL_TO_SHARED,
                                           .look = (unsigned)cell_integer(cell, "look"),
                                           .one_at_a_time = cell_is(cell, "take", "one")};
    const struct load_server server = {.context = &serving,
                                       .places = &places,
                                       .threads = (unsigned)cell_integer(cell, "threads"),
                                       .parts = serving.count,
                                       .prepare = prepare,
                                       .serve = serve,
                                       .submit = submit,
                                       .close = close_run,
                                       .report = report};
    struct cell flagged = *cell;
    int failure = places_open(&places, cell, server.threads + 1);
    if (failure != 0)
        return failure == PLACES_DENIED ? 0 : failure;
    if (places.oversubscribed)
        flagged.flags |= SAMPLE_OVERSUBSCRIBED;
    failure = pool_open(&serving.pool, &flagged, &settings);
    if (failure == 0)
        failure = load_measure(pool_cell(serving.pool), &server);
    pool_close(serving.pool);
    places_close(&places);
    free(serving.jobs);
    free(serving.parts);
    return failure;
}

static const char *unsupported(const struct cell *cell) {
    if (cell_integer(cell, "master") != 0)
        return "master=1: requests would wait for the master alone";
    return load_unsupported(cell) ? load_unsupported(cell) : pool_unsupported(cell);
}

REGISTER_WORKLOAD(serve, .name = "serve",
                  .summary = "requests that arrive from outside: how long each waits, and how long it takes",
                  .parameters = {pool_parameters, load_parameters, parameters}, .threads = "1+threads",
                  .unsupported = unsupported, .run = run);
