#include "workloads/applications/walk/directory_count.h"
#include "harness/measuring/random.h"
#include "workloads/applications/descriptors.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The deepest levels keep their descriptors; further up one returns by "..". */
#define DESCRIPTORS 128

/* A directory on the way down: the names of its directories, each with its 0, of which the first `done` bytes have had
 * their turn. */
struct level {
    char *names;
    size_t used, room, done;
};

struct counting {
    struct walk_counts *counts;
    uint64_t state;
    struct level *levels;
    size_t depth, room;
    int descriptor[DESCRIPTORS]; /* of level i at i % DESCRIPTORS; -1: closed */
    int error;                   /* why it had to stop: no memory, no descriptors */
};

/* A directory could not be opened: are there no descriptors left? Then nothing is wrong with the directory. */
static bool ends_here(struct counting *counting, int error) {
    if (out_of_descriptors(error))
        counting->error = error;
    return counting->error != 0;
}

static void add_name(struct counting *counting, struct level *level, const char *name) {
    size_t length = strlen(name) + 1;
    if (level->used + length > level->room) {
        size_t room = 2 * level->room + length + 64;
        char *names = realloc(level->names, room);
        if (!names) {
            counting->error = ENOMEM;
            return;
        }
        level->names = names;
        level->room = room;
    }
    memcpy(level->names + level->used, name, length);
    level->used += length;
}

static void count_entry(struct counting *counting, struct level *level, int folder, const struct dirent *entry) {
    const char *name = entry->d_name;
    struct stat status = {0};
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) {
            counting->counts->vanished++;
            return;
        }
        status.st_mode = (mode_t)DTTOIF(entry->d_type); /* the directory may be read but not searched */
    }
    if (S_ISDIR(status.st_mode)) {
        counting->counts->directories++;
        add_name(counting, level, name);
    } else if (S_ISREG(status.st_mode)) {
        counting->counts->files++;
    } else if (S_ISLNK(status.st_mode)) {
        counting->counts->symlinks++;
    } else {
        counting->counts->others++;
    }
}

/* Called before the directory is read, so that a later change shows in the next count. */
static void look_at_state(struct counting *counting, int folder) {
    struct stat status;
    if (fstat(folder, &status) != 0)
        return;
    uint64_t moment = (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
    counting->state += random_of(random_of(status.st_dev, status.st_ino), moment);
}

static void count_entries(struct counting *counting, struct level *level, int folder) {
    int copy = fcntl(folder, F_DUPFD_CLOEXEC, 0); /* not ".", for which it would have to be searchable */
    DIR *reading = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;
    if (!reading) {
        if (!ends_here(counting, errno))
            counting->counts->unreadable++;
        if (copy >= 0)
            close(copy);
        return;
    }
    while ((entry = readdir(reading)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count_entry(counting, level, folder, entry);
    closedir(reading);
}

/* A new deepest level, whose descriptor becomes ours. */
static void go_down(struct counting *counting, int folder) {
    if (counting->depth == counting->room) {
        size_t room = 2 * counting->room + 64;
        struct level *levels = realloc(counting->levels, room * sizeof *levels);
        if (!levels) {
            counting->error = ENOMEM;
            close(folder);
            return;
        }
        counting->levels = levels;
        counting->room = room;
    }
    int *slot = &counting->descriptor[counting->depth % DESCRIPTORS];
    if (*slot >= 0)
        close(*slot);
    *slot = folder;
    struct level *level = &counting->levels[counting->depth++];
    *level = (struct level){0};
    look_at_state(counting, folder);
    count_entries(counting, level, folder);
}

static void go_up(struct counting *counting) {
    int *deepest = &counting->descriptor[--counting->depth % DESCRIPTORS];
    free(counting->levels[counting->depth].names);
    if (counting->depth > 0) {
        int *next = &counting->descriptor[(counting->depth - 1) % DESCRIPTORS];
        if (*next < 0)
            *next = openat(*deepest, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (*next < 0)
            ends_here(counting, errno);
    }
    close(*deepest);
    *deepest = -1;
}

int directory_count(const char *path, struct directory_counted *counted) {
    struct walk_counts *counts = &counted->counts;
    struct counting counting = {.counts = counts};
    *counts = (struct walk_counts){.directories = 1};
    for (size_t i = 0; i < DESCRIPTORS; i++)
        counting.descriptor[i] = -1;
    int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) {
        const int error = errno;
        fprintf(stderr, "cannot read the directory %s: %s\n", path, strerror(error));
        return out_of_descriptors(error) ? 3 : 2;
    }
    go_down(&counting, root);
    while (counting.depth > 0) {
        struct level *level = &counting.levels[counting.depth - 1];
        if (level->done == level->used || counting.error) {
            go_up(&counting);
            continue;
        }
        const char *name = level->names + level->done;
        level->done += strlen(name) + 1;
        int folder = openat(counting.descriptor[(counting.depth - 1) % DESCRIPTORS], name,
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder >= 0)
            go_down(&counting, folder);
        else if (errno == ENOENT || errno == ENOTDIR || errno == ESTALE)
            counts->vanished++;
        else if (!ends_here(&counting, errno))
            counts->unreadable++;
    }
    free(counting.levels);
    counted->state = counting.state;
    if (counting.error)
        fprintf(stderr, "cannot count what is in %s: %s\n", path, strerror(counting.error));
    return counting.error ? 3 : 0;
}

int directory_input_counts(const struct directory_input *input, struct directory_counted *counted) {
    const struct directory_shape *shape = &input->plan.shape;
    if (!input->generated)
        return directory_count(input->path, counted);
    *counted = (struct directory_counted){
        .counts = {.directories = shape->directories, .files = shape->files, .symlinks = shape->symlinks}};
    return 0;
}
