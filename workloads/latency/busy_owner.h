/* busy_owner.h: an owner at work on a processor of its own while the main thread, as the thief, steals and times.
 *
 * The owner pushes one item and pops one, over and over, at the deque that is being stolen from, and polls where
 * thieves have to ask. It looks at the clock every OWNER_PAIRS pairs; a gap between two looks means that it was off its
 * processor, and the window it happened in does not count. An owner of a blocking deque may be kept waiting by the
 * deque itself: there a gap counts against the window only if the kernel says that the thread was displaced.
 */
#ifndef STEALBENCH_BUSY_OWNER_H
#define STEALBENCH_BUSY_OWNER_H

#include "harness/measuring/threads/team.h"
#include "workloads/latency/microbenchmark.h"
#include "workloads/latency/supply.h"
#include <pthread.h>
#include <sched.h>

#define OWNER_PAIRS 64

enum owner_command { OWNER_REST, OWNER_PREPARE, OWNER_WORK, OWNER_QUIT };

struct busy_owner {
    pthread_t thread;
    const struct cell *cell;
    struct places *places;
    struct supply supply;
    bool blocking; /* the deque may make its owner wait */
    bool (*prepare)(void *context, size_t deques);
    void *context;
    size_t deques;
    bool prepared;
    _Atomic int placed;                      /* 1: the owner runs on its processor; -1: it could not set up */
    alignas(DEQUE_LINE) _Atomic int command; /* written by the thief */
    _Atomic(struct deque *) victim;          /* where to work */
    alignas(DEQUE_LINE) _Atomic int answer;  /* the command that was finished last; written by the owner */
    _Atomic uint64_t beats, gaps;            /* looks at the clock, and those after an absence */
    double operations, seconds;              /* the owner's own; read when it rests */
    struct counters counters;                /* of all that it worked */
};

struct busy_window {
    uint64_t beats, gaps;
    long switches;
};

/* Pairs of push and pop, and after each a look at what thieves ask. Returns how many operations were made. An item that
 * a thief was there first for is the thief's: there is one less to go round. */
static inline unsigned owner_pairs(struct supply *supply, struct deque *deque) {
    unsigned operations = 0;
    for (int i = 0; i < OWNER_PAIRS; i++) {
        deque_item item = supply_next(supply, deque);
        deque_item popped = (deque_item)0; /* gcc 14 does not see that it is only read when pop has written it */
        if (item == (deque_item)0)
            break;
        operations += 2;
        if (deque_push(deque, item) == DEQUE_OK) {
            supply_pushed(supply, item);
            if (deque_pop(deque, &popped) == DEQUE_OK && popped == item)
                supply_popped(supply, deque, item);
        }
        deque_poll(deque);
    }
    return operations;
}

static void owner_works(struct busy_owner *owner) {
    counters_start(&owner->counters);
    uint64_t start = clock_nanoseconds(), before = start, operations = 0;
    long displaced = displacements();
    while (atomic_load_explicit(&owner->command, memory_order_acquire) == OWNER_WORK) {
        operations += owner_pairs(&owner->supply, atomic_load_explicit(&owner->victim, memory_order_acquire));
        uint64_t now = clock_nanoseconds();
        if (now - before > WATCH_GAP) {
            long switches = displacements();
            uint64_t answered = clock_nanoseconds(); /* who was kept from its work while it asked was away as well */
            if (!owner->blocking || switches != displaced || answered - now > WATCH_GAP)
                atomic_fetch_add_explicit(&owner->gaps, 1, memory_order_relaxed);
            displaced = switches;
            now = answered;
        }
        before = now;
        atomic_fetch_add_explicit(&owner->beats, 1, memory_order_relaxed);
    }
    owner->operations += (double)operations;
    owner->seconds += (double)(clock_nanoseconds() - start) * 1e-9;
    counters_stop(&owner->counters);
}

/* The owner's thread: carries out one command after the other. It touches its items first. */
static void *owner_thread(void *argument) {
    struct busy_owner *owner = argument;
    int done = OWNER_REST;
    char message[MESSAGE_SIZE];
    places_take(owner->places, 0);
    if (places_bind_memory(owner->places, cell_text(owner->cell, "memory"), message) != 0) {
        fprintf(stderr, "stealbench: %s\n", message);
        atomic_store_explicit(&owner->placed, -1, memory_order_release);
        return NULL;
    }
    if (!supply_open(&owner->supply, 1, 0)) {
        fprintf(stderr, "stealbench: no memory for the owner's items\n");
        atomic_store_explicit(&owner->placed, -1, memory_order_release);
        return NULL;
    }
    atomic_store_explicit(&owner->placed, 1, memory_order_release);
    for (;;) {
        int command = atomic_load_explicit(&owner->command, memory_order_acquire);
        if (command == done) {
            sched_yield();
            continue;
        }
        if (command == OWNER_PREPARE)
            owner->prepared = owner->prepare(owner->context, owner->deques);
        else if (command == OWNER_WORK)
            owner_works(owner);
        done = command;
        /* release: pairs with the acquire in command_owner; what was prepared is seen by the thief */
        atomic_store_explicit(&owner->answer, command, memory_order_release);
        if (command == OWNER_QUIT)
            return NULL;
    }
}

/* Thief: gives a command and waits until it is carried out (OWNER_WORK: until work has begun). */
static void command_owner(struct busy_owner *owner, enum owner_command command) {
    uint64_t beats = atomic_load_explicit(&owner->beats, memory_order_relaxed);
    atomic_store_explicit(&owner->command, command, memory_order_release);
    if (command == OWNER_WORK) {
        while (atomic_load_explicit(&owner->beats, memory_order_relaxed) < beats + 2)
            sched_yield();
        return;
    }
    while (atomic_load_explicit(&owner->answer, memory_order_acquire) != (int)command)
        sched_yield();
}

/* Two threads on one processor run in turns of milliseconds and are never measured beside each other: an attempt that
 * waits for the owner's answer takes such a turn, and a cell hours. */
static bool busy_owner_has_room(const struct cell *cell, const struct places *places) {
    if (places->processors > 1 && (places->processor[0] < 0 || places->processor[0] != places->processor[1]))
        return true;
    fprintf(stderr, "stealbench: owner=busy: owner and thief need a processor each, and have one together\n");
    cell_no_sample(cell, "process", 0, "placement", "", "denied");
    return false;
}

/* Main thread, which becomes the thief. prepare is what the owner's thread will do for busy_owner_prepare. NULL with
 * *failure set as a workload returns it: what places_open returns, PLACES_DENIED also where both would share a
 * processor, or 3: no thread or memory. */
static struct busy_owner *busy_owner_open(const struct cell *cell, struct places *places,
                                          bool (*prepare)(void *context, size_t deques), void *context, int *failure) {
    static const struct deque_traits traits = DEQUE_TRAITS;
    static struct busy_owner owner;
    *failure = places_open(places, cell, 2);
    if (*failure == 0 && !busy_owner_has_room(cell, places))
        *failure = PLACES_DENIED;
    if (*failure != 0)
        return NULL;
    owner.cell = cell;
    owner.places = places;
    owner.prepare = prepare;
    owner.context = context;
    owner.blocking = traits.push_progress == DEQUE_BLOCKING || traits.pop_progress == DEQUE_BLOCKING;
    *failure = 3;
    if (pthread_create(&owner.thread, NULL, owner_thread, &owner) != 0) {
        fprintf(stderr, "stealbench: no second thread for the owner\n");
        return NULL;
    }
    while (atomic_load_explicit(&owner.placed, memory_order_acquire) == 0)
        sched_yield();
    if (atomic_load_explicit(&owner.placed, memory_order_acquire) < 0) {
        pthread_join(owner.thread, NULL);
        return NULL;
    }
    places_take(places, 1);
    *failure = 0;
    return &owner;
}

/* Thief: reports where both threads are, and the memory of a deque that the owner made. */
static void busy_owner_say_place(struct busy_owner *owner, const void *memory, size_t bytes) {
    char text[128];
    places_note_memory(owner->places, memory, bytes);
    places_text(owner->places, (const char *const[]){"owner", "thief"}, text, sizeof text);
    cell_placement(owner->cell, text);
}

/* Thief: the owner's thread prepares, so that its memory is its own. */
static bool busy_owner_prepare(struct busy_owner *owner, size_t deques) {
    owner->deques = deques;
    supply_reset(&owner->supply); /* the deques will be fresh ones */
    command_owner(owner, OWNER_PREPARE);
    bool prepared = owner->prepared;
    command_owner(owner, OWNER_REST);
    return prepared;
}

/* Thief: opens a window. The owner works at victim when this returns. */
static void busy_owner_start(struct busy_owner *owner, struct deque *victim, struct busy_window *window) {
    atomic_store_explicit(&owner->victim, victim, memory_order_release);
    command_owner(owner, OWNER_WORK);
    window->switches = displacements();
    window->gaps = atomic_load_explicit(&owner->gaps, memory_order_relaxed);
    window->beats = atomic_load_explicit(&owner->beats, memory_order_relaxed);
}

/* Thief, between two steals: the owner follows to that deque. */
static inline void busy_owner_moves_to(struct busy_owner *owner, struct deque *victim) {
    atomic_store_explicit(&owner->victim, victim, memory_order_release);
}

/* Thief: closes the window; true when it counts: both threads were on their processors all through it. */
static bool busy_owner_stop(struct busy_owner *owner, const struct busy_window *window) {
    uint64_t beats = atomic_load_explicit(&owner->beats, memory_order_relaxed);
    /* one more look at the clock by the owner, so that an absence at the very end is seen */
    while (atomic_load_explicit(&owner->beats, memory_order_relaxed) < beats + 1)
        ;
    bool present =
        atomic_load_explicit(&owner->gaps, memory_order_relaxed) == window->gaps && displacements() == window->switches;
    command_owner(owner, OWNER_REST);
    return present;
}

/* Operations a second of the owner while it worked. */
static double busy_owner_rate(const struct busy_owner *owner) {
    return owner->seconds > 0 ? owner->operations / owner->seconds : 0;
}

static void busy_owner_close(struct busy_owner *owner) {
    if (!owner)
        return;
    command_owner(owner, OWNER_QUIT);
    pthread_join(owner->thread, NULL);
    supply_close(&owner->supply);
}

#endif
