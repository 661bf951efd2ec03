/* work.h: the work of a request's part: arithmetic, or dependent cache misses. */
#ifndef STEALBENCH_SERVE_WORK_H
#define STEALBENCH_SERVE_WORK_H

#include <stdbool.h>
#include <stdint.h>

/* Main. misses: a cycle through WORK_LINES cache lines in random order, more than caches hold. false: no memory. */
#define WORK_LINES (1u << 20)
bool work_open(bool misses);
void work_close(void);

/* ns of one step. */
double work_calibrate(void);
/* Any thread. */
void work_do(uint64_t steps);

#endif
