/* suite_test.c: the text of a suite, read; what is wrong in it, and where. */
#include "harness/driver/plan/suite.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char message[MESSAGE_SIZE];

static void a_suite_is_read(void **state) {
    struct suite suite;
    (void)state;
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

static void line_ends_of_other_systems_do_not_matter(void **state) {
    struct suite suite;
    (void)state;
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

static void mistakes_are_named_with_their_line(void **state) {
    (void)state;
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

static void values_may_hold_what_separates(void **state) {
    struct suite suite;
    (void)state;
    assert_int_equal(suite_parse(&suite, "s", "s", "[a]\nwalk path=/a%20b%23%2Cc,/d;e=f threads=2\n", message), 0);
    const struct suite_key *key = &suite.sections[0].lines[0].keys[0];
    assert_int_equal(key->values.count, 2);
    assert_string_equal(key->values.at[0], "/a b#,c");
    assert_string_equal(key->values.at[1], "/d;e=f");
    refused("[a]\nwalk path=/50%\n", "s.suite:2: path=/50%: % stands for a byte");
    refused("[a]\nwalk path=%00\n", "% itself is %25");
}

static void an_option_is_a_word_of_its_own(void **state) {
    struct suite suite;
    (void)state;
    assert_int_equal(suite_parse(&suite, "s", "s", "[a]\ntimeouts x=1\n", message), 0);
    assert_string_equal(suite.sections[0].lines[0].workload, "timeouts");
}

static void more_sections_than_tags_can_be_kept_for(void **state) {
    struct text text = {0};
    (void)state;
    for (unsigned i = 0; i <= SECTIONS_MAX; i++)
        text_format(&text, "[s%u]\npush\n", i);
    refused(text.data, "at most 64 sections");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suite_is_read),
        cmocka_unit_test(line_ends_of_other_systems_do_not_matter),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(values_may_hold_what_separates),
        cmocka_unit_test(an_option_is_a_word_of_its_own),
        cmocka_unit_test(more_sections_than_tags_can_be_kept_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
