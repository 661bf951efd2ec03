/* suite_test.c: the text of a suite, read; what is wrong in it, and where. */
#include "harness/driver/plan/suite.h"
#include "tests/harness/refusal.h"

TEST(a_suite_is_read) {
    const struct suite suite = suite_parse("quick", "q.suite",
                                           "# what it is for\n"
                                           "title Quick: a few minutes\n"
                                           "invocations 7\n"
                                           "optional taskflow\n"
                                           "optional onetbb,openmp\n"
                                           "\n"
                                           "[fig6] Latency of push  \n"
                                           "  push deque=array,lf_bulk batch=1,128 # the paper's\n"
                                           "minimum_time 0.5\n"
                                           "[pop]\n"
                                           "pop\n");
    assert_string_equal(suite.title, "Quick: a few minutes");
    assert_true(suite_is_optional(&suite, "taskflow") && suite_is_optional(&suite, "openmp"));
    assert_false(suite_is_optional(&suite, "open") || suite_is_optional(&suite, "array"));
    assert_int_equal(suite.section_count, 2);
    const struct suite_section *section = &suite.sections[0];
    assert_string_equal(section->tag, "fig6");
    assert_string_equal(section->title, "Latency of push");
    assert_int_equal(section->options.invocations, 7);
    assert_true(section->options.minimum_time == 0.5);
    assert_int_equal(section->line_count, 1);
    assert_int_equal(section->lines[0].number, 8);
    assert_string_equal(section->lines[0].workload, "push");
    assert_int_equal(section->lines[0].key_count, 2);
    assert_string_equal(section->lines[0].keys[1].name, "batch");
    assert_int_equal(section->lines[0].keys[1].values.count, 2);
    assert_string_equal(section->lines[0].keys[1].values.at[1], "128");
    assert_string_equal(suite.sections[1].title, "");
    assert_true(suite.sections[1].options.minimum_time == suite_default_options().minimum_time);
    assert_int_equal(suite.sections[1].lines[0].key_count, 0);
}

/* Its lines again with two sets of counters or those that it names, whatever follows it; few invocations. */
TEST(a_section_has_a_counted_twin) {
    const struct suite suite =
        suite_parse("s", "s.suite",
                    "[a] A\nprecision 2%\ninvocations 1042\nrepetitions 1\n"
                    "push deque=array batch=1,2\ncounted batch=8 memory=owner\npop\n"
                    "[b]\npop\ninvocations 3\nrepetitions 9\ncounted counters=remote+perf,pipeline\n[c]\npop\n");
    assert_int_equal(suite.section_count, 5);
    const struct suite_section *twin = &suite.sections[3], *other = &suite.sections[4];
    assert_string_equal(twin->tag, "a-counted");
    assert_string_equal(twin->title, "Counted: A");
    assert_true(twin->options.precision == 0 && suite.sections[0].options.precision == 2);
    assert_int_equal(twin->options.invocations, 6);
    assert_int_equal(twin->options.repetitions, 1);
    assert_int_equal(twin->line_count, 2);
    assert_string_equal(suite_line_key(&twin->lines[0], "deque")->values.at[0], "array");
    assert_string_equal(suite_line_key(&twin->lines[0], "batch")->values.at[0], "8");
    assert_int_equal(suite_line_key(&twin->lines[0], "batch")->values.count, 1);
    assert_string_equal(suite_line_key(&twin->lines[1], "counters")->values.at[0], "caches");
    assert_string_equal(suite_line_key(&twin->lines[1], "counters")->values.at[1], "pipeline");
    assert_int_equal(suite_line_key(&other->lines[0], "counters")->values.count, 3);
    assert_string_equal(suite_line_key(&twin->lines[1], "memory")->values.at[0], "owner");
    assert_null(suite_line_key(&suite.sections[0].lines[0], "counters"));
    assert_string_equal(other->tag, "b-counted");
    assert_int_equal(other->options.invocations, 3);
    assert_int_equal(other->options.repetitions, 9);
}

/* Sections behind the line `rest` are worth less than what is counted of those before it. */
TEST(counted_sections_stand_before_the_rest) {
    const struct suite suite =
        suite_parse("s", "s", "[a]\npush\ncounted\n[b]\npush\nneeds 2G\nrest\n[c]\npush\ncounted\n[d]\npush\n");
    static const char *const order[] = {"a", "b", "a-counted", "c", "d", "c-counted"};
    assert_int_equal(suite.section_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(suite.sections[i].tag, order[i]);
    assert_int_equal(suite.sections[1].needs, 2000000000);
    assert_int_equal(suite.sections[0].needs, 0);
}

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
    static const char *const wrong[] = {"batch=1,2,4,...",      "batch=1,2,...,64",   "batch=...,64",
                                        "batch=1,1,1,...,64",   "batch=4,2,1,...,64", "batch=1,3,4,...,64",
                                        "threads=a,b,c,...,all"};
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++)
        assert_string_equal(values_on_a_machine(due[i].given, due[i].processors), due[i].meant);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(2, "expected three numbers before `...`", *values_on_a_machine(wrong[i], 4));
}

TEST(line_ends_of_other_systems_do_not_matter) {
    const struct suite suite = suite_parse("s", "s", "title A\r\n[a] B\r\npush batch=1\r\n");
    assert_string_equal(suite.title, "A");
    assert_string_equal(suite.sections[0].title, "B");
    assert_string_equal(suite.sections[0].lines[0].keys[0].values.at[0], "1");
}

#define REFUSED(text, says) assert_refused(2, says, suite_parse("s", "s.suite", text).section_count)

TEST(mistakes_are_named_with_their_line) {
    REFUSED("", "nothing to measure");
    REFUSED("[a]\npush =1\n", "s.suite:2: ");
    REFUSED("# nothing\n", "there is no [tag] section");
    REFUSED("push\n", "s.suite:1: push: a [tag] line comes before");
    REFUSED("[a] A\n[a] B\n", "s.suite:2: [a] is there twice");
    REFUSED("[a\n", "s.suite:1: a section's [tag] has no closing bracket");
    REFUSED("[a] A\npush batch\n", "s.suite:2: batch: expected name=value");
    REFUSED("[a] A\npush batch=1 batch=2\n", "s.suite:2: batch is given twice");
    REFUSED("invocations 0\n[a] A\npush\n", "1 to 100000");
    REFUSED("[a] A\npush batch=,\n", "s.suite:2: batch= needs at least one value");
    REFUSED("[a] A\npush x=\n", "s.suite:2: x= needs at least one value");
    REFUSED("[a b] A\npush\n", "s.suite:1: [a b]: a tag has letters");
    REFUSED("[a/b]\n", "a tag has letters");
    REFUSED("[.a]\n", "a tag has letters");
    REFUSED("[a]\n5.2 x=1\n", "a line begins with a workload");
    REFUSED("precision two\n[a]\npush\n", "s.suite:1: precision=two");
    REFUSED("precision 60%\n[a]\npush\n", "s.suite:1: precision=60");
    REFUSED("timeout soon\n[a]\npush\n", "s.suite:1: timeout=soon");
    REFUSED("[a]\ninvocations\npush\n", "s.suite:2: invocations=");
    REFUSED("[a]\nneeds much\npush\n", "s.suite:2: needs=much");
    REFUSED("[a]\n=x\n", "s.suite:2: ");
    REFUSED("optional a, b\n[a]\npush\n", "s.suite:1: optional a, b: expected names");
    REFUSED("optional\n[a]\npush\n", "s.suite:1: optional= needs at least one value");
    char path[600];
    snprintf(path, sizeof path, "/%0500d/s.suite", 0);
    assert_refused(2, "0/s.suite:1: push: a [tag] line", suite_parse("s", path, "push\n").section_count);
}

TEST(an_option_is_a_word_of_its_own) {
    const struct suite suite = suite_parse("s", "s", "[a]\ntimeouts x=1\n");
    assert_string_equal(suite.sections[0].lines[0].workload, "timeouts");
}

TEST(more_sections_than_tags_can_be_kept_for) {
    struct text text = {0};
    for (unsigned i = 0; i <= SECTIONS_MAX; i++)
        text_format(&text, "[s%u]\npush\n", i);
    REFUSED(text.data, "at most 256 sections");
}

int main(void) { return unit_tests_run(NULL, NULL); }
