#include "harness/measuring/parameters.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const parameter_kind_words[] = LIST_WORDS(PARAMETER_KINDS);

const struct parameter *parameter_find(const struct parameter *table, const char *name) {
    for (; table && table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

/* Reads "128", "10k", "2M" or "1G" into *number. Returns false for anything else, also for signs and overflow. */
static bool parse_integer(const char *text, uint64_t *number) {
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    const uint64_t factor = *end == 'k' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 1;
    end += factor > 1;
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

static void say_range(const struct parameter *parameter, const char *value, const char *wants, char *message) {
    bool words = parameter->choices && *parameter->choices;
    const bool scaled = parameter->kind == KIND_INTEGER && isdigit((unsigned char)*value) &&
                        isalpha((unsigned char)value[strspn(value, "0123456789")]);
    snprintf(message, MESSAGE_SIZE, "%s=%s: expected %s from %.15g to %.15g%s%s%s%s%s", parameter->name, value, wants,
             parameter->minimum, parameter->maximum, *parameter->unit ? " " : "", parameter->unit, words ? ", or " : "",
             words ? parameter->choices : "", scaled ? "; it may end on k, M or G, as in 10k" : "");
}

static bool read_text(const struct parameter *parameter, const char *given, char *spelling, char *message) {
    size_t length = strlen(given);
    if (length == 0 || length >= VALUE_SIZE) {
        snprintf(message, MESSAGE_SIZE, "%s=%.60s%s: expected 1 to %d characters", parameter->name, given,
                 length > 60 ? "..." : "", VALUE_SIZE - 1);
        return false;
    }
    memcpy(spelling, given, length + 1);
    return true;
}

bool parameter_read(const struct parameter *parameter, const char *given, struct value *value, char *spelling,
                    char *message) {
    const bool whole = parameter->kind == KIND_INTEGER;
    *value = (struct value){.parameter = parameter, .text = spelling};
    value->choice = parameter->choices && *parameter->choices ? choice_index(parameter->choices, given) : -1;
    if (value->choice >= 0 || parameter->kind == KIND_TEXT)
        return read_text(parameter, given, spelling, message);
    if (parameter->kind == KIND_CHOICE) {
        snprintf(message, MESSAGE_SIZE, "%s=%s: expected one of %s", parameter->name, given, parameter->choices);
        return false;
    }
    const bool read = whole ? parse_integer(given, &value->integer) : parse_real(given, &value->real);
    if (whole)
        value->real = (double)value->integer;
    if (!read || value->real < parameter->minimum || value->real > parameter->maximum) {
        say_range(parameter, given, whole ? "a whole number" : "a number", message);
        return false;
    }
    if (whole) {
        snprintf(spelling, VALUE_SIZE, "%llu", (unsigned long long)value->integer);
    } else {
        snprintf(spelling, VALUE_SIZE, "%.9g", value->real);
        value->real = strtod(spelling, NULL);
    }
    return true;
}

const struct value *value_find(const struct value *values, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i].parameter->name, name) == 0)
            return &values[i];
    return NULL;
}

const struct value *settings_get(const struct settings *settings, const char *name) {
    return value_find(settings->at, settings->count, name);
}

bool settings_set(struct settings *settings, const struct parameter *parameter, const char *given, char *message) {
    char spelling[VALUE_SIZE];
    struct value value;
    if (!parameter_read(parameter, given, &value, spelling, message))
        return false;
    const struct value *before = settings_get(settings, parameter->name);
    const size_t place = before ? (size_t)(before - settings->at) : settings->count, size = strlen(spelling) + 1;
    if (place == SETTINGS_MAX || size > sizeof settings->text - settings->used) {
        snprintf(message, MESSAGE_SIZE, "%s: more parameters than can be kept", parameter->name);
        return false;
    }
    value.text = memcpy(settings->text + settings->used, spelling, size);
    settings->used += size;
    settings->at[place] = value;
    settings->count += !before;
    return true;
}

const char *settings_default(const struct settings *settings, const struct parameter *parameter, char *preset) {
    char all[VALUE_SIZE], word[VALUE_SIZE + 4], name[NAME_SIZE + 4];
    snprintf(name, sizeof name, " %s=", parameter->name);
    for (size_t i = 0; i < settings->count; i++) {
        snprintf(all, sizeof all, "; %s", settings->at[i].parameter->presets ? settings->at[i].parameter->presets : "");
        snprintf(word, sizeof word, "; %s:", settings->at[i].text);
        char *own = strstr(all, word);
        if (!own)
            continue;
        own[2 + strcspn(own + 2, ";")] = '\0'; /* other words' presets follow */
        const char *found = strstr(own, name);
        if (!found)
            continue;
        found += strlen(name);
        snprintf(preset, VALUE_SIZE, "%.*s", (int)strcspn(found, " "), found);
        return preset;
    }
    return parameter->fallback;
}

static int compare_values(const void *a, const void *b) {
    return strcmp(((const struct value *)a)->parameter->name, ((const struct value *)b)->parameter->name);
}

void settings_sort(struct settings *settings) {
    qsort(settings->at, settings->count, sizeof settings->at[0], compare_values);
}

bool values_sum(const char *sum, const struct value *values, size_t count, unsigned *total) {
    *total = 0;
    for (const char *term = sum; term; term = strchr(term, '+') ? strchr(term, '+') + 1 : NULL) {
        char name[NAME_SIZE + VALUE_SIZE], *equals;
        uint64_t number;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(term, "+"), term);
        if ((equals = strchr(name, '=')))
            *equals++ = '\0';
        const struct value *value = value_find(values, count, name);
        if (value && (equals || value->parameter->kind == KIND_INTEGER))
            number = equals ? strcmp(value->text, equals) == 0 : value->integer;
        else if (equals || !parse_integer(name, &number))
            return false;
        *total += (unsigned)number;
    }
    return true;
}

int choice_index(const char *choices, const char *value) {
    const size_t length = strlen(value);
    int index = 0;
    for (const char *choice = choices; choice; index++) {
        const size_t n = strcspn(choice, "|");
        if (n == length && strncmp(choice, value, n) == 0)
            return index;
        choice = choice[n] ? choice + n + 1 : NULL;
    }
    return -1;
}

void string_add(char *text, size_t size, const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void string_bits(char *text, size_t size, unsigned bits, const char *const *words, size_t count,
                 const char *separator) {
    for (unsigned bit = 1; bit < count; bit <<= 1)
        if (bits & bit)
            string_add(text, size, "%s%s", *text ? separator : "", words[bit]);
}
