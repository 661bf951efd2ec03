#include "harness/driver/execute/execute.h"

#define ATTEMPTS_MAX 3 /* an invocation is tried again if processors were throttled, or moved by a host */

/* What is known of a cell during the run. */
struct cell_state {
    unsigned done, failures;
    double seconds; /* sum over the cell's invocations in this run */
    unsigned timed; /* number of these invocations */
    bool unproven;  /* its deque has no verdict: not to be measured */
    bool *finished; /* by invocation: is it in samples.csv already? */
    double *values; /* of the invocations */
    size_t value_count;
    unsigned needed; /* invocations in all, by what is known now */
    bool late;       /* there is no time for what it needs */
};

struct measuring {
    struct run *run;
    struct run_outcome *outcome;
    struct cell_state *states;
    struct estimate estimate;
    struct progress progress;
    double throttled; /* at the last look; NAN: the kernel does not tell */
    const char *late; /* sections that do not fit into the time, or "" */
    double before;    /* seconds that the invocations took which this run found */
    bool at_the_end;  /* invocations without a quiet moment are tried again, and written whatever comes */
};

/* Notes a value, and how many invocations the cell needs now: those that its precision takes, and those that gave no
 * value. A cell ends if its first invocations gave no value. Within a time each cell needs the first six. */
static void take_value(const struct run *run, struct cell_state *state, const struct planned_cell *cell, double value) {
    const double precision = cell->options.precision;
    const unsigned most = cell->options.invocations;
    if (!isnan(value))
        state->values[state->value_count++] = value;
    const unsigned without = state->done - (unsigned)state->value_count;
    if (run->within > 0 || !(precision > 0) || state->value_count == 0)
        state->needed = precision_first(&cell->options, run->within);
    else
        state->needed = precision_needs(state->values, state->value_count, precision, most - without) + without;
    if (state->needed < state->done)
        state->needed = state->done;
}

/* Takes over the cell's finished invocations. Returns whether all of them are of another build. */
static bool take_finished(const struct run *run, const struct planned_cell *cell, struct cell_state *state) {
    const struct finished *finished = &run->finished;
    bool other_build = false;
    for (size_t i = 0; i < finished->count; i++) {
        const struct finished_invocation *one = &finished->at[i];
        other_build |= one->subject == cell->subject && one->cell != cell->id;
        if (one->cell != cell->id || one->invocation >= cell->options.invocations || state->finished[one->invocation])
            continue;
        state->finished[one->invocation] = true;
        state->done++;
        state->timed += one->seconds > 0;
        state->seconds += one->seconds;
        state->failures += !one->ok;
        take_value(run, state, cell, one->value);
    }
    return other_build && state->done == 0;
}

static bool is_given_up(const struct cell_state *state) { return state->unproven || state->failures >= FAILURES_MAX; }

static unsigned to_come(const struct cell_state *state) { return is_given_up(state) ? 0 : state->needed - state->done; }

/* Of the time that the run may take. */
static double seconds_used(const struct measuring *now) { return now->before + seconds_now() - now->progress.start; }

static double seconds_left(const struct measuring *now) {
    const struct plan *plan = &now->run->plan;
    double left = 0;
    for (size_t i = 0; i < plan->cell_count; i++)
        if (now->states[i].timed > 0)
            now->estimate.known[i] = now->states[i].seconds / now->states[i].timed;
    estimate_again(&now->estimate);
    for (size_t i = 0; i < plan->cell_count; i++)
        left += to_come(&now->states[i]) * now->estimate.seconds[i];
    return now->run->within > 0 ? fmax(0, now->run->within - seconds_used(now)) : left;
}

static size_t invocations_left(const struct measuring *now) {
    size_t left = 0;
    for (size_t i = 0; i < now->run->plan.cell_count; i++)
        left += to_come(&now->states[i]);
    return left;
}

/* The executable, --run WORKLOAD key=value ... and the options. */
static struct words arguments_of(const struct planned_cell *cell, unsigned invocation) {
    struct words words = {0};
    words_add(&words, duplicate(plan_executable(cell, invocation)));
    words_add(&words, duplicate("--run"));
    words_add(&words, duplicate(cell->workload));
    for (size_t i = 0; i < cell->value_count; i++)
        words_add(&words, formatted("%s=%s", cell->values[i].parameter->name, cell->values[i].text));
    words_add(&words, formatted("--invocation=%u", invocation));
    words_add(&words, formatted("--repetitions=%u", cell->options.repetitions));
    words_add(&words, formatted("--minimum-time=%.9g", cell->options.minimum_time));
    return words;
}

/* The last lines that a failed process wrote to standard error. */
static void show_errors(struct measuring *now, const struct text *errors) {
    const char *text = text_string(errors), *end = text + errors->length, *from = end;
    for (unsigned lines = 0; from > text && lines < 6 && end - from < 2000;)
        lines += *--from == '\n' && from + 1 < end;
    const struct words lines = split_words(from, "\n");
    for (size_t i = 0; i < lines.count; i++)
        progress_say(&now->progress, "    %s", lines.at[i]);
}

static void note_status(struct measuring *now, size_t index, unsigned invocation, enum invocation_status status,
                        const struct process *process, const char *why) {
    const struct planned_cell *cell = &now->run->plan.cells[index];
    struct cell_state *state = &now->states[index];
    now->outcome->measured++;
    now->outcome->denied += status == INVOCATION_DENIED;
    if (status == INVOCATION_OK)
        return;
    progress_say(&now->progress, "%s, invocation %u: %s", cell->name, invocation + 1, why);
    show_errors(now, &process->errors);
    if (status == INVOCATION_DENIED)
        return;
    now->outcome->failed++;
    now->outcome->failed_cells += state->failures++ == 0;
    const bool refused =
        process->end == PROCESS_EXITED && process->code == 2; /* a bad input stays bad: do not try again */
    now->outcome->refused_cells += refused;
    if (refused)
        state->failures = FAILURES_MAX;
    const unsigned left = state->needed - state->done;
    if (is_given_up(state) && left > 0) {
        const char *cause = refused ? "bad input" : formatted("failed %d times", FAILURES_MAX);
        progress_say(&now->progress, "    %s: left out: its other %s", cause, counted(left, "invocation"));
        now->outcome->skipped += left;
    }
}

/* Throttling is two files per processor. If there are none, do not look again in this run. */
static double look_for_throttling(struct measuring *now) {
    if (!isnan(now->throttled))
        now->throttled = machine_throttled();
    return now->throttled;
}

/* Why the process should be run again, or NULL. */
static const char *why_disturbed(const struct process *process, const struct output *output) {
    double before, after;
    if (process->throttled > 0)
        return formatted("the processors were throttled %.0f times, for heat or power", process->throttled);
    if (output_moved(output, &before, &after))
        return formatted("the distance between its threads changed from %.0f to %.0f ns", before, after);
    return NULL;
}

/* Runs the process and reads what it printed. Runs it again if it was disturbed; keeps and flags the last attempt if
 * all were disturbed. */
static void run_undisturbed(struct measuring *now, struct process *process, struct output *output,
                            const struct planned_cell *cell, unsigned invocation) {
    struct words arguments = arguments_of(cell, invocation);
    const char *why = NULL;
    for (unsigned attempt = 1; attempt == 1 || why; attempt++) {
        if (why) {
            progress_say(&now->progress, "%s: %s; it is measured again", cell->name, why);
            output_free(output);
            process_free(process);
        }
        const double before = look_for_throttling(now);
        process_run(process, arguments.at, cell->options.timeout);
        process->throttled = look_for_throttling(now) - before;
        output_read(output, &process->output);
        why = attempt == ATTEMPTS_MAX || process->end != PROCESS_EXITED ? NULL : why_disturbed(process, output);
    }
    words_free(&arguments);
}

/* Writes the invocation's rows, and notes what is known of the cell now. */
static void record(struct measuring *now, size_t index, unsigned invocation, const struct process *process,
                   const struct output *output) {
    const struct planned_cell *cell = &now->run->plan.cells[index];
    struct cell_state *state = &now->states[index];
    struct text rows = {0}, histograms = {0};
    const char *why;
    const enum invocation_status status =
        invocation_rows(&rows, &histograms, cell, invocation, now->run->host, process, output, &why);
    now->outcome->unwritten = results_append(&now->run->results, &rows, &histograms);
    if (!now->outcome->unwritten) {
        state->finished[invocation] = true;
        state->done++;
        state->timed++;
        state->seconds += process->seconds;
        take_value(now->run, state, cell, status == INVOCATION_OK ? output_headline(output) : (double)NAN);
        note_status(now, index, invocation, status, process, why);
    }
    text_free(&rows);
    text_free(&histograms);
}

/* Runs one process. Returns false when the run has to stop. */
static bool measure_cell(struct measuring *now, size_t index, unsigned invocation) {
    const struct run *run = now->run;
    const struct planned_cell *cell = &run->plan.cells[index];
    const unsigned needed = now->states[index].needed;
    char what[512];
    struct process process;
    struct output output;
    snprintf(what, sizeof what, "%s, invocation %u of %s%u", cell->name, invocation + 1,
             cell->options.precision > 0 ? "about " : "", needed > invocation ? needed : invocation + 1);
    now->progress.total = now->progress.done + invocations_left(now);
    progress_show(&now->progress, what, seconds_left(now));
    run_undisturbed(now, &process, &output, cell, invocation);
    now->outcome->interrupted = process.end == PROCESS_INTERRUPTED;
    now->outcome->refused = run->refusal_ends && process.end == PROCESS_EXITED && process.code == 2;
    if (now->outcome->refused)
        show_errors(now, &process.errors);
    else if (!now->outcome->interrupted && !now->at_the_end && output_busy(&output))
        progress_say(&now->progress, "%s: the machine is busy; it is tried again at the end", cell->name);
    else if (!now->outcome->interrupted)
        record(now, index, invocation, &process, &output);
    output_free(&output);
    process_free(&process);
    return !now->outcome->interrupted && !now->outcome->unwritten && !now->outcome->refused;
}

/* Measures one invocation of every cell of the group that still needs one. */
static bool measure_group(struct measuring *now, const struct planned_group *group, unsigned invocation) {
    size_t *order = allocate(group->count, sizeof order[0]);
    bool going = true;
    latin_square_row(group->count, invocation, order);
    for (size_t i = 0; i < group->count && going; i++) {
        size_t index = group->cells[order[i]];
        const struct cell_state *state = &now->states[index];
        if (invocation >= now->run->plan.cells[index].options.invocations || state->finished[invocation] ||
            state->done >= state->needed || state->late || is_given_up(state))
            continue;
        going = measure_cell(now, index, invocation) && !interrupted();
    }
    free(order);
    return going;
}

/* Takes over the results that exist. */
static void prepare(struct measuring *now) {
    const struct plan *plan = &now->run->plan;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct planned_cell *cell = &plan->cells[i];
        struct cell_state *state = &now->states[i];
        state->finished = allocate(cell->options.invocations, sizeof state->finished[0]);
        state->values = allocate(cell->options.invocations, sizeof state->values[0]);
        take_value(now->run, state, cell, (double)NAN);
        now->outcome->anew += take_finished(now->run, cell, state);
        now->before += state->seconds;
        now->outcome->kept += state->done;
        state->unproven = cell->unproven && state->done < state->needed;
        now->outcome->unproven += state->unproven;
        if (is_given_up(state))
            now->outcome->skipped += state->needed - state->done;
        now->outcome->failed_cells += state->failures > 0;
    }
}

/* Writes the rows of cells that are not measured because their deque is unproven. */
static void write_unproven(struct measuring *now) {
    struct text rows = {0}, none = {0};
    for (size_t i = 0; i < now->run->plan.cell_count; i++) {
        unsigned missing = 0;
        while (now->states[i].unproven && now->states[i].finished[missing])
            missing++;
        if (now->states[i].unproven)
            invocation_unproven(&rows, &now->run->plan.cells[i], missing, now->run->host);
    }
    if (rows.length > 0)
        now->outcome->unwritten = results_append(&now->run->results, &rows, &none);
    text_free(&rows);
}

static void announce(struct measuring *now, size_t wanted) {
    const struct run_outcome *outcome = now->outcome;
    const double left = seconds_left(now);
    if (!now->run->quiet && (outcome->kept > 0 || now->run->continued))
        progress_say(&now->progress, "continuing %s: %s kept, %zu to come, about %s", now->run->results.folder,
                     counted(outcome->kept, "invocation"), wanted, duration_text(left, left));
    else if (!now->run->quiet)
        progress_say(&now->progress, "%s, %s", counted(now->run->plan.cell_count, "cell"),
                     estimate_text(&now->estimate));
    if (outcome->anew > 0)
        progress_say(&now->progress, "measured again, because the build or the options have changed: %s",
                     counted(outcome->anew, "cell"));
}

/* Cells that are less precise than was asked for. */
static size_t count_imprecise(const struct measuring *now) {
    size_t count = 0;
    for (size_t i = 0; i < now->run->plan.cell_count; i++) {
        const struct cell_state *state = &now->states[i];
        const double wanted = now->run->plan.cells[i].options.precision;
        count += wanted > 0 && state->value_count > 0 && !is_given_up(state) &&
                 !(precision_of(state->values, state->value_count) <= wanted);
    }
    return count;
}

static bool is_late(const struct measuring *now) {
    return now->run->within > 0 && seconds_used(now) >= now->run->within;
}

/* Leaves out the sections of least worth that take too long, by the times that are known now; none if all do. */
static void find_late(struct measuring *now) {
    const size_t count = now->run->plan.cell_count;
    double *seconds = allocate(count, sizeof seconds[0]);
    bool *keep = allocate(count, sizeof keep[0]), any = false;
    const double left = seconds_left(now);
    for (size_t i = 0; i < count; i++)
        seconds[i] = to_come(&now->states[i]) * now->estimate.seconds[i];
    const char *late = within_sections(now->run, seconds, left, keep);
    for (size_t i = 0; i < count; i++)
        any |= keep[i];
    for (size_t i = 0; i < count; i++)
        now->states[i].late = any && !keep[i];
    if (any && *late && strcmp(late, now->late) != 0)
        progress_say(&now->progress, "no time is left for%s", late);
    now->late = any ? late : "";
    free(seconds);
    free(keep);
}

/* Measures what the cells need. Returns false when the run has to stop. */
static bool measure_all(struct measuring *now) {
    const struct plan *plan = &now->run->plan;
    unsigned max = 0;
    for (size_t i = 0; i < plan->cell_count; i++)
        max = plan->cells[i].options.invocations > max ? plan->cells[i].options.invocations : max;
    if (now->run->within > 0 && max > PRECISION_LEAST)
        max = PRECISION_LEAST;
    bool going = !now->outcome->unwritten;
    for (unsigned invocation = 0; invocation < max && going; invocation++) {
        if (now->run->within > 0)
            find_late(now);
        for (size_t i = 0; i < plan->group_count && going; i++)
            going = !is_late(now) && measure_group(now, &plan->groups[i], invocation);
    }
    return going;
}

static bool is_open(const struct measuring *now, size_t i) {
    const struct cell_state *state = &now->states[i];
    return state->value_count > 0 && state->done < now->run->plan.cells[i].options.invocations && !state->late &&
           !is_given_up(state);
}

/* The first invocation that an open cell of the group lacks. */
static unsigned next_invocation(const struct measuring *now, const struct planned_group *group) {
    unsigned next = UINT_MAX;
    for (size_t i = 0; i < group->count; i++) {
        unsigned missing = 0;
        while (is_open(now, group->cells[i]) && now->states[group->cells[i]].finished[missing])
            missing++;
        if (is_open(now, group->cells[i]) && missing < next)
            next = missing;
    }
    return next;
}

/* Half of the widest interval of the group's cells that are open and not precise, in percent. It is asked of the first
 * 6, 12, 24, ... values, as precision_needs does. Infinite: some have had this invocation. 0: none is left, or no time.
 */
static double widest_of(const struct measuring *now, const struct planned_group *group, unsigned next) {
    double widest = 0, seconds = 0;
    size_t look = PRECISION_LEAST;
    while (2 * look <= next)
        look *= 2;
    for (size_t i = 0; i < group->count; i++) {
        const size_t cell = group->cells[i];
        const struct cell_state *state = &now->states[cell];
        if (!is_open(now, cell))
            continue;
        const bool begun = state->finished[next];
        const double width =
            begun ? INFINITY : precision_of(state->values, state->value_count < look ? state->value_count : look);
        widest = width > now->run->plan.cells[cell].options.precision ? fmax(widest, width) : widest;
        seconds += begun ? 0 : now->estimate.seconds[cell];
    }
    return seconds_used(now) + seconds <= now->run->within ? widest : 0;
}

/* The group with the widest interval has another invocation of each cell; so on until the time is used. */
static void measure_widest(struct measuring *now) {
    const struct plan *plan = &now->run->plan;
    const struct planned_group *group;
    unsigned invocation = 0;
    do {
        double widest = 0;
        group = NULL;
        for (size_t i = 0; i < plan->group_count; i++) {
            const unsigned next = next_invocation(now, &plan->groups[i]);
            const double width = widest_of(now, &plan->groups[i], next);
            if (width > widest) {
                widest = width;
                group = &plan->groups[i];
                invocation = next;
            }
        }
        for (size_t i = 0; group && i < group->count; i++)
            if (is_open(now, group->cells[i]) && !now->states[group->cells[i]].finished[invocation])
                now->states[group->cells[i]].needed = now->states[group->cells[i]].done + 1;
    } while (group && measure_group(now, group, invocation));
}

int runner_run(struct run *run, struct run_outcome *outcome) {
    const struct plan *plan = &run->plan;
    struct measuring now = {
        .run = run, .outcome = outcome, .states = allocate(plan->cell_count, sizeof(struct cell_state)), .late = ""};
    *outcome = (struct run_outcome){0};
    estimate_open(&now.estimate, run);
    prepare(&now);
    const size_t wanted = invocations_left(&now);
    machine_share_topology();
    progress_begin(&now.progress, run->quiet, wanted);
    announce(&now, wanted);
    write_unproven(&now);
    now.at_the_end = measure_all(&now);
    if (now.at_the_end && measure_all(&now) && run->within > 0)
        measure_widest(&now);
    outcome->interrupted |= interrupted();
    progress_end(&now.progress);
    seconds_left(&now); /* of what was measured last, too */
    estimate_keep(&now.estimate);
    outcome->imprecise = count_imprecise(&now);
    if (outcome->interrupted)
        return 130;
    if (outcome->refused)
        return 2;
    if (outcome->unwritten || outcome->failed_cells > outcome->refused_cells)
        return 4;
    return outcome->refused_cells > 0 ? 2 : outcome->denied + outcome->unproven > 0 ? 3 : 0;
}
