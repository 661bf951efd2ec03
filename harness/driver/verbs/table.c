#include "harness/driver/verbs/verbs.h"

/* C's and a spreadsheet's alike, as results/metrics.csv is: no row has braces, and the first names the columns. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
static const struct verb_option option_rows[] = {
#include "harness/driver/verbs/options.csv"
    {0}};
static const struct verb verb_rows[] = {
#include "harness/driver/verbs/verbs.csv"
    {0}};
#pragma GCC diagnostic pop

const struct verb_option *const all_options = option_rows + 1;
const struct verb *const all_verbs = verb_rows + 1;

bool verb_is(const struct verb *verb, const char *note) { return words_have(split_words(verb->notes, " "), note); }

bool verb_has_choices(const struct verb *verb) {
    return choice_index("free|deques|runs|suite|workload", verb->words) < 0;
}

const struct verb *verb_find(const char *name, struct words suite_names) {
    struct words names = {0};
    const struct verb *verb = all_verbs;
    for (; verb->name && !same(verb->name, name); verb++)
        words_add(&names, verb->name);
    if (verb->name)
        return verb;
    if (words_have(suite_names, name))
        return verb_find("suite", suite_names);
    words_add_all(&names, suite_names);
    refuse_unknown("verb", name, names);
}
