/* races.h: tracks happens-before by vector clocks, and finds data races.
 *
 * The rules are C11's with C++20's release sequences: a store replaces what a location carries, a read-modify-write
 * adds to it. Clocks grow from run to run, so nothing is cleared between runs: an earlier run happened before this one.
 */
#pragma once

#include "proof/lab/engine/memory.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LAB_THREADS 4        /* owner and thieves */
#define LAB_MAIN LAB_THREADS /* the thread that sets up before the others and checks after them */
#define LAB_CLOCKS (LAB_THREADS + 1)

struct clocks {
    uint32_t at[LAB_CLOCKS];
};

/* What a memory order implies. */
static inline bool order_acquires(int order) { return order != memory_order_relaxed && order != memory_order_release; }
static inline bool order_releases(int order) {
    return order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst;
}

struct racing {
    unsigned thread;
    bool write, atomic;
    uintptr_t where; /* return address of the access */
};
struct race {
    uintptr_t address;
    struct racing first, second; /* in the order of the run */
};

/* Call once, after memory_open. globals: the deque's own global variables. */
void races_open(uintptr_t globals, size_t globals_bytes);

/* Begins a run. All earlier runs, and what main did since then, happened before every thread of this run. */
void races_begin(void);
/* Everything that any thread did so far happened before what main does next. */
void races_join(void);

/* Notes an access. Returns true if it races with an access of another thread; *race then says which. same: the store
 * writes the value that was there, which races with no read. */
bool races_access(unsigned thread, uintptr_t address, unsigned size, bool atomic, bool write, bool same,
                  uintptr_t where, struct race *race);

/* Has another thread accessed these bytes in this run? */
bool races_shared(unsigned thread, uintptr_t address, unsigned size);

/* A load that read from memory, not from the thread's own store buffer. order: a memory_order. */
void races_loaded(unsigned thread, uintptr_t address, int order);
/* races_read: a load of a store that carried this. races_carried: what the last store to address carries. */
void races_read(unsigned thread, const struct clocks *carried, int order);
void races_carried(uintptr_t address, struct clocks *carried);
/* races_release: what a store issued now carries. races_arrived: the store reaches memory. */
void races_release(unsigned thread, int order, struct clocks *carried);
void races_arrived(uintptr_t address, const struct clocks *carried, bool read_modify_write);
void races_fence(unsigned thread, int order);

/* Is a slot written again too early?
 *
 * Slots are mostly atomic: a thief that is about to lose may read one while the owner writes it. But the read by which
 * an item came out must happen before the next store to the slot. Otherwise C11 lets the thief read a value that was
 * stored only because the thief had finished, and hardware that delays loads may do so. The lab never shows such a
 * value, so it checks the order.
 *
 * Two cases are safe. A thread that read a slot and then stores there itself, as a thief does in its own mailbox: by
 * coherence its read is over before every later store. And a store of the item that was read: a deque may copy items
 * into a ring where they were before, while a slow thief still reads. */

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
