/* parameters.h: named, typed, bounded settings, and what to say when one is wrong.
 *
 * A workload declares its parameters as a table; the driver reads the same table from the executable's --describe
 * and refuses a wrong value before anything runs. Functions here print nothing: they fill a message.
 */
#ifndef STEALBENCH_PARAMETERS_H
#define STEALBENCH_PARAMETERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum parameter_kind {
    PARAMETER_INTEGER, /* minimum to maximum; decimal, with an optional k, M or G (1000, 10^6, 10^9); or one of choices,
                          where there are any: words that stand for what no number says */
    PARAMETER_REAL,    /* minimum to maximum */
    PARAMETER_CHOICE,  /* one of choices, "idle|busy" */
    PARAMETER_TEXT     /* any bytes, such as a path's */
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

/* Of a value with its final 0: room for any path that the system takes. */
#define VALUE_SIZE PATH_MAX

/* One setting, as given: "batch" and "128". value lies in the text of the settings. */
struct setting {
    char name[32];
    const char *value;
};

#define SETTINGS_MOST 48
#define SETTINGS_TEXT (2 * VALUE_SIZE + SETTINGS_MOST * 96) /* two paths, and everything else */
struct settings {
    size_t count, used;
    struct setting entry[SETTINGS_MOST];
    char text[SETTINGS_TEXT];
};

#define MESSAGE_SIZE 512

/* The parameter of that name, or NULL. */
const struct parameter *parameter_find(const struct parameter *table, size_t count, const char *name);

/* Is value allowed? Writes the value in its one spelling (1k becomes 1000, 05 becomes 5) into normal (VALUE_SIZE
 * bytes), or,
 * when not allowed, a message that names the parameter and its range into message (MESSAGE_SIZE bytes). */
bool parameter_accepts(const struct parameter *, const char *value, char *normal, char *message);

/* Sets or replaces. false when there is no room left or a name is too long. Settings are not to be copied. */
bool settings_set(struct settings *, const char *name, const char *value);
const char *settings_get(const struct settings *, const char *name); /* NULL when not set */

/* Sorts by name, so that equal settings read alike. */
void settings_sort(struct settings *);

/* The choice's place in "idle|busy", or -1. */
int choice_index(const char *choices, const char *value);

/* The candidate nearest to word by edit distance, or NULL when none is near. */
const char *nearest_name(const char *word, const char *const *candidates, size_t count);

#endif
