/* parameters.h: named, typed, bounded settings, and the messages about wrong ones.
 *
 * A workload declares its parameters as a table; the driver reads the same table from the executable's --describe
 * and refuses a wrong value before anything runs. Functions here print nothing: they fill a message.
 */
#pragma once

#include "harness/measuring/words.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_SIZE 32 /* of a parameter's name with its final 0 */

/* The kinds, and their words in an executable's description. A whole number is decimal, with an optional k, M or G
 * (1000, 10^6, 10^9); text is any bytes, such as a path. */
#define PARAMETER_KINDS(KIND)                                                                                          \
    KIND(KIND_INTEGER, "integer")                                                                                      \
    KIND(KIND_REAL, "real")                                                                                            \
    KIND(KIND_CHOICE, "choice")                                                                                        \
    KIND(KIND_TEXT, "text")

enum parameter_kind { PARAMETER_KINDS(LIST_NAME) };
#define PARAMETER_KIND_COUNT (KIND_TEXT + 1)
extern const char *const parameter_kind_words[];

struct parameter {
    const char *name; /* NULL: the end of a table */
    enum parameter_kind kind;
    const char *fallback;    /* its default, as text */
    double minimum, maximum; /* bounds of a number, both included */
    const char *choices;     /* "idle|busy"; for a whole number: words besides numbers, or NULL */
    const char *unit;        /* "items", "percent", "" */
    const char *help;        /* one line */
    /* For a choice, or NULL: defaults that some of its words give to parameters further down in the table, such as
     * "volt: room=256 slot=1; master: steal=half". A parameter that is given keeps its value. */
    const char *presets;
};

/* Each makes a row of a table. fallback is written without quotation marks if it is a number. */
#define PARAMETER_INTEGER(name, fallback, least, most, unit, help)                                                     \
    { name, KIND_INTEGER, #fallback, least, most, NULL, unit, help, NULL }
#define PARAMETER_INTEGER_OR(name, fallback, least, most, words, unit, help)                                           \
    { name, KIND_INTEGER, #fallback, least, most, words, unit, help, NULL }
#define PARAMETER_SWITCH(name, help) PARAMETER_INTEGER(name, 0, 0, 1, "", help)
#define PARAMETER_REAL(name, fallback, least, most, unit, help)                                                        \
    { name, KIND_REAL, #fallback, least, most, NULL, unit, help, NULL }
#define PARAMETER_CHOICE(name, fallback, choices, help)                                                                \
    { name, KIND_CHOICE, fallback, 0, 0, choices, "", help, NULL }
#define PARAMETER_PRESETS(name, fallback, choices, presets, help)                                                      \
    { name, KIND_CHOICE, fallback, 0, 0, choices, "", help, presets }
#define PARAMETER_TEXT(name, fallback, help)                                                                           \
    { name, KIND_TEXT, fallback, 0, 0, NULL, "", help, NULL }
#define PARAMETERS_END                                                                                                 \
    { NULL, KIND_TEXT, NULL, 0, 0, NULL, NULL, NULL, NULL }

/* Bytes of a value with its final 0: room for any path that the system accepts. */
#define VALUE_SIZE PATH_MAX

/* The value of a parameter, read once. */
struct value {
    const struct parameter *parameter;
    const char *text; /* in its only spelling: 1k is 1000, 05 is 5 */
    uint64_t integer; /* for a whole number */
    double real;      /* for any number */
    int choice;       /* index among the choices; -1: it is none of them */
};

/* Values of different parameters; their text lies in the settings. */
#define SETTINGS_MAX 48
#define SETTINGS_TEXT (2 * VALUE_SIZE + SETTINGS_MAX * 96) /* two paths, and everything else */
struct settings {
    size_t count, used;
    struct value at[SETTINGS_MAX];
    char text[SETTINGS_TEXT];
};

#define MESSAGE_SIZE 512

/* The parameter of that name, or NULL. */
const struct parameter *parameter_find(const struct parameter *table, const char *name);

/* Reads a value; its text is then in spelling (VALUE_SIZE bytes). If the value is not allowed, returns false, with a
 * message (MESSAGE_SIZE bytes) that names the parameter and its range. */
bool parameter_read(const struct parameter *, const char *given, struct value *, char *spelling, char *message);

/* Reads the value and keeps it instead of an earlier one. Returns false with a message if it is wrong or there is no
 * room. Do not copy settings: values point into them. */
bool settings_set(struct settings *, const struct parameter *, const char *given, char *message);

/* The value of the parameter of that name, or NULL. */
const struct value *settings_get(const struct settings *, const char *name);
const struct value *value_find(const struct value *values, size_t count, const char *name);

/* The default of a parameter, as text: from a preset among the settings (copied to `preset`, VALUE_SIZE bytes), else
 * its fallback. */
const char *settings_default(const struct settings *, const struct parameter *, char *preset);

/* Sorts by name, so that equal settings have equal text. */
void settings_sort(struct settings *);

/* The value of a sum such as "1+thieves" or "1+owner=busy". A term is a number, the name of a whole-number parameter,
 * or a setting, which counts 1 if it holds. Returns false if a term is none of these. */
bool values_sum(const char *sum, const struct value *values, size_t count, unsigned *total);

/* The value's index in "idle|busy", or -1. */
int choice_index(const char *choices, const char *value);

/* Adds to a text as printf does, as far as there is room. */
__attribute__((format(printf, 3, 4))) void string_add(char *text, size_t size, const char *format, ...);

/* Adds the words of the bits that are set; words has a bit's word at index 1, 2, 4, ... up to below count. */
void string_bits(char *text, size_t size, unsigned bits, const char *const *words, size_t count, const char *separator);
