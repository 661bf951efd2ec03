#include "harness/driver/verbs/steps.h"
#include "harness/driver/util/process.h"
#include <stdlib.h>
#include <string.h>

struct words module_words(const char *module) {
    struct words words = {0};
    words_add(&words, "setup/python.sh");
    words_add(&words, "-m");
    words_add(&words, module);
    return words;
}

int step(const struct words *words) { return process_here(words->at); }

int step_free(struct words *words) {
    const int result = step(words);
    words_free(words);
    return result;
}

int step_read(struct words *words, struct text *printed) {
    const int result = process_read(words->at, printed);
    words_free(words);
    return result;
}

int step_packages(const struct job *job, const char *sets) {
    struct words words = {0};
    char *copy = duplicate(sets), *rest = NULL;
    words_add(&words, "setup/packages.sh");
    words_add(&words, "--need");
    for (char *set = strtok_r(copy, " ", &rest); set; set = strtok_r(NULL, " ", &rest))
        words_add(&words, set);
    const int result = job->whole ? step(&words) : 0;
    words_free(&words);
    free(copy);
    return result;
}

int step_originals(const struct job *job) {
    struct words words = {0};
    words_add(&words, "setup/packages.sh");
    words_add(&words, "--originals");
    const int result = job->whole ? step(&words) : 0;
    words_free(&words);
    return result;
}

static int build(const struct job *job, const char *how, const struct words *what, struct text *printed) {
    struct words words = {0};
    words_add(&words, "setup/build.sh");
    if (how)
        words_add(&words, how);
    words_add_all(&words, what);
    const int result = !job->whole ? 0 : printed ? process_read(words.at, printed) : step(&words);
    words_free(&words);
    return result;
}

int step_build(const struct job *job, const char *target) {
    return build(job, NULL, &(struct words){.at = &target, .count = 1}, NULL);
}

int step_build_all(const struct job *job, const struct words *targets) { return build(job, NULL, targets, NULL); }

int step_build_for(const struct job *job, const struct words *verb, struct text *run) {
    const int result = build(job, "--for", verb, run);
    if (run && run->length > 0 && run->data[run->length - 1] == '\n')
        text_cut(run, run->length - 1);
    return result;
}
