/* coherence.h: counts cache lines that threads take from each other: MESI, with one cache of unlimited size per thread.
 *
 * Two models run side by side: lines of 64 bytes, and the aligned pairs of them that x86 fetches together. Every
 * access, even a store, takes its line at once. What the next access finds depends only on which threads touched the
 * line since, and how; not on time or on how often. proof/lab/README.md says what is not modelled.
 */
#pragma once

#include "proof/lab/engine/races.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coherence_width { COHERENCE_LINE, COHERENCE_PAIR, COHERENCE_WIDTHS };

struct coherence_counts {
    uint64_t transfers;     /* the line was in another thread's cache, and not in this one's */
    uint64_t invalidations; /* copies in other caches that this thread's writes invalidated */
    uint64_t upgrades;      /* writes that found the line here, but shared */
};

/* What each thread caused since coherence_empty. */
extern struct coherence_counts coherence_counts[LAB_CLOCKS][COHERENCE_WIDTHS];

/* Empties all caches and sets the counts to 0. */
void coherence_empty(void);

/* The same; also forgets what coherence_wrote noted. */
void coherence_forget(void);

/* A thread's access. Ends the process (exit code 4) if more lines are touched than the table holds. */
void coherence_touch(unsigned thread, uintptr_t address, size_t bytes, bool write);

/* Notes which words (of 8 bytes) a thread writes, for coherence_beside. coherence_empty keeps the notes. */
void coherence_wrote(unsigned thread, uintptr_t address, size_t bytes);

/* Was another thread noted to write another word on the line of this one? */
bool coherence_beside(unsigned thread, uintptr_t word, enum coherence_width);
