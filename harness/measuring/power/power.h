/* power.h: energy by the kernel's powercap (RAPL of Intel and AMD), throttling by its thermal counters, frequency by
 * cpufreq. Needs no library.
 *
 * Take one reading before and one after. A reading takes some ten microseconds a file: keep it outside of what is
 * timed. Energy is of whole packages, so of everything that ran there. It advances about once a millisecond, so
 * intervals below some ten milliseconds mean nothing. Most kernels let only root read it.
 */
#ifndef STEALBENCH_POWER_H
#define STEALBENCH_POWER_H

#include "harness/measuring/cell/cell.h"
#include <stdint.h>

/* Environment: put before every path, for trees that stand in for /sys. */
#define POWER_ROOT_VARIABLE "STEALBENCH_SYSTEM_ROOT"
#define POWER_ZONES_MAX 32

enum power_status {
    POWER_NOT_READ, /* what a zeroed reading has */
    POWER_OK,
    POWER_UNSUPPORTED, /* this machine or its kernel does not have it */
    POWER_DENIED       /* this user may not read it, or two readings do not fit together */
};

/* Processors' packages; and memory, where a machine counts it separately. */
enum power_domain { POWER_PACKAGES, POWER_MEMORY, POWER_DOMAINS };

struct power_zone {
    enum power_domain domain;
    uint64_t microjoules, range; /* counts from 0 up to range, then from 0 again; range 0: unknown */
};

struct power_reading {
    enum power_status energy[POWER_DOMAINS], throttling;
    unsigned zones;
    struct power_zone zone[POWER_ZONES_MAX];
    uint64_t throttled; /* events since boot, over all processors */
};

/* Any thread. root is put before every path: "" for this machine, NULL for what the environment says. */
void power_read(struct power_reading *, const char *root);

/* The same of energy alone, which is a file or two. */
void power_read_energy(struct power_reading *, const char *root);

/* Between two readings of one machine: joules, or events, where the status is POWER_OK. One wrap of a counter in
 * between is corrected: packages wrap after some 260 kJ, a quarter of an hour at 300 W. */
enum power_status power_energy(const struct power_reading *before, const struct power_reading *after, enum power_domain,
                               double *joules);
enum power_status power_throttled(const struct power_reading *before, const struct power_reading *after,
                                  double *events);

/* How often the processors were throttled between two readings, as far as it is known; 0 where it is not. */
double power_throttle_events(const struct power_reading *before, const struct power_reading *after);

/* Hz that the processor of that number has now, by cpufreq's scaling_cur_freq. root as above. */
enum power_status power_frequency(const char *root, unsigned processor, double *hertz);

/* "ok", "unsupported", "denied". */
const char *power_status_word(enum power_status);

/* Main thread, outside of what is timed: the energy between two readings as a sample `energy`, in J; denied where it
 * may not be read. A machine without energy counters gets no sample; the manifest says so once. */
void power_report(const struct cell *, const char *role, unsigned repetition, const struct power_reading *before,
                  const struct power_reading *after);

#endif
