#include "harness/driver/verbs/verbs.h"

int measure_then(const struct job *job, const struct command_line *line, struct words judge, const char **run) {
    const char *folder;
    const int result = measure_line(job, line, &folder);
    const bool is_there = *folder && (result == 0 || result == 3 || result == 4);
    if (run)
        *run = folder;
    if (!job->whole || !is_there || judge.count == 0 || access(folder, R_OK) != 0)
        return result;
    words_add(&judge, folder);
    const int judged = call(judge);
    return judged > result ? judged : result;
}

/* Submits the run. The program divides it first, by a driver that builds what the nodes will measure. */
static int submit(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words = module_words("harness.cluster.slurm");
    if (value_of(line, "march"))
        setenv("OPTIMISE", formatted("-O3 -march=%s", value_of(line, "march")), 1);
    words_add_all(&words, &line->given);
    return call(words);
}

int carry_out_suite(const struct job *job) {
    return has(job->line, "slurm") ? submit(job) : measure_then(job, job->line, module_words("plots.draw"), NULL);
}

/* Measures, then prints the table and how to get figures. */
int carry_out_run(const struct job *job) {
    return measure_then(job, job->line, module_words("plots.pages.table"), NULL);
}
