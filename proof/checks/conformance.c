/* conformance.c: one thread runs each operation of the contract and compares with a plain model, a list of numbers.
 *
 * The fixed part tries every mode, small capacities, counters near their limits, failing memory and absurd settings.
 * Random walks follow until the time is up. A single thread loses no race, so LOST is as wrong as a wrong item.
 */
#include <stdbool.h>
#include <stddef.h>

__attribute__((unused)) static void *conformance_allocate(size_t bytes);
__attribute__((unused)) static void conformance_release(void *memory);
#define DEQUE_ALLOC(bytes) conformance_allocate(bytes)
#define DEQUE_FREE(pointer) conformance_release(pointer)
#define PRIVATE_PATIENCE 50 /* tries of a thief that waits for an answer; in one thread no answer comes */

#include "harness/measuring/clock.h"
#include "harness/measuring/deque_under_test.h"
#include "proof/checks/objects.h"
#include <stdio.h>

/* More than any test here pushes, so that an object is out of the deque long before it is used again. */
#define OBJECTS 65536
#define MODEL_MAX 4096
#define BATCH_MAX 128
#define SALT 0x636f6e66u

/* The deque's memory: counted, filled with rubbish, refused on request and when absurd. */

#define ALLOCATION_MAX ((size_t)1 << 28)
static long allocations_live, allocations_made;
static long allocations_kept;      /* allocations of the thief's own deque, which lives as long as the check */
static long allocations_left = -1; /* how many more allocations succeed; below 0: all */

static long allocation_to_fail = -1; /* how many succeed before the one that fails; below 0: none fails */

static void *conformance_allocate(size_t bytes) {
    size_t rounded = (bytes + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE;
    if (bytes > ALLOCATION_MAX || allocations_left == 0)
        return NULL;
    if (allocation_to_fail >= 0 && allocation_to_fail-- == 0)
        return NULL;
    void *memory = aligned_alloc(DEQUE_LINE, rounded);
    if (!memory)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    memset(memory, 0xa5, rounded);
    allocations_live++;
    allocations_made++;
    return memory;
}

static void conformance_release(void *memory) {
    if (memory)
        allocations_live--;
    free(memory);
}

static const char *result_name(enum deque_result result) {
    static const char *const names[] = {"OK", "EMPTY", "FULL", "LOST"};
    return (unsigned)result < 4 ? names[result] : "no result at all";
}

/* A deque and what it must hold: model[first] is the oldest, model[past - 1] the newest. */
struct subject {
    struct deque *deque, *self; /* self: the thief's own deque, or NULL */
    struct deque_config config;
    size_t capacity;    /* 0: no limit */
    size_t freed_front; /* taken by thieves since the owner last found the deque empty, or emptied it */
    bool memory_fails;  /* a growing deque may say FULL now */
    uint64_t model[MODEL_MAX];
    size_t first, past;
};

static struct object objects[OBJECTS];
static uint64_t next_serial;
static bool own_taken;          /* pop_own gave an item */
static bool left_to_owner_seen; /* a steal of the last thieves_leave items was refused, as the traits say */
/* Room that thieves make at the front comes back only after the owner has emptied the deque. The check finds this out
 * once, then demands it. */
static bool linear;

static size_t model_size(const struct subject *subject) { return subject->past - subject->first; }

static deque_item new_item(void) {
    deque_item item = object_item(&objects[next_serial % OBJECTS], next_serial, SALT);
    next_serial++;
    return item;
}

/* The serial number of an item that came out. */
static uint64_t item_serial(const char *what, deque_item item) {
    uint64_t serial = (uint64_t)(uintptr_t)item - 1;
    if (ITEMS_ARE_POINTERS) {
        struct object *object = object_among(objects, sizeof objects, item, what);
        if (object->check != random_of(SALT, object->serial))
            gate_fail("%s gave an object that was written over", what);
        serial = object->serial;
    }
    return serial;
}

static void expect_serial(const char *what, deque_item item, uint64_t expected) {
    uint64_t serial = item_serial(what, item);
    if (serial != expected)
        gate_fail("%s gave item %llu where %llu was due", what, (unsigned long long)serial,
                  (unsigned long long)expected);
}

static void model_append(struct subject *subject, uint64_t serial) {
    if (subject->past == MODEL_MAX) {
        memmove(subject->model, subject->model + subject->first, model_size(subject) * sizeof subject->model[0]);
        subject->past -= subject->first;
        subject->first = 0;
    }
    if (subject->past == MODEL_MAX)
        gate_fail("it holds more than %d items, more than this check puts into any deque", MODEL_MAX);
    subject->model[subject->past++] = serial;
}

static void expect_size(const struct subject *subject, const char *after) {
    size_t size = deque_size(subject->deque);
    if (size != model_size(subject))
        gate_fail("deque_size is %zu after %s, with %zu items inside", size, after, model_size(subject));
    gate_step();
}

/* The number of items that still fit. */
static size_t room(const struct subject *subject) {
    size_t used = model_size(subject) + (linear ? subject->freed_front : 0);
    return subject->capacity ? subject->capacity - used : SIZE_MAX;
}

/* The deque says when a popped link may be used again. Without a thief it must say so at once. */
static void expect_reusable(struct subject *subject) {
#if DEQUE_NATIVE & DEQUE_LISTS
    if (!deque_reusable(subject->deque, deque_retire(subject->deque)))
        gate_fail("a popped link may not be used again, though no thief is there");
#else
    (void)subject;
#endif
}

/* The result of deque_place before each item that was pushed alone, by serial number. Items of batches have another's.
 */
#define PLACES 32
static uint64_t places[PLACES];
static uint64_t singly[PLACES]; /* whose place that is, plus 1 */

static enum deque_result push(struct subject *subject) {
    size_t fits = room(subject);
    places[next_serial % PLACES] = deque_place(subject->deque);
    singly[next_serial % PLACES] = next_serial + 1;
    enum deque_result result = DEQUE_HAS(DEQUE_PUSH_AT) && next_serial % 2
                                   ? deque_push_at(subject->deque, new_item(), deque_place(subject->deque))
                                   : deque_push(subject->deque, new_item());
    if (result == DEQUE_OK)
        model_append(subject, next_serial - 1);
    if (result != DEQUE_OK && result != DEQUE_FULL)
        gate_fail("push gave %s", result_name(result));
    if (result == DEQUE_OK && fits == 0)
        gate_fail("push took one item more than the capacity of %zu (%zu were inside)", subject->capacity,
                  model_size(subject) - 1);
    if (result == DEQUE_FULL && fits > 0 && !subject->memory_fails && traits.thieves_leave == 0)
        gate_fail("push said FULL with %zu of %zu items inside", model_size(subject), subject->capacity);
    expect_size(subject, "push");
    return result;
}

static void push_batch(struct subject *subject, size_t n) {
    deque_item items[BATCH_MAX];
    size_t fits = room(subject), expected = n < fits ? n : fits;
    uint64_t oldest = next_serial;
    for (size_t i = 0; i < n; i++)
        items[i] = new_item();
    size_t pushed = deque_push_batch(subject->deque, items, n);
    bool by_blocks = traits.thieves_leave && subject->capacity; /* room comes back block by block */
    if (subject->memory_fails || by_blocks ? pushed > expected : pushed != expected)
        gate_fail("push_batch of %zu took %zu with %zu of %zu inside", n, pushed, model_size(subject),
                  subject->capacity);
    for (size_t i = 0; i < pushed; i++)
        model_append(subject, oldest + i);
    expect_size(subject, "push_batch");
}

/* Reserves n, fills the whole span and commits up to `committed` of it. Returns how many went in. */
static size_t push_reserved(struct subject *subject, size_t n, size_t committed) {
    size_t fits = room(subject), span = 0, again = 0;
    uint64_t oldest = next_serial;
    bool by_blocks = traits.thieves_leave && subject->capacity; /* as in push_batch */
    deque_slot *slots = deque_reserve(subject->deque, n, &span);
    if (!slots && fits > 0 && !subject->memory_fails && !by_blocks)
        gate_fail("reserve gave nothing with %zu of %zu items inside", model_size(subject), subject->capacity);
    if (!slots && !subject->memory_fails && push(subject) == DEQUE_OK)
        gate_fail("reserve gave nothing, and push took an item, of which there are %zu inside", model_size(subject));
    if (!slots)
        return 0;
    if (span == 0 || span > n || (DEQUE_HAS(DEQUE_RESERVE) && span > fits))
        gate_fail("reserve of %zu gave %zu slots, with room for %zu", n, span, fits);
    for (size_t i = 0; i < span; i++)
        deque_fill(&slots[i], new_item());
    expect_size(subject, "reserve");
    if (deque_reserve(subject->deque, n, &again) != slots || again != span)
        gate_fail("reserve gave another place when it was asked again");
    if (committed > span)
        committed = span;
    size_t pushed = deque_commit(subject->deque, committed), expected = committed < fits ? committed : fits;
    if (DEQUE_HAS(DEQUE_RESERVE) || !(subject->memory_fails || by_blocks) ? pushed != expected : pushed > expected)
        gate_fail("commit of %zu took %zu with %zu of %zu inside", committed, pushed, model_size(subject),
                  subject->capacity);
    for (size_t i = 0; i < pushed; i++)
        model_append(subject, oldest + i);
    expect_size(subject, "commit");
    return pushed;
}

/* Tries to take the item so many below the newest, by its place. Only the newest can be had. */
static bool take_own(const struct subject *subject, size_t below, deque_item *item) {
    uint64_t serial = below < model_size(subject) ? subject->model[subject->past - 1 - below] : UINT64_MAX;
    uint64_t place = places[serial % PLACES];
    if (serial == UINT64_MAX || singly[serial % PLACES] != serial + 1)
        return false;
    *item = object_item(&objects[serial % OBJECTS], serial, SALT);
    if (deque_pop_own(subject->deque, *item, place) != DEQUE_OK)
        return false;
    if (below > 0)
        gate_fail("pop_own gave an item with newer ones above it");
    if (deque_place(subject->deque) != place)
        gate_fail("after pop_own the place is another");
    own_taken = true;
    return true;
}

/* pop, or, of a deque with places, as often pop_from: the place of the newest item, or of any other. */
static enum deque_result pop_somehow(const struct subject *subject, deque_item *item) {
    static uint64_t pops;
    uint64_t how = random_of(SALT, ++pops), newest = model_size(subject) ? subject->model[subject->past - 1] : 0;
    if (DEQUE_HAS(DEQUE_PUSH_AT) && how % 8 < 3 && model_size(subject) > 0 &&
        take_own(subject, how % 8 == 0 ? 1 : 0, item))
        return DEQUE_OK;
    if (!DEQUE_HAS(DEQUE_PLACES) || how % 2 == 0)
        return deque_pop(subject->deque, item);
    return deque_pop_from(subject->deque, item, places[(how % 4 == 1 ? newest : how / 4) % PLACES]);
}

static enum deque_result pop(struct subject *subject) {
    deque_item item = 0;
    enum deque_result result = pop_somehow(subject, &item);
    if (result != (model_size(subject) ? DEQUE_OK : DEQUE_EMPTY))
        gate_fail("pop gave %s with %zu items inside", result_name(result), model_size(subject));
    if (result == DEQUE_OK && traits.owner_order == DEQUE_LIFO) {
        expect_serial("pop", item, subject->model[--subject->past]);
    } else if (result == DEQUE_OK) {
        expect_serial("pop", item, subject->model[subject->first++]);
    }
    if (model_size(subject) == 0)
        subject->freed_front = 0;
    expect_reusable(subject);
    expect_size(subject, "pop");
    return result;
}

/* Is a steal's result right? Without other threads a steal succeeds, except for the items that thieves have to leave.
 * Nothing can be demanded if the owner has to answer, because the owner is not running here. */
static void expect_steal(const struct subject *subject, const char *what, enum deque_result result) {
    size_t size = model_size(subject);
    if (DEQUE_HAS(DEQUE_POLL) && (result == DEQUE_EMPTY || (result == DEQUE_LOST && size > 0)))
        return;
    if (result == DEQUE_EMPTY && size > 0 && size == traits.thieves_leave)
        left_to_owner_seen = true;
    if (result != DEQUE_OK && result != DEQUE_EMPTY)
        gate_fail("%s gave %s with no other thread about", what, result_name(result));
    if (result == DEQUE_EMPTY && size > traits.thieves_leave)
        gate_fail("%s gave EMPTY with %zu items inside", what, size);
    if (result == DEQUE_OK && size == 0)
        gate_fail("%s gave an item out of an empty deque", what);
}

/* Thieves can take what deque_stealable promises. A deque that counts (DEQUE_STEALABLE) promises an item whenever
 * thieves can take one. */
static void expect_promised(size_t promised, enum deque_result result) {
    if (DEQUE_HAS(DEQUE_POLL))
        return;
    if (promised > 0 && result != DEQUE_OK)
        gate_fail("a steal gave %s where thieves could take %zu items", result_name(result), promised);
#ifdef DEQUE_STEALABLE
    if (promised == 0 && result == DEQUE_OK)
        gate_fail("a steal gave an item where thieves could take none");
#endif
}

/* Thieves of a FIFO deque may leave the oldest items to the owner. The model moves a stolen item to the front. */
static void expect_stolen(struct subject *subject, const char *what, deque_item item, size_t i) {
    uint64_t *from = subject->model + subject->first + i, serial = item_serial(what, item);
    size_t max = traits.owner_order == DEQUE_FIFO ? traits.thieves_leave : 0, k = 0;
    while (k < max && k + 1 < model_size(subject) - i && from[k] != serial)
        k++;
    expect_serial(what, item, from[k]);
    memmove(from + 1, from, k * sizeof *from);
    *from = serial;
}

static void model_stolen(struct subject *subject, size_t n) {
    subject->first += n;
    subject->freed_front += n;
}

static enum deque_result steal(struct subject *subject) {
    deque_item item = 0;
    size_t promised = deque_stealable(subject->deque);
    enum deque_result result = deque_steal(subject->deque, subject->self, &item);
    expect_steal(subject, "steal", result);
    expect_promised(promised, result);
    if (result == DEQUE_OK) {
        expect_stolen(subject, "steal", item, 0);
        model_stolen(subject, 1);
    }
    expect_size(subject, "steal");
    return result;
}

/* How many items a steal of percent may take. At most the share rounded up. At least the share rounded down, less what
 * thieves must leave, but one in any case. Rule 0 is the deque's own. */
static void expect_share(const struct subject *subject, const char *what, unsigned percent, size_t max, size_t n) {
    size_t size = model_size(subject);
    size_t upper = percent ? (size * percent + 99) / 100 : size;
    size_t least = percent ? size * percent / 100 : 1;
    least = least > traits.thieves_leave ? least - traits.thieves_leave : 0;
    if (DEQUE_HAS(DEQUE_POLL))
        least = 1;
    if (upper > max)
        upper = max;
    if (least > max)
        least = max;
    if (n < least || n > upper || n == 0)
        gate_fail("%s took %zu items: %u %% of %zu, at most %zu, was asked for", what, n, percent, size, max);
}

static void steal_batch(struct subject *subject, unsigned percent, size_t max) {
    deque_item items[BATCH_MAX];
    size_t n = SIZE_MAX;
    enum deque_result result = deque_steal_batch(subject->deque, subject->self, percent, items, max, &n);
    if (max > 0)
        expect_steal(subject, "steal_batch", result);
    else if (result == DEQUE_OK)
        gate_fail("steal_batch of at most 0 gave OK");
    if (result == DEQUE_OK) {
        expect_share(subject, "steal_batch", percent, max, n);
        for (size_t i = 0; i < n; i++)
            expect_stolen(subject, "steal_batch", items[i], i);
        model_stolen(subject, n);
    } else if (n != 0) {
        gate_fail("steal_batch gave %s and says it took %zu", result_name(result), n);
    }
    expect_size(subject, "steal_batch");
}

static void open_subject(struct subject *subject, const struct deque_config *config) {
    int error = deque_init(subject->deque, config);
    if (error)
        gate_fail("deque_init gave %d (%s)", error, strerror(error));
    subject->config = *config;
    subject->capacity = deque_capacity(subject->deque);
    subject->first = subject->past = subject->freed_front = 0;
    subject->memory_fails = false;
    if ((traits.bound == DEQUE_FIXED) != (subject->capacity > 0))
        gate_fail("deque_capacity is %zu, which its bound in the traits contradicts", subject->capacity);
    if (traits.bound == DEQUE_FIXED && subject->capacity < config->capacity)
        gate_fail("deque_capacity is %zu where %zu was asked for", subject->capacity, config->capacity);
    expect_size(subject, "deque_init");
}

static void empty_by_pop(struct subject *subject) {
    while (pop(subject) == DEQUE_OK)
        continue;
}

static void expect_no_allocations(const char *after) {
    if (allocations_live != allocations_kept)
        gate_fail("%ld allocations are left after %s", allocations_live - allocations_kept, after);
}

/* Closes the only deque. Items may stay inside: destroying a deque with items is allowed. */
static void close_subject(struct subject *subject) {
    deque_destroy(subject->deque);
    expect_no_allocations("deque_destroy");
}

/* As many items as a full deque holds, or enough to make a growing one grow several times. */
static size_t plenty(const struct subject *subject) {
    return subject->capacity ? subject->capacity : subject->config.capacity * 4 + 9;
}

static void fill(struct subject *subject) {
    size_t max = plenty(subject);
    for (size_t i = 0; i < max && push(subject) == DEQUE_OK; i++)
        continue;
}

/* Scenarios: each starts and ends with an empty deque. */

static void scenario_empty(struct subject *subject) {
    for (int i = 0; i < 3; i++) {
        pop(subject);
        steal(subject);
        steal_batch(subject, 50, 4);
        steal_batch(subject, 100, 0);
        push_batch(subject, 0);
    }
}

static void scenario_fill_and_pop(struct subject *subject) {
    fill(subject);
    for (int i = 0; i < 3 && subject->capacity; i++)
        push(subject);
    empty_by_pop(subject);
    pop(subject);
}

static void scenario_fill_and_steal(struct subject *subject) {
    fill(subject);
    while (steal(subject) == DEQUE_OK)
        continue;
    steal(subject);
    empty_by_pop(subject);
}

/* When the owner has begun to pop, thieves may leave no more than the owner's current block. */
static void scenario_fill_pop_and_steal(struct subject *subject) {
    fill(subject);
    pop(subject);
    while (steal(subject) == DEQUE_OK)
        continue;
    empty_by_pop(subject);
}

/* Holds `held` items while positions go round the whole ring and beyond. */
static void scenario_wrap(struct subject *subject, size_t held) {
    for (size_t i = 0; i < held; i++)
        push(subject);
    for (size_t i = 0; i < 3 * plenty(subject) + 3; i++) {
        push(subject);
        steal(subject);
    }
    empty_by_pop(subject);
}

/* One item at a time, taken from either end; then two, one from each end. */
static void scenario_single_items(struct subject *subject) {
    for (size_t i = 0; i < 2 * plenty(subject) + 3; i++) {
        push(subject);
        if (i & 1)
            steal(subject);
        pop(subject);
        push(subject);
        push(subject);
        steal(subject);
        pop(subject);
        pop(subject);
    }
}

static void scenario_batches(struct subject *subject) {
    static const unsigned percents[] = {1, 10, 50, 100, 0};
    static const size_t max[] = {1, 2, 7, BATCH_MAX};
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 4; j++) {
            push_batch(subject, 1 + (i * 13 + j * 5) % 40);
            push_batch(subject, BATCH_MAX / 2);
            steal_batch(subject, percents[i], max[j]);
            pop(subject);
            steal_batch(subject, percents[i], max[j]);
            empty_by_pop(subject);
            pop(subject);
        }
    }
}

/* Reserved items are not in the deque before they are committed. Committed items come out in order at either end.
 * Reserving can fill a deque just as push can, wherever its ring or block ends. */
static void scenario_reserved(struct subject *subject) {
    for (size_t n = 1; n < 20; n += 3) {
        push_reserved(subject, n, 0);
        push_reserved(subject, n, n - 1);
        push(subject);
        push_reserved(subject, n, n);
        steal(subject);
        pop(subject);
        push_reserved(subject, n, n / 2);
        pop(subject);
        empty_by_pop(subject);
        push_reserved(subject, n, 0);
        pop(subject);
        while (model_size(subject) < plenty(subject) && push_reserved(subject, n, n) > 0)
            continue;
        if (subject->capacity && room(subject) > 0 && !(traits.thieves_leave && subject->capacity))
            gate_fail("reserve gave nothing more with %zu of %zu items inside", model_size(subject), subject->capacity);
        steal(subject);
        push_reserved(subject, n, n);
        empty_by_pop(subject);
    }
}

#if DEQUE_NATIVE & DEQUE_LISTS

/* A list of n new items, appended newest first. */
static void new_list(struct deque_list *list, size_t n) {
    deque_item items[BATCH_MAX];
    *list = (struct deque_list){0};
    for (size_t i = 0; i < n; i++)
        items[i] = new_item();
    for (size_t i = n; i-- > 0;) {
        deque_list_append(list, items[i]);
        if (list->count != n - i || list->first != (void *)items[n - 1] || list->last != (void *)items[i])
            gate_fail("deque_list_append left count, first or last wrong");
    }
}

static void push_list(struct subject *subject, size_t n) {
    struct deque_list list;
    uint64_t oldest = next_serial;
    new_list(&list, n);
    deque_push_list(subject->deque, &list);
    if (list.count || list.first || list.last)
        gate_fail("deque_push_list left something in the list");
    for (size_t i = 0; i < n; i++)
        model_append(subject, oldest + i);
    expect_size(subject, "push_list");
}

/* Takes the list apart: it consists of the model's oldest items, and of no more. */
static void expect_list(struct subject *subject, struct deque_list *list) {
    size_t n = list->count;
    if (n == 0 || n > model_size(subject))
        gate_fail("steal_list gave OK and a list of %zu items out of %zu", n, model_size(subject));
    expect_serial("the first of steal_list", (deque_item)list->first, subject->model[subject->first + n - 1]);
    expect_serial("the last of steal_list", (deque_item)list->last, subject->model[subject->first]);
    for (size_t i = n; i-- > 0;) {
        deque_item item = deque_list_take(list);
        if (!item)
            gate_fail("a stolen list of %zu items ends after %zu", n, n - 1 - i);
        expect_serial("deque_list_take", item, subject->model[subject->first + i]);
    }
    if (list->count || list->first || list->last || deque_list_take(list))
        gate_fail("a stolen list of %zu items goes on behind its end", n);
}

static void steal_list(struct subject *subject, unsigned percent) {
    struct deque_list list = {
        .first = (void *)objects, .last = (void *)objects, .count = 7}; /* its old contents must not matter */
    enum deque_result result = deque_steal_list(subject->deque, subject->self, percent, &list);
    expect_steal(subject, "steal_list", result);
    if (result == DEQUE_OK) {
        size_t n = list.count;
        expect_share(subject, "steal_list", percent, SIZE_MAX, n);
        expect_list(subject, &list);
        model_stolen(subject, n);
    } else if (list.count || list.first || list.last) {
        gate_fail("steal_list gave %s and a list", result_name(result));
    }
    expect_size(subject, "steal_list");
}

/* A stolen list stays usable: appends an item, and pushes the whole list back. */
static void restock_from_stolen(struct subject *subject) {
    struct deque_list list = {0};
    push_list(subject, 9);
    if (deque_steal_list(subject->deque, subject->self, 50, &list) != DEQUE_OK)
        gate_fail("steal_list of 50 %% of 9 items failed");
    size_t n = list.count;
    uint64_t taken[BATCH_MAX];
    memcpy(taken, subject->model + subject->first, n * sizeof taken[0]);
    model_stolen(subject, n);
    deque_item oldest = new_item();
    uint64_t oldest_serial = next_serial - 1;
    deque_list_append(&list, oldest);
    if (list.count != n + 1 || list.last != (void *)oldest)
        gate_fail("deque_list_append to a stolen list left count or last wrong");
    deque_push_list(subject->deque, &list);
    model_append(subject, oldest_serial);
    for (size_t i = 0; i < n; i++)
        model_append(subject, taken[i]);
    expect_size(subject, "push_list of a stolen list");
    empty_by_pop(subject);
}

static void scenario_lists(struct subject *subject) {
    static const unsigned percents[] = {1, 10, 30, 50, 90, 100, 0};
    struct deque_list none = {0};
    deque_push_list(subject->deque, &none);
    expect_size(subject, "push_list of nothing");
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        for (size_t n = 1; n < 34; n += 1 + n / 3) {
            steal_list(subject, percents[i]);
            push_list(subject, n);
            push(subject);
            steal_list(subject, percents[i]);
            push_list(subject, 2);
            steal_list(subject, percents[i]);
            pop(subject);
            steal_list(subject, percents[i]);
            empty_by_pop(subject);
        }
    }
    restock_from_stolen(subject);
}

#else
static void scenario_lists(struct subject *subject) { (void)subject; }
#endif

#ifdef DEQUE_SPILL

/* A spill of a full ring hands out its older or newer half, oldest first, and then there is room. If the ring is not
 * full, or the array too small, it hands out nothing. */
static size_t spill(struct subject *subject, size_t max) {
    deque_item items[BATCH_MAX];
    size_t size = model_size(subject), half = subject->capacity - subject->capacity / 2;
    size_t n = DEQUE_SPILL(subject->deque, items, max);
    if (n != (size == subject->capacity && max >= half ? half : 0))
        gate_fail("a spill of %zu of %zu items, at most %zu, gave %zu", size, subject->capacity, max, n);
    if (n > 0) {
        uint64_t *older = subject->model + subject->first, *newer = subject->model + subject->past - n;
        bool of_older = item_serial("spill", items[0]) == *older;
        for (size_t i = 0; i < n; i++)
            expect_serial("spill", items[i], (of_older ? older : newer)[i]);
        if (of_older)
            subject->first += n;
        else
            subject->past -= n;
    }
    expect_size(subject, "a spill");
    return n;
}

static void scenario_spill(struct subject *subject) {
    size_t half = subject->capacity - subject->capacity / 2;
    if (half > BATCH_MAX)
        return;
    for (int i = 0; i < 5; i++) {
        spill(subject, BATCH_MAX);
        fill(subject);
        spill(subject, half - 1);
        spill(subject, half);
        spill(subject, BATCH_MAX);
        push(subject);
        pop(subject);
        steal(subject);
        fill(subject);
        spill(subject, BATCH_MAX);
        if (push(subject) != DEQUE_OK)
            gate_fail("push was refused after a spill");
    }
    empty_by_pop(subject);
}

#else
static void scenario_spill(struct subject *subject) { (void)subject; }
#endif

static void walk_step(struct subject *subject, uint64_t random, unsigned push_weight) {
    unsigned choice = (unsigned)(random % 100);
    size_t n = (size_t)(random >> 8) % 12, max = (size_t)(random >> 16) % 12;
    unsigned percent = (unsigned)(random >> 24) % 101;
    /* an unbounded deque would exceed the bounds of the model and the objects */
    if (model_size(subject) > 600)
        push_weight = 0;
    if (choice < push_weight)
        push(subject);
    else if (choice < push_weight + push_weight / 3)
        push_batch(subject, n);
    else if (choice < 80)
        pop(subject);
    else if (choice < 92)
        steal(subject);
    else
        steal_batch(subject, percent, max);
    if (random >> 60 == 3 && model_size(subject) <= 600)
        push_reserved(subject, 1 + n, max);
#ifdef DEQUE_SPILL
    if (random >> 60 == 2 && subject->capacity <= BATCH_MAX)
        spill(subject, max * 8);
#endif
#if DEQUE_NATIVE & DEQUE_LISTS
    if (random >> 60 == 0 && model_size(subject) <= 600)
        push_list(subject, n);
    if (random >> 60 == 1)
        steal_list(subject, percent);
#endif
}

/* Phases of mostly pushes and mostly takes, so that the deque is often full and often empty. */
static void scenario_walk(struct subject *subject, uint64_t seed, unsigned steps) {
    uint64_t state = seed | 1;
    for (unsigned i = 0; i < steps; i++) {
        unsigned push_weight = (unsigned)(random_next(&state) % 2 ? 55 : 15);
        for (unsigned j = 0; j < 24; j++)
            walk_step(subject, random_next(&state), push_weight);
    }
    empty_by_pop(subject);
}

static void run_scenarios(struct subject *subject, uint64_t seed) {
    scenario_empty(subject);
    scenario_fill_and_pop(subject);
    scenario_fill_and_steal(subject);
    scenario_fill_pop_and_steal(subject);
    for (size_t held = 0; held < 3; held++)
        scenario_wrap(subject, held);
    scenario_single_items(subject);
    scenario_batches(subject);
    scenario_reserved(subject);
    scenario_lists(subject);
    scenario_spill(subject);
    scenario_walk(subject, seed, 8);
    fill(subject);
}

enum pushing { ONE_BY_ONE, BATCHES, RESERVED };

/* Which allocations fail: all after the first few, or a single one. */
enum lack { FROM_THERE_ON, THAT_ONE };

static void limit_memory(enum lack lack, long allocations) {
    allocations_left = lack == FROM_THERE_ON ? allocations : -1;
    allocation_to_fail = lack == THAT_ONE ? allocations : -1;
}
/* Restores the memory. Was an allocation refused? (Known only for a single one.) */
static bool unlimit_memory(enum lack lack) {
    bool failed = lack == THAT_ONE && allocation_to_fail < 0;
    limit_memory(lack, -1);
    return failed;
}

static void push_by(struct subject *subject, enum pushing pushing, size_t i) {
    if (pushing == BATCHES)
        push_batch(subject, 1 + i % 7);
    else if (pushing == RESERVED)
        push_reserved(subject, 1 + i % 7, 7);
    else
        push(subject);
}

/* Memory ends at each point in turn, of deque_init and of growth. The deque says ENOMEM or FULL, loses and leaks
 * nothing, and goes on when memory is back. */
static void memory_fails(struct subject *subject, const struct deque_config *config, enum pushing pushing,
                         enum lack lack) {
    for (long n = 0; n < 12; n++) {
        gate_trying("", "mode %u, capacity %zu, block %zu, memory that fails %s %ld allocations", config->mode,
                    config->capacity, config->block, lack == THAT_ONE ? "once, after" : "after", n);
        limit_memory(lack, n);
        int error = deque_init(subject->deque, config);
        bool failed = unlimit_memory(lack);
        if (error && error != ENOMEM)
            gate_fail("deque_init gave %d (%s) for lack of memory", error, strerror(error));
        if (error)
            expect_no_allocations("deque_init gave ENOMEM");
        else if (failed)
            gate_fail("deque_init gave 0, though it was refused memory");
        else
            deque_destroy(subject->deque);
        if (error && lack == FROM_THERE_ON)
            continue;
        open_subject(subject, config);
        subject->memory_fails = true;
        limit_memory(lack, n);
        for (size_t i = 0; i < plenty(subject) + 3; i++) {
            push_by(subject, pushing, i);
            if (i % 5 == 4 && lack == FROM_THERE_ON)
                steal(subject);
        }
        unlimit_memory(lack);
        subject->memory_fails = false;
        for (size_t i = 0; i < 5; i++)
            push(subject);
        empty_by_pop(subject);
        close_subject(subject);
    }
}

/* The items that a steal_into has taken (the victim's oldest `taken` ones), and which of these and of self's own have
 * come out. */
struct haul {
    uint64_t oldest, own_oldest;
    size_t taken, own, found;
    bool seen[2 * BATCH_MAX];
};

static void haul_finds(struct haul *haul, const char *where, deque_item item) {
    uint64_t serial = item_serial(where, item);
    bool stolen = serial >= haul->oldest && serial < haul->oldest + haul->taken;
    bool kept = serial >= haul->own_oldest && serial < haul->own_oldest + haul->own;
    if (!stolen && !kept)
        gate_fail("%s gave item %llu, neither one of the victim's oldest %zu nor self's own", where,
                  (unsigned long long)serial, haul->taken);
    size_t place = stolen ? (size_t)(serial - haul->oldest) : haul->taken + (size_t)(serial - haul->own_oldest);
    if (haul->seen[place])
        gate_fail("item %llu came out twice after steal_into", (unsigned long long)serial);
    haul->seen[place] = true;
    haul->found++;
}

static struct haul expect_haul(const struct subject *victim, const struct subject *self, enum deque_result result,
                               size_t moved) {
    struct haul haul = {.taken = result == DEQUE_OK ? moved + 1 : 0, .own = model_size(self)};
    if (haul.own == 0)
        expect_steal(victim, "steal_into", result);
    if (result == DEQUE_LOST && model_size(victim) == 0)
        gate_fail("steal_into gave LOST, though there was nothing to steal");
    if ((result != DEQUE_OK && moved != 0) || haul.taken > model_size(victim))
        gate_fail("steal_into gave %s and says it moved %zu of %zu", result_name(result), moved, model_size(victim));
    if (deque_size(self->deque) != haul.own + moved)
        gate_fail("self holds %zu after steal_into moved %zu to its %zu", deque_size(self->deque), moved, haul.own);
    haul.oldest = model_size(victim) ? victim->model[victim->first] : 0;
    haul.own_oldest = haul.own ? self->model[self->first] : 0;
    return haul;
}

/* most allocations of a steal_into; -1: no limit */
static long allocations_of_steal_into = -1; /* most allocations of a steal_into; -1: no limit */

static void steal_into(struct subject *victim, struct subject *self, size_t in_victim, size_t in_self) {
    deque_item first = 0, item = 0;
    size_t moved = SIZE_MAX;
    for (size_t i = 0; i < in_victim; i++)
        push(victim);
    for (size_t i = 0; i < in_self; i++)
        push(self);
    allocations_left = allocations_of_steal_into;
    enum deque_result result = deque_steal_into(victim->deque, self->deque, &first, &moved);
    allocations_left = -1;
    struct haul haul = expect_haul(victim, self, result, moved);
    if (haul.taken)
        haul_finds(&haul, "steal_into", first);
    while (deque_pop(self->deque, &item) == DEQUE_OK)
        haul_finds(&haul, "pop after steal_into", item);
    if (haul.found != haul.taken + haul.own)
        gate_fail("steal_into lost %zu of %zu items", haul.taken + haul.own - haul.found, haul.taken + haul.own);
    model_stolen(victim, haul.taken);
    self->first = self->past = self->freed_front = 0;
    expect_reusable(self);
    expect_size(self, "steal_into and emptying");
    expect_size(victim, "steal_into");
    empty_by_pop(victim);
}

/* For a fixed deque, as many as fit; for others, all of n. */
static size_t at_most_room(const struct subject *subject, size_t n) {
    return subject->capacity && n > subject->capacity ? subject->capacity : n;
}

static struct subject subject, other;

static bool steal_into_can_be_followed(void) {
    if (traits.shared) /* victim and self hold the same items, so there is nothing to move */
        return false;
    /* otherwise the owner's oldest items may stay, and the model cannot tell which items moved */
    return traits.owner_order != DEQUE_FIFO || traits.thieves_leave == 0;
}

/* Opens two deques; one can steal into the other. */
static void open_pair(struct deque_config config, size_t block_of_other, uint64_t first_index_of_other) {
    config.workers = 2;
    config.first = subject.deque;
    open_subject(&subject, &config);
    config.worker = 1;
    config.block = block_of_other;
    config.first_index = first_index_of_other;
    open_subject(&other, &config);
}

static void close_pair(void) {
    deque_destroy(other.deque);
    close_subject(&subject);
}

static void try_steal_into(size_t capacity, unsigned mode, uint64_t first_index) {
    if (!steal_into_can_be_followed())
        return;
    open_pair((struct deque_config){.capacity = capacity, .mode = mode, .first_index = first_index}, 0, first_index);
    for (size_t in_victim = 0; in_victim < 12; in_victim++)
        for (size_t in_self = 0; in_self < 6; in_self++)
            steal_into(&subject, &other, at_most_room(&subject, in_victim), at_most_room(&other, in_self));
    steal_into(&subject, &other, at_most_room(&subject, 64), at_most_room(&other, 64));
    close_pair();
}

/* deque_init has to refuse these sizes, or really make so much room. */
static void try_absurd_settings(void) {
    static const size_t sizes[] = {
        SIZE_MAX,          SIZE_MAX - 1,    SIZE_MAX / 2 + 1,     SIZE_MAX / 2,  SIZE_MAX / 4,
        SIZE_MAX / 8 + 1,  SIZE_MAX / 8,    SIZE_MAX / 16 + 1,    SIZE_MAX / 16, SIZE_MAX / 32 + 1,
        SIZE_MAX / 32 - 1, (size_t)1 << 48, ((size_t)1 << 32) + 1};
    for (size_t i = 0; i < 2 * (sizeof sizes / sizeof sizes[0]); i++) {
        struct deque_config config = {.workers = 1, .first = subject.deque};
        bool block = i & 1;
        *(block ? &config.block : &config.capacity) = sizes[i / 2];
        gate_trying("", "deque_init with %s %zu", block ? "block" : "capacity", sizes[i / 2]);
        int error = deque_init(subject.deque, &config);
        if (error && error != EINVAL && error != ENOMEM)
            gate_fail("deque_init gave %d (%s)", error, strerror(error));
        if (error) {
            expect_no_allocations("deque_init refused");
            continue;
        }
        close_subject(&subject);
        if (!block && traits.bound != DEQUE_LINKED)
            gate_fail("deque_init says that it made room for %zu items", sizes[i / 2]);
    }
}

/* Does room that thieves make at the front stay lost? */
static bool front_is_lost(void) {
    struct deque_config config = {.capacity = 64, .workers = 1, .first = subject.deque};
    deque_item item;
    if (traits.bound != DEQUE_FIXED)
        return false;
    open_subject(&subject, &config);
    for (size_t i = 0; i < subject.capacity; i++)
        push(&subject);
    bool lost = deque_steal(subject.deque, subject.self, &item) == DEQUE_OK &&
                deque_push(subject.deque, new_item()) == DEQUE_FULL;
    close_subject(&subject);
    return lost;
}

static void expect_traits(void) {
    gate_trying("", "the traits");
    const char *header = DEQUE_HEADER, *found = strstr(header, "queues/");
    size_t length = traits.id ? strlen(traits.id) : 0;
    for (const char *later = found; later; later = strstr(later + 1, "queues/"))
        found = later; /* a parent folder of the repository may have the same name */
    if (length == 0 || !found || strncmp(found + 7, traits.id, length) != 0 || strcmp(found + 7 + length, ".h") != 0)
        gate_fail("its id is not its path below queues/");
    if (!traits.title || !*traits.title || !traits.source || !*traits.source)
        gate_fail("it has no title or no source");
    if (traits.native != DEQUE_NATIVE)
        gate_fail("native is %u, but DEQUE_NATIVE is %u", traits.native, (unsigned)(DEQUE_NATIVE));
    if (traits.sound == (traits.fault != NULL))
        gate_fail("the traits state a fault of a sound deque, or none of an unsound one");
    if (!traits.mode != !traits.mode_values)
        gate_fail("a mode needs values, and values a mode");
    if ((traits.keeps_nothing || traits.thieves == DEQUE_OWNER_ONLY) && !traits.reference)
        gate_fail("a deque that keeps nothing, or has no thieves, must be a reference");
    if (DEQUE_HAS(DEQUE_LISTS) && (!ITEMS_ARE_POINTERS || traits.bound != DEQUE_LINKED))
        gate_fail("an intrusive deque is linked, and its items are pointers");
}

/* A deque that keeps nothing accepts every item and always gives one. Nothing else can be checked. */
static void keeps_nothing(void) {
    struct deque_config config = {.capacity = 16, .workers = 1, .first = subject.deque};
    deque_item item = 0;
    if (deque_init(subject.deque, &config) != 0)
        gate_fail("deque_init failed");
    for (int i = 0; i < 100; i++) {
        gate_step();
        if (deque_push(subject.deque, new_item()) != DEQUE_OK)
            gate_fail("push did not take an item");
        if (deque_pop(subject.deque, &item) != DEQUE_OK || item == 0)
            gate_fail("pop gave nothing");
        if (deque_steal(subject.deque, NULL, &item) != DEQUE_OK || item == 0)
            gate_fail("steal gave nothing");
    }
    deque_destroy(subject.deque);
}

/* One setting, tried alone, and with another deque as the thief's own. */
static void try_setting(unsigned mode, size_t capacity, uint64_t first_index, uint64_t seed) {
    char options[64];
    struct deque_config config = {
        .capacity = capacity, .mode = mode, .first_index = first_index, .workers = 1, .first = subject.deque};
    snprintf(options, sizeof options, "--seed=%llu", (unsigned long long)seed);
    gate_trying(options, "mode %u, capacity %zu, counters from %llu", mode, capacity, (unsigned long long)first_index);
    open_subject(&subject, &config);
    run_scenarios(&subject, random_of(seed, capacity ^ first_index));
    close_subject(&subject);
    try_steal_into(capacity, mode, first_index);
}

static const size_t capacities[] = {1, 2, 4, 64, 3, 0};

static void try_settings(uint64_t seed) {
    for (unsigned mode = 0; mode < mode_count(); mode++) {
        for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++)
            for (size_t j = 0; j < FIRST_INDICES; j++)
                try_setting(mode, capacities[i], first_index(j, 2), seed);
        for (size_t capacity = 1; capacity < 5; capacity++) {
            struct deque_config config = {.capacity = capacity, .mode = mode, .workers = 1, .first = subject.deque};
            for (enum pushing pushing = ONE_BY_ONE; pushing <= RESERVED; pushing++)
                memory_fails(&subject, &config, pushing, FROM_THERE_ON);
            for (config.block = 0; config.block < 2;
                 config.block++) /* with blocks of 1: many blocks, and their index grows, too */
                memory_fails(&subject, &config, ONE_BY_ONE, THAT_ONE);
            memory_fails(&subject,
                         &(struct deque_config){
                             .capacity = capacity, .block = 1, .mode = mode, .workers = 1, .first = subject.deque},
                         ONE_BY_ONE, FROM_THERE_ON);
        }
    }
}

/* Random walks over random settings, until the time or the number of rounds is used up. Walk n of seed s is walk 0 of
 * seed s + n. */
static unsigned long random_walks(const struct check_request *request, uint64_t start) {
    unsigned long walks = 0;
    while (request->rounds ? walks < request->rounds
                           : (double)(clock_nanoseconds() - start) * 1e-9 < request->seconds) {
        uint64_t seed = request->seed + walks, state = random_start(seed, 1);
        char options[64];
        struct deque_config config = {.workers = 1, .first = subject.deque};
        config.capacity = 1 + random_below(&state, 70);
        config.mode = (unsigned)(random_below(&state, mode_count()));
        config.block = traits.thieves_leave ? (size_t[]){0, 1, 2, 3, 8}[random_below(&state, 5)] : 0;
        uint64_t before = random_below(&state, 200);
        config.first_index = first_index(random_next(&state), before);
        snprintf(options, sizeof options, "--seed=%llu --rounds=1", (unsigned long long)seed);
        gate_trying(options, "walk, mode %u, capacity %zu, counters from %llu", config.mode, config.capacity,
                    (unsigned long long)config.first_index);
        open_subject(&subject, &config);
        scenario_walk(&subject, random_next(&state), 20);
        close_subject(&subject);
        walks++;
    }
    return walks;
}

/* Gives a deque that wants to know its thief one: an idle deque, worker 1. */
static void open_thief(void) {
    struct deque_config config = {.worker = 1, .workers = 2, .first = subject.deque};
    if (!traits.needs_self)
        return;
    subject.self = new_deque();
    if (deque_init(subject.self, &config) != 0)
        gate_fail("no deque for the thief");
    allocations_kept = allocations_live;
}

#include "proof/checks/conformance_edges.h"

static int conformance_run(const struct check_request *request) {
    uint64_t start = clock_nanoseconds();
    gate_begin("conformance", traits.id, request);
    expect_traits();
    subject.deque = new_deque();
    other.deque = new_deque();
    unsigned long walks = 0;
    if (traits.keeps_nothing) {
        keeps_nothing();
    } else {
        open_thief();
        try_without_self();
        linear = traits.thieves_leave == 0 && front_is_lost();
        try_absurd_settings();
        try_settings(request->seed);
        try_edges();
        walks = random_walks(request, start);
        if (DEQUE_HAS(DEQUE_PUSH_AT) && !own_taken)
            gate_fail("pop_own never gave an item");
        if (traits.thieves_leave && !left_to_owner_seen)
            gate_fail("thieves are to leave %u items, but never did", traits.thieves_leave);
    }
    if (subject.self)
        deque_destroy(subject.self);
    free(subject.self);
    free(subject.deque);
    free(other.deque);
    return gate_passed("%lu steps, %lu random walks%s", gate_steps(), walks,
                       linear ? ", room at the front comes back when the owner has emptied it" : "");
}

static const struct check conformance = {
    .name = "conformance",
    .summary = "one thread, each operation against a plain model",
    .in_stamp = true,
    .run = conformance_run,
};
REGISTER_CHECK(conformance);
