#include "proof/simulate/why.h"
#include "proof/simulate/engine.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SITES_MAX 4096 /* a power of two; sites beyond are left out */

/* Thread 0 is contention's owner. */
enum who { OWNER, OTHERS, WHO };
static struct site {
    uintptr_t where;
    uint64_t waits[WHO];
    int64_t waited[WHO];
} sites[SITES_MAX];

static void print(void) {
    static const char *const names[WHO] = {"owner", "others"};
    for (const struct site *site = sites; site < sites + SITES_MAX; site++)
        for (int who = 0; who < WHO; who++)
            if (site->waits[who] > 0)
                printf("why\t%#" PRIxPTR "\t%s\t%" PRId64 "\t%" PRIu64 "\n", site->where - 1, names[who],
                       site->waited[who], site->waits[who]);
}

void why_waited(uintptr_t where, int64_t picoseconds) { why_waited_as(engine_self(), where, picoseconds); }

void why_waited_as(unsigned thread, uintptr_t where, int64_t picoseconds) {
    static int wanted = -1;
    if (wanted < 0 && (wanted = getenv("STEALBENCH_WHY") != NULL))
        atexit(print);
    if (!wanted)
        return;
    size_t at = (where * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SITES_MAX;
    for (size_t tries = 0; sites[at].where != 0 && sites[at].where != where; tries++) {
        if (tries == SITES_MAX)
            return;
        at = (at + 1) % SITES_MAX;
    }
    const enum who who = thread == 0 ? OWNER : OTHERS;
    sites[at].where = where;
    sites[at].waits[who]++;
    sites[at].waited[who] += picoseconds;
}
