/* runtime_steady_test.c: when a runtime that compiles while it runs counts as warmed up. */
#include "extras/runtimes/runtime.h"
#include "tests/unit.h"

TEST(rounds_that_take_as_long_as_before_are_steady) {
    assert_true(runtime_is_steady((const double[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
    assert_true(runtime_is_steady((const double[]){1.00, 1.01, 0.99, 1.00, 1.02, 1.01, 1.00, 1.01, 1.01, 1.00}));
    /* a round that something else disturbed is none of the runtime's, on either side */
    assert_true(runtime_is_steady((const double[]){1, 7, 1, 1, 7, 1, 1, 7, 7, 1}));
}

TEST(rounds_that_still_become_quicker_are_not) {
    assert_false(runtime_is_steady((const double[]){9, 8, 7, 6, 5, 4, 3, 2, 2, 2}));
    assert_false(runtime_is_steady((const double[]){1.03, 1.03, 1.03, 1.03, 1.03, 1, 1, 1, 1, 1}));
    /* nor those that have just become slower: what was compiled is compiled again */
    assert_false(runtime_is_steady((const double[]){1, 1, 1, 1, 1, 1.03, 1.03, 1.03, 1.03, 1.03}));
    /* three of five are quicker: the median is */
    assert_false(runtime_is_steady((const double[]){1, 1, 1, 1, 1, 0.9, 0.9, 0.9, 1, 1}));
    assert_true(runtime_is_steady((const double[]){1, 1, 1, 1, 1, 0.9, 0.9, 1, 1, 1}));
}
