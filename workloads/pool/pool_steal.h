/* pool_steal.h: where a worker's next task comes from: its own deque, the overflow queue, other deques, its inbox. The
 * part of pool.c that takes.
 */
#ifndef STEALBENCH_POOL_STEAL_H
#define STEALBENCH_POOL_STEAL_H

#include "workloads/pool/pool_inline.h"

#define OVERFLOW_TAKEN 16 /* tasks moved at once from the overflow queue */

static struct pool_task *take_own(struct pool_worker *worker) {
    struct pool_task *task = worker->slot;
    if (task) {
        worker->slot = NULL;
        return task;
    }
    return pool_pop(worker);
}

/* Half of what the victim has, in the thief's hands or already in its deque. One of them is to be run at once: *item.
 */
struct loot {
#if DEQUE_NATIVE & DEQUE_LISTS
    struct deque_list list;
#endif
    size_t taken; /* in worker->taken */
    size_t moved; /* in the thief's deque */
};

static enum deque_result take_half(struct pool_worker *thief, struct pool_worker *victim, deque_item *item,
                                   struct loot *loot) {
#if DEQUE_NATIVE & DEQUE_LISTS
    enum deque_result result = deque_steal_list(victim->deque, thief->deque, 50, &loot->list);
    if (result == DEQUE_OK)
        *item = deque_list_take(&loot->list);
    return result;
#elif (DEQUE_NATIVE & DEQUE_STEAL_BATCH) && !(DEQUE_NATIVE & DEQUE_STEAL_INTO)
    enum deque_result result =
        deque_steal_batch(victim->deque, thief->deque, 50, (deque_item *)thief->taken, thief->taken_room, &loot->taken);
    if (result == DEQUE_OK)
        *item = (deque_item)thief->taken[--loot->taken];
    return result;
#else
    return deque_steal_into(victim->deque, thief->deque, item, &loot->moved);
#endif
}

#if !(DEQUE_NATIVE & DEQUE_LISTS)
static void overflow(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    const uint64_t since = clock_nanoseconds();
    pool_overflow_put(worker, tasks, count);
    worker->counts.overflow_time += clock_nanoseconds() - since;
}

/* Stolen items, oldest first, into the worker's deque, or the overflow queue behind it. */
static void keep_items(struct pool_worker *worker, void **items, size_t count) {
    size_t tasks = 0, kept = deque_push_batch(worker->deque, (deque_item *)items, count);
    for (size_t i = kept; i < count; i++)
        if ((items[tasks] = pool_item_task(worker, (deque_item)items[i], false)))
            tasks++;
    if (tasks > 0)
        overflow(worker, (struct pool_task *const *)items, tasks);
}
#endif

/* All of it into the thief's deque. */
static void keep_loot(struct pool_worker *thief, struct loot *loot) {
#if DEQUE_NATIVE & DEQUE_LISTS
    loot->moved = loot->list.count;
    if (loot->moved > 0)
        deque_push_list(thief->deque, &loot->list);
#else
    keep_items(thief, thief->taken, loot->taken);
    loot->moved += loot->taken;
#endif
    if (loot->moved > 0)
        pool_pushed(thief);
}

/* One attempt at one victim. */
static struct pool_task *steal_from(struct pool_worker *thief, struct pool_worker *victim) {
    struct pool *pool = thief->pool;
    bool turns = pool_traits.thieves == DEQUE_ONE_THIEF || pool->turns;
    deque_item item = (deque_item)0;
    struct loot loot = {0};
    if (turns && VICTIM_REFUSES(&victim->lock)) {
        thief->counts.busy++;
        thief->contended = true;
        return NULL;
    }
    enum deque_result result =
        pool->half ? take_half(thief, victim, &item, &loot) : deque_steal(victim->deque, thief->deque, &item);
    if (turns)
        victim_unlock(&victim->lock);
    keep_loot(thief, &loot);
    thief->counts.stolen += loot.moved + (result == DEQUE_OK);
    if (result == DEQUE_OK || loot.moved > 0)
        thief->counts.steals++;
    else if (result == DEQUE_EMPTY)
        thief->counts.empty++;
    else
        thief->counts.lost++;
    if (result == DEQUE_LOST)
        thief->contended = true;
    if (result != DEQUE_OK)
        return loot.moved > 0 ? pool_pop(thief) : NULL;
    thief->stole = true;
    return pool_item_task(thief, item, false);
}

/* Whom a round tries: those that the policy names, or everybody else, each once. */
enum round { BY_POLICY, EACH_ONCE };

static struct pool_task *steal_round(struct pool_worker *thief, enum round round) {
    struct pool *pool = thief->pool;
    const uint64_t since = pool->steal_times ? clock_nanoseconds() : 0;
    thief->contended = false;
    for (unsigned i = 0; i + 1 < pool->threads; i++) {
        struct pool_worker *victim =
            round == EACH_ONCE ? pool->worker[(thief->number + 1 + i) % pool->threads] : pool_victim(thief, i);
        struct pool_task *task = victim ? steal_from(thief, victim) : NULL;
        if (task && pool->steal_times)
            histogram_record(&thief->steal_times, clock_nanoseconds() - since);
        if (task)
            return task;
        if (!victim || atomic_load_explicit(&pool->over, memory_order_relaxed))
            return NULL;
    }
    return NULL;
}

static struct pool_task *take_overflow(struct pool_worker *worker) {
    struct pool_task *tasks[OVERFLOW_TAKEN];
    if (!pool_overflow_holds(worker->pool))
        return NULL;
    const uint64_t since = clock_nanoseconds();
    size_t taken = pool_overflow_take(worker, tasks, OVERFLOW_TAKEN), put_back = 1;
    if (taken == 0)
        return NULL;
    while (put_back < taken && pool_push(worker, tasks[put_back]))
        put_back++;
    if (put_back < taken && pool_overflow_put(worker, tasks + put_back, taken - put_back))
        worker->counts.overflowed -= taken - put_back;
    worker->counts.overflow_time += clock_nanoseconds() - since;
    if (taken > 1)
        pool_pushed(worker);
    return tasks[0];
}

/* --- the master and the inboxes. The bulk paper's solver: one thread steals, from the others, for the others, and
 * works like them while nobody is idle. Only an owner can put something into a deque, hence the inboxes. */

/* Up to half of what the victim has (or one), or of the master's own, into the inbox. */
static bool fill_inbox(struct pool_worker *master, struct pool_worker *victim, struct pool_inbox *inbox) {
    struct pool *pool = master->pool;
    bool turns = pool_traits.thieves == DEQUE_ONE_THIEF || pool->turns;
    enum deque_result result;
    if (turns && VICTIM_REFUSES(&victim->lock)) { /* a late thief of an earlier run: there is no other */
        master->counts.busy++;
        return false;
    }
    inbox->count = 0;
#if DEQUE_NATIVE & DEQUE_LISTS
    inbox->list = (struct deque_list){0};
    if (pool->half) {
        result = deque_steal_list(victim->deque, master->deque, 50, &inbox->list);
    } else {
        deque_item item = (deque_item)0;
        result = deque_steal(victim->deque, master->deque, &item);
        if (result == DEQUE_OK)
            deque_list_append(&inbox->list, item);
    }
    inbox->count = result == DEQUE_OK ? inbox->list.count : 0;
#else
    result = deque_steal_batch(victim->deque, master->deque, 50, inbox->items, pool->half ? POOL_INBOX_ROOM : 1,
                               &inbox->count);
#endif
    if (turns)
        victim_unlock(&victim->lock);
    master->counts.stolen += inbox->count;
    master->counts.steals += result == DEQUE_OK;
    master->counts.empty += result == DEQUE_EMPTY;
    master->counts.lost += result == DEQUE_LOST;
    return result == DEQUE_OK;
}

/* The owner of the inbox: what is in it goes into the worker's own deque. */
static void empty_inbox(struct pool_worker *worker, struct pool_inbox *inbox) {
#if DEQUE_NATIVE & DEQUE_LISTS
    deque_push_list(worker->deque, &inbox->list);
#else
    keep_items(worker, inbox->items, inbox->count);
#endif
    inbox->count = 0;
}

static void inbox_open(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    atomic_store_explicit(&worker->inbox.state, POOL_INBOX_WANTED, memory_order_release);
    atomic_fetch_add_explicit(&pool->wanting, 1, memory_order_acq_rel);
    pool_wake_worker(pool->worker[0]);
}

/* The worker does not wait any more. True when there was something in it, which is now in its deque. */
static bool inbox_close(struct pool_worker *worker) {
    uint32_t state = POOL_INBOX_WANTED;
    /* acquire: pairs with the release in serve */
    if (atomic_compare_exchange_strong_explicit(&worker->inbox.state, &state, POOL_INBOX_CLOSED, memory_order_acq_rel,
                                                memory_order_acquire)) {
        atomic_fetch_sub_explicit(&worker->pool->wanting, 1, memory_order_relaxed);
        return false;
    }
    if (state != POOL_INBOX_FULL)
        return false;
    empty_inbox(worker, &worker->inbox);
    atomic_store_explicit(&worker->inbox.state, POOL_INBOX_CLOSED, memory_order_relaxed);
    return true;
}

/* The master found something for that worker. What comes too late it keeps. */
static void serve(struct pool_worker *master, struct pool_worker *worker) {
    uint32_t state = POOL_INBOX_WANTED;
    /* release: pairs with the acquire in inbox_close */
    if (!atomic_compare_exchange_strong_explicit(&worker->inbox.state, &state, POOL_INBOX_FULL, memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        empty_inbox(master, &worker->inbox);
        return;
    }
    atomic_fetch_sub_explicit(&master->pool->wanting, 1, memory_order_relaxed);
    pool_wake_worker(worker);
}

/* The master, while somebody wants something: from its own deque first, then from the others', in one round over them
 * for all. A victim that had something is asked again for the next who wants. */
static void distribute(struct pool_worker *master) {
    struct pool *pool = master->pool;
    struct pool_worker *victim = NULL;
    bool found = true;
    for (unsigned i = 1, round = 0; i < pool->threads && found; i++) {
        struct pool_worker *worker = pool->worker[i];
        if (atomic_load_explicit(&worker->inbox.state, memory_order_acquire) != POOL_INBOX_WANTED)
            continue;
        /* one that still has tasks gets none of those who have hardly more */
        const size_t left = pool->refill > 0 && deque_size(worker->deque) > 0 ? pool->refill : 0;
        if (pool->policy == POOL_AFFINITY) { /* near this one: others than for the one before */
            master->robs_for = worker;
            victim = NULL;
            round = 0;
        }
        found = deque_stealable(master->deque) > left && fill_inbox(master, master, &worker->inbox);
        while (!found && (victim || (round + 1 < pool->threads && (victim = pool_victim(master, round++))))) {
            found = victim != worker && (left == 0 || deque_stealable(victim->deque) > left) &&
                    fill_inbox(master, victim, &worker->inbox);
            if (!found)
                victim = NULL;
        }
        if (found)
            serve(master, worker);
    }
    master->robs_for = master;
}

/* A worker of a master's, between tasks: takes what was put into its inbox while it worked, and asks for more before
 * its deque has run dry. */
static void refill(struct pool_worker *worker) {
    uint32_t state = atomic_load_explicit(&worker->inbox.state, memory_order_relaxed);
    if (worker->number == 0)
        return;
    if (state == POOL_INBOX_FULL)
        inbox_close(worker);
    else if (state == POOL_INBOX_CLOSED && deque_size(worker->deque) <= worker->pool->refill)
        inbox_open(worker);
}

static void distribute_if_wanted(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    if (pool->master && worker->number == 0 && atomic_load_explicit(&pool->wanting, memory_order_acquire) > 0)
        distribute(worker);
}

static struct pool_task *look_around(struct pool_worker *worker, enum round round) {
    struct pool_task *task = take_overflow(worker);
    distribute_if_wanted(worker);
    if (!task && pool_may_steal(worker))
        task = steal_round(worker, round);
    if (!task && atomic_load_explicit(&worker->inbox.state, memory_order_relaxed) == POOL_INBOX_FULL &&
        inbox_close(worker)) {
        worker->stole = true;
        task = pool_pop(worker);
    }
    return task;
}

#endif
