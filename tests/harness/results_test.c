/* results_test.c: what is kept of a samples.csv that was being written, and what happens when it cannot be. */
#include "harness/files.h"
#include "harness/invocation.h"
#include "harness/parameters.h"
#include "harness/results.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HEADER SAMPLES_COLUMNS "\n"
#define ROW(cell, invocation, metric, status)                                                                          \
    cell ",push,array,batch=1;seed=1,owner:0,process," invocation ",0," metric ",1,s," status ",\n"
#define VALUE(cell, invocation) ROW(cell, invocation, "latency", "ok")
#define END(cell, invocation, status) ROW(cell, invocation, INVOCATION_END, status)
#define A "00000000000000aa"
#define B "00000000000000bb"
#define THREE                                                                                                          \
    HEADER VALUE(A, "0") END(A, "0", "ok") VALUE(B, "0") END(B, "0", "crashed") VALUE(A, "1") END(A, "1", "ok")

static char message[MESSAGE_SIZE];

/* text is taken up: so many whole bytes, so many invocations. */
static void keeps(const char *text, size_t bytes, size_t invocations) {
    struct finished finished;
    size_t whole;
    assert_true(samples_scan(text, strlen(text), &finished, &whole, message));
    assert_int_equal(whole, bytes);
    assert_int_equal(finished.count, invocations);
    free(finished.at);
}

static void whole_invocations_are_kept(void **state) {
    struct finished finished;
    size_t whole;
    (void)state;
    assert_true(samples_scan(THREE, strlen(THREE), &finished, &whole, message));
    assert_int_equal(whole, strlen(THREE));
    assert_int_equal(finished.count, 3);
    assert_true(finished.at[0].cell == 0xaa && finished.at[1].cell == 0xbb && finished.at[2].cell == 0xaa);
    assert_int_equal(finished.at[2].invocation, 1);
    assert_true(finished.at[0].ok && !finished.at[1].ok);
    assert_true(finished.at[0].subject == plan_subject("push", "array", "batch=1;seed=1"));
    free(finished.at);
}

/* Whatever byte the writing stopped at: what is kept ends on the last invocation that was whole by then. */
static void every_torn_end_is_cut_off(void **state) {
    const char *text = THREE;
    size_t ends[4] = {strlen(HEADER)}, count = 1;
    (void)state;
    for (const char *row = text; (row = strstr(row, "," INVOCATION_END ",")); count++) {
        row = strchr(row, '\n') + 1;
        ends[count] = (size_t)(row - text);
    }
    assert_int_equal(count, 4);
    for (size_t length = 0; length <= strlen(text); length++) {
        char *torn = strndup(text, length);
        size_t expected = 0, invocations = 0;
        for (size_t i = 0; i < count; i++) {
            if (ends[i] <= length) {
                expected = ends[i];
                invocations = i;
            }
        }
        keeps(torn, expected, invocations);
        free(torn);
    }
}

static void an_unfinished_invocation_is_cut_off(void **state) {
    (void)state;
    keeps(THREE VALUE(B, "1") VALUE(B, "1"), strlen(THREE), 3);
    keeps(THREE VALUE(B, "1") "rubbish without a line end", strlen(THREE), 3);
    keeps(THREE VALUE(B, "1") "rubbish\n", strlen(THREE), 3);
}

static void refused(const char *text, const char *says) {
    struct finished finished;
    size_t whole;
    assert_false(samples_scan(text, strlen(text), &finished, &whole, message));
    assert_non_null(strstr(message, says));
    free(finished.at);
}

static void foreign_files_are_refused(void **state) {
    (void)state;
    refused("a,b,c\n1,2,3\n", "first line");
    refused("x", "first line");
    refused(HEADER "a,b,c\n" VALUE(A, "0") END(A, "0", "ok"), "line 2 is no row");
    refused(HEADER VALUE("nonsense", "0") END(A, "0", "ok"), "line 2 is no row");
    refused(HEADER VALUE(A, "zero") END(A, "0", "ok"), "line 2 is no row");
}

static void rows_are_appended_or_not_at_all(void **state) {
    struct results results;
    struct finished finished;
    struct text rows = {0}, back = {0};
    char parent[] = "/tmp/stealbench-results-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(parent));
    assert_int_equal(results_create(&results, parent, "mine", message), 0);
    text_add(&rows, VALUE(A, "0") END(A, "0", "ok"));
    assert_int_equal(results_append(&results, &rows, message), 0);
    char *folder = duplicate(results.folder), *path = path_join(folder, "samples.csv");

    /* a second driver is kept out, whether it makes the run or takes it up */
    struct results second;
    assert_int_equal(results_create(&second, parent, "mine", message), 2);
    results_close(&second);
    assert_int_equal(results_resume(&second, folder, &finished, message), 2);
    assert_non_null(strstr(message, "another stealbench"));
    results_close(&second);
    results_close(&results);

    assert_int_equal(results_resume(&results, folder, &finished, message), 0);
    assert_int_equal(finished.count, 1);
    free(finished.at);
    /* a full disk in the middle of the rows */
    int good = results.samples;
    results.samples = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_int_equal(results_append(&results, &rows, message), 4);
    assert_non_null(strstr(message, "No space left"));
    assert_non_null(strstr(message, "make room"));
    close(results.samples);
    results.samples = good;
    assert_int_equal(file_read(path, &back), 0);
    assert_string_equal(back.data, HEADER VALUE(A, "0") END(A, "0", "ok"));

    results_close(&results);
    unlink(path);
    rmdir(folder);
    rmdir(parent);
    free(path);
    free(folder);
    text_free(&rows);
    text_free(&back);
}

static void runs_have_names_of_their_own(void **state) {
    static const char *const wrong[] = {"", ".", "..", ".hidden", "a/b", "a b", "a\nb"};
    struct results results;
    char parent[] = "/tmp/stealbench-results-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(parent));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(results_create(&results, parent, wrong[i], message), 2);
        results_close(&results);
    }
    char *name = results_new_name(parent, "quick");
    assert_non_null(strstr(name, "Z-quick"));
    assert_null(results_latest(parent, "quick"));
    free(name);
    rmdir(parent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_invocations_are_kept),          cmocka_unit_test(every_torn_end_is_cut_off),
        cmocka_unit_test(an_unfinished_invocation_is_cut_off), cmocka_unit_test(foreign_files_are_refused),
        cmocka_unit_test(rows_are_appended_or_not_at_all),     cmocka_unit_test(runs_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
