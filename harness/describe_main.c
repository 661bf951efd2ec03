/* describe_main.c: prints a deque's description (--describe) without building the deque's executable: it compiles
 * quickly, with only the deque's traits and the workloads linked to it. */
#include "harness/measuring/describe.h"
#include DEQUE_HEADER

int main(void) {
    struct deque_traits traits = DEQUE_TRAITS;
    const struct registered registered = registered_here();
    traits.id = DEQUE_ID;
    describe(&traits, sizeof(deque_item), NULL, &registered);
    return 0;
}
