#include "harness/driver/verbs/measure.h"
#include "harness/measuring/places.h"
#include <libgen.h>

#define BUSY_LEAST 0.3 /* warn if others use this many processors, as plots/pages/trust.py does */

/* Options of the command line hold for every section. */
static void override_options(struct measuring_verb *verb) {
    const struct suite_line *overrides = &verb->line->overrides;
    for (size_t i = 0; i < verb->run.suite.section_count; i++) {
        struct suite_options *options = &verb->run.suite.sections[i].options;
        if (verb->run.suite.within &&
            (value_of(verb->line, "split") || value_of(verb->line, "part"))) /* parts share no clock */
            options->invocations = precision_first(options, 1);
        for (size_t j = 0; j < overrides->key_count; j++)
            suite_set_option(options, overrides->keys[j].name, overrides->keys[j].values.at[0]);
    }
}

static void make_plan(struct measuring_verb *verb, struct catalogue catalogue) {
    const struct command_line *line = verb->line;
    struct run *run = &verb->run;
    struct places_facts there;
    char message[MESSAGE_SIZE];
    struct plan_filter filter = {
        .unsound = has(line, "unsound"), .machine = value_of(line, "topology"), .memory = process_memory_limit()};
    if (value_of(line, "topology") && places_find_facts(value_of(line, "topology"), &there, message))
        filter.memory = there.memory;
    run->catalogue = catalogue;
    catalogue_must_hold(&run->catalogue);
    if (verb->of_suite) {
        filter.only = suite_line_key(&line->values, "only");
        filter.deques = suite_line_key(&line->values, "deque");
    }
    run->plan = plan_make(&run->suite, &run->catalogue, &filter);
}

/* The deques that the run names; none if a group is among them, or a line means all. */
static struct words named_deques(const struct measuring_verb *verb) {
    const struct suite *suite = &verb->run.suite;
    const struct suite_key *filter = verb->of_suite ? suite_line_key(&verb->line->values, "deque") : NULL;
    struct words named = {0};
    for (size_t i = 0; i < suite->section_count && !filter; i++)
        for (size_t j = 0; j < suite->sections[i].line_count; j++) {
            const struct suite_key *key = suite_line_key(&suite->sections[i].lines[j], "deque");
            if (!key)
                return (struct words){0};
            for (size_t k = 0; k < key->values.count; k++)
                words_add_once(&named, key->values.at[k]);
        }
    return filter ? filter->values : named;
}

/* Plans by descriptions, so that what is wrong is refused before anything is built. */
static int plan_described(struct measuring_verb *verb) {
    const struct command_line *line = verb->line;
    const bool here = verb->job->whole || has(line, "dry-run");
    const struct words named = named_deques(verb);
    const struct suite *suite = &verb->run.suite;
    struct words workloads = {0};
    for (size_t i = 0; i < suite->section_count; i++)
        for (size_t j = 0; j < suite->sections[i].line_count; j++)
            words_add_once(&workloads, suite->sections[i].lines[j].workload);
    const int result =
        value_of(line, "deques-in") ? 0 : call_describe(verb->job, named.count > 0 ? &named : NULL, &workloads);
    if (result)
        return result;
    make_plan(verb, value_of(line, "deques-in") ? catalogue_open(NULL, value_of(line, "deques-in"), NULL)
                    : here                      ? catalogue_open_described(verb->run.build)
                           : catalogue_open_built(verb->run.build, named.count > 0 ? &named : NULL));
    plan_check_places(&verb->run.plan, !verb->of_suite, value_of(line, "topology"));
    return 0;
}

/* What the plan's cells run and their deques' checks. */
static struct words targets_of(const struct run *run) {
    const size_t above = strlen(run->root) + 1;
    const char *build = run->build + above;
    struct words targets = {0};
    for (size_t i = 0; i < run->plan.cell_count; i++) {
        const struct planned_cell *cell = &run->plan.cells[i];
        const char *id = cell->deque->id, *executable = cell->part->executable + above;
        words_add_once(&targets, executable);
        const char *method = plan_value(cell, "method");
        if (method && strcmp(method, "corrected") != 0)
            words_add_once(&targets, "google");
        words_add_once(&targets, formatted("%s/checks/%s", build, id)); /* the stamp needs these two */
        if (cell->deque->sound && !cell->deque->reference)
            words_add_once(&targets, formatted("%s/lab/%s", build, id));
        for (unsigned variant = 1; variant < cell->options.variants; variant++)
            words_add_once(&targets, catalogue_variant(executable, id, variant));
    }
    return targets;
}

/* Builds what the plan needs, and plans again: a cell's identity holds its executable's bytes. */
static int build_plan(struct measuring_verb *verb) {
    struct words ids = {0};
    int result = call_packages(verb->job, "build pages -- optional");
    result = result ? result : call_build(verb->job, targets_of(&verb->run));
    for (size_t i = 0; i < verb->run.plan.cell_count; i++)
        words_add_once(&ids, verb->run.plan.cells[i].deque->id);
    if (result == 0)
        make_plan(verb, catalogue_open_built(verb->run.build, &ids));
    return result;
}

void name_run(struct measuring_verb *verb) {
    const struct command_line *line = verb->line;
    struct run *run = &verb->run;
    if (run->name)
        return;
    run->parent = value_of(line, "results") ? value_of(line, "results") : path_join(run->root, "results");
    run->name = value_of(line, "resume") ? value_of(line, "resume")
                : value_of(line, "name") ? value_of(line, "name")
                : has(line, "resume")    ? results_latest(run->parent, run->suite.name)
                                         : results_new_name(run->parent, run->suite.name);
    if (!run->name)
        refuse(2, "there is no run of %.60s in %.300s to resume", run->suite.name, run->parent);
}

/* The path relative to the current folder if it lies below. */
static const char *shown_path(const char *path) {
    static char here[4096];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    return length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static const char *whole_folder(const struct measuring_verb *verb) {
    return path_join(verb->run.parent, verb->run.name);
}

/* Continues earlier attempts at the part; refuses another kind of machine. */
static void open_part(struct measuring_verb *verb) {
    const char *run = whole_folder(verb), *other = parts_any_attempt(run, verb->parts);
    refusal_place = formatted("part %s of %.100s is not measured here", value_of(verb->line, "part"), verb->run.name);
    if (other)
        manifest_check(other, has(verb->line, "anyway") ? NULL : verb->run.build);
    if (other && !json_equal(json_object_get(manifest_read(other), "split"), verb->run.split))
        refuse(2, "the run was divided for other cells (another suite, --only, --deque, number of invocations, or "
                  "build): repeat the options that it was started with, or start another run by --name");
    refusal_place = NULL;
    verb->run.results = parts_begin(run, verb->part, verb->run.repeat, &verb->run.finished);
}

/* Resumes a run. Refuses a run of another suite. */
static void resume(struct measuring_verb *verb) {
    const char *folder = whole_folder(verb), *suite = manifest_text(manifest_read(folder), "suite");
    if (suite && strcmp(suite, verb->run.suite.name) != 0)
        refuse(2, "%.100s is a run of %.100s, not of %.100s", verb->run.name, suite, verb->run.suite.name);
    refusal_place = formatted("%.100s cannot be resumed", verb->run.name);
    manifest_check(folder, has(verb->line, "anyway") ? NULL : verb->run.build);
    refusal_place = NULL;
    verb->run.results = results_resume(folder, &verb->run.finished);
}

static void open_results(struct measuring_verb *verb) {
    const bool resumes = has(verb->line, "resume") && !verb->part;
    name_run(verb);
    if (verb->part)
        open_part(verb);
    else if (resumes)
        resume(verb);
    else
        verb->run.results = results_create(verb->run.parent, verb->run.name);
    verb->fresh = !resumes;
}

static bool is_timed(const struct measuring_verb *verb, const struct catalogue_deque *deque) {
    for (size_t i = 0; i < verb->run.plan.cell_count; i++)
        if (verb->run.plan.cells[i].deque == deque)
            return true;
    return false;
}

/* Refuses a deque that fails its checks, or times it as unsound. Leaves out the cells of a deque without a verdict.
 * Returns the stamp in a word. */
static const char *judge(struct measuring_verb *verb, const struct catalogue_deque *deque, enum check_result result,
                         const char *why) {
    const bool unsound = has(verb->line, "unsound"), fails = result == CHECK_FAILED;
    if (result == CHECK_INTERRUPTED) {
        fputs("stopped before anything was measured\n", stderr);
        exit(130);
    }
    if (result == CHECK_PASSED)
        return "passed";
    if (fails && !unsound)
        refuse(1, "%s is not timed: it fails %.320s; --unsound times it and flags its rows", deque->id, why);
    fprintf(stderr, "%s %s %s\n    %s\n", deque->id, fails ? "fails" : "has no verdict of", why,
            unsound ? "timed anyway (--unsound); its rows are flagged"
                    : "left out: nothing is known to be wrong with it. Run again with --resume when the machine is "
                      "idle, or time it unchecked with --unsound");
    for (size_t i = 0; i < verb->run.plan.cell_count; i++) {
        struct planned_cell *cell = &verb->run.plan.cells[i];
        cell->unsound |= cell->deque == deque && unsound;
        cell->unproven |= cell->deque == deque && !unsound;
    }
    return fails ? "failed" : "no verdict";
}

static const char *stamp_of(struct measuring_verb *verb, const struct catalogue_deque *deque) {
    const char *why;
    if (!is_timed(verb, deque) || (!deque->sound && !deque->reference)) /* the latter only with --unsound */
        return "not made";
    if (deque->reference)
        return "not needed";
    if (stamp_kept(deque, verb->run.build))
        return "passed";
    if (!has(verb->line, "quiet"))
        fprintf(stderr, "checking %s before it is timed (about %g s, once a build)\n", deque->id, STAMP_SECONDS);
    const enum check_result result = stamp_make(deque, verb->run.build, &why);
    return judge(verb, deque, result, why);
}

static struct measuring_verb at_work;

/* Removes what a refused run made. */
static void discard(void) {
    const char *folder = at_work.run.results.folder;
    if (!at_work.fresh)
        return;
    remove(path_join(folder, "samples.csv"));
    remove(path_join(folder, "manifest.json"));
    rmdir(folder);
}

/* Watches the others while no process of ours runs. The load average would count the build before. */
static void watch_others(const struct measuring_verb *verb) {
    const double busy = machine_processors_busy(0.2);
    if (busy >= 0)
        json_object_set_new(json_object_get(verb->manifest, "machine"), "others_at_start", json_of_real(busy));
    if (busy >= BUSY_LEAST)
        fprintf(stderr, "busy: others use %.1f of %ld processors, so times will drift; stealbench doctor says who\n",
                busy, sysconf(_SC_NPROCESSORS_ONLN));
}

static void start_manifest(struct measuring_verb *verb) {
    verb->manifest = manifest_of(&verb->run);
    if (!has(verb->line, "quiet"))
        watch_others(verb);
    if (has(verb->line, "resume") && !verb->part)
        manifest_take_up(verb->manifest, &verb->run);
    const char *unwritten = manifest_write(verb->manifest, verb->run.results.folder, "running", -1);
    if (unwritten)
        refuse(4, "%s", unwritten);
}

static void say_outcome(const struct measuring_verb *verb, int exit_code) {
    const struct run_outcome *outcome = &verb->outcome;
    const struct plan *plan = &verb->run.plan;
    if (outcome->failed_cells > 0 && outcome->failed_cells == outcome->refused_cells)
        fprintf(stderr, "%s had bad input and could not be measured\n", counted(outcome->failed_cells, "cell"));
    else if (outcome->failed_cells > 0)
        fprintf(stderr, "%s crashed or timed out; left out: %s\n", counted(outcome->failed_cells, "cell"),
                counted(outcome->skipped, "invocation"));
    if (outcome->imprecise > 0 && exit_code != 130)
        fprintf(stderr, "less precise than asked for: %zu of %s; %s\n", outcome->imprecise,
                counted(plan->cell_count, "cell"),
                verb->run.within > 0 ? "--resume with a longer --within goes on"
                                     : "--invocations=N allows more invocations");
    if (outcome->denied > 0)
        fprintf(stderr, "%s could not be measured on this machine\n", counted(outcome->denied, "invocation"));
    for (size_t i = 0; i < plan->left_out.count; i++) {
        const char *id = plan->left_out.at[i], *why = catalogue_why_absent(&verb->run.catalogue, id);
        fprintf(stderr, "left out: %s is not built here: %s\n", id, why ? why : "the suite calls it optional");
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
                verb->part ? "" : " and --resume=", verb->part ? "" : verb->run.name);
    if (!has(verb->line, "quiet") || exit_code != 0)
        fprintf(stderr, "results: %s\n", shown_path(verb->run.results.folder));
}

static int measure(struct measuring_verb *verb) {
    verb->run.continued = has(verb->line, "resume") || verb->run.finished.count > 0;
    int result = runner_run(&verb->run, &verb->outcome);
    for (size_t i = 0; i < verb->run.plan.left_out.count && result == 0; i++)
        if (!suite_is_optional(&verb->run.suite, verb->run.plan.left_out.at[i]))
            result = 3;
    if (verb->outcome.refused && verb->fresh && verb->outcome.measured == 0) {
        discard();
        return result;
    }
    verb->fresh = false;
    const char *state = result == 130             ? "interrupted"
                        : verb->outcome.unwritten ? "failed"
                        : result == 2             ? "refused"
                                                  : "finished";
    const char *unwritten = manifest_write(verb->manifest, verb->run.results.folder, state, result);
    if (unwritten && result != 130) {
        fprintf(stderr, "stealbench: %s\n", unwritten);
        result = 4;
    }
    say_outcome(verb, result);
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
static void fit(struct measuring_verb *verb) {
    const char *within = value_of(verb->line, "within") ? value_of(verb->line, "within") : verb->run.suite.within;
    if (!within || value_of(verb->line, "part"))
        return;
    verb->run.within = length_read(within);
    if (!(verb->run.within > 0))
        refuse(2, "--within=%.40s: expected a time, such as 90m or 8h", within);
    name_run(verb);
    plan_fit(&verb->run);
}

/* Does everything from the plan to the end. */
static int go(struct measuring_verb *verb) {
    const struct command_line *line = verb->line;
    if (value_of(line, "within") && (value_of(line, "split") || value_of(line, "part")))
        refuse(2, "--within and --%s: parts of a run must all have the same plan",
               value_of(line, "split") ? "split" : "part");
    int result = plan_described(verb);
    if (result)
        return result;
    if (has(line, "dry-run") && !value_of(line, "split")) {
        if (!value_of(line, "topology"))
            plan_check_counters(&verb->run.plan);
        fit(verb);
        tell_plan(verb);
        return 0;
    }
    if (has(line, "resume") && !value_of(line, "part")) {
        name_run(verb);
        results_must_exist(whole_folder(verb));
    }
    if (verb->job->whole && !value_of(line, "deques-in") && !has(line, "dry-run"))
        result = build_plan(verb);
    if (result || line->only_build)
        return result;
    if (value_of(line, "split")) {
        tell_division(verb);
        return 0;
    }
    if (value_of(line, "part"))
        choose_part(verb);
    if (!value_of(line, "part")) /* parts of one run may be on different machines */
        plan_check_counters(&verb->run.plan);
    fit(verb);
    open_results(verb);
    verb->run.stamps = allocate(verb->run.catalogue.deque_count, sizeof verb->run.stamps[0]);
    for (size_t i = 0; i < verb->run.catalogue.deque_count; i++)
        verb->run.stamps[i] = stamp_of(verb, &verb->run.catalogue.deques[i]);
    start_manifest(verb);
    return measure(verb);
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
    only->key_count = line->values.key_count;
    return suite;
}

int measure_line(const struct job *job, const struct command_line *line, const char **folder) {
    const bool is_run = line->verb->named == WORDS_WORKLOAD;
    struct words command = words_of(job->whole ? "./run.sh" : job->arguments[0], NULL);
    for (size_t i = 1; job->arguments[i]; i++)
        words_add(&command, job->arguments[i]);
    at_work = (struct measuring_verb){.job = job,
                                      .line = line,
                                      .run = {.host = host_name(),
                                              .part = value_of(line, "part"),
                                              .build = job->build,
                                              .root = job->root,
                                              .command = command,
                                              .results = results_closed,
                                              .refusal_ends = is_run,
                                              .quiet = has(line, "quiet"),
                                              .topology = value_of(line, "topology")},
                                      .of_suite = !is_run};
    catch_interrupts();
    atexit(discard);
    at_work.run.suite = is_run ? make_suite(line) : read_suite(line->words.at[0], job->root);
    override_options(&at_work);
    const int result = go(&at_work);
    *folder = at_work.run.results.folder && !value_of(line, "part") ? shown_path(whole_folder(&at_work)) : "";
    results_close(&at_work.run.results);
    return result;
}
