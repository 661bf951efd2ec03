/* sleep.c: how workers rest, sleep and are woken, how the end of a run is found, and how it fails.
 *
 * Whom to wake. A worker that looked around and found nothing is a searcher. While one searches, no sleeper is woken:
 * the searcher will find what is spawned. A worker that spawns what a thief can take, when none searches, wakes one
 * sleeper, which then searches. When the last searcher finds something, it wakes the next sleeper if there is more. So
 * wake-ups are few and spread like a tree, as in the schedulers of Go and Tokio. An item that no thief can take (in a
 * BWoS owner's block) wakes no sleeper. Searchers are counted only while a worker sleeps.
 *
 * With idle=wake_each, EMPER's sleep, searchers are not counted, and each push wakes a sleeper (pool_wakes_each). A
 * worker that is woken for what it may not take looks around in vain, and sleeps again. One that finds another item
 * wakes the next sleeper if there is more: it has synchronised with whoever claimed its bit, so it sees that item.
 *
 * No wake-up is lost, and spawning costs no fence. A worker that stops searching, to sleep or to work, first says so in
 * `sleepers`; then it makes every thread of the process pass a full fence (membarrier); then it looks for work once
 * more, at every deque once. A spawner puts its item into a deque and then loads `sleepers`. If it did so before a
 * fence, the look after that fence sees the item; otherwise the load saw what was said before that fence. So:
 * - The spawner saw no sleeper and no searcher: a worker that stops later fences and looks after that.
 * - It saw a searcher: the last searcher to stop fences later and looks. On its way to sleep it takes the item, or
 *   finds that another worker was faster and goes on searching. On its way to work it wakes a sleeper for the item,
 *   unless no worker sleeps: one that falls asleep later looks itself.
 * - It saw a sleeper and no searcher: it goes through the sleepers' bits and wakes one. If there is no bit, those
 *   sleepers are awake by now, search, and stop by the same rule; or the sleeper has just counted itself, and has its
 *   fence and its look before it.
 * No spawner relies on a searcher that is not counted, and that one says so, fences and looks before it sleeps. The
 * fence may be another worker's, if it began after the worker had said so (queues/parts/fences.h). Where the kernel has
 * no membarrier, both sides fence themselves.
 *
 * Forks by place (pool_fork_placed) read a word of the worker's own, `watches`, where others load `sleepers`. Whoever
 * makes `sleepers` positive sets it for all workers, before its fence. A worker clears it when it finds `sleepers` not
 * positive, by an exchange, and then looks at `sleepers` again: so it has seen the change that it may have overwritten.
 *
 * Only where the owner has to be asked (DEQUE_POLL) can an item become stealable later without another spawn. There the
 * pool looks for sleepers after every poll too, and thieves that have asked in vain sleep for a limited time.
 *
 * A parent that sleeps for a child is woken like any sleeper, or by the worker that has run the child: that worker
 * stores that the child has returned, then loads `parents`, in which the parent counts itself before the same fence and
 * its look at the child.
 *
 * The end is exact. Each worker counts what it spawned and what it finished. A worker without work sums up all
 * `finished`, and after that all `spawned`. If both sums are equal, every task counted as spawned had finished when the
 * second sum began: a spawn is counted before its task is finished, so a task left out would have an ancestor that was
 * counted as spawned and not as finished (F. Mattern: Algorithms for distributed termination detection, 1987).
 */
#include "workloads/pool/state.h" /* first: it says where a deque has its memory from */

#include "queues/parts/fences.h"
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 64       /* rounds in vain before the first yield */
#define PAUSES_MAX 128 /* between two rounds */
#define PATIENCE 128   /* rounds in vain before a worker sleeps */

void pool_word_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds) {
    struct timespec limit = {.tv_sec = (time_t)(nanoseconds / 1000000000u),
                             .tv_nsec = (long)(nanoseconds % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nanoseconds ? &limit : NULL, NULL, 0);
}

void pool_word_wake(_Atomic uint32_t *word, int waiters) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, waiters, NULL, NULL, 0);
}

/* --- the word that counts sleepers and searchers */
static int32_t asleep_in(int32_t sleepers) { return sleepers & (POOL_SEARCHER - 1); }
/* A sum above that means no searcher: a sleeper whose bit was claimed but not yet counted had found something itself
 * and counted itself out. */
static bool searched_in(const struct pool *pool, int32_t sleepers) {
    return sleepers - asleep_in(sleepers) < (pool->must_fence ? POOL_MUST_FENCE : 0);
}

void pool_sleep_open(struct pool *pool) {
    pool->must_fence = !deque_fences_asymmetric();
    atomic_init(&pool->sleepers, pool->must_fence ? POOL_MUST_FENCE : 0);
    atomic_init(&pool->parents, pool->must_fence ? POOL_MUST_FENCE : 0);
}

/* After this, every thread's earlier loads and stores are over. */
static void fence_all(const struct pool *pool) {
    if (pool->threads == 1)
        return;
    /* pairs with everybody's program order, or with the fences in pool_wake and pool_wake_parent */
    const uint64_t ticket = deque_fence_ask(!pool->must_fence);
    for (uint64_t look = 0; !deque_fence_passed(!pool->must_fence, ticket, look); look++)
        sched_yield();
}

static bool is_asleep(const struct pool *pool, unsigned number) {
    return atomic_load_explicit(&pool->asleep[number / 64], memory_order_acquire) >> number % 64 & 1;
}

bool pool_is_asleep(const struct pool_worker *worker) { return is_asleep(worker->pool, worker->number); }

static int32_t weight_of_searcher(const struct pool *pool) { return pool_wakes_each(pool) ? 0 : POOL_SEARCHER; }

/* true: the caller has taken the sleeper's bit, and so has to wake it; the sleeper then counts as a searcher. */
static bool claim_sleeper(struct pool_worker *worker) {
    uint64_t bit = UINT64_C(1) << worker->number % 64;
    if (!(atomic_fetch_and_explicit(&worker->pool->asleep[worker->number / 64], ~bit, memory_order_acq_rel) & bit))
        return false;
    if (worker->pool->steals)
        atomic_fetch_sub_explicit(&worker->pool->sleepers, weight_of_searcher(worker->pool) + 1, memory_order_acq_rel);
    return true;
}

static bool wake(const struct pool *pool, unsigned number) {
    struct pool_worker *worker = pool->worker[number];
    if (!is_asleep(pool, number) || !claim_sleeper(worker))
        return false;
    /* release: pairs with the acquire in pool_sleep; the bit is gone before */
    atomic_fetch_add_explicit(&worker->wakes, 1, memory_order_release);
    pool_word_wake(&worker->wakes, 1);
    return true;
}

/* Wakes one sleeper that may steal, the next one after this worker. */
static void wake_one(const struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    for (unsigned i = 1; i < pool->threads; i++)
        if (wake(pool, (worker->number + i) % pool->threads))
            return;
}

void pool_wake(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    if (pool->must_fence)
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in fence_all */
    /* acquire: pairs with the release in pool_sleep_announce; a sleeper without its bit has yet to look around */
    int32_t sleepers = atomic_load_explicit(&pool->sleepers, memory_order_acquire);
    if (asleep_in(sleepers) > 0 && !searched_in(pool, sleepers))
        wake_one(worker);
}

void pool_wake_parent(struct pool *pool, const struct pool_fork *child) {
    if (pool->must_fence)
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in fence_all */
    for (unsigned word = 0; word * 64 < pool->threads; word++) {
        /* acquire, both: pair with the releases in pool_sleep_for */
        uint64_t bits = atomic_load_explicit(&pool->awaits[word], memory_order_acquire);
        for (; bits; bits &= bits - 1) {
            const unsigned parent = word * 64 + (unsigned)__builtin_ctzll(bits);
            if (atomic_load_explicit(&pool->worker[parent]->awaits, memory_order_acquire) == child)
                wake(pool, parent);
        }
    }
}

/* A forked child that another worker than its parent runs, or its parent out of turn. */
void pool_fork_run(struct pool_worker *worker, struct pool_task *task) {
    struct pool_fork *fork = (struct pool_fork *)(void *)task;
    atomic_load_explicit(&fork->child, memory_order_relaxed)(worker, fork);
    /* release: pairs with the acquire in join. After it the fork may be gone */
    atomic_store_explicit(&fork->child, NULL, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst); /* pairs with the membarrier in fence_all */
    if (__builtin_expect(atomic_load_explicit(&worker->pool->parents, memory_order_relaxed) != 0, 0))
        pool_wake_parent(worker->pool, fork);
}

/* Somebody may have to be woken now: every worker is to look. */
static void watch_all(struct pool *pool) {
    for (unsigned i = 0; i < pool->threads; i++)
        if (!atomic_load_explicit(&pool->worker[i]->watches, memory_order_relaxed))
            /* release: pairs with the acquire in pool_watch, which then sees `sleepers` as it is */
            atomic_store_explicit(&pool->worker[i]->watches, true, memory_order_release);
}

void pool_watch(struct pool_worker *worker) {
    _Atomic int32_t *sleepers = &worker->pool->sleepers;
    if (atomic_load_explicit(sleepers, memory_order_relaxed) > 0)
        return;
    /* acquire: pairs with the release in watch_all. What it overwrites was said before, and is looked at again */
    atomic_exchange_explicit(&worker->watches, false, memory_order_acquire);
    if (atomic_load_explicit(sleepers, memory_order_relaxed) > 0)
        atomic_store_explicit(&worker->watches, true, memory_order_relaxed); /* relaxed: read by itself */
}

/* --- searching and sleeping */
void pool_search_begin(struct pool_worker *worker) {
    /* without sleepers only an owner that has to answer must know */
    bool answers = pool_deque.traits->native & DEQUE_POLL;
    if (worker->searching || !worker->pool->steals || !(answers || worker->pool->idle == POOL_SLEEP))
        return;
    if (!answers && asleep_in(atomic_load_explicit(&worker->pool->sleepers, memory_order_relaxed)) == 0)
        return;
    worker->searching = true;
    atomic_fetch_sub_explicit(&worker->pool->sleepers, POOL_SEARCHER, memory_order_relaxed);
}

void pool_search_end(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    if (!worker->searching)
        return;
    worker->searching = false;
    /* acquire: as in pool_wake */
    const int32_t weight = weight_of_searcher(pool);
    int32_t sleepers = atomic_fetch_add_explicit(&pool->sleepers, weight, memory_order_acq_rel) + weight;
    if (asleep_in(sleepers) == 0 || searched_in(pool, sleepers) ||
        atomic_load_explicit(&pool->over, memory_order_relaxed))
        return;
    watch_all(pool);
    bool more = pool_work_in_sight(pool);
    if (!more && weight > 0) {
        fence_all(pool);
        more = pool_work_in_sight(pool);
    }
    if (more)
        wake_one(worker);
}

void pool_sleep_announce(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    /* acquire and release: the last who announces itself sees what all before it have counted as finished */
    int32_t change = !worker->pool->steals ? 0 : worker->searching ? weight_of_searcher(pool) + 1 : 1;
    int32_t sleepers = atomic_fetch_add_explicit(&pool->sleepers, change, memory_order_acq_rel) + change;
    if (sleepers > 0)
        watch_all(pool);
    /* Only now its bit: whoever claims it takes this worker off the count, and not another that sleeps already.
     * release: pairs with the acquire in claim_sleeper */
    atomic_fetch_or_explicit(&pool->asleep[worker->number / 64], UINT64_C(1) << worker->number % 64,
                             memory_order_release);
    worker->searching = false;
    worker->announced = true;
    fence_all(pool);
}

void pool_sleep_cancel(struct pool_worker *worker) {
    if (!worker->announced)
        return;
    claim_sleeper(worker); /* if nobody else has: in either case it counts as one that searches */
    worker->announced = false;
    worker->searching = worker->pool->steals;
}

void pool_sleep(struct pool_worker *worker, uint64_t nanoseconds) {
    uint64_t start = clock_nanoseconds();
    worker->counts.sleeps++;
    /* relaxed: it publishes nothing; only this thread changes it */
    uint32_t slept = atomic_load_explicit(&worker->slept, memory_order_relaxed);
    atomic_store_explicit(&worker->slept, slept + 1, memory_order_relaxed);
    for (;;) {
        /* acquire: pairs with the release in wake; if this load misses it, the bit is still there, or the futex returns
         * at once */
        uint32_t wakes = atomic_load_explicit(&worker->wakes, memory_order_acquire);
        if (!pool_is_asleep(worker))
            break;
        pool_word_wait(&worker->wakes, wakes, nanoseconds);
        if (nanoseconds) {
            claim_sleeper(worker);
            break;
        }
    }
    worker->announced = false;
    worker->searching = worker->pool->steals;
    worker->counts.sleep_time += clock_nanoseconds() - start;
}

void pool_sleep_for(struct pool_worker *worker, struct pool_fork *child) {
    _Atomic uint64_t *word = &worker->pool->awaits[worker->number / 64];
    const uint64_t bit = UINT64_C(1) << worker->number % 64;
    /* release, all: pair with the acquires in pool_wake_parent */
    atomic_store_explicit(&worker->awaits, child, memory_order_release);
    if (child)
        atomic_fetch_or_explicit(word, bit, memory_order_release);
    else
        atomic_fetch_and_explicit(word, ~bit, memory_order_release);
    atomic_fetch_add_explicit(&worker->pool->parents, child ? 1 : -1, memory_order_release);
}

void pool_end(struct pool *pool) {
    atomic_store_explicit(&pool->over, 1, memory_order_seq_cst);
    /* a worker that has announced itself by now is woken; one that does so later sees that the run is over */
    atomic_thread_fence(memory_order_seq_cst);
    for (unsigned i = 0; i < pool->threads; i++)
        wake(pool, i);
}

bool pool_ended(struct pool *pool) {
    uint64_t finished = 0, spawned = 0;
    if (atomic_load_explicit(&pool->over, memory_order_acquire))
        return true;
    /* acquire: pairs with the release of finished when a task has run; what it spawned is then counted */
    for (unsigned i = 0; i < pool->threads; i++)
        finished += atomic_load_explicit(&pool->worker[i]->finished, memory_order_acquire);
    for (unsigned i = 0; i < pool->threads && spawned <= finished; i++) /* more than that is more at the end too */
        spawned += atomic_load_explicit(&pool->worker[i]->spawned, memory_order_relaxed);
    if (finished != spawned)
        return false;
    pool_end(pool);
    return true;
}

static void pause_a_while(unsigned times) {
    for (unsigned i = 0; i < times; i++) {
#if defined(POOL_PAUSE) /* in virtual time */
        POOL_PAUSE();
#elif defined(__x86_64__)
        __asm__ volatile("pause");
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#else
        atomic_signal_fence(memory_order_seq_cst);
#endif
    }
}

bool pool_rest(const struct pool_worker *worker, unsigned failures) {
    const struct pool *pool = worker->pool;
    if (pool->idle == POOL_WAKE_EACH)
        return true;
    unsigned spins = pool->oversubscribed ? 0 : SPINS;
    if (pool->idle == POOL_SPIN || (pool->idle != POOL_YIELD_EACH && failures < spins))
        pause_a_while(failures < PAUSES_MAX ? failures : PAUSES_MAX);
    else
        sched_yield();
    return pool->idle == POOL_SLEEP && failures + SPINS - spins >= PATIENCE;
}

void pool_fail(struct pool_worker *worker, int code, const char *reason) {
    int none = 0;
    if (!atomic_compare_exchange_strong_explicit(&worker->pool->failure, &none, code, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    fprintf(stderr, "stealbench: pool: worker %u: %s\n", worker->number, reason);
    pool_end(worker->pool);
}
