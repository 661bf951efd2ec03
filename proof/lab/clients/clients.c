#include "proof/lab/clients/clients.h"
#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/memory.h"
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* Which deques a row is for. */

static bool thief(void) { return operations.traits.thieves != DEQUE_OWNER_ONLY && !operations.traits.keeps_nothing; }
static bool has(unsigned form) { return thief() && (operations.traits.native & form); }
static bool bounded(void) { return thief() && operations.traits.bound == DEQUE_FIXED; }
static bool growing(void) { return thief() && operations.traits.bound == DEQUE_GROWABLE; }
static bool lists(void) { return has(DEQUE_LISTS); }
static bool polls(void) { return has(DEQUE_POLL); }
static bool moves(void) { return has(DEQUE_STEAL_INTO); }
static bool moves_elsewhere(void) { return moves() && !operations.traits.shared; }
static bool reserves(void) { return thief() && operations.push_reserved; }
static bool places(void) { return thief() && operations.pop_from; }
static bool pushes_at(void) { return thief() && operations.push_at; }
static bool spills(void) { return thief() && operations.spill; }

/* The words of the table (proof/scenarios.h). */

#define more(n) (n)
#define MORE(...) __VA_ARGS__
#define LEFT scene_left

static void make_deque_from(unsigned which, size_t capacity, uint64_t first_index) {
    scene_make_deque(which, capacity + LEFT, first_index, which);
}
static void make_deque(unsigned which, size_t capacity) { make_deque_from(which, capacity, 0); }
static void make_pair(size_t capacity, size_t capacity_of_thief) {
    make_deque(0, capacity);
    make_deque(1, capacity_of_thief);
}
static void make_with_target(size_t capacity, size_t capacity_of_thief) {
    make_pair(capacity, capacity_of_thief);
    if (operations.traits.needs_self)
        make_deque(2, capacity_of_thief);
}

static void fill(unsigned which, size_t items) { scene_fill(which, items ? items + LEFT : 0); }

/* Makes deque 0, and a deque for each thief that needs one. */
static void make_deques(size_t capacity, uint64_t first_index) {
    make_deque_from(0, capacity, first_index);
    for (unsigned own = 1; own <= 2 && operations.traits.needs_self; own++)
        make_deque_from(own, capacity, first_index);
}
static void make_from(size_t capacity, size_t items, uint64_t first_index) {
    make_deques(capacity, first_index);
    fill(0, items);
}
static void make(size_t capacity, size_t items) { make_from(capacity, items, 0); }

/* Fills all places but one. */
static void fill_nearly(unsigned which) {
    const struct place *place = scene_place(which);
    scene_fill(which, (place->capacity ? place->capacity : place->asked) - 1);
}
static void make_full(size_t capacity) {
    make_deques(capacity, 0);
    fill_nearly(0);
}

/* The deque has been empty before it holds many items. */
static void make_many(void) {
    scene_block = 32;
    make_deques(32, 0);
    scene_fill(0, 1);
    scene_pop(0);
    fill(0, 15);
}

#define REPEAT(n, action)                                                                                              \
    for (size_t repeated = 0; repeated < (n); repeated++)                                                              \
    action

static void push_to(unsigned which, size_t n) { REPEAT(n, (scene_push(which), scene_poll(which))); }
static void push(size_t n) { push_to(0, n); }
static void push_that_fits(size_t n) { push(n); }
static void push_batch(size_t n) { scene_push_several(0, n, "push_batch", operations.push_batch), scene_poll(0); }
static void push_reserved(size_t n) {
    scene_push_several(0, n, "push_reserved", operations.push_reserved), scene_poll(0);
}
static void push_list(size_t n) { scene_push_several(0, n, "push_list", operations.push_list); }
static bool spill_and_push(void) { return scene_spill(0), scene_push(0); }
static void push_or_spill(size_t n) { REPEAT(n, (void)(scene_push(0) || spill_and_push())); }

static void pop_from(unsigned which, size_t n) { REPEAT(n, (scene_pop(which), scene_poll(which))); }
static void pop(size_t n) { pop_from(0, n); }
static void pop_nothing(void) { pop(1); }
static void pop_unpolled(size_t n) { REPEAT(n, scene_pop(0)); }
static void pop_place(size_t n) { REPEAT(n, (scene_pop_by(0, "pop_from", operations.pop_from), scene_poll(0))); }

static void push_own(size_t n) { REPEAT(n, (scene_push_by(0, operations.push_at), scene_poll(0))); }
static void pop_own(size_t n) { REPEAT(n, (scene_pop_by(0, "pop_own", operations.pop_own), scene_poll(0))); }

/* Pushes what it popped again, in another order, if the deque allows that by now. */
static void push_again(size_t n) { scene_reuse_popped(n, true); }
static void free_popped(size_t n) { scene_reuse_popped(n, false); }

static void poll(size_t n) { REPEAT(n, scene_poll(0)); }

/* The number of a thief's own deque. Who sets up steals as the first thief. */
static unsigned me(void) { return machine.current == LAB_MAIN ? 1 : machine.current; }

static void steal_from(unsigned victim, size_t n) { REPEAT(n, scene_steal(victim, me())); }
static void steal(size_t n) { steal_from(0, n); }
static void asked_before(void) { steal(1), scene_poll(0); }
static size_t steal_batch(unsigned percent, size_t max) { return scene_steal_batch(0, me(), percent, max); }
static void steal_list(unsigned percent) { scene_steal_list(0, me(), percent); }

/* A thief that has to ask gets nothing the first time. */
static size_t attempts(void) { return has(DEQUE_POLL) ? 4 : 1; }

static void steal_all(void) {
    for (size_t tries = attempts(); tries > 0 && steal_batch(100, 8) == 0; tries--)
        continue;
}

static void ask_size(size_t n) { REPEAT(n, scene_size(0)); }

/* Nothing to check in the lab: the scene checks every answer and ends the threads. */
static void nothing(void) {}
static void wait_for_thieves(void) {}
static void thief_was_not_told_empty(void) {}
static void one_thief_won(void) {}

/* Thieves that move items: thread 1 from deque 0 into its own, deque 1, at which thread 2 steals. */

static bool steal_into(unsigned victim, unsigned own) { return scene_steal_into(victim, own); }

static void answer(void) { poll(2 * attempts()); }

/* Moves items, then lets other thieves take them. */
static void move(void) {
    for (size_t tries = attempts(); tries > 0 && !steal_into(0, 1); tries--)
        continue;
    REPEAT(2 * LEFT, scene_push(1)); /* thieves may have to leave the newest items: put some more on top */
    REPEAT(attempts(), scene_poll(1));
}

static void make_busy_target(void) {
    make_with_target(8, 4);
    fill(0, 8);
    fill_nearly(1);
}

/* Blocks are so large that half a block is more than the one item that a thief keeps. The target is empty, so the other
 * thief gets only items that were moved. */
static void make_empty_target(size_t items) {
    scene_block = 4;
    make_deque(0, 8 + 3 * LEFT);
    make_deque(1, 8 + 3 * LEFT);
    if (operations.traits.needs_self)
        scene_make_deque(2, 4, 0, 2);
    scene_fill(0, items + 4 * LEFT);
}

/* The rows. */

#define BODY(name, ...)                                                                                                \
    static void name(void) { __VA_ARGS__; }
#define ONE_THIEF(row, summary, by, needs, set_up, owner, first)                                                       \
    BODY(row##_set_up, set_up) BODY(row##_owner, owner) BODY(row##_thief, first)
#define TWO_THIEVES(row, summary, by, needs, set_up, owner, first, second)                                             \
    ONE_THIEF(row, summary, by, needs, set_up, owner, first) BODY(row##_second, second)
#define MOVER TWO_THIEVES
#include "proof/scenarios.h"
#undef ONE_THIEF
#undef TWO_THIEVES
#undef MOVER

enum run_by { BOTH, LAB, MODEL };

#define ROW(row, text, by, condition, number, ...)                                                                     \
    {.name = #row,                                                                                                     \
     .summary = text,                                                                                                  \
     .on_request = by == MODEL,                                                                                        \
     .applies = condition,                                                                                             \
     .set_up = row##_set_up,                                                                                           \
     .threads = number,                                                                                                \
     .body = {row##_owner, __VA_ARGS__}},
#define ONE_THIEF(row, summary, by, needs, set_up, owner, first) ROW(row, summary, by, needs, 2, row##_thief)
#define TWO_THIEVES(row, summary, by, needs, set_up, owner, first, second)                                             \
    ROW(row, summary, by, needs, 3, row##_thief, row##_second)
#define MOVER TWO_THIEVES

const struct client clients[] = {
#include "proof/scenarios.h"
};
const size_t client_count = sizeof clients / sizeof *clients;

/* The words of programs. */

static void steal_half(size_t n) { steal_batch(50, n); }
static void steal_many(size_t n) { steal_batch(100, n); }
static void steal_lists(size_t n) { REPEAT(n, steal_list(repeated + 1 < n ? 50 : 100)); }
static void move_half(size_t n) { REPEAT(n, steal_into(0, 1)); }
static void push_own_deque(size_t n) { push_to(1, n); }
static void pop_own_deque(size_t n) { pop_from(1, n); }
static void steal_moved(size_t n) { steal_from(1, n); }

/* clang-format off */
const struct word words[] = {
    {"push", push, thief, BY_OWNER | BY_VALUE, 8},
    {"pop", pop, thief, BY_OWNER, 8},
    {"push_batch", push_batch, thief, BY_OWNER | BY_VALUE, 3},
    {"push_reserved", push_reserved, reserves, BY_OWNER | BY_VALUE, 3},
    {"push_list", push_list, lists, BY_OWNER | BY_VALUE, 3},
    {"push_again", push_again, thief, BY_OWNER | BY_VALUE, 3},
    {"free_popped", free_popped, lists, BY_OWNER, 2},
    {"push_or_spill", push_or_spill, spills, BY_OWNER | BY_VALUE, 4},
    {"push_own", push_own, pushes_at, BY_OWNER | BY_PLACE, 10},
    {"pop_own", pop_own, pushes_at, BY_OWNER | BY_PLACE, 8},
    {"pop_place", pop_place, places, BY_OWNER, 2},
    {"pop_unpolled", pop_unpolled, polls, BY_OWNER, 2},
    {"poll", poll, polls, BY_OWNER, 6},
    {"ask_size", ask_size, thief, BY_OWNER | BY_THIEF, 1},
    {"steal", steal, thief, BY_OWNER | BY_THIEF, 2},
    {"steal", steal, thief, BY_THIEF, 6},
    {"steal_half", steal_half, thief, BY_THIEF, 2},
    {"steal_many", steal_many, thief, BY_THIEF, 2},
    {"steal_lists", steal_lists, lists, BY_THIEF, 3},
    {"move_half", move_half, moves_elsewhere, BY_MOVER, 12},
    {"push_own_deque", push_own_deque, moves_elsewhere, BY_MOVER, 3},
    {"pop_own_deque", pop_own_deque, moves_elsewhere, BY_MOVER, 4},
    {"steal_moved", steal_moved, moves_elsewhere, BY_OTHER, 12},
};
/* clang-format on */
const size_t word_count = sizeof words / sizeof *words;

/* Running one. */

/* Random schedules are fair, so a run that is this many times longer than usual will not end; nor will one of so many
 * accesses. */
#define LENGTH_FACTOR 200
#define LENGTH_MAX 1000000

static const struct client *prepared;
static uint64_t length, step_limit;

bool run_prepare(const struct client *client) {
    prepared = client;
    snprintf(machine.note, sizeof machine.note, "; again: explore%s --client='%s'", scene_options(), client->name);
    if (!scene_begin(LENGTH_MAX, client->set_up))
        return false;
    memory_keep();
    step_limit = LENGTH_MAX;
    run_once(schedule_in_sequence());
    length = machine.step;
    step_limit = 20000 + LENGTH_FACTOR * length;
    if (step_limit > LENGTH_MAX)
        step_limit = LENGTH_MAX;
    return true;
}

const struct fault *run_once(struct schedule *schedule) {
    memory_restore();
    machine_begin(step_limit);
    if (machine_run(prepared->body, prepared->threads, schedule))
        machine_call(scene_finish);
    return machine.fault.kind >= machine.noted.kind ? &machine.fault : &machine.noted;
}

uint64_t run_length(void) { return length; }

double run_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
