/* json.h: tables as JSON, by jansson. */
#ifndef STEALBENCH_JSON_H
#define STEALBENCH_JSON_H

#include <jansson.h>
#include <stdio.h>

/* A JSON string of any bytes: those that are not UTF-8 become U+FFFD. */
json_t *json_of_text(const char *text);

/* A table as CSV (a heading, no line ends within fields) as a list of objects: numbers as numbers, but in the column
 * cell, whose hashes may look like some; an empty field is null. */
void json_of_csv(FILE *, const char *csv);

#endif
