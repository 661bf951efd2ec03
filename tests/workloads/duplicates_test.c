/* What the search for duplicates is made of: planned contents and their answer. */
#include "tests/unit.h"
#include "tests/workloads/directories.h"
#include "workloads/applications/duplicates/duplicate_count.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct directory_shape small = {
    .directories = 12, .files = 120, .depth = 3, .fan_out = 4, .bytes = 400000, .copies = 30, .seed = 11};

static unsigned char *bytes_of(const struct directory_plan *plan, uint32_t content) {
    size_t size = plan->contents[content].size;
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    directory_plan_bytes(plan, content, 0, bytes, size);
    return bytes;
}

/* The answer by comparing every file with every other. */
TEST(test_the_planned_answer_is_that_of_the_bytes) {
    struct directory_plan plan;
    assert_int_equal(directory_plan_make(&plan, &small), 0);
    struct duplicates_found found = {0}, planned = directory_plan_duplicates(&plan);
    unsigned char *bytes[120];
    uint64_t total = 0;
    for (uint32_t i = 0; i < 120; i++) {
        bytes[i] = bytes_of(&plan, plan.content_of[i]);
        total += plan.contents[plan.content_of[i]].size;
    }
    for (uint32_t i = 0; i < 120; i++) {
        size_t size = plan.contents[plan.content_of[i]].size;
        unsigned before = 0;
        for (uint32_t j = 0; j < i; j++)
            before += plan.contents[plan.content_of[j]].size == size && memcmp(bytes[i], bytes[j], size) == 0;
        found.groups += before == 1;
        found.files += before > 0;
        found.bytes += before > 0 ? size : 0;
    }
    assert_int_equal(found.groups, planned.groups);
    assert_int_equal(found.files, planned.files);
    assert_int_equal(found.bytes, planned.bytes);
    assert_int_equal(planned.files, 120 * 30 / 100);
    assert_int_equal(total, plan.bytes);
    assert_in_range(total, small.bytes * 98 / 100, small.bytes * 102 / 100);
    for (uint32_t i = 0; i < 120; i++)
        free(bytes[i]);
    directory_plan_free(&plan);
}

TEST(test_twins_differ_at_their_end_only) {
    struct directory_plan plan;
    assert_int_equal(directory_plan_make(&plan, &small), 0);
    unsigned twins = 0;
    for (uint32_t i = 1; i < plan.content_count; i++) {
        if (plan.contents[i].key != plan.contents[i - 1].key)
            continue;
        size_t size = plan.contents[i].size;
        unsigned char *one = bytes_of(&plan, i - 1), *other = bytes_of(&plan, i);
        assert_int_equal(size, plan.contents[i - 1].size);
        assert_memory_equal(one, other, size - 8);
        assert_memory_not_equal(one + size - 8, other + size - 8, 8);
        free(one);
        free(other);
        twins++;
    }
    assert_true(twins >= plan.content_count / 20 - 1);
    directory_plan_free(&plan);
}

TEST(test_bytes_do_not_depend_on_the_pieces) {
    struct directory_plan plan;
    assert_int_equal(directory_plan_make(&plan, &small), 0);
    for (uint32_t content = 0; content < 5; content++) {
        const size_t size = plan.contents[content].size;
        unsigned char *whole = bytes_of(&plan, content), *pieces = malloc(size);
        assert_non_null(pieces);
        for (size_t at = 0, piece = 1; at < size; at += piece, piece = piece * 2 % 61 + 1)
            directory_plan_bytes(&plan, content, at, pieces + at, size - at < piece ? size - at : piece);
        assert_memory_equal(whole, pieces, size);
        free(whole);
        free(pieces);
    }
    directory_plan_free(&plan);
}

TEST(test_the_same_shape_gives_the_same_plan) {
    struct directory_plan one, two, other;
    struct directory_shape shape = small;
    assert_int_equal(directory_plan_make(&one, &shape), 0);
    assert_int_equal(directory_plan_make(&two, &shape), 0);
    shape.seed++;
    assert_int_equal(directory_plan_make(&other, &shape), 0);
    assert_memory_equal(one.parent, two.parent, shape.directories * sizeof *one.parent);
    assert_memory_equal(one.file_in, two.file_in, shape.files * sizeof *one.file_in);
    assert_memory_equal(one.content_of, two.content_of, shape.files * sizeof *one.content_of);
    assert_memory_not_equal(one.file_in, other.file_in, shape.files * sizeof *one.file_in);
    directory_plan_free(&one);
    directory_plan_free(&two);
    directory_plan_free(&other);
}

TEST(test_no_directory_has_too_many_in_it) {
    const struct directory_shape shape = {.directories = 500, .depth = 20, .fan_out = 3, .seed = 2};
    struct directory_plan plan;
    unsigned in[500] = {0};
    assert_int_equal(directory_plan_make(&plan, &shape), 0);
    for (uint32_t i = 1; i < 500; i++) {
        assert_true(plan.parent[i] < i);
        if (i < 20)
            assert_int_equal(plan.parent[i], i - 1);
        assert_true(++in[plan.parent[i]] <= 3);
    }
    directory_plan_free(&plan);
}

TEST(test_a_tree_on_disk_has_the_planned_answer) {
    struct directory_plan plan;
    struct duplicates_counted counted;
    struct duplicates_found planned;
    char folder[PATH_MAX], tree[PATH_MAX], path[2 * PATH_MAX], message[MESSAGE_SIZE] = "";
    new_folder(folder);
    setenv("TMPDIR", folder, 1);
    assert_int_equal(directory_plan_make(&plan, &small), 0);
    assert_int_equal(directory_make(&plan, "test", tree, message), 0);
    planned = directory_plan_duplicates(&plan);
    assert_int_equal(duplicate_count(tree, &counted), 0);
    assert_memory_equal(&counted.found, &planned, sizeof planned);
    const uint64_t state_before = counted.state;
    /* Two more that are empty, and a link to one of them. */
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/empty%d", tree, i);
        close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    }
    snprintf(path, sizeof path, "%s/link", tree);
    assert_int_equal(symlink("empty0", path), 0);
    assert_int_equal(duplicate_count(tree, &counted), 0);
    assert_int_equal(counted.found.groups, planned.groups + 1);
    assert_int_equal(counted.found.files, planned.files + 1);
    assert_int_equal(counted.found.bytes, planned.bytes);
    assert_true(counted.state != state_before);
    assert_int_equal(duplicate_count("/nowhere/at/all", &counted), 2);
    directory_plan_free(&plan);
    unsetenv("TMPDIR");
    assert_int_equal(directory_remove(folder), 0);
}

int main(void) { return unit_tests_run(NULL, NULL); }
