/* runner.c: each invocation of each cell is a fresh process. Its rows are on disk before the next begins.
 *
 * Invocation 0 of every cell comes before invocation 1 of any, group by group, each in a balanced order. So a busy
 * minute of the machine costs many cells one invocation, and no cell all. A cell ends when it is precise enough.
 *
 * Within a time (run->within) there are two stages: six invocations of each cell, as far as whole sections fit; then,
 * one by one until the time is used, another of each cell of the group with the widest interval. The samples decide
 * which, so a resumed run goes on as it would have. */
#pragma once

#include "harness/driver/execute/durations.c"
#include "harness/driver/record/machine.c"

#define ATTEMPTS_MAX 3 /* an invocation is tried again if processors were throttled, or moved by a host */

struct measuring {
    struct run *run;
    const char *late;     /* sections that do not fit into the time, or "" */
    double start, before; /* seconds: when this run began; that the invocations took which it found */
    bool at_the_end;      /* invocations without a quiet moment are tried again, and written whatever comes */
};

/* Notes a value, and how many invocations the cell needs now: those that its precision takes, and those that gave no
 * value. A cell ends if its first invocations gave no value. Within a time each cell needs the first six. */
static void take_value(const struct run *run, struct planned_cell *cell, double value) {
    const double precision = cell->options.precision;
    if (!isnan(value))
        cell->measured[cell->measured_count++] = value;
    const unsigned without = cell->done - (unsigned)cell->measured_count;
    if (run->within > 0 || !(precision > 0) || cell->measured_count == 0)
        cell->needed = precision_first(&cell->options, run->within);
    else
        cell->needed =
            precision_needs(cell->measured, cell->measured_count, precision, cell->options.invocations - without) +
            without;
    if (cell->needed < cell->done)
        cell->needed = cell->done;
}

static void take_invocation(struct run *run, struct planned_cell *cell, const struct finished_invocation *one) {
    run->outcome.denied += one->denied;
    cell->finished[one->invocation] = true;
    cell->done++;
    cell->timed += one->seconds > 0;
    cell->spent += one->seconds;
    take_value(run, cell, one->value);
}

/* Takes over the cell's finished invocations. Returns whether all of them are of another build. */
static bool take_finished(struct run *run, struct planned_cell *cell) {
    bool other_build = false;
    foreach (one, run->finished) {
        other_build |= one->subject == cell->subject && one->cell != cell->id;
        if (one->cell != cell->id || one->invocation >= cell->options.invocations || cell->finished[one->invocation])
            continue;
        cell->failures += one->refused ? FAILURES_MAX : !one->ok;
        run->outcome.refused_cells += one->refused;
        take_invocation(run, cell, one);
    }
    return other_build && cell->done == 0;
}

static bool is_given_up(const struct planned_cell *cell) { return cell->unproven || cell->failures >= FAILURES_MAX; }

static unsigned to_come(const struct planned_cell *cell) { return is_given_up(cell) ? 0 : cell->needed - cell->done; }

/* Of the time that the run may take. */
static double seconds_used(const struct measuring *now) { return now->before + seconds_now() - now->start; }

static double seconds_left(const struct measuring *now) {
    struct plan *plan = &now->run->plan;
    double left = 0;
    foreach (cell, plan->cells)
        if (cell->timed > 0)
            cell->known = cell->spent / cell->timed;
    estimate_again(plan);
    foreach (cell, plan->cells) {
        cell->takes = to_come(cell) * cell->seconds;
        left += cell->takes;
    }
    return now->run->within > 0 ? fmax(0, now->run->within - seconds_used(now)) : left;
}

static size_t invocations_left(const struct measuring *now) {
    size_t left = 0;
    foreach (cell, now->run->plan.cells)
        left += to_come(cell);
    return left;
}

/* The executable, --run WORKLOAD, the invocation, key=value ... and the options. */
static struct words arguments_of(const struct planned_cell *cell) {
    struct words words = words_of(cell->part->executable, "--run", cell->workload, cell->invocation, NULL);
    foreach (value, cell->values)
        words_add(&words, formatted("%s=%s", value->parameter->name, value->text));
    words_add(&words, formatted("--repetitions=%u", cell->options.repetitions));
    words_add(&words, formatted("--minimum-time=%.9g", cell->options.minimum_time));
    return words;
}

/* The last lines that a failed process wrote to standard error. */
static void show_errors(const struct text *errors) {
    const struct words lines = split_words(text_string(errors), "\n");
    for (size_t i = lines.count > 6 ? lines.count - 6 : 0; i < lines.count; i++)
        progress_say("    %.2000s", lines.at[i]);
}

static void note_failure(struct measuring *now, struct planned_cell *cell, bool refused) {
    now->run->outcome.failed_cells += cell->failures == 0;
    now->run->outcome.refused_cells += refused;
    cell->failures += refused ? FAILURES_MAX : 1;
    const unsigned left = cell->needed - cell->done;
    if (is_given_up(cell) && left > 0) {
        const char *cause = refused ? "bad input" : formatted("failed %d times", FAILURES_MAX);
        progress_say("    %s: left out: its other %s", cause, counted(left, "invocation"));
        now->run->outcome.skipped += left;
    }
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
static void run_undisturbed(struct process *process, struct output *output, struct planned_cell *cell,
                            unsigned invocation) {
    const unsigned variant = plan_variant(cell, invocation);
    snprintf(cell->invocation, sizeof cell->invocation, "--invocation=%u", invocation);
    cell->arguments.at[0] = variant > 0 ? cell->part->variants[variant - 1] : cell->part->executable;
    const char *why = NULL;
    for (unsigned attempt = 1; attempt == 1 || why; attempt++) {
        if (why) {
            progress_say("%s: %s; it is measured again", cell->name, why);
            output_free(output);
            process_free(process);
        }
        const double before = machine_throttled();
        process_run(process, cell->arguments.at, cell->options.timeout);
        process->throttled = machine_throttled() - before;
        output_read(output, &process->output);
        why = attempt == ATTEMPTS_MAX || process->end != PROCESS_EXITED ? NULL : why_disturbed(process, output);
    }
}

/* Writes the invocation's rows, unless they are to be tried again, and notes what is known of the cell now. */
static void record(struct measuring *now, struct planned_cell *cell, unsigned invocation, const struct process *process,
                   const struct output *output) {
    struct run *run = now->run;
    struct text rows = {0}, histograms = {0};
    struct finished finished = {0};
    const char *why;
    const char *status = invocation_rows(&rows, &histograms, cell, invocation, run->host, process, output, &why);
    char *copy = duplicate(rows.data);
    samples_scan(copy, 0, &finished);
    free(copy);
    const struct finished_invocation one = finished.at[0];
    const bool again = one.busy && !now->at_the_end;
    free(finished.at);
    if (again)
        progress_say("%s: the machine is busy; it is tried again at the end", cell->name);
    else
        run->outcome.unwritten = results_append(&run->results, &rows, &histograms);
    text_free(&rows);
    text_free(&histograms);
    if (again || run->outcome.unwritten)
        return;
    take_invocation(run, cell, &one);
    run->outcome.measured++;
    if (!same(status, "ok")) {
        progress_say("%s, invocation %u: %s", cell->name, invocation + 1, why);
        show_errors(&process->errors);
        if (!one.denied)
            note_failure(now, cell, one.refused);
    }
}

/* Runs one process. Returns false when the run has to stop. */
static bool measure_cell(struct measuring *now, struct planned_cell *cell, unsigned invocation) {
    struct run_outcome *outcome = &now->run->outcome;
    char what[512];
    struct process process;
    struct output output;
    snprintf(what, sizeof what, "%s, invocation %u of %s%u", cell->name, invocation + 1,
             cell->options.precision > 0 ? "about " : "", cell->needed > invocation ? cell->needed : invocation + 1);
    progress_show(what, invocations_left(now), seconds_left(now));
    run_undisturbed(&process, &output, cell, invocation);
    outcome->interrupted = process.end == PROCESS_INTERRUPTED;
    outcome->refused = !now->run->of_suite && process.end == PROCESS_EXITED && process.code == 2;
    if (outcome->refused)
        show_errors(&process.errors);
    else if (!outcome->interrupted)
        record(now, cell, invocation, &process, &output);
    output_free(&output);
    process_free(&process);
    return !outcome->interrupted && !outcome->unwritten && !outcome->refused && !interrupted();
}

/* Which of n cells is measured at this place of a row, by Williams' design: each comes at every place, and follows
 * every other, equally often. There are n rows if n is even, else 2n; row wraps around. The first row is
 * 0, 1, n-1, 2, n-2, ...: neighbours differ by each distance once. With an odd n each distance comes twice in one
 * direction; the same rows backwards give the other direction. */
static size_t latin_square(size_t n, size_t row, size_t place) {
    row %= n % 2 == 0 ? n : 2 * n;
    place = row < n ? place : n - 1 - place;
    return ((place % 2 == 1 ? (place + 1) / 2 : n - place / 2) + row) % n;
}

/* Measures one invocation of every cell of the group that still needs one. */
static bool measure_group(struct measuring *now, const struct planned_group *group, unsigned invocation) {
    bool going = true;
    for (size_t i = 0; i < group->cells.count && going; i++) {
        struct planned_cell *cell = group->cells.at[latin_square(group->cells.count, invocation, i)];
        if (invocation < cell->options.invocations && !cell->finished[invocation] && cell->done < cell->needed &&
            !cell->dropped && !is_given_up(cell))
            going = measure_cell(now, cell, invocation);
    }
    return going;
}

/* Takes over the results that exist. */
static void prepare(struct measuring *now) {
    struct run_outcome *outcome = &now->run->outcome;
    foreach (cell, now->run->plan.cells) {
        cell->finished = allocate(cell->options.invocations, sizeof cell->finished[0]);
        cell->arguments = arguments_of(cell);
        cell->measured = allocate(cell->options.invocations, sizeof cell->measured[0]);
        take_value(now->run, cell, (double)NAN);
        outcome->anew += take_finished(now->run, cell);
        now->before += cell->spent;
        outcome->kept += cell->done;
        cell->unproven &= cell->done < cell->needed;
        outcome->unproven += cell->unproven;
        outcome->skipped += is_given_up(cell) ? cell->needed - cell->done : 0;
        outcome->failed_cells += cell->failures > 0;
    }
}

static unsigned first_missing(const struct planned_cell *cell) {
    unsigned missing = 0;
    while (cell->finished[missing])
        missing++;
    return missing;
}

/* Writes the rows of cells that are not measured because their deque is unproven. */
static void write_unproven(struct measuring *now) {
    struct text rows = {0}, none = {0};
    foreach (cell, now->run->plan.cells)
        if (cell->unproven)
            invocation_unproven(&rows, cell, first_missing(cell), now->run->host);
    if (rows.length > 0)
        now->run->outcome.unwritten = results_append(&now->run->results, &rows, &none);
}

static void announce(struct measuring *now, size_t wanted) {
    const struct run *run = now->run;
    const size_t kept = now->run->outcome.kept, anew = now->run->outcome.anew;
    const double left = seconds_left(now);
    if (!run->quiet && (kept > 0 || run->continued))
        progress_say("continuing %s: %s kept, %zu to come, about %s", run->results.folder, counted(kept, "invocation"),
                     wanted, duration_text(left, left));
    else if (!run->quiet)
        progress_say("%s, %s", counted(run->plan.cells.count, "cell"), estimate_text(run));
    if (anew > 0)
        progress_say("measured again, because the build or the options have changed: %s", counted(anew, "cell"));
}

/* Cells that are less precise than was asked for. */
static size_t count_imprecise(const struct plan *plan) {
    size_t count = 0;
    foreach (cell, plan->cells)
        count += cell->options.precision > 0 && cell->measured_count > 0 && !is_given_up(cell) &&
                 !(precision_of(cell->measured, cell->measured_count) <= cell->options.precision);
    return count;
}

/* Leaves out the sections of least worth that take too long, by the times that are known now; none if all do. */
static void find_late(struct measuring *now) {
    const struct plan *plan = &now->run->plan;
    const char *late = within_sections(now->run, seconds_left(now));
    bool any = false;
    foreach (cell, plan->cells)
        any |= !cell->dropped;
    foreach (cell, plan->cells)
        cell->dropped &= any;
    if (any && *late && !same(late, now->late))
        progress_say("no time is left for%s", late);
    now->late = any ? late : "";
}

/* Measures what the cells need. Returns false when the run has to stop. */
static bool measure_all(struct measuring *now) {
    const struct plan *plan = &now->run->plan;
    const double within = now->run->within;
    unsigned max = 0;
    foreach (cell, plan->cells)
        max = cell->options.invocations > max ? cell->options.invocations : max;
    if (within > 0 && max > PRECISION_LEAST)
        max = PRECISION_LEAST;
    bool going = !now->run->outcome.unwritten;
    for (unsigned invocation = 0; invocation < max && going; invocation++) {
        if (within > 0)
            find_late(now);
        for (size_t i = 0; i < plan->groups.count && going; i++)
            going = !(within > 0 && seconds_used(now) >= within) && measure_group(now, &plan->groups.at[i], invocation);
    }
    return going;
}

static bool is_open(const struct planned_cell *cell) {
    return cell->measured_count > 0 && cell->done < cell->options.invocations && !cell->dropped && !is_given_up(cell);
}

/* The first invocation that an open cell of the group lacks. */
static unsigned next_invocation(const struct planned_group *group) {
    unsigned next = UINT_MAX;
    foreach (cell, group->cells)
        if (is_open(*cell) && first_missing(*cell) < next)
            next = first_missing(*cell);
    return next;
}

/* Half of the widest interval of the group's cells that are open and not precise, in percent. It is asked of the first
 * 6, 12, ... values, as precision_needs does. 0: none is left, or no time. */
static double widest_of(const struct measuring *now, const struct planned_group *group, unsigned next) {
    double widest = 0, seconds = 0;
    size_t look = PRECISION_LEAST;
    while (2 * look <= next)
        look *= 2;
    foreach (at, group->cells) {
        const struct planned_cell *cell = *at;
        if (!is_open(cell))
            continue;
        const bool begun = cell->finished[next];
        const size_t values = cell->measured_count < look ? cell->measured_count : look;
        const double width = precision_of(cell->measured, values);
        widest = width > cell->options.precision ? fmax(widest, width) : widest;
        seconds += begun ? 0 : cell->seconds;
    }
    return seconds_used(now) + seconds <= now->run->within ? widest : 0;
}

/* The group with the widest interval has another invocation of each cell; so on until the time is used. */
static void measure_widest(struct measuring *now) {
    const struct planned_group *group;
    unsigned invocation = 0;
    do {
        double widest = 0;
        group = NULL;
        foreach (one, now->run->plan.groups) {
            const unsigned next = next_invocation(one);
            const double width = widest_of(now, one, next);
            if (width > widest) {
                widest = width;
                group = one;
                invocation = next;
            }
        }
        for (size_t i = 0; group && i < group->cells.count; i++)
            if (is_open(group->cells.at[i]) && !group->cells.at[i]->finished[invocation])
                group->cells.at[i]->needed = group->cells.at[i]->done + 1;
    } while (group && measure_group(now, group, invocation));
}

/* Returns 0; 2: an input was refused, and nothing else went wrong; 3: something cannot be done here, or a deque is
 * unproven; 4: a cell failed, or results could not be written; 130: interrupted. */
int runner_run(struct run *run) {
    struct run_outcome *outcome = &run->outcome;
    struct measuring now = {.run = run, .late = "", .start = seconds_now()};
    estimate_open(run);
    prepare(&now);
    const size_t wanted = invocations_left(&now);
    machine_share_topology();
    progress_begin(run->quiet);
    announce(&now, wanted);
    write_unproven(&now);
    now.at_the_end = measure_all(&now);
    if (now.at_the_end && measure_all(&now) && run->within > 0)
        measure_widest(&now);
    outcome->interrupted |= interrupted();
    progress_end();
    seconds_left(&now); /* of what was measured last, too */
    estimate_keep(run);
    outcome->imprecise = count_imprecise(&run->plan);
    if (outcome->interrupted)
        return 130;
    if (outcome->refused)
        return 2;
    if (outcome->unwritten || outcome->failed_cells > outcome->refused_cells)
        return 4;
    return outcome->refused_cells > 0 ? 2 : outcome->denied + outcome->unproven > 0 ? 3 : 0;
}
