/* slot_reads.h: is a slot written again too early?
 *
 * Slots are mostly atomic: a thief that is about to lose may read one while the owner writes it. But the read by which
 * an item came out must happen before the next store to the slot. Otherwise C11 lets the thief read a value that was
 * stored only because the thief had finished, and hardware that delays loads may do so. The lab never shows such a
 * value, so it checks the order.
 *
 * Two cases are safe. A thread that read a slot and then stores there itself, as a thief does in its own mailbox: by
 * coherence its read is over before every later store. And a store of the item that was read: a deque may copy items
 * into a ring where they were before, while a slow thief still reads.
 */
#ifndef STEALBENCH_LAB_SLOT_READS_H
#define STEALBENCH_LAB_SLOT_READS_H

#include "proof/lab/engine/races.h"
#include <stdbool.h>
#include <stdint.h>

/* An operation of this thread begins. Reads of earlier operations no longer matter. */
void slot_reads_begin(unsigned thread);

/* An atomic load of a pointer into the heap, and an atomic store by any thread. */
void slot_reads_loaded(unsigned thread, uintptr_t address, uint64_t value, uintptr_t where);
void slot_reads_stored(unsigned thread, uintptr_t address, uint64_t value, uintptr_t where);

/* This thread has exchanged what is there: that read the slot anew, and by coherence is over before later stores. */
void slot_reads_exchanged(unsigned thread, uintptr_t address);

/* The operation returned this item. true: another thread has already stored to the slot that the item was read from,
 * and nothing orders the two. A later store is a race with a plain read. */
bool slot_reads_came_out(unsigned thread, uint64_t value, struct race *race);

#endif
