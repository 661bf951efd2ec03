/* locked_fixed.h: locked with a ring that does not grow, which is the locked queue of the BWoS thesis (figure 2.5):
 * push to a full one is refused. The code is locked.h's. Fixed or growing is a deque's trait, so this is a deque of its
 * own.
 */
#define LOCKED_FIXED
#include "locked.h"
