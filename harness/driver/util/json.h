/* json.h: writes JSON, indented, one member a line. Members get their commas by themselves. */
#ifndef STEALBENCH_JSON_H
#define STEALBENCH_JSON_H

#include "harness/driver/util/text.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    struct text *text;
    unsigned depth;
    bool first; /* the next member is the first of its object or list */
};

/* name NULL inside a list. */
void json_open(struct json *, const char *name, char bracket);
void json_close(struct json *, char bracket);
void json_string(struct json *, const char *name, const char *value);
void json_count(struct json *, const char *name, uint64_t value);
void json_real(struct json *, const char *name, double value);
void json_bool(struct json *, const char *name, bool value);
/* value is JSON already. */
void json_raw(struct json *, const char *name, const char *value);

/* A table as CSV (a heading, no line ends within fields) as a list of objects: numbers as numbers, but in the column
 * cell, whose hashes may look like some; an empty field is null. */
void json_of_csv(FILE *, const char *csv);

#endif
