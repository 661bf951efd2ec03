#include "harness/measuring/distance.h"
#include "harness/measuring/clock.h"
#include "harness/measuring/median.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define ROUND_TRIPS 50 /* per round: some 3 us between neighbours, 12 between sockets */
#define ROUNDS_MAX 256
#define ROUNDS_LEAST 8
#define LOOK_EVERY 256 /* tries between two reads of the clock */
#define PATIENCE 25    /* give up after this multiple of the seconds */
#define STACK (256 * 1024)

struct match {
    alignas(128) _Atomic uint32_t line; /* whose turn it is: an even number means the first thread's */
    alignas(128) _Atomic bool over;
    uint64_t until, given_up; /* ns */
    double rounds[ROUNDS_MAX];
    unsigned count;
};

bool distance_agrees(double a, double b) {
    if (!(a > 0) || !(b > 0))
        return !(a > 0) && !(b > 0);
    return a <= b * DISTANCE_RATIO && b <= a * DISTANCE_RATIO;
}

/* Waits for its turn, takes the cache line and hands it on. Waits by the exchange itself, because a load before it
 * would fetch the line twice. false: the probe is over. */
static bool hand_on(struct match *match, uint32_t turn) {
    for (unsigned tries = 1;; tries++) {
        uint32_t seen = turn;
        /* acquire and release: pair with the other side's; a steal carries an item behind the line, too */
        if (atomic_compare_exchange_weak_explicit(&match->line, &seen, turn + 1, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return true;
        if (tries % LOOK_EVERY == 0 &&
            (atomic_load_explicit(&match->over, memory_order_relaxed) || clock_nanoseconds() > match->given_up))
            return false;
    }
}

static void *first_thread(void *argument) {
    struct match *match = argument;
    uint32_t turn = 0;
    bool going = hand_on(match, turn); /* nothing is timed before the other thread is there */
    while (going && match->count < ROUNDS_MAX) {
        const uint64_t start = clock_nanoseconds();
        for (unsigned trip = 0; trip < ROUND_TRIPS && going; trip++)
            going = hand_on(match, turn += 2);
        const uint64_t end = clock_nanoseconds();
        if (going)
            match->rounds[match->count++] = (double)(end - start) / (2 * ROUND_TRIPS);
        going = going && (end < match->until || match->count < ROUNDS_LEAST);
    }
    /* relaxed: it says that the other may go; what was counted is read after both have been joined */
    atomic_store_explicit(&match->over, true, memory_order_relaxed);
    return NULL;
}

static void *second_thread(void *argument) {
    struct match *match = argument;
    for (uint32_t turn = 1; hand_on(match, turn); turn += 2)
        continue;
    return NULL;
}

bool distance_start_on(int processor, pthread_t *thread, void *(*run)(void *), void *argument) {
    pthread_attr_t attributes;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    pthread_attr_init(&attributes);
    bool started = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
                   pthread_attr_setaffinity_np(&attributes, sizeof set, &set) == 0 &&
                   pthread_create(thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

double distance_between(int a, int b, double seconds) {
    pthread_t first, second;
    if (a < 0 || b < 0 || a == b || a >= CPU_SETSIZE || b >= CPU_SETSIZE)
        return DISTANCE_NONE;
    struct match *match = aligned_alloc(alignof(struct match), sizeof *match);
    if (!match)
        return DISTANCE_NONE;
    const uint64_t now = clock_nanoseconds();
    *match = (struct match){.until = now + (uint64_t)(seconds * 1e9),
                            .given_up = now + (uint64_t)(seconds * PATIENCE * 1e9)};
    if (distance_start_on(a, &first, first_thread, match)) {
        const bool both = distance_start_on(b, &second, second_thread, match);
        if (!both)
            atomic_store_explicit(&match->over, true, memory_order_relaxed);
        pthread_join(first, NULL);
        if (both)
            pthread_join(second, NULL);
    }
    const unsigned count = match->count;
    qsort(match->rounds, count, sizeof match->rounds[0], median_compare);
    const double found = count < ROUNDS_LEAST ? DISTANCE_NONE : match->rounds[count / 4];
    free(match);
    return found;
}

/* Finds the processors after the first, without duplicates. Returns false if a thread is not bound. */
static bool find_others(const int *processors, unsigned count, int *others, unsigned *found) {
    cpu_set_t seen;
    CPU_ZERO(&seen);
    *found = 0;
    for (unsigned i = 0; i < count; i++) {
        if (processors[i] < 0 || processors[i] >= CPU_SETSIZE)
            return false;
        if (i > 0 && !CPU_ISSET((size_t)processors[i], &seen))
            others[(*found)++] = processors[i];
        CPU_SET((size_t)processors[i], &seen);
    }
    return true;
}

double distance_among(const int *processors, unsigned count, double (*probe)(int a, int b, double seconds)) {
    static int others[CPU_SETSIZE];
    unsigned found;
    double largest = DISTANCE_NONE;
    if (!find_others(processors, count, others, &found) || found == 0)
        return DISTANCE_NONE;
    const unsigned pairs = found < DISTANCE_PAIRS ? found : DISTANCE_PAIRS;
    const double each = DISTANCE_SECONDS / pairs > DISTANCE_LEAST ? DISTANCE_SECONDS / pairs : DISTANCE_LEAST;
    for (unsigned i = 0; i < pairs; i++) { /* always probes the last one: with most placements it is the farthest */
        const double one = probe(processors[0], others[found - 1 - i * found / pairs], each);
        if (!(one > 0))
            return DISTANCE_NONE;
        largest = one > largest ? one : largest;
    }
    return largest;
}

void distance_report(const struct cell *cell, const struct places *places) {
    if (places && places->count > 1 && cell->repetitions > 0)
        cell_distance(distance_among(places->processor, places->count, distance_between));
}
