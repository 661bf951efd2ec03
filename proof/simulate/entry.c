/* entry.c: what the compiler calls in code built with -fsanitize=thread, as in proof/lab/engine/entry.c: gcc's and
 * clang's forms. Nothing but the compilers calls these. */
#include "proof/simulate/engine.h"
#include <stdatomic.h>
#include <string.h>

#define WHERE ((uintptr_t)__builtin_return_address(0))

static uint64_t peek(uintptr_t address, unsigned size) {
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size);
    return value;
}

static uint64_t load(uintptr_t address, unsigned size, uintptr_t where) {
    uint64_t value;
    if (engine_own_store(address, size, &value)) {
        engine_work(10);
        return value;
    }
    engine_load(address, size, where);
    return peek(address, size);
}

/* On x86 a sequentially consistent store is an exchange. */
static void store(uintptr_t address, unsigned size, uint64_t value, int order, uintptr_t where) {
    if (order != memory_order_seq_cst) {
        engine_store(address, size, value, where);
        return;
    }
    engine_rmw(address, where);
    memcpy((void *)address, &value, size);
    engine_rmw_finished(address);
}

static uint64_t compare_exchange(uintptr_t address, unsigned size, uint64_t expected, uint64_t value, uintptr_t where) {
    engine_rmw(address, where);
    const uint64_t before = peek(address, size);
    if (before == expected)
        memcpy((void *)address, &value, size);
    engine_rmw_finished(address);
    return before;
}

/* clang-format off */
#define FETCH(bits, type, name, expression)                                                                            \
    type __tsan_atomic##bits##_##name(volatile void *at, type operand, int order) {                                    \
        (void)order;                                                                                                   \
        engine_rmw((uintptr_t)at, WHERE);                                                                              \
        const type before = (type)peek((uintptr_t)at, sizeof(type)), after = (type)(expression);                       \
        memcpy((void *)(uintptr_t)at, &after, sizeof after);                                                           \
        engine_rmw_finished((uintptr_t)at);                                                                            \
        return before;                                                                                                 \
    }

#define COMPARE_EXCHANGE(bits, type, strength)                                                                         \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile void *at, type *expected, type value, int success,  \
                                                          int failure) {                                               \
        (void)success, (void)failure;                                                                                  \
        const type before = (type)compare_exchange((uintptr_t)at, sizeof(type), *expected, value, WHERE);              \
        const int done = before == *expected;                                                                          \
        *expected = before;                                                                                            \
        return done;                                                                                                   \
    }

#define ATOMICS(bits, type)                                                                                            \
    type __tsan_atomic##bits##_load(const volatile void *at, int order) {                                              \
        (void)order;                                                                                                   \
        return (type)load((uintptr_t)at, sizeof(type), WHERE);                                                         \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile void *at, type value, int order) {                                       \
        store((uintptr_t)at, sizeof(type), value, order, WHERE);                                                       \
    }                                                                                                                  \
    FETCH(bits, type, exchange, operand)                                                                               \
    FETCH(bits, type, fetch_add, before + operand)                                                                     \
    FETCH(bits, type, fetch_sub, before - operand)                                                                     \
    FETCH(bits, type, fetch_and, before & operand)                                                                     \
    FETCH(bits, type, fetch_or, before | operand)                                                                      \
    FETCH(bits, type, fetch_xor, before ^ operand)                                                                     \
    FETCH(bits, type, fetch_nand, ~(before & operand))                                                                 \
    COMPARE_EXCHANGE(bits, type, strong)                                                                               \
    COMPARE_EXCHANGE(bits, type, weak)                                                                                 \
    type __tsan_atomic##bits##_compare_exchange_val(volatile void *at, type expected, type value, int success,         \
                                                    int failure) {                                                     \
        (void)success, (void)failure;                                                                                  \
        return (type)compare_exchange((uintptr_t)at, sizeof(type), expected, value, WHERE);                            \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

#define PLAIN(name, bytes, write)                                                                                      \
    void __tsan_##name(void *at) { engine_range((uintptr_t)at, bytes, write, WHERE); }
#define PLAIN_SIZE(bytes)                                                                                              \
    PLAIN(read##bytes, bytes, false)                                                                                   \
    PLAIN(write##bytes, bytes, true)                                                                                   \
    PLAIN(unaligned_read##bytes, bytes, false)                                                                         \
    PLAIN(unaligned_write##bytes, bytes, true)                                                                         \
    PLAIN(volatile_read##bytes, bytes, false)                                                                          \
    PLAIN(volatile_write##bytes, bytes, true)                                                                          \
    PLAIN(unaligned_volatile_read##bytes, bytes, false)                                                                \
    PLAIN(unaligned_volatile_write##bytes, bytes, true)

PLAIN_SIZE(1)
PLAIN_SIZE(2)
PLAIN_SIZE(4)
PLAIN_SIZE(8)
PLAIN_SIZE(16)
/* clang-format on */

void __tsan_read_range(void *at, size_t bytes) { engine_range((uintptr_t)at, bytes, false, WHERE); }
void __tsan_write_range(void *at, size_t bytes) { engine_range((uintptr_t)at, bytes, true, WHERE); }
/* Weaker fences are no instruction on x86. */
void __tsan_atomic_thread_fence(int order) {
    if (order == memory_order_seq_cst)
        engine_fence();
}
void __tsan_atomic_signal_fence(int order) { (void)order; }
void __tsan_func_entry(void *caller) {
    (void)caller;
    engine_called();
}
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

void *simulate_memcpy(void *to, const void *from, size_t bytes) {
    engine_range((uintptr_t)from, bytes, false, WHERE);
    engine_range((uintptr_t)to, bytes, true, WHERE);
    return memcpy(to, from, bytes);
}
void *simulate_memmove(void *to, const void *from, size_t bytes) {
    engine_range((uintptr_t)from, bytes, false, WHERE);
    engine_range((uintptr_t)to, bytes, true, WHERE);
    return memmove(to, from, bytes);
}
void *simulate_memset(void *to, int value, size_t bytes) {
    engine_range((uintptr_t)to, bytes, true, WHERE);
    return memset(to, value, bytes);
}
/* clang calls these for the compiler's own copies. */
void *__tsan_memcpy(void *to, const void *from, size_t bytes) { return simulate_memcpy(to, from, bytes); }
void *__tsan_memmove(void *to, const void *from, size_t bytes) { return simulate_memmove(to, from, bytes); }
void *__tsan_memset(void *to, int value, size_t bytes) { return simulate_memset(to, value, bytes); }
