/* pool_wakes.c: checks who is woken, and for what: nobody for items that no thief may take; one worker after the other
 * if there is work for all; a parent for its child, and for work in the meantime.
 */
#include "proof/checks/deque_independent/pool_check.h"
#include <sched.h>

static bool all_others_sleep(const struct pool_worker *worker) {
    const struct pool *pool = worker->pool;
    for (unsigned i = 0; i < pool->threads; i++)
        if (i != worker->number && !pool_is_asleep(pool->worker[i]))
            return false;
    return true;
}

void check_wait_for_sleep(const struct pool_worker *worker) {
    while (!all_others_sleep(worker))
        sched_yield();
}

void check_pings(uint64_t seed, const char *text, void (*run)(struct pool_worker *, struct pool_task *),
                 struct ping *ping, unsigned cycles) {
    struct pool_settings own = {.context = ping};
    struct pool_task *task = &ping->task;
    struct pool *pool = check_pool_open(seed, text, &own);
    if (!pool)
        return;
    ping->task.run = run;
    ping->pongs = calloc(ping->count + 1, sizeof *ping->pongs);
    for (unsigned i = 0; i < ping->count; i++)
        ping->pongs[i].run = check_pong;
    for (unsigned i = 0; i < cycles; i++) {
        atomic_store_explicit(&ping->answered, 0, memory_order_relaxed);
        check_run(pool, &task, 1);
        check_nobody_sleeps(pool);
    }
    pool_close(pool);
    free(ping->pongs);
}

/* --- items that no thief may take. Only with idle=wake_each do they wake a sleeper, at each push */
static uint32_t times_woken(const struct pool *pool) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < pool->threads; i++)
        sum += atomic_load_explicit(&pool->worker[i]->wakes, memory_order_relaxed);
    return sum;
}

static void run_hoard(struct pool_worker *worker, struct pool_task *task) {
    struct ping *ping = (struct ping *)(void *)task;
    check_wait_for_sleep(worker);
    for (unsigned i = 0; i < ping->count; i++) {
        const uint32_t before = times_woken(worker->pool);
        pool_spawn(worker, &ping->pongs[i]);
        const bool woken = times_woken(worker->pool) != before;
        while (!all_others_sleep(worker) && atomic_load_explicit(&ping->answered, memory_order_relaxed) == 0)
            sched_yield();
        if (atomic_load_explicit(&ping->answered, memory_order_relaxed) > 0)
            return;
        if (woken && !pool_wakes_each(worker->pool))
            gate_fail("a thief was woken for %u items that none may take", i + 1);
        if (!woken && pool_wakes_each(worker->pool))
            gate_fail("push %u has woken nobody, with idle=wake_each", i + 1);
    }
    /* A worker that was about to sleep when the last item came was not woken. It still looks around once, and takes an
     * item. */
    while (atomic_load_explicit(&ping->answered, memory_order_relaxed) == 0)
        sched_yield();
}

static uint32_t times_slept(const struct pool *pool) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < pool->threads; i++)
        sum += atomic_load_explicit(&pool->worker[i]->slept, memory_order_relaxed);
    return sum;
}

/* While an owner that has to be asked does not answer, the thieves that ask sleep in between. The owner has so many
 * items that some are left when it falls silent, because each push answers a thief. Each thief may have had its last
 * look before that. More sleeps than thieves mean that a thief slept although there are items. If thieves can see none
 * of the items, it is enough that all thieves sleep.
 */
static void run_silence(struct pool_worker *worker, struct pool_task *task) {
    const struct pool *pool = worker->pool;
    struct ping *ping = (struct ping *)(void *)task;
    for (unsigned i = 0; i < ping->count; i++)
        pool_spawn(worker, &ping->pongs[i]);
    const uint32_t before = times_slept(pool);
    while (times_slept(pool) - before < pool->threads && (pool_work_in_sight(pool) || !all_others_sleep(worker)))
        sched_yield();
}

void check_hoards(uint64_t seed, unsigned cycles) {
    struct ping ping = {.count = 2 * pool_deque.traits->thieves_leave + 1};
    bool asked = pool_deque.traits->native & DEQUE_POLL;
    gate_trying("", "items that no thief may take");
    if (!asked) /* an owner that has to answer cannot wait inside a task */
        for (int i = 0; i < 2; i++)
            check_pings(seed, i ? "threads=3;room=4096;idle=wake_each" : "threads=3;room=4096", run_hoard, &ping,
                        cycles);
    gate_trying("", "an owner that does not answer");
    ping.count = 64;
    if (asked)
        check_pings(seed, "threads=3;room=4096", run_silence, &ping, cycles);
}

/* --- work for all, put there at once */
static void run_together(struct pool_worker *worker, struct pool_task *task) {
    struct ping *ping = pool_context(worker);
    (void)task;
    atomic_fetch_add_explicit(&ping->answered, 1, memory_order_relaxed);
    while (atomic_load_explicit(&ping->answered, memory_order_relaxed) + 1 < worker->pool->threads)
        sched_yield();
}

static void run_crowd(struct pool_worker *worker, struct pool_task *task) {
    struct ping *ping = (struct ping *)(void *)task;
    struct pool_task **all = malloc(ping->count * sizeof(struct pool_task *));
    check_wait_for_sleep(worker);
    for (unsigned i = 0; i < ping->count; i++) {
        ping->pongs[i].run = run_together;
        all[i] = &ping->pongs[i];
    }
    pool_spawn_all(worker, all, ping->count);
    free(all);
    while (atomic_load_explicit(&ping->answered, memory_order_relaxed) + 1 < worker->pool->threads)
        sched_yield();
}

void check_crowd(uint64_t seed, unsigned threads, const char *idle, unsigned cycles) {
    char text[64];
    struct ping ping = {.count = 2 * pool_deque.traits->thieves_leave + threads};
    snprintf(text, sizeof text, "threads=%u;room=4096;idle=%s", threads, idle);
    gate_trying("", "work for all that sleep, %s", text);
    if (!(pool_deque.traits->native & DEQUE_POLL)) /* as above */
        check_pings(seed, text, run_crowd, &ping, cycles);
}

/* --- a parent that waits for a child sleeps. The child gives the parent work, and returns when the parent sleeps again
 */
struct family {
    struct ping ping; /* first: it is the pool's context */
    struct pool_fork *children;
    struct pool_worker *parent;
    _Atomic unsigned stolen;
};

static void wait_for_parent(const struct family *family) {
    while (!pool_is_asleep(family->parent))
        sched_yield();
}

static void run_child(struct pool_worker *worker, struct pool_fork *fork) {
    struct family *family = pool_context(worker);
    struct ping *ping = &family->ping;
    unsigned leaves = pool_deque.traits->thieves_leave;
    (void)fork;
    if (worker == family->parent || atomic_exchange_explicit(&family->stolen, 1, memory_order_relaxed) != 0)
        return;
    wait_for_parent(family);
    for (unsigned i = 0; i < ping->count; i++)
        pool_spawn(worker, &ping->pongs[i]);
    while (atomic_load_explicit(&ping->answered, memory_order_acquire) + leaves < ping->count)
        sched_yield();
    wait_for_parent(family);
}

static void run_parent(struct pool_worker *worker, struct pool_task *task) {
    struct family *family = (struct family *)(void *)task;
    unsigned count = family->ping.count;
    family->parent = worker;
    atomic_store_explicit(&family->stolen, 0, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++)
        pool_fork(worker, &family->children[i], run_child);
    while (atomic_load_explicit(&family->stolen, memory_order_relaxed) == 0)
        sched_yield();
    while (count-- > 0)
        pool_join(worker, &family->children[count]);
}

/* --- thieves get something from a task that only forks and joins. Its work in between grows from nothing to a
 * millisecond, until a thief comes in time: an owner that has to be asked may take back what it exposed at once.
 */
#define BETWEEN_MAX 1000000 /* ns */

static void run_taken(struct pool_worker *worker, struct pool_fork *fork) {
    struct family *family = pool_context(worker);
    (void)fork;
    if (worker != family->parent)
        atomic_store_explicit(&family->stolen, 1, memory_order_relaxed);
}

static void run_forks(struct pool_worker *worker, struct pool_task *task) {
    struct family *family = (struct family *)(void *)task;
    family->parent = worker;
    atomic_store_explicit(&family->stolen, 0, memory_order_relaxed);
    for (uint64_t between = 0; atomic_load_explicit(&family->stolen, memory_order_relaxed) == 0;) {
        for (unsigned i = 0; i < family->ping.count; i++)
            pool_fork(worker, &family->children[i], run_taken);
        const uint64_t end = clock_nanoseconds() + between;
        while (clock_nanoseconds() < end)
            ;
        between = between < BETWEEN_MAX ? 2 * between + 1 : between;
        for (unsigned i = family->ping.count; i-- > 0;)
            pool_join(worker, &family->children[i]);
    }
}

void check_parents(uint64_t seed, unsigned cycles) {
    struct family family = {.ping.count = 2 * pool_deque.traits->thieves_leave + 1};
    family.children = calloc(family.ping.count, sizeof *family.children);
    static const char *const forking[] = {"threads=2;room=4096", "threads=2;room=4096;idle=yield"};
    /* An owner that answers a waiting thief does so only while both run. On a busy machine a thief that yields after
     * each question may run for microseconds at a time, and get no answer for minutes. */
    const bool together = pool_deque.traits->needs_self && pool_deque.traits->native & DEQUE_POLL;
    for (size_t i = 0; i < sizeof forking / sizeof forking[0]; i++) {
        if (together && strstr(forking[i], "idle=yield"))
            continue;
        gate_trying("", "a task that forks and joins until a thief has had a child, %s", forking[i]);
        check_pings(seed, forking[i], run_forks, &family.ping, cycles);
    }
    gate_trying("", "a parent that waits for a child");
    if (!(pool_deque.traits->native & DEQUE_POLL)) /* as above */
        check_pings(seed, "threads=2;room=4096", run_parent, &family.ping, cycles);
    free(family.children);
}
