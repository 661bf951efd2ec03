#include "harness/driver/plan/plan.h"
#include "harness/measuring/cell.h"
#include "harness/measuring/places.h"

/* What stays the same while a line is expanded. */
struct expansion {
    struct plan *plan;
    const struct suite *suite;
    const struct catalogue *catalogue;
    const struct plan_filter *filter;
    size_t section;
    const struct suite_line *line;
    const struct suite_key *deque_key; /* NULL: all */
    const struct words *wanted;        /* deques that the command line asks for */
    struct words named;                /* deques that the line names */
};

uint64_t plan_subject(const char *workload, const char *deque, const char *params) {
    return hash_string(hash_string(hash_string(HASH_START, workload), deque), params);
}

static uint64_t cell_id(const struct planned_cell *cell) {
    char rest[128];
    snprintf(rest, sizeof rest, "repetitions=%u;minimum_time=%.9g;executable=%016" PRIx64, cell->options.repetitions,
             cell->options.minimum_time, cell->part->content);
    const uint64_t id = hash_string(cell->subject, rest);
    return hash_bytes(id, cell->part->variant_contents, (cell->variants - 1) * sizeof cell->part->variant_contents[0]);
}

const char *plan_value(const struct planned_cell *cell, const char *name) {
    const struct value *value = value_find(cell->values, cell->value_count, name);
    return value ? value->text : NULL;
}

unsigned plan_variant(const struct planned_cell *cell, unsigned invocation) {
    const struct value *seed = value_find(cell->values, cell->value_count, "seed");
    return cell->variants > 1 ? variant_drawn(seed ? seed->integer : 0, invocation, cell->variants) : 0;
}

const char *plan_executable(const struct planned_cell *cell, unsigned invocation) {
    const unsigned variant = plan_variant(cell, invocation);
    return variant > 0 ? cell->part->variants[variant - 1] : cell->part->executable;
}

static bool is_group(const char *name) { return choice_index(DEQUE_GROUPS, name) >= 0; }

static bool in_group(const struct catalogue_deque *deque, const char *group, bool unsound) {
    const char *kind = catalogue_kind(deque);
    const bool wrong = strcmp(kind, "unsound") == 0;
    if (strcmp(catalogue_fact(deque, "aside"), "1") == 0)
        return false;
    if (strcmp(group, "classic") == 0)
        return strcmp(catalogue_fact(deque, "classic"), "1") == 0;
    return strcmp(group, "all") == 0 ? !wrong : strcmp(group, kind) == 0 && (!wrong || unsound);
}

/* Adds the deques of one value of deque=: a group or an id. A group skips deques without the workload; a deque named by
 * its id must have it. */
static void add_named(struct words *ids, const struct catalogue *catalogue, const char *value, const char *workload,
                      bool unsound) {
    for (size_t i = 0; i < catalogue->deque_count && is_group(value); i++) {
        const struct catalogue_deque *deque = &catalogue->deques[i];
        if (in_group(deque, value, unsound) && (!workload || catalogue_part_with(deque, workload)))
            words_add_once(ids, deque->id);
    }
    if (is_group(value))
        return;
    const struct catalogue_deque *deque = catalogue_must_find(catalogue, value, true);
    const char *fault = catalogue_fact(deque, "fault");
    if (workload && !catalogue_part_with(deque, workload))
        refuse(2, "%s does not have the workload %s", deque->id, workload);
    if (!deque->sound && !deque->reference && !unsound)
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
    const bool optional = suite_is_optional(suite, id);
    if (!*suite->path || is_group(id))
        return false;
    if (there)
        return optional && !filter->unsound && strcmp(catalogue_kind(there), "unsound") == 0;
    if (filter->deques && !words_have(&filter->deques->values, id))
        return true;
    if (!catalogue_why_absent(expansion->catalogue, id) && !optional)
        return false;
    words_add_once(&expansion->plan->left_out, id);
    return true;
}

static void choose_deques(struct expansion *expansion) {
    const struct words all = {(const char *[]){"all"}, 1};
    const struct words *values = expansion->deque_key ? &expansion->deque_key->values : &all;
    for (size_t i = 0; i < values->count; i++)
        if (!leaves_out(expansion, values->at[i]))
            add_named(&expansion->named, expansion->catalogue, values->at[i], expansion->line->workload,
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
    struct words names = {0};
    words_add(&names, "deque");
    add_names(&names, *expansion->suite->path ? NULL : suite_option_parameters);
    for (size_t i = 0; i < expansion->catalogue->deque_count; i++) {
        const struct catalogue_deque *deque = &expansion->catalogue->deques[i];
        const struct catalogue_part *part = catalogue_part_with(deque, workload);
        if (parameter_of(deque, workload, name))
            refuse(2, "%s is a setting of %s, which is not among the deques named", name, deque->id);
        add_names(&names, part ? description_workload(&part->description, workload)->parameters : NULL);
        add_names(&names, part ? part->description.common : NULL);
    }
    refuse_unknown(formatted("parameter of %s", workload), name, &names);
}

/* Checks that at least one deque of the line knows each key. */
static void check_keys(const struct expansion *expansion) {
    for (size_t i = 0; i < expansion->line->key_count; i++) {
        const struct suite_key *key = &expansion->line->keys[i];
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
static void set_table(const struct expansion *expansion, const struct parameter *table, const size_t *turn,
                      struct settings *settings, struct text *name) {
    for (; table && table->name; table++) {
        char fallback[VALUE_SIZE], preset[VALUE_SIZE], message[MESSAGE_SIZE];
        struct value value;
        const struct suite_key *key = suite_line_key(expansion->line, table->name);
        const char *unset = settings_default(settings, table, preset);
        const char *given = key ? key->values.at[turn[key - expansion->line->keys]] : unset;
        if (!settings_set(settings, table, given, message))
            refuse(2, "%s", message);
        const char *text = settings_get(settings, table->name)->text;
        if (parameter_read(table, unset, &value, fallback, message) && strcmp(text, fallback) == 0)
            continue;
        text_format(name, " %s=", table->name);
        text_add_escaped(name, text);
    }
}

/* The group of this cell: its cells share everything except the deque and its mode. */
static size_t find_group(const struct expansion *expansion, const struct planned_cell *cell) {
    struct plan *plan = expansion->plan;
    const char *mode = catalogue_fact(cell->deque, "mode");
    uint64_t key = hash_string(hash_bytes(HASH_START, &expansion->section, sizeof expansion->section), cell->workload);
    for (size_t i = 0; i < cell->value_count; i++)
        if (strcmp(cell->values[i].parameter->name, mode) != 0)
            key = hash_string(hash_string(key, cell->values[i].parameter->name), cell->values[i].text);
    for (size_t i = 0; i < plan->group_count; i++)
        if (plan->groups[i].key == key)
            return i;
    const size_t i = ONE_MORE(plan->groups, plan->group_count);
    plan->groups[i] = (struct planned_group){.key = key};
    return i;
}

/* The same cell of several sections is measured once, as often and as precisely as the strictest section asks. */
static void add_cell(const struct expansion *expansion, struct planned_cell *cell) {
    struct plan *plan = expansion->plan;
    cell->subject = plan_subject(cell->workload, cell->deque->id, cell->params);
    cell->id = cell_id(cell);
    words_add(&cell->tags, expansion->suite->sections[expansion->section].tag);
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct planned_cell *there = &plan->cells[i];
        if (there->id != cell->id)
            continue;
        words_add_once(&there->tags, cell->tags.at[0]);
        if (there->options.invocations < cell->options.invocations)
            there->options.invocations = cell->options.invocations;
        if (there->options.precision > cell->options.precision) /* 0 means all invocations */
            there->options.precision = cell->options.precision;
        return;
    }
    if (plan->cell_count == CELLS_MAX)
        refuse(2, "that makes more than %d cells: name fewer values", CELLS_MAX);
    cell->group = find_group(expansion, cell);
    struct planned_group *group = &plan->groups[cell->group];
    const size_t place = ONE_MORE(group->cells, group->count), i = ONE_MORE(plan->cells, plan->cell_count);
    group->cells[place] = i;
    plan->cells[i] = *cell;
}

/* The executable built only for cells with this setting, else the one for all others. */
static const struct catalogue_part *part_for(const struct planned_cell *cell) {
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

/* Copies the settings, sorted by name, and writes them as "batch=128;capacity=0". */
static void keep_values(struct planned_cell *cell, struct settings *settings) {
    struct text params = {0};
    settings_sort(settings);
    cell->values = allocate(settings->count, sizeof cell->values[0]);
    cell->value_count = settings->count;
    for (size_t i = 0; i < settings->count; i++) {
        cell->values[i] = settings->at[i];
        cell->values[i].text = duplicate(settings->at[i].text);
        text_format(&params, "%s%s=", i > 0 ? ";" : "", settings->at[i].parameter->name);
        text_add_escaped(&params, settings->at[i].text);
    }
    cell->params = text_string(&params);
}

/* A suite's line names placements for every machine. Does one before this cell's mean the same processors here? */
static bool repeats_places(const struct expansion *expansion, const struct planned_cell *cell) {
    const struct suite_key *key = suite_line_key(expansion->line, "placement");
    for (size_t i = 0; key && *expansion->suite->path && strcmp(key->values.at[i], plan_value(cell, "placement")) != 0;
         i++)
        if (plan_same_places(cell, key->values.at[i], expansion->filter->machine))
            return true;
    return false;
}

/* turn: which value of each key of the line. */
static void make_cell(const struct expansion *expansion, const struct catalogue_deque *deque, const size_t *turn) {
    const struct description *description = &catalogue_part_with(deque, expansion->line->workload)->description;
    const struct described_workload *workload = description_workload(description, expansion->line->workload);
    static struct settings settings;
    struct text name = {0};
    text_format(&name, "%s %s", workload->name, deque->id);
    settings.count = settings.used = 0;
    set_table(expansion, workload->parameters, turn, &settings, &name);
    set_table(expansion, description->common, turn, &settings, &name);
    struct planned_cell cell = {.deque = deque,
                                .unsound = !deque->sound && !deque->reference,
                                .workload = workload->name,
                                .name = text_string(&name),
                                .options = expansion->suite->sections[expansion->section].options};
    if (cell.options.precision > 0 && !cell.options.invocations_given)
        cell.options.invocations = PRECISION_INVOCATIONS;
    keep_values(&cell, &settings);
    cell.part = part_for(&cell);
    if (!values_sum(workload->threads, cell.values, cell.value_count, &cell.threads))
        refuse(3, "%s of %s: its number of threads, %s, names no setting of it", workload->name, deque->id,
               workload->threads);
    const unsigned there = cell.part->variant_count + 1, asked = cell.options.variants;
    cell.variants = asked < there ? asked : there;
    if (!repeats_places(expansion, &cell))
        add_cell(expansion, &cell);
}

/* Steps to the next combination, the last key fastest. Returns false after the last one. */
static bool next_turn(const struct expansion *expansion, size_t *turn) {
    const struct suite_line *line = expansion->line;
    for (size_t i = line->key_count; i-- > 0;) {
        if (&line->keys[i] == expansion->deque_key)
            continue;
        if (++turn[i] < line->keys[i].values.count)
            return true;
        turn[i] = 0;
    }
    return false;
}

/* Plans one line of one section. */
static void plan_line(struct expansion *expansion) {
    const struct words workloads = catalogue_workloads(expansion->catalogue);
    if (*expansion->suite->path)
        refusal_place = formatted("%s:%u", expansion->suite->path, expansion->line->number);
    const struct suite_line meant = suite_line_on(expansion->line, expansion->plan->processors), *line = &meant;
    expansion->line = line;
    expansion->deque_key = suite_line_key(line, "deque");
    if (!words_have(&workloads, line->workload))
        refuse_unknown("workload", line->workload, &workloads);
    choose_deques(expansion);
    if (expansion->named.count > 0)
        check_keys(expansion);
    size_t *turn = allocate(line->key_count, sizeof turn[0]);
    do
        for (size_t i = 0; i < expansion->named.count; i++)
            if (!expansion->filter->deques || words_have(expansion->wanted, expansion->named.at[i]))
                make_cell(expansion, catalogue_find(expansion->catalogue, expansion->named.at[i]), turn);
    while (next_turn(expansion, turn));
    refusal_place = NULL;
}

static bool wanted_section(const struct plan_filter *filter, const char *tag) {
    for (size_t i = 0; filter->only && i < filter->only->values.count; i++)
        if (suite_tag_meant(filter->only->values.at[i], tag))
            return true;
    return filter->only == NULL;
}

/* Checks that every tag of --only exists. */
static void check_tags(const struct suite *suite, const struct plan_filter *filter) {
    struct words tags = {0};
    for (size_t i = 0; i < suite->section_count; i++)
        words_add(&tags, suite->sections[i].tag);
    for (size_t i = 0; filter->only && i < filter->only->values.count; i++) {
        bool found = false;
        for (size_t j = 0; j < tags.count && !found; j++)
            found = suite_tag_meant(filter->only->values.at[i], tags.at[j]);
        if (!found)
            refuse_unknown(formatted("section of the suite %.60s", suite->name), filter->only->values.at[i], &tags);
    }
}

struct plan plan_make(const struct suite *suite, const struct catalogue *catalogue, const struct plan_filter *filter) {
    struct places_facts machine;
    char message[MESSAGE_SIZE];
    if (!places_find_facts(filter->machine, &machine, message))
        refuse(filter->machine ? 2 : 3, "%s", message);
    struct plan plan = {.processors = machine.processors};
    check_tags(suite, filter);
    struct words deques = {0};
    for (size_t i = 0; filter->deques && i < filter->deques->values.count; i++)
        add_named(&deques, catalogue, filter->deques->values.at[i], NULL, filter->unsound);
    for (size_t i = 0; i < suite->section_count; i++) {
        const struct suite_section *section = &suite->sections[i];
        const bool wanted = wanted_section(filter, section->tag);
        if (wanted && filter->memory > 0 && section->needs > filter->memory) {
            words_add(&plan.denied, section->tag);
            continue;
        }
        for (size_t j = 0; j < section->line_count && wanted; j++)
            plan_line(&(struct expansion){.plan = &plan,
                                          .suite = suite,
                                          .catalogue = catalogue,
                                          .filter = filter,
                                          .section = i,
                                          .wanted = &deques,
                                          .line = &section->lines[j]});
    }
    if (plan.cell_count == 0 && plan.denied.count > 0)
        refuse(3, "this machine has too little memory for that");
    if (plan.cell_count == 0)
        refuse(2, "nothing to measure: no line of the suite has one of these deques (--deque=all: every sound one)");
    return plan;
}

void plan_keep(struct plan *plan, const bool *keep) {
    size_t *now = allocate(plan->cell_count, sizeof now[0]), cells = 0, groups = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        now[i] = cells;
        if (keep[i])
            plan->cells[cells++] = plan->cells[i];
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
    }
    plan->group_count = groups;
}

void latin_square_row(size_t n, size_t row, size_t *order) {
    row %= n % 2 == 0 ? n : 2 * n;
    /* The first row is 0, 1, n-1, 2, n-2, ...: neighbours differ by each distance once. With an odd n each distance
     * comes twice in one direction; the same rows backwards give the other direction. */
    for (size_t place = 0; place < n; place++)
        order[row < n ? place : n - 1 - place] = ((place % 2 == 1 ? (place + 1) / 2 : n - place / 2) + row) % n;
}
