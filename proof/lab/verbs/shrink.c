#include "harness/measuring/random.h"
#include "proof/lab/clients/program.h"
#include "proof/lab/verbs/verbs.h"
#include <string.h>

#define BOUND_MAX 4
#define TRIES 500 /* schedules of a smaller program */

static bool still_fails(const struct steps *candidate, enum fault_kind kind, struct steps *as_run) {
    bool fails = run_once(schedule_recorded(schedule_by_list(candidate), as_run))->kind == kind;
    as_run->accesses = machine.step;
    return fails;
}

/* Few switches make a schedule easy to follow; among equals, few accesses. */
static bool shorter(const struct steps *left, const struct steps *right) {
    size_t switches = steps_switches(left), others = steps_switches(right);
    return switches != others ? switches < others : left->accesses < right->accesses;
}

/* Last steps may be left out too: what follows a list is fixed. */
static void copy_without(const struct steps *from, size_t skipped, struct steps *to) {
    to->plain_points = from->plain_points;
    to->weak = from->weak;
    to->count = 0;
    for (size_t i = 0; i < from->count; i++)
        if (i != skipped)
            to->step[to->count++] = from->step[i];
}

/* Swaps steps i and i + 1 if they belong to different threads, so that steps of one thread become neighbours. */
static void copy_swapped(const struct steps *from, size_t i, struct steps *to) {
    copy_without(from, SIZE_MAX, to);
    to->step[i] = from->step[i + 1];
    to->step[i + 1] = from->step[i];
}

/* One pass of small changes. Returns true if one of them shortened the schedule. */
static bool improve(struct steps *steps, enum fault_kind kind, double deadline) {
    static struct steps candidate, as_run;
    for (size_t i = 0; i < 2 * steps->count && run_clock() < deadline; i++) {
        size_t at = i / 2;
        if (i % 2 == 0)
            copy_without(steps, at, &candidate);
        else if (at + 1 < steps->count)
            copy_swapped(steps, at, &candidate);
        else
            continue;
        if (still_fails(&candidate, kind, &as_run) && shorter(&as_run, steps)) {
            *steps = as_run;
            return true;
        }
    }
    return false;
}

/* Tries all schedules with few switches, the fewest first, up to the first bound at which one fails. Keeps the shortest
 * of those that fail. */
static bool search(struct steps *steps, enum fault_kind kind, bool plain_points, double deadline) {
    static struct steps as_run;
    bool found = false;
    for (unsigned bound = 0; bound <= BOUND_MAX && !found; bound++) {
        schedule_exhaustive_begin(bound, plain_points);
        do {
            enum fault_kind got = run_once(schedule_recorded(schedule_exhaustive(), &as_run))->kind;
            as_run.accesses = machine.step;
            if (got == kind && shorter(&as_run, steps)) {
                *steps = as_run;
                found = true;
            }
            if (run_clock() > deadline)
                return found;
        } while (schedule_exhaustive_advance());
    }
    return found;
}

void shrink(struct steps *steps, enum fault_kind kind, double seconds) {
    double now = run_clock();
    steps->accesses = UINT64_MAX;
    if (!search(steps, kind, false, now + seconds / 3))
        search(steps, kind, true, now + 2 * seconds / 3);
    while (improve(steps, kind, now + seconds))
        ;
}

/* Does the current program fail so under some schedule? Then *steps is the schedule. */
static bool program_fails(enum fault_kind kind, uint64_t seed, struct steps *steps) {
    if (!run_prepare(&program_client))
        return false;
    for (uint64_t i = 0; i < TRIES; i++) {
        uint64_t one = random_of(seed, i) >> 16;
        if (run_once(schedule_by_chance(one, run_length()))->kind != kind)
            continue;
        run_once(schedule_recorded(schedule_by_chance(one, run_length()), steps));
        return true;
    }
    return false;
}

void shrink_program(struct steps *steps, enum fault_kind kind, uint64_t seed, double seconds) {
    const double deadline = run_clock() + seconds;
    struct program smallest = program_now();
    for (unsigned way = 0; run_clock() < deadline && program_shrink(way);) {
        if (program_fails(kind, seed, steps)) {
            smallest = program_now();
            way = 0;
        } else {
            program_set(&smallest);
            way++;
        }
    }
    program_set(&smallest);
}
