/* arrivals.h: when requests are due. Arithmetic only. */
#ifndef STEALBENCH_ARRIVALS_H
#define STEALBENCH_ARRIVALS_H

#include "harness/measuring/cell/words.h"
#include <stdint.h>

#define ARRIVALS(ONE)                                                                                                  \
    ONE(ARRIVE_POISSON, "poisson")                                                                                     \
    ONE(ARRIVE_BURSTY, "bursty")
enum arrivals_kind { ARRIVALS(LIST_NAME) };

struct arrivals {
    enum arrivals_kind kind;
    double rate;   /* a second, on average; infinite: all at once */
    double burst;  /* bursty: how many times the average rate while they come, for 1 / burst of each period */
    double period; /* bursty: ns */
    uint64_t random;
    double time; /* of the last one, ns of the time in which they come */
};

/* ns from the start to the next one. */
double arrivals_next(struct arrivals *);

#endif
