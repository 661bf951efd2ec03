#include "harness/measuring/random.h"
#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/trace.h"
#include "proof/lab/verbs/verbs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLICE 400
#define SLICE 2000
#define SCHEDULES_OF_PROGRAM 50
#define SHRINK_SECONDS 0.8
#define BOUND_MAX 4          /* of a search for few switches */
#define TRIES_OF_SMALLER 500 /* schedules of a smaller program */
#define CHECK_CLOCK_EVERY 64
#define VACUOUS_AFTER 2000 /* within so many random schedules a thief has to get an item */

/* A client that is explored, and how thoroughly. */
struct explored {
    const struct client *client;
    uint64_t by_chance, exhaustive; /* schedules run */
    bool made;                      /* it is a program made by chance, each time another */
    uint64_t programs;              /* so many of them */
    bool complete;                  /* every schedule up to the bound was run */
    bool stolen;                    /* in some schedule a thief got an item */
};

struct found {
    const struct client *client;
    enum fault_kind kind;
    struct program program; /* if the client is one */
    struct steps steps;
};

static struct found found;
static struct explore_request request;
static struct explored *explored;
static size_t explored_count;
static double deadline;

static bool late(void) { return run_clock() > deadline; }

/* The seed of a client's schedule number index; and of a program's number index. */
static uint64_t schedule_seed(uint64_t seed, const struct client *client, uint64_t index) {
    uint64_t name = 0;
    for (const char *c = client == &program_client ? "programs" : client->name; *c; c++)
        name = random_of(name, (uint64_t)*c);
    return random_of(random_of(seed, name), index) >> 16;
}

/* Runs the schedule and returns the kind of the worst fault; if --fault names a kind, only that kind. */
static enum fault_kind outcome(struct schedule *schedule) {
    enum fault_kind worst = run_once(schedule)->kind;
    if (request.fault == FAULT_NONE || worst == request.fault)
        return worst;
    return machine.noted.kind == request.fault ? request.fault : FAULT_NONE;
}

/* Faults that end the search. After a race or a wrong answer the search goes on: there may be worse. */
static bool final(enum fault_kind kind) {
    return kind > FAULT_ANSWER || (request.fault != FAULT_NONE && kind == request.fault);
}

/* Keeps these steps of the client if their fault is the worst so far. Returns whether it ends the search. */
static bool keep(const struct client *client, enum fault_kind kind, const struct steps *steps) {
    if (kind > found.kind)
        found = (struct found){client, kind, program_now(), *steps};
    return final(kind);
}

/* Runs a schedule of the prepared client. Returns whether it ends the search. */
static bool explore_one(const struct client *client, struct schedule *schedule) {
    static struct steps steps;
    return keep(client, outcome(schedule_recorded(schedule, &steps)), &steps);
}

static void explore_by_chance(struct explored *of, uint64_t count) {
    for (uint64_t i = 0; i < count && (i % CHECK_CLOCK_EVERY != 1 || !late()); i++) {
        uint64_t one = schedule_seed(request.seed, of->client, of->by_chance++);
        if (explore_one(of->client, schedule_by_chance(one, run_length())))
            return;
    }
}

static void explore_exhaustively(struct explored *of, double seconds) {
    double until = run_clock() + seconds < deadline ? run_clock() + seconds : deadline;
    /* Plain accesses are points of their own only where a race says that they matter. */
    schedule_exhaustive_begin((unsigned)request.bound, found.kind == FAULT_RACE && found.client == of->client);
    do {
        of->exhaustive++;
        if (explore_one(of->client, schedule_exhaustive()) ||
            (of->exhaustive % CHECK_CLOCK_EVERY == 0 && run_clock() > until))
            return;
    } while (schedule_exhaustive_advance());
    of->complete = true;
}

/* Shrinking */

/* Few switches make a schedule easy to follow; among equals, few accesses. */
static bool shorter(const struct steps *left, const struct steps *right) {
    size_t switches = steps_switches(left), others = steps_switches(right);
    return switches != others ? switches < others : left->accesses < right->accesses;
}

/* Runs a schedule of the prepared client. If it ends in a fault of this kind and is shorter, it replaces *steps. */
static bool replaces(struct steps *steps, enum fault_kind kind, struct schedule *schedule) {
    static struct steps as_run;
    bool fails = run_once(schedule_recorded(schedule, &as_run))->kind == kind;
    as_run.accesses = machine.step;
    if (!fails || !shorter(&as_run, steps))
        return false;
    *steps = as_run;
    return true;
}

/* One pass of small changes: leaves out step i, or swaps steps i and i + 1, so that steps of one thread become
 * neighbours. What follows a list is fixed, so last steps may be left out, too. Returns true if a change shortened it.
 */
static bool improve(struct steps *steps, enum fault_kind kind, double until) {
    static struct steps candidate;
    for (size_t i = 0; i < 2 * steps->count && run_clock() < until; i++) {
        struct step *at = &candidate.step[i / 2];
        const size_t behind = steps->count - i / 2 - 1;
        memcpy(&candidate, steps, sizeof candidate - (STEPS_MAX - steps->count) * sizeof *at);
        if (i % 2 == 0) {
            memmove(at, at + 1, behind * sizeof *at);
            candidate.count--;
        } else if (behind > 0) {
            at[0] = at[1];
            at[1] = steps->step[i / 2];
        }
        if (replaces(steps, kind, schedule_by_list(&candidate)))
            return true;
    }
    return false;
}

/* Tries all schedules with few switches, the fewest first, up to the first bound at which one fails. Keeps the shortest
 * of those that fail. */
static bool search_few(struct steps *steps, enum fault_kind kind, bool plain_points, double until) {
    bool better = false;
    for (unsigned bound = 0; bound <= BOUND_MAX && !better; bound++) {
        schedule_exhaustive_begin(bound, plain_points);
        do {
            better = replaces(steps, kind, schedule_exhaustive()) || better;
            if (run_clock() > until)
                return better;
        } while (schedule_exhaustive_advance());
    }
    return better;
}

/* steps: a schedule of the prepared client that ends in a fault of this kind. Replaces it by the schedule with the
 * fewest switches found in time that ends in the same kind of fault. */
static void shrink(struct steps *steps, enum fault_kind kind) {
    double now = run_clock();
    steps->accesses = UINT64_MAX;
    if (!search_few(steps, kind, false, now + SHRINK_SECONDS / 3))
        search_few(steps, kind, true, now + 2 * SHRINK_SECONDS / 3);
    while (improve(steps, kind, now + SHRINK_SECONDS))
        continue;
}

/* Does the current program fail so under some schedule? Then *steps is the schedule. */
static bool program_fails(enum fault_kind kind, uint64_t seed, struct steps *steps) {
    static struct steps as_run;
    if (!run_prepare(&program_client))
        return false;
    for (uint64_t i = 0; i < TRIES_OF_SMALLER; i++) {
        uint64_t one = random_of(seed, i) >> 16;
        if (run_once(schedule_recorded(schedule_by_chance(one, run_length()), &as_run))->kind != kind)
            continue;
        *steps = as_run;
        return true;
    }
    return false;
}

/* The same for the current program, before: makes it smaller while it still fails so. */
static void shrink_program(struct steps *steps, enum fault_kind kind, uint64_t seed) {
    const double until = run_clock() + SHRINK_SECONDS;
    struct program smallest = program_now();
    for (unsigned way = 0; run_clock() < until && program_shrink(way);) {
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

/* Reports */

static void print_command(void) {
    static char text[STEPS_MAX];
    if (!steps_text(&found.steps, text, sizeof text))
        return;
    printf("  replay: %s explore%s", request.program, request.weak ? " --memory=weak" : "");
    if (store_buffer_depth != STORE_BUFFER_DEPTH)
        printf(" --buffer=%u", store_buffer_depth);
    if (scene_usual_block != SCENE_BLOCK)
        printf(" --block=%u", scene_usual_block);
    const char *quote = found.client == &program_client ? "'" : "";
    printf("%s --client=%s%s%s --replay='%s'\n", scene_options(), quote, found.client->name, quote, text);
}

static void print_fault(const struct fault *fault) {
    char text[600];
    fault_text(fault, text, sizeof text);
    printf("  %s: %s\n", fault_name(fault->kind), text);
}

/* Runs the kept schedule again with a trace, after the set-up, and prints what happens. */
static void report(void) {
    static struct steps as_run;
    if (!run_prepare(found.client)) {
        printf("%s: client %s: %s before any thread ran\n", operations.traits.id, found.client->name,
               fault_name(found.kind));
        print_fault(&machine.fault);
        return;
    }
    if (!request.quiet && !request.replay)
        shrink(&found.steps, found.kind);
    trace_begin();
    run_once(schedule_recorded(schedule_by_list(&found.steps), &as_run));
    trace_end();
    printf("%s: client %s: %s\n", operations.traits.id, found.client->name, fault_name(found.kind));
    if (machine.noted.kind != FAULT_NONE)
        print_fault(&machine.noted);
    if (machine.fault.kind != FAULT_NONE)
        print_fault(&machine.fault);
    if (request.quiet)
        return;
    size_t switches = steps_switches(&found.steps);
    printf("  shortest schedule found: %zu switch%s. The client: %s.\n\n", switches, switches == 1 ? "" : "es",
           found.client->summary);
    trace_print(stdout, found.kind == FAULT_RACE || found.kind == FAULT_STRANGER);
    printf("\n");
    print_command();
}

/* Prepares the client. A fault in the set-up, before any thread runs, counts like any other. */
static bool prepare(const struct client *client) {
    if (run_prepare(client))
        return true;
    if (machine.fault.kind > found.kind || machine.fault.kind == FAULT_CANNOT) {
        static const struct steps none;
        found.kind = FAULT_NONE;
        keep(client, machine.fault.kind, &none);
    }
    return false;
}

/* How many schedules programs get for each of a row. */
static uint64_t shares(const struct explored *of) { return of->made ? 1 + (uint64_t)explored_count / 4 : 1; }

static uint64_t schedules_left(const struct explored *of) { return request.schedules - of->by_chance / shares(of); }

/* Makes programs and runs each under some schedules. Returns false if a set-up fails. */
static bool explore_programs(struct explored *of, uint64_t count) {
    for (uint64_t done = 0; done < count && !late() && !final(found.kind); done += SCHEDULES_OF_PROGRAM) {
        program_by_chance(schedule_seed(~request.seed, of->client, of->programs++));
        if (!prepare(of->client))
            return false;
        explore_by_chance(of, SCHEDULES_OF_PROGRAM);
    }
    return true;
}

/* A client's turn. Returns false if a set-up fails. */
static bool explore_client(struct explored *of, unsigned round, double exhaustive_seconds) {
    uint64_t slice = round == 0 && !of->made ? FIRST_SLICE : SLICE;
    if (schedules_left(of) < slice)
        slice = schedules_left(of);
    if (of->made)
        return explore_programs(of, slice * shares(of));
    if (!prepare(of->client))
        return false;
    if (round == 1 && request.bound > 0)
        explore_exhaustively(of, exhaustive_seconds);
    else
        explore_by_chance(of, slice);
    return true;
}

static void search(void) {
    double exhaustive_seconds = request.seconds > 0 ? request.seconds / (2.0 * (double)explored_count) : 10;
    bool more = true;
    for (unsigned round = 0; more && !late(); round++) {
        more = false;
        for (struct explored *of = explored; of < explored + explored_count && !late(); of++) {
            scene_stolen = false;
            if (!explore_client(of, round, exhaustive_seconds))
                return;
            of->stolen = of->stolen || scene_stolen;
            if (final(found.kind))
                return;
            more = more || schedules_left(of) > 0 || round == 0;
        }
    }
}

static void print_progress(void) {
    for (const struct explored *of = explored; of < explored + explored_count; of++) {
        printf("  %-16s %8llu by chance", of->made ? "programs" : of->client->name, (unsigned long long)of->by_chance);
        if (of->made)
            printf(", of %llu programs", (unsigned long long)of->programs);
        if (of->exhaustive > 0)
            printf(", %llu %s bound %llu", (unsigned long long)of->exhaustive,
                   of->complete ? "(all) up to" : "of those up to", (unsigned long long)request.bound);
        printf("\n");
    }
}

/* A client in which a thief never got an item has shown nothing. */
static bool all_stolen(void) {
    bool all = true;
    for (const struct explored *of = explored; of < explored + explored_count; of++) {
        if (of->by_chance < VACUOUS_AFTER || of->stolen)
            continue;
        printf("%s: client %s shows nothing: in %llu schedules no thief got an item\n", operations.traits.id,
               of->made ? "programs" : of->client->name, (unsigned long long)of->by_chance);
        all = false;
    }
    return all;
}

static int replay(void) {
    found.client = explored->client;
    if (!steps_parse(request.replay, &found.steps)) {
        fprintf(stderr, "stealbench lab: '%s' is no schedule: steps, such as 0*12,1*3,d0,a0,1*\n", request.replay);
        return 2;
    }
    if (prepare(found.client))
        found.kind = run_once(schedule_by_list(&found.steps))->kind;
    request.quiet = false;
    report();
    return found.kind != FAULT_NONE;
}

static bool add(const struct client *client, bool made) {
    if (client->applies())
        explored[explored_count++] = (struct explored){.client = client, .made = made};
    return true;
}

/* Chooses the clients that are asked for and apply to this deque. Returns false if there is no such client. */
static bool choose(const char *name) {
    bool known = !name;
    free(explored);
    explored = calloc(client_count + 1, sizeof *explored);
    explored_count = 0;
    if (!explored)
        exit(4);
    if (name && strchr(name, '('))
        return program_parse(name) && add(&program_client, false);
    for (const struct client *client = clients; client < clients + client_count; client++)
        if (name ? strcmp(name, client->name) == 0 : !client->on_request)
            known = add(client, false);
    if (!name || strcmp(name, "programs") == 0)
        known = add(&program_client, true);
    return known;
}

static void list_clients(const char *unknown) {
    fprintf(stderr,
            "stealbench lab: no client '%s'; there are programs, which are made by chance, and these (the model "
            "checker's, marked *, only when they are named):\n",
            unknown);
    for (const struct client *client = clients; client < clients + client_count; client++)
        fprintf(stderr, "%c %-22s %s\n", client->on_request ? '*' : ' ', client->name, client->summary);
}

bool explore_found_race(void) { return found.kind == FAULT_RACE; }

int explore(const struct explore_request *asked) {
    request = *asked;
    found = (struct found){.kind = FAULT_NONE};
    schedule_memory(request.weak);
    if (!choose(request.client)) {
        list_clients(request.client);
        return 2;
    }
    if (explored_count == 0) {
        printf("%s: nothing to explore: %s\n", operations.traits.id,
               request.client ? "this client needs what the deque does not have" : "no thief, or no storage");
        return 0;
    }
    deadline = request.seconds > 0 ? run_clock() + request.seconds : 1e18;
    if (request.replay)
        return replay();
    search();
    if (found.kind == FAULT_NONE) {
        print_progress();
        if (!all_stolen())
            return 1;
        printf("%s: no fault found on %s\n", operations.traits.id,
               request.weak ? "weak memory" : "x86's memory; --memory=weak allows more");
        return 0;
    }
    if (found.client == &program_client) {
        program_set(&found.program);
        if (!request.quiet && explored[explored_count - 1].made)
            shrink_program(&found.steps, found.kind, request.seed);
    }
    report();
    return 1;
}
