#include "harness/driver/util/format.h"
#include "harness/driver/verbs/verbs.h"
#include <string.h>

static const char exit_codes[] =
    "0 fine; 1 a check failed, or something is slower; 2 usage, or an unknown name; 3 something is missing, "
    "or there is no verdict; 4 a cell crashed or timed out, or results could not be "
    "written; 130 interrupted";

static void help_print(FILE *file) {
    const char *group = NULL;
    fputs("usage: ./run.sh [VERB] [ARGUMENT...]     (installed: stealbench; no verb: quick)\n", file);
    for (const struct verb *verb = verbs; verb->name; verb++) {
        if (!group || strcmp(group, verb->group) != 0)
            fprintf(file, "\n%s\n", verb->group);
        group = verb->group;
        fprintf(file, "  %-17s %s\n", verb->name, verb->summary);
    }
    fprintf(file, "\n`help VERB` or `VERB --help` has its options. Exit: %s.\n", exit_codes);
}

/* Prints text for roff: no line looks like a request, and - stays a hyphen that can be copied. */
static void print_roff(FILE *file, const char *text) {
    for (const char *at = text; *at; at++) {
        if ((at == text || at[-1] == '\n') && (*at == '.' || *at == '\''))
            fputs("\\&", file);
        if (*at == '-' || *at == '\\')
            fputs(*at == '-' ? "\\-" : "\\e", file);
        else
            fputc(*at, file);
    }
}

static void manual_print(FILE *file) {
    fputs(".TH STEALBENCH 1 \"\" \"stealbench " STEALBENCH_VERSION "\" \"User Commands\"\n.SH NAME\nstealbench \\- "
          "work\\-stealing deques, proven and measured\n.SH SYNOPSIS\n.B stealbench\n[\\fIVERB\\fR] "
          "[\\fIARGUMENT\\fR...]\n.SH VERBS\n",
          file);
    for (const struct verb *verb = verbs; verb->name; verb++) {
        char *help = NULL;
        size_t size;
        FILE *memory = open_memstream(&help, &size);
        if (!memory)
            refuse(3, "no memory left");
        command_line_help(verb, memory);
        fclose(memory);
        fputs(".SS ", file);
        print_roff(file, verb->name);
        fputs("\n.nf\n", file);
        print_roff(file, help);
        fputs(".fi\n", file);
    }
    fputs(".SH EXIT STATUS\n", file);
    print_roff(file, exit_codes);
    fputs(".\n.SH FILES\nREADME.md and docs/ of the source tree.\n", file);
}

static void print_names(FILE *file, const char *variable, const char *first, const struct words *names) {
    fprintf(file, "  local %s='%s", variable, first);
    for (size_t i = 0; i < names->count; i++)
        fprintf(file, " %s", names->at[i]);
    fputs("'\n", file);
}

static void print_words_of(FILE *file, const struct verb *verb) {
    static const char *const lists[] = {[WORDS_DEQUES] = "$deques", [WORDS_RUNS] = "$(ls results 2> /dev/null)",
                                        [WORDS_SUITE] = "$suites",  [WORDS_WORKLOAD] = "$workloads",
                                        [WORDS_FREE] = "$deques",   [WORDS_CHOICE] = "$deques"};
    const struct verb_words words = verb_words(verb);
    fprintf(file, "    %s) words=\"", verb->name);
    for (const char *choice = words.choices; choice && *choice; choice++)
        fputc(*choice == '|' ? ' ' : *choice, file);
    if (words.most > 0)
        fprintf(file, "%s%s", words.choices ? " " : "",
                strcmp(verb->name, "help") == 0 ? "$verbs" : lists[words.named]);
    fputs("\" options=\"--help", file);
    for (size_t i = 0; i < GROUPS_MAX && verb->groups[i]; i++)
        for (const struct verb_option *option = verb->groups[i]->options; option->name; option++)
            fprintf(file, " --%s%s", option->name, option->value && *option->value != '?' ? "=" : "");
    for (const struct parameter *one = suite_option_parameters; one->name && verb->measures; one++)
        fprintf(file, " --%s=", option_of_parameter(one));
    fprintf(file, "%s\" ;;\n", words.named == WORDS_WORKLOAD ? " $parameters" : "");
}

static void completion_print(FILE *file, const char *root) {
    const struct words deques = names_of_deques(root), workloads = names_of_workloads(root),
                       suites = names_of_suites(root), parameters = names_of_parameters(root), all = verb_names();
    fputs("# Completion of stealbench for bash. Made by `stealbench help --completion`: source it, or put it where\n"
          "# bash-completion looks, as stealbench.\n_stealbench() {\n  local words='' options=''\n",
          file);
    print_names(file, "deques", "all sound reference", &deques);
    print_names(file, "workloads", "", &workloads);
    print_names(file, "suites", "", &suites);
    fputs("  local parameters='", file);
    for (size_t i = 0; i < parameters.count; i++)
        fprintf(file, " --%s=", parameters.at[i]);
    fputs("'\n", file);
    print_names(file, "verbs", "--help --version", &all);
    fputs("  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} list=''\n"
          "  case $verb in\n",
          file);
    for (const struct verb *verb = verbs; verb->name; verb++)
        print_words_of(file, verb);
    fputs("  esac\n  [ \"$word\" != = ] || { word='' before=${COMP_WORDS[COMP_CWORD - 1]}; }\n"
          "  [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "  case $before in\n"
          "    --deque | --against) list=$deques ;;\n"
          "    *) if [ \"$COMP_CWORD\" -eq 1 ]; then list=$verbs\n"
          "       elif [[ $word == -* ]]; then list=$options\n"
          "       else list=$words; fi ;;\n"
          "  esac\n"
          "  mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$word\")\n"
          "  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2> /dev/null\n"
          "}\ncomplete -F _stealbench stealbench ./run.sh run.sh\n",
          file);
}

int carry_out_help(const struct job *job) {
    const struct command_line *line = job->line;
    const char *word = line->words.count ? line->words.at[0] : NULL;
    const struct verb *verb = word ? verb_find(word) : NULL;
    if (word && !verb)
        refuse_verb(word);
    if (line->man)
        manual_print(stdout);
    else if (line->completion)
        completion_print(stdout, job->root);
    else if (verb)
        command_line_help(verb, stdout);
    else
        help_print(stdout);
    return 0;
}

int carry_out_version(const struct job *job) {
    (void)job;
    printf("stealbench %s, manifest version %d, samples version %d\n", STEALBENCH_VERSION, MANIFEST_VERSION,
           SAMPLES_VERSION);
    return 0;
}
