/* split_test.c: a plan divided into parts of about the same time, and what --part and --split mean. */
#include "harness/driver/plan/plan.h"
#include "tests/unit.h"

enum { GROUPS = 6, CELLS = 2 * GROUPS };

/* Two cells a group, four invocations a cell: the groups take 8, 16, 24, 32, 40, 48 s. */
static struct plan made_plan(void) {
    static struct catalogue_deque deque = {.id = "array"};
    struct plan plan = {.cells = allocate(CELLS, sizeof plan.cells[0]),
                        .groups = allocate(GROUPS, sizeof plan.groups[0]),
                        .cell_count = CELLS,
                        .group_count = GROUPS};
    for (size_t i = 0; i < CELLS; i++) {
        struct planned_group *group = &plan.groups[i / 2];
        plan.cells[i] = (struct planned_cell){.id = i, .deque = &deque, .group = i / 2, .options = {.invocations = 4}};
        const size_t place = ONE_MORE(group->cells, group->count);
        group->cells[place] = i;
    }
    return plan;
}
static const double seconds[CELLS] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6};

/* parts or length: as asked; made: how many parts; longest: s of the longest. Groups stay together. */
TEST(parts_are_as_few_and_as_long_as_asked) {
    static const struct {
        unsigned parts;
        double length;
        unsigned made;
        double longest;
    } due[] = {{1, 0, 1, 168},  {3, 0, 3, 56},  {6, 0, 6, 48},  {9, 0, 6, 48}, {0, 1000, 1, 168},
               {0, 167, 2, 88}, {0, 56, 3, 56}, {0, 50, 4, 48}, {0, 1, 4, 48}};
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++) {
        const struct plan plan = made_plan();
        unsigned part_of[CELLS];
        double taken[CELLS + 1] = {0}, longest = 0;
        assert_int_equal(split_make(&plan, seconds, due[i].parts, due[i].length, part_of), due[i].made);
        for (size_t j = 0; j < CELLS; j++) {
            assert_in_range(part_of[j], 1, due[i].made);
            assert_int_equal(part_of[j], part_of[j ^ 1]);
            taken[part_of[j]] += split_cell_seconds(&plan.cells[j], seconds[j]);
            longest = taken[part_of[j]] > longest ? taken[part_of[j]] : longest;
        }
        assert_float_equal(longest, due[i].longest, 1e-9);
    }
}

TEST(a_part_of_the_plan_keeps_its_groups) {
    struct plan plan = made_plan();
    plan_keep(&plan, (bool[CELLS]){[2] = true, [3] = true, [7] = true});
    assert_true(plan.cell_count == 3 && plan.group_count == 2);
    assert_true(plan.groups[0].count == 2 && plan.groups[1].count == 1);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < plan.groups[i].count; j++)
            assert_int_equal(plan.cells[plan.groups[i].cells[j]].group, i);
    assert_int_equal(plan.cells[plan.groups[1].cells[0]].id, 7);
}

TEST(parts_and_lengths_are_read) {
    unsigned part, parts;
    double length;
    split_parse_part("3/12", &part, &parts);
    assert_true(part == 3 && parts == 12);
    split_parse_wish("12", &parts, &length);
    assert_true(parts == 12 && !(length > 0));
    split_parse_wish("1.5h", &parts, &length);
    assert_true(parts == 0 && length > 5399 && length < 5401);
}

int main(void) { return unit_tests_run(NULL, NULL); }
