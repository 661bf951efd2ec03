/* entry.h: the accesses that the libc shim makes on behalf of the deque, as if the compiler had instrumented them. */
#ifndef STEALBENCH_LAB_ENTRY_H
#define STEALBENCH_LAB_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The object's own memcpy, memmove, memset and memcmp. */
void entry_range(const void *at, size_t bytes, bool write, uintptr_t where);

/* A lock is a read-modify-write on a 32-bit word, and so is its release: first what the word holds, then what it
 * becomes. Failing to get a lock leaves the word as it is. */
uint32_t entry_lock_word(const void *at, uintptr_t where);
void entry_set_lock_word(void *at, uint32_t value, uintptr_t where);

/* After waiting for it: the schedule has just chosen this thread, so it looks right away. */
uint32_t entry_lock_word_again(const void *at);

/* The heavy one of two asymmetric fences (queues/deque.h): by any thread of the lab, in all of them; for a deque that
 * is not asymmetric a fence of its thread alone. */
void entry_heavy_fence(bool asymmetric);

/* Are deques asymmetric? Else (the command line says so) it is as where a kernel has no membarrier. */
bool entry_fences_asymmetric(void);
extern bool entry_fences_paired;

/* When not NULL, called for each access to memory other than the thread's own stack. */
extern void (*entry_touched)(uintptr_t address, size_t bytes, bool write);

#endif
