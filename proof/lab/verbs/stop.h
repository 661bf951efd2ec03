/* stop.h: one thread stops for ever after its n-th access; what can the others still do? */
#ifndef STEALBENCH_LAB_STOP_H
#define STEALBENCH_LAB_STOP_H

/* For every n of every operation. 0, or 1 when a verdict contradicts the progress that the deque's traits claim. It can
 * refute such a claim and not prove one: one schedule, one stopped thread, one start state. */
int stop(void);

#endif
