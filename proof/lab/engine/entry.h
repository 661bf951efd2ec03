/* entry.h: accesses that the libc shim makes for the deque, as if the compiler had instrumented them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The object's own memcpy, memmove, memset and memcmp. */
void entry_range(const void *at, size_t bytes, bool write, uintptr_t where);

/* A lock is a read-modify-write on a 32-bit word, and so is its release. entry_lock_word returns what the word holds;
 * entry_set_lock_word then writes the new value. A failed lock leaves the word unchanged. */
uint32_t entry_lock_word(const void *at, uintptr_t where);
void entry_set_lock_word(void *at, uint32_t value, uintptr_t where);

/* After a wait. The schedule has just chosen this thread, so it reads the word without another choice. */
uint32_t entry_lock_word_again(const void *at);

/* The heavy one of two asymmetric fences (queues/parts/fences.h): a fence in every thread, or only in the calling
 * thread if the deque is not asymmetric. */
void entry_heavy_fence(bool asymmetric);

/* Are deques asymmetric? --fences=pair says no, as on a kernel without membarrier. */
bool entry_fences_asymmetric(void);
extern bool entry_fences_paired;

/* On weak memory plain accesses to the deque's arrays are relaxed atomics, to see what a race there does. The compiled
 * code makes such an access itself, so what it does counts only when the thread comes back: entry_settle, called at
 * each access and when a thread ends. */
void entry_settle(void);

/* If not NULL, called for each access to memory other than the thread's own stack. */
extern void (*entry_touched)(uintptr_t address, size_t bytes, bool write);
