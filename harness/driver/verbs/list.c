#include "harness/driver/verbs/verbs.h"
#include <stdlib.h>
#include <string.h>

static void print_csv(const char *const *fields, size_t count) {
    struct text line = {0};
    text_add_row(&line, fields, count);
    fputs(text_string(&line), stdout);
}

static const char *const columns[] = {
    "id",         "title",         "source",       "owner_order",    "bound",         "thieves", "native",
    "delivery",   "push_progress", "pop_progress", "steal_progress", "thieves_leave", "mode",    "mode_values",
    "item_bytes", "fault",         "kind"};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void list_deques_csv(const struct catalogue *catalogue) {
    print_csv(columns, COLUMNS);
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        const char *fields[COLUMNS];
        for (size_t j = 0; j + 1 < COLUMNS; j++)
            fields[j] = catalogue_fact(&catalogue->deques[i], columns[j]);
        fields[COLUMNS - 1] = catalogue_kind(&catalogue->deques[i]);
        print_csv(fields, COLUMNS);
    }
    for (size_t i = 0; i < catalogue->absent.count; i++)
        printf("%s%.*snot built\n", catalogue->absent.at[i].id, COLUMNS - 1, ",,,,,,,,,,,,,,,,,,,,");
}

static void list_deque(const struct catalogue_deque *deque) {
    const char *native = catalogue_fact(deque, "native"), *mode = catalogue_fact(deque, "mode");
    printf("%-28s %-9s %-5s %-9s %-11s %-14s %s\n", deque->id, catalogue_kind(deque),
           catalogue_fact(deque, "owner_order"), catalogue_fact(deque, "bound"), catalogue_fact(deque, "thieves"),
           catalogue_fact(deque, "steal_progress"), *native ? native : "-");
    printf("    %s. %s\n", catalogue_fact(deque, "title"), catalogue_fact(deque, "source"));
    if (*mode)
        printf("    its own setting: %s=%s\n", mode, catalogue_fact(deque, "mode_values"));
    if (!deque->sound && *catalogue_fact(deque, "fault"))
        printf("    known fault: %s\n", catalogue_fact(deque, "fault"));
}

static void list_deques(const struct catalogue *catalogue, bool csv) {
    if (csv) {
        list_deques_csv(catalogue);
        return;
    }
    printf("%-28s %-9s %-5s %-9s %-11s %-14s %s\n", "deque", "kind", "order", "bound", "thieves", "steal is",
           "native batch forms");
    for (size_t i = 0; i < catalogue->deque_count; i++)
        list_deque(&catalogue->deques[i]);
    for (size_t i = 0; i < catalogue->broken.count; i++)
        printf("%-28s broken: its --describe %s\n", catalogue->broken.at[i].id, catalogue->broken.at[i].why);
    for (size_t i = 0; i < catalogue->absent.count; i++)
        printf("%-28s not built: %s\n", catalogue->absent.at[i].id, catalogue->absent.at[i].why);
}

static void list_parameter(const char *workload, const struct parameter *parameter, bool csv) {
    const bool number = parameter->kind == KIND_INTEGER || parameter->kind == KIND_REAL;
    const char *choices = parameter->choices ? parameter->choices : "";
    const char *least = number ? formatted("%.10g", parameter->minimum) : "";
    const char *most = number ? formatted("%.10g", parameter->maximum) : "";
    const char *const fields[] = {workload,
                                  parameter->name,
                                  parameter_kind_words[parameter->kind],
                                  parameter->fallback,
                                  least,
                                  most,
                                  choices,
                                  parameter->unit,
                                  parameter->help};
    if (csv) {
        print_csv(fields, sizeof fields / sizeof fields[0]);
        return;
    }
    const char *values = number ? formatted("%s to %s%s%s", least, most, *choices ? ", or " : "", choices)
                         : parameter->kind == KIND_TEXT ? "text"
                                                        : choices;
    printf("    %-11s %-24s default %-11s %s%s%s\n", parameter->name, values, parameter->fallback, parameter->unit,
           *parameter->unit ? ": " : "", parameter->help);
    for (const char *preset = parameter->presets; preset && *preset;) {
        preset += strspn(preset, " ");
        const int word = (int)strcspn(preset, ":"), all = (int)strcspn(preset, ";");
        printf("      %s=%.*s:%.*s\n", parameter->name, word, preset, all - word - 1, preset + word + 1);
        preset += all + (preset[all] == ';');
    }
}

/* Lists the parameters of every workload: the common ones once, then each deque's own. */
static void list_common(const struct catalogue *catalogue, bool csv) {
    if (!csv)
        printf("every workload\n");
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        const char *mode = catalogue_fact(&catalogue->deques[i], "mode");
        for (const struct parameter *one = catalogue->deques[i].parts[0].description.common; one && one->name; one++) {
            bool own = strcmp(one->name, mode) == 0;
            if (own && !csv)
                printf("  of %s only:\n", catalogue->deques[i].id);
            if (own || i == 0)
                list_parameter(own && csv ? catalogue->deques[i].id : "*", one, csv);
        }
    }
}

static void list_workloads(const struct catalogue *catalogue, bool csv) {
    const struct words names = catalogue_workloads(catalogue);
    if (csv)
        fputs("workload,parameter,kind,default,minimum,maximum,choices,unit,help\n", stdout);
    for (size_t i = 0; i < names.count; i++) {
        const struct described_workload *workload = catalogue_workload(catalogue, names.at[i]);
        if (!csv)
            printf("%s: %s\n", workload->name, workload->summary);
        for (const struct parameter *one = workload->parameters; one && one->name; one++)
            list_parameter(workload->name, one, csv);
    }
    if (catalogue->deque_count > 0)
        list_common(catalogue, csv);
}

static void list_suites(const char *root, bool csv) {
    const struct words names = names_of_suites(root);
    if (csv)
        fputs("suite,title,path\n", stdout);
    for (size_t i = 0; i < names.count; i++) {
        const char *path = formatted("%s/suites/%s.suite", root, names.at[i]);
        const struct suite suite = suite_read(names.at[i], path);
        const char *const fields[] = {names.at[i], suite.title, path};
        if (csv)
            print_csv(fields, sizeof fields / sizeof fields[0]);
        else
            printf("%-12s %s\n", fields[0], fields[1]);
        for (size_t j = 0; j < suite.section_count && !csv; j++)
            printf("    [%s] %s\n", suite.sections[j].tag, suite.sections[j].title);
    }
    if (names.count == 0)
        refuse(3, "no suite in %.400s/suites", root);
}

int carry_out_list(const struct job *job) {
    const struct command_line *line = job->line;
    const char *what = line->words.count ? line->words.at[0] : "deques";
    if (strcmp(what, "metrics") == 0)
        return call(words_of("setup/python.sh", "-m", "harness.judging.list_metrics",
                             line->words.count > 1 ? line->words.at[1] : NULL, NULL));
    if (line->words.count > 1)
        refuse(2, "only metrics takes a word to look for");
    if (strcmp(what, "suites") == 0) {
        list_suites(job->root, line->csv);
        return 0;
    }
    const int result = call_describe(job, &(struct words){0});
    if (result)
        return result;
    const struct catalogue catalogue = catalogue_open_described(job->build);
    (strcmp(what, "deques") == 0 ? list_deques : list_workloads)(&catalogue, line->csv);
    catalogue_must_hold(&catalogue);
    return 0;
}
