/* unit.h: what a file of unit tests begins with. The file is a program, whose main is here. A test registers itself:
 *
 *   TEST(two_and_two_are_four) { assert_int_equal(2 + 2, 4); }
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct unit_test {
    struct CMUnitTest test;
    int line;
};

#define TEST(name)                                                                                                     \
    static void name(void **state);                                                                                    \
    static const struct unit_test test_of_##name = {{#name, name, NULL, NULL, NULL}, __LINE__};                        \
    __attribute__((used, section("unit_tests"))) static const struct unit_test *const registered_##name =              \
        &test_of_##name;                                                                                               \
    static void name(void **state __attribute__((unused)))

/* The linker names the ends of the section. */
extern const struct unit_test *const __start_unit_tests[];
extern const struct unit_test *const __stop_unit_tests[];

/* Runs the tests in the order of the file. */
int main(void) {
    const size_t count = (size_t)(__stop_unit_tests - __start_unit_tests);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    for (size_t i = 0; tests && i < count; i++) {
        size_t place = 0;
        for (size_t j = 0; j < count; j++)
            place += __start_unit_tests[j]->line < __start_unit_tests[i]->line;
        tests[place] = __start_unit_tests[i]->test;
    }
    int failed = tests ? _cmocka_run_group_tests("tests", tests, count, NULL, NULL) : 1;
    free(tests);
    return failed;
}
