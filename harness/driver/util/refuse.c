#include "harness/driver/util/util.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *refusal_verb, *refusal_place;
struct refusal *refusal_expected;

void refuse(int exit_code, const char *format, ...) {
    struct refusal *expected = refusal_expected;
    char *said;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&said, format, arguments) < 0)
        exit(3);
    va_end(arguments);
    if (refusal_place)
        said = formatted("%s: %s", refusal_place, said);
    refusal_place = NULL;
    refusal_expected = NULL;
    if (expected) {
        expected->exit_code = exit_code;
        expected->message = said;
        longjmp(expected->back, 1);
    }
    fprintf(stderr, "stealbench%s%s: %s\n", refusal_verb ? " " : "", refusal_verb ? refusal_verb : "", said);
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
