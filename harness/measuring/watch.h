/* watch.h: one thread's record of a measured run, split into short windows. A window counts only if every thread was on
 * its processor throughout.
 *
 * A thread reads the clock often. After a silence, a long gap between two reads, it asks the kernel whether it was off
 * its processor (team.c); if so, the windows in that gap do not count. Nor do those that a silence overlaps together
 * with such a window: its operation may have waited for the thread that was away. At the first look in each window the
 * thread records its work so far; its work in a window is the difference of two records. Threads share nothing while
 * they run. Nothing here reads a clock: the caller passes the time, so tests can simulate it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef WATCH_GAP       /* builds under sanitizers have another value, because everything takes many times as long */
#define WATCH_GAP 30000 /* ns: after a longer silence the kernel is asked */
#endif

/* What a thread counts from its start on. */
enum tally {
    TALLY_PUSHED,      /* owner: items pushed */
    TALLY_POPPED,      /* owner: items popped */
    TALLY_PUSHES,      /* owner: calls of push, including refused ones */
    TALLY_POPS,        /* owner: calls of pop, including those that found nothing */
    TALLY_PUSH_TIME,   /* owner: ns */
    TALLY_POP_TIME,    /* owner: ns */
    TALLY_STOLEN,      /* thief: attempts that got something */
    TALLY_EMPTY,       /* thief: attempts that found nothing */
    TALLY_LOST,        /* thief: attempts that another thread won, including refused turns */
    TALLY_REFUSED,     /* thief: attempts not made because another thief had the turn */
    TALLY_ITEMS,       /* thief: items got */
    TALLY_STEAL_TIME,  /* thief that does not wait between attempts: ns */
    TALLY_STEAL_TICKS, /* thief that waits: steps of the counter of cycles.h */
    TALLY_LOGGED,      /* samples taken */
    TALLY_ASKING,      /* ns in which it asked the kernel; no part of a window's length */
    TALLY_KINDS
};

struct snapshot {
    uint64_t at; /* ns: time of the snapshot */
    uint64_t tally[TALLY_KINDS];
};

/* What a silence did to a window. */
#define WATCH_AWAY 1    /* the thread was off its processor */
#define WATCH_GOES_ON 2 /* the silence goes on in the next window */

struct watch {
    uint64_t opened; /* ns: when window 0 begins; 0: not yet */
    uint64_t window; /* ns: length of a window */
    size_t windows;
    uint64_t tail;             /* ns: how long the thread goes on after the last window */
    struct snapshot *snapshot; /* windows + 1: at the first look in or after each window, and after the last */
    unsigned char *marks;      /* by window */
    size_t next;               /* index of the next snapshot */
    uint64_t before;           /* time of the last look */
    uint64_t boundary;         /* until then a look has nothing to record; 0: examine every look */
    uint64_t tally[TALLY_KINDS];
};

/* Call in the thread whose record it is; it touches the memory first. false: there is none. */
bool watch_init(struct watch *, uint64_t window, size_t windows, uint64_t tail, uint64_t now);
void watch_free(struct watch *);

/* Window 0 begins at opened, which may lie a little before or after now. */
void watch_open(struct watch *, uint64_t opened);

/* A look that has something to record. Returns false: the thread may stop. away: the thread was off its processor for
 * some of the time since the last look. */
bool watch_pass(struct watch *, uint64_t now, bool away);

/* Call after all threads stopped. Sets which windows count, and returns how many. A window counts if no thread was away
 * in it; with `every`, all windows count. */
size_t watch_counted(const struct watch *const *, size_t threads, bool every, bool *counts);

/* Adds to tally what one thread did in the windows that count; returns the seconds of these windows. every: as above.
 * It then uses the windows' nominal length, because a thread may have been away at their ends. */
double watch_sum(const struct watch *, const bool *counts, bool every, uint64_t *tally);
