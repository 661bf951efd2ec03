/* why.h: for whose line did threads wait? */
#ifndef STEALBENCH_SIMULATE_WHY_H
#define STEALBENCH_SIMULATE_WHY_H

#include <stdint.h>

/* The running thread's access by that instruction waits so long for its line. */
void why_waited(uintptr_t address, uintptr_t where, int64_t picoseconds);

#endif
