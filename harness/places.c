#include "harness/places.h"
#include "harness/parameters.h"
#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The processors this process may use, without I/O devices and other matter that takes time to look for. */
static hwloc_topology_t load_topology(const char *synthetic) {
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    if (synthetic && hwloc_topology_set_synthetic(topology, synthetic) != 0) {
        hwloc_topology_destroy(topology);
        return NULL;
    }
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return NULL;
    }
    if (!synthetic) {
        hwloc_bitmap_t mine = hwloc_bitmap_alloc();
        if (mine && hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_PROCESS) == 0)
            hwloc_topology_restrict(topology, mine, 0);
        hwloc_bitmap_free(mine);
    }
    return topology;
}

/* Round k takes the k-th processor of every core: all cores once before any core twice. */
static unsigned compact_order(hwloc_topology_t topology, int *order) {
    unsigned taken = 0;
    int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    int processors = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    if (cores <= 0) {
        for (int i = 0; i < processors && taken < PLACES_MOST; i++)
            order[taken++] = (int)hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i)->os_index;
        return taken;
    }
    for (unsigned sibling = 0; taken < (unsigned)processors && taken < PLACES_MOST; sibling++) {
        for (int core = 0; core < cores && taken < PLACES_MOST; core++) {
            hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)core);
            hwloc_obj_t processor =
                hwloc_get_obj_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_PU, sibling);
            if (processor)
                order[taken++] = (int)processor->os_index;
        }
    }
    return taken;
}

/* hwloc's own distribution of so many threads over the machine. */
static unsigned scatter_order(hwloc_topology_t topology, unsigned threads, int *order) {
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    unsigned processors = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    unsigned wanted = threads < processors ? threads : processors;
    hwloc_bitmap_t *sets = calloc(wanted, sizeof(hwloc_bitmap_t));
    if (!sets || hwloc_distrib(topology, &root, 1, sets, wanted, INT_MAX, 0) != 0) {
        free(sets);
        return 0;
    }
    for (unsigned i = 0; i < wanted; i++) {
        order[i] = hwloc_bitmap_first(sets[i]);
        hwloc_bitmap_free(sets[i]);
    }
    free(sets);
    return wanted;
}

static void say_processors(hwloc_topology_t topology, const char *placement, char *message) {
    char *has = NULL;
    hwloc_bitmap_list_asprintf(&has, hwloc_topology_get_topology_cpuset(topology));
    snprintf(message, MESSAGE_SIZE,
             "placement=%s: compact, scatter, none, or processors joined by + is wanted; this process may use %s",
             placement, has ? has : "unknown processors");
    free(has);
}

/* "0+2+4" into order; 0 when it is no such list or names a processor that is not there. */
static unsigned listed_order(hwloc_topology_t topology, const char *placement, int *order) {
    unsigned taken = 0;
    for (const char *at = placement;; at++) {
        char *end;
        if (!isdigit((unsigned char)*at) || taken == PLACES_MOST)
            return 0;
        unsigned long processor = strtoul(at, &end, 10);
        if (processor > INT_MAX ||
            !hwloc_bitmap_isset(hwloc_topology_get_topology_cpuset(topology), (unsigned)processor))
            return 0;
        order[taken++] = (int)processor;
        at = end;
        if (*at == '\0')
            return taken;
        if (*at != '+')
            return 0;
    }
}

int places_plan(struct places *places, const char *placement, unsigned threads, const char *synthetic, char *message) {
    static int order[PLACES_MOST];
    unsigned found;
    *places = (struct places){.count = threads};
    if (threads == 0 || threads > PLACES_MOST) {
        snprintf(message, MESSAGE_SIZE, "threads=%u: 1 to %d are wanted", threads, PLACES_MOST);
        return EINVAL;
    }
    hwloc_topology_t topology = load_topology(synthetic);
    if (!topology) {
        snprintf(message, MESSAGE_SIZE, "hwloc could not load the topology%s%s", synthetic ? " " : "",
                 synthetic ? synthetic : "");
        return ENOMEM;
    }
    places->topology = topology;
    bool bound = strcmp(placement, "none") != 0;
    if (strcmp(placement, "compact") == 0 || !bound)
        found = compact_order(topology, order);
    else if (strcmp(placement, "scatter") == 0)
        found = scatter_order(topology, threads, order);
    else
        found = listed_order(topology, placement, order);
    if (found == 0) {
        say_processors(topology, placement, message);
        places_close(places);
        return EINVAL;
    }
    for (unsigned i = 0; i < threads; i++)
        places->processor[i] = bound ? order[i % found] : -1;
    places->oversubscribed = threads > found;
    return 0;
}

int places_take(struct places *places, unsigned thread) {
    hwloc_topology_t topology = places->topology;
    places->got[thread] = -1;
    if (places->processor[thread] < 0)
        return -1;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int got = -1;
    if (!set)
        return -1;
    hwloc_bitmap_only(set, (unsigned)places->processor[thread]);
    if (hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT) == 0 &&
        hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) == 0 && hwloc_bitmap_weight(set) == 1)
        got = hwloc_bitmap_first(set);
    hwloc_bitmap_free(set);
    places->got[thread] = got;
    return got;
}

void places_text(const struct places *places, const char *const *roles, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (unsigned i = 0; i < places->count && used < size; i++) {
        const char *separator = i > 0 ? ";" : "";
        int n = places->got[i] < 0 ? snprintf(text + used, size - used, "%s%s:any", separator, roles[i])
                                   : snprintf(text + used, size - used, "%s%s:%d", separator, roles[i], places->got[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

void places_close(struct places *places) {
    if (places->topology)
        hwloc_topology_destroy(places->topology);
    places->topology = NULL;
}
