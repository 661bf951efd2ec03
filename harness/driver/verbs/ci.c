#include "harness/driver/verbs/verbs.h"

/* Compares the counts, or this tree against a revision. */
int carry_out_ci(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words =
        has(line, "against") ? module_words("harness.judging.ci") : words_of("harness/judging/counts/counts.sh", NULL);
    int result = 0;
    if (has(line, "against")) {
        result = call_packages(job, "git");
        result = result ? result : call_describe(job, NULL, NULL);
    }
    words_add_all(&words, &line->given);
    return result ? result : call(words);
}
