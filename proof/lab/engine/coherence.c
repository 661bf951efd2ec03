#include "proof/lab/engine/coherence.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD 8
#define LINES_MAX ((size_t)1 << 14) /* a power of two */

static const unsigned log2_bytes[COHERENCE_WIDTHS] = {[COHERENCE_LINE] = 6, [COHERENCE_PAIR] = 7};

/* Modified and exclusive are one state here: nothing is counted between them. */
struct line {
    uintptr_t number; /* its address divided by the line size, plus one; 0: unused */
    uint8_t holders;  /* a bit for each thread whose cache has it */
    bool exclusive;   /* only one thread has it and may write to it */
    uint16_t written[LAB_CLOCKS];
};

static struct line lines[COHERENCE_WIDTHS][LINES_MAX];
static size_t used[COHERENCE_WIDTHS];
struct coherence_counts coherence_counts[LAB_CLOCKS][COHERENCE_WIDTHS];

static struct line *find_line(uintptr_t number, enum coherence_width width) {
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 40) % LINES_MAX;
    while (lines[width][at].number != 0 && lines[width][at].number != number + 1)
        at = (at + 1) % LINES_MAX;
    struct line *found = &lines[width][at];
    if (found->number == 0) {
        if (++used[width] == LINES_MAX) {
            fprintf(stderr, "stealbench lab: more than %zu cache lines are touched\n", LINES_MAX - 1);
            exit(4);
        }
        found->number = number + 1;
    }
    return found;
}

void coherence_empty(void) {
    memset(coherence_counts, 0, sizeof coherence_counts);
    for (int width = 0; width < COHERENCE_WIDTHS; width++)
        for (size_t i = 0; i < LINES_MAX; i++) {
            lines[width][i].holders = 0;
            lines[width][i].exclusive = false;
        }
}

void coherence_forget(void) {
    memset(lines, 0, sizeof lines);
    memset(used, 0, sizeof used);
}

static void touch_line(unsigned thread, struct line *line, struct coherence_counts *counts, bool write) {
    uint8_t self = (uint8_t)(1u << thread), others = line->holders & (uint8_t)~self;
    if (!(line->holders & self))
        counts->transfers += others != 0;
    else if (write && !line->exclusive)
        counts->upgrades++;
    if (write) {
        counts->invalidations += (unsigned)__builtin_popcount(others);
        line->holders = self;
        line->exclusive = true;
    } else if (!(line->holders & self)) {
        line->exclusive = others == 0;
        line->holders |= self;
    }
}

void coherence_touch(unsigned thread, uintptr_t address, size_t bytes, bool write) {
    for (enum coherence_width width = COHERENCE_LINE; width < COHERENCE_WIDTHS; width++)
        for (uintptr_t n = address >> log2_bytes[width]; n <= (address + bytes - 1) >> log2_bytes[width]; n++)
            touch_line(thread, find_line(n, width), &coherence_counts[thread][width], write);
}

static uint16_t bit_of(uintptr_t word, enum coherence_width width) {
    return (uint16_t)(1u << ((word & (((uintptr_t)1 << log2_bytes[width]) - 1)) / WORD));
}

void coherence_wrote(unsigned thread, uintptr_t address, size_t bytes) {
    for (uintptr_t word = address & ~(uintptr_t)(WORD - 1); word < address + bytes; word += WORD)
        for (enum coherence_width width = COHERENCE_LINE; width < COHERENCE_WIDTHS; width++)
            find_line(word >> log2_bytes[width], width)->written[thread] |= bit_of(word, width);
}

bool coherence_beside(unsigned thread, uintptr_t word, enum coherence_width width) {
    const struct line *line = find_line(word >> log2_bytes[width], width);
    for (unsigned other = 0; other < LAB_CLOCKS; other++)
        if (other != thread && (line->written[other] & ~bit_of(word, width)) != 0)
            return true;
    return false;
}
