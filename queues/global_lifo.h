/* global_lifo.h: one queue for all workers, the newest item first: global queue scheduling as the BWoS thesis describes
 * it (section 2.4.1), where workers only call pushBottom and popBottom. "The top of the queue is never used, and steal
 * never occurs": steal takes the oldest, as anywhere, but a pool's worker pops whatever there is before it would steal.
 * The code is global.h's.
 */
#define GLOBAL_LIFO
#include "global.h"
