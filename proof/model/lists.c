/* lists.c: clients of an intrusive deque for a model checker: one owner, one thief at a time (or, for
 * a deque that allows it, two), a handful of items.
 *
 * One client a run, chosen by -DCLIENT_NAME; DEQUE_HEADER names the deque. Every execution must keep these, or an
 * assertion fails:
 * - each item comes out as often as it went in, from the deque it went into;
 * - a stolen list has the count it says, ends at its last, and runs from newest to oldest;
 * - a later steal takes younger items than an earlier one;
 * - after the threads have ended the size is what went in less what came out.
 *
 *   CLIENT_cut_at_pop       ITEMS are there; the owner pops them all while a thief takes PERCENT
 *   CLIENT_publish          the owner pushes a list and a single item, and pops one, while a thief takes PERCENT twice
 *   CLIENT_twice            a thief takes PERCENT twice while the owner pops, pushes and pops
 *   CLIENT_refill           the owner empties the deque and fills it again while a thief takes PERCENT twice
 *   CLIENT_turns            the same with two thieves, the second after the first
 *   CLIENT_both             two thieves at once, each takes PERCENT, while the owner pops and pushes
 *   CLIENT_single           a thief takes the oldest item twice while the owner pops ITEMS
 *   CLIENT_batch            a thief takes at most LIMIT items into an array while the owner pushes more
 *   CLIENT_reuse_here       the owner pops ITEMS (3 or 4), and pushes two again if it may
 *   CLIENT_reuse_elsewhere  the owner pops all of ITEMS (3 or 4) but one, and pushes two on another deque if it may
 *   CLIENT_free             the owner pops one and frees it, if it may
 *   CLIENT_both_refill      as refill, with two thieves at once
 *   CLIENT_both_reuse       as reuse_here, with two thieves at once
 *
 * An execution in which nothing happened is right too, so each prints what it reached, in the words of table.txt.
 *
 * MODE is the deque's own mode, FIRST_INDEX where its counters start.
 */
#include "proof/model/split_cas.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

/* An item is a link, so that nothing has to be converted on the way. */
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
#ifndef MODE
#define MODE 0
#endif
#ifndef FIRST_INDEX
#define FIRST_INDEX 0
#endif

#define NODES 6

struct node {
    struct deque_link link;
    unsigned id; /* written before the push and read by whoever took it: a push that does not publish is a race */
};

static struct node nodes[NODES];
static struct deque deque;

static unsigned pushed[NODES];
static unsigned owner_took[NODES]; /* by the owner alone, as pushed */
static unsigned late_from = NODES; /* the ids from here on were pushed when thieves were about */
static bool found_nothing;         /* the owner's pop, when thieves were about */
static bool used_again;            /* a popped link, the deque having allowed it */

/* What one thief took; all of those that come one after the other share the first. */
static struct taken {
    unsigned took[NODES];
    unsigned youngest; /* one more than the id of the youngest item stolen */
    unsigned steals;   /* that got something */
    bool several;      /* more than one at once */
    bool lost;
} taken, taken_beside;

static void start(struct deque *which) {
    struct deque_config config = {.mode = MODE, .first_index = FIRST_INDEX};
    int error = deque_init(which, &config);
    assert(error == 0);
}

/* Owner, here and below. (A client does not use them all: DEQUE_OPERATION says that this is fine.) */
DEQUE_OPERATION void push(unsigned id) {
    nodes[id].id = id;
    pushed[id]++;
    enum deque_result result = deque_push(&deque, &nodes[id].link);
    assert(result == DEQUE_OK);
}

/* The items from oldest to newest, linked by the caller as a user would. */
DEQUE_OPERATION void push_list(unsigned oldest, unsigned newest) {
    struct deque_list list = {.first = NULL, .last = NULL, .count = 0};
    for (unsigned id = newest + 1; id-- > oldest;) {
        nodes[id].id = id;
        pushed[id]++;
        deque_list_append(&list, &nodes[id].link);
    }
    deque_push_list(&deque, &list);
    assert(list.count == 0);
}

/* The id of what came out, or NODES. */
DEQUE_OPERATION unsigned pop(void) {
    struct deque_link *link;
    if (deque_pop(&deque, &link) != DEQUE_OK) {
        found_nothing = true;
        return NODES;
    }
    unsigned id = ((struct node *)link)->id;
    owner_took[id]++;
    return id;
}

/* Pops ITEMS, at most 4. No loop: GenMC 0.10.3 fails on one that its jump threading turns inside out. */
DEQUE_OPERATION void pop_items(void) {
    pop();
    if (ITEMS > 1)
        pop();
    if (ITEMS > 2)
        pop();
    if (ITEMS > 3)
        pop();
}

/* Thief, here and below. Whether it got something. */
DEQUE_OPERATION bool told(struct taken *thief, enum deque_result result) {
    if (result == DEQUE_LOST)
        thief->lost = true;
    if (result == DEQUE_OK)
        thief->steals++;
    return result == DEQUE_OK;
}

DEQUE_OPERATION void steal_list_as(struct taken *thief) {
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

DEQUE_OPERATION void steal_list(void) { steal_list_as(&taken); }

DEQUE_OPERATION void steal(void) {
    struct deque_link *link;
    if (!told(&taken, deque_steal(&deque, NULL, &link)))
        return;
    unsigned id = ((struct node *)link)->id;
    assert(id >= taken.youngest);
    taken.youngest = id + 1;
    taken.took[id]++;
}

DEQUE_OPERATION void steal_batch(void) {
    struct deque_link *out[NODES];
    size_t n;
    if (!told(&taken, deque_steal_batch(&deque, NULL, PERCENT, out, LIMIT, &n))) {
        assert(n == 0);
        return;
    }
    assert(n > 0 && n <= LIMIT);
    for (size_t i = 0; i < n; i++) {
        unsigned id = ((struct node *)out[i])->id;
        assert(id >= taken.youngest);
        taken.youngest = id + 1;
        taken.took[id]++;
    }
}

#if defined(CLIENT_cut_at_pop)
static void prepare(void) { push_list(0, ITEMS - 1); }
static void owner(void) { pop_items(); }
static void thief(void) { steal_list(); }

#elif defined(CLIENT_publish)
static void prepare(void) {}
static void owner(void) {
    push_list(0, 1);
    push(2);
    pop();
}
static void thief(void) {
    steal_list();
    steal_list();
}

#elif defined(CLIENT_twice)
static void prepare(void) { push_list(0, 3); }
static void owner(void) {
    pop();
    push(4);
    pop();
    pop();
}
static void thief(void) {
    steal_list();
    steal_list();
}

#elif defined(CLIENT_refill) || defined(CLIENT_turns) || defined(CLIENT_both_refill)
static void prepare(void) { push_list(0, 2); }
static void owner(void) {
    pop();
    pop();
    pop();
    push_list(3, 4);
    pop();
}
static void thief(void) {
    steal_list();
#if defined(CLIENT_refill)
    steal_list();
#endif
}

#elif defined(CLIENT_single)
static void prepare(void) { push_list(0, ITEMS - 1); }
static void owner(void) { pop_items(); }
static void thief(void) {
    steal();
    steal();
}

#elif defined(CLIENT_batch)
static void prepare(void) { push_list(0, 1); }
static void owner(void) {
    struct deque_link *items[2] = {&nodes[2].link, &nodes[3].link};
    for (unsigned id = 2; id < 4; id++) {
        nodes[id].id = id;
        pushed[id]++;
    }
    size_t n = deque_push_batch(&deque, items, 2);
    assert(n == 2);
    pop();
    push(4);
}
static void thief(void) {
    steal_batch();
    steal_batch();
}

#elif defined(CLIENT_reuse_here) || defined(CLIENT_both_reuse)
/* Two go in again, in their old order but on top of nothing: a thief that stands on the newer finds the same link
 * behind it, and another tail. */
static void prepare(void) { push_list(0, ITEMS - 1); }
static void owner(void) {
    if (ITEMS > 3)
        pop();
    unsigned newer = pop();
    unsigned older = pop();
    pop();
    if (!deque_reusable(&deque, deque_retire(&deque)))
        return;
    used_again = true;
    if (older < NODES)
        push(older);
    if (newer < NODES)
        push(newer);
    pop();
}
static void thief(void) {
    steal_list();
#if defined(CLIENT_reuse_here)
    steal_list();
#endif
}

#elif defined(CLIENT_reuse_elsewhere)
/* The other deque holds an item, so that a cut there takes something away from it. */
static struct deque other;
static unsigned others;
static void push_elsewhere(unsigned id) {
    enum deque_result result = deque_push(&other, &nodes[id].link);
    assert(result == DEQUE_OK);
    others++;
}
static void prepare(void) {
    start(&other);
    nodes[4].id = 4;
    nodes[5].id = 5;
    push_elsewhere(4);
    push_elsewhere(5);
    push_list(0, ITEMS - 1);
}
static void owner(void) {
    if (ITEMS > 3)
        pop();
    unsigned newer = pop();
    unsigned older = pop();
    if (!deque_reusable(&deque, deque_retire(&deque)))
        return;
    used_again = true;
    if (older < NODES)
        push_elsewhere(older);
    if (newer < NODES)
        push_elsewhere(newer);
}
static void thief(void) {
    steal_list();
    steal_list();
}

#elif defined(CLIENT_both)
static void prepare(void) {
    push(0);
    push(1);
    push(2);
}
static void owner(void) {
    pop();
    push(3);
}
static void thief(void) { steal_list(); }

#elif defined(CLIENT_free)
static struct node *freed;
static void prepare(void) {
    push(0);
    freed = malloc(sizeof *freed);
    freed->id = 1;
    pushed[1]++;
    enum deque_result result = deque_push(&deque, &freed->link);
    assert(result == DEQUE_OK);
}
static void owner(void) {
    unsigned id = pop();
    if (id == 1 && deque_reusable(&deque, deque_retire(&deque))) {
        used_again = true;
        free(freed);
        freed = NULL;
    }
}
static void thief(void) {
    steal_list();
    steal_list();
}

#else
#error "choose a client: -DCLIENT_cut_at_pop"
#endif

static void *run_owner(void *unused) {
    owner();
    return unused;
}

static void *run_thief(void *unused) {
    thief();
    return unused;
}

#if defined(CLIENT_both) || defined(CLIENT_both_refill) || defined(CLIENT_both_reuse)
#define TWO_THIEVES
static void *run_thief_beside(void *unused) {
    steal_list_as(&taken_beside);
    return unused;
}
#endif

/* A line for each word of table.txt that this execution has reached. */
static void tell_what_was_reached(void) {
    bool late = false;
    for (unsigned id = late_from; id < NODES; id++)
        late = late || taken.took[id] + taken_beside.took[id] > 0;
    if (taken.steals + taken_beside.steals > 0)
        printf("reached stolen\n");
    if (taken.steals > 0 && taken_beside.steals > 0)
        printf("reached both\n");
    if (taken.steals > 1)
        printf("reached later\n");
    if (late)
        printf("reached late\n");
    if (taken.lost || taken_beside.lost)
        printf("reached lost\n");
    if (taken.several || taken_beside.several)
        printf("reached several\n");
    if (found_nothing && taken.steals + taken_beside.steals > 0)
        printf("reached beaten\n");
    if (used_again && taken.steals + taken_beside.steals > 0)
        printf("reached reused\n");
}

/* After the threads have ended. */
static void check(void) {
    unsigned left = 0;
    for (unsigned id = 0; id < NODES; id++)
        left += pushed[id] - owner_took[id] - taken.took[id] - taken_beside.took[id];
    assert(deque_size(&deque) == left);
    while (left-- > 0) {
        unsigned id = pop();
        assert(id < NODES);
    }
    unsigned id = pop();
    assert(id == NODES && deque_size(&deque) == 0);
    for (id = 0; id < NODES; id++)
        assert(owner_took[id] + taken.took[id] + taken_beside.took[id] == pushed[id]);
#if defined(CLIENT_reuse_elsewhere)
    struct deque_link *link;
    for (; others > 0; others--) {
        enum deque_result result = deque_pop(&other, &link);
        assert(result == DEQUE_OK);
    }
    assert(deque_pop(&other, &link) == DEQUE_EMPTY);
#endif
#if defined(CLIENT_free)
    free(freed);
#endif
}

int main(void) {
    pthread_t owner_thread, thief_thread;
    start(&deque);
    prepare();
    for (late_from = 0; late_from < NODES && pushed[late_from] > 0;)
        late_from++;
    pthread_create(&owner_thread, NULL, run_owner, NULL);
    pthread_create(&thief_thread, NULL, run_thief, NULL);
#ifdef TWO_THIEVES
    pthread_t beside_thread;
    pthread_create(&beside_thread, NULL, run_thief_beside, NULL);
    pthread_join(beside_thread, NULL);
#endif
    pthread_join(thief_thread, NULL);
#if defined(CLIENT_turns)
    pthread_create(&thief_thread, NULL, run_thief, NULL);
    pthread_join(thief_thread, NULL);
#endif
    pthread_join(owner_thread, NULL);
    tell_what_was_reached();
    check();
    printf("reached end\n");
    return 0;
}
