/* nearest.c: the order of victims=nearest. */
#include "workloads/pool/state.h"
#include <hwloc.h>
#include <stdlib.h>

/* The depth of the two processors' common ancestor in hwloc's tree. A deeper ancestor means a shorter distance. */
static int meeting_depth(hwloc_topology_t topology, hwloc_obj_t one, hwloc_obj_t other) {
    if (!one || !other)
        return 0;
    hwloc_obj_t meet = one == other ? one : hwloc_get_common_ancestor_obj(topology, one, other);
    return meet ? meet->depth : 0;
}

/* Looked up once for all workers, because hwloc goes through all processors for each. */
static void find_sites(struct pool *pool) {
    const struct places *places = &pool->places;
    for (unsigned i = 0; i < pool->threads; i++)
        if (places->processor[i] >= 0)
            pool->sites[i] = hwloc_get_pu_obj_by_os_index(places->topology, (unsigned)places->processor[i]);
}

bool pool_order_by_distance(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    const unsigned others = pool->threads - 1;
    const struct places *places = &pool->places;
    if (worker->number == 0) /* the first that is made */
        find_sites(pool);
    hwloc_obj_t self = pool->sites[worker->number];
    unsigned depths = (unsigned)hwloc_topology_get_depth(places->topology), sorted = 0;
    int *depth = malloc((others + 1) * sizeof *depth);
    worker->last = malloc((others + 1) * sizeof *worker->last);
    if (!depth || !worker->last) {
        free(depth);
        return false;
    }
    for (unsigned i = 0; i <= others; i++)
        depth[i] = meeting_depth(places->topology, self, pool->sites[i]);
    for (unsigned level = depths; level-- > 0;) {
        unsigned first = sorted;
        for (unsigned i = 0; i <= others; i++)
            if (i != worker->number && depth[i] == (int)level)
                worker->order[sorted++] = i;
        for (unsigned i = first; i < sorted; i++)
            worker->last[i] = sorted;
    }
    free(depth);
    return true;
}
