/* memory.c: the pool's memory: slabs that live as long as the pool, caches of objects of one size. */
#include "workloads/pool/state.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PAGE ((size_t)4096)
#define SLAB_FIRST ((size_t)16 << 10)
#define SLAB_MAX ((size_t)2 << 20)

static _Atomic long memory_left = LONG_MAX;

void pool_memory_fails_after(long allocations) {
    atomic_store_explicit(&memory_left, allocations < 0 ? LONG_MAX : allocations, memory_order_relaxed);
}

static bool memory_granted(void) {
    return atomic_load_explicit(&memory_left, memory_order_relaxed) == LONG_MAX ||
           atomic_fetch_sub_explicit(&memory_left, 1, memory_order_relaxed) > 0;
}

static void *in_units(size_t unit, size_t bytes) {
    if (bytes > SIZE_MAX - unit || !memory_granted())
        return NULL;
    return aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}

void *pool_memory(size_t bytes) { return in_units(POOL_LINE, bytes); }
void *pool_pages(size_t bytes) { return in_units(PAGE, bytes); }

void *pool_slab(struct pool_worker *worker, size_t bytes) {
    struct pool_slab *slab = pool_memory(bytes + POOL_LINE);
    if (!slab)
        return NULL;
    slab->next = worker->slabs;
    worker->slabs = slab;
    return (char *)slab + POOL_LINE;
}

/* Claims have to be found by index, so that a late duplicate can be looked up. false: there are too many. */
static bool number_claims(struct pool *pool, struct pool_claim *chunk) {
    uint32_t number = atomic_fetch_add_explicit(&pool->claim_chunks, 1, memory_order_relaxed);
    if (number >= POOL_CLAIMS_CHUNKS)
        return false;
    for (uint32_t i = 0; i < POOL_CLAIMS_CHUNK; i++) {
        atomic_init(&chunk[i].generation, 0);
        chunk[i].index = number * POOL_CLAIMS_CHUNK + i + 1;
    }
    /* relaxed: a worker gets an index through a deque, which orders its look-up after this store */
    atomic_store_explicit(&pool->claims[number], chunk, memory_order_relaxed);
    return true;
}

static bool has_claims(void) { return pool_deque.traits->delivery == DEQUE_AT_LEAST_ONCE; }

bool pool_claims_open(struct pool *pool) {
    if (!has_claims())
        return true;
    pool->claims = pool_memory(POOL_CLAIMS_CHUNKS * sizeof *pool->claims);
    return pool->claims != NULL;
}

void pool_cache_open(struct pool_cache *cache, struct pool_depot *depot, size_t bytes, size_t link) {
    *cache = (struct pool_cache){.depot = depot, .bytes = bytes, .link = link, .slab_bytes = SLAB_FIRST};
}

/* A new slab for the fresh ones. */
static bool cache_grow(struct pool_worker *worker, struct pool_cache *cache) {
    bool claims = has_claims() && cache == &worker->nodes;
    size_t bytes = claims ? POOL_CLAIMS_CHUNK * sizeof(struct pool_claim) : cache->slab_bytes;
    if (bytes < cache->bytes)
        bytes = cache->bytes;
    char *fresh = pool_slab(worker, bytes);
    if (!fresh || (claims && !number_claims(worker->pool, (struct pool_claim *)(void *)fresh)))
        return false;
    cache->fresh = fresh;
    cache->fresh_end = fresh + bytes;
    if (cache->slab_bytes < SLAB_MAX)
        cache->slab_bytes *= 2;
    return true;
}

void *pool_cache_more(struct pool_worker *worker, struct pool_cache *cache) {
    struct pool_depot *depot = cache->depot;
    void *batch = cache->spare;
    cache->spare = NULL;
    if (!batch) {
        pthread_mutex_lock(&depot->lock);
        if ((batch = depot->first))
            depot->first = pool_cache_next(batch, cache->link)[1];
        pthread_mutex_unlock(&depot->lock);
    }
    if (batch) {
        cache->first = *pool_cache_next(batch, cache->link);
        cache->count = POOL_BATCH - 1;
        return batch;
    }
    if ((size_t)(cache->fresh_end - cache->fresh) < cache->bytes && !cache_grow(worker, cache))
        return NULL;
    void *object = cache->fresh;
    cache->fresh += cache->bytes;
    return object;
}

void pool_cache_full(struct pool_cache *cache) {
    struct pool_depot *depot = cache->depot;
    if (cache->spare) {
        pthread_mutex_lock(&depot->lock);
        pool_cache_next(cache->spare, cache->link)[1] = depot->first;
        depot->first = cache->spare;
        pthread_mutex_unlock(&depot->lock);
    }
    cache->spare = cache->first;
    cache->first = NULL;
    cache->count = 0;
}

struct pool_task *pool_take(struct pool_worker *worker) {
    return pool_cache_take(worker, &worker->tasks, 0);
}

void pool_give(struct pool_worker *worker, struct pool_task *task) { pool_cache_give(&worker->tasks, task, 0); }
