#include "workloads/contention/frame.h"
#include "harness/measuring/distance.h"
#include <stdio.h>
#include <stdlib.h>

#define LOG_MAX ((size_t)64 << 20) /* samples of all threads together */
#define OWNER_RATE 2e8             /* operations a second; hardly any owner is faster */
#define THIEF_RATE 5e7             /* attempts a second of a thief that does not wait */
#define WINDOWS_ENOUGH 250
#define TRIES_FOR_ENOUGH 5 /* runs until so many windows count, or a tenth of all */
#define WINDOWS_LEAST 5    /* a millisecond; or, in a run of fewer windows, all */
#ifndef TRIES_SECONDS
#define TRIES_SECONDS 2.0 /* then runs for so long until these count */
#endif
#define FIRST_STRIDE 16 /* operations before the second look at the clock */

const struct parameter contention_parameters[] = {
    PARAMETER_INTEGER("thieves", 1, 0, TEAM_THIEVES_MAX, "", "threads that steal"),
    PARAMETER_INTEGER_OR("frequency", 100000, 0, PACING_FREQUENCY_MAX, "max", "Hz",
                         "steal attempts a second, of each thief or of all; 0: none; max: without waiting"),
    PARAMETER_CHOICE("frequency_of", "thief", "thief|all",
                     "thief: each thief has this frequency; all: the thieves divide it among them (in whole Hz)"),
    PARAMETER_CHOICE("pacing", "deadline", "deadline|thesis",
                     "deadline: attempts are due at fixed times; thesis: a thief waits for 1/frequency minus its last "
                     "attempt's time"),
    PARAMETER_CHOICE(
        "case", "cycle", "cycle|duel",
        "cycle: the owner fills and drains the deque; duel: all try to take the last item, again and again"),
    PARAMETER_INTEGER("capacity", 1024, 64, 1 << 24, "items",
                      "capacity of a fixed deque; the owner fills other deques up to it"),
    PARAMETER_CHOICE("item", "8", "8|4", "bytes of an item"),
    PARAMETER_INTEGER("block", 0, 0, 1024, "items",
                      "items in a block, in deques made of blocks; 0: the deque's own number"),
    PARAMETER_CHOICE("steal", "one", "one|batch",
                     "what an attempt takes: one item, or a batch of `percent` of the items"),
    PARAMETER_INTEGER("percent", 50, 0, 100, "percent",
                      "size of a batch, of the deque's items; 0: by the deque's own rule"),
    PARAMETER_REAL("duration", 0, 0, 3600, "s", "length of a repetition; 0: the minimum time"),
    PARAMETER_CHOICE("sample", "none", LIST_CHOICES(CONTENTION_SAMPLED),
                     "time single operations: quantiles and histogram of their latencies"),
    PARAMETERS_END,
};

/* After at most *stride operations of a kind: reads the clock, returns the time since the last look, and sets *stride
 * to how many to make until the next one. */
static uint64_t beat(struct team_member *me, unsigned *stride, size_t operations) {
    const uint64_t before = me->now;
    me->now = clock_nanoseconds();
    *stride = team_stride(*stride, operations, me->now - before);
    return me->now - before;
}

/* Filling or draining. Each has its own stride, because thieves may slow one down many times more than the other. */
struct phase {
    size_t (*operate)(struct team_member *, struct contention *, size_t max, bool *over);
    size_t max;
    enum tally items, calls, time;
    unsigned stride;
};

/* Owner: one phase. false: stop. */
static bool owner_phase(struct team_member *me, struct contention *contention, struct phase *phase) {
    bool over = false, going = true;
    for (size_t left = phase->max; left > 0 && !over && going;) {
        size_t made = phase->operate(me, contention, left < phase->stride ? left : phase->stride, &over);
        me->watch.tally[phase->items] += made;
        me->watch.tally[phase->calls] += made + over;
        me->watch.tally[phase->time] += beat(me, &phase->stride, made + over);
        going = team_look(me, me->now);
        left -= made;
    }
    return going;
}

/* A deque that never refuses counts as full after `capacity` pushes; one that keeps nothing counts as empty after as
 * many pops. */
static void owner_works(struct team_member *me, struct contention *contention) {
    const struct deque_traits *traits = &contention_traits;
    const bool refuses = traits->bound == DEQUE_FIXED && !traits->keeps_nothing;
    struct phase filling = {contention->sampled == SAMPLED_PUSH ? contention_loops.fill_sampled : contention_loops.fill,
                            refuses ? SIZE_MAX : contention->config.capacity,
                            TALLY_PUSHED,
                            TALLY_PUSHES,
                            TALLY_PUSH_TIME,
                            FIRST_STRIDE};
    struct phase draining = {contention->sampled == SAMPLED_POP ? contention_loops.drain_sampled
                                                                : contention_loops.drain,
                             traits->keeps_nothing ? contention->config.capacity : SIZE_MAX,
                             TALLY_POPPED,
                             TALLY_POPS,
                             TALLY_POP_TIME,
                             FIRST_STRIDE};
    me->now = clock_nanoseconds();
    unsigned turns = FIRST_STRIDE;
    if (!contention->duel) {
        while (owner_phase(me, contention, &filling) && owner_phase(me, contention, &draining))
            ;
        return;
    }
    do {
        contention_loops.duel(me, contention, turns);
        beat(me, &turns, turns);
    } while (team_look(me, me->now));
}

static void thief_works(struct team_member *me, struct contention *contention) {
    void (*const make)(struct team_member *, struct contention *, size_t) =
        contention->batch ? contention_loops.attempt_batch : contention_loops.attempt;
    unsigned stride = 1;
    me->now = clock_nanoseconds();
    if (!contention->paced) {
        do {
            make(me, contention, stride);
            me->watch.tally[TALLY_STEAL_TIME] += beat(me, &stride, stride);
        } while (team_look(me, me->now));
        return;
    }
    while (team_wait(me)) {
        uint64_t began = me->now;
        make(me, contention, 1);
        uint64_t ended = clock_nanoseconds();
        pace_next(&me->pace, began, ended, me->pace.thesis ? clock_nanoseconds() : ended);
    }
}

static void work(struct team_member *me) {
    struct contention *contention = me->team->context;
    me->wait = contention->every;
    if (me->number == 0) {
        owner_works(me, contention);
    } else if (contention_enter(me, contention) == 0) {
        thief_works(me, contention);
    } else {
        fprintf(stderr, "stealbench: no memory for a thief\n");
        exit(3);
    }
}

static void report(struct contention *contention, const struct items_account *account, unsigned repetition) {
    const struct team *team = &contention->team;
    const bool stealing = contention->sampled == SAMPLED_STEAL;
    contention_report(contention, repetition);
    contention_report_items(contention, account, repetition);
    if (contention->sampled == SAMPLED_NONE)
        return;
    for (unsigned i = 0; i < team->count; i++)
        if ((i > 0) == stealing)
            latency_take(&contention->latency, &team->threads[i], team->counts);
    latency_report(&contention->latency, repetition, stealing ? contention->thief_flags : 0);
}

/* All threads have stopped: do the items add up? */
static bool account_for_items(struct contention *contention, struct items_account *account) {
    const struct team *team = &contention->team;
    const struct deque_traits *traits = &contention_traits;
    char message[MESSAGE_SIZE];
    *account = (struct items_account){.pushed = team->threads[0].watch.tally[TALLY_PUSHED],
                                      .popped = team->threads[0].watch.tally[TALLY_POPPED],
                                      .at_least_once = traits->delivery == DEQUE_AT_LEAST_ONCE};
    if (traits->keeps_nothing)
        return true;
    for (unsigned i = 1; i < team->count; i++)
        account->stolen += team->threads[i].watch.tally[TALLY_ITEMS];
    contention_take_left(contention, account);
    bool right = items_add_up(account, message);
    if (!right)
        fprintf(stderr, "stealbench: %s\n", message);
    return right;
}

/* Do enough windows count? After a few tries fewer will do; share_counted reports them. */
static bool suffices(const struct team *team, unsigned tries) {
    size_t enough = team->windows / 10 < WINDOWS_ENOUGH ? team->windows / 10 : WINDOWS_ENOUGH;
    if (enough < WINDOWS_LEAST || tries >= TRIES_FOR_ENOUGH)
        enough = team->windows < WINDOWS_LEAST ? team->windows : WINDOWS_LEAST;
    return team->counted >= enough;
}

/* Runs until enough windows count. The items of every run must add up. */
static int repeat(struct contention *contention, unsigned repetition) {
    struct team *team = &contention->team;
    const unsigned max = TRIES_FOR_ENOUGH + (unsigned)(TRIES_SECONDS * 1e9 / (double)(team->windows * team->window));
    size_t counted = 0;
    for (unsigned tries = 1; tries <= max; tries++) {
        struct items_account account;
        int failure = contention_make(contention);
        if (failure) {
            fprintf(stderr, "stealbench: no memory for a deque of %zu items\n", contention->config.capacity);
            return failure;
        }
        failure = team_run(team);
        if (failure == 0 && !account_for_items(contention, &account))
            failure = 1;
        bool counts = failure == 0 && suffices(team, tries);
        counted += team->counted;
        if (counts)
            report(contention, &account, repetition);
        contention_clear(contention);
        if (failure || counts)
            return failure;
    }
    fprintf(stderr, "stealbench: %zu of %zu windows were undisturbed, in %u runs\n", counted, max * team->windows, max);
    cell_no_sample(team->cell, "owner", repetition, "owner_operations", "operations/s", "busy");
    return 0;
}

/* Attempts a second of each thief, where the frequency is a number. */
static uint64_t thief_frequency(const struct cell *cell) {
    const uint64_t frequency = cell_integer(cell, "frequency"), thieves = cell_integer(cell, "thieves");
    return cell_is(cell, "frequency_of", "all") && thieves > 0 ? (frequency + thieves / 2) / thieves : frequency;
}

static bool never_by_sharing(const struct cell *cell) {
    return !cell_is(cell, "frequency", "max") && !cell_is(cell, "frequency", "0") && thief_frequency(cell) == 0;
}

const char *contention_unsupported(const struct cell *cell) {
    const uint64_t thieves = cell_integer(cell, "thieves");
    const bool duel = cell_is(cell, "case", "duel");
    if (!cell_is(cell, "item", contention_item_bytes == 4 ? "4" : "8"))
        return "item: this executable carries items of the other size (`make items4` builds those of 4 bytes, where "
               "the "
               "deque can carry them)";
    if (contention_traits.thieves == DEQUE_OWNER_ONLY && thieves > 0)
        return "thieves: this deque is for one thread; 0 is possible";
    if (duel && thieves == 0)
        return "case=duel: without thieves there is nobody to fight with";
    if (duel && (cell_is(cell, "sample", "push") || cell_is(cell, "sample", "pop")))
        return "case=duel: single pushes and pops are sampled in case=cycle only";
    if (never_by_sharing(cell))
        return "frequency_of=all: less than one attempt a second for each thief";
    if (cell_is(cell, "sample", "steal") && (thieves == 0 || cell_is(cell, "frequency", "0")))
        return "sample=steal: without steals there is nothing to sample";
    return NULL;
}

/* From the cell's parameters. */
static void configure(struct contention *contention, const struct cell *cell) {
    const struct deque_traits *traits = &contention_traits;
    struct team *team = &contention->team;
    const double duration = cell_real(cell, "duration");
    const bool fastest = cell_is(cell, "frequency", "max"), never = cell_is(cell, "frequency", "0");
    contention->duel = cell_is(cell, "case", "duel");
    contention->batch = cell_is(cell, "steal", "batch");
    contention->paced = !fastest;
    contention->percent = (unsigned)cell_integer(cell, "percent");
    contention->config = (struct deque_config){.capacity = (size_t)cell_integer(cell, "capacity"),
                                               .block = (size_t)cell_integer(cell, "block"),
                                               .workers = (unsigned)cell_integer(cell, "thieves") + 1};
    if (traits->mode)
        contention->config.mode = cell_choice(cell, traits->mode);
    team->cell = cell;
    team->work = work;
    team->context = contention;
    team->frequency = fastest ? TEAM_FASTEST : never ? TEAM_NEVER : thief_frequency(cell);
    team->thesis = cell_is(cell, "pacing", "thesis");
    team->duration = duration > 0 ? duration : cell->minimum_time;
}

/* Which operations are sampled, and how many of them. */
static int configure_samples(struct contention *contention, const struct cell *cell) {
    static const char *const metrics[][LATENCY_OUTCOMES] = {
        [SAMPLED_PUSH] = {"push_latency"},
        [SAMPLED_POP] = {"pop_latency"},
        [SAMPLED_STEAL] = {"steal_latency", "steal_latency_empty", "steal_latency_lost"}};
    struct team *team = &contention->team;
    double rate = contention->paced ? (double)team->frequency : THIEF_RATE;
    contention->sampled = (enum contention_sampled)cell_choice(cell, "sample");
    contention->every = 1;
    if (contention->sampled == SAMPLED_NONE)
        return 0;
    team->samples_owner = contention->sampled != SAMPLED_STEAL;
    team->log_room = LOG_MAX / (team->samples_owner ? 1 : team->count - 1);
    contention->every = team_sampling(team, team->samples_owner ? OWNER_RATE : rate);
    int failure = latency_open(&contention->latency, cell, &contention->cycles, team->samples_owner ? "owner" : "thief",
                               metrics[contention->sampled]);
    if (failure)
        fprintf(stderr, "stealbench: no memory for a histogram\n");
    return failure ? 3 : 0;
}

static int measure_all(struct contention *contention, const struct cell *cell) {
    contention->cycles = cycles_calibrate();
    cell_sample(cell, "process", 0, "clock_overhead", clock_overhead(), "ns", 0);
    cell_sample(cell, "process", 0, "sampling_cost", contention->cycles.sampling_cost, "ns", 0);
    cell_sample(cell, "process", 0, "tick", contention->cycles.tick, "ns", 0);
    int failure = configure_samples(contention, cell);
    distance_report(cell, &contention->team.places);
    for (unsigned i = 0; i < cell->repetitions && failure == 0; i++) {
        failure = repeat(contention, i);
        distance_report(cell, &contention->team.places);
    }
    if (contention->sampled != SAMPLED_NONE)
        latency_close(&contention->latency);
    if (failure == 0)
        places_report(&contention->team.places, cell, "owner", "thief");
    return failure;
}

int contention_run(struct contention *contention, const struct cell *cell) {
    const struct deque_traits *traits = &contention_traits;
    struct cell here = *cell;
    configure(contention, &here);
    int failure = team_open(&contention->team, (unsigned)cell_integer(cell, "thieves") + 1);
    if (contention->team.places.oversubscribed)
        here.flags |= SAMPLE_OVERSUBSCRIBED;
    contention->one_thief = traits->thieves == DEQUE_ONE_THIEF && contention->team.count > 2;
    if (contention->batch && !(traits->native & (DEQUE_LISTS | DEQUE_STEAL_BATCH)))
        contention->thief_flags = SAMPLE_EMULATED;
    if (failure == 0)
        failure = measure_all(contention, &here);
    team_close(&contention->team);
    return failure == PLACES_DENIED ? 0 : failure;
}
