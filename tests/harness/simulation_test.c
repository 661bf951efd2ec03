/* simulation_test.c: the command of a simulated cell, and callgrind's counts as samples. */
#include "harness/driver/execute/execute.h"
#include "harness/measuring/counters/counters.h"
#include "tests/harness/system_tree.h"
#include <fcntl.h>

#define PRINTED "placement\towner:0\nsample\towner\t0\t" SIMULATED_OPERATIONS "\t200\toperations\tok\tsimulated\n"
#define COUNTS                                                                                                         \
    "# callgrind format\nversion: 1\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\nfn=(1) push\n1 5 5 5\n"           \
    "summary: 1 1 1\ntotals: 4000 300 100 9 7 3 8 2 1\n"

static char path[] = "/tmp/simulation_test.XXXXXX";

/* What is printed after the counts were taken from a file that holds `counts`. */
static const char *taken(const char *printed, const char *counts) {
    static struct text output;
    struct text text = {0};
    text_free(&output);
    text_add(&output, printed);
    text_add(&text, counts);
    assert_int_equal(file_replace(path, &text), 0);
    text_free(&text);
    simulation_take_counts(path, &output);
    assert_int_equal(access(path, F_OK), -1);
    return text_string(&output);
}

TEST(totals_become_samples) {
    const char *output = taken(PRINTED, COUNTS);
    assert_non_null(strstr(output, "\nsample\towner\t0\tinstructions_simulated\t4000\tinstructions\tok\tsimulated\n"));
    assert_non_null(strstr(output, "\tinstructions_simulated_per_operation\t20\tinstructions/operation\tok\tsimul"));
    assert_non_null(strstr(output, "\tdata_references_simulated\t400\t"));
    assert_non_null(strstr(output, "\tl1_data_misses_simulated_per_operation\t0.05\t"));
    assert_non_null(strstr(output, "\tlast_level_data_misses_simulated\t3\tmisses\t"));
}

/* callgrind leaves out zeros at the end of a line. */
TEST(values_left_out_are_zero) {
    const char *output = taken(PRINTED, "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\ntotals: 4000 300\n");
    assert_non_null(strstr(output, "\tdata_references_simulated\t300\t"));
    assert_non_null(strstr(output, "\tl1_data_misses_simulated\t0\t"));
}

TEST(what_was_not_counted_is_not_reported) {
    assert_null(strstr(taken(PRINTED, "events: Ir\ntotals: 4000\n"), "misses"));
    assert_string_equal(taken(PRINTED, ""), PRINTED);
    assert_string_equal(taken(PRINTED, "events: Ir\n"), PRINTED);
    assert_string_equal(taken("placement\towner:0\n", COUNTS), "placement\towner:0\n");
    /* whose would they be? */
    assert_string_equal(taken(PRINTED PRINTED, COUNTS), PRINTED PRINTED);
}

static struct words command(const struct simulation *simulation, const struct planned_cell *cell) {
    struct words words = {0};
    simulation_command(simulation, cell, 0, "/r/out", &words);
    return words;
}

IN_A_TREE(a_command_is_wrapped_only_where_it_is_asked_for) {
    static char id[] = "abp", executable[] = "/b/deques/abp";
    const struct catalogue_part part = {.executable = executable};
    const struct catalogue_deque deque = {.id = id};
    struct planned_cell cell = {.deque = &deque, .part = &part, .simulated = true};
    struct simulation simulation = {.build = root};
    struct words built = {0};
    assert_string_equal(command(&simulation, &cell).at[0], executable); /* it is not built */
    const char *folder = path_join(root, "simulated"), *simulated = path_join(folder, id);
    assert_int_equal(folder_make(folder), 0);
    assert_int_equal(close(creat(simulated, 0755)), 0);
    built = command(&simulation, &cell);
    assert_string_equal(built.at[0], "valgrind");
    assert_string_equal(built.at[built.count - 2], "--callgrind-out-file=/r/out");
    assert_string_equal(built.at[built.count - 1], simulated);
    simulation.why = "no valgrind";
    assert_string_equal(command(&simulation, &cell).at[0], executable);
    simulation.why = NULL;
    cell.simulated = false;
    assert_int_equal(command(&simulation, &cell).count, 1);
}

static int make_path(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

int main(void) { return unit_tests_run(make_path, NULL); }
