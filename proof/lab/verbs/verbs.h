/* verbs.h: the lab's verbs for one deque. Each prints its result and returns the exit code: 0 fine, 1 a fault or a
 * refuted claim, 2 usage. */
#pragma once

#include "proof/lab/clients/clients.h"

/* What explore looks for: a schedule under which a client of the deque goes wrong. */
struct explore_request {
    uint64_t seed;
    uint64_t schedules;  /* random schedules for each client */
    uint64_t bound;      /* bound of the exhaustive part */
    double seconds;      /* limit for the whole search; 0: none */
    const char *client;  /* only this client, or NULL */
    const char *replay;  /* one schedule, a list of steps; needs client */
    unsigned fault;      /* enum fault_kind: look only for this kind; FAULT_NONE: for the worst */
    const char *program; /* the command that repeats this search */
    bool quiet;          /* print one line and no trace */
    bool weak;           /* memory is weaker than TSO (weak_memory.h) */
};
int explore(const struct explore_request *);
/* Was the worst that the last call found a race? Then weak memory may show what it does. */
bool explore_found_race(void);

/* The mean cost of a call of each operation, outcome by outcome. */
int count(bool csv);

/* Stops one thread for ever after each of its accesses, and tests what the operations of the others can still do. */
int stop(void);
