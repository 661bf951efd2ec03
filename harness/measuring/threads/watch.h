/* watch.h: one thread's record of a measured run, split into short windows. A window counts only if every thread was on
 * its processor all through it.
 *
 * A thread reads the clock often. A long gap between two reads means that it was off its processor; the windows in that
 * gap do not count. At the first look in each window the thread records what it has done so far; its work in a window
 * is a difference. Threads share nothing while they run. Nothing here reads a clock: looks are handed in, so tests can
 * simulate them.
 */
#ifndef STEALBENCH_WATCH_H
#define STEALBENCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef WATCH_GAP       /* builds under sanitizers, where all takes many times as long, have another */
#define WATCH_GAP 30000 /* ns: a longer silence is an absence */
#endif

/* What is counted, from the thread's start on. */
enum tally {
    TALLY_PUSHED,      /* owner: items that went in */
    TALLY_POPPED,      /* owner: items that came out */
    TALLY_PUSHES,      /* owner: calls, refused ones too */
    TALLY_POPS,        /* owner: calls, those that found nothing too */
    TALLY_PUSH_TIME,   /* owner: ns */
    TALLY_POP_TIME,    /* owner: ns */
    TALLY_STOLEN,      /* thief: attempts that got something */
    TALLY_EMPTY,       /* thief: attempts that found nothing */
    TALLY_LOST,        /* thief: attempts that another thread won, refused turns too */
    TALLY_REFUSED,     /* thief: attempts not made because another thief had the turn */
    TALLY_ITEMS,       /* thief: items got */
    TALLY_STEAL_TIME,  /* thief that does not wait between attempts: ns */
    TALLY_STEAL_TICKS, /* thief that does: steps of the counter of cycles.h */
    TALLY_LOGGED,      /* samples taken */
    TALLY_KINDS
};

struct snapshot {
    uint64_t at; /* ns: when it was taken */
    uint64_t tally[TALLY_KINDS];
};

struct watch {
    uint64_t opened; /* ns: when window 0 begins; 0: not yet */
    uint64_t window; /* ns: its length */
    size_t windows;
    uint64_t tail;             /* ns: how long the thread goes on after the last window */
    struct snapshot *snapshot; /* windows + 1: the first look in or after each, and the first after them */
    bool *absent;              /* by window */
    size_t next;               /* the snapshot to be taken next */
    uint64_t before;           /* the last look */
    uint64_t boundary;         /* until then a look has nothing to record; 0: every look is examined */
    uint64_t tally[TALLY_KINDS];
};

/* The thread whose record it is; it touches the memory first. 0, or ENOMEM. */
int watch_init(struct watch *, uint64_t window, size_t windows, uint64_t tail, uint64_t now);
void watch_free(struct watch *);

/* Window 0 begins at opened, which may lie a little before or after now. */
void watch_open(struct watch *, uint64_t opened);

/* A look that has something to record; false: the thread may stop. away: the thread was off its processor for some of
 * the time since the last look. A silence as long as a window is always an absence. */
bool watch_pass(struct watch *, uint64_t now, bool away);

/* After all threads stopped: which windows count, by window, and how many. A window counts if no thread missed it; with
 * `every`, all of them do. */
size_t watch_counted(const struct watch *const *, size_t threads, bool every, bool *counts);

/* What one thread did in the windows that count, added to tally; returns their seconds. every: as above; the windows'
 * own length is then taken, for a thread may have been away at their ends. */
double watch_sum(const struct watch *, const bool *counts, bool every, uint64_t *tally);

#endif
