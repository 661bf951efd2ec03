/* entry_points.h: the functions that the compiler calls in code built with -fsanitize=thread, one for each size and
 * kind. The lab's entry.c includes it behind the functions that these call: peek, atomic_load_at,
 * atomic_store_at, enter_rmw, fetched_at, compare_exchange_at, plain_at, fence_at.
 *
 * gcc's compare-and-exchange says whether it succeeded; clang's returns the old value, and does not say whether it was
 * a weak one, so only gcc's weak ones fail for no reason. Both are here. The compilers prescribe names and types, and
 * only compiled code calls these.
 */
#pragma once

/* clang-format off */
#define FETCH(bits, type, name, expression)                                                                            \
    type __tsan_atomic##bits##_##name(volatile void *at, type operand, int order) {                                    \
        enter_rmw((uintptr_t)at, sizeof(type), WHERE);                                                                 \
        type before = (type)peek((uintptr_t)at, sizeof(type));                                                         \
        type after = (type)(expression);                                                                               \
        fetched_at((uintptr_t)at, sizeof(type), before, after, order, WHERE);                                          \
        return before;                                                                                                 \
    }

#define COMPARE_EXCHANGE(bits, type, strength, weak)                                                                   \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile void *at, type *expected, type value, int success,  \
                                                          int failure) {                                               \
        uint64_t found;                                                                                                \
        bool done = compare_exchange_at((uintptr_t)at, sizeof(type), *expected, value, weak, success, failure, WHERE,  \
                                        &found);                                                                       \
        *expected = (type)found;                                                                                       \
        return done;                                                                                                   \
    }

#define ATOMICS(bits, type)                                                                                            \
    type __tsan_atomic##bits##_load(const volatile void *at, int order) {                                              \
        return (type)atomic_load_at((uintptr_t)at, sizeof(type), order, WHERE);                                        \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile void *at, type value, int order) {                                       \
        atomic_store_at((uintptr_t)at, sizeof(type), value, order, WHERE);                                             \
    }                                                                                                                  \
    FETCH(bits, type, exchange, operand)                                                                               \
    FETCH(bits, type, fetch_add, before + operand)                                                                     \
    FETCH(bits, type, fetch_sub, before - operand)                                                                     \
    FETCH(bits, type, fetch_and, before & operand)                                                                     \
    FETCH(bits, type, fetch_or, before | operand)                                                                      \
    FETCH(bits, type, fetch_xor, before ^ operand)                                                                     \
    FETCH(bits, type, fetch_nand, ~(before & operand))                                                                 \
    COMPARE_EXCHANGE(bits, type, strong, false)                                                                        \
    COMPARE_EXCHANGE(bits, type, weak, true)                                                                           \
    type __tsan_atomic##bits##_compare_exchange_val(volatile void *at, type expected, type value, int success,         \
                                                    int failure) {                                                     \
        uint64_t found;                                                                                                \
        compare_exchange_at((uintptr_t)at, sizeof(type), expected, value, false, success, failure, WHERE, &found);     \
        return (type)found;                                                                                            \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

#define PLAIN(name, bytes, write)                                                                                      \
    void __tsan_##name(void *at) { plain_at((uintptr_t)at, bytes, write, WHERE); }
#define PLAIN_SIZE(bytes)                                                                                              \
    PLAIN(read##bytes, bytes, false)                                                                                   \
    PLAIN(write##bytes, bytes, true)                                                                                   \
    PLAIN(unaligned_read##bytes, bytes, false)                                                                         \
    PLAIN(unaligned_write##bytes, bytes, true)

PLAIN_SIZE(1)
PLAIN_SIZE(2)
PLAIN_SIZE(4)
PLAIN_SIZE(8)
PLAIN_SIZE(16)
/* clang-format on */

void __tsan_read_range(void *at, size_t bytes) { plain_at((uintptr_t)at, bytes, false, WHERE); }
void __tsan_write_range(void *at, size_t bytes) { plain_at((uintptr_t)at, bytes, true, WHERE); }
void __tsan_atomic_thread_fence(int order) { fence_at(order, WHERE); }
/* A signal fence only binds the compiler, and these calls bind the compiler anyway. */
void __tsan_atomic_signal_fence(int order) { (void)order; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}
