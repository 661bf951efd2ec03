/* victims.c: whom an idle worker robs. */
#include "harness/items.h"
#include "workloads/pool/state.h"
#include <hwloc.h>
#include <stdlib.h>

/* The longer the distance, the smaller: how deep in the machine's tree both processors meet. */
static int meeting_depth(const struct places *places, unsigned a, unsigned b) {
    hwloc_topology_t topology = places->topology;
    if (places->processor[a] < 0 || places->processor[b] < 0)
        return 0;
    if (places->processor[a] == places->processor[b])
        return INT_MAX;
    hwloc_obj_t one = hwloc_get_pu_obj_by_os_index(topology, (unsigned)places->processor[a]);
    hwloc_obj_t other = hwloc_get_pu_obj_by_os_index(topology, (unsigned)places->processor[b]);
    if (!one || !other)
        return 0;
    hwloc_obj_t meet = hwloc_get_common_ancestor_obj(topology, one, other);
    return meet ? meet->depth : 0;
}

bool pool_victims_open(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    unsigned others = pool->threads - 1, self = worker->number;
    worker->order = calloc(others ? others : 1, sizeof *worker->order);
    if (!worker->order)
        return false;
    for (unsigned i = 0; i < others; i++) /* by number from 0; nearest: those behind us first, so that not all rob 0 */
        worker->order[i] = pool->policy == POOL_NEAREST ? (self + 1 + i) % pool->threads : i + (i >= self);
    if (pool->policy != POOL_NEAREST)
        return true;
    for (unsigned i = 1; i < others; i++) { /* insertion keeps those of one distance in order */
        unsigned victim = worker->order[i], j = i;
        int depth = meeting_depth(&pool->places, self, victim);
        for (; j > 0 && meeting_depth(&pool->places, self, worker->order[j - 1]) < depth; j--)
            worker->order[j] = worker->order[j - 1];
        worker->order[j] = victim;
    }
    return true;
}

static size_t length(const struct pool_worker *thief, unsigned victim) {
    return pool_deque.size(thief->pool->worker[victim]);
}

static unsigned longest(const struct pool_worker *thief) {
    unsigned others = thief->pool->threads - 1, start = thief->next_victim, best = thief->order[start % others];
    size_t most = length(thief, best);
    for (unsigned i = 1; i < others; i++) {
        unsigned victim = thief->order[(start + i) % others];
        size_t here = length(thief, victim);
        if (here > most) {
            most = here;
            best = victim;
        }
    }
    return best;
}

/* A victim with twice the length is drawn twice as often; when nobody has anything, anybody is. */
static unsigned by_length(struct pool_worker *thief) {
    unsigned others = thief->pool->threads - 1;
    size_t total = 0;
    for (unsigned i = 0; i < others; i++)
        total += length(thief, thief->order[i]);
    if (total > 0) {
        size_t drawn = (size_t)(random_next(&thief->random) % total);
        for (unsigned i = 0; i < others; i++) {
            size_t here = length(thief, thief->order[i]);
            if (drawn < here)
                return thief->order[i];
            drawn -= here;
        }
    }
    return thief->order[random_next(&thief->random) % others];
}

unsigned pool_victim(struct pool_worker *thief, unsigned i) {
    unsigned others = thief->pool->threads - 1;
    switch (thief->pool->policy) {
    case POOL_SEQUENTIAL:
    case POOL_NEAREST:
        return thief->order[i];
    case POOL_TWO_CHOICES: {
        unsigned a = thief->order[random_next(&thief->random) % others];
        unsigned b = thief->order[random_next(&thief->random) % others];
        return length(thief, b) > length(thief, a) ? b : a;
    }
    case POOL_LONGEST:
        thief->next_victim++;
        return longest(thief);
    case POOL_PROBABILISTIC:
        return by_length(thief);
    default:
        return thief->order[random_next(&thief->random) % others];
    }
}

bool pool_work_in_sight(const struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    if (atomic_load_explicit(&pool->overflow.count, memory_order_relaxed) > 0)
        return true;
    if (atomic_load_explicit(&worker->inbox.state, memory_order_acquire) == POOL_INBOX_FULL)
        return true;
    for (unsigned i = 0; i < pool->threads && pool_may_steal(worker); i++)
        if (i != worker->number && pool_deque.size(pool->worker[i]) > pool_deque.traits->thieves_leave)
            return true;
    return false;
}
