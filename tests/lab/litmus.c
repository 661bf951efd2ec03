#include "tests/lab/litmus.h"
#include "proof/lab/engine/entry.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct shared {
    _Atomic uint64_t x, y, flag;
    uint64_t message;
    uint32_t left, right;
    pthread_mutex_t lock, other_lock;
    uint64_t *cell;
    char text[64];
    _Atomic uint64_t turn;
};

struct shared *litmus_shared;
uint64_t litmus_read[4];

#define RELAXED memory_order_relaxed
#define LOAD(field, order) atomic_load_explicit(&litmus_shared->field, order)
#define STORE(field, value, order) atomic_store_explicit(&litmus_shared->field, value, order)

struct shared *litmus_new(void) {
    struct shared *shared = malloc(sizeof *shared);
    memset(shared, 0, sizeof *shared);
    shared->cell = malloc(sizeof *shared->cell);
    *shared->cell = 7;
    return shared;
}

void sb_left(void) {
    STORE(x, 1, RELAXED);
    litmus_read[0] = LOAD(y, RELAXED);
}
void sb_right(void) {
    STORE(y, 1, RELAXED);
    litmus_read[1] = LOAD(x, RELAXED);
}

void sb_fenced_left(void) {
    STORE(x, 1, RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    litmus_read[0] = LOAD(y, RELAXED);
}
void sb_fenced_right(void) {
    STORE(y, 1, RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    litmus_read[1] = LOAD(x, RELAXED);
}

void sb_light_left(void) {
    STORE(x, 1, RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
    litmus_read[0] = LOAD(y, RELAXED);
}
void sb_heavy_right(void) {
    STORE(y, 1, RELAXED);
    entry_heavy_fence(true);
    litmus_read[1] = LOAD(x, RELAXED);
}

void sb_seq_cst_left(void) {
    STORE(x, 1, memory_order_seq_cst);
    litmus_read[0] = LOAD(y, memory_order_seq_cst);
}
void sb_seq_cst_right(void) {
    STORE(y, 1, memory_order_seq_cst);
    litmus_read[1] = LOAD(x, memory_order_seq_cst);
}

void sb_rmw_left(void) {
    /* The answer is used: clang makes a plain store of an exchange whose answer is not. */
    litmus_read[2] = atomic_exchange_explicit(&litmus_shared->x, 1, RELAXED);
    litmus_read[0] = LOAD(y, RELAXED);
}
void sb_rmw_right(void) {
    litmus_read[3] = atomic_exchange_explicit(&litmus_shared->y, 1, RELAXED);
    litmus_read[1] = LOAD(x, RELAXED);
}

void mp_write(void) {
    litmus_shared->message = 42;
    STORE(flag, 1, memory_order_release);
}
void mp_read(void) {
    litmus_read[0] = LOAD(flag, memory_order_acquire);
    if (litmus_read[0])
        litmus_read[1] = litmus_shared->message;
}
void mp_relaxed_write(void) {
    litmus_shared->message = 42;
    STORE(flag, 1, RELAXED);
}
void mp_broken_write(void) {
    litmus_shared->message = 42;
    STORE(flag, 1, memory_order_release);
    STORE(flag, 2, RELAXED);
}
void mp_fenced_write(void) {
    litmus_shared->message = 42;
    atomic_thread_fence(memory_order_release);
    STORE(flag, 1, RELAXED);
}
void mp_fenced_read(void) {
    litmus_read[0] = LOAD(flag, RELAXED);
    atomic_thread_fence(memory_order_acquire);
    if (litmus_read[0])
        litmus_read[1] = litmus_shared->message;
}
void mp_atomic_write(void) {
    STORE(x, 1, RELAXED);
    STORE(y, 1, RELAXED);
}
void mp_atomic_read(void) {
    litmus_read[0] = LOAD(y, RELAXED);
    litmus_read[1] = LOAD(x, RELAXED);
}

void mp_release_write(void) {
    STORE(x, 1, RELAXED);
    STORE(y, 1, memory_order_release);
}
void mp_acquire_read(void) {
    litmus_read[0] = LOAD(y, memory_order_acquire);
    litmus_read[1] = LOAD(x, RELAXED);
}
void mp_fence_between(void) {
    STORE(x, 1, RELAXED);
    atomic_thread_fence(memory_order_release);
    STORE(y, 1, RELAXED);
}
void mp_fence_after(void) {
    litmus_read[0] = LOAD(y, RELAXED);
    atomic_thread_fence(memory_order_acquire);
    litmus_read[1] = LOAD(x, RELAXED);
}
void mp_counted_write(void) { atomic_fetch_add_explicit(&litmus_shared->y, 1, RELAXED); }
void mp_count(void) {
    litmus_read[0] = LOAD(y, memory_order_acquire) == 2; /* after both; the first was the release, or else it is 1 */
    litmus_read[1] = LOAD(x, RELAXED);
}

void coherence_write(void) {
    STORE(x, 1, RELAXED);
    STORE(x, 2, RELAXED);
}
void coherence_read(void) {
    uint64_t first = LOAD(x, RELAXED), second = LOAD(x, RELAXED);
    litmus_read[0] = second < first;
    litmus_read[1] = first == 0 && second == 2;
}

void iriw_x(void) { STORE(x, 1, memory_order_release); }
void iriw_y(void) { STORE(y, 1, memory_order_release); }
void iriw_seq_cst_x(void) { STORE(x, 1, memory_order_seq_cst); }
void iriw_seq_cst_y(void) { STORE(y, 1, memory_order_seq_cst); }
#define IRIW(first, second, order, between, answer)                                                                    \
    {                                                                                                                  \
        uint64_t one = LOAD(first, order);                                                                             \
        between;                                                                                                       \
        litmus_read[answer] = one == 1 && LOAD(second, order) == 0;                                                    \
    }
void iriw_left(void) IRIW(x, y, memory_order_acquire, (void)0, 0) void iriw_right(void)
    IRIW(y, x, memory_order_acquire, (void)0, 1) void iriw_seq_cst_left(void)
        IRIW(x, y, memory_order_seq_cst, (void)0, 0) void iriw_seq_cst_right(void)
            IRIW(y, x, memory_order_seq_cst, (void)0, 1) void iriw_fenced_left(void)
                IRIW(x, y, RELAXED, atomic_thread_fence(memory_order_seq_cst), 0) void iriw_fenced_right(void)
                    IRIW(y, x, RELAXED, atomic_thread_fence(memory_order_seq_cst), 1)

                        void lb_left(void) {
    litmus_read[0] = LOAD(x, RELAXED);
    STORE(y, 1, RELAXED);
}
void lb_right(void) {
    litmus_read[1] = LOAD(y, RELAXED);
    STORE(x, 1, RELAXED);
}

void chain_left(void) {
    STORE(x, 1, memory_order_seq_cst);
    litmus_read[0] = LOAD(y, memory_order_seq_cst) == 0;
}
void chain_fenced(void) {
    STORE(x, 1, RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    litmus_read[0] = LOAD(y, RELAXED) == 0;
}
void chain_middle(void) { litmus_read[2] = atomic_exchange_explicit(&litmus_shared->y, 1, memory_order_seq_cst); }
void chain_acquire(void) {
    uint64_t y = LOAD(y, memory_order_acquire);
    litmus_read[1] = y == 1 && LOAD(x, memory_order_seq_cst) == 0;
}
void chain_seq_cst(void) {
    uint64_t y = LOAD(y, memory_order_seq_cst);
    litmus_read[1] = y == 1 && LOAD(x, memory_order_seq_cst) == 0;
}

void forward_left(void) {
    STORE(x, 1, RELAXED);
    litmus_read[0] = LOAD(x, RELAXED);
    litmus_read[1] = LOAD(y, RELAXED);
}
void forward_right(void) {
    STORE(y, 1, RELAXED);
    litmus_read[2] = LOAD(y, RELAXED);
    litmus_read[3] = LOAD(x, RELAXED);
}

void race_left(void) { litmus_shared->message++; }
void race_right(void) { litmus_shared->message++; }

void neighbours_left(void) { litmus_shared->left = 1; }
void neighbours_right(void) { litmus_shared->right = 2; }

static void increment_locked(void) {
    pthread_mutex_lock(&litmus_shared->lock);
    litmus_shared->message++;
    pthread_mutex_unlock(&litmus_shared->lock);
}
void locked_left(void) { increment_locked(); }
void locked_right(void) { increment_locked(); }

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
void deadlock_left(void) { lock_both(&litmus_shared->lock, &litmus_shared->other_lock); }
void deadlock_right(void) { lock_both(&litmus_shared->other_lock, &litmus_shared->lock); }

void free_it(void) { free(litmus_shared->cell); }
void use_it(void) { litmus_read[0] = *litmus_shared->cell; }
void free_twice(void) {
    uint64_t *cell = litmus_shared->cell;
    free(cell);
    free(litmus_shared->cell);
}
void run_past_the_end(void) {
    size_t two = 2 + LOAD(x, RELAXED);
    litmus_shared->cell[two] = 1;
}
void read_nowhere(void) {
    uint64_t *nowhere = (uint64_t *)(uintptr_t)(LOAD(x, RELAXED) + 8);
    litmus_read[0] = *nowhere;
}

static uint64_t recurse(uint64_t depth) {
    volatile char room[512];
    room[0] = (char)depth;
    return LOAD(x, RELAXED) == 0 ? recurse(depth + 1) + (uint64_t)room[0] : depth;
}
void recurse_for_ever(void) { litmus_read[0] = recurse(0); }

void wait_for_ever(void) {
    while (LOAD(flag, memory_order_acquire) == 0)
        ;
}

void copy_left(void) { memcpy(litmus_shared->text, "store buffers hold stores; lines are", 36); }
void copy_right(void) { litmus_shared->text[20] = 'x'; }

void count_left(void) {
    for (int i = 0; i < 3; i++)
        atomic_fetch_add_explicit(&litmus_shared->x, 1, RELAXED);
}
void count_right(void) { count_left(); }

void busy(void) {
    for (int i = 0; i < 250; i++) {
        uint64_t x = LOAD(x, memory_order_acquire);
        STORE(y, x, memory_order_release);
        litmus_read[0] = *litmus_shared->cell;
        atomic_compare_exchange_strong_explicit(&litmus_shared->turn, &x, x + 1, memory_order_acq_rel, RELAXED);
        STORE(flag, x, RELAXED);
    }
}

/* clang-format off */
#define CHECK_SIZE(type)                                                                                               \
    static unsigned check_##type(void) {                                                                               \
        _Atomic type *at = malloc(sizeof *at);                                                                         \
        unsigned wrong = 0;                                                                                            \
        type high = (type)((type)1 << (sizeof(type) * 8 - 1)), expected = 9;                                           \
        atomic_init(at, (type)(high + 5));                                                                             \
        wrong += atomic_fetch_add_explicit(at, 7, RELAXED) != (type)(high + 5);                                        \
        wrong += atomic_fetch_sub_explicit(at, 2, memory_order_acq_rel) != (type)(high + 12);                          \
        wrong += atomic_fetch_and_explicit(at, 14, memory_order_acquire) != (type)(high + 10);                         \
        wrong += atomic_fetch_or_explicit(at, high, memory_order_release) != 10;                                       \
        wrong += atomic_fetch_xor_explicit(at, 3, memory_order_seq_cst) != (type)(high | 10);                          \
        wrong += atomic_exchange_explicit(at, 8, memory_order_seq_cst) != (type)(high | 9);                            \
        wrong += atomic_compare_exchange_strong_explicit(at, &expected, 1, RELAXED, RELAXED);                          \
        wrong += expected != 8;                                                                                        \
        wrong += !atomic_compare_exchange_weak_explicit(at, &expected, high, memory_order_acq_rel, RELAXED);           \
        wrong += atomic_load_explicit(at, memory_order_seq_cst) != high;                                               \
        atomic_store_explicit(at, 77, memory_order_seq_cst);                                                           \
        wrong += (*at)++ != 77;                                                                                        \
        wrong += *at != 78;                                                                                            \
        free((void *)at);                                                                                              \
        return wrong;                                                                                                  \
    }
/* clang-format on */
CHECK_SIZE(uint8_t)
CHECK_SIZE(uint16_t)
CHECK_SIZE(uint32_t)
CHECK_SIZE(uint64_t)

unsigned litmus_wrong_answers(void) { return check_uint8_t() + check_uint16_t() + check_uint32_t() + check_uint64_t(); }
