#include "harness/driver/verbs/verbs.h"
#include <string.h>

/* Compares the counts, or this tree against a revision. */
int carry_out_ci(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words =
        line->wants_against ? module_words("harness.judging.ci") : words_of("harness/judging/counts/counts.sh", NULL);
    int result = 0;
    for (size_t i = 0; i < line->options.count && !line->wants_against; i++)
        if (strcmp(line->options.at[i], "--update-baseline") != 0)
            refuse(2, "%.60s goes with --against", line->options.at[i]);
    if (line->wants_against) {
        result = call_packages(job, "git");
        result = result ? result : call_describe(job, &(struct words){0});
    }
    words_add_all(&words, &line->given);
    return result ? result : call(words);
}
