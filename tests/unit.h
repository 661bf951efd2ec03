/* unit.h: what a file of unit tests begins with. A test registers itself:
 *
 *   TEST(two_and_two_are_four) { assert_int_equal(2 + 2, 4); }
 *   int main(void) { return unit_tests_run(NULL, NULL); }
 */
#ifndef STEALBENCH_TESTS_UNIT_H
#define STEALBENCH_TESTS_UNIT_H

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

/* setup and teardown are called before and after this test; NULL: neither. */
#define TEST_WITHIN(setup, teardown, name)                                                                             \
    static void name(void **state);                                                                                    \
    static const struct unit_test test_of_##name = {{#name, name, setup, teardown, NULL}, __LINE__};                   \
    __attribute__((used, section("unit_tests"))) static const struct unit_test *const registered_##name =              \
        &test_of_##name;                                                                                               \
    static void name(void **state __attribute__((unused)))
#define TEST(name) TEST_WITHIN(NULL, NULL, name)

/* The linker names the ends of the section. */
extern const struct unit_test *const __start_unit_tests[];
extern const struct unit_test *const __stop_unit_tests[];

/* Runs the tests in the order of the file, between the setup and teardown of all; either may be NULL. */
static inline int unit_tests_run(CMFixtureFunction setup, CMFixtureFunction teardown) {
    const size_t count = (size_t)(__stop_unit_tests - __start_unit_tests);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    for (size_t i = 0; tests && i < count; i++) {
        size_t place = 0;
        for (size_t j = 0; j < count; j++)
            place += __start_unit_tests[j]->line < __start_unit_tests[i]->line;
        tests[place] = __start_unit_tests[i]->test;
    }
    int failed = tests ? _cmocka_run_group_tests("tests", tests, count, setup, teardown) : 1;
    free(tests);
    return failed;
}

/* What `work` writes to that descriptor, standard output or error; the text lives until the next call. */
static inline const char *written_to(int descriptor, void (*work)(void)) {
    static char text[1 << 16];
    FILE *file = tmpfile();
    fflush(stdout);
    int before = dup(descriptor);
    assert_true(file && before >= 0 && dup2(fileno(file), descriptor) >= 0);
    work();
    fflush(stdout);
    dup2(before, descriptor);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

#endif
