/* runtime_test.c: tests of the lab's machine by litmus programs. Ends on "N passed, N failed". */
#include "proof/lab/engine/coherence.h"
#include "proof/lab/engine/machine.h"
#include "proof/lab/engine/schedule.h"
#include "proof/lab/engine/trace.h"
#include "tests/lab/litmus.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEDULES 4000
#define STEPS_MAX_IN_A_RUN 20000

static unsigned passed, failed;

static void check(bool condition, const char *what) {
    if (condition) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED: %s\n", what);
}

/* A program of two threads, and what a number of schedules made of it. */
struct program {
    litmus_body *body[LAB_THREADS];
    unsigned threads;
};
struct seen {
    unsigned long outcome[2][2]; /* by what the first two threads read */
    unsigned long noted[FAULT_CANNOT + 1], faults[FAULT_CANNOT + 1];
    unsigned long runs;
};

static void set_up(void) { litmus_shared = litmus_new(); }

static void prepare(void) {
    machine_reset();
    machine_begin(STEPS_MAX_IN_A_RUN);
    if (!machine_call(set_up))
        abort();
    memory_keep();
}

static bool run(const struct program *program, struct schedule *schedule) {
    memory_restore();
    memset(litmus_read, 0, sizeof litmus_read);
    machine_begin(STEPS_MAX_IN_A_RUN);
    return machine_run(program->body, program->threads, schedule);
}

static void add(struct seen *seen) {
    seen->runs++;
    seen->outcome[litmus_read[0] != 0][litmus_read[1] != 0]++;
    seen->faults[machine.fault.kind]++;
    seen->noted[machine.noted.kind]++;
}

static struct seen by_chance(const struct program *program) {
    struct seen seen = {0};
    prepare();
    for (uint64_t seed = 0; seed < SCHEDULES; seed++) {
        run(program, schedule_by_chance(seed, 12));
        add(&seen);
    }
    return seen;
}

static struct seen exhaustively(const struct program *program, unsigned bound) {
    struct seen seen = {0};
    prepare();
    schedule_exhaustive_begin(bound, true);
    do {
        run(program, schedule_exhaustive());
        add(&seen);
    } while (schedule_exhaustive_advance());
    return seen;
}

static struct program two(litmus_body *left, litmus_body *right) {
    return (struct program){.body = {left, right}, .threads = 2};
}

/* What programs may show. */

enum races { NOT_ASKED, NEVER_RACES, SOMETIMES_RACES };
struct rule {
    const char *what;
    litmus_body *body[LAB_THREADS];
    const char *seen, *unseen; /* what the first two threads read: "01 11" */
    enum races races;
};

/* clang-format off */
static const struct rule rules[] = {
    {"store buffering without fences shows every outcome", {sb_left, sb_right}, .seen = "00 01 10 11"},
    {"fences forbid 0, 0", {sb_fenced_left, sb_fenced_right}, .seen = "11", .unseen = "00"},
    {"seq_cst stores forbid 0, 0", {sb_seq_cst_left, sb_seq_cst_right}, .seen = "11", .unseen = "00"},
    {"exchanges forbid 0, 0", {sb_rmw_left, sb_rmw_right}, .seen = "11", .unseen = "00"},
    {"a heavy fence against a light one forbids 0, 0", {sb_light_left, sb_heavy_right}, .seen = "11", .unseen = "00"},
    {"a light fence against one that is not heavy forbids nothing", {sb_light_left, sb_fenced_right}, .seen = "00"},
    {"a message that is released and acquired has arrived: no race", {mp_write, mp_read}, .seen = "00 11", .unseen = "10",
     .races = NEVER_RACES},
    {"fences order a plain message: no race", {mp_fenced_write, mp_fenced_read}, .races = NEVER_RACES},
    {"a relaxed flag orders nothing: race", {mp_relaxed_write, mp_read}, .races = SOMETIMES_RACES},
    {"a relaxed store ends the release sequence: race", {mp_broken_write, mp_read}, .races = SOMETIMES_RACES},
    {"stores arrive in their order", {mp_atomic_write, mp_atomic_read}, .unseen = "10"},
    {"no load sees a store that comes after it", {lb_left, lb_right}, .unseen = "11"},
    {"a thread reads its own store at once, while the other does not see it yet", {forward_left, forward_right}, .seen = "11"},
    {"neighbouring fields do not race", {neighbours_left, neighbours_right}, .races = NEVER_RACES},
    {"a lock orders plain increments", {locked_left, locked_right}, .races = NEVER_RACES},
    {"memcpy races like any write", {copy_left, copy_right}, .races = SOMETIMES_RACES},

    {"weak: relaxed stores may be seen in another order", {mp_atomic_write, mp_atomic_read}, .seen = "10"},
    {"weak: a release alone orders nothing", {mp_release_write, mp_atomic_read}, .seen = "10"},
    {"weak: release and acquire do", {mp_release_write, mp_acquire_read}, .seen = "11", .unseen = "10"},
    {"weak: fences do", {mp_fence_between, mp_fence_after}, .seen = "00", .unseen = "10"},
    {"weak: a release sequence does", {mp_release_write, mp_counted_write, mp_count}, .seen = "11", .unseen = "10"},
    {"weak: nobody reads backwards", {coherence_write, coherence_read}, .seen = "01", .unseen = "10"},
    {"weak: no load sees a store that comes after it", {lb_left, lb_right}, .unseen = "11"},
    {"weak: store buffering without fences shows 0, 0", {sb_left, sb_right}, .seen = "00"},
    {"weak: fences forbid it", {sb_fenced_left, sb_fenced_right}, .seen = "11", .unseen = "00"},
    {"weak: seq_cst accesses forbid it", {sb_seq_cst_left, sb_seq_cst_right}, .unseen = "00"},
    {"weak: so do seq_cst accesses against a fence", {sb_seq_cst_left, sb_fenced_right}, .unseen = "00"},
    {"weak: a heavy fence against a light one does", {sb_light_left, sb_heavy_right}, .seen = "11", .unseen = "00"},
    {"weak: a fence against a light one does not", {sb_light_left, sb_fenced_right}, .seen = "00"},
    {"weak: readers may disagree on the order of two writers", {iriw_left, iriw_right, iriw_x, iriw_y}, .seen = "11"},
    {"weak: but for fences", {iriw_fenced_left, iriw_fenced_right, iriw_x, iriw_y}, .unseen = "11"},
    {"weak: and seq_cst", {iriw_seq_cst_left, iriw_seq_cst_right, iriw_seq_cst_x, iriw_seq_cst_y}, .unseen = "11"},
    {"weak: an acquire load is not in the order of seq_cst, though it synchronizes",
     {chain_left, chain_middle, chain_acquire}, .seen = "11"},
    {"weak: a seq_cst load is", {chain_left, chain_middle, chain_seq_cst}, .unseen = "11"},
    {"weak: a fence is not before what an acquire load has behind it", {chain_fenced, chain_middle, chain_acquire}, .seen = "11"},
    {"weak: a fence is before what a seq_cst load has behind it", {chain_fenced, chain_middle, chain_seq_cst}, .unseen = "11"},
    {"weak: release and acquire order a plain message: no race", {mp_write, mp_read}, .races = NEVER_RACES},
    {"weak: a relaxed flag orders nothing: race", {mp_relaxed_write, mp_read}, .races = SOMETIMES_RACES},
};
/* clang-format on */

/* Was each of these outcomes seen, or none of them? */
static bool outcomes_are(const char *outcomes, bool expected, const struct seen *seen) {
    bool good = true;
    for (; outcomes && *outcomes; outcomes += strspn(outcomes + 2, " ") + 2)
        good = good && (seen->outcome[outcomes[0] == '1'][outcomes[1] == '1'] > 0) == expected;
    return good;
}

static void test_rules(void) {
    for (const struct rule *rule = rules; rule < rules + sizeof rules / sizeof *rules; rule++) {
        const bool weak = strncmp(rule->what, "weak: ", 6) == 0;
        schedule_memory(weak);
        struct program program = {.threads = 2};
        memcpy(program.body, rule->body, sizeof program.body);
        while (program.threads < LAB_THREADS && program.body[program.threads])
            program.threads++;
        struct seen seen = by_chance(&program), all = exhaustively(&program, 4);
        bool races = seen.noted[FAULT_RACE] > 0;
        bool good = outcomes_are(rule->unseen, false, &seen) && outcomes_are(rule->unseen, false, &all) &&
                    (outcomes_are(rule->seen, true, &seen) || (weak && outcomes_are(rule->seen, true, &all)));
        check(good && (rule->races == NOT_ASKED || races == (rule->races == SOMETIMES_RACES)), rule->what);
    }
    schedule_memory(false);
}

static void test_races(void) {
    struct program racy = two(race_left, race_right);
    check(by_chance(&racy).noted[FAULT_RACE] == SCHEDULES, "plain increments race in every schedule");
    run(&racy, schedule_in_sequence());
    check(strstr(machine.noted.text, "owner") && strstr(machine.noted.text, "thief") && machine.noted.where[0] &&
              machine.noted.where[1],
          "a race names both threads and both places");
}

static void test_memory(void) {
    struct program use = two(free_it, use_it);
    struct seen seen = by_chance(&use);
    check(seen.faults[FAULT_FREED] > 0, "a read after free is found");
    check(seen.faults[FAULT_FREED] + seen.noted[FAULT_RACE] == SCHEDULES, "and the other order is a race");
    struct program twice = {{free_twice}, 1}, past = {{run_past_the_end}, 1}, nowhere = {{read_nowhere}, 1};
    struct program deep = {{recurse_for_ever}, 1};
    prepare();
    check(!run(&twice, schedule_in_sequence()) && machine.fault.kind == FAULT_FREED, "freed twice is found");
    check(!run(&past, schedule_in_sequence()) && machine.fault.kind == FAULT_WILD, "past the end is found");
    check(!run(&nowhere, schedule_in_sequence()) && machine.fault.kind == FAULT_WILD, "a wild read is found");
    check(!run(&deep, schedule_in_sequence()) && machine.fault.kind == FAULT_WILD, "a guard page ends a recursion");
    check(run(&use, schedule_in_turns(0)) || machine.fault.kind == FAULT_FREED, "and the lab goes on after it");
}

static void test_watchdog(void) {
    struct program waits = two(wait_for_ever, sb_left), deadlock = two(deadlock_left, deadlock_right);
    prepare();
    check(!run(&waits, schedule_by_chance(1, 12)) && machine.fault.kind == FAULT_HANGS &&
              machine.fault.step == STEPS_MAX_IN_A_RUN + 1,
          "a run without end is ended, and says at which access");
    check(!run(&waits, schedule_in_sequence()) && machine.fault.kind == FAULT_HANGS, "in any schedule");
    struct seen seen = by_chance(&deadlock);
    check(seen.faults[FAULT_HANGS] > 0 && seen.faults[FAULT_NONE] > 0, "a deadlock is found where there is one");
}

/* What a thread caused since the last call, of lines of 64 bytes, is this? */
static bool caused(unsigned thread, uint64_t transfers, uint64_t invalidations, uint64_t upgrades) {
    static struct coherence_counts before[LAB_CLOCKS];
    const struct coherence_counts *now = &coherence_counts[thread][COHERENCE_LINE], was = before[thread];
    before[thread] = *now;
    return now->transfers == was.transfers + transfers && now->invalidations == was.invalidations + invalidations &&
           now->upgrades == was.upgrades + upgrades;
}

static void test_coherence(void) {
    static const struct {
        const char *what;
        unsigned thread, at;
        bool write;
        unsigned transfers, invalidations, upgrades;
    } accesses[] = {
        {"a line that nobody else has", 0, 0, false, 0, 0, 0},
        {"is written to without a word (exclusive to modified)", 0, 56, true, 0, 0, 0},
        {"a modified line comes from its owner", 1, 0, false, 1, 0, 0},
        {"once", 1, 0, false, 0, 0, 0},
        {"and a third thread gets it too", 2, 0, false, 1, 0, 0},
        {"a write to a shared line upgrades it and makes two copies worthless", 0, 0, true, 0, 2, 1},
        {"a write to another's line fetches it and makes that copy worthless", 1, 0, true, 1, 1, 0},
        {"an access across a line's end touches both", 0, 60, true, 1, 1, 0},
        {"the second line too", 1, 72, false, 1, 0, 0},
        {"the next pair is another", 1, 128, true, 0, 0, 0},
    };
    coherence_forget();
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        coherence_touch(accesses[i].thread, MEMORY_BASE + accesses[i].at, 8, accesses[i].write);
        check(caused(accesses[i].thread, accesses[i].transfers, accesses[i].invalidations, accesses[i].upgrades),
              accesses[i].what);
    }
    check(coherence_counts[1][COHERENCE_PAIR].transfers == 3 && coherence_counts[0][COHERENCE_PAIR].transfers == 1,
          "a pair of lines is one line of 128 bytes");
    coherence_wrote(1, MEMORY_BASE + 8, 8);
    check(coherence_beside(0, MEMORY_BASE, COHERENCE_LINE) && !coherence_beside(0, MEMORY_BASE + 8, COHERENCE_LINE) &&
              !coherence_beside(1, MEMORY_BASE, COHERENCE_LINE),
          "a word is beside what another thread writes, not beside itself or its own");
    check(!coherence_beside(0, MEMORY_BASE + 64, COHERENCE_LINE) &&
              coherence_beside(0, MEMORY_BASE + 64, COHERENCE_PAIR),
          "one line apart is beside it in a pair");
}

/* The trace of a run, as text. */
static char *trace_of(const struct program *program, struct schedule *schedule) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    trace_begin();
    run(program, schedule);
    trace_end();
    trace_print(out, true);
    fclose(out);
    return text;
}

/* Two by two: the programs, and whether memory is weak. */
static void test_replay(void) {
    static struct steps steps, again, parsed;
    static char text[4096];
    const struct program programs[] = {{{iriw_left, iriw_right, iriw_x, iriw_y}, 4}, two(copy_left, copy_right)};
    bool by_seed = true, by_text = true, older = false;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct program *program = &programs[seed % 2];
        const bool weak = seed % 4 < 2;
        prepare();
        schedule_memory(weak);
        char *first = trace_of(program, schedule_recorded(schedule_by_chance(seed, 12), &steps));
        char *second = trace_of(program, schedule_by_chance(seed, 12));
        schedule_memory(false);
        by_text = by_text && steps_text(&steps, text, sizeof text) && steps_parse(text, &parsed) &&
                  parsed.weak == weak && parsed.plain_points == steps.plain_points;
        char *third = trace_of(program, schedule_recorded(schedule_by_list(&parsed), &again));
        by_seed = by_seed && strcmp(first, second) == 0;
        by_text = by_text && strcmp(first, third) == 0 && again.count == steps.count;
        older = older || strstr(first, "(1 newer store)");
        free(first);
        free(second);
        free(third);
    }
    check(by_seed, "a seed gives the same run again, to the byte");
    check(by_text, "a list of steps does, written and read, older values and all");
    check(older, "a trace says which loads read an older value");
    const char *wrong[] = {"x", "0*1,,1*1", "9*3", "0*1,", "d", "0", "0*1 1*2", "o", "o0", "0*1,ox"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check(!steps_parse(wrong[i], &parsed), "a list of steps that is none is refused");
}

static unsigned wrong_answers;
static void count_wrong_answers(void) { wrong_answers = litmus_wrong_answers(); }

static void test_arithmetic(void) {
    prepare();
    check(machine_call(count_wrong_answers) && wrong_answers == 0, "every atomic operation computes what C says");
}

/* Three accesses each: the number of schedules without a switch is known. */
static void test_exhaustive(void) {
    struct program program = two(count_left, count_right), relaxed = two(sb_left, sb_right);
    struct seen all = exhaustively(&relaxed, 3);
    check(outcomes_are("00 01 10 11", true, &all), "the exhaustive search shows all four outcomes");
    check(exhaustively(&program, 0).runs == 2 && exhaustively(&program, 1).runs > 2, "and goes as far as its bound");
}

int main(void) {
    static char no_globals[1];
    machine_open(no_globals, 0);
    test_arithmetic();
    test_rules();
    test_races();
    test_memory();
    test_watchdog();
    test_coherence();
    test_replay();
    test_exhaustive();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
