#include "harness/driver/verbs/verbs.h"
#include <ctype.h>
#include <string.h>

static const char exit_codes[] =
    "0 fine; 1 a check or gate failed; 2 usage, or an unknown name; 3 something is missing, "
    "or there is no verdict; 4 a cell crashed or timed out, or results could not be "
    "written; 130 interrupted";

void help_print(FILE *file) {
    const char *group = NULL;
    fputs("usage: ./run.sh [VERB] [ARGUMENT...]     (installed: stealbench; no verb: quick)\n", file);
    for (const struct verb *verb = verbs; verb->name; verb++) {
        char name[64];
        if (verb->now)
            continue;
        if (!group || strcmp(group, verb->group) != 0)
            fprintf(file, "\n%s\n", verb->group);
        group = verb->group;
        snprintf(name, sizeof name, "%s%s%s", verb->name, verb->former ? " | " : "", verb->former ? verb->former : "");
        fprintf(file, "  %-17s %s\n", name, verb->summary);
    }
    fputs("\nFormer names:", file);
    for (const struct verb *verb = verbs; verb->name; verb++)
        if (verb->now)
            fprintf(file, " %s (%s)", verb->name, verb->now);
    fprintf(file, ".\n`help VERB` or `VERB --help` has its options. Exit: %s.\n", exit_codes);
}

/* Text for roff: no line of it is a request, and a - can be copied. */
static void print_roff(FILE *file, const char *text) {
    if (*text == '.' || *text == '\'')
        fputs("\\&", file);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", file);
        else if (*text == '\\')
            fputs("\\e", file);
        else
            fputc(*text, file);
    }
}

static void print_item(FILE *file, const char *head, const char *text) {
    fputs(".TP\n.B ", file);
    print_roff(file, head);
    fputc('\n', file);
    print_roff(file, text);
    fputc('\n', file);
}

static void print_options(FILE *file, const struct verb *verb) {
    for (size_t i = 0; i < GROUPS_MAX && verb->groups[i]; i++) {
        for (const struct verb_option *option = verb->groups[i]->options; option->name; option++) {
            const char *value = option->value ? option->value : "";
            const bool may = *value == '?';
            print_item(file,
                       formatted("%s--%s%s%s%s", option->letter ? formatted("-%c, ", option->letter) : "", option->name,
                                 may      ? "[="
                                 : *value ? "="
                                          : "",
                                 value + may, may ? "]" : ""),
                       option->help);
        }
    }
    for (const struct parameter *one = suite_option_parameters; one->name && verb->measures; one++)
        print_item(file, formatted("--%s=N", option_of_parameter(one)), one->help);
}

void manual_print(FILE *file) {
    fputs(".TH STEALBENCH 1 \"\" \"stealbench " STEALBENCH_VERSION "\" \"User Commands\"\n.SH NAME\nstealbench \\- "
          "work\\-stealing deques, proven and measured\n.SH SYNOPSIS\n.B stealbench\n[\\fIVERB\\fR] "
          "[\\fIARGUMENT\\fR...]\n.SH VERBS\n",
          file);
    for (const struct verb *verb = verbs; verb->name; verb++) {
        fputs(".SS ", file);
        print_roff(file, verb->name);
        if (verb->former) {
            fputs(" | ", file);
            print_roff(file, verb->former);
        }
        fputc(' ', file);
        print_roff(file, verb->arguments ? verb->arguments : "");
        fputc('\n', file);
        print_roff(file, verb->summary);
        fputs(".\n", file);
        if (verb->text)
            print_roff(file, verb->text);
        if (verb->now) {
            fputs("The former name of ", file);
            print_roff(file, verb->now);
            fputc('.', file);
        }
        fputs(verb->text || verb->now ? "\n" : "", file);
        print_options(file, verb);
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
    fprintf(file, "    %s%s%s) words=\"", verb->name, verb->former ? " | " : "", verb->former ? verb->former : "");
    for (const char *choice = verb->choices; choice && *choice; choice++)
        fputc(*choice == '|' ? ' ' : *choice, file);
    if (verb->most > 0)
        fprintf(file, "%s%s", verb->choices ? " " : "",
                strcmp(verb->name, "help") == 0 ? "$verbs" : lists[verb->named]);
    fputs("\" options=\"--help", file);
    for (size_t i = 0; i < GROUPS_MAX && verb->groups[i]; i++)
        for (const struct verb_option *option = verb->groups[i]->options; option->name; option++)
            fprintf(file, " --%s%s", option->name, option->value && *option->value != '?' ? "=" : "");
    for (const struct parameter *one = suite_option_parameters; one->name && verb->measures; one++)
        fprintf(file, " --%s=", option_of_parameter(one));
    fprintf(file, "%s\" ;;\n", verb->named == WORDS_WORKLOAD ? " $parameters" : "");
}

void completion_print(FILE *file, const char *root) {
    const struct words deques = names_of_deques(root).ids, workloads = names_of_workloads(root).ids,
                       suites = names_of_suites(root), parameters = names_of_parameters(root).ids, all = verb_names();
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
