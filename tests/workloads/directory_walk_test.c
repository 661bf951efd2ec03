/* Walking directories: what vanishes on the way, entries without a type. One thread, whose schedule
 * the test decides. What a user sees is in tests/end_to_end/directories.py. */
#include "tests/unit.h"
#include "workloads/applications/walk/directory_walk.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static bool types_are_hidden;

/* Instead of the C library's: getdents64 as of a file system that tells no types. */
long syscall(long number, ...) {
    long (*kernel)(long, ...);
    va_list list;
    long words[3];
    *(void **)&kernel = dlsym(RTLD_NEXT, "syscall");
    va_start(list, number);
    for (int i = 0; i < 3; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    long bytes = kernel(number, words[0], words[1], words[2]);
    for (long at = 0; number == SYS_getdents64 && types_are_hidden && at < bytes;) {
        struct dirent64 *entry = (struct dirent64 *)(words[1] + at);
        entry->d_type = DT_UNKNOWN;
        at += entry->d_reclen;
    }
    return bytes;
}

/* A folder with these: D is a directory, F a file, L a link. */
static const char *folder_of(const char *const *entries) {
    static char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "/tmp/stealbench-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    for (; *entries; entries++) {
        const char *name = *entries + 1;
        assert_true(**entries == 'D'   ? mkdir(name, 0755) == 0
                    : **entries == 'F' ? mknod(name, S_IFREG | 0644, 0) == 0
                                       : symlink("..", name) == 0);
    }
    return folder;
}

static void remove_folder(const char *folder) {
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_true(chdir("/") == 0 && system(command) == 0);
}

static const char *const small[] = {"Da", "Fa/f", "Lup", "Da/b", "Fa/b/f", "Fa/b/g", NULL};

/* What is found waits in a stack. */
static struct walk walk;
static struct walker *walker;
static struct walk_entry *stack;

static void spawn(struct walker *by, struct pool_task *const *tasks, size_t count) {
    assert_ptr_equal(by, walker);
    for (size_t i = 0; i < count; i++) {
        struct walk_entry *entry = (struct walk_entry *)(void *)tasks[i];
        entry->next = stack;
        stack = entry;
    }
}

static void begin(const char *folder) {
    assert_int_equal(walk_open(&walk, folder), 0);
    walk.spawn = spawn;
    walker = walkers_new(&walk, 1, NULL);
    assert_non_null(walker);
    stack = walk_root(walker, 1);
    assert_non_null(stack);
}

static bool step(void) {
    struct walk_entry *entry = stack;
    if (!entry)
        return false;
    stack = entry->next;
    walk_visit(walker, entry);
    return true;
}

static void ends_with(struct walk_counts expected) {
    while (step())
        continue;
    assert_null(walker->failure);
    assert_false(walk_counts_differ(&walker->counts, &expected, "walked"));
    assert_int_equal(walker->counts.vanished, expected.vanished);
    free(walker);
    walk_close(&walk);
    assert_int_equal(open("/dev/null", O_RDONLY), walk.root); /* every descriptor was closed */
    close(walk.root);
}

/* What is removed, or becomes a link or a file, between the reading of its parent and its own turn. */
TEST(what_vanishes_is_counted) {
    static const char *const entries[] = {"Dremoved", "Dlink", "Dfile", "Dstays", NULL};
    const char *folder = folder_of(entries);
    begin(folder);
    assert_true(step());
    assert_true(rmdir("removed") == 0 && rmdir("link") == 0 && rmdir("file") == 0);
    assert_true(symlink("..", "link") == 0 && mknod("file", S_IFREG | 0644, 0) == 0);
    ends_with((struct walk_counts){.directories = 5, .vanished = 3});
    remove_folder(folder);
}

TEST(types_are_asked_for_where_the_directory_does_not_tell) {
    const char *folder = folder_of(small);
    types_are_hidden = true;
    begin(folder);
    ends_with((struct walk_counts){.directories = 3, .files = 3, .symlinks = 1});
    types_are_hidden = false;
    remove_folder(folder);
}
