/* text.c: strings, text that grows, lists.
 *
 * The driver carries out one command and ends. So it frees only what it allocates for each process that it runs. If
 * memory runs out, the driver ends with exit code 3; the results are on disk. */
#pragma once

#include "harness/measuring/parameters.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A list; {0} is empty. foreach goes through all elements; each is a pointer. ONE_MORE lengthens it, and is the new
 * element. */
#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        size_t count;                                                                                                  \
    }

#define foreach(each, list) for (__typeof__(&*(list).at) each = (list).at; each < (list).at + (list).count; each++)
#define ONE_MORE(list)                                                                                                 \
    ((list).at = reallocate((list).at, ++(list).count, sizeof *(list).at), (list).at + (list).count - 1)
#define LIST_OF(array) ((LIST(__typeof__(*(array)))){array, LENGTH(array)})
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* {0} is empty, with data NULL. Otherwise data ends with a 0 that length does not count. */
struct text {
    char *data;
    size_t length, capacity;
};

#define text_format(text, ...) text_take(text, formatted(__VA_ARGS__))

/* A list of strings; at[count] is NULL. {0} is empty, with at NULL. */
struct words {
    const char **at;
    size_t count;
};

static void *granted(void *memory) {
    if (!memory) {
        fputs("stealbench: no memory left\n", stderr);
        exit(3);
    }
    return memory;
}

/* Zeroed memory; a larger block with the same contents. */
void *allocate(size_t count, size_t size) { return granted(calloc(count ? count : 1, size)); }

void *reallocate(void *memory, size_t count, size_t size) {
    return granted(reallocarray(memory, count ? count : 1, size));
}

char *duplicate(const char *string) { return granted(strdup(string)); }

__attribute__((format(printf, 1, 2))) char *formatted(const char *format, ...) {
    char *made;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&made, format, arguments);
    va_end(arguments);
    return granted(length < 0 ? NULL : made);
}

/* "1 cell", "2 cells" */
char *counted(size_t count, const char *what) { return formatted("%zu %s%s", count, what, count == 1 ? "" : "s"); }

char *path_join(const char *folder, const char *name) { return formatted("%s/%s", folder, name); }

void text_append(struct text *text, const char *bytes, size_t length) {
    if (text->length + length >= text->capacity) {
        text->capacity = 2 * (text->length + length) + 256;
        text->data = reallocate(text->data, text->capacity, 1);
    }
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *string) { text_append(text, string, strlen(string)); }

/* Adds and frees it. */
void text_take(struct text *text, char *string) {
    text_add(text, string);
    free(string);
}

void text_free(struct text *text) {
    free(text->data);
    *text = (struct text){0};
}

/* As a string, "" when empty. Valid until the text changes. */
const char *text_string(const struct text *text) { return text->data ? text->data : ""; }

/* Appends a value as lists of parameters hold it: white space, % ; = , " \\ # and everything outside ASCII become % and
 * two hexadecimal digits. unescape undoes that in place; false if two digits do not follow a %. */
void text_add_escaped(struct text *text, const char *value) {
    for (; *value; value++) {
        const unsigned char byte = (unsigned char)*value;
        if (byte <= ' ' || byte > '~' || strchr("%;=,\"\\#", byte))
            text_format(text, "%%%02X", (unsigned)byte);
        else
            text_append(text, value, 1);
    }
}

bool unescape(char *value) {
    char *to = value;
    for (const char *from = value; *from; from++, to++) {
        *to = *from;
        if (*from != '%')
            continue;
        if (!isxdigit((unsigned char)from[1]) || !isxdigit((unsigned char)from[2]))
            return false;
        *to = (char)strtoul((const char[]){from[1], from[2], '\0'}, NULL, 16);
        if (*to == '\0')
            return false;
        from += 2;
    }
    *to = '\0';
    return true;
}

bool same(const char *a, const char *b) { return strcmp(a, b) == 0; }

bool begins_with(const char *string, const char *beginning) {
    return strncmp(string, beginning, strlen(beginning)) == 0;
}

bool ends_with(const char *string, const char *ending) {
    const size_t length = strlen(string), end = strlen(ending);
    return length >= end && same(string + length - end, ending);
}

/* Is it of letters, digits, _, - and these? */
bool is_name(const char *text, const char *more) {
    const char *at = text;
    while (isalnum((unsigned char)*at) || (*at && (strchr("_-", *at) || strchr(more, *at))))
        at++;
    return *text && !*at;
}

void words_add(struct words *words, const char *word) {
    words->at = reallocate(words->at, words->count + 2, sizeof words->at[0]);
    words->at[words->count++] = word;
    words->at[words->count] = NULL;
}

/* At any of these; empty words are skipped. */
struct words split_words(const char *string, const char *separators) {
    struct words words = {0};
    char *rest = NULL;
    for (char *word = strtok_r(duplicate(string), separators, &rest); word; word = strtok_r(NULL, separators, &rest))
        words_add(&words, word);
    return words;
}

/* Splits in place into at most max fields, empty ones too. Returns how many there are in all. */
size_t split_fields(char *line, const char *separator, char **fields, size_t max) {
    size_t count = 0;
    for (char *field; (field = strsep(&line, separator)); count++)
        if (count < max)
            fields[count] = field;
    return count;
}

void words_add_all(struct words *words, struct words more) {
    foreach (word, more)
        words_add(words, *word);
}

bool words_have(struct words words, const char *word) {
    size_t i = 0;
    while (i < words.count && !same(words.at[i], word))
        i++;
    return i < words.count;
}

const char *joined(struct words words, const char *separator) {
    struct text text = {0};
    foreach (word, words)
        text_format(&text, "%s%s", word > words.at ? separator : "", *word);
    return text_string(&text);
}

/* Was it not there yet? */
bool words_add_once(struct words *words, const char *word) {
    if (words_have(*words, word))
        return false;
    words_add(words, word);
    return true;
}

__attribute__((sentinel)) struct words words_of(const char *first, ...) {
    struct words words = {0};
    va_list more;
    va_start(more, first);
    for (const char *word = first; word; word = va_arg(more, const char *))
        words_add(&words, word);
    va_end(more);
    return words;
}

/* A JSON string of any bytes. If they are not UTF-8, ASCII is kept, and other bytes become U+FFFD. */
json_t *json_of_text(const char *text) {
    json_t *json = json_string(text);
    struct text mended = {0};
    for (; !json && *text; text++)
        text_append(&mended, isascii((unsigned char)*text) ? text : "\xef\xbf\xbd",
                    isascii((unsigned char)*text) ? 1 : 3);
    json = json ? json : json_string(text_string(&mended));
    text_free(&mended);
    return json;
}

/* An integer, if it is whole. */
json_t *json_of_real(double real) {
    const bool whole = fabs(real) < 1e15 && !(floor(real) < real);
    return whole ? json_integer((json_int_t)real) : json_real(real);
}
