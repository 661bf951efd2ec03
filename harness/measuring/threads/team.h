/* team.h: an owner and its thieves, which work together round by round. What they do in a round is the workload's.
 *
 * The owner is thread 0, thieves are threads 1 to count - 1; the main thread is one of them, the caller. team_run
 * measures one round in windows that open after all threads run and close before the first one stops. Each thread keeps
 * its own record (watch.h); while they run they share nothing that is written, except the deque.
 */
#ifndef STEALBENCH_TEAM_H
#define STEALBENCH_TEAM_H

#include "harness/measuring/cell/cell.h"
#include "harness/measuring/clock/clock.h"
#include "harness/measuring/counters/counters.h"
#include "harness/measuring/threads/pacing.h"
#include "harness/measuring/threads/places.h"
#include "harness/measuring/threads/watch.h"
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

#define TEAM_THIEVES_MAX 511
#define TEAM_FASTEST 0 /* team->frequency: no waiting between attempts */
#define TEAM_NEVER UINT64_MAX

struct team;

/* One thread's own. */
struct team_member {
    alignas(128) struct watch watch;
    struct team *team;
    unsigned number; /* 0: the owner */
    uint64_t now;    /* the last look, which is when an attempt that team_wait let go begins */
    uint64_t random; /* state of a generator (random.h) */
    struct pace pace;
    uint32_t *log; /* samples: LOG_TICKS bits of time and an outcome above them */
    size_t log_room;
    unsigned wait; /* operations until the next one that is sampled */
    bool runs;     /* it has looked once */
    /* of a patient team, by the last silence or the start */
    long displaced;  /* times it lost its processor against its will */
    uint64_t waited; /* ns: for a processor, as the kernel tells */
    int schedstat;   /* where it tells; or -1 */
    pthread_t thread;
    struct counters counters; /* of all its work, in windows that count and others */
};

#define LOG_TICKS 30
#define LOG_TICKS_MAX (((uint32_t)1 << LOG_TICKS) - 1)

struct team {
    /* the workload's */
    const struct cell *cell;
    unsigned caller;                    /* the main thread's number: 0, the owner, or 1, a thief */
    void (*work)(struct team_member *); /* of team_run: owner or thief by number; returns when a look says so */
    void *context;
    uint64_t frequency; /* of each thief; TEAM_FASTEST, TEAM_NEVER */
    bool thesis;        /* pacing */
    bool patient;    /* an operation may take long, or sleep: a silence is an absence only if the kernel says that the
                        thread was displaced or waited for a processor */
    size_t log_room; /* samples a thread may take; 0: none */
    bool samples_owner; /* the owner takes them, not the thieves */
    double duration;    /* of team_run, s; 0: it is not called */

    /* of this file */
    unsigned count; /* threads */
    struct places places;
    struct team_member *threads;
    bool *counts; /* by window: of the last run */
    size_t windows, counted;
    uint64_t window;                    /* ns */
    unsigned others;                    /* threads besides the caller's: there now */
    void (*task)(struct team_member *); /* of this round; NULL: to end */
    /* Rounds asked for; and rounds finished by the other threads, summed, their set-up being the first. Both only grow,
     * so an answer to one round cannot be taken for an answer to another. */
    alignas(128) _Atomic uint64_t round;
    alignas(128) _Atomic uint64_t finished;
    _Atomic bool failed;                   /* one could not set up */
    alignas(128) _Atomic unsigned running; /* threads that have begun to work */
    alignas(128) _Atomic uint64_t opened;  /* when window 0 begins; 0: not yet */
};

/* Main thread, which takes the caller's place. From its place on, what the owner touches first lies where the cell's
 * `memory` says. 0; what places_open returns; 3 no memory (said). To be closed in any case. */
int team_open(struct team *, unsigned threads);
void team_close(struct team *);

/* Caller. The other threads start, take their places and wait for a round. 0; 3 a thread or memory could not be had
 * (said): then there are none. */
int team_start(struct team *);

/* Caller: a round begins, in which every other thread does the task once. And it has ended: each has, and what it wrote
 * is seen. */
void team_begin(struct team *, void (*task)(struct team_member *));
void team_end(struct team *);

/* Caller: the round ends, and the other threads with it. */
void team_stop(struct team *);

/* Caller: one repetition, by threads of its own, from team_start to team_stop. 0; 3 as team_start. counted is then how
 * many windows count: none when the threads were never on their processors together. */
int team_run(struct team *);

/* A thread in a task: its silences count as absences from now on. */
void team_present(struct team_member *);

/* Was the thread away since its last look? Moves *now, the time, on to when the kernel has answered. */
bool team_away(struct team_member *, uint64_t *now);

/* A thread, between operations: now is the time. false: stop. */
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

/* A thief: waits until its next attempt is due, which me->now then is. false: stop. */
bool team_wait(struct team_member *me);

/* Writes a sample down: how long an operation took, in steps of the counter, and how it ended (0 to 3). */
static inline void team_log(struct team_member *me, uint64_t ticks, unsigned outcome) {
    uint64_t at = me->watch.tally[TALLY_LOGGED];
    if (at < me->log_room) {
        uint32_t kept = ticks < LOG_TICKS_MAX ? (uint32_t)ticks : LOG_TICKS_MAX;
        me->log[at] = kept | (uint32_t)outcome << LOG_TICKS;
        me->watch.tally[TALLY_LOGGED] = at + 1;
    }
}

/* How many operations to make until the next look, when the last so many took that long: enough that looks cost little,
 * few enough that no absence hides between them. */
unsigned team_stride(unsigned operations, uint64_t nanoseconds);

/* Main thread, before team_run: for at most `rate` operations a second, returns n so that the samples of one in n fit
 * log_room, and lowers log_room to that need. n is no multiple of 2, because blocks and rounds are. */
unsigned team_sampling(struct team *, double rate);

#endif
