/* parameters_test.c: values, ranges and their messages; presets; sums of settings; the nearest name. */
#include "harness/measuring/parameters.h"
#include "tests/unit.h"

static const struct parameter batch = PARAMETER_INTEGER("batch", 1, 1, 1 << 20, "items", ""),
                              frequency = PARAMETER_INTEGER_OR("frequency", 100000, 0, 1e9, "max", "Hz", ""),
                              least_time = PARAMETER_REAL("least_time", 0.02, 0.001, 60, "s", ""),
                              owner = PARAMETER_CHOICE("owner", "idle", "idle|busy", ""),
                              placement = PARAMETER_TEXT("placement", "compact", "");

static char spelling[VALUE_SIZE], message[MESSAGE_SIZE], longest[VALUE_SIZE], too_long[VALUE_SIZE + 1];

#define WHOLE "expected a whole number from 1 to 1048576 items"

/* One spelling a value, or what is said of a wrong one. */
TEST(values_have_one_spelling_and_mistakes_name_the_range) {
    static const struct {
        const struct parameter *parameter;
        const char *given, *spelt, *says; /* spelt NULL: refused */
    } rows[] = {{&batch, "128", "128", NULL},
                {&batch, "0128", "128", NULL},
                {&batch, "1k", "1000", NULL},
                {&batch, "1M", "1000000", NULL},
                {&batch, "0", NULL, WHOLE},
                {&batch, "-1", NULL, WHOLE},
                {&batch, "1048577", NULL, WHOLE},
                {&batch, "2G", NULL, WHOLE},
                {&batch, "", NULL, WHOLE},
                {&batch, "12x", NULL, WHOLE},
                {&batch, "1.5", NULL, WHOLE},
                {&batch, " 1", NULL, WHOLE},
                {&batch, "+1", NULL, WHOLE},
                {&batch, "0x10", NULL, WHOLE},
                {&batch, "18446744073709551615G", NULL, WHOLE},
                {&frequency, "max", "max", NULL},
                {&frequency, "100k", "100000", NULL},
                {&frequency, "maximum", NULL, "expected a whole number from 0 to 1000000000 Hz, or max"},
                {&frequency, "10q", NULL, "or max; it may end on k, M or G, as in 10k"},
                {&least_time, "1e-2", "0.01", NULL},
                {&least_time, "0", NULL, "from 0.001 to 60 s"},
                {&least_time, "nan", NULL, "a number"},
                {&least_time, "inf", NULL, "a number"},
                {&least_time, "1 s", NULL, "a number"},
                {&owner, "busy", "busy", NULL},
                {&owner, "bus", NULL, "expected one of idle|busy"},
                {&owner, "busyy", NULL, "idle|busy"},
                {&owner, "idle|busy", NULL, "idle|busy"},
                {&owner, "", NULL, "idle|busy"},
                {&placement, " a;b=c,d\n\xff", " a;b=c,d\n\xff", NULL}, /* any path that the system takes */
                {&placement, longest, longest, NULL},
                {&placement, too_long, NULL, "1 to 4095 characters"},
                {&placement, "", NULL, "1 to 4095 characters"}};
    memset(longest, 'a', VALUE_SIZE - 1);
    memset(too_long, 'a', VALUE_SIZE);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct value value;
        const bool fine = parameter_read(rows[i].parameter, rows[i].given, &value, spelling, message);
        if (fine != !rows[i].says || (fine ? strcmp(value.text, rows[i].spelt) != 0 : !strstr(message, rows[i].says)))
            fail_msg("%s=%s: %s", rows[i].parameter->name, rows[i].given, fine ? value.text : message);
    }
}

/* A word that stands for settings changes the defaults of others, its own as little as those that it does not name. */
TEST(presets_are_other_defaults) {
    static const struct parameter table[] = {
        PARAMETER_PRESETS("system", "own", "own|volt|volta|master",
                          "volt: room=256 slot=1; master: victims=affinity; volta: room=7", ""),
        PARAMETER_INTEGER("room", 1024, 1, 1 << 20, "items", ""), PARAMETER_INTEGER("roo", 3, 1, 9, "", ""),
        PARAMETER_SWITCH("slot", ""), PARAMETER_TEXT("victims", "random", "")};
    static const char *const due[][6] = {{"own", "own", "1024", "3", "0", "random"},
                                         {"volt", "own", "256", "3", "1", "random"},
                                         {"volta", "own", "7", "3", "0", "random"},
                                         {"master", "own", "1024", "3", "0", "affinity"}};
    static struct settings settings;
    for (size_t i = 0; i < 4; i++) {
        assert_true(settings_set(&settings, &table[0], due[i][0], message));
        for (size_t j = 0; j < 5; j++)
            assert_string_equal(settings_default(&settings, &table[j], spelling), due[i][j + 1]);
    }
}

/* A workload's declaration of its threads, and an executable's of its cells. -1: it makes no sense. */
TEST(sums_of_settings) {
    static const struct parameter thieves = PARAMETER_INTEGER("thieves", 1, 0, 64, "", "");
    static const struct {
        const char *sum;
        int total;
    } rows[] = {{"1", 1},          {"thieves", 3},   {"1+thieves", 4}, {"1+owner=busy", 2}, {"1+owner=idle+thieves", 4},
                {"owner=idle", 0}, {"thieves=3", 1}, {"robbers", -1},  {"owner", -1},       {"1+", -1},
                {"robbers=3", -1}};
    static struct settings settings;
    assert_true(settings_set(&settings, &thieves, "3", message) && settings_set(&settings, &owner, "busy", message));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned got = 0;
        assert_int_equal(values_sum(rows[i].sum, settings.at, settings.count, &got), rows[i].total >= 0);
        assert_true(rows[i].total < 0 || got == (unsigned)rows[i].total);
    }
}

TEST(nearest_names) {
    static const char *const names[] = {"chase_lev", "lf_bulk", "locked", "taskflow_bounded"};
    static const char *const due[][2] = {{"chase_lve", "chase_lev"},
                                         {"lfbulk", "lf_bulk"},
                                         {"loked", "locked"},
                                         {"taskflow_bonded", "taskflow_bounded"}};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(nearest_name(due[i][0], names, 4), due[i][1]);
    assert_null(nearest_name("chased", names, 4));
    assert_null(nearest_name("zzzzzzzzzz", names, 4));
    assert_null(nearest_name("x", names, 0));
}

int main(void) { return unit_tests_run(NULL, NULL); }
