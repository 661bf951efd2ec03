/* help.c: what `help` and `VERB --help` print. */
#include "harness/driver/verbs/names.c"

/* Prints words from this column on, in lines of at most 79. at: how many characters the line has already. */
static void print_words(size_t at, size_t column, const char *text) {
    const struct words words = split_words(text, " ");
    foreach (word, words) {
        if (at > column && at + 1 + strlen(*word) > 79) {
            putchar('\n');
            at = 0;
        }
        const size_t gap = at < column ? column - at : at > column;
        at += (size_t)printf("%*s%s", (int)gap, "", *word);
    }
    putchar('\n');
}

static void print_option(const struct verb_option *option) {
    const char *letter = *option->letter ? formatted("-%s,", option->letter) : "";
    const char *value = *option->value == '?' ? formatted("[=%s]", option->value + 1)
                        : *option->value      ? formatted("=%s", option->value)
                                              : "";
    size_t at = (size_t)printf("  %3s --%s%s", letter, option->name, value);
    if (at > 27) {
        putchar('\n');
        at = 0;
    }
    print_words(at, 29, option->help);
}

void command_line_help(const struct verb *verb) {
    printf("Usage: stealbench %s [OPTION...] %s\n", verb->name, verb->arguments);
    print_words(0, 0, formatted("%c%s. %s", toupper((unsigned char)*verb->summary), verb->summary + 1, verb->more));
    for (const struct verb_option *option = all_options; option->name; option++)
        if (!offers(verb, option))
            continue;
        else if (*option->name)
            print_option(option);
        else
            printf("\n%s\n", option->help);
}

/* What its file says behind `title`, or "". */
static const char *title_of(const char *suite, const char *root) {
    const struct words lines = split_words(file_text(formatted("%s/suites/%s.suite", root, suite)), "\n");
    foreach (line, lines)
        if (begins_with(*line, "title "))
            return *line + 6;
    return "";
}

/* The suites, without those that have the name of a verb. */
static void print_suites(const char *root, struct words suites) {
    foreach (suite, suites)
        if (same(verb_find(*suite, suites)->words, "suite"))
            printf("    %-15s %s\n", *suite, title_of(*suite, root));
}

static void help_print(const char *root, struct words suites) {
    const char *group = "";
    fputs("usage: ./run.sh [VERB] [ARGUMENT...]     (installed: stealbench; no verb: quick)\n", stdout);
    for (const struct verb *verb = all_verbs; verb->name; verb++) {
        if (!same(group, verb->group))
            printf("\n%s\n", verb->group);
        group = verb->group;
        printf("  %-17s %s\n", verb->name, verb->summary);
        if (same(verb->words, "suite"))
            print_suites(root, suites);
    }
    fputs(
        "\n`help VERB` or `VERB --help` has its options. Exit: 0 fine; 1 a check failed, or something is slower;\n"
        "2 usage, or an unknown name; 3 something is missing, or there is no verdict; 4 a cell crashed or timed out,\n"
        "or results could not be written; 130 interrupted.\n",
        stdout);
}

int carry_out_help(const struct job *job) {
    const struct words suites = names_of_suites(job->root);
    if (job->line->words.count)
        command_line_help(verb_find(job->line->words.at[0], suites));
    else
        help_print(job->root, suites);
    return 0;
}
