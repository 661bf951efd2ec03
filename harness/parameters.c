#include "harness/parameters.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct parameter *parameter_find(const struct parameter *table, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* "128", "10k", "2M", "1G" into *number; false for anything else, signs and overflow included. */
static bool parse_integer(const char *text, uint64_t *number) {
    char *end;
    uint64_t factor = 1;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    if (*end == 'k')
        factor = 1000;
    else if (*end == 'M')
        factor = 1000000;
    else if (*end == 'G')
        factor = 1000000000;
    if (factor != 1)
        end++;
    if (*end != '\0' || *number > UINT64_MAX / factor)
        return false;
    *number *= factor;
    return true;
}

static bool parse_real(const char *text, double *number) {
    char *end;
    if (!isdigit((unsigned char)*text) && *text != '.' && *text != '-')
        return false;
    *number = strtod(text, &end);
    return *end == '\0' && isfinite(*number);
}

/* "50" for 50, "0.02" for 0.02: no trailing zeros. */
static void print_bound(double bound, char *text, size_t size) { snprintf(text, size, "%.15g", bound); }

static void say_range(const struct parameter *parameter, const char *value, const char *wants, char *message) {
    char low[32], high[32];
    print_bound(parameter->minimum, low, sizeof low);
    print_bound(parameter->maximum, high, sizeof high);
    bool words = parameter->choices && *parameter->choices;
    snprintf(message, MESSAGE_SIZE, "%s=%s: %s from %s to %s%s%s%s%s is wanted", parameter->name, value, wants, low,
             high, *parameter->unit ? " " : "", parameter->unit, words ? ", or " : "", words ? parameter->choices : "");
}

static bool accepts_text(const struct parameter *parameter, const char *value, char *normal, char *message) {
    size_t length = strlen(value);
    if (length == 0 || length >= VALUE_SIZE) {
        snprintf(message, MESSAGE_SIZE, "%s=%.60s%s: 1 to %d characters are wanted", parameter->name, value,
                 length > 60 ? "..." : "", VALUE_SIZE - 1);
        return false;
    }
    memcpy(normal, value, length + 1);
    return true;
}

static bool accepts_choice(const struct parameter *parameter, const char *value, char *normal, char *message) {
    if (choice_index(parameter->choices, value) >= 0) {
        snprintf(normal, VALUE_SIZE, "%s", value);
        return true;
    }
    snprintf(message, MESSAGE_SIZE, "%s=%s: one of %s is wanted", parameter->name, value, parameter->choices);
    return false;
}

bool parameter_accepts(const struct parameter *parameter, const char *value, char *normal, char *message) {
    uint64_t integer;
    double real;
    switch (parameter->kind) {
    case PARAMETER_INTEGER:
        if (parse_integer(value, &integer) && (double)integer >= parameter->minimum &&
            (double)integer <= parameter->maximum) {
            snprintf(normal, VALUE_SIZE, "%llu", (unsigned long long)integer);
            return true;
        }
        if (parameter->choices && *parameter->choices && choice_index(parameter->choices, value) >= 0) {
            snprintf(normal, VALUE_SIZE, "%s", value);
            return true;
        }
        say_range(parameter, value, "a whole number", message);
        return false;
    case PARAMETER_REAL:
        if (parse_real(value, &real) && real >= parameter->minimum && real <= parameter->maximum) {
            snprintf(normal, VALUE_SIZE, "%.9g", real);
            return true;
        }
        say_range(parameter, value, "a number", message);
        return false;
    case PARAMETER_CHOICE:
        return accepts_choice(parameter, value, normal, message);
    case PARAMETER_TEXT:
        break;
    }
    return accepts_text(parameter, value, normal, message);
}

static struct setting *settings_entry(struct settings *settings, const char *name) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->entry[i].name, name) == 0)
            return &settings->entry[i];
    return NULL;
}

bool settings_set(struct settings *settings, const char *name, const char *value) {
    struct setting *entry = settings_entry(settings, name);
    const size_t size = strlen(value) + 1;
    if (strlen(name) >= sizeof entry->name || size > sizeof settings->text - settings->used)
        return false;
    if (!entry) {
        if (settings->count == SETTINGS_MOST)
            return false;
        entry = &settings->entry[settings->count++];
        strcpy(entry->name, name);
    }
    entry->value = memcpy(settings->text + settings->used, value, size);
    settings->used += size;
    return true;
}

const char *settings_get(const struct settings *settings, const char *name) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->entry[i].name, name) == 0)
            return settings->entry[i].value;
    return NULL;
}

static int compare_settings(const void *a, const void *b) {
    return strcmp(((const struct setting *)a)->name, ((const struct setting *)b)->name);
}

void settings_sort(struct settings *settings) {
    qsort(settings->entry, settings->count, sizeof settings->entry[0], compare_settings);
}

int choice_index(const char *choices, const char *value) {
    size_t length = strlen(value);
    int index = 0;
    for (const char *choice = choices; choice; index++) {
        const char *bar = strchr(choice, '|');
        size_t n = bar ? (size_t)(bar - choice) : strlen(choice);
        if (n == length && strncmp(choice, value, n) == 0)
            return index;
        choice = bar ? bar + 1 : NULL;
    }
    return -1;
}

/* Edit distance with transpositions of neighbours counted once; words of up to 63 characters. */
static unsigned edit_distance(const char *a, const char *b) {
    unsigned row[3][64];
    size_t n = strlen(a), m = strlen(b);
    if (n > 63 || m > 63)
        return 64;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3], *before = row[(i - 1) % 3], *before_that = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before_that[j - 2] + 1 < best)
                best = before_that[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *nearest_name(const char *word, const char *const *candidates, size_t count) {
    const char *nearest = NULL;
    unsigned least = 64;
    for (size_t i = 0; i < count; i++) {
        unsigned distance = edit_distance(word, candidates[i]);
        if (distance < least) {
            least = distance;
            nearest = candidates[i];
        }
    }
    /* more than half the word mistyped is another word */
    return least <= (strlen(word) + 1) / 2 ? nearest : NULL;
}
