/* victims.c: which victim an idle worker steals from. */
#include "harness/measuring/random.h"
#include "workloads/pool/state.h"
#include <stdlib.h>

bool pool_victims_open(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    unsigned others = pool->threads - 1, self = worker->number;
    worker->order = malloc((others + 1) * sizeof *worker->order);
    worker->lengths = malloc((others + 1) * sizeof *worker->lengths);
    if (!worker->order || !worker->lengths)
        return false;
    for (unsigned i = 0; i < others; i++) /* by number from 0 */
        worker->order[i] = i + (i >= self);
    return pool->policy != POOL_NEAREST || pool_order_by_distance(worker);
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
