#include "harness/driver/util/process.h"
#include "harness/driver/verbs/verbs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds the options, except those that begin with leave_out. */
static void add_options(struct words *words, const struct command_line *line, const char *leave_out) {
    for (size_t i = 0; i < line->options.count; i++)
        if (!leave_out || !begins_with(line->options.at[i], leave_out))
            words_add(words, line->options.at[i]);
}

static bool has_option(const struct command_line *line, const char *name) {
    for (size_t i = 0; i < line->options.count; i++)
        if (begins_with(line->options.at[i], name))
            return true;
    return false;
}

/* Submits the run. Builds what the nodes will measure first, unless a node builds it or the run is resumed. */
static int submit(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words = module_words("harness.cluster.slurm");
    int result = 0;
    if (line->march)
        setenv("OPTIMISE", formatted("-O3 -march=%s", line->march), 1);
    if (!line->wants_resume && !line->build_on_node)
        result = step_build(job, "all");
    words_add(&words, line->verb->name);
    words_add_all(&words, &line->given);
    return result ? result : step(words);
}

/* smoke, quick and paper are verbs named after their suites. */
int carry_out_suite(const struct job *job) {
    const struct command_line *line = job->line;
    struct words suite = words_of("suite", line->words.count ? line->words.at[0] : line->verb->name, NULL);
    if (line->slurm)
        return submit(job);
    words_add_all(&suite, &line->options);
    return measure_then(job, suite, module_words("plots.draw"), JUDGE_ALONE, NULL);
}

/* Measures, then prints the table and how to get figures. With --csv or --json the rows are the output, so there is no
 * table. */
int carry_out_run(const struct job *job) {
    struct words run = words_of("run", NULL);
    words_add_all(&run, &job->line->given);
    const bool rows = job->line->wants_csv || job->line->wants_json;
    return measure_then(job, run, rows ? (struct words){0} : module_words("plots.pages.table"), JUDGE_AND_POINT, NULL);
}

/* The run's folder that the word names, or NULL. */
static const char *measured(const char *word, const char *root) {
    const char *const places[] = {word, formatted("%s/results/%s", root, word)};
    for (size_t i = 0; i < 2; i++)
        if (access(path_join(places[i], "manifest.json"), R_OK) == 0)
            return places[i];
    return NULL;
}

static bool is_deque(const char *word, const char *root) {
    return access(formatted("%s/queues/%s.h", root, word), R_OK) == 0;
}

static bool is_revision(const char *word) {
    const char *const ask[] = {"git", "rev-parse", "--verify", "--quiet", formatted("%s^{commit}", word), NULL};
    struct process process;
    process_run(&process, ask, 10);
    return process.end == PROCESS_EXITED && process.code == 0;
}

/* The words of: suite compare --deque=A,B, and --only as given */
static struct words suite_of_two(const struct command_line *line, const char *a, const char *b) {
    struct words words = words_of("suite", "compare", formatted("--deque=%s,%s", a, b), NULL);
    for (size_t i = 0; i < line->options.count; i++)
        if (begins_with(line->options.at[i], "--only="))
            words_add(&words, line->options.at[i]);
    return words;
}

/* Builds two deques, or all deques to find those that differ between two revisions. harness.judging.compare builds
 * deques named by --deque. */
static int ready_to_compare(const struct job *job, const char *a, const char *b) {
    const char *unused; /* the run's folder; harness.judging.compare chooses its own */
    if (!is_deque(a, job->root) && !is_deque(b, job->root) && is_revision(a) && is_revision(b)) {
        const int missing = step_packages(job, "build pages git -- optional");
        return missing || has_option(job->line, "--deque=") ? missing : step_build(job, "deques");
    }
    names_must_have_deque(job->root, a);
    if (strcmp(b, "all") != 0)
        names_must_have_deque(job->root, b);
    const int missing = step_packages(job, MEASURING);
    return missing ? missing : step_build_for(job, suite_of_two(job->line, a, b), &unused);
}

/* harness.judging.compare also measures, because statistics decide when to stop. */
int carry_out_compare(const struct job *job) {
    const char *a = job->line->words.at[0], *b = job->line->words.at[1];
    const char *first = measured(a, job->root), *second = measured(b, job->root);
    struct words compare = module_words("harness.judging.compare");
    if (strcmp(a, b) == 0)
        refuse(2, "%.200s against itself tells nothing", a);
    const int result = first && second ? step_packages(job, "build pages") : ready_to_compare(job, a, b);
    if (result)
        return result;
    if (job->line->dry_run) {
        struct words suite = suite_of_two(job->line, a, b);
        add_options(&suite, job->line, "--only=");
        return measure_then(job, suite, (struct words){0}, JUDGE_ALONE, NULL);
    }
    words_add(&compare, first && second ? first : a);
    words_add(&compare, first && second ? second : b);
    words_add_all(&compare, &job->line->options);
    return step(compare);
}

/* Makes one run of the parts. Draws its table, figures and report if Python's packages are installed. */
int carry_out_merge(const struct job *job) {
    const char *run = run_named(job->line->words.at[0], job->root);
    struct words merge = module_words("harness.cluster.merge"), draw = module_words("plots.draw");
    words_add(&merge, run);
    words_add_all(&merge, &job->line->options);
    words_add(&draw, run);
    const int result = step(merge);
    if (!job->line->missing && access(path_join(run, "manifest.json"), R_OK) == 0 && result != 2 && step(draw) != 0)
        fprintf(stderr,
                "merged but not drawn: copy %s to a machine with Python's packages, and call ./run.sh report there\n",
                run);
    return result;
}

/* Compares the counts, or this tree against a revision. */
int carry_out_ci(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words =
        line->wants_against ? module_words("harness.judging.ci") : words_of("harness/judging/counts/counts.sh", NULL);
    int result = 0;
    for (size_t i = 0; i < line->options.count && !line->wants_against; i++)
        if (strcmp(line->options.at[i], "--update-baseline") != 0)
            refuse(2, "%.60s goes with --against", line->options.at[i]);
    if (line->wants_against) {
        result = step_packages(job, "git");
        result = result ? result : step_build(job, "all");
    }
    words_add_all(&words, &line->given);
    return result ? result : step(words);
}

/* Puts planted slowdowns through ci --against. */
static int try_ci(const struct job *job) {
    struct words trials = module_words("harness.trust.ci_trials");
    add_options(&trials, job->line, "--ci");
    int result = step_packages(job, "valgrind");
    if (result == 0)
        result = step_build(job, "build/stealbench build/deques/chase_lev build/pool/chase_lev build/checks/chase_lev "
                                 "build/pool_checks/chase_lev");
    return result ? result : step(trials);
}

/* Writes a suite of the ports whose originals are installed; contended: only contended cases. Returns an exit code, or
 * -1 if the suite is empty. */
static int write_fidelity_suite(const char *path, bool contended) {
    const struct words ask = words_of("setup/python.sh", "-m", "harness.trust.fidelity", "suite", "build/deques",
                                      contended ? "--contended" : NULL, NULL);
    struct text suite = {0};
    const int result = process_here(ask.at, &suite);
    if (result == 0 && file_replace(path, &suite) != 0)
        return 4;
    return result ? result : suite.length == 0 ? -1 : 0;
}

/* Measures each port and its original in turns. Measures the contended cases in a second run, too, unless --only is
 * given. */
static int trust_fidelity(const struct job *job) {
    static const char first[] = "build/fidelity.suite", second[] = "build/fidelity_again.suite";
    struct words suite = words_of("suite", first, NULL);
    struct words judge = words_of("setup/python.sh", "-m", "harness.trust.fidelity", "judge", "build/deques", NULL);
    const char *run;
    int result = job->whole ? step(words_of("setup/packages.sh", "--originals", NULL)) : 0;
    result = result ? result : step_build(job, "all");
    result = result ? result : write_fidelity_suite(first, false);
    const int contended = result > 0 ? 0 : write_fidelity_suite(second, true);
    if (result > 0 || contended > 0)
        return result > 0 ? result : contended;
    words_add_all(&suite, &job->line->options);
    if (has_option(job->line, "--only") || contended < 0)
        return measure_then(job, suite, judge, JUDGE_SUMMARIZED, NULL);
    const int worst = measure_then(job, suite, module_words("harness.judging.summary"), JUDGE_ALONE, &run);
    if (!*run)
        return worst;
    words_add(&judge, run);
    suite = words_of("suite", second, NULL);
    for (size_t i = 0; i < job->line->options.count; i++) {
        const char *option = job->line->options.at[i];
        words_add(&suite, begins_with(option, "--name=") ? formatted("--name=again-%s", option + 7) : option);
    }
    result = measure_then(job, suite, judge, JUDGE_SUMMARIZED, NULL);
    return result > worst ? result : worst;
}

/* Measures the suite against loops written by hand. */
int carry_out_trust(const struct job *job) {
    struct words suite = words_of("suite", "harness/trust/trust.suite", "--deques-in=build/trust", NULL);
    if (job->line->ci)
        return try_ci(job);
    if (job->line->words.count)
        return trust_fidelity(job);
    const int result = step_build(job, "trust");
    words_add_all(&suite, &job->line->options);
    return result ? result : measure_then(job, suite, module_words("harness.trust.trust"), JUDGE_SUMMARIZED, NULL);
}

/* Calls a module with the named runs and the options. */
static int of_runs(const struct job *job, const char *module, const char *leave_out) {
    struct words words = module_words(module);
    for (size_t i = 0; i < job->line->words.count; i++)
        words_add(&words, run_named(job->line->words.at[i], job->root));
    add_options(&words, job->line, leave_out);
    return step(words);
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
    return result || !line->to ? result : of_runs(job, "plots.pages.publish", "--style=");
}

int carry_out(const struct job *job) {
    const struct verb *verb = job->line->verb;
    const int result = verb->packages ? step_packages(job, verb->packages) : 0;
    if (result)
        return result;
    if (verb->carry_out)
        return verb->carry_out(job);
    struct words words = split_words(verb->program, " ");
    words_add_all(&words, &job->line->given);
    return step(words);
}
