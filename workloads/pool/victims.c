/* victims.c: which victim an idle worker steals from. */
#include "harness/measuring/random.h"
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
static bool find_sites(struct pool *pool) {
    const struct places *places = &pool->places;
    pool->sites = calloc(pool->threads, sizeof *pool->sites);
    for (unsigned i = 0; pool->sites && i < pool->threads; i++)
        if (places->processor[i] >= 0)
            pool->sites[i] = hwloc_get_pu_obj_by_os_index(places->topology, (unsigned)places->processor[i]);
    return pool->sites != NULL;
}

/* The others by their distance in the machine; last[i]: the end of those that are as near as the i-th. */
static bool order_by_distance(struct pool_worker *worker, unsigned others) {
    struct pool *pool = worker->pool;
    const struct places *places = &pool->places;
    if (!pool->sites && !find_sites(pool))
        return false;
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

bool pool_victims_open(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    unsigned others = pool->threads - 1, self = worker->number;
    worker->order = malloc((others + 1) * sizeof *worker->order);
    worker->lengths = malloc((others + 1) * sizeof *worker->lengths);
    if (!worker->order || !worker->lengths)
        return false;
    for (unsigned i = 0; i < others; i++) /* by number from 0 */
        worker->order[i] = i + (i >= self);
    return pool->policy != POOL_NEAREST || order_by_distance(worker, others);
}

void pool_victims_close(struct pool_worker *worker) {
    free(worker->order);
    free(worker->last);
    free(worker->lengths);
}

static struct pool_worker *other(const struct pool_worker *thief, unsigned i) {
    return thief->pool->worker[thief->order[i]];
}

static struct pool_worker *at_random(struct pool_worker *thief) {
    return other(thief, (unsigned)(random_below(&thief->random, thief->pool->threads - 1)));
}

/* A random one of those that are as near as the i-th and untried in this round. */
static struct pool_worker *nearest(struct pool_worker *thief, unsigned i) {
    unsigned drawn = i + (unsigned)(random_below(&thief->random, thief->last[i] - i));
    unsigned victim = thief->order[drawn];
    thief->order[drawn] = thief->order[i];
    thief->order[i] = victim;
    return other(thief, i);
}

/* Lengths are read once a round, because each costs a cache miss. A victim counts as empty once it was tried. */
static void read_lengths(struct pool_worker *thief) {
    thief->lengths_sum = 0;
    for (unsigned i = 0; i + 1 < thief->pool->threads; i++)
        thief->lengths_sum += thief->lengths[i] = pool_deque.stealable(other(thief, i));
}

/* A victim with twice the length is drawn twice as often. */
static struct pool_worker *by_length(struct pool_worker *thief) {
    size_t drawn = (size_t)random_below(&thief->random, thief->lengths_sum);
    unsigned i = 0;
    for (; drawn >= thief->lengths[i]; i++)
        drawn -= thief->lengths[i];
    thief->lengths_sum -= thief->lengths[i];
    thief->lengths[i] = 0;
    return other(thief, i);
}

struct pool_worker *pool_victim(struct pool_worker *thief, unsigned i) {
    switch (thief->pool->policy) {
    case POOL_SEQUENTIAL:
        return other(thief, i);
    case POOL_NEAREST:
        return nearest(thief, i);
    case POOL_NONE:
        return NULL;
    case POOL_PROBABILISTIC:
        if (i == 0)
            read_lengths(thief);
        return thief->lengths_sum > 0 ? by_length(thief) : NULL;
    default:
        return at_random(thief);
    }
}

bool pool_work_in_sight(const struct pool *pool) {
    if (pool_overflow_holds(pool))
        return true;
    for (unsigned i = 0; i < pool->threads; i++)
        if (pool_deque.stealable(pool->worker[i]) > 0)
            return true;
    return false;
}
