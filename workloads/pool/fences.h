/* fences.h: fences that all threads have to pass, shared by those who ask for one at the same time.
 *
 * Who has said something and wants everybody's loads and stores from before to be over takes a number
 * (pool_fences_said), and is done once a fence that began after that has ended (pool_fences_past): one's own, or
 * another's. A crowd that falls asleep together needs two, not one each, and each interrupts every thread that runs.
 */
#ifndef STEALBENCH_POOL_FENCES_H
#define STEALBENCH_POOL_FENCES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pool_fences {
    /* The fence itself: when it returns true every thread has passed one since it began. false: the kernel refuses. */
    bool (*all)(struct pool_fences *);
    pthread_mutex_t lock;   /* one fence at a time */
    _Atomic uint64_t begun; /* fences that have begun; written under the lock */
    uint64_t ended;         /* under the lock */
    _Atomic bool refused;   /* one was: nobody may rely on any more; written under the lock */
};

void pool_fences_open(struct pool_fences *, bool (*all)(struct pool_fences *));
void pool_fences_close(struct pool_fences *);

/* Any thread, after what it has to say: how many fences had begun, of which none need have heard it. */
uint64_t pool_fences_said(struct pool_fences *);
/* Any thread: waits for a fence that began after `said` was taken, or makes one; true: it has made one. */
bool pool_fences_past(struct pool_fences *, uint64_t said);

/* Any thread, after pool_fences_past. */
static inline bool pool_fences_refused(const struct pool_fences *fences) {
    /* relaxed: whoever was refused has written it, or got the lock after that; others may learn of it later */
    return atomic_load_explicit(&fences->refused, memory_order_relaxed);
}

#endif
