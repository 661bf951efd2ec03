/* files.h: whole files, for the driver. Functions that can fail return 0 or an errno value. */
#ifndef STEALBENCH_FILES_H
#define STEALBENCH_FILES_H

#include "harness/driver/util/text.h"
#include <stdbool.h>
#include <stdint.h>

/* Appends the file's contents; EFBIG above 1 GiB. */
int file_read(const char *path, struct text *);

/* The file is either as before or holds all of the text: written beside, synced, renamed. Several may do so at once, on
 * several machines: what stands there is the text of one of them. */
int file_replace(const char *path, const struct text *);

/* The same of a file that is not there yet: of several at once the first makes it, the others are told EEXIST. Needs no
 * lock, so it holds on NFS and Lustre as well. */
int file_make(const char *path, const struct text *);

/* Writes all of it, however many calls that takes. */
int write_all(int descriptor, const char *bytes, size_t length);

/* Makes the folder and those above it; one that exists already is fine. */
int folder_make(const char *path);

/* The file's hash, into *hash. */
int file_hash(const char *path, uint64_t *hash);

/* "folder/name", to be freed. */
char *path_join(const char *folder, const char *name);

/* One line of a small file such as those of /sys, without its line end; false when it cannot be read. */
bool file_line(const char *path, char *line, size_t size);

/* The folder that holds the running program, to be freed; NULL when /proc does not say. */
char *own_folder(void);

#endif
