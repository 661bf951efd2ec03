#include "workloads/serve/work.h"
#include "harness/measuring/clock/clock.h"
#include "harness/measuring/random.h"
#include "workloads/applications/task_cost.h"
#include <math.h>
#include <stdlib.h>

struct line {
    _Alignas(64) uint32_t next;
};
static struct line *lines;                     /* NULL: arithmetic */
static _Thread_local uint32_t at = WORK_LINES; /* where this thread is in the cycle; WORK_LINES: nowhere yet */
static _Thread_local volatile uint32_t seen;   /* keeps the compiler from leaving out loads */

/* One cycle through all lines (S. Sattolo, 1986). */
bool work_open(bool misses) {
    uint64_t random = random_start(1, 0);
    if (!misses)
        return true;
    if (!(lines = aligned_alloc(sizeof *lines, WORK_LINES * sizeof *lines)))
        return false;
    for (uint32_t i = 0; i < WORK_LINES; i++)
        lines[i].next = i;
    for (uint32_t i = WORK_LINES - 1; i > 0; i--) {
        const uint32_t other = (uint32_t)random_below(&random, i), kept = lines[i].next;
        lines[i].next = lines[other].next;
        lines[other].next = kept;
    }
    return true;
}

void work_close(void) {
    free(lines);
    lines = NULL;
}

void work_do(uint64_t steps) {
    if (!lines) {
        task_cost_work(steps);
        return;
    }
    if (at == WORK_LINES) /* threads begin far apart */
        at = (uint32_t)(mix64((uint64_t)(uintptr_t)&at) % WORK_LINES);
    for (uint64_t i = 0; i < steps; i++)
        at = lines[at].next;
    seen = at;
}

double work_calibrate(void) {
    enum { ROUNDS = 50, STEPS = 2000 };
    double fastest = INFINITY;
    if (!lines)
        return task_cost_calibrate();
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t start = clock_nanoseconds();
        work_do(STEPS);
        const double each = (double)(clock_nanoseconds() - start) / (double)STEPS;
        fastest = each < fastest ? each : fastest;
    }
    return fastest;
}
