/* files.c: whole files and folders. Functions that can fail return 0 or an errno value. */
#pragma once

#include "harness/driver/util/text.c"
#include <dirent.h>
#include <fts.h>
#include <libgen.h>

/* Appends its contents. */
int file_read(const char *path, struct text *text) {
    char block[65536];
    FILE *file = fopen(path, "re");
    if (!file)
        return errno;
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        text_append(text, block, got);
    const int result = ferror(file) ? errno : 0;
    fclose(file);
    return result;
}

/* Its contents; "" if it cannot be read. */
const char *file_text(const char *path) {
    struct text text = {0};
    file_read(path, &text);
    return text_string(&text);
}

int write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Writes the text to a file beside it, syncs, and renames. So the file holds either the old text or the new one, even
 * if several machines write, on NFS and Lustre too. */
int file_replace(const char *path, const char *text) {
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    char *beside = formatted("%s.%s-%ld.new", path, host, (long)getpid());
    const int descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int result = descriptor < 0 ? errno : write_all(descriptor, text, strlen(text));
    if (result == 0 && fsync(descriptor) != 0)
        result = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && result == 0)
        result = errno;
    if (result == 0 && rename(beside, path) != 0)
        result = errno;
    if (result != 0 && descriptor >= 0)
        unlink(beside);
    free(beside);
    return result;
}

/* With its parents; existing ones are fine. */
int folder_make(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0)
        return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
    char *above = duplicate(path);
    const int result = folder_make(dirname(above));
    free(above);
    if (result || mkdir(path, 0777) == 0)
        return result;
    return errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode) ? 0 : errno;
}

static const char *without(const char *name, const char *ending) {
    return formatted("%.*s", (int)(strlen(name) - strlen(ending)), name);
}

/* The names in a folder that end so, without that ending; sorted, without hidden ones; none if there is no folder. */
struct words folder_names(const char *folder, const char *ending) {
    struct words names = {0};
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++)
        if (entries[i]->d_name[0] != '.' && ends_with(entries[i]->d_name, ending))
            words_add(&names, without(entries[i]->d_name, ending));
    return names;
}

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

/* The files at any depth whose names end so, by their paths below the folder without that ending. */
struct words files_below(const char *folder, const char *ending) {
    struct words files = {0};
    char *const places[] = {duplicate(folder), NULL};
    FTS *tree = fts_open(places, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    for (FTSENT *entry; tree && (entry = fts_read(tree));)
        if (entry->fts_info == FTS_F && *entry->fts_name != '.' && ends_with(entry->fts_name, ending))
            words_add(&files, without(entry->fts_path + strlen(folder) + 1, ending));
    if (tree)
        fts_close(tree);
    return files;
}

/* FNV-1a, 64 bits: identities of cells, stamps and suites. Continues a hash (begin with HASH_START) by bytes, or by a
 * string and its final 0, so that "ab","c" and "a","bc" differ. */
#define HASH_START 14695981039346656037u
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

uint64_t hash_string(uint64_t hash, const char *string) { return hash_bytes(hash, string, strlen(string) + 1); }

int file_hash(const char *path, uint64_t *hash) {
    struct text text = {0};
    const int result = file_read(path, &text);
    *hash = hash_bytes(HASH_START, text_string(&text), text.length);
    text_free(&text);
    return result;
}

/* The first line, or NULL. */
char *file_line(const char *path) {
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    const bool got = file && getline(&line, &size, file) > 0;
    if (file)
        fclose(file);
    if (got)
        line[strcspn(line, "\n")] = '\0';
    return got ? line : NULL;
}
