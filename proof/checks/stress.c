/* stress.c: owners and thieves at full speed. */
#define STRESS_NAME "stress"
#define STRESS_SUMMARY "owners and thieves at full speed, every item exactly once, in many short rounds"
#include "proof/checks/stress_rounds.h"
