/* papi_stand_in.h: the script of a libpapi that counts what a test wants. */
#ifndef STEALBENCH_PAPI_STAND_IN_H
#define STEALBENCH_PAPI_STAND_IN_H

#include <stdbool.h>

#define STAND_IN_EVENTS 24
#define STAND_IN_SETS 512

struct papi_stand_in {
    int version;             /* the one that PAPI_library_init accepts, major << 24 | minor << 16 */
    int init_failure;        /* what it returns instead */
    char disabled[128];      /* why the component is disabled; "": it is not */
    int counters;            /* events that can be counted together */
    bool conflicts_at_start; /* too many are noticed when the set is started, not when the event is added */
    int start_failure;       /* of every PAPI_start */
    struct {
        char name[64];
        int failure;     /* of adding it */
        long long count; /* in every window */
    } event[STAND_IN_EVENTS];
    int domain;    /* out: as PAPI_set_domain was told */
    int destroyed; /* out: sets given back */
};

#endif
