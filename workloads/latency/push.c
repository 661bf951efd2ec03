/* push.c: latency of pushing a batch.
 *
 * Each prepared deque starts empty and takes batches until it holds `fill` items, or `capacity` when fill=0 (one batch
 * at least). Every deque takes as many items, so all work on as much memory. Only the pushes are timed, and with fill
 * above capacity a growing deque's growth with them. After A Lock-Free Work-Stealing
 * Algorithm for Bulk Operations, figure 6.
 */
#include "workloads/latency/microbenchmark.h"

#define FILL_ITEMS 1024 /* items in a full deque if capacity=0: the first capacity of Taskflow's unbounded deque */

struct push {
    struct prepared prepared;
    size_t batch, batches;  /* items in a batch, batches into each deque */
    bool single, prelinked; /* how they go in; neither: by batches */
    enum chaining chaining;
    struct deque_list *lists;    /* one a batch; these are pushed */
    struct deque_list *headless; /* the same without their oldest item; lists are rebuilt from these */
    size_t lists_for;            /* deques that lists were built for */
};

#if DEQUE_NATIVE & DEQUE_LISTS
/* Lists are built once, but for their oldest item: pushing writes that item's link, so it is appended each time. */
static bool build_lists(struct push *push, size_t deques) {
    size_t count = deques * push->batches;
    if (push->lists_for < push->prepared.room) {
        size_t all = push->prepared.room * push->batches;
        free(push->lists);
        free(push->headless);
        push->lists = calloc(all, sizeof *push->lists);
        push->headless = calloc(all, sizeof *push->headless);
        if (!push->lists || !push->headless)
            return false;
        for (size_t i = 0; i < all; i++)
            for (size_t j = push->batch; j > 1; j--)
                deque_list_append(&push->headless[i], (deque_item)push->prepared.items.at[i * push->batch + j - 1]);
        push->lists_for = push->prepared.room;
    }
    for (size_t i = 0; i < count; i++) {
        push->lists[i] = push->headless[i];
        deque_list_append(&push->lists[i], (deque_item)push->prepared.items.at[i * push->batch]);
    }
    return true;
}

static void run_lists(struct push *push, size_t deques) {
    measured_loops.push_list(push->prepared.at, deques, push->lists, push->batches);
}
#else
/* Never reached: push_unsupported() refuses prelinked=1 for a deque without lists. */
static bool build_lists(struct push *push, size_t deques) { return push->prelinked && deques == 0; }
static void run_lists(struct push *push, size_t deques) { (void)push, (void)deques; }
#endif

static bool prepare_push(void *context, size_t deques) {
    struct push *push = context;
    return prepared_reset(&push->prepared, deques) && (!push->prelinked || build_lists(push, deques)) &&
           prepared_evict(&push->prepared);
}

static void run_batches(void *context, size_t deques) {
    struct push *push = context;
    const deque_item *items = prepared_items(&push->prepared, 0);
    size_t mask = push->prepared.sets - 1;
    if (push->prelinked)
        run_lists(push, deques);
    else if (push->single)
        measured_loops.push_single[push->chaining](push->prepared.at, deques, items, mask, push->batches * push->batch);
    else
        measured_loops.push_batch(push->prepared.at, deques, items, mask, push->batches, push->batch);
}

/* One push of a batch an iteration; the deque is made anew before each, as the paper reset its queues. */
static void published_push(void *context, struct gbench_loop *loop) {
    struct push *push = context;
    struct deque *deque = push->prepared.at[0];
    while (published_next(loop, prepare_push, push)) {
        const deque_item *items = prepared_items(&push->prepared, 0);
        if (push->prelinked)
            run_lists(push, 1);
        else if (push->single)
            for (size_t i = 0; i < push->batch; i++)
                OPERATION_DONE(deque_push(deque, items[i]));
        else
            OPERATION_DONE(deque_push_batch(deque, items, push->batch));
    }
}

static const char *push_unsupported(const struct cell *cell) {
    if (cell_integer(cell, "prelinked") && !DEQUE_HAS(DEQUE_LISTS))
        return "prelinked=1 needs a deque that takes lists";
    if (chaining_of(cell) != IN_A_ROW && (cell_integer(cell, "prelinked") || cell_integer(cell, "batch") > 1) &&
        !cell_is(cell, "push", "single"))
        return "operations=independent and dependent are of single pushes";
    return prepared_unsupported(cell);
}

static int push_run(const struct cell *cell) {
    struct push push = {.batch = (size_t)cell_integer(cell, "batch"),
                        .single = cell_is(cell, "push", "single") || chaining_of(cell) != IN_A_ROW,
                        .chaining = chaining_of(cell),
                        .prelinked = cell_integer(cell, "prelinked") == 1};
    size_t capacity = (size_t)cell_integer(cell, "capacity");
    size_t given = (size_t)cell_integer(cell, "fill"), fill = given ? given : capacity ? capacity : FILL_ITEMS;
    push.batches = fill / push.batch;
    if (push.batches == 0 || cell_is(cell, "method", "published"))
        push.batches = 1;
    const size_t each = push.prepared.after = push.batches * push.batch;
    bool emulated = !push.single && !push.prelinked && push.batch > 1 && !DEQUE_HAS(DEQUE_PUSH_BATCH);
    unsigned flags = emulated ? SAMPLE_EMULATED : 0;
    struct measurement measurement = {.cell = cell,
                                      .context = &push,
                                      .prepare = prepare_push,
                                      .run = run_batches,
                                      .verify = prepared_verify,
                                      .operations = (double)push.batches * (double)push.batch,
                                      .published_loop = published_push};
    struct measured measured;
    int failure = measure_alone(&measurement, &push.prepared, each, each > fill ? each : fill, each, &measured);
    measure_report(&measurement, &measured, "owner", "push_latency", 1e9 / (double)push.batches, "ns", flags);
    measure_report(&measurement, &measured, "owner", "push_latency_per_item", 1e9 / (double)each, "ns", flags);
    free(push.lists);
    free(push.headless);
    return failure;
}

REGISTER_WORKLOAD(push, .name = "push", .summary = "latency of pushing a batch",
                  .parameters = {push_parameters, microbenchmark_parameters}, .unsupported = push_unsupported,
                  .run = push_run);
