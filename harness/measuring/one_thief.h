/* one_thief.h: a deque that serves one thief at a time (DEQUE_ONE_THIEF) has its thieves lock it, by a flag beside it.
 * One that finds it locked has lost that attempt; nobody waits.
 */
#ifndef STEALBENCH_ONE_THIEF_H
#define STEALBENCH_ONE_THIEF_H

#include "queues/deque.h"

struct victim_lock {
    _Atomic int taken;
};

/* Thief. True: another one is there; false: the lock is ours. The load keeps those who come in vain from writing to the
 * line; acquire: pairs with the release in victim_unlock. A macro, for gcc 12 lays out the loops that time thieves
 * differently around a function. */
#define VICTIM_REFUSES(lock)                                                                                           \
    (atomic_load_explicit(&(lock)->taken, memory_order_relaxed) ||                                                     \
     atomic_exchange_explicit(&(lock)->taken, 1, memory_order_acquire))

DEQUE_OPERATION void victim_unlock(struct victim_lock *lock) {
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

#endif
