/* supply.h: endless items for an owner that pushes for seconds, and sums over the items that go in and come out.
 *
 * Most deques carry anything: items are numbers that count up and start again after SUPPLY_NUMBERS. An intrusive deque
 * carries links, each of which can be in it once. A popped link is used again when the deque allows it
 * (popped_links.h). A stolen link belongs to the thief, which hands its links back to the owner many at a time.
 */
#pragma once

#include "harness/measuring/deque_under_test.h"
#include "harness/measuring/popped_links.h"

#define SUPPLY_NUMBERS ((uint64_t)1 << 20) /* so that an item of 4 bytes holds them */
#define SUPPLY_STEP 16   /* items look like addresses: their low bits are 0, for deques that put marks there */
#define SUPPLY_BATCH 256 /* links retired, or handed back, together */

#define SUPPLY_VALUE(item) ((uint64_t)(uintptr_t)(item))

#if DEQUE_NATIVE & DEQUE_LISTS

struct supply_node {
    struct deque_link link; /* first: the deque's part */
    void *next;
};

struct supply {
    struct supply_node *memory, *free;
    struct supply_node *following; /* the free link after the one that supply_next gave */
    struct popped_links popped;
    size_t count;
    uint64_t pushed_sum, taken_sum;
    _Atomic(struct supply_node *) *returned; /* by thieves */
};

/* A thief's side, which reads nothing that the owner writes. */
struct supply_taken {
    struct supply_node *first, *last;
    size_t count;
    uint64_t sum;
    _Atomic(struct supply_node *) *returned;
};

/* Owner, when no deque holds any of its items: all are free again. */
static void supply_reset(struct supply *supply) {
    supply->popped = (struct popped_links){0};
    supply->free = NULL;
    for (size_t i = supply->count; i-- > 0;) {
        supply->memory[i].next = supply->free;
        supply->free = &supply->memory[i];
    }
    atomic_store_explicit(supply->returned, NULL, memory_order_relaxed);
}

/* Owner, before thieves start: one's side. */
static inline struct supply_taken supply_taker(const struct supply *supply) {
    return (struct supply_taken){.returned = supply->returned};
}

/* Owner, before thieves start. capacity: how many items are to be in the deque at a time. false: no memory. */
static inline bool supply_open(struct supply *supply, size_t capacity, unsigned thieves) {
    *supply = (struct supply){.count = 2 * capacity + ((size_t)1 << 15) + 2 * (size_t)thieves * SUPPLY_BATCH};
    supply->memory = calloc(supply->count, sizeof *supply->memory);
    supply->returned = DEQUE_ALLOC(sizeof *supply->returned);
    if (!supply->memory || !supply->returned)
        return false;
    supply_reset(supply);
    return true;
}

static inline void supply_close(struct supply *supply) {
    free(supply->memory);
    DEQUE_FREE(supply->returned);
}

/* Owner: more free links, from thieves or from links popped long enough ago. false: there are none now. */
DEQUE_SLOW_PATH bool supply_refill(struct supply *supply, struct deque *deque) {
    /* acquire: pairs with the release in supply_hand_back; the thief is done with them */
    supply->free = atomic_exchange_explicit(supply->returned, NULL, memory_order_acquire);
    for (int i = 0; i < 2 && !supply->free; i++) {
        supply->free = popped_reusable(&supply->popped, deque);
        popped_retire(&supply->popped, deque);
    }
    return supply->free != NULL;
}

/* Owner: the next item to push; 0 when there is none now. */
DEQUE_OPERATION deque_item supply_next(struct supply *supply, struct deque *deque) {
    if (!supply->free && !supply_refill(supply, deque))
        return (deque_item)0;
    supply->following = supply->free->next;
    return (deque_item)supply->free;
}

/* Owner: this one was pushed. */
DEQUE_OPERATION void supply_pushed(struct supply *supply, deque_item item) {
    supply->free = supply->following;
    supply->pushed_sum += SUPPLY_VALUE(item);
}

DEQUE_SLOW_PATH void supply_retire(struct supply *supply, struct deque *deque) {
    popped_retire(&supply->popped, deque);
}

/* Owner: this one was popped. */
DEQUE_OPERATION void supply_popped(struct supply *supply, struct deque *deque, deque_item item) {
    supply->taken_sum += SUPPLY_VALUE(item);
    if (popped_add(&supply->popped, (void *)item, offsetof(struct supply_node, next)) == SUPPLY_BATCH)
        supply_retire(supply, deque);
}

/* Thief: hands its links to the owner. */
DEQUE_SLOW_PATH void supply_hand_back(struct supply_taken *taken) {
    struct supply_node *before = atomic_load_explicit(taken->returned, memory_order_relaxed);
    do
        taken->last->next = before;
    while (!atomic_compare_exchange_weak_explicit(taken->returned, &before, taken->first, memory_order_release,
                                                  memory_order_relaxed)); /* release: pairs with supply_refill */
    taken->first = taken->last = NULL;
    taken->count = 0;
}

/* Thief: this one was stolen. */
DEQUE_OPERATION void supply_stolen(struct supply_taken *taken, deque_item item) {
    struct supply_node *node = (struct supply_node *)item;
    taken->sum += SUPPLY_VALUE(item);
    node->next = taken->first;
    taken->first = node;
    if (!taken->last)
        taken->last = node;
    if (++taken->count == SUPPLY_BATCH)
        supply_hand_back(taken);
}

#else

struct supply {
    uint64_t next;
    uint64_t pushed_sum, taken_sum;
};

struct supply_taken {
    uint64_t sum;
};

static inline void supply_reset(struct supply *supply) { (void)supply; }

static inline bool supply_open(struct supply *supply, size_t capacity, unsigned thieves) {
    (void)capacity, (void)thieves;
    *supply = (struct supply){0};
    return true;
}

static inline void supply_close(struct supply *supply) { (void)supply; }

static inline struct supply_taken supply_taker(const struct supply *supply) {
    (void)supply;
    return (struct supply_taken){0};
}

DEQUE_OPERATION deque_item supply_next(struct supply *supply, struct deque *deque) {
    (void)deque;
    return (deque_item)(uintptr_t)((supply->next % SUPPLY_NUMBERS + 1) * SUPPLY_STEP);
}

DEQUE_OPERATION void supply_pushed(struct supply *supply, deque_item item) {
    supply->next++;
    supply->pushed_sum += SUPPLY_VALUE(item);
}

DEQUE_OPERATION void supply_popped(struct supply *supply, struct deque *deque, deque_item item) {
    (void)deque;
    supply->taken_sum += SUPPLY_VALUE(item);
}

DEQUE_OPERATION void supply_stolen(struct supply_taken *taken, deque_item item) { taken->sum += SUPPLY_VALUE(item); }

#endif
