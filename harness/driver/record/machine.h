/* machine.h: reads from /proc and /sys the facts about the machine that decide what a measurement is worth.
 *
 * A fact that cannot be read is "unknown", never a guess. Before every path stands the environment's
 * STEALBENCH_SYSTEM_ROOT, where tests put a machine of their own.
 */
#pragma once

#include "harness/driver/util/util.h"

#define UNKNOWN "unknown"

/* The facts as texts, by their names in manifest.json. The control group's limits of processors and memory
 * are numbers. */
json_t *machine_read(void);

/* Which of these instruction sets, by Linux's names ("avx2 bmi2"), the processors lack; "" if the system does not tell.
 */
const char *machine_lacks(const char *wanted);

/* Watches for so many seconds how many processors are busy, or taken by the host. Below 0: unknown. */
double machine_processors_busy(double seconds);

/* How often cores and packages were slowed down for heat or power since boot; NAN: the kernel does not tell. */
double machine_throttled(void);

/* Bytes of memory that this machine and its control group allow a process; 0: unknown. */
uint64_t machine_memory(void);

/* Whether the kernel ("hardware") and PAPI count for this process: "available", or the reason why not; and the kernel's
 * perf_event_paranoid. */
json_t *machine_counters(void);

/* The machine as hwloc sees it, by the names in manifest.json: numbers of packages and the like, bytes of the data or
 * unified caches. 0: hwloc does not tell. "kinds" is a text (kinds_text). */
json_t *machine_topology(void);

/* hwloc reads some twenty files for each processor, and visits it: with 128 of them longer than a short measurement. So
 * the driver asks once, and the processes that it starts read what it has found. */
void machine_share_topology(void);
