/* preempt.c: the rounds of stress.c, but threads give way inside operations.
 *
 * At full speed another thread hits the window between two accesses only by chance, and hardly ever if threads share a
 * processor. Here every access by <stdatomic.h> in the deque may first hand the processor to another thread; the
 * deque's header stays unchanged. So half-done operations meet even on one processor. This can hide reordering by the
 * compiler or the processor, which stress.c and the model checker look for.
 */
#include "proof/checks/give_way.h"

#define STRESS_NAME "preempt"
#define STRESS_SUMMARY "the rounds of stress, with threads that give way inside of operations"
#include "proof/checks/stress_rounds.h"
