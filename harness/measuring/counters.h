/* counters.h: counts events of processor and kernel while a thread is in a measured window.
 *
 * Each measured thread has a zeroed struct counters and brackets its own part of the window, as close to the work as
 * the clock. When all threads have stopped, the main thread reports a role. Windows add up until the report. To undo a
 * window, assign back a copy from before it.
 *
 * The common parameter `counters` names a set of events that fit the processor together (counter_sets.csv), or `events`
 * has PAPI's own names joined by + ("PAPI_TOT_INS+perf::PAGE-FAULTS"), each then a metric. PAPI counts them in user
 * mode, all of them in every window. A set of which PAPI lacks an event, or that does not fit, or a window in which no
 * instruction or cycle was counted, has the status denied and a message, never a part of its events, never 0.
 * Switches and page faults are always counted, by getrusage(RUSAGE_THREAD).
 */
#pragma once

#include "harness/measuring/cell.h"

#define COUNTER_EVENTS_MAX 16
#define COUNTER_KERNEL 4

/* One thread's counts since it was zeroed. Plain data: it may be copied, added or discarded. */
struct counters {
    double count[COUNTER_EVENTS_MAX]; /* by event */
    int failure;                      /* PAPI's code of the first window that could not be counted, or 0 */
    uint64_t kernel[COUNTER_KERNEL];  /* voluntary, involuntary switches; minor, major faults */
    uint64_t kernel_before[COUNTER_KERNEL];
};

/* Main thread, called by deque_main before and after the workload. counters_open prepares the events that the cell asks
 * for. counters_close reports a status for each event that was never reported. */
void counters_open(const struct cell *);
void counters_close(const struct cell *);

/* Any thread, for itself. Opening the window is the last act of start, closing it the first act of stop. */
void counters_start(struct counters *);
void counters_stop(struct counters *);

/* Main thread, after the threads have stopped. counters_report reports a thread's counts, or those of several after
 * counters_add, as totals and, if operations is above 0, divided by operations (X_per_operation). repetition as in
 * cell_sample. */
void counters_add(struct counters *sum, const struct counters *one);
void counters_report(const struct cell *, const char *role, unsigned repetition, const struct counters *,
                     double operations);

/* Main thread. Why this machine cannot count the set of that name, or those events if they are not "default": in words,
 * valid until the next call. NULL: it can. */
const char *counters_refused(const char *name, const char *events);
