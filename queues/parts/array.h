/* array.h: the ring without synchronisation of ../array.h and ../array_fifo.h. */
#pragma once

#include "ring.h"

struct deque {
    alignas(DEQUE_LINE) uint64_t bottom; /* one past the newest */
    uint64_t top;                        /* the oldest item */
    deque_item *slots;
    uint64_t mask;
};

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    int error = ring_make_plain(config, 1024, RING_MAX, &deque->slots, &deque->mask);
    if (error)
        return error;
    for (uint64_t i = 0; i <= deque->mask; i++)
        deque->slots[i] = (deque_item)0;
    deque->top = deque->bottom = config->first_index;
    return 0;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { DEQUE_FREE(deque->slots); }

DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (size_t)deque->mask + 1; }

DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return (size_t)(deque->bottom - deque->top); }
