/* memory.h: slabs that live as long as the pool, and caches of objects of one size. */
#pragma once

#include "workloads/pool/pool.h"
#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>

/* Aligned to a cache line; NULL: no memory. Deques take theirs from here too. */
void *pool_memory(size_t bytes);
#define DEQUE_ALLOC(bytes) pool_memory(bytes)
#define DEQUE_FREE(pointer) free(pointer)
#include "queues/deque.h"

#define POOL_LINE DEQUE_LINE

/* The node or claim of a task in a deque has a cache line of its own. A thief keeps and reuses what it stole. If that
 * shared a line with the victim's, the line would move at every task: fib took three times as long.
 */
#define POOL_OBJECT 64

/* One worker's objects of one size: returned ones and fresh ones. Surplus goes in whole batches to a depot that all
 * workers share, so that memory does not pile up at a worker that only returns objects. */
#define POOL_BATCH 256
struct pool_depot {
    pthread_mutex_t lock;
    void *first; /* of a batch; the pointer behind its `link` leads to the first of the next batch */
};
struct pool_cache {
    void *first; /* chained through the pointer at `link` in each */
    long count;
    void *spare; /* a whole batch, or NULL */
    char *fresh, *fresh_end;
    size_t bytes, link;
    size_t slab_bytes; /* of the next slab; they double */
    struct pool_depot *depot;
};

/* Memory that lives as long as the pool. */
struct pool_slab {
    struct pool_slab *next;
};

/* The item of a task in a deque that may hand an item out twice. This memory is never used for anything else. So the
 * generation identifies a late duplicate even after the task is gone. */
struct pool_claim {
    alignas(POOL_OBJECT) _Atomic uint32_t
        generation; /* of what is in the deque; the worker that claims it counts it up */
    uint32_t index; /* from 1 */
    union {
        struct pool_task *task;
        void *next;
    } u;
};
#define POOL_CLAIMS_CHUNK 4096
#define POOL_CLAIMS_CHUNKS (1 << 18)

/* Tests: so many more allocations succeed, then none does; -1: as many as there are. */
void pool_memory_fails_after(long allocations);
/* Whole pages, for memory that must lie on the node of the thread that first touches it. (The C library touches the
 * page of a thread's first allocation before the thread is bound.) */
void *pool_pages(size_t bytes);
void *pool_slab(struct pool_worker *, size_t bytes);
void pool_cache_open(struct pool_cache *, struct pool_depot *, size_t bytes, size_t link);
void *pool_cache_more(struct pool_worker *, struct pool_cache *); /* when there is no first */
void pool_cache_full(struct pool_cache *);                        /* when a batch is there */

static inline void **pool_cache_next(void *object, size_t link) { return (void **)(void *)((char *)object + link); }
static inline void *pool_cache_take(struct pool_worker *worker, struct pool_cache *cache, size_t link) {
    void *object = cache->first;
    if (!object)
        return pool_cache_more(worker, cache);
    cache->first = *pool_cache_next(object, link);
    cache->count--;
    return object;
}
static inline void pool_cache_give(struct pool_cache *cache, void *object, size_t link) {
    *pool_cache_next(object, link) = cache->first;
    cache->first = object;
    if (++cache->count == POOL_BATCH)
        pool_cache_full(cache);
}

/* The directory of claims, by index, if the deque needs any. false: no memory. */
bool pool_claims_open(struct pool *);
