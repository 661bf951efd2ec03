/* util.h: strings, lists, files, JSON, and how the driver ends. Nothing here is called while timing. */
#ifndef STEALBENCH_UTIL_H
#define STEALBENCH_UTIL_H

#include "harness/measuring/cell/parameters.h"
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- text.c: strings, text that grows, lists, CSV.
 *
 * The driver carries out one command and ends. What it reads for that command is never freed. What it makes anew for
 * each process that it runs is: text_free. Without memory it ends with exit code 3; nothing measured is lost by that.
 */

/* {0} is an empty text; data is then NULL. Otherwise data ends on a 0 that length does not count. */
struct text {
    char *data;
    size_t length, capacity;
};

void text_append(struct text *, const char *bytes, size_t length);
void text_add(struct text *, const char *string);
void text_format(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_list(struct text *, const char *format, va_list) __attribute__((format(printf, 2, 0)));
void text_cut(struct text *, size_t length); /* to its first length bytes */
void text_free(struct text *);

/* The text so far as a string, "" when empty. Valid until the text changes. */
const char *text_string(const struct text *);

/* One CSV field by RFC 4180: in quotes only where it holds a comma, a quote or a line end. A row of such fields. */
void text_add_csv(struct text *, const char *field);
void text_add_row(struct text *, const char *const *fields, size_t count);

/* A value as written in lists and among parameters: white space, % ; = , " \\ # and all that is not ASCII become % and
 * two hexadecimal digits. */
void text_add_escaped(struct text *, const char *value);

/* Undoes that in place; false when a % is not followed by two digits. */
bool unescape(char *value);

/* A new string. */
char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *duplicate(const char *string);
char *path_join(const char *folder, const char *name);

/* The end of a long path, at most max bytes: the name says more than the beginning. */
const char *path_end(const char *path, size_t max);

/* Does it begin, or end, so? */
bool begins_with(const char *string, const char *beginning);
bool ends_with(const char *string, const char *ending);

/* Strings that grow by one; at ends on a NULL where there is one. {0} has none. */
struct words {
    const char **at;
    size_t count;
};
void words_add(struct words *, const char *word);
void words_add_all(struct words *, const struct words *);
struct words words_of(const char *first, ...) __attribute__((sentinel));
bool words_have(const struct words *, const char *word);
void words_sort(struct words *);
void words_free(struct words *); /* and the strings themselves */

/* The words of a string between any of these separators, empty ones left out. */
struct words split_words(const char *string, const char *separators);

/* Splits line in place at each tab, at most max fields; returns how many there are in all. */
size_t split_tabs(char *line, char **fields, size_t max);

/* Splits one CSV record in place (no line end in it); returns how many fields there are, 0 when a quote is wrong. */
size_t split_csv(char *record, char **fields, size_t max);

/* Zeroed memory for count objects; a block made larger. */
void *allocate(size_t count, size_t size);
void *reallocate(void *, size_t count, size_t size);

/* Makes room for one more at the end of a list and returns how many were there. */
#define ONE_MORE(list, count) ((list) = reallocate((list), (count) + 1, sizeof *(list)), (count)++)

/* --- files.c: whole files, for the driver. Functions that can fail return 0 or an errno value. */

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

/* --- refuse.c: how the driver ends where it cannot go on: a message and an exit code, from wherever that is found. */

/* Says "stealbench run: quick.suite:7: no such workload: psuh" on standard error and ends the program. */
_Noreturn void refuse(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with exit code 2: "no such WHAT: WORD; did you mean NEAREST?", or the names there are when none is near. */
_Noreturn void refuse_unknown(const char *what, const char *word, const struct words *names);

/* The value of a setting; a wrong one is refused with its range. Its text is not kept. */
struct value must_read(const struct parameter *, const char *text);

/* What its messages begin with: the verb, and where in a file, say, the driver is. NULL: nothing. */
extern const char *refusal_verb, *refusal_place;

/* For callers that go on after a refusal. `if (refused(&refusal))` is false at first, and true when something that
 * follows is refused. Ends with refusal_expected = NULL. */
struct refusal {
    jmp_buf back;
    int exit_code;
    const char *message; /* with the place, without the verb */
};
extern struct refusal *refusal_expected;
#define refused(refusal) (refusal_expected = (refusal), setjmp((refusal)->back) != 0)

/* --- json.c: tables as JSON, by jansson. */

/* A JSON string of any bytes: those that are not UTF-8 become U+FFFD. */
json_t *json_of_text(const char *text);

/* An integer where it is a whole number. */
json_t *json_of_real(double);

/* A table as CSV (a heading, no line ends within fields) as a list of objects: numbers as numbers, but in the column
 * cell, whose hashes may look like some; an empty field is null. */
void json_of_csv(FILE *, const char *csv);

#endif
