#include "harness/driver/util/process.h"
#include "harness/driver/verbs/verbs.h"
#include <string.h>

/* Runs the lab's program. A trace is long and wanted at once, so the program writes straight to our standard output.
 * Output that becomes JSON is collected, with one heading. */
static int run_deque(const struct command_line *line, const struct catalogue_deque *deque, struct text *table) {
    struct words words = words_of(deque->parts[0].executable, line->words.at[0], NULL);
    struct text printed = {0};
    for (size_t i = 0; i < line->options.count; i++)
        words_add(&words, strcmp(line->options.at[i], "--json") == 0 ? "--csv" : line->options.at[i]);
    if (line->words.count != 2 && strcmp(line->words.at[0], "explore") == 0)
        printf("== %s\n", deque->id);
    const int result = process_here(words.at, line->wants_json ? &printed : NULL);
    const char *rows = text_string(&printed), *end = strchr(rows, '\n');
    text_add(table, table->length > 0 && end ? end + 1 : rows);
    return result;
}

/* Returns the worst exit code; 1 is a fault or a refuted claim. */
static int laboratory(const struct command_line *line, const char *build) {
    const struct catalogue catalogue = catalogue_open(build, "lab", NULL);
    struct words wanted = {line->words.at + 1, line->words.count - 1};
    struct text table = {0};
    int worst = 0;
    catalogue_must_hold(&catalogue);
    for (size_t i = 0; i < wanted.count; i++)
        catalogue_must_find(&catalogue, wanted.at[i], false);
    for (size_t i = 0; i < catalogue.deque_count; i++) {
        const struct catalogue_deque *deque = &catalogue.deques[i];
        const bool is = wanted.count > 0 ? words_have(&wanted, deque->id) : deque->sound && !deque->reference;
        const int result = is ? run_deque(line, deque, &table) : 0;
        worst = result > worst ? result : worst;
    }
    if (line->wants_json)
        json_of_csv(stdout, text_string(&table));
    return worst;
}

int carry_out_lab(const struct job *job) {
    if (job->line->needs)
        return needs_of_verb(stdout, job->line, job->build);
    const int result = step_build_for_verb(job);
    return result ? result : laboratory(job->line, job->build);
}
