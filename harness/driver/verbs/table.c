#include "harness/driver/verbs/verbs.h"

/* The files are C's and a spreadsheet's alike, as results/metrics.csv is. Their first row names the columns. */
enum option_column { OF_GROUP, LETTER, OPTION, ITS_VALUE, OPTION_HELP, OPTION_COLUMNS };
static const char *const option_cells[] = {
#include "harness/driver/verbs/options.csv"
};
enum verb_column { OF_VERBS, VERB, ARGUMENTS, SUMMARY, WORDS, LEAST, MOST, OPTIONS, PACKAGES, PROGRAM, NOTES, MORE };
#define VERB_COLUMNS (MORE + 1)
static const char *const verb_cells[] = {
#include "harness/driver/verbs/verbs.csv"
};

static const struct {
    const char *verb;
    int (*carry_out)(const struct job *);
} functions[] = {{"suite", carry_out_suite},   {"run", carry_out_run},       {"compare", carry_out_compare},
                 {"merge", carry_out_merge},   {"check", carry_out_check},   {"lab", carry_out_lab},
                 {"ci", carry_out_ci},         {"trust", carry_out_trust},   {"list", carry_out_list},
                 {"doctor", carry_out_doctor}, {"extras", carry_out_extras}, {"help", carry_out_help}};

struct verb_option option_number(size_t i) {
    const char *const *cell = option_cells + (i + 1) * OPTION_COLUMNS;
    if (cell >= option_cells + sizeof option_cells / sizeof *option_cells)
        return (struct verb_option){0};
    return (struct verb_option){cell[OF_GROUP], cell[OPTION], cell[ITS_VALUE], cell[OPTION_HELP], *cell[LETTER]};
}

const struct verb *verb_number(size_t i) {
    const char *const *cell = verb_cells + (i + 1) * VERB_COLUMNS;
    if (cell >= verb_cells + sizeof verb_cells / sizeof *verb_cells)
        return NULL;
    struct verb *verb = allocate(1, sizeof *verb);
    const int named = choice_index("free|deques|runs|suite|workload", cell[WORDS]);
    *verb = (struct verb){.group = cell[OF_VERBS],
                          .name = cell[VERB],
                          .summary = cell[SUMMARY],
                          .arguments = cell[ARGUMENTS],
                          .more = cell[MORE],
                          .named = named < 0 ? WORDS_CHOICE : (enum named)named,
                          .choices = named < 0 ? cell[WORDS] : NULL,
                          .least = strtoul(cell[LEAST], NULL, 10),
                          .most = strtoul(cell[MOST], NULL, 10),
                          .groups = split_words(formatted("%s help", cell[OPTIONS]), " "),
                          .packages = cell[PACKAGES],
                          .program = cell[PROGRAM],
                          .other_deques = strstr(cell[NOTES], "other_deques"),
                          .starts_deques = strstr(cell[NOTES], "starts_deques"),
                          .passes_on = strstr(cell[NOTES], "passes_on")};
    for (size_t j = 0; j < sizeof functions / sizeof *functions; j++)
        if (strcmp(functions[j].verb, verb->name) == 0)
            verb->carry_out = functions[j].carry_out;
    return verb;
}

const struct verb *verb_find(const char *name, const struct words *suite_names) {
    const struct verb *verb, *suite = NULL;
    struct words names = {0};
    for (size_t i = 0; (verb = verb_number(i)); i++) {
        if (strcmp(verb->name, name) == 0)
            return verb;
        suite = verb->named == WORDS_SUITE ? verb : suite;
        words_add(&names, verb->name);
    }
    if (words_have(suite_names, name))
        return suite;
    words_add_all(&names, suite_names);
    refuse_unknown("verb", name, &names);
}
