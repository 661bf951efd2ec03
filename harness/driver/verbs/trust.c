#include "harness/driver/verbs/verbs.h"

/* Puts planted slowdowns through ci --against. */
static int try_ci(const struct job *job) {
    struct words trials = module_words("harness.trust.ci_trials");
    words_add_all(&trials, &job->line->options);
    int result = call_packages(job, "valgrind");
    result = result ? result : call_describe(job, NULL, NULL);
    return result ? result : call(trials);
}

#define FIRST "build/fidelity.suite"
#define SECOND "build/fidelity_again.suite"
#define TABLE "build/ahead.suite"
#define WRITE "setup/python.sh -m harness.trust.fidelity suite build "
#define WRITE_TABLE "setup/python.sh -m harness.trust.ahead suite build > " TABLE

/* Measures each port and its original in turns, also an original with a fault: its port is compared with what people
 * run. Measures the contended cases, if there are any, in a second run, too, unless --only is given. --table: ours
 * beside the best original, in one run. */
static int trust_fidelity(const struct job *job) {
    struct command_line line = *job->line;
    struct words judge = words_of("setup/python.sh", "-m", "harness.trust.fidelity", "judge", "build", NULL);
    const char *run;
    char title[256];
    int result = job->whole ? call(words_of("setup/packages.sh", "--originals", NULL)) : 0;
    result = result ? result : call_describe(job, NULL, NULL);
    line = with(&line, "--unsound");
    if (has(&line, "table")) {
        result = result ? result : call(words_of("sh", "-c", WRITE_TABLE, NULL));
        line.words = words_of(TABLE, NULL);
        return result ? result
                      : measure_then(job, &line,
                                     words_of("setup/python.sh", "-m", "harness.trust.ahead", "judge", NULL), NULL);
    }
    result = result ? result : call(words_of("sh", "-c", WRITE "> " FIRST " && " WRITE "--contended > " SECOND, NULL));
    if (result)
        return result;
    line.words = words_of(FIRST, NULL);
    if (suite_line_key(&line.values, "only") || !file_line(SECOND, title, sizeof title))
        return measure_then(job, &line, judge, NULL);
    const int worst = measure_then(job, &line, (struct words){0}, &run);
    if (!*run)
        return worst;
    words_add(&judge, run);
    line.words = words_of(SECOND, NULL);
    if (value_of(&line, "name"))
        line = with(&line, formatted("--name=again-%s", value_of(&line, "name")));
    result = measure_then(job, &line, judge, NULL);
    return result > worst ? result : worst;
}

/* Measures the suite against loops written by hand. */
int carry_out_trust(const struct job *job) {
    struct command_line line = *job->line;
    if (has(&line, "ci"))
        return try_ci(job);
    if (line.words.count || has(&line, "table"))
        return trust_fidelity(job);
    const int result = has(&line, "dry-run") ? 0 : call_build(job, words_of("trust", NULL));
    line.words = words_of("harness/trust/trust.suite", NULL);
    line = has(&line, "deques-in") ? line : with(&line, "--deques-in=build/trust");
    return result ? result : measure_then(job, &line, module_words("harness.trust.trust"), NULL);
}
