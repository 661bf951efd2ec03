/* parameters_test.c: values, ranges and their messages; settings; the nearest name. */
#include "harness/measuring/parameters.h"
#include "tests/unit.h"

static const struct parameter batch = PARAMETER_INTEGER("batch", 1, 1, 1 << 20, "items", "");
static const struct parameter minimum_time = PARAMETER_REAL("minimum_time", 0.02, 0.001, 60, "s", "");
static const struct parameter owner = PARAMETER_CHOICE("owner", "idle", "idle|busy", "");
static const struct parameter placement = PARAMETER_TEXT("placement", "compact", "");

static char spelling[VALUE_SIZE], message[MESSAGE_SIZE];
static struct value value;

static void accepted(const struct parameter *parameter, const char *given, const char *spelt) {
    assert_true(parameter_read(parameter, given, &value, spelling, message));
    assert_string_equal(value.text, spelt);
    assert_ptr_equal(value.parameter, parameter);
}

static void refused(const struct parameter *parameter, const char *given, const char *says) {
    assert_false(parameter_read(parameter, given, &value, spelling, message));
    assert_non_null(strstr(message, says));
}

TEST(integers_have_one_spelling) {
    accepted(&batch, "128", "128");
    accepted(&batch, "0128", "128");
    accepted(&batch, "1k", "1000");
    accepted(&batch, "1048576", "1048576");
    accepted(&batch, "1M", "1000000");
    assert_true(value.integer == 1000000 && value.real == 1e6 && value.choice == -1);
}

TEST(integers_out_of_range_name_the_range) {
    static const char *const wrong[] = {"0",  "-1", "1048577", "99999999999999999999999", "2G", "", "12x", "1.5",
                                        " 1", "+1", "0x10",    "18446744073709551615G"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refused(&batch, wrong[i], "expected a whole number from 1 to 1048576 items");
}

/* A word with a meaning that no number has, beside the numbers. */
TEST(integers_may_have_words) {
    static const struct parameter frequency =
        PARAMETER_INTEGER_OR("frequency", 100000, 0, 1e9, "max", "Hz", "how often");
    static const struct parameter wordless =
        PARAMETER_INTEGER_OR("batch", 1, 1, 9, "", "items", "as the driver reads it");
    accepted(&frequency, "max", "max");
    assert_int_equal(value.choice, 0);
    accepted(&frequency, "100k", "100000");
    accepted(&frequency, "0", "0");
    refused(&frequency, "maximum", "expected a whole number from 0 to 1000000000 Hz, or max");
    refused(&frequency, "", "or max");
    refused(&frequency, "10q", "or max; it may end on k, M or G, as in 10k");
    refused(&wordless, "", "expected a whole number from 1 to 9 items");
}

TEST(reals) {
    accepted(&minimum_time, "0.5", "0.5");
    accepted(&minimum_time, "1e-2", "0.01");
    assert_true(value.real == 0.01);
    refused(&minimum_time, "0", "from 0.001 to 60 s");
    refused(&minimum_time, "nan", "a number");
    refused(&minimum_time, "inf", "a number");
    refused(&minimum_time, "-0.5", "a number");
    refused(&minimum_time, "1 s", "a number");
}

TEST(choices) {
    accepted(&owner, "busy", "busy");
    assert_int_equal(value.choice, 1);
    refused(&owner, "bus", "expected one of idle|busy");
    refused(&owner, "busyy", "idle|busy");
    refused(&owner, "idle|busy", "idle|busy");
    refused(&owner, "", "idle|busy");
    assert_int_equal(choice_index("a|b|c", "a"), 0);
    assert_int_equal(choice_index("a|b|c", "c"), 2);
    assert_int_equal(choice_index("a|b|c", "d"), -1);
}

/* Any path that the system takes. */
TEST(texts_are_any_bytes) {
    static char longest[VALUE_SIZE], too_long[VALUE_SIZE + 1];
    memset(longest, 'a', VALUE_SIZE - 1);
    memset(too_long, 'a', VALUE_SIZE);
    accepted(&placement, "0+2", "0+2");
    accepted(&placement, " a;b=c,d\n\xff", " a;b=c,d\n\xff");
    accepted(&placement, longest, longest);
    refused(&placement, too_long, "1 to 4095 characters");
    refused(&placement, "", "1 to 4095 characters");
}

/* The words of an enumeration and its names come from one list. */
#define COLOURS(COLOUR) COLOUR(RED, "red") COLOUR(GREEN, "green") COLOUR(BLUE, "blue")
enum colour { COLOURS(LIST_NAME) };

TEST(choices_follow_an_enumeration) {
    static const struct parameter colour = PARAMETER_CHOICE("colour", "red", LIST_CHOICES(COLOURS), "");
    static const char *const words[] = LIST_WORDS(COLOURS);
    assert_string_equal(colour.choices, "red|green|blue");
    for (enum colour one = RED; one <= BLUE; one++) {
        accepted(&colour, words[one], words[one]);
        assert_int_equal(value.choice, one);
    }
}

TEST(a_table_ends_where_it_says) {
    static const struct parameter table[] = {PARAMETER_SWITCH("quick", ""), PARAMETER_TEXT("path", "", ""),
                                             PARAMETERS_END};
    assert_int_equal(parameter_count(table), 2);
    assert_int_equal(parameter_count(NULL), 0);
    assert_ptr_equal(parameter_find(table, "path"), &table[1]);
    assert_null(parameter_find(table, "pat"));
    assert_null(parameter_find(NULL, "path"));
}

TEST(settings_are_sorted_and_replaced) {
    static struct settings settings;
    assert_true(settings_set(&settings, &placement, "10", message));
    assert_true(settings_set(&settings, &batch, "1", message));
    assert_true(settings_set(&settings, &batch, "1k", message));
    assert_false(settings_set(&settings, &batch, "0", message));
    settings_sort(&settings);
    assert_int_equal(settings.count, 2);
    assert_ptr_equal(settings.at[0].parameter, &batch);
    assert_string_equal(settings.at[0].text, "1000");
    assert_int_equal(settings.at[0].integer, 1000);
    assert_string_equal(settings_get(&settings, "placement")->text, "10");
    assert_null(settings_get(&settings, "placemen"));
}

TEST(settings_end) {
    static struct parameter parameters[SETTINGS_MAX + 1];
    static char names[SETTINGS_MAX + 1][16], longest[VALUE_SIZE];
    static struct settings settings;
    for (int i = 0; i <= SETTINGS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "name%d", i);
        parameters[i] = (struct parameter)PARAMETER_TEXT(names[i], "", "");
        assert_int_equal(settings_set(&settings, &parameters[i], "1", message), i < SETTINGS_MAX);
    }
    assert_true(settings_set(&settings, &parameters[0], "2", message));
    memset(longest, 'a', VALUE_SIZE - 1);
    assert_true(settings_set(&settings, &parameters[1], longest, message));
    assert_true(settings_set(&settings, &parameters[2], longest, message));
    assert_string_equal(settings_get(&settings, "name1")->text, longest);
    assert_true(settings_set(&settings, &parameters[3], longest, message));
    assert_false(settings_set(&settings, &parameters[4], longest, message));
    assert_non_null(strstr(message, "more parameters than can be kept"));
    assert_string_equal(settings_get(&settings, "name4")->text, "1");
}

static const char *defaulted(const struct settings *settings, const struct parameter *parameter) {
    return settings_default(settings, parameter, spelling);
}

/* A word that stands for settings changes the defaults of others, its own as little as those that it does not name. */
TEST(presets_are_other_defaults) {
    static const struct parameter system = PARAMETER_PRESETS(
        "system", "own", "own|volt|volta|master", "volt: room=256 slot=1; master: victims=affinity; volta: room=7", "");
    static const struct parameter room = PARAMETER_INTEGER("room", 1024, 1, 1 << 20, "items", "");
    static const struct parameter roo = PARAMETER_INTEGER("roo", 3, 1, 9, "", "");
    static const struct parameter slot = PARAMETER_SWITCH("slot", "");
    static const struct parameter victims = PARAMETER_TEXT("victims", "random", "");
    static struct settings settings;
    assert_string_equal(defaulted(&settings, &room), "1024");
    assert_true(settings_set(&settings, &system, "own", message));
    assert_string_equal(defaulted(&settings, &room), "1024");
    assert_true(settings_set(&settings, &system, "volt", message));
    assert_string_equal(defaulted(&settings, &room), "256");
    assert_string_equal(defaulted(&settings, &slot), "1");
    assert_string_equal(defaulted(&settings, &roo), "3");
    assert_string_equal(defaulted(&settings, &victims), "random");
    assert_string_equal(defaulted(&settings, &system), "own");
    assert_true(settings_set(&settings, &system, "master", message));
    assert_string_equal(defaulted(&settings, &victims), "affinity");
    assert_string_equal(defaulted(&settings, &room), "1024");
    assert_true(settings_set(&settings, &system, "volta", message));
    assert_string_equal(defaulted(&settings, &room), "7");
}

static void sums(const char *sum, bool fine, unsigned total) {
    static const struct parameter thieves = PARAMETER_INTEGER("thieves", 1, 0, 64, "", "");
    static struct settings settings;
    unsigned got;
    assert_true(settings_set(&settings, &thieves, "3", message) && settings_set(&settings, &owner, "busy", message));
    assert_int_equal(values_sum(sum, settings.at, settings.count, &got), fine);
    if (fine)
        assert_int_equal(got, total);
}

/* A workload's declaration of its threads, and an executable's of its cells. */
TEST(sums_of_settings) {
    sums("1", true, 1);
    sums("thieves", true, 3);
    sums("1+thieves", true, 4);
    sums("1+owner=busy", true, 2);
    sums("1+owner=idle+thieves", true, 4);
    sums("owner=idle", true, 0);
    sums("thieves=3", true, 1);
    sums("robbers", false, 0);
    sums("owner", false, 0);
    sums("1+", false, 0);
    sums("robbers=3", false, 0);
}

TEST(nearest_names) {
    static const char *const names[] = {"chase_lev", "lf_bulk", "locked", "taskflow_bounded"};
    assert_string_equal(nearest_name("chase_lve", names, 4), "chase_lev");
    assert_string_equal(nearest_name("lfbulk", names, 4), "lf_bulk");
    assert_string_equal(nearest_name("loked", names, 4), "locked");
    assert_string_equal(nearest_name("taskflow_bonded", names, 4), "taskflow_bounded");
    assert_null(nearest_name("chased", names, 4));
    assert_null(nearest_name("zzzzzzzzzz", names, 4));
    assert_null(nearest_name("x", names, 0));
}

int main(void) { return unit_tests_run(NULL, NULL); }
