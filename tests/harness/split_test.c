/* split_test.c: a plan divided into parts, what is written of that, and the folders of parts with one writer each. */
#include "harness/driver/record/record.h"
#include "tests/harness/refusal.h"
#include "tests/harness/system_tree.h"
#include <errno.h>

#define CELLS 12
#define GROUPS 6

static struct catalogue_deque deque = {.id = "array"};

/* Twelve cells, two a group. */
static void make_plan(struct plan *plan) {
    *plan = (struct plan){.cells = allocate(CELLS, sizeof plan->cells[0]),
                          .groups = allocate(GROUPS, sizeof plan->groups[0]),
                          .cell_count = CELLS,
                          .group_count = GROUPS};
    for (size_t i = 0; i < GROUPS; i++)
        plan->groups[i].cells = allocate(2, sizeof plan->groups[i].cells[0]);
    for (size_t i = 0; i < CELLS; i++) {
        struct planned_cell *cell = &plan->cells[i];
        *cell = (struct planned_cell){.id = 0xa000 + i, .deque = &deque, .workload = "push", .group = i / 2};
        cell->params = "batch=1;seed=1";
        cell->options.invocations = 4;
        struct planned_group *group = &plan->groups[cell->group];
        group->cells[group->count++] = i;
    }
}

/* Seconds of an invocation: the groups take 8, 16, 24, 32, 40, 48. */
static const double seconds[CELLS] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6};

static double seconds_of(const struct plan *plan, const struct split *split, unsigned part) {
    double all = 0;
    for (size_t i = 0; i < plan->cell_count; i++)
        all += split->part_of[i] == part ? split_cell_seconds(&plan->cells[i], seconds[i]) : 0;
    return all;
}

TEST(every_cell_is_in_one_part_and_groups_stay_together) {
    for (unsigned parts = 1; parts <= GROUPS + 2; parts++) {
        struct plan plan;
        make_plan(&plan);
        const struct split split = split_make(&plan, seconds, parts, 0);
        assert_int_equal(split.parts, parts < GROUPS ? parts : GROUPS);
        for (unsigned part = 1; part <= split.parts; part++)
            assert_true(seconds_of(&plan, &split, part) > 0);
        for (size_t i = 0; i < CELLS; i++) {
            assert_in_range(split.part_of[i], 1, split.parts);
            assert_int_equal(split.part_of[i], split.part_of[i ^ 1]);
        }
    }
}

TEST(parts_take_about_as_long) {
    struct plan plan;
    make_plan(&plan);
    const struct split split = split_make(&plan, seconds, 3, 0);
    for (unsigned part = 1; part <= 3; part++) /* 168 in all */
        assert_float_equal(seconds_of(&plan, &split, part), 56, 1e-9);
}

TEST(a_length_gives_the_fewest_parts) {
    static const struct {
        double length;
        unsigned parts;
    } wanted[] = {{1000, 1}, {168, 1}, {167, 2}, {88, 2}, {56, 3}, {50, 4}, {48, 4}, {1, 4}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct plan plan;
        make_plan(&plan);
        const struct split split = split_make(&plan, seconds, 0, wanted[i].length);
        assert_int_equal(split.parts, wanted[i].parts);
        for (unsigned part = 1; part <= split.parts; part++) /* a group longer than the length is a part by itself */
            assert_true(seconds_of(&plan, &split, part) <= (wanted[i].length > 48 ? wanted[i].length : 48) + 1e-9);
    }
}

TEST(what_was_written_is_read_and_only_by_the_same_plan) {
    struct plan plan;
    struct text text = {0};
    make_plan(&plan);
    const struct split split = split_make(&plan, seconds, 4, 0);
    split_write(&text, &split, &plan, seconds);
    const struct split again = split_read(&plan, text.data);
    assert_int_equal(again.parts, 4);
    assert_memory_equal(split.part_of, again.part_of, CELLS * sizeof split.part_of[0]);
    plan.cells[5].options.invocations = 5; /* asked for more */
    assert_refused(2, "other cells", split_read(&plan, text.data).parts);
    plan.cells[5].options.invocations = 4;
    plan.cells[5].id++; /* another build */
    assert_refused(2, "other cells", split_read(&plan, text.data).parts);
    plan.cells[5].id--;
    *strrchr(text.data, 'a') = '\0'; /* torn: a cell is missing */
    assert_refused(2, "other cells", split_read(&plan, text.data).parts);
}

TEST(a_part_of_the_plan_keeps_its_groups) {
    struct plan plan;
    bool keep[CELLS] = {[2] = true, [3] = true, [7] = true};
    make_plan(&plan);
    plan_keep(&plan, keep);
    assert_int_equal(plan.cell_count, 3);
    assert_int_equal(plan.group_count, 2);
    assert_int_equal(plan.groups[0].count, 2);
    assert_int_equal(plan.groups[1].count, 1);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < plan.groups[i].count; j++)
            assert_int_equal(plan.cells[plan.groups[i].cells[j]].group, i);
    assert_int_equal(plan.cells[plan.groups[1].cells[0]].id, 0xa007);
}

static void refuses(const char *part_of, const char *wish) {
    unsigned part, parts;
    double length;
    if (part_of)
        assert_refused(2, "expected I/N", split_parse_part(part_of, &part, &parts));
    else
        assert_refused(2, "a number of parts", split_parse_wish(wish, &parts, &length));
}

TEST(parts_and_lengths_are_read) {
    static const char *const wrong[] = {"0/3", "4/3", "1", "1/", "/3", "1/3x", "1/100000", "a/b"};
    static const char *const wrong_wish[] = {"0", "1.5", "m", "0.1s", "-3", "3 m", "", "99999999"};
    unsigned part, parts;
    double length;
    split_parse_part("3/12", &part, &parts);
    assert_true(part == 3 && parts == 12);
    split_parse_wish("12", &parts, &length);
    assert_true(parts == 12 && !(length > 0));
    split_parse_wish("1.5h", &parts, &length);
    assert_true(parts == 0 && length > 5399 && length < 5401);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refuses(wrong[i], NULL);
    for (size_t i = 0; i < sizeof wrong_wish / sizeof wrong_wish[0]; i++)
        refuses(NULL, wrong_wish[i]);
}

static struct text row(const char *cell, unsigned invocation) {
    struct text text = {0};
    text_format(&text, "%s,push,array,batch=1;seed=1,owner:0,process,%u,0," INVOCATION_END ",1,s,ok,,,n1,\n", cell,
                invocation);
    return text;
}

/* Two attempts at once, as when a node that was thought dead goes on: each writes its own file. */
IN_A_TREE(each_attempt_has_its_own_file) {
    struct finished finished;
    struct text none = {0}, one = row("00000000000000aa", 0), other = row("00000000000000aa", 1);
    struct results first = parts_begin(root, 3, 1, &finished);
    assert_int_equal(finished.count, 0);
    assert_null(results_append(&first, &one, &none));
    struct results second = parts_begin(root, 3, 1, &finished);
    assert_int_equal(finished.count, 1);
    assert_string_not_equal(first.folder, second.folder);
    assert_null(results_append(&second, &other, &none));
    assert_null(results_append(&first, &other, &none));                               /* it is alive after all */
    assert_int_equal(write(first.samples.descriptor, "00000000000000aa,pu", 19), 19); /* and dies at last */
    struct results third = parts_begin(root, 3, 1, &finished);
    assert_int_equal(finished.count, 3);
    results_close(&third);
    third = parts_begin(root, 3, 2, &finished); /* the same cells on another node */
    assert_int_equal(finished.count, 0);
    assert_null(parts_any_attempt(root, 10)); /* none has a manifest */
    results_close(&first);
    results_close(&second);
    results_close(&third);
}

/* A later process uses the existing division. */
IN_A_TREE(the_first_division_holds) {
    struct text one = {0}, other = {0}, read = {0};
    text_add(&one, "one\n");
    text_add(&other, "other\n");
    parts_agree(root, &one, &read);
    parts_agree(root, &other, &read);
    assert_string_equal(read.data, "one\none\n");
    char *path = path_join(root, "split.csv");
    assert_int_equal(file_make(path, &other), EEXIST);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(folder_names(root, "").count, 0); /* nothing is left beside it */
}

int main(void) { return unit_tests_run(NULL, NULL); }
