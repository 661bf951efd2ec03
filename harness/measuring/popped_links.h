/* popped_links.h: links that an owner has popped, until no thief can still be reading them (deque_retire).
 *
 * A ticket costs a fence. So many links share one, and the next ticket is requested only when the last one has been
 * granted. Links are chained through a pointer `next` bytes into each.
 */
#ifndef STEALBENCH_POPPED_LINKS_H
#define STEALBENCH_POPPED_LINKS_H

#include "queues/deque.h"

struct popped_links {
    void *popped;  /* since the last ticket */
    void *waiting; /* for that ticket */
    size_t count;  /* popped since a ticket was last asked for */
    deque_ticket ticket;
};

#endif

/* These need the deque. A file that includes this header before the deque, for the struct, includes it again after it.
 */
#if (DEQUE_NATIVE & DEQUE_LISTS) && !defined(STEALBENCH_POPPED_LINKS_OPERATIONS)
#define STEALBENCH_POPPED_LINKS_OPERATIONS

/* Owner: popped this one. Returns the count. */
DEQUE_OPERATION size_t popped_add(struct popped_links *links, void *link, size_t next) {
    *(void **)(void *)((char *)link + next) = links->popped;
    links->popped = link;
    return ++links->count;
}

/* Owner: asks for a ticket for what was popped, unless the last one is still waited for. */
DEQUE_OPERATION void popped_retire(struct popped_links *links, struct deque *deque) {
    links->count = 0;
    if (links->waiting || !links->popped)
        return;
    links->ticket = deque_retire(deque);
    links->waiting = links->popped;
    links->popped = NULL;
}

/* Owner: a chain of links that may be used again, or NULL. */
DEQUE_OPERATION void *popped_reusable(struct popped_links *links, struct deque *deque) {
    void *reusable = links->waiting;
    if (!reusable || !deque_reusable(deque, links->ticket))
        return NULL;
    links->waiting = NULL;
    return reusable;
}
#endif
