#include "harness/driver/verbs/measure.c"

#define FIRST "build/fidelity.suite"
#define SECOND "build/fidelity_again.suite"
#define TABLE "build/ahead.suite"
#define WRITE "setup/python.sh -m harness.trust.fidelity suite build "
#define WRITE_TABLE "setup/python.sh -m harness.trust.ahead suite build > " TABLE

/* Measures each port and its original in turns, also an original with a fault: its port is compared with what people
 * run. Measures the contended cases, if there are any, in a second run, too, unless --only is given. --table: ours
 * beside the best original, in one run. */
static int trust_fidelity(const struct job *job) {
    struct command_line line = with(job->line, "--unsound");
    const bool table = has(&line, "table");
    const char *writes = table ? WRITE_TABLE : WRITE "> " FIRST " && " WRITE "--contended > " SECOND, *run;
    struct words judge = table ? module_words("harness.trust.ahead") : module_words("harness.trust.fidelity");
    words_add_all(&judge, table ? words_of("judge", NULL) : words_of("judge", "build", NULL));
    int result = job->whole ? call(words_of("setup/packages.sh", "--originals", NULL)) : 0;
    need_descriptions(job, NULL, NULL);
    result = result ? result : call(words_of("sh", "-c", writes, NULL));
    if (result)
        return result;
    line.words = words_of(table ? TABLE : FIRST, NULL);
    if (table || suite_line_key(&line.values, "only") || !file_line(SECOND))
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

/* Measures the suite against loops written by hand; --ci: puts planted slowdowns through ci --against. */
int carry_out_trust(const struct job *job) {
    struct command_line line = *job->line;
    if (has(&line, "ci")) {
        struct words trials = module_words("harness.trust.ci_trials");
        words_add_all(&trials, line.options);
        need_packages(job, "valgrind");
        need_descriptions(job, NULL, NULL);
        return call(trials);
    }
    if (line.words.count || has(&line, "table"))
        return trust_fidelity(job);
    if (!has(&line, "dry-run"))
        need_build(job, words_of("trust", NULL));
    line.words = words_of("harness/trust/trust.suite", NULL);
    line = has(&line, "deques-in") ? line : with(&line, "--deques-in=build/trust");
    return measure_then(job, &line, module_words("harness.trust.trust"), NULL);
}
