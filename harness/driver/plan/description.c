#include "harness/driver/plan/catalogue.h"

#define FIELDS_A_LINE 10

/* "-" stands for an empty field. */
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

/* The table that a line belongs to: a workload's, or for * the table common to all. NULL: there is no such workload. */
static struct parameter **table_of(struct description *description, const char *workload) {
    if (strcmp(workload, "*") == 0)
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
    struct parameter **table = table_of(description, field[1]);
    if (!table || !parse_kind(field[3], &parameter.kind) || !parse_bound(field[5], &parameter.minimum) ||
        !parse_bound(field[6], &parameter.maximum) || strlen(parameter.name) >= NAME_SIZE)
        return false;
    const size_t count = parameter_count(*table);
    *table = reallocate(*table, count + 2, sizeof **table);
    (*table)[count] = parameter;
    (*table)[count + 1] = (struct parameter)PARAMETERS_END;
    return true;
}

/* Takes the presets of a parameter. This line follows the parameter's own. */
static bool take_presets(struct description *description, char **field) {
    struct described_workload *workload = description_workload(description, field[1]);
    for (struct parameter *one = workload ? workload->parameters : NULL; one && one->name; one++) {
        if (strcmp(one->name, field[2]) == 0) {
            one->presets = field[3];
            return true;
        }
    }
    return false;
}

static bool take_described(struct description *description, char *line) {
    char *field[FIELDS_A_LINE];
    const size_t count = split_fields(line, "\t", field, FIELDS_A_LINE);
    if (strcmp(field[0], "deque") == 0 && count == 3) {
        json_object_set_new(description->fields, field[1], json_of_text(undashed(field[2])));
        return true;
    }
    if (strcmp(field[0], "workload") == 0 && count == 4) {
        *ONE_MORE(description->workloads) = (struct described_workload){.name = field[1], .threads = field[2]};
        return true;
    }
    if (strcmp(field[0], "check") == 0 && count == 4) {
        *ONE_MORE(description->checks) = (struct described_check){field[1], strcmp(field[2], "1") == 0};
        return true;
    }
    if (strcmp(field[0], "presets") == 0 && count == 4)
        return take_presets(description, field);
    return strcmp(field[0], "parameter") == 0 && count == FIELDS_A_LINE && take_parameter(description, field);
}

const char *description_parse(struct description *description, const char *text) {
    const struct words lines = split_words(text, "\n");
    *description = (struct description){.fields = json_object()};
    if (lines.count == 0 || strcmp(lines.at[0], "stealbench-describe\t2") != 0)
        return "does not begin with stealbench-describe 2";
    for (size_t i = 1; i < lines.count; i++) {
        char *line = duplicate(lines.at[i]);
        if (!take_described(description, line))
            return formatted("line %zu of --describe makes no sense: %.80s", i + 1, line);
    }
    return *description_field(description, "id") ? NULL : "--describe gives no id";
}

const char *description_field(const struct description *description, const char *name) {
    const char *value = json_string_value(json_object_get(description->fields, name));
    return value ? value : "";
}

struct described_workload *description_workload(const struct description *description, const char *name) {
    for (size_t i = 0; i < description->workloads.count; i++)
        if (strcmp(description->workloads.at[i].name, name) == 0)
            return &description->workloads.at[i];
    return NULL;
}

const struct parameter *description_parameter(const struct description *description,
                                              const struct described_workload *workload, const char *name) {
    const struct parameter *parameter = parameter_find(workload->parameters, name);
    return parameter ? parameter : parameter_find(description->common, name);
}
