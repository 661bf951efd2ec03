#include "harness/driver/util/json.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void begin(struct json *json, const char *name) {
    if (json->depth > 0)
        text_format(json->text, "%s%*s", json->first ? "\n" : ",\n", (int)(2 * json->depth), "");
    if (name) {
        text_add_json(json->text, name);
        text_add(json->text, ": ");
    }
    json->first = false;
}

void json_open(struct json *json, const char *name, char bracket) {
    begin(json, name);
    text_append(json->text, &bracket, 1);
    json->depth++;
    json->first = true;
}

void json_close(struct json *json, char bracket) {
    json->depth--;
    if (!json->first)
        text_format(json->text, "\n%*s", (int)(2 * json->depth), "");
    text_append(json->text, &bracket, 1);
    json->first = false;
}

void json_string(struct json *json, const char *name, const char *value) {
    begin(json, name);
    text_add_json(json->text, value);
}

void json_count(struct json *json, const char *name, uint64_t value) {
    begin(json, name);
    text_format(json->text, "%" PRIu64, value);
}

void json_real(struct json *json, const char *name, double value) {
    begin(json, name);
    text_format(json->text, "%.9g", value);
}

void json_bool(struct json *json, const char *name, bool value) {
    begin(json, name);
    text_add(json->text, value ? "true" : "false");
}

void json_raw(struct json *json, const char *name, const char *value) {
    begin(json, name);
    text_add(json->text, value);
}

/* Is it a number as JSON writes them? */
static bool is_number(const char *text) {
    text += *text == '-';
    const size_t whole = strspn(text, "0123456789");
    if (whole == 0 || (*text == '0' && whole > 1))
        return false;
    text += whole;
    if (*text == '.') {
        const size_t digits = strspn(text + 1, "0123456789");
        text += digits ? 1 + digits : 0;
    }
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '+' || text[1] == '-');
        const size_t digits = strspn(text, "0123456789");
        if (digits == 0)
            return false;
        text += digits;
    }
    return *text == '\0';
}

#define COLUMNS_MAX 64

void json_of_csv(FILE *file, const char *csv) {
    char *names[COLUMNS_MAX], *fields[COLUMNS_MAX], *copy = duplicate(csv), *rest = NULL;
    char *heading = strtok_r(copy, "\n", &rest);
    const size_t columns = heading ? split_csv(heading, names, COLUMNS_MAX) : 0;
    const char *between = "\n";
    fputc('[', file);
    for (char *line = strtok_r(NULL, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct text row = {0};
        const size_t count = split_csv(line, fields, COLUMNS_MAX);
        for (size_t i = 0; i < columns && i < count && i < COLUMNS_MAX; i++) {
            text_add(&row, i ? ", " : "");
            text_add_json(&row, names[i]);
            text_add(&row, ": ");
            if (!*fields[i])
                text_add(&row, "null");
            else if (strcmp(names[i], "cell") != 0 && is_number(fields[i]))
                text_add(&row, fields[i]);
            else
                text_add_json(&row, fields[i]);
        }
        fprintf(file, "%s  {%s}", between, text_string(&row));
        between = ",\n";
        text_free(&row);
    }
    fputs("\n]\n", file);
    free(copy);
}
