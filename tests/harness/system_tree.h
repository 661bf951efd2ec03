/* system_tree.h: a folder that stands in for /, with the files of /proc and /sys that a test puts there; new for each
 * test: IN_A_TREE(name) { ... }.
 */
#ifndef STEALBENCH_SYSTEM_TREE_H
#define STEALBENCH_SYSTEM_TREE_H

#include "harness/driver/util/util.h"
#include "tests/unit.h"
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

/* path as it is on a machine, from "/"; the end of its last line may be left out. */
static inline void put(const char *path, const char *content) {
    struct text text = {0};
    char *whole = path_join(root, path + 1), *folder = duplicate(whole);
    const size_t length = strlen(content);
    text_format(&text, "%s%s", content, length > 0 && content[length - 1] == '\n' ? "" : "\n");
    assert_int_equal(folder_make(dirname(folder)), 0);
    assert_int_equal(file_replace(whole, &text), 0);
    text_free(&text);
    free(folder);
    free(whole);
}

/* Others may read it, for tests that become nobody. */
static int make_root(void **state) {
    (void)state;
    snprintf(root, sizeof root, "/tmp/stealbench-system-XXXXXX");
    return mkdtemp(root) && chmod(root, 0755) == 0 ? 0 : -1;
}

static int drop_root(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

#define IN_A_TREE(name) TEST_WITHIN(make_root, drop_root, name)

#endif
