/* lines.h: who holds which cache line, and when it moves. */
#ifndef STEALBENCH_SIMULATE_LINES_H
#define STEALBENCH_SIMULATE_LINES_H

#include "proof/simulate/machine.h"
#include <stdbool.h>
#include <stdint.h>

#define LINE_WORDS (MACHINE_THREADS_MAX / 64)

struct line {
    int64_t arrives;      /* where the last move of it ended */
    int64_t shared_since; /* from then on its data can be read from any holder */
    int64_t left;         /* until then those who had it before still have it */
    uint16_t owner;       /* while it is exclusive */
    bool exclusive, written, left_exclusive;
    uint64_t holders[LINE_WORDS], before[LINE_WORDS];
};

/* The line of an address. One that was never touched becomes the thread's. The pointer holds until the next call. */
struct line *line_find(uintptr_t address, unsigned thread);

/* Does the thread hold it at that time, to write? */
static inline bool line_has(const uint64_t *set, unsigned thread) { return set[thread / 64] >> thread % 64 & 1; }
static inline bool line_held(const struct line *line, unsigned thread, int64_t time, bool write) {
    if (line->exclusive ? line->owner == thread : !write && line_has(line->holders, thread))
        return !line->exclusive || time >= line->arrives;
    return time < line->left && line_has(line->before, thread) && (!write || line->left_exclusive);
}

/* The thread, which does not hold it, asks at that time; nothing happens before `now`. Sets when the line leaves, and
 * returns when it arrives. */
int64_t line_move(struct line *, unsigned thread, int64_t time, int64_t now, bool write, int64_t *leaves);

#endif
