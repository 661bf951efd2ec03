#include "workloads/applications/walk/directory_count.h"
#include "harness/measuring/random.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct counting {
    struct directory_counted *counted;
    int root;
    int (*file)(void *context, int root, const char *path);
    void *context;
};

/* The entry's type. Its state is taken before it is read, so that a later change shows in the next count. */
static unsigned char look_at(struct counting *counting, const char *path, unsigned char type) {
    struct stat status;
    if (fstatat(counting->root, path, &status, AT_SYMLINK_NOFOLLOW) != 0) /* the directory may be read, not searched */
        return type;
    uint64_t moment = (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
    counting->counted->state +=
        random_of(random_of(status.st_dev, status.st_ino), moment ^ mix64((uint64_t)status.st_size));
    return (unsigned char)IFTODT(status.st_mode);
}

/* One level of calls for each level of directories, each with a descriptor. */
static int count_below(struct counting *counting, const char *path) {
    struct walk_counts *counts = &counting->counted->counts;
    int folder = openat(counting->root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), code = 0;
    DIR *reading = folder < 0 ? NULL : fdopendir(folder);
    if (!reading) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ESTALE)
            counts->vanished++;
        else if (walk_exhausted(errno))
            return walk_refuse(path, errno);
        else
            counts->unreadable++;
        return 0;
    }
    for (const struct dirent *entry; code == 0 && (entry = readdir(reading));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *below = walk_join(0, path, entry->d_name);
        if (!below) {
            code = walk_refuse(path, ENOMEM);
            break;
        }
        const unsigned char type = look_at(counting, below, entry->d_type);
        ++*walk_count_of(counts, type);
        if (type == DT_DIR)
            code = count_below(counting, below);
        else if (type == DT_REG && counting->file)
            code = counting->file(counting->context, counting->root, below);
        free(below);
    }
    closedir(reading);
    return code;
}

int directory_count(const char *path, struct directory_counted *counted,
                    int (*file)(void *context, int root, const char *), void *context) {
    struct counting counting = {
        .counted = counted, .root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .file = file, .context = context};
    *counted = (struct directory_counted){.counts.directories = 1};
    if (counting.root < 0)
        return walk_refuse(path, errno);
    look_at(&counting, ".", DT_DIR);
    int code = count_below(&counting, ".");
    close(counting.root);
    return code;
}
