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

/* One thread of a process: seconds it has run so far, and seconds it was ready to run but had no processor. */
struct clock_thread {
    pid_t id;
    double ran, waited;
};

/* The threads of a process (0: this one), at most max of them; how many. 0 where the kernel does not tell. */
size_t clock_threads(pid_t process, struct clock_thread *, size_t max);

/* Seconds that a process (0: this one) was ready to run but had no processor: of its threads the one that waited
 * longest. A busy machine took this time; it is no sign of a hang. 0 where the kernel does not tell. */
double clock_waited(pid_t process);

/* --- Was a thread on its processor all through a short window, and did that processor keep its frequency? The kernel
 * is asked before and after the window; the measured loop itself reads no clock. */

/* Times that the calling thread lost its processor against its will. */
long displacements(void);

/* What a thread notes before a window. */
struct presence {
    long displacements;
    uint64_t ran; /* ns that it has been on a processor */
};

/* The calling thread, before a window. Two system calls, some hundred nanoseconds. */
struct presence presence_begin(void);

/* After it: was the thread on its processor all through? false: the kernel displaced it, or more than 1 % and
 * PRESENCE_GAP of the window's `nanoseconds` are missing from the thread's own clock. A host that takes a virtual
 * processor away shows in that clock too, where the kernel is told of it. */
#define PRESENCE_GAP 1000
bool presence_held(const struct presence *, uint64_t nanoseconds);

/* ns of a multiplication that depends on the one before it. It takes a fixed number of cycles, so its time changes only
 * with the frequency. The least of a few tries of about 10 us. */
double frequency_probe(void);

#endif
