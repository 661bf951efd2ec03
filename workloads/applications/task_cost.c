#include "workloads/applications/task_cost.h"
#include "harness/measuring/clock.h"
#include "harness/measuring/random.h"
#include <math.h>

/* Evenly from (0, 1], by task and seed. */
static double drawn(const struct task_cost *cost, uint64_t task) {
    uint64_t bits = random_of(cost->seed, task);
    return ((double)(bits >> 11) + 1) * 0x1p-53;
}

/* Pareto of index 3/2. Its mean would be three times its least value; cutting the tail lowers the mean, which `least`
 * makes up for. */
static double heavy(double u) {
    const double least = 1.0 / 3 / (1 - sqrt(1.0 / 3 / COST_MAX) * 2.0 / 3);
    double value = least * pow(u, -2.0 / 3);
    return value < COST_MAX ? value : COST_MAX;
}

uint64_t task_cost_of(const struct task_cost *cost, uint64_t task) {
    double share = 1;
    if (cost->mean <= 0)
        return 0;
    switch (cost->distribution) {
    case COST_UNIFORM:
        break;
    case COST_EXPONENTIAL:
        share = -log(drawn(cost, task));
        break;
    case COST_BIMODAL:
        share = drawn(cost, task) <= 0.01 ? 50 : 0.5 / 0.99;
        break;
    case COST_HEAVY:
        share = heavy(drawn(cost, task));
        break;
    }
    return (uint64_t)llround(share * cost->mean);
}

__attribute__((noinline)) void task_cost_work(uint64_t iterations) {
    uint64_t value = iterations;
    for (uint64_t i = 0; i < iterations; i++) {
        value = value * 0x5851f42d4c957f2du + i;
        __asm__ volatile("" : "+r"(value));
    }
}

double task_cost_calibrate(void) {
    enum { ROUNDS = 200, ITERATIONS = 20000 };
    double fastest = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = clock_nanoseconds();
        task_cost_work(ITERATIONS);
        double each = (double)(clock_nanoseconds() - start) / (double)ITERATIONS;
        if (each < fastest)
            fastest = each;
    }
    return fastest;
}
