/* shrink.h: from a schedule that shows a fault to one that a person can follow. */
#ifndef STEALBENCH_LAB_SHRINK_H
#define STEALBENCH_LAB_SHRINK_H

#include "proof/lab/clients/run.h"

/* steps: a schedule of the prepared client that ends in a fault of this kind. Replaces it by the one with the fewest
 * switches that can be found within this many seconds and ends in the same kind of fault. */
void shrink(struct steps *steps, enum fault_kind kind, double seconds);

#endif
