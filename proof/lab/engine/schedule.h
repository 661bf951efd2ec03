/* schedule.h: decides which thread runs when: at random, by a list, exhaustively up to a bound, in turns, in rounds or
 * in sequence. Schedules are valid until the next one of their kind is asked for.
 *
 * A seed fully determines a random schedule. Two thirds of the schedules are random walks, with random rates of
 * switching and of draining store buffers. The others give threads and buffers random priorities that change at a few
 * random moments (after S. Burckhardt et al.: A randomized scheduler with probabilistic guarantees of finding bugs,
 * ASPLOS 2010). The timing of real machines is not imitated: that finds nothing.
 */
#pragma once

#include "proof/lab/engine/machine.h"
#include <stddef.h>

struct step {
    enum choice_kind kind;
    unsigned thread;
    uint64_t count; /* number of accesses, 0: until it ends, stops or waits; for CHOICE_OLDER: how many stores before */
};
#define STEPS_MAX 20000
struct steps {
    size_t count;
    bool plain_points, weak;
    uint64_t accesses; /* accesses of the run, for a caller that compares runs */
    struct step step[STEPS_MAX];
};

struct schedule {
    /* The next choice. CHOICE_RUN must name a runnable thread, the others a thread with a buffered store. */
    struct choice (*next)(void);
    /* On weak memory: which store a load reads; 0: the newest, n: the n-th before it, up to `max`. On any memory, with
     * max 1: whether a weak CAS fails for no reason. NULL: always 0. */
    unsigned (*older)(unsigned max);
    bool plain_points;    /* may threads also switch before plain accesses? */
    bool weak;            /* is memory weaker than TSO (weak_memory.h)? */
    struct steps *record; /* where its decisions are noted, or NULL */
};

/* What the machine asks. */
struct choice schedule_next(const struct schedule *);
unsigned schedule_older(const struct schedule *, unsigned max);

/* Chooses whether random and exhaustive schedules are for memory weaker than TSO or, as initially, for TSO. */
void schedule_memory(bool weak);

/* A random schedule. length: about how many accesses a run makes. */
struct schedule *schedule_by_chance(uint64_t seed, uint64_t length);

/* A list of steps. After the last one the current thread goes on, then the others in order; no store is drained before
 * it has to be. */
struct schedule *schedule_by_list(const struct steps *);

/* The same schedule, which copies its decisions into steps while it makes them. */
struct schedule *schedule_recorded(struct schedule *, struct steps *);

/* "0*12,1*3,d0,a0,1*": thread 0 for 12 accesses, thread 1 for 3, one store of thread 0 arrives, all of them arrive,
 * thread 1 to its end. "o2": the load before which threads last could change reads the second store before the newest;
 * "o1" at a weak CAS: it fails for no reason.
 * A "p" in front means that threads may also change before plain accesses. A "w" before that means weak memory. Returns
 * false if it does not fit, or if text is no such list. */
bool steps_text(const struct steps *, char *text, size_t size);
bool steps_parse(const char *text, struct steps *);
size_t steps_switches(const struct steps *);

/* Every schedule whose cost is at most bound. These cost 1 each: switching away from a thread that could go on, leaving
 * its stores in the buffer then, letting another thread's stores arrive, reading an older store, and a weak CAS that
 * fails. Call begin, then run and advance, until advance says that there are no more schedules (or the tree is too deep
 * to store). */
void schedule_exhaustive_begin(unsigned bound, bool plain_points);
struct schedule *schedule_exhaustive(void);
bool schedule_exhaustive_advance(void);

/* Threads in turns of one to four accesses. The same number always gives the same lengths. (With equal turns two
 * threads can run in lockstep, and one of them may never get a lock.) A store arrives when the thread's next turn
 * begins. */
struct schedule *schedule_in_turns(unsigned number);

/* Each thread runs until it passes its turn on (schedule_pass) or ends, and all its stores arrive. */
struct schedule *schedule_in_rounds(void);
void schedule_pass(void);

/* One thread runs after the other, each to its end. */
struct schedule *schedule_in_sequence(void);
