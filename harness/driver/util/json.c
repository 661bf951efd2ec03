#include "harness/driver/util/util.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 64

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

json_t *json_of_real(double real) {
    const bool whole = fabs(real) < 1e15 && !(floor(real) < real);
    return whole ? json_integer((json_int_t)real) : json_real(real);
}

static json_t *json_of_field(const char *name, const char *field) {
    json_t *json = strcmp(name, "cell") == 0 ? NULL : json_loads(field, JSON_DECODE_ANY, NULL);
    if (json_is_number(json) || !*field)
        return json ? json : json_null();
    json_decref(json);
    return json_of_text(field);
}

void json_of_csv(FILE *file, const char *csv) {
    char *names[COLUMNS_MAX], *fields[COLUMNS_MAX], *copy = duplicate(csv), *rest = NULL;
    char *heading = strtok_r(copy, "\n", &rest);
    const size_t columns = heading ? split_csv(heading, names, COLUMNS_MAX) : 0;
    const char *between = "\n";
    fputc('[', file);
    for (char *line = strtok_r(NULL, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *row = json_object();
        const size_t count = split_csv(line, fields, COLUMNS_MAX);
        for (size_t i = 0; i < columns && i < count && i < COLUMNS_MAX; i++)
            json_object_set_new(row, names[i], json_of_field(names[i], fields[i]));
        fprintf(file, "%s  ", between);
        json_dumpf(row, file, JSON_REAL_PRECISION(15));
        between = ",\n";
        json_decref(row);
    }
    fputs("\n]\n", file);
    free(copy);
}
