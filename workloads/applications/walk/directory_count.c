/* directory_count.c: counts the entries of a tree the plain way, by one thread with readdir and fstatat. Does not use
 * the reading that it verifies. */
#include "harness/measuring/random.h"
#include "workloads/applications/walk/directory_walk.h"
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The entry's type. Its state is taken before it is read, so that a later change shows in the next count. */
static unsigned char look_at(struct directory_counted *counted, int folder, const char *name, unsigned char type) {
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) /* the directory may be read, not searched */
        return type;
    uint64_t moment = (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
    counted->state += random_of(random_of(status.st_dev, status.st_ino), moment ^ mix64((uint64_t)status.st_size));
    return (unsigned char)IFTODT(status.st_mode);
}

/* One level of calls for each level of directories, each with a descriptor. */
static int count_below(struct directory_counted *counted, int parent, const char *name) {
    struct walk_counts *counts = &counted->counts;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), code = 0;
    DIR *reading = folder < 0 ? NULL : fdopendir(folder);
    if (!reading && walk_exhausted(errno))
        return walk_refuse(name, errno);
    if (!reading) {
        ++*(walk_is_gone(errno) ? &counts->vanished : &counts->unreadable);
        return 0;
    }
    for (const struct dirent *entry; code == 0 && (entry = readdir(reading));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const unsigned char type = look_at(counted, folder, entry->d_name, entry->d_type);
        ++*walk_count_of(counts, type);
        if (type == DT_DIR)
            code = count_below(counted, folder, entry->d_name);
    }
    closedir(reading);
    return code;
}

int directory_count(const char *path, struct directory_counted *counted) {
    const int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *counted = (struct directory_counted){.counts.directories = 1};
    if (root < 0)
        return walk_refuse(path, errno);
    look_at(counted, root, ".", DT_DIR);
    int code = count_below(counted, root, ".");
    close(root);
    return code;
}
