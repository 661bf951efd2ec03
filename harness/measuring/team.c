#include "harness/measuring/team.h"
#include "harness/measuring/random.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef WINDOW_SHORTEST        /* a build in virtual time sets these: there nothing disturbs */
#define WINDOW_SHORTEST 200000 /* ns; a run of more than two seconds has longer ones */
#define WINDOWS_MAX 10000
#define OPENS_AFTER 200000 /* ns until every thread has learned of the opening */
#define TAIL 1000000       /* ns that each thread goes on after the last window */
#endif
#define STRIDE_MAX 1024        /* 4 us of operations that take 4 ns; a look after 1024 that take 1 ns costs 2 % */
#define LOG_ROOM_MAX 1048576.0 /* most samples per thread */

/* ns that the thread was ready to run but had no processor; 0 if the kernel does not tell. */
static uint64_t waited_for_processor(const struct team_member *me) {
    char text[128];
    unsigned long long ran, waited;
    ssize_t length = me->schedstat <= 0 ? -1 : pread(me->schedstat, text, sizeof text - 1, 0);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited : 0;
}

static struct whereabouts ask_kernel(const struct team_member *me) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    struct whereabouts known = {usage.ru_nivcsw, usage.ru_nvcsw, waited_for_processor(me), time_on_processors(), 0};
    known.at = clock_nanoseconds();
    return known;
}

void team_present(struct team_member *me) {
    me->known = ask_kernel(me);
    me->watch.before = me->known.at;
}

bool team_was_away(struct team_member *me, uint64_t now) {
    const struct whereabouts before = me->known;
    me->known = ask_kernel(me);
    const uint64_t passed = me->known.at - before.at, ran = me->known.ran - before.ran;
    return me->known.displaced != before.displaced || me->known.waited > before.waited + WATCH_GAP ||
           (me->known.slept == before.slept && passed > ran + WATCH_GAP) || me->known.at - now > WATCH_GAP;
}

bool team_away(struct team_member *me, uint64_t *now) {
    if (*now - me->watch.before <= WATCH_GAP)
        return false;
    bool away = team_was_away(me, *now);
    me->watch.tally[TALLY_ASKING] += me->known.at - *now;
    me->now = *now = me->known.at;
    return away;
}

unsigned team_stride(unsigned stride, size_t operations, uint64_t nanoseconds) {
    if (operations < stride && nanoseconds <= TEAM_STRIDE)
        return stride; /* too few to tell */
    const uint64_t fits = nanoseconds ? operations * TEAM_STRIDE / nanoseconds : STRIDE_MAX;
    const uint64_t most = stride < STRIDE_MAX / 2 ? 2 * stride : STRIDE_MAX;
    return fits > most ? (unsigned)most : fits > 0 ? (unsigned)fits : 1;
}

unsigned team_sampling(struct team *team, double rate) {
    static const unsigned primes[] = {1, 3, 7, 13, 31, 61, 127, 251, 509, 1021, 2039, 4093, 8191, 16381, 32749, 65521};
    double expected = rate * (team->duration + 0.1) * 1.1 + 1000, room = (double)team->log_room;
    size_t i = 0;
    if (room > LOG_ROOM_MAX)
        room = LOG_ROOM_MAX;
    while (i + 1 < sizeof primes / sizeof primes[0] && expected / primes[i] > room)
        i++;
    expected /= primes[i];
    team->log_room = (size_t)(expected < room ? expected : room);
    return primes[i];
}

/* The owner opens the windows once every thread has looked at the clock, and so has begun to work. */
static void hear_of_opening(struct team_member *me, uint64_t now) {
    struct team *team = me->team;
    if (!me->runs) {
        me->runs = true;
        /* release: pairs with the acquire below; its work has begun */
        atomic_fetch_add_explicit(&team->running, 1, memory_order_release);
    }
    if (me->number == 0 && atomic_load_explicit(&team->running, memory_order_acquire) == team->count)
        atomic_store_explicit(&team->opened, now + OPENS_AFTER, memory_order_relaxed);
    /* relaxed: a time, and nothing that was written before it */
    uint64_t opened = atomic_load_explicit(&team->opened, memory_order_relaxed);
    if (opened)
        watch_open(&me->watch, opened);
}

bool team_look_closely(struct team_member *me, uint64_t now) {
    if (!me->watch.opened)
        hear_of_opening(me, now);
    bool away = team_away(me, &now);
    return watch_pass(&me->watch, now, away);
}

bool team_wait(struct team_member *me) {
    uint64_t due = me->team->frequency == TEAM_NEVER ? UINT64_MAX : me->pace.due;
    do {
        if (!team_look(me, clock_nanoseconds()))
            return false;
    } while (me->now < due);
    return true;
}

/* Takes the thread's place, and touches the thread's own memory. */
static bool set_up(struct team_member *me) {
    struct team *team = me->team;
    if (me->number != team->caller) {
        places_take(&team->places, me->number);
        /* what the owner touches first lies where the cell's `memory` says */
        if (me->number == 0 && !places_bind_memory(&team->places, cell_text(team->cell, "memory")))
            return false;
    }
    me->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (team->windows == 0)
        return true;
    if (!watch_init(&me->watch, team->window, team->windows, TAIL, clock_nanoseconds()))
        return false;
    me->log_room = team->samples_owner == (me->number == 0) ? team->log_room : 0;
    me->log = me->log_room ? malloc(me->log_room * sizeof me->log[0]) : NULL;
    if (me->log_room && !me->log)
        return false;
    if (me->log)
        memset(me->log, 0, me->log_room * sizeof me->log[0]);
    return true;
}

/* A thread other than the caller's: sets up, then carries out the task of each round. */
static void *other_thread(void *argument) {
    struct team_member *me = argument;
    struct team *team = me->team;
    if (!set_up(me))
        atomic_store_explicit(&team->failed, true, memory_order_relaxed);
    for (uint64_t round = 1;; round++) {
        /* release: pairs with the acquire in team_end; what this thread did is seen by the caller */
        atomic_fetch_add_explicit(&team->finished, 1, memory_order_release);
        /* acquire: pairs with the release in team_begin; the task is there, and all that it works on */
        while (atomic_load_explicit(&team->round, memory_order_acquire) < round)
            sched_yield();
        if (!team->task)
            return NULL;
        team->task(me);
    }
}

void team_begin(struct team *team, void (*task)(struct team_member *)) {
    team->task = task;
    atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
}

void team_end(struct team *team) {
    /* relaxed: the caller wrote it */
    const uint64_t due = (atomic_load_explicit(&team->round, memory_order_relaxed) + 1) * team->others;
    while (atomic_load_explicit(&team->finished, memory_order_acquire) < due)
        sched_yield();
}

static struct team_member *other(struct team *team, unsigned i) { return &team->threads[i < team->caller ? i : i + 1]; }

void team_stop(struct team *team) {
    team_end(team);
    team_begin(team, NULL);
    while (team->others > 0)
        pthread_join(other(team, --team->others)->thread, NULL);
}

static void release_threads(struct team *team) {
    for (unsigned i = 0; i < team->count; i++) {
        struct team_member *thread = &team->threads[i];
        watch_free(&thread->watch);
        free(thread->log);
        if (thread->schedstat > 0)
            close(thread->schedstat);
    }
}

/* Resets the threads for a repetition. Repetitions differ in their random numbers. */
static void reset(struct team *team) {
    static uint64_t runs;
    const uint64_t seed = random_of(team->cell->seed, ++runs);
    release_threads(team);
    for (unsigned i = 0; i < team->count; i++)
        team->threads[i] = (struct team_member){.team = team, .number = i, .random = random_start(seed, i)};
    atomic_store_explicit(&team->round, 0, memory_order_relaxed);
    atomic_store_explicit(&team->finished, 0, memory_order_relaxed);
    atomic_store_explicit(&team->failed, false, memory_order_relaxed);
    atomic_store_explicit(&team->running, 0, memory_order_relaxed);
    atomic_store_explicit(&team->opened, 0, memory_order_relaxed);
}

int team_start(struct team *team) {
    reset(team);
    bool fine = set_up(&team->threads[team->caller]);
    while (fine && team->others + 1 < team->count) {
        struct team_member *next = other(team, team->others);
        fine = pthread_create(&next->thread, NULL, other_thread, next) == 0;
        team->others += fine;
    }
    team_end(team);
    if (fine && !atomic_load_explicit(&team->failed, memory_order_relaxed))
        return 0;
    team_stop(team);
    fprintf(stderr, "stealbench: no %u threads with memory of their own\n", team->count);
    return 3;
}

/* Runs the work from the common start to the end. */
static void run_thread(struct team_member *me) {
    struct team *team = me->team;
    team_present(me);
    if (me->number > 0 && team->frequency != TEAM_FASTEST && team->frequency != TEAM_NEVER)
        pace_start(&me->pace, me->watch.before, team->frequency, team->thesis, random_next(&me->random));
    counters_start(&me->counters);
    team->work(me);
    counters_stop(&me->counters);
}

int team_run(struct team *team) {
    int failure = team_start(team);
    if (failure)
        return failure;
    team_begin(team, run_thread);
    run_thread(&team->threads[team->caller]);
    team_stop(team);
    const struct watch *watches[TEAM_THIEVES_MAX + 1];
    for (unsigned i = 0; i < team->count; i++)
        watches[i] = &team->threads[i].watch;
    team->counted = watch_counted(watches, team->count, team->places.oversubscribed, team->counts);
    return 0;
}

int team_open(struct team *team, unsigned threads) {
    int wrong = places_open(&team->places, team->cell, threads);
    team->count = threads;
    if (wrong)
        return wrong;
    places_take(&team->places, team->caller);
    if (team->caller == 0 && !places_bind_memory(&team->places, cell_text(team->cell, "memory")))
        return 3;
    uint64_t nanoseconds = (uint64_t)(team->duration * 1e9);
    team->window = nanoseconds / WINDOWS_MAX > WINDOW_SHORTEST ? nanoseconds / WINDOWS_MAX : WINDOW_SHORTEST;
    team->windows = (size_t)((nanoseconds + team->window - 1) / team->window);
    team->counts = calloc(team->windows, sizeof team->counts[0]);
    team->threads = aligned_alloc(alignof(struct team_member), threads * sizeof team->threads[0]);
    if ((!team->counts && team->windows > 0) || !team->threads) {
        fprintf(stderr, "stealbench: no memory for %u threads\n", threads);
        return 3;
    }
    memset(team->threads, 0, threads * sizeof team->threads[0]);
    return 0;
}

void team_close(struct team *team) {
    if (team->threads)
        release_threads(team);
    free(team->threads);
    free(team->counts);
    places_close(&team->places);
}
