/* parameters_test.c: values, ranges and their messages; settings; the nearest name. */
#include "harness/parameters.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct parameter batch = {"batch", PARAMETER_INTEGER, "1", 1, 1 << 20, NULL, "items", ""};
static const struct parameter minimum_time = {"minimum_time", PARAMETER_REAL, "0.02", 0.001, 60, NULL, "s", ""};
static const struct parameter owner = {"owner", PARAMETER_CHOICE, "idle", 0, 0, "idle|busy", "", ""};
static const struct parameter placement = {"placement", PARAMETER_TEXT, "compact", 0, 0, NULL, "", ""};

static char normal[VALUE_SIZE], message[MESSAGE_SIZE];

static void accepted(const struct parameter *parameter, const char *value, const char *spelling) {
    assert_true(parameter_accepts(parameter, value, normal, message));
    assert_string_equal(normal, spelling);
}

static void refused(const struct parameter *parameter, const char *value, const char *says) {
    assert_false(parameter_accepts(parameter, value, normal, message));
    assert_non_null(strstr(message, says));
}

static void integers_have_one_spelling(void **state) {
    (void)state;
    accepted(&batch, "128", "128");
    accepted(&batch, "0128", "128");
    accepted(&batch, "1k", "1000");
    accepted(&batch, "1048576", "1048576");
    accepted(&batch, "1M", "1000000");
}

static void integers_out_of_range_name_the_range(void **state) {
    static const char *const wrong[] = {"0",  "-1", "1048577", "99999999999999999999999", "2G", "", "12x", "1.5",
                                        " 1", "+1", "0x10",    "18446744073709551615G"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refused(&batch, wrong[i], "a whole number from 1 to 1048576 items is wanted");
}

/* A word that stands for what no number says, beside the numbers. */
static void integers_may_have_words(void **state) {
    static const struct parameter frequency = {"frequency", PARAMETER_INTEGER, "100000", 0, 1e9, "max",
                                               "Hz",        "how often"};
    static const struct parameter wordless = {"batch", PARAMETER_INTEGER,       "1", 1, 9, "",
                                              "items", "as the driver reads it"};
    (void)state;
    accepted(&frequency, "max", "max");
    accepted(&frequency, "100k", "100000");
    accepted(&frequency, "0", "0");
    refused(&frequency, "maximum", "a whole number from 0 to 1000000000 Hz, or max is wanted");
    refused(&frequency, "", "or max is wanted");
    refused(&wordless, "", "a whole number from 1 to 9 items is wanted");
}

static void reals(void **state) {
    (void)state;
    accepted(&minimum_time, "0.5", "0.5");
    accepted(&minimum_time, "1e-2", "0.01");
    refused(&minimum_time, "0", "from 0.001 to 60 s");
    refused(&minimum_time, "nan", "a number");
    refused(&minimum_time, "inf", "a number");
    refused(&minimum_time, "-0.5", "a number");
    refused(&minimum_time, "1 s", "a number");
}

static void choices(void **state) {
    (void)state;
    accepted(&owner, "busy", "busy");
    refused(&owner, "bus", "one of idle|busy is wanted");
    refused(&owner, "busyy", "idle|busy");
    refused(&owner, "idle|busy", "idle|busy");
    refused(&owner, "", "idle|busy");
    assert_int_equal(choice_index("a|b|c", "a"), 0);
    assert_int_equal(choice_index("a|b|c", "c"), 2);
    assert_int_equal(choice_index("a|b|c", "d"), -1);
}

/* Any path that the system takes. */
static void texts_are_any_bytes(void **state) {
    static char longest[VALUE_SIZE], too_long[VALUE_SIZE + 1];
    (void)state;
    memset(longest, 'a', VALUE_SIZE - 1);
    memset(too_long, 'a', VALUE_SIZE);
    accepted(&placement, "0+2", "0+2");
    accepted(&placement, " a;b=c,d\n\xff", " a;b=c,d\n\xff");
    accepted(&placement, longest, longest);
    refused(&placement, too_long, "1 to 4095 characters");
    refused(&placement, "", "1 to 4095 characters");
}

static void settings_are_sorted_and_replaced(void **state) {
    struct settings settings = {0};
    (void)state;
    assert_true(settings_set(&settings, "size", "10"));
    assert_true(settings_set(&settings, "batch", "1"));
    assert_true(settings_set(&settings, "batch", "128"));
    settings_sort(&settings);
    assert_int_equal(settings.count, 2);
    assert_string_equal(settings.entry[0].name, "batch");
    assert_string_equal(settings.entry[0].value, "128");
    assert_string_equal(settings_get(&settings, "size"), "10");
    assert_null(settings_get(&settings, "siz"));
}

static void settings_end(void **state) {
    static struct settings settings;
    static char longest[VALUE_SIZE];
    char name[16];
    (void)state;
    for (int i = 0; i < SETTINGS_MOST; i++) {
        snprintf(name, sizeof name, "name%d", i);
        assert_true(settings_set(&settings, name, "1"));
    }
    assert_false(settings_set(&settings, "one_more", "1"));
    assert_true(settings_set(&settings, "name0", "2"));
    memset(longest, 'a', VALUE_SIZE - 1);
    assert_true(settings_set(&settings, "name1", longest) && settings_set(&settings, "name2", longest));
    assert_string_equal(settings_get(&settings, "name1"), longest);
    assert_true(settings_set(&settings, "name3", longest));
    assert_false(settings_set(&settings, "name4", longest));
    assert_string_equal(settings_get(&settings, "name4"), "1");
    assert_false(settings_set(&settings, "a_name_that_is_longer_than_a_name_may_be", "1"));
}

static void nearest_names(void **state) {
    static const char *const names[] = {"chase_lev", "lf_bulk", "locked", "taskflow_bounded"};
    (void)state;
    assert_string_equal(nearest_name("chase_lve", names, 4), "chase_lev");
    assert_string_equal(nearest_name("lfbulk", names, 4), "lf_bulk");
    assert_string_equal(nearest_name("loked", names, 4), "locked");
    assert_string_equal(nearest_name("taskflow_bonded", names, 4), "taskflow_bounded");
    assert_null(nearest_name("zzzzzzzzzz", names, 4));
    assert_null(nearest_name("x", names, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_one_spelling),
        cmocka_unit_test(integers_out_of_range_name_the_range),
        cmocka_unit_test(integers_may_have_words),
        cmocka_unit_test(reals),
        cmocka_unit_test(choices),
        cmocka_unit_test(texts_are_any_bytes),
        cmocka_unit_test(settings_are_sorted_and_replaced),
        cmocka_unit_test(settings_end),
        cmocka_unit_test(nearest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
