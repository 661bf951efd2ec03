#include "harness/driver/plan/description.h"
#include "harness/driver/util/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_A_LINE 10

/* "-" stands for nothing. */
static const char *undashed(const char *field) { return strcmp(field, "-") == 0 ? "" : field; }

static bool parse_kind(const char *text, enum parameter_kind *kind) {
    for (*kind = KIND_INTEGER; *kind < PARAMETER_KIND_COUNT; ++*kind)
        if (strcmp(text, parameter_kind_words[*kind]) == 0)
            return true;
    return false;
}

static bool parse_bound(const char *text, double *bound) {
    char *end;
    *bound = strtod(text, &end);
    return end != text && *end == '\0';
}

static struct described_workload *find_workload(const struct description *description, const char *name) {
    for (size_t i = 0; i < description->workload_count; i++)
        if (strcmp(description->workloads[i].name, name) == 0)
            return &description->workloads[i];
    return NULL;
}

/* Makes room for one more at the end of a list and returns how many were there. */
#define ONE_MORE(list, count) ((list) = reallocate((list), (count) + 1, sizeof *(list)), (count)++)

/* Adds to the end of a table. */
static void add_parameter(struct parameter **table, const struct parameter *parameter) {
    const size_t count = parameter_count(*table);
    *table = reallocate(*table, count + 2, sizeof **table);
    (*table)[count] = *parameter;
    (*table)[count + 1] = (struct parameter)PARAMETERS_END;
}

static bool take_parameter(struct description *description, char **field) {
    struct parameter parameter = {.name = field[2],
                                  .fallback = undashed(field[4]),
                                  .choices = undashed(field[7]),
                                  .unit = undashed(field[8]),
                                  .help = field[9]};
    if (!parse_kind(field[3], &parameter.kind) || !parse_bound(field[5], &parameter.minimum) ||
        !parse_bound(field[6], &parameter.maximum) || strlen(parameter.name) >= NAME_SIZE)
        return false;
    const bool common = strcmp(field[1], "*") == 0;
    struct described_workload *workload = common ? NULL : find_workload(description, field[1]);
    if (!common && !workload)
        return false;
    add_parameter(common ? &description->common : &workload->parameters, &parameter);
    return true;
}

/* After the line of its parameter. */
static bool take_presets(const struct description *description, char **field) {
    for (size_t i = 0; i < description->workload_count; i++) {
        struct parameter *parameter = description->workloads[i].parameters;
        for (; parameter && parameter->name; parameter++) {
            if (strcmp(description->workloads[i].name, field[1]) == 0 && strcmp(parameter->name, field[2]) == 0) {
                parameter->presets = field[3];
                return true;
            }
        }
    }
    return false;
}

static bool take_line(struct description *description, char *line) {
    char *field[FIELDS_A_LINE];
    size_t count = split_tabs(line, field, FIELDS_A_LINE);
    if (strcmp(field[0], "deque") == 0 && count == 3) {
        size_t i = ONE_MORE(description->fields, description->field_count);
        description->fields[i] = (struct described_field){field[1], undashed(field[2])};
        return true;
    }
    if (strcmp(field[0], "workload") == 0 && count == 5) {
        size_t i = ONE_MORE(description->workloads, description->workload_count);
        description->workloads[i] = (struct described_workload){
            .name = field[1], .threads = field[2], .simulated = strcmp(field[3], "1") == 0, .summary = field[4]};
        return true;
    }
    if (strcmp(field[0], "check") == 0 && count == 4) {
        size_t i = ONE_MORE(description->checks, description->check_count);
        description->checks[i] = (struct described_check){field[1], field[3], strcmp(field[2], "1") == 0};
        return true;
    }
    if (strcmp(field[0], "presets") == 0 && count == 4)
        return take_presets(description, field);
    return strcmp(field[0], "parameter") == 0 && count == FIELDS_A_LINE && take_parameter(description, field);
}

bool description_parse(struct description *description, const char *text, char *message) {
    unsigned number = 1;
    *description = (struct description){.text = duplicate(text)};
    char *line = strtok(description->text, "\n");
    if (!line || strcmp(line, "stealbench-describe\t2") != 0) {
        snprintf(message, MESSAGE_SIZE, "does not begin with stealbench-describe 2");
        return false;
    }
    while ((line = strtok(NULL, "\n"))) {
        number++;
        if (!take_line(description, line)) {
            snprintf(message, MESSAGE_SIZE, "line %u of --describe makes no sense: %.80s", number, line);
            return false;
        }
    }
    if (!*description_field(description, "id")) {
        snprintf(message, MESSAGE_SIZE, "--describe gives no id");
        return false;
    }
    return true;
}

void description_free(struct description *description) {
    for (size_t i = 0; i < description->workload_count; i++)
        free(description->workloads[i].parameters);
    free(description->workloads);
    free(description->common);
    free(description->fields);
    free(description->checks);
    free(description->text);
    *description = (struct description){0};
}

const char *description_field(const struct description *description, const char *name) {
    for (size_t i = 0; i < description->field_count; i++)
        if (strcmp(description->fields[i].name, name) == 0)
            return description->fields[i].value;
    return "";
}

const struct described_workload *description_workload(const struct description *description, const char *name) {
    return find_workload(description, name);
}

const struct parameter *description_parameter(const struct description *description,
                                              const struct described_workload *workload, const char *name) {
    const struct parameter *parameter = parameter_find(workload->parameters, name);
    return parameter ? parameter : parameter_find(description->common, name);
}
