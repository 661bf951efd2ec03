/* replay.c: a program's own pushes, pops and steals, recorded by PREFIX_trace (trace_file.h), on this deque.
 *
 * Each thread does what its thread did, in that order. With pace=recorded it works between two operations for as long
 * as the program did: the work is a loop of known length, so that no clock is read. What an operation costs on this
 * deque is then part of run_time, as it was part of the program's. pace=none leaves that work out.
 *
 * The outcomes are this deque's own: who is earlier or later here may find a deque empty that had an item there. So an
 * operation that failed in the program is attempted as often here. In the end all that was pushed must have come out.
 */
#include "harness/measuring/deque_under_test.h"
#include "harness/measuring/one_thief.h"
#include "harness/measuring/threads/distance.h"
#include "harness/measuring/threads/team.h"
#include "workloads/applications/task_cost.h"
#include "workloads/replay/deque_independent/trace_file.h"
#include <errno.h>
#include <stdio.h>

static const struct parameter parameters[] = {
    PARAMETER_TEXT("file", "none", "the file that PREFIX_trace of an exported deque or pool wrote"),
    PARAMETER_INTEGER("threads", 1, 1, TRACE_THREADS_MAX, "", "threads of the file"),
    PARAMETER_CHOICE(
        "pace", "recorded", "recorded|none",
        "recorded: work between two operations takes as long as the program's; none: no work between them"),
    PARAMETER_INTEGER("capacity", 8192, 1, 1 << 24, "items",
                      "capacity of a fixed deque, first capacity of a growing one"),
    PARAMETER_INTEGER("block", 4, 0, 1024, "items",
                      "items in a block, in deques made of blocks; 0: the deque's own number"),
    PARAMETERS_END,
};

static const struct deque_traits traits = DEQUE_TRAITS;

/* What carries an item: a link, where the deque links them, and nothing else. */
union object {
#if DEQUE_NATIVE & DEQUE_LISTS
    struct deque_link link;
#endif
    uint64_t nothing;
};

/* A thread of the replay. Written by it alone. */
struct player {
    alignas(DEQUE_LINE) union object *objects; /* an item is the address of one; each is pushed once */
    uint64_t next;                             /* how many have been */
    deque_item *batch;                         /* room for the most items of an operation */
    uint64_t pushed, taken;                    /* sums of items, which are equal in the end */
    uint64_t steals, failed_steals, refused;
    uint64_t began, ended; /* clock */
};

struct replay {
    struct team team;
    const struct cell *cell;
    struct trace trace;
    struct deque *deques;
    struct victim_lock *locks; /* by deque */
    struct player *players;
    double iteration; /* ns of a loop of work; 0: pace=none */
    alignas(DEQUE_LINE) _Atomic unsigned ready;
};

static void take(struct player *me, deque_item item) { me->taken += (uintptr_t)item; }

static void push(struct player *me, struct deque *deque, size_t items) {
    size_t done;
    for (size_t i = 0; i < items; i++)
        me->batch[i] = (deque_item)(void *)&me->objects[me->next++];
    if (items == 1)
        done = deque_push(deque, me->batch[0]) == DEQUE_OK;
    else
        done = deque_push_batch(deque, me->batch, items);
    for (size_t i = 0; i < done; i++)
        me->pushed += (uintptr_t)me->batch[i];
    me->refused += items - done;
}

static void steal(struct player *me, struct replay *replay, const struct trace_event *event, struct deque *own) {
    struct deque *victim = &replay->deques[event->deque];
    struct victim_lock *lock = &replay->locks[event->deque];
    deque_item item = 0;
    size_t n = 0;
    enum deque_result result;
    if (traits.thieves != DEQUE_MANY_THIEVES && VICTIM_REFUSES(lock)) {
        me->failed_steals++;
        return;
    }
    if (event->operation == TRACE_STEAL_BATCH && event->items > 1)
        result = deque_steal_batch(victim, own, 100, me->batch, event->items, &n);
    else if (event->operation == TRACE_STEAL_INTO)
        result = deque_steal_into(victim, own, &item, &n);
    else
        result = deque_steal(victim, own, &item);
    if (traits.thieves != DEQUE_MANY_THIEVES)
        victim_unlock(lock);
    if (item && result == DEQUE_OK)
        take(me, item);
    for (size_t i = 0; event->operation == TRACE_STEAL_BATCH && i < n; i++)
        take(me, me->batch[i]);
    me->steals += result == DEQUE_OK;
    me->failed_steals += result != DEQUE_OK;
}

static void play_event(struct player *me, struct replay *replay, const struct trace_event *event, struct deque *own) {
    deque_item item = 0;
    if (event->operation == TRACE_PUSH)
        push(me, own, event->items);
    else if (event->operation != TRACE_POP)
        steal(me, replay, event, own);
    else if (deque_pop(own, &item) == DEQUE_OK)
        take(me, item);
    deque_poll(own);
}

static void play(struct team_member *member) {
    struct replay *replay = member->team->context;
    struct player *me = &replay->players[member->number];
    const struct trace_thread *thread = &replay->trace.of[member->number];
    struct deque *own = &replay->deques[member->number];
    const double per_ns = replay->iteration > 0 ? 1 / replay->iteration : 0;
    /* relaxed: counts arrivals, and publishes nothing; the team's round has published what is played on */
    atomic_fetch_add_explicit(&replay->ready, 1, memory_order_relaxed);
    while (atomic_load_explicit(&replay->ready, memory_order_relaxed) < replay->team.count)
        sched_yield();
    me->began = clock_nanoseconds();
    for (size_t i = 0; i < thread->count; i++) {
        const struct trace_event *event = &thread->events[i];
        const uint64_t work = (uint64_t)((double)event->gap * per_ns) / event->times;
        for (uint32_t k = 0; k < event->times; k++) {
            task_cost_work(work);
            play_event(me, replay, event, own);
        }
    }
    me->ended = clock_nanoseconds();
}

/* Main, after all have ended: empties the deques. true: each item came out once. */
static bool nothing_lost(struct replay *replay) {
    uint64_t pushed = 0, taken = 0;
    for (unsigned i = 0; i < replay->trace.deques; i++) {
        struct player *me = &replay->players[i < replay->team.count ? i : 0];
        struct deque *thief = &replay->deques[i == 0 && replay->trace.deques > 1];
        deque_item item = 0;
        while (deque_pop(&replay->deques[i], &item) == DEQUE_OK ||
               (traits.delivery == DEQUE_ONCE && traits.thieves != DEQUE_OWNER_ONLY && thief != &replay->deques[i] &&
                deque_steal(&replay->deques[i], thief, &item) == DEQUE_OK))
            take(me, item);
    }
    for (unsigned i = 0; i < replay->team.count; i++)
        pushed += replay->players[i].pushed, taken += replay->players[i].taken;
    if (pushed == taken || traits.delivery == DEQUE_AT_LEAST_ONCE || traits.keeps_nothing)
        return true;
    fprintf(stderr, "stealbench: replay: what came out is not what went in\n");
    return false;
}

/* 0, or 3: no memory. */
static int make_deques(struct replay *replay) {
    struct deque_config config = {.capacity = cell_integer(replay->cell, "capacity"),
                                  .block = cell_integer(replay->cell, "block"),
                                  .workers = replay->trace.deques,
                                  .first = replay->deques};
    memset(replay->locks, 0, replay->trace.deques * sizeof *replay->locks);
    for (unsigned i = 0; i < replay->team.count; i++) {
        struct player *me = &replay->players[i];
        *me = (struct player){.objects = me->objects, .batch = me->batch};
        /* from here on touched, so that no page is missing while it is timed */
        memset(me->objects, 0, (replay->trace.of[i].pushed + 1) * sizeof *me->objects);
    }
    for (config.worker = 0; config.worker < replay->trace.deques; config.worker++)
        if (deque_init(&replay->deques[config.worker], &config) != 0) {
            while (config.worker > 0)
                deque_destroy(&replay->deques[--config.worker]);
            return 3;
        }
    return 0;
}

static int play_once(struct replay *replay, unsigned repetition) {
    const struct cell *cell = replay->cell;
    uint64_t operations = 0, began = UINT64_MAX, ended = 0, steals = 0, failed = 0, refused = 0;
    int failure = make_deques(replay);
    if (failure)
        return failure;
    atomic_store_explicit(&replay->ready, 0, memory_order_relaxed);
    const unsigned flags = (replay->team.places.oversubscribed ? SAMPLE_OVERSUBSCRIBED : 0u) |
                           (replay->trace.batches && !DEQUE_HAS(DEQUE_STEAL_BATCH) ? SAMPLE_EMULATED : 0u);
    team_begin(&replay->team, play);
    play(&replay->team.threads[0]);
    team_end(&replay->team);
    const bool fine = nothing_lost(replay);
    for (unsigned i = 0; i < replay->team.count; i++) {
        const struct player *me = &replay->players[i];
        began = me->began < began ? me->began : began;
        ended = me->ended > ended ? me->ended : ended;
        operations += replay->trace.of[i].operations;
        steals += me->steals, failed += me->failed_steals, refused += me->refused;
    }
    for (unsigned i = replay->trace.deques; i > 0; i--)
        deque_destroy(&replay->deques[i - 1]);
    cell_sample(cell, "pool", repetition, "run_time", (double)(ended - began) * 1e-9, "s", flags);
    cell_sample(cell, "pool", repetition, "operations", (double)operations, "operations", flags);
    cell_sample(cell, "pool", repetition, "replayed_steals", (double)steals, "steals", flags);
    cell_sample(cell, "pool", repetition, "replayed_failed_steals", (double)failed, "steals", flags);
    cell_sample(cell, "pool", repetition, "refused_items", (double)refused, "items", flags);
    return fine ? 0 : 1;
}

static bool find_room(struct replay *replay) {
    const struct trace *trace = &replay->trace;
    replay->deques = DEQUE_ALLOC(trace->deques * sizeof *replay->deques);
    replay->locks = calloc(trace->deques, sizeof *replay->locks);
    replay->players = DEQUE_ALLOC(trace->threads * sizeof *replay->players);
    if (!replay->deques || !replay->locks || !replay->players)
        return false;
    memset(replay->players, 0, trace->threads * sizeof *replay->players);
    for (unsigned i = 0; i < trace->threads; i++) {
        replay->players[i].objects = calloc(trace->of[i].pushed + 1, sizeof *replay->players[i].objects);
        replay->players[i].batch = calloc(trace->items_most + 1, sizeof *replay->players[i].batch);
        if (!replay->players[i].objects || !replay->players[i].batch)
            return false;
    }
    return true;
}

static int measure(struct replay *replay) {
    int failure = find_room(replay) ? 0 : 3;
    if (failure) {
        fprintf(stderr, "stealbench: replay: no memory for the file's items\n");
        return failure;
    }
    replay->iteration = cell_is(replay->cell, "pace", "recorded") ? task_cost_calibrate() : 0;
    failure = team_start(&replay->team);
    if (failure)
        return failure;
    places_note_memory(&replay->team.places, replay->deques, sizeof *replay->deques);
    places_report(&replay->team.places, replay->cell, "w0", NULL);
    distance_report(replay->cell, &replay->team.places);
    for (unsigned i = 0; i < replay->cell->repetitions && failure == 0; i++) {
        failure = play_once(replay, i);
        distance_report(replay->cell, &replay->team.places);
    }
    team_stop(&replay->team);
    return failure;
}

static int run(const struct cell *cell) {
    static struct replay replay;
    char message[LINES_MESSAGE];
    int failure = trace_read(&replay.trace, cell_text(cell, "file"), message);
    if (failure) {
        fprintf(stderr, "stealbench: replay: %s\n", message);
        return failure == EINVAL ? 2 : 3;
    }
    replay.cell = cell;
    replay.team.cell = cell;
    replay.team.context = &replay;
    if (cell_integer(cell, "threads") != replay.trace.threads) {
        fprintf(stderr, "stealbench: replay: %s has %u threads: threads=%u\n", cell_text(cell, "file"),
                replay.trace.threads, replay.trace.threads);
        return 2;
    }
    failure = team_open(&replay.team, replay.trace.threads);
    if (failure == 0)
        failure = measure(&replay);
    team_close(&replay.team);
    return failure == PLACES_DENIED ? 0 : failure;
}

static const char *unsupported(const struct cell *cell) {
    if (traits.thieves == DEQUE_OWNER_ONLY && cell_integer(cell, "threads") > 1)
        return "replay: this reference has no thieves";
    return NULL;
}

REGISTER_WORKLOAD(replay, .name = "replay",
                  .summary = "a program's own pushes, pops and steals, recorded by PREFIX_trace",
                  .parameters = {parameters}, .threads = "threads", .unsupported = unsupported, .run = run);
