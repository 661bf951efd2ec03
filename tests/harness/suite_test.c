/* suite_test.c: the text of a suite, read; what is wrong in it, and where. */
#include "harness/driver/plan/suite.h"
#include "tests/harness/refusal.h"
#include "tests/harness/system_tree.h"

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

/* Puts a suite to take sections from beside the one whose path it returns. */
static const char *suite_beside(const char *text) {
    put("/other.suite", text);
    return path_join(root, "s.suite");
}

/* A section that is taken brings its twin, of the lines as they are then; where its lines alone are taken it does not.
 */
IN_A_TREE(a_twin_comes_with_its_section) {
    const char *path = suite_beside("[a] A\npush deque=array batch=1,2\ncounted memory=owner\n");
    const struct suite suite = suite_parse("s", path, "from other a batch=4\n[b] B\nfrom other a\n");
    assert_int_equal(suite.section_count, 3);
    const struct suite_section *twin = &suite.sections[2];
    assert_string_equal(twin->tag, "a-counted");
    assert_int_equal(twin->line_count, 1);
    assert_string_equal(suite_line_key(&twin->lines[0], "batch")->values.at[0], "4");
    assert_string_equal(suite_line_key(&twin->lines[0], "counters")->values.at[0], "caches");
    assert_int_equal(suite.sections[1].line_count, 1);
}

IN_A_TREE(sections_are_taken_from_another_suite) {
    const char *path =
        suite_beside("repetitions 2\n[5-a] A\nprecision 2%\npush deque=array batch=1,2\npop\n[5-b]\npop\n[c]\npop\n");
    const struct suite suite = suite_parse("s", path,
                                           "invocations 9\nfrom other 5 batch=4 size=8 invocations=7\ntimeout 5\n"
                                           "[d] D\nfrom other 5-a batch=16\nrepetitions 4\n");
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
    suite_beside("[5-a] A\npush\n");
    const uint64_t hash = suite_parse("s", path, "from other 5\n").hash;
    suite_beside("[5-a] A\npop\n");
    assert_true(hash != suite.hash && hash != suite_parse("s", path, "from other 5\n").hash);
}

static void refuses(int code, const char *text, const char *says) {
    const char *path = suite_beside("[a]\npush\n");
    assert_refused(code, says, suite_parse("s", path, text).section_count);
}

IN_A_TREE(mistakes_in_what_is_taken_are_named) {
    refuses(2, "from\n", "from needs a suite");
    refuses(2, "from other\n", "from needs a suite");
    refuses(2, "from other x\n", "the suite other has no section x");
    refuses(3, "from nowhere a\n", "No such file");
    refuses(2, "from other a batch\n", "name=value");
    refuses(2, "from other a invocations=0\n", "invocations");
    refuses(2, "from other a\nfrom other a\n", "[a] is there twice");
    refuses(2, "from other a\npush\n", "a [tag] line comes before");
    const char *path = suite_beside("from other a\n");
    assert_refused(2, "cannot take any itself", suite_parse("s", path, "from other a\n").section_count);
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
    REFUSED("[a]\nthreads_beyond cut\npush\n", "s.suite:2: threads_beyond=cut");
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
