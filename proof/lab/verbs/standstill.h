/* standstill.h: what it costs when thieves stop again and again, each time at the same access of a steal. */
#ifndef STEALBENCH_LAB_STANDSTILL_H
#define STEALBENCH_LAB_STANDSTILL_H

#include <stdbool.h>

/* Part of stop, for deques whose owner does not wait for thieves. While a thief has stopped, the owner goes round the
 * ring, then the thief goes on; several times, for every access of a steal. Memory for one thief must be enough each
 * time, and when any one allocation in between fails, push may say FULL, and no more harm may be done. Prints what went
 * wrong; true: something did. */
bool standstill(void);

#endif
