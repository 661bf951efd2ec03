/* suite_test.c: the text of a suite, read; what is wrong in it, and where. */
#include "harness/driver/plan/suite.h"
#include "tests/unit.h"

static char message[MESSAGE_SIZE];

TEST(a_suite_is_read) {
    struct suite suite;
    assert_int_equal(suite_parse(&suite, "quick", "q.suite",
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
                                 "pop\n",
                                 message),
                     0);
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

/* A folder of the test's own with one suite to take sections from. */
static const char *suite_beside(const char *text) {
    static char folder[] = "/tmp/suite_test.XXXXXX", path[64];
    if (!*path)
        assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/other.suite", folder);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    snprintf(path, sizeof path, "%s/s.suite", folder);
    return path;
}

TEST(sections_are_taken_from_another_suite) {
    struct suite suite;
    const char *path =
        suite_beside("repetitions 2\n[5-a] A\nprecision 2%\npush deque=array batch=1,2\npop\n[5-b]\npop\n[c]\npop\n");
    assert_int_equal(suite_parse(&suite, "s", path,
                                 "invocations 9\nfrom other 5 batch=4 size=8 invocations=7\ntimeout 5\n"
                                 "[d] D\nfrom other 5-a batch=16\nrepetitions 4\n",
                                 message),
                     0);
    assert_int_equal(suite.section_count, 3);
    const struct suite_section *taken = &suite.sections[0], *own = &suite.sections[2];
    assert_string_equal(taken->tag, "5-a");
    assert_string_equal(taken->title, "A");
    assert_string_equal(suite.sections[1].tag, "5-b");
    assert_true(taken->options.precision == 2 && taken->options.timeout == suite_default_options().timeout);
    assert_int_equal(taken->options.invocations, 7);
    assert_int_equal(taken->options.repetitions, 2);
    assert_int_equal(taken->line_count, 2);
    assert_int_equal(taken->lines[0].number, 2);
    assert_int_equal(taken->lines[0].key_count, 3);
    assert_string_equal(suite_line_key(&taken->lines[0], "deque")->values.at[0], "array");
    assert_int_equal(suite_line_key(&taken->lines[0], "batch")->values.count, 1);
    assert_string_equal(suite_line_key(&taken->lines[1], "size")->values.at[0], "8");
    assert_int_equal(own->line_count, 2);
    assert_string_equal(suite_line_key(&own->lines[0], "batch")->values.at[0], "16");
    assert_int_equal(own->options.invocations, 9);
    assert_int_equal(own->options.repetitions, 4);
    assert_true(own->options.precision == 0 && own->options.timeout == 5);
    assert_non_null(strstr(suite.text, "[5-a] A"));
    const uint64_t before = suite.hash;
    suite_beside("[5-a] A\npush\n");
    assert_int_equal(suite_parse(&suite, "s", path, "from other 5\n", message), 0);
    const uint64_t after = suite.hash;
    suite_beside("[5-a] A\npop\n");
    assert_int_equal(suite_parse(&suite, "s", path, "from other 5\n", message), 0);
    assert_true(after != before && suite.hash != after);
}

TEST(mistakes_in_what_is_taken_are_named) {
    static const char *const wrong[][2] = {{"from\n", "from wants a suite"},
                                           {"from other\n", "from wants a suite"},
                                           {"from other x\n", "the suite other has no section x"},
                                           {"from nowhere a\n", "No such file"},
                                           {"from other a batch\n", "name=value"},
                                           {"from other a invocations=0\n", "invocations"},
                                           {"from other a\nfrom other a\n", "[a] is there twice"},
                                           {"from other a\npush\n", "a [tag] line comes before"}};
    struct suite suite;
    const char *path = suite_beside("[a]\npush\n");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_not_equal(suite_parse(&suite, "s", path, wrong[i][0], message), 0);
        if (!strstr(message, wrong[i][1]))
            fail_msg("%s is missing in: %s", wrong[i][1], message);
    }
    path = suite_beside("from other a\n");
    assert_int_equal(suite_parse(&suite, "s", path, "from other a\n", message), 2);
    assert_non_null(strstr(message, "takes none itself"));
}

TEST(line_ends_of_other_systems_do_not_matter) {
    struct suite suite;
    assert_int_equal(suite_parse(&suite, "s", "s", "title A\r\n[a] B\r\npush batch=1\r\n", message), 0);
    assert_string_equal(suite.title, "A");
    assert_string_equal(suite.sections[0].title, "B");
    assert_string_equal(suite.sections[0].lines[0].keys[0].values.at[0], "1");
}

static void refused(const char *text, const char *says) {
    struct suite suite;
    assert_int_equal(suite_parse(&suite, "s", "s.suite", text, message), 2);
    if (!strstr(message, says))
        fail_msg("%s is missing in: %s", says, message);
}

TEST(mistakes_are_named_with_their_line) {
    refused("", "nothing to measure");
    refused("push\n", "s.suite:1: ");
    refused("[a]\n\npush batch\n", "s.suite:3: ");
    refused("[a]\npush =1\n", "s.suite:2: ");
    refused("[a]\npush batch=\n", "at least one value");
    refused("[a]\npush batch=1,\n", "at least one value");
    refused("[a]\npush batch=1 batch=2\n", "given twice");
    refused("[a]\n[a]\n", "s.suite:2: [a] is there twice");
    refused("[a b]\n", "a tag has letters");
    refused("[a/b]\n", "a tag has letters");
    refused("[.a]\n", "a tag has letters");
    refused("[a]\n5.2 x=1\n", "a line begins with a workload");
    refused("[a\n", "closing bracket");
    refused("precision two\n[a]\npush\n", "s.suite:1: precision=two");
    refused("precision 60%\n[a]\npush\n", "s.suite:1: precision=60");
    refused("timeout soon\n[a]\npush\n", "s.suite:1: timeout=soon");
    refused("[a]\ninvocations\npush\n", "s.suite:2: invocations=");
    refused("[a]\nthreads_beyond cut\npush\n", "s.suite:2: threads_beyond=cut");
    refused("[a]\n=x\n", "s.suite:2: ");
    refused("optional a, b\n[a]\npush\n", "s.suite:1: optional a, b: commas alone");
    refused("optional\n[a]\npush\n", "s.suite:1: optional= wants at least one value");
    char path[600];
    struct suite suite;
    snprintf(path, sizeof path, "/%0500d/s.suite", 0);
    assert_int_equal(suite_parse(&suite, "s", path, "push\n", message), 2);
    assert_non_null(strstr(message, "0/s.suite:1: push: a [tag] line"));
}

TEST(values_may_hold_what_separates) {
    struct suite suite;
    assert_int_equal(suite_parse(&suite, "s", "s", "[a]\nwalk path=/a%20b%23%2Cc,/d;e=f threads=2\n", message), 0);
    const struct suite_key *key = &suite.sections[0].lines[0].keys[0];
    assert_int_equal(key->values.count, 2);
    assert_string_equal(key->values.at[0], "/a b#,c");
    assert_string_equal(key->values.at[1], "/d;e=f");
    refused("[a]\nwalk path=/50%\n", "s.suite:2: path=/50%: % stands for a byte");
    refused("[a]\nwalk path=%00\n", "% itself is %25");
}

TEST(an_option_is_a_word_of_its_own) {
    struct suite suite;
    assert_int_equal(suite_parse(&suite, "s", "s", "[a]\ntimeouts x=1\n", message), 0);
    assert_string_equal(suite.sections[0].lines[0].workload, "timeouts");
}

TEST(more_sections_than_tags_can_be_kept_for) {
    struct text text = {0};
    for (unsigned i = 0; i <= SECTIONS_MAX; i++)
        text_format(&text, "[s%u]\npush\n", i);
    refused(text.data, "at most 64 sections");
}

int main(void) { return unit_tests_run(NULL, NULL); }
