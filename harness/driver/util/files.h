/* files.h: whole files, for the driver. Functions that can fail return 0 or an errno value. */
#ifndef STEALBENCH_FILES_H
#define STEALBENCH_FILES_H

#include "harness/driver/util/text.h"
#include <stdint.h>

/* Appends the file's contents; EFBIG above 1 GiB. */
int file_read(const char *path, struct text *);

/* The file is either as before or holds all of the text: written beside, synced, renamed. When several machines do so
 * at once, the file holds the text of one of them. */
int file_replace(const char *path, const struct text *);

/* The same of a new file: of several at once the first makes it, the others get EEXIST. It needs no lock, so it holds
 * on NFS and Lustre as well. */
int file_make(const char *path, const struct text *);

/* Writes all of it, however many calls that takes. */
int write_all(int descriptor, const char *bytes, size_t length);

/* Makes the folder and those above it; one that exists already is fine. */
int folder_make(const char *path);

/* The names in a folder that end so, sorted; hidden ones are left out. None where there is no such folder. */
struct words folder_names(const char *folder, const char *ending);

/* The file's hash, into *hash. */
int file_hash(const char *path, uint64_t *hash);

/* One line of a small file such as those of /sys, without its line end; false when it cannot be read. */
bool file_line(const char *path, char *line, size_t size);

/* The folder that holds the running program; NULL when /proc does not say. */
char *own_folder(void);

/* FNV-1a, 64 bits: keys of cells, stamps and suites. Continues a hash (HASH_START to begin) with size bytes; with a
 * string and its final 0, so that "ab","c" and "a","bc" differ. */
#define HASH_START 14695981039346656037u
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t hash_string(uint64_t hash, const char *string);

#endif
