/* contention.c: an owner that fills a deque until it is full and drains it until it is empty, while thieves steal from
 * it at a set frequency.
 *
 * case=cycle is the microbenchmark of the BWoS thesis, section 5.2; frequency=0 is its run without steals. case=duel:
 * the owner pushes a single item and pops it a moment later, so that owner and thieves fight for it. Whatever the
 * case, all that was pushed must have come out in the end.
 *
 * Thieves of a deque that serves one at a time take turns by a flag; one that finds it taken has lost that attempt. A
 * growing or linked deque is full when `capacity` items were pushed since it was empty.
 *
 * sample=push|pop|steal times single operations, one in `every`, in a run of its own.
 */
#include "harness/accounting.h"
#include "harness/contention_report.h"
#include "harness/latency.h"
#include "workloads/microbenchmark.h"
#include "workloads/supply.h"
#include <inttypes.h>

static const struct parameter parameters[] = {
    {"thieves", PARAMETER_INTEGER, "1", 0, CONTEST_THIEVES_MOST, NULL, "", "threads that steal"},
    {"frequency", PARAMETER_INTEGER, "100000", 0, PACING_FREQUENCY_MOST, "max", "Hz",
     "steals that each thief attempts a second; 0: none; max: without waiting"},
    {"pacing", PARAMETER_CHOICE, "deadline", 0, 0, "deadline|thesis", "",
     "deadline: attempts are due at fixed times; thesis: a wait of 1/frequency less the last attempt's time"},
    {"case", PARAMETER_CHOICE, "cycle", 0, 0, "cycle|duel", "",
     "cycle: the owner fills and drains; duel: all fight for the last item, over and over"},
    {"capacity", PARAMETER_INTEGER, "1024", 64, 1 << 24, NULL, "items",
     "room of a fixed deque; how far the owner fills another one"},
    {"item", PARAMETER_CHOICE, "8", 0, 0, "8|4", "bytes", "size of an item"},
    {"block", PARAMETER_INTEGER, "0", 0, 1024, NULL, "items", "of deques made of blocks; 0: the deque's own"},
    {"steal", PARAMETER_CHOICE, "one", 0, 0, "one|batch", "", "batch: `percent` of what is there, in one attempt"},
    {"percent", PARAMETER_INTEGER, "50", 0, 100, NULL, "percent", "of a batch; 0: the deque's own rule"},
    {"duration", PARAMETER_REAL, "0", 0, 3600, NULL, "s", "of a repetition; 0: the minimum time"},
    {"sample", PARAMETER_CHOICE, "none", 0, 0, "none|push|pop|steal", "",
     "time single operations: quantiles and histogram of their latencies"},
};

enum sampled { SAMPLED_NONE, SAMPLED_PUSH, SAMPLED_POP, SAMPLED_STEAL };

/* How an attempt ends, beside deque_result: another thief had the turn. */
#define REFUSED (DEQUE_LOST + 1)
#define OUTCOMES (REFUSED + 1)

#define LOG_MOST ((size_t)64 << 20) /* samples of all threads together */
#define OWNER_RATE 2e8              /* operations a second that hardly an owner exceeds */
#define THIEF_RATE 5e7              /* and attempts of a thief that does not wait */
#define TRIES 10                    /* runs until the threads were on their processors together at least once */
#define DUEL_PAUSE 511              /* turns of an empty loop, at most: longer than a line takes to cross the machine */

struct thief {
    alignas(DEQUE_LINE) struct supply_taken taken;
    struct deque *self; /* its own deque, for those that need one */
    deque_item *out;    /* where a batch goes */
    unsigned wait;      /* until the next attempt that is sampled */
};

struct arena {
    struct contest contest;
    struct contention contention;
    struct deque_config config;
    struct deque *deque;
    struct supply supply;
    struct thief *thieves;
    size_t fill, drain; /* operations that a phase makes at most */
    size_t batch_most;
    unsigned percent;
    bool batch, takes_turns;
    enum sampled sampled;
    unsigned every;                       /* one operation in so many is sampled */
    unsigned wait;                        /* until the owner's next one */
    struct latency latency;               /* when sampled */
    alignas(DEQUE_LINE) _Atomic int turn; /* 1: a thief has it */
};

static const struct deque_traits traits = DEQUE_TRAITS;

/* Owner: pushes until one is refused, most at most; how many went in. sampled is a constant. */
DEQUE_OPERATION size_t fill(struct contest_thread *me, struct arena *arena, size_t most, bool *full, bool sampled) {
    struct supply supply = arena->supply;
    struct deque *deque = arena->deque;
    unsigned wait = arena->wait;
    size_t pushed = 0;
    for (; pushed < most; pushed++) {
        deque_item item = supply_next(&supply, deque);
        bool timed = sampled && --wait == 0;
        uint64_t begin = timed ? cycles_begin() : 0;
        enum deque_result result = item == (deque_item)0 ? DEQUE_FULL : deque_push(deque, item);
        OPERATION_DONE(result);
        if (timed && result == DEQUE_OK)
            contest_log(me, cycles_end() - begin, 0);
        if (timed)
            wait = arena->every;
        deque_poll(deque);
        *full = result != DEQUE_OK;
        if (*full)
            break;
        supply_went(&supply, item);
    }
    arena->supply = supply;
    arena->wait = wait;
    return pushed;
}

/* Owner: pops until there is nothing, most at most; how many came out. */
DEQUE_OPERATION size_t drain(struct contest_thread *me, struct arena *arena, size_t most, bool *empty, bool sampled) {
    struct supply supply = arena->supply;
    struct deque *deque = arena->deque;
    unsigned wait = arena->wait;
    size_t popped = 0;
    for (; popped < most; popped++) {
        deque_item item = (deque_item)0;
        bool timed = sampled && --wait == 0;
        uint64_t begin = timed ? cycles_begin() : 0;
        enum deque_result result = deque_pop(deque, &item);
        OPERATION_DONE(item);
        if (timed && result == DEQUE_OK)
            contest_log(me, cycles_end() - begin, 0);
        if (timed)
            wait = arena->every;
        deque_poll(deque);
        *empty = result != DEQUE_OK;
        if (*empty)
            break;
        supply_came(&supply, deque, item);
    }
    arena->supply = supply;
    arena->wait = wait;
    return popped;
}

MEASURED size_t measured_fill(struct contest_thread *me, struct arena *arena, size_t most, bool *full) {
    MEASURED_START();
    return fill(me, arena, most, full, false);
}
MEASURED size_t measured_drain(struct contest_thread *me, struct arena *arena, size_t most, bool *empty) {
    MEASURED_START();
    return drain(me, arena, most, empty, false);
}
MEASURED size_t measured_fill_sampled(struct contest_thread *me, struct arena *arena, size_t most, bool *full) {
    return fill(me, arena, most, full, true);
}
MEASURED size_t measured_drain_sampled(struct contest_thread *me, struct arena *arena, size_t most, bool *empty) {
    return drain(me, arena, most, empty, true);
}

/* Owner: pushes one item and pops it after a random moment, so many times. */
MEASURED void measured_duel(struct contest_thread *me, struct arena *arena, size_t turns) {
    struct supply supply = arena->supply;
    struct deque *deque = arena->deque;
    uint64_t pushed = 0, popped = 0;
    for (; turns > 0; turns--) {
        deque_item item = supply_next(&supply, deque);
        bool went = item != (deque_item)0 && deque_push(deque, item) == DEQUE_OK;
        OPERATION_DONE(went);
        if (went) {
            supply_went(&supply, item);
            pushed++;
        }
        for (uint64_t pause = random_next(&me->random) & DUEL_PAUSE; pause > 0; pause--)
            OPERATION_DONE(pause);
        deque_poll(deque);
        enum deque_result result = deque_pop(deque, &item);
        OPERATION_DONE(item);
        if (result == DEQUE_OK) {
            supply_came(&supply, deque, item);
            popped++;
        }
    }
    arena->supply = supply;
    me->watch.tally[TALLY_PUSHED] += pushed;
    me->watch.tally[TALLY_POPPED] += popped;
}

/* When a thread last read the clock, and how many operations it makes until it does so again. */
struct rhythm {
    uint64_t before;
    unsigned stride;
};

/* After so many operations: what they took. */
static uint64_t rhythm_beat(struct rhythm *rhythm, size_t operations) {
    uint64_t now = clock_nanoseconds(), took = now - rhythm->before;
    rhythm->before = now;
    if (operations >= rhythm->stride)
        rhythm->stride = contest_stride(rhythm->stride, took);
    return took;
}

/* Filling, or draining. */
struct phase {
    size_t (*operate)(struct contest_thread *me, struct arena *arena, size_t most, bool *over);
    size_t most;
    enum tally items, calls, time;
};

/* Owner: one phase. false: stop. */
static bool owner_phase(struct contest_thread *me, struct arena *arena, const struct phase *phase,
                        struct rhythm *rhythm) {
    bool over = false, going = true;
    for (size_t left = phase->most; left > 0 && !over && going;) {
        size_t made = phase->operate(me, arena, left < rhythm->stride ? left : rhythm->stride, &over);
        me->watch.tally[phase->items] += made;
        me->watch.tally[phase->calls] += made + over;
        me->watch.tally[phase->time] += rhythm_beat(rhythm, made + over);
        going = contest_look(me, rhythm->before);
        left -= made;
    }
    return going;
}

static void owner_works(struct contest_thread *me, struct arena *arena) {
    const struct phase filling = {arena->sampled == SAMPLED_PUSH ? measured_fill_sampled : measured_fill, arena->fill,
                                  TALLY_PUSHED, TALLY_PUSHES, TALLY_PUSH_TIME};
    const struct phase draining = {arena->sampled == SAMPLED_POP ? measured_drain_sampled : measured_drain,
                                   arena->drain, TALLY_POPPED, TALLY_POPS, TALLY_POP_TIME};
    struct rhythm rhythm = {clock_nanoseconds(), 64};
    if (!arena->contention.duel) {
        while (owner_phase(me, arena, &filling, &rhythm) && owner_phase(me, arena, &draining, &rhythm))
            ;
        return;
    }
    do {
        measured_duel(me, arena, rhythm.stride);
        rhythm_beat(&rhythm, rhythm.stride);
    } while (contest_look(me, rhythm.before));
}

/* Thief: one attempt. Its items, *n of them, are the item, the batch or the list. */
struct loot {
    deque_item item;
    size_t n;
#if DEQUE_NATIVE & DEQUE_LISTS
    struct deque_list list;
#endif
};
DEQUE_OPERATION unsigned attempt(struct arena *arena, struct thief *thief, struct loot *loot, bool batch) {
    enum deque_result result;
    if (arena->takes_turns) {
        /* acquire: pairs with the release below; the thief before us is done */
        if (atomic_load_explicit(&arena->turn, memory_order_relaxed) ||
            atomic_exchange_explicit(&arena->turn, 1, memory_order_acquire))
            return REFUSED;
    }
    if (!batch) {
        result = deque_steal(arena->deque, thief->self, &loot->item);
        loot->n = 1;
    } else {
#if DEQUE_NATIVE & DEQUE_LISTS
        loot->list = (struct deque_list){0};
        result = deque_steal_list(arena->deque, thief->self, arena->percent, &loot->list);
        loot->n = loot->list.count;
#else
        result = deque_steal_batch(arena->deque, thief->self, arena->percent, thief->out, arena->batch_most, &loot->n);
#endif
    }
    if (arena->takes_turns)
        atomic_store_explicit(&arena->turn, 0, memory_order_release);
    return (unsigned)result;
}

/* Thief: what it got is its own. */
DEQUE_OPERATION void keep(const struct arena *arena, struct thief *thief, struct loot *loot, bool batch) {
    if (!batch) {
        supply_stolen(&arena->supply, &thief->taken, loot->item);
        return;
    }
#if DEQUE_NATIVE & DEQUE_LISTS
    for (size_t i = loot->n; i > 0; i--)
        supply_stolen(&arena->supply, &thief->taken, deque_list_take(&loot->list));
#else
    for (size_t i = 0; i < loot->n; i++)
        supply_stolen(&arena->supply, &thief->taken, thief->out[i]);
#endif
}

/* Thief: so many attempts, counted but not timed. batch is a constant. */
DEQUE_OPERATION void attempts(struct contest_thread *me, struct arena *arena, struct thief *thief, unsigned count,
                              bool batch) {
    uint64_t outcomes[OUTCOMES] = {0}, items = 0;
    const bool sampled = arena->sampled == SAMPLED_STEAL;
    for (; count > 0; count--) {
        struct loot loot;
        bool timed = sampled && --thief->wait == 0;
        uint64_t begin = timed ? cycles_begin() : 0;
        unsigned outcome = attempt(arena, thief, &loot, batch);
        OPERATION_DONE(outcome);
        if (timed && outcome != REFUSED)
            contest_log(me, cycles_end() - begin, outcome == DEQUE_OK ? 0 : outcome == DEQUE_EMPTY ? 1 : 2);
        if (timed)
            thief->wait = arena->every;
        outcomes[outcome]++;
        if (outcome != DEQUE_OK)
            continue;
        keep(arena, thief, &loot, batch);
        items += loot.n;
    }
    uint64_t *tally = me->watch.tally;
    tally[TALLY_STOLEN] += outcomes[DEQUE_OK];
    tally[TALLY_EMPTY] += outcomes[DEQUE_EMPTY];
    tally[TALLY_LOST] += outcomes[DEQUE_LOST] + outcomes[REFUSED];
    tally[TALLY_REFUSED] += outcomes[REFUSED];
    tally[TALLY_ITEMS] += items;
}

MEASURED void measured_attempts(struct contest_thread *me, struct arena *arena, struct thief *thief, unsigned count) {
    MEASURED_START();
    attempts(me, arena, thief, count, false);
}
MEASURED void measured_batches(struct contest_thread *me, struct arena *arena, struct thief *thief, unsigned count) {
    MEASURED_START();
    attempts(me, arena, thief, count, true);
}

static void thief_works(struct contest_thread *me, struct arena *arena, struct thief *thief) {
    void (*const make)(struct contest_thread *, struct arena *, struct thief *, unsigned) =
        arena->batch ? measured_batches : measured_attempts;
    struct rhythm rhythm = {clock_nanoseconds(), 1};
    uint64_t *tally = me->watch.tally;
    if (arena->contest.frequency == CONTEST_FASTEST) {
        do {
            make(me, arena, thief, rhythm.stride);
            tally[TALLY_STEAL_TIME] += rhythm_beat(&rhythm, rhythm.stride);
            tally[TALLY_CLOCKED]++;
        } while (contest_look(me, rhythm.before));
        return;
    }
    while (contest_wait(me)) {
        uint64_t began = me->now;
        make(me, arena, thief, 1);
        uint64_t ended = clock_nanoseconds();
        tally[TALLY_STEAL_TIME] += ended - began;
        tally[TALLY_CLOCKED]++;
        pace_next(&me->pace, began, ended);
    }
}

/* Thief, before the first attempt: its own memory. The process ends when there is none. */
static void thief_prepares(const struct arena *arena, struct thief *thief, unsigned worker) {
    struct deque_config config = arena->config;
    config.worker = worker;
    config.first = arena->deque;
    thief->self = traits.needs_self ? DEQUE_ALLOC(sizeof *thief->self) : NULL;
    thief->out = arena->batch ? calloc(arena->batch_most, sizeof *thief->out) : NULL;
    if ((traits.needs_self && (!thief->self || deque_init(thief->self, &config) != 0)) ||
        (arena->batch && !thief->out)) {
        fprintf(stderr, "stealbench: no memory for a thief\n");
        exit(3);
    }
}

static void work(struct contest_thread *me) {
    struct arena *arena = me->contest->context;
    if (me->number == 0) {
        owner_works(me, arena);
        return;
    }
    thief_prepares(arena, &arena->thieves[me->number - 1], me->number);
    thief_works(me, arena, &arena->thieves[me->number - 1]);
}

/* Owner: a fresh deque, and items for it. 0, or 3 (said). */
static int make_ready(struct arena *arena) {
    unsigned thieves = arena->contest.count - 1;
    size_t capacity = arena->config.capacity;
    arena->deque = DEQUE_ALLOC(sizeof *arena->deque);
    arena->thieves = DEQUE_ALLOC((thieves + 1) * sizeof *arena->thieves);
    if (!arena->deque || !arena->thieves || !supply_open(&arena->supply, capacity, thieves) ||
        deque_init(arena->deque, &arena->config) != 0) {
        fprintf(stderr, "stealbench: no memory for a deque of %zu items\n", capacity);
        return 3; /* and the process ends */
    }
    memset(arena->thieves, 0, (thieves + 1) * sizeof *arena->thieves);
    for (unsigned i = 0; i < thieves; i++)
        arena->thieves[i].wait = arena->every;
    bool refuses = traits.bound == DEQUE_FIXED && !traits.keeps_nothing;
    arena->fill = refuses ? SIZE_MAX : capacity;
    arena->drain = traits.keeps_nothing ? capacity : SIZE_MAX;
    arena->batch_most = capacity > deque_capacity(arena->deque) ? capacity : deque_capacity(arena->deque);
    arena->wait = arena->every;
    atomic_init(&arena->turn, 0);
    return 0;
}

/* Everybody has stopped: takes out what is left, at the owner's end and, where a thief had begun with it, at the other,
 * and adds up. */
static bool settle(struct arena *arena, struct items_account *account) {
    const struct contest *contest = &arena->contest;
    const uint64_t *owner = contest->threads[0].watch.tally;
    struct deque *self = contest->count > 1 ? arena->thieves[0].self : NULL;
    char message[MESSAGE_SIZE];
    deque_item item;
    *account = (struct items_account){.pushed = owner[TALLY_PUSHED],
                                      .popped = owner[TALLY_POPPED],
                                      .pushed_sum = arena->supply.pushed_sum,
                                      .taken_sum = arena->supply.taken_sum,
                                      .at_least_once = traits.delivery == DEQUE_AT_LEAST_ONCE};
    if (traits.keeps_nothing)
        return true;
    while (deque_pop(arena->deque, &item) == DEQUE_OK ||
           (contest->count > 1 && deque_steal(arena->deque, self, &item) == DEQUE_OK)) {
        account->left++;
        account->taken_sum += SUPPLY_VALUE(item);
    }
    account->stays = deque_size(arena->deque);
    for (unsigned i = 1; i < contest->count; i++) {
        account->stolen += contest->threads[i].watch.tally[TALLY_ITEMS];
        account->taken_sum += arena->thieves[i - 1].taken.sum;
    }
    bool right = items_add_up(account, message);
    if (!right)
        fprintf(stderr, "stealbench: %s\n", message);
    return right;
}

static void report_items(const struct arena *arena, const struct items_account *account, unsigned repetition) {
    const struct {
        const char *metric;
        uint64_t items;
    } counts[] = {{"items_pushed", account->pushed},
                  {"items_popped", account->popped},
                  {"items_stolen", account->stolen},
                  {"items_left", account->left},
                  {"items_doubled", items_doubled(account)}};
    size_t count = sizeof counts / sizeof counts[0] - !account->at_least_once;
    for (size_t i = 0; i < count && !traits.keeps_nothing; i++)
        cell_sample(arena->contest.cell, "process", repetition, counts[i].metric, (double)counts[i].items, "items",
                    arena->contention.owner_flags);
}

static void clear_away(struct arena *arena) {
    for (unsigned i = 0; i + 1 < arena->contest.count && arena->thieves; i++) {
        if (arena->thieves[i].self)
            deque_destroy(arena->thieves[i].self);
        DEQUE_FREE(arena->thieves[i].self);
        free(arena->thieves[i].out);
    }
    if (arena->deque)
        deque_destroy(arena->deque);
    DEQUE_FREE(arena->deque);
    DEQUE_FREE(arena->thieves);
    supply_close(&arena->supply);
}

static void report(struct arena *arena, unsigned repetition) {
    const struct contest *contest = &arena->contest;
    const struct contention *contention = &arena->contention;
    contention_report(contention, repetition);
    if (arena->sampled == SAMPLED_NONE)
        return;
    bool stealing = arena->sampled == SAMPLED_STEAL;
    for (unsigned i = stealing ? 1 : 0; i < (stealing ? contest->count : 1); i++)
        latency_take(&arena->latency, &contest->threads[i], contest->counts);
    latency_report(&arena->latency, repetition, stealing ? contention->thief_flags : contention->owner_flags);
}

/* Runs until one has windows that count; in each, whether it counts or not, the items must add up. */
static int repeat(struct arena *arena, unsigned repetition) {
    const struct contest *contest = &arena->contest;
    for (int try = 0; try < TRIES; try++) {
        struct items_account account;
        int failure = make_ready(arena);
        if (failure)
            return failure;
        failure = contest_run(&arena->contest);
        bool counts = failure == 0 && contest->counted > 0;
        if (failure == 0 && !settle(arena, &account))
            failure = 1;
        if (failure == 0 && counts) {
            report(arena, repetition);
            report_items(arena, &account, repetition);
        }
        clear_away(arena);
        if (failure || counts)
            return failure;
    }
    fprintf(stderr, "stealbench: in %d runs the threads were never on their processors together\n", TRIES);
    cell_no_sample(contest->cell, "owner", repetition, "owner_operations", "operations/s", "denied");
    return 0;
}

static const char *unsupported(const struct cell *cell) {
    const uint64_t thieves = cell_integer(cell, "thieves");
    const bool duel = cell_is(cell, "case", "duel");
    if (cell_integer(cell, "item") != sizeof(deque_item))
        return "item: this executable carries items of the other size (`make items4` builds those of 4 bytes, where "
               "the "
               "deque can carry them)";
    if (traits.thieves == DEQUE_OWNER_ONLY && thieves > 0)
        return "thieves: this deque is for one thread; 0 is possible";
    if (duel && thieves == 0)
        return "case=duel: without thieves there is nobody to fight with";
    if (duel && (cell_is(cell, "sample", "push") || cell_is(cell, "sample", "pop")))
        return "case=duel: single pushes and pops are sampled in case=cycle only";
    if (cell_is(cell, "sample", "steal") && (thieves == 0 || cell_is(cell, "frequency", "0")))
        return "sample=steal: without steals there is nothing to sample";
    return NULL;
}

/* What the cell asks for. */
static void configure(struct arena *arena, const struct cell *cell) {
    struct contest *contest = &arena->contest;
    double duration = cell_real(cell, "duration");
    contest->cell = cell;
    contest->work = work;
    contest->context = arena;
    contest->frequency = cell_is(cell, "frequency", "max") ? CONTEST_FASTEST
                         : cell_is(cell, "frequency", "0") ? CONTEST_NEVER
                                                           : cell_integer(cell, "frequency");
    contest->thesis = cell_is(cell, "pacing", "thesis");
    contest->duration = duration > 0 ? duration : cell->minimum_time;
    arena->batch = cell_is(cell, "steal", "batch");
    contest->patient = arena->batch || DEQUE_HAS(DEQUE_POLL) || traits.push_progress == DEQUE_BLOCKING ||
                       traits.pop_progress == DEQUE_BLOCKING || traits.steal_progress == DEQUE_BLOCKING;
    arena->percent = (unsigned)cell_integer(cell, "percent");
    arena->config = (struct deque_config){.capacity = (size_t)cell_integer(cell, "capacity"),
                                          .block = (size_t)cell_integer(cell, "block"),
                                          .workers = (unsigned)cell_integer(cell, "thieves") + 1};
    if (traits.mode)
        arena->config.mode = (unsigned)choice_index(traits.mode_values, cell_text(cell, traits.mode));
}

/* Which operations are sampled, and how many of them. */
static int configure_samples(struct arena *arena, const struct cell *cell) {
    static const char *const steals[LATENCY_OUTCOMES] = {"steal_latency", "steal_latency_empty", "steal_latency_lost"};
    static const char *const pushes[LATENCY_OUTCOMES] = {"push_latency"}, *const pops[LATENCY_OUTCOMES] = {
                                                                              "pop_latency"};
    struct contest *contest = &arena->contest;
    arena->sampled = (enum sampled)choice_index("none|push|pop|steal", cell_text(cell, "sample"));
    arena->every = 1;
    if (arena->sampled == SAMPLED_NONE)
        return 0;
    bool stealing = arena->sampled == SAMPLED_STEAL;
    double rate = !stealing                               ? OWNER_RATE
                  : contest->frequency == CONTEST_FASTEST ? THIEF_RATE
                                                          : (double)contest->frequency;
    contest->samples_owner = !stealing;
    contest->log_room = LOG_MOST / (stealing ? contest->count - 1 : 1);
    arena->every = contest_sampling(contest, rate);
    int failure = latency_open(&arena->latency, cell, stealing ? "thief" : "owner",
                               stealing                         ? steals
                               : arena->sampled == SAMPLED_PUSH ? pushes
                                                                : pops);
    if (failure)
        fprintf(stderr, "stealbench: no memory for a histogram\n");
    return failure ? 3 : 0;
}

static int measure_contention(struct arena *arena, struct cell *cell) {
    struct clock_facts clock = clock_calibrate();
    bool emulated = arena->batch && !DEQUE_HAS(DEQUE_LISTS) && !DEQUE_HAS(DEQUE_STEAL_BATCH);
    if (arena->contest.places.oversubscribed)
        cell->flags |= SAMPLE_OVERSUBSCRIBED;
    arena->contention = (struct contention){.contest = &arena->contest,
                                            .clock_overhead = clock.overhead,
                                            .duel = cell_is(cell, "case", "duel"),
                                            .gives_items = !traits.keeps_nothing,
                                            .thief_flags = emulated ? SAMPLE_EMULATED : 0};
    arena->takes_turns = traits.thieves == DEQUE_ONE_THIEF && arena->contest.count > 2;
    arena->contention.takes_turns = arena->takes_turns;
    cell_sample(cell, "process", 0, "clock_overhead", clock.overhead, "ns", 0);
    cell_sample(cell, "process", 0, "clock_resolution", clock.resolution, "ns", 0);
    int failure = configure_samples(arena, cell);
    for (unsigned i = 0; i < cell->repetitions && failure == 0; i++)
        failure = repeat(arena, i);
    if (arena->sampled != SAMPLED_NONE)
        latency_close(&arena->latency);
    return failure;
}

static int run(const struct cell *cell) {
    static struct arena arena;
    struct cell here = *cell;
    configure(&arena, &here);
    int failure = contest_open(&arena.contest, (unsigned)cell_integer(cell, "thieves") + 1);
    if (failure == 0)
        failure = measure_contention(&arena, &here);
    if (failure == 0)
        contest_report_places(&arena.contest);
    contest_close(&arena.contest);
    return failure;
}

static const struct workload contention_workload = {
    .name = "contention",
    .summary = "an owner that fills and drains a deque while thieves steal at a set frequency",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .unsupported = unsupported,
    .run = run,
};
REGISTER_WORKLOAD(contention_workload);
