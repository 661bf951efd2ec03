#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/memory.h"
#include "proof/lab/engine/trace.h"
#include "proof/lab/verbs/verbs.h"
#include <stdio.h>
#include <string.h>

#define STOP_CAPACITY 8
#define STOP_ITEMS 4
#define TRIES_ALONE 4            /* a survivor has failed after so many tries */
#define TRIES_WHILE_ANSWERED 200 /* the owner is slow */
#define STEPS_ALONE 100000       /* any operation of a thread that runs alone must end within so many accesses */
#define STOPS 8                  /* how often a thief stands still */
#define GROWTHS_MAX 2            /* how many of these may need memory: then there is enough for one thief */
#define LACKING_TURNS 2
#define FAIL_MAX 4    /* allocations of which one fails */
#define PASSING 65536 /* items: then counters of 16 bits are as they were */
enum { OWNER, THIEF, OTHER_THIEF };

enum verdict { UNTRIED, WORKS, STARVES, HANGS, LOSES };
static const char *const verdict_names[] = {"-", "ok", "starves", "hangs", "loses"};

enum operation { PUSH, POP, STEAL, PUSH_BATCH, STEAL_BATCH, STEAL_INTO, OPERATIONS };
#define SURVIVORS 3 /* push, pop, steal */

/* The worst result of an operation while another thread was stopped, and the first stop with that result. */
struct outcome {
    enum verdict verdict;
    uint64_t first, last; /* accesses before the stop: the first and the last stop with this result */
    uintptr_t where;      /* return address of the last access before the first bad stop; 0: none */
    const char *start;    /* the start state */
    char text[400];       /* what happened there */
};

/* The experiment that is running. */
static struct {
    unsigned stopped_thread;
    enum operation stopped;
    size_t items;
    size_t expected, got; /* items that the survivor should get, and those it got */
    bool refused;         /* a push was told FULL although there was room */
    bool only_pushes;     /* no pops between the pushes: for a deque that claims something only for pushes */
    bool popping;         /* such a pop is in progress */
    uintptr_t stopped_where;
} now;

/* What is stopped */

static void do_push(void) { scene_push(0); }
static void do_pop(void) { scene_pop(0); }
static void do_steal(void) { scene_steal(0, THIEF); }
static void do_push_batch(void) { scene_push_several(0, 2, "push_batch", operations.push_batch); }
static void do_steal_batch(void) { scene_steal_batch(0, THIEF, 50, 2); }
static void do_steal_into(void) { scene_steal_into(0, THIEF); }

/* needs: a native form; holds: how many items the stopped operation may hold (STEAL_INTO differs). */
static const struct {
    const char *name;
    void (*body)(void);
    unsigned thread, needs;
    size_t holds;
} stoppable[OPERATIONS] = {{"push", do_push, OWNER, 0, 0},
                           {"pop", do_pop, OWNER, 0, 1},
                           {"steal", do_steal, THIEF, 0, 1},
                           {"push_batch", do_push_batch, OWNER, DEQUE_PUSH_BATCH, 0},
                           {"steal_batch", do_steal_batch, THIEF, DEQUE_STEAL_BATCH, 2},
                           {"steal_into", do_steal_into, THIEF, DEQUE_STEAL_INTO, 0}};

/* Where thieves have to ask, the owner keeps working beside them. */
static bool asks(void) { return operations.traits.native & DEQUE_POLL; }

static size_t in_hand(void) {
    return now.stopped == STEAL_INTO ? (now.items + 1) / 2 + 1 : stoppable[now.stopped].holds;
}

/* What survives */

/* Pushes and pops until any ring has gone round twice. A push may be told FULL now and then, but not TRIES_ALONE times
 * in a row. Without pops it pushes as many items as there is room for. */
static void survive_push(void) {
    struct place *place = scene_place(0);
    size_t rounds = 2 * (place->capacity ? place->capacity : STOP_CAPACITY) + 2;
    if (now.only_pushes && place->capacity)
        rounds = place->capacity > place->pushed ? place->capacity - place->pushed : 0;
    for (size_t i = 0; i < rounds && !now.refused; i++) {
        bool pushed = false;
        for (int tries = 0; tries < TRIES_ALONE && !pushed; tries++) {
            pushed = scene_push(0);
            if (now.only_pushes)
                continue;
            now.popping = true;
            scene_pop(0);
            now.popping = false;
        }
        now.refused = !pushed;
    }
}

static void survive_pop(void) {
    for (size_t failed = 0; failed < TRIES_ALONE;) {
        if (scene_pop(0))
            now.got++;
        else
            failed++;
        scene_poll(0);
    }
}

static void survive_steal(void) {
    unsigned thief = now.stopped_thread == THIEF ? OTHER_THIEF : THIEF;
    size_t tries = machine.thread[OWNER].state == THREAD_READY ? TRIES_WHILE_ANSWERED : TRIES_ALONE;
    for (size_t failed = 0; failed < tries && now.got < now.items;)
        if (operations.steal_list ? scene_steal_list(0, thief, 100) > 0 : scene_steal(0, thief) != NULL)
            now.got++;
        else
            failed++;
}

/* The owner of a deque whose thieves have to ask: works as long as a thief asks. */
static void answer(void) {
    unsigned thief = now.stopped_thread == THIEF ? OTHER_THIEF : THIEF;
    void *item = scene_pop(0);
    while (machine.thread[thief].state == THREAD_READY) {
        scene_poll(0);
        if (item)
            scene_push_again(0, item);
        item = scene_pop(0);
    }
    if (item)
        scene_push_again(0, item);
}

static void (*const survivor_bodies[SURVIVORS])(void) = {survive_push, survive_pop, survive_steal};

static unsigned survivor_thread(enum operation survivor) {
    if (survivor != STEAL)
        return OWNER;
    return now.stopped_thread == THIEF ? OTHER_THIEF : THIEF;
}

/* Is there a thread for this operation? No thread replaces the stopped one, and some deques allow one thief at a time.
 */
static bool can_survive(enum operation survivor) {
    if (survivor_thread(survivor) == now.stopped_thread)
        return false;
    if (survivor == STEAL && now.stopped_thread == THIEF)
        return operations.traits.thieves == DEQUE_MANY_THIEVES;
    return true;
}

/* The owner must get every item that no other thread holds. A thief must get one item: how many more it may take
 * depends on the deque. */
static size_t expected_items(enum operation survivor) {
    size_t gone = in_hand() + (survivor == STEAL ? scene_left : 0);
    size_t rest = now.items > gone ? now.items - gone : 0;
    return survivor == STEAL && rest > 1 ? 1 : rest;
}

/* One experiment */

static void set_up_experiment(void) {
    scene_make_deque(0, STOP_CAPACITY + scene_left, 0, OWNER);
    for (unsigned thief = THIEF; thief <= OTHER_THIEF; thief++)
        if (operations.traits.needs_self || (thief == THIEF && now.stopped == STEAL_INTO))
            scene_make_deque(thief, STOP_CAPACITY + scene_left, 0, thief);
    now.items = scene_fill(0, now.items);
}

static size_t missing;
static void look_for_missing(void) { missing = scene_missing(NULL, 0); }

static bool start_over(void) {
    if (!scene_begin(STEPS_ALONE, set_up_experiment))
        return false;
    races_begin();
    return true;
}

static bool go_on(void) {
    machine.step = 0;
    machine_release_stopped(now.stopped_thread);
    return machine_continue(schedule_in_sequence());
}

/* The thread runs alone until it has made so many accesses more. Returns false on a fault. */
static bool run_until(uint64_t stop_at) {
    machine_release_stopped(now.stopped_thread);
    machine.step = 0;
    machine_start_thread(now.stopped_thread, stoppable[now.stopped].body);
    struct lab_thread *stopped = &machine.thread[now.stopped_thread];
    stopped->stop_at = stop_at == NEVER ? NEVER : stopped->points + stop_at;
    return machine_continue(schedule_in_sequence());
}

static bool run_stopped(uint64_t stop_at) { return start_over() && run_until(stop_at); }

static enum verdict verdict_of_fault(void) {
    const enum fault_kind kind = machine.fault.kind;
    return kind == FAULT_NONE ? WORKS : kind == FAULT_HANGS ? HANGS : kind == FAULT_CANNOT ? UNTRIED : LOSES;
}

/* When the survivor has ended, the stopped thread goes on. Then no item may be missing. */
static enum verdict judge_items(enum operation survivor) {
    if (!go_on() || !machine_call(look_for_missing))
        return verdict_of_fault();
    if (missing > 0 && !operations.traits.keeps_nothing) {
        snprintf(machine.fault.text, sizeof machine.fault.text,
                 "%zu item%s missing when the stopped thread had gone on", missing, missing == 1 ? " is" : "s are");
        return LOSES;
    }
    if (survivor == PUSH ? now.refused : now.got < now.expected) {
        if (survivor == PUSH)
            snprintf(machine.fault.text, sizeof machine.fault.text, "push always says FULL");
        else
            snprintf(machine.fault.text, sizeof machine.fault.text, "%s gets %zu items, and %zu%s must be there",
                     stoppable[survivor].name, now.got, now.expected, survivor == STEAL ? " or more" : "");
        return STARVES;
    }
    return WORKS;
}

static enum verdict try_survivor(enum operation survivor) {
    bool answered = survivor == STEAL && asks() && now.stopped_thread != OWNER;
    machine.step = 0;
    now.expected = expected_items(survivor);
    now.got = 0;
    now.refused = now.popping = false;
    machine_start_thread(survivor_thread(survivor), survivor_bodies[survivor]);
    if (answered)
        machine_start_thread(OWNER, answer);
    if (!machine_continue(answered ? schedule_in_turns(0) : schedule_in_sequence()))
        return verdict_of_fault();
    return judge_items(survivor);
}

static void note(struct outcome *outcome, enum verdict verdict, uint64_t stop_at, uintptr_t where, const char *start) {
    if (verdict == outcome->verdict && stop_at > outcome->last)
        outcome->last = stop_at;
    if (verdict <= outcome->verdict)
        return;
    outcome->verdict = verdict;
    outcome->first = outcome->last = stop_at;
    outcome->where = where;
    outcome->start = start;
    struct fault said = machine.fault;
    fault_text(&said, outcome->text, sizeof outcome->text);
}

/* Stops after so many accesses and tries the survivor. If a pop between the pushes hangs, tries pushes alone. */
static bool stop_and_try(enum operation survivor, size_t items, uint64_t stop_at, enum verdict *verdict) {
    for (now.only_pushes = false;; now.only_pushes = true) {
        now.items = items;
        if (!run_stopped(stop_at))
            return false;
        now.stopped_where = stop_at ? machine.thread[now.stopped_thread].previous_where : 0;
        *verdict = try_survivor(survivor);
        if (*verdict != HANGS || !now.popping)
            return true;
    }
}

/* Stops at every access, from one start state. Returns how many accesses the operation makes; 0: it cannot run. */
static uint64_t stop_everywhere(size_t items, const char *start, struct outcome *outcomes) {
    now.items = items;
    if (!run_stopped(NEVER))
        return 0;
    uint64_t accesses = machine.thread[now.stopped_thread].points;
    for (enum operation survivor = PUSH; survivor < SURVIVORS; survivor++) {
        if (!can_survive(survivor))
            continue;
        for (uint64_t stop_at = 0; stop_at < accesses; stop_at++) {
            enum verdict verdict;
            if (!stop_and_try(survivor, items, stop_at, &verdict))
                return 0;
            note(&outcomes[survivor], verdict, stop_at, now.stopped_where, start);
        }
    }
    return accesses;
}

/* What is claimed, and whether it holds */

static enum deque_progress claim(enum operation survivor) {
    const struct deque_traits *traits = &operations.traits;
    return survivor == PUSH ? traits->push_progress : survivor == POP ? traits->pop_progress : traits->steal_progress;
}

static const char *claim_name(enum operation survivor) {
    static const char *const names[] = {"blocking", "obstruction-free", "lock-free", "wait-free"};
    return names[claim(survivor)];
}

static bool contradicts(enum operation survivor, const struct outcome *outcome) {
    return outcome->verdict == LOSES || (outcome->verdict > WORKS && claim(survivor) != DEQUE_BLOCKING);
}

static void print_cell(const struct outcome *outcome) {
    char text[40];
    if (outcome->verdict <= WORKS)
        snprintf(text, sizeof text, "%s", verdict_names[outcome->verdict]);
    else
        snprintf(text, sizeof text, "%s %llu..%llu", verdict_names[outcome->verdict],
                 (unsigned long long)outcome->first, (unsigned long long)outcome->last);
    printf(" %-16s", text);
}

static void print_reason(enum operation stopped, enum operation survivor, const struct outcome *outcome) {
    printf("    %s of the %s, %s: stopped after access %llu", stoppable[stopped].name,
           stoppable[stopped].thread == OWNER ? "owner" : "thief", outcome->start, (unsigned long long)outcome->first);
    if (outcome->where)
        printf(" (%s)", source_name(outcome->where));
    printf(", %s %s%s%s%s\n", stoppable[survivor].name, verdict_names[outcome->verdict], outcome->text[0] ? ": " : "",
           outcome->text, contradicts(survivor, outcome) ? "  <- CONTRADICTS THE CLAIM" : "");
}

static bool stop_operation(enum operation stopped) {
    struct outcome outcomes[SURVIVORS] = {{UNTRIED, 0, 0, 0, NULL, ""}};
    bool contradiction = false;
    now.stopped = stopped;
    now.stopped_thread = stoppable[stopped].thread;
    uint64_t many = stop_everywhere(STOP_ITEMS + scene_left, "several items", outcomes);
    uint64_t one = stop_everywhere(1 + (now.stopped_thread == OWNER ? 0 : scene_left), "the last item", outcomes);
    if (many == 0 && one == 0) {
        printf("  %-12s cannot be run alone: %s\n", stoppable[stopped].name, machine.fault.text);
        return true;
    }
    printf("  %-12s %8llu", stoppable[stopped].name, (unsigned long long)(many > one ? many : one));
    for (enum operation survivor = PUSH; survivor < SURVIVORS; survivor++)
        print_cell(&outcomes[survivor]);
    printf("\n");
    for (enum operation survivor = PUSH; survivor < SURVIVORS; survivor++) {
        if (outcomes[survivor].verdict > WORKS)
            print_reason(stopped, survivor, &outcomes[survivor]);
        contradiction = contradiction || contradicts(survivor, &outcomes[survivor]);
    }
    return contradiction;
}

/* Standing still */

/* Goes round any ring twice. Leaves as many items as before, and one more for the thief. */
static void goes_round(void) {
    struct place *place = scene_place(0);
    size_t rounds = 2 * (place->capacity ? place->capacity : STOP_CAPACITY) + 2;
    void *item = NULL;
    for (size_t i = 0; i < rounds; i++) {
        if (!item)
            item = scene_pop(0);
        if (item && scene_push_again(0, item))
            item = NULL;
    }
    scene_push(0);
}

static bool owner_may_wait(void) {
    return operations.traits.push_progress == DEQUE_BLOCKING || operations.traits.pop_progress == DEQUE_BLOCKING;
}

/* Items pass at the owner's end, or at the thieves'. The last one stays outside. */
static bool at_thieves_end;
static void items_pass(void) {
    bool pushed = true;
    for (unsigned left = PASSING; left > 0 && pushed; left--) { /* until the thief holds the room that it needs */
        machine.step = 0;
        void *item = at_thieves_end ? scene_steal(0, OTHER_THIEF) : NULL;
        item = item ? item : scene_pop(0);
        pushed = left > 1 && (item ? scene_push_again(0, item) : scene_push(0));
    }
}

/* With so many items besides those that thieves leave. */
static bool start_with(size_t items) {
    now = (__typeof__(now)){.stopped_thread = THIEF, .stopped = STEAL, .items = items + scene_left};
    return start_over();
}

/* The thief begins a steal and stops after this many accesses, if there are so many. Returns false on a fault. */
static bool begins(uint64_t stop_at, bool *stopped) {
    bool good = run_until(stop_at);
    *stopped = machine.thread[THIEF].state == THREAD_STOPPED;
    return good;
}

/* The thief begins and stops, the owner does this, and the thief goes on. */
static bool turn(uint64_t stop_at, void (*owner)(void), bool *stopped) {
    if (!begins(stop_at, stopped))
        return false;
    machine.step = 0;
    machine_start_thread(OWNER, owner);
    return machine_continue(schedule_in_sequence()) && go_on();
}

static void say(uint64_t stop_at, const char *what) {
    printf("    a thief stops again and again after access %llu of a steal: %s  <- MAY NOT BE\n",
           (unsigned long long)stop_at, what);
}

/* Returns false on a fault, which is reported. */
static bool end(bool good, uint64_t stop_at) {
    char text[600];
    if (good && machine_call(scene_finish) && machine.noted.kind != FAULT_ANSWER)
        return true;
    struct fault said = machine.fault.kind != FAULT_NONE ? machine.fault : machine.noted;
    if (said.kind == FAULT_CANNOT || (said.kind == FAULT_HANGS && owner_may_wait()))
        return true;
    fault_text(&said, text, sizeof text);
    say(stop_at, text);
    return false;
}

/* Does the deque go on needing more memory? Steals differ in their accesses, so any of them may need some. */
static bool needs_no_more_memory(uint64_t stop_at, bool *stopped) {
    bool good = start_with(STOP_ITEMS);
    size_t max = memory_unnamed();
    int grown = 0;
    *stopped = false;
    for (int i = 0; i < STOPS && good; i++) {
        bool stops = false;
        good = turn(stop_at, goes_round, &stops);
        *stopped = *stopped || stops;
        grown += memory_unnamed() > max;
        max = memory_unnamed() > max ? memory_unnamed() : max;
    }
    if (!end(good, stop_at))
        return false;
    if (grown <= GROWTHS_MAX)
        return true;
    char text[100];
    snprintf(text, sizeof text, "of %d times the deque needs more memory %d times", STOPS, grown);
    say(stop_at, text);
    return false;
}

static bool survives_lack(uint64_t stop_at, long which) {
    bool stopped, good = start_with(STOP_ITEMS);
    memory_to_fail = which;
    for (int i = 0; i < LACKING_TURNS && good; i++)
        good = turn(stop_at, goes_round, &stopped);
    memory_to_fail = -1;
    return end(good, stop_at);
}

/* 65,536 items pass a thief that is about to write. */
static bool survives_passing(uint64_t stop_at) {
    const struct deque_traits *traits = &operations.traits;
    const size_t odd = ((3 + scene_left) | 1) - scene_left; /* no place gets the item that was there before */
    bool stopped;
    at_thieves_end = false;
    if (!end(start_with(1) && turn(stop_at, items_pass, &stopped), stop_at))
        return false;
    at_thieves_end = traits->thieves == DEQUE_MANY_THIEVES && traits->steal_progress != DEQUE_BLOCKING;
    return !at_thieves_end || end(start_with(odd) && turn(stop_at, items_pass, &stopped), stop_at);
}

static bool survives_passings(void) {
    const struct access_counts *made = &machine.thread[THIEF].counters;
    bool stopped = true, good = true;
    for (uint64_t stop_at = 1, written = 0; stopped && good; stop_at++) {
        if (!start_with(1) || !begins(stop_at, &stopped))
            return true; /* the other experiments say what is wrong */
        if (made->stores + made->rmws > written) {
            written = made->stores + made->rmws;
            good = survives_passing(stop_at - 1);
        }
    }
    return good;
}

/* The thief stops at the same access of a steal again and again, and the owner goes round the ring meanwhile. The
 * memory for one thief must be enough each time. If one allocation fails, push may say FULL, and nothing else may go
 * wrong. Then items pass a thief that stops before a write. Prints what went wrong; returns true if something did. */
static bool standstill(void) {
    const bool applies = !owner_may_wait() && operations.traits.delivery == DEQUE_ONCE;
    bool stopped = true, good = true;
    if (operations.link_bytes > 0)
        return false;
    for (uint64_t stop_at = 0; applies && stopped && good; stop_at++) {
        good = needs_no_more_memory(stop_at, &stopped);
        for (long which = 0; which < FAIL_MAX && good; which++)
            good = survives_lack(stop_at, which);
    }
    return !good || !survives_passings();
}

int stop(void) {
    bool contradiction = false;
    if (operations.traits.thieves == DEQUE_OWNER_ONLY || operations.traits.keeps_nothing) {
        printf("%s: nothing to stop: no thief, or no storage\n", operations.traits.id);
        return 0;
    }
    scene_checks_answers = false;
    printf("%s: what others can do when one thread stops for ever; claimed: push %s, pop %s, steal %s\n",
           operations.traits.id, claim_name(PUSH), claim_name(POP), claim_name(STEAL));
    if (asks())
        printf("  (thieves have to ask: beside a stopped thief the owner goes on working)\n");
    printf("  %-12s %8s %-16s %-16s %-16s\n", "stopped in", "accesses", " push", " pop", " steal");
    for (enum operation stopped = PUSH; stopped < OPERATIONS; stopped++)
        if ((operations.traits.native & stoppable[stopped].needs) == stoppable[stopped].needs &&
            stop_operation(stopped))
            contradiction = true;
    return standstill() || contradiction;
}
