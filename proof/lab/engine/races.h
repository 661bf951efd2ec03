/* races.h: tracks happens-before by vector clocks, and finds data races.
 *
 * The rules are C11's with C++20's release sequences: a store replaces what a location carries, a read-modify-write
 * adds to it. Clocks grow from run to run, so nothing is cleared between runs: an earlier run happened before this one.
 */
#ifndef STEALBENCH_LAB_RACES_H
#define STEALBENCH_LAB_RACES_H

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

struct race {
    uintptr_t address;
    struct {
        unsigned thread;
        bool write, atomic;
        uintptr_t where; /* return address of the access */
    } first, second;     /* in the order of the run */
};

/* Call once, after memory_open. globals: the deque's own global variables. */
void races_open(uintptr_t globals, size_t globals_bytes);

/* Begins a run. All earlier runs, and what main did since then, happened before every thread of this run. */
void races_begin(void);
/* Everything that any thread did so far happened before what main does next. */
void races_join(void);

/* Notes an access. Returns true if it races with an access of another thread; *race then says which. */
bool races_plain(unsigned thread, uintptr_t address, unsigned size, bool write, uintptr_t where, struct race *race);
/* same: the store writes the value that was there, which races with no read (slot_reads.h) */
bool races_atomic(unsigned thread, uintptr_t address, unsigned size, bool write, bool same, uintptr_t where,
                  struct race *race);

/* races_clock: a thread's clock. races_knows: does the thread know the other up to this time? races_note_read: notes a
 * plain read made at that time. */
uint32_t races_clock(unsigned thread);
bool races_knows(unsigned thread, unsigned other, uint32_t clock);
void races_note_read(unsigned thread, uintptr_t address, unsigned size, uint32_t clock, uintptr_t where);
void races_forget_read(unsigned thread, uintptr_t address); /* forgets this thread's own read, if there is one */

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

#endif
