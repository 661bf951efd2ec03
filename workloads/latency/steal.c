/* steal.c: latency of stealing a proportion of a deque.
 *
 * Deques hold `size` items; `percent` of them are taken in one call where the deque has such a call (form=native), or
 * one by one. owner=idle: the thread that filled them steals, and nobody else runs. owner=busy: the owner, on a
 * processor of its own, pushes and pops at the deque that is being stolen from. A deque whose thieves have to ask its
 * owner is measured with a busy one only, item by item, each asked for until it comes.
 * After A Lock-Free Work-Stealing Algorithm for Bulk Operations, figures 7 and 8.
 */
#include "harness/measuring/cycles.h"
#include "workloads/latency/busy_owner.h"
#include "workloads/latency/microbenchmark.h"

static const struct parameter steal_parameters[] = {
    PARAMETER_INTEGER("size", 10000, 1, 1 << 24, "items", "items in each deque beforehand"),
    PARAMETER_INTEGER("percent", 50, 1, 100, "percent", "share of the items to steal"),
    PARAMETER_CHOICE("owner", "idle", "idle|busy", "busy: the owner pushes and pops meanwhile, on another core"),
    PARAMETER_CHOICE("form", "native", "native|single",
                     "native: one call, if the deque has it; single: one steal an item"),
    PARAMETERS_END,
};

struct steal {
    struct prepared prepared;
    size_t size, wanted; /* items in each deque, and how many of them to take */
    unsigned percent;
    bool single;
    deque_item *taken;          /* where a batch goes */
    size_t stolen, calls;       /* items and deques, over all timed runs */
    size_t run_stolen;          /* items in the last run */
    size_t lost;                /* attempts that another thread won */
    struct busy_owner *owner;   /* NULL: idle */
    struct counters *counters;  /* the thief's */
    double tick, sampling_cost; /* of the counter that times single steals beside the owner: ns */
};

/* Does the deque have a batch steal? */
#define HAS_BATCH (DEQUE_HAS(DEQUE_LISTS) || DEQUE_HAS(DEQUE_STEAL_BATCH))

static size_t steal_from(struct steal *steal, struct deque *const *victims, size_t count) {
    if (steal->single || (DEQUE_HAS(DEQUE_POLL) && !HAS_BATCH))
        return measured_loops.steal_single(victims, count, steal->prepared.self, steal->wanted, &steal->lost);
    return measured_loops.steal_native(victims, count, steal->prepared.self, steal->percent, steal->taken, steal->size,
                                       &steal->lost);
}

/* By the thread that will be the owner. */
static bool fill(void *context, size_t deques) {
    struct steal *steal = context;
    return prepared_filled(&steal->prepared, deques, steal->size);
}

static bool prepare_steal(void *context, size_t deques) {
    struct steal *steal = context;
    return steal->owner ? busy_owner_prepare(steal->owner, deques) : fill(context, deques);
}

static void run_steals(void *context, size_t deques) {
    struct steal *steal = context;
    steal->run_stolen = steal_from(steal, steal->prepared.at, deques);
    steal->stolen += steal->run_stolen;
    steal->calls += deques;
}

/* Stolen and remaining items together are all items. */
static bool verify_steal(void *context, size_t deques) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    struct steal *steal = context;
    size_t left = 0;
    if (traits.keeps_nothing)
        return true;
    for (size_t i = 0; i < deques; i++)
        left += deque_size(steal->prepared.at[i]);
    if (left + steal->run_stolen == deques * steal->size)
        return true;
    fprintf(stderr, "stealbench: of %zu items %zu were stolen and %zu are left\n", deques * steal->size,
            steal->run_stolen, left);
    return false;
}

static void published_steal(void *context, struct gbench_loop *loop) {
    struct steal *steal = context;
    while (published_next(loop, prepare_steal, steal))
        run_steals(steal, 1);
}

/* Times each steal by itself, because between two of them the thief waits for the owner. */
static double timed_beside_owner(void *context, size_t deques, bool *held) {
    struct steal *steal = context;
    const size_t lost = steal->lost;
    const uint64_t window = busy_owner_start(steal->owner, steal->prepared.at[0]);
    uint64_t ticks = 0;
    steal->run_stolen = 0;
    counters_start(steal->counters);
    for (size_t i = 0; i < deques; i++) {
        busy_owner_moves_to(steal->owner, steal->prepared.at[i]);
        uint64_t begin = cycles_begin();
        steal->run_stolen += steal_from(steal, &steal->prepared.at[i], 1);
        ticks += cycles_end() - begin;
    }
    counters_stop(steal->counters);
    *held = busy_owner_stop(steal->owner, window);
    if (*held) {
        steal->stolen += steal->run_stolen;
        steal->calls += deques;
    } else {
        steal->lost = lost;
    }
    const double took = (double)ticks * steal->tick - (double)deques * steal->sampling_cost;
    return (took > (double)deques ? took : (double)deques) * 1e-9;
}

static void report_steal(const struct measurement *measurement, const struct steal *steal,
                         const struct measured *measured) {
    double each = (double)steal->stolen / (double)steal->calls;
    unsigned flags = !steal->single && !HAS_BATCH ? SAMPLE_EMULATED : 0;
    const struct cell *cell = measurement->cell;
    measure_report(measurement, measured, "thief", "steal_latency", 1e9, "ns", flags);
    if (each > 0)
        measure_report(measurement, measured, "thief", "steal_latency_per_item", 1e9 / each, "ns", flags);
    cell_sample(cell, "thief", 0, "items_stolen", each, "items", flags);
    if (!steal->owner)
        return;
    cell_sample(cell, "thief", 0, "lost_attempts", (double)steal->lost / (double)steal->calls, "attempts", flags);
    cell_sample(cell, "owner", 0, "owner_operations", steal->owner->operations / steal->owner->seconds, "operations/s",
                flags);
    counters_report(cell, "owner", 0, &steal->owner->team.threads[0].counters, steal->owner->operations);
}

static const char *steal_unsupported(const struct cell *cell) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    if (DEQUE_HAS(DEQUE_POLL) && !cell_is(cell, "owner", "busy"))
        return "owner=idle: thieves have to ask this deque's owner, who has to be at work: owner=busy";
    if (!cell_is(cell, "owner", "busy"))
        return prepared_unsupported(cell);
    if (traits.thieves == DEQUE_OWNER_ONLY)
        return "owner=busy: this deque is for one thread";
    if (!cell_is(cell, "method", "corrected"))
        return "owner=busy is measured by the corrected method only";
    return prepared_unsupported(cell);
}

/* The deques that are stolen from are the owner's own memory. */
static int measure_beside_owner(const struct cell *cell, struct steal *steal, struct measurement *measurement,
                                struct measured *measured) {
    const struct cycles_facts cycles = cycles_calibrate();
    const size_t holds = steal->size + 1; /* the owner pushes one item more than it popped */
    measurement->portions_max = prepared_max(cell, steal->size);
    int failure = prepared_open(&steal->prepared, cell, measurement->portions_max, steal->size, holds, holds);
    if (failure == 0)
        steal->owner = busy_owner_open(cell, fill, steal, &failure);
    if (failure == 0) {
        steal->tick = cycles.tick;
        steal->sampling_cost = cycles.sampling_cost;
        steal->counters = &measurement->counters;
        measurement->timed_run = timed_beside_owner;
        measurement->places = &steal->owner->team.places;
        failure = measure(measurement, measured);
    }
    if (failure == 0) {
        report_steal(measurement, steal, measured);
        places_note_memory(&steal->owner->team.places, steal->prepared.at[0], sizeof *steal->prepared.at[0]);
        places_report(&steal->owner->team.places, cell, "owner", "thief");
    }
    busy_owner_close(steal->owner);
    prepared_close(&steal->prepared);
    return failure == PREPARED_UNSUPPORTED || failure == PLACES_DENIED ? 0 : failure;
}

static int steal_run(const struct cell *cell) {
    const bool busy = cell_is(cell, "owner", "busy");
    struct steal steal = {.size = (size_t)cell_integer(cell, "size"),
                          .percent = (unsigned)cell_integer(cell, "percent"),
                          .single = cell_is(cell, "form", "single")};
    steal.wanted = deque_share(steal.size, steal.percent);
    struct measurement measurement = {.cell = cell,
                                      .context = &steal,
                                      .prepare = prepare_steal,
                                      .run = run_steals,
                                      .verify = busy ? NULL : verify_steal,
                                      .role = "thief",
                                      /* 0: beside an owner the counters see the thief wait, too */
                                      .operations = busy ? 0 : (double)steal.wanted,
                                      .published_loop = published_steal};
    struct measured measured;
    int failure = 3;
    steal.taken = calloc(steal.size, sizeof *steal.taken);
    if (steal.taken && busy) {
        failure = measure_beside_owner(cell, &steal, &measurement, &measured);
    } else if (steal.taken) {
        failure = measure_alone(&measurement, &steal.prepared, steal.size, steal.size, steal.size, &measured);
        if (measured.repetitions > 0)
            report_steal(&measurement, &steal, &measured);
    }
    free(steal.taken);
    return failure;
}

REGISTER_WORKLOAD(steal, .name = "steal", .summary = "latency of stealing a proportion of a deque",
                  .parameters = {steal_parameters, microbenchmark_parameters}, .threads = "1+owner=busy",
                  .unsupported = steal_unsupported, .run = steal_run);
