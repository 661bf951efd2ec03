/* clients.c: small programs around one deque, for a model checker that explores every execution of them.
 *
 * Compiled by run.sh with -DCLIENT=NAME, the name of a MODEL_CLIENT below; DEQUE_HEADER names the deque. One owner,
 * one or two thieves, at most eight items. What every client asserts in the end: each item that went in came out
 * exactly once, drained ones included; what an item points to was visible to whoever took it (the checker's race
 * detection sees to that); nobody was told something that the contract does not allow.
 *
 * An execution in which nothing happened is right too, so each prints what it reached (tell_what_was_reached below),
 * and run.sh counts these lines and holds them against what the client's row in table.txt demands.
 */
#include "proof/model/split_cas.h"
#include <stdio.h>

static _Thread_local unsigned allocations; /* of this thread */

#define DEQUE_ITEM size_t
#define DEQUE_ALLOC(bytes) (allocations++, malloc(bytes))
#define DEQUE_FREE(pointer) free(pointer)
/* The checker knows memcpy of constant lengths alone. */
#define DEQUE_COPY(to, from, n)                                                                                        \
    for (size_t copied = 0; copied < (n); copied++)                                                                    \
    (to)[copied] = (from)[copied]

/* It takes a fence for the compiler alone for one of threads; and it is no compiler. */
#include <stdatomic.h>
#undef atomic_signal_fence
#define atomic_signal_fence(order) ((void)0)

#include "proof/model/asymmetric_fences.h"

#include "harness/measuring/deque_under_test.h"
#include <assert.h>
#include <pthread.h>

#define MODEL_CLIENT __attribute__((unused)) static void

/* Items in a block, for deques made of blocks; 0 leaves it to the deque. */
#ifndef BLOCK
#define BLOCK 0
#endif
/* Which of the deque's mode_values, from 0. */
#ifndef MODE
#define MODE 0
#endif
/* 1: the owner polls after each operation; 2: and was asked before the thieves were about. */
#ifndef POLLS
#define POLLS 0
#endif

enum { ITEMS_MAX = 8 };

static const struct deque_traits traits = DEQUE_TRAITS;

static struct deque deque;    /* main is its owner */
static struct deque other[2]; /* the thieves' own */
static bool made[2];          /* which of them there are */

static size_t content[ITEMS_MAX + 1]; /* what items point to: written before the push, read by whoever took it */
static unsigned put_in[ITEMS_MAX + 1];
static struct deque *put_into[ITEMS_MAX + 1]; /* the deque it was pushed on */
static bool put_late[ITEMS_MAX + 1];          /* when thieves were about */

/* What one thread has taken and was told. */
struct hand {
    size_t items[ITEMS_MAX];
    size_t count;
    bool found_nothing, lost;
    bool several; /* got more than one item at once */
    bool moved;   /* moved items into its own deque */
    bool again;   /* got an item from another deque than it was pushed on: one that had been stolen before */
};
static struct hand owner_hand, thief_hand[2];
static bool racing;           /* other threads have been started; written by main before that */
static bool refused, spilled; /* main's push was told FULL; it spilled */
static size_t start_capacity; /* of `deque`, as asked for */

static void start(struct deque *started, unsigned worker, size_t capacity, uint64_t first_index) {
    struct deque_config config = {.capacity = capacity,
                                  .block = BLOCK,
                                  .worker = worker,
                                  .workers = 3,
                                  .first = &deque,
                                  .mode = MODE,
                                  .first_index = first_index};
    int failed = deque_init(started, &config);
    assert(!failed);
    if (started == &other[0])
        made[0] = true;
    if (started == &other[1])
        made[1] = true;
    if (started == &deque)
        start_capacity = capacity;
    allocations = 0;
}

/* The deques of this client, worker 0's first. Thieves need their own only where the traits say so. */
static void start_all(size_t capacity, uint64_t first_index) {
    start(&deque, 0, capacity, first_index);
    if (traits.needs_self) {
        start(&other[0], 1, capacity, first_index);
        start(&other[1], 2, capacity, first_index);
    }
}

static struct deque *own_of(unsigned thief) { return traits.needs_self ? &other[thief] : NULL; }

static void keep(struct hand *hand, size_t item) {
    assert(item >= 1 && item <= ITEMS_MAX);
    assert(content[item] == 10 * item);
    assert(hand->count < ITEMS_MAX);
    hand->items[hand->count++] = item;
}

/* Owner. */
static void poll_if_set(struct deque *from) {
    if (POLLS)
        deque_poll(from);
}

/* Owner of `into`. Items are numbered from 1. */
static enum deque_result put(struct deque *into, size_t item) {
    content[item] = 10 * item;
    put_into[item] = into;
    put_late[item] = racing;
    MAY_BE_INTERRUPTED();
    enum deque_result result = deque_push(into, item);
    assert(result == DEQUE_OK || (result == DEQUE_FULL && traits.bound == DEQUE_FIXED));
    if (result == DEQUE_OK)
        put_in[item] = 1;
    else if (into == &deque)
        refused = true;
    poll_if_set(into);
    return result;
}

/* Owner of `from`. */
static enum deque_result take(struct hand *hand, struct deque *from) {
    size_t item;
    MAY_BE_INTERRUPTED();
    enum deque_result result = deque_pop(from, &item);
    assert(result == DEQUE_OK || result == DEQUE_EMPTY);
    if (result == DEQUE_OK)
        keep(hand, item);
    else if (racing)
        hand->found_nothing = true;
    poll_if_set(from);
    return result;
}

/* A thief, about what it was told. */
static enum deque_result told(struct hand *hand, enum deque_result result) {
    assert(result == DEQUE_OK || result == DEQUE_EMPTY || result == DEQUE_LOST);
    if (racing && result == DEQUE_LOST)
        hand->lost = true;
    return result;
}

static enum deque_result rob(unsigned thief, struct deque *victim) {
    size_t item;
    struct hand *hand = &thief_hand[thief];
    enum deque_result result = told(hand, deque_steal(victim, own_of(thief), &item));
    if (result == DEQUE_OK) {
        keep(hand, item);
        if (put_into[item] != victim)
            hand->again = true;
    }
    return result;
}

static void run(pthread_t *thread, void *(*work)(void *)) {
    if (!racing) {
        if (POLLS > 1) {
            rob(0, &deque);
            deque_poll(&deque);
        }
        racing = true;
    }
    pthread_create(thread, NULL, work, NULL);
}

/* What a thief has got at once. */
static void keep_all(struct hand *hand, enum deque_result result, const size_t *items, size_t n) {
    assert((told(hand, result) == DEQUE_OK) == (n > 0));
    for (size_t i = 0; i < n; i++)
        keep(hand, items[i]);
    if (n > 1)
        hand->several = true;
}

/* Owner of `self`, which takes from `victim`. */
static void rob_into(struct hand *hand, struct deque *victim, struct deque *self) {
    size_t first, moved = 0;
    if (told(hand, deque_steal_into(victim, self, &first, &moved)) == DEQUE_OK)
        keep(hand, first);
    if (moved > 0)
        hand->moved = true;
}

/* Main, alone: takes what is left; one more than there can be, so that a deque that never ends is seen. */
static void drain(struct deque *from) {
    enum deque_result result = DEQUE_OK;
    for (size_t i = 0; i <= ITEMS_MAX && result == DEQUE_OK; i++)
        result = take(&owner_hand, from);
    assert(result == DEQUE_EMPTY);
}

static unsigned times(const struct hand *hand, size_t item) {
    unsigned found = 0;
    for (size_t i = 0; i < hand->count; i++)
        found += hand->items[i] == item;
    return found;
}

static void every_item_once(void) {
    for (size_t item = 1; item <= ITEMS_MAX; item++) {
        unsigned found = times(&owner_hand, item) + times(&thief_hand[0], item) + times(&thief_hand[1], item);
        assert(found == put_in[item] || (traits.delivery == DEQUE_AT_LEAST_ONCE && put_in[item] && found > 1));
    }
}

static bool stolen(size_t item) { return times(&thief_hand[0], item) + times(&thief_hand[1], item) > 0; }

/* The words of table.txt, a line for each that this execution has reached. */
static void tell_what_was_reached(void) {
    size_t put_in_all = 0, got = thief_hand[0].count + thief_hand[1].count;
    bool late = false, later = false;
    for (size_t item = 1; item <= ITEMS_MAX; item++) {
        put_in_all += put_in[item] && put_into[item] == &deque;
        late = late || (put_late[item] && stolen(item));
        later = later || (item > 1 && stolen(item));
    }
    if (got > 0)
        printf("reached stolen\n");
    if (thief_hand[0].count > 0 && thief_hand[1].count > 0)
        printf("reached both\n");
    if (late)
        printf("reached late\n");
    if (later)
        printf("reached later\n");
    if (thief_hand[0].lost || thief_hand[1].lost)
        printf("reached lost\n");
    if (owner_hand.found_nothing && got > 0)
        printf("reached beaten\n");
    if (refused)
        printf("reached refused\n");
    if (got > 0 && (traits.bound == DEQUE_FIXED ? put_in_all > start_capacity : allocations > 0))
        printf("reached over\n");
    if (thief_hand[0].several || thief_hand[1].several)
        printf("reached several\n");
    if (thief_hand[0].moved || owner_hand.moved)
        printf("reached moved\n");
    if (thief_hand[1].again)
        printf("reached again\n");
    if (spilled)
        printf("reached spilled\n");
}

/* Main, when every other thread has ended. */
static void finish(void) {
    if (racing)
        tell_what_was_reached();
    racing = false;
    for (unsigned thief = 0; thief < 2; thief++)
        if (made[thief])
            drain(&other[thief]);
    drain(&deque);
    every_item_once();
    deque_destroy(&deque);
    for (unsigned thief = 0; thief < 2; thief++)
        if (made[thief])
            deque_destroy(&other[thief]);
    printf("reached end\n");
}

static void *first_thief_once(void *nothing) {
    rob(0, &deque);
    return nothing;
}

static void *second_thief_once(void *nothing) {
    rob(1, &deque);
    return nothing;
}

static void *first_thief_twice(void *nothing) {
    rob(0, &deque);
    rob(0, &deque);
    return nothing;
}

/* ---- One thread: what the contract says without any race. */

/* A fresh deque has nothing. */
MODEL_CLIENT alone_empty(void) {
    start_all(4, 0);
    assert(take(&owner_hand, &deque) == DEQUE_EMPTY);
    assert(rob(0, &deque) == DEQUE_EMPTY);
    put(&deque, 1);
    finish();
}

/* Two items come back in the owner's order. */
MODEL_CLIENT alone_order(void) {
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    assert(deque_size(&deque) == 2);
    assert(take(&owner_hand, &deque) == DEQUE_OK);
    assert(owner_hand.items[0] == (traits.owner_order == DEQUE_LIFO ? 2 : 1));
    assert(take(&owner_hand, &deque) == DEQUE_OK);
    finish();
}

/* An item that was stolen is gone, for both ends. */
MODEL_CLIENT alone_stolen(void) {
    start_all(4, 0);
    put(&deque, 1);
    enum deque_result result = rob(0, &deque);
    assert(result == DEQUE_OK || (result == DEQUE_EMPTY && traits.thieves_leave > 0));
    assert(rob(0, &deque) == DEQUE_EMPTY);
    assert(take(&owner_hand, &deque) == (result == DEQUE_OK ? DEQUE_EMPTY : DEQUE_OK));
    put(&deque, 2);
    assert(take(&owner_hand, &deque) == DEQUE_OK);
    finish();
}

/* Both ends and the size are right while the indices pass the end of their range. */
MODEL_CLIENT alone_wrap(void) {
    start_all(4, UINT64_MAX);
    for (size_t item = 1; item <= 3; item++)
        assert(put(&deque, item) == DEQUE_OK);
    assert(deque_size(&deque) == 3);
    for (size_t i = 0; i < 2; i++) {
        enum deque_result result = rob(0, &deque);
        assert(result == DEQUE_OK || (result == DEQUE_EMPTY && traits.thieves_leave > 0));
    }
    assert(take(&owner_hand, &deque) == DEQUE_OK);
    finish();
}

/* As many as fit go in, and no more. */
MODEL_CLIENT alone_full(void) {
    start_all(4, 0);
    size_t room = deque_capacity(&deque);
    if (room == 0 || room > ITEMS_MAX)
        room = ITEMS_MAX;
    for (size_t item = 1; item <= room; item++)
        assert(put(&deque, item) == DEQUE_OK);
    for (size_t item = room + 1; item <= ITEMS_MAX; item++)
        assert(put(&deque, item) == DEQUE_FULL);
    finish();
}

/* A thief puts what it takes into its own deque, which is full; it may decline. */
MODEL_CLIENT into_full(void) {
    start(&deque, 0, 4, 0);
    start(&other[0], 1, 4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    for (size_t item = 5; item <= 8; item++)
        put(&other[0], item);
    rob_into(&thief_hand[0], &deque, &other[0]);
    finish();
}

/* ---- One thief. */

/* The owner pops the last item while it is stolen, and goes on. */
MODEL_CLIENT last_item(void) {
    pthread_t thief;
    start_all(2, 0);
    put(&deque, 1);
    run(&thief, first_thief_twice);
    take(&owner_hand, &deque);
    assert(put(&deque, 2) == DEQUE_OK);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* The same indices are used again and again under a thief that started early. */
MODEL_CLIENT restart(void) {
    pthread_t thief;
    start_all(2, 0);
    put(&deque, 1);
    run(&thief, first_thief_once);
    for (size_t item = 2; item <= 4; item++) {
        take(&owner_hand, &deque);
        put(&deque, item);
    }
    pthread_join(thief, NULL);
    finish();
}

/* Two items and two pops against two steals. */
MODEL_CLIENT two_items(void) {
    pthread_t thief;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&thief, first_thief_twice);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* Three deep and back to nothing: the owner meets the thief wherever it may be by then. */
MODEL_CLIENT deep(void) {
    pthread_t thief;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&thief, first_thief_twice);
    take(&owner_hand, &deque);
    put(&deque, 4);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* The owner takes all that there is, one after the other: its stores of where it is may all be on their way. */
MODEL_CLIENT takes_all(void) {
    pthread_t thief;
    start_all(4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    run(&thief, first_thief_twice);
    for (size_t item = 1; item <= 3; item++)
        take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* Everything is pushed under the thief's eyes, after a pop that finds nothing. */
MODEL_CLIENT empty_pop(void) {
    pthread_t thief;
    start_all(2, 0);
    run(&thief, first_thief_twice);
    enum deque_result result = take(&owner_hand, &deque);
    assert(result == DEQUE_EMPTY);
    put(&deque, 1);
    put(&deque, 2);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* What a pop publishes: the thief may learn of item 1 from the store of bottom that took item 2 back. */
MODEL_CLIENT push_pop(void) {
    pthread_t thief;
    start_all(2, 0);
    run(&thief, first_thief_once);
    put(&deque, 1);
    put(&deque, 2);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* The owner fills a deque that a thief empties: refused or not, nothing is lost and no slot is written too early. */
MODEL_CLIENT full(void) {
    pthread_t thief;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&thief, first_thief_twice);
    put(&deque, 3);
    put(&deque, 4);
    pthread_join(thief, NULL);
    finish();
}

static void wrap(uint64_t first_index) {
    pthread_t thief;
    start_all(2, first_index);
    put(&deque, 1);
    put(&deque, 2);
    run(&thief, first_thief_twice);
    take(&owner_hand, &deque);
    put(&deque, 3);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* Indices pass the end of the ring, of 32 bits, of the signed and of the unsigned 64 bits. */
MODEL_CLIENT wrap_ring(void) { wrap(1); }
MODEL_CLIENT wrap_32(void) { wrap(UINT32_MAX); }
MODEL_CLIENT wrap_63(void) { wrap(INT64_MAX); }
MODEL_CLIENT wrap_64(void) { wrap(UINT64_MAX); }

/* The array is replaced, twice, under a thief. */
MODEL_CLIENT growth(void) {
    pthread_t thief;
    start_all(1, 0);
    put(&deque, 1);
    run(&thief, first_thief_twice);
    put(&deque, 2);
    put(&deque, 3);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* A batch that needs a larger array. */
MODEL_CLIENT push_batch(void) {
    pthread_t thief;
    size_t batch[3];
    start_all(2, 0);
    put(&deque, 1);
    run(&thief, first_thief_twice);
    for (size_t i = 0; i < 3; i++) {
        batch[i] = 2 + i;
        content[batch[i]] = 10 * batch[i];
        put_into[batch[i]] = &deque;
        put_late[batch[i]] = true;
    }
    size_t pushed = deque_push_batch(&deque, batch, 3);
    assert(pushed == 3 || (traits.bound == DEQUE_FIXED && pushed >= 1 && pushed <= 2));
    for (size_t i = 0; i < pushed; i++)
        put_in[batch[i]] = 1;
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* What is written in place, and what of it is committed: the third item is not. The deque holds four with room for
 * them, or ends before. */
MODEL_CLIENT reserved(void) {
    pthread_t thief;
    size_t span = 0, in = 0;
    start_all(4, 0);
    put(&deque, 1);
    run(&thief, first_thief_twice);
    deque_slot *slots = deque_reserve(&deque, 3, &span);
    assert(slots && span >= 1 && span <= 3);
    for (size_t i = 0; i < span; i++) {
        content[2 + i] = 10 * (2 + i);
        put_into[2 + i] = &deque;
        put_late[2 + i] = true;
        deque_fill(&slots[i], 2 + i);
    }
    in = deque_commit(&deque, span < 2 ? span : 2);
    assert(in == (span < 2 ? span : 2));
    for (size_t i = 0; i < in; i++)
        put_in[2 + i] = 1;
    poll_if_set(&deque);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

static void *batch_thief(void *nothing) {
    size_t out[ITEMS_MAX], n;
    enum deque_result result = deque_steal_batch(&deque, own_of(0), 60, out, 2, &n);
    assert(n <= 2);
    keep_all(&thief_hand[0], result, out, n);
    return nothing;
}

MODEL_CLIENT steal_batch(void) {
    pthread_t thief;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&thief, batch_thief);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* ---- Two thieves. */

MODEL_CLIENT two_thieves(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* One thief empties the deque; the owner finds it so and starts over; the other looks on. */
MODEL_CLIENT passed(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, first_thief_twice);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* The owner writes a slot again that one thief has taken and the other may still be reading. */
MODEL_CLIENT two_thieves_full(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    put(&deque, 3);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* Two thieves while the owner starts over, for one item each. */
MODEL_CLIENT two_thieves_restart(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    put(&deque, 2);
    put(&deque, 3);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

static enum deque_result answer[2];

static void *answered_first(void *nothing) {
    answer[0] = rob(0, &deque);
    return nothing;
}

static void *answered_second(void *nothing) {
    answer[1] = rob(1, &deque);
    return nothing;
}

/* An item for each and an owner that stands still: nobody may be told EMPTY, and only one may have lost. (Where thieves
 * leave items, nothing is promised.) */
MODEL_CLIENT answers(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, answered_first);
    run(&second, answered_second);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    if (traits.thieves_leave == 0) {
        assert(answer[0] != DEQUE_EMPTY && answer[1] != DEQUE_EMPTY);
        assert(answer[0] == DEQUE_OK || answer[1] == DEQUE_OK);
    }
    finish();
}

/* The array is replaced under two thieves. */
MODEL_CLIENT two_thieves_growth(void) {
    pthread_t first, second;
    start_all(1, 0);
    put(&deque, 1);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    put(&deque, 2);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* A deque that shrinks: its array is left for a smaller one, and is filled again under thieves that may look at it. */
MODEL_CLIENT shrink(void) {
    pthread_t first, second;
    start_all(1, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 4);
    put(&deque, 5);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* ---- A thief that is an owner itself, and has a thief of its own. */

static void *busy_owner(void *nothing) {
    rob_into(&thief_hand[0], &deque, &other[0]);
    take(&thief_hand[0], &other[0]);
    return nothing;
}

static void *thief_of_busy(void *nothing) {
    rob(1, &other[0]);
    return nothing;
}

MODEL_CLIENT into_busy(void) {
    pthread_t busy, thief;
    start(&deque, 0, 4, 0);
    start(&other[0], 1, 4, 0);
    if (traits.needs_self)
        start(&other[1], 2, 4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    put(&other[0], 4);
    run(&busy, busy_owner);
    run(&thief, thief_of_busy);
    take(&owner_hand, &deque);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish();
}

/* ---- Rings that a thief copies from into its own, while that has thieves. */

static void *pop_and_steal_into(void *nothing) {
    take(&thief_hand[0], &other[0]);
    rob_into(&thief_hand[0], &deque, &other[0]);
    take(&thief_hand[0], &other[0]);
    return nothing;
}

/* Self is full, and a thief of it may have claimed what it has not read yet; what is moved goes into that slot. */
MODEL_CLIENT into_claimed(void) {
    pthread_t busy, thief;
    start(&deque, 0, 4, 0);
    start(&other[0], 1, 2, 0);
    for (size_t item = 1; item <= 3; item++)
        put(&deque, item);
    put(&other[0], 4);
    put(&other[0], 5);
    run(&busy, pop_and_steal_into);
    run(&thief, thief_of_busy);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish();
}

/* Two owners steal from one another, past the end of 32 bits. */
MODEL_CLIENT into_both(void) {
    pthread_t busy;
    start(&deque, 0, 4, UINT32_MAX - 1);
    start(&other[0], 1, 4, UINT32_MAX);
    for (size_t item = 1; item <= 3; item++)
        put(&deque, item);
    put(&other[0], 4);
    put(&other[0], 5);
    run(&busy, busy_owner);
    take(&owner_hand, &deque);
    rob_into(&owner_hand, &other[0], &deque);
    put(&deque, 6);
    pthread_join(busy, NULL);
    finish();
}

static void *steal_into_and_push(void *nothing) {
    rob_into(&thief_hand[0], &deque, &other[0]);
    put(&other[0], 5);
    take(&thief_hand[0], &other[0]);
    return nothing;
}

/* What was moved into self is stolen from there, with what it points to. */
MODEL_CLIENT into_push(void) {
    pthread_t busy, thief;
    start(&deque, 0, 4, 0);
    start(&other[0], 1, 2, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    run(&busy, steal_into_and_push);
    run(&thief, thief_of_busy);
    take(&owner_hand, &deque);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish();
}

/* What is moved into self comes into the slot that a thief of self has just read. */
MODEL_CLIENT into_wrap(void) {
    pthread_t busy, thief;
    start(&deque, 0, 8, 0);
    start(&other[0], 1, 2, 0);
    for (size_t item = 1; item <= 6; item++)
        put(&deque, item);
    put(&other[0], 7);
    run(&busy, busy_owner);
    run(&thief, thief_of_busy);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish();
}

static void *second_batch_thief(void *nothing) {
    size_t out[ITEMS_MAX], n;
    enum deque_result result = deque_steal_batch(&deque, own_of(1), 0, out, 4, &n);
    keep_all(&thief_hand[1], result, out, n);
    return nothing;
}

/* Two thieves take batches while the owner takes one item and puts one in. */
MODEL_CLIENT two_batches(void) {
    pthread_t first, second;
    start_all(4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    run(&first, batch_thief);
    run(&second, second_batch_thief);
    take(&owner_hand, &deque);
    put(&deque, 5);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* ---- Rings that hand half of what they hold back to the owner when they are full. */

#ifdef DEQUE_SPILL

/* Owner, as a pool does it: what is spilled counts as taken. */
static void put_or_spill(size_t item) {
    size_t out[ITEMS_MAX];
    if (put(&deque, item) == DEQUE_OK)
        return;
    size_t n = DEQUE_SPILL(&deque, out, ITEMS_MAX);
    for (size_t i = 0; i < n; i++) {
        assert(i == 0 || out[i] == out[i - 1] + 1);
        keep(&owner_hand, out[i]);
    }
    if (n > 0)
        spilled = true;
    enum deque_result result = put(&deque, item);
    assert(n == 0 || result == DEQUE_OK);
}

/* The thief knows of nothing that was pushed but by the deque itself. */
MODEL_CLIENT spill_fresh(void) {
    pthread_t thief;
    start_all(2, 0);
    run(&thief, first_thief_once);
    put(&deque, 1);
    put(&deque, 2);
    put_or_spill(3);
    pthread_join(thief, NULL);
    finish();
}

MODEL_CLIENT spill_twice(void) {
    pthread_t thief;
    start_all(2, UINT32_MAX);
    put(&deque, 1);
    put(&deque, 2);
    run(&thief, first_thief_twice);
    put_or_spill(3);
    put_or_spill(4);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

MODEL_CLIENT spill_batch(void) {
    pthread_t thief;
    start_all(4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    run(&thief, batch_thief);
    put_or_spill(5);
    put_or_spill(6);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

MODEL_CLIENT spill_two_thieves(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    put_or_spill(3);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

#endif

/* Blocks: the owner gives a block to the thieves, takes back what they have left of it, and uses it again. */
static void block_back(uint64_t first_index) {
    pthread_t thief;
    start_all(4, first_index);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&thief, first_thief_twice);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 4);
    put(&deque, 5);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

MODEL_CLIENT blocks_back(void) { block_back(0); }
/* Across the end of the ring, of 32 bits, of the signed and of the unsigned 64 bits. */
MODEL_CLIENT blocks_wrap_ring(void) { block_back(2); }
MODEL_CLIENT blocks_wrap_32(void) { block_back(UINT32_MAX - 1); }
MODEL_CLIENT blocks_wrap_63(void) { block_back(INT64_MAX - 1); }
MODEL_CLIENT blocks_wrap_64(void) { block_back(UINT64_MAX - 1); }

MODEL_CLIENT blocks_again(void) {
    pthread_t thief;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&thief, first_thief_twice);
    put(&deque, 4);
    put(&deque, 5);
    put(&deque, 6);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

MODEL_CLIENT blocks_two(void) {
    pthread_t first, second;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 4);
    put(&deque, 5);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

MODEL_CLIENT blocks_two_again(void) {
    pthread_t first, second;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    put(&deque, 4);
    run(&first, first_thief_twice);
    run(&second, second_thief_once);
    put(&deque, 5);
    take(&owner_hand, &deque);
    put(&deque, 6);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* The owner empties the deque behind a thief, starts over, and gives the same block again. */
MODEL_CLIENT blocks_over(void) {
    pthread_t first, second;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 4);
    put(&deque, 5);
    put(&deque, 6);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

static void *batch_thief_all(void *nothing) {
    size_t out[ITEMS_MAX], n;
    enum deque_result result = deque_steal_batch(&deque, own_of(0), 100, out, 3, &n);
    assert(n <= 3);
    keep_all(&thief_hand[0], result, out, n);
    return nothing;
}

MODEL_CLIENT blocks_batch(void) {
    pthread_t first, second;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&first, batch_thief_all);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    put(&deque, 4);
    put(&deque, 5);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

static void *steal_into_own(void *nothing) {
    rob_into(&thief_hand[0], &deque, &other[0]);
    return nothing;
}

/* The owner takes back what is public and makes another item public in its place, under a thief of several that has
 * looked before. */
MODEL_CLIENT blocks_retaken(void) {
    pthread_t thief;
    start(&deque, 0, 4, 0);
    start(&other[0], 1, 4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    take(&owner_hand, &deque);
    run(&thief, steal_into_own);
    take(&owner_hand, &deque);
    put(&deque, 4);
    put(&deque, 5);
    pthread_join(thief, NULL);
    finish();
}

static void *steal_into_and_grant(void *nothing) {
    rob_into(&thief_hand[0], &deque, &other[0]);
    put(&other[0], 4);
    put(&other[0], 5);
    take(&thief_hand[0], &other[0]);
    return nothing;
}

/* What was moved into a block of self goes to the thieves of self with that block, while its first owner wants it back.
 */
MODEL_CLIENT blocks_into(void) {
    pthread_t busy, thief;
    start(&deque, 0, 4, 0);
    start(&other[0], 1, 4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&busy, steal_into_and_grant);
    run(&thief, thief_of_busy);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish();
}

/* A thief may stand still anywhere: an owner that has emptied the deque can push all the same. */
MODEL_CLIENT empty_and_full(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    enum deque_result result = take(&owner_hand, &deque);
    assert(result == DEQUE_EMPTY);
    assert(put(&deque, 3) == DEQUE_OK);
    assert(put(&deque, 4) == DEQUE_OK);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

static void *thief_answered_twice(void *nothing) {
    rob(0, &deque);
    answer[0] = rob(0, &deque);
    return nothing;
}

/* Two blocks of one item. The first thief's claim makes the owner put a new block into the place of the first; the
 * second thief's, the first block into the place of the second, in which the first thief may be looking by then. What
 * three steals want was there before the third began: nobody is told EMPTY. */
MODEL_CLIENT spare_again(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, thief_answered_twice);
    enum deque_result third = put(&deque, 3);
    run(&second, second_thief_once);
    put(&deque, 4);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(third != DEQUE_OK || answer[0] != DEQUE_EMPTY);
    finish();
}

static void *half_thief(void *nothing) {
    size_t out[ITEMS_MAX], n;
    enum deque_result result = deque_steal_batch(&deque, own_of(0), 0, out, 4, &n);
    keep_all(&thief_hand[0], result, out, n);
    return nothing;
}

/* Two thieves after half of what there is, while the owner pops down to where they reach. */
MODEL_CLIENT half_of_many(void) {
    pthread_t first, second;
    start_all(4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    run(&first, half_thief);
    run(&second, second_batch_thief);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

MODEL_CLIENT half_popped_and_pushed(void) {
    pthread_t first;
    start_all(4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    run(&first, half_thief);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 5);
    put(&deque, 6);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    finish();
}

MODEL_CLIENT half_full(void) {
    pthread_t first, second;
    start_all(2, 0);
    for (size_t item = 1; item <= 2; item++)
        put(&deque, item);
    run(&first, half_thief);
    run(&second, second_thief_once);
    put(&deque, 3);
    take(&owner_hand, &deque);
    put(&deque, 4);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* What a thief has moved into its own deque is stolen there: the second thief learns of it from the first alone. */
MODEL_CLIENT into_busy_fresh(void) {
    pthread_t busy, thief;
    start(&deque, 0, 4, 0);
    start(&other[0], 1, 4, 0);
    if (traits.needs_self)
        start(&other[1], 2, 4, 0);
    run(&busy, busy_owner);
    run(&thief, thief_of_busy);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish();
}

/* Owners that answer requests. */
static void *asking_thief(void *nothing) {
    rob(0, &deque);
    rob(0, &deque);
    rob(0, &deque);
    return nothing;
}

MODEL_CLIENT poll_share(void) {
    pthread_t thief;
    start_all(4, 0);
    run(&thief, asking_thief);
    put(&deque, 1);
    put(&deque, 2);
    deque_poll(&deque);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

MODEL_CLIENT poll_full(void) {
    pthread_t thief, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    rob(0, &deque);
    deque_poll(&deque);
    run(&thief, first_thief_twice);
    run(&second, second_thief_once);
    put(&deque, 3);
    take(&owner_hand, &deque);
    put(&deque, 4);
    deque_poll(&deque);
    pthread_join(thief, NULL);
    pthread_join(second, NULL);
    finish();
}

/* The owner takes back what it shared, replaces it and shares again, under a thief that has looked before. */
MODEL_CLIENT poll_again(void) {
    pthread_t thief;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    rob(0, &deque);
    deque_poll(&deque);
    run(&thief, asking_thief);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 3);
    put(&deque, 4);
    deque_poll(&deque);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* As above, and with a second thief to ask in between, so that the owner shares another item as the same first of one:
 * the first thief, which has read the slot before, must not get what it read. */
MODEL_CLIENT poll_again_two(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    rob(0, &deque);
    deque_poll(&deque);
    run(&first, first_thief_once);
    run(&second, second_thief_once);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 3);
    deque_poll(&deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* Two thieves ask at once, so that an owner which lets one item go a request lets go of two, and takes them back. */
MODEL_CLIENT poll_two(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, asking_thief);
    run(&second, second_thief_once);
    deque_poll(&deque);
    deque_poll(&deque);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* And where thieves know of the items by the deque alone: one may learn of the first from the store that takes the
 * second back. */
MODEL_CLIENT poll_two_late(void) {
    pthread_t first, second;
    start_all(2, 0);
    run(&first, first_thief_twice);
    run(&second, second_thief_once);
    put(&deque, 1);
    put(&deque, 2);
    deque_poll(&deque);
    deque_poll(&deque);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

static void *thief_made_late(void *nothing) {
    start(&other[0], 1, 2, 0);
    rob(0, &deque);
    rob(0, &deque);
    return nothing;
}

/* A thief makes its own deque when the others are at work already. */
MODEL_CLIENT made_late(void) {
    pthread_t thief;
    start(&deque, 0, 2, 0);
    put(&deque, 1);
    run(&thief, thief_made_late);
    put(&deque, 2);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* Two items are in at any time that the thief looks, one of them always the same: it may lose, but is not told EMPTY.
 */
MODEL_CLIENT never_empty(void) {
    pthread_t thief;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&thief, answered_first);
    take(&owner_hand, &deque);
    put(&deque, 4);
    pthread_join(thief, NULL);
    assert(traits.thieves_leave > 0 || answer[0] != DEQUE_EMPTY);
    finish();
}

/* The second thief counts: never more than have ever been in. */
static void *counting_thread(void *nothing) {
    size_t size = deque_size(&deque);
    assert(size <= 3);
    return nothing;
}

/* A third thread asks for the size while the deque wraps round, or grows, under a thief. */
MODEL_CLIENT sized(void) {
    pthread_t thief, counting;
    start_all(2, 0);
    put(&deque, 1);
    run(&thief, first_thief_twice);
    run(&counting, counting_thread);
    put(&deque, 2);
    take(&owner_hand, &deque);
    put(&deque, 3);
    pthread_join(thief, NULL);
    pthread_join(counting, NULL);
    finish();
}

MODEL_CLIENT sized_growth(void) {
    pthread_t thief, counting;
    start_all(1, 0);
    put(&deque, 1);
    run(&thief, first_thief_once);
    run(&counting, counting_thread);
    put(&deque, 2);
    put(&deque, 3);
    pthread_join(thief, NULL);
    pthread_join(counting, NULL);
    finish();
}

/* Nodes that thieves have emptied are used again while thieves are about. */
MODEL_CLIENT nodes_again(void) {
    pthread_t first, second;
    start_all(1, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    run(&first, first_thief_twice);
    run(&second, second_thief_once);
    put(&deque, 4);
    put(&deque, 5);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* A block is swapped for a spare, which becomes the place of new items, while a thief counts what is there. */
MODEL_CLIENT swapped_once(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, second_thief_once);
    run(&second, counting_thread);
    put(&deque, 3);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* A block is swapped for a spare while a thief counts what is there. */
MODEL_CLIENT swapped(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    run(&first, second_thief_once);
    run(&second, batch_thief_all);
    take(&owner_hand, &deque);
    put(&deque, 3);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

int main(void) {
    CLIENT();
    return 0;
}
