/* coherence.h: cache lines as the threads pass them to and fro: MESI, one cache a thread, of unlimited size.
 *
 * Two models run side by side: of lines of 64 bytes, and of the aligned pairs of them that x86 fetches together. A line
 * is taken when an access is made, a store's too. What an access then finds depends only on which threads touched the
 * line since, and how: neither on a clock nor on how often it was touched. What is not modelled: proof/lab/README.md.
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

/* Nor does anybody know any more who wrote what (coherence_wrote). */
void coherence_forget(void);

/* A thread's access. Ends the process (exit 4) when there are more lines than there is room for. */
void coherence_touch(unsigned thread, uintptr_t address, size_t bytes, bool write);

/* Notes which words (8 bytes) a thread writes, for coherence_beside; coherence_empty keeps it. */
void coherence_wrote(unsigned thread, uintptr_t address, size_t bytes);

/* Is there, on the line of this word, another word that another thread was noted to write? */
bool coherence_beside(unsigned thread, uintptr_t word, enum coherence_width);

#endif
