#include "workloads/applications/walk/directory_input.h"
#include "workloads/applications/descriptors.h"
#include "workloads/applications/walk/directory_make.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FAN_OUT 32 /* most subdirectories of a directory */
#define COPIES 30  /* percent of the files */

const struct parameter directory_input_parameters[] = {
    PARAMETER_TEXT("path", GENERATED_TREE,
                   "a directory; or generated: a tree with these numbers, made once in $TMPDIR or build/inputs and "
                   "kept there"),
    PARAMETER_CHOICE("cache", "warm", "warm|cold",
                     "cold: the kernel drops its caches before each run (needs root, else denied)"),
    PARAMETERS_END,
};

static int refuse(int code, const char *message) {
    fprintf(stderr, "%s\n", message);
    return code;
}

static int open_given(struct directory_input *input, const char *path) {
    DIR *directory = opendir(path);
    if (!directory) {
        const int error = errno;
        fprintf(stderr, "path=%s: %s\n", path, strerror(error));
        return out_of_descriptors(error) ? 3 : 2;
    }
    closedir(directory);
    snprintf(input->path, sizeof input->path, "%s", path);
    return 0;
}

static int make(struct directory_input *input, const struct cell *cell, const char *kind, uint64_t bytes) {
    char message[MESSAGE_SIZE];
    struct directory_shape shape = {.directories = (uint32_t)cell_integer(cell, "directories"),
                                    .files = (uint32_t)cell_integer(cell, "files"),
                                    .symlinks = (uint32_t)cell_integer(cell, "symlinks"),
                                    .depth = 1,
                                    .fan_out = FAN_OUT,
                                    .bytes = bytes,
                                    .copies = COPIES,
                                    .seed = cell_integer(cell, "seed")}; /* the same tree in every invocation */
    if (directory_plan_make(&input->plan, &shape) != 0)
        return refuse(3, "no memory to plan the tree");
    input->generated = true;
    int code = directory_make(&input->plan, kind, input->path, message);
    return code == 0 ? 0 : refuse(code, message);
}

int directory_input_open(struct directory_input *input, const struct cell *cell, const char *kind, uint64_t bytes) {
    const char *path = cell_text(cell, "path");
    *input = (struct directory_input){0};
    int code = strcmp(path, GENERATED_TREE) == 0 ? make(input, cell, kind, bytes) : open_given(input, path);
    if (code != 0)
        directory_input_close(input);
    return code;
}

void directory_input_close(struct directory_input *input) {
    if (input->generated)
        directory_plan_free(&input->plan);
    input->generated = false;
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
