/* team.h: an owner and its thieves, which work together round by round. The workload says what they do in a round.
 *
 * The owner is thread 0, thieves are threads 1 to count - 1. The main thread is one of these threads, called the
 * caller. team_run measures one round in windows that open after all threads run and close before the first one stops.
 * Each thread keeps its own record (watch.h). While they run, the deque is the only memory that they share and write.
 */
#pragma once

#include "harness/measuring/cell.h"
#include "harness/measuring/clock.h"
#include "harness/measuring/counters.h"
#include "harness/measuring/pacing.h"
#include "harness/measuring/places.h"
#include "harness/measuring/watch.h"
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

#define TEAM_THIEVES_MAX 511
#define TEAM_FASTEST 0 /* team->frequency: no waiting between attempts */
#define TEAM_NEVER UINT64_MAX

struct team;

/* State of one thread. */
struct team_member {
    alignas(128) struct watch watch;
    struct team *team;
    unsigned number; /* 0: the owner */
    uint64_t now;    /* time of the last look; after team_wait, the begin of the attempt */
    uint64_t random; /* state of a generator (random.h) */
    struct pace pace;
    uint32_t *log; /* samples: LOG_TICKS bits of time, the outcome above them */
    size_t log_room;
    unsigned wait; /* operations until the next sampled one */
    bool runs;     /* it has looked at the clock once */
    struct whereabouts {
        long displaced, slept; /* times it lost its processor against its will, and gave it up */
        uint64_t waited;       /* ns ready to run without a processor */
        uint64_t ran;          /* ns on a processor */
        uint64_t at;           /* ns: when the kernel had answered */
    } known;                   /* at the start, and after each silence */
    int schedstat;             /* file that tells `waited`; 0 or less: there is none */
    pthread_t thread;
    struct counters counters; /* of all its work, in counted windows and others */
};

#define LOG_TICKS 30
#define LOG_TICKS_MAX (((uint32_t)1 << LOG_TICKS) - 1)

struct team {
    /* the workload's */
    const struct cell *cell;
    unsigned caller;                    /* the main thread's number: 0 (owner) or 1 (a thief) */
    void (*work)(struct team_member *); /* for team_run: of owner or thief, by number; until a look says stop */
    void *context;
    uint64_t frequency; /* per thief; TEAM_FASTEST, TEAM_NEVER */
    bool thesis;        /* pacing */
    size_t log_room;    /* most samples per thread; 0: none */
    bool samples_owner; /* the owner takes samples, not the thieves */
    double duration;    /* of team_run, in s; 0: team_run is not called */

    /* set by team.c */
    unsigned count; /* threads */
    struct places places;
    struct team_member *threads;
    bool *counts; /* by window: does it count? for the last run */
    size_t windows, counted;
    uint64_t window;                    /* ns */
    unsigned others;                    /* threads that exist besides the caller */
    void (*task)(struct team_member *); /* of this round; NULL: end */
    /* round: rounds requested. finished: rounds finished, summed over the other threads, where setting up is the first.
     * Both only grow, so an answer to one round cannot be taken for an answer to another. */
    alignas(128) _Atomic uint64_t round;
    alignas(128) _Atomic uint64_t finished;
    _Atomic bool failed;                   /* a thread could not set up */
    alignas(128) _Atomic unsigned running; /* threads that have begun to work */
    alignas(128) _Atomic uint64_t opened;  /* when window 0 begins; 0: not yet */
};

/* Main thread; it takes the caller's place. From then on, what the owner touches first lies where the cell's `memory`
 * says. Returns 0; what places_open returns; or 3: no memory (says so). Close the team in any case. */
int team_open(struct team *, unsigned threads);
void team_close(struct team *);

/* Caller. Starts the other threads, which take their places and wait for a round. Returns 0, or 3 if a thread or memory
 * could not be had (says so); then there are no other threads. */
int team_start(struct team *);

/* Caller. team_begin starts a round, in which every other thread does the task once. team_end waits until each has done
 * it; what they wrote is then visible. */
void team_begin(struct team *, void (*task)(struct team_member *));
void team_end(struct team *);

/* Caller. Ends the round and the other threads. */
void team_stop(struct team *);

/* Caller. Runs one repetition with threads of its own, from team_start to team_stop. Returns 0, or 3 as team_start.
 * counted is then the number of windows that count. */
int team_run(struct team *);

/* A thread in a task: here it is. Asks the kernel, with whose later answers this one is compared. */
void team_present(struct team_member *);

/* Asks the kernel whether the thread was off its processor since it asked last: displaced, without a processor though
 * ready to run, or with less time on its own clock than passed though it did not sleep (then the host took the
 * processor). A sleep, for a lock perhaps, is a part of an operation. now: when the silence ended. A thread that is
 * held up while it asks was away, too. */
bool team_was_away(struct team_member *, uint64_t now);

/* A look by a thread that works in no window: was it away since the last one? Moves *now past what asking took. */
bool team_away(struct team_member *, uint64_t *now);

/* A thread, between operations. now: the time. Returns false: stop. */
bool team_look_closely(struct team_member *, uint64_t now);
static inline bool team_look(struct team_member *me, uint64_t now) {
    struct watch *watch = &me->watch;
    me->now = now;
    if (now - watch->before <= WATCH_GAP && now < watch->boundary) {
        watch->before = now;
        return true;
    }
    return team_look_closely(me, now);
}

/* A thief. Waits until its next attempt is due; me->now is then that time. Returns false: stop. */
bool team_wait(struct team_member *me);

/* Logs a sample: how long an operation took, in steps of the counter, and its outcome (0 to 3). */
static inline void team_log(struct team_member *me, uint64_t ticks, unsigned outcome) {
    uint64_t at = me->watch.tally[TALLY_LOGGED];
    if (at < me->log_room) {
        uint32_t kept = ticks < LOG_TICKS_MAX ? (uint32_t)ticks : LOG_TICKS_MAX;
        me->log[at] = kept | (uint32_t)outcome << LOG_TICKS;
        me->watch.tally[TALLY_LOGGED] = at + 1;
    }
}

/* How many operations to make until the next look. The last `operations`, of the `stride` that were to be made, took
 * that long. Looks are to be TEAM_STRIDE apart; a slower stretch shortens the stride at once, a faster one doubles it.
 */
#define TEAM_STRIDE 4000 /* ns */
unsigned team_stride(unsigned stride, size_t operations, uint64_t nanoseconds);

/* Main thread, before team_run. For at most `rate` operations per second, returns n so that sampling one operation in n
 * fits into log_room, and lowers log_room to what that needs. n is odd, because blocks and rounds are even. */
unsigned team_sampling(struct team *, double rate);
