/* util.h: strings, lists, files, JSON, and how the driver ends. Never called while timing. What the driver
 * needs of the C library is included here. */
#pragma once

#include "harness/measuring/parameters.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- text.c: strings, text that grows, lists.
 *
 * The driver carries out one command and ends. So it frees only what it allocates for each process that it runs. If
 * memory runs out, the driver ends with exit code 3; the results are on disk.
 */

/* {0} is empty, with data NULL. Otherwise data ends with a 0 that length does not count. */
struct text {
    char *data;
    size_t length, capacity;
};

void text_append(struct text *, const char *bytes, size_t length);
void text_add(struct text *, const char *string);
void text_format(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *);

/* As a string, "" when empty. Valid until the text changes. */
const char *text_string(const struct text *);

/* Appends a value as lists of parameters hold it: white space, % ; = , " \\ # and everything outside ASCII become % and
 * two hexadecimal digits. unescape undoes that in place; false if two digits do not follow a %. */
void text_add_escaped(struct text *, const char *value);
bool unescape(char *value);

char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *counted(size_t count, const char *what); /* "1 cell", "2 cells" */
char *duplicate(const char *string);
char *path_join(const char *folder, const char *name);

bool begins_with(const char *string, const char *beginning);
bool ends_with(const char *string, const char *ending);
bool is_name(const char *text, const char *more); /* of letters, digits, _, - and these */

/* A list of strings; at[count] is NULL. {0} is empty, with at NULL. */
struct words {
    const char **at;
    size_t count;
};
void words_add(struct words *, const char *word);
void words_add_once(struct words *, const char *word);
void words_add_all(struct words *, const struct words *);
struct words words_of(const char *first, ...) __attribute__((sentinel));
bool words_have(const struct words *, const char *word);
void words_free(struct words *); /* and the strings themselves */

/* The words between any of these separators; empty words are skipped. */
struct words split_words(const char *string, const char *separators);

/* Splits in place into at most max fields, empty ones too. Returns how many there are in all. */
size_t split_fields(char *line, const char *separator, char **fields, size_t max);

/* Zeroed memory; a larger block with the same contents. */
void *allocate(size_t count, size_t size);
void *reallocate(void *, size_t count, size_t size);

/* Makes room for one more element of a list and returns how many were there. */
#define ONE_MORE(list, count) ((list) = reallocate((list), (count) + 1, sizeof *(list)), (count)++)

/* A JSON string of any bytes. If they are not UTF-8, ASCII is kept, and other bytes become U+FFFD. */
json_t *json_of_text(const char *text);

/* A whole number becomes an integer. */
json_t *json_of_real(double);

/* --- files.c: whole files, for the driver. Functions that can fail return 0 or an errno value. */

/* Appends the file's contents; EFBIG above 1 GiB. */
int file_read(const char *path, struct text *);

/* Writes the text to a file beside it, syncs, and renames. So the file holds either the old text or the new one, even
 * if several machines write, on NFS and Lustre too. */
int file_replace(const char *path, const struct text *);

int write_all(int descriptor, const char *bytes, size_t length);

/* Makes the folder and its parents. Existing ones are fine. */
int folder_make(const char *path);

/* The names in a folder that end so, without that ending; sorted, without hidden ones; none if there is no folder. */
struct words folder_names(const char *folder, const char *ending);

/* The files at any depth whose names end so, by their paths below the folder without that ending. */
struct words files_below(const char *folder, const char *ending);

int file_hash(const char *path, uint64_t *hash);

/* The first line of a file such as those of /sys. Returns false if it cannot be read. */
bool file_line(const char *path, char *line, size_t size);

/* The folder of the running program; NULL if /proc does not say. */
char *own_folder(void);

/* FNV-1a, 64 bits: identities of cells, stamps and suites. Continues a hash (begin with HASH_START) by bytes, or by a
 * string and its final 0, so that "ab","c" and "a","bc" differ. */
#define HASH_START 14695981039346656037u
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t hash_string(uint64_t hash, const char *string);

/* --- refuse.c: ends the driver with a message and an exit code, from wherever a problem is found. */

/* Says "stealbench run: quick.suite:7: no such workload: psuh" on standard error and ends the program. */
_Noreturn void refuse(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with exit code 2: "no such WHAT: WORD; did you mean NEAREST?", or the names there are when none is near. */
_Noreturn void refuse_unknown(const char *what, const char *word, const struct words *names);

/* The value of a setting. Refuses a wrong one and says the range. Does not keep the text. */
struct value must_read(const struct parameter *, const char *text);

/* What messages begin with: the verb, and a place such as a file's line, or NULL. */
extern const char *refusal_verb, *refusal_place;
