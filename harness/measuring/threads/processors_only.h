/* processors_only.h: a topology is asked for processors and memory. hwloc's parts that look for graphics cards take
 * long, and some of them print lines on stderr where there is none. */
#ifndef STEALBENCH_PROCESSORS_ONLY_H
#define STEALBENCH_PROCESSORS_ONLY_H

#include <hwloc.h>

/* Between hwloc_topology_init and hwloc_topology_load. A part that this hwloc does not have is left out already. */
static inline void processors_only(hwloc_topology_t topology) {
    static const char *const others[] = {"rsmi", "nvml", "cuda", "opencl", "levelzero", "gl"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, others[i]);
}

#endif
