/* results_test.c: what is kept of a samples.csv that was being written, and what happens when it cannot be. */
#include "harness/driver/record/record.h"
#include "tests/harness/refusal.h"
#include "tests/harness/system_tree.h"
#include <fcntl.h>

#define HEADER SAMPLES_COLUMNS "\n"
#define ROW(cell, invocation, metric, status)                                                                          \
    cell ",push,array,batch=1;seed=1,owner:0,process," invocation ",0," metric ",1,s," status ",,,vm,\n"
#define VALUE(cell, invocation) ROW(cell, invocation, "latency", "ok")
#define END(cell, invocation, status) ROW(cell, invocation, INVOCATION_END, status)
#define A "00000000000000aa"
#define B "00000000000000bb"
#define THREE                                                                                                          \
    HEADER VALUE(A, "0") END(A, "0", "ok") VALUE(B, "0") END(B, "0", "crashed") VALUE(A, "1") END(A, "1", "ok")

/* text is taken up: so many whole bytes, so many invocations. */
static void keeps(const char *text, size_t bytes, size_t invocations) {
    struct finished finished = {0};
    assert_int_equal(samples_scan(text, strlen(text), &finished), bytes);
    assert_int_equal(finished.count, invocations);
}

TEST(whole_invocations_are_kept) {
    struct finished finished = {0};
    assert_int_equal(samples_scan(THREE, strlen(THREE), &finished), strlen(THREE));
    assert_int_equal(finished.count, 3);
    assert_true(finished.at[0].cell == 0xaa && finished.at[1].cell == 0xbb && finished.at[2].cell == 0xaa);
    assert_int_equal(finished.at[2].invocation, 1);
    assert_true(finished.at[0].ok && !finished.at[1].ok);
    assert_true(finished.at[0].subject == plan_subject("push", "array", "batch=1;seed=1"));
}

/* Whatever byte the writing stopped at: what is kept ends on the last invocation that was whole by then. */
TEST(every_torn_end_is_cut_off) {
    const char *text = THREE;
    size_t ends[4] = {strlen(HEADER)}, count = 1;
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
    }
}

TEST(an_unfinished_invocation_is_cut_off) {
    keeps(THREE VALUE(B, "1") VALUE(B, "1"), strlen(THREE), 3);
    keeps(THREE VALUE(B, "1") "rubbish without a line end", strlen(THREE), 3);
    keeps(THREE VALUE(B, "1") "rubbish\n", strlen(THREE), 3);
}

static void refuses(const char *text, const char *says) {
    struct finished finished = {0};
    assert_refused(4, says, samples_scan(text, strlen(text), &finished));
}

TEST(foreign_files_are_refused) {
    refuses("a,b,c\n1,2,3\n", "first line");
    refuses("x", "first line");
    refuses(HEADER "a,b,c\n" VALUE(A, "0") END(A, "0", "ok"), "line 2 is no row");
    refuses(HEADER VALUE("nonsense", "0") END(A, "0", "ok"), "line 2 is no row");
    refuses(HEADER VALUE(A, "zero") END(A, "0", "ok"), "line 2 is no row");
}

#define BUCKETS HISTOGRAMS_COLUMNS "\n"
#define BUCKET(cell, invocation, lower) cell ",thief," invocation ",0,steal_latency," lower ",100,7,ns\n"

/* What of a histograms.csv is kept beside a samples.csv that holds THREE. */
static void keeps_buckets(const char *text, size_t bytes) {
    struct finished finished = {0};
    samples_scan(THREE, strlen(THREE), &finished);
    assert_int_equal(histograms_scan(text, strlen(text), &finished), bytes);
}

/* An invocation's histograms are kept exactly when its samples are. */
TEST(histograms_of_unfinished_invocations_are_cut_off) {
    const char *text = BUCKETS BUCKET(A, "0", "10") BUCKET(A, "0", "20") BUCKET(A, "1", "10") BUCKET(B, "1", "10");
    const size_t whole = strlen(text) - strlen(BUCKET(B, "1", "10"));
    keeps_buckets("", 0);
    keeps_buckets(text, whole);
    /* whatever byte the writing stopped at */
    for (size_t length = 0; length <= strlen(text); length++) {
        char *torn = strndup(text, length);
        size_t expected = length < strlen(BUCKETS) ? 0 : length > whole ? whole : length;
        while (expected > 0 && torn[expected - 1] != '\n')
            expected--;
        keeps_buckets(torn, expected);
    }
}

TEST(foreign_histograms_are_refused) {
    static const char *const wrong[] = {"a,b,c\n", "x", BUCKETS BUCKET(B, "1", "10") BUCKET(A, "0", "10"),
                                        BUCKETS "a,b,c\n" BUCKET(A, "0", "10")};
    struct finished finished = {0};
    samples_scan(THREE, strlen(THREE), &finished);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(4, "line", histograms_scan(wrong[i], strlen(wrong[i]), &finished));
}

static void holds(const char *path, const char *wanted) {
    struct text text = {0};
    assert_int_equal(file_read(path, &text), 0);
    assert_string_equal(text.data, wanted);
    text_free(&text);
}

/* Both files after an append that worked, one whose samples found no room, and after being taken up again. */
IN_A_TREE(both_files_are_appended_or_neither) {
    struct finished finished;
    struct text rows = {0}, buckets = {0}, none = {0};
    struct results results = results_create(root, "mine");
    const char *folder = path_join(root, "mine"), *path = path_join(folder, "histograms.csv");
    text_add(&rows, VALUE(A, "0") END(A, "0", "ok"));
    text_add(&buckets, BUCKET(A, "0", "10"));
    assert_null(results_append(&results, &rows, &none));
    assert_int_equal(access(path, F_OK), -1);
    assert_null(results_append(&results, &rows, &buckets));
    int good = results.samples.descriptor;
    results.samples.descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC);
    const char *why = results_append(&results, &rows, &buckets);
    assert_true(why && strstr(why, "No space left") && strstr(why, "make room"));
    close(results.samples.descriptor);
    results.samples.descriptor = good;
    holds(path, BUCKETS BUCKET(A, "0", "10"));
    /* killed between the two files: the histogram is there, its samples are not */
    text_free(&buckets);
    text_add(&buckets, BUCKET(B, "5", "10"));
    assert_int_equal(write_all(results.histograms.descriptor, buckets.data, buckets.length), 0);
    results_close(&results);
    results = results_resume(folder, &finished);
    holds(path, BUCKETS BUCKET(A, "0", "10"));
    assert_null(results_append(&results, &rows, &buckets));
    holds(path, BUCKETS BUCKET(A, "0", "10") BUCKET(B, "5", "10"));
    results_close(&results);
}

static void refuses_name(const char *name) { assert_refused(2, "cannot name a run", results_create(root, name).copy); }

IN_A_TREE(runs_have_names_of_their_own) {
    static const char *const wrong[] = {"", ".", "..", ".hidden", "a/b", "a b", "a\nb"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refuses_name(wrong[i]);
    assert_non_null(strstr(results_new_name(root, "quick"), "Z-quick"));
    assert_null(results_latest(root, "quick"));
}

int main(void) { return unit_tests_run(NULL, NULL); }
