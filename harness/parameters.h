/* parameters.h: named, typed, bounded settings, and what to say when one is wrong.
 *
 * A workload declares its parameters as a table; the driver reads the same table from the executable's --describe
 * and refuses a wrong value before anything runs. Functions here print nothing: they fill a message.
 */
#ifndef STEALBENCH_PARAMETERS_H
#define STEALBENCH_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

enum parameter_kind {
    PARAMETER_INTEGER, /* minimum to maximum; decimal, with an optional k, M or G (1000, 10^6, 10^9); or one of choices,
                          where there are any: words that stand for what no number says */
    PARAMETER_REAL,    /* minimum to maximum */
    PARAMETER_CHOICE,  /* one of choices, "idle|busy" */
    PARAMETER_TEXT     /* anything but ; = , and white space */
};

struct parameter {
    const char *name;
    enum parameter_kind kind;
    const char *fallback;    /* what it is when not given, as text */
    double minimum, maximum; /* both included */
    const char *choices;     /* of a PARAMETER_CHOICE, "idle|busy"; of a PARAMETER_INTEGER, "max" or NULL */
    const char *unit;        /* "items", "percent", "" */
    const char *help;        /* one line */
};

/* One setting, as given: "batch" and "128". */
struct setting {
    char name[32];
    char value[96];
};

#define SETTINGS_MOST 48
struct settings {
    size_t count;
    struct setting entry[SETTINGS_MOST];
};

#define MESSAGE_SIZE 512

/* The parameter of that name, or NULL. */
const struct parameter *parameter_find(const struct parameter *table, size_t count, const char *name);

/* Is value allowed? Writes the value in its one spelling (1k becomes 1000, 05 becomes 5) into normal (96 bytes), or,
 * when not allowed, a message that names the parameter and its range into message (MESSAGE_SIZE bytes). */
bool parameter_accepts(const struct parameter *, const char *value, char *normal, char *message);

/* Sets or replaces. false when the table is full or a name or value too long. */
bool settings_set(struct settings *, const char *name, const char *value);
const char *settings_get(const struct settings *, const char *name); /* NULL when not set */

/* Sorts by name, so that equal settings read alike. */
void settings_sort(struct settings *);

/* "batch=128;capacity=0", sorted, into text. false when it does not fit. */
bool settings_text(const struct settings *, char *text, size_t size);

/* The choice's place in "idle|busy", or -1. */
int choice_index(const char *choices, const char *value);

/* The candidate nearest to word by edit distance, or NULL when none is near. */
const char *nearest_name(const char *word, const char *const *candidates, size_t count);

#endif
