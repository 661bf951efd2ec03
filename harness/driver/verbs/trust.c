#include "harness/driver/util/process.h"
#include "harness/driver/verbs/verbs.h"
#include <string.h>

/* Puts planted slowdowns through ci --against. */
static int try_ci(const struct job *job) {
    struct words trials = module_words("harness.trust.ci_trials");
    add_options(&trials, job->line, "--ci");
    int result = call_packages(job, "valgrind");
    result = result ? result : call_describe(job, &(struct words){0});
    return result ? result : call(trials);
}

/* Writes a suite of the ports whose originals are installed; contended: only contended cases. Returns an exit code, or
 * -1 if the suite is empty. */
static int write_fidelity_suite(const char *path, bool contended) {
    const struct words ask = words_of("setup/python.sh", "-m", "harness.trust.fidelity", "suite",
                                      "build/described/deques", contended ? "--contended" : NULL, NULL);
    struct text suite = {0};
    const int result = process_here(ask.at, &suite);
    if (result == 0 && file_replace(path, &suite) != 0)
        return 4;
    return result ? result : suite.length == 0 ? -1 : 0;
}

/* Measures each port and its original in turns, also an original with a fault: its port is compared with what people
 * run. Measures the contended cases in a second run, too, unless --only is
 * given. */
static int trust_fidelity(const struct job *job) {
    static const char first[] = "build/fidelity.suite", second[] = "build/fidelity_again.suite";
    struct words suite = words_of("suite", first, "--unsound", NULL);
    struct words judge =
        words_of("setup/python.sh", "-m", "harness.trust.fidelity", "judge", "build/described/deques", NULL);
    const char *run;
    int result = job->whole ? call(words_of("setup/packages.sh", "--originals", NULL)) : 0;
    result = result ? result : call_describe(job, &(struct words){0});
    result = result ? result : write_fidelity_suite(first, false);
    const int contended = result > 0 ? 0 : write_fidelity_suite(second, true);
    if (result > 0 || contended > 0)
        return result > 0 ? result : contended;
    words_add_all(&suite, &job->line->options);
    if (has_option(job->line, "--only") || contended < 0)
        return measure_then(job, suite, judge, NULL);
    const int worst = measure_then(job, suite, (struct words){0}, &run);
    if (!*run)
        return worst;
    words_add(&judge, run);
    suite = words_of("suite", second, "--unsound", NULL);
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
