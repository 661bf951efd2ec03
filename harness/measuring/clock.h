/* clock.h: the clock that times everything, and its cost.
 *
 * CLOCK_MONOTONIC_RAW: steady, not slewed by NTP, read without a system call. A read costs tens of nanoseconds, so a
 * timed region lasts at least CLOCK_READS_A_BATCH reads: the two that bracket it are then below 0.2 % of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define CLOCK_READS_A_BATCH 1000

/* Any thread. Nanoseconds since some fixed moment; those that it has spent on processors (a system call). */
static inline uint64_t clock_read(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static inline uint64_t clock_nanoseconds(void) { return clock_read(CLOCK_MONOTONIC_RAW); }
static inline uint64_t time_on_processors(void) { return clock_read(CLOCK_THREAD_CPUTIME_ID); }

/* Any thread: ns per read, the median over many short series of reads; takes about a millisecond. */
double clock_overhead(void);

/* One thread of a process: seconds it has run, and seconds it was ready to run but had no processor. */
struct clock_thread {
    pid_t id;
    double ran, waited;
};

/* Reads the threads of a process (0: this one), at most max. Returns how many; 0 if the kernel does not tell. */
size_t clock_threads(pid_t process, struct clock_thread *, size_t max);

/* Seconds that a process (0: this one) was ready to run but had no processor: those of the thread that waited longest.
 * They show a busy machine, not a hang. 0 if the kernel does not tell. */
double clock_waited(pid_t process);

/* --- Was a thread on its processor throughout a short window, and did that processor keep its frequency? These
 * functions ask the kernel before and after the window; the measured loop reads no clock. */

/* How often the calling thread lost its processor against its will. */
long displacements(void);

/* What a thread notes before a window. */
struct presence {
    long displacements;
    uint64_t ran; /* ns on a processor so far */
};

/* Call in the measured thread before a window. Two system calls, some hundred nanoseconds. */
struct presence presence_begin(void);

/* Call after the window: was the thread on its processor throughout? false: the kernel displaced it, or more than 1 %
 * and PRESENCE_GAP of the window's `nanoseconds` are missing from the thread's own clock. That clock also shows when a
 * host took the virtual processor, if the kernel is told of it. */
#define PRESENCE_GAP 1000
bool presence_held(const struct presence *, uint64_t nanoseconds);

/* ns of a multiplication that depends on the one before it: the least of a few tries of about 10 us. It takes a fixed
 * number of cycles, so its time changes only with the frequency. */
double frequency_probe(void);
