/* What --csv writes: the rows of samples.csv with a column for each parameter in place of params. */

#include "harness/driver/record/record.h"
#include <stdlib.h>
#include <string.h>

struct words wide_parameters(const struct plan *plan) {
    struct words names = {0};
    for (size_t i = 0; i < plan->cell_count; i++) {
        char *params = duplicate(plan->cells[i].params), *rest;
        for (char *name = strtok_r(params, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
            name[strcspn(name, "=")] = '\0';
            if (!words_have(&names, name))
                words_add(&names, duplicate(name));
        }
        free(params);
    }
    words_sort(&names);
    return names;
}

/* Puts these values in the place of params. */
static void add_row(struct text *text, char *const *field, const struct words *values) {
    struct words wide = {0};
    for (size_t i = 0; i < SAMPLES_COLUMN_COUNT; i++) {
        if (i == COLUMN_PARAMS)
            words_add_all(&wide, values);
        else
            words_add(&wide, field[i]);
    }
    text_add_row(text, wide.at, wide.count);
    free(wide.at);
}

/* The value of each parameter in params, which it changes; "" where there is none. */
static struct words values_of(const struct words *names, char *params) {
    struct words values = {0};
    char *rest;
    for (size_t i = 0; i < names->count; i++)
        words_add(&values, "");
    for (char *pair = strtok_r(params, ";", &rest); pair; pair = strtok_r(NULL, ";", &rest)) {
        char *value = strchr(pair, '=');
        *value++ = '\0';
        unescape(value);
        for (size_t i = 0; i < names->count; i++)
            if (strcmp(names->at[i], pair) == 0)
                values.at[i] = value;
    }
    return values;
}

static struct words headings_of(const struct words *names) {
    struct words headings = {0};
    for (size_t i = 0; i < names->count; i++)
        words_add(&headings, formatted("param_%s", names->at[i]));
    return headings;
}

struct text wide_rows(const struct words *names, const char *rows) {
    struct text text = {0};
    char *copy = duplicate(rows), *rest, *field[SAMPLES_COLUMN_COUNT];
    for (char *row = strtok_r(copy, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
        const bool is_heading = strcmp(row, SAMPLES_COLUMNS) == 0;
        split_csv(row, field, SAMPLES_COLUMN_COUNT);
        struct words values = is_heading ? headings_of(names) : values_of(names, field[COLUMN_PARAMS]);
        add_row(&text, field, &values);
        free(values.at);
    }
    free(copy);
    return text;
}
