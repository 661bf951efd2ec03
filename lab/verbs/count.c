#include "lab/verbs/count.h"
#include "lab/clients/run.h"
#include "lab/clients/scene.h"
#include "lab/engine/entry.h"
#include <stdio.h>
#include <string.h>

#define CALLS 32
#define ITEMS 64 /* in the deque, where an operation has to find some */
#define CAPACITY 256
#define BATCH 16
#define STEPS_AT_MAX 10000000
#define LINES_MAX 4096

/* What one operation cost so far, in one situation. */
struct cost {
    uint64_t calls, lines;
    struct counters sum;
};

/* The operation that is running, thread by thread. */
static struct {
    struct counters before;
    uintptr_t line[LINES_MAX];
    size_t lines;
} running[LAB_CLOCKS];

static struct cost cost[LAB_CLOCKS];

static void touched(uintptr_t line) {
    for (size_t i = 0; i < running[machine.current].lines; i++)
        if (running[machine.current].line[i] == line)
            return;
    if (running[machine.current].lines < LINES_MAX)
        running[machine.current].line[running[machine.current].lines++] = line;
}

static void begin(unsigned thread) {
    running[thread].before = machine.thread[thread].counters;
    running[thread].lines = 0;
}

static void end(unsigned thread) {
    const struct counters *now = &machine.thread[thread].counters, *before = &running[thread].before;
    struct counters *sum = &cost[thread].sum;
    sum->loads += now->loads - before->loads;
    sum->stores += now->stores - before->stores;
    sum->rmws += now->rmws - before->rmws;
    sum->fences += now->fences - before->fences;
    sum->plain += now->plain - before->plain;
    for (int access = 0; access < ORDERED_ACCESSES; access++)
        for (int order = 0; order < MEMORY_ORDERS; order++)
            sum->by_order[access][order] += now->by_order[access][order] - before->by_order[access][order];
    cost[thread].lines += running[thread].lines;
    cost[thread].calls++;
}

/* Owners and thieves at work. Unmeasured preparation goes before a forget(). */

static void forget(void) { memset(&cost[machine.current], 0, sizeof cost[machine.current]); }

static int self_of_thief(void) { return operations.traits.needs_self ? (int)machine.current : -1; }

static void push_many(void) {
    for (int i = 0; i < CALLS; i++)
        scene_push(0);
}

static void pop_many(void) {
    for (int i = 0; i < CALLS; i++)
        scene_pop(0);
}

static void pop_last(void) { scene_pop(0); }

static void push_batches(void) {
    scene_push_batch(0, BATCH);
    scene_push_batch(0, BATCH);
}

static void steal_many(void) {
    void *item;
    for (int i = 0; i < CALLS; i++)
        scene_steal(0, self_of_thief(), &item);
}

static void steal_batches(void) {
    scene_steal_batch(0, self_of_thief(), 50, BATCH);
    scene_steal_batch(0, self_of_thief(), 50, BATCH);
}

static void steal_into(void) { scene_steal_into(0, 1); }

static void push_list(void) { scene_push_list(0, BATCH); }
static void steal_list(void) { scene_steal_list(0, self_of_thief(), 50); }

static void steal_while_owner_works(void) {
    void *item;
    while (machine.thread[0].state != THREAD_FINISHED)
        scene_steal(0, self_of_thief(), &item);
}

static void steal_batches_while_owner_works(void) {
    while (machine.thread[0].state != THREAD_FINISHED)
        scene_steal_batch(0, self_of_thief(), 50, BATCH);
}

static void push_and_pop_many(void) {
    for (int i = 0; i < CALLS; i++) {
        scene_push(0);
        scene_poll(0);
        scene_pop(0);
        scene_poll(0);
    }
}

/* Set-ups */

static void make(size_t items) {
    scene_make_deque(0, CAPACITY, 0, 0);
    if (operations.traits.needs_self || (operations.traits.native & DEQUE_STEAL_INTO))
        scene_make_deque(1, CAPACITY, 0, 1);
    scene_fill(0, items);
}
static void make_empty(void) { make(0); }
static void make_one(void) { make(1); }
static void make_some(void) { make(CALLS + scene_left()); }
static void make_many(void) { make(ITEMS + scene_left()); }

static void nothing(void) {}

struct measurement {
    const char *operation, *situation;
    unsigned needs;  /* a native form, or 0 */
    unsigned thread; /* whose operation is counted: 0 owner, 1 thief */
    bool contended;  /* both run, in turns */
    void (*set_up)(void);
    void (*body[2])(void);
};

static const struct measurement measurements[] = {
    {"push", "alone", 0, 0, false, make_empty, {push_many, nothing}},
    {"pop", "alone", 0, 0, false, make_many, {pop_many, nothing}},
    {"pop", "last item", 0, 0, false, make_one, {pop_last, nothing}},
    {"pop", "empty", 0, 0, false, make_empty, {pop_many, nothing}},
    {"steal", "alone", 0, 1, false, make_many, {nothing, steal_many}},
    {"steal", "empty", 0, 1, false, make_empty, {nothing, steal_many}},
    {"push_batch", "alone", DEQUE_PUSH_BATCH, 0, false, make_empty, {push_batches, nothing}},
    {"steal_batch", "alone", DEQUE_STEAL_BATCH, 1, false, make_many, {nothing, steal_batches}},
    {"steal_into", "alone", DEQUE_STEAL_INTO, 1, false, make_many, {nothing, steal_into}},
    {"push_list", "alone", DEQUE_LISTS, 0, false, make_empty, {push_list, nothing}},
    {"steal_list", "alone", DEQUE_LISTS, 1, false, make_many, {nothing, steal_list}},
    {"push", "one thief", 0, 0, true, make_some, {push_many, steal_while_owner_works}},
    {"pop", "one thief", 0, 0, true, make_some, {pop_many, steal_while_owner_works}},
    {"push_batch", "one thief", DEQUE_PUSH_BATCH, 0, true, make_some, {push_batches, steal_while_owner_works}},
    {"steal", "busy owner", 0, 1, true, make_some, {push_and_pop_many, steal_while_owner_works}},
    {"steal_batch",
     "busy owner",
     DEQUE_STEAL_BATCH,
     1,
     true,
     make_some,
     {push_and_pop_many, steal_batches_while_owner_works}},
};

static bool applies(const struct measurement *measurement) {
    bool thief = measurement->thread == 1 || measurement->contended;
    if (thief && (operations.traits.thieves == DEQUE_OWNER_ONLY || operations.traits.keeps_nothing))
        return false;
    return (operations.traits.native & measurement->needs) == measurement->needs;
}

static bool measure(const struct measurement *measurement) {
    static const struct scene_observer observer = {begin, end};
    memset(cost, 0, sizeof cost);
    scene_observe(&observer);
    entry_touched = touched;
    bool made = scene_begin(NULL, STEPS_AT_MAX, measurement->set_up);
    entry_counts_lines = true;
    for (machine.current = 0; machine.current < LAB_CLOCKS; machine.current++)
        forget();
    bool done = made && machine_run(measurement->body, 2,
                                    measurement->contended ? schedule_in_turns() : schedule_in_sequence());
    entry_counts_lines = false;
    scene_observe(NULL);
    return done;
}

static void print_row(const struct measurement *measurement, bool csv) {
    const struct cost *mean = &cost[measurement->thread];
    double calls = mean->calls ? (double)mean->calls : 1;
    const char *format =
        csv ? "%s,%s,%s,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n" : "%-24s %-12s %-10s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f\n";
    printf(format, operations.traits.id, measurement->operation, measurement->situation,
           (double)mean->sum.loads / calls, (double)mean->sum.stores / calls, (double)mean->sum.rmws / calls,
           (double)mean->sum.fences / calls, (double)mean->sum.plain / calls, (double)mean->lines / calls);
}

/* "1 relaxed + 1 acquire" */
static void orders_text(const uint64_t *by_order, double calls, char *text, size_t size) {
    static const char *const names[MEMORY_ORDERS] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    size_t length = 0;
    text[0] = 0;
    for (int order = 0; order < MEMORY_ORDERS; order++)
        if (by_order[order] && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%.4g %s", length ? " + " : "",
                                       (double)by_order[order] / calls, names[order]);
}

static void print_orders(const struct measurement *measurement) {
    const struct cost *mean = &cost[measurement->thread];
    double calls = mean->calls ? (double)mean->calls : 1;
    printf("%s,%s,%s", operations.traits.id, measurement->operation, measurement->situation);
    for (int access = 0; access < ORDERED_ACCESSES; access++) {
        char text[160];
        orders_text(mean->sum.by_order[access], calls, text, sizeof text);
        printf(",%s", text);
    }
    printf(",%.4g,%.4g\n", (double)mean->sum.fences / calls, (double)mean->sum.plain / calls);
}

static void print_head(enum count_form form) {
    if (form == COUNT_ORDERS)
        printf("deque,operation,situation,loads,stores,rmws,fences,plain\n");
    else if (form == COUNT_CSV)
        printf("deque,operation,situation,loads,stores,rmws,fences,plain,lines\n");
    else
        printf("%-24s %-12s %-10s %8s %8s %8s %8s %8s %8s\n", "deque", "operation", "situation", "loads", "stores",
               "rmws", "fences", "plain", "lines");
}

int count(enum count_form form) {
    bool failed = false;
    print_head(form);
    for (size_t i = 0; i < sizeof measurements / sizeof *measurements; i++) {
        if (!applies(&measurements[i]))
            continue;
        if (measure(&measurements[i])) {
            if (form == COUNT_ORDERS)
                print_orders(&measurements[i]);
            else
                print_row(&measurements[i], form == COUNT_CSV);
            continue;
        }
        char text[600];
        run_fault_text(&machine.fault, text, sizeof text);
        fprintf(stderr, "lab: %s: %s (%s) not counted: %s: %s\n", operations.traits.id, measurements[i].operation,
                measurements[i].situation, fault_name(machine.fault.kind), text);
        failed = failed || operations.traits.sound;
    }
    return failed;
}
