/* machine.h: virtual time. The test's executable has clocks of its own (clock_gettime, the processor's counter, the
 * kernel's count of lost processors), which only machine_spend, a read of the clock and a wait move on.
 *
 * Each thread has a clock. One that is far ahead of the slowest waits for it, so that what threads do at one virtual
 * time they do at about one real time. A thread that sleeps, or waits for another to end, is left out and goes on at
 * the slowest one's time.
 */
#pragma once

#include <stdint.h>

#define MACHINE_READ 1 /* ns that a read of the clock takes */

/* Any thread: an operation took so long, in nanoseconds. */
void machine_spend(uint64_t nanoseconds);

/* The same, and it was off its processor meanwhile. */
void machine_away(uint64_t nanoseconds);

/* The kernel counts a page fault of this thread. */
void machine_fault(void);

/* Any thread, in a loop that waits for another one's few instructions: takes no virtual time. */
void machine_pause(void);
