#include "harness/driver/verbs/verbs.h"

/* The suites, without those that have the name of a verb. */
static void print_suites(const char *root, const struct words *suites) {
    struct words verb_names = {0};
    for (size_t i = 0; verb_number(i); i++)
        words_add(&verb_names, verb_number(i)->name);
    for (size_t i = 0; i < suites->count; i++)
        if (!words_have(&verb_names, suites->at[i]))
            printf("    %-15s %s\n", suites->at[i], title_of_suite(root, suites->at[i]));
}

static void help_print(const char *root, const struct words *suites) {
    const char *group = "";
    fputs("usage: ./run.sh [VERB] [ARGUMENT...]     (installed: stealbench; no verb: quick)\n", stdout);
    for (size_t i = 0; verb_number(i); i++) {
        const struct verb *verb = verb_number(i);
        if (strcmp(group, verb->group) != 0)
            printf("\n%s\n", verb->group);
        group = verb->group;
        printf("  %-17s %s\n", verb->name, verb->summary);
        if (verb->named == WORDS_SUITE)
            print_suites(root, suites);
    }
    fputs(
        "\n`help VERB` or `VERB --help` has its options. Exit: 0 fine; 1 a check failed, or something is slower;\n"
        "2 usage, or an unknown name; 3 something is missing, or there is no verdict; 4 a cell crashed or timed out,\n"
        "or results could not be written; 130 interrupted.\n",
        stdout);
}

int carry_out_help(const struct job *job) {
    const struct command_line *line = job->line;
    const struct words suites = names_of_suites(job->root);
    if (line->words.count)
        command_line_help(verb_find(line->words.at[0], &suites), stdout);
    else
        help_print(job->root, &suites);
    return 0;
}
