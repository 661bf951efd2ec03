/* popped_links.h: keeps the links that an owner has popped until no thief can still read them (deque_retire). A ticket
 * costs a fence, so many links share one, and the next ticket is requested only when the last one has been granted.
 * Links are chained through a pointer `next` bytes into each.
 */
#ifndef STEALBENCH_POPPED_LINKS_H
#define STEALBENCH_POPPED_LINKS_H

#include "queues/deque.h"

struct popped_links {
    void *popped;  /* links since the last ticket */
    void *waiting; /* links that wait for that ticket */
    size_t count;  /* links popped since the last ticket was requested */
    deque_ticket ticket;
};

#endif

/* These functions need the deque. A file that includes this header before the deque, for the struct, includes it again
 * after the deque. */
#if (DEQUE_NATIVE & DEQUE_LISTS) && !defined(STEALBENCH_POPPED_LINKS_OPERATIONS)
#define STEALBENCH_POPPED_LINKS_OPERATIONS

/* Owner. Adds a popped link; returns the count. */
DEQUE_OPERATION size_t popped_add(struct popped_links *links, void *link, size_t next) {
    *(void **)(void *)((char *)link + next) = links->popped;
    links->popped = link;
    return ++links->count;
}

/* Owner. Requests a ticket for the popped links, unless the last one has not been granted yet. */
DEQUE_OPERATION void popped_retire(struct popped_links *links, struct deque *deque) {
    links->count = 0;
    if (links->waiting || !links->popped)
        return;
    links->ticket = deque_retire(deque);
    links->waiting = links->popped;
    links->popped = NULL;
}

/* Owner. A chain of links that may be used again, or NULL. */
DEQUE_OPERATION void *popped_reusable(struct popped_links *links, struct deque *deque) {
    void *reusable = links->waiting;
    if (!reusable || !deque_reusable(deque, links->ticket))
        return NULL;
    links->waiting = NULL;
    return reusable;
}
#endif
