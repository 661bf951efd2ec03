/* microbenchmark.h: what push, pop, pair, steal and growth share: prepared deques, and a measurement on them.
 *
 * Compiled once for each deque, with the deque inlined. The loops that are timed are measured_loops.h's.
 */
#pragma once

#include "harness/measuring/deque_under_test.h"
#include "harness/measuring/items.h"
#include "harness/measuring/measure.h"
#include "harness/measuring/places.h"
#include "workloads/latency/measured_loops.h"
#include "workloads/latency/parameters.h"
#include <stdio.h>

static inline enum chaining chaining_of(const struct cell *cell) {
    return (enum chaining)cell_choice(cell, "operations");
}

/* Prepared deques, each in memory of its own. The compiler cannot see through the pointers: with a static deque the
 * same push was three times slower. */
struct prepared {
    const struct cell *cell;
    struct deque_config config;
    struct deque **at;
    size_t made;        /* deques initialised now */
    size_t room;        /* deques that have memory */
    struct deque *self; /* the thief's own deque */
    struct items items;
    size_t items_each; /* items that go into each deque */
    size_t sets;       /* sets of items_each items; deque i takes set i modulo sets, a power of two */
    bool cold;
    size_t before, after; /* items in each deque before and after a run, for prepared_prepare and prepared_verify */
};

#define PREPARED_UNSUPPORTED (-1)

/* Why no workload here can serve this cell, or NULL. */
static inline const char *prepared_unsupported(const struct cell *cell) {
#ifndef DEQUE_BLOCK
    if (cell_integer(cell, "block"))
        return "block: this deque is not made of blocks";
#else
    (void)cell;
#endif
    return NULL;
}

/* Sets up for up to max deques with items_each items each, made for `capacity` items unless the cell says; each must be
 * able to hold `holds` of them. 0; 3: no memory (said); PREPARED_UNSUPPORTED: this deque cannot hold so many (said,
 * reported). */
static inline int prepared_open(struct prepared *prepared, const struct cell *cell, size_t max, size_t items_each,
                                size_t capacity, size_t holds) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    const size_t given = (size_t)cell_integer(cell, "capacity");
    *prepared =
        (struct prepared){.cell = cell, .items_each = items_each, .before = prepared->before, .after = prepared->after};
    capacity = given ? given : capacity;
    prepared->config = (struct deque_config){.capacity = capacity, .workers = 1};
    prepared->config.block = (size_t)cell_integer(cell, "block");
    if (traits.mode)
        prepared->config.mode = cell_choice(cell, traits.mode);
    prepared->cold = cell_is(cell, "cache", "cold");
    prepared->at = calloc(max, sizeof *prepared->at);
    prepared->self = DEQUE_ALLOC(sizeof *prepared->self);
    int refused = prepared->at && prepared->self ? deque_init(prepared->self, &prepared->config) : ENOMEM;
    if (refused) {
        DEQUE_FREE(prepared->self);
        prepared->self = NULL;
    }
    if (refused == EINVAL ||
        (!refused && traits.bound == DEQUE_FIXED && !traits.keeps_nothing && deque_capacity(prepared->self) < holds)) {
        fprintf(stderr, "stealbench: capacity=%zu: this deque cannot be made so, or cannot hold %zu items then\n",
                capacity, holds);
        cell_no_sample(cell, "process", 0, "capacity", "items", "unsupported");
        return PREPARED_UNSUPPORTED;
    }
    if (refused)
        fprintf(stderr, "stealbench: no memory for a deque of %zu items\n", capacity);
    return refused ? 3 : 0;
}

/* How many sets of items `count` deques need. Where an item is a link, which can be in one list only, each deque has a
 * set. Other deques share just enough sets to exceed the first cache. */
static inline size_t sets_for(size_t count, size_t items_each) {
    const size_t enough = ((size_t)1 << 17) / items_each + 1;
    return deque_round_up(DEQUE_HAS(DEQUE_LISTS) || count < enough ? count : enough);
}

#if DEQUE_NATIVE & DEQUE_LISTS
#define LINK_BYTES sizeof(struct deque_link)
#else
#define LINK_BYTES ((size_t)0)
#endif

/* Of an item's object: a multiple of 8, with room for the deque's link. */
static inline size_t node_bytes(const struct cell *cell) {
    const size_t wanted = (size_t)cell_integer(cell, "node");
    return ((wanted > LINK_BYTES ? wanted : LINK_BYTES) + 7) / 8 * 8;
}

/* How many deques, with their items, fit the memory that a laptop can spare; 1 at least. */
static inline size_t prepared_max(const struct cell *cell, size_t items_each) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    const size_t budget = (size_t)1 << 30;
    size_t node = DEQUE_HAS(DEQUE_LISTS) ? node_bytes(cell) : 0;
    size_t each = (traits.keeps_nothing ? 0 : items_each * (node + sizeof(void *))) + sizeof(struct deque);
    return each >= budget ? 1 : budget / each;
}

/* Room for count deques and their items; keeps what is there already. */
static inline bool prepared_grow(struct prepared *prepared, size_t count) {
    if (count <= prepared->room)
        return true;
    size_t node = node_bytes(prepared->cell);
    size_t sets = sets_for(count, prepared->items_each);
    if (sets > prepared->sets) {
        items_destroy(&prepared->items);
        if (!items_create(&prepared->items, sets * prepared->items_each, node,
                          cell_is(prepared->cell, "order", "shuffled"), prepared->cell->seed)) {
            fprintf(stderr, "stealbench: no memory for %zu items of %zu bytes\n", sets * prepared->items_each, node);
            return false;
        }
        prepared->sets = sets;
    }
    for (; prepared->room < count; prepared->room++) {
        prepared->at[prepared->room] = DEQUE_ALLOC(sizeof(struct deque));
        if (!prepared->at[prepared->room]) {
            fprintf(stderr, "stealbench: no memory for %zu deques\n", count);
            return false;
        }
    }
    return true;
}

/* Exactly count fresh, empty deques. The items of those before are free again. */
static inline bool prepared_reset(struct prepared *prepared, size_t count) {
    while (prepared->made > 0)
        deque_destroy(prepared->at[--prepared->made]);
    if (!prepared_grow(prepared, count))
        return false;
    for (; prepared->made < count; prepared->made++) {
        if (deque_init(prepared->at[prepared->made], &prepared->config) != 0) {
            fprintf(stderr, "stealbench: no memory for %zu deques of %zu items\n", count, prepared->config.capacity);
            return false;
        }
    }
    return true;
}

/* The items that go into deque number i. */
static inline deque_item *prepared_items(const struct prepared *prepared, size_t i) {
    return (deque_item *)prepared->items.at + (i & (prepared->sets - 1)) * prepared->items_each;
}

/* Last step of preparing: evicts caches if the cell asks for that. */
static inline bool prepared_evict(const struct prepared *prepared) { return !prepared->cold || evict_caches(); }

static inline bool prepared_sizes_are(const struct prepared *prepared, size_t size) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    for (size_t i = 0; i < prepared->made && !traits.keeps_nothing; i++) {
        if (deque_size(prepared->at[i]) == size)
            continue;
        fprintf(stderr, "stealbench: a deque holds %zu items where %zu are due\n", deque_size(prepared->at[i]), size);
        return false;
    }
    return true;
}

/* Owner: exactly count fresh deques, each with `size` items, item 0 the oldest; last step included. */
static inline bool prepared_filled(struct prepared *prepared, size_t count, size_t size) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    if (!prepared_reset(prepared, count))
        return false;
    for (size_t i = 0; i < count && !traits.keeps_nothing; i++)
        deque_push_batch(prepared->at[i], prepared_items(prepared, i), size);
    return prepared_sizes_are(prepared, size) && prepared_evict(prepared);
}

/* For a measurement whose context begins with its struct prepared. */
static inline bool prepared_prepare(void *context, size_t deques) {
    struct prepared *prepared = context;
    return prepared_filled(prepared, deques, prepared->before);
}
static inline bool prepared_verify(void *context, size_t deques) {
    const struct prepared *prepared = context;
    (void)deques;
    return prepared_sizes_are(prepared, prepared->after);
}

static inline void prepared_close(struct prepared *prepared) {
    while (prepared->made > 0)
        deque_destroy(prepared->at[--prepared->made]);
    while (prepared->room > 0)
        DEQUE_FREE(prepared->at[--prepared->room]);
    if (prepared->self) {
        deque_destroy(prepared->self);
        DEQUE_FREE(prepared->self);
    }
    free(prepared->at);
    items_destroy(&prepared->items);
}

/* For a workload of one thread, before it allocates: binds it and its memory by the cell's placement and memory. 0, or
 * what places_open returns. */
static inline int take_place(const struct cell *cell, struct places *places) {
    int failure = places_open(places, cell, 1);
    if (failure != 0)
        return failure;
    places_take(places, 0);
    if (places_bind_memory(places, cell_text(cell, "memory")))
        return 0;
    places_close(places);
    return 3;
}

/* A whole workload of one thread: takes its place, prepares deques as prepared_open does, measures. 0 with the result
 * in measured, which has no repetitions where this cell is not possible. */
static inline int measure_alone(struct measurement *measurement, struct prepared *prepared, size_t items_each,
                                size_t capacity, size_t holds, struct measured *measured) {
    const struct cell *cell = measurement->cell;
    struct places places;
    measured->repetitions = 0;
    int failure = take_place(cell, &places);
    if (failure)
        return failure == PLACES_DENIED ? 0 : failure;
    if (!measurement->role)
        measurement->role = "owner";
    measurement->portions_max = prepared_max(cell, items_each);
    failure = prepared_open(prepared, cell, measurement->portions_max, items_each, capacity, holds);
    if (failure == 0) {
        places_note_memory(&places, prepared->self, sizeof *prepared->self);
        places_report(&places, cell, "owner", NULL);
        failure = measure(measurement, measured);
    }
    prepared_close(prepared);
    places_close(&places);
    return failure == PREPARED_UNSUPPORTED ? 0 : failure;
}

/* One more operation of the published method: prepares for it, untimed. false: that was the last. */
DEQUE_OPERATION bool published_next(struct gbench_loop *loop, bool (*prepare)(void *context, size_t deques),
                                    void *context) {
    if (!gbench()->next(loop))
        return false;
    gbench()->pause(loop);
    prepare(context, 1);
    gbench()->resume(loop);
    return true;
}
