/* places_kinds.c: processors with fast and with saving cores. hwloc tells their kinds apart; older versions of it do
 * not.
 */
#include "harness/measuring/places_kinds.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HWLOC_API_VERSION >= 0x00020400
/* The kind's processors, and the name of its cores: "IntelCore", or an ARM core's capacity. "": its cores have no name,
 * so only a frequency tells them from others. */
static const char *kind_at(hwloc_topology_t topology, unsigned kind, hwloc_bitmap_t processors) {
    struct hwloc_info_s *facts;
    unsigned count;
    if (hwloc_cpukinds_get_info(topology, kind, processors, NULL, &count, &facts, 0) != 0)
        return "";
    for (unsigned i = 0; i < count; i++)
        if (strcmp(facts[i].name, "CoreType") == 0 || strcmp(facts[i].name, "LinuxCapacity") == 0)
            return facts[i].value;
    return "";
}

static unsigned kind_count(hwloc_topology_t topology) {
    const int kinds = hwloc_cpukinds_get_nr(topology, 0);
    return kinds > 0 ? (unsigned)kinds : 0;
}
#else
static const char *kind_at(hwloc_topology_t topology, unsigned kind, hwloc_bitmap_t processors) {
    (void)topology, (void)kind, (void)processors;
    return "";
}
static unsigned kind_count(hwloc_topology_t topology) {
    (void)topology;
    return 0;
}
#endif

/* Adds the processors of all kinds of that name: hwloc also tells kinds apart by their frequencies. */
static void add_named(hwloc_topology_t topology, const char *name, hwloc_bitmap_t all) {
    hwloc_bitmap_t some = hwloc_bitmap_alloc();
    for (unsigned kind = 0; some && kind < kind_count(topology); kind++)
        if (strcmp(kind_at(topology, kind, some), name) == 0)
            hwloc_bitmap_or(all, all, some);
    hwloc_bitmap_free(some);
}

void kinds_keep_fastest(hwloc_topology_t topology) {
    const unsigned kinds = kind_count(topology);
    hwloc_bitmap_t fastest = hwloc_bitmap_alloc();
    const char *name =
        fastest && kinds > 1 ? kind_at(topology, kinds - 1, fastest) : ""; /* hwloc's last is the fastest */
    add_named(topology, name, fastest);
    if (*name)
        hwloc_topology_restrict(topology, fastest, 0);
    hwloc_bitmap_free(fastest);
}

void kinds_text(hwloc_topology_t topology, char *text, size_t size) {
    const char *before = "";
    size_t used = 0, names = 0;
    *text = '\0';
    for (unsigned kind = kind_count(topology); kind-- > 0 && used < size;) {
        hwloc_bitmap_t processors = hwloc_bitmap_alloc();
        const char *name = processors ? kind_at(topology, kind, processors) : "";
        char *list = NULL;
        if (*name && strcmp(name, before) != 0) {
            add_named(topology, name, processors);
            hwloc_bitmap_list_asprintf(&list, processors);
            used += (size_t)snprintf(text + used, size - used, "%s%s %s", names++ ? ", " : "", name, list ? list : "");
            before = name;
        }
        free(list);
        hwloc_bitmap_free(processors);
    }
    if (names < 2)
        *text = '\0';
}
