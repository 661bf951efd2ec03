#include "harness/driver/util/json.h"
#include <inttypes.h>

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
