/* microbenchmark.h: what push, pop and steal share: prepared deques and the rules of a measured loop.
 *
 * Compiled once for each deque, with the deque inlined. A measured loop is a MEASURED function that contains operations
 * and nothing else; OPERATION_DONE after each keeps the compiler from merging one operation with the next, as no
 * program would see them merged.
 */
#ifndef STEALBENCH_MICROBENCHMARK_H
#define STEALBENCH_MICROBENCHMARK_H

#include "harness/deque_under_test.h"
#include "harness/items.h"
#include "harness/measure.h"
#include "harness/places.h"
#include <stdio.h>

/* A loop's place in a cache line can be worth a tenth of its time: each starts on a line of its own, and
 * MEASURED_SHIFT (bytes of padding before it) lets the suite ask how much that matters. */
#ifndef MEASURED_SHIFT
#define MEASURED_SHIFT 0
#endif
#ifdef __clang__ /* makes no clones, and does not know that attribute */
#define MEASURED __attribute__((noinline, aligned(64))) static
#else
#define MEASURED __attribute__((noinline, noclone, aligned(64))) static
#endif
#if MEASURED_SHIFT > 0
#define MEASURED_START() __asm__ volatile(".skip %c0, 0x90" : : "i"(MEASURED_SHIFT))
#else
#define MEASURED_START() ((void)0)
#endif
#define OPERATION_DONE(value) __asm__ volatile("" : : "r"(value) : "memory")

/* Parameters that all three have. */
#define MICROBENCHMARK_PARAMETERS                                                                                      \
    {"capacity", PARAMETER_INTEGER,                                                                                    \
     "0",        0,                                                                                                    \
     1 << 30,    NULL,                                                                                                 \
     "items",    "room of a fixed deque, first room of a growing one; 0: just enough for what it must hold"},          \
        {"block", PARAMETER_INTEGER,                                                                                   \
         "0",     0,                                                                                                   \
         1 << 20, NULL,                                                                                                \
         "items", "items in a block, for deques made of blocks; 0: the deque's own number"},                           \
        {"node",  PARAMETER_INTEGER,                                                                                   \
         "64",    ITEMS_SMALLEST_NODE,                                                                                 \
         4096,    NULL,                                                                                                \
         "bytes", "size of an item's object; rounded up to a multiple of 8"},                                          \
        {"order", PARAMETER_CHOICE, "sequential", 0, 0, "sequential|shuffled", "", "order of the items in memory"},    \
        {"cache", PARAMETER_CHOICE, "warm", 0, 0, "warm|cold", "", "cold: caches are evicted before each batch"}, {    \
        "method", PARAMETER_CHOICE, "corrected", 0, 0, "corrected|published", "",                                      \
            "corrected: timed batches; published: one operation an iteration under PauseTiming and ResumeTiming"       \
    }

/* Those of push and of pop, here because the hand-written loops that the suite is held against (trust/) answer to the
 * same names. */
#define PUSH_PARAMETERS                                                                                                  \
    {"batch", PARAMETER_INTEGER, "1", 1, 1 << 20, NULL, "items", "items pushed together"},                               \
        {"push",  PARAMETER_CHOICE,                                                                                      \
         "batch", 0,                                                                                                     \
         0,       "batch|single",                                                                                        \
         "",      "batch: one call for the whole batch; single: one call an item, as the bulk paper measured Taskflow"}, \
        {"fill",  PARAMETER_INTEGER,                                                                                     \
         "0",     0,                                                                                                     \
         1 << 24, NULL,                                                                                                  \
         "items", "items pushed into each deque; more than capacity: growing is measured; 0: as many as capacity"},      \
    {                                                                                                                    \
        "prelinked", PARAMETER_INTEGER, "0", 0, 1, NULL, "",                                                             \
            "1: the batch is a list already, linking it is not timed (intrusive deques only)"                            \
    }
#define POP_PARAMETERS                                                                                                 \
    {"size", PARAMETER_INTEGER, "1024", 1, 1 << 24, NULL, "items", "items in each deque before"}, {                    \
        "take", PARAMETER_CHOICE, "one", 0, 0, "one|drain", "", "one: half of them, singly; drain: all of them"        \
    }

/* Deques made ready, each on memory of its own, reached through pointers that the compiler cannot see through: a
 * static deque was three times slower on push with the same code. */
struct stand {
    const struct cell *cell;
    struct deque_config config;
    struct deque **at;
    size_t made;        /* deques initialised now */
    size_t room;        /* deques that have memory */
    size_t room_most;   /* size of at */
    struct deque *self; /* the thief's own deque */
    struct items items;
    size_t items_each; /* items that go into each deque */
    size_t sets;       /* sets of items_each items; deque i takes set i modulo sets, a power of two */
    bool cold;
};

#define STAND_UNSUPPORTED (-1)

/* What no workload here can do for this deque, or NULL. */
__attribute__((unused)) static const char *stand_unsupported(const struct cell *cell) {
#ifndef DEQUE_BLOCK
    if (cell_integer(cell, "block"))
        return "block: this deque is not made of blocks";
#else
    (void)cell;
#endif
    return NULL;
}

/* Sets up for up to most deques with items_each items each. capacity: what deque_init is told; each deque must be able
 * to hold `holds` items. 0; 3: no memory (said); STAND_UNSUPPORTED: this deque cannot hold so many (said, reported). */
__attribute__((unused)) static int stand_open(struct stand *stand, const struct cell *cell, size_t most,
                                              size_t items_each, size_t capacity, size_t holds) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    *stand = (struct stand){.cell = cell, .room_most = most, .items_each = items_each};
    stand->config = (struct deque_config){.capacity = capacity, .workers = 1};
    stand->config.block = (size_t)cell_integer(cell, "block");
    if (traits.mode)
        stand->config.mode = (unsigned)choice_index(traits.mode_values, cell_text(cell, traits.mode));
    stand->cold = cell_is(cell, "cache", "cold");
    stand->at = calloc(most, sizeof *stand->at);
    stand->self = DEQUE_ALLOC(sizeof *stand->self);
    int refused = stand->at && stand->self ? deque_init(stand->self, &stand->config) : ENOMEM;
    if (refused) {
        DEQUE_FREE(stand->self);
        stand->self = NULL;
    }
    if (refused == EINVAL) {
        fprintf(stderr, "stealbench: capacity=%zu: this deque cannot be made so\n", capacity);
        cell_no_sample(cell, "process", 0, "capacity", "items", "unsupported");
        return STAND_UNSUPPORTED;
    }
    if (refused) {
        fprintf(stderr, "stealbench: no memory for a deque of %zu items\n", capacity);
        return 3;
    }
    if (traits.bound == DEQUE_FIXED && !traits.keeps_nothing && deque_capacity(stand->self) < holds) {
        fprintf(stderr, "stealbench: capacity=%zu: this deque is of fixed size and must hold %zu items here\n",
                capacity, holds);
        cell_no_sample(cell, "process", 0, "capacity", "items", "unsupported");
        return STAND_UNSUPPORTED;
    }
    return 0;
}

/* Sets of items that count deques need: one each where an item is a link, which can be in one list only. Other deques
 * share so many that they do not all sit in the first cache. */
__attribute__((unused)) static size_t stand_sets(size_t count, size_t items_each) {
    const size_t enough = ((size_t)1 << 17) / items_each + 1;
    return deque_round_up(DEQUE_HAS(DEQUE_LISTS) || count < enough ? count : enough);
}

/* How many deques fit the memory that a laptop can spare, with what is in them; 1 at least. */
__attribute__((unused)) static size_t stand_most(const struct cell *cell, size_t items_each) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    const size_t budget = (size_t)1 << 30;
    size_t node = DEQUE_HAS(DEQUE_LISTS) ? (size_t)cell_integer(cell, "node") : 0;
    size_t each = (traits.keeps_nothing ? 0 : items_each * (node + sizeof(void *))) + sizeof(struct deque);
    return each >= budget ? 1 : budget / each;
}

/* Room for count deques and their items; what is there already stays. */
__attribute__((unused)) static bool stand_grow(struct stand *stand, size_t count) {
    if (count <= stand->room)
        return true;
    size_t node = ((size_t)cell_integer(stand->cell, "node") + 7) / 8 * 8;
    size_t sets = stand_sets(count, stand->items_each);
    if (sets > stand->sets) {
        items_destroy(&stand->items);
        if (items_create(&stand->items, sets * stand->items_each, node, cell_is(stand->cell, "order", "shuffled"),
                         stand->cell->seed) != 0) {
            fprintf(stderr, "stealbench: no memory for %zu items of %zu bytes\n", sets * stand->items_each, node);
            return false;
        }
        stand->sets = sets;
    }
    for (; stand->room < count; stand->room++) {
        stand->at[stand->room] = DEQUE_ALLOC(sizeof(struct deque));
        if (!stand->at[stand->room]) {
            fprintf(stderr, "stealbench: no memory for %zu deques\n", count);
            return false;
        }
    }
    return true;
}

/* Exactly count fresh, empty deques. The items of those before are free again. */
__attribute__((unused)) static bool stand_reset(struct stand *stand, size_t count) {
    while (stand->made > 0)
        deque_destroy(stand->at[--stand->made]);
    if (!stand_grow(stand, count))
        return false;
    for (; stand->made < count; stand->made++) {
        if (deque_init(stand->at[stand->made], &stand->config) != 0) {
            fprintf(stderr, "stealbench: no memory for %zu deques of %zu items\n", count, stand->config.capacity);
            return false;
        }
    }
    return true;
}

/* The items that go into deque number i. */
__attribute__((unused)) static deque_item *stand_items(const struct stand *stand, size_t i) {
    return (deque_item *)stand->items.at + (i & (stand->sets - 1)) * stand->items_each;
}

/* Owner: each of the made deques holds size items, item 0 the oldest. */
__attribute__((unused)) static void stand_fill(struct stand *stand, size_t size) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    for (size_t i = 0; i < stand->made && !traits.keeps_nothing; i++)
        deque_push_batch(stand->at[i], stand_items(stand, i), size);
}

/* Last step of preparing: what the cell's cache parameter asks for. */
__attribute__((unused)) static bool stand_chill(const struct stand *stand) {
    return !stand->cold || evict_caches() == 0;
}

__attribute__((unused)) static bool stand_sizes_are(const struct stand *stand, size_t size) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    for (size_t i = 0; i < stand->made && !traits.keeps_nothing; i++) {
        if (deque_size(stand->at[i]) == size)
            continue;
        fprintf(stderr, "stealbench: a deque holds %zu items where %zu are due\n", deque_size(stand->at[i]), size);
        return false;
    }
    return true;
}

__attribute__((unused)) static void stand_close(struct stand *stand) {
    while (stand->made > 0)
        deque_destroy(stand->at[--stand->made]);
    while (stand->room > 0)
        DEQUE_FREE(stand->at[--stand->room]);
    if (stand->self) {
        deque_destroy(stand->self);
        DEQUE_FREE(stand->self);
    }
    free(stand->at);
    items_destroy(&stand->items);
}

/* For a workload of one thread, before it allocates: binds it and its memory as the cell's placement and memory say.
 * 0, or what places_open returns, which a workload returns like what stand_open does. */
__attribute__((unused)) static int take_place(const struct cell *cell, struct places *places) {
    char message[MESSAGE_SIZE];
    int failure = places_open(places, cell, 1);
    if (failure != 0)
        return failure;
    places_take(places, 0);
    if (places_bind_memory(places, cell_text(cell, "memory"), message) == 0)
        return 0;
    fprintf(stderr, "stealbench: %s\n", message);
    places_close(places);
    return 3;
}

/* After the deque is there: reports where thread and memory are. */
__attribute__((unused)) static void say_place(const struct cell *cell, struct places *places, const void *memory,
                                              size_t bytes) {
    char text[128];
    if (memory)
        places_note_memory(places, memory, bytes);
    places_text(places, (const char *const[]){"owner"}, text, sizeof text);
    cell_placement(cell, text);
}

#endif
