#include "harness/driver/util/text.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *granted(void *memory) {
    if (!memory) {
        fputs("stealbench: no memory left\n", stderr);
        exit(3);
    }
    return memory;
}

void *allocate(size_t count, size_t size) { return granted(calloc(count ? count : 1, size)); }

void *reallocate(void *memory, size_t count, size_t size) {
    return granted(reallocarray(memory, count ? count : 1, size));
}

char *duplicate(const char *string) { return granted(strdup(string)); }

/* Makes room for this many more bytes and the final 0. */
static void make_room(struct text *text, size_t more) {
    size_t capacity = text->capacity ? text->capacity : 256;
    if (text->length + more + 1 <= text->capacity)
        return;
    while (capacity < text->length + more + 1)
        capacity *= 2;
    text->data = reallocate(text->data, capacity, 1);
    text->capacity = capacity;
}

void text_append(struct text *text, const char *bytes, size_t length) {
    make_room(text, length);
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *string) { text_append(text, string, strlen(string)); }

void text_format_list(struct text *text, const char *format, va_list arguments) {
    char *made = NULL;
    int length = vasprintf(&made, format, arguments);
    if (length < 0)
        made = NULL;
    granted(made);
    text_append(text, made, (size_t)length);
    free(made);
}

void text_format(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_format_list(text, format, arguments);
    va_end(arguments);
}

void text_cut(struct text *text, size_t length) {
    text->length = length;
    if (text->data)
        text->data[length] = '\0';
}

void text_free(struct text *text) {
    free(text->data);
    *text = (struct text){0};
}

const char *text_string(const struct text *text) { return text->data ? text->data : ""; }

void text_add_csv(struct text *text, const char *field) {
    if (!strpbrk(field, ",\"\r\n")) {
        text_add(text, field);
        return;
    }
    text_add(text, "\"");
    for (const char *at = field; *at; at++)
        text_append(text, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    text_add(text, "\"");
}

/* Length of the UTF-8 sequence that starts here, 0 when it is none. Surrogates and overlong forms are none. */
static size_t utf8_length(const unsigned char *at) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    if (length <= 1)
        return length;
    uint32_t code = at[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

void text_add_json(struct text *text, const char *string) {
    text_add(text, "\"");
    for (const char *at = string; *at;) {
        size_t length = utf8_length((const unsigned char *)at);
        if (length == 0)
            text_add(text, "\xef\xbf\xbd");
        else if (*at == '"' || *at == '\\')
            text_format(text, "\\%c", *at);
        else if (*at == '\n')
            text_add(text, "\\n");
        else if ((unsigned char)*at < 0x20)
            text_format(text, "\\u%04x", (unsigned)*at);
        else
            text_append(text, at, length);
        at += length ? length : 1;
    }
    text_add(text, "\"");
}

void text_add_escaped(struct text *text, const char *value) {
    for (; *value; value++) {
        const unsigned char byte = (unsigned char)*value;
        if (byte <= ' ' || byte > '~' || strchr("%;=,\"\\#", byte))
            text_format(text, "%%%02X", (unsigned)byte);
        else
            text_append(text, value, 1);
    }
}

/* 0 to 15, or -1. */
static int hexadecimal(char digit) {
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, tolower((unsigned char)digit)) : NULL;
    return at ? (int)(at - digits) : -1;
}

bool unescape(char *value) {
    char *to = value;
    for (const char *from = value; *from; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        int high = hexadecimal(from[1]), low = high < 0 ? -1 : hexadecimal(from[2]);
        if (low < 0 || high + low == 0)
            return false;
        *to++ = (char)(high * 16 + low);
        from += 2;
    }
    *to = '\0';
    return true;
}

const char *path_end(const char *path, size_t max) {
    size_t length = strlen(path);
    return length > max ? path + length - max : path;
}

size_t split_tabs(char *line, char **fields, size_t max) {
    size_t count = 0;
    for (char *at = line; at; count++) {
        char *tab = strchr(at, '\t');
        if (count < max)
            fields[count] = at;
        if (tab)
            *tab++ = '\0';
        at = tab;
    }
    return count;
}

/* Takes the quotes off a field that begins with one; returns what follows its closing quote, NULL when there is no
 * such quote. */
static char *unquote(char *field) {
    char *to = field;
    for (char *from = field + 1; *from; from++) {
        if (*from == '"' && *++from != '"') {
            char *rest = from;
            *to = '\0';
            return rest;
        }
        *to++ = *from;
    }
    return NULL;
}

size_t split_csv(char *record, char **fields, size_t max) {
    size_t count = 0;
    for (char *at = record;; count++) {
        char *end;
        char ending;
        if (count < max)
            fields[count] = at;
        if (*at == '"') {
            end = unquote(at);
            if (!end || (*end != ',' && *end != '\0'))
                return 0;
        } else {
            end = at + strcspn(at, ",");
        }
        ending = *end;
        *end = '\0';
        if (ending == '\0')
            return count + 1;
        at = end + 1;
    }
}
