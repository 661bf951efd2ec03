/* task_cost_test.c: every distribution has the mean asked for and its own shape, and depends on seed and task alone. */
#include "tests/unit.h"
#include "workloads/applications/task_cost.h"
#include <math.h>

#define TASKS 1000000

struct shape {
    double mean, deviation, max, above_mean; /* relative to the mean; the last: share of tasks above it */
};

static struct shape shape_of(enum cost_distribution distribution) {
    const struct task_cost cost = {.distribution = distribution, .mean = 1e6, .seed = 3};
    struct shape shape = {0};
    double squares = 0;
    for (uint64_t task = 0; task < TASKS; task++) {
        double value = (double)task_cost_of(&cost, task) / cost.mean;
        shape.mean += value / TASKS;
        squares += value * value / TASKS;
        shape.above_mean += value > 1 ? 1.0 / TASKS : 0;
        if (value > shape.max)
            shape.max = value;
    }
    shape.deviation = sqrt(squares - shape.mean * shape.mean);
    return shape;
}

static void near(double value, double wanted, double tolerance) {
    if (fabs(value - wanted) > tolerance)
        fail_msg("%g is not within %g of %g", value, tolerance, wanted);
}

TEST(each_distribution_has_its_mean_and_shape) {
    const struct shape uniform = shape_of(COST_UNIFORM), exponential = shape_of(COST_EXPONENTIAL),
                       bimodal = shape_of(COST_BIMODAL), heavy = shape_of(COST_HEAVY);
    near(uniform.mean, 1, 1e-9);
    near(uniform.max, 1, 0);
    near(exponential.mean, 1, 0.005);
    near(exponential.deviation, 1, 0.01);
    near(exponential.above_mean, exp(-1), 0.005);
    near(bimodal.mean, 1, 0.02);
    near(bimodal.max, 50, 0);
    near(bimodal.above_mean, 0.01, 0.0005);
    near(heavy.mean, 1, 0.05); /* of so heavy a tail it is slow to show itself */
    assert_true(heavy.max > 500 && heavy.max <= COST_MAX);
    near(heavy.above_mean, pow(3, -1.5), 0.005); /* of a Pareto tail of index 3/2 whose least value is 1/3 */
}

TEST(the_seed_decides) {
    const struct task_cost one = {COST_EXPONENTIAL, 1e9, 1}, other = {COST_EXPONENTIAL, 1e9, 2};
    for (uint64_t task = 0; task < 1000; task++)
        assert_true(task_cost_of(&one, task) != task_cost_of(&other, task));
}
