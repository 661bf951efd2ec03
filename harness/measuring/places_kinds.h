/* places_kinds.h: kinds of cores in one machine, such as performance and efficiency cores. */
#ifndef STEALBENCH_PLACES_KINDS_H
#define STEALBENCH_PLACES_KINDS_H

#include <hwloc.h>

/* Leaves only the processors of the fastest kind in the topology; all if they are alike. */
void kinds_keep_fastest(hwloc_topology_t);

/* "IntelCore 0-15, IntelAtom 16-31", the fastest first; "" if all are alike. */
void kinds_text(hwloc_topology_t, char *text, size_t size);

#endif
