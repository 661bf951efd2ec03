#include "harness/driver/verbs/verbs.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int worse(int a, int b) { return a > b ? a : b; }

static int measure_words(const struct job *job, struct words measure, bool only_build, const char **folder) {
    struct words words = words_of(job->whole ? "./run.sh" : job->arguments[0], NULL);
    words_add_all(&words, &measure);
    const char *verb = refusal_verb;
    struct command_line line = command_line_parse((int)words.count, words.at, NULL, &(struct words){0});
    line.verb = job->line->verb;
    line.only_build = only_build;
    refusal_verb = verb;
    return measure_line(job, &line, words.at, strcmp(measure.at[0], "run") == 0, folder);
}

int build_for(const struct job *job, struct words measure) {
    const char *none;
    return measure_words(job, measure, true, &none);
}

int measure_then(const struct job *job, struct words measure, struct words judge, const char **run) {
    const char *folder;
    const int result = measure_words(job, measure, false, &folder);
    const bool is_there = *folder && (result == 0 || result == 3 || result == 4);
    if (run)
        *run = folder;
    if (!job->whole || !is_there || judge.count == 0 || access(folder, R_OK) != 0)
        return result;
    words_add(&judge, folder);
    return worse(result, call(judge));
}

/* Submits the run. The program divides it first, by a driver that builds what the nodes will measure. */
static int submit(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words = module_words("harness.cluster.slurm");
    if (line->march)
        setenv("OPTIMISE", formatted("-O3 -march=%s", line->march), 1);
    words_add_all(&words, &line->given);
    return call(words);
}

int carry_out_suite(const struct job *job) {
    const struct command_line *line = job->line;
    struct words suite = words_of("suite", line->words.at[0], NULL);
    if (line->slurm)
        return submit(job);
    words_add_all(&suite, &line->options);
    return measure_then(job, suite, module_words("plots.draw"), NULL);
}

/* Measures, then prints the table and how to get figures. */
int carry_out_run(const struct job *job) {
    struct words run = words_of("run", NULL);
    words_add_all(&run, &job->line->given);
    return measure_then(job, run, module_words("plots.pages.table"), NULL);
}
