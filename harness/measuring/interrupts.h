/* interrupts.h: how often threads of this process had all others pass a fence (queues/parts/fences.h), and how often
 * processors interrupted one another, which is how a kernel makes them pass it.
 *
 * Take one reading before and one after. Interrupts are those of /proc/interrupts called CAL, of all processors and
 * whatever they ran, so read them on an idle machine. A reading takes some ten microseconds: keep it outside of what is
 * timed.
 */
#ifndef STEALBENCH_INTERRUPTS_H
#define STEALBENCH_INTERRUPTS_H

#include "harness/measuring/cell.h"
#include <stdbool.h>
#include <stdint.h>

struct interrupts {
    uint64_t time;   /* ns, clock.h */
    uint64_t fences; /* heavy ones of deques, since the process began */
    uint64_t calls;  /* CAL since the machine started */
    bool readable;   /* are there calls? */
};

/* Any thread. file is "/proc/interrupts", or stands in for it. */
void interrupts_read(struct interrupts *, const char *file);

/* heavy_fences and call_interrupts, each a second; where they cannot be read, the latter has a status. */
void interrupts_report(const struct cell *, const char *role, unsigned repetition, const struct interrupts *before,
                       const struct interrupts *after);

#endif
