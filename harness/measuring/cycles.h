/* cycles.h: the processor's own time counter, for single operations. Reading it takes tens of cycles; reading the clock
 * takes a library call. It steps at a fixed rate, whatever the processor's frequency.
 *
 * x86: rdtsc between two lfence before, rdtscp and lfence after, so that the reads do not mix with the timed code.
 * aarch64: cntvct_el0 after an isb; its steps are longer, often 10 to 40 ns. Elsewhere, and on an x86 whose counter
 * changes its rate: CLOCK_MONOTONIC_RAW in nanoseconds. (x86intrin.h has names for these instructions, but takes longer
 * to compile than a whole workload.)
 */
#pragma once

#include "harness/measuring/clock.h"
#include <stdbool.h>

struct cycles_facts {
    double tick;          /* ns per step, by CLOCK_MONOTONIC_RAW */
    double sampling_cost; /* ns between two reads with nothing in between: the median of many pairs */
};

/* Any thread, before others start; takes about 4 ms. Decides which counter the two functions below read. */
struct cycles_facts cycles_calibrate(void);

/* Set by cycles_calibrate: no counter has a steady rate. */
extern bool cycles_by_clock;

static inline uint64_t cycles_begin(void) {
#if defined(__x86_64__)
    if (!cycles_by_clock) {
        __builtin_ia32_lfence();
        uint64_t now = __builtin_ia32_rdtsc();
        __builtin_ia32_lfence();
        return now;
    }
#elif defined(__aarch64__)
    uint64_t now;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
    return now;
#endif
    return clock_nanoseconds();
}

static inline uint64_t cycles_end(void) {
#if defined(__x86_64__)
    if (!cycles_by_clock) {
        unsigned processor;
        uint64_t now = __builtin_ia32_rdtscp(&processor);
        __builtin_ia32_lfence();
        return now;
    }
    return clock_nanoseconds();
#else
    return cycles_begin();
#endif
}
