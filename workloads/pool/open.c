/* open.c: the workers' threads, and runs. */
#include "harness/measuring/distance.h"
#include "harness/measuring/random.h"
#include "workloads/pool/state.h"
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define STEAL_MAX UINT64_C(10000000000) /* ns: longer ones count as this */
#define DEALT_TOGETHER 256              /* first tasks that a worker puts into its deque at once */
#define STACK_BYTES ((size_t)16 << 20)  /* of a worker's thread; the main thread has its own */

/* A waiting join runs other tasks on its own stack. It may use at most half of the stack for that. */
static const char *lowest_for_forks(void) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return (const char *)__builtin_frame_address(0) - STACK_BYTES / 8;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    size_t used = (size_t)((char *)lowest + bytes - (char *)__builtin_frame_address(0));
    if (bytes > STACK_BYTES) /* an unlimited one: stay within what the others have */
        bytes = STACK_BYTES;
    return (const char *)__builtin_frame_address(0) + used - bytes / 2;
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
    atomic_init(&worker->watches, true);
    size_t least = pool->waits ? sizeof(struct pool_stamp) : sizeof(struct pool_task);
    size_t task_bytes = pool->settings.task_bytes > least ? pool->settings.task_bytes : least;
    pool_cache_open(&worker->tasks, &pool->task_depot, (task_bytes + 15) / 16 * 16, 0);
    pool_cache_open(&worker->nodes, &pool->node_depot, pool_deque.node_bytes, pool_deque.node_link);
    if (!pool_victims_open(worker) || !pool_waits_open(worker))
        return ENOMEM;
    if (pool->steal_times && histogram_init(&worker->steal_times, STEAL_MAX) != 0)
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

/* With first=each: this worker's own of the run's first tasks, once the clock runs. Task i is spawned by worker i
 * modulo their number. */
static void spawn_own_first(struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    struct pool_task *tasks[DEALT_TOGETHER];
    size_t count = 0;
    /* acquire: pairs with the release in pool_run; the tasks are there */
    while (!atomic_load_explicit(&pool->begun, memory_order_acquire))
        sched_yield();
    for (size_t i = worker->number; i < pool->first_count; i += pool->threads) {
        tasks[count++] = pool->first[i];
        if (count == DEALT_TOGETHER || i + pool->threads >= pool->first_count) {
            pool_deque.spawn_first(worker, tasks, count);
            count = 0;
        }
    }
}

/* A worker's part in a run: in, to work, out. */
static void worker_run(struct pool_worker *worker) {
    worker->counters = (struct counters){0};
    worker->cpu_before = time_on_processors();
    counters_start(&worker->counters);
    uint64_t arrived = clock_nanoseconds();
    if (worker->pool->each)
        spawn_own_first(worker);
    pool_deque.work(worker);
    uint64_t left = clock_nanoseconds();
    counters_stop(&worker->counters);
    worker->cpu_time = time_on_processors() - worker->cpu_before;
    worker->present = left - arrived;
}

/* One more worker is there; the last one wakes the main thread. */
static void count_in(const struct pool *pool, _Atomic uint32_t *word) {
    /* release: pairs with the acquire in wait_for_others; all that this worker did is seen */
    if (atomic_fetch_add_explicit(word, 1, memory_order_acq_rel) + 1 == pool->threads - 1)
        pool_word_wake(word, 1);
}

static void *worker_thread(void *argument) {
    struct pool *pool = argument;
    uint32_t seen = 0;
    unsigned number = atomic_fetch_add_explicit(&pool->numbered, 1, memory_order_relaxed) + 1;
    places_take(&pool->places, number);
    int failure = worker_create(pool, number), none = 0;
    if (failure) /* the first failure is reported */
        atomic_compare_exchange_strong_explicit(&pool->open_failure, &none, failure, memory_order_relaxed,
                                                memory_order_relaxed);
    struct pool_worker *worker = pool->worker[number];
    count_in(pool, &pool->arrived);
    if (failure)
        return NULL;
    for (;;) {
        uint32_t run;
        /* acquire: pairs with the release in pool_run and pool_close */
        while ((run = atomic_load_explicit(&pool->run, memory_order_acquire)) == seen)
            pool_word_wait(&pool->run, seen, 0);
        seen = run;
        if (atomic_load_explicit(&pool->quit, memory_order_relaxed))
            return NULL;
        count_in(pool, &pool->arrived);
        worker_run(worker);
        count_in(pool, &pool->parked);
    }
}

/* Until all others are counted in word. */
static void wait_for_others(const struct pool *pool, _Atomic uint32_t *word) {
    uint32_t count;
    for (unsigned looks = 0; (count = atomic_load_explicit(word, memory_order_acquire)) < pool->threads - 1; looks++) {
        if (looks < 100)
            sched_yield();
        else
            pool_word_wait(word, count, 1000000);
    }
}

/* The main thread may run on the processors that it had before. */
static void restore_affinity(const struct pool *pool) {
    if (CPU_COUNT(&pool->affinity) > 0)
        sched_setaffinity(0, sizeof pool->affinity, &pool->affinity);
}

/* Starts all other workers at once; worker 0's deque is there. */
static int start_threads(struct pool *pool) {
    pthread_attr_t attributes;
    int failure = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    /* A thread begins where its maker may run: not all of them on the one processor of worker 0. */
    restore_affinity(pool);
    while (pool->thread_count + 1 < pool->threads && failure == 0) {
        failure = pthread_create(&pool->thread[pool->thread_count], &attributes, worker_thread, pool);
        pool->thread_count += failure == 0;
    }
    places_take(&pool->places, 0);
    pthread_attr_destroy(&attributes);
    if (failure)
        return failure;
    wait_for_others(pool, &pool->arrived);
    return atomic_load_explicit(&pool->open_failure, memory_order_relaxed);
}

static void read_parameters(struct pool *pool, const struct cell *cell) {
    pool->threads = (unsigned)cell_integer(cell, "threads");
    pool->policy = (enum pool_policy)cell_choice(cell, "victims");
    pool->steals = pool->threads > 1 && pool->policy != POOL_NONE;
    pool->idle = (enum pool_idle)cell_choice(cell, "idle");
    pool->half = cell_is(cell, "steal", "half");
    pool->percent = pool->half ? 50 : (unsigned)cell_integer(cell, "steal");
    pool->slot = cell_integer(cell, "slot") != 0;
    pool->turns = cell_integer(cell, "turns") != 0;
    pool->waits = cell_integer(cell, "waits") != 0;
    pool->detour = pool->slot || pool->waits;
    pool->each = cell_is(cell, "first", "each");
    pool->steal_times = cell_integer(cell, "steal_times") != 0;
}

static unsigned flags_of(const struct pool *pool) {
    unsigned native = pool_deque.traits->native, flags = pool->cell.flags;
    unsigned parts = DEQUE_STEAL_BATCH | DEQUE_LISTS | (pool->half ? DEQUE_STEAL_INTO : 0);
    if (pool->oversubscribed)
        flags |= SAMPLE_OVERSUBSCRIBED;
    if (pool->percent > 0 && pool->threads > 1 && (native & parts) == 0)
        flags |= SAMPLE_EMULATED;
    return flags;
}

static int refuse(struct pool *pool, const char *what, int failure) {
    fprintf(stderr, "stealbench: pool: %s: %s\n", what, strerror(failure));
    pool_close(pool);
    return 3;
}

int pool_open(struct pool **result, const struct cell *cell, const struct pool_settings *settings) {
    *result = NULL;
    struct pool *pool = aligned_alloc(POOL_LINE, sizeof *pool);
    if (!pool) {
        fprintf(stderr, "stealbench: pool: no memory\n");
        return 3;
    }
    memset(pool, 0, sizeof *pool);
    pool->cell = *cell;
    if (settings)
        pool->settings = *settings;
    read_parameters(pool, cell);
    int placed = places_open(&pool->places, cell, pool->threads);
    if (placed != 0) {
        free(pool);
        return placed == 3 ? 3 : 2;
    }
    if (sched_getaffinity(0, sizeof pool->affinity, &pool->affinity) != 0)
        CPU_ZERO(&pool->affinity);
    pool->oversubscribed = pool->places.oversubscribed;
    pool->cell.flags = flags_of(pool);
    pthread_mutex_init(&pool->task_depot.lock, NULL);
    pthread_mutex_init(&pool->node_depot.lock, NULL);
    pool->worker = calloc(pool->threads, sizeof *pool->worker);
    pool->thread = calloc(pool->threads, sizeof *pool->thread);
    pool_sleep_open(pool);
    if (!pool->worker || !pool->thread || !pool_claims_open(pool))
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
    for (unsigned i = pool->threads; pool->worker && i-- > 0;) /* worker 0's deque may hold what the others share */
        worker_destroy(pool->worker[i]);
    restore_affinity(pool);
    pthread_mutex_destroy(&pool->task_depot.lock);
    pthread_mutex_destroy(&pool->node_depot.lock);
    free((void *)pool->claims);
    places_close(&pool->places);
    free(pool->worker);
    free(pool->thread);
    free(pool->sites);
    free(pool);
}

static void begin_run(struct pool *pool, size_t count) {
    for (unsigned i = 0; i < pool->threads; i++) {
        struct pool_worker *worker = pool->worker[i];
        worker->counts = (struct pool_counts){0};
        memset(worker->tally, 0, sizeof worker->tally);
        worker->last_end = 0;
        worker->slot = NULL;
        if (pool->steal_times)
            histogram_clear(&worker->steal_times);
        if (pool->waits)
            histogram_clear(&worker->waits);
        atomic_store_explicit(&worker->finished, 0, memory_order_relaxed);
        /* the first tasks count before anybody may look for the end */
        atomic_store_explicit(&worker->spawned, i == 0 ? count : 0, memory_order_relaxed);
    }
    atomic_store_explicit(&pool->over, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->failure, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->begun, false, memory_order_relaxed);
    atomic_store_explicit(&pool->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->parked, 0, memory_order_relaxed);
    /* release: pairs with the acquire in worker_thread */
    atomic_fetch_add_explicit(&pool->run, 1, memory_order_release);
    pool_word_wake(&pool->run, INT_MAX);
}

int pool_run(struct pool *pool, struct pool_task *const *tasks, size_t count) {
    struct pool_worker *worker = pool->worker[0];
    pool->first = tasks;
    pool->first_count = count;
    begin_run(pool, count);
    /* the clock starts with everybody awake */
    wait_for_others(pool, &pool->arrived);
    pool->started = clock_nanoseconds();
    if (pool->each)
        /* release: pairs with the acquire in spawn_own_first */
        atomic_store_explicit(&pool->begun, true, memory_order_release);
    else if (count > 0)
        pool_deque.spawn_first(worker, tasks, count);
    worker_run(worker);
    wait_for_others(pool, &pool->parked);
    return atomic_load_explicit(&pool->failure, memory_order_relaxed);
}

double pool_seconds(const struct pool *pool) {
    uint64_t end = pool->started;
    for (unsigned i = 0; i < pool->threads; i++)
        if (pool->worker[i]->last_end > end)
            end = pool->worker[i]->last_end;
    return (double)(end - pool->started) * 1e-9;
}

unsigned pool_threads(const struct pool *pool) { return pool->threads; }
unsigned pool_worker_number(const struct pool_worker *worker) { return worker->number; }
void *pool_context(const struct pool_worker *worker) { return worker->pool->settings.context; }
uint64_t *pool_tally(struct pool_worker *worker) { return worker->tally; }

uint64_t pool_tallied(const struct pool *pool, unsigned which) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < pool->threads; i++)
        sum += pool->worker[i]->tally[which];
    return sum;
}
