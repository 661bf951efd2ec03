/* forms.h: the optional forms of the contract. A deque that has one adds its constant to DEQUE_NATIVE; for the others
 * harness/measuring/deque_under_test.h makes the form of single operations, and figures mark it as emulated.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* size_t deque_push_batch(struct deque *, const deque_item *, size_t n);
 *     owner: how many went in, from the start of the array; the first is the oldest, stolen first */
#define DEQUE_PUSH_BATCH 1

/* enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent, deque_item *out,
 *                                     size_t max, size_t *n);
 *     any thief: takes percent (1 to 100; 0: the deque's own rule) of the items it sees, at most max, oldest first into
 *     out; OK with *n >= 1, else EMPTY or LOST with *n = 0 */
#define DEQUE_STEAL_BATCH 2

/* enum deque_result deque_steal_into(struct deque *victim, struct deque *self, deque_item *first, size_t *moved);
 *     owner of self: *first is to run at once; *moved more items went into self. Without OK there is no *first, but
 *     *moved still says how many items went into self */
#define DEQUE_STEAL_INTO 4

/* void deque_poll(struct deque *);
 *     owner, between tasks: answers requests */
#define DEQUE_POLL 8

/* uint64_t deque_place(const struct deque *);
 *     owner: where the next item pushed will be
 * enum deque_result deque_pop_from(struct deque *, deque_item *, uint64_t place);
 *     owner: a pop, whatever place is. It is faster when place is the newest item's: the CPU then need not wait for the
 *     last store of the position */
#define DEQUE_PLACES 32

/* With DEQUE_PLACES, for an owner that knows places and items, as the parent of forks does:
 *
 * enum deque_result deque_push_at(struct deque *, deque_item, uint64_t place);
 *     owner: a push; place is what deque_place says now. With DEQUE_POLL it answers requests
 * enum deque_result deque_pop_own(struct deque *, deque_item, uint64_t place);
 *     owner: takes the item that it pushed at place, without reading the slot: OK. EMPTY where that is not at hand:
 *     newer items are above it, it has been taken, or pop has more to do; nothing has changed then, and pop may still
 *     give it. After OK, deque_place says place. After a pop that gave this item it may say another: where the owner
 *     takes the last item by raising top, the place is one further. A parent that forks at the old one hides its child
 *     from everybody */
#define DEQUE_PUSH_AT 128

/* A deque_slot is an item, atomic where thieves may read a slot that they will not get.
 *
 * deque_slot *deque_reserve(struct deque *, size_t n, size_t *span);
 *     owner: the slots of the next n items (1 or more), side by side; fewer where a ring or a block ends or is full.
 *     *span says how many. NULL: no room (FULL). Thieves see no change, and asking again gives the same slots
 * void deque_fill(deque_slot *, deque_item);
 *     owner: writes one slot
 * size_t deque_commit(struct deque *, size_t n);
 *     owner: pushes the first n reserved slots, which deque_fill has written, oldest first, by one store; how many went
 *     in: all n, where it is native. No other operation of the owner may come between the two. n may be 0; slots that
 *     are not committed are no longer reserved */
#define DEQUE_RESERVE 64

/* Intrusive deques: an item is a pointer to an object that begins with a struct deque_link, which the header defines.
 * A list runs from its newest item (which the owner would pop first) to its oldest:
 *
 * void deque_list_append(struct deque_list *, deque_item);
 *     whoever holds the list alone: at its oldest end
 * deque_item deque_list_take(struct deque_list *);
 *     whoever holds the list alone: its newest, or 0
 * void deque_push_list(struct deque *, struct deque_list *);
 *     owner: all of it, never FULL; the list is then empty
 * enum deque_result deque_steal_list(struct deque *victim, struct deque *self, unsigned percent, struct deque_list *);
 *     a thief: percent as in deque_steal_batch
 *
 * A stolen link belongs to the thief at once. A link that was popped may be used again (pushed, freed) only when no
 * thief can still be reading it:
 *
 * deque_ticket deque_retire(struct deque *);
 *     owner: covers every link popped before the call
 * bool deque_reusable(struct deque *, deque_ticket);
 *     owner: may those links be used again? */
#define DEQUE_LISTS 16
struct deque_link;
struct deque_list {
    struct deque_link *first, *last;
    size_t count;
};
typedef uint64_t deque_ticket;

/* Three more names are preprocessor constants, defined where they apply:
 *
 *   DEQUE_BLOCK        items in a block by default: the deque is made of blocks, and config->block sets their size
 *   DEQUE_SPILL        size_t DEQUE_SPILL(struct deque *, deque_item *out, size_t max);
 *                      owner, after push said FULL: half of a full ring (rounded up) goes into out, oldest first, for
 *                      a queue behind the deque. How many; 0 when max is less or a thief is at work: then push again
 *   DEQUE_STEALABLE    size_t DEQUE_STEALABLE(const struct deque *);
 *                      any thread: how many items a thief could take now, a snapshot. For deques whose block decides
 *                      how many items thieves leave. Thieves can take from others all but the traits' thieves_leave
 */
