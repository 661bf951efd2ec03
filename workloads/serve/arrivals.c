#include "workloads/serve/arrivals.h"
#include "harness/measuring/random.h"
#include <math.h>

double arrivals_next(struct arrivals *arrivals) {
    const double burst = arrivals->kind == ARRIVE_BURSTY ? arrivals->burst : 1;
    const double drawn = ((double)(random_next(&arrivals->random) >> 11) + 1) * 0x1p-53;
    arrivals->time += -log(drawn) * 1e9 / (arrivals->rate * burst);
    if (arrivals->kind == ARRIVE_POISSON)
        return arrivals->time;
    const double on = arrivals->period / burst, periods = floor(arrivals->time / on);
    return periods * arrivals->period + (arrivals->time - periods * on);
}
