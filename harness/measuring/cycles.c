#include "harness/measuring/cycles.h"
#include "harness/measuring/median.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { PAIRS = 10001, CALIBRATION = 4000000 /* ns */ };

bool cycles_by_clock;

#if defined(__x86_64__)
/* Does the processor have "invariant TSC" (a rate independent of its frequency and sleep) and rdtscp? */
static bool counter_is_steady(void) {
    unsigned a, b, c, d;
    bool steady = __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
    return steady && __get_cpuid(0x80000001, &a, &b, &c, &d) && d >> 27 & 1;
}
#elif defined(__aarch64__)
static bool counter_is_steady(void) { return true; }
#else
static bool counter_is_steady(void) { return false; }
#endif

/* Reads the same moment by both clocks: of several tries, the one whose two reads were closest together. */
static void both(uint64_t *clock, uint64_t *cycles) {
    uint64_t closest = UINT64_MAX;
    for (int i = 0; i < 50; i++) {
        uint64_t before = clock_nanoseconds(), counter = cycles_begin(), after = clock_nanoseconds();
        if (after - before >= closest)
            continue;
        closest = after - before;
        *clock = before + closest / 2;
        *cycles = counter;
    }
}

struct cycles_facts cycles_calibrate(void) {
    static double pairs[PAIRS];
    uint64_t clock_from, clock_to, from, to;
    cycles_by_clock = !counter_is_steady();
    both(&clock_from, &from);
    for (int i = 0; i < PAIRS; i++) {
        uint64_t begin = cycles_begin();
        pairs[i] = (double)(cycles_end() - begin);
    }
    while (clock_nanoseconds() - clock_from < CALIBRATION)
        ;
    both(&clock_to, &to);
    double tick = cycles_by_clock ? 1 : (double)(clock_to - clock_from) / (double)(to - from);
    return (struct cycles_facts){.tick = tick, .sampling_cost = median(pairs, PAIRS) * tick};
}
