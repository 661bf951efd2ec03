#include "workloads/applications/duplicates/duplicate_count.h"
#include "workloads/applications/descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DESCRIPTORS 64
#define READ_AT_ONCE ((size_t)1 << 20)

struct content {
    uint64_t size, hash;
};

/* nftw's callback has no context, so what it fills is here. */
static struct {
    struct content *at;
    size_t count, room;
    unsigned char *buffer;
    uint64_t state;
} found;

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash_on(uint64_t hash, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* 0, or errno: it cannot be read. */
static int read_content(const char *path, struct content *content) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t bytes;
    *content = (struct content){.hash = 0xcbf29ce484222325u};
    if (file < 0)
        return errno;
    while ((bytes = read(file, found.buffer, READ_AT_ONCE)) > 0) {
        content->hash = hash_on(content->hash, found.buffer, (size_t)bytes);
        content->size += (uint64_t)bytes;
    }
    int error = bytes < 0 ? errno : 0;
    close(file);
    return error;
}

/* Called before a file is read, so that a later change shows in the next count. */
static void look_at_state(const struct stat *status) {
    const uint64_t facts[] = {(uint64_t)status->st_ino, (uint64_t)status->st_size, (uint64_t)status->st_mtim.tv_sec,
                              (uint64_t)status->st_mtim.tv_nsec};
    found.state += hash_on(0xcbf29ce484222325u, (const unsigned char *)facts, sizeof facts);
}

static int take(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)place;
    look_at_state(status);
    if (type != FTW_F || !S_ISREG(status->st_mode))
        return 0;
    if (found.count == found.room) {
        size_t room = 2 * found.room + 1024;
        struct content *larger = realloc(found.at, room * sizeof *larger);
        if (!larger)
            return ENOMEM;
        found.at = larger;
        found.room = room;
    }
    int error = read_content(path, &found.at[found.count]);
    if (error == 0)
        found.count++;
    return out_of_descriptors(error) ? error : 0;
}

static int in_order(const void *left, const void *right) {
    const struct content *a = left, *b = right;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static struct duplicates_found count_alike(void) {
    struct duplicates_found alike = {0};
    for (size_t i = 1, run = 0; i < found.count; i++) {
        run = in_order(&found.at[i - 1], &found.at[i]) == 0 ? run + 1 : 0;
        if (run > 0) {
            alike.groups += run == 1;
            alike.files++;
            alike.bytes += found.at[i].size;
        }
    }
    return alike;
}

int duplicate_count(const char *path, struct duplicates_counted *counted) {
    found.buffer = malloc(READ_AT_ONCE);
    int result = found.buffer ? nftw(path, take, DESCRIPTORS, FTW_PHYS) : ENOMEM;
    int error = result < 0 ? errno : result;
    if (error == 0 && found.count > 0) {
        qsort(found.at, found.count, sizeof *found.at, in_order);
        counted->found = count_alike();
    } else {
        counted->found = (struct duplicates_found){0};
    }
    counted->state = found.state;
    free(found.at);
    free(found.buffer);
    memset(&found, 0, sizeof found);
    if (error)
        fprintf(stderr, "cannot read the files below %s: %s\n", path, strerror(error));
    return error == 0 ? 0 : error == ENOMEM || out_of_descriptors(error) ? 3 : 2;
}
