/* open.c: the pool and its workers, their memory and threads. */
#include "harness/measuring/distance.h"
#include "harness/measuring/random.h"
#include "workloads/pool/state.h"
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define STACK_BYTES ((size_t)16 << 20) /* of a worker's thread; the main thread has its own */

/* A waiting join runs other tasks on its own stack. It may use at most half of the stack for that. */
static const char *lowest_for_forks(void) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return (const char *)__builtin_frame_address(0) - STACK_BYTES / 8;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    /* an unlimited one: stay within what the others have */
    return (const char *)lowest + bytes - (bytes < STACK_BYTES ? bytes : STACK_BYTES) / 2;
}

/* Called by the worker's own thread once it is bound, so that it touches its memory first. Worker 0 comes first,
 * because its deque may hold state that all share; the others follow in parallel. */
static int worker_create(struct pool *pool, unsigned number) {
    struct pool_worker *worker = pool_pages(sizeof *worker + pool_deque.deque_bytes);
    if (!worker)
        return ENOMEM;
    memset(worker, 0, sizeof *worker);
    pthread_mutex_init(&worker->overflow.lock, NULL);
    pool->worker[number] = worker;
    worker->pool = pool;
    worker->number = number;
    worker->random = random_start(pool->cell.seed, number);
    worker->stack_end = (uintptr_t)lowest_for_forks();
    worker->owner = pthread_self();
    atomic_init(&worker->watches, pool->must_fence);
    size_t least = pool->waits ? sizeof(struct pool_stamp) : sizeof(struct pool_task);
    size_t task_bytes = pool->settings.task_bytes > least ? pool->settings.task_bytes : least;
    pool_cache_open(&worker->tasks, &pool->task_depot, (task_bytes + 15) / 16 * 16, 0);
    pool_cache_open(&worker->nodes, &pool->node_depot, pool_deque.node_bytes, pool_deque.node_link);
    if (!pool_victims_open(worker) || !pool_histograms_open(worker))
        return ENOMEM;
    /* memory=owner is what first touch gives */
    if (cell_is(&pool->cell, "memory", "interleaved") && !places_bind_memory(&pool->places, "interleaved"))
        return ENODEV;
    return pool_deque.open(worker);
}

static void worker_destroy(struct pool_worker *worker) {
    if (!worker)
        return;
    pool_deque.close(worker);
    for (struct pool_slab *slab = worker->slabs, *next; slab; slab = next) {
        next = slab->next;
        free(slab);
    }
    pool_victims_close(worker);
    histogram_free(&worker->steal_times);
    pthread_mutex_destroy(&worker->overflow.lock);
    free(worker->overflow.ring);
    histogram_free(&worker->waits);
    free(worker);
}

static void *worker_thread(void *argument) {
    struct pool *pool = argument;
    unsigned number = atomic_fetch_add_explicit(&pool->numbered, 1, memory_order_relaxed) + 1;
    places_take(&pool->places, number);
    const int failure = worker_create(pool, number);
    if (failure)
        atomic_store_explicit(&pool->open_failure, failure, memory_order_relaxed);
    pool_pass(pool);
    for (uint32_t runs = 0; failure == 0; runs++) {
        /* acquire: pairs with the release in begin_run and pool_close */
        while (atomic_load_explicit(&pool->run, memory_order_acquire) == runs)
            pool_word_wait(&pool->run, runs, 0);
        if (atomic_load_explicit(&pool->quit, memory_order_relaxed))
            break;
        pool_pass(pool);
        pool_take_part(pool->worker[number]);
        pool_pass(pool);
    }
    return NULL;
}

/* Starts all other workers at once; worker 0's deque is there. */
static int start_threads(struct pool *pool) {
    pthread_attr_t attributes;
    int failure = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    /* A thread begins where its maker may run: not all of them on the one processor of worker 0. */
    sched_setaffinity(0, sizeof pool->affinity, &pool->affinity);
    while (pool->thread_count + 1 < pool->threads && failure == 0) {
        failure = pthread_create(&pool->thread[pool->thread_count], &attributes, worker_thread, pool);
        pool->thread_count += failure == 0;
    }
    places_take(&pool->places, 0);
    pthread_attr_destroy(&attributes);
    if (failure)
        return failure;
    pool_wait_for_others(pool, 1);
    return atomic_load_explicit(&pool->open_failure, memory_order_relaxed);
}

static void read_parameters(struct pool *pool, const struct cell *cell) {
    const unsigned native = pool_deque.traits->native;
    pool->policy = (enum pool_policy)cell_choice(cell, "victims");
    pool->steals = pool->threads > 1 && pool->policy != POOL_NONE;
    pool->idle = (enum pool_idle)cell_choice(cell, "idle");
    pool->half = cell_is(cell, "steal", "half");
    pool->percent = pool->half ? 50 : (unsigned)cell_integer(cell, "steal");
    pool->slot = cell_integer(cell, "slot") != 0;
    pool->turns = cell_integer(cell, "turns") != 0 || pool_deque.traits->thieves == DEQUE_ONE_THIEF;
    pool->waits = cell_integer(cell, "waits") != 0;
    pool->each = cell_is(cell, "first", "each");
    pool->steal_times = cell_integer(cell, "steal_times") != 0;
    if (pool->places.oversubscribed)
        pool->cell.flags |= SAMPLE_OVERSUBSCRIBED;
    if (pool->percent > 0 && pool->threads > 1 &&
        (native & (DEQUE_STEAL_BATCH | DEQUE_LISTS | (pool->half ? DEQUE_STEAL_INTO : 0))) == 0)
        pool->cell.flags |= SAMPLE_EMULATED;
}

static int refuse(struct pool *pool, const char *what, int failure) {
    fprintf(stderr, "stealbench: pool: %s: %s\n", what, strerror(failure));
    pool_close(pool);
    return 3;
}

int pool_open(struct pool **result, const struct cell *cell, const struct pool_settings *settings) {
    *result = NULL;
    struct pool *pool = aligned_alloc(POOL_LINE, sizeof *pool);
    if (!pool)
        return refuse(pool, "a pool", ENOMEM);
    memset(pool, 0, sizeof *pool);
    pool->cell = *cell;
    if (settings)
        pool->settings = *settings;
    pool->threads = (unsigned)cell_integer(cell, "threads");
    int placed = places_open(&pool->places, cell, pool->threads);
    if (placed != 0) {
        free(pool);
        return placed == 3 ? 3 : 2;
    }
    sched_getaffinity(0, sizeof pool->affinity, &pool->affinity); /* or none, which nobody can be given */
    read_parameters(pool, cell);
    pthread_mutex_init(&pool->task_depot.lock, NULL);
    pthread_mutex_init(&pool->node_depot.lock, NULL);
    pool_sleep_open(pool);
    if (!pool_claims_open(pool))
        return refuse(pool, "workers", ENOMEM);
    places_take(&pool->places, 0);
    places_bring_memory(&pool->places, 0);
    int failure = worker_create(pool, 0);
    if (failure == 0)
        failure = start_threads(pool);
    if (failure != 0)
        return refuse(pool, "a worker's deque or thread", failure);
    places_report(&pool->places, &pool->cell, "w0", NULL);
    distance_report(&pool->cell, &pool->places);
    *result = pool;
    return 0;
}

void pool_close(struct pool *pool) {
    if (!pool)
        return;
    atomic_store_explicit(&pool->quit, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&pool->run, 1, memory_order_release);
    pool_word_wake(&pool->run, INT_MAX);
    for (unsigned i = 0; i < pool->thread_count; i++)
        pthread_join(pool->thread[i], NULL);
    for (unsigned i = pool->threads; i-- > 0;) /* worker 0's deque may hold what the others share */
        worker_destroy(pool->worker[i]);
    sched_setaffinity(0, sizeof pool->affinity, &pool->affinity); /* as the main thread had it before */
    pthread_mutex_destroy(&pool->task_depot.lock);
    pthread_mutex_destroy(&pool->node_depot.lock);
    free((void *)pool->claims);
    places_close(&pool->places);
    free(pool);
}

unsigned pool_threads(const struct pool *pool) { return pool->threads; }
unsigned pool_worker_number(const struct pool_worker *worker) { return worker->number; }
void *pool_context(const struct pool_worker *worker) { return worker->pool->settings.context; }
uint64_t *pool_tally(struct pool_worker *worker) { return worker->counts.tally; }
