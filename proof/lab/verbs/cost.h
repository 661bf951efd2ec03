/* cost.h: adds up what operations do to memory, thread by thread and kind by kind, while the lab runs them. */
#ifndef STEALBENCH_LAB_COST_H
#define STEALBENCH_LAB_COST_H

#include "proof/lab/engine/coherence.h"
#include "proof/lab/engine/machine.h"

#define COST_KINDS 16

/* What the operations of one kind cost together. */
struct cost {
    uint64_t calls, lines;
    struct access_counts sum, least; /* sum over all calls; least: for each count, the cheapest call's */
    struct coherence_counts coherence[COHERENCE_WIDTHS];
    uint64_t beside[COHERENCE_WIDTHS]; /* words touched on lines where another thread writes another word */
};

/* By thread and kind. */
extern struct cost cost[LAB_CLOCKS][COST_KINDS];

/* Whose cache a set-up works in (LAB_MAIN has none). */
extern unsigned cost_set_up_by;

void cost_forget(void);

/* Calls run twice, with empty caches: first to learn which thread writes what, then to count. run sets up and runs the
 * threads; it returns false on failure. */
bool cost_measure(bool (*run)(void));

/* Called by a thread of the run around each operation. kind is below COST_KINDS. Does nothing in a set-up. */
void cost_begin(unsigned thread);
void cost_end(unsigned thread, unsigned kind);

/* Print CSV: means per call. */
void cost_print_head(void);
void cost_print(const struct cost *, const char *id, const char *operation, const char *situation, const char *outcome,
                const char *rule);

#endif
