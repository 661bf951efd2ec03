/* handwritten_chase_lev.c: push and pop of Chase and Lev's deque written out in their loops, as somebody would who
 * knows nothing of this suite: no header of queues/, no macro, no contract. Same algorithm, same orders.
 */
#include "harness/trust/by_hand.h"

#define RING 1024
#define RINGS 50 /* about what the suite prepares, so that both have the same share of the caches */
#define POPS (RING / 2)

struct ring {
    alignas(128) _Atomic uint64_t top;
    alignas(128) _Atomic uint64_t bottom;
    alignas(128) _Atomic(void *) *slots;
    uint64_t mask;
};

static struct ring *rings[RINGS];
static void **tasks;

static void empty_rings(void *context) {
    (void)context;
    for (int i = 0; i < RINGS; i++) {
        atomic_store_explicit(&rings[i]->top, 0, memory_order_relaxed);
        atomic_store_explicit(&rings[i]->bottom, 0, memory_order_relaxed);
        for (uint64_t j = 0; j < RING; j++)
            atomic_store_explicit(&rings[i]->slots[j], NULL, memory_order_relaxed);
    }
}

MEASURED void push_loop(void *context) {
    (void)context;
    MEASURED_START();
    for (int i = 0; i < RINGS; i++) {
        struct ring *ring = rings[i];
        void **task = tasks + (size_t)i * RING;
        for (void **end = task + RING; task < end; task++) {
            uint64_t bottom = atomic_load_explicit(&ring->bottom, memory_order_relaxed);
            uint64_t top = atomic_load_explicit(&ring->top, memory_order_acquire);
            if ((int64_t)(bottom - top) > (int64_t)ring->mask)
                break;
            atomic_store_explicit(&ring->slots[bottom & ring->mask], *task, memory_order_relaxed);
            atomic_store_explicit(&ring->bottom, bottom + 1, memory_order_release);
            __asm__ volatile("" : : : "memory");
        }
    }
}

static void fill_rings(void *context) {
    empty_rings(context);
    push_loop(context);
}

MEASURED void pop_loop(void *context) {
    (void)context;
    MEASURED_START();
    for (int i = 0; i < RINGS; i++) {
        struct ring *ring = rings[i];
        for (int j = 0; j < POPS; j++) {
            void *task = NULL;
            uint64_t bottom = atomic_load_explicit(&ring->bottom, memory_order_relaxed) - 1;
            atomic_store_explicit(&ring->bottom, bottom, memory_order_release);
            atomic_thread_fence(memory_order_seq_cst);
            uint64_t top = atomic_load_explicit(&ring->top, memory_order_relaxed);
            if ((int64_t)(bottom - top) > 0) {
                task = atomic_load_explicit(&ring->slots[bottom & ring->mask], memory_order_relaxed);
            } else {
                if (bottom == top) {
                    task = atomic_load_explicit(&ring->slots[bottom & ring->mask], memory_order_relaxed);
                    if (!atomic_compare_exchange_strong_explicit(&ring->top, &top, top + 1, memory_order_seq_cst,
                                                                 memory_order_relaxed))
                        task = NULL;
                }
                atomic_store_explicit(&ring->bottom, bottom + 1, memory_order_release);
            }
            __asm__ volatile("" : : "r"(task) : "memory");
        }
    }
}

static bool make_rings(void) {
    tasks = malloc(sizeof *tasks * RINGS * RING);
    for (int i = 0; i < RINGS; i++) {
        rings[i] = aligned_alloc(128, sizeof *rings[i]);
        if (!rings[i] || !tasks)
            return false;
        rings[i]->slots = aligned_alloc(128, RING * sizeof *rings[i]->slots);
        rings[i]->mask = RING - 1;
        if (!rings[i]->slots)
            return false;
    }
    for (size_t i = 0; i < (size_t)RINGS * RING; i++)
        tasks[i] = &tasks[i];
    return true;
}

static int run_push(const struct cell *cell) {
    if (!make_rings())
        return 3;
    struct by_hand work = {.prepare = empty_rings, .loop = push_loop, .operations = (double)RINGS * RING};
    return by_hand_measure(cell, &work, "push_latency");
}

static int run_pop(const struct cell *cell) {
    if (!make_rings())
        return 3;
    struct by_hand work = {.prepare = fill_rings, .loop = pop_loop, .operations = (double)RINGS * POPS};
    return by_hand_measure(cell, &work, "pop_latency");
}

BY_HAND_WORKLOAD(push, "Chase-Lev's push, written by hand");
BY_HAND_WORKLOAD(pop, "Chase-Lev's pop, written by hand");
