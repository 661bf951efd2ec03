/* describe_main.c: prints a deque's description (--describe) without building the deque's executable: it compiles
 * quickly, with only the deque's traits and the workloads linked to it. */
#include "harness/measuring/deque_under_test.h"

int main(void) {
    const struct registered registered = registered_here();
    describe(&deque_here, &registered);
    return 0;
}
