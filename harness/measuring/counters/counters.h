/* counters.h: counts events of processor and kernel while a thread is in a measured window.
 *
 * A workload needs three lines. Each measured thread has a zeroed struct counters and brackets its own part of the
 * window, as close to the work as the clock. When all threads have stopped, the main thread reports a role:
 *
 *     counters_start(&mine);  ...the measured work...  counters_stop(&mine);
 *     counters_report(cell, "thief", repetition, thieves, thief_count, operations_of_all_thieves);
 *
 * Windows add up until the report, so a workload with many short windows reports once. To undo a window, assign back a
 * copy from before it.
 *
 * The common parameter `counters` says what is counted:
 *   none                  only what the kernel always counts (below)
 *   hardware              PAPI, in user mode; when the processor has too few counters, windows take turns: each
 *                         window counts one group of events exactly, and a total that did not see every window is not
 *                         reported, only the value per operation; repetitions begin with one group after the other
 *   hardware+multiplexed  all events in every window, the counters taking turns within it; flagged multiplexed
 * and `events` which: default, or PAPI's own names joined by + ("PAPI_TOT_INS+perf::PAGE-FAULTS"), each then a metric.
 *
 * Always counted, by getrusage(RUSAGE_THREAD): voluntary_context_switches, involuntary_context_switches,
 * minor_page_faults, major_page_faults. What cannot be counted has a status (unsupported, denied), never 0.
 */
#ifndef STEALBENCH_COUNTERS_H
#define STEALBENCH_COUNTERS_H

#include "harness/measuring/cell/cell.h"
#include <stdint.h>

#define COUNTER_EVENTS_MAX 16
#define COUNTER_KERNEL 4

/* One thread's counts since it was zeroed. Plain data: it may be copied, added or discarded. */
struct counters {
    double count[COUNTER_EVENTS_MAX];     /* by event, over the windows that counted the event */
    uint32_t counted[COUNTER_EVENTS_MAX]; /* number of windows that counted the event */
    uint32_t windows;                     /* number of all windows */
    int failure[COUNTER_EVENTS_MAX];      /* PAPI's code of the first failure for the event in this thread, or 0 */
    uint64_t kernel[COUNTER_KERNEL];      /* voluntary, involuntary switches; minor, major faults */
    uint64_t kernel_before[COUNTER_KERNEL];
    int group; /* the group counted in the open window */
};

/* Main thread, called by deque_main before and after the workload. counters_open prepares the events that the cell asks
 * for. counters_close reports a status for each event that was never counted. */
void counters_open(const struct cell *);
void counters_close(const struct cell *);

/* Any thread, for itself. Opening the window is the last act of start, closing it the first act of stop. */
void counters_start(struct counters *);
void counters_stop(struct counters *);

/* Main thread, after the threads have stopped. Reports the sum over `threads` sets as totals and, if operations is
 * above 0, divided by operations (X_per_operation). repetition as in cell_sample. */
void counters_report(const struct cell *, const char *role, unsigned repetition, const struct counters *sets,
                     size_t threads, double operations);

/* For doctor and manifest: "available", or in words why PAPI cannot count here. Valid as long as the process. */
const char *counters_papi(void);

#endif
