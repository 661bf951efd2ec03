/* weak_memory.h: what a load may read where memory orders count: a machine weaker than TSO.
 *
 * All stores to an atomic object are kept, in the order in which they were made. A load may read an older one, unless
 * its thread knows of a newer one: because it made or read that one itself, or because it has acquired from a thread
 * that did. Knowledge spreads as in RC11 (O. Lahav et al.: Repairing sequential consistency in C/C++11, PLDI 2017): by
 * acquire loads of release stores, release sequences that only read-modify-writes continue, fences; everything that
 * happened before a sequentially consistent fence is known after every later one. Sequentially consistent stores,
 * read-modify-writes and fences are in one order, that of time; a sequentially consistent load has a place in it too,
 * not before what its thread had there, nor what another had there and did something after of which this thread has
 * acquired; it reads no store older than the newest before its place, nor than what a fence before its place knew. But
 * acquiring from such a store does not by itself put what follows after it, as it would on any real machine. A
 * read-modify-write reads the newest store of all.
 *
 * Everything it shows RC11 allows. Not shown: a store that takes its place before older ones of other threads, and a
 * failing compare-and-exchange that reads an old value. Store buffers are not used meanwhile.
 */
#ifndef STEALBENCH_LAB_WEAK_MEMORY_H
#define STEALBENCH_LAB_WEAK_MEMORY_H

#include "proof/lab/engine/races.h"
#include <stdint.h>

/* A new run: nothing was stored, and all threads know what is in memory. */
void weak_begin(void);

/* How many stores older than the newest this load may read. Then weak_load, with at most that number. */
unsigned weak_choices(unsigned thread, uintptr_t address, unsigned size, int order);
uint64_t weak_load(unsigned thread, uintptr_t address, int order, unsigned older);
/* Reads the newest: a load, or a compare-and-exchange that fails. */
void weak_load_newest(unsigned thread, uintptr_t address, unsigned size, int order);

/* The value is in memory already, and in the tables of races.h. */
void weak_stored(unsigned thread, uintptr_t address, unsigned size, int order);

/* A read-modify-write reads the newest: before its value goes to memory, and after. */
void weak_found(unsigned thread, uintptr_t address, unsigned size, int order);
void weak_exchanged(unsigned thread, uintptr_t address, unsigned size, int order);

void weak_fence(unsigned thread, int order);

/* A thread that takes its turn knows what all threads before it knew at the end of theirs. */
void weak_begin_turn(unsigned thread);
void weak_end_turn(unsigned thread);

#endif
