/* operations.h: the deque as the lab's clients call it.
 *
 * Only operations.c is compiled for each deque, with -fsanitize=thread; the rest of the lab is compiled once, without
 * it. So the machine sees what the deque does, and not the client's notes about items.
 */
#ifndef STEALBENCH_LAB_OPERATIONS_H
#define STEALBENCH_LAB_OPERATIONS_H

#include "queues/deque.h"

struct operations {
    struct deque_traits traits;
    size_t deque_bytes, deque_alignment;
    size_t link_bytes; /* what an item begins with; 0 when not intrusive */

    int (*init)(struct deque *, const struct deque_config *);
    void (*destroy)(struct deque *);
    size_t (*capacity)(const struct deque *);
    size_t (*size)(const struct deque *);
    enum deque_result (*push)(struct deque *, void *item);
    enum deque_result (*pop)(struct deque *, void **item);
    enum deque_result (*pop_from)(struct deque *, void **item); /* the newest item's place; NULL without places */
    /* At the next place; by the newest item's place, if push_at has put it there, else as pop. NULL without them */
    enum deque_result (*push_at)(struct deque *, void *item);
    enum deque_result (*pop_own)(struct deque *, void **item);
    enum deque_result (*steal)(struct deque *victim, struct deque *self, void **item);
    size_t (*push_batch)(struct deque *, void *const *items, size_t n);
    enum deque_result (*steal_batch)(struct deque *victim, struct deque *self, unsigned percent, void **out, size_t max,
                                     size_t *n);
    enum deque_result (*steal_into)(struct deque *victim, struct deque *self, void **first, size_t *moved);
    void (*poll)(struct deque *);
    /* Reserves, fills and commits until all items are in or there is no room; NULL where the deque cannot. */
    size_t (*push_reserved)(struct deque *, void *const *items, size_t n);
    size_t (*spill)(struct deque *, void **out, size_t max); /* DEQUE_SPILL: a full ring's way out; NULL without */

    /* Intrusive deques, else NULL. A list goes in and out as an array, oldest first. */
    size_t (*push_list)(struct deque *, void *const *items, size_t n); /* returns n */
    enum deque_result (*steal_list)(struct deque *victim, struct deque *self, unsigned percent, void **out, size_t max,
                                    size_t *n);
    deque_ticket (*retire)(struct deque *);
    bool (*reusable)(struct deque *, deque_ticket);

    /* Plain accesses to the contents of items, as a program makes them: ordered by the deque alone. */
    void (*write_payload)(void *payload, uint64_t value);
    uint64_t (*read_payload)(const void *payload);
    void (*spoil_link)(void *item, size_t bytes);
    void (*release)(void *memory); /* free */
};

extern const struct operations operations;

#endif
