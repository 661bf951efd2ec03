/* weir_patience_test.c: how long a thief of weir's waits. No check finds a longer wait: it takes a dozen answers in a
 * row, and then an owner that stops. */
#include "queues/weir.h"
#include "tests/unit.h"

TEST(a_thief_that_is_always_answered_waits_at_most_32_times_as_long_as_at_first) {
    struct deque deque;
    const struct deque_config config = {.capacity = 8};
    assert_int_equal(deque_init(&deque, &config), 0);
    const uint64_t before = atomic_load_explicit(&deque.open, memory_order_relaxed);
    atomic_store_explicit(&deque.open, weir_open(weir_top(before), 1), memory_order_relaxed); /* the answer */
    for (int i = 0; i < 12; i++) {
        uint64_t open = before;
        assert_int_equal(weir_answered(&deque, &open), DEQUE_OK);
    }
    assert_int_equal(atomic_load_explicit(&deque.patience, memory_order_relaxed), 32 * WEIR_PATIENCE);
    deque_destroy(&deque);
}
