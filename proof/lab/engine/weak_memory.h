/* weak_memory.h: decides what a load may read on a machine weaker than TSO, where memory orders count.
 *
 * All stores to an atomic object are kept, in the order in which they were made. A load may read an older store unless
 * its thread knows of a newer one: the thread made it, read it, or acquired from a thread that knew of it.
 *
 * Knowledge spreads as in RC11 (O. Lahav et al.: Repairing sequential consistency in C/C++11, PLDI 2017): by acquire
 * loads of release stores, by release sequences that only read-modify-writes continue, and by fences. What happened
 * before a sequentially consistent fence is known after every later one.
 *
 * Sequentially consistent stores, read-modify-writes and fences are in one order, that of time. A sequentially
 * consistent load has a place in this order too. The place is not before those that its thread had, nor before those
 * that another thread had when it released what this one acquired. The load reads no store older than the newest before
 * its place, nor older than what a fence before its place knew. Acquiring from such a store does not by itself order
 * what follows after it, as any real machine would. A read-modify-write reads the newest store.
 *
 * RC11 allows everything that is shown. Not shown: a store that takes its place before older ones of other threads, and
 * a failing compare-and-exchange that reads an old value. Store buffers are not used.
 */
#pragma once

#include "proof/lab/engine/races.h"
#include <stdint.h>

/* Begins a run: no stores yet, and all threads know what is in memory. */
void weak_begin(void);

/* weak_choices: how many stores older than the newest this load may choose from. Then call weak_load, with at most that
 * number. */
unsigned weak_choices(unsigned thread, uintptr_t address, unsigned size, int order);
uint64_t weak_load(unsigned thread, uintptr_t address, int order, unsigned older);
/* Reads the newest store: for a load, or a compare-and-exchange that fails. */
void weak_load_newest(unsigned thread, uintptr_t address, unsigned size, int order);

/* Notes a store after weak_choices, or, exchanged, that of a read-modify-write after weak_found, which reads the newest
 * store. Its value is in memory by now, and in the tables of races.h. */
void weak_found(unsigned thread, uintptr_t address, unsigned size, int order);
void weak_stored(unsigned thread, uintptr_t address, int order, bool exchanged);

void weak_fence(unsigned thread, int order);

/* A thread that begins its turn knows what the threads before it knew at the end of theirs. */
void weak_begin_turn(unsigned thread);
void weak_end_turn(unsigned thread);
