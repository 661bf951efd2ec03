/* lists.c: programs around an intrusive deque for a model checker: one owner, one thief at a time (or, for a deque that
 * allows it, two), a handful of items.
 *
 * Compiled by run.py with -DCLIENT=NAME, a row of the table below; DEQUE_HEADER names the deque. Every execution must
 * keep these rules:
 * - each item comes out as often as it went in, from the deque it went into;
 * - a stolen list has the count it says, ends at its last, and runs from newest to oldest;
 * - a later steal takes younger items than an earlier one;
 * - after the threads have ended, the size is the number of pushed items minus those that came out.
 *
 * -DITEMS is the number of items at the start, -DPERCENT the part of a list that thieves take, -DLIMIT the size of
 * their batches. MODE is the deque's own mode, FIRST_INDEX the start of its counters. Each program prints what it
 * reached, in the words of table.txt, because an execution in which nothing happened is correct, too.
 */
#include "proof/model/split_cas.h"
#include "proof/model/words.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

/* An item is a link, so that nothing has to be converted. */
struct deque_link;
#undef DEQUE_ITEM
#define DEQUE_ITEM struct deque_link *
#include "proof/model/asymmetric_fences.h"
#include DEQUE_HEADER

#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef PERCENT
#define PERCENT 50
#endif
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef FIRST_INDEX
#define FIRST_INDEX 0
#endif

#define NODES 6

struct node {
    struct deque_link link;
    unsigned id; /* written before the push and read by the thread that took it: without publication this is a race */
};

static struct node nodes[NODES], *freeable; /* freeable: node 1, if the owner may free it */
static struct deque deque, other;           /* other: takes popped links in reuse_elsewhere */

static unsigned next_id;
static unsigned pushed[NODES], owner_took[NODES]; /* pushed: as pushed; items in `other` do not count */
static unsigned pushed_elsewhere;
static unsigned late_from; /* items with this id or a larger one were pushed while thieves were running */
static bool found_nothing; /* the owner's pop said EMPTY while thieves were running */
static bool used_again;    /* a popped link was used again, with the deque's permission */

/* What one thief took. Thieves that run one after the other share the first entry. */
static struct taken {
    unsigned took[NODES];
    unsigned youngest; /* one more than the id of the youngest item stolen */
    unsigned steals;   /* number of steals that got something */
    bool several;      /* more than one at once */
    bool lost;
} taken[2];

static void start(struct deque *which) {
    struct deque_config config = {.mode = MODE, .first_index = FIRST_INDEX};
    int error = deque_init(which, &config);
    assert(error == 0);
}

/* The owner's operations. */

static struct deque_link *number(struct node *node, unsigned id) {
    node->id = id;
    pushed[id]++;
    return &node->link;
}

static void push_link(struct deque *to, struct deque_link *link) {
    enum deque_result result = deque_push(to, link);
    assert(result == DEQUE_OK);
}

static void push_id(unsigned id) { push_link(&deque, number(&nodes[id], id)); }

/* The caller links the items as a user would, the newest first. */
UNUSED void push_a_list(unsigned n) {
    struct deque_list list = {.first = NULL, .last = NULL, .count = 0};
    for (unsigned id = next_id + n; id-- > next_id;)
        deque_list_append(&list, number(&nodes[id], id));
    next_id += n;
    deque_push_list(&deque, &list);
    assert(list.count == 0);
}

UNUSED void push_two_as_batch(void) {
    struct deque_link *items[2];
    for (unsigned i = 0; i < 2; i++, next_id++)
        items[i] = number(&nodes[next_id], next_id);
    size_t n = deque_push_batch(&deque, items, 2);
    assert(n == 2);
}

/* Pops, and returns the id of the item, or NODES. */
static unsigned pop_one(void) {
    struct deque_link *link;
    if (deque_pop(&deque, &link) != DEQUE_OK) {
        found_nothing = true;
        return NODES;
    }
    unsigned id = ((struct node *)link)->id;
    owner_took[id]++;
    return id;
}

/* Pops three (or four) items. If the deque allows it, pushes two of them again in their old order. A thief that is at
 * the newer item then finds the same link behind it, and another tail. */
UNUSED void push_two_again(void) {
    if (ITEMS > 3)
        pop_one();
    unsigned newer = pop_one();
    unsigned older = pop_one();
    pop_one();
    if (!deque_reusable(&deque, deque_retire(&deque)))
        return;
    used_again = true;
    if (older < NODES)
        push_id(older);
    if (newer < NODES)
        push_id(newer);
    pop_one();
}

static void push_elsewhere(unsigned id) {
    push_link(&other, &nodes[id].link);
    pushed_elsewhere++;
}

/* The other deque holds items, so that a wrong cut there removes one of them. */
UNUSED void start_elsewhere(void) {
    start(&other);
    nodes[4].id = 4;
    nodes[5].id = 5;
    push_elsewhere(4);
    push_elsewhere(5);
}

/* Pops all items but one and, if the deque allows it, pushes two of them on the other deque. */
UNUSED void push_two_elsewhere(void) {
    if (ITEMS > 3)
        pop_one();
    unsigned newer = pop_one();
    unsigned older = pop_one();
    if (!deque_reusable(&deque, deque_retire(&deque)))
        return;
    used_again = true;
    if (older < NODES)
        push_elsewhere(older);
    if (newer < NODES)
        push_elsewhere(newer);
}

UNUSED void push_freeable(void) {
    freeable = malloc(sizeof *freeable);
    push_link(&deque, number(freeable, 1));
}

UNUSED void pop_and_free(void) {
    unsigned id = pop_one();
    if (id == 1 && deque_reusable(&deque, deque_retire(&deque))) {
        used_again = true;
        free(freeable);
        freeable = NULL;
    }
}

/* The thieves' operations. */

/* Did the steal get something? */
static bool told(struct taken *thief, enum deque_result result) {
    if (result == DEQUE_LOST)
        thief->lost = true;
    if (result == DEQUE_OK)
        thief->steals++;
    return result == DEQUE_OK;
}

static void take_next(struct taken *thief, struct deque_link *link) {
    unsigned id = ((struct node *)link)->id;
    assert(id >= thief->youngest);
    thief->youngest = id + 1;
    thief->took[id]++;
}

UNUSED void steal_a_list(struct taken *thief) {
    struct deque_list list;
    if (!told(thief, deque_steal_list(&deque, NULL, PERCENT, &list))) {
        assert(list.count == 0);
        return;
    }
    assert(list.count > 0);
    if (list.count > 1)
        thief->several = true;
    struct deque_link *last = list.last, *link = NULL;
    unsigned younger = NODES, youngest = 0;
    while (list.count > 0) {
        link = deque_list_take(&list);
        unsigned id = ((struct node *)link)->id;
        assert(id < younger);
        younger = id;
        if (youngest == 0)
            youngest = id + 1;
        thief->took[id]++;
    }
    assert(link == last && list.first == NULL);
    assert(younger >= thief->youngest);
    thief->youngest = youngest;
}

UNUSED void steal_one(struct taken *thief) {
    struct deque_link *link;
    if (told(thief, deque_steal(&deque, NULL, &link)))
        take_next(thief, link);
}

UNUSED void steal_a_batch(struct taken *thief) {
    struct deque_link *out[NODES];
    size_t n;
    if (!told(thief, deque_steal_batch(&deque, NULL, PERCENT, out, LIMIT, &n))) {
        assert(n == 0);
        return;
    }
    assert(n > 0 && n <= LIMIT);
    for (size_t i = 0; i < n; i++)
        take_next(thief, out[i]);
}

/* Threads. */

/* Prints a line for each word of table.txt that this execution has reached. */
static void tell_what_was_reached(void) {
    const struct taken *one = &taken[0], *beside = &taken[1];
    unsigned steals = one->steals + beside->steals;
    bool late = false;
    for (unsigned id = late_from; id < NODES; id++)
        late = late || one->took[id] + beside->took[id] > 0;
    const struct reached words[] = {
        {"stolen", steals > 0},
        {"both", one->steals > 0 && beside->steals > 0},
        {"later", one->steals > 1},
        {"late", late},
        {"lost", one->lost || beside->lost},
        {"several", one->several || beside->several},
        {"beaten", found_nothing && steals > 0},
        {"reused", used_again && steals > 0},
    };
    print_reached(words, sizeof words / sizeof *words);
}

/* Call after the threads have ended. */
static void check(void) {
    unsigned left = 0;
    for (unsigned id = 0; id < NODES; id++)
        left += pushed[id] - owner_took[id] - taken[0].took[id] - taken[1].took[id];
    assert(deque_size(&deque) == left);
    while (left-- > 0) {
        unsigned id = pop_one();
        assert(id < NODES);
    }
    unsigned id = pop_one();
    assert(id == NODES && deque_size(&deque) == 0);
    for (id = 0; id < NODES; id++)
        assert(owner_took[id] + taken[0].took[id] + taken[1].took[id] == pushed[id]);
    if (pushed_elsewhere > 0) {
        struct deque_link *link;
        for (; pushed_elsewhere > 0; pushed_elsewhere--) {
            enum deque_result result = deque_pop(&other, &link);
            assert(result == DEQUE_OK);
        }
        assert(deque_pop(&other, &link) == DEQUE_EMPTY);
    }
    free(freeable);
}

typedef void *body(void *);

/* The thief after the first and the one beside it may be NULL. */
static void play(body *owner, body *thief, body *afterwards, body *beside) {
    pthread_t owner_thread, thief_thread, beside_thread;
    while (late_from < NODES && pushed[late_from] > 0)
        late_from++;
    pthread_create(&owner_thread, NULL, owner, NULL);
    pthread_create(&thief_thread, NULL, thief, NULL);
    if (beside) {
        pthread_create(&beside_thread, NULL, beside, NULL);
        pthread_join(beside_thread, NULL);
    }
    pthread_join(thief_thread, NULL);
    if (afterwards) {
        pthread_create(&thief_thread, NULL, afterwards, NULL);
        pthread_join(thief_thread, NULL);
    }
    pthread_join(owner_thread, NULL);
    tell_what_was_reached();
    check();
    printf("reached end\n");
}

#define push(n) REPEAT(n, push_id(next_id++))
#define push_list(n) push_a_list(n)
#define pop(n) REPEAT(n, pop_one())
#define steal(n) REPEAT(n, steal_one(thief))
#define steal_list(n) REPEAT(n, steal_a_list(thief))
#define steal_batch(n) REPEAT(n, steal_a_batch(thief))

#define BODY(name, thief_is, ...)                                                                                      \
    UNUSED void *name(void *unused) {                                                                                  \
        struct taken *thief = thief_is;                                                                                \
        (void)thief;                                                                                                   \
        __VA_ARGS__;                                                                                                   \
        return unused;                                                                                                 \
    }
#define PROGRAM(name, set_up, owner, thief, afterwards, beside)                                                        \
    BODY(name##_owner, NULL, owner)                                                                                    \
    BODY(name##_thief, &taken[0], thief)                                                                               \
    UNUSED void program_##name(void) {                                                                                 \
        set_up;                                                                                                        \
        play(name##_owner, name##_thief, afterwards, beside);                                                          \
    }
#define ONE_THIEF(name, set_up, owner, thief) PROGRAM(name, set_up, owner, thief, NULL, NULL)
#define ONE_AFTER_THE_OTHER(name, set_up, owner, thief)                                                                \
    BODY(name##_afterwards, &taken[0], thief) PROGRAM(name, set_up, owner, thief, name##_afterwards, NULL)
#define TWO_AT_ONCE(name, set_up, owner, thief)                                                                        \
    BODY(name##_beside, &taken[1], thief) PROGRAM(name, set_up, owner, thief, NULL, name##_beside)

/* The formatter would take the statements of a row for one expression. */
/* clang-format off */
ONE_THIEF(cut_at_pop, push_list(ITEMS), pop(ITEMS), steal_list(1))
ONE_THIEF(publish, nothing(), push_list(2); push(1); pop(1), steal_list(2))
ONE_THIEF(twice, push_list(4), pop(1); push(1); pop(2), steal_list(2))
/* The owner empties the deque and fills it again. */
ONE_THIEF(refill, push_list(3), pop(3); push_list(2); pop(1), steal_list(2))
ONE_AFTER_THE_OTHER(turns, push_list(3), pop(3); push_list(2); pop(1), steal_list(1))
TWO_AT_ONCE(both_refill, push_list(3), pop(3); push_list(2); pop(1), steal_list(1))
TWO_AT_ONCE(both, push(3), pop(1); push(1), steal_list(1))
ONE_THIEF(single, push_list(ITEMS), pop(ITEMS), steal(2))
ONE_THIEF(batch, push_list(2), push_two_as_batch(); pop(1); push(1), steal_batch(2))
ONE_THIEF(reuse_here, push_list(ITEMS), push_two_again(), steal_list(2))
TWO_AT_ONCE(both_reuse, push_list(ITEMS), push_two_again(), steal_list(1))
ONE_THIEF(reuse_elsewhere, start_elsewhere(); push_list(ITEMS), push_two_elsewhere(), steal_list(2))
ONE_THIEF(free, push(1); push_freeable(), pop_and_free(), steal_list(2))
/* clang-format on */

#define CALL(name) CALL_NAMED(name)
#define CALL_NAMED(name) program_##name()

int main(void) {
    start(&deque);
    CALL(CLIENT);
    return 0;
}
