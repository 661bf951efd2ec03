#include "harness/driver/verbs/verbs.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Makes one run of the parts. Draws its table, figures and report if Python's packages are installed. */
int carry_out_merge(const struct job *job) {
    const char *run = run_named(job->line->words.at[0], job->root);
    struct words merge = module_words("harness.cluster.merge"), draw = module_words("plots.draw");
    words_add(&merge, run);
    words_add_all(&merge, &job->line->options);
    words_add(&draw, run);
    const int result = call(merge);
    if (!job->line->missing && access(path_join(run, "manifest.json"), R_OK) == 0 && result != 2 && call(draw) != 0)
        fprintf(stderr,
                "merged but not drawn: copy %s to a machine with Python's packages, and call ./run.sh report there\n",
                run);
    return result;
}

/* Calls a module with the named runs and the options. */
static int of_runs(const struct job *job, const char *module, const char *leave_out) {
    struct words words = module_words(module);
    for (size_t i = 0; i < job->line->words.count; i++)
        words_add(&words, run_named(job->line->words.at[i], job->root));
    add_options(&words, job->line, leave_out);
    return call(words);
}

/* Draws one run, and writes a folder for the web with --to; or puts several runs side by side. */
int carry_out_report(const struct job *job) {
    const struct command_line *line = job->line;
    if (line->words.count == 1 && line->output)
        refuse(2, "--output is of several runs; --to=FOLDER is of one");
    if (line->words.count > 1 && line->to)
        refuse(2, "--to is of one run");
    if (line->words.count > 1)
        return of_runs(job, "plots.pages.beside", NULL);
    const int result = of_runs(job, "plots.draw", "--to=");
    if (result || !line->to)
        return result;
    struct words publish = module_words("plots.pages.publish");
    words_add(&publish, run_named(line->words.at[0], job->root));
    words_add(&publish, formatted("--to=%s", line->to));
    return call(publish);
}
