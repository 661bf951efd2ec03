/* Walking directories: generated trees, hostile names, depth, what cannot be read, what vanishes. One thread. */
#include "tests/unit.h"
#include "tests/workloads/directories.h"
#include "workloads/applications/walk/directory_count.h"
#include "workloads/applications/walk/memory_tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUFFER 65536

static void assert_same_counts(const struct walk_counts *a, const struct walk_counts *b) {
    for (size_t i = 0; i < WALK_KINDS; i++)
        if (a->each[i] != b->each[i])
            fail_msg("%s: %llu is not %llu", walk_kinds[i], (unsigned long long)a->each[i],
                     (unsigned long long)b->each[i]);
}

static struct walk_counts counted(const char *path) {
    struct directory_counted counted;
    assert_int_equal(directory_count(path, &counted), 0);
    return counted.counts;
}

static void touch(const char *folder, const char *name) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    assert_true(file >= 0);
    close(file);
}

static void make_directory(const char *folder, const char *name) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

/* The generated tree in a folder of its own, which TMPDIR names meanwhile. */
static void make_tree(const struct directory_shape *shape, char folder[PATH_MAX], char tree[PATH_MAX]) {
    struct directory_plan plan;
    char message[MESSAGE_SIZE] = "";
    new_folder(folder);
    setenv("TMPDIR", folder, 1);
    assert_int_equal(directory_plan_make(&plan, shape), 0);
    assert_int_equal(directory_make(&plan, "test", tree, message), 0);
    directory_plan_free(&plan);
    unsetenv("TMPDIR");
}

TEST(test_generated_trees_hold_what_their_shape_says) {
    const struct directory_shape shapes[] = {
        {.directories = 1, .depth = 1, .fan_out = 1, .seed = 1},
        {.directories = 50, .files = 300, .symlinks = 9, .depth = 1, .fan_out = 3, .seed = 2},
        {.directories = 400, .files = 10, .symlinks = 5, .depth = 300, .fan_out = 2, .seed = 3},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char folder[PATH_MAX], tree[PATH_MAX];
        make_tree(&shapes[i], folder, tree);
        const struct walk_counts expected = {
            .directories = shapes[i].directories, .files = shapes[i].files, .symlinks = shapes[i].symlinks};
        struct walk_counts counts = counted(tree);
        assert_same_counts(&counts, &expected);
        for (long held = 0; held < 200; held = 3 * held + 1) {
            counts = walk_all(tree, held, held % 2 ? 1024 : BUFFER);
            assert_same_counts(&counts, &expected);
        }
        assert_int_equal(directory_remove(folder), 0);
    }
}

/* The tree in memory holds what was counted, each entry below its own directory, however deep. */
TEST(test_the_tree_in_memory_is_whole) {
    const struct directory_shape shapes[] = {
        {.directories = 50, .files = 300, .symlinks = 9, .depth = 1, .fan_out = 3, .seed = 2},
        {.directories = 400, .files = 10, .symlinks = 5, .depth = 300, .fan_out = 2, .seed = 3},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char folder[PATH_MAX], tree[PATH_MAX];
        struct test_walk test;
        struct walk_counts held;
        make_tree(&shapes[i], folder, tree);
        touch(tree, "a file of the root");
        test_walk_open(&test, tree, 100, BUFFER);
        struct directory *root = (struct directory *)(void *)test.waiting;
        struct memory_node *node = root->node = memory_node_add(NULL, DT_DIR, ".");
        test.walk.builds = true;
        while (test_walk_step(&test))
            continue;
        struct walk_counts counts = test_walk_close(&test);
        unsigned found = 0;
        for (const struct memory_node *entry = node->first; entry; entry = entry->next)
            found += entry->type == DT_REG && strcmp(entry->name, "a file of the root") == 0;
        assert_int_equal(found, 1);
        memory_tree_count(node, &held);
        assert_same_counts(&held, &counts);
        assert_int_equal(held.files, shapes[i].files + 1);
        memory_tree_free(node);
        assert_int_equal(directory_remove(folder), 0);
    }
}

TEST(test_ten_thousand_levels) {
    const struct directory_shape shape = {
        .directories = 15000, .files = 100, .symlinks = 3, .depth = 10000, .fan_out = 2, .seed = 4};
    const struct walk_counts expected = {.directories = 15000, .files = 100, .symlinks = 3};
    char folder[PATH_MAX], tree[PATH_MAX];
    make_tree(&shape, folder, tree);
    struct walk_counts counts = counted(tree);
    assert_same_counts(&counts, &expected);
    counts = walk_all(tree, 256, BUFFER); /* far fewer descriptors than levels */
    assert_same_counts(&counts, &expected);
    assert_int_equal(directory_remove(folder), 0);
    assert_int_equal(access(folder, F_OK), -1);
}

TEST(test_a_tree_is_made_once_and_left_overs_go) {
    const struct directory_shape shape = {.directories = 5, .files = 20, .depth = 1, .fan_out = 3, .seed = 5};
    char folder[PATH_MAX], tree[PATH_MAX], left[2 * PATH_MAX];
    make_tree(&shape, folder, tree);
    struct stat before, after;
    struct directory_plan plan;
    char message[MESSAGE_SIZE] = "";
    assert_int_equal(stat(tree, &before), 0);
    /* A process that is no more, and one that is. */
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    snprintf(left, sizeof left, "%s/stealbench-inputs/other.unfinished.%ld", folder, (long)gone);
    assert_int_equal(mkdir(left, 0755), 0);
    touch(left, "half");
    char living[2 * PATH_MAX];
    snprintf(living, sizeof living, "%s/stealbench-inputs/other.unfinished.%ld", folder, (long)getpid());
    assert_int_equal(mkdir(living, 0755), 0);
    setenv("TMPDIR", folder, 1);
    assert_int_equal(directory_plan_make(&plan, &shape), 0);
    assert_int_equal(directory_make(&plan, "test", tree, message), 0);
    assert_int_equal(stat(tree, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(directory_make(&plan, "another", tree, message), 0); /* made, so what is left over goes */
    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(access(living, F_OK), 0);
    directory_plan_free(&plan);
    unsetenv("TMPDIR");
    assert_int_equal(directory_remove(folder), 0);
}

TEST(test_a_folder_that_cannot_be_made_is_said) {
    const struct directory_shape shape = {.directories = 2, .depth = 1, .fan_out = 1, .seed = 1};
    struct directory_plan plan;
    char folder[PATH_MAX], file[2 * PATH_MAX], tree[PATH_MAX], message[MESSAGE_SIZE] = "";
    new_folder(folder);
    touch(folder, "file");
    snprintf(file, sizeof file, "%s/file", folder);
    setenv("TMPDIR", file, 1);
    assert_int_equal(directory_plan_make(&plan, &shape), 0);
    assert_int_equal(directory_make(&plan, "test", tree, message), 3);
    assert_non_null(strstr(message, "Not a directory"));
    directory_plan_free(&plan);
    unsetenv("TMPDIR");
    assert_int_equal(directory_remove(folder), 0);
}

TEST(test_names_of_any_bytes) {
    char folder[PATH_MAX], longest[256];
    memset(longest, 'x', 255);
    longest[255] = '\0';
    const char *const names[] = {"new\nline", "\xff\xfe invalid", "-rf",  "...", ".hidden", " ",
                                 "*?",        "tab\t\x01",        longest};
    const size_t count = sizeof names / sizeof names[0];
    new_folder(folder);
    for (size_t i = 0; i < count; i++) {
        char inner[2 * PATH_MAX];
        make_directory(folder, names[i]);
        snprintf(inner, sizeof inner, "%s/%s", folder, names[i]);
        touch(inner, names[i]);
        snprintf(inner, sizeof inner, "%s/%s/link", folder, names[i]);
        assert_int_equal(symlink(names[i], inner), 0);
        snprintf(inner, sizeof inner, "%s/%s/fifo", folder, names[i]);
        assert_int_equal(mkfifo(inner, 0644), 0);
    }
    const struct walk_counts expected = {.directories = 1 + count, .files = count, .symlinks = count, .others = count};
    struct walk_counts counts = counted(folder);
    assert_same_counts(&counts, &expected);
    for (size_t buffer = 1024; buffer <= BUFFER; buffer *= 8) {
        counts = walk_all(folder, 16, buffer);
        assert_same_counts(&counts, &expected);
        counts = walk_all(folder, 0, buffer);
        assert_same_counts(&counts, &expected);
    }
    assert_int_equal(directory_remove(folder), 0);
}

TEST(test_types_are_asked_for_where_the_directory_does_not_tell) {
    const struct directory_shape shape = {
        .directories = 30, .files = 100, .symlinks = 20, .depth = 5, .fan_out = 4, .seed = 6};
    const struct walk_counts expected = {.directories = 30, .files = 100, .symlinks = 20};
    char folder[PATH_MAX], tree[PATH_MAX];
    struct test_walk test;
    make_tree(&shape, folder, tree);
    test_walk_open(&test, tree, 16, BUFFER);
    test.walk.asks_types = true;
    while (test_walk_step(&test))
        continue;
    struct walk_counts counts = test_walk_close(&test);
    assert_same_counts(&counts, &expected);
    assert_int_equal(directory_remove(folder), 0);
}

/* What is removed, or becomes a link or a file, between the reading of its parent and its own turn. */
TEST(test_what_vanishes_is_counted) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    struct test_walk test;
    for (long held = 0; held <= 16; held += 16) {
        new_folder(folder);
        make_directory(folder, "removed");
        make_directory(folder, "link");
        make_directory(folder, "file");
        make_directory(folder, "stays");
        test_walk_open(&test, folder, held, BUFFER);
        assert_true(test_walk_step(&test));
        assert_int_equal(test.waiting_count, 4);
        snprintf(path, sizeof path, "%s/removed", folder);
        assert_int_equal(rmdir(path), 0);
        snprintf(path, sizeof path, "%s/link", folder);
        assert_int_equal(rmdir(path), 0);
        assert_int_equal(symlink("..", path), 0);
        snprintf(path, sizeof path, "%s/file", folder);
        assert_int_equal(rmdir(path), 0);
        touch(folder, "file");
        while (test_walk_step(&test))
            continue;
        struct walk_counts counts = test_walk_close(&test);
        const struct walk_counts expected = {.directories = 5, .vanished = 3};
        assert_same_counts(&counts, &expected);
        assert_int_equal(directory_remove(folder), 0);
    }
}

/* A whole branch goes while the walk is in the middle of it. */
TEST(test_a_branch_that_goes_is_survived) {
    const struct directory_shape shape = {.directories = 300, .files = 300, .depth = 100, .fan_out = 3, .seed = 7};
    for (long held = 0; held <= 400; held += 200) {
        char folder[PATH_MAX], tree[PATH_MAX];
        struct test_walk test;
        make_tree(&shape, folder, tree);
        test_walk_open(&test, tree, held, BUFFER);
        for (int i = 0; i < 60; i++)
            assert_true(test_walk_step(&test));
        assert_int_equal(directory_remove(tree), 0);
        while (test_walk_step(&test))
            continue;
        struct walk_counts counts = test_walk_close(&test);
        assert_int_equal(counts.unreadable, 0);
        assert_true(counts.vanished > 0);
        assert_true(counts.directories <= 300);
        assert_int_equal(directory_remove(folder), 0);
    }
}

/* Permissions do not bite root, so a child process becomes somebody else first. */
static int walk_as_somebody(const char *folder, struct walk_counts *counts) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct walk_counts both[2];
        if (getuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
            _exit(77);
        both[0] = walk_all(folder, 16, BUFFER);
        struct directory_counted counted;
        if (directory_count(folder, &counted) != 0)
            _exit(1);
        both[1] = counted.counts;
        _exit(write(ends[1], both, sizeof both) == sizeof both ? 0 : 1);
    }
    close(ends[1]);
    int status;
    bool whole = read(ends[0], counts, 2 * sizeof *counts) == 2 * sizeof *counts;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(whole || WEXITSTATUS(status) == 77);
    return WEXITSTATUS(status);
}

TEST(test_what_cannot_be_read_is_counted) {
    char folder[PATH_MAX], closed[2 * PATH_MAX], blind[2 * PATH_MAX];
    struct walk_counts both[2];
    new_folder(folder);
    make_directory(folder, "closed");
    make_directory(folder, "open");
    make_directory(folder, "blind"); /* may be listed, not entered */
    snprintf(closed, sizeof closed, "%s/closed", folder);
    snprintf(blind, sizeof blind, "%s/blind", folder);
    touch(closed, "unseen");
    touch(blind, "file");
    make_directory(blind, "inner");
    assert_int_equal(chmod(closed, 0), 0);
    assert_int_equal(chmod(blind, 0444), 0);
    int code = walk_as_somebody(folder, both);
    assert_int_equal(chmod(closed, 0755), 0);
    assert_int_equal(chmod(blind, 0755), 0);
    assert_int_equal(directory_remove(folder), 0);
    if (code == 77)
        skip(); /* root in a container that cannot become somebody else */
    assert_int_equal(code, 0);
    const struct walk_counts expected = {.directories = 5, .files = 1, .unreadable = 2 + 1};
    assert_int_equal(both[0].directories, expected.directories);
    assert_int_equal(both[0].files, expected.files);
    assert_same_counts(&both[0], &both[1]);
}

static void open_no_directories(void) {
    struct walk walk;
    struct directory_counted counts;
    assert_int_equal(walk_open(&walk, "/proc/self/status", 10, BUFFER, 1), 2);
    assert_int_equal(directory_count("/nowhere/at/all", &counts), 2);
}

TEST(test_what_is_no_directory_is_refused) {
    const char *said = written_to(STDERR_FILENO, open_no_directories);
    assert_non_null(strstr(said, "/proc/self/status: Not a directory\n"));
    assert_non_null(strstr(said, "/nowhere/at/all: No such file or directory\n"));
}

/* Whoever compares two counts has to know whether the tree was the same. */
TEST(test_a_change_shows_in_the_state) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    struct directory_counted before, same, after;
    new_folder(folder);
    make_directory(folder, "inner");
    snprintf(path, sizeof path, "%s/inner", folder);
    touch(path, "file");
    usleep(20000); /* times of directories are kept in ticks of the kernel's */
    assert_int_equal(directory_count(folder, &before), 0);
    assert_int_equal(directory_count(folder, &same), 0);
    assert_true(before.state == same.state);
    touch(path, "another");
    snprintf(path, sizeof path, "%s/inner/another", folder);
    assert_int_equal(unlink(path), 0); /* the same counts as before */
    assert_int_equal(directory_count(folder, &after), 0);
    assert_same_counts(&before.counts, &after.counts);
    assert_true(before.state != after.state);
    assert_int_equal(directory_remove(folder), 0);
}

TEST(test_a_path_is_told_from_the_root) {
    struct directory *directories[3];
    const char *names[] = {".", "first", "second"};
    for (size_t i = 0; i < 3; i++) {
        directories[i] = calloc(1, sizeof *directories[i]);
        assert_non_null(directories[i]);
        directories[i]->entry.name = names[i];
        directories[i]->entry.parent = i > 0 ? directories[i - 1] : NULL;
    }
    const char *const expected[] = {".", "first", "first/second"};
    for (size_t i = 0; i < 3; i++) {
        char *path = walk_path(&directories[i]->entry);
        assert_string_equal(path, expected[i]);
        free(path);
    }
    for (size_t i = 0; i < 3; i++)
        free(directories[i]);
}

int main(void) { return unit_tests_run(NULL, NULL); }
