/* crossbeam_fifo.h: crossbeam-deque's FIFO flavor, as Tokio's old scheduler and Rayon's breadth_first had it. The
 * algorithm is in crossbeam.h.
 */
#ifndef STEALBENCH_CROSSBEAM_FIFO_PORT_H
#define STEALBENCH_CROSSBEAM_FIFO_PORT_H

#define CROSSBEAM_FIFO
#include "crossbeam.h"

#endif
