#include "harness/driver/verbs/measure_then.h"
#include "harness/driver/util/files.h"
#include "harness/driver/verbs/run.h"
#include "harness/driver/verbs/steps.h"
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int worse(int a, int b) { return a > b ? a : b; }

static int measure_line(const struct job *job, const struct command_line *line, const char *const *arguments,
                        bool is_run) {
    return is_run ? timing_run(line, job->build, job->root, arguments)
                  : timing_suite(line, job->build, job->root, arguments);
}

static int judge_run(const struct words *judge, enum judging how, const char *run) {
    struct words draw = module_words("plots.draw"), summary = module_words("plots.pages.summary"), words = {0};
    int worst = 0, result = 0;
    words_add(&draw, run);
    words_add(&summary, run);
    words_add_all(&words, judge);
    words_add(&words, run);
    if (how == JUDGE_DRAWN)
        worst = step(&draw);
    if (how == JUDGE_DRAWN || how == JUDGE_SUMMARIZED)
        result = step(&summary);
    if (result == 0)
        result = step(&words);
    if (how == JUDGE_AND_POINT && result == 0)
        printf("\nfigures and a report of it: ./run.sh report %s\n", run);
    words_free(&draw);
    words_free(&summary);
    words_free(&words);
    return worse(worst, result);
}

static int measure_and_judge(const struct job *job, struct command_line *line, const struct words *words,
                             const struct words *judge, enum judging how, const char *run) {
    const bool is_run = strcmp(words->at[1], "run") == 0;
    if (!*run || line->needs || line->part || line->split || line->dry_run) /* nothing to judge yet, or at all */
        return measure_line(job, line, words->at, is_run);
    char *folder = duplicate(run);
    if (!line->name)
        line->name = basename(folder);
    const int result = measure_line(job, line, words->at, is_run);
    free(folder);
    if ((result != 0 && result != 3 && result != 4) || judge->count == 0 || access(run, R_OK) != 0)
        return result;
    return worse(result, judge_run(judge, how, run));
}

int measure_then_named(const struct job *job, struct words *measure, struct words *judge, enum judging how,
                       char **run) {
    struct command_line line;
    struct words words = {0};
    struct text folder = {0};
    char message[MESSAGE_SIZE];
    words_add(&words, job->whole ? "./run.sh" : job->arguments[0]);
    words_add_all(&words, measure);
    int result = command_line_parse(&line, (int)words.count, words.at, NULL, message);
    line.verb = job->line->verb;
    if (result)
        fprintf(stderr, "%s\n", message);
    else
        result = step_build_for(job, measure, &folder);
    if (result == 0)
        result = measure_and_judge(job, &line, &words, judge, how, text_string(&folder));
    *run = folder.data;
    command_line_free(&line);
    words_free(&words);
    words_free(measure);
    words_free(judge);
    return result;
}

int measure_then(const struct job *job, struct words *measure, struct words *judge, enum judging how) {
    char *run = NULL;
    const int result = measure_then_named(job, measure, judge, how, &run);
    free(run);
    return result;
}

int measure_renamed(const struct job *job, struct words *measure, const char *before, struct words *judge,
                    enum judging how) {
    struct text name = {0};
    for (size_t i = 0; i < job->line->options.count; i++) {
        const char *option = job->line->options.at[i];
        if (strncmp(option, "--name=", 7) == 0)
            text_format(&name, "--name=%s%s", before, option + 7);
        if (strcmp(option, "--gate") != 0)
            words_add(measure, strncmp(option, "--name=", 7) == 0 ? name.data : option);
    }
    const int result = measure_then(job, measure, judge, how);
    text_free(&name);
    return result;
}
