/* clients.c: small programs around one deque, for a model checker that explores every execution of them.
 *
 * Compiled by run.sh with -DCLIENT=NAME, the name of a MODEL_CLIENT below; DEQUE_HEADER names the deque. One owner,
 * one or two thieves, at most eight items. What every client asserts in the end: each item that went in came out
 * exactly once, drained ones included; what an item points to was visible to whoever took it (the checker's race
 * detection sees to that); nobody was told something that the contract does not allow.
 */
#define DEQUE_ITEM size_t
#define DEQUE_ALLOC(bytes) malloc(bytes)
#define DEQUE_FREE(pointer) free(pointer)
/* The checker knows memcpy of constant lengths alone. */
#define DEQUE_COPY(to, from, n)                                                                                        \
    for (size_t copied = 0; copied < (n); copied++)                                                                    \
    (to)[copied] = (from)[copied]

#include "harness/deque_under_test.h"
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

enum { ITEMS_MOST = 8 };

static const struct deque_traits traits = DEQUE_TRAITS;

static struct deque deque;    /* main is its owner */
static struct deque other[2]; /* the thieves' own */

static size_t content[ITEMS_MOST + 1]; /* what items point to: written before the push, read by whoever took it */
static unsigned put_in[ITEMS_MOST + 1];

/* What one thread has taken. */
struct hand {
    size_t items[ITEMS_MOST];
    size_t count;
};
static struct hand owner_hand, thief_hand[2];

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
    assert(item >= 1 && item <= ITEMS_MOST);
    assert(content[item] == 10 * item);
    assert(hand->count < ITEMS_MOST);
    hand->items[hand->count++] = item;
}

/* Owner of `into`. Items are numbered from 1. */
static enum deque_result put(struct deque *into, size_t item) {
    content[item] = 10 * item;
    enum deque_result result = deque_push(into, item);
    assert(result == DEQUE_OK || (result == DEQUE_FULL && traits.bound == DEQUE_FIXED));
    if (result == DEQUE_OK)
        put_in[item] = 1;
    return result;
}

/* Owner of `from`. */
static enum deque_result take(struct hand *hand, struct deque *from) {
    size_t item;
    enum deque_result result = deque_pop(from, &item);
    assert(result == DEQUE_OK || result == DEQUE_EMPTY);
    if (result == DEQUE_OK)
        keep(hand, item);
    return result;
}

static enum deque_result rob(unsigned thief, struct deque *victim) {
    size_t item;
    enum deque_result result = deque_steal(victim, own_of(thief), &item);
    assert(result == DEQUE_OK || result == DEQUE_EMPTY || result == DEQUE_LOST);
    if (result == DEQUE_OK)
        keep(&thief_hand[thief], item);
    return result;
}

/* Main, alone: takes what is left; one more than there can be, so that a deque that never ends is seen. */
static void drain(struct deque *from) {
    enum deque_result result = DEQUE_OK;
    for (size_t i = 0; i <= ITEMS_MOST && result == DEQUE_OK; i++)
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
    for (size_t item = 1; item <= ITEMS_MOST; item++) {
        unsigned found = times(&owner_hand, item) + times(&thief_hand[0], item) + times(&thief_hand[1], item);
        assert(found == put_in[item] || (traits.delivery == DEQUE_AT_LEAST_ONCE && put_in[item] && found > 1));
    }
}

/* Main, when every other thread has ended. */
static void finish(void) {
    drain(&deque);
    every_item_once();
    deque_destroy(&deque);
    if (traits.needs_self) {
        deque_destroy(&other[0]);
        deque_destroy(&other[1]);
    }
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
    if (room == 0 || room > ITEMS_MOST)
        room = ITEMS_MOST;
    for (size_t item = 1; item <= room; item++)
        assert(put(&deque, item) == DEQUE_OK);
    for (size_t item = room + 1; item <= ITEMS_MOST; item++)
        assert(put(&deque, item) == DEQUE_FULL);
    finish();
}

/* A thief puts what it takes into its own deque, which is full; it may decline. */
MODEL_CLIENT into_full(void) {
    size_t first, moved;
    start(&deque, 0, 4, 0);
    start(&other[0], 1, 4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    for (size_t item = 5; item <= 8; item++)
        put(&other[0], item);
    enum deque_result result = deque_steal_into(&deque, &other[0], &first, &moved);
    assert(result == DEQUE_OK || result == DEQUE_EMPTY || result == DEQUE_LOST);
    if (result == DEQUE_OK)
        keep(&thief_hand[0], first);
    drain(&other[0]);
    drain(&deque);
    every_item_once();
    deque_destroy(&deque);
    deque_destroy(&other[0]);
}

/* ---- One thief. */

/* The owner pops the last item while it is stolen, and goes on. */
MODEL_CLIENT last_item(void) {
    pthread_t thief;
    start_all(2, 0);
    put(&deque, 1);
    pthread_create(&thief, NULL, first_thief_twice, NULL);
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
    pthread_create(&thief, NULL, first_thief_once, NULL);
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
    pthread_create(&thief, NULL, first_thief_twice, NULL);
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
    pthread_create(&thief, NULL, first_thief_twice, NULL);
    take(&owner_hand, &deque);
    put(&deque, 4);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* Everything is pushed under the thief's eyes, after a pop that finds nothing. */
MODEL_CLIENT empty_pop(void) {
    pthread_t thief;
    start_all(2, 0);
    pthread_create(&thief, NULL, first_thief_twice, NULL);
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
    pthread_create(&thief, NULL, first_thief_once, NULL);
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
    pthread_create(&thief, NULL, first_thief_twice, NULL);
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
    pthread_create(&thief, NULL, first_thief_twice, NULL);
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
    pthread_create(&thief, NULL, first_thief_twice, NULL);
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
    pthread_create(&thief, NULL, first_thief_twice, NULL);
    for (size_t i = 0; i < 3; i++) {
        batch[i] = 2 + i;
        content[batch[i]] = 10 * batch[i];
    }
    size_t pushed = deque_push_batch(&deque, batch, 3);
    assert(pushed == 3 || (traits.bound == DEQUE_FIXED && pushed >= 1 && pushed <= 2));
    for (size_t i = 0; i < pushed; i++)
        put_in[batch[i]] = 1;
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

static void *batch_thief(void *nothing) {
    size_t out[ITEMS_MOST], n;
    enum deque_result result = deque_steal_batch(&deque, own_of(0), 60, out, 2, &n);
    assert(n <= 2);
    assert((result == DEQUE_OK) == (n > 0));
    for (size_t i = 0; i < n; i++)
        keep(&thief_hand[0], out[i]);
    return nothing;
}

MODEL_CLIENT steal_batch(void) {
    pthread_t thief;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    pthread_create(&thief, NULL, batch_thief, NULL);
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
    pthread_create(&first, NULL, first_thief_once, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    pthread_create(&first, NULL, first_thief_twice, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    pthread_create(&first, NULL, first_thief_once, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    pthread_create(&first, NULL, first_thief_once, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
    take(&owner_hand, &deque);
    put(&deque, 2);
    put(&deque, 3);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

static enum deque_result answer[2];

static void *answered_thief(void *which) {
    unsigned thief = which != NULL;
    answer[thief] = rob(thief, &deque);
    return NULL;
}

/* An item for each and an owner that stands still: nobody may be told EMPTY, and only one may have lost. (Where thieves
 * leave items, nothing is promised.) */
MODEL_CLIENT answers(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    pthread_create(&first, NULL, answered_thief, NULL);
    pthread_create(&second, NULL, answered_thief, &answer);
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
    pthread_create(&first, NULL, first_thief_once, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
    put(&deque, 2);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

/* ---- A thief that is an owner itself, and has a thief of its own. */

static void *busy_owner(void *nothing) {
    size_t first, moved;
    if (deque_steal_into(&deque, &other[0], &first, &moved) == DEQUE_OK)
        keep(&thief_hand[0], first);
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
    pthread_create(&busy, NULL, busy_owner, NULL);
    pthread_create(&thief, NULL, thief_of_busy, NULL);
    take(&owner_hand, &deque);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    drain(&other[0]);
    drain(&deque);
    every_item_once();
    deque_destroy(&deque);
    deque_destroy(&other[0]);
    if (traits.needs_self)
        deque_destroy(&other[1]);
}

/* ---- Rings that a thief copies from into its own, while that has thieves. */

static void finish_busy(void) {
    drain(&other[0]);
    drain(&deque);
    every_item_once();
    deque_destroy(&deque);
    deque_destroy(&other[0]);
}

static void *pop_and_steal_into(void *nothing) {
    size_t first, moved;
    take(&thief_hand[0], &other[0]);
    if (deque_steal_into(&deque, &other[0], &first, &moved) == DEQUE_OK)
        keep(&thief_hand[0], first);
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
    pthread_create(&busy, NULL, pop_and_steal_into, NULL);
    pthread_create(&thief, NULL, thief_of_busy, NULL);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish_busy();
}

/* Two owners steal from one another, past the end of 32 bits. */
MODEL_CLIENT into_both(void) {
    pthread_t busy;
    size_t first, moved;
    start(&deque, 0, 4, UINT32_MAX - 1);
    start(&other[0], 1, 4, UINT32_MAX);
    for (size_t item = 1; item <= 3; item++)
        put(&deque, item);
    put(&other[0], 4);
    put(&other[0], 5);
    pthread_create(&busy, NULL, busy_owner, NULL);
    take(&owner_hand, &deque);
    if (deque_steal_into(&other[0], &deque, &first, &moved) == DEQUE_OK)
        keep(&owner_hand, first);
    put(&deque, 6);
    pthread_join(busy, NULL);
    finish_busy();
}

static void *steal_into_and_push(void *nothing) {
    size_t first, moved;
    if (deque_steal_into(&deque, &other[0], &first, &moved) == DEQUE_OK)
        keep(&thief_hand[0], first);
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
    pthread_create(&busy, NULL, steal_into_and_push, NULL);
    pthread_create(&thief, NULL, thief_of_busy, NULL);
    take(&owner_hand, &deque);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish_busy();
}

/* What is moved into self comes into the slot that a thief of self has just read. */
MODEL_CLIENT into_wrap(void) {
    pthread_t busy, thief;
    start(&deque, 0, 8, 0);
    start(&other[0], 1, 2, 0);
    for (size_t item = 1; item <= 6; item++)
        put(&deque, item);
    put(&other[0], 7);
    pthread_create(&busy, NULL, busy_owner, NULL);
    pthread_create(&thief, NULL, thief_of_busy, NULL);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish_busy();
}

static void *second_batch_thief(void *nothing) {
    size_t out[ITEMS_MOST], n;
    enum deque_result result = deque_steal_batch(&deque, own_of(1), 0, out, 4, &n);
    assert((result == DEQUE_OK) == (n > 0));
    for (size_t i = 0; i < n; i++)
        keep(&thief_hand[1], out[i]);
    return nothing;
}

/* Two thieves take batches while the owner takes one item and puts one in. */
MODEL_CLIENT two_batches(void) {
    pthread_t first, second;
    start_all(4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    pthread_create(&first, NULL, batch_thief, NULL);
    pthread_create(&second, NULL, second_batch_thief, NULL);
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
    size_t out[ITEMS_MOST];
    if (put(&deque, item) == DEQUE_OK)
        return;
    size_t n = DEQUE_SPILL(&deque, out, ITEMS_MOST);
    for (size_t i = 0; i < n; i++) {
        assert(i == 0 || out[i] == out[i - 1] + 1);
        keep(&owner_hand, out[i]);
    }
    enum deque_result result = put(&deque, item);
    assert(n == 0 || result == DEQUE_OK);
}

/* The thief knows of nothing that was pushed but by the deque itself. */
MODEL_CLIENT spill_fresh(void) {
    pthread_t thief;
    start_all(2, 0);
    pthread_create(&thief, NULL, first_thief_once, NULL);
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
    pthread_create(&thief, NULL, first_thief_twice, NULL);
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
    pthread_create(&thief, NULL, batch_thief, NULL);
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
    pthread_create(&first, NULL, first_thief_once, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
    put_or_spill(3);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

#endif

/* Blocks: the owner gives a block to the thieves, takes back what they have left of it, and uses it again. */
MODEL_CLIENT blocks_back(void) {
    pthread_t thief;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    pthread_create(&thief, NULL, first_thief_twice, NULL);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 4);
    put(&deque, 5);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

MODEL_CLIENT blocks_again(void) {
    pthread_t thief;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    pthread_create(&thief, NULL, first_thief_twice, NULL);
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
    pthread_create(&first, NULL, first_thief_once, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    pthread_create(&first, NULL, first_thief_twice, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    pthread_create(&first, NULL, first_thief_once, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    size_t out[ITEMS_MOST], n;
    enum deque_result result = deque_steal_batch(&deque, own_of(0), 100, out, 3, &n);
    assert(n <= 3);
    assert((result == DEQUE_OK) == (n > 0));
    for (size_t i = 0; i < n; i++)
        keep(&thief_hand[0], out[i]);
    return nothing;
}

MODEL_CLIENT blocks_batch(void) {
    pthread_t first, second;
    start_all(4, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    pthread_create(&first, NULL, batch_thief_all, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
    take(&owner_hand, &deque);
    put(&deque, 4);
    put(&deque, 5);
    take(&owner_hand, &deque);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    finish();
}

static void *steal_into_and_grant(void *nothing) {
    size_t first, moved;
    if (deque_steal_into(&deque, &other[0], &first, &moved) == DEQUE_OK)
        keep(&thief_hand[0], first);
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
    pthread_create(&busy, NULL, steal_into_and_grant, NULL);
    pthread_create(&thief, NULL, thief_of_busy, NULL);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    finish_busy();
}

/* A thief may stand still anywhere: an owner that has emptied the deque can push all the same. */
MODEL_CLIENT empty_and_full(void) {
    pthread_t first, second;
    start_all(2, 0);
    put(&deque, 1);
    put(&deque, 2);
    pthread_create(&first, NULL, first_thief_once, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    pthread_create(&first, NULL, thief_answered_twice, NULL);
    enum deque_result third = put(&deque, 3);
    pthread_create(&second, NULL, second_thief_once, NULL);
    put(&deque, 4);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(third != DEQUE_OK || answer[0] != DEQUE_EMPTY);
    finish();
}

static void *half_thief(void *nothing) {
    size_t out[ITEMS_MOST], n;
    enum deque_result result = deque_steal_batch(&deque, own_of(0), 0, out, 4, &n);
    assert((result == DEQUE_OK) == (n > 0));
    for (size_t i = 0; i < n; i++)
        keep(&thief_hand[0], out[i]);
    return nothing;
}

/* Two thieves after half of what there is, while the owner pops down to where they reach. */
MODEL_CLIENT half_of_many(void) {
    pthread_t first, second;
    start_all(4, 0);
    for (size_t item = 1; item <= 4; item++)
        put(&deque, item);
    pthread_create(&first, NULL, half_thief, NULL);
    pthread_create(&second, NULL, second_batch_thief, NULL);
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
    pthread_create(&first, NULL, half_thief, NULL);
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
    pthread_create(&first, NULL, half_thief, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    pthread_create(&busy, NULL, busy_owner, NULL);
    pthread_create(&thief, NULL, thief_of_busy, NULL);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    pthread_join(busy, NULL);
    pthread_join(thief, NULL);
    drain(&other[0]);
    drain(&deque);
    every_item_once();
    deque_destroy(&deque);
    deque_destroy(&other[0]);
    if (traits.needs_self)
        deque_destroy(&other[1]);
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
    pthread_create(&thief, NULL, asking_thief, NULL);
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
    pthread_create(&thief, NULL, first_thief_twice, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
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
    pthread_create(&thief, NULL, asking_thief, NULL);
    take(&owner_hand, &deque);
    take(&owner_hand, &deque);
    put(&deque, 3);
    put(&deque, 4);
    deque_poll(&deque);
    take(&owner_hand, &deque);
    pthread_join(thief, NULL);
    finish();
}

/* Nodes that thieves have emptied are used again while thieves are about. */
MODEL_CLIENT nodes_again(void) {
    pthread_t first, second;
    start_all(1, 0);
    put(&deque, 1);
    put(&deque, 2);
    put(&deque, 3);
    pthread_create(&first, NULL, first_thief_twice, NULL);
    pthread_create(&second, NULL, second_thief_once, NULL);
    put(&deque, 4);
    put(&deque, 5);
    take(&owner_hand, &deque);
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
    pthread_create(&first, NULL, second_thief_once, NULL);
    pthread_create(&second, NULL, batch_thief_all, NULL);
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
