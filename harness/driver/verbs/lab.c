#include "harness/driver/verbs/verbs.h"

/* The deques that the command line names; the first word is what the lab is to do. */
static struct words named(const struct command_line *line) {
    return (struct words){line->words.at + 1, line->words.count - 1};
}

/* Runs the lab's program, which writes straight to our standard output: a trace is long and wanted at once. */
static int run_deque(const struct command_line *line, const struct catalogue_deque *deque) {
    struct words words = words_of(deque->parts[0].executable, line->words.at[0], NULL);
    words_add_all(&words, &line->options);
    if (line->words.count != 2 && strcmp(line->words.at[0], "explore") == 0)
        printf("== %s\n", deque->id);
    return call(words);
}

/* Returns the worst exit code; 1 is a fault or a refuted claim. */
static int laboratory(const struct command_line *line, const char *build) {
    const struct words wanted = named(line);
    const struct catalogue catalogue = catalogue_open(build, "lab", wanted.count > 0 ? &wanted : NULL);
    int worst = 0;
    for (size_t i = 0; i < wanted.count; i++)
        catalogue_must_find(&catalogue, wanted.at[i], false);
    catalogue_must_hold(&catalogue);
    for (size_t i = 0; i < catalogue.deque_count; i++) {
        const struct catalogue_deque *deque = &catalogue.deques[i];
        const int result = wanted.count > 0 || (deque->sound && !deque->reference) ? run_deque(line, deque) : 0;
        worst = result > worst ? result : worst;
    }
    return worst;
}

int carry_out_lab(const struct job *job) {
    const struct words wanted = named(job->line);
    const int result = call_build(job, targets_with("lab", &wanted));
    return result ? result : laboratory(job->line, job->build);
}
