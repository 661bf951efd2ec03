/* standstill.h: what it costs when thieves stand still again and again, each time at the same access of a steal. */
#ifndef STEALBENCH_LAB_STANDSTILL_H
#define STEALBENCH_LAB_STANDSTILL_H

#include <stdbool.h>

/* Part of stop, for deques whose owner does not wait for thieves. While a thief stands still the owner goes round, then
 * the thief goes on; several times, for every access of a steal. Memory for one thief must do for each of these times,
 * and a lack of memory in between, any one allocation alone, may make push say FULL and do no more harm. Prints what
 * was wrong; true: something was. */
bool standstill(void);

#endif
