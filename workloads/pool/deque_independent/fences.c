/* fences.c: fences that all threads pass, shared by those that wait for one. deque_independent/sleep.c says why a fence
 * that began later is enough.
 */
#include "workloads/pool/fences.h"

void pool_fences_open(struct pool_fences *fences, bool (*all)(struct pool_fences *)) {
    fences->all = all;
    pthread_mutex_init(&fences->lock, NULL);
    atomic_init(&fences->begun, 0);
    fences->ended = 0;
    atomic_init(&fences->refused, false);
}

void pool_fences_close(struct pool_fences *fences) { pthread_mutex_destroy(&fences->lock); }

uint64_t pool_fences_said(struct pool_fences *fences) {
    /* the store before is in memory when this thread reads that the next fence has not begun: pairs with that fence */
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&fences->begun, memory_order_relaxed);
}

bool pool_fences_past(struct pool_fences *fences, uint64_t said) {
    pthread_mutex_lock(&fences->lock);
    bool own = fences->ended <= said;
    if (own) {
        uint64_t number = atomic_load_explicit(&fences->begun, memory_order_relaxed) + 1;
        /* before the fence: a thread that reads this number knows that this fence may have missed its store */
        atomic_store_explicit(&fences->begun, number, memory_order_relaxed);
        if (!fences->all(fences))
            atomic_store_explicit(&fences->refused, true, memory_order_relaxed);
        fences->ended = number;
    }
    pthread_mutex_unlock(&fences->lock);
    return own;
}
