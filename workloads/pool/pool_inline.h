/* pool_inline.h: the work at every task, with the deque inlined: put a task in, take one out, fork and join.
 *
 * Included by pool.c, and by workloads that measure just this (fib): these call pool_fork_inline and pool_join_inline,
 * or pool_frame, pool_fork_placed and pool_join_placed; the rest is in pool.h.
 *
 * The item that goes into the deque for a task depends on the deque: the task's address; for an intrusive deque a node
 * with a link; for one that may hand an item out twice the index and generation of a claim (state.h).
 */
#pragma once

#include "workloads/pool/state.h" /* first: it says where a deque has its memory from */

#include "harness/measuring/deque_under_test.h"
#include "harness/measuring/popped_links.h"

static const struct deque_traits pool_traits = DEQUE_TRAITS;
#define POOL_CLAIMS (pool_traits.delivery == DEQUE_AT_LEAST_ONCE)

#if DEQUE_NATIVE & DEQUE_LISTS
struct pool_node {
    alignas(POOL_OBJECT) struct deque_link link;
    union {
        struct pool_task *task;
        void *next; /* once popped: a thief may still stand on the link */
    } u;
};
_Static_assert(offsetof(struct pool_node, link) == 0, "an item is the address of its link");

#define POOL_RETIRED_TOGETHER 64 /* popped nodes that share a ticket, which costs a fence */

/* pool.c */
__attribute__((cold)) void *pool_node_more(struct pool_worker *);
__attribute__((cold)) void pool_nodes_retire(struct pool_worker *);

/* Owner: keeps a popped node, which a thief may still be reading. Nodes are retired here as well, because a worker that
 * only pops what others spawned never asks for a node. */
DEQUE_OPERATION void pool_node_popped(struct pool_worker *worker, struct pool_node *node) {
    size_t popped = popped_add(&worker->popped, node, offsetof(struct pool_node, u));
    if (__builtin_expect(popped % POOL_RETIRED_TOGETHER == 0, 0))
        pool_nodes_retire(worker);
}
#endif

/* A worker's deque lies right behind the worker, so that nobody needs a load to find it. */
DEQUE_OPERATION struct deque *pool_deque_of(const struct pool_worker *worker) {
    _Static_assert(alignof(struct deque) <= alignof(struct pool_worker), "behind it, and aligned");
    return (struct deque *)(uintptr_t)(worker + 1);
}

/* The same for calls that are the owner's alone. With POOL_CHECK_OWNER one by a second thread ends the program. */
#ifdef POOL_CHECK_OWNER
#include <stdio.h>
#define pool_own_deque(worker) pool_checked_deque(worker, __func__)
DEQUE_OPERATION struct deque *pool_checked_deque(const struct pool_worker *worker, const char *call) {
    if (!pthread_equal(worker->owner, pthread_self())) {
        fprintf(stderr, "%s: called by a second thread, but a deque has one owner\n", call);
        abort();
    }
    return pool_deque_of(worker);
}
#else
#define pool_own_deque(worker) pool_deque_of(worker)
#endif

/* The item to push for a task; 0: no memory. */
DEQUE_OPERATION deque_item pool_item(struct pool_worker *worker, struct pool_task *task) {
#if DEQUE_NATIVE & DEQUE_LISTS
    struct pool_node *node = worker->nodes.first;
    if (node)
        node = pool_cache_take(worker, &worker->nodes, offsetof(struct pool_node, u));
    else
        node = pool_node_more(worker);
    if (node)
        node->u.task = task;
    return (deque_item)node;
#else
    if (!POOL_CLAIMS)
        return (deque_item)task;
    struct pool_claim *claim = pool_cache_take(worker, &worker->nodes, offsetof(struct pool_claim, u));
    if (!claim)
        return (deque_item)0;
    claim->u.task = task;
    uint64_t generation = atomic_load_explicit(&claim->generation, memory_order_relaxed);
    return (deque_item)(uintptr_t)(generation << 32 | claim->index);
#endif
}

/* The task of an item from the worker's own deque, from another's, or that its own has refused; NULL: the item had come
 * out before. */
enum pool_from { POOL_POPPED, POOL_STOLEN, POOL_REFUSED };
DEQUE_OPERATION struct pool_task *pool_item_task(struct pool_worker *worker, deque_item item, enum pool_from from) {
#if DEQUE_NATIVE & DEQUE_LISTS
    struct pool_node *node = (struct pool_node *)(void *)item;
    struct pool_task *task = node->u.task;
    if (from == POOL_POPPED)
        pool_node_popped(worker, node);
    else
        pool_cache_give(&worker->nodes, node, offsetof(struct pool_node, u));
    return task;
#else
    if (!POOL_CLAIMS)
        return (struct pool_task *)item;
    const uint32_t index = (uint32_t)(uintptr_t)item - 1;
    uint32_t generation = (uint32_t)((uint64_t)(uintptr_t)item >> 32);
    struct pool_claim *claim = &atomic_load_explicit(&worker->pool->claims[index / POOL_CLAIMS_CHUNK],
                                                     memory_order_relaxed)[index % POOL_CLAIMS_CHUNK];
    /* relaxed: the deque has ordered the task before the item; a worker that gets the item again only reads the
     * generation */
    if (from != POOL_REFUSED &&
        !atomic_compare_exchange_strong_explicit(&claim->generation, &generation, generation + 1, memory_order_relaxed,
                                                 memory_order_relaxed)) {
        worker->counts.duplicates++;
        return NULL;
    }
    struct pool_task *task = claim->u.task;
    pool_cache_give(&worker->nodes, claim, offsetof(struct pool_claim, u));
    return task;
#endif
}

/* Owner: into its own deque. false: full, or no memory. */
DEQUE_OPERATION bool pool_push(struct pool_worker *worker, struct pool_task *task) {
    deque_item item = pool_item(worker, task);
    if (item == (deque_item)0)
        return false;
    if (deque_push(pool_own_deque(worker), item) == DEQUE_OK)
        return true;
    pool_item_task(worker, item, POOL_REFUSED);
    return false;
}

/* Owner: out of its own deque; NULL: empty. place: where the item is expected to be, or NULL. */
DEQUE_OPERATION struct pool_task *pool_pop_from(struct pool_worker *worker, const uint64_t *place) {
    struct deque *deque = pool_own_deque(worker);
    deque_item item = (deque_item)0; /* gcc does not see that it is only read when pop has written it */
    while ((place ? deque_pop_from(deque, &item, *place) : deque_pop(deque, &item)) == DEQUE_OK) {
        struct pool_task *task = pool_item_task(worker, item, POOL_POPPED);
        if (task || !POOL_CLAIMS)
            return task;
    }
    return NULL;
}

DEQUE_OPERATION struct pool_task *pool_pop(struct pool_worker *worker) { return pool_pop_from(worker, NULL); }

/* pool.c: answers thieves, and wakes a sleeper for what thieves may take. Not declared cold: gcc would move the
 * callers' loops among the cold code. */
void pool_look(struct pool_worker *);

/* After the worker put something into its deque. Costs a load of a word of its own that is seldom written. Where
 * thieves have to ask, those that search are answered, too, because a task that only forks and joins ends late. */
DEQUE_OPERATION void pool_pushed(struct pool_worker *worker) {
    atomic_signal_fence(memory_order_seq_cst); /* pairs with the membarrier in sleep.c */
    if (__builtin_expect(atomic_load_explicit(&worker->watches, memory_order_relaxed), 0) ||
        (DEQUE_HAS(DEQUE_POLL) &&
         __builtin_expect(atomic_load_explicit(&worker->pool->sleepers, memory_order_relaxed) != 0, 0)))
        pool_look(worker);
}

/* pool.c: the rest of a join, when the child was not the newest of the deque. other: a task that was popped, or NULL */
void pool_join_slowly(struct pool_worker *, struct pool_fork *, struct pool_task *other);
/* pool.c: a fork that is not pushed, because the deque is full or the stack too deep. Its parent runs it at once, which
 * is counted. Returns false. Cold, so that the compiler lays the code out for plain pushes. */
__attribute__((cold)) bool pool_fork_refused(struct pool_worker *);

/* pool.c: a join by place, when the child is not at hand. Not declared cold, like pool_look. */
bool pool_join_otherwise(struct pool_worker *, struct pool_fork *, uint64_t place);

/* What a fork says of its child. Needed again only after a join that returned false. */
DEQUE_OPERATION void pool_fork_ready(struct pool_fork *fork, void (*child)(struct pool_worker *, struct pool_fork *)) {
    fork->task.run = pool_fork_run;
    atomic_store_explicit(&fork->child, child, memory_order_relaxed);
}

/* Is a fork from this frame run at once? */
DEQUE_OPERATION bool pool_is_deep(const struct pool_worker *worker, const void *frame) {
    return (uintptr_t)frame < worker->stack_end;
}

/* Forks what is ready. frame: an address in the caller's frame, which tells how deep the stack is. false: the deque has
 * no room or the stack is too deep; the caller runs the child now, and does not join it. */
DEQUE_OPERATION bool pool_fork_at(struct pool_worker *worker, struct pool_fork *fork, const void *frame) {
    if (__builtin_expect(pool_is_deep(worker, frame), 0) || !pool_push(worker, &fork->task))
        return pool_fork_refused(worker);
    pool_pushed(worker);
    return true;
}

/* The same for a fork that lies in the caller's frame, made ready here. */
DEQUE_OPERATION bool pool_fork_inline(struct pool_worker *worker, struct pool_fork *fork,
                                      void (*child)(struct pool_worker *, struct pool_fork *)) {
    pool_fork_ready(fork, child);
    return pool_fork_at(worker, fork, fork);
}

/* true: nobody has begun the child, and the caller runs it now. false: it has returned. place: as of pool_pop_from. */
DEQUE_OPERATION bool pool_join_from(struct pool_worker *worker, struct pool_fork *fork, const uint64_t *place) {
    struct pool_task *task = pool_pop_from(worker, place);
    if (__builtin_expect(task == &fork->task, 1)) {
        worker->counts.tasks++;
        return true;
    }
    pool_join_slowly(worker, fork, task);
    return false;
}

DEQUE_OPERATION bool pool_join_inline(struct pool_worker *worker, struct pool_fork *fork) {
    return pool_join_from(worker, fork, NULL);
}

/* Forks by place: the cheapest ones, for functions that fork and join and do little else. The caller keeps the place
 * that its first fork will have in the deque, so that neither fork nor join waits for what was stored last; and join
 * does not read what fork wrote. With a deque that has no such operations they are plain forks.
 *
 * pool_frame: once in a function, before its first fork and after any call that forks. frame: any fork of the caller's
 * frame. false: no forks by place here, plain ones only (the stack is deep).
 * pool_fork_placed: the child was made ready (pool_fork_ready). place: that of pool_frame, and one more for each fork
 * that has not been joined. Between these forks there is no other call that forks, and none after false (there is no
 * room; the caller runs this child itself).
 * pool_join_placed: the fork's own place. After true the place may be used again, after false it may not. */
DEQUE_OPERATION bool pool_frame(struct pool_worker *worker, struct pool_fork *frame, uint64_t *place) {
    *place = deque_place(pool_own_deque(worker));
    return !DEQUE_HAS(DEQUE_PUSH_AT) || __builtin_expect(!pool_is_deep(worker, frame), 1);
}

DEQUE_OPERATION bool pool_fork_placed(struct pool_worker *worker, struct pool_fork *fork, uint64_t place) {
    if (!DEQUE_HAS(DEQUE_PUSH_AT))
        return pool_fork_at(worker, fork, fork);
    if (__builtin_expect(deque_push_at(pool_own_deque(worker), (deque_item)fork, place) != DEQUE_OK, 0))
        return pool_fork_refused(worker);
    atomic_signal_fence(memory_order_seq_cst); /* as in pool_pushed; the push has answered thieves */
    if (__builtin_expect(atomic_load_explicit(&worker->watches, memory_order_relaxed), 0))
        pool_look(worker);
    return true;
}

DEQUE_OPERATION bool pool_join_placed(struct pool_worker *worker, struct pool_fork *fork, uint64_t place) {
    if (!DEQUE_HAS(DEQUE_PUSH_AT))
        return pool_join_from(worker, fork, &place);
    if (__builtin_expect(deque_pop_own(pool_own_deque(worker), (deque_item)fork, place) != DEQUE_OK, 0))
        return pool_join_otherwise(worker, fork, place);
    worker->counts.tasks++;
    return true;
}
