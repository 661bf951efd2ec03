#include "harness/driver/execute/durations.h"
#include "harness/driver/execute/runner.h"
#include "harness/driver/plan/plan.h"
#include "harness/driver/plan/split.h"
#include "harness/driver/record/manifest.h"
#include "harness/driver/record/parts.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/json.h"
#include "harness/driver/util/process.h"
#include "harness/driver/verbs/verbs.h"
#include "harness/measuring/threads/places.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUSY_LEAST 0.3 /* processors at work for others, of which a word is said */

/* Everything that one run needs, in the order in which it comes to be. */
struct timing {
    const struct command_line *line;
    struct run run;
    bool of_suite; /* and not of one workload */
    bool fresh;    /* the run's folder was made by us */
    unsigned part, parts;
    struct manifest manifest;
    struct run_outcome outcome;
    double *seconds; /* of an invocation by cell, as far as is known without trying anything */
    size_t known;    /* cells of which that is known */
    char message[MESSAGE_SIZE];
};

/* The command line's options hold for every section. */
static void override_options(struct timing *timing) {
    const struct suite_line *overrides = &timing->line->overrides;
    char ignored[MESSAGE_SIZE];
    for (size_t i = 0; i < timing->run.suite.section_count; i++)
        for (size_t j = 0; j < overrides->key_count; j++)
            suite_set_option(&timing->run.suite.sections[i].options, overrides->keys[j].name,
                             overrides->keys[j].values.at[0], ignored);
}

static int make_plan(struct timing *timing) {
    const char *machine = timing->line->topology;
    struct plan_filter filter = {.unsound = timing->line->unsound,
                                 .processors = machine ? places_processors_of(machine) : 0};
    const char *deques_in = timing->line->deques_in;
    const bool measures = !timing->line->needs && !timing->line->dry_run;
    int result = deques_in ? catalogue_open(&timing->run.catalogue, NULL, deques_in, NULL, timing->message)
                 : measures
                     ? catalogue_open(&timing->run.catalogue, timing->run.build, DEQUE_FOLDERS, NULL, timing->message)
                     : catalogue_open_described(&timing->run.catalogue, timing->run.build, timing->message);
    if (result)
        return result;
    if (timing->of_suite) {
        filter.only = suite_line_key(&timing->line->values, "only");
        filter.deques = suite_line_key(&timing->line->values, "deque");
    }
    override_options(timing);
    result = plan_make(&timing->run.plan, &timing->run.suite, &timing->run.catalogue, &filter, timing->message);
    if (result || timing->line->needs)
        return result;
    return plan_check_places(&timing->run.plan, !timing->of_suite, timing->line->topology, timing->message);
}

/* Which run is to be made, or taken up again. */
static int name_run(struct timing *timing) {
    const struct command_line *line = timing->line;
    if (timing->run.name)
        return 0;
    timing->run.parent = line->results ? line->results : path_join(timing->run.root, "results");
    timing->run.name = line->resume         ? line->resume
                       : line->name         ? line->name
                       : line->wants_resume ? results_latest(timing->run.parent, timing->run.suite.name)
                                            : results_new_name(timing->run.parent, timing->run.suite.name);
    return timing->run.name ? 0
                            : fail(timing->message, 2, "there is no run of %.60s in %.300s to resume",
                                   timing->run.suite.name, timing->run.parent);
}

static const char *run_folder(const struct timing *timing) { return path_join(timing->run.parent, timing->run.name); }

/* A part goes on from what its earlier attempts have, on machines like those of the others. */
static int open_part(struct timing *timing) {
    char why[MESSAGE_SIZE];
    const char *run = run_folder(timing), *other = parts_any_attempt(run, timing->parts);
    if (other && manifest_check(other, timing->run.build, timing->line->anyway, why))
        return fail(timing->message, 2, "part %s of %.100s is not measured here: %.350s", timing->line->part,
                    timing->run.name, why);
    return parts_begin(&timing->run.results, run, timing->part, timing->run.repeat, &timing->run.finished,
                       timing->message);
}

/* Going on with another suite's run would make that run one of this suite. */
static int resume(struct timing *timing) {
    char why[MESSAGE_SIZE];
    const char *folder = run_folder(timing), *suite = manifest_text(manifest_read(folder), "suite");
    if (suite && strcmp(suite, timing->run.suite.name) != 0)
        return fail(timing->message, 2, "%.100s is a run of %.100s, not of %.100s", timing->run.name, suite,
                    timing->run.suite.name);
    if (manifest_check(folder, timing->run.build, timing->line->anyway, why))
        return fail(timing->message, 2, "%.100s cannot be resumed: %.380s", timing->run.name, why);
    return results_resume(&timing->run.results, folder, &timing->run.finished, timing->message);
}

static int open_results(struct timing *timing) {
    const bool resumes = timing->line->wants_resume && !timing->part;
    int result = name_run(timing);
    if (result == 0)
        result = timing->part ? open_part(timing)
                 : resumes
                     ? resume(timing)
                     : results_create(&timing->run.results, timing->run.parent, timing->run.name, timing->message);
    timing->fresh = !resumes && timing->run.results.samples.descriptor >= 0;
    return result;
}

/* Where --csv= wants the rows. */
static int open_copy(struct timing *timing) {
    const struct command_line *line = timing->line;
    if (!line->wants_csv)
        return 0;
    bool standard = !line->csv || strcmp(line->csv, "-") == 0;
    int descriptor = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                              : open(line->csv, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return fail(timing->message, 4, "cannot write %.300s: %s", standard ? "-" : line->csv, strerror(errno));
    return results_copy_to(&timing->run.results, descriptor, timing->message);
}

static bool is_timed(const struct timing *timing, const struct catalogue_deque *deque) {
    for (size_t i = 0; i < timing->run.plan.cell_count; i++)
        if (timing->run.plan.cells[i].deque == deque)
            return true;
    return false;
}

/* A deque without a good stamp: refused, or timed as unsound; where there is no verdict, only its cells are left out.
 */
static int judge_stamp(struct timing *timing, const struct catalogue_deque *deque, const struct stamp *stamp) {
    if (stamp->result == STAMP_NOT_MADE)
        return 130;
    if (stamp->result == STAMP_PASSED)
        return 0;
    if (stamp->result == STAMP_FAILED && !timing->line->unsound)
        return fail(timing->message, 1, "%s is not timed: it fails %.320s; --unsound times it and flags its rows",
                    deque->id, stamp->reason);
    const char *what = stamp->result == STAMP_FAILED ? "fails" : "has no verdict of";
    fprintf(stderr, "%s %s %s\n    %s\n", deque->id, what, stamp->reason,
            timing->line->unsound ? "timed anyway (--unsound); its rows are flagged"
                                  : "left out: nothing is known to be wrong with it. Run again with --resume when the "
                                    "machine is idle, or time it unchecked with --unsound");
    for (size_t i = 0; i < timing->run.plan.cell_count; i++) {
        struct planned_cell *cell = &timing->run.plan.cells[i];
        cell->unsound |= cell->deque == deque && timing->line->unsound;
        cell->unproven |= cell->deque == deque && !timing->line->unsound;
    }
    return 0;
}

static int make_stamps(struct timing *timing) {
    const char *folder = path_join(timing->run.build, "stamps"), *lab = path_join(timing->run.build, "lab");
    const size_t count = timing->run.catalogue.deque_count;
    int result = 0;
    timing->run.stamps = allocate(count, sizeof timing->run.stamps[0]);
    for (size_t i = 0; i < count && result == 0; i++) {
        const struct catalogue_deque *deque = &timing->run.catalogue.deques[i];
        /* one that is known to be wrong is only here by --unsound */
        if (!is_timed(timing, deque) || (!deque->sound && !deque->reference) ||
            stamp_find(&timing->run.stamps[i], deque, folder, lab))
            continue;
        if (!timing->line->quiet)
            fprintf(stderr, "checking %s before it is timed (about %g s, once a build)\n", deque->id, STAMP_SECONDS);
        stamp_make(&timing->run.stamps[i], deque, folder, lab);
        result = judge_stamp(timing, deque, &timing->run.stamps[i]);
    }
    return result;
}

/* A run that was refused leaves nothing behind. */
static void discard(struct timing *timing) {
    remove(path_join(timing->run.results.folder, "samples.csv"));
    remove(path_join(timing->run.results.folder, "manifest.json"));
    rmdir(timing->run.results.folder);
}

static int start_manifest(struct timing *timing) {
    timing->manifest = manifest_of(&timing->run);
    if (timing->line->wants_resume && !timing->part)
        manifest_take_up(&timing->manifest);
    return manifest_write(&timing->manifest, "running", -1, timing->message);
}

/* The folder, from here when it lies below. */
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
        fprintf(stderr, "%zu invocations could not be made on this machine\n", outcome->denied);
    for (size_t i = 0; i < timing->run.plan.left_out.count; i++) {
        const char *id = timing->run.plan.left_out.at[i], *why = catalogue_why(&timing->run.catalogue.absent, id);
        fprintf(stderr, "left out: %s is not built here: %s\n", id, why ? why : "the suite calls it optional");
    }
    if (outcome->unproven > 0)
        fprintf(stderr, "%zu cell%s left out: the checks of their deques came to no verdict\n", outcome->unproven,
                outcome->unproven == 1 ? " was" : "s were");
    if (outcome->unwritten)
        fprintf(stderr, "stealbench: %s\n", outcome->message);
    if (exit_code == 130)
        fprintf(stderr, "stopped; %zu invocations are kept\n", outcome->kept + outcome->measured);
    if (exit_code == 130 || outcome->unwritten)
        fprintf(stderr, "to continue: the same command%s%s\n",
                timing->part ? "" : " and --resume=", timing->part ? "" : timing->run.name);
    if (!timing->line->quiet || exit_code != 0)
        fprintf(stderr, "results: %s\n", shown_path(timing->run.results.folder));
}

/* A fifth of a second tells whether others are at work: said once, for it makes times drift. */
static void warn_of_others(void) {
    const struct timespec wait = {.tv_nsec = 200000000};
    struct processor_times before, after;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool known = machine_processor_times(&before, "");
    nanosleep(&wait, NULL);
    known = known && machine_processor_times(&after, "");
    double busy = known ? machine_processors_busy(&before, &after, (unsigned)processors) : -1;
    if (busy >= BUSY_LEAST)
        fprintf(stderr, "busy: others use %.1f of %ld processors, so times will drift; stealbench doctor says who\n",
                busy, processors);
}

/* --json: the rows that there are now, as --csv prints them. */
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
    struct simulation simulation;
    if (!timing->line->quiet)
        warn_of_others();
    simulation_open(&simulation, &timing->run.plan, timing->run.build);
    timing->run.simulation = &simulation;
    timing->run.continued = timing->line->wants_resume || timing->run.finished.count > 0;
    int result = runner_run(&timing->run, &timing->outcome);
    for (size_t i = 0; i < timing->run.plan.left_out.count && result == 0; i++)
        if (!suite_is_optional(&timing->run.suite, timing->run.plan.left_out.at[i]))
            result = 3;
    if (timing->outcome.refused && timing->fresh && timing->outcome.measured == 0) {
        discard(timing);
        return result;
    }
    const char *state = result == 130               ? "interrupted"
                        : timing->outcome.unwritten ? "failed"
                        : result == 2               ? "refused"
                                                    : "finished";
    int unwritten = manifest_write(&timing->manifest, state, result, timing->message);
    if (unwritten && result != 130) {
        fprintf(stderr, "stealbench: %s\n", timing->message);
        result = unwritten;
    }
    if (timing->line->wants_json && !write_json(timing) && result == 0)
        result = 4;
    say_outcome(timing, result);
    return result;
}

/* --needs: the run's folder and what has to be built first, for run.sh. Measures nothing, makes nothing. */
static int say_needs(struct timing *timing) {
    const int result = name_run(timing);
    if (result)
        return result;
    printf("run\t%s\n", shown_path(run_folder(timing)));
    if (!timing->line->dry_run)
        needs_of_plan(stdout, &timing->run.plan, timing->run.build, timing->run.root, timing->line->deques_in != NULL);
    return 0;
}

/* "about 1:02"; where that depends on how soon each cell is as precise as was asked for, by how soon the last run's
 * were, or from what to what. */
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

/* A line a cell: its section, workload, deque and what is not at its default; how many invocations of how many seconds;
 * its threads and places. */
static void print_cells(const struct timing *timing) {
    char places[1024];
    for (size_t i = 0; i < timing->run.plan.cell_count; i++) {
        const struct planned_cell *cell = &timing->run.plan.cells[i];
        plan_place_text(cell, timing->line->topology, places, sizeof places);
        printf("%s\t%s %s%s%s\t%u x %.3g s\t%u on %s\n", timing->run.suite.sections[__builtin_ctzll(cell->tags)].tag,
               cell->workload, cell->deque->id, *cell->label ? " " : "", cell->label, cell->options.invocations,
               timing->seconds[i], cell->threads, places);
    }
}

/* How many claims of the papers the cells can answer: plots.pages.answerable reads a line a cell. Cells with more
 * threads than processors answer none. */
static void say_claims(const struct timing *timing) {
    if (access("setup/python.sh", X_OK) != 0) /* installed without what judges */
        return;
    fflush(stdout);
    FILE *to = popen("setup/python.sh -m plots.pages.answerable", "w");
    for (size_t i = 0; i < timing->run.plan.cell_count && to; i++) {
        const struct planned_cell *cell = &timing->run.plan.cells[i];
        if (cell->threads <= timing->run.plan.processors)
            fprintf(to, "%s\t%s\t%s\t%u\n", cell->workload, cell->deque->id, cell->params, cell->options.invocations);
    }
    if (!to || pclose(to) != 0)
        fprintf(stderr, "which claims of the papers these are for is not known\n");
}

/* --dry-run: every cell, where it will be, how long it will take, and which claims it is for. */
static int say_forecast(struct timing *timing) {
    char time[160], machine[256];
    struct simulation simulation;
    struct run_forecast forecast;
    const char *topology = timing->line->topology;
    if (!places_machine(topology, machine, sizeof machine, timing->message))
        return topology ? 2 : 3;
    const int result = name_run(timing);
    if (result)
        return result;
    timing->seconds = allocate(timing->run.plan.cell_count, sizeof timing->seconds[0]);
    simulation_open(&simulation, &timing->run.plan, timing->run.build);
    timing->run.simulation = &simulation;
    runner_forecast(&timing->run, &forecast, timing->seconds);
    if (forecast.interrupted)
        return 130;
    if (!timing->line->quiet)
        print_cells(timing);
    say_duration(&forecast, time, sizeof time);
    printf("%s: %zu cells, %s ", timing->run.suite.name, timing->run.plan.cell_count, time);
    if (topology)
        printf("on %s (as the suite says of each; nothing was tried)\n", machine);
    else
        printf("(%zu cells as they took before on this machine, %zu tried, the rest as their like)\n", forecast.known,
               forecast.pilots);
    if (timing->of_suite)
        say_claims(timing);
    return 0;
}

/* A run of parts is named by whoever begins it: all parts have to mean the same one. option: split or part. */
static int name_divided(struct timing *timing, const char *option) {
    if (!timing->line->name && !timing->line->resume)
        return fail(timing->message, 2, "--%s wants --name=RUN, the same for all parts of the run", option);
    return name_run(timing);
}

/* Divides the plan by what is known of its times. */
static void divide(struct timing *timing, unsigned parts, double length, struct split *split, struct text *text) {
    struct durations durations;
    struct estimate estimate;
    timing->seconds = allocate(timing->run.plan.cell_count, sizeof timing->seconds[0]);
    durations_read(&durations, timing->run.parent);
    estimate_open(&estimate, &timing->run.plan, &durations);
    timing->known = estimate_cells(&estimate, timing->seconds);
    split_make(split, &timing->run.plan, timing->seconds, parts, length);
    split_write(text, split, &timing->run.plan, timing->seconds);
}

/* One line a part, for run.sh and for people: its number, seconds, cells and invocations, as far as is known now. */
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

/* --split: divides the run and says how; with --dry-run nothing is written. */
static int say_split(struct timing *timing) {
    unsigned parts;
    double length;
    struct split split;
    struct text text = {0}, there = {0};
    int result = name_divided(timing, "split");
    if (result == 0)
        result = split_parse_wish(timing->line->split, &parts, &length, timing->message);
    if (result)
        return result;
    divide(timing, parts, length, &split, &text);
    const char *run = run_folder(timing);
    if (!timing->line->dry_run)
        result = parts_agree(run, &text, &there, timing->message);
    if (result)
        return result;
    if (!timing->line->dry_run && strcmp(text_string(&text), text_string(&there)) != 0)
        return fail(timing->message, 2, "%.300s is divided already: continue its parts, or choose another name", run);
    print_split(timing, &split);
    return 0;
}

static const struct parameter repeat_parameter = PARAMETER_INTEGER("repeat", 1, 1, REPEATS_MAX, "", "");

static int read_part(struct timing *timing) {
    char spelling[VALUE_SIZE];
    struct value repeat;
    const struct command_line *line = timing->line;
    int result = split_parse_part(line->part, &timing->part, &timing->parts, timing->message);
    if (result == 0)
        result = name_divided(timing, "part");
    if (result == 0 &&
        !parameter_read(&repeat_parameter, line->repeat ? line->repeat : "1", &repeat, spelling, timing->message))
        result = 2;
    if (result == 0)
        timing->run.repeat = (unsigned)repeat.integer;
    return result;
}

/* --part: keeps those cells of the plan that the run's division gives to this part; the first that comes divides it. */
static int choose_part(struct timing *timing) {
    struct split split;
    struct text text = {0}, agreed = {0};
    int result = read_part(timing);
    if (result)
        return result;
    divide(timing, timing->parts, 0, &split, &text);
    result = parts_agree(run_folder(timing), &text, &agreed, timing->message);
    if (result == 0)
        result = split_read(&split, &timing->run.plan, text_string(&agreed), timing->message);
    if (result)
        return result;
    if (split.parts != timing->parts)
        return fail(timing->message, 2, "--part=%s: %.100s has %u part%s", timing->line->part, timing->run.name,
                    split.parts, split.parts == 1 ? "" : "s");
    bool *keep = allocate(timing->run.plan.cell_count, sizeof keep[0]);
    for (size_t i = 0; i < timing->run.plan.cell_count; i++)
        keep[i] = split.part_of[i] == timing->part;
    plan_keep(&timing->run.plan, keep);
    timing->run.split = hash_bytes(HASH_START, text_string(&agreed), agreed.length);
    return 0;
}

/* This machine, by --host or the host's name without its domain. */
static const char *host_name(const struct command_line *line) {
    char host[128] = "";
    gethostname(host, sizeof host - 1);
    return line->host ? line->host : formatted("%.*s", (int)strcspn(host, "."), host);
}

/* From a suite to the end. timing->message says why when the result is not 0 and nothing was measured. */
static int go(struct timing *timing, bool *measured) {
    const struct command_line *line = timing->line;
    int result = make_plan(timing);
    if (result == 0 && line->part && !line->needs && !line->split)
        result = choose_part(timing);
    if (result == 0 && (line->needs || line->split || line->dry_run)) {
        result = line->needs ? say_needs(timing) : line->split ? say_split(timing) : say_forecast(timing);
        *measured = result == 0; /* nothing is left to say */
        return result;
    }
    if (result == 0)
        result = open_results(timing);
    if (result == 0)
        result = make_stamps(timing);
    if (result == 0)
        result = open_copy(timing);
    if (result && timing->fresh)
        discard(timing);
    if (result == 0)
        result = start_manifest(timing);
    *measured = result == 0;
    return result ? result : measure(timing);
}

/* suites/NAME.suite, or a file given by its path. */
static int read_suite(struct timing *timing, const char *word) {
    const struct words names = names_of_suites(timing->run.root);
    if (strchr(word, '/') || ends_with(word, ".suite")) {
        char *name = basename(duplicate(word)), *end = strrchr(name, '.');
        if (end && end != name)
            *end = '\0';
        return suite_read(&timing->run.suite, name, word, timing->message);
    }
    if (!words_have(&names, word))
        return say_unknown("suite", word, &names, timing->message);
    return suite_read(&timing->run.suite, word, formatted("%s/suites/%s.suite", timing->run.root, word),
                      timing->message);
}

/* The command line as a suite of one section and one line. */
static void make_suite(struct timing *timing, const char *workload) {
    const struct suite_options options = suite_default_options();
    timing->run.suite = (struct suite){.name = formatted("run-%s", workload), .path = "", .title = ""};
    struct suite_section *section = suite_add_section(&timing->run.suite, workload, "", &options);
    struct suite_line *line = suite_add_line(section, workload, 0);
    line->keys = timing->line->values.keys;
    line->key_count = timing->line->values.key_count;
}

int measure_line(const struct job *job, const struct command_line *line, const char *const *words, bool is_run) {
    static struct timing timing;
    bool measured = false;
    timing = (struct timing){.line = line,
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
    if (is_run)
        make_suite(&timing, line->words.at[0]);
    int result = is_run ? 0 : read_suite(&timing, line->words.at[0]);
    if (result == 0)
        result = go(&timing, &measured);
    if (result == 130 && !measured)
        fprintf(stderr, "stopped before anything was measured\n");
    else if (result && !measured)
        fprintf(stderr, "stealbench %s: %s\n", line->verb->name, timing.message);
    results_close(&timing.run.results);
    return result;
}
