/* arena.h: the data of a run of contention, shared by contention.c and the timed loops (variants/contention_loops.c).
 */
#pragma once

#include "harness/measuring/one_thief.h"
#include "workloads/contention/frame.h"
#include "workloads/latency/measured_loops.h"
#include "workloads/latency/supply.h"
#include <assert.h>

struct thief {
    alignas(DEQUE_LINE) struct supply_taken taken;
    struct deque *self; /* its own deque, for those that need one */
    deque_item *out;    /* where a batch goes */
};

struct arena {
    /* read by all threads; nobody writes while they run */
    struct contention common; /* first: the part that does not depend on the deque */
    struct deque *deque;
    struct thief *thieves;
    size_t batch_max;
    alignas(DEQUE_LINE) struct supply supply;    /* the owner's, written at each stride */
    alignas(DEQUE_LINE) struct victim_lock lock; /* thieves' */
};
#define ARENA_LINE(field) (offsetof(struct arena, field) / DEQUE_LINE)
static_assert(offsetof(struct arena, supply) % DEQUE_LINE == 0 && ARENA_LINE(batch_max) < ARENA_LINE(supply) &&
                  offsetof(struct arena, supply) + sizeof(struct supply) <= offsetof(struct arena, lock) &&
                  offsetof(struct arena, lock) % DEQUE_LINE == 0 &&
                  offsetof(struct arena, lock) + DEQUE_LINE <= sizeof(struct arena),
              "what the owner writes, what thieves write and what all read lie on lines of their own");
