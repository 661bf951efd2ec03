/* measure.c: the verbs run and suite, and how others measure. */
#pragma once

#include "harness/driver/execute/runner.c"
#include "harness/driver/plan/plan.c"
#include "harness/driver/plan/stamp.c"
#include "harness/driver/verbs/dry_run.c"
#include "harness/driver/verbs/parts.c"
#include <libgen.h>

#define BUSY_LEAST 0.3 /* warn if others use this many processors, as plots/pages/trust.py does */

/* Options of the command line hold for every section. */
static void override_options(struct run *run) {
    const bool in_parts = value_of(run->line, "split") || run->part;
    foreach (section, run->suite.sections) {
        if (run->suite.within && in_parts) /* parts share no clock */
            section->options.invocations = precision_first(&section->options, 1);
        for (const struct parameter *one = suite_option_parameters; one->name; one++) {
            const char *name = same(one->name, "minimum_time") ? "minimum-time" : one->name;
            if (value_of(run->line, name))
                suite_set_option(&section->options, one->name, value_of(run->line, name));
        }
    }
}

static void make_plan(struct run *run, struct catalogue catalogue) {
    const struct suite_line *values = &run->line->values;
    const struct words none = {0};
    const struct plan_filter filter = {.unsound = has(run->line, "unsound"),
                                       .only = run->of_suite ? suite_line_values(values, "only") : none,
                                       .deques = run->of_suite ? suite_line_values(values, "deque") : none};
    run->catalogue = catalogue;
    catalogue_must_hold(&run->catalogue);
    run->plan = plan_make(&run->suite, &run->catalogue, &filter);
}

/* The deques that the run names, none if a group is among them, or a line means all; and its workloads. */
static void find_named(const struct run *run, struct words *deques, struct words *workloads) {
    const struct words asked = suite_line_values(&run->line->values, "deque");
    bool all = false;
    foreach (section, run->suite.sections)
        foreach (line, section->lines) {
            const struct words named = suite_line_values(line, "deque");
            words_add_once(workloads, line->workload);
            all |= named.count == 0;
            foreach (deque, named)
                words_add_once(deques, *deque);
        }
    *deques = run->of_suite && asked.count > 0 ? asked : all ? (struct words){0} : *deques;
}

/* Plans by descriptions, so that what is wrong is refused before anything is built. */
static void plan_described(struct run *run) {
    const char *others = value_of(run->line, "deques-in"), *build = run->build;
    struct words deques = {0}, workloads = {0};
    find_named(run, &deques, &workloads);
    const struct words *ids = deques.count > 0 ? &deques : NULL;
    if (!others)
        need_descriptions(run->job, ids, &workloads);
    make_plan(run, others                                         ? catalogue_open(NULL, others, NULL)
                   : run->job->whole || has(run->line, "dry-run") ? catalogue_open_described(build)
                                                                  : catalogue_open_built(build, ids));
    plan_check_places(&run->plan, !run->of_suite);
}

/* What the plan's cells run and their deques' checks. */
static struct words targets_of(const struct run *run) {
    const size_t above = strlen(run->root) + 1;
    const char *build = run->build + above;
    struct words targets = {0};
    foreach (cell, run->plan.cells) {
        const char *id = cell->deque->id, *executable = cell->part->executable + above;
        words_add_once(&targets, executable);
        const char *method = plan_value(cell, "method");
        if (method && !same(method, "corrected"))
            words_add_once(&targets, "google");
        words_add_once(&targets, formatted("%s/checks/%s", build, id)); /* the stamp needs these two */
        if (cell->deque->kind == DEQUE_SOUND)
            words_add_once(&targets, formatted("%s/lab/%s", build, id));
        for (unsigned variant = 1; variant < cell->options.variants; variant++)
            words_add_once(&targets, catalogue_variant(executable, id, variant));
    }
    return targets;
}

/* Builds what the plan needs, and plans again: a cell's identity holds its executable's bytes. */
static void build_plan(struct run *run) {
    struct words ids = {0};
    need_packages(run->job, "build pages -- optional");
    need_build(run->job, targets_of(run));
    foreach (cell, run->plan.cells)
        words_add_once(&ids, cell->deque->id);
    make_plan(run, catalogue_open_built(run->build, &ids));
}

/* The path relative to the current folder if it lies below. */
static const char *shown_path(const char *path) {
    static char here[4096];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    return length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/* Refuses a folder that is no run. */
static void must_be_run(const char *folder) {
    struct stat status;
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        refuse(2, "no such run: %.400s", folder);
    if (access(path_join(folder, "samples.csv"), F_OK) != 0)
        refuse(2, "no run: %.400s has no samples.csv", folder);
}

/* Continues earlier attempts at the part. */
static void open_part(struct run *run) {
    const char *other = parts_any_attempt(run->folder, run->part_count);
    refusal_place = formatted("part %s of %.100s is not measured here", run->part, run->name);
    if (other)
        manifest_check(other, has(run->line, "anyway") ? NULL : run->build);
    if (other && !json_equal(json_object_get(manifest_read(other), "split"), run->split))
        refuse(2, "the run was divided for other cells (another suite, --only, --deque, number of invocations, or "
                  "build): repeat the options that it was started with, or start another run by --name");
    refusal_place = NULL;
    run->results = parts_begin(run->folder, run->part_number, run->repeat, &run->finished);
}

/* Resumes a run. Refuses a run of another suite. */
static void resume(struct run *run) {
    const char *folder = run->folder, *suite = manifest_text(manifest_read(folder), "suite");
    if (suite && !same(suite, run->suite.name))
        refuse(2, "%.100s is a run of %.100s, not of %.100s", run->name, suite, run->suite.name);
    refusal_place = formatted("%.100s cannot be resumed", run->name);
    manifest_check(folder, has(run->line, "anyway") ? NULL : run->build);
    refusal_place = NULL;
    run->results = results_resume(folder, &run->finished);
}

static void open_results(struct run *run) {
    const bool resumes = has(run->line, "resume") && !run->part_number;
    name_run(run);
    if (run->part_number)
        open_part(run);
    else if (resumes)
        resume(run);
    else
        run->results = results_create(run->parent, run->name);
    run->fresh = !resumes;
}

/* Checks the deque, if it is timed. Refuses one that fails, or times it as unsound. Leaves out the cells of a deque
 * without a verdict. Returns the stamp in a word. */
static const char *stamp_of(struct run *run, const struct catalogue_deque *deque) {
    const bool unsound = has(run->line, "unsound");
    bool is_timed = false;
    foreach (cell, run->plan.cells)
        is_timed |= cell->deque == deque;
    if (!is_timed || deque->kind == DEQUE_UNSOUND) /* the latter only with --unsound */
        return "not made";
    if (deque->kind == DEQUE_REFERENCE)
        return "not needed";
    const struct checked checked = stamp_make(deque, run->build, run->quiet);
    const bool fails = checked.result == CHECK_FAILED;
    if (checked.result == CHECK_INTERRUPTED) {
        fputs("stopped before anything was measured\n", stderr);
        exit(130);
    }
    if (checked.result == CHECK_PASSED)
        return "passed";
    if (fails && !unsound)
        refuse(1, "%s is not timed: it fails %.320s; --unsound times it and flags its rows", deque->id, checked.why);
    fprintf(stderr, "%s %s %s\n    %s\n", deque->id, fails ? "fails" : "has no verdict of", checked.why,
            unsound ? "timed anyway (--unsound); its rows are flagged"
                    : "left out: nothing is known to be wrong with it. Run again with --resume when the machine is "
                      "idle, or time it unchecked with --unsound");
    foreach (cell, run->plan.cells) {
        cell->unsound |= cell->deque == deque && unsound;
        cell->unproven |= cell->deque == deque && !unsound;
    }
    return fails ? "failed" : "no verdict";
}

static struct run at_work;

/* Removes what a refused run made. */
static void discard(void) {
    const char *folder = at_work.results.folder;
    if (!at_work.fresh)
        return;
    remove(path_join(folder, "samples.csv"));
    remove(path_join(folder, "manifest.json"));
    rmdir(folder);
}

/* Watches the others while no process of ours runs. The load average would count the build before. */
static void watch_others(const struct run *run) {
    const double busy = machine_processors_busy(0.2);
    if (busy >= 0)
        json_object_set_new(json_object_get(run->manifest, "machine"), "others_at_start", json_of_real(busy));
    if (busy >= BUSY_LEAST)
        fprintf(stderr, "busy: others use %.1f of %ld processors, so times will drift; stealbench doctor says who\n",
                busy, sysconf(_SC_NPROCESSORS_ONLN));
}

static void start_manifest(struct run *run) {
    run->manifest = manifest_of(run);
    if (!run->quiet)
        watch_others(run);
    if (has(run->line, "resume") && !run->part_number)
        manifest_take_up(run->manifest, run);
    const char *unwritten = manifest_write(run->manifest, run->results.folder, "running", -1);
    if (unwritten)
        refuse(4, "%s", unwritten);
}

static void say_outcome(const struct run *run, int exit_code) {
    const struct run_outcome *outcome = &run->outcome;
    const struct plan *plan = &run->plan;
    if (outcome->failed_cells > 0 && outcome->failed_cells == outcome->refused_cells)
        fprintf(stderr, "%s had bad input and could not be measured\n", counted(outcome->failed_cells, "cell"));
    else if (outcome->failed_cells > 0)
        fprintf(stderr, "%s crashed or timed out; left out: %s\n", counted(outcome->failed_cells, "cell"),
                counted(outcome->skipped, "invocation"));
    if (outcome->imprecise > 0 && exit_code != 130)
        fprintf(stderr, "less precise than asked for: %zu of %s; %s\n", outcome->imprecise,
                counted(plan->cells.count, "cell"),
                run->within > 0 ? "--resume with a longer --within goes on"
                                : "--invocations=N allows more invocations");
    if (outcome->denied > 0)
        fprintf(stderr, "%s could not be measured on this machine\n", counted(outcome->denied, "invocation"));
    foreach (id, plan->left_out) {
        const char *why = catalogue_why_absent(&run->catalogue, *id);
        fprintf(stderr, "left out: %s is not built here: %s\n", *id, why ? why : "the suite calls it optional");
    }
    if (outcome->unproven > 0)
        fprintf(stderr, "left out: %s, because the checks of their deques came to no verdict\n",
                counted(outcome->unproven, "cell"));
    if (outcome->unwritten)
        fprintf(stderr, "stealbench: %s\n", outcome->unwritten);
    if (exit_code == 130)
        fprintf(stderr, "stopped; kept: %s\n", counted(outcome->kept + outcome->measured, "invocation"));
    if (exit_code == 130 || outcome->unwritten)
        fprintf(stderr, "to continue: the same command%s%s\n",
                run->part_number ? "" : " and --resume=", run->part_number ? "" : run->name);
    if (!run->quiet || exit_code != 0)
        fprintf(stderr, "results: %s\n", shown_path(run->results.folder));
}

static int measure(struct run *run) {
    run->continued = has(run->line, "resume") || run->finished.count > 0;
    int result = runner_run(run);
    foreach (id, run->plan.left_out)
        if (result == 0 && !words_have(run->suite.optional, *id))
            result = 3;
    if (run->outcome.refused && run->fresh && run->outcome.measured == 0) {
        discard();
        return result;
    }
    run->fresh = false;
    const char *state = result == 130            ? "interrupted"
                        : run->outcome.unwritten ? "failed"
                        : result == 2            ? "refused"
                                                 : "finished";
    const char *unwritten = manifest_write(run->manifest, run->results.folder, state, result);
    if (unwritten && result != 130) {
        fprintf(stderr, "stealbench: %s\n", unwritten);
        result = 4;
    }
    say_outcome(run, result);
    return result;
}

/* This machine's name: Slurm's for this node, or the host's without its domain. */
static const char *host_name(void) {
    char host[128] = "";
    const char *node = getenv("SLURMD_NODENAME");
    gethostname(host, sizeof host - 1);
    return node ? node : formatted("%.*s", (int)strcspn(host, "."), host);
}

/* For --within, or the suite's own. Parts of a run have none: each has the first invocations only. */
static void fit(struct run *run) {
    const char *within = value_of(run->line, "within") ? value_of(run->line, "within") : run->suite.within;
    if (!within || run->part)
        return;
    run->within = length_read(within);
    if (!(run->within > 0))
        refuse(2, "--within=%.40s: expected a time, such as 90m or 8h", within);
    name_run(run);
    plan_fit(run);
}

/* Does everything from the plan to the end. */
static int go(struct run *run) {
    const struct command_line *line = run->line;
    const bool dry_run = has(line, "dry-run"), split = value_of(line, "split");
    if (value_of(line, "within") && (split || run->part))
        refuse(2, "--within and --%s: parts of a run must all have the same plan", split ? "split" : "part");
    plan_described(run);
    if (dry_run && !split) {
        if (!plan_for)
            plan_check_counters(&run->plan);
        fit(run);
        tell_plan(run);
        return 0;
    }
    if (has(line, "resume") && !run->part) {
        name_run(run);
        must_be_run(run->folder);
    }
    if (run->job->whole && !value_of(line, "deques-in") && !dry_run)
        build_plan(run);
    if (line->only_build)
        return 0;
    if (split) {
        tell_division(run);
        return 0;
    }
    if (run->part)
        choose_part(run);
    else /* parts of one run may be on different machines */
        plan_check_counters(&run->plan);
    fit(run);
    open_results(run);
    foreach (deque, run->catalogue.deques)
        deque->stamp = stamp_of(run, deque);
    start_manifest(run);
    return measure(run);
}

/* Reads suites/NAME.suite, or a file given by its path. */
static struct suite read_suite(const char *word, const char *root) {
    const char *path = suite_path(word, root);
    char *name = basename(duplicate(path)), *end = strrchr(name, '.');
    if (end && end != name)
        *end = '\0';
    return suite_read(name, path);
}

/* Makes a suite of one section and one line from the command line. */
static struct suite make_suite(const struct command_line *line) {
    const char *workload = line->words.at[0];
    const struct suite_options options = suite_default_options();
    struct suite suite = {.name = formatted("run-%s", workload), .path = "", .title = ""};
    struct suite_line *only = suite_add_line(suite_add_section(&suite, workload, "", &options), workload, 0);
    only->keys = line->values.keys;
    return suite;
}

/* Measures the suite that is the line's word, for the verb run the workload. *folder: the run's folder; "" if there is
 * none, or only a part of it. */
int measure_line(const struct job *job, const struct command_line *line, const char **folder) {
    const bool is_run = same(line->verb->words, "workload");
    struct words command = words_of(job->whole ? "./run.sh" : job->arguments[0], NULL);
    for (const char *const *word = job->arguments + 1; *word; word++)
        words_add(&command, *word);
    at_work = (struct run){.job = job,
                           .line = line,
                           .host = host_name(),
                           .part = value_of(line, "part"),
                           .build = job->build,
                           .root = job->root,
                           .command = command,
                           .results = results_closed,
                           .of_suite = !is_run,
                           .quiet = has(line, "quiet")};
    plan_for = value_of(line, "topology");
    catch_interrupts();
    atexit(discard);
    at_work.suite = is_run ? make_suite(line) : read_suite(line->words.at[0], job->root);
    override_options(&at_work);
    const int result = go(&at_work);
    *folder = at_work.results.folder && !at_work.part ? shown_path(at_work.folder) : "";
    return result;
}

/* The same. With --whole, hands the run's folder to the judge, unless that has no words, even if a cell crashed (4) or
 * could not be measured here (3). Returns the worst exit code. Unless run is NULL, *run is the run's folder. */
int measure_then(const struct job *job, const struct command_line *line, struct words judge, const char **run) {
    const char *folder;
    const int result = measure_line(job, line, &folder);
    const bool is_there = *folder && (result == 0 || result == 3 || result == 4);
    if (run)
        *run = folder;
    if (!job->whole || !is_there || judge.count == 0 || access(folder, R_OK) != 0)
        return result;
    words_add(&judge, folder);
    const int judged = call(judge);
    return judged > result ? judged : result;
}

/* Submits the run. The program divides it first, by a driver that builds what the nodes will measure. */
static int submit(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words = module_words("harness.cluster.slurm");
    if (value_of(line, "march"))
        setenv("OPTIMISE", formatted("-O3 -march=%s", value_of(line, "march")), 1);
    words_add_all(&words, line->given);
    return call(words);
}

int carry_out_suite(const struct job *job) {
    return has(job->line, "slurm") ? submit(job) : measure_then(job, job->line, module_words("plots.draw"), NULL);
}

/* Measures, then prints the table and how to get figures. */
int carry_out_run(const struct job *job) {
    return measure_then(job, job->line, module_words("plots.pages.table"), NULL);
}
