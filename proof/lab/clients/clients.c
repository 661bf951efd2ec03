#include "proof/lab/clients/clients.h"
#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/memory.h"
#include <stdint.h>

/* Counters start here where they are to wrap: the second item crosses 2^64. */
#define NEAR_THE_LIMIT (UINT64_MAX - 1)

/* Which deques */

static bool has_thief(void) {
    return operations.traits.thieves != DEQUE_OWNER_ONLY && !operations.traits.keeps_nothing;
}
static bool is_bounded(void) { return has_thief() && operations.traits.bound == DEQUE_FIXED; }
static bool grows(void) { return has_thief() && operations.traits.bound == DEQUE_GROWABLE; }
static bool has_no_limit(void) { return has_thief() && operations.traits.bound != DEQUE_FIXED; }
static bool has_lists(void) { return has_thief() && (operations.traits.native & DEQUE_LISTS); }

static bool answers(void) { return has_thief() && (operations.traits.native & DEQUE_POLL); }
static bool moves(void) { return has_thief() && (operations.traits.native & DEQUE_STEAL_INTO); }
/* Two that push at once, of which neither is ever told FULL: an item that did not go in is its pusher's next one. */
static bool moves_without_limit(void) { return moves() && operations.traits.bound != DEQUE_FIXED; }
static bool moves_elsewhere(void) { return moves() && !operations.traits.shared; }
static bool reserves(void) { return has_thief() && operations.push_reserved; }
static bool has_places(void) { return has_thief() && operations.pop_from; }
static bool spills(void) { return has_thief() && operations.spill; }

/* Set-ups. A thief that needs a deque of its own gets one. */

static int self_of_thief(void) { return operations.traits.needs_self ? (int)machine.current : -1; }

static void make(size_t capacity, size_t items, uint64_t first_index, unsigned thieves) {
    scene_make_deque(0, capacity, first_index, 0);
    for (unsigned thief = 1; thief <= thieves && operations.traits.needs_self; thief++)
        scene_make_deque(thief, capacity, first_index, thief);
    scene_fill(0, items);
}

static void two_items(void) { make(4 + scene_left(), 2 + scene_left(), 0, 2); }
static void no_item(void) { make(4 + scene_left(), 0, 0, 2); }
static void five_items(void) { make(8 + scene_left(), 5 + scene_left(), 0, 1); }
static void one_item(void) { make(4 + scene_left(), 1 + scene_left(), 0, 1); }
static void near_wrap(void) { make(2 + scene_left(), 1 + scene_left(), NEAR_THE_LIMIT, 1); }
static void four_items(void) { make(8 + scene_left(), 4 + scene_left(), 0, 2); }
static void eight_items(void) { make(16 + scene_left(), 8 + scene_left(), 0, 2); }
static void small_and_empty(void) { make(2 + scene_left(), scene_left(), 0, 2); }
static void small_ring(void) { make(2, 1 + scene_left(), 0, 1); }

/* On the way from nothing to many. */
static void many_items(void) {
    scene_block = 32;
    make(32 + scene_left(), 1, 0, 1);
    scene_pop(0);
    scene_fill(0, 15 + scene_left());
}

/* All places but one taken. */
static void nearly_full(void) {
    make(2 + scene_left(), 0, 0, 2);
    size_t capacity = scene_place(0)->capacity;
    scene_fill(0, capacity > 0 ? capacity - 1 : scene_place(0)->asked - 1);
}

static void nearly_full_without_memory(void) {
    nearly_full();
    memory_scarce = true;
}

/* Operations, several at a time */

static void push(unsigned n) {
    while (n-- > 0) {
        scene_push(0);
        scene_poll(0);
    }
}

static void pop(unsigned n) {
    while (n-- > 0) {
        scene_pop(0);
        scene_poll(0);
    }
}

static void steal(unsigned n) {
    void *item;
    while (n-- > 0)
        scene_steal(0, self_of_thief(), &item);
}

/* Bodies */

static void pops(void) { pop((unsigned)scene_left() + 2); }
static void steals_two(void) { steal(2); }

static void pops_from_places(void) {
    for (size_t left = scene_left() + 2; left > 0; left--) {
        scene_pop_from(0);
        scene_poll(0);
    }
    push(2); /* the second leaves one that has just been pushed */
    scene_pop_from(0);
    scene_pop_from(0);
}
static void steals_three(void) { steal(3); }

static void pops_first(void) {
    pop(1);
    push((unsigned)scene_left() + 2);
    pop(2);
}

static void goes_round(void) {
    push(1);
    pop(1);
    push(2);
    pop(1);
    push(1);
}

static void fills(void) {
    push(3);
    pop(1);
    push(2);
}

static void only_pushes(void) { push(4); }

static void only_writes_in_place(void) {
    for (int i = 0; i < 3; i++) {
        scene_push_reserved(0, 2);
        scene_poll(0);
    }
}

static void only_pushes_batches(void) {
    for (int i = 0; i < 3; i++) {
        scene_push_batch(0, 2);
        scene_poll(0);
    }
}

static void grows_twice(void) {
    push(5);
    pop(2);
}

/* So far that what says where the parts of it are has to grow as well. */
static void grows_far(void) { push(18); }

/* The last item, and then enough items that the slot a thief looks at is used again, and has a new neighbour. */
static void pops_last_and_pushes(void) {
    pop(1 + (unsigned)scene_left());
    push(6);
    pop(1);
}

/* Pushes what it popped again as soon as it may, in the other order. */
static void reuses(void) {
    void *popped[3];
    for (int i = 0; i < 3; i++)
        popped[i] = scene_pop(0);
    bool may = scene_reusable(0);
    for (int i = 0; i < 3; i++) {
        if (popped[i] && may)
            scene_push_again(0, popped[i]);
        scene_poll(0);
    }
    pop(1);
}

/* Frees what it popped as soon as it may. */
static void frees(void) {
    for (int i = 0; i < 3; i++) {
        void *item = scene_pop(0);
        if (item && scene_reusable(0))
            scene_free(item);
    }
}

static void pushes_and_pops(void) {
    push(1);
    pop(2);
}

static void pushes_and_pops_three(void) {
    push(3);
    pop(3);
}

static void pushes_a_batch(void) {
    pop(1);
    scene_push_batch(0, 3);
    scene_poll(0);
    pop(2);
}

static void writes_in_place(void) {
    pop(1);
    scene_push_reserved(0, 3);
    scene_poll(0);
    pop(2);
}

static void steals_batches(void) {
    scene_steal_batch(0, self_of_thief(), 50, 8);
    scene_steal_batch(0, self_of_thief(), 100, 2);
}

/* Most of it: a cut near the owner's end. */
static void steals_max(void) {
    scene_steal_batch(0, self_of_thief(), 70, 8);
    steal(1);
}

static void pushes_a_list(void) {
    pop(2);
    scene_push_list(0, 3);
    pop(2);
}

static void steals_lists(void) {
    scene_steal_list(0, self_of_thief(), 50);
    scene_steal_list(0, self_of_thief(), 100);
}

/* The owner empties the deque and finds it empty, while another thread asks for its size. */
static void pops_in_vain(void) {
    pop(1);
    push(2 + (unsigned)scene_left());
    pop(3 + (unsigned)scene_left());
    push(1);
}

static void asks_size(void) {
    for (int i = 0; i < 6; i++)
        scene_size(0);
}

/* An item that does not fit makes a full ring hand back half of its items. */
static void pushes_and_spills(void) {
    for (int i = 0; i < 3; i++)
        if (!scene_push(0)) {
            scene_spill(0);
            scene_push(0);
        }
    pop(1);
}

/* Pops everything, then pushes new items into the slots that a thief may still be reading. */
static void pops_all_and_pushes(void) {
    pop(4 + (unsigned)scene_left());
    push(3);
    pop(3);
}

/* Pushes one item after the other into a ring of two, as soon as there is room. */
static void pushes_six(void) {
    for (int tries = 0, pushed = 0; tries < 20 && pushed < 6; tries++) {
        pushed += scene_push(0);
        scene_poll(0);
    }
}

static void steals_one(void) { steal(1); }
static void steals_six(void) { steal(8); }

/* What was there is taken back, and others stand in its place. */
static void replaces_three(void) {
    pop(3 + (unsigned)scene_left());
    push(3);
}

static void pops_four(void) { pop(4); }

/* An owner that answers thieves and does little else. */
static void polls(void) {
    for (int i = 0; i < 4; i++)
        scene_poll(0);
    pop(1);
    push(1);
}

/* One that lets go of what thieves ask for, and then wants it back. */
static void polls_and_pops(void) {
    for (int i = 0; i < 2; i++)
        scene_poll(0);
    for (int i = 0; i < 2; i++)
        scene_pop(0);
}

/* Who has to ask gets nothing the first time. */
static unsigned attempts(void) { return answers() ? 4 : 1; }

static void steals_a_batch(void) {
    for (unsigned tries = attempts(); tries > 0 && scene_steal_batch(0, self_of_thief(), 100, 8) == 0; tries--)
        continue;
}

/* Stealing into a busy deque: thread 1 steals from deque 0 into its own, nearly full, at which thread 2 steals. */

static void busy_target(void) {
    scene_make_deque(0, 8 + scene_left(), 0, 0);
    scene_make_deque(1, 4 + scene_left(), 0, 1);
    if (operations.traits.needs_self)
        scene_make_deque(2, 4 + scene_left(), 0, 2);
    size_t capacity = scene_place(1)->capacity;
    scene_fill(0, 8 + scene_left());
    scene_fill(1, capacity > 0 ? capacity - 1 : 3 + scene_left());
}

/* In blocks of which a half is more than the one item that a thief keeps. */
static void make_victim_and_target(unsigned block, size_t capacity, uint64_t first_of_victim,
                                   uint64_t first_of_target) {
    scene_block = block;
    scene_make_deque(0, capacity + 4 * scene_left(), first_of_victim, 0);
    scene_make_deque(1, capacity + 4 * scene_left(), first_of_target, 1);
    if (operations.traits.needs_self)
        scene_make_deque(2, 4, 0, 2);
}

/* So that what the other thief gets has just been moved. */
static void empty_target(void) {
    make_victim_and_target(4, 8, 0, 0);
    scene_fill(0, 8 + 4 * scene_left());
}

/* There is nothing yet when the thief looks. */
static void nothing_and_target(void) {
    make_victim_and_target(4, 8, 0, 0);
    scene_fill(0, 0); /* makes the items */
}

static void pushes_for_thieves(void) {
    for (size_t n = 2 + 2 * scene_left(); n > 0; n--)
        scene_push(0);
    for (unsigned polls = attempts(); polls > 0; polls--)
        scene_poll(0);
}

/* In blocks of two, so that what one thief takes is a part of the block that another is about to move; and where a
 * deque makes items public as thieves ask, two of four are. */
static void shared_blocks(void) {
    void *item;
    make_victim_and_target(2, 8, 0, 1);
    scene_fill(0, 4 + 4 * scene_left());
    for (int i = 0; i < 2; i++)
        scene_steal(0, operations.traits.needs_self ? 2 : -1, &item);
    scene_fill(0, 2);
}

static void answers_only(void) {
    for (unsigned polls = 2 * attempts(); polls > 0; polls--)
        scene_poll(0);
}

static void pops_and_pushes_one(void) {
    scene_pop(0);
    scene_push(0);
    answers_only();
}

static void steals_two_from_victim(void) {
    void *item;
    for (size_t tries = 2 + attempts(); tries > 0; tries--)
        scene_steal(0, operations.traits.needs_self ? 2 : -1, &item);
}

/* From within a block on, of which the other thief takes items too, and into a deque in which that one waits. */
static void target_beside(void) {
    make_victim_and_target(4, 16, 1, 0);
    scene_fill(0, 14 + 4 * scene_left());
    scene_fill(1, 1 + scene_left());
}

/* Moves, and lets others have it. */
static void moves_once(void) {
    for (unsigned tries = attempts(); tries > 0 && !scene_steal_into(0, 1); tries--)
        continue;
    for (size_t more = 2 * scene_left(); more > 0; more--) /* where thieves leave the newest: others on top */
        scene_push(1);
    for (unsigned polls = attempts(); polls > 0; polls--)
        scene_poll(1);
}

/* The target's blocks were used before, item by item; what is there to move begins within a block, and the target goes
 * on within another. */
static void used_target(void) {
    void *item;
    int self = operations.traits.needs_self ? 2 : -1;
    make_victim_and_target(4, 8, 1, 0);
    scene_fill(0, 14);
    for (int i = 0; i < 18; i++)
        if (scene_push(1) && !scene_steal(1, self, &item))
            scene_pop(1);
}

static void moved_into_used_blocks(void) {
    used_target();
    moves_once();
}

static void used_target_of_one(void) {
    used_target();
    scene_push(1);
}

static void push_on_target(int n) {
    while (n-- > 0)
        scene_push(1);
}

/* Until blocks are used once more. */
static void pushes_on_top(void) { push_on_target(12); }

static void moves_and_uses_again(void) {
    moves_once();
    pushes_on_top();
}

static void steal_two_of_target(int self) {
    void *item;
    for (int i = 0; i < 2; i++)
        scene_steal(1, operations.traits.needs_self ? self : -1, &item);
}

static void steals_two_as_well(void) { steal_two_of_target(0); }

static void works_alone(void) {
    push(1);
    pop(1);
}

static void steals_into_own(void) {
    scene_steal_into(0, 1);
    scene_pop(1);
    scene_poll(1);
    scene_steal_into(0, 1);
    scene_pop(1);
}

static void steals_from_target(void) { steal_two_of_target(2); }

/* What is pushed on top of what was moved shows whether the deque knows where that ends. */
static void moves_and_pushes(void) {
    moves_once();
    push_on_target(4);
}

static void pops_and_moves(void) {
    for (size_t own = 1 + scene_left(); own > 0; own--)
        scene_pop(1);
    moves_once();
    scene_pop(1);
}

static void steals_from_both(void) {
    void *item;
    int self = operations.traits.needs_self ? 2 : -1;
    scene_steal(0, self, &item);
    for (size_t tries = 2 + attempts(); tries > 0; tries--)
        scene_steal(1, self, &item);
}

static void steals_what_was_moved(void) {
    void *item;
    for (size_t tries = 3 + attempts() + scene_left(); tries > 0; tries--)
        scene_steal(1, operations.traits.needs_self ? 2 : -1, &item);
}

#define OWNER_AND_THIEF .threads = 2, .role = {"owner", "thief"}
#define OWNER_AND_THIEVES .threads = 3, .role = {"owner", "thief", "thief 2"}
#define OWNER_THIEF_AND_OTHER .threads = 3, .role = {"owner", "thief", "other"}

const struct client clients[] = {
    {"last_item", "owner and thief want the last items", has_thief, two_items, .body = {pops, steals_two},
     OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"empty_pop_first", "the owner pops a fresh deque before it pushes", has_thief, no_item,
     .body = {pops_first, steals_two}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_POPPED_NONE},
    {"node_reuse", "the owner pushes again what it popped", has_thief, four_items, .body = {reuses, steals_max},
     OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_PUSHED_AGAIN},
    {"node_free", "the owner frees the links it popped", has_lists, four_items, .body = {frees, steals_lists},
     OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"wrap", "counters and ring wrap under a thief", has_thief, near_wrap, .body = {goes_round, steals_three},
     OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"full", "the owner pushes into a full deque while a thief makes room", is_bounded, nearly_full,
     .body = {fills, steals_two}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_FULL},
    {"reuse", "the owner only pushes, into the places that thieves make free", is_bounded, nearly_full,
     .body = {only_pushes, steals_two, steals_two}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"reuse_by_batches", "as reuse, but batches are pushed", is_bounded, nearly_full,
     .body = {only_pushes_batches, steals_two, steals_two}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"reuse_in_place", "as reuse, but items are written in place", reserves, nearly_full,
     .body = {only_writes_in_place, steals_two, steals_two}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"growth", "the deque grows during a steal", grows, small_ring, .body = {grows_twice, steals_three},
     OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_GREW},
    {"last_then_growth", "the owner takes the last item from a thief, and then pushes many", has_no_limit, one_item,
     .body = {pops_last_and_pushes, steals_two}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"two_thieves", "two thieves and the owner", has_thief, two_items,
     .body = {pushes_and_pops, steals_two, steals_two}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"batch", "batches go in and come out", has_thief, four_items, .body = {pushes_a_batch, steals_batches},
     OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_STOLEN_BATCH},
    {"reserved", "items are written in place while thieves are about", reserves, four_items,
     .body = {writes_in_place, steals_two, steals_a_batch}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"lists", "whole lists go in and come out", has_lists, four_items, .body = {pushes_a_list, steals_lists},
     OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_STOLEN_BATCH},
    {"pop_all", "the owner pops everything and pushes again", has_thief, four_items,
     .body = {pops_all_and_pushes, steals_two}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"round", "thieves go once round a small ring while one has stopped", is_bounded, small_and_empty,
     .body = {pushes_six, steals_one, steals_six}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"batch_all", "a thief wants all that there is, and the owner pops", has_thief, four_items,
     .body = {pops_four, steals_a_batch}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_STOLEN_BATCH},
    {"asked", "two thieves ask, and the owner only answers", answers, eight_items,
     .body = {polls, steals_three, steals_three}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"asked_back", "two thieves ask, and the owner takes back what it has let go", answers, two_items,
     .body = {polls_and_pops, steals_three, steals_two}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"size", "a thread asks for the size while the owner finds the deque empty", has_thief, no_item,
     .body = {pops_in_vain, asks_size, steals_two}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN | SCENE_POPPED_NONE},
    {"no_memory", "as reuse, but there is no memory any more", has_thief, nearly_full_without_memory,
     .body = {only_pushes, steals_two, steals_two}, OWNER_AND_THIEVES, .reaches = SCENE_STOLEN},
    {"spill", "a full ring hands half of itself back, at which two thieves are", spills, nearly_full,
     .body = {pushes_and_spills, steals_two, steals_a_batch}, OWNER_AND_THIEVES,
     .reaches = SCENE_STOLEN | SCENE_SPILLED},
    {"steal_into_busy", "a thief fills its own deque, at which another thief is", has_thief, busy_target,
     .body = {works_alone, steals_into_own, steals_from_target}, OWNER_THIEF_AND_OTHER, .reaches = SCENE_STOLEN},
    {"steal_into_fresh", "a thief moves items into its own deque, at which another thief waits for them", moves,
     empty_target, .body = {answers_only, moves_once, steals_what_was_moved}, OWNER_THIEF_AND_OTHER,
     .reaches = SCENE_STOLEN | SCENE_STOLEN_AGAIN},
    {"steal_into_beside", "a thief moves a block and more, of which another thief takes some before and after", moves,
     target_beside, .body = {answers_only, pops_and_moves, steals_from_both}, OWNER_THIEF_AND_OTHER,
     .reaches = SCENE_STOLEN},
    {"steal_into_early", "a thief moves items out of a deque into which the owner has not pushed yet", moves,
     nothing_and_target, .body = {pushes_for_thieves, moves_once}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"steal_into_shared", "a thief moves a block of which another thief takes a part", moves, shared_blocks,
     .body = {pops_and_pushes_one, moves_and_pushes, steals_two_from_victim}, OWNER_THIEF_AND_OTHER,
     .reaches = SCENE_STOLEN},
    {"by_places", "the owner pops from places that it knows", has_places, two_items,
     .body = {pops_from_places, steals_two}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"two_batches", "two thieves take batches while the owner pushes one", has_thief, four_items,
     .body = {pushes_a_batch, steals_a_batch, steals_batches}, OWNER_AND_THIEVES,
     .reaches = SCENE_STOLEN | SCENE_STOLEN_BATCH},
    {"grows_far", "the deque grows and grows during a steal", grows, small_ring, .body = {grows_far, steals_three},
     OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_GREW},
    {"growth_at_batch", "the deque grows while a thief takes all that there is", grows, small_ring,
     .body = {grows_twice, steals_a_batch}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_GREW},
    {"many", "the owner gathers many items, and takes some back", grows, many_items,
     .body = {pushes_and_pops_three, steals_three}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"batch_again", "a thief wants all that there is, of which the owner replaces some", has_thief, five_items,
     .body = {replaces_three, steals_a_batch}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN | SCENE_STOLEN_BATCH},
    {"steal_into_growing", "a thief moves items while the owner looks for room", moves_without_limit, empty_target,
     .body = {pushes_six, moves_once}, OWNER_AND_THIEF, .reaches = SCENE_STOLEN},
    {"moved_into_used", "two thieves where items were moved into blocks that had been used", moves_elsewhere,
     moved_into_used_blocks, .body = {steals_two_as_well, pushes_on_top, steals_from_target}, OWNER_THIEF_AND_OTHER,
     .reaches = SCENE_STOLEN},
    {"moved_beside_last", "items are moved behind the last one, at which a thief is", moves_elsewhere,
     used_target_of_one, .body = {answers_only, moves_and_uses_again, steals_from_target}, OWNER_THIEF_AND_OTHER,
     .reaches = SCENE_STOLEN},
};
const size_t client_count = sizeof clients / sizeof *clients;
