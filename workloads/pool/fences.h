/* fences.h: process-wide fences, shared by threads that ask for one at the same time.
 *
 * A thread stores something, takes a number (pool_fences_said), and then waits until a fence that began later has ended
 * (pool_fences_past), its own or another thread's: after that, every thread's earlier loads and stores are over.
 * A fence interrupts every running thread. Threads that fall asleep together need two fences in all instead of one
 * each.
 */
#ifndef STEALBENCH_POOL_FENCES_H
#define STEALBENCH_POOL_FENCES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pool_fences {
    /* The fence itself. true: every thread has passed a fence since the call. false: the kernel refuses. */
    bool (*all)(struct pool_fences *);
    pthread_mutex_t lock;   /* one fence at a time */
    _Atomic uint64_t begun; /* fences that have begun; written under the lock */
    uint64_t ended;         /* under the lock */
    _Atomic bool refused;   /* the kernel refused one: rely on none from now on; written under the lock */
};

void pool_fences_open(struct pool_fences *, bool (*all)(struct pool_fences *));
void pool_fences_close(struct pool_fences *);

/* Any thread, after its store: how many fences had begun. Those may have missed the store. */
uint64_t pool_fences_said(struct pool_fences *);
/* Any thread: waits for a fence that began after `said` was taken, or makes one; true: it has made one. */
bool pool_fences_past(struct pool_fences *, uint64_t said);

/* Any thread, after pool_fences_past. */
static inline bool pool_fences_refused(const struct pool_fences *fences) {
    /* relaxed: a thread that was refused has written it, or got the lock after that; others may learn of it later */
    return atomic_load_explicit(&fences->refused, memory_order_relaxed);
}

#endif
