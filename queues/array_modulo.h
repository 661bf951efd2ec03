/* array_modulo.h: array_fifo with a division where it has a mask. A reference, not a work-stealing deque.
 *
 * "The obvious way is modulo: index % capacity. But modulo is a division, and division is slow" (Phanes, part 4): this
 * deque shows how slow. The capacity is still a power of two, but the compiler does not know it.
 */
#define ARRAY_FIFO_SLOT(deque, index) (&(deque)->slots[(index) % ((deque)->mask + 1)])
#define ARRAY_FIFO_ID "array_modulo"
#define ARRAY_FIFO_TITLE "ring by modulo, no synchronisation"
#include "array_fifo.h"
