/* subject.h: a deque beside a plain model, a list of numbers. Each operation of one thread is compared with the model.
 * Part of conformance.c. A single thread loses no race, so LOST is as wrong as a wrong item.
 */
#include <stdbool.h>
#include <stddef.h>

__attribute__((unused)) static void *conformance_allocate(size_t bytes);
__attribute__((unused)) static void conformance_release(void *memory);
#define DEQUE_ALLOC(bytes) conformance_allocate(bytes)
#define DEQUE_FREE(pointer) conformance_release(pointer)
#define PRIVATE_PATIENCE 50 /* tries of a thief that waits for an answer; in one thread no answer comes */

#include "harness/measuring/deque_under_test.h"
#include "proof/checks/objects.h"
#include <stdio.h>

/* More than any test here holds, so that an object is out of the deque long before it is used again. */
#define OBJECTS ((size_t)1 << 18)
#define MODEL_MAX 4096
#define BATCH_MAX 128
#define SALT 0x636f6e66u

/* The deque's memory: counted, filled with rubbish, refused on request and when absurd. */

#define ALLOCATION_MAX ((size_t)1 << 25)
static size_t allocation_largest; /* the most bytes that were asked for at once, also in vain */
static long allocations_live, allocations_made;
static long allocations_kept;        /* allocations of the thief's own deque, which lives as long as the check */
static long allocations_left = -1;   /* how many more allocations succeed; below 0: all */
static long allocation_to_fail = -1; /* how many succeed before the one that fails; below 0: none fails */
static char *arena, *arena_end; /* where memory is taken from, so that the same calls get the same; NULL: the heap */

static void *conformance_allocate(size_t bytes) {
    size_t rounded = (bytes + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE;
    if (bytes > allocation_largest)
        allocation_largest = bytes;
    if (bytes > ALLOCATION_MAX || allocations_left == 0)
        return NULL;
    if (allocation_to_fail >= 0 && allocation_to_fail-- == 0)
        return NULL;
    void *memory = arena ? rounded <= (size_t)(arena_end - arena) ? arena : NULL : aligned_alloc(DEQUE_LINE, rounded);
    if (!memory)
        return NULL;
    arena = arena ? arena + rounded : NULL;
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
    if (!arena)
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
    bool second;        /* it steals from the first */
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

/* --- the operations since the subject was opened, to repeat a failure with fewer (script.h) */
enum act { PUSH, PUSH_BATCH, RESERVE, PUSH_LIST, POP, STEAL, STEAL_BATCH, STEAL_LIST, SPILL, STEAL_INTO, ACTS };
struct operation {
    enum act act;
    bool other; /* on the other deque */
    size_t n, m;
};
#define TRAIL_MAX 16384
static struct {
    struct operation at[TRAIL_MAX];
    size_t count;
    bool pair;  /* is the other deque open, too? */
    bool whole; /* do these operations alone say what happened? */
} trail;

static void note(const struct subject *on, enum act act, size_t n, size_t m) {
    if (trail.count == TRAIL_MAX)
        trail.whole = false;
    else
        trail.at[trail.count++] = (struct operation){act, on->second, n, m};
}

static size_t model_size(const struct subject *subject) { return subject->past - subject->first; }

static deque_item new_item(void) {
    deque_item item = object_item(&objects[next_serial % OBJECTS], next_serial);
    next_serial++;
    return item;
}

/* The serial number of an item that came out. */
static uint64_t item_serial(const char *what, deque_item item) {
    uint64_t serial = (uint64_t)(uintptr_t)item - 1;
    if (ITEMS_ARE_POINTERS) {
        serial = object_among(objects, sizeof objects, item, what)->serial;
    }
    return serial;
}

static void expect_serial(const char *what, deque_item item, uint64_t expected) {
    uint64_t serial = item_serial(what, item);
    if (serial != expected)
        check_fail("%s gave item %llu where %llu was due", what, (unsigned long long)serial,
                   (unsigned long long)expected);
}

static void model_append(struct subject *subject, uint64_t serial) {
    if (subject->past == MODEL_MAX) {
        memmove(subject->model, subject->model + subject->first, model_size(subject) * sizeof subject->model[0]);
        subject->past -= subject->first;
        subject->first = 0;
    }
    if (subject->past == MODEL_MAX)
        check_fail("it holds more than %d items, more than this check puts into any deque", MODEL_MAX);
    subject->model[subject->past++] = serial;
}

static void expect_size(const struct subject *subject, const char *after) {
    size_t size = deque_size(subject->deque);
    if (size != model_size(subject))
        check_fail("deque_size is %zu after %s, with %zu items inside", size, after, model_size(subject));
    check_step();
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
        check_fail("a popped link may not be used again, though no thief is there");
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
    note(subject, PUSH, 1, 0);
    places[next_serial % PLACES] = deque_place(subject->deque);
    singly[next_serial % PLACES] = next_serial + 1;
    enum deque_result result = DEQUE_HAS(DEQUE_PUSH_AT) && next_serial % 2
                                   ? deque_push_at(subject->deque, new_item(), deque_place(subject->deque))
                                   : deque_push(subject->deque, new_item());
    if (result == DEQUE_OK)
        model_append(subject, next_serial - 1);
    if (result == DEQUE_OK && fits == 0)
        check_fail("push took one item more than the capacity of %zu (%zu were inside)", subject->capacity,
                   model_size(subject) - 1);
    if (result != DEQUE_OK && fits > 0 && !subject->memory_fails && traits.thieves_leave == 0)
        check_fail("push said %s with %zu of %zu items inside", result_name(result), model_size(subject),
                   subject->capacity);
    expect_size(subject, "push");
    return result;
}

/* The n items from this one on have gone in. */
static void went_in(struct subject *subject, uint64_t oldest, size_t n, const char *by) {
    for (size_t i = 0; i < n; i++)
        model_append(subject, oldest + i);
    expect_size(subject, by);
}

static void push_batch(struct subject *subject, size_t n) {
    deque_item items[BATCH_MAX];
    size_t fits = room(subject), expected = n < fits ? n : fits;
    uint64_t oldest = next_serial;
    note(subject, PUSH_BATCH, n, 0);
    for (size_t i = 0; i < n; i++)
        items[i] = new_item();
    size_t pushed = deque_push_batch(subject->deque, items, n);
    bool by_blocks = traits.thieves_leave && subject->capacity; /* room comes back block by block */
    if (subject->memory_fails || by_blocks ? pushed > expected : pushed != expected)
        check_fail("push_batch of %zu took %zu with %zu of %zu inside", n, pushed, model_size(subject),
                   subject->capacity);
    went_in(subject, oldest, pushed, "push_batch");
}

/* Reserves n, fills the whole span and commits up to `committed` of it. Returns how many went in. */
static size_t push_reserved(struct subject *subject, size_t n, size_t committed) {
    size_t fits = room(subject), span = 0;
    uint64_t oldest = next_serial;
    bool by_blocks = traits.thieves_leave && subject->capacity; /* as in push_batch */
    note(subject, RESERVE, n, committed);
    deque_slot *slots = deque_reserve(subject->deque, n, &span);
    if (!slots && fits > 0 && !subject->memory_fails && !by_blocks)
        check_fail("reserve gave nothing with %zu of %zu items inside", model_size(subject), subject->capacity);
    if (!slots) {
        if (!subject->memory_fails && push(subject) == DEQUE_OK)
            check_fail("reserve gave nothing, and then push took an item");
        return 0;
    }
    if (span == 0 || span > n || (DEQUE_HAS(DEQUE_RESERVE) && span > fits))
        check_fail("reserve of %zu gave %zu slots, with room for %zu", n, span, fits);
    for (size_t i = 0; i < span; i++)
        deque_fill(&slots[i], new_item());
    expect_size(subject, "reserve");
    if (committed > span)
        committed = span;
    size_t pushed = deque_commit(subject->deque, committed), expected = committed < fits ? committed : fits;
    if (DEQUE_HAS(DEQUE_RESERVE) || !(subject->memory_fails || by_blocks) ? pushed != expected : pushed > expected)
        check_fail("commit of %zu took %zu with %zu of %zu inside", committed, pushed, model_size(subject),
                   subject->capacity);
    went_in(subject, oldest, pushed, "commit");
    return pushed;
}

/* Tries to take the item so many below the newest, by its place. Only the newest can be had. */
static bool take_own(const struct subject *subject, size_t below, deque_item *item) {
    uint64_t serial = below < model_size(subject) ? subject->model[subject->past - 1 - below] : UINT64_MAX;
    uint64_t place = places[serial % PLACES];
    if (serial == UINT64_MAX || singly[serial % PLACES] != serial + 1)
        return false;
    *item = object_item(&objects[serial % OBJECTS], serial);
    if (deque_pop_own(subject->deque, *item, place) != DEQUE_OK)
        return false;
    if (below > 0)
        check_fail("pop_own gave an item with newer ones above it");
    own_taken = true;
    return true;
}

/* pop, or, of a deque with places, as often pop_from: the place of the newest item, or of any other. */
static uint64_t pops; /* since the subject was opened */
static enum deque_result pop_somehow(const struct subject *subject, deque_item *item) {
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
    note(subject, POP, 1, 0);
    enum deque_result result = pop_somehow(subject, &item);
    if (result != (model_size(subject) ? DEQUE_OK : DEQUE_EMPTY))
        check_fail("pop gave %s with %zu items inside", result_name(result), model_size(subject));
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
        check_fail("%s gave %s with no other thread about", what, result_name(result));
    if (result == DEQUE_EMPTY && size > traits.thieves_leave)
        check_fail("%s gave EMPTY with %zu items inside", what, size);
    if (result == DEQUE_OK && size == 0)
        check_fail("%s gave an item out of an empty deque", what);
}

/* Thieves can take what deque_stealable promises. A deque that counts (DEQUE_STEALABLE) promises an item whenever
 * thieves can take one. */
static void expect_promised(size_t promised, enum deque_result result) {
    if (DEQUE_HAS(DEQUE_POLL))
        return;
    if (promised > 0 && result != DEQUE_OK)
        check_fail("a steal gave %s where thieves could take %zu items", result_name(result), promised);
#ifdef DEQUE_STEALABLE
    if (promised == 0 && result == DEQUE_OK)
        check_fail("a steal gave an item where thieves could take none");
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
    note(subject, STEAL, 1, 0);
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
static void expect_share(size_t size, const char *what, unsigned percent, size_t max, size_t n) {
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
        check_fail("%s took %zu items: %u %% of %zu, at most %zu, was asked for", what, n, percent, size, max);
}

static void steal_batch(struct subject *subject, unsigned percent, size_t max) {
    deque_item items[BATCH_MAX] = {0};
    size_t n = SIZE_MAX;
    note(subject, STEAL_BATCH, percent, max);
    enum deque_result result = deque_steal_batch(subject->deque, subject->self, percent, items, max, &n);
    if (max > 0)
        expect_steal(subject, "steal_batch", result);
    if (result == DEQUE_OK) {
        expect_share(model_size(subject), "steal_batch", percent, max, n);
        for (size_t i = 0; i < n; i++)
            expect_stolen(subject, "steal_batch", items[i], i);
        model_stolen(subject, n);
    } else if (n != 0) {
        check_fail("steal_batch gave %s and says it took %zu", result_name(result), n);
    }
    expect_size(subject, "steal_batch");
}

/* Opens a deque for this config. The first of two begins a new trail. */
static void open_subject(struct subject *subject, const struct deque_config *config) {
    if (!subject->second) {
        memset(singly, 0, sizeof singly);
        next_serial = pops = trail.count = 0;
        trail.whole = true;
    }
    trail.pair = subject->second;
    int error = deque_init(subject->deque, config);
    if (error)
        check_fail("deque_init gave %d (%s)", error, strerror(error));
    subject->config = *config;
    subject->capacity = deque_capacity(subject->deque);
    subject->first = subject->past = subject->freed_front = 0;
    subject->memory_fails = false;
    if ((traits.bound == DEQUE_FIXED) != (subject->capacity > 0))
        check_fail("deque_capacity is %zu, which its bound in the traits contradicts", subject->capacity);
    if (traits.bound == DEQUE_FIXED && subject->capacity < config->capacity)
        check_fail("deque_capacity is %zu where %zu was asked for", subject->capacity, config->capacity);
    expect_size(subject, "deque_init");
}

static void empty_by_pop(struct subject *subject) {
    while (pop(subject) == DEQUE_OK)
        continue;
}

static void expect_no_allocations(const char *after) {
    if (allocations_live != allocations_kept)
        check_fail("%ld allocations are left after %s", allocations_live - allocations_kept, after);
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
            check_fail("deque_list_append left count, first or last wrong");
    }
}

static void push_list(struct subject *subject, size_t n) {
    struct deque_list list;
    uint64_t oldest = next_serial;
    note(subject, PUSH_LIST, n, 0);
    new_list(&list, n);
    deque_push_list(subject->deque, &list);
    if (list.count || list.first || list.last)
        check_fail("deque_push_list left something in the list");
    went_in(subject, oldest, n, "push_list");
}

/* Takes the list apart: it consists of the model's oldest items, and of no more. */
static void expect_list(struct subject *subject, struct deque_list *list) {
    size_t n = list->count;
    struct deque_link *oldest = list->last;
    expect_serial("the first of steal_list", (deque_item)list->first, subject->model[subject->first + n - 1]);
    expect_serial("the last of steal_list", (deque_item)list->last, subject->model[subject->first]);
    for (size_t i = n; i-- > 0;) {
        expect_serial("deque_list_take", deque_list_take(list), subject->model[subject->first + i]);
        if (list->count != i || (list->first == NULL) != (i == 0) || list->last != (i > 0 ? oldest : NULL))
            check_fail("deque_list_take left count, first or last wrong");
    }
}

static void steal_list(struct subject *subject, unsigned percent) {
    note(subject, STEAL_LIST, percent, 0);
    struct deque_list list = {
        .first = (void *)objects, .last = (void *)objects, .count = 7}; /* its old contents must not matter */
    enum deque_result result = deque_steal_list(subject->deque, subject->self, percent, &list);
    expect_steal(subject, "steal_list", result);
    if (result == DEQUE_OK) {
        size_t n = list.count;
        expect_share(model_size(subject), "steal_list", percent, SIZE_MAX, n);
        expect_list(subject, &list);
        model_stolen(subject, n);
    } else if (list.count || list.first || list.last) {
        check_fail("steal_list gave %s and a list", result_name(result));
    }
    expect_size(subject, "steal_list");
}

#else
#define push_list(subject, n) push_batch(subject, n)
#define steal_list(subject, percent) steal_batch(subject, percent, BATCH_MAX)
#endif

#ifdef DEQUE_SPILL

/* A spill of a full ring hands out its older or newer half, oldest first, and then there is room. If the ring is not
 * full, or the array too small, it hands out nothing. */
static size_t spill(struct subject *subject, size_t max) {
    deque_item items[BATCH_MAX];
    size_t size = model_size(subject), half = subject->capacity - subject->capacity / 2;
    note(subject, SPILL, max, 0);
    size_t n = DEQUE_SPILL(subject->deque, items, max);
    if (n != (size == subject->capacity && max >= half ? half : 0))
        check_fail("a spill of %zu of %zu items, at most %zu, gave %zu", size, subject->capacity, max, n);
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

#else
#define spill(subject, max) ((void)(subject), (void)(max))
#endif

/* The items that a steal_into has taken (the victim's oldest `taken` ones), and which of these and of self's own have
 * come out. */
struct haul {
    uint64_t oldest, own_oldest;
    size_t taken, own;
    bool seen[2 * BATCH_MAX];
};

static void haul_finds(struct haul *haul, const char *where, deque_item item) {
    uint64_t serial = item_serial(where, item);
    bool stolen = serial >= haul->oldest && serial < haul->oldest + haul->taken;
    bool kept = serial >= haul->own_oldest && serial < haul->own_oldest + haul->own;
    if (!stolen && !kept)
        check_fail("%s gave item %llu, neither one of the victim's oldest %zu nor self's own", where,
                   (unsigned long long)serial, haul->taken);
    size_t place = stolen ? (size_t)(serial - haul->oldest) : haul->taken + (size_t)(serial - haul->own_oldest);
    if (haul->seen[place])
        check_fail("item %llu came out twice after steal_into", (unsigned long long)serial);
    haul->seen[place] = true;
}

static struct haul expect_haul(const struct subject *victim, const struct subject *self, enum deque_result result,
                               size_t moved) {
    struct haul haul = {.taken = result == DEQUE_OK ? moved + 1 : 0, .own = model_size(self)};
    if (haul.own == 0 || model_size(victim) == 0)
        expect_steal(victim, "steal_into", result);
    if (result == DEQUE_OK ? moved >= model_size(victim) : moved != 0)
        check_fail("steal_into gave %s and says it moved %zu of %zu", result_name(result), moved, model_size(victim));
    if (deque_size(self->deque) != haul.own + moved)
        check_fail("self holds %zu after steal_into moved %zu to its %zu", deque_size(self->deque), moved, haul.own);
    haul.oldest = model_size(victim) ? victim->model[victim->first] : 0;
    haul.own_oldest = haul.own ? self->model[self->first] : 0;
    return haul;
}

static long allocations_of_steal_into = -1; /* most allocations of a steal_into; -1: no limit */
static size_t moved_at_most;                /* by a steal_into */

static struct subject subject, other = {.second = true};

/* The other deque steals from the subject. All that it holds then is popped. */
static void steal_into(void) {
    struct subject *victim = &subject, *self = &other;
    deque_item first = 0, item = 0;
    size_t moved = SIZE_MAX;
    note(victim, STEAL_INTO, 0, 0);
    allocations_left = allocations_of_steal_into;
    enum deque_result result = deque_steal_into(victim->deque, self->deque, &first, &moved);
    allocations_left = -1;
    struct haul haul = expect_haul(victim, self, result, moved);
    if (moved > moved_at_most)
        moved_at_most = moved;
    if (haul.taken)
        haul_finds(&haul, "steal_into", first);
    while (deque_pop(self->deque, &item) == DEQUE_OK)
        haul_finds(&haul, "pop after steal_into", item);
    model_stolen(victim, haul.taken);
    self->first = self->past = self->freed_front = 0;
    expect_reusable(self);
    expect_size(self, "steal_into and emptying");
    expect_size(victim, "steal_into");
}

/* For a fixed deque, as many as fit; for others, all of n. */
static size_t at_most_room(const struct subject *of, size_t n) {
    return of->capacity && n > of->capacity ? of->capacity : n;
}

/* As many items in the subject, as many in the other, as fit; then the other steals, and both are emptied. */
static void fill_and_steal_into(size_t in_subject, size_t in_other) {
    for (size_t i = at_most_room(&subject, in_subject); i > 0; i--)
        push(&subject);
    for (size_t i = at_most_room(&other, in_other); i > 0; i--)
        push(&other);
    steal_into();
    empty_by_pop(&subject);
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

/* Gives a deque that wants to know its thief one: an idle deque, worker 1. */
static void open_thief(void) {
    struct deque_config config = {.worker = 1, .workers = 2, .first = subject.deque};
    if (!traits.needs_self)
        return;
    subject.self = new_deque();
    make_deque(subject.self, &config);
    allocations_kept = allocations_live;
}
