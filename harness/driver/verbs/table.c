/* table.c: the verbs and their options, rows of verbs.csv and options.csv, from which help and the check of the
 * command line are made. Each ends with a row whose name is NULL. */
#pragma once

#include "harness/driver/util/refuse.c"

struct verb_option {
    const char *group;
    const char *letter; /* -x; "": none */
    const char *name;   /* with - between its words; "" begins a group: help is its title, and value an option without
                         * which the group's are refused, or "" */
    const char *value;  /* its value's name; "?RUN": an optional RUN; "": it takes no value */
    const char *help;
};

struct verb {
    const char *group, *name, *arguments, *summary;
    /* What its words name: free, deques, runs, a suite, a workload, or else the choices of the first word, "a|b". A
     * wrong name is refused before anything is built. */
    const char *words;
    const char *least, *most; /* words */
    const char *options;      /* groups of options */
    const char *packages;     /* sets of setup/packages.sh, or "" */
    const char
        *program; /* unless stealbench.c has a function for it: gets the words, a run's folder in place of its name */
    const char *notes; /* other_deques: its --deque may name deques outside queues/; starts_deques: it runs executables,
                        * which have to be built for this processor; passes_on: the words and options after its first
                        * word belong to another program */
    const char *more;  /* help behind the summary, or "" */
};

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

/* The verb of that name; for the name of a suite, suite. Refuses any other word, and suggests the nearest. */
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
