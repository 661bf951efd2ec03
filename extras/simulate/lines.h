/* lines.h: who holds which cache line, and when it moves. */
#pragma once

#include "extras/simulate/machine.h"
#include "extras/simulate/memory.h"
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define LINE_WORDS (MACHINE_THREADS_MAX / 64)

/* What an access that hits looks at comes first: a line of the processor's that simulates. */
struct line {
    alignas(64) int64_t arrives; /* where the last move of it ended */
    int64_t left;                /* until then those who had it before still have it */
    uint64_t holders[LINE_WORDS];
    int64_t shared_since; /* from then on its data can be read from any holder */
    uint16_t owner;       /* while it is exclusive */
    bool exclusive, written, left_exclusive;
    uint64_t before[LINE_WORDS];
};

#define LINE_BITS 6

/* Once, after memory_open. */
void lines_start(void);

/* The numbers of the lines of the workloads' memory (memory.h), plus one; 0: never touched. */
extern uint32_t *line_numbers;
extern struct line *lines;
struct line *line_find_slowly(uintptr_t address, unsigned thread);

/* The line of an address. One that was never touched becomes the thread's. */
static inline struct line *line_find(uintptr_t address, unsigned thread) {
    const uintptr_t at = address - MEMORY_BASE;
    if (at < MEMORY_BYTES) {
        const uint32_t number = line_numbers[at >> LINE_BITS];
        if (number > 0)
            return &lines[number - 1];
    }
    return line_find_slowly(address, thread);
}

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
