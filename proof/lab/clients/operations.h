/* operations.h: the deque as the lab's clients call it.
 *
 * Only operations.c is compiled for each deque, with -fsanitize=thread; the rest of the lab is compiled once, without
 * it. So the machine sees what the deque does, but not the client's notes about items.
 */
#pragma once

#include "queues/deque.h"

struct operations {
    struct deque_traits traits;
    size_t deque_bytes, deque_alignment;
    const char *shown_by; /* DEQUE_SHOWN_BY, the options of explore that an unsound one's fault needs; or NULL */
    size_t link_bytes;    /* bytes of the link at the beginning of an item; 0 if not intrusive */

    int (*init)(struct deque *, const struct deque_config *);
    void (*destroy)(struct deque *);
    size_t (*capacity)(const struct deque *);
    size_t (*size)(const struct deque *);
    enum deque_result (*push)(struct deque *, void *item);
    enum deque_result (*pop)(struct deque *, void **item);
    enum deque_result (*pop_from)(struct deque *, void **item); /* the newest item's place; NULL without places */
    /* push_at pushes at the next place. pop_own pops by the newest item's place if push_at has put it there, else as
     * pop. NULL: no places */
    enum deque_result (*push_at)(struct deque *, void *item);
    enum deque_result (*pop_own)(struct deque *, void **item);
    enum deque_result (*steal)(struct deque *victim, struct deque *self, void **item);
    size_t (*push_batch)(struct deque *, void *const *items, size_t n);
    enum deque_result (*steal_batch)(struct deque *victim, struct deque *self, unsigned percent, void **out, size_t max,
                                     size_t *n);
    enum deque_result (*steal_into)(struct deque *victim, struct deque *self, void **first, size_t *moved);
    void (*poll)(struct deque *);
    /* Reserves, fills and commits until all items are in or there is no room. NULL: the deque cannot. */
    size_t (*push_reserved)(struct deque *, void *const *items, size_t n);
    size_t (*spill)(struct deque *, void **out,
                    size_t max); /* DEQUE_SPILL: removes items from a full ring; NULL: the deque cannot */

    /* For intrusive deques, else NULL. A list is passed as an array, oldest first. */
    size_t (*push_list)(struct deque *, void *const *items, size_t n); /* returns n */
    enum deque_result (*steal_list)(struct deque *victim, struct deque *self, unsigned percent, void **out, size_t max,
                                    size_t *n);
    deque_ticket (*retire)(struct deque *);
    bool (*reusable)(struct deque *, deque_ticket);

    /* Plain accesses to the contents of items, as a program makes them: only the deque orders them. */
    void (*write_payload)(void *payload, uint64_t value);
    uint64_t (*read_payload)(const void *payload);
    void (*spoil_link)(void *item, size_t bytes);
    void (*release)(void *memory); /* free */
};

extern const struct operations operations;
