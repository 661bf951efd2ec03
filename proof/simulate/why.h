/* why.h: for whose line did threads wait? With STEALBENCH_WHY in the environment the sums are printed at the end. */
#ifndef STEALBENCH_SIMULATE_WHY_H
#define STEALBENCH_SIMULATE_WHY_H

#include <stdint.h>

/* The running thread's access by the instruction before that return address waits so long for its line. */
void why_waited(uintptr_t where, int64_t picoseconds);
void why_waited_as(unsigned thread, uintptr_t where, int64_t picoseconds); /* another thread's */

#endif
