#include "harness/driver/util/process.h"
#include "harness/driver/verbs/verbs.h"
#include <libgen.h>
#include <string.h>
#include <unistd.h>

struct words module_words(const char *module) {
    return words_of("setup/python.sh", "-m", module, NULL);
}

int step(struct words words) { return process_here(words.at, NULL); }

static int step_if_whole(const struct job *job, struct words words, struct words more, struct text *printed) {
    words_add_all(&words, &more);
    return job->whole ? process_here(words.at, printed) : 0;
}

int step_packages(const struct job *job, const char *sets) {
    return step_if_whole(job, words_of("setup/packages.sh", "--need", NULL), split_words(sets, " "), NULL);
}

int step_build(const struct job *job, const char *targets) {
    return step_if_whole(job, words_of("setup/build.sh", NULL), split_words(targets, " "), NULL);
}

int step_build_for(const struct job *job, struct words verb, const char **run) {
    struct text printed = {0};
    const int result = step_if_whole(job, words_of("setup/build.sh", "--for", NULL), verb, run ? &printed : NULL);
    if (run)
        *run = formatted("%.*s", (int)strcspn(text_string(&printed), "\n"), text_string(&printed));
    return result;
}

int step_build_for_verb(const struct job *job) {
    struct words words = words_of(job->line->verb->name, NULL);
    words_add_all(&words, &job->line->given);
    return step_build_for(job, words, NULL);
}

static int worse(int a, int b) { return a > b ? a : b; }

static struct words with(struct words words, const char *word) {
    words_add(&words, word);
    return words;
}

static int judge_run(struct words judge, enum judging how, const char *run) {
    int result = how == JUDGE_SUMMARIZED ? step(with(module_words("harness.judging.summary"), run)) : 0;
    if (result == 0)
        result = step(with(judge, run));
    if (how == JUDGE_AND_POINT && result == 0)
        printf("\nfigures and a report of it: ./run.sh report %s\n", run);
    return result;
}

int measure_then(const struct job *job, struct words measure, struct words judge, enum judging how, const char **run) {
    struct words words = words_of(job->whole ? "./run.sh" : job->arguments[0], NULL);
    const char *folder = "";
    words_add_all(&words, &measure);
    struct command_line line = command_line_parse((int)words.count, words.at, NULL);
    line.verb = job->line->verb;
    refusal_verb = line.verb->name;
    int result = step_build_for(job, measure, &folder);
    if (run)
        *run = folder;
    if (result)
        return result;
    const bool judged = *folder && !line.needs && !line.part && !line.split && !line.dry_run;
    if (judged && !line.name)
        line.name = basename(duplicate(folder));
    result = measure_line(job, &line, words.at, strcmp(measure.at[0], "run") == 0);
    const bool is_there = result == 0 || result == 3 || result == 4;
    if (!judged || !is_there || judge.count == 0 || access(folder, R_OK) != 0)
        return result;
    return worse(result, judge_run(judge, how, folder));
}
