/* power.h: reads energy from the kernel's powercap (RAPL of Intel and AMD), throttling from its thermal counters,
 * frequency from cpufreq. Needs no library.
 *
 * Take one reading before and one after. A reading takes some ten microseconds per file, so do not time it. Energy is
 * counted for whole packages, so for everything that ran there. The counter advances about once a millisecond, so
 * intervals below some ten milliseconds mean nothing. Most kernels let only root read it.
 */
#ifndef STEALBENCH_POWER_H
#define STEALBENCH_POWER_H

#include "harness/measuring/cell/cell.h"
#include <stdint.h>

/* Environment variable: put before every path, for trees that replace /sys in tests. */
#define POWER_ROOT_VARIABLE "STEALBENCH_SYSTEM_ROOT"
#define POWER_ZONES_MAX 32

enum power_status {
    POWER_NOT_READ, /* status of a zeroed reading */
    POWER_OK,
    POWER_UNSUPPORTED, /* this machine or its kernel lacks it */
    POWER_DENIED       /* this user may not read it, or two readings do not fit together */
};

/* Processor packages, and memory if the machine counts it separately. */
enum power_domain { POWER_PACKAGES, POWER_MEMORY, POWER_DOMAINS };

struct power_zone {
    enum power_domain domain;
    uint64_t microjoules, range; /* microjoules counts from 0 up to range, then from 0 again; range 0: unknown */
};

struct power_reading {
    enum power_status energy[POWER_DOMAINS], throttling;
    unsigned zones;
    struct power_zone zone[POWER_ZONES_MAX];
    uint64_t throttled; /* events since boot, over all processors */
};

/* Any thread. root is put before every path: "" for this machine, NULL for the environment's. */
void power_read(struct power_reading *, const char *root);

/* Reads only the energy, which is a file or two. */
void power_read_energy(struct power_reading *, const char *root);

/* Between two readings of one machine: joules, or events, if the status is POWER_OK. Corrects one wrap of a counter:
 * packages wrap after some 260 kJ, a quarter of an hour at 300 W. */
enum power_status power_energy(const struct power_reading *before, const struct power_reading *after, enum power_domain,
                               double *joules);
enum power_status power_throttled(const struct power_reading *before, const struct power_reading *after,
                                  double *events);

/* How often the processors were throttled between two readings; 0 if unknown. */
double power_throttle_events(const struct power_reading *before, const struct power_reading *after);

/* The processor's frequency now, in Hz, from cpufreq's scaling_cur_freq. root as above. */
enum power_status power_frequency(const char *root, unsigned processor, double *hertz);

/* "ok", "unsupported", "denied". */
const char *power_status_word(enum power_status);

/* Main thread, outside of what is timed. Writes the energy between two readings as a sample `energy`, in J; denied if
 * it may not be read. A machine without energy counters gets no sample; the manifest says so once. */
void power_report(const struct cell *, const char *role, unsigned repetition, const struct power_reading *before,
                  const struct power_reading *after);

#endif
