#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/coherence.h"
#include "proof/lab/engine/entry.h"
#include "proof/lab/engine/trace.h"
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
static unsigned number;    /* number of the schedule in turns */
static unsigned set_up_by; /* whose cache the set-up works in: main has none */

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
static void push_batch(void) { scene_push_several(0, BATCH, "push_batch", operations.push_batch); }
static void push_reserved(void) { scene_push_several(0, BATCH, "push_reserved", operations.push_reserved); }
static void push_list(void) { scene_push_several(0, BATCH, "push_list", operations.push_list); }
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
static void set_up_measured(void) {
    unsigned thieves = measured->work[2].times > 0 ? 2 : 1;
    set_up_by = 0;
    scene_make_deque(0, CAPACITY, 0, 0);
    for (set_up_by = 1; set_up_by <= thieves; set_up_by++)
        if (operations.traits.needs_self || (operations.traits.native & DEQUE_STEAL_INTO))
            scene_make_deque(set_up_by, CAPACITY, 0, set_up_by);
    set_up_by = 0;
    scene_fill(0, measured->items + (measured->items > 1 ? scene_left : 0));
}

static bool applies(const struct measurement *measurement) {
    bool thief = measurement->thread == 1 || measurement->order != ALONE;
    if (thief && (operations.traits.thieves == DEQUE_OWNER_ONLY || operations.traits.keeps_nothing))
        return false;
    if (measurement->work[2].times > 0 && operations.traits.thieves != DEQUE_MANY_THIEVES)
        return false;
    return (operations.traits.native & measurement->needs) == measurement->needs;
}

/* What the calls of the measured operation cost together, by outcome. */

#define OUTCOMES (DEQUE_LOST + 1)
#define WORDS_MAX 4096
#define WORD 8
#define LINE_BYTES 64

static struct cost {
    uint64_t calls, lines;
    struct access_counts sum, least; /* sum over all calls; least: for each count, the cheapest call's */
    struct coherence_counts coherence[COHERENCE_WIDTHS];
    uint64_t beside[COHERENCE_WIDTHS]; /* words touched on lines where another thread writes another word */
} cost[OUTCOMES];

static bool inside[LAB_CLOCKS]; /* is the thread in an operation? */
static bool notes_writes;       /* the first of two runs, which learns who writes what */

/* The call that the measured thread is in. */
static struct {
    struct access_counts before;
    struct coherence_counts coherence[COHERENCE_WIDTHS];
    uintptr_t word[WORDS_MAX];
    size_t words, lines;
} call;

static void note_word(uintptr_t word) {
    bool known_line = false;
    for (size_t i = 0; i < call.words; i++) {
        if (call.word[i] == word)
            return;
        known_line = known_line || call.word[i] / LINE_BYTES == word / LINE_BYTES;
    }
    if (call.words == WORDS_MAX)
        return;
    call.word[call.words++] = word;
    call.lines += !known_line;
}

static void touched(uintptr_t address, size_t bytes, bool write) {
    unsigned thread = machine.current == LAB_MAIN ? set_up_by : machine.current;
    coherence_touch(thread, address, bytes, write);
    if (inside[thread] && write && notes_writes)
        coherence_wrote(thread, address, bytes);
    for (uintptr_t word = address / WORD * WORD; inside[thread] && thread == measured->thread && word < address + bytes;
         word += WORD)
        note_word(word);
}

/* Counts are structs of uint64_t only. */
#define COUNTS_IN(counts) (sizeof(counts) / sizeof(uint64_t))

static void add_accesses(struct cost *to) {
    const uint64_t *now = (const uint64_t *)&machine_self()->counters, *before = (const uint64_t *)&call.before;
    uint64_t *sum = (uint64_t *)&to->sum, *least = (uint64_t *)&to->least;
    for (size_t i = 0; i < COUNTS_IN(to->sum); i++) {
        uint64_t one = now[i] - before[i];
        sum[i] += one;
        if (to->calls == 0 || one < least[i])
            least[i] = one;
    }
}

static void add_coherence(struct cost *to) {
    for (enum coherence_width width = COHERENCE_LINE; width < COHERENCE_WIDTHS; width++) {
        const uint64_t *now = (const uint64_t *)&coherence_counts[measured->thread][width];
        const uint64_t *before = (const uint64_t *)&call.coherence[width];
        uint64_t *sum = (uint64_t *)&to->coherence[width];
        for (size_t i = 0; i < COUNTS_IN(to->coherence[width]); i++)
            sum[i] += now[i] - before[i];
        for (size_t i = 0; i < call.words; i++)
            to->beside[width] += coherence_beside(measured->thread, call.word[i], width);
    }
}

static void call_begins(void) {
    inside[machine.current] = machine.current != LAB_MAIN;
    if (machine.current != measured->thread)
        return;
    call.before = machine_self()->counters;
    memcpy(call.coherence, coherence_counts[measured->thread], sizeof call.coherence);
    call.words = call.lines = 0;
}

static void call_ends(enum deque_result outcome) {
    inside[machine.current] = false;
    if (machine.current != measured->thread || notes_writes)
        return;
    struct cost *of = &cost[outcome];
    add_accesses(of);
    add_coherence(of);
    of->lines += call.lines;
    of->calls++;
}

/* Measuring */

static bool run_measured(void) {
    static void (*const bodies[THREADS])(void) = {work, work, work};
    bool made = scene_begin(STEPS_AT_MAX, set_up_measured);
    scene_begins = call_begins, scene_ends = call_ends;
    bool done = made && machine_run(bodies, THREADS,
                                    measured->order == ALONE    ? schedule_in_sequence()
                                    : measured->order == ROUNDS ? schedule_in_rounds()
                                                                : schedule_in_turns(number));
    scene_begins = NULL, scene_ends = NULL;
    return done;
}

/* Runs twice, with empty caches: first to learn which thread writes what, then to count. */
static bool run_twice(void) {
    bool done = true;
    coherence_forget();
    for (int pass = 0; done && pass < 2; pass++) {
        notes_writes = pass == 0;
        coherence_empty();
        memset(inside, 0, sizeof inside);
        entry_touched = touched;
        done = run_measured();
        entry_touched = NULL;
    }
    return done;
}

static bool measure(const struct measurement *measurement) {
    bool done = true;
    memset(cost, 0, sizeof cost);
    measured = measurement;
    for (number = 0; done && number < (measurement->order == TURNS ? SCHEDULES : 1); number++)
        done = run_twice();
    return done;
}

/* Printing */

static const char *const outcome_names[OUTCOMES] = {
    [DEQUE_OK] = "ok", [DEQUE_EMPTY] = "empty", [DEQUE_FULL] = "full", [DEQUE_LOST] = "lost"};

#define MEAN(count) ((double)of->count / (double)of->calls)

static void print_table_row(const struct cost *of, const char *outcome) {
    printf("%-18s %-11s %-14s %-5s %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f\n", operations.traits.id,
           measured->operation, measured->situation, outcome, MEAN(sum.loads), MEAN(sum.stores), MEAN(sum.rmws),
           MEAN(sum.fences), MEAN(sum.plain), MEAN(lines), MEAN(coherence[COHERENCE_LINE].transfers),
           MEAN(coherence[COHERENCE_LINE].invalidations), MEAN(coherence[COHERENCE_LINE].upgrades),
           MEAN(beside[COHERENCE_LINE]));
}

static void print_least(const struct cost *of, const char *outcome) {
    const struct access_counts *least = &of->least;
    printf("%s,%s,%s (least),%s,%s,,%llu,%llu,%llu,%llu,,,,,,,,,,%llu,\n", operations.traits.id, measured->operation,
           measured->situation, outcome, of->calls < OFTEN ? "advisory" : "exact", (unsigned long long)least->loads,
           (unsigned long long)least->stores, (unsigned long long)least->rmws, (unsigned long long)least->fences,
           (unsigned long long)least->plain);
}

static void print_csv_row(const struct cost *of, const char *outcome) {
    printf("%s,%s,%s,%s,%s,%llu,%.4f,%.4f,%.4f,%.4f", operations.traits.id, measured->operation, measured->situation,
           outcome, measured->order == TURNS ? "advisory" : "exact", (unsigned long long)of->calls, MEAN(sum.loads),
           MEAN(sum.stores), MEAN(sum.rmws), MEAN(sum.fences));
    for (int width = 0; width < COHERENCE_WIDTHS; width++)
        printf(",%.4f,%.4f,%.4f,%.4f", MEAN(coherence[width].transfers), MEAN(coherence[width].invalidations),
               MEAN(coherence[width].upgrades), MEAN(beside[width]));
    printf(",%.4f,%.4f,%.4f\n", MEAN(sum.system_calls), MEAN(sum.plain), MEAN(lines));
    if (measured->order == TURNS)
        print_least(of, outcome);
}

static void print_head(bool csv) {
    if (csv)
        printf(
            "deque,operation,situation,outcome,rule,calls,loads,stores,rmws,fences,transfers,invalidations,upgrades,"
            "false_sharing,transfers_128,invalidations_128,upgrades_128,false_sharing_128,system_calls,plain,lines\n");
    else
        printf("%-18s %-11s %-14s %-5s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s\n", "deque", "operation", "situation",
               "gave", "loads", "stores", "rmws", "fences", "plain", "lines", "transf", "invali", "upgrad", "beside");
}

static bool count_one(const struct measurement *measurement, bool csv) {
    if (!measure(measurement)) {
        char text[600];
        fault_text(&machine.fault, text, sizeof text);
        fprintf(stderr, "stealbench lab: %s: %s (%s) not counted: %s: %s\n", operations.traits.id,
                measurement->operation, measurement->situation, fault_name(machine.fault.kind), text);
        return false;
    }
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        if (cost[outcome].calls > 0)
            (csv ? print_csv_row : print_table_row)(&cost[outcome], outcome_names[outcome]);
    return true;
}

int count(bool csv) {
    bool failed = false;
    print_head(csv);
    for (size_t i = 0; i < sizeof measurements / sizeof *measurements; i++)
        if (applies(&measurements[i]) && !count_one(&measurements[i], csv))
            failed = operations.traits.sound;
    return failed;
}
