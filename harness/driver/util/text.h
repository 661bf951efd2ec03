/* text.h: text that grows, and its quoting for CSV and JSON. For the driver; nothing here is called while timing.
 *
 * Running out of memory ends the process with exit code 3: the driver holds nothing that would be lost.
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
void text_cut(struct text *, size_t length); /* to its first length bytes; no more than there are */
void text_free(struct text *);

/* The text so far as a string, "" when empty. Valid until the text changes. */
const char *text_string(const struct text *);

/* One CSV field by RFC 4180: in quotes only where it holds a comma, a quote or a line end. */
void text_add_csv(struct text *, const char *field);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void text_add_json(struct text *, const char *string);

/* A value as written in lists and among parameters: every byte that could be taken for something else there (white
 * space, % ; = , " \\ # and all that is not ASCII) as % and two hexadecimal digits. */
void text_add_escaped(struct text *, const char *value);

/* Undoes that in place; a byte that needs no escape may be written as itself. false when a % is not followed by two
 * digits. */
bool unescape(char *value);

/* The end of a long path, at most max bytes: the name says more than the beginning. */
const char *path_end(const char *path, size_t max);

/* Splits line in place at each tab, at most max fields; returns how many there are in all. */
size_t split_tabs(char *line, char **fields, size_t max);

/* Splits one CSV record in place (no line end in it); returns how many fields there are, 0 when a quote is wrong. */
size_t split_csv(char *record, char **fields, size_t max);

/* Zeroed memory for count objects; a block made larger; a copy of a string. Freed by free. */
void *allocate(size_t count, size_t size);
void *reallocate(void *, size_t count, size_t size);
char *duplicate(const char *string);

#endif
