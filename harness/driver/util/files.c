#include "harness/driver/util/files.h"
#include "harness/driver/util/hash.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 30)

int file_read(const char *path, struct text *text) {
    char block[65536];
    int result = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    for (;;) {
        ssize_t got = read(descriptor, block, sizeof block);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        result = got < 0 ? errno : text->length > FILE_MAX ? EFBIG : 0;
        if (result)
            break;
        text_append(text, block, (size_t)got);
    }
    close(descriptor);
    return result;
}

int write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Writes the text beside, and lets put make the path of that: rename, or link where the path must be new. */
static int write_beside(const char *path, const struct text *text, int (*put)(const char *, const char *)) {
    struct text beside = {0};
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    text_format(&beside, "%s.%s-%ld.new", path, host, (long)getpid());
    int descriptor = open(beside.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int result = descriptor < 0 ? errno : write_all(descriptor, text_string(text), text->length);
    if (result == 0 && fsync(descriptor) != 0)
        result = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && result == 0)
        result = errno;
    if (result == 0 && put(beside.data, path) != 0)
        result = errno;
    if ((result != 0 || put == link) && descriptor >= 0)
        unlink(beside.data);
    text_free(&beside);
    return result;
}

int file_replace(const char *path, const struct text *text) { return write_beside(path, text, rename); }

int file_make(const char *path, const struct text *text) { return write_beside(path, text, link); }

int folder_make(const char *path) {
    char *whole = duplicate(path);
    int result = 0;
    for (char *at = whole + 1; result == 0; at++) {
        char here = *at;
        if (here != '/' && here != '\0')
            continue;
        *at = '\0';
        struct stat status;
        if (mkdir(whole, 0777) != 0)
            /* a folder that exists on a read-only file system answers EROFS, not EEXIST */
            result = stat(whole, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
        *at = here;
        if (here == '\0')
            break;
    }
    free(whole);
    return result;
}

int file_hash(const char *path, uint64_t *hash) {
    struct text text = {0};
    int result = file_read(path, &text);
    *hash = hash_bytes(HASH_START, text_string(&text), text.length);
    text_free(&text);
    return result;
}

char *path_join(const char *folder, const char *name) {
    struct text path = {0};
    text_format(&path, "%s/%s", folder, name);
    return path.data;
}

bool file_line(const char *path, char *line, size_t size) {
    FILE *file = fopen(path, "re");
    bool got = file && fgets(line, (int)size, file);
    if (file)
        fclose(file);
    if (!got)
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    return got;
}

char *own_folder(void) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    return duplicate(dirname(path));
}
