/* processors_only.h: a topology of processors and memory only. hwloc's parts that look for graphics cards are slow, and
 * some print lines on stderr if there is no card; plugins print as early as hwloc_topology_init. */
#ifndef STEALBENCH_PROCESSORS_ONLY_H
#define STEALBENCH_PROCESSORS_ONLY_H

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

/* Main thread, instead of hwloc_topology_init: a topology to be loaded, or NULL. Loads no plugin, and tells hwloc's own
 * parts to look at processors and memory only. */
static inline hwloc_topology_t processors_only(void) {
    static const char *const others[] = {"rsmi", "nvml", "cuda", "opencl", "levelzero", "gl", "pci"};
    const char *before = getenv("HWLOC_PLUGINS_PATH");
    char *kept = before ? strdup(before) : NULL;
    hwloc_topology_t topology;
    setenv("HWLOC_PLUGINS_PATH", "", 1);
    int failure = hwloc_topology_init(&topology);
    if (kept)
        setenv("HWLOC_PLUGINS_PATH", kept, 1);
    else
        unsetenv("HWLOC_PLUGINS_PATH");
    free(kept);
    if (failure)
        return NULL;
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) /* skip parts that this hwloc does not have */
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, others[i]);
    return topology;
}

#endif
