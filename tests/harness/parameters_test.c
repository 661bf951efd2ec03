/* parameters_test.c: a word that stands for settings (a preset). Values and ranges are asked by
 * tests/end_to_end/driver.py. */
#include "harness/measuring/parameters.h"
#include "tests/unit.h"

/* It changes the defaults of others, its own as little as those that it does not name. */
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
    static char spelling[VALUE_SIZE], message[MESSAGE_SIZE];
    static struct settings settings;
    for (size_t i = 0; i < 4; i++) {
        assert_true(settings_set(&settings, &table[0], due[i][0], message));
        for (size_t j = 0; j < 5; j++)
            assert_string_equal(settings_default(&settings, &table[j], spelling), due[i][j + 1]);
    }
}
