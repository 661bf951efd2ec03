#include "workloads/applications/walk/generated_tree.h"
#include "harness/measuring/random.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The tree while it is written. */
struct writing {
    uint32_t directories, files, links;
    uint32_t *parent; /* of each directory */
    int (*fill)(const void *context, int file, uint32_t number);
    const void *context;
    char path[PATH_MAX];
};

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

static int write_tree(struct writing *writing, int root, uint64_t seed) {
    uint64_t random = random_start(seed, 0);
    int error = 0;
    for (uint32_t i = 1; i < writing->directories && !error; i++) {
        writing->parent[i] = (uint32_t)random_below(&random, i);
        path_of(writing, i);
        error = mkdirat(root, writing->path, 0755) == 0 ? 0 : errno;
    }
    for (uint32_t i = 0; i < writing->files + writing->links && !error; i++) {
        const bool file = i < writing->files;
        char *end = path_of(writing, (uint32_t)random_below(&random, writing->directories));
        sprintf(end, "%c%u", file ? 'f' : 'l', file ? i : i - writing->files);
        if (file)
            error = write_file(writing, root, i);
        else if (symlinkat(i % 2 ? ".." : "nowhere", root, writing->path) != 0)
            error = errno;
    }
    return error || syncfs(root) == 0 ? error : errno; /* a cold walk can drop only pages that are on disk */
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    return remove(path);
}

/* 0 or 3. Of several processes that make the tree at once the first one's stays. */
static int make(struct writing *writing, uint64_t seed, const char *path) {
    char unfinished[PATH_MAX + 16];
    snprintf(unfinished, sizeof unfinished, "%s.XXXXXX", path);
    writing->parent = calloc(writing->directories, sizeof *writing->parent);
    int root = writing->parent && mkdtemp(unfinished) && chmod(unfinished, 0755) == 0
                   ? open(unfinished, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                   : -1;
    int error = root < 0 ? errno : write_tree(writing, root, seed);
    if (!error && rename(unfinished, path) != 0 && errno != EEXIST && errno != ENOTEMPTY)
        error = errno;
    nftw(unfinished, remove_entry, 16, FTW_DEPTH | FTW_PHYS); /* unless it was renamed */
    free(writing->parent);
    if (root >= 0)
        close(root);
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
    if (!temporary || !*temporary)
        temporary = "build";
    snprintf(folder, sizeof folder, strcmp(temporary, "build") == 0 ? "%s/inputs" : "%s/stealbench-inputs", temporary);
    snprintf(path, PATH_MAX, "%s/%.40s-%u-directories-%u-files-%u-symlinks-seed-%ju", folder, kind, writing.directories,
             writing.files, writing.links, (uintmax_t)seed);
    mkdir(temporary, 0755); /* there already, or the next step says why not */
    mkdir(folder, 0755);
    return access(path, F_OK) == 0 ? 0 : make(&writing, seed, path);
}

/* Lets the kernel drop what it has cached of files and directories. false: it does not allow that. */
static bool drop_caches(void) {
    int file = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    sync(); /* pages that are not on disk yet are not dropped */
    bool dropped = write(file, "3", 1) == 1;
    close(file);
    return dropped;
}

int tree_repeat(const struct cell *cell, int (*once)(void *context),
                void (*report)(const void *context, unsigned repetition), void *context) {
    const bool cold = cell_is(cell, "cache", "cold");
    int code = cold ? 0 : once(context);
    for (unsigned i = 0; i < cell->repetitions && code == 0; i++) {
        if (cold && !drop_caches()) {
            cell_no_sample(cell, "pool", i, "run_time", "s", "denied");
            continue;
        }
        code = once(context);
        if (code == 0)
            report(context, i);
    }
    return code;
}
