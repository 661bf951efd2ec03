#include "proof/lab/engine/weak_memory.h"
#include <stdbool.h>
#include <string.h>

#define STORES_KEPT 8    /* number of stores kept per object; older ones can no longer be read */
#define FENCES_KEPT 32   /* kept; a load that would come before the first of them comes after it */
#define OBJECTS_MAX 4096 /* a power of two; with more in one run the rest of its accesses read the newest */

/* What a thread knows: each thread's accesses up to a number. Sequentially consistent stores and fences are numbered in
 * one order: STRONG_STORES says up to where the stores are known (a fence makes all of them known), PLACE how far the
 * thread's own sequentially consistent loads have come. */
#define STRONG_STORES LAB_CLOCKS
#define PLACE (LAB_CLOCKS + 1)
struct knowledge {
    uint32_t at[LAB_CLOCKS + 2];
};

struct stored {
    uint64_t value;
    unsigned writer;
    uint32_t number;                 /* number of the access among the writer's; 0: from before the run */
    uint32_t strong;                 /* number among the sequentially consistent stores, or 0 */
    uint32_t place;                  /* number of the last such store to this object, up to this one, or 0 */
    uint32_t first_read[LAB_CLOCKS]; /* by thread: number of its first access that read this store, or 0 */
    struct knowledge carried;        /* what an acquiring load of it learns */
    struct clocks clocks;            /* the same for races.h */
};

struct object {
    uintptr_t address;
    uint32_t run;
    unsigned size, count;
    struct stored stored[STORES_KEPT]; /* in the order of the stores */
};

static struct object objects[OBJECTS_MAX];
static uint32_t current_run;
static struct knowledge known[LAB_CLOCKS];          /* what each thread knows */
static struct knowledge known_unfenced[LAB_CLOCKS]; /* brought by relaxed loads, known after an acquire fence */
static struct knowledge fenced[LAB_CLOCKS];         /* known at the last release fence: relaxed stores carry it */
static struct knowledge fences[FENCES_KEPT];        /* known at each of these fences, and so at all later ones */
static uint32_t fence_count;                        /* number of all fences so far */
static struct knowledge known_after_turns;          /* known at the end of some thread's turn */
static uint32_t places; /* places given to sequentially consistent stores and fences so far */

static void learn(struct knowledge *into, const struct knowledge *from) {
    for (unsigned i = 0; i <= PLACE; i++)
        if (into->at[i] < from->at[i])
            into->at[i] = from->at[i];
}

static void raise_to(uint32_t *number, uint32_t to) {
    if (*number < to)
        *number = to;
}

void weak_begin(void) {
    current_run++;
    memset(known, 0, sizeof known);
    memset(known_unfenced, 0, sizeof known_unfenced);
    memset(fenced, 0, sizeof fenced);
    known_after_turns = (struct knowledge){{0}};
    fence_count = places = 0;
}

/* Starts an object: it has only the value in memory, and all threads know that value. */
static void start_object(struct object *object, uintptr_t address, unsigned size) {
    object->address = address;
    object->size = size;
    object->run = current_run;
    object->count = 1;
    object->stored[0] = (struct stored){.value = peek(address, size), .writer = LAB_MAIN};
    races_carried(address, &object->stored[0].clocks);
}

static struct object *find_object(uintptr_t address) {
    size_t at = (address * 0x9e3779b97f4a7c15u) >> 52; /* a table of 2^12: Fibonacci hashing */
    for (size_t tried = 0; tried < OBJECTS_MAX; tried++, at = (at + 1) % OBJECTS_MAX)
        if (objects[at].run != current_run || objects[at].address == address)
            return &objects[at];
    return NULL;
}

static struct stored *newest(struct object *object) { return &object->stored[object->count - 1]; }

/* The object of a store or load. A plain write since the last access starts it anew. NULL: the table is full. */
static struct object *object_at(uintptr_t address, unsigned size) {
    struct object *object = find_object(address);
    if (object && (object->run != current_run || object->size != size || newest(object)->value != peek(address, size)))
        start_object(object, address, size);
    return object;
}

static bool knows(const struct knowledge *knowledge, const struct stored *stored) {
    if (knowledge->at[stored->writer] >= stored->number)
        return true;
    if (stored->strong && knowledge->at[STRONG_STORES] >= stored->strong)
        return true;
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++)
        if (stored->first_read[thread] && knowledge->at[thread] >= stored->first_read[thread])
            return true;
    return false;
}

/* Adds what was known at the last fence up to this place. */
static void join_fence_before(struct knowledge *knowledge, uint32_t place) {
    uint32_t first = fence_count > FENCES_KEPT ? fence_count - FENCES_KEPT : 0;
    for (uint32_t fence = fence_count; fence-- > first;) {
        const struct knowledge *at = &fences[fence % FENCES_KEPT];
        if (at->at[PLACE] <= place || (fence == first && first > 0)) {
            learn(knowledge, at);
            return;
        }
    }
}

unsigned weak_choices(unsigned thread, uintptr_t address, unsigned size, int order) {
    struct object *object = object_at(address, size);
    struct knowledge knowledge = known[thread];
    unsigned older = 0;
    if (!object)
        return 0;
    if (order == memory_order_seq_cst) {
        join_fence_before(&knowledge, knowledge.at[PLACE]);
        raise_to(&knowledge.at[STRONG_STORES], knowledge.at[PLACE]);
    }
    while (older + 1 < object->count && !knows(&knowledge, &object->stored[object->count - 1 - older]))
        older++;
    return older;
}

static void read_from(unsigned thread, struct stored *stored, int order) {
    uint32_t number = ++known[thread].at[thread];
    if (!stored->first_read[thread])
        stored->first_read[thread] = number;
    learn(&known_unfenced[thread], &stored->carried);
    if (order_acquires(order))
        learn(&known[thread], &stored->carried);
    races_read(thread, &stored->clocks, order);
}

/* A load takes the earliest place it can have: after the store it read and after what came before the load. */
static void load_from(unsigned thread, struct stored *stored, int order) {
    read_from(thread, stored, order);
    if (order == memory_order_seq_cst)
        raise_to(&known[thread].at[PLACE], stored->place);
}

uint64_t weak_load(unsigned thread, uintptr_t address, int order, unsigned older) {
    struct object *object = find_object(address);
    struct stored *stored = &object->stored[object->count - 1 - older];
    load_from(thread, stored, order);
    return stored->value;
}

void weak_load_newest(unsigned thread, uintptr_t address, unsigned size, int order) {
    struct object *object = object_at(address, size);
    if (object)
        load_from(thread, newest(object), order);
    else if (order == memory_order_seq_cst)
        known[thread].at[PLACE] = places;
}

static struct stored *add_store(struct object *object) {
    if (object->count == STORES_KEPT) {
        memmove(object->stored, object->stored + 1, (STORES_KEPT - 1) * sizeof *object->stored);
        object->count--;
    }
    return &object->stored[object->count++];
}

void weak_found(unsigned thread, uintptr_t address, unsigned size, int order) {
    struct object *object = object_at(address, size);
    if (object)
        read_from(thread, newest(object), order);
}

void weak_stored(unsigned thread, uintptr_t address, int order, bool exchanged) {
    struct object *object = find_object(address);
    if (!object)
        return;
    const struct stored before = *newest(object);
    struct stored *stored = add_store(object);
    *stored = (struct stored){.value = peek(address, object->size), .writer = thread, .place = before.place};
    stored->number = ++known[thread].at[thread];
    stored->carried = order_releases(order) ? known[thread] : fenced[thread];
    if (exchanged)
        learn(&stored->carried, &before.carried);
    /* A store does not carry its own place: in RC11 an access that acquires it comes later, but not in the order of the
     * sequentially consistent ones. */
    if (order == memory_order_seq_cst)
        stored->strong = stored->place = known[thread].at[PLACE] = ++places;
    races_carried(address, &stored->clocks);
}

void weak_fence(unsigned thread, int order) {
    if (order_acquires(order))
        learn(&known[thread], &known_unfenced[thread]);
    if (order == memory_order_seq_cst) {
        join_fence_before(&known[thread], places);
        known[thread].at[STRONG_STORES] = known[thread].at[PLACE] = ++places;
        fences[fence_count++ % FENCES_KEPT] = known[thread];
    }
    if (order_releases(order))
        fenced[thread] = known[thread];
}

void weak_begin_turn(unsigned thread) { learn(&known[thread], &known_after_turns); }
void weak_end_turn(unsigned thread) { learn(&known_after_turns, &known[thread]); }
