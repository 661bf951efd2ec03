/* presence.h: was a thread on its processor all through a short window, and did that processor keep its frequency?
 *
 * Not what the measured loop sees, for that looks at no clock: what the kernel says before and after it.
 */
#ifndef STEALBENCH_PRESENCE_H
#define STEALBENCH_PRESENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Times that the calling thread lost its processor against its will. */
long displacements(void);

/* What a thread notes before a window. */
struct presence {
    long displacements;
    uint64_t ran; /* ns that it has been on a processor */
};

/* The calling thread, before a window. Two system calls, some hundred nanoseconds. */
struct presence presence_begin(void);

/* After it: was the thread there all through? No: it lost its processor, or of the window's `nanoseconds` more than a
 * hundredth and PRESENCE_GAP are none of its own time, which is also how a host that took the processor away shows
 * where the kernel is told of that. */
#define PRESENCE_GAP 1000
bool presence_held(const struct presence *, uint64_t nanoseconds);

/* ns that a multiplication takes which waits for the one before it: some cycles of the core, the same number always, so
 * that it changes when the frequency does. The least of a few tries of 10 us or so. */
double frequency_probe(void);

#endif
