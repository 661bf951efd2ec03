/* suite_test.c: lists that go on as they began, on machines of several sizes. */
#include "harness/driver/plan/suite.h"
#include "tests/unit.h"

static const char *values_on_a_machine(const char *assignment, unsigned processors) {
    struct suite_line line = {0};
    struct text text = {0};
    suite_line_add(&line, assignment);
    line = suite_line_on(&line, processors);
    for (size_t i = 0; i < line.keys[0].values.count; i++)
        text_format(&text, "%s%s", i ? "," : "", line.keys[0].values.at[i]);
    return text_string(&text);
}

TEST(lists_go_on_as_they_began) {
    static const struct {
        const char *given;
        unsigned processors;
        const char *meant;
    } due[] = {{"batch=1,2,4,...,64", 2, "1,2,4,8,16,32,64"},
               {"percent=10,20,30,...,60", 2, "10,20,30,40,50,60"},
               {"capacity=64,256,1024,...,16384", 2, "64,256,1024,4096,16384"},
               {"block=0,4,8,16,...,64", 2, "0,4,8,16,32,64"},
               {"threads=1,2,4,...,all", 2, "1,2,2"},
               {"threads=1,2,4,...,all", 6, "1,2,4,6"},
               {"threads=1,2,4,...,all", 128, "1,2,4,8,16,32,64,128,128"},
               {"threads=2,16,all", 8, "2,8"},
               {"threads=2,16", 8, "2,16"},
               {"thieves=1,3,7,...", 128, "1,3,7,15,31,63,127"},
               {"thieves=1,3,7,...,31", 128, "1,3,7,15,31"},
               {"thieves=1,3,7,...,31", 16, "1,3,7,15"},
               {"thieves=1,3,7,...,31", 2, "1"},
               {"thieves=1,3,7,...,31", 1, "1"},
               {"frequency_of=thief,all", 2, "thief,all"}};
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++)
        assert_string_equal(values_on_a_machine(due[i].given, due[i].processors), due[i].meant);
}

int main(void) { return unit_tests_run(NULL, NULL); }
