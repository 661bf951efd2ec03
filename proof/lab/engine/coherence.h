/* coherence.h: cache lines that threads take from each other: MESI, one cache a thread, of unlimited size.
 *
 * Two models run side by side: lines of 64 bytes, and the aligned pairs of them that x86 fetches together. An access,
 * also a store, takes its line at once. What the next access finds depends only on which threads touched the line
 * since, and how: not on time, nor on how often. What is not modelled: proof/lab/README.md.
 */
#ifndef STEALBENCH_LAB_COHERENCE_H
#define STEALBENCH_LAB_COHERENCE_H

#include "proof/lab/engine/races.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coherence_width { COHERENCE_LINE, COHERENCE_PAIR, COHERENCE_WIDTHS };

struct coherence_counts {
    uint64_t transfers;     /* the line was in another thread's cache, and not in this one's */
    uint64_t invalidations; /* copies in other caches that a write of this thread made worthless */
    uint64_t upgrades;      /* a write found the line here, but shared */
};

/* What each thread caused since coherence_empty. */
extern struct coherence_counts coherence_counts[LAB_CLOCKS][COHERENCE_WIDTHS];

/* All caches are empty, and nothing was counted. */
void coherence_empty(void);

/* The same, and what coherence_wrote noted is forgotten. */
void coherence_forget(void);

/* A thread's access. Ends the process (exit 4) when there are more lines than there is room for. */
void coherence_touch(unsigned thread, uintptr_t address, size_t bytes, bool write);

/* Notes which words (8 bytes) a thread writes, for coherence_beside; coherence_empty keeps it. */
void coherence_wrote(unsigned thread, uintptr_t address, size_t bytes);

/* Was another thread noted to write another word on the line of this one? */
bool coherence_beside(unsigned thread, uintptr_t word, enum coherence_width);

#endif
