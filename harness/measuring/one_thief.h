/* one_thief.h: a lock for deques that serve one thief at a time (DEQUE_ONE_THIEF): a flag beside the deque. A thief
 * that finds the flag set has lost this attempt. No thief waits.
 */
#pragma once

#include "queues/deque.h"

struct victim_lock {
    _Atomic int taken;
};

/* Thief. True: another thief has the lock; false: the caller has it now. The load saves a refused thief the write to
 * the line. acquire: pairs with the release in victim_unlock. A macro, because gcc 12 lays out the timed loops
 * differently around a function. */
#define VICTIM_REFUSES(lock)                                                                                           \
    (atomic_load_explicit(&(lock)->taken, memory_order_relaxed) ||                                                     \
     atomic_exchange_explicit(&(lock)->taken, 1, memory_order_acquire))

DEQUE_OPERATION void victim_unlock(struct victim_lock *lock) {
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
}
