/* knapsack_test.c: instances generated and read, what is refused, and the solver by decision diagrams against dynamic
 * programming, whatever the width. */
#include "harness/measuring/random.h"
#include "tests/workloads/input_file.h"
#include "workloads/applications/knapsack/knapsack_cuts.h"
#include <errno.h>

/* --- the solver, with a stack in place of a pool */

enum { STACK_MAX = 100000, CLASSES = KNAPSACK_CIRCLE + 1 };

struct solve {
    struct knapsack_problem problem;
    struct knapsack_subproblem *stack;
    size_t count;
    uint64_t best, steps;
    uint64_t *chosen;
};

static uint64_t best_of(void *context) { return ((struct solve *)context)->best; }

/* A solution is what it says: the profit of what is chosen, and no heavier than allowed. */
static void improve(void *context, uint64_t profit, const uint64_t *chosen) {
    struct solve *solve = context;
    uint64_t sum = 0, weight = 0;
    for (size_t i = 0; i < solve->problem.items; i++) {
        if (chosen[i / 64] >> i % 64 & 1) {
            sum += solve->problem.profit[i];
            weight += solve->problem.weight[i];
        }
    }
    assert_true(sum == profit);
    assert_true(weight <= solve->problem.capacity);
    assert_true(profit > solve->best);
    solve->best = profit;
}

static bool divide(void *context, const struct knapsack_subproblem *sub) {
    struct solve *solve = context;
    struct knapsack_subproblem *mine = &solve->stack[solve->count++];
    assert_true(solve->count < STACK_MAX);
    assert_true(sub->bound > solve->best);
    *mine = *sub;
    mine->chosen = malloc(solve->problem.words * sizeof mine->chosen[0]);
    assert_non_null(mine->chosen);
    memcpy(mine->chosen, sub->chosen, solve->problem.words * sizeof mine->chosen[0]);
    return true;
}

static uint64_t pruned; /* by cuts, in all tests */
static uint64_t steps;  /* of the last search */

/* kept: cuts, 0: none. */
static uint64_t solved_with_cuts(const struct knapsack_instance *instance, size_t width, bool by_layer, size_t kept) {
    struct solve solve = {.stack = calloc(STACK_MAX, sizeof solve.stack[0])};
    struct knapsack_search search = {best_of, improve, divide, &solve};
    assert_non_null(solve.stack);
    assert_int_equal(knapsack_prepare(&solve.problem, instance), 0);
    struct knapsack_workspace *space = knapsack_workspace(&solve.problem, width, by_layer);
    assert_non_null(space);
    struct knapsack_cuts *cuts = kept ? knapsack_cuts(&solve.problem, kept) : NULL;
    uint64_t *none = calloc(solve.problem.words, sizeof none[0]);
    struct knapsack_subproblem root = {.room = solve.problem.capacity, .chosen = none};
    root.bound = knapsack_bound(&solve.problem, 0, root.room, 0);
    if (root.bound > 0)
        divide(&solve, &root);
    free(none);
    while (solve.count > 0) {
        struct knapsack_subproblem sub = solve.stack[--solve.count];
        size_t before = solve.count;
        if (cuts && knapsack_cuts_prune(cuts, &sub, solve.best)) {
            pruned++;
            free(sub.chosen);
            continue;
        }
        assert_false(knapsack_branch(space, &sub, &search).failed);
        for (size_t i = before; i < solve.count; i++)
            assert_true(solve.stack[i].item > sub.item); /* deeper, so that it ends */
        if (cuts && solve.count > before)
            knapsack_cuts_make(cuts, &sub);
        free(sub.chosen);
        solve.steps++;
    }
    steps = solve.steps;
    knapsack_workspace_free(space);
    knapsack_cuts_free(cuts);
    knapsack_unprepare(&solve.problem);
    free(solve.stack);
    return solve.best;
}

static uint64_t solved(const struct knapsack_instance *instance, size_t width, bool by_layer) {
    return solved_with_cuts(instance, width, by_layer, 0);
}

TEST(the_papers_example_has_the_optimum_15) {
    struct knapsack_instance example;
    uint64_t optimum;
    assert_int_equal(knapsack_example(&example), 0);
    assert_true(knapsack_dynamic(&example, &optimum));
    assert_int_equal(optimum, 15);
    for (size_t width = 2; width < 6; width++) {
        assert_int_equal(solved(&example, width, false), 15);
        assert_int_equal(solved(&example, width, true), 15);
    }
    knapsack_free(&example);
}

TEST(diagrams_find_what_dynamic_programming_finds) {
    static const size_t widths[] = {2, 3, 4, 7, 20, 300};
    for (unsigned round = 0; round < 400; round++) {
        struct knapsack_instance instance;
        uint64_t optimum;
        size_t items = 1 + mix64(round) % 24;
        unsigned percent = (unsigned)(mix64(round + 1000) % 101);
        uint64_t range = 1 + mix64(round + 2000) % (round % 2 ? 1000 : 12);
        assert_int_equal(
            knapsack_generate(&instance, (enum knapsack_class)(round % CLASSES), items, range, percent, round), 0);
        if (round % 5 == 0)
            instance.weight[items / 2] = 0;
        if (round % 7 == 0)
            instance.profit[items / 3] = 0;
        assert_true(knapsack_dynamic(&instance, &optimum));
        for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
            for (int by_layer = 0; by_layer < 2; by_layer++) {
                uint64_t found = solved(&instance, widths[i], by_layer);
                if (found != optimum)
                    fail_msg("round %u, width %zu, by_layer %d: %llu, should be %llu", round, widths[i], by_layer,
                             (unsigned long long)found, (unsigned long long)optimum);
            }
        }
        knapsack_free(&instance);
    }
}

/* A cut that held for less than it says would lose the optimum. */
TEST(cuts_lose_no_solution_and_prune) {
    pruned = 0;
    for (unsigned round = 0; round < 600; round++) {
        struct knapsack_instance instance;
        uint64_t optimum;
        size_t items = 1 + mix64(round) % (round % 3 ? 24 : 90);
        assert_int_equal(knapsack_generate(&instance, (enum knapsack_class)(round % CLASSES), items,
                                           5 + mix64(round) % 60, 20 + round % 60, round),
                         0);
        if (round % 5 == 0)
            instance.weight[items / 2] = 0;
        assert_true(knapsack_dynamic(&instance, &optimum));
        uint64_t found = solved_with_cuts(&instance, 2 + round % 3, false, 1 + round % 5);
        if (found != optimum)
            fail_msg("round %u: %llu, should be %llu", round, (unsigned long long)found, (unsigned long long)optimum);
        knapsack_free(&instance);
    }
    assert_true(pruned > 100);
}

/* Few of the best prices, or a cut that is forgotten although it prunes, and most of this would have to be searched. */
TEST(cuts_leave_a_tenth_of_a_hard_search) {
    struct knapsack_instance instance;
    assert_int_equal(knapsack_generate(&instance, KNAPSACK_STRONGLY, 75, 1000, 50, 2), 0);
    uint64_t optimum = solved(&instance, 32, false), without = steps;
    assert_int_equal(solved_with_cuts(&instance, 32, false, 4), optimum);
    assert_true(without > 1000 && steps < without / 10);
    assert_int_equal(solved_with_cuts(&instance, 32, false, 1), optimum);
    assert_true(steps < without / 2);
    knapsack_free(&instance);
}

/* Seven items of weight 3 and a room of 10: three of them, whichever. */
TEST(a_cut_allows_what_fits) {
    uint64_t weights[8], profits[8], none = 0, first = 1;
    struct knapsack_instance instance = {.items = 7, .capacity = 10, .weight = weights, .profit = profits};
    struct knapsack_problem problem;
    for (int i = 0; i < 7; i++)
        weights[i] = 3, profits[i] = 10;
    assert_int_equal(knapsack_prepare(&problem, &instance), 0);
    struct knapsack_cuts *cuts = knapsack_cuts(&problem, 2);
    struct knapsack_subproblem root = {.room = 10, .chosen = &none},
                               rest = {.item = 1, .room = 7, .profit = 10, .chosen = &first};
    assert_true(knapsack_bound(&problem, 0, 10, 0) == 33);
    assert_false(knapsack_cuts_prune(cuts, &root, 30)); /* there is none yet */
    assert_true(knapsack_cuts_make(cuts, &root));
    assert_true(knapsack_cuts_prune(cuts, &root, 30));
    assert_false(knapsack_cuts_prune(cuts, &root, 29));
    assert_true(knapsack_cuts_prune(cuts, &rest, 30));
    assert_false(knapsack_cuts_prune(cuts, &rest, 29));
    struct knapsack_subproblem all_fits = {.item = 5, .room = 10, .chosen = &none};
    assert_false(knapsack_cuts_make(cuts, &all_fits));
    knapsack_cuts_clear(cuts);
    assert_false(knapsack_cuts_prune(cuts, &root, 30));
    knapsack_cuts_free(cuts);
    knapsack_unprepare(&problem);
}

TEST(dynamic_programming_finds_what_trying_all_finds) {
    for (unsigned round = 0; round < 100; round++) {
        struct knapsack_instance instance;
        uint64_t optimum, tried = 0;
        assert_int_equal(knapsack_generate(&instance, (enum knapsack_class)(round % CLASSES), 10, 20, round, round), 0);
        for (unsigned set = 0; set < 1024; set++) {
            uint64_t weight = 0, profit = 0;
            for (unsigned i = 0; i < 10; i++) {
                weight += set >> i & 1 ? instance.weight[i] : 0;
                profit += set >> i & 1 ? instance.profit[i] : 0;
            }
            if (weight <= instance.capacity && profit > tried)
                tried = profit;
        }
        assert_true(knapsack_dynamic(&instance, &optimum));
        assert_true(optimum == tried);
        knapsack_free(&instance);
    }
}

TEST(the_largest_numbers_do_not_overflow) {
    struct knapsack_instance instance;
    struct knapsack_problem problem;
    assert_int_equal(knapsack_generate(&instance, KNAPSACK_WEAKLY, KNAPSACK_ITEMS_MAX, KNAPSACK_VALUE_MAX / 2, 50, 1),
                     0);
    uint64_t optimum, sum = 0;
    assert_false(knapsack_dynamic(&instance, &optimum));
    assert_int_equal(knapsack_prepare(&problem, &instance), 0);
    for (size_t i = 0; i < problem.items; i++)
        sum += problem.profit[i];
    uint64_t bound = knapsack_bound(&problem, 0, problem.capacity, 0);
    assert_true(bound < sum && bound > sum / 2);
    assert_true(knapsack_bound(&problem, 0, UINT64_MAX / 2, 7) == sum + 7);
    knapsack_unprepare(&problem);
    knapsack_free(&instance);
}

TEST(classes_are_pisingers) {
    struct knapsack_instance instance;
    for (int class = 0; class < CLASSES; class ++) {
        uint64_t sum = 0;
        assert_int_equal(knapsack_generate(&instance, (enum knapsack_class) class, 1000, 1000, 25, 9), 0);
        for (size_t i = 0; i < 1000; i++) {
            uint64_t profit = instance.profit[i], weight = instance.weight[i];
            sum += weight;
            assert_in_range(weight, 1, class == KNAPSACK_INVERSE ? 1100 : 1000);
            assert_true(profit >= 1);
            if (class == KNAPSACK_UNCORRELATED)
                assert_in_range(profit, 1, 1000);
            if (class == KNAPSACK_WEAKLY)
                assert_true(profit + 100 >= weight && profit <= weight + 100);
            if (class == KNAPSACK_STRONGLY)
                assert_true(profit == weight + 100);
            if (class == KNAPSACK_SUBSET_SUM)
                assert_true(profit == weight);
            if (class == KNAPSACK_INVERSE)
                assert_true(weight == profit + 100);
            if (class == KNAPSACK_ALMOST)
                assert_true(profit >= weight + 98 && profit <= weight + 102);
            if (class == KNAPSACK_CIRCLE) { /* 3/2 profit, squared, and what is left of the radius, squared */
                const double off = 2000 - (double)weight, least = 1.5 * (double)profit,
                             most = 1.5 * (double)(profit + 1);
                assert_true(least * least + off * off <= 4e6 && most * most + off * off > 4e6);
            }
        }
        assert_in_range(instance.capacity, sum / 4 - 1, sum / 4);
        knapsack_free(&instance);
    }
}

/* --- files */

#define EXAMPLE "example\nn 4\nc 7\nz 15\ntime 0.01\n1,8,3,1\n2,5,2,0\n3,7,4,1\n4,6,6,0\n-----\n"

TEST(files_are_read) {
    struct knapsack_instance instance;
    char message[KNAPSACK_MESSAGE] = "";
    write_file(EXAMPLE "\nsecond, without more\nn 1\nc 9\n1,2,3\n");
    assert_int_equal(knapsack_read(&instance, path, 1, message), 0);
    assert_int_equal(instance.items, 4);
    assert_int_equal(instance.capacity, 7);
    assert_true(instance.stated);
    assert_int_equal(solved(&instance, 2, false), instance.stated_optimum);
    knapsack_free(&instance);
    assert_int_equal(knapsack_read(&instance, path, 2, message), 0);
    assert_int_equal(instance.items, 1);
    assert_false(instance.stated);
    assert_int_equal(instance.weight[0], 3);
    knapsack_free(&instance);
    write_file("by blanks\nn 2\nc 9\n1 2 3 0\n2  4\t5\n-----\n");
    assert_int_equal(knapsack_read(&instance, path, 1, message), 0);
    assert_int_equal(instance.profit[1], 4);
    assert_int_equal(instance.weight[1], 5);
    knapsack_free(&instance);
}

static void refused(const char *text, uint64_t number, unsigned line, const char *why) {
    struct knapsack_instance instance;
    char message[KNAPSACK_MESSAGE] = "";
    write_file(text);
    assert_int_equal(knapsack_read(&instance, path, number, message), EINVAL);
    demand_message(message, line, why);
    assert_null(instance.profit);
    assert_null(instance.weight);
}

TEST(wrong_files_are_refused) {
    struct knapsack_instance instance;
    char message[KNAPSACK_MESSAGE];
    assert_int_equal(knapsack_read(&instance, "/nowhere/knap.csv", 1, message), EINVAL);
    assert_string_equal(message, "/nowhere/knap.csv: No such file or directory");
    assert_int_equal(knapsack_read(&instance, "/tmp", 1, message), EINVAL);
    refused("", 1, 1, "the file is empty");
    refused(EXAMPLE, 2, 10, "there is no instance 2, the file holds 1");
    refused("x\n", 1, 1, "cut off");
    refused("x\nn 2\nc 5\n1,2,3,0\n", 1, 4, "after 1 of 2 items: was it cut off?");
    refused("x\nn 2\nc 5\n1,2,3,0\n2,2,-3,0\n", 1, 5, "a weight of -3: expected 0 to 2147483647");
    refused("x\nn 2\nc 5\n1,-2,3,0\n2,2,3,0\n", 1, 4, "a profit of -2");
    refused("x\nn 1\nc 5\n1,2,99999999999,0\n", 1, 4, "a weight of 99999999999");
    refused("x\nn 1\nc 5\n1,2,99999999999999999999999,0\n", 1, 4, "expected 0 to 2147483647");
    refused("x\nn 1\nc 5\n1,2\n", 1, 4, "NUMBER,PROFIT,WEIGHT,X");
    refused("x\nn 1\nc 5\n1,2,x,0\n", 1, 4, "NUMBER,PROFIT,WEIGHT,X");
    refused("x\nn 1\nc 5\n1,2,3,2\n", 1, 4, "a choice of 2");
    refused("x\nn 2\nc 5\n1,2,3,0\n3,2,3,0\n", 1, 5, "item 3 instead of item 2");
    refused("x\nn 1\nc 5\n1,2,3,0\n2,2,3,0\n", 1, 5, "-----");
    refused("x\nn 1\nc -5\n1,2,3,0\n", 1, 3, "from 0 to");
    refused("x\nn 0\nc 5\n1,2,3,0\n", 1, 2, "expected 1 to 10000");
    refused("x\nn 10001\nc 5\n1,2,3,0\n", 1, 2, "from 0 to 10000");
    refused("x\nc 5\n1,2,3,0\n", 1, 3, "before the line \"n ITEMS\"");
    refused("x\nn 1\n1,2,3,0\n", 1, 3, "before the line \"c CAPACITY\"");
    refused("x\nn 1\nq 1\n1,2,3,0\n", 1, 3, "\"q 1\"");
}

int main(void) { return unit_tests_run(have_path, drop_path); }
