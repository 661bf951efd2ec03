#include "workloads/applications/walk/directory_make.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNFINISHED ".unfinished."
#define WRITTEN_AT_ONCE (64 * 1024)

/* Numbers 0 to count - 1 by the group they are in: those of group g are at[start[g]] to at[start[g + 1]] - 1. */
struct grouping {
    uint32_t *start, *at;
};

static bool group(struct grouping *grouping, const uint32_t *group_of, uint32_t first, uint32_t count,
                  uint32_t groups) {
    grouping->start = calloc((size_t)groups + 2, sizeof *grouping->start);
    grouping->at = malloc(((size_t)count + 1) * sizeof *grouping->at);
    if (!grouping->start || !grouping->at)
        return false;
    for (uint32_t i = first; i < count; i++)
        grouping->start[group_of[i] + 2]++;
    for (uint32_t g = 1; g < groups + 2; g++)
        grouping->start[g] += grouping->start[g - 1];
    for (uint32_t i = first; i < count; i++)
        grouping->at[grouping->start[group_of[i] + 1]++] = i;
    return true;
}

static void grouping_free(struct grouping *grouping) {
    free(grouping->start);
    free(grouping->at);
}

/* The tree while it is being written. One descriptor goes down and, by "..", up again, however deep. */
struct writing {
    const struct directory_plan *plan;
    struct grouping directories, files, symlinks;
    unsigned char *buffer;
    int at; /* the directory that we are in */
};

static int write_content(struct writing *writing, int file, uint32_t content) {
    const uint64_t size = writing->plan->contents[content].size;
    for (uint64_t offset = 0; offset < size;) {
        size_t count = size - offset < WRITTEN_AT_ONCE ? (size_t)(size - offset) : WRITTEN_AT_ONCE;
        directory_plan_bytes(writing->plan, content, offset, writing->buffer, count);
        for (size_t done = 0; done < count;) {
            ssize_t written = write(file, writing->buffer + done, count - done);
            if (written < 0 && errno != EINTR)
                return errno;
            done += written > 0 ? (size_t)written : 0;
        }
        offset += count;
    }
    return 0;
}

static int make_file(struct writing *writing, uint32_t number) {
    char name[32];
    snprintf(name, sizeof name, "f%" PRIu32, number);
    if (!writing->plan->content_of)
        return mknodat(writing->at, name, S_IFREG | 0644, 0) == 0 ? 0 : errno;
    int file = openat(writing->at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0)
        return errno;
    int error = write_content(writing, file, writing->plan->content_of[number]);
    return close(file) == 0 || error ? error : errno;
}

/* Everything in the directory but its directories. */
static int fill(struct writing *writing, uint32_t directory) {
    int error = 0;
    const struct grouping *files = &writing->files, *symlinks = &writing->symlinks;
    for (uint32_t i = files->start[directory]; i < files->start[directory + 1] && !error; i++)
        error = make_file(writing, files->at[i]);
    for (uint32_t i = symlinks->start[directory]; i < symlinks->start[directory + 1] && !error; i++) {
        char name[32];
        snprintf(name, sizeof name, "l%" PRIu32, symlinks->at[i]);
        if (symlinkat(symlinks->at[i] % 2 ? ".." : "nowhere", writing->at, name) != 0)
            error = errno;
    }
    return error;
}

static int go(struct writing *writing, const char *name) {
    int next = openat(writing->at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = next < 0 ? errno : 0;
    close(writing->at);
    writing->at = next;
    return error;
}

/* Depth first, from the root, in which we are. next[d]: which of d's directories comes next. */
static int write_directories(struct writing *writing, uint32_t *next) {
    uint32_t directory = 0;
    int error = fill(writing, 0);
    while (!error) {
        const struct grouping *children = &writing->directories;
        uint32_t place = children->start[directory] + next[directory]++;
        if (place < children->start[directory + 1]) {
            char name[32];
            directory = children->at[place];
            snprintf(name, sizeof name, "d%" PRIu32, directory);
            error = mkdirat(writing->at, name, 0755) == 0 ? go(writing, name) : errno;
            if (!error)
                error = fill(writing, directory);
        } else if (directory != 0) {
            directory = writing->plan->parent[directory];
            error = go(writing, "..");
        } else {
            break;
        }
    }
    return error;
}

static int write_tree(const struct directory_plan *plan, const char *path) {
    const struct directory_shape *shape = &plan->shape;
    struct writing writing = {.plan = plan, .at = -1, .buffer = malloc(WRITTEN_AT_ONCE)};
    uint32_t *next = calloc(shape->directories, sizeof *next);
    bool grouped = group(&writing.directories, plan->parent, 1, shape->directories, shape->directories) &&
                   group(&writing.files, plan->file_in, 0, shape->files, shape->directories) &&
                   group(&writing.symlinks, plan->symlink_in, 0, shape->symlinks, shape->directories);
    int error = grouped && next && writing.buffer ? 0 : ENOMEM;
    if (!error && (writing.at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        error = errno;
    if (!error)
        error = write_directories(&writing, next);
    if (!error && syncfs(writing.at) != 0) /* a cold walk can drop only pages that are on disk */
        error = errno;
    if (writing.at >= 0)
        close(writing.at);
    grouping_free(&writing.directories);
    grouping_free(&writing.files);
    grouping_free(&writing.symlinks);
    free(writing.buffer);
    free(next);
    return error;
}

/* By rm, which goes down however deep: no path and no number of descriptors is too small for it. */
int directory_remove(const char *path) {
    char *words[] = {"rm", "-rf", "--", (char *)(uintptr_t)path, NULL};
    pid_t process;
    int status = 0, error = posix_spawnp(&process, "rm", NULL, NULL, words, environ);
    if (!error && waitpid(process, &status, 0) != process)
        error = errno;
    return error ? error : status == 0 ? 0 : EIO;
}

/* --- their places */

/* Like mkdir -p. 0 or errno. */
static int make_folders(const char *path) {
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            return errno;
        if (!slash)
            return 0;
        *slash = '/';
    }
}

/* Removes unfinished trees of ended processes from this folder. */
static void remove_left_over(const char *folder) {
    DIR *reading = opendir(folder);
    const struct dirent *entry;
    while (reading && (entry = readdir(reading))) {
        const char *process = strstr(entry->d_name, UNFINISHED);
        char path[PATH_MAX];
        if (!process)
            continue;
        long number = strtol(process + strlen(UNFINISHED), NULL, 10);
        if (number <= 0 || kill((pid_t)number, 0) == 0 || errno != ESRCH)
            continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < sizeof path)
            directory_remove(path);
    }
    if (reading)
        closedir(reading);
}

static void print_name(const struct directory_plan *plan, const char *kind, char *name, size_t size) {
    const struct directory_shape *shape = &plan->shape;
    snprintf(name, size,
             "%s-%" PRIu32 "-directories-%" PRIu32 "-files-%" PRIu32 "-symlinks-depth-%" PRIu32 "-fan-%" PRIu32
             "-%" PRIu64 "-bytes-%" PRIu32 "-copies-seed-%" PRIu64,
             kind, shape->directories, shape->files, shape->symlinks, shape->depth, shape->fan_out, shape->bytes,
             shape->copies, shape->seed);
}

/* 0, or errno: makes the tree under the unfinished name and gives it its own; another process may be first. */
static int make_whole(const struct directory_plan *plan, const char *unfinished, const char *path) {
    int error = mkdir(unfinished, 0755) == 0 ? write_tree(plan, unfinished) : errno;
    bool taken = false;
    if (!error && rename(unfinished, path) != 0) {
        taken = errno == ENOTEMPTY || errno == EEXIST;
        error = taken ? 0 : errno;
    }
    if (error || taken)
        directory_remove(unfinished);
    return error;
}

int directory_make(const struct directory_plan *plan, const char *kind, char path[PATH_MAX], char *message) {
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX / 2], name[256], unfinished[PATH_MAX];
    snprintf(folder, sizeof folder, "%s%s", temporary && *temporary ? temporary : "build",
             temporary && *temporary ? "/stealbench-inputs" : "/inputs");
    print_name(plan, kind, name, sizeof name);
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    snprintf(unfinished, sizeof unfinished, "%s/%s" UNFINISHED "%ld", folder, name, (long)getpid());
    struct stat status;
    if (stat(path, &status) == 0)
        return 0;
    int error = make_folders(folder);
    if (!error) {
        remove_left_over(folder);
        error = make_whole(plan, unfinished, path);
    }
    if (error)
        snprintf(message, MESSAGE_SIZE, "cannot make the tree %s: %s", path, strerror(error));
    return error ? 3 : 0;
}
