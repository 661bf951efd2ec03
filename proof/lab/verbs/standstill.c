#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/memory.h"
#include "proof/lab/verbs/verbs.h"
#include <stdio.h>

#define CAPACITY 8
#define ITEMS 4
#define TURNS 8       /* how often the thief stops */
#define GROWTHS_MAX 2 /* how many of these may need memory: then there is enough for one thief */
#define LACKING_TURNS 2
#define FAIL_MAX 4    /* allocations of which one fails */
#define PASSING 65536 /* items: then counters of 16 bits are as they were */
#define STEPS 100000
enum { OWNER, THIEF, OTHER_THIEF };

static size_t items; /* at first, besides those that thieves leave */

static void set_up(void) {
    for (unsigned thread = OWNER; thread <= (operations.traits.needs_self ? OTHER_THIEF : OWNER); thread++)
        scene_make_deque(thread, CAPACITY + scene_left, 0, thread);
    scene_fill(0, items + scene_left);
}

static void steals(void) { scene_steal(0, THIEF); }

/* Goes round any ring twice. Leaves as many items as before, and one more for the thief. */
static void goes_round(void) {
    struct place *place = scene_place(0);
    size_t rounds = 2 * (place->capacity ? place->capacity : CAPACITY) + 2;
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

static bool runs(unsigned thread, void (*body)(void)) {
    machine.step = 0;
    machine_start_thread(thread, body);
    return machine_continue(schedule_in_sequence());
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

/* The thief begins a steal and stops after this many accesses, if there are so many. Returns false on a fault. */
static bool begins(uint64_t stop_at, bool *stopped) {
    machine_release_stopped(THIEF);
    machine.step = 0;
    machine_start_thread(THIEF, steals);
    machine.thread[THIEF].stop_at = machine.thread[THIEF].points + stop_at;
    bool good = machine_continue(schedule_in_sequence());
    *stopped = machine.thread[THIEF].state == THREAD_STOPPED;
    return good;
}

/* The thief begins and stops, the owner does this, and the thief goes on. */
static bool turn(uint64_t stop_at, void (*owner)(void), bool *stopped) {
    if (!begins(stop_at, stopped) || !runs(OWNER, owner))
        return false;
    machine.step = 0;
    machine_release_stopped(THIEF);
    return machine_continue(schedule_in_sequence());
}

static bool set_up_with(size_t n) {
    items = n;
    if (!scene_begin(STEPS, set_up))
        return false;
    races_begin();
    return true;
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
    run_fault_text(&said, text, sizeof text);
    say(stop_at, text);
    return false;
}

/* Does the deque go on needing more memory? Steals differ in their accesses, so any of them may need some. */
static bool needs_no_more_memory(uint64_t stop_at, bool *stopped) {
    bool good = set_up_with(ITEMS);
    size_t max = memory_unnamed();
    int grown = 0;
    *stopped = false;
    for (int i = 0; i < TURNS && good; i++) {
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
    snprintf(text, sizeof text, "of %d times the deque needs more memory %d times", TURNS, grown);
    say(stop_at, text);
    return false;
}

static bool survives_lack(uint64_t stop_at, long which) {
    bool stopped, good = set_up_with(ITEMS);
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
    if (!end(set_up_with(1) && turn(stop_at, items_pass, &stopped), stop_at))
        return false;
    at_thieves_end = traits->thieves == DEQUE_MANY_THIEVES && traits->steal_progress != DEQUE_BLOCKING;
    return !at_thieves_end || end(set_up_with(odd) && turn(stop_at, items_pass, &stopped), stop_at);
}

static bool survives_passings(void) {
    const struct access_counts *made = &machine.thread[THIEF].counters;
    bool stopped = true, good = true;
    for (uint64_t stop_at = 1, written = 0; stopped && good; stop_at++) {
        if (!set_up_with(1) || !begins(stop_at, &stopped))
            return true; /* the other experiments say what is wrong */
        if (made->stores + made->rmws > written) {
            written = made->stores + made->rmws;
            good = survives_passing(stop_at - 1);
        }
    }
    return good;
}

bool standstill(void) {
    const bool goes_on = !owner_may_wait() && operations.traits.delivery == DEQUE_ONCE;
    bool stopped = true, good = true;
    if (operations.link_bytes > 0)
        return false;
    for (uint64_t stop_at = 0; goes_on && stopped && good; stop_at++) {
        good = needs_no_more_memory(stop_at, &stopped);
        for (long which = 0; which < FAIL_MAX && good; which++)
            good = survives_lack(stop_at, which);
    }
    return !good || !survives_passings();
}
