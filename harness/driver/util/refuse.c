#include "harness/driver/util/util.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *refusal_verb, *refusal_place;

void refuse(int exit_code, const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "stealbench%s%s: ", refusal_verb ? " " : "", refusal_verb ? refusal_verb : "");
    if (refusal_place)
        fprintf(stderr, "%s: ", refusal_place);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(exit_code);
}

void refuse_unknown(const char *what, const char *word, const struct words *names) {
    const char *nearest = nearest_name(word, names->at, names->count);
    struct text all = {0};
    if (nearest)
        refuse(2, "no such %s: %.60s; did you mean %s?", what, word, nearest);
    for (size_t i = 0; i < names->count; i++)
        text_format(&all, "%s %s", i ? "," : "", names->at[i]);
    refuse(2, "no such %s: %.60s; there %s%s", what, word, names->count ? "are" : "is none", text_string(&all));
}

struct value must_read(const struct parameter *parameter, const char *text) {
    char message[MESSAGE_SIZE], spelling[VALUE_SIZE];
    struct value value;
    if (!parameter_read(parameter, text, &value, spelling, message))
        refuse(2, "%s", message);
    return value;
}
