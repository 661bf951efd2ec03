#include "harness/driver/util/format.h"
#include "harness/driver/verbs/verbs.h"
#include <string.h>

static void help_print(void) {
    const char *group = NULL;
    fputs("usage: ./run.sh [VERB] [ARGUMENT...]     (installed: stealbench; no verb: quick)\n", stdout);
    for (const struct verb *verb = verbs; verb->name; verb++) {
        if (!group || strcmp(group, verb->group) != 0)
            printf("\n%s\n", verb->group);
        group = verb->group;
        printf("  %-17s %s\n", verb->name, verb->summary);
    }
    fputs(
        "\n`help VERB` or `VERB --help` has its options. Exit: 0 fine; 1 a check failed, or something is slower;\n"
        "2 usage, or an unknown name; 3 something is missing, or there is no verdict; 4 a cell crashed or timed out,\n"
        "or results could not be written; 130 interrupted.\n",
        stdout);
}

int carry_out_help(const struct job *job) {
    const struct command_line *line = job->line;
    const char *word = line->words.count ? line->words.at[0] : NULL;
    const struct verb *verb = word ? verb_find(word) : NULL;
    if (word && !verb)
        refuse_verb(word);
    if (verb)
        command_line_help(verb, stdout);
    else
        help_print();
    return 0;
}

int carry_out_version(const struct job *job) {
    (void)job;
    printf("stealbench %s, manifest version %d, samples version %d\n", STEALBENCH_VERSION, MANIFEST_VERSION,
           SAMPLES_VERSION);
    return 0;
}
