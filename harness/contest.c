#include "harness/contest.h"
#include "harness/items.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define WINDOW_SHORTEST 1000000 /* ns */
#define WINDOWS_MOST 2000
#define OPENS_AFTER 200000 /* ns: until every thread has heard of it */
#define TAIL 1000000       /* ns: that each goes on after the last window */
#define STRIDE_MOST 4096
#define LOG_ROOM_MOST 1048576.0 /* samples of a thread */
#define LOOK_EVERY_LONG 8000    /* ns: what a stride should last at most */
#define LOOK_EVERY_SHORT 3000

long displacements(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

/* ns that the thread has been ready to run but had no processor; 0 where the kernel does not tell. */
static uint64_t waited_for_processor(const struct contest_thread *me) {
    char text[128];
    unsigned long long ran, waited;
    ssize_t length = me->schedstat < 0 ? -1 : pread(me->schedstat, text, sizeof text - 1, 0);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited : 0;
}

/* After a silence in a patient contest: was the thread away, or did an operation take so long? *now moves on to when
 * that is known. Who was kept from its work for so long while it asked was away, whatever the kernel counted before. */
static bool was_away(struct contest_thread *me, uint64_t *now) {
    long switches = displacements();
    uint64_t waited = waited_for_processor(me), answered = clock_nanoseconds();
    bool away = switches != me->displaced || waited > me->waited + WATCH_GAP || answered - *now > WATCH_GAP;
    me->displaced = switches;
    me->waited = waited;
    me->now = *now = answered;
    return away;
}

unsigned contest_stride(unsigned operations, uint64_t nanoseconds) {
    if (nanoseconds > LOOK_EVERY_LONG && operations > 1)
        return operations / 2;
    return nanoseconds < LOOK_EVERY_SHORT && operations < STRIDE_MOST ? operations * 2 : operations;
}

unsigned contest_sampling(struct contest *contest, double rate) {
    static const unsigned primes[] = {1, 3, 7, 13, 31, 61, 127, 251, 509, 1021, 2039, 4093, 8191, 16381, 32749, 65521};
    double expected = rate * (contest->duration + 0.1) * 1.1 + 1000, room = (double)contest->log_room;
    size_t i = 0;
    if (room > LOG_ROOM_MOST)
        room = LOG_ROOM_MOST;
    while (i + 1 < sizeof primes / sizeof primes[0] && expected / primes[i] > room)
        i++;
    expected /= primes[i];
    contest->log_room = (size_t)(expected < room ? expected : room);
    return primes[i];
}

void contest_report_places(const struct contest *contest) {
    const char *roles[CONTEST_THIEVES_MOST + 1];
    char text[(CONTEST_THIEVES_MOST + 1) * 16 + sizeof contest->places.nodes];
    for (unsigned i = 0; i < contest->count; i++)
        roles[i] = i == 0 ? "owner" : "thief";
    places_text(&contest->places, roles, text, sizeof text);
    cell_placement(contest->cell, text);
}

/* The owner opens the windows once every thread has looked at the clock, and so has begun to work. */
static void hear_of_opening(struct contest_thread *me, uint64_t now) {
    struct contest *contest = me->contest;
    if (!me->runs) {
        me->runs = true;
        /* release: pairs with the acquire below; its work has begun */
        atomic_fetch_add_explicit(&contest->running, 1, memory_order_release);
    }
    if (me->number == 0 && atomic_load_explicit(&contest->running, memory_order_acquire) == contest->count)
        atomic_store_explicit(&contest->opened, now + OPENS_AFTER, memory_order_relaxed);
    /* relaxed: a time, and nothing that was written before it */
    uint64_t opened = atomic_load_explicit(&contest->opened, memory_order_relaxed);
    if (opened)
        watch_open(&me->watch, opened);
}

bool contest_look_closely(struct contest_thread *me, uint64_t now) {
    bool away = false;
    if (!me->watch.opened)
        hear_of_opening(me, now);
    if (now - me->watch.before > WATCH_GAP)
        away = !me->contest->patient || was_away(me, &now);
    return watch_pass(&me->watch, now, away);
}

bool contest_wait(struct contest_thread *me) {
    uint64_t due = me->contest->frequency == CONTEST_NEVER ? UINT64_MAX : me->pace.due;
    do {
        if (!contest_look(me, clock_nanoseconds()))
            return false;
    } while (me->now < due);
    return true;
}

/* The thread's own memory, touched by itself. */
static bool set_up(struct contest_thread *me) {
    struct contest *contest = me->contest;
    if (me->number > 0)
        places_take(&contest->places, me->number);
    if (watch_init(&me->watch, contest->window, contest->windows, TAIL, clock_nanoseconds()) != 0)
        return false;
    me->log_room = contest->samples_owner == (me->number == 0) ? contest->log_room : 0;
    me->log = me->log_room ? malloc(me->log_room * sizeof me->log[0]) : NULL;
    if (me->log_room && !me->log)
        return false;
    if (me->log)
        memset(me->log, 0, me->log_room * sizeof me->log[0]);
    if (!contest->patient)
        return true;
    me->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    me->displaced = displacements();
    me->waited = waited_for_processor(me);
    return true;
}

/* From the start together to the end. */
static void run_thread(struct contest_thread *me) {
    struct contest *contest = me->contest;
    uint64_t now = clock_nanoseconds();
    me->watch.before = now;
    if (me->number > 0 && contest->frequency != CONTEST_FASTEST && contest->frequency != CONTEST_NEVER)
        pace_start(&me->pace, now, contest->frequency, contest->thesis, random_next(&me->random));
    counters_start(&me->counters);
    contest->work(me);
    counters_stop(&me->counters);
}

static void *thief_thread(void *argument) {
    struct contest_thread *me = argument;
    struct contest *contest = me->contest;
    int go;
    if (!set_up(me))
        atomic_store_explicit(&contest->go, -1, memory_order_relaxed);
    /* release: pairs with the acquire in contest_run; places and memory are seen by the owner */
    atomic_fetch_add_explicit(&contest->ready, 1, memory_order_release);
    /* acquire: pairs with the release of go in contest_run; the deque is ready */
    while ((go = atomic_load_explicit(&contest->go, memory_order_acquire)) == 0)
        if (contest->places.oversubscribed)
            sched_yield();
    if (go > 0)
        run_thread(me);
    return NULL;
}

static void release_threads(struct contest *contest) {
    for (unsigned i = 0; i < contest->count; i++) {
        struct contest_thread *thread = &contest->threads[i];
        watch_free(&thread->watch);
        free(thread->log);
        thread->log = NULL;
        if (thread->schedstat >= 0)
            close(thread->schedstat);
        thread->schedstat = -1;
    }
}

/* Threads as at the beginning of a repetition; repetitions differ in their random numbers. */
static void reset(struct contest *contest) {
    static uint64_t runs;
    uint64_t state = contest->cell->seed + ++runs * 0x9e3779b97f4a7c15u;
    release_threads(contest);
    for (unsigned i = 0; i < contest->count; i++)
        contest->threads[i] = (struct contest_thread){
            .contest = contest, .number = i, .random = random_next(&state) | 1, .schedstat = -1};
    atomic_store_explicit(&contest->ready, 0, memory_order_relaxed);
    atomic_store_explicit(&contest->go, 0, memory_order_relaxed);
    atomic_store_explicit(&contest->running, 0, memory_order_relaxed);
    atomic_store_explicit(&contest->opened, 0, memory_order_relaxed);
}

int contest_run(struct contest *contest) {
    unsigned started = 1;
    reset(contest);
    bool fine = set_up(&contest->threads[0]);
    while (fine && started < contest->count) {
        struct contest_thread *thief = &contest->threads[started];
        fine = pthread_create(&thief->thread, NULL, thief_thread, thief) == 0;
        started += fine;
    }
    while (atomic_load_explicit(&contest->ready, memory_order_acquire) < started - 1)
        sched_yield();
    fine = fine && atomic_load_explicit(&contest->go, memory_order_relaxed) == 0;
    atomic_store_explicit(&contest->go, fine ? 1 : -1, memory_order_release);
    if (fine)
        run_thread(&contest->threads[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(contest->threads[i].thread, NULL);
    if (!fine) {
        fprintf(stderr, "stealbench: no %u threads with memory of their own\n", contest->count);
        return 3;
    }
    const struct watch *watches[CONTEST_THIEVES_MOST + 1];
    for (unsigned i = 0; i < contest->count; i++)
        watches[i] = &contest->threads[i].watch;
    contest->counted = watch_counted(watches, contest->count, contest->places.oversubscribed, contest->counts);
    return 0;
}

int contest_open(struct contest *contest, unsigned threads) {
    char message[MESSAGE_SIZE];
    int wrong = places_open(&contest->places, contest->cell, threads);
    contest->count = threads;
    if (wrong)
        return wrong;
    places_take(&contest->places, 0);
    if (places_bind_memory(&contest->places, cell_text(contest->cell, "memory"), message) != 0) {
        fprintf(stderr, "stealbench: %s\n", message);
        return 3;
    }
    uint64_t nanoseconds = (uint64_t)(contest->duration * 1e9);
    contest->window = nanoseconds / WINDOWS_MOST > WINDOW_SHORTEST ? nanoseconds / WINDOWS_MOST : WINDOW_SHORTEST;
    contest->windows = (size_t)((nanoseconds + contest->window - 1) / contest->window);
    contest->counts = calloc(contest->windows, sizeof contest->counts[0]);
    contest->threads = aligned_alloc(alignof(struct contest_thread), threads * sizeof contest->threads[0]);
    if (!contest->counts || !contest->threads) {
        fprintf(stderr, "stealbench: no memory for %u threads\n", threads);
        return 3;
    }
    for (unsigned i = 0; i < threads; i++)
        contest->threads[i] = (struct contest_thread){.schedstat = -1};
    return 0;
}

void contest_close(struct contest *contest) {
    if (contest->threads)
        release_threads(contest);
    free(contest->threads);
    free(contest->counts);
    places_close(&contest->places);
}
