/* power.h: reads throttling from the kernel's thermal counters, and frequency from cpufreq. Needs no library.
 *
 * Take one reading before and one after. A reading takes some ten microseconds per file, so do not time it.
 */
#ifndef STEALBENCH_POWER_H
#define STEALBENCH_POWER_H

#include <stdint.h>

/* Environment variable: put before every path, for trees that replace /sys in tests. */
#define POWER_ROOT_VARIABLE "STEALBENCH_SYSTEM_ROOT"

enum power_status {
    POWER_UNSUPPORTED, /* this machine or its kernel lacks it */
    POWER_OK,
    POWER_DENIED /* this user may not read it */
};

struct power_reading {
    enum power_status throttling;
    uint64_t throttled; /* events since boot, over all processors */
};

/* Any thread. */
void power_read(struct power_reading *);

/* How often the processors were throttled between two readings; NAN if unknown. */
double power_throttled(const struct power_reading *before, const struct power_reading *after);

/* The processor's frequency now, in Hz, from cpufreq's scaling_cur_freq. */
enum power_status power_frequency(unsigned processor, double *hertz);

/* "ok", "unsupported", "denied". */
const char *power_status_word(enum power_status);

#endif
