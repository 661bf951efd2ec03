/* directories.h: folders for tests, and a walk by one thread whose schedule the test decides. */
#ifndef STEALBENCH_TEST_DIRECTORIES_H
#define STEALBENCH_TEST_DIRECTORIES_H

#include "tests/unit.h"
#include "workloads/applications/walk/directory_make.h"
#include "workloads/applications/walk/directory_walk.h"
#include <unistd.h>

/* A new folder that everybody may enter; directory_remove it. In memory where that is possible: a generated tree is
 * synced to its disk. */
static inline void new_folder(char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/stealbench-test-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(path));
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "chmod 755 %s", path);
    assert_int_equal(system(command), 0);
}

/* A walk by one thread: what is found waits in a stack. */
struct test_walk {
    struct walk walk;
    struct walker walker;
    struct walk_entry *waiting;
    size_t waiting_count;
};

static inline void test_walk_spawns(struct walker *walker, struct pool_task *const *tasks, size_t count) {
    struct test_walk *test = walker->scheduler;
    for (size_t i = 0; i < count; i++) {
        struct walk_entry *entry = (struct walk_entry *)(void *)tasks[i];
        entry->next = test->waiting;
        test->waiting = entry;
        test->waiting_count++;
    }
}

static inline void test_walk_open(struct test_walk *test, const char *path, long held_max, size_t buffer_bytes) {
    memset(test, 0, sizeof *test);
    assert_int_equal(walk_open(&test->walk, path, held_max, buffer_bytes, 1), 0);
    test->walk.spawn = test_walk_spawns;
    assert_true(walker_open(&test->walker, &test->walk, 0));
    test->walker.scheduler = test;
    struct directory *root = walk_root(&test->walk);
    assert_non_null(root);
    test->waiting = &root->entry;
    test->waiting_count = 1;
}

/* Reads one of the directories that wait; false: there is none. */
static inline bool test_walk_step(struct test_walk *test) {
    struct walk_entry *entry = test->waiting;
    if (!entry)
        return false;
    test->waiting = entry->next;
    test->waiting_count--;
    walk_visit(&test->walker, (struct directory *)(void *)entry);
    return true;
}

static inline struct walk_counts test_walk_close(struct test_walk *test) {
    struct walk_counts counts = test->walker.counts;
    assert_null(test->walker.failure);
    assert_int_equal(atomic_load(&test->walk.held), 0);
    walker_close(&test->walker);
    walk_close(&test->walk);
    return counts;
}

static inline struct walk_counts walk_all(const char *path, long held_max, size_t buffer_bytes) {
    struct test_walk test;
    test_walk_open(&test, path, held_max, buffer_bytes);
    while (test_walk_step(&test))
        continue;
    return test_walk_close(&test);
}

#endif
