/* give_way.h: if included before everything else, every access by <stdatomic.h> may first hand the processor to another
 * thread, and every weak compare-and-exchange may fail for no reason.
 */
#ifndef STEALBENCH_GIVE_WAY_H
#define STEALBENCH_GIVE_WAY_H

#include "harness/measuring/random.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

/* Accesses before this thread gives way next. Drawn at random, short and long, so that no step is missed. */
static _Thread_local uint32_t accesses_left = 1;
static _Thread_local uint64_t give_way_random = 1;

static inline void give_way(void) {
    if (--accesses_left > 0)
        return;
    uint64_t drawn = random_next(&give_way_random);
    accesses_left = 1 + (uint32_t)(drawn >> 32) % (4u << (drawn >> 61));
    sched_yield();
}

/* One of eight, at random. */
#define weak_exchange_fails() (random_next(&give_way_random) >> 61 == 0)

#define before_access() give_way()
#include "proof/checks/each_access.h"

#endif
