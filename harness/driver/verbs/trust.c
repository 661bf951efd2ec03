#include "harness/driver/verbs/verbs.h"

/* Puts planted slowdowns through ci --against. */
static int try_ci(const struct job *job) {
    struct words trials = module_words("harness.trust.ci_trials");
    words_add_all(&trials, &job->line->options);
    int result = call_packages(job, "valgrind");
    result = result ? result : call_describe(job, &(struct words){0});
    return result ? result : call(trials);
}

#define FIRST "build/fidelity.suite"
#define SECOND "build/fidelity_again.suite"
#define WRITE "setup/python.sh -m harness.trust.fidelity suite build/described/deques "

/* Measures each port and its original in turns, also an original with a fault: its port is compared with what people
 * run. Measures the contended cases, if there are any, in a second run, too, unless --only is given. */
static int trust_fidelity(const struct job *job) {
    struct words suite = words_of("suite", FIRST, "--unsound", NULL);
    struct words judge =
        words_of("setup/python.sh", "-m", "harness.trust.fidelity", "judge", "build/described/deques", NULL);
    const char *run;
    char title[256];
    int result = job->whole ? call(words_of("setup/packages.sh", "--originals", NULL)) : 0;
    result = result ? result : call_describe(job, &(struct words){0});
    result = result ? result : call(words_of("sh", "-c", WRITE "> " FIRST " && " WRITE "--contended > " SECOND, NULL));
    if (result)
        return result;
    words_add_all(&suite, &job->line->options);
    if (suite_line_key(&job->line->values, "only") || !file_line(SECOND, title, sizeof title))
        return measure_then(job, suite, judge, NULL);
    const int worst = measure_then(job, suite, (struct words){0}, &run);
    if (!*run)
        return worst;
    words_add(&judge, run);
    suite = words_of("suite", SECOND, "--unsound", NULL);
    for (size_t i = 0; i < job->line->options.count; i++) {
        const char *option = job->line->options.at[i];
        words_add(&suite, begins_with(option, "--name=") ? formatted("--name=again-%s", option + 7) : option);
    }
    result = measure_then(job, suite, judge, NULL);
    return result > worst ? result : worst;
}

/* Measures the suite against loops written by hand. */
int carry_out_trust(const struct job *job) {
    struct words suite = words_of("suite", "harness/trust/trust.suite", "--deques-in=build/trust", NULL);
    if (job->line->ci)
        return try_ci(job);
    if (job->line->words.count)
        return trust_fidelity(job);
    const int result = job->line->dry_run ? 0 : call_build(job, words_of("trust", NULL));
    words_add_all(&suite, &job->line->options);
    return result ? result : measure_then(job, suite, module_words("harness.trust.trust"), NULL);
}
