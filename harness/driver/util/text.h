/* text.h: strings, text that grows, lists, CSV. For the driver; nothing here is called while timing.
 *
 * The driver carries out one command and ends. What it reads for that command is never freed. What it makes anew for
 * each process that it runs is: text_free. Without memory it ends with exit code 3; nothing measured is lost by that.
 */
#ifndef STEALBENCH_TEXT_H
#define STEALBENCH_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

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

#endif
