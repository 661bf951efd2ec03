/* clock.h: the clock that everything is timed with, and what it costs.
 *
 * CLOCK_MONOTONIC_RAW: steady, not slewed by NTP, read without a system call. A read costs tens of nanoseconds, so a
 * timed region lasts at least CLOCK_READS_A_BATCH reads: the two that bracket it are then below 0.2 % of it.
 */
#ifndef STEALBENCH_CLOCK_H
#define STEALBENCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define CLOCK_READS_A_BATCH 1000

/* Any thread. Nanoseconds since some fixed moment. */
static inline uint64_t clock_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct clock_facts {
    double overhead;   /* ns that one read costs: the median over many short series of reads */
    double resolution; /* ns: the smallest step seen between two reads that differ */
};

/* Any thread; takes about a millisecond. */
struct clock_facts clock_calibrate(void);

/* One thread of a process: seconds that it has run so far, and that it waited for a processor though it could have. */
struct clock_thread {
    pid_t id;
    double ran, waited;
};

/* The threads of a process (0: this one), at most max of them; how many. 0 where the kernel does not tell. */
size_t clock_threads(pid_t process, struct clock_thread *, size_t max);

/* Seconds that a process (0: this one) has waited for a processor so far, though it could have run: of its threads, the
 * one that waited longest. A busy machine took this time away; it is no sign that anything hangs. 0 where the kernel
 * does not tell. */
double clock_waited(pid_t process);

/* --- was a thread on its processor all through a short window, and did that processor keep its frequency? The kernel
 * is asked before and after the window: the measured loop itself looks at no clock. */

/* Times that the calling thread lost its processor against its will. */
long displacements(void);

/* What a thread notes before a window. */
struct presence {
    long displacements;
    uint64_t ran; /* ns that it has been on a processor */
};

/* The calling thread, before a window. Two system calls, some hundred nanoseconds. */
struct presence presence_begin(void);

/* After it: was the thread there all through? No: it lost its processor, or of the window's `nanoseconds` more than a
 * hundredth and PRESENCE_GAP are none of its own time, which is also how a host that took the processor away shows
 * where the kernel is told of that. */
#define PRESENCE_GAP 1000
bool presence_held(const struct presence *, uint64_t nanoseconds);

/* ns that a multiplication takes which waits for the one before it: some cycles of the core, the same number always, so
 * that it changes when the frequency does. The least of a few tries of 10 us or so. */
double frequency_probe(void);

#endif
