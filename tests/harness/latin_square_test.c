/* latin_square_test.c: every item occurs at every place, and after every other item, equally often. */
#include "harness/driver/plan/plan.h"
#include "tests/unit.h"

#define MOST 24

static void balanced(size_t n) {
    static unsigned at_place[MOST][MOST], follows[MOST][MOST];
    size_t order[MOST], rows = latin_square_rows(n);
    memset(at_place, 0, sizeof at_place);
    memset(follows, 0, sizeof follows);
    for (size_t row = 0; row < rows; row++) {
        latin_square_row(n, row, order);
        for (size_t place = 0; place < n; place++) {
            assert_in_range(order[place], 0, n - 1);
            at_place[place][order[place]]++;
            if (place > 0)
                follows[order[place - 1]][order[place]]++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            assert_int_equal(at_place[i][j], rows / n);
            if (i != j)
                assert_int_equal(follows[i][j], rows / n);
        }
    }
}

TEST(every_size_is_balanced) {
    for (size_t n = 1; n <= MOST; n++)
        balanced(n);
}

TEST(rows_wrap) {
    size_t first[5], again[5];
    latin_square_row(5, 3, first);
    latin_square_row(5, 3 + latin_square_rows(5), again);
    assert_memory_equal(first, again, sizeof first);
    latin_square_row(0, 3, NULL);
}

int main(void) { return unit_tests_run(NULL, NULL); }
