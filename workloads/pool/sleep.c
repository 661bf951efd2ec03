/* sleep.c: how workers rest, sleep and are woken.
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
 * `sleepers`, and if that is positive now, in every worker's `watches`; then it makes every thread of the process pass
 * a full fence (membarrier); then it looks for work once more, at every deque once. A spawner puts its item into a
 * deque and then loads its own `watches`, and if that is set, `sleepers`. If it did so before a fence, the look after
 * that fence sees the item; otherwise the loads saw what was said before that fence. So:
 * - The spawner saw no sleeper and no searcher: a worker that stops later fences and looks after that.
 * - It saw a searcher: the last searcher to stop fences later and looks. On its way to sleep it takes the item, or
 *   finds that another worker was faster and goes on searching. On its way to work it wakes a sleeper for the item,
 *   unless no worker sleeps: one that falls asleep later looks itself.
 * - It saw a sleeper and no searcher: it goes through the sleepers' bits and wakes one. If there is no bit, those
 *   sleepers are awake by now, search, and stop by the same rule; or the sleeper has just counted itself, and has its
 *   fence and its look before it.
 * No spawner relies on a searcher that is not counted, and that one says so, fences and looks before it sleeps. The
 * fence may be another worker's, if it began after the worker had said so (queues/parts/fences.h). Where the kernel has
 * no membarrier, both sides fence themselves, and every worker watches all the time.
 *
 * Only where the owner has to be asked (DEQUE_POLL) can an item become stealable later without another spawn. There the
 * pool looks for sleepers after every poll too, and thieves that have asked in vain sleep for a limited time.
 *
 * A parent that sleeps for a child is woken like any sleeper, or by the worker that has run the child: that worker
 * stores that the child has returned, then loads `parents`, in which the parent counts itself before the same fence and
 * its look at the child.
 */
#include "workloads/pool/state.h" /* first: it says where a deque has its memory from */

#include "queues/parts/fences.h"
#include <sched.h>

#define SPINS 64           /* rounds in vain before the first yield */
#define PAUSES_MAX 128     /* between two rounds */
#define PATIENCE 128       /* rounds in vain before a worker sleeps */
#define ASKED_SLEEP 500000 /* ns until a thief asks again an owner that has not answered (DEQUE_POLL) */
#ifdef POOL_PAUSE          /* in virtual time */
#elif defined(__x86_64__)
#define POOL_PAUSE() __asm__ volatile("pause")
#elif defined(__aarch64__)
#define POOL_PAUSE() __asm__ volatile("yield")
#else
#define POOL_PAUSE() atomic_signal_fence(memory_order_seq_cst)
#endif

void pool_sleep_open(struct pool *pool) {
    pool->must_fence = !deque_fences_asymmetric();
    pool->weight[POOL_SEARCHES] = pool->steals && !pool_wakes_each(pool) ? -POOL_SEARCHER : 0;
    pool->weight[POOL_SLEEPS] = pool->steals;
    atomic_init(&pool->parents, pool->must_fence);
}

/* After this, every thread's earlier loads and stores are over. */
static void fence_all(const struct pool *pool) {
    /* pairs with everybody's program order, or with fence_light */
    const uint64_t ticket = deque_fence_ask(!pool->must_fence);
    for (uint64_t look = 0; !deque_fence_passed(!pool->must_fence, ticket, look); look++)
        sched_yield();
}

/* Between a store that a fence_all makes seen, and a load that sees what was said before it. */
static void fence_light(const struct pool *pool) {
    if (pool->must_fence)
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in fence_all */
    else
        deque_fence_light();
}

static uint64_t bit_of(const struct pool_worker *worker) { return UINT64_C(1) << worker->number % 64; }

bool pool_is_asleep(const struct pool_worker *worker) {
    /* acquire: pairs with the release in pool_sleep_announce */
    return atomic_load_explicit(&worker->pool->asleep[worker->number / 64], memory_order_acquire) & bit_of(worker);
}

/* true: the caller has taken the sleeper's bit, and so has to wake it; the sleeper then counts as a searcher. */
static bool claim_sleeper(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    _Atomic uint64_t *word = &pool->asleep[worker->number / 64];
    if (!pool_is_asleep(worker) ||
        !(atomic_fetch_and_explicit(word, ~bit_of(worker), memory_order_acq_rel) & bit_of(worker)))
        return false;
    atomic_fetch_add_explicit(&pool->sleepers, pool->weight[POOL_SEARCHES] - pool->weight[POOL_SLEEPS],
                              memory_order_acq_rel);
    return true;
}

static bool wake(struct pool_worker *worker) {
    if (!claim_sleeper(worker))
        return false;
    /* release: pairs with the acquire in pool_sleep; the bit is gone before */
    atomic_fetch_add_explicit(&worker->wakes, 1, memory_order_release);
    pool_word_wake(&worker->wakes, 1);
    return true;
}

/* Wakes one sleeper, the next one after this worker. */
static void wake_one(const struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    for (unsigned i = 1; i < pool->threads; i++)
        if (wake(pool->worker[(worker->number + i) % pool->threads]))
            return;
}

/* Counts the worker as something else; returns what `sleepers` is then. If positive, every worker is to look. */
static int32_t count_as(struct pool_worker *worker, enum pool_counted now) {
    struct pool *pool = worker->pool;
    const int32_t change = pool->weight[now] - pool->weight[worker->counted];
    worker->counted = now;
    /* seq_cst, both: see pool_wake; who looks for the end sees what all that were counted before it have finished */
    const int32_t sleepers = atomic_fetch_add_explicit(&pool->sleepers, change, memory_order_seq_cst) + change;
    for (unsigned i = 0; sleepers > 0 && i < pool->threads; i++)
        if (!atomic_load_explicit(&pool->worker[i]->watches, memory_order_seq_cst))
            atomic_store_explicit(&pool->worker[i]->watches, true, memory_order_relaxed); /* the fence publishes it */
    return sleepers;
}

void pool_wake(struct pool_worker *worker, bool stealable) {
    struct pool *pool = worker->pool;
    fence_light(pool);
    /* acquire: pairs with the release in pool_sleep_announce; a sleeper without its bit has yet to look around */
    if (atomic_load_explicit(&pool->sleepers, memory_order_acquire) > 0) {
        if (stealable || pool_wakes_each(pool))
            wake_one(worker);
    } else if (!pool->must_fence) {
        /* seq_cst, both: either this sees what count_as did to `sleepers`, or count_as sees that it is false */
        atomic_exchange_explicit(&worker->watches, false, memory_order_seq_cst);
        if (atomic_load_explicit(&pool->sleepers, memory_order_seq_cst) > 0)
            atomic_store_explicit(&worker->watches, true, memory_order_relaxed); /* relaxed: read by itself */
    }
}

/* Wakes the parent of a child that has returned. The child's memory may be gone, and only its address is compared. */
static __attribute__((cold)) void wake_parent(const struct pool *pool, const struct pool_fork *child) {
    fence_light(pool);
    for (unsigned i = 0; i < pool->threads; i++) /* acquire: pairs with the release in announce_sleep */
        if (atomic_load_explicit(&pool->worker[i]->awaits, memory_order_acquire) == child)
            wake(pool->worker[i]);
}

/* A forked child that another worker than its parent runs, or its parent out of turn. */
void pool_fork_run(struct pool_worker *worker, struct pool_task *task) {
    struct pool_fork *fork = (struct pool_fork *)(void *)task;
    atomic_load_explicit(&fork->child, memory_order_relaxed)(worker, fork);
    /* release: pairs with the acquire in join. After it the fork may be gone */
    atomic_store_explicit(&fork->child, NULL, memory_order_release);
    deque_fence_light();
    if (__builtin_expect(atomic_load_explicit(&worker->pool->parents, memory_order_relaxed) != 0, 0))
        wake_parent(worker->pool, fork);
}

void pool_search_end(struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    if (worker->counted != POOL_SEARCHES || count_as(worker, POOL_UNCOUNTED) <= 0 ||
        atomic_load_explicit(&pool->over, memory_order_relaxed))
        return;
    if (pool_work_in_sight(pool) || (!pool_wakes_each(pool) && (fence_all(pool), pool_work_in_sight(pool))))
        wake_one(worker);
}

static void announce_sleep(struct pool_worker *worker, struct pool_fork *child) {
    struct pool *pool = worker->pool;
    if (child) {
        /* release: pairs with the acquire in wake_parent; relaxed: the fence below publishes it */
        atomic_store_explicit(&worker->awaits, child, memory_order_release);
        atomic_fetch_add_explicit(&pool->parents, 1, memory_order_relaxed);
    }
    count_as(worker, POOL_SLEEPS);
    /* Only now its bit: whoever claims it takes this worker off the count, and not another that sleeps already.
     * release: pairs with the acquire in pool_is_asleep */
    atomic_fetch_or_explicit(&pool->asleep[worker->number / 64], bit_of(worker), memory_order_release);
    fence_all(pool);
}

void pool_sleep_cancel(struct pool_worker *worker) {
    if (worker->counted != POOL_SLEEPS)
        return;
    claim_sleeper(worker); /* unless somebody else has: in either case it counts as one that searches */
    worker->counted = POOL_SEARCHES;
    if (atomic_load_explicit(&worker->awaits, memory_order_relaxed)) {
        /* relaxed, both: a child that still finds it here wakes somebody that is awake */
        atomic_fetch_sub_explicit(&worker->pool->parents, 1, memory_order_relaxed);
        atomic_store_explicit(&worker->awaits, NULL, memory_order_relaxed);
    }
}

/* Until it is woken, or so many nanoseconds have passed; 0: for as long as it takes. */
static void sleep_announced(struct pool_worker *worker, uint64_t nanoseconds) {
    const uint64_t start = clock_nanoseconds();
    /* relaxed, both: it publishes nothing; only this thread changes it */
    atomic_store_explicit(&worker->counts.sleeps,
                          atomic_load_explicit(&worker->counts.sleeps, memory_order_relaxed) + 1, memory_order_relaxed);
    /* acquire: pairs with the release in wake; if this misses it, the bit is still there, or the futex returns at once
     */
    for (uint32_t wakes; wakes = atomic_load_explicit(&worker->wakes, memory_order_acquire), pool_is_asleep(worker);) {
        pool_word_wait(&worker->wakes, wakes, nanoseconds);
        if (nanoseconds)
            break;
    }
    worker->counts.sleep_time += clock_nanoseconds() - start;
}

struct pool_task *pool_sleep(struct pool_worker *worker, struct pool_fork *child) {
    struct pool *pool = worker->pool;
    const bool asks = pool_deque.traits->native & DEQUE_POLL;
    struct pool_task *task = NULL;
    announce_sleep(worker, child);
    /* After a lost race or beside a thief at work there may be more. Not if thieves ask: there LOST only says that the
     * owner has not answered, so if there is work, it soon asks again. acquire: pairs with the release in pool_fork_run
     */
    if (!(child ? !atomic_load_explicit(&child->child, memory_order_acquire) : pool_ended(pool)) &&
        !(task = pool_deque.look(worker)) && worker->counted == POOL_SLEEPS && (asks || !worker->contended))
        sleep_announced(worker, asks && pool->steals && pool_work_in_sight(pool) ? ASKED_SLEEP : 0);
    pool_sleep_cancel(worker);
    return task;
}

void pool_end(struct pool *pool) {
    atomic_store_explicit(&pool->over, 1, memory_order_seq_cst);
    /* a worker that has announced itself by now is woken; one that does so later sees that the run is over */
    atomic_thread_fence(memory_order_seq_cst);
    for (unsigned i = 0; i < pool->threads; i++)
        wake(pool->worker[i]);
}

bool pool_rest(struct pool_worker *worker, unsigned failures) {
    const struct pool *pool = worker->pool;
    if (pool->idle == POOL_WAKE_EACH)
        return true;
    /* without sleepers only an owner that has to answer must know */
    if (worker->counted != POOL_SEARCHES &&
        ((pool_deque.traits->native & DEQUE_POLL) ||
         atomic_load_explicit(&pool->sleepers, memory_order_relaxed) % POOL_SEARCHER != 0))
        count_as(worker, POOL_SEARCHES);
    const unsigned spins = pool->places.oversubscribed ? 0 : SPINS;
    if (pool->idle == POOL_SPIN || (pool->idle != POOL_YIELD_EACH && failures < spins))
        for (unsigned i = 0; i < failures && i < PAUSES_MAX; i++)
            POOL_PAUSE();
    else
        sched_yield();
    return pool->idle == POOL_SLEEP && failures + SPINS - spins >= PATIENCE;
}
