/* entry.c: what the functions that the compiler calls in instrumented code (entry_points.h) do in the simulator. */
#include "extras/simulate/engine.h"
#include "extras/simulate/operations.h"
#include <stdatomic.h>
#include <string.h>

#define WAITS_AFTER 32 /* atomic loads of one operation */
#define LOOK_COSTS 30  /* tenths of an instruction, of each further one */
#define WHERE ((uintptr_t)__builtin_return_address(0))

static uint64_t peek(uintptr_t address, unsigned size) {
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size);
    return value;
}

static uint64_t atomic_load_at(uintptr_t address, unsigned size, int order, uintptr_t where) {
    (void)order;
    uint64_t value;
    if (engine_own_store(address, size, &value)) {
        engine_work(10);
        return value;
    }
    engine_load(address, size, where);
    /* an operation that looks so often waits for somebody, which nobody counted */
    const unsigned self = engine_self();
    if (operation_inside[self] && ++operation_loads[self] > WAITS_AFTER)
        engine_work(LOOK_COSTS);
    return peek(address, size);
}

static void enter_rmw(uintptr_t address, unsigned size, uintptr_t where) {
    (void)size;
    engine_rmw(address, where);
}

static void fetched_at(uintptr_t address, unsigned size, uint64_t before, uint64_t after, int order, uintptr_t where) {
    (void)before, (void)order, (void)where;
    memcpy((void *)address, &after, size);
    engine_rmw_finished(address);
}

/* On x86 a sequentially consistent store is an exchange. */
static void atomic_store_at(uintptr_t address, unsigned size, uint64_t value, int order, uintptr_t where) {
    if (order != memory_order_seq_cst) {
        engine_store(address, size, value, where);
        return;
    }
    enter_rmw(address, size, where);
    fetched_at(address, size, 0, value, order, where);
}

static bool compare_exchange_at(uintptr_t address, unsigned size, uint64_t expected, uint64_t value, bool weak,
                                int success, int failure, uintptr_t where, uint64_t *found) {
    (void)weak, (void)success, (void)failure; /* on x86 a weak one fails for no other reason either */
    engine_rmw(address, where);
    *found = peek(address, size);
    if (*found == expected)
        memcpy((void *)address, &value, size);
    engine_rmw_finished(address);
    return *found == expected;
}

#define plain_at engine_range

/* Weaker fences are no instruction on x86. */
static void fence_at(int order, uintptr_t where) {
    (void)where;
    if (order == memory_order_seq_cst)
        engine_fence();
}

#include "proof/lab/engine/entry_points.h"

void __tsan_func_entry(void *caller) {
    (void)caller;
    engine_called();
}

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
