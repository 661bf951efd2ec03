#include "harness/driver/plan/plan.h"
#include "harness/driver/util/hash.h"
#include "harness/measuring/cell/cell.h"
#include "harness/measuring/threads/places.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The deques of one line. */
struct deque_list {
    const struct catalogue_deque **at;
    size_t count;
};

/* What stays the same while a line is expanded. */
struct expansion {
    struct plan *plan;
    const struct suite *suite;
    const struct catalogue *catalogue;
    const struct plan_filter *filter;
    size_t section;
    const struct suite_line *line;
    const struct suite_key *deque_key; /* NULL: all */
    struct deque_list named;           /* what the line names */
    struct deque_list chosen;          /* what the command line leaves of these */
    char *message;
};

uint64_t plan_subject(const char *workload, const char *deque, const char *params) {
    return hash_string(hash_string(hash_string(HASH_START, workload), deque), params);
}

static uint64_t cell_id(const struct planned_cell *cell) {
    char rest[128];
    snprintf(rest, sizeof rest, "repetitions=%u;minimum_time=%.9g;executable=%016llx", cell->options.repetitions,
             cell->options.minimum_time, (unsigned long long)cell->part->content);
    const uint64_t id = hash_string(plan_subject(cell->workload, cell->deque->id, cell->params), rest);
    return hash_bytes(id, cell->part->layout_contents, (cell->layouts - 1) * sizeof cell->part->layout_contents[0]);
}

unsigned plan_layout(const struct planned_cell *cell, unsigned invocation) {
    const struct value *seed = value_find(cell->values, cell->value_count, "seed");
    return cell->layouts > 1 ? variant_drawn(seed ? seed->integer : 0, invocation, cell->layouts) : 0;
}

const char *plan_executable(const struct planned_cell *cell, unsigned invocation) {
    const unsigned layout = plan_layout(cell, invocation);
    return layout > 0 ? cell->part->layouts[layout - 1] : cell->part->executable;
}

static bool contains(const struct deque_list *list, const struct catalogue_deque *deque) {
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == deque)
            return true;
    return false;
}

static void add_deque(struct deque_list *list, const struct catalogue_deque *deque) {
    if (contains(list, deque))
        return;
    list->at = reallocate(list->at, list->count + 1, sizeof list->at[0]);
    list->at[list->count++] = deque;
}

static bool in_group(const struct catalogue_deque *deque, const char *group, bool unsound, bool *known) {
    *known = true;
    if (strcmp(group, "all") == 0)
        return deque->sound || deque->reference;
    if (strcmp(group, "sound") == 0)
        return deque->sound && !deque->reference;
    if (strcmp(group, "reference") == 0)
        return deque->reference;
    if (strcmp(group, "unsound") == 0)
        return unsound && !deque->sound && !deque->reference;
    *known = false;
    return false;
}

static int say_unsound(const struct catalogue_deque *deque, char *message) {
    const char *fault = catalogue_fact(deque, "fault");
    snprintf(message, MESSAGE_SIZE,
             "%s is not timed because it is known to be wrong%s%s; --unsound times it all the same and flags its rows",
             deque->id, *fault ? ": " : "", fault);
    return 1;
}

/* A suite's file is written for every machine: a deque of its that is not built here is left out, and so is one that
 * the suite calls optional. */
static bool leaves_out(struct plan *plan, const struct suite *suite, const struct catalogue *catalogue,
                       const char *id) {
    if (catalogue_find(catalogue, id) || (!catalogue_absent(catalogue, id) && !suite_is_optional(suite, id)))
        return false;
    for (size_t i = 0; i < plan->left_out_count; i++)
        if (strcmp(plan->left_out[i], id) == 0)
            return true;
    plan->left_out = reallocate(plan->left_out, plan->left_out_count + 1, sizeof plan->left_out[0]);
    plan->left_out[plan->left_out_count++] = id;
    return true;
}

/* One value of deque=: a group or an id. Groups leave out deques that lack the workload; a name must have it. */
static int add_named(struct deque_list *list, const struct catalogue *catalogue, const char *value,
                     const char *workload, bool unsound, char *message) {
    bool known = false;
    const struct catalogue_deque *deque;
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        deque = &catalogue->deques[i];
        if (in_group(deque, value, unsound, &known) && (!workload || catalogue_part_with(deque, workload)))
            add_deque(list, deque);
    }
    if (known)
        return 0;
    int result = catalogue_must_find(catalogue, value, true, &deque, message);
    if (result)
        return result;
    if (workload && !catalogue_part_with(deque, workload)) {
        snprintf(message, MESSAGE_SIZE, "%s does not have the workload %s", deque->id, workload);
        return 2;
    }
    if (!deque->sound && !deque->reference && !unsound)
        return say_unsound(deque, message);
    add_deque(list, deque);
    return 0;
}

/* plan and suite: those of a suite's file; NULL where the command line names deques. */
static int add_all_named(struct deque_list *list, struct plan *plan, const struct suite *suite,
                         const struct catalogue *catalogue, const struct suite_key *key, const char *workload,
                         bool unsound, char *message) {
    int result = key ? 0 : add_named(list, catalogue, "all", workload, unsound, message);
    for (size_t i = 0; key && i < key->value_count && result == 0; i++)
        if (!plan || !leaves_out(plan, suite, catalogue, key->values[i]))
            result = add_named(list, catalogue, key->values[i], workload, unsound, message);
    return result;
}

static int choose_deques(struct expansion *expansion) {
    const struct plan_filter *filter = expansion->filter;
    struct deque_list wanted = {0};
    struct plan *plan = *expansion->suite->path ? expansion->plan : NULL;
    int result = add_all_named(&expansion->named, plan, expansion->suite, expansion->catalogue, expansion->deque_key,
                               expansion->line->workload, filter->unsound, expansion->message);
    if (result == 0 && filter->deques)
        result = add_all_named(&wanted, NULL, NULL, expansion->catalogue, filter->deques, NULL, filter->unsound,
                               expansion->message);
    for (size_t i = 0; i < expansion->named.count && result == 0; i++)
        if (!filter->deques || contains(&wanted, expansion->named.at[i]))
            add_deque(&expansion->chosen, expansion->named.at[i]);
    free(wanted.at);
    return result;
}

static const struct parameter *parameter_of(const struct catalogue_deque *deque, const char *workload,
                                            const char *name) {
    const struct catalogue_part *part = catalogue_part_with(deque, workload);
    return part ? description_parameter(&part->description, description_workload(&part->description, workload), name)
                : NULL;
}

struct name_list {
    const char **at;
    size_t count;
};

static void add_name(struct name_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->at[i], name) == 0)
            return;
    list->at = reallocate(list->at, list->count + 1, sizeof list->at[0]);
    list->at[list->count++] = name;
}

static void add_names(struct name_list *list, const struct parameter *table) {
    for (; table && table->name; table++)
        add_name(list, table->name);
}

/* What could have been meant: the parameters of the workload, and on a command line the options. */
static void add_possible_names(struct name_list *list, const struct expansion *expansion) {
    add_name(list, "deque");
    add_names(list, *expansion->suite->path ? NULL : suite_option_parameters);
    for (size_t i = 0; i < expansion->catalogue->deque_count; i++) {
        const char *workload = expansion->line->workload;
        const struct catalogue_part *part = catalogue_part_with(&expansion->catalogue->deques[i], workload);
        if (!part)
            continue;
        add_names(list, description_workload(&part->description, workload)->parameters);
        add_names(list, part->description.common);
    }
}

/* No deque of the line has the parameter: another may, or it is misspelt. */
static int say_no_parameter(const struct expansion *expansion, const char *name) {
    const char *workload = expansion->line->workload;
    struct name_list names = {0};
    char what[96];
    for (size_t i = 0; i < expansion->catalogue->deque_count; i++) {
        const struct catalogue_deque *deque = &expansion->catalogue->deques[i];
        if (parameter_of(deque, workload, name)) {
            snprintf(expansion->message, MESSAGE_SIZE, "%s is a setting of %s, which is not among the deques named",
                     name, deque->id);
            return 2;
        }
    }
    add_possible_names(&names, expansion);
    snprintf(what, sizeof what, "parameter of %s", workload);
    say_unknown(what, name, names.at, names.count, expansion->message);
    free(names.at);
    return 2;
}

/* Does any deque of the line know each key? */
static int check_keys(const struct expansion *expansion) {
    for (size_t i = 0; i < expansion->line->key_count; i++) {
        const struct suite_key *key = &expansion->line->keys[i];
        bool known = key == expansion->deque_key;
        for (size_t j = 0; j < expansion->named.count && !known; j++)
            known = parameter_of(expansion->named.at[j], expansion->line->workload, key->name) != NULL;
        if (!known)
            return say_no_parameter(expansion, key->name);
    }
    return 0;
}

/* The number of threads that is meant: all of the machine's, or no more than these where the section says so. */
static const char *threads_meant(const struct expansion *expansion, const char *given, char *text, size_t size) {
    const bool clipped = expansion->suite->sections[expansion->section].options.clipped;
    const unsigned processors = expansion->plan->processors;
    char *end;
    unsigned long number = strtoul(given, &end, 10);
    if (strcmp(given, "all") != 0 && (!clipped || *end || end == given || number <= processors))
        return given;
    if (strcmp(given, "all") != 0 && number > expansion->plan->clipped)
        expansion->plan->clipped = number;
    snprintf(text, size, "%u", processors);
    return text;
}

/* Sets every parameter of the table: the line's value at this turn where it gives one, else the default. Adds what is
 * not at its default to label. */
static int settle(const struct expansion *expansion, const struct parameter *table, const size_t *turn,
                  struct settings *settings, struct text *label) {
    for (; table && table->name; table++) {
        char fallback[VALUE_SIZE], preset[VALUE_SIZE], threads[24];
        struct value value;
        const char *unset = settings_default(settings, table, preset), *given = unset;
        for (size_t i = 0; i < expansion->line->key_count; i++)
            if (strcmp(expansion->line->keys[i].name, table->name) == 0)
                given = expansion->line->keys[i].values[turn[i]];
        if (strcmp(table->name, "threads") == 0)
            given = threads_meant(expansion, given, threads, sizeof threads);
        if (!settings_set(settings, table, given, expansion->message))
            return 2;
        const char *text = settings_get(settings, table->name)->text;
        if (parameter_read(table, unset, &value, fallback, expansion->message) && strcmp(text, fallback) == 0)
            continue;
        text_format(label, "%s%s=", label->length ? " " : "", table->name);
        text_add_escaped(label, text);
    }
    return 0;
}

/* The group that this cell belongs to: everything but the deque and its mode. */
static size_t find_group(const struct expansion *expansion, const struct settings *settings, const char *mode) {
    struct plan *plan = expansion->plan;
    uint64_t key =
        hash_string(hash_bytes(HASH_START, &expansion->section, sizeof expansion->section), expansion->line->workload);
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->at[i].parameter->name, mode) != 0)
            key = hash_string(hash_string(key, settings->at[i].parameter->name), settings->at[i].text);
    for (size_t i = 0; i < plan->group_count; i++)
        if (plan->groups[i].key == key)
            return i;
    plan->groups = reallocate(plan->groups, plan->group_count + 1, sizeof plan->groups[0]);
    plan->groups[plan->group_count] = (struct planned_group){.key = key};
    return plan->group_count++;
}

static void free_cell(struct planned_cell *cell) {
    for (size_t i = 0; i < cell->value_count; i++)
        free((char *)(uintptr_t)cell->values[i].text);
    free(cell->values);
    free(cell->params);
    free(cell->label);
}

/* Adds the cell, or another tag to the equal cell that is there already. */
static int add_cell(const struct expansion *expansion, struct planned_cell *cell, const struct settings *settings) {
    struct plan *plan = expansion->plan;
    cell->id = cell_id(cell);
    cell->tags = (uint64_t)1 << expansion->section;
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].id == cell->id) {
            plan->cells[i].tags |= cell->tags;
            if (plan->cells[i].options.invocations < cell->options.invocations)
                plan->cells[i].options.invocations = cell->options.invocations;
            if (plan->cells[i].options.precision > cell->options.precision) /* 0 is all of them */
                plan->cells[i].options.precision = cell->options.precision;
            free_cell(cell);
            return 0;
        }
    }
    if (plan->cell_count == CELLS_MAX) {
        snprintf(expansion->message, MESSAGE_SIZE, "that makes more than %d cells: name fewer values", CELLS_MAX);
        free_cell(cell);
        return 2;
    }
    cell->group = find_group(expansion, settings, catalogue_fact(cell->deque, "mode"));
    struct planned_group *group = &plan->groups[cell->group];
    group->cells = reallocate(group->cells, group->count + 1, sizeof group->cells[0]);
    group->cells[group->count++] = plan->cell_count;
    plan->cells = reallocate(plan->cells, plan->cell_count + 1, sizeof plan->cells[0]);
    plan->cells[plan->cell_count++] = *cell;
    return 0;
}

/* The executable that is for cells like this one alone, where there is one; else that of all others, which may say that
 * it cannot run it. */
static const struct catalogue_part *choose_part(const struct planned_cell *cell) {
    for (size_t i = 0; i < cell->deque->part_count; i++) {
        const struct description *description = &cell->deque->parts[i].description;
        const char *variant = description_field(description, "variant");
        unsigned holds;
        if (*variant && description_workload(description, cell->workload) &&
            values_sum(variant, cell->values, cell->value_count, &holds) && holds)
            return &cell->deque->parts[i];
    }
    return catalogue_part_with(cell->deque, cell->workload);
}

/* "batch=128;capacity=0", sorted; to be freed. */
static char *params_of(const struct settings *settings) {
    struct text params = {0};
    text_append(&params, "", 0);
    for (size_t i = 0; i < settings->count; i++) {
        text_format(&params, "%s%s=", i > 0 ? ";" : "", settings->at[i].parameter->name);
        text_add_escaped(&params, settings->at[i].text);
    }
    return params.data;
}

static struct value *copy_values(const struct settings *settings) {
    struct value *values = allocate(settings->count, sizeof values[0]);
    for (size_t i = 0; i < settings->count; i++) {
        values[i] = settings->at[i];
        values[i].text = duplicate(settings->at[i].text);
    }
    return values;
}

/* The cell of these settings, but for where it belongs. */
static int fill_cell(struct planned_cell *cell, const struct expansion *expansion, struct settings *settings,
                     const struct described_workload *workload) {
    settings_sort(settings);
    const struct value *counters = settings_get(settings, "counters");
    cell->values = copy_values(settings);
    cell->value_count = settings->count;
    cell->params = params_of(settings);
    cell->part = choose_part(cell);
    if (values_sum(workload->threads, cell->values, cell->value_count, &cell->threads)) {
        cell->simulated =
            workload->simulated && cell->threads == 1 && counters && strcmp(counters->text, "callgrind") == 0;
        cell->layouts = cell->simulated                                        ? 1
                        : cell->options.layouts > cell->part->layout_count + 1 ? cell->part->layout_count + 1
                                                                               : cell->options.layouts;
        return 0;
    }
    snprintf(expansion->message, MESSAGE_SIZE, "%s of %s has %s threads, it says, which are no settings of its",
             workload->name, cell->deque->id, workload->threads);
    free_cell(cell);
    return 3;
}

/* With a precision to be reached `invocations` is how many there are at most. */
static struct suite_options options_of(const struct suite_options *asked) {
    struct suite_options options = *asked;
    if (options.precision > 0 && !options.invocations_given)
        options.invocations = PRECISION_INVOCATIONS;
    return options;
}

/* turn: which value of each key of the line. */
static int make_cell(const struct expansion *expansion, const struct catalogue_deque *deque, const size_t *turn) {
    const struct description *description = &catalogue_part_with(deque, expansion->line->workload)->description;
    const struct described_workload *workload = description_workload(description, expansion->line->workload);
    static struct settings settings;
    struct text label = {0};
    settings.count = settings.used = 0;
    int result = settle(expansion, workload->parameters, turn, &settings, &label);
    if (result == 0)
        result = settle(expansion, description->common, turn, &settings, &label);
    if (result == 0) {
        struct planned_cell cell = {.deque = deque,
                                    .workload = workload->name,
                                    .label = duplicate(text_string(&label)),
                                    .options = options_of(&expansion->suite->sections[expansion->section].options)};
        result = fill_cell(&cell, expansion, &settings, workload);
        if (result == 0)
            result = add_cell(expansion, &cell, &settings);
    }
    text_free(&label);
    return result;
}

/* Steps to the next combination, the last key fastest; false when all have been. */
static bool next_turn(const struct expansion *expansion, size_t *turn) {
    const struct suite_line *line = expansion->line;
    for (size_t i = line->key_count; i-- > 0;) {
        if (&line->keys[i] == expansion->deque_key)
            continue;
        if (++turn[i] < line->keys[i].value_count)
            return true;
        turn[i] = 0;
    }
    return false;
}

static int expand_line(struct expansion *expansion) {
    int result = catalogue_must_have_workload(expansion->catalogue, expansion->line->workload, expansion->message);
    if (result == 0)
        result = choose_deques(expansion);
    if (result == 0 && expansion->named.count > 0)
        result = check_keys(expansion);
    if (result != 0 || expansion->chosen.count == 0)
        return result;
    size_t *turn = allocate(expansion->line->key_count, sizeof turn[0]);
    do {
        for (size_t i = 0; i < expansion->chosen.count && result == 0; i++)
            result = make_cell(expansion, expansion->chosen.at[i], turn);
    } while (result == 0 && next_turn(expansion, turn));
    free(turn);
    return result;
}

/* One line of one section; says where a mistake is when there is a file to point at. */
static int plan_line(struct plan *plan, const struct suite *suite, const struct catalogue *catalogue,
                     const struct plan_filter *filter, size_t section, const struct suite_line *line, char *message) {
    char why[MESSAGE_SIZE] = "";
    struct expansion expansion = {plan, suite, catalogue, filter, section, line, NULL, {0}, {0}, why};
    for (size_t i = 0; i < line->key_count; i++)
        if (strcmp(line->keys[i].name, "deque") == 0)
            expansion.deque_key = &line->keys[i];
    int result = expand_line(&expansion);
    if (result && *suite->path)
        snprintf(message, MESSAGE_SIZE, "%s:%u: %.320s", path_end(suite->path, 160), line->number, why);
    else if (result)
        snprintf(message, MESSAGE_SIZE, "%s", why);
    free(expansion.named.at);
    free(expansion.chosen.at);
    return result;
}

/* 5.2 asks for the sections 5.2, 5.2-fig3 and the like. */
static bool tag_asked_for(const char *asked, const char *tag) {
    size_t length = strlen(asked);
    return strncmp(tag, asked, length) == 0 && (tag[length] == '\0' || tag[length] == '-');
}

static bool wanted_section(const struct plan_filter *filter, const char *tag) {
    for (size_t i = 0; filter->only && i < filter->only->value_count; i++)
        if (tag_asked_for(filter->only->values[i], tag))
            return true;
    return filter->only == NULL;
}

/* Every tag of --only must be there. */
static int check_tags(const struct suite *suite, const struct plan_filter *filter, char *message) {
    const char *names[SECTIONS_MAX];
    for (size_t i = 0; i < suite->section_count; i++)
        names[i] = suite->sections[i].tag;
    for (size_t i = 0; filter->only && i < filter->only->value_count; i++) {
        bool found = false;
        for (size_t j = 0; j < suite->section_count && !found; j++)
            found = tag_asked_for(filter->only->values[i], names[j]);
        if (!found) {
            char what[96];
            snprintf(what, sizeof what, "section of the suite %.60s", suite->name);
            say_unknown(what, filter->only->values[i], names, suite->section_count, message);
            return 2;
        }
    }
    return 0;
}

/* Every deque of --deque must be there; said once, before any line of the suite is looked at. */
static int check_deques(const struct catalogue *catalogue, const struct plan_filter *filter, char *message) {
    struct deque_list wanted = {0};
    int result = filter->deques
                     ? add_all_named(&wanted, NULL, NULL, catalogue, filter->deques, NULL, filter->unsound, message)
                     : 0;
    free(wanted.at);
    return result;
}

int plan_make(struct plan *plan, const struct suite *suite, const struct catalogue *catalogue,
              const struct plan_filter *filter, char *message) {
    *plan = (struct plan){.processors = filter->processors ? filter->processors : places_processors()};
    int result = check_tags(suite, filter, message);
    if (result == 0)
        result = check_deques(catalogue, filter, message);
    for (size_t i = 0; i < suite->section_count && result == 0; i++) {
        const struct suite_section *section = &suite->sections[i];
        for (size_t j = 0; j < section->line_count && result == 0 && wanted_section(filter, section->tag); j++)
            result = plan_line(plan, suite, catalogue, filter, i, &section->lines[j], message);
    }
    if (result == 0 && plan->cell_count == 0) {
        snprintf(
            message, MESSAGE_SIZE,
            "nothing is left to measure: no deque that is wanted is also named by a line (deque=all names every sound "
            "one)");
        result = 2;
    }
    return result;
}

void plan_keep(struct plan *plan, const bool *keep) {
    size_t *now = allocate(plan->cell_count, sizeof now[0]), cells = 0, groups = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        now[i] = cells;
        if (keep[i])
            plan->cells[cells++] = plan->cells[i];
        else
            free_cell(&plan->cells[i]);
    }
    plan->cell_count = cells;
    for (size_t i = 0; i < plan->group_count; i++) {
        struct planned_group group = plan->groups[i];
        size_t kept = 0;
        for (size_t j = 0; j < group.count; j++)
            if (keep[group.cells[j]])
                group.cells[kept++] = now[group.cells[j]];
        group.count = kept;
        for (size_t j = 0; j < kept; j++)
            plan->cells[group.cells[j]].group = groups;
        if (kept > 0)
            plan->groups[groups++] = group;
        else
            free(group.cells);
    }
    plan->group_count = groups;
    free(now);
}

void plan_free(struct plan *plan) {
    for (size_t i = 0; i < plan->cell_count; i++)
        free_cell(&plan->cells[i]);
    for (size_t i = 0; i < plan->group_count; i++)
        free(plan->groups[i].cells);
    free(plan->cells);
    free(plan->groups);
    free(plan->left_out);
    *plan = (struct plan){0};
}
