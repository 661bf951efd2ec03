#include "workloads/applications/walk/generated_tree.h"
#include "harness/measuring/random.h"
#include "workloads/applications/walk/directory_walk.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const struct parameter tree_parameters[] = {
    PARAMETER_TEXT("path", "generated",
                   "a directory; or generated: a tree with these numbers, made once in $TMPDIR or build/inputs and "
                   "kept there"),
    PARAMETER_CHOICE("cache", "warm", "warm|cold",
                     "cold: the kernel drops its caches before each run (needs root, else denied)"),
    PARAMETERS_END,
};

bool tree_is_generated(const struct cell *cell) { return strcmp(cell_text(cell, "path"), "generated") == 0; }

/* The tree while it is written. Entries are the files, then the links. */
struct writing {
    uint32_t directories, files, links;
    uint32_t *parent, *first, *next; /* of each directory, its parent and its first entry; of each entry, the next */
    int (*fill)(const void *context, int file, uint32_t number);
    const void *context;
    char path[PATH_MAX];
};

static void plan(struct writing *writing, uint64_t seed) {
    const uint32_t entries = writing->files + writing->links;
    uint64_t random = random_start(seed, 0);
    for (uint32_t i = 1; i < writing->directories; i++)
        writing->parent[i] = (uint32_t)random_below(&random, i);
    for (uint32_t i = 0; i < writing->directories; i++)
        writing->first[i] = entries;
    for (uint32_t i = 0; i < entries; i++) {
        uint32_t *first = &writing->first[random_below(&random, writing->directories)];
        writing->next[i] = *first;
        *first = i;
    }
}

/* Writes the directory's path, and a / behind it; returns its end. About log(directories) levels. */
static char *path_of(struct writing *writing, uint32_t directory) {
    if (directory == 0)
        return writing->path;
    char *end = path_of(writing, writing->parent[directory]);
    return end + sprintf(end, "d%u/", directory);
}

static int write_file(const struct writing *writing, int root, uint32_t number) {
    int file = openat(root, writing->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int error = file < 0 ? errno : writing->fill ? writing->fill(writing->context, file, number) : 0;
    return file >= 0 && close(file) != 0 && !error ? errno : error;
}

static int write_tree(struct writing *writing, int root) {
    int error = 0;
    for (uint32_t i = 0; i < writing->directories && !error; i++) {
        char *end = path_of(writing, i);
        if (i > 0 && mkdirat(root, writing->path, 0755) != 0)
            error = errno;
        for (uint32_t j = writing->first[i]; j < writing->files + writing->links && !error; j = writing->next[j]) {
            const bool file = j < writing->files;
            sprintf(end, "%c%u", file ? 'f' : 'l', file ? j : j - writing->files);
            if (file)
                error = write_file(writing, root, j);
            else if (symlinkat(j % 2 ? ".." : "nowhere", root, writing->path) != 0)
                error = errno;
        }
    }
    return error || syncfs(root) == 0 ? error : errno; /* a cold walk can drop only pages that are on disk */
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    return remove(path);
}

/* 0 or errno. What a killed process left unfinished goes first. */
static int make(struct writing *writing, uint64_t seed, const char *unfinished, const char *path) {
    uint32_t *numbers = calloc(2 * (size_t)writing->directories + writing->files + writing->links, sizeof *numbers);
    nftw(unfinished, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    int root = mkdir(unfinished, 0755) == 0 ? open(unfinished, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int error = root < 0 ? errno : numbers ? 0 : ENOMEM;
    if (!error) {
        writing->parent = numbers;
        writing->first = writing->parent + writing->directories;
        writing->next = writing->first + writing->directories;
        plan(writing, seed);
        error = write_tree(writing, root);
    }
    if (!error && rename(unfinished, path) != 0)
        error = errno;
    if (error)
        nftw(unfinished, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(numbers);
    if (root >= 0)
        close(root);
    return error;
}

/* 0 or 3. One process makes the tree, others wait for it. above: the folder that folder lies in. */
static int make_once(struct writing *writing, uint64_t seed, const char *above, const char *folder, const char *path) {
    char unfinished[PATH_MAX + 16];
    mkdir(above, 0755); /* there already, or the next step says why not */
    int error = 0, lock = mkdir(folder, 0755) == 0 || errno == EEXIST ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        error = errno;
    snprintf(unfinished, sizeof unfinished, "%s.unfinished", path);
    if (!error && access(path, F_OK) != 0)
        error = make(writing, seed, unfinished, path);
    if (lock >= 0)
        close(lock);
    if (error)
        fprintf(stderr, "cannot make the tree %s: %s\n", path, strerror(error));
    return error ? 3 : 0;
}

int tree_open(char path[PATH_MAX], const struct cell *cell, const char *kind,
              int (*fill)(const void *context, int file, uint32_t number), const void *context) {
    struct writing writing = {.directories = (uint32_t)cell_integer(cell, "directories"),
                              .files = (uint32_t)cell_integer(cell, "files"),
                              .links = (uint32_t)cell_integer(cell, "symlinks"),
                              .fill = fill,
                              .context = context};
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX - 256];
    const uint64_t seed = cell_integer(cell, "seed");
    if (!tree_is_generated(cell)) {
        snprintf(path, PATH_MAX, "%s", cell_text(cell, "path"));
        return 0; /* whether it is there shows when it is opened */
    }
    if (!temporary || !*temporary)
        temporary = "build";
    snprintf(folder, sizeof folder, strcmp(temporary, "build") == 0 ? "%s/inputs" : "%s/stealbench-inputs", temporary);
    snprintf(path, PATH_MAX, "%s/%.40s-%u-directories-%u-files-%u-symlinks-seed-%ju", folder, kind, writing.directories,
             writing.files, writing.links, (uintmax_t)seed);
    return access(path, F_OK) == 0 ? 0 : make_once(&writing, seed, temporary, folder, path);
}

bool file_caches_drop(void) {
    int file = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    sync(); /* pages that are not on disk yet are not dropped */
    bool dropped = write(file, "3", 1) == 1;
    close(file);
    return dropped;
}
