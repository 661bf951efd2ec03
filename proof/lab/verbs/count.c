#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/coherence.h"
#include "proof/lab/engine/trace.h"
#include "proof/lab/verbs/cost.h"
#include "proof/lab/verbs/verbs.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define CALLS 32
#define ITEMS 64 /* in the deque, for operations that have to find some */
#define CAPACITY 256
#define BATCH 16
#define BATCHES 8 /* rounds of batches; all pushed items fit */
#define STEPS_AT_MAX 10000000
#define SCHEDULES 32 /* schedules in turns, for each measurement */
#define OFTEN 16     /* with fewer calls of an outcome, its cheapest call may be missing */
#define THREADS 3

static void begin(unsigned thread) { cost_begin(thread); }
static void end(unsigned thread, enum deque_result outcome) { cost_end(thread, outcome); }

enum order {
    ALONE,  /* one thread after the other: the counts depend on one operation */
    ROUNDS, /* one operation each: the counts depend on which lines the others touched, not on how many accesses they
               made */
    TURNS   /* some accesses each: the counts depend on everything that the others do */
};

#define WHILE_OWNER_WORKS UINT_MAX

struct measurement {
    const char *operation, *situation;
    unsigned needs;  /* a native form that the deque must have, or 0 */
    unsigned thread; /* whose operation is counted: 0 the owner's, 1 a thief's */
    enum order order;
    size_t items; /* in the deque at first, without those that thieves leave if there are several */
    struct {
        void (*action)(void);
        unsigned times;
    } work[THREADS]; /* the owner's comes first */
};

static const struct measurement *measured;
static unsigned number; /* number of the schedule in turns */

static void push(void) { scene_push(0); }
static void pop(void) { scene_pop(0); }
static void push_and_pop(void) {
    scene_push(0);
    scene_poll(0);
    scene_pop(0);
    scene_poll(0);
}
static void push_some(void) {
    for (int n = BATCH; n > 0; n--)
        scene_push(0);
}
static void push_batch(void) { scene_push_batch(0, BATCH); }
static void push_reserved(void) { scene_push_reserved(0, BATCH); }
static void push_list(void) { scene_push_list(0, BATCH); }
static void steal(void) { scene_steal(0, machine.current); }
static void steal_batch(void) { scene_steal_batch(0, machine.current, 50, BATCH); }
static void steal_into(void) { scene_steal_into(0, 1); }
static void steal_list(void) { scene_steal_list(0, machine.current, 50); }

/* clang-format off */
static const struct measurement measurements[] = {
    {"push", "alone", 0, 0, ALONE, 0, {{push, CALLS}}},
    {"pop", "alone", 0, 0, ALONE, ITEMS, {{pop, CALLS}}},
    {"pop", "last item", 0, 0, ALONE, 1, {{pop, 1}}},
    {"pop", "empty", 0, 0, ALONE, 0, {{pop, CALLS}}},
    {"steal", "alone", 0, 1, ALONE, ITEMS, {{0}, {steal, CALLS}}},
    {"steal", "empty", 0, 1, ALONE, 0, {{0}, {steal, CALLS}}},
    {"push_batch", "alone", DEQUE_PUSH_BATCH, 0, ALONE, 0, {{push_batch, 2}}},
    {"reserve", "alone", DEQUE_RESERVE, 0, ALONE, 0, {{push_reserved, 2}}},
    {"steal_batch", "alone", DEQUE_STEAL_BATCH, 1, ALONE, ITEMS, {{0}, {steal_batch, 2}}},
    {"steal_into", "alone", DEQUE_STEAL_INTO, 1, ALONE, ITEMS, {{0}, {steal_into, 1}}},
    {"push_list", "alone", DEQUE_LISTS, 0, ALONE, 0, {{push_list, 1}}},
    {"steal_list", "alone", DEQUE_LISTS, 1, ALONE, ITEMS, {{0}, {steal_list, 1}}},

    {"push", "steals between", 0, 0, ROUNDS, CALLS, {{push, CALLS}, {steal, CALLS}}},
    {"pop", "steals between", 0, 0, ROUNDS, 3 * CALLS, {{pop, CALLS}, {steal, CALLS}}},
    {"steal", "pushes between", 0, 1, ROUNDS, CALLS, {{push, CALLS}, {steal, CALLS}}},
    {"steal", "pops between", 0, 1, ROUNDS, 3 * CALLS, {{pop, CALLS}, {steal, CALLS}}},
    {"steal", "steals between", 0, 1, ROUNDS, 3 * CALLS, {{0}, {steal, CALLS}, {steal, CALLS}}},
    {"push_batch", "steals between", DEQUE_PUSH_BATCH, 0, ROUNDS, CALLS, {{push_batch, BATCHES}, {steal, CALLS}}},
    {"steal_batch", "pushes between", DEQUE_STEAL_BATCH, 1, ROUNDS, CALLS, {{push_some, BATCHES}, {steal_batch, BATCHES}}},
    {"steal_into", "pushes between", DEQUE_STEAL_INTO, 1, ROUNDS, CALLS, {{push_some, BATCHES}, {steal_into, BATCHES}}},
    {"push_list", "steals between", DEQUE_LISTS, 0, ROUNDS, CALLS, {{push_list, BATCHES}, {steal_list, BATCHES}}},
    {"steal_list", "pushes between", DEQUE_LISTS, 1, ROUNDS, CALLS, {{push_list, BATCHES}, {steal_list, BATCHES}}},

    {"push", "one thief", 0, 0, TURNS, CALLS, {{push, CALLS}, {steal, WHILE_OWNER_WORKS}}},
    {"pop", "one thief", 0, 0, TURNS, CALLS, {{pop, CALLS}, {steal, WHILE_OWNER_WORKS}}},
    {"push_batch", "one thief", DEQUE_PUSH_BATCH, 0, TURNS, CALLS, {{push_batch, 2}, {steal, WHILE_OWNER_WORKS}}},
    {"steal", "busy owner", 0, 1, TURNS, CALLS, {{push_and_pop, CALLS}, {steal, WHILE_OWNER_WORKS}}},
    {"steal_batch", "busy owner", DEQUE_STEAL_BATCH, 1, TURNS, CALLS, {{push_and_pop, CALLS}, {steal_batch, WHILE_OWNER_WORKS}}},
};
/* clang-format on */

/* A thread of the measurement. In rounds each operation is followed by those of the others. */
static void work(void) {
    unsigned times = measured->work[machine.current].times;
    for (unsigned i = 0; i < times; i++) {
        if (times == WHILE_OWNER_WORKS && machine.thread[0].state == THREAD_FINISHED)
            return;
        measured->work[machine.current].action();
        if (measured->order != ROUNDS)
            continue;
        if (machine.current == 0)
            scene_poll(0);
        schedule_pass();
    }
}

/* Makes each deque in its owner's thread. */
static void set_up(void) {
    unsigned thieves = measured->work[2].times > 0 ? 2 : 1;
    cost_set_up_by = 0;
    scene_make_deque(0, CAPACITY, 0, 0);
    for (cost_set_up_by = 1; cost_set_up_by <= thieves; cost_set_up_by++)
        if (operations.traits.needs_self || (operations.traits.native & DEQUE_STEAL_INTO))
            scene_make_deque(cost_set_up_by, CAPACITY, 0, cost_set_up_by);
    cost_set_up_by = 0;
    scene_fill(0, measured->items + (measured->items > 1 ? scene_left() : 0));
}

static bool applies(const struct measurement *measurement) {
    bool thief = measurement->thread == 1 || measurement->order != ALONE;
    if (thief && (operations.traits.thieves == DEQUE_OWNER_ONLY || operations.traits.keeps_nothing))
        return false;
    if (measurement->work[2].times > 0 && operations.traits.thieves != DEQUE_MANY_THIEVES)
        return false;
    return (operations.traits.native & measurement->needs) == measurement->needs;
}

static bool run_measured(void) {
    static const struct scene_observer observer = {begin, end};
    static void (*const bodies[THREADS])(void) = {work, work, work};
    bool made = scene_begin(NULL, STEPS_AT_MAX, set_up);
    scene_observe(&observer);
    bool done = made && machine_run(bodies, THREADS,
                                    measured->order == ALONE    ? schedule_in_sequence()
                                    : measured->order == ROUNDS ? schedule_in_rounds()
                                                                : schedule_in_turns(number));
    scene_observe(NULL);
    return done;
}

static bool measure(const struct measurement *measurement) {
    bool done = true;
    cost_forget();
    measured = measurement;
    for (number = 0; done && number < (measurement->order == TURNS ? SCHEDULES : 1); number++)
        done = cost_measure(run_measured);
    return done;
}

/* By outcome. */
static const char *const outcome_names[] = {
    [DEQUE_OK] = "ok", [DEQUE_EMPTY] = "empty", [DEQUE_FULL] = "full", [DEQUE_LOST] = "lost"};

static void print_table_row(const struct measurement *measurement, const struct cost *mean, const char *outcome) {
    double calls = (double)mean->calls;
    const struct coherence_counts *lines = &mean->coherence[COHERENCE_LINE];
    printf("%-18s %-11s %-14s %-5s %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f\n", operations.traits.id,
           measurement->operation, measurement->situation, outcome, (double)mean->sum.loads / calls,
           (double)mean->sum.stores / calls, (double)mean->sum.rmws / calls, (double)mean->sum.fences / calls,
           (double)mean->sum.plain / calls, (double)mean->lines / calls, (double)lines->transfers / calls,
           (double)lines->invalidations / calls, (double)lines->upgrades / calls,
           (double)mean->beside[COHERENCE_LINE] / calls);
}

static void print_csv_row(const struct measurement *measurement, const struct cost *mean, const char *outcome) {
    cost_print(mean, operations.traits.id, measurement->operation, measurement->situation, outcome,
               measurement->order == TURNS ? "advisory" : "exact");
    if (measurement->order != TURNS)
        return;
    const struct access_counts *least = &mean->least;
    printf("%s,%s,%s (least),%s,%s,,%llu,%llu,%llu,%llu,,,,,,,,,,%llu,\n", operations.traits.id, measurement->operation,
           measurement->situation, outcome, mean->calls < OFTEN ? "advisory" : "exact",
           (unsigned long long)least->loads, (unsigned long long)least->stores, (unsigned long long)least->rmws,
           (unsigned long long)least->fences, (unsigned long long)least->plain);
}

/* "1 relaxed + 1 acquire" */
static void orders_text(const uint64_t *by_order, double calls, char *text, size_t size) {
    size_t length = 0;
    text[0] = 0;
    for (int order = 0; order < MEMORY_ORDERS; order++)
        if (by_order[order] && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%.4g %s", length ? " + " : "",
                                       (double)by_order[order] / calls, trace_order_name(order));
}

static void print_orders(const struct measurement *measurement, const struct cost *mean, const char *outcome) {
    double calls = (double)mean->calls;
    printf("%s,%s,%s,%s", operations.traits.id, measurement->operation, measurement->situation, outcome);
    for (int access = 0; access < ORDERED_ACCESSES; access++) {
        char text[160];
        orders_text(mean->sum.by_order[access], calls, text, sizeof text);
        printf(",%s", text);
    }
    printf(",%.4g,%.4g\n", (double)mean->sum.fences / calls, (double)mean->sum.plain / calls);
}

static void print_rows(const struct measurement *measurement, enum count_form form) {
    for (int outcome = 0; outcome <= DEQUE_LOST; outcome++) {
        const struct cost *mean = &cost[measurement->thread][outcome];
        if (mean->calls == 0)
            continue;
        if (form == COUNT_ORDERS)
            print_orders(measurement, mean, outcome_names[outcome]);
        else if (form == COUNT_CSV)
            print_csv_row(measurement, mean, outcome_names[outcome]);
        else
            print_table_row(measurement, mean, outcome_names[outcome]);
    }
}

static void print_head(enum count_form form) {
    if (form == COUNT_ORDERS)
        printf("deque,operation,situation,outcome,loads,stores,rmws,fences,plain\n");
    else if (form == COUNT_CSV)
        cost_print_head();
    else
        printf("%-18s %-11s %-14s %-5s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s\n", "deque", "operation", "situation",
               "gave", "loads", "stores", "rmws", "fences", "plain", "lines", "transf", "invali", "upgrad", "beside");
}

int count(enum count_form form) {
    bool failed = false;
    print_head(form);
    for (size_t i = 0; i < sizeof measurements / sizeof *measurements; i++) {
        if (!applies(&measurements[i]))
            continue;
        if (measure(&measurements[i])) {
            print_rows(&measurements[i], form);
            continue;
        }
        char text[600];
        run_fault_text(&machine.fault, text, sizeof text);
        fprintf(stderr, "stealbench lab: %s: %s (%s) not counted: %s: %s\n", operations.traits.id,
                measurements[i].operation, measurements[i].situation, fault_name(machine.fault.kind), text);
        failed = failed || operations.traits.sound;
    }
    return failed;
}
