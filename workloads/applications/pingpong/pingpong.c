/* pingpong.c: the time a cache line takes there and back between two processors: the floor under every steal.
 *
 * One thread writes a number into the line, the other answers with the next, over and over. Measured are all pairs of
 * cores, and SMT siblings within a core. No deque takes part, so one executable (empty, say) is enough. A chunk of
 * round trips is long enough for the clock; a repetition is the median over its chunks, so chunks with a displaced
 * thread do no harm.
 */
#include "harness/measuring/clock.h"
#include "harness/measuring/counters.h"
#include "harness/measuring/median.h"
#include "harness/measuring/places.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define CHUNKS_LEAST 11
#define CHUNKS_MAX 1000
#define STOP UINT64_MAX
#define SPINS_BEFORE_YIELD 100000

static const struct parameter parameters[] = {
    PARAMETER_CHOICE("pairs", "cores", "cores|processors",
                     "cores: one processor of each core with one of every other core, and siblings within a core; "
                     "processors: all with all"),
    PARAMETERS_END,
};

struct pair {
    unsigned a, b; /* thread numbers of the places */
    enum places_relation relation;
    double *times; /* by repetition */
};

struct match {
    struct places places;
    _Atomic uint64_t *ball; /* on a page of its own */
    unsigned answerer;      /* its place */
    _Atomic unsigned opened, ready;
    struct pair *pairs;
    size_t pair_count;
    double chunk_seconds; /* by the clock's rule */
};

/* Until the line holds at least `number`; returns what it holds. */
static uint64_t wait_for(_Atomic uint64_t *ball, uint64_t number) {
    for (unsigned spins = 0;; spins++) {
        /* acquire: pairs with the other side's release; relaxed would do for the number alone, but a steal carries an
         * item behind it */
        uint64_t seen = atomic_load_explicit(ball, memory_order_acquire);
        if (seen >= number)
            return seen;
        if (spins >= SPINS_BEFORE_YIELD)
            sched_yield();
    }
}

/* The second thread: answers in one match after the other. */
static void *answer(void *argument) {
    struct match *match = argument;
    for (unsigned opened = 1;; opened++) {
        while (atomic_load_explicit(&match->opened, memory_order_acquire) < opened)
            sched_yield();
        _Atomic uint64_t *ball = match->ball;
        if (!ball)
            return NULL;
        places_take(&match->places, match->answerer);
        atomic_store_explicit(&match->ready, opened, memory_order_release);
        for (uint64_t number = 1;; number += 2) {
            if (wait_for(ball, number) == STOP)
                break;
            /* release: pairs with the acquire in wait_for */
            atomic_store_explicit(ball, number + 1, memory_order_release);
        }
        atomic_store_explicit(&match->ready, 0, memory_order_release);
    }
}

/* So many round trips; *number is the last one sent. Seconds. */
static double round_trips(_Atomic uint64_t *ball, uint64_t *number, unsigned count) {
    uint64_t start = clock_nanoseconds();
    for (unsigned i = 0; i < count; i++) {
        /* release: pairs with the acquire in wait_for */
        atomic_store_explicit(ball, *number + 1, memory_order_release);
        *number += 2;
        wait_for(ball, *number);
    }
    return (double)(clock_nanoseconds() - start) * 1e-9;
}

/* One repetition: nanoseconds a round trip. */
static double repetition(const struct match *match, uint64_t *number, unsigned trips, double minimum_time) {
    static double chunks[CHUNKS_MAX];
    size_t count = 0;
    double spent = 0;
    while (count < CHUNKS_MAX && (count < CHUNKS_LEAST || spent < minimum_time)) {
        double seconds = round_trips(match->ball, number, trips);
        spent += seconds;
        chunks[count++] = seconds / trips * 1e9;
    }
    return median(chunks, count);
}

/* The main thread against the other, all repetitions of a pair. */
static bool play(const struct cell *cell, struct match *match, struct pair *pair) {
    uint64_t number = 0;
    unsigned trips = 64;
    places_take(&match->places, pair->a);
    /* fresh, and touched first from here: its node is the first processor's */
    match->ball = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (match->ball == MAP_FAILED)
        return false;
    atomic_store_explicit(match->ball, 0, memory_order_relaxed);
    match->answerer = pair->b;
    /* release: pairs with the acquire in answer; ball and answerer are seen */
    unsigned opened = atomic_fetch_add_explicit(&match->opened, 1, memory_order_release) + 1;
    while (atomic_load_explicit(&match->ready, memory_order_acquire) != opened)
        sched_yield();
    while (round_trips(match->ball, &number, trips) < match->chunk_seconds && trips < 1u << 20)
        trips *= 2;
    for (unsigned i = 0; i < cell->repetitions; i++)
        pair->times[i] = repetition(match, &number, trips, cell->minimum_time);
    atomic_store_explicit(match->ball, STOP, memory_order_release);
    while (atomic_load_explicit(&match->ready, memory_order_acquire) != 0)
        sched_yield();
    munmap(match->ball, PAGE);
    return true;
}

static bool add_pair(struct match *match, unsigned a, unsigned b, unsigned repetitions) {
    struct pair *pair = &match->pairs[match->pair_count];
    *pair = (struct pair){.a = a, .b = b, .relation = places_relation(&match->places, a, b)};
    pair->times = calloc(repetitions, sizeof pair->times[0]);
    match->pair_count += pair->times != NULL;
    return pair->times != NULL;
}

/* Which pairs: of the first `cores` places all with all, of the others only those on one core. */
static bool make_pairs(struct match *match, unsigned cores, unsigned repetitions) {
    unsigned count = match->places.count;
    match->pairs = calloc((size_t)count * count / 2 + 1, sizeof match->pairs[0]);
    bool made = match->pairs != NULL;
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = a + 1; b < count && made; b++)
            if (b < cores || places_relation(&match->places, a, b) == PLACES_SAME_CORE)
                made = add_pair(match, a, b, repetitions);
    return made;
}

static void report_relation(const struct cell *cell, const struct match *match, enum places_relation relation,
                            const char *role) {
    double *values = calloc(match->pair_count + 1, sizeof values[0]);
    size_t count = 0;
    for (unsigned i = 0; values && i < cell->repetitions; i++) {
        count = 0;
        for (size_t j = 0; j < match->pair_count; j++)
            if (match->pairs[j].relation == relation)
                values[count++] = match->pairs[j].times[i];
        if (count > 0)
            cell_sample(cell, role, i, "ping_pong_time", median(values, count), "ns", 0);
    }
    if (count == 0)
        cell_no_sample(cell, role, 0, "ping_pong_time", "ns", "denied");
    free(values);
}

/* Each pair, where each processor is, and the median of each relation. */
static void report(const struct cell *cell, const struct match *match) {
    const struct places *places = &match->places;
    char role[64];
    for (unsigned i = 0; i < places->count; i++) {
        snprintf(role, sizeof role, "%d", places->processor[i]);
        cell_sample(cell, role, 0, "socket", places_socket(places, i), "", 0);
    }
    for (size_t j = 0; j < match->pair_count; j++) {
        const struct pair *pair = &match->pairs[j];
        snprintf(role, sizeof role, "%d-%d", places->processor[pair->a], places->processor[pair->b]);
        for (unsigned i = 0; i < cell->repetitions; i++)
            cell_sample(cell, role, i, "ping_pong_time", pair->times[i], "ns", 0);
    }
    report_relation(cell, match, PLACES_SAME_CORE, "same-core");
    report_relation(cell, match, PLACES_SAME_SOCKET, "same-socket");
    report_relation(cell, match, PLACES_CROSS_SOCKET, "cross-socket");
}

/* The processors that take part: those listed, or all. */
static int open_places(const struct cell *cell, struct places *places, unsigned *cores) {
    const char *placement = cell_text(cell, "placement");
    unsigned listed = 1;
    int failure = places_open(places, cell, 1);
    if (failure != 0)
        return failure;
    unsigned processors = places->processors;
    *cores = cell_is(cell, "pairs", "processors") ? processors : places->cores;
    places_close(places);
    if (strpbrk(placement, "0123456789")) {
        for (const char *at = placement; *at; at++)
            listed += *at == '+';
        *cores = processors = listed;
    }
    return places_open(places, cell, processors < PLACES_MAX ? processors : PLACES_MAX);
}

static int measure_pairs(const struct cell *cell, struct match *match) {
    pthread_t thread;
    bool played = true;
    if (pthread_create(&thread, NULL, answer, match) != 0) {
        fprintf(stderr, "stealbench: no second thread\n");
        return 3;
    }
    for (size_t i = 0; i < match->pair_count && played; i++)
        played = play(cell, match, &match->pairs[i]);
    match->ball = NULL;
    atomic_fetch_add_explicit(&match->opened, 1, memory_order_release);
    pthread_join(thread, NULL);
    if (!played) {
        fprintf(stderr, "stealbench: no memory for a line\n");
        return 3;
    }
    report(cell, match);
    return 0;
}

static int run(const struct cell *cell) {
    static struct match match;
    struct clock_facts clock = clock_calibrate();
    unsigned cores;
    int failure = open_places(cell, &match.places, &cores);
    if (failure)
        return failure == PLACES_DENIED ? 0 : failure;
    match.chunk_seconds = CLOCK_READS_A_BATCH * clock.overhead * 1e-9;
    cell_sample(cell, "process", 0, "clock_overhead", clock.overhead, "ns", 0);
    if (!make_pairs(&match, cores, cell->repetitions)) {
        fprintf(stderr, "stealbench: no memory for the pairs of %u processors\n", match.places.count);
        failure = 3;
    } else if (match.pair_count == 0) {
        fprintf(stderr, "stealbench: pingpong: two processors are needed, and this process may use one\n");
        cell_no_sample(cell, "process", 0, "ping_pong_time", "ns", "denied");
    } else {
        failure = measure_pairs(cell, &match);
    }
    cell_placement(cell, "pairs:all");
    for (size_t i = 0; i < match.pair_count; i++)
        free(match.pairs[i].times);
    free(match.pairs);
    places_close(&match.places);
    return failure;
}

static const char *unsupported(const struct cell *cell) {
    if (cell_is(cell, "placement", "none"))
        return "pingpong: threads that are bound nowhere have no place";
    return NULL;
}

REGISTER_WORKLOAD(pingpong, .name = "pingpong",
                  .summary = "time of a cache line there and back between all pairs of cores; no deque takes part",
                  .parameters = {parameters}, .unsupported = unsupported, .run = run);
