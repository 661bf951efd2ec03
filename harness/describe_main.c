/* describe_main.c: prints what a deque's executable would say of itself (--describe), compiled in a moment: the deque's
 * traits, and whichever workloads it is linked with. */
#include "harness/measuring/cell/describe.h"
#include DEQUE_HEADER

int main(void) {
    struct deque_traits traits = DEQUE_TRAITS;
    const struct registered registered = registered_here();
    traits.id = DEQUE_ID;
    describe(&traits, sizeof(deque_item), NULL, &registered);
    return 0;
}
