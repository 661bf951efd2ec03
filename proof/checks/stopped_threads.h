/* stopped_threads.h: the threads of stopped.c. An owner and two thieves carry out orders and keep count; a signal
 * handler parks one of them.
 */
#ifndef STEALBENCH_STOPPED_THREADS_H
#define STEALBENCH_STOPPED_THREADS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* What this thread is doing in the deque. Volatile: the signal handler reads it. */
enum operation { NOTHING, PUSH, POP, SPILL, POLL, STEAL, STEAL_BATCH, STEAL_INTO, OPERATIONS };
static _Thread_local volatile enum operation inside;
static _Thread_local uint32_t accesses_left; /* accesses before this thread stops itself; 0: it does not */

__attribute__((noinline, cold)) static void stop_myself(void) { pthread_kill(pthread_self(), SIGUSR1); }

static inline void before_access(void) {
    if (inside && accesses_left && --accesses_left == 0)
        stop_myself();
}
#include "proof/checks/each_access.h"

/* A signal that arrives while memory is allocated or freed stops the thread only afterwards. An allocator may hold a
 * lock (a sanitizer's by spinning); other threads that allocate would then wait for it, and the deque would seem to
 * hang. */
static _Thread_local volatile sig_atomic_t allocating, put_off;

static inline void allocated(void) {
    allocating = 0;
    if (put_off) {
        put_off = 0;
        stop_myself();
    }
}

static inline void *stopped_allocate(size_t bytes, size_t line) {
    allocating = 1;
    void *memory = aligned_alloc(line, (bytes + line - 1) / line * line);
    allocated();
    return memory;
}

static inline void stopped_release(void *memory) {
    allocating = 1;
    free(memory);
    allocated();
}
#define DEQUE_ALLOC(bytes) stopped_allocate(bytes, DEQUE_LINE)
#define DEQUE_FREE(memory) stopped_release(memory)

#include "harness/measuring/deque_under_test.h"
#include "harness/measuring/one_thief.h"
#include "proof/checks/objects.h"
#include <sched.h>
#include <time.h>

#define THREADS 3
#define OWNER 0
#define PASSING 65536 /* items that pass a sleeping thread: 16-bit counters return to their old value */
#define MIXED 1024    /* most items pushed in the mixed phase */
#define SERIALS (PASSING + MIXED + 1024)
#define BATCH_MAX 8
#define PARK_NANOSECONDS 20000

enum command { FEED, MIX, POP_ALL, PUSH_AND_POP, FILL, STEAL_ALONE, PASS, QUIT };

struct worker {
    alignas(DEQUE_LINE) pthread_t thread;
    unsigned number;
    uint64_t random;
    size_t got; /* different items that came out here; the main thread reads it while this thread rests or is parked */
    size_t max_times; /* how often items came out here that had come out before */
    enum operation stopped_inside;
    size_t result;                                /* result of the last command */
    alignas(DEQUE_LINE) _Atomic unsigned ordered; /* commands given */
    enum command command;
    _Atomic unsigned answered; /* number of commands carried out */
    _Atomic bool begun;        /* it has begun the mixed phase */
};

static struct {
    struct deque_config config;
    unsigned target;      /* the thread that is stopped */
    uint32_t accesses;    /* after so many accesses; 0: a signal from the main thread stops it */
    uint32_t delay;       /* delay of that signal, in turns of a loop */
    bool passing;         /* 65,536 items pass the stopped thread */
    size_t thieves_leave; /* with this block size */
    uint64_t salt;
} plan;

static struct worker workers[THREADS];
static struct deque *deques[THREADS];
static struct object objects[SERIALS];
static _Atomic uint32_t times[SERIALS]; /* how often each item came out */
static size_t pushed;                   /* serial numbers used by the owner */
static size_t beside_thieves;           /* operations of the owner in the mixed phase */
static _Atomic bool mix_is_over, parked, go_on;
static struct victim_lock lock;

/* The handler: waits until the thread may go on. Async-signal-safe. */
static void park(int number) {
    const struct timespec moment = {0, PARK_NANOSECONDS};
    int error = errno;
    (void)number;
    if (allocating) {
        put_off = 1;
        return;
    }
    workers[plan.target].stopped_inside = inside;
    /* release: pairs with the acquire in stop_target */
    RAW_STORE(&parked, true, memory_order_release);
    /* acquire: pairs with the release in let_go */
    while (!RAW_LOAD(&go_on, memory_order_acquire))
        nanosleep(&moment, NULL);
    errno = error;
}

/* Items */

static void take(struct worker *me, deque_item item, const char *how) {
    uint64_t serial = (uint64_t)(uintptr_t)item - 1;
    struct object *object = object_among(objects, sizeof objects, item, how);
    if (ITEMS_ARE_POINTERS)
        serial = object->serial;
    if (serial >= SERIALS)
        gate_fail("%s gave item %llu, which nobody pushed", how, (unsigned long long)serial);
    uint32_t before = RAW_ADD(&times[serial], 1, memory_order_relaxed);
    if (before > 0 && traits.delivery == DEQUE_ONCE)
        gate_fail("item %llu came out twice, the second time by %s of thread %u", (unsigned long long)serial, how,
                  me->number);
    me->max_times = before >= me->max_times ? before + 1 : me->max_times;
    if (ITEMS_ARE_POINTERS && traits.delivery == DEQUE_ONCE) {
        if (object->check != random_of(plan.salt, serial))
            gate_fail("%s gave an object whose contents are not those that were pushed", how);
        object->check = object_taken(serial, plan.salt);
    }
    me->got += before == 0;
}

/* Operations, each inlined once. `inside` lasts until the item that came out is recorded, because this thread holds the
 * item. */

__attribute__((noinline)) static bool push_one(void) {
    if (pushed == SERIALS)
        return false;
    deque_item item = object_item(&objects[pushed], pushed, plan.salt);
    inside = PUSH;
    pushed++; /* counted before the push, while nobody can have it */
    enum deque_result result = deque_push(deques[OWNER], item);
    pushed -= result != DEQUE_OK;
    inside = NOTHING;
    if (result != DEQUE_OK && (result != DEQUE_FULL || traits.bound != DEQUE_FIXED))
        gate_fail("push gave %d", (int)result);
    return result == DEQUE_OK;
}

/* Pops from the owner's deque, or from a thief's own after it has stolen into that: then all of it is one steal. */
__attribute__((noinline)) static bool pop_from(struct worker *me, struct deque *deque) {
    deque_item item = 0;
    enum operation before = inside;
    inside = before ? before : POP;
    enum deque_result result = deque_pop(deque, &item);
    if (result == DEQUE_OK)
        take(me, item, "pop");
    else if (result != DEQUE_EMPTY)
        gate_fail("pop gave %d", (int)result);
    inside = before;
    return result == DEQUE_OK;
}

static bool pop_one(struct worker *me) { return pop_from(me, deques[OWNER]); }

static void poll_once(void) {
    inside = POLL;
    deque_poll(deques[OWNER]);
    inside = NOTHING;
}

static void spill(struct worker *me) {
#ifdef DEQUE_SPILL
    deque_item items[MIXED];
    inside = SPILL;
    size_t n = DEQUE_SPILL(deques[OWNER], items, MIXED);
    for (size_t i = 0; i < n; i++)
        take(me, items[i], "spill");
    inside = NOTHING;
#else
    (void)me;
#endif
}

static struct deque *self_of(struct worker *me) { return traits.needs_self ? deques[me->number] : NULL; }

__attribute__((noinline)) static enum deque_result steal_one(struct worker *me) {
    deque_item item = 0;
    inside = STEAL;
    enum deque_result result = deque_steal(deques[OWNER], self_of(me), &item);
    if (result == DEQUE_OK)
        take(me, item, "steal");
    inside = NOTHING;
    return result;
}

#if DEQUE_NATIVE & DEQUE_STEAL_BATCH
__attribute__((noinline)) static void steal_batch(struct worker *me) {
    deque_item items[BATCH_MAX];
    size_t n = 0;
    inside = STEAL_BATCH;
    deque_steal_batch(deques[OWNER], self_of(me), (unsigned)random_below(&me->random, 101), items, BATCH_MAX, &n);
    for (size_t i = 0; i < n; i++)
        take(me, items[i], "steal_batch");
    inside = NOTHING;
}
#else
static void steal_batch(struct worker *me) { steal_one(me); }
#endif

#if DEQUE_NATIVE & DEQUE_STEAL_INTO
__attribute__((noinline)) static void steal_into(struct worker *me) {
    deque_item first = 0;
    size_t moved;
    inside = STEAL_INTO;
    if (deque_steal_into(deques[OWNER], deques[me->number], &first, &moved) == DEQUE_OK)
        take(me, first, "steal_into");
    while (!traits.shared && pop_from(me, deques[me->number]))
        continue;
    inside = NOTHING;
}
#else
static void steal_into(struct worker *me) { steal_one(me); }
#endif

/* What the threads do */

static bool over(void) { return atomic_load_explicit(&mix_is_over, memory_order_relaxed); }

static void mix_of_owner(struct worker *me) {
    while (!over()) {
        poll_once();
        for (uint64_t n = random_below(&me->random, 6); n > 0 && pushed < MIXED; n--)
            if (!push_one() && random_below(&me->random, 2))
                spill(me);
        for (uint64_t n = random_below(&me->random, 6); n > 0 && pop_one(me); n--)
            continue;
        beside_thieves += 12; /* at most */
        if (pushed == MIXED)
            sched_yield();
    }
}

static void mix_of_thief(struct worker *me) {
    const bool one_thief = traits.thieves == DEQUE_ONE_THIEF;
    while (!over()) {
        uint64_t choice = random_below(&me->random, 4);
        if (one_thief && VICTIM_REFUSES(&lock)) {
            sched_yield();
            continue;
        }
        if (choice == 0)
            steal_batch(me);
        else if (choice == 1)
            steal_into(me);
        else if (steal_one(me) != DEQUE_OK && random_below(&me->random, 16) == 0)
            sched_yield();
        if (one_thief) {
            victim_unlock(&lock);
            sched_yield(); /* to the other thief */
        }
    }
}

static void mix(struct worker *me) {
    accesses_left = me->number == plan.target ? plan.accesses : 0;
    atomic_store_explicit(&me->begun, true, memory_order_relaxed);
    if (me->number == OWNER)
        mix_of_owner(me);
    else
        mix_of_thief(me);
    accesses_left = 0;
}

/* Pops until the deque is empty, and a little longer, because a lost last item also shows as EMPTY. Returns how many
 * came out. */
static size_t pop_all(struct worker *me) {
    size_t popped = 0;
    for (int empty = 0; empty < 4;) {
        if (pop_one(me))
            popped++;
        else
            empty++;
        poll_once();
    }
    return popped;
}

/* Pushes and takes out again until any ring has gone round twice. The deque may be full now and then, but not always.
 * Returns 1 if all went well. */
static size_t push_and_pop(struct worker *me) {
    size_t capacity = deque_capacity(deques[OWNER]), rounds = 2 * (capacity ? capacity : 8) + 2;
    for (size_t i = 0; i < rounds; i++) {
        bool accepted = false;
        for (int tries = 0; tries < 4 && !accepted; tries++) {
            accepted = push_one();
            pop_one(me);
        }
        if (!accepted)
            return 0;
    }
    return 1;
}

static size_t fill(void) {
    size_t wanted = plan.thieves_leave + BATCH_MAX + 4, n = 0;
    while (n < wanted && push_one())
        n++;
    return n;
}

/* The items inside at the start: a few if an exact number must pass a stopped thread, otherwise often just one. */
static size_t feed(struct worker *me) {
    uint64_t some = plan.passing ? 4 : 16;
    for (uint64_t n = random_below(&me->random, 2) ? 1 : 2 + random_below(&me->random, some - 1); n > 0; n--)
        push_one();
    return 0;
}

static size_t steal_alone(struct worker *me) {
    for (int tries = 0; tries < 64; tries++)
        if (steal_one(me) == DEQUE_OK)
            return 1;
    return 0;
}

/* Empties the deque, passes items through until 65,536 have passed in all, then leaves a few inside. */
static size_t pass(struct worker *me) {
    for (size_t left = PASSING - pop_all(me) % PASSING; left > 0; left--) {
        push_one();
        pop_one(me);
    }
    for (uint64_t n = random_below(&me->random, 2) ? 1 + random_below(&me->random, 3) : 0; n > 0; n--)
        push_one();
    return 1;
}

static size_t carry_out(struct worker *me) {
    switch (me->command) {
    case FEED:
        return feed(me);
    case MIX:
        mix(me);
        return 0;
    case POP_ALL:
        return pop_all(me);
    case PUSH_AND_POP:
        return push_and_pop(me);
    case FILL:
        return fill();
    case STEAL_ALONE:
        return steal_alone(me);
    case PASS:
        return pass(me);
    default:
        return 0;
    }
}

static void relax(unsigned *turns) {
    if (++*turns > 50)
        sched_yield();
}

static void *work(void *argument) {
    struct worker *me = argument;
    for (unsigned done = 0;; done++) {
        unsigned turns = 0;
        /* acquire: pairs with the release in order */
        while (atomic_load_explicit(&me->ordered, memory_order_acquire) == done)
            relax(&turns);
        if (me->command == QUIT)
            return NULL;
        me->result = carry_out(me);
        /* release: pairs with the acquire in answers; what was taken is written down */
        atomic_store_explicit(&me->answered, done + 1, memory_order_release);
    }
}

#endif
