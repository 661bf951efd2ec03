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
};

struct shared *litmus_shared;
uint64_t litmus_read[4];

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define SEQ_CST memory_order_seq_cst
#define LOAD(field, order) atomic_load_explicit(&litmus_shared->field, order)
#define STORE(field, value, order) atomic_store_explicit(&litmus_shared->field, value, order)
#define EXCHANGE(field, value, order) atomic_exchange_explicit(&litmus_shared->field, value, order)
#define ADD(field, value) atomic_fetch_add_explicit(&litmus_shared->field, value, RELAXED)
#define FENCE(order) atomic_thread_fence(order)

struct shared *litmus_new(void) {
    struct shared *made = malloc(sizeof *made);
    memset(made, 0, sizeof *made);
    made->cell = malloc(sizeof *made->cell);
    *made->cell = 7;
    return made;
}

static void increment_locked(void) {
    pthread_mutex_lock(&litmus_shared->lock);
    litmus_shared->message++;
    pthread_mutex_unlock(&litmus_shared->lock);
}
static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static uint64_t recurse(uint64_t depth) {
    volatile char room[512];
    room[0] = (char)depth;
    return LOAD(x, RELAXED) == 0 ? recurse(depth + 1) + (uint64_t)room[0] : depth;
}
#define LITMUS(name, ...)                                                                                              \
    void name(void) {                                                                                                  \
        struct shared *const shared = litmus_shared;                                                                   \
        uint64_t *const read = litmus_read;                                                                            \
        (void)shared, (void)read;                                                                                      \
        __VA_ARGS__;                                                                                                   \
    }
#include "tests/lab/litmus.h"

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
