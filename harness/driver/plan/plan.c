/* plan.c: makes a plan of a suite and a catalogue: every cell with all its parameters. */
#pragma once

#include "harness/driver/plan/plan_places.c"

#define CELLS_MAX 20000
#define PRECISION_INVOCATIONS 60 /* the most of a cell with a precision, if no number was given */

/* What the command line selects of a suite. */
struct plan_filter {
    struct words only;   /* tags of sections; 5.2 also means every tag that begins with 5.2-; none: all */
    struct words deques; /* ids and groups of deques; none: all that the suite names */
    bool unsound;        /* also measure unsound deques that are named */
};

/* What stays the same while a line is expanded. */
struct expansion {
    struct plan *plan;
    const struct suite *suite;
    const struct catalogue *catalogue;
    const struct plan_filter *filter;
    const struct suite_section *section;
    const struct suite_line *line;
    const struct suite_key *deque_key; /* NULL: all */
    struct words wanted;               /* deques that the command line asks for */
    struct words named;                /* deques that the line names */
    size_t *turn;                      /* which value of each key of the line */
};

static uint64_t cell_id(const struct planned_cell *cell) {
    char rest[128];
    snprintf(rest, sizeof rest, "repetitions=%u;minimum_time=%.9g;executable=%016" PRIx64, cell->options.repetitions,
             cell->options.minimum_time, cell->part->content);
    const uint64_t id = hash_string(cell->subject, rest);
    return hash_bytes(id, cell->part->variant_contents, (cell->variants - 1) * sizeof cell->part->variant_contents[0]);
}

static bool is_group(const char *name) { return choice_index(DEQUE_GROUPS, name) >= 0; }

static bool in_group(const struct catalogue_deque *deque, const char *group, bool unsound) {
    if (same(catalogue_fact(deque, "aside"), "1"))
        return false;
    return same(group, "all")         ? deque->kind != DEQUE_UNSOUND
           : same(group, "classic")   ? same(catalogue_fact(deque, "classic"), "1")
           : same(group, "sound")     ? deque->kind == DEQUE_SOUND
           : same(group, "reference") ? deque->kind == DEQUE_REFERENCE
                                      : deque->kind == DEQUE_UNSOUND && unsound;
}

/* Adds the deques of one value of deque=: a group or an id. A group skips deques without the workload; a deque named by
 * its id must have it. */
static void add_named(struct words *ids, const struct catalogue *catalogue, const char *value, const char *workload,
                      bool unsound) {
    if (is_group(value)) {
        foreach (deque, catalogue->deques)
            if (in_group(deque, value, unsound) && (!workload || catalogue_part_with(deque, workload)))
                words_add_once(ids, deque->id);
        return;
    }
    const struct catalogue_deque *deque = catalogue_must_find(catalogue, value, true);
    const char *fault = catalogue_fact(deque, "fault");
    if (workload && !catalogue_part_with(deque, workload))
        refuse(2, "%s does not have the workload %s", deque->id, workload);
    if (deque->kind == DEQUE_UNSOUND && !unsound)
        refuse(1, "%s is not timed: it is known to be wrong%s%s; --unsound times it and flags its rows", deque->id,
               *fault ? ": " : "", fault);
    words_add_once(ids, deque->id);
}

/* May the suite go on without this deque? A suite's file is written for every machine, so yes if the deque is not built
 * here, if the suite calls it optional, or if --deque does not name it. A wrong deque that the suite calls optional is
 * left out, too, unless --unsound is given. */
static bool leaves_out(const struct expansion *expansion, const char *id) {
    const struct suite *suite = expansion->suite;
    const struct plan_filter *filter = expansion->filter;
    const struct catalogue_deque *there = catalogue_find(expansion->catalogue, id);
    const bool optional = words_have(suite->optional, id);
    if (!*suite->path || is_group(id))
        return false;
    if (there)
        return optional && !filter->unsound && there->kind == DEQUE_UNSOUND;
    if (filter->deques.count > 0 && !words_have(filter->deques, id))
        return true;
    if (!catalogue_why_absent(expansion->catalogue, id) && !optional)
        return false;
    words_add_once(&expansion->plan->left_out, id);
    return true;
}

static void choose_deques(struct expansion *expansion) {
    const struct words all = {(const char *[]){"all"}, 1};
    foreach (value, expansion->deque_key ? expansion->deque_key->values : all)
        if (!leaves_out(expansion, *value))
            add_named(&expansion->named, expansion->catalogue, *value, expansion->line->workload,
                      expansion->filter->unsound);
}

static const struct parameter *parameter_of(const struct catalogue_deque *deque, const char *workload,
                                            const char *name) {
    const struct catalogue_part *part = catalogue_part_with(deque, workload);
    return part ? description_parameter(&part->description, description_workload(&part->description, workload), name)
                : NULL;
}

static void add_names(struct words *names, const struct parameter *table) {
    for (; table && table->name; table++)
        words_add_once(names, table->name);
}

/* Refuses an unknown parameter. Another deque may have it, or it may be misspelt, or meant as an option. */
static _Noreturn void refuse_parameter(const struct expansion *expansion, const char *name) {
    const char *workload = expansion->line->workload;
    struct words names = words_of("deque", NULL);
    add_names(&names, *expansion->suite->path ? NULL : suite_option_parameters);
    foreach (deque, expansion->catalogue->deques) {
        const struct catalogue_part *part = catalogue_part_with(deque, workload);
        if (parameter_of(deque, workload, name))
            refuse(2, "%s is a setting of %s, which is not among the deques named", name, deque->id);
        add_names(&names, part ? description_workload(&part->description, workload)->parameters.at : NULL);
        add_names(&names, part ? part->description.common.at : NULL);
    }
    refuse_unknown(formatted("parameter of %s", workload), name, names);
}

/* Checks that at least one deque of the line knows each key. */
static void check_keys(const struct expansion *expansion) {
    foreach (key, expansion->line->keys) {
        bool known = key == expansion->deque_key;
        for (size_t j = 0; j < expansion->named.count && !known; j++)
            known = parameter_of(catalogue_find(expansion->catalogue, expansion->named.at[j]),
                                 expansion->line->workload, key->name);
        if (!known)
            refuse_parameter(expansion, key->name);
    }
}

/* Sets every parameter of the table to the line's value at this turn, or to its default. Adds values other than
 * defaults to the cell's name. */
static void set_table(const struct expansion *expansion, const struct parameter *table, struct settings *settings,
                      struct text *name) {
    for (; table && table->name; table++) {
        char fallback[VALUE_SIZE], preset[VALUE_SIZE], message[MESSAGE_SIZE];
        struct value value;
        const struct suite_key *key = suite_line_key(expansion->line, table->name);
        const char *unset = settings_default(settings, table, preset);
        const char *given = key ? key->values.at[expansion->turn[key - expansion->line->keys.at]] : unset;
        if (!settings_set(settings, table, given, message))
            refuse(2, "%s", message);
        const char *text = settings_get(settings, table->name)->text;
        if (parameter_read(table, unset, &value, fallback, message) && same(text, fallback))
            continue;
        text_format(name, " %s=", table->name);
        text_add_escaped(name, text);
    }
}

/* The group of this cell: its cells share everything except the deque and its mode. */
static uint64_t group_of(const struct expansion *expansion, const struct planned_cell *cell) {
    const char *mode = catalogue_fact(cell->deque, "mode");
    uint64_t key = hash_string(hash_string(HASH_START, expansion->section->tag), cell->workload);
    foreach (value, cell->values)
        if (!same(value->parameter->name, mode))
            key = hash_string(hash_string(key, value->parameter->name), value->text);
    return key;
}

/* The same cell of several sections is measured once, as often and as precisely as the strictest section asks. */
static void add_cell(const struct expansion *expansion, struct planned_cell *cell) {
    struct plan *plan = expansion->plan;
    cell->subject = plan_subject(cell->workload, cell->deque->id, cell->params);
    cell->id = cell_id(cell);
    words_add(&cell->tags, expansion->section->tag);
    foreach (there, plan->cells) {
        if (there->id != cell->id)
            continue;
        words_add_once(&there->tags, cell->tags.at[0]);
        if (there->options.invocations < cell->options.invocations)
            there->options.invocations = cell->options.invocations;
        if (there->options.precision > cell->options.precision) /* 0 means all invocations */
            there->options.precision = cell->options.precision;
        return;
    }
    if (plan->cells.count == CELLS_MAX)
        refuse(2, "that makes more than %d cells: name fewer values", CELLS_MAX);
    cell->group = group_of(expansion, cell);
    *ONE_MORE(plan->cells) = *cell;
}

/* The executable built only for cells with this setting, else the one for all others. */
static const struct catalogue_part *part_for(const struct planned_cell *cell) {
    foreach (part, cell->deque->parts) {
        const char *variant = description_field(&part->description, "variant");
        unsigned holds;
        if (*variant && description_workload(&part->description, cell->workload) &&
            values_sum(variant, cell->values.at, cell->values.count, &holds) && holds)
            return part;
    }
    return catalogue_part_with(cell->deque, cell->workload);
}

/* Copies the settings, sorted by name, and writes them as "batch=128;capacity=0". */
static void keep_values(struct planned_cell *cell, struct settings *settings) {
    struct text params = {0};
    settings_sort(settings);
    cell->values.at = allocate(settings->count, sizeof cell->values.at[0]);
    cell->values.count = settings->count;
    for (size_t i = 0; i < settings->count; i++) {
        cell->values.at[i] = settings->at[i];
        cell->values.at[i].text = duplicate(settings->at[i].text);
        text_format(&params, "%s%s=", i > 0 ? ";" : "", settings->at[i].parameter->name);
        text_add_escaped(&params, settings->at[i].text);
    }
    cell->params = text_string(&params);
}

/* A suite's line names placements for every machine. Does one before this cell's mean the same processors here? */
static bool repeats_places(const struct expansion *expansion, const struct planned_cell *cell) {
    const struct suite_key *key = suite_line_key(expansion->line, "placement");
    for (size_t i = 0; key && *expansion->suite->path && !same(key->values.at[i], plan_value(cell, "placement")); i++)
        if (plan_same_places(cell, key->values.at[i]))
            return true;
    return false;
}

static void make_cell(const struct expansion *expansion, const struct catalogue_deque *deque) {
    const struct description *description = &catalogue_part_with(deque, expansion->line->workload)->description;
    const struct described_workload *workload = description_workload(description, expansion->line->workload);
    static struct settings settings;
    struct text name = {0};
    text_format(&name, "%s %s", workload->name, deque->id);
    settings.count = settings.used = 0;
    set_table(expansion, workload->parameters.at, &settings, &name);
    set_table(expansion, description->common.at, &settings, &name);
    struct planned_cell cell = {.deque = deque,
                                .unsound = deque->kind == DEQUE_UNSOUND,
                                .workload = workload->name,
                                .name = text_string(&name),
                                .options = expansion->section->options};
    if (cell.options.precision > 0 && !cell.options.invocations_given)
        cell.options.invocations = PRECISION_INVOCATIONS;
    keep_values(&cell, &settings);
    cell.part = part_for(&cell);
    if (!values_sum(workload->threads, cell.values.at, cell.values.count, &cell.threads))
        refuse(3, "%s of %s: its number of threads, %s, names no setting of it", workload->name, deque->id,
               workload->threads);
    const unsigned there = cell.part->variant_count + 1, asked = cell.options.variants;
    cell.variants = asked < there ? asked : there;
    if (!repeats_places(expansion, &cell))
        add_cell(expansion, &cell);
}

/* Steps to the next combination, the last key fastest. Returns false after the last one. */
static bool next_turn(struct expansion *expansion) {
    const struct suite_line *line = expansion->line;
    for (size_t i = line->keys.count; i-- > 0;) {
        if (&line->keys.at[i] == expansion->deque_key)
            continue;
        if (++expansion->turn[i] < line->keys.at[i].values.count)
            return true;
        expansion->turn[i] = 0;
    }
    return false;
}

static struct words workloads_of(const struct catalogue *catalogue) {
    struct words names = {0};
    foreach (deque, catalogue->deques)
        foreach (part, deque->parts)
            foreach (workload, part->description.workloads)
                words_add_once(&names, workload->name);
    return names;
}

/* Plans one line of one section. */
static void plan_line(struct expansion *expansion, const struct suite_line *line) {
    const struct words workloads = workloads_of(expansion->catalogue);
    if (*expansion->suite->path)
        refusal_place = formatted("%s:%u", expansion->suite->path, line->number);
    const struct suite_line meant = suite_line_on(line, expansion->plan->processors);
    expansion->line = line = &meant;
    expansion->deque_key = suite_line_key(line, "deque");
    expansion->named = (struct words){0};
    if (!words_have(workloads, line->workload))
        refuse_unknown("workload", line->workload, workloads);
    choose_deques(expansion);
    if (expansion->named.count > 0)
        check_keys(expansion);
    expansion->turn = allocate(line->keys.count, sizeof expansion->turn[0]);
    do
        foreach (id, expansion->named)
            if (expansion->filter->deques.count == 0 || words_have(expansion->wanted, *id))
                make_cell(expansion, catalogue_find(expansion->catalogue, *id));
    while (next_turn(expansion));
    refusal_place = NULL;
}

/* Does --only=asked mean the section of this tag? 5.2 means 5.2, 5.2-fig3 and the like. */
static bool is_meant(const char *asked, const char *tag) {
    const size_t length = strlen(asked);
    return begins_with(tag, asked) && (tag[length] == '\0' || tag[length] == '-');
}

static bool wanted_section(struct words only, const char *tag) {
    foreach (asked, only)
        if (is_meant(*asked, tag))
            return true;
    return only.count == 0;
}

/* Checks that every tag of --only exists. */
static void check_tags(const struct suite *suite, struct words only) {
    struct words tags = {0};
    foreach (section, suite->sections)
        words_add(&tags, section->tag);
    foreach (asked, only) {
        bool found = false;
        foreach (tag, tags)
            found |= is_meant(*asked, *tag);
        if (!found)
            refuse_unknown(formatted("section of the suite %.60s", suite->name), *asked, tags);
    }
}

/* The plan points into the catalogue and the suite. Refuses a deque that is not sound (exit code 1), an unknown name
 * (2), a broken deque, and a deque that the command line names but that is not built (3). */
struct plan plan_make(const struct suite *suite, const struct catalogue *catalogue, const struct plan_filter *filter) {
    const struct places_facts machine = plan_machine();
    const uint64_t memory = plan_for ? machine.memory : process_memory_limit;
    struct plan plan = {.processors = machine.processors};
    struct expansion expansion = {.plan = &plan, .suite = suite, .catalogue = catalogue, .filter = filter};
    check_tags(suite, filter->only);
    foreach (value, filter->deques)
        add_named(&expansion.wanted, catalogue, *value, NULL, filter->unsound);
    foreach (section, suite->sections) {
        expansion.section = section;
        if (!wanted_section(filter->only, section->tag))
            continue;
        if (memory > 0 && section->needs > memory)
            words_add(&plan.denied, section->tag);
        else
            foreach (line, section->lines)
                plan_line(&expansion, line);
    }
    if (plan.cells.count == 0 && plan.denied.count > 0)
        refuse(3, "this machine has too little memory for that");
    if (plan.cells.count == 0)
        refuse(2, "nothing to measure: no line of the suite has one of these deques (--deque=all: every sound one)");
    plan_drop(&plan);
    return plan;
}
