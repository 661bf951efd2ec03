#include "harness/driver/verbs/carry_out.h"
#include "harness/driver/plan/catalogue.h"
#include "harness/driver/record/invocation.h"
#include "harness/driver/record/manifest.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/process.h"
#include "harness/driver/verbs/check.h"
#include "harness/driver/verbs/doctor.h"
#include "harness/driver/verbs/lab.h"
#include "harness/driver/verbs/list.h"
#include "harness/driver/verbs/manual.h"
#include "harness/driver/verbs/measure_then.h"
#include "harness/driver/verbs/names.h"
#include "harness/driver/verbs/needs.h"
#include "harness/driver/verbs/run.h"
#include "harness/driver/verbs/steps.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int say(const struct job *job, int result, const char *message) {
    if (result && *message)
        fprintf(stderr, "stealbench %s: %s\n", job->line->verb->name, message);
    return result;
}

/* The submitter builds what the nodes are to measure, but for what is built and divided already, or on a node. */
static int submit(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words = module_words("harness.cluster.slurm");
    char optimise[256];
    int result = 0;
    if (line->march) {
        snprintf(optimise, sizeof optimise, "-O3 -march=%.200s", line->march);
        setenv("OPTIMISE", optimise, 1);
    }
    if (!line->wants_resume && !line->build_on_node)
        result = step_build(job, "all");
    words_add(&words, line->verb->name);
    words_add_all(&words, &line->given);
    return result ? result : step_free(&words);
}

/* smoke, quick and paper are suites by their names. */
int carry_out_suite(const struct job *job) {
    const struct command_line *line = job->line;
    struct words suite = {0};
    if (line->slurm)
        return submit(job);
    words_add(&suite, "suite");
    words_add(&suite, line->words.count ? line->words.at[0] : line->verb->name);
    words_add_all(&suite, &line->options);
    struct words judge = module_words("plots.draw");
    return measure_then(job, &suite, &judge, JUDGE_ALONE);
}

/* The table on the spot, unless the rows themselves are wanted, and how to get a figure. */
int carry_out_run(const struct job *job) {
    const struct command_line *line = job->line;
    struct words run = {0}, judge = {0};
    words_add(&run, "run");
    words_add_all(&run, &line->given);
    if (!line->wants_csv && !line->wants_json)
        judge = module_words("plots.pages.table");
    return measure_then(job, &run, &judge, JUDGE_AND_POINT);
}

/* A run's folder, or a file of Google Benchmark, to be freed; NULL: the word names neither. */
static char *measured(const char *word, const char *root) {
    char *results = path_join(root, "results"), *below = path_join(results, word), *found = NULL;
    const char *const places[] = {word, below};
    struct stat status;
    for (size_t i = 0; i < 2 && !found; i++) {
        const char *dot = strrchr(places[i], '.');
        char *manifest = path_join(places[i], "manifest.json");
        if (access(manifest, R_OK) == 0 ||
            (dot && strcmp(dot, ".json") == 0 && stat(places[i], &status) == 0 && S_ISREG(status.st_mode)))
            found = duplicate(places[i]);
        free(manifest);
    }
    free(results);
    free(below);
    return found;
}

static bool is_deque(const char *word, const char *root) {
    struct text path = {0};
    text_format(&path, "%s/queues/%s.h", root, word);
    const bool is = access(path.data, R_OK) == 0;
    text_free(&path);
    return is;
}

static bool is_revision(const char *word) {
    struct text commit = {0};
    struct process process;
    text_format(&commit, "%s^{commit}", word);
    const char *const ask[] = {"git", "rev-parse", "--verify", "--quiet", commit.data, NULL};
    process_run(&process, ask, 10);
    const bool is = process.end == PROCESS_EXITED && process.code == 0;
    process_free(&process);
    text_free(&commit);
    return is;
}

/* suite compare --deque=A,B, with the options of the command line or none. deques: holds one of the words. */
static struct words suite_of_two(const struct job *job, bool with_options, struct text *deques) {
    struct words suite = {0};
    text_format(deques, "--deque=%s,%s", job->line->words.at[0], job->line->words.at[1]);
    words_add(&suite, "suite");
    words_add(&suite, "compare");
    words_add(&suite, deques->data);
    if (with_options)
        words_add_all(&suite, &job->line->options);
    return suite;
}

static bool has_option(const struct words *options, const char *name, size_t length) {
    for (size_t i = 0; i < options->count; i++)
        if (strncmp(options->at[i], name, length) == 0)
            return true;
    return false;
}

/* What is to be measured has to be there, and is built: two deques; of two revisions all, to find what differs, unless
 * --deque names some, which are built in these revisions alone. */
static int ready_to_compare(const struct job *job, const char *a, const char *b) {
    struct names deques = {0};
    char message[MESSAGE_SIZE] = "";
    if (!is_deque(a, job->root) && !is_deque(b, job->root) && is_revision(a) && is_revision(b)) {
        const int missing = step_packages(job, "build pages git -- optional");
        return missing || has_option(&job->line->options, "--deque=", 8) ? missing : step_build(job, "deques");
    }
    names_of_deques(&deques, job->root);
    int result = say(
        job, names_must_have_deque(&deques, a, message) || names_must_have_deque(&deques, b, message) ? 2 : 0, message);
    names_free(&deques);
    result = result ? result : step_packages(job, MEASURING);
    if (result == 0) {
        struct text both = {0}, unused = {0}; /* the run's folder, which plots.compare names anew */
        struct words suite = suite_of_two(job, false, &both);
        result = step_build_for(job, &suite, &unused);
        words_free(&suite);
        text_free(&unused);
        text_free(&both);
    }
    return result;
}

/* plots.compare measures as well as it judges: when to stop is a question of statistics. */
int carry_out_compare(const struct job *job) {
    const char *a = job->line->words.at[0], *b = job->line->words.at[1];
    char *first = measured(a, job->root), *second = measured(b, job->root), message[MESSAGE_SIZE];
    struct text both = {0};
    struct words compare = module_words("plots.compare"), suite = suite_of_two(job, true, &both), nothing = {0};
    int result = 0;
    if (strcmp(a, b) == 0) {
        snprintf(message, sizeof message, "%.200s against itself tells nothing", a);
        result = say(job, 2, message);
    } else if (!first || !second) {
        result = ready_to_compare(job, a, b);
    } else {
        result = step_packages(job, "build pages");
    }
    words_add(&compare, first && second ? first : a);
    words_add(&compare, first && second ? second : b);
    words_add_all(&compare, &job->line->options);
    if (result == 0)
        result = job->line->dry_run ? measure_then(job, &suite, &nothing, JUDGE_ALONE) : step(&compare);
    if (!job->line->dry_run)
        words_free(&suite);
    words_free(&compare);
    text_free(&both);
    free(first);
    free(second);
    return result;
}

/* A section a kind of work, as often as a verdict takes; what is said besides holds. */
static void add_quick_runtimes(struct words *suite, const struct words *options) {
    static const char *const quick[] = {"--only=fib-2,fib-2-libgomp,nqueens-2,quicksort-2,uts-2,walk-2",
                                        "--invocations=6", "--repetitions=2"};
    for (size_t i = 0; i < sizeof quick / sizeof quick[0]; i++) {
        if (!has_option(options, quick[i], strcspn(quick[i], "=") + 1))
            words_add(suite, quick[i]);
    }
}

int carry_out_runtimes(const struct job *job) {
    const struct command_line *line = job->line;
    struct words suite = {0}, judge = module_words("workloads.runtimes.runtimes"), targets = {0};
    words_add(&suite, "suite");
    words_add(&suite, "workloads/runtimes/runtimes.suite");
    words_add(&suite, "--deques-in=build/pool:build/checks:build/runtimes");
    if (line->quick)
        add_quick_runtimes(&suite, &line->options);
    for (size_t i = 0; i < line->options.count; i++)
        if (strcmp(line->options.at[i], "--quick") != 0)
            words_add(&suite, line->options.at[i]);
    words_add(&targets, "deques");
    words_add(&targets, "runtimes");
    const int result = step_build_all(job, &targets);
    words_free(&targets);
    return result ? result : measure_then(job, &suite, &judge, JUDGE_DRAWN);
}

/* The parts of a run as one, and its table, figures and report where Python's packages are. */
int carry_out_merge(const struct job *job) {
    char message[MESSAGE_SIZE], *run = run_named(job->line->words.at[0], job->root, message);
    struct words merge = module_words("harness.cluster.merge"), draw = module_words("plots.draw");
    if (!run)
        return say(job, 2, message);
    char *manifest = path_join(run, "manifest.json");
    words_add(&merge, run);
    words_add_all(&merge, &job->line->options);
    words_add(&draw, run);
    const int result = step_free(&merge);
    const bool drawing = !job->line->missing && access(manifest, R_OK) == 0 && result != 2;
    if (drawing && step(&draw) != 0)
        fprintf(stderr,
                "merged, and not drawn here: copy %s to where Python's packages are, and ./run.sh report it there\n",
                run);
    words_free(&draw);
    free(manifest);
    free(run);
    return result;
}

static const struct parameter seconds_parameter = PARAMETER_REAL("seconds", 1, 0.01, 3600, "s", "");

/* Without names, and with nothing else asked for, these are all tests. */
int carry_out_check(const struct job *job) {
    const struct command_line *line = job->line;
    char message[MESSAGE_SIZE], spelling[VALUE_SIZE];
    struct value seconds = {.real = GATE_SECONDS};
    struct words tests = {0}, builds = {0};
    if (line->all && (line->words.count || line->options.count > 1))
        return say(job, 2, "--all is of all tests: it stands alone");
    if (line->seconds && !parameter_read(&seconds_parameter, line->seconds, &seconds, spelling, message))
        return say(job, 2, message);
    if (job->whole && line->given.count == line->all) {
        words_add(&tests, "tests/run.sh");
        words_add_all(&tests, &line->options);
        return step_free(&tests);
    }
    if (line->needs)
        return needs_of_verb(stdout, line, job->build);
    words_add(&builds, "check");
    words_add_all(&builds, &line->given);
    const int result = step_build_for(job, &builds, NULL);
    words_free(&builds);
    if (result)
        return result;
    catch_interrupts();
    return gate(job->build, &(struct gate_request){.ids = line->words.at,
                                                   .count = line->words.count,
                                                   .check = line->check,
                                                   .seconds = seconds.real,
                                                   .fail_fast = line->fail_fast});
}

int carry_out_lab(const struct job *job) {
    struct words builds = {0};
    if (job->line->needs)
        return needs_of_verb(stdout, job->line, job->build);
    words_add(&builds, "lab");
    words_add_all(&builds, &job->line->given);
    const int result = step_build_for(job, &builds, NULL);
    words_free(&builds);
    return result ? result : laboratory(job->line, job->build);
}

/* The counts, or this tree against a revision. */
int carry_out_ci(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words = {0};
    char message[MESSAGE_SIZE];
    int result = 0;
    if (!line->wants_against && line->options.count > line->update_baseline) {
        snprintf(message, sizeof message, "%.60s goes with --against",
                 line->options.at[line->update_baseline && strcmp(line->options.at[0], "--update-baseline") == 0]);
        return say(job, 2, message);
    }
    if (line->wants_against) {
        result = step_packages(job, "git");
        result = result ? result : step_build(job, "all");
        words = module_words("gate.ci");
    } else {
        words_add(&words, "gate/counts/ci.sh");
    }
    words_add_all(&words, &line->given);
    return result ? result : step_free(&words);
}

/* The suite against loops written by hand, and two threads against one; or planted slowdowns through the gate. */
int carry_out_trust(const struct job *job) {
    static const char *const of_gate[] = {"build/stealbench", "build/deques/chase_lev", "build/pool/chase_lev",
                                          "build/checks/chase_lev", "build/pool_checks/chase_lev"};
    const struct command_line *line = job->line;
    const char *part = line->words.count ? line->words.at[0] : "";
    int worst = 0;
    if (line->gate) {
        struct words targets = {0}, trials = module_words("trust.gate_trials");
        for (size_t i = 0; i < sizeof of_gate / sizeof of_gate[0]; i++)
            words_add(&targets, of_gate[i]);
        for (size_t i = 0; i < line->given.count; i++)
            if (strcmp(line->given.at[i], "--gate") != 0)
                words_add(&trials, line->given.at[i]);
        worst = step_packages(job, "valgrind");
        worst = worst ? worst : step_build_all(job, &targets);
        words_free(&targets);
        return worst ? worst : step_free(&trials);
    }
    worst = step_build(job, "trust");
    if (worst == 0 && strcmp(part, "threads") != 0) {
        struct words suite = {0}, judge = module_words("trust.trust");
        words_add(&suite, "suite");
        words_add(&suite, "trust/trust.suite");
        words_add(&suite, "--deques-in=build/trust");
        words_add_all(&suite, &line->options);
        worst = measure_then(job, &suite, &judge, JUDGE_SUMMARIZED);
        if (worst == 2 || worst > 4)
            return worst;
    }
    if (strcmp(part, "itself") != 0) {
        struct words suite = {0}, judge = module_words("trust.threads");
        words_add(&suite, "suite");
        words_add(&suite, "trust/threads.suite");
        const int result = measure_renamed(job, &suite, "threads-", &judge, JUDGE_SUMMARIZED);
        worst = result > worst ? result : worst;
    }
    return worst;
}

/* The suite of the ports whose originals are here, into a file; contended: of those cases alone. */
static int write_fidelity_suite(const char *path, bool contended) {
    struct words ask = module_words("trust.fidelity");
    struct text suite = {0};
    words_add(&ask, "suite");
    words_add(&ask, "build/deques");
    if (contended)
        words_add(&ask, "--contended");
    int result = step_read(&ask, &suite);
    if (result == 0 && file_replace(path, &suite) != 0)
        result = 4;
    const bool empty = suite.length == 0;
    text_free(&suite);
    return result ? result : empty ? -1 : 0;
}

/* Each port and its original in turns; the contended cases in a second run as well, unless only some cases are asked
 * for. */
int carry_out_fidelity(const struct job *job) {
    static const char first[] = "build/fidelity.suite", second[] = "build/fidelity_again.suite";
    const struct command_line *line = job->line;
    struct words suite = {0}, again = {0}, judge = module_words("trust.fidelity"), none;
    bool some = false;
    int result = step_originals(job);
    result = result ? result : step_build(job, "all");
    result = result ? result : write_fidelity_suite(first, false);
    const int contended = result > 0 ? 0 : write_fidelity_suite(second, true);
    if (result > 0 || contended > 0)
        return result > 0 ? result : contended;
    words_add(&judge, "judge");
    words_add(&judge, "build/deques");
    words_add(&suite, "suite");
    words_add(&suite, first);
    for (size_t i = 0; i < line->options.count; i++) {
        words_add(strcmp(line->options.at[i], "--gate") == 0 ? &judge : &suite, line->options.at[i]);
        some |= strncmp(line->options.at[i], "--only", 6) == 0;
    }
    if (some || contended < 0)
        return measure_then(job, &suite, &judge, JUDGE_SUMMARIZED);
    none = module_words("plots.pages.summary");
    char *run = NULL;
    int worst = measure_then_named(job, &suite, &none, JUDGE_ALONE, &run);
    if (run) {
        words_add(&judge, run);
        words_add(&again, "suite");
        words_add(&again, second);
        result = measure_renamed(job, &again, "again-", &judge, JUDGE_SUMMARIZED);
        worst = result > worst ? result : worst;
    }
    free(run);
    return worst;
}

/* The named runs behind a module and its options. */
static int of_runs(const struct job *job, const char *module, const char *leave_out) {
    char message[MESSAGE_SIZE];
    struct words words = module_words(module), folders = {0};
    int result = 0;
    for (size_t i = 0; i < job->line->words.count && result == 0; i++) {
        char *run = run_named(job->line->words.at[i], job->root, message);
        if (run)
            words_add(&folders, run);
        result = run ? 0 : say(job, 2, message);
    }
    words_add_all(&words, &folders);
    for (size_t i = 0; i < job->line->options.count; i++)
        if (!leave_out || strncmp(job->line->options.at[i], leave_out, strlen(leave_out)) != 0)
            words_add(&words, job->line->options.at[i]);
    if (result == 0)
        result = step(&words);
    for (size_t i = 0; i < folders.count; i++)
        free((char *)(uintptr_t)folders.at[i]);
    words_free(&folders);
    words_free(&words);
    return result;
}

/* One run is drawn, and made a folder for the web where one is named; several are put beside each other. */
int carry_out_report(const struct job *job) {
    const struct command_line *line = job->line;
    if (line->words.count == 1 && line->output)
        return say(job, 2, "--output is of several runs; --to=FOLDER is of one");
    if (line->words.count > 1)
        return line->to ? say(job, 2, "--to is of one run") : of_runs(job, "plots.pages.beside", NULL);
    const int result = of_runs(job, "plots.draw", "--to=");
    return result || !line->to ? result : of_runs(job, "plots.pages.publish", "--style=");
}

int carry_out_publish(const struct job *job) { return of_runs(job, "plots.pages.publish", NULL); }

int carry_out_export(const struct job *job) {
    struct words words = module_words("export");
    words_add_all(&words, &job->line->given);
    return step_free(&words);
}

int carry_out_doctor(const struct job *job) {
    struct words lacking = {0};
    const int result = doctor();
    if (fflush(stdout) != 0 || !job->whole) /* main says that it could not be written */
        return result;
    words_add(&lacking, "setup/packages.sh");
    words_add(&lacking, "--lacking");
    return step_free(&lacking);
}

int carry_out_setup(const struct job *job) {
    struct words words = {0};
    words_add(&words, "setup/packages.sh");
    words_add_all(&words, &job->line->given);
    return step_free(&words);
}

int carry_out_list(const struct job *job) {
    const struct command_line *line = job->line;
    const char *what = line->words.at[0];
    char message[MESSAGE_SIZE] = "";
    if (strcmp(what, "metrics") == 0) {
        struct words words = module_words("plots.pages.metrics");
        if (line->words.count > 1)
            words_add(&words, line->words.at[1]);
        return step_free(&words);
    }
    if (line->words.count > 1)
        return say(job, 2, "a word to look for goes with metrics");
    struct words builds = {0};
    words_add(&builds, "list");
    const int result = strcmp(what, "suites") == 0 ? 0 : step_build_for(job, &builds, NULL);
    words_free(&builds);
    if (result)
        return result;
    return say(job, list(stdout, what, job->build, job->root, line->wants_csv, line->wants_json, message), message);
}

int carry_out_help(const struct job *job) {
    const struct command_line *line = job->line;
    const struct verb *verb = line->words.count ? verb_find(line->words.at[0]) : NULL;
    const char *names[VERB_NAMES_MAX];
    char message[MESSAGE_SIZE];
    if (line->words.count && !verb) {
        say_unknown("verb", line->words.at[0], names, verb_names(names), message);
        return say(job, 2, message);
    }
    if (line->man)
        manual_print(stdout);
    else if (line->completion)
        completion_print(stdout, job->root);
    else if (verb)
        command_line_help(verb, stdout);
    else
        help_print(stdout);
    return 0;
}

int carry_out_version(const struct job *job) {
    (void)job;
    printf("stealbench %s, manifest version %d, samples version %d\n", STEALBENCH_VERSION, MANIFEST_VERSION,
           SAMPLES_VERSION);
    return 0;
}

int carry_out(const struct job *job) {
    const struct verb *verb = job->line->verb;
    int result = verb->packages ? step_packages(job, verb->packages) : 0;
    if (result)
        return result;
    if (verb->carry_out)
        return verb->carry_out(job);
    struct words words = module_words(verb->module);
    words_add_all(&words, &job->line->given);
    return step_free(&words);
}
