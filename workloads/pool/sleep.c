/* sleep.c: how workers rest, sleep and are woken, and how the end of a run is found.
 *
 * No wake-up is lost, and spawning costs no fence: who wants to sleep first announces it in `sleepers`, then makes
 * every thread of the process pass a full fence (membarrier), then looks for work once more. Whoever spawned before
 * that fence is seen by that look; whoever spawns after it sees the sleeper. Where the kernel has no membarrier both
 * sides fence themselves.
 *
 * The end is exact. Each worker counts what it spawned and what it finished. Who has no work sums up all `finished`,
 * and after that all `spawned`. When both sums are alike, every task whose spawning was counted had finished when the
 * second sum began: a task is counted as spawned by the one that spawns it before that one is counted as finished, so
 * a task left out would have an ancestor that was counted as spawned and not as finished (F. Mattern: Algorithms for
 * distributed termination detection, 1987; the four-counter method).
 */
#include "workloads/pool/state.h"
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 64        /* rounds in vain before the first yield */
#define YIELDS 64       /* and from there to the first sleep */
#define PAUSES_MOST 128 /* between two rounds */

void pool_word_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds) {
    struct timespec limit = {.tv_sec = (time_t)(nanoseconds / 1000000000u),
                             .tv_nsec = (long)(nanoseconds % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nanoseconds ? &limit : NULL, NULL, 0);
}

void pool_word_wake(_Atomic uint32_t *word, int waiters) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, waiters, NULL, NULL, 0);
}

void pool_sleep_open(struct pool *pool) {
    bool fence = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
    atomic_init(&pool->sleepers, fence ? POOL_MUST_FENCE : 0);
}

/* What a sleeper adds: with a master, only the master is to be woken when there is something to steal. */
static uint32_t counts(const struct pool_worker *worker) { return !worker->pool->master || worker->number == 0; }

void pool_sleep_announce(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    atomic_store_explicit(&worker->asleep, 1, memory_order_relaxed);
    /* release: pairs with the acquire in pool_wake; who counts us finds us. acquire and release: the last of those who
     * announce themselves sees what all before it have counted as finished */
    uint32_t before = atomic_fetch_add_explicit(&pool->sleepers, counts(worker), memory_order_acq_rel);
    if (before & POOL_MUST_FENCE)
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pool_wake */
    else
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); /* pairs with everybody's program order */
}

/* Takes one worker out of those that sleep, if it is still among them. */
static bool claim_sleeper(struct pool_worker *worker) {
    uint32_t asleep = 1;
    if (!atomic_compare_exchange_strong_explicit(&worker->asleep, &asleep, 0, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    atomic_fetch_sub_explicit(&worker->pool->sleepers, counts(worker), memory_order_acq_rel);
    return true;
}

void pool_sleep_cancel(struct pool_worker *worker) {
    /* Somebody wanted to wake us for work that we may not take now: let another have a look. */
    if (!claim_sleeper(worker))
        pool_wake(worker->pool, 1);
}

void pool_sleep(struct pool_worker *worker, uint64_t nanoseconds) {
    uint64_t start = clock_nanoseconds();
    pool_was(worker, POOL_SEARCHES, start);
    worker->counts.sleeps++;
    while (atomic_load_explicit(&worker->asleep, memory_order_acquire) == 1) {
        pool_word_wait(&worker->asleep, 1, nanoseconds);
        if (nanoseconds) {
            claim_sleeper(worker);
            break;
        }
    }
    uint64_t end = clock_nanoseconds();
    worker->counts.sleep_time += end - start;
    pool_was(worker, POOL_SLEEPS, end);
}

void pool_wake_worker(struct pool_worker *worker) {
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence or membarrier in pool_sleep_announce */
    if (claim_sleeper(worker))
        pool_word_wake(&worker->asleep, 1);
}

void pool_wake(struct pool *pool, size_t count) {
    /* acquire: pairs with the release in pool_sleep_announce */
    uint32_t sleepers = atomic_load_explicit(&pool->sleepers, memory_order_acquire);
    if (sleepers & POOL_MUST_FENCE) {
        atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in pool_sleep_announce */
        sleepers = atomic_load_explicit(&pool->sleepers, memory_order_acquire) & ~POOL_MUST_FENCE;
    }
    if (sleepers == 0)
        return;
    for (unsigned i = 0; i < (pool->master ? 1 : pool->threads) && count > 0; i++) {
        struct pool_worker *worker = pool->worker[i];
        if (atomic_load_explicit(&worker->asleep, memory_order_relaxed) == 1 && claim_sleeper(worker)) {
            pool_word_wake(&worker->asleep, 1);
            count--;
        }
    }
}

void pool_end(struct pool *pool) {
    atomic_store_explicit(&pool->over, 1, memory_order_seq_cst);
    /* whoever has announced itself by now is woken; whoever does so later sees that the run is over */
    atomic_thread_fence(memory_order_seq_cst);
    for (unsigned i = 0; i < pool->threads; i++)
        if (claim_sleeper(pool->worker[i]))
            pool_word_wake(&pool->worker[i]->asleep, 1);
}

bool pool_ended(struct pool *pool) {
    uint64_t finished = 0, spawned = 0;
    if (atomic_load_explicit(&pool->over, memory_order_acquire))
        return true;
    /* acquire: pairs with the release of finished when a task has run; what it spawned is then counted */
    for (unsigned i = 0; i < pool->threads; i++)
        finished += atomic_load_explicit(&pool->worker[i]->finished, memory_order_acquire);
    for (unsigned i = 0; i < pool->threads; i++)
        spawned += atomic_load_explicit(&pool->worker[i]->spawned, memory_order_relaxed);
    if (finished != spawned)
        return false;
    pool_end(pool);
    return true;
}

static void pause_a_while(unsigned times) {
    for (unsigned i = 0; i < times; i++) {
#if defined(__x86_64__)
        __asm__ volatile("pause");
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#else
        atomic_signal_fence(memory_order_seq_cst);
#endif
    }
}

bool pool_rest(const struct pool *pool, unsigned failures) {
    unsigned spins = pool->crowded ? 0 : SPINS;
    if (pool->idle == POOL_SPIN || failures < spins)
        pause_a_while(failures < PAUSES_MOST ? failures : PAUSES_MOST);
    else
        sched_yield();
    return pool->idle == POOL_SLEEP && failures >= spins + YIELDS;
}

uint64_t pool_idle_begin(struct pool_worker *worker) {
    uint64_t now = clock_nanoseconds();
    if (worker->first_task)
        worker->last_end = now;
    worker->stole = false;
    pool_was(worker, POOL_WORKS, now);
    return now;
}

void pool_idle_end(struct pool_worker *worker, uint64_t since, bool found) {
    uint64_t now = clock_nanoseconds();
    worker->counts.idle_time += now - since;
    pool_was(worker, worker->stole ? POOL_STEALS : POOL_SEARCHES, now);
    if (found && worker->first_task == 0)
        worker->first_task = now;
}
