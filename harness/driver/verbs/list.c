#include "harness/driver/verbs/list.h"
#include "harness/driver/plan/suite.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/json.h"
#include "harness/driver/util/text.h"
#include "harness/driver/verbs/names.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_of(const struct catalogue_deque *deque) {
    return deque->reference ? "reference" : deque->sound ? "sound" : "unsound";
}

static void print_csv(FILE *file, const char *const *fields, size_t count) {
    struct text line = {0};
    for (size_t i = 0; i < count; i++) {
        text_add(&line, i ? "," : "");
        text_add_csv(&line, fields[i]);
    }
    fprintf(file, "%s\n", text_string(&line));
    text_free(&line);
}

static void list_deques_csv(FILE *file, const struct catalogue *catalogue) {
    static const char *const names[] = {
        "id",         "title",         "source",       "owner_order",    "bound",         "thieves", "native",
        "delivery",   "push_progress", "pop_progress", "steal_progress", "thieves_leave", "mode",    "mode_values",
        "item_bytes", "fault",         "kind"};
    enum { COUNT = sizeof names / sizeof names[0] };
    print_csv(file, names, COUNT);
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        const char *fields[COUNT];
        for (size_t j = 0; j + 1 < COUNT; j++)
            fields[j] = catalogue_fact(&catalogue->deques[i], names[j]);
        fields[COUNT - 1] = kind_of(&catalogue->deques[i]);
        print_csv(file, fields, COUNT);
    }
}

static void list_deque(FILE *file, const struct catalogue_deque *deque) {
    const char *native = catalogue_fact(deque, "native"), *mode = catalogue_fact(deque, "mode");
    fprintf(file, "%-28s %-9s %-5s %-9s %-11s %-14s %s\n", deque->id, kind_of(deque),
            catalogue_fact(deque, "owner_order"), catalogue_fact(deque, "bound"), catalogue_fact(deque, "thieves"),
            catalogue_fact(deque, "steal_progress"), *native ? native : "-");
    fprintf(file, "    %s. %s\n", catalogue_fact(deque, "title"), catalogue_fact(deque, "source"));
    if (*mode)
        fprintf(file, "    its own setting: %s=%s\n", mode, catalogue_fact(deque, "mode_values"));
    if (!deque->sound && *catalogue_fact(deque, "fault"))
        fprintf(file, "    known fault: %s\n", catalogue_fact(deque, "fault"));
}

static void list_deques(FILE *file, const struct catalogue *catalogue, bool csv) {
    if (csv) {
        list_deques_csv(file, catalogue);
        return;
    }
    fprintf(file, "%-28s %-9s %-5s %-9s %-11s %-14s %s\n", "deque", "kind", "order", "bound", "thieves", "steal is",
            "native batch forms");
    for (size_t i = 0; i < catalogue->deque_count; i++)
        list_deque(file, &catalogue->deques[i]);
    for (size_t i = 0; i < catalogue->broken_count; i++)
        fprintf(file, "%-28s broken: asked what it is (--describe), it %s\n", catalogue->broken[i].id,
                catalogue->broken[i].why);
    for (size_t i = 0; i < catalogue->absent_count; i++)
        fprintf(file, "%-28s not built: %s\n", catalogue->absent[i].id, catalogue->absent[i].why);
}

/* "1 to 1048576", or "idle|busy" */
static void say_values(const struct parameter *parameter, char *text, size_t size) {
    if (parameter->kind == KIND_CHOICE)
        snprintf(text, size, "%s", parameter->choices);
    else if (parameter->kind == KIND_TEXT)
        snprintf(text, size, "text");
    else
        snprintf(text, size, "%.10g to %.10g%s%s", parameter->minimum, parameter->maximum,
                 parameter->choices && *parameter->choices ? ", or " : "",
                 parameter->choices ? parameter->choices : "");
}

static void list_parameter(FILE *file, const char *workload, const struct parameter *parameter, bool csv) {
    char values[128], minimum[32], maximum[32];
    if (csv) {
        bool number = parameter->kind == KIND_INTEGER || parameter->kind == KIND_REAL;
        snprintf(minimum, sizeof minimum, "%.10g", parameter->minimum);
        snprintf(maximum, sizeof maximum, "%.10g", parameter->maximum);
        const char *const fields[] = {workload,
                                      parameter->name,
                                      parameter_kind_words[parameter->kind],
                                      parameter->fallback,
                                      number ? minimum : "",
                                      number ? maximum : "",
                                      parameter->choices,
                                      parameter->unit,
                                      parameter->help};
        print_csv(file, fields, sizeof fields / sizeof fields[0]);
        return;
    }
    say_values(parameter, values, sizeof values);
    fprintf(file, "    %-11s %-24s default %-11s %s%s%s\n", parameter->name, values, parameter->fallback,
            parameter->unit, *parameter->unit ? ": " : "", parameter->help);
    for (const char *preset = parameter->presets; preset && *preset;) {
        preset += strspn(preset, " ");
        const int word = (int)strcspn(preset, ":"), all = (int)strcspn(preset, ";");
        fprintf(file, "      %s=%.*s:%.*s\n", parameter->name, word, preset, all - word - 1, preset + word + 1);
        preset += all + (preset[all] == ';');
    }
}

/* Parameters that hold for every workload: the common ones once, then each deque's own. */
static void list_common(FILE *file, const struct catalogue *catalogue, bool csv) {
    if (!csv)
        fprintf(file, "every workload\n");
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        const char *mode = catalogue_fact(&catalogue->deques[i], "mode");
        for (const struct parameter *one = catalogue->deques[i].parts[0].description.common; one && one->name; one++) {
            bool own = strcmp(one->name, mode) == 0;
            if (own && !csv)
                fprintf(file, "  of %s only:\n", catalogue->deques[i].id);
            if (own || i == 0)
                list_parameter(file, own && csv ? catalogue->deques[i].id : "*", one, csv);
        }
    }
}

static void list_workloads(FILE *file, const struct catalogue *catalogue, bool csv) {
    static const char *const names[] = {"workload", "parameter", "kind", "default", "minimum",
                                        "maximum",  "choices",   "unit", "help"};
    const struct described_workload *workload;
    if (csv)
        print_csv(file, names, sizeof names / sizeof names[0]);
    for (size_t i = 0; (workload = catalogue_workload(catalogue, i)); i++) {
        if (!csv)
            fprintf(file, "%s: %s\n", workload->name, workload->summary);
        for (const struct parameter *one = workload->parameters; one && one->name; one++)
            list_parameter(file, workload->name, one, csv);
    }
    if (catalogue->deque_count > 0)
        list_common(file, catalogue, csv);
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

size_t suite_names(const char *folder, char ***names) {
    size_t count = 0;
    DIR *entries = opendir(folder);
    struct dirent *entry;
    *names = NULL;
    while (entries && (entry = readdir(entries))) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || dot == entry->d_name || strcmp(dot, ".suite") != 0)
            continue;
        *names = reallocate(*names, count + 1, sizeof(char *));
        (*names)[count] = duplicate(entry->d_name);
        (*names)[count++][dot - entry->d_name] = '\0';
    }
    if (entries)
        closedir(entries);
    if (count > 0)
        qsort(*names, count, sizeof(char *), compare_names);
    return count;
}

static void list_suite(FILE *file, const char *name, const char *path, bool csv) {
    struct suite suite;
    char why[MESSAGE_SIZE];
    bool fine = suite_read(&suite, name, path, why) == 0;
    const char *const fields[] = {name, fine ? suite.title : why, path};
    if (csv)
        print_csv(file, fields, sizeof fields / sizeof fields[0]);
    else
        fprintf(file, "%-12s %s\n", name, fields[1]);
    for (size_t i = 0; i < suite.section_count && fine && !csv; i++)
        fprintf(file, "    [%s] %s\n", suite.sections[i].tag, suite.sections[i].title);
    suite_free(&suite);
}

static int list_suites(FILE *file, const char *folder, bool csv, char *message) {
    char **names;
    size_t count = suite_names(folder, &names);
    if (csv)
        fprintf(file, "suite,title,path\n");
    for (size_t i = 0; i < count; i++) {
        struct text path = {0};
        text_format(&path, "%s/%s.suite", folder, names[i]);
        list_suite(file, names[i], path.data, csv);
        text_free(&path);
        free(names[i]);
    }
    free(names);
    if (count == 0)
        snprintf(message, MESSAGE_SIZE, "no suite in %.400s", folder);
    return count ? 0 : 3;
}

/* Deques that are in the tree and not built, nor known to be impossible here. */
static size_t list_unbuilt_deques(FILE *file, const struct catalogue *catalogue, const char *root, bool csv) {
    struct names names;
    names_of_deques(&names, root);
    for (size_t i = 0; i < names.count; i++) {
        const char *id = names.at[i].id, *const fields[] = {
                                             id, names.at[i].about, "", "", "", "", "", "", "", "", "", "", "", "", "",
                                             "", "not built"};
        if (catalogue_find(catalogue, id) || catalogue_absent(catalogue, id) || catalogue_broken(catalogue, id))
            continue;
        if (csv)
            print_csv(file, fields, sizeof fields / sizeof fields[0]);
        else
            fprintf(file, "%-28s not built yet: %s\n", id, names.at[i].about);
    }
    const size_t count = names.count;
    names_free(&names);
    return count;
}

/* Their parameters the deques' executables know. */
static size_t list_unbuilt_workloads(FILE *file, const struct catalogue *catalogue, const char *root, bool csv) {
    struct names names;
    names_of_workloads(&names, root);
    for (size_t i = 0; i < names.count && !csv; i++)
        if (!catalogue_with_workload(catalogue, names.at[i].id))
            fprintf(file, "%s: %s\n", names.at[i].id, names.at[i].about);
    if (!catalogue->deque_count && names.count && !csv)
        fprintf(file, "Their parameters are known to what is built of a deque: make build/deques/chase_lev\n");
    const size_t count = names.count;
    names_free(&names);
    return count;
}

int list(FILE *out, const char *what, const char *build, const char *root, bool csv, bool json, char *message) {
    struct catalogue catalogue = {0};
    char *table = NULL;
    size_t size = 0;
    FILE *file = json ? open_memstream(&table, &size) : out;
    int result = 0;
    if (!file)
        return 3;
    if (strcmp(what, "suites") == 0) {
        char *folder = path_join(root, "suites");
        result = list_suites(file, folder, csv || json, message);
        free(folder);
    } else {
        const bool deques = strcmp(what, "deques") == 0;
        result = catalogue_open_described(&catalogue, build, message);
        (deques ? list_deques : list_workloads)(file, &catalogue, csv || json);
        if ((deques ? list_unbuilt_deques : list_unbuilt_workloads)(file, &catalogue, root, csv || json) > 0)
            result = 0;
    }
    catalogue_close(&catalogue);
    if (json) {
        fclose(file);
        if (result == 0)
            json_of_csv(out, table);
        free(table);
    }
    return result;
}
