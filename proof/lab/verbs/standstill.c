#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/memory.h"
#include "proof/lab/verbs/verbs.h"
#include <stdio.h>

#define CAPACITY 8
#define ITEMS 4
#define TURNS 8       /* how often the thief stops */
#define GROWTHS_MAX 2 /* how many of these may need memory: then there is enough for one thief */
#define LACKING_TURNS 2
#define FAIL_MAX 4 /* allocations of which one fails */
#define STEPS 100000
#define OWNER 0
#define THIEF 1

static void set_up(void) {
    scene_make_deque(0, CAPACITY + scene_left(), 0, OWNER);
    if (operations.traits.needs_self)
        scene_make_deque(THIEF, CAPACITY + scene_left(), 0, THIEF);
    scene_fill(0, ITEMS + scene_left());
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

static bool runs(unsigned thread, void (*body)(void)) {
    machine.step = 0;
    machine_start_thread(thread, body);
    return machine_continue(schedule_in_sequence());
}

/* The thief begins a steal and stops after this many accesses. The owner goes round the ring; then the thief goes on.
 * *stopped: the steal makes so many accesses. Returns false on a fault. */
static bool turn(uint64_t stop_at, bool *stopped) {
    machine_release_stopped(THIEF);
    machine.step = 0;
    machine_start_thread(THIEF, steals);
    machine.thread[THIEF].stop_at = machine.thread[THIEF].points + stop_at;
    if (!machine_continue(schedule_in_sequence()))
        return false;
    *stopped = machine.thread[THIEF].state == THREAD_STOPPED;
    if (!runs(OWNER, goes_round))
        return false;
    machine.step = 0;
    machine_release_stopped(THIEF);
    return machine_continue(schedule_in_sequence());
}

static bool begin(void) {
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
    if (said.kind == FAULT_CANNOT)
        return true;
    run_fault_text(&said, text, sizeof text);
    say(stop_at, text);
    return false;
}

/* Does the deque go on needing more memory? Steals differ in their accesses, so any of them may need some. */
static bool needs_no_more_memory(uint64_t stop_at, bool *stopped) {
    bool good = begin();
    size_t max = memory_unnamed();
    int grown = 0;
    *stopped = false;
    for (int i = 0; i < TURNS && good; i++) {
        bool stops = false;
        good = turn(stop_at, &stops);
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
    bool stopped, good = begin();
    memory_to_fail = which;
    for (int i = 0; i < LACKING_TURNS && good; i++)
        good = turn(stop_at, &stopped);
    memory_to_fail = -1;
    return end(good, stop_at);
}

bool standstill(void) {
    bool stopped = true, good = true;
    if (operations.traits.push_progress == DEQUE_BLOCKING || operations.traits.pop_progress == DEQUE_BLOCKING ||
        operations.link_bytes > 0 || operations.traits.delivery != DEQUE_ONCE)
        return false;
    for (uint64_t stop_at = 0; stopped && good; stop_at++) {
        good = needs_no_more_memory(stop_at, &stopped);
        for (long which = 0; which < FAIL_MAX && good; which++)
            good = survives_lack(stop_at, which);
    }
    return !good;
}
