#include "harness/measuring/interrupts.h"
#include "harness/measuring/clock.h"
#include "queues/deque.h"
#include "queues/parts/fences.h"
#include <stdio.h>

/* The sum of the numbers of a line, up to its first word. */
static uint64_t sum_of(const char *line) {
    uint64_t sum = 0;
    for (char *end; line; line = end) {
        uint64_t count = strtoull(line, &end, 10);
        if (end == line)
            break;
        sum += count;
    }
    return sum;
}

void interrupts_read(struct interrupts *reading, const char *file) {
    FILE *lines = fopen(file, "r");
    char *line = NULL;
    size_t room = 0;
    *reading = (struct interrupts){.time = clock_nanoseconds()};
    /* relaxed: a count, of fences that are over */
    reading->fences = atomic_load_explicit(&deque_fences.run, memory_order_relaxed);
    while (lines && !reading->readable && getline(&line, &room, lines) > 0) {
        const char *name = line + strspn(line, " ");
        reading->readable = strncmp(name, "CAL:", 4) == 0;
        if (reading->readable)
            reading->calls = sum_of(name + 4);
    }
    free(line);
    if (lines)
        fclose(lines);
}

void interrupts_report(const struct cell *cell, const char *role, unsigned repetition, const struct interrupts *before,
                       const struct interrupts *after) {
    double seconds = (double)(after->time - before->time) * 1e-9;
    cell_sample(cell, role, repetition, "heavy_fences", (double)(after->fences - before->fences) / seconds, "fences/s",
                0);
    if (before->readable && after->readable)
        cell_sample(cell, role, repetition, "call_interrupts", (double)(after->calls - before->calls) / seconds,
                    "interrupts/s", 0);
    else
        cell_no_sample(cell, role, repetition, "call_interrupts", "interrupts/s", "unsupported");
}
