/* stress.c: owners and thieves at full speed. */
#define STRESS_NAME "stress"
#include "proof/checks/stress_rounds.h"

static const struct check stress = {
    .name = STRESS_NAME,
    .summary = "owners and thieves at full speed, every item exactly once, in many short rounds",
    .in_stamp = false,
    .run = stress_run,
};
REGISTER_CHECK(stress);
