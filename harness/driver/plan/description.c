/* description.c: reads what an executable prints for --describe (harness/measuring/describe.h). */
#pragma once

#include "harness/driver/util/text.c"

/* Parameters; at is a table with its end, NULL: none. */
struct table {
    struct parameter *at;
    size_t count;
};

struct described_workload {
    const char *name;
    const char *threads; /* number of a cell's threads, as text for values_sum */
    struct table parameters;
};

struct described_check {
    const char *name;
    bool in_stamp;
};

struct description {
    json_t *fields;      /* of the deque: texts by name */
    struct table common; /* of every workload, such as the deque's own mode */
    LIST(struct described_workload) workloads;
    LIST(struct described_check) checks;
};

#define FIELDS_A_LINE 10

/* Looks up by name: a field of the deque (else ""), a workload (else NULL), or a parameter of a workload, the common
 * ones included (else NULL). */
const char *description_field(const struct description *description, const char *name) {
    const char *value = json_string_value(json_object_get(description->fields, name));
    return value ? value : "";
}

struct described_workload *description_workload(const struct description *description, const char *name) {
    foreach (workload, description->workloads)
        if (same(workload->name, name))
            return workload;
    return NULL;
}

/* "-" stands for an empty field. */
static const char *undashed(const char *field) { return same(field, "-") ? "" : field; }

static bool parse_kind(const char *text, enum parameter_kind *kind) {
    for (*kind = KIND_INTEGER; *kind < PARAMETER_KIND_COUNT; ++*kind)
        if (same(text, parameter_kind_words[*kind]))
            return true;
    return false;
}

static bool parse_bound(const char *text, double *bound) {
    char *end;
    *bound = strtod(text, &end);
    return end != text && *end == '\0';
}

/* The table that a line belongs to: a workload's, or for * the table common to all. NULL: there is no such workload. */
static struct table *table_of(struct description *description, const char *workload) {
    if (same(workload, "*"))
        return &description->common;
    struct described_workload *found = description_workload(description, workload);
    return found ? &found->parameters : NULL;
}

static bool take_parameter(struct description *description, char **field) {
    struct parameter parameter = {.name = field[2],
                                  .fallback = undashed(field[4]),
                                  .choices = undashed(field[7]),
                                  .unit = undashed(field[8]),
                                  .help = field[9]};
    struct table *table = table_of(description, field[1]);
    if (!table || !parse_kind(field[3], &parameter.kind) || !parse_bound(field[5], &parameter.minimum) ||
        !parse_bound(field[6], &parameter.maximum) || strlen(parameter.name) >= NAME_SIZE)
        return false;
    *ONE_MORE(*table) = parameter;
    *ONE_MORE(*table) = (struct parameter)PARAMETERS_END;
    table->count--;
    return true;
}

/* Takes the presets of a parameter. This line follows the parameter's own. */
static bool take_presets(struct description *description, char **field) {
    const struct table *table = table_of(description, field[1]);
    struct parameter *last = table && table->count > 0 ? &table->at[table->count - 1] : NULL;
    if (last)
        last->presets = field[3];
    return last && same(last->name, field[2]);
}

static bool take_described(struct description *description, char *line) {
    char *field[FIELDS_A_LINE];
    const size_t count = split_fields(line, "\t", field, FIELDS_A_LINE);
    if (same(field[0], "deque") && count == 3) {
        json_object_set_new(description->fields, field[1], json_of_text(undashed(field[2])));
        return true;
    }
    if (same(field[0], "workload") && count == 4) {
        *ONE_MORE(description->workloads) = (struct described_workload){.name = field[1], .threads = field[2]};
        return true;
    }
    if (same(field[0], "check") && count == 4) {
        *ONE_MORE(description->checks) = (struct described_check){field[1], same(field[2], "1")};
        return true;
    }
    if (same(field[0], "presets") && count == 4)
        return take_presets(description, field);
    return same(field[0], "parameter") && count == FIELDS_A_LINE && take_parameter(description, field);
}

/* NULL, or why the text is no description of this version. */
const char *description_parse(struct description *description, const char *text) {
    const struct words lines = split_words(text, "\n");
    *description = (struct description){.fields = json_object()};
    if (lines.count == 0 || !same(lines.at[0], "stealbench-describe\t2"))
        return "does not begin with stealbench-describe 2";
    for (size_t i = 1; i < lines.count; i++) {
        char *line = duplicate(lines.at[i]);
        if (!take_described(description, line))
            return formatted("line %zu of --describe makes no sense: %.80s", i + 1, line);
    }
    return *description_field(description, "id") ? NULL : "--describe gives no id";
}

const struct parameter *description_parameter(const struct description *description,
                                              const struct described_workload *workload, const char *name) {
    const struct parameter *parameter = parameter_find(workload->parameters.at, name);
    return parameter ? parameter : parameter_find(description->common.at, name);
}
