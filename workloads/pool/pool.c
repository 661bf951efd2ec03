/* pool.c: the half of the pool that knows the deque. Compiled once for each. */
#include "workloads/pool/pool_inline.h"
#include <sched.h>

#define PUT_TOGETHER 256  /* tasks put into the deque at once */
#define OVERFLOW_TAKEN 16 /* tasks moved at once from the overflow queue */
#define BLOCK 4           /* items, of deques whose owner keeps a block from thieves */

/* --- how a task is represented in the deque */
#if DEQUE_NATIVE & DEQUE_LISTS
/* Gives nodes that no thief can still read back to the cache. */
static void nodes_reuse(struct pool_worker *worker) {
    for (void *first = popped_reusable(&worker->popped, pool_own_deque(worker)); first;) {
        struct pool_node *node = first;
        first = node->u.next;
        pool_cache_give(&worker->nodes, node, offsetof(struct pool_node, u));
    }
}

void pool_nodes_retire(struct pool_worker *worker) {
    nodes_reuse(worker);
    popped_retire(&worker->popped, pool_own_deque(worker));
    nodes_reuse(worker);
}

void *pool_node_more(struct pool_worker *worker) {
    nodes_reuse(worker);
    return pool_cache_take(worker, &worker->nodes, offsetof(struct pool_node, u));
}
#endif

/* --- putting tasks in */

/* The deque is full. It spills items if it can; these, and tasks that still do not fit, go to the overflow queue. */
DEQUE_SLOW_PATH void push_or_overflow(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    const uint64_t since = clock_nanoseconds();
#ifdef DEQUE_SPILL
    size_t spilled = DEQUE_SPILL(pool_own_deque(worker), worker->taken, worker->taken_room);
    if (spilled > 0)
        pool_overflow_put(worker, (struct pool_task *const *)(void *)worker->taken, spilled);
    while (count > 0 && pool_push(worker, *tasks))
        tasks++, count--;
#endif
    if (count > 0)
        pool_overflow_put(worker, tasks, count);
    worker->counts.overflow_time += clock_nanoseconds() - since;
}

static void put(struct pool_worker *worker, struct pool_task *task) {
    if (!pool_push(worker, task))
        push_or_overflow(worker, &task, 1);
    pool_pushed(worker);
}

static void count_spawned(struct pool_worker *worker, uint64_t count) {
    uint64_t spawned = atomic_load_explicit(&worker->spawned, memory_order_relaxed);
    /* relaxed: pairs with the release of finished by the worker that ends the spawning task, or what it spawned */
    atomic_store_explicit(&worker->spawned, spawned + count, memory_order_relaxed);
}

/* Puts the task into the slot, and the one from there into the deque. */
static void put_into_slot(struct pool_worker *worker, struct pool_task *task) {
    struct pool_task *before = worker->slot;
    worker->slot = task;
    if (before)
        put(worker, before);
}

void pool_spawn(struct pool_worker *worker, struct pool_task *task) {
    const struct pool *pool = worker->pool;
    count_spawned(worker, 1);
    if (pool->waits)
        task = pool_stamp(worker, task);
    if (pool->slot)
        put_into_slot(worker, task);
    else
        put(worker, task);
}

/* Oldest first. Not counted. */
#if DEQUE_NATIVE & DEQUE_LISTS
/* Links the nodes while it makes them and pushes them in one step; deque_push_batch would walk over them again. */
static void put_each(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    struct deque_list list = {0};
    for (; count > 0; count--) {
        deque_item item = pool_item(worker, tasks[count - 1]);
        if (item == (deque_item)0)
            break;
        deque_list_append(&list, item);
    }
    if (list.count > 0)
        deque_push_list(pool_own_deque(worker), &list);
    if (count > 0)
        push_or_overflow(worker, tasks, count);
    pool_pushed(worker);
}
#else
static void put_each(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    deque_item items[PUT_TOGETHER];
    size_t done = 0;
    while (done < count) {
        size_t n = 0, pushed;
        for (; n < PUT_TOGETHER && done + n < count; n++)
            if ((items[n] = pool_item(worker, tasks[done + n])) == (deque_item)0)
                break;
        pushed = n > 0 ? deque_push_batch(pool_own_deque(worker), items, n) : 0;
        for (size_t i = pushed; i < n; i++)
            pool_item_task(worker, items[i], POOL_REFUSED);
        done += pushed;
        if (pushed < n || n == 0) {
            push_or_overflow(worker, tasks + done, count - done);
            break;
        }
    }
    pool_pushed(worker);
}
#endif

DEQUE_SLOW_PATH void put_stamped(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    struct pool_task *stamped[PUT_TOGETHER];
    for (size_t done = 0, n; done < count; done += n) {
        for (n = 0; n < PUT_TOGETHER && done + n < count; n++)
            stamped[n] = pool_stamp(worker, tasks[done + n]);
        put_each(worker, stamped, n);
    }
}

static void put_all(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    if (__builtin_expect(worker->pool->waits, 0))
        put_stamped(worker, tasks, count);
    else
        put_each(worker, tasks, count);
}

void pool_spawn_all(struct pool_worker *worker, struct pool_task *const *tasks, size_t count) {
    count_spawned(worker, count);
    put_all(worker, tasks, count);
}

/* --- where a worker gets its next task: its own deque, the overflow queue, other deques */

static struct pool_task *take_own(struct pool_worker *worker) {
    struct pool_task *task = worker->slot;
    if (!task)
        return pool_pop(worker);
    worker->slot = NULL;
    return task;
}

/* What a steal brought: the newest item, and older ones: so many in the thief's deque already, the others in the list
 * or in `taken`. */
struct loot {
    deque_item item;
    struct deque_list list;
    size_t count, moved;
};

/* A steal of half is done in the deque's own way; most deques move the items into the thief's deque. Any other share is
 * stolen as a batch. */
#if DEQUE_NATIVE & DEQUE_LISTS
static enum deque_result take(struct pool_worker *thief, struct deque *victim, struct loot *loot) {
    if (thief->pool->percent == 0)
        return deque_steal(victim, pool_own_deque(thief), &loot->item);
    enum deque_result result = deque_steal_list(victim, pool_own_deque(thief), thief->pool->percent, &loot->list);
    if (result == DEQUE_OK)
        loot->item = deque_list_take(&loot->list);
    loot->count = loot->list.count;
    return result;
}
static void put_loot(struct pool_worker *worker, struct loot *loot) {
    deque_push_list(pool_own_deque(worker), &loot->list);
}
#else
#define HALF_MOVES ((DEQUE_NATIVE & DEQUE_STEAL_INTO) || !(DEQUE_NATIVE & DEQUE_STEAL_BATCH))
static enum deque_result take(struct pool_worker *thief, struct deque *victim, struct loot *loot) {
    deque_item *taken = (deque_item *)thief->taken;
    if (thief->pool->percent == 0)
        return deque_steal(victim, pool_own_deque(thief), &loot->item);
    if (thief->pool->half && HALF_MOVES)
        return deque_steal_into(victim, pool_own_deque(thief), &loot->item, &loot->moved);
    enum deque_result result =
        deque_steal_batch(victim, pool_own_deque(thief), thief->pool->percent, taken, thief->taken_room, &loot->count);
    if (result == DEQUE_OK)
        loot->item = taken[--loot->count];
    return result;
}

/* Oldest first; what does not fit goes to the overflow queue. */
static void put_loot(struct pool_worker *worker, struct loot *loot) {
    size_t tasks = 0, kept = deque_push_batch(pool_own_deque(worker), (deque_item *)worker->taken, loot->count);
    for (size_t i = kept; i < loot->count; i++)
        if ((worker->taken[tasks] = pool_item_task(worker, (deque_item)worker->taken[i], POOL_STOLEN)))
            tasks++;
    if (tasks == 0)
        return;
    const uint64_t since = clock_nanoseconds();
    pool_overflow_put(worker, (struct pool_task *const *)(void *)worker->taken, tasks);
    worker->counts.overflow_time += clock_nanoseconds() - since;
}
#endif

/* One attempt at one victim, counted. */
static struct pool_task *steal_from(struct pool_worker *thief, struct pool_worker *victim) {
    const bool turns = thief->pool->turns;
    struct loot loot = {0};
    if (turns && VICTIM_REFUSES(&victim->lock)) {
        thief->counts.busy++;
        thief->contended = true;
        return NULL;
    }
    enum deque_result result = take(thief, pool_deque_of(victim), &loot);
    if (turns)
        victim_unlock(&victim->lock);
    const size_t stolen = loot.count + loot.moved + (result == DEQUE_OK);
    thief->counts.stolen += stolen;
    if (stolen > 0)
        thief->counts.steals++;
    else if (result == DEQUE_EMPTY)
        thief->counts.empty++;
    else
        thief->counts.lost++;
    if (result == DEQUE_LOST)
        thief->contended = true;
    if (loot.count > 0)
        put_loot(thief, &loot);
    if (loot.count + loot.moved > 0)
        pool_pushed(thief);
    if (result != DEQUE_OK)
        return loot.moved > 0 ? pool_pop(thief) : NULL;
    return pool_item_task(thief, loot.item, POOL_STOLEN);
}

/* The victims of a round: by the policy, or every other worker once. */
enum round { BY_POLICY, EACH_ONCE };

static struct pool_task *steal_round(struct pool_worker *thief, enum round round) {
    struct pool *pool = thief->pool;
    const uint64_t since = pool->steal_times ? clock_nanoseconds() : 0;
    thief->contended = false;
    for (unsigned i = 0; pool->steals && i + 1 < pool->threads; i++) {
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

static struct pool_task *look_everywhere(struct pool_worker *worker) {
    struct pool_task *task = take_overflow(worker);
    return task ? task : steal_round(worker, EACH_ONCE);
}

/* --- working. A worker (work) runs what it takes from its own deque. When that is empty it searches: it looks around
 * (the overflow queue, its victims), asks whether the run is over, rests, and at last sleeps. A join that
 * waits searches in the same way. */

/* Runs a task from anywhere, then answers thieves, and wakes a sleeper for what they may now take. After a failure only
 * forks are run, because their parents wait for them. */
static void run_task(struct pool_worker *worker, struct pool_task *task) {
    const bool fork = task->run == pool_fork_run;
    if (!fork && __builtin_expect(atomic_load_explicit(&worker->pool->failure, memory_order_relaxed) != 0, 0))
        return;
    worker->counts.tasks++;
    task->run(worker, task);
    if (!fork) { /* release: pairs with the acquire in pool_ended; a sum that counts this task counts what it spawned */
        const uint64_t finished = atomic_load_explicit(&worker->finished, memory_order_relaxed);
        atomic_store_explicit(&worker->finished, finished + 1, memory_order_release);
    }
    if (DEQUE_HAS(DEQUE_POLL)) {
        deque_poll(pool_own_deque(worker));
        pool_pushed(worker);
    }
}

/* Not inlined: gcc 14 warns about the copy that it makes for a NULL fork, where this is never reached. */
static bool child_done(const struct pool_fork *fork) __attribute__((noinline));
static bool child_done(const struct pool_fork *fork) {
    /* acquire: pairs with the release in pool_fork_run */
    return !atomic_load_explicit(&fork->child, memory_order_acquire);
}

/* A worker without own tasks looks for one until it finds one, the run is over or, in a join, the child has returned.
 * Not inlined: a join that finds its child at once has few registers to save. */
static __attribute__((noinline)) struct pool_task *search(struct pool_worker *worker, struct pool_fork *fork) {
    struct pool *pool = worker->pool;
    struct pool_task *task = NULL;
    const uint64_t since = clock_nanoseconds();
    if (worker->counts.tasks > 0)
        worker->counts.last_end = since;
    for (unsigned failures = 0; !task; failures++) {
        deque_poll(pool_own_deque(worker));
        if ((task = take_overflow(worker)) ||
            (fork ? child_done(fork) : atomic_load_explicit(&pool->over, memory_order_acquire)) ||
            (task = steal_round(worker, BY_POLICY)))
            break;
        /* the sums touch everybody's counters: not every time */
        if (!fork && (pool_may_have_ended(failures) || pool->threads == 1) && pool_ended(pool))
            break;
        if (pool_rest(worker, failures)) {
            task = pool_sleep(worker, fork);
            failures = 0;
        }
        if (!task)
            task = take_own(worker); /* a late steal of half, or an answer to a request */
    }
    worker->counts.idle_time += clock_nanoseconds() - since;
    pool_search_end(worker);
    return task;
}

static void work(struct pool_worker *worker) {
    for (;;) {
        struct pool_task *task = take_own(worker);
        const bool searched = !task;
        if (searched && !(task = search(worker, NULL)))
            return;
        run_task(worker, task);
        if (searched && worker->pool->idle == POOL_YIELD_EACH)
            sched_yield();
    }
}

/* --- fork and join */
bool pool_fork_refused(struct pool_worker *worker) {
    worker->counts.tasks++;
    worker->counts.inlined++;
    return false;
}

void pool_look(struct pool_worker *worker) {
    deque_poll(pool_own_deque(worker));
    pool_wake(worker, deque_stealable(pool_own_deque(worker)) > 0);
}

bool pool_join_otherwise(struct pool_worker *worker, struct pool_fork *fork, uint64_t place) {
    if (!pool_join_inline(worker, fork))
        return false;
    if (deque_place(pool_own_deque(worker)) == place)
        return true;
    /* The deque has passed over the place, and a child forked there again would lie below what anybody looks at. */
    atomic_load_explicit(&fork->child, memory_order_relaxed)(worker, fork);
    return false;
}

/* Works on anything until the child has returned. A parent only waits for work that began after its own, so workers
 * cannot wait for each other in a circle. */
void pool_join_slowly(struct pool_worker *worker, struct pool_fork *fork, struct pool_task *task) {
    for (;;) {
        if (task == &fork->task) { /* from a FIFO deque, or through the overflow queue */
            worker->counts.tasks++;
            atomic_load_explicit(&fork->child, memory_order_relaxed)(worker, fork);
            return;
        }
        if (task)
            run_task(worker, task);
        if (child_done(fork))
            return;
        if (!(task = take_own(worker)))
            task = search(worker, fork);
    }
}

void pool_fork(struct pool_worker *worker, struct pool_fork *fork,
               void (*child)(struct pool_worker *, struct pool_fork *)) {
    const void *frame = __builtin_frame_address(0);
    pool_fork_ready(fork, child);
    if (worker->pool->slot && !pool_is_deep(worker, frame)) {
        put_into_slot(worker, &fork->task);
        return;
    }
    if (pool_fork_at(worker, fork, frame))
        return;
    child(worker, fork);
    atomic_store_explicit(&fork->child, NULL, memory_order_relaxed); /* joined by this same worker */
}

void pool_join(struct pool_worker *worker, struct pool_fork *fork) {
    /* acquire: pairs with the release in pool_fork_run */
    void (*child)(struct pool_worker *, struct pool_fork *) = atomic_load_explicit(&fork->child, memory_order_acquire);
    if (!child)
        return;
    if (worker->slot)
        pool_join_slowly(worker, fork, take_own(worker));
    else if (pool_join_inline(worker, fork))
        child(worker, fork);
}

/* --- opening and closing */
static struct deque_config config_of(const struct cell *cell, unsigned worker, unsigned workers, struct deque *first) {
    struct deque_config config = {.capacity = (size_t)cell_integer(cell, "room"),
                                  .block = (size_t)cell_integer(cell, "block"),
                                  .worker = worker,
                                  .workers = workers,
                                  .first = first};
#ifdef DEQUE_STEALABLE /* thieves cannot have the owner's block, and depth first a whole subtree is less than 64       \
                          tasks: small blocks */
    if (config.block == 0)
        config.block = BLOCK;
#endif
    if (pool_traits.mode)
        config.mode = cell_choice(cell, pool_traits.mode);
    return config;
}

static int worker_open(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    struct deque *first = worker->number > 0 ? pool_deque_of(pool->worker[0]) : NULL;
    struct deque_config config = config_of(&pool->cell, worker->number, pool->threads, first);
    struct deque *deque = pool_own_deque(worker);
    int failure = deque_init(deque, &config);
    if (failure != 0)
        return failure;
    const size_t capacity = deque_capacity(deque);
    worker->taken_room = capacity > 0 && capacity < 4096 ? capacity : 4096;
#ifdef DEQUE_SPILL
    worker->taken_room = capacity / 2 + 1;
#endif
    worker->taken = pool_memory(worker->taken_room * sizeof *worker->taken);
    if (!worker->taken)
        deque_destroy(deque);
    return worker->taken ? 0 : ENOMEM;
}

static void worker_close(struct pool_worker *worker) {
    if (worker->taken)
        deque_destroy(pool_deque_of(worker));
    free((void *)worker->taken);
}

static size_t stealable(const struct pool_worker *worker) { return deque_stealable(pool_deque_of(worker)); }

const char *pool_unsupported(const struct cell *cell) {
    if (!pool_traits.sound)
        return "this deque is known to lose or double items: the pool would hang";
    if (pool_traits.keeps_nothing)
        return "this deque keeps nothing";
    if (pool_traits.thieves == DEQUE_OWNER_ONLY && cell_integer(cell, "threads") > 1)
        return "threads: this deque is for one thread";
    if (pool_places_unsupported(cell))
        return pool_places_unsupported(cell);
    struct deque_config config = config_of(cell, 0, (unsigned)cell_integer(cell, "threads"), NULL);
    struct deque *deque = DEQUE_ALLOC(sizeof *deque);
    int failure = deque ? deque_init(deque, &config) : 0; /* out of memory is reported by pool_open */
    if (deque && failure == 0)
        deque_destroy(deque);
    DEQUE_FREE(deque);
    return failure == EINVAL ? "room or block: not possible for this deque" : NULL;
}

const struct pool_deque pool_deque = {
    .traits = &pool_traits,
    .deque_bytes = sizeof(struct deque),
#if DEQUE_NATIVE & DEQUE_LISTS
    .node_bytes = sizeof(struct pool_node),
    .node_link = offsetof(struct pool_node, u),
#else
    .node_bytes = sizeof(struct pool_claim),
    .node_link = offsetof(struct pool_claim, u),
#endif
    .open = worker_open,
    .close = worker_close,
    .stealable = stealable,
    .spawn_first = put_all,
    .work = work,
    .look = look_everywhere,
};
