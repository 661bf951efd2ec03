#include "harness/driver/plan/suite.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/hash.h"
#include "harness/measuring/cell/cell.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct suite_options suite_default_options = {
    .invocations = 5, .repetitions = 3, .minimum_time = 0.02, .timeout = 60, .layouts = 1};

const struct parameter suite_option_parameters[] = {
    PARAMETER_INTEGER("invocations", 5, 1, 1000, "", "fresh processes a cell"),
    PARAMETER_INTEGER("repetitions", 3, 1, 1000, "", "measurements a process"),
    PARAMETER_REAL("minimum_time", 0.02, 0.0001, 3600, "s", "that a measurement lasts at least"),
    PARAMETER_REAL("precision", 0, 0, 50, "%", "that a cell's interval reaches to either side; 0: all invocations"),
    PARAMETER_REAL("timeout", 60, 0.1, 86400, "s", "after which a process is killed"),
    PARAMETER_INTEGER("layouts", 1, 1, CELL_VARIANTS, "", "of the code, for cells that have no variants of it"),
    PARAMETER_CHOICE(
        "threads_beyond", "flagged", "flagged|clipped",
        "more threads than processors: measured and flagged, or as many as there are instead, which is said"),
    PARAMETER_REAL("work", 0, 0, 1e6, "s",
                   "that one processor works on a repetition: for --topology, where none is tried"),
    PARAMETERS_END,
};

int suite_set_option(struct suite_options *options, const char *name, const char *value, char *message) {
    char spelling[VALUE_SIZE];
    struct value read;
    const struct parameter *parameter = parameter_find(suite_option_parameters, name);
    char number[64];
    const size_t length = strlen(value);
    if (strcmp(name, "precision") == 0 && length > 1 && length < sizeof number && value[length - 1] == '%') {
        snprintf(number, sizeof number, "%.*s", (int)length - 1, value);
        value = number;
    }
    if (!parameter) {
        snprintf(message, MESSAGE_SIZE, "no such option: %.60s", name);
        return 2;
    }
    if (!parameter_read(parameter, value, &read, spelling, message))
        return 2;
    if (strcmp(name, "precision") == 0)
        options->precision = read.real;
    else if (strcmp(name, "invocations") == 0) {
        options->invocations = (unsigned)read.integer;
        options->invocations_given = true;
    } else if (strcmp(name, "repetitions") == 0)
        options->repetitions = (unsigned)read.integer;
    else if (strcmp(name, "minimum_time") == 0)
        options->minimum_time = read.real;
    else if (strcmp(name, "layouts") == 0)
        options->layouts = (unsigned)read.integer;
    else if (strcmp(name, "threads_beyond") == 0)
        options->clipped = read.choice == 1;
    else if (strcmp(name, "work") == 0)
        options->work = read.real;
    else
        options->timeout = read.real;
    return 0;
}

/* One value of length bytes to the end of the key's; 2 with a message when it cannot be one. */
static int add_value(struct suite_key *key, const char *value, size_t length, char *message) {
    if (length == 0) {
        snprintf(message, MESSAGE_SIZE, "%s= wants at least one value, and none between two commas may be empty",
                 key->name);
        return 2;
    }
    struct text copy = {0};
    text_append(&copy, value, length);
    key->values = reallocate(key->values, key->value_count + 1, sizeof key->values[0]);
    key->values[key->value_count++] = copy.data;
    if (unescape(copy.data))
        return 0;
    snprintf(message, MESSAGE_SIZE,
             "%s=%.60s: %% stands for a byte, two hexadecimal digits after it; %% itself is %%25", key->name, value);
    return 2;
}

/* "a,b" to the end of the key's values. */
static int add_values(struct suite_key *key, const char *values, char *message) {
    int result = 0;
    for (const char *value = values; value && result == 0;) {
        const char *comma = strchr(value, ',');
        result = add_value(key, value, comma ? (size_t)(comma - value) : strlen(value), message);
        value = comma ? comma + 1 : NULL;
    }
    return result;
}

static void free_values(struct suite_key *key) {
    for (size_t i = 0; i < key->value_count; i++)
        free(key->values[i]);
    free(key->values);
}

int suite_line_add(struct suite_line *line, const char *assignment, char *message) {
    struct suite_key key = {0};
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : 0;
    if (length == 0 || length >= sizeof key.name) {
        snprintf(message, MESSAGE_SIZE, "%.60s: name=value or name=value,value is wanted", assignment);
        return 2;
    }
    memcpy(key.name, assignment, length);
    for (size_t i = 0; i < line->key_count; i++) {
        if (strcmp(line->keys[i].name, key.name) == 0) {
            snprintf(message, MESSAGE_SIZE, "%s is given twice", key.name);
            return 2;
        }
    }
    int result = add_values(&key, equals + 1, message);
    line->keys = reallocate(line->keys, line->key_count + 1, sizeof key);
    line->keys[line->key_count++] = key;
    return result;
}

void suite_line_copy(struct suite_line *line, const struct suite_line *from) {
    line->keys = allocate(from->key_count, sizeof line->keys[0]);
    line->key_count = from->key_count;
    for (size_t i = 0; i < from->key_count; i++) {
        struct suite_key *key = &line->keys[i];
        *key = from->keys[i];
        key->values = allocate(key->value_count, sizeof key->values[0]);
        for (size_t j = 0; j < key->value_count; j++)
            key->values[j] = duplicate(from->keys[i].values[j]);
    }
}

void suite_line_clear(struct suite_line *line) {
    for (size_t i = 0; i < line->key_count; i++)
        free_values(&line->keys[i]);
    free(line->keys);
}

struct suite_section *suite_add_section(struct suite *suite, const char *tag, const char *title,
                                        const struct suite_options *options) {
    suite->sections = reallocate(suite->sections, suite->section_count + 1, sizeof suite->sections[0]);
    struct suite_section *section = &suite->sections[suite->section_count++];
    *section = (struct suite_section){.tag = duplicate(tag), .title = duplicate(title), .options = *options};
    return section;
}

struct suite_line *suite_add_line(struct suite_section *section, const char *workload, unsigned number) {
    section->lines = reallocate(section->lines, section->line_count + 1, sizeof section->lines[0]);
    struct suite_line *line = &section->lines[section->line_count++];
    *line = (struct suite_line){.number = number, .workload = duplicate(workload)};
    return line;
}

/* more: what it may hold besides letters, digits, _ and -. */
static bool is_name(const char *text, const char *more) {
    if (!*text)
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_' && *text != '-' && !strchr(more, *text))
            return false;
    return true;
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    for (size_t length = strlen(text); length > 0 && isspace((unsigned char)text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

/* Chapters have points in them: 5.2-fig3. */
static bool is_tag(const char *text) { return is_name(text, ".") && *text != '.'; }

/* "[fig6] Latency of push" */
static int take_section(struct suite *suite, char *line, const struct suite_options *options, char *message) {
    char *close = strchr(line, ']');
    if (!close) {
        snprintf(message, MESSAGE_SIZE, "a section's [tag] has no closing bracket");
        return 2;
    }
    *close = '\0';
    if (!is_tag(line + 1)) {
        snprintf(message, MESSAGE_SIZE, "[%.60s]: a tag has letters, digits, _ - and . only", line + 1);
        return 2;
    }
    for (size_t i = 0; i < suite->section_count; i++) {
        if (strcmp(suite->sections[i].tag, line + 1) == 0) {
            snprintf(message, MESSAGE_SIZE, "[%.60s] is there twice", line + 1);
            return 2;
        }
    }
    if (suite->section_count == SECTIONS_MAX) {
        snprintf(message, MESSAGE_SIZE, "a suite has at most %d sections", SECTIONS_MAX);
        return 2;
    }
    suite_add_section(suite, line + 1, trim(close + 1), options);
    return 0;
}

/* "push deque=array batch=1,128" */
static int take_workload(struct suite *suite, char *line, unsigned number, char *message) {
    char *word = strtok(line, " \t");
    if (suite->section_count == 0) {
        snprintf(message, MESSAGE_SIZE, "%.60s: a [tag] line comes before the first workload", word);
        return 2;
    }
    if (!is_name(word, "")) {
        snprintf(message, MESSAGE_SIZE, "%.60s: a line begins with a workload, an option or a [tag]", word);
        return 2;
    }
    struct suite_line *added = suite_add_line(&suite->sections[suite->section_count - 1], word, number);
    while ((word = strtok(NULL, " \t"))) {
        int result = suite_line_add(added, word, message);
        if (result)
            return result;
    }
    return 0;
}

/* What follows word when line begins with it as a word of its own, else NULL. */
static char *after_word(char *line, const char *word) {
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || (line[length] != '\0' && !isspace((unsigned char)line[length])))
        return NULL;
    return trim(line + length);
}

/* "optional onetbb,taskflow" */
static int take_optional(struct suite *suite, const char *names, char *message) {
    if (strpbrk(names, " \t")) {
        snprintf(message, MESSAGE_SIZE, "optional %.60s: commas alone stand between the names", names);
        return 2;
    }
    strcpy(suite->optional.name, "optional");
    return add_values(&suite->optional, names, message);
}

bool suite_is_optional(const struct suite *suite, const char *deque) {
    for (size_t i = 0; i < suite->optional.value_count; i++)
        if (strcmp(suite->optional.values[i], deque) == 0)
            return true;
    return false;
}

static int take_line(struct suite *suite, char *line, unsigned number, struct suite_options *options, char *message) {
    char *rest = after_word(line, "title");
    if (*line == '[')
        return take_section(suite, line, options, message);
    if (rest) {
        free(suite->title);
        suite->title = duplicate(rest);
        return 0;
    }
    rest = after_word(line, "optional");
    if (rest)
        return take_optional(suite, rest, message);
    for (const struct parameter *option = suite_option_parameters; option->name; option++) {
        rest = after_word(line, option->name);
        if (!rest)
            continue;
        struct suite_section *last = suite->section_count ? &suite->sections[suite->section_count - 1] : NULL;
        return suite_set_option(last ? &last->options : options, option->name, rest, message);
    }
    return take_workload(suite, line, number, message);
}

int suite_parse(struct suite *suite, const char *name, const char *path, const char *text, char *message) {
    struct suite_options options = suite_default_options;
    char why[MESSAGE_SIZE];
    unsigned number = 0;
    int result = 0;
    *suite = (struct suite){.name = duplicate(name), .path = duplicate(path), .title = duplicate("")};
    text_add(&suite->text, text);
    suite->hash = hash_string(HASH_START, text);
    char *copy = duplicate(text);
    for (char *line = copy; line && result == 0;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "#")] = '\0';
        char *content = trim(line);
        number++;
        if (*content)
            result = take_line(suite, content, number, &options, why);
        line = next;
    }
    free(copy);
    if (result) {
        snprintf(message, MESSAGE_SIZE, "%s:%u: %.280s", path_end(path, 200), number, why);
    } else if (suite->section_count == 0) {
        snprintf(message, MESSAGE_SIZE, "%s: there is no [tag] section, so nothing to measure", path_end(path, 200));
        result = 2;
    }
    return result;
}

int suite_read(struct suite *suite, const char *name, const char *path, char *message) {
    struct text text = {0};
    int unread = file_read(path, &text);
    int result = 3;
    if (unread) {
        *suite = (struct suite){0};
        snprintf(message, MESSAGE_SIZE, "%.300s: %s", path, strerror(unread));
    } else if (memchr(text_string(&text), '\0', text.length)) {
        *suite = (struct suite){0};
        snprintf(message, MESSAGE_SIZE, "%.300s: no text file", path);
        result = 2;
    } else {
        result = suite_parse(suite, name, path, text_string(&text), message);
    }
    text_free(&text);
    return result;
}

static void free_section(struct suite_section *section) {
    for (size_t i = 0; i < section->line_count; i++) {
        suite_line_clear(&section->lines[i]);
        free(section->lines[i].workload);
    }
    free(section->lines);
    free(section->tag);
    free(section->title);
}

void suite_free(struct suite *suite) {
    for (size_t i = 0; i < suite->section_count; i++)
        free_section(&suite->sections[i]);
    free_values(&suite->optional);
    free(suite->sections);
    free(suite->name);
    free(suite->path);
    free(suite->title);
    text_free(&suite->text);
    *suite = (struct suite){0};
}
