/* clients.c: the scenarios of proof/scenarios.h for a model checker, which explores every execution of one of them.
 *
 * Compiled by run.py with -DCLIENT=NAME, a row of the table or of those below it; DEQUE_HEADER names the deque. The
 * owner is main; there are one or two thieves and at most nine items. Every execution must end with each item taken as
 * often as it was pushed, with no answer that the contract forbids, and with an item's contents visible to whoever took
 * it (the checker's race detection sees to that). With -DLINKED, for intrusive deques, items are links: a thief gets
 * them in the order of pushes, and a stolen list has the count it says, ends at its last and begins at its newest.
 *
 * An execution in which nothing happens is correct, too. So each execution prints what it reached, and run.py compares
 * these lines with the demands of the row in table.txt.
 */
#include "proof/model/split_cas.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

static _Thread_local unsigned allocations; /* of this thread */

#ifdef LINKED /* nothing has to be converted */
#define DEQUE_ITEM struct deque_link *
struct deque_link;
#else
#define DEQUE_ITEM size_t
#endif
#define DEQUE_ALLOC(bytes) (allocations++, malloc(bytes))
#define DEQUE_FREE(pointer) free(pointer)
/* The checker supports memcpy only for constant lengths. */
#define DEQUE_COPY(to, from, n)                                                                                        \
    for (size_t copied = 0; copied < (n); copied++)                                                                    \
    (to)[copied] = (from)[copied]

/* The checker treats a compiler's fence as a thread fence. */
#include <stdatomic.h>
#undef atomic_signal_fence
#define atomic_signal_fence(order) ((void)0)

#include "proof/model/asymmetric_fences.h"

#include "harness/measuring/deque_under_test.h"
#include <assert.h>
#include <pthread.h>

#define UNUSED __attribute__((unused)) static

/* Index of the mode in the deque's mode_values. */
#ifndef MODE
#define MODE 0
#endif

/* Repetition is written out: GenMC 0.10.3 fails on loops that its jump threading rearranges. */
#define REPEAT(n, operation)                                                                                           \
    do {                                                                                                               \
        if ((n) > 0)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 1)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 2)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 3)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 4)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 5)                                                                                                   \
            operation;                                                                                                 \
    } while (0)
#define nothing() (void)0

/* Items per block, for deques with blocks; 0: the deque's default. */
#ifndef BLOCK
#define BLOCK 0
#endif
/* 1: the owner polls after each operation; 2: in addition, a thief asked before the threads started. */
#ifndef POLLS
#define POLLS 0
#endif

/* 1: all of main's items are one and the same, which is in the deque several times. */
#ifndef ALIKE
#define ALIKE 0
#endif

/* Lists: items at the start, and the percentage that thieves take. */
#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef PERCENT
#define PERCENT 50
#endif

enum { ITEMS_MAX = 9, THREADS = 3 }; /* thread 0 is main, the owner */

static const struct deque_traits traits = DEQUE_TRAITS;

static struct deque deques[THREADS]; /* each thread's own */
static bool made[THREADS];

static size_t content[ITEMS_MAX + 1]; /* of each item: written before the push, read by the thread that took it */
static unsigned pushed[ITEMS_MAX + 1];
static unsigned pushed_to[ITEMS_MAX + 1]; /* number of the deque that each item was pushed into */
static bool pushed_late[ITEMS_MAX + 1];   /* was the item pushed while the thieves were running? */
static size_t items_of_main, items_of_thieves;

/* What one thread took, and the answers it got. */
static struct hand {
    size_t items[ITEMS_MAX];
    size_t count;
    enum deque_result answer; /* answer of the last steal */
    bool found_nothing, lost;
    unsigned steals;
    bool several; /* it got more than one item at once */
    bool moved;   /* it moved items into its own deque */
    bool again;   /* it got an item that another thread had moved */
} hands[THREADS];
static bool racing;           /* the thieves are running; main writes it before they start */
static bool refused, spilled; /* a push of main was told FULL; main spilled */
static bool used_again;       /* a popped link was used again, with the deque's permission */
static size_t start_capacity; /* of deque 0, as requested */

/* Set-ups. */

UNUSED void make_deque_from(unsigned which, size_t capacity, uint64_t first_index) {
    struct deque_config config = {.capacity = capacity,
                                  .block = BLOCK,
                                  .worker = which,
                                  .workers = THREADS,
                                  .first = &deques[0],
                                  .mode = MODE,
                                  .first_index = first_index};
    int failed = deque_init(&deques[which], &config);
    assert(!failed);
    if (which == 0)
        start_capacity = capacity;
    else
        made[which] = true;
    allocations = 0;
}

/* Makes deque 0, and the thieves' own deques if the traits say so. */
static void make_all(size_t capacity, uint64_t first_index) {
    make_deque_from(0, capacity, first_index);
    for (unsigned thief = 1; thief < THREADS && traits.needs_self; thief++)
        make_deque_from(thief, capacity, first_index);
}

static struct deque *own_of(unsigned thief) { return traits.needs_self ? &deques[thief] : NULL; }

/* Items. */

/* Main numbers its items upwards from 1; the only thief that pushes, downwards from ITEMS_MAX. */
static size_t new_item(unsigned me) {
    if (me != 0)
        return ITEMS_MAX - items_of_thieves++;
    return ALIKE ? 1 : ++items_of_main;
}

#ifdef LINKED
static struct node {
    struct deque_link link;
    size_t number; /* written before the push and read by the thread that took it: without publication this is a race */
} nodes[ITEMS_MAX + 1], *freeable;
static deque_item item_of(size_t number) {
    nodes[number].number = number;
    return &nodes[number].link;
}
static size_t number_of(deque_item item) { return ((struct node *)item)->number; }
#else
static deque_item item_of(size_t number) { return number; }
static size_t number_of(deque_item item) { return item; }
#endif

static void fill_in(size_t item, unsigned which) {
    if (ALIKE && pushed[item])
        return;
    content[item] = 10 * item;
    pushed_to[item] = which;
    pushed_late[item] = racing;
}

static void keep(unsigned me, size_t item) {
    struct hand *hand = &hands[me];
    assert(item >= 1 && item <= ITEMS_MAX);
    assert(content[item] == 10 * item);
    assert(hand->count < ITEMS_MAX);
#ifdef LINKED
    assert(me == 0 || hand->count == 0 || hand->items[hand->count - 1] < item);
#endif
    hand->items[hand->count++] = item;
}

static void keep_all(unsigned me, const deque_item *items, size_t n) {
    for (size_t i = 0; i < n; i++)
        keep(me, number_of(items[i]));
    if (n > 1)
        hands[me].several = true;
}

/* Operations of the thread that owns the deque. */

static void poll_if_set(unsigned which) {
    if (POLLS)
        deque_poll(&deques[which]);
}

static enum deque_result push_item(unsigned which, size_t item) {
    fill_in(item, which);
    MAY_BE_INTERRUPTED();
    enum deque_result result = deque_push(&deques[which], item_of(item));
    assert(result == DEQUE_OK || (result == DEQUE_FULL && traits.bound == DEQUE_FIXED));
    if (result == DEQUE_OK)
        pushed[item]++;
    else if (which == 0)
        refused = true;
    poll_if_set(which);
    return result;
}

static enum deque_result push_one(unsigned me, unsigned which) { return push_item(which, new_item(me)); }

static enum deque_result pop_one(unsigned me, unsigned which) {
    deque_item item;
    MAY_BE_INTERRUPTED();
    enum deque_result result = deque_pop(&deques[which], &item);
    assert(result == DEQUE_OK || result == DEQUE_EMPTY);
    if (result == DEQUE_OK)
        keep(me, number_of(item));
    else if (racing)
        hands[me].found_nothing = true;
    poll_if_set(which);
    return result;
}

/* What the owner has pushed at places and not taken back, newest last. */
static struct {
    size_t item;
    uint64_t place;
} own[ITEMS_MAX];
static unsigned owned;

UNUSED void push_one_at(void) {
    size_t item = own[owned].item = new_item(0);
    uint64_t place = own[owned++].place = deque_place(&deques[0]);
    fill_in(item, 0);
    enum deque_result result = deque_push_at(&deques[0], item_of(item), place);
    assert(result == DEQUE_OK);
    pushed[item] = 1;
    poll_if_set(0);
}

UNUSED void pop_one_own(void) {
    assert(owned > 0);
    owned--;
    if (deque_pop_own(&deques[0], item_of(own[owned].item), own[owned].place) == DEQUE_OK)
        keep(0, own[owned].item);
    else
        pop_one(0, 0);
    poll_if_set(0);
}

UNUSED void push_one_that_fits(void) {
    enum deque_result result = push_one(0, 0);
    assert(result == DEQUE_OK);
}

UNUSED void pop_nothing(void) {
    enum deque_result result = pop_one(0, 0);
    assert(result == DEQUE_EMPTY);
}

UNUSED void push_a_batch(size_t n) {
    const size_t first = items_of_main + 1;
    deque_item batch[ITEMS_MAX];
    for (size_t i = 0; i < n; i++) {
        fill_in(new_item(0), 0);
        batch[i] = item_of(first + i);
    }
    size_t in = deque_push_batch(&deques[0], batch, n);
    assert(in == n || (traits.bound == DEQUE_FIXED && in >= 1 && in < n));
    for (size_t i = 0; i < in; i++)
        pushed[first + i] = 1;
}

/* Writes n items in place, or as many as there is room for, and commits all but the last. */
UNUSED void push_in_place(size_t n) {
    size_t span = 0, first = items_of_main + 1;
    deque_slot *slots = deque_reserve(&deques[0], n, &span);
    assert(slots && span >= 1 && span <= n);
    for (size_t i = 0; i < span; i++) {
        fill_in(new_item(0), 0);
        deque_fill(&slots[i], item_of(first + i));
    }
    size_t wanted = span < n - 1 ? span : n - 1, in = deque_commit(&deques[0], wanted);
    assert(in == wanted);
    for (size_t i = 0; i < in; i++)
        pushed[first + i] = 1;
    poll_if_set(0);
}

#ifdef DEQUE_SPILL
/* As in a pool: spilled items count as taken. */
UNUSED void push_one_or_spill(void) {
    deque_item out[ITEMS_MAX];
    size_t item = new_item(0);
    if (push_item(0, item) == DEQUE_OK)
        return;
    size_t n = DEQUE_SPILL(&deques[0], out, ITEMS_MAX);
    for (size_t i = 0; i < n; i++) {
        assert(i == 0 || number_of(out[i]) == number_of(out[i - 1]) + 1);
        keep(0, number_of(out[i]));
    }
    if (n > 0)
        spilled = true;
    enum deque_result result = push_item(0, item);
    assert(n == 0 || result == DEQUE_OK);
}
#else
#define push_one_or_spill() assert(!"the deque has no DEQUE_SPILL")
#endif

/* Operations of thieves. */

static enum deque_result told(struct hand *hand, enum deque_result result) {
    assert(result == DEQUE_OK || result == DEQUE_EMPTY || result == DEQUE_LOST);
    if (racing && result == DEQUE_LOST)
        hand->lost = true;
    hand->steals += result == DEQUE_OK;
    return hand->answer = result;
}

static enum deque_result steal_one(unsigned me, unsigned victim) {
    deque_item item;
    enum deque_result result = told(&hands[me], deque_steal(&deques[victim], own_of(me), &item));
    if (result == DEQUE_OK) {
        keep(me, number_of(item));
        if (pushed_to[number_of(item)] != victim)
            hands[me].again = true;
    }
    return result;
}

UNUSED void steal_some(unsigned me, unsigned percent, size_t max) {
    deque_item out[ITEMS_MAX];
    size_t n;
    enum deque_result result = told(&hands[me], deque_steal_batch(&deques[0], own_of(me), percent, out, max, &n));
    assert(n <= max && (result == DEQUE_OK) == (n > 0));
    keep_all(me, out, n);
}

UNUSED void steal_into_own(unsigned me, unsigned victim, unsigned own) {
    deque_item first;
    size_t several = 0;
    if (told(&hands[me], deque_steal_into(&deques[victim], &deques[own], &first, &several)) == DEQUE_OK)
        keep(me, number_of(first));
    if (several > 0)
        hands[me].moved = true;
}

/* Every program that asks for the size has three items in all. */
UNUSED void ask_for_size(void) {
    size_t size = deque_size(&deques[0]);
    assert(size <= 3);
}

#ifdef LINKED

/* The caller links the items as a user would, the newest first. */
UNUSED void push_a_list(size_t n) {
    struct deque_list list = {.first = NULL, .last = NULL, .count = 0};
    for (size_t item = items_of_main += n; item > items_of_main - n; item--) {
        fill_in(item, 0);
        pushed[item]++;
        deque_list_append(&list, item_of(item));
    }
    deque_push_list(&deques[0], &list);
    assert(list.count == 0);
}

UNUSED void steal_a_list(unsigned me) {
    struct deque_list list;
    struct deque_link *out[ITEMS_MAX + 1];
    const bool got = told(&hands[me], deque_steal_list(&deques[0], own_of(me), PERCENT, &list)) == DEQUE_OK;
    const size_t n = list.count;
    assert(got == (n > 0) && n <= ITEMS_MAX);
    struct deque_link *last = list.last;
    for (size_t i = n; i-- > 0;)
        out[i] = deque_list_take(&list);
    assert(n == 0 || (out[0] == last && list.first == NULL));
    keep_all(me, out, n);
}

/* If the deque says that popped links may be used, pushes two again, in their old order. A thief that is at the newer
 * one then finds the same link behind it, and another tail. */
UNUSED void push_two_again(unsigned which) {
    const size_t newer = ITEMS - 3, older = newer + 1;
    if (!deque_reusable(&deques[0], deque_retire(&deques[0])))
        return;
    used_again = true;
    if (hands[0].count > older)
        push_item(which, hands[0].items[older]);
    if (hands[0].count > newer)
        push_item(which, hands[0].items[newer]);
}

UNUSED void push_freeable(void) {
    freeable = malloc(sizeof *freeable);
    freeable->number = new_item(0);
    fill_in(freeable->number, 0);
    pushed[freeable->number]++;
    enum deque_result result = deque_push(&deques[0], &freeable->link);
    assert(result == DEQUE_OK);
}

UNUSED void pop_and_free(void) {
    pop_one(0, 0);
    if (hands[0].count > 0 && hands[0].items[0] == 2 && deque_reusable(&deques[0], deque_retire(&deques[0]))) {
        used_again = true;
        free(freeable);
        freeable = NULL;
    }
}

#endif

/* Threads. */

static pthread_t thieves[THREADS];

static void start(unsigned thief, void *(*body)(void *)) {
    if (!racing) {
        if (POLLS > 1) {
            steal_one(1, 0);
            deque_poll(&deques[0]);
        }
        racing = true;
    }
    pthread_create(&thieves[thief], NULL, body, NULL);
}

static unsigned running;

static void wait_for_thieves(void) {
    if (running > 0)
        pthread_join(thieves[1], NULL);
    if (running > 1)
        pthread_join(thieves[2], NULL);
    running = 0;
}

/* Main, alone: takes the rest, which is as much as the size says. */
static void drain(unsigned which) {
    for (size_t left = deque_size(&deques[which]); left > 0; left--) {
        enum deque_result result = pop_one(0, which);
        assert(result == DEQUE_OK);
    }
    enum deque_result none = pop_one(0, which);
    assert(none == DEQUE_EMPTY);
}

static unsigned times(const struct hand *hand, size_t item) {
    unsigned found = 0;
    for (size_t i = 0; i < hand->count; i++)
        found += hand->items[i] == item;
    return found;
}

static unsigned stolen(size_t item) { return times(&hands[1], item) + times(&hands[2], item); }

static void every_item_once(void) {
    for (size_t item = 1; item <= ITEMS_MAX; item++) {
        unsigned found = times(&hands[0], item) + stolen(item);
        assert(found == pushed[item] || (traits.delivery == DEQUE_AT_LEAST_ONCE && pushed[item] && found > 1));
    }
}

/* Prints a line for each word of table.txt that this execution has reached. */
static void tell_what_was_reached(void) {
    const struct hand *owner = &hands[0], *one = &hands[1], *other = &hands[2];
    size_t pushed_in_all = 0, got = one->count + other->count;
    bool late = false, later = false;
    for (size_t item = 1; item <= ITEMS_MAX; item++) {
        pushed_in_all += pushed[item] && pushed_to[item] == 0;
        late = late || (pushed_late[item] && stolen(item));
        later = later || (item > 1 && stolen(item));
    }
    const struct {
        const char *word;
        bool reached;
    } words[] = {
        {"stolen", got > 0},
        {"both", one->count > 0 && other->count > 0},
        {"late", late},
        {"later", later},
        {"lost", one->lost || other->lost},
        {"beaten", owner->found_nothing && got > 0},
        {"refused", refused},
        {"over", got > 0 && (traits.bound == DEQUE_FIXED ? pushed_in_all > start_capacity : allocations > 0)},
        {"several", one->several || other->several},
        {"moved", owner->moved || one->moved},
        {"again", other->again},
        {"spilled", spilled},
        {"twice", one->steals > 1},
        {"reused", used_again && got > 0},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].reached)
            printf("reached %s\n", words[i].word);
}

/* Main, after every other thread has ended. */
static void finish(void) {
    if (racing)
        tell_what_was_reached();
    racing = false;
    if (ALIKE) { /* nobody else is about, so a thief gets what there is, and no thief is told LOST */
        REPEAT(4, steal_one(1, 0));
        assert(hands[1].answer == DEQUE_EMPTY);
    }
    if (made[1])
        drain(1);
    if (made[2])
        drain(2);
    drain(0);
    every_item_once();
    deque_destroy(&deques[0]);
    for (unsigned thief = 1; thief < THREADS; thief++)
        if (made[thief])
            deque_destroy(&deques[thief]);
    printf("reached end\n");
}

/* The words of the table. `me` is the number of the thread that runs a body. */
#define more(n) 0
#define MORE(statements) (void)0
#define LEFT 0

#define make(capacity, items) make_from(capacity, items, 0)
#define make_full(items) make(items, items)
#define make_from(capacity, items, first_index)                                                                        \
    make_all(capacity, first_index);                                                                                   \
    fill(0, items)
#define make_deque(which, capacity) make_deque_from(which, capacity, 0)
#define make_pair(capacity, capacity_of_thief)                                                                         \
    make_deque(0, capacity);                                                                                           \
    make_deque(1, capacity_of_thief)
#define make_with_target(capacity, capacity_of_thief)                                                                  \
    make_pair(capacity, capacity_of_thief);                                                                            \
    if (traits.needs_self)                                                                                             \
    make_deque(2, capacity_of_thief)
#define fill(which, items) push_to(which, items)
#define asked_before()                                                                                                 \
    steal_one(1, 0);                                                                                                   \
    deque_poll(&deques[0])

#define push(n) push_to(0, n)
#define push_to(which, n) REPEAT(n, push_one(me, which))
#define push_own(n) REPEAT(n, push_one_at())
#define pop_own(n) REPEAT(n, pop_one_own())
#define push_that_fits(n) REPEAT(n, push_one_that_fits())
#define push_batch(n) push_a_batch(n)
#define push_reserved(n) push_in_place(n)
#define push_or_spill(n) REPEAT(n, push_one_or_spill())
#define pop(n) pop_from(0, n)
#define pop_from(which, n) REPEAT(n, pop_one(me, which))
#define poll(n) REPEAT(n, deque_poll(&deques[0]))
#define steal(n) steal_from(0, n)
#define steal_from(victim, n) REPEAT(n, steal_one(me, victim))
#define steal_batch(percent, max) steal_some(me, percent, max)
#define steal_into(victim, own) steal_into_own(me, victim, own)
#define ask_size(n) REPEAT(n, ask_for_size())
#define thief_was_not_told_empty() assert(traits.thieves_leave > 0 || hands[1].answer != DEQUE_EMPTY)
#define one_thief_won()                                                                                                \
    if (traits.thieves_leave == 0) {                                                                                   \
        assert(hands[1].answer != DEQUE_EMPTY && hands[2].answer != DEQUE_EMPTY);                                      \
        assert(hands[1].answer == DEQUE_OK || hands[2].answer == DEQUE_OK);                                            \
    }

#define BODY(name, me_is, ...)                                                                                         \
    UNUSED void name(void) {                                                                                           \
        const unsigned me = me_is;                                                                                     \
        (void)me;                                                                                                      \
        __VA_ARGS__;                                                                                                   \
    }
#define THREAD(name, me_is, ...)                                                                                       \
    UNUSED void *name(void *unused) {                                                                                  \
        const unsigned me = me_is;                                                                                     \
        (void)me;                                                                                                      \
        __VA_ARGS__;                                                                                                   \
        return unused;                                                                                                 \
    }
#define SCENARIO_LAB(...)
#define SCENARIO_BOTH SCENARIO_MODEL
#define SCENARIO_MODEL(name, set_up, owner, first, start_second)                                                       \
    BODY(name##_set_up, 0, set_up)                                                                                     \
    BODY(name##_owner, 0, owner)                                                                                       \
    THREAD(name##_first, 1, first)                                                                                     \
    UNUSED void scenario_##name(void) {                                                                                \
        name##_set_up();                                                                                               \
        start(1, name##_first);                                                                                        \
        start_second;                                                                                                  \
        running++;                                                                                                     \
        name##_owner();                                                                                                \
        wait_for_thieves();                                                                                            \
        finish();                                                                                                      \
    }
#define SECOND_LAB(...)
#define SECOND_BOTH SECOND_MODEL
#define SECOND_MODEL(name, second) THREAD(name##_second, 2, second)

#define ONE_THIEF(name, summary, run_by, needs, set_up, owner, thief)                                                  \
    SCENARIO_##run_by(name, set_up, owner, thief, (void)0)
#define TWO_THIEVES(name, summary, run_by, needs, set_up, owner, thief, second)                                        \
    SECOND_##run_by(name, second) SCENARIO_##run_by(name, set_up, owner, thief, (start(2, name##_second), running++))
#define MOVER TWO_THIEVES
#include "proof/scenarios.h"

/* Programs that only the model checker runs. */

#ifdef LINKED
#define push_list(n) push_a_list(n)
#define steal_list(n) REPEAT(n, steal_a_list(me))
#define LISTS(name, set_up, owner, thief) ONE_THIEF(name, "", MODEL, , make(0, 0); set_up, owner, thief)
#define LISTS_OF_TWO(name, set_up, owner, thief) TWO_THIEVES(name, "", MODEL, , make(0, 0); set_up, owner, thief, thief)
/* The formatter would take the statements of a row for one expression. */
/* clang-format off */
LISTS(cut_at_pop, push_list(ITEMS), pop(ITEMS), steal_list(1))
LISTS(publish, nothing(), push_list(2); push(1); pop(1), steal_list(2))
LISTS(twice, push_list(4), pop(1); push(1); pop(2), steal_list(2))
/* The owner empties the deque and fills it again. */
LISTS(refill, push_list(3), pop(3); push_list(2); pop(1), steal_list(2))
LISTS_OF_TWO(both_refill, push_list(3), pop(3); push_list(2); pop(1), steal_list(1))
LISTS_OF_TWO(both, push(3), pop(1); push(1), steal_list(1))
LISTS(single, push_list(3), pop(3), steal(2))
LISTS(batch, push_list(2), push_batch(2); pop(1); push(1), REPEAT(2, steal_batch(PERCENT, 1)))
LISTS(reuse_here, push_list(ITEMS), pop(ITEMS); push_two_again(0); pop(1), steal_list(2))
LISTS_OF_TWO(both_reuse, push_list(3), pop(3); push_two_again(0); pop(1), steal_list(1))
/* The other deque holds items, so that a wrong cut there removes one of them. */
LISTS(reuse_elsewhere, make_deque(1, 0); push_list(ITEMS); push_to(1, 2), pop(ITEMS - 1); push_two_again(1), steal_list(2))
LISTS(free, push(1); push_freeable(), pop_and_free(), steal_list(2))
/* clang-format on */
#endif

/* Two blocks of one item. After the first thief's claim, the owner puts a new block into the place of the first block.
 * After the second thief's claim, it puts the first block into the place of the second, where the first thief may be
 * looking by then. Three items were there before the third steal began, so nobody is told EMPTY. */
THREAD(spare_again_first, 1, steal(2))
THREAD(spare_again_second, 2, steal(1))
UNUSED void scenario_spare_again(void) {
    make_all(2, 0);
    push_one(0, 0);
    push_one(0, 0);
    start(1, spare_again_first);
    enum deque_result third = push_one(0, 0);
    start(2, spare_again_second);
    push_one(0, 0);
    running = 2;
    wait_for_thieves();
    assert(third != DEQUE_OK || hands[1].answer != DEQUE_EMPTY);
    finish();
}

#define CALL(name) CALL_NAMED(name)
#define CALL_NAMED(name) scenario_##name()

int main(void) {
    CALL(CLIENT);
    return 0;
}
