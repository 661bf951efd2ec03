#include "harness/driver/execute/execute.h"
#include "harness/driver/verbs/verbs.h"
#include "harness/measuring/places.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUSY_LEAST 0.3 /* warn if others use this many processors, as plots/pages/trust.py does */

/* Everything that one run needs, in the order in which it is made. */
struct timing {
    const struct command_line *line;
    struct run run;
    bool of_suite; /* false: of one workload */
    bool fresh;    /* we made the run's folder, and nothing is measured yet */
    unsigned part, parts;
    json_t *manifest;
    struct run_outcome outcome;
    double *seconds; /* of an invocation, by cell, as far as known without trying anything */
    size_t known;    /* number of cells for which this is known */
};

/* Options of the command line hold for every section. */
static void override_options(struct timing *timing) {
    const struct suite_line *overrides = &timing->line->overrides;
    for (size_t i = 0; i < timing->run.suite.section_count; i++)
        for (size_t j = 0; j < overrides->key_count; j++)
            suite_set_option(&timing->run.suite.sections[i].options, overrides->keys[j].name,
                             overrides->keys[j].values.at[0]);
}

static void make_plan(struct timing *timing) {
    const struct command_line *line = timing->line;
    struct run *run = &timing->run;
    struct plan_filter filter = {.unsound = line->unsound,
                                 .processors = line->topology ? places_processors_of(line->topology) : 0};
    run->catalogue = line->deques_in                ? catalogue_open(NULL, line->deques_in, NULL)
                     : line->needs || line->dry_run ? catalogue_open_described(run->build)
                                                    : catalogue_open(run->build, DEQUE_FOLDERS, NULL);
    catalogue_must_hold(&run->catalogue);
    if (timing->of_suite) {
        filter.only = suite_line_key(&line->values, "only");
        filter.deques = suite_line_key(&line->values, "deque");
    }
    override_options(timing);
    run->plan = plan_make(&run->suite, &run->catalogue, &filter);
    if (!line->needs)
        plan_check_places(&run->plan, !timing->of_suite, line->topology);
    /* parts of one run may be on different machines */
    if (!line->needs && !line->topology && !line->split && !line->part)
        plan_check_counters(&run->plan, &run->suite);
}

/* Chooses the run to make or to resume. */
static void name_run(struct timing *timing) {
    const struct command_line *line = timing->line;
    struct run *run = &timing->run;
    run->parent = line->results ? line->results : path_join(run->root, "results");
    run->name = line->resume         ? line->resume
                : line->name         ? line->name
                : line->wants_resume ? results_latest(run->parent, run->suite.name)
                                     : results_new_name(run->parent, run->suite.name);
    if (!run->name)
        refuse(2, "there is no run of %.60s in %.300s to resume", run->suite.name, run->parent);
}

static const char *run_folder(const struct timing *timing) { return path_join(timing->run.parent, timing->run.name); }

/* Continues earlier attempts at the part; refuses another kind of machine. */
static void open_part(struct timing *timing) {
    const char *run = run_folder(timing), *other = parts_any_attempt(run, timing->parts);
    refusal_place = formatted("part %s of %.100s is not measured here", timing->line->part, timing->run.name);
    if (other)
        manifest_check(other, timing->line->anyway ? NULL : timing->run.build);
    refusal_place = NULL;
    timing->run.results = parts_begin(run, timing->part, timing->run.repeat, &timing->run.finished);
}

/* Resumes a run. Refuses a run of another suite. */
static void resume(struct timing *timing) {
    const char *folder = run_folder(timing), *suite = manifest_text(manifest_read(folder), "suite");
    if (suite && strcmp(suite, timing->run.suite.name) != 0)
        refuse(2, "%.100s is a run of %.100s, not of %.100s", timing->run.name, suite, timing->run.suite.name);
    refusal_place = formatted("%.100s cannot be resumed", timing->run.name);
    manifest_check(folder, timing->line->anyway ? NULL : timing->run.build);
    refusal_place = NULL;
    timing->run.results = results_resume(folder, &timing->run.finished);
}

static void open_results(struct timing *timing) {
    const bool resumes = timing->line->wants_resume && !timing->part;
    if (!timing->run.name)
        name_run(timing);
    if (timing->part)
        open_part(timing);
    else if (resumes)
        resume(timing);
    else
        timing->run.results = results_create(timing->run.parent, timing->run.name);
    timing->fresh = !resumes;
}

/* Opens the file or stream for --csv. */
static void open_copy(struct timing *timing) {
    const struct command_line *line = timing->line;
    if (!line->wants_csv)
        return;
    bool standard = !line->csv || strcmp(line->csv, "-") == 0;
    int descriptor = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                              : open(line->csv, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        refuse(4, "cannot write %.300s: %s", standard ? "-" : line->csv, strerror(errno));
    results_copy_to(&timing->run.results, descriptor);
}

static bool is_timed(const struct timing *timing, const struct catalogue_deque *deque) {
    for (size_t i = 0; i < timing->run.plan.cell_count; i++)
        if (timing->run.plan.cells[i].deque == deque)
            return true;
    return false;
}

static _Noreturn void stop(void) {
    fputs("stopped before anything was measured\n", stderr);
    exit(130);
}

/* Refuses a deque that fails its checks, or times it as unsound. Leaves out the cells of a deque without a verdict. */
static void judge_stamp(struct timing *timing, const struct catalogue_deque *deque, const struct stamp *stamp) {
    const bool unsound = timing->line->unsound, fails = stamp->result == STAMP_FAILED;
    if (stamp->result == STAMP_NOT_MADE)
        stop();
    if (stamp->result == STAMP_PASSED)
        return;
    if (fails && !unsound)
        refuse(1, "%s is not timed: it fails %.320s; --unsound times it and flags its rows", deque->id, stamp->reason);
    fprintf(stderr, "%s %s %s\n    %s\n", deque->id, fails ? "fails" : "has no verdict of", stamp->reason,
            unsound ? "timed anyway (--unsound); its rows are flagged"
                    : "left out: nothing is known to be wrong with it. Run again with --resume when the machine is "
                      "idle, or time it unchecked with --unsound");
    for (size_t i = 0; i < timing->run.plan.cell_count; i++) {
        struct planned_cell *cell = &timing->run.plan.cells[i];
        cell->unsound |= cell->deque == deque && unsound;
        cell->unproven |= cell->deque == deque && !unsound;
    }
}

static void make_stamps(struct timing *timing) {
    const size_t count = timing->run.catalogue.deque_count;
    timing->run.stamps = allocate(count, sizeof timing->run.stamps[0]);
    for (size_t i = 0; i < count; i++) {
        const struct catalogue_deque *deque = &timing->run.catalogue.deques[i];
        /* a deque known to be wrong is only here because of --unsound */
        if (!is_timed(timing, deque) || (!deque->sound && !deque->reference) ||
            stamp_find(&timing->run.stamps[i], deque, timing->run.build))
            continue;
        if (!timing->line->quiet)
            fprintf(stderr, "checking %s before it is timed (about %g s, once a build)\n", deque->id, STAMP_SECONDS);
        stamp_make(&timing->run.stamps[i], deque, timing->run.build);
        judge_stamp(timing, deque, &timing->run.stamps[i]);
    }
}

static struct timing timing_now;

/* Removes what a refused run made. */
static void discard(void) {
    const char *folder = timing_now.run.results.folder;
    if (!timing_now.fresh)
        return;
    remove(path_join(folder, "samples.csv"));
    remove(path_join(folder, "manifest.json"));
    rmdir(folder);
}

/* Watches for a fifth of a second how many processors others use, while no process of ours runs. The load average
 * would count the build before. */
static void watch_others(const struct timing *timing) {
    const struct timespec wait = {.tv_nsec = 200000000};
    struct processor_times before, after;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool known = machine_processor_times(&before, "");
    nanosleep(&wait, NULL);
    known = known && machine_processor_times(&after, "");
    const double busy = known ? machine_processors_busy(&before, &after, (unsigned)processors) : -1;
    if (busy >= 0)
        json_object_set_new(json_object_get(timing->manifest, "machine"), "others_at_start", json_of_real(busy));
    if (busy >= BUSY_LEAST)
        fprintf(stderr, "busy: others use %.1f of %ld processors, so times will drift; stealbench doctor says who\n",
                busy, processors);
}

static void start_manifest(struct timing *timing) {
    timing->manifest = manifest_of(&timing->run);
    if (!timing->line->quiet)
        watch_others(timing);
    if (timing->line->wants_resume && !timing->part)
        manifest_take_up(timing->manifest, &timing->run);
    const char *unwritten = manifest_write(timing->manifest, timing->run.results.folder, "running", -1);
    if (unwritten)
        refuse(4, "%s", unwritten);
}

/* The path relative to the current folder if it lies below. */
static const char *shown_path(const char *path) {
    static char here[4096];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    return length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void say_outcome(const struct timing *timing, int exit_code) {
    const struct run_outcome *outcome = &timing->outcome;
    const bool only_refused = outcome->failed_cells == outcome->refused_cells;
    if (outcome->failed_cells > 0)
        fprintf(stderr, "%zu cell%s %s\n", outcome->failed_cells, outcome->failed_cells == 1 ? "" : "s",
                only_refused ? "had bad input and could not be measured"
                             : formatted("crashed or timed out; %zu invocations were left out", outcome->skipped));
    if (outcome->imprecise > 0 && exit_code != 130)
        fprintf(stderr, "%zu of %zu cells are less precise than asked for; --invocations=N allows more invocations\n",
                outcome->imprecise, timing->run.plan.cell_count);
    if (outcome->denied > 0)
        fprintf(stderr, "%zu invocations could not be measured on this machine\n", outcome->denied);
    for (size_t i = 0; i < timing->run.plan.left_out.count; i++) {
        const char *id = timing->run.plan.left_out.at[i], *why = catalogue_why(&timing->run.catalogue.absent, id);
        fprintf(stderr, "left out: %s is not built here: %s\n", id, why ? why : "the suite calls it optional");
    }
    if (outcome->unproven > 0)
        fprintf(stderr, "%zu cell%s left out: the checks of their deques came to no verdict\n", outcome->unproven,
                outcome->unproven == 1 ? " was" : "s were");
    if (outcome->unwritten)
        fprintf(stderr, "stealbench: %s\n", outcome->unwritten);
    if (exit_code == 130)
        fprintf(stderr, "stopped; %zu invocations are kept\n", outcome->kept + outcome->measured);
    if (exit_code == 130 || outcome->unwritten)
        fprintf(stderr, "to continue: the same command%s%s\n",
                timing->part ? "" : " and --resume=", timing->part ? "" : timing->run.name);
    if (!timing->line->quiet || exit_code != 0)
        fprintf(stderr, "results: %s\n", shown_path(timing->run.results.folder));
}

/* For --json: prints the rows that exist now, the same as --csv prints. */
static bool write_json(const struct timing *timing) {
    const char *to = timing->line->json && strcmp(timing->line->json, "-") != 0 ? timing->line->json : NULL;
    const char *path = path_join(timing->run.results.folder, "samples.csv");
    struct text text = {0};
    const int unread = file_read(path, &text);
    FILE *file = unread ? NULL : to ? fopen(to, "we") : stdout;
    if (file)
        json_of_csv(file, text_string(&text));
    const bool fine = file && (to ? fclose(file) : fflush(file)) == 0;
    if (!fine)
        fprintf(stderr, "stealbench: --json: %s: %s\n", unread || !to ? path : to, strerror(unread ? unread : errno));
    text_free(&text);
    return fine;
}

static int measure(struct timing *timing) {
    timing->run.continued = timing->line->wants_resume || timing->run.finished.count > 0;
    int result = runner_run(&timing->run, &timing->outcome);
    for (size_t i = 0; i < timing->run.plan.left_out.count && result == 0; i++)
        if (!suite_is_optional(&timing->run.suite, timing->run.plan.left_out.at[i]))
            result = 3;
    if (timing->outcome.refused && timing->fresh && timing->outcome.measured == 0) {
        discard();
        return result;
    }
    timing->fresh = false;
    const char *state = result == 130               ? "interrupted"
                        : timing->outcome.unwritten ? "failed"
                        : result == 2               ? "refused"
                                                    : "finished";
    const char *unwritten = manifest_write(timing->manifest, timing->run.results.folder, state, result);
    if (unwritten && result != 130) {
        fprintf(stderr, "stealbench: %s\n", unwritten);
        result = 4;
    }
    if (timing->line->wants_json && !write_json(timing) && result == 0)
        result = 4;
    say_outcome(timing, result);
    return result;
}

/* For --needs: prints the run's folder and what has to be built first, for run.sh. Measures and makes nothing. */
static void say_needs(struct timing *timing) {
    name_run(timing);
    printf("run\t%s\n", shown_path(run_folder(timing)));
    if (!timing->line->dry_run)
        needs_of_plan(stdout, &timing->run.plan, timing->run.build, timing->run.root, timing->line->deques_in != NULL);
}

/* "about 1:02"; with a precision, an estimate from the last run, or from the least to the most. */
static void say_duration(const struct run_forecast *forecast, char *text, size_t size) {
    char least[32], most[32], likely[32];
    progress_duration(forecast->least_seconds, least, sizeof least);
    progress_duration(forecast->seconds, most, sizeof most);
    progress_duration(forecast->likely_seconds, likely, sizeof likely);
    if (forecast->least_invocations == forecast->invocations)
        snprintf(text, size, "%zu invocations, about %s", forecast->invocations, most);
    else if (forecast->is_likely_known)
        snprintf(text, size, "%zu to %zu invocations by how soon each is precise, as the last run's %.0f, about %s",
                 forecast->least_invocations, forecast->invocations, forecast->likely_invocations, likely);
    else
        snprintf(text, size, "%zu to %zu invocations by how soon each is precise, about %s to %s",
                 forecast->least_invocations, forecast->invocations, least, most);
}

/* Prints a line per cell: section; name; invocations and their seconds; threads and places. */
static void print_cells(const struct timing *timing) {
    char places[1024];
    for (size_t i = 0; i < timing->run.plan.cell_count; i++) {
        const struct planned_cell *cell = &timing->run.plan.cells[i];
        plan_place_text(cell, timing->line->topology, places, sizeof places);
        printf("%s\t%s\t%u x %.3g s\t%u on %s\n", timing->run.suite.sections[__builtin_ctzll(cell->tags)].tag,
               cell->name, cell->options.invocations, timing->seconds[i], cell->threads, places);
    }
}

/* For --dry-run: prints every cell, its places and its expected time. */
static void say_forecast(struct timing *timing) {
    char time[160], machine[256], message[MESSAGE_SIZE];
    struct run_forecast forecast;
    const char *topology = timing->line->topology;
    if (!places_machine(topology, machine, sizeof machine, message))
        refuse(topology ? 2 : 3, "%s", message);
    name_run(timing);
    timing->seconds = allocate(timing->run.plan.cell_count, sizeof timing->seconds[0]);
    runner_forecast(&timing->run, &forecast, timing->seconds);
    if (forecast.interrupted)
        stop();
    if (!timing->line->quiet)
        print_cells(timing);
    say_duration(&forecast, time, sizeof time);
    printf("%s: %zu cells, %s ", timing->run.suite.name, timing->run.plan.cell_count, time);
    if (topology)
        printf("on %s (as the suite says of each; nothing was tried)\n", machine);
    else
        printf("(%zu cells by earlier runs on this machine, %zu tried now, the rest by similar cells)\n",
               forecast.known, forecast.pilots);
}

/* All parts have to mean the same run, so the user must name it. option: split or part. */
static void name_divided(struct timing *timing, const char *option) {
    if (!timing->line->name && !timing->line->resume)
        refuse(2, "--%s needs --name=RUN, the same for all parts of the run", option);
    name_run(timing);
}

/* Divides the plan by what is known of its times. */
static struct split divide(struct timing *timing, unsigned parts, double length, struct text *text) {
    struct durations durations;
    struct estimate estimate;
    timing->seconds = allocate(timing->run.plan.cell_count, sizeof timing->seconds[0]);
    durations_read(&durations, timing->run.parent);
    estimate_open(&estimate, &timing->run.plan, &durations);
    timing->known = estimate_cells(&estimate, timing->seconds);
    const struct split split = split_make(&timing->run.plan, timing->seconds, parts, length);
    split_write(text, &split, &timing->run.plan, timing->seconds);
    return split;
}

/* Prints a line per part: its number, seconds, cells and invocations. */
static void print_split(const struct timing *timing, const struct split *split) {
    printf("run\t%s\nknown\t%zu\t%zu\n", shown_path(run_folder(timing)), timing->known, timing->run.plan.cell_count);
    for (unsigned part = 1; part <= split->parts; part++) {
        double all = 0;
        size_t cells = 0, invocations = 0;
        for (size_t i = 0; i < timing->run.plan.cell_count; i++) {
            if (split->part_of[i] != part)
                continue;
            all += split_cell_seconds(&timing->run.plan.cells[i], timing->seconds[i]);
            invocations += timing->run.plan.cells[i].options.invocations;
            cells++;
        }
        printf("part\t%u\t%.1f\t%zu\t%zu\n", part, all, cells, invocations);
    }
}

/* For --split: divides the run and says how; with --dry-run writes nothing. */
static void say_split(struct timing *timing) {
    unsigned parts;
    double length;
    struct text text = {0}, there = {0};
    name_divided(timing, "split");
    split_parse_wish(timing->line->split, &parts, &length);
    const struct split split = divide(timing, parts, length, &text);
    const char *run = run_folder(timing);
    if (!timing->line->dry_run)
        parts_agree(run, &text, &there);
    if (!timing->line->dry_run && strcmp(text_string(&text), text_string(&there)) != 0)
        refuse(2, "%.300s is divided already: continue its parts, or choose another name", run);
    print_split(timing, &split);
}

static const struct parameter repeat_parameter = PARAMETER_INTEGER("repeat", 1, 1, REPEATS_MAX, "", "");

/* For --part: keeps the cells of this part. The first part to start divides the run. */
static void choose_part(struct timing *timing) {
    const struct command_line *line = timing->line;
    const size_t count = timing->run.plan.cell_count;
    struct text text = {0}, agreed = {0};
    split_parse_part(line->part, &timing->part, &timing->parts);
    name_divided(timing, "part");
    timing->run.repeat = (unsigned)must_read(&repeat_parameter, line->repeat ? line->repeat : "1").integer;
    divide(timing, timing->parts, 0, &text);
    parts_agree(run_folder(timing), &text, &agreed);
    const struct split split = split_read(&timing->run.plan, text_string(&agreed));
    if (split.parts != timing->parts)
        refuse(2, "--part=%s: %.100s has %u part%s", line->part, timing->run.name, split.parts,
               split.parts == 1 ? "" : "s");
    bool *keep = allocate(count, sizeof keep[0]);
    for (size_t i = 0; i < count; i++)
        keep[i] = split.part_of[i] == timing->part;
    plan_keep(&timing->run.plan, keep);
    timing->run.split = hash_bytes(HASH_START, text_string(&agreed), agreed.length);
}

/* This machine's name: from --host, or the host's name without its domain. */
static const char *host_name(const struct command_line *line) {
    char host[128] = "";
    gethostname(host, sizeof host - 1);
    return line->host ? line->host : formatted("%.*s", (int)strcspn(host, "."), host);
}

/* Does everything from reading the suite to the end. */
static int go(struct timing *timing) {
    const struct command_line *line = timing->line;
    make_plan(timing);
    if (line->part && !line->needs && !line->split)
        choose_part(timing);
    if (line->needs || line->split || line->dry_run) {
        (line->needs ? say_needs : line->split ? say_split : say_forecast)(timing);
        return 0;
    }
    open_results(timing);
    make_stamps(timing);
    open_copy(timing);
    start_manifest(timing);
    return measure(timing);
}

/* Reads suites/NAME.suite, or a file given by its path. */
static struct suite read_suite(const char *word, const char *root) {
    const struct words names = names_of_suites(root);
    if (strchr(word, '/') || ends_with(word, ".suite")) {
        char *name = basename(duplicate(word)), *end = strrchr(name, '.');
        if (end && end != name)
            *end = '\0';
        return suite_read(name, word);
    }
    if (!words_have(&names, word))
        refuse_unknown("suite", word, &names);
    return suite_read(word, formatted("%s/suites/%s.suite", root, word));
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

int measure_line(const struct job *job, const struct command_line *line, const char *const *words, bool is_run) {
    timing_now = (struct timing){.line = line,
                                 .run = {.host = host_name(line),
                                         .part = line->part,
                                         .build = job->build,
                                         .root = job->root,
                                         .command = words,
                                         .results = results_closed,
                                         .refusal_ends = is_run,
                                         .quiet = line->quiet,
                                         .topology = line->topology},
                                 .of_suite = !is_run};
    catch_interrupts();
    atexit(discard);
    timing_now.run.suite = is_run ? make_suite(line) : read_suite(line->words.at[0], job->root);
    const int result = go(&timing_now);
    results_close(&timing_now.run.results);
    return result;
}
