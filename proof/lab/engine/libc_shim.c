/* libc_shim.c: the C library as the deque sees it in the lab.
 *
 * proof/lab/engine/libc_symbols.txt renames these functions in the instrumented object (objcopy --redefine-syms), so
 * that the runtime's own calls still reach the real library. Memory comes from the lab's region. A lock is a word that
 * the schedule sees. Time is the number of accesses so far, so it is the same in every repeat.
 */
#include "proof/lab/engine/entry.h"
#include "proof/lab/engine/machine.h"
#include "proof/lab/engine/trace.h"
#include <errno.h>
#include <string.h>
#include <time.h>

#define WHERE ((uintptr_t)__builtin_return_address(0))
#define SMALLEST_ALIGNMENT 16

void *lab_malloc(size_t bytes) { return memory_allocate(bytes, SMALLEST_ALIGNMENT); }

void *lab_calloc(size_t count, size_t bytes) {
    if (bytes && count > SIZE_MAX / bytes)
        return NULL;
    void *pointer = memory_allocate(count * bytes, SMALLEST_ALIGNMENT);
    if (pointer)
        memset(pointer, 0, count * bytes);
    return pointer;
}

static void release(void *pointer, uintptr_t where) {
    /* A free is a write to the whole allocation: an access that nothing orders before it is a race. */
    size_t bytes = memory_size(pointer);
    void (*touched)(uintptr_t, size_t, bool) = entry_touched;
    entry_touched = NULL; /* but it is no access by the deque */
    if (bytes > 0)
        entry_range(pointer, bytes, true, where);
    entry_touched = touched;
    trace_access(EVENT_FREE, (uintptr_t)pointer, 0, 0, 0, 0, where);
    if (!memory_free(pointer, where))
        machine_fault(FAULT_FREED, where, memory_freed_at((uintptr_t)pointer),
                      "%s frees at %%1 what was not allocated, or was freed before (at %%2)",
                      machine_role(machine.current));
}

void lab_free(void *pointer) {
    if (pointer)
        release(pointer, WHERE);
}

/* Operator new of C++: std::__throw_bad_alloc() where there is no memory. Only what has a C++ original links it. */
extern _Noreturn __attribute__((weak)) void _ZSt17__throw_bad_allocv(void);

void *lab_new_aligned(size_t bytes, size_t alignment) {
    void *pointer = memory_allocate(bytes, alignment);
    if (!pointer)
        _ZSt17__throw_bad_allocv();
    return pointer;
}

void *lab_new(size_t bytes) { return lab_new_aligned(bytes, SMALLEST_ALIGNMENT); }

void *lab_aligned_alloc(size_t alignment, size_t bytes) { return memory_allocate(bytes, alignment); }

/* Slots that count as atomic (entry_settle) are copied one by one. */
static void copy_slots(uint64_t *to, const uint64_t *from, size_t count, uintptr_t where) {
    for (size_t i = 0; i < count; i++) {
        entry_range(&from[i], sizeof *from, false, where);
        uint64_t value = from[i];
        entry_range(&to[i], sizeof *to, true, where);
        to[i] = value;
    }
}

void *lab_memcpy(void *to, const void *from, size_t bytes) {
    if (machine.weak && (bytes | (uintptr_t)to | (uintptr_t)from) % sizeof(uint64_t) == 0) {
        copy_slots(to, from, bytes / sizeof(uint64_t), WHERE);
        return to;
    }
    entry_range(from, bytes, false, WHERE);
    entry_range(to, bytes, true, WHERE);
    return memcpy(to, from, bytes);
}

void *lab_memmove(void *to, const void *from, size_t bytes) {
    entry_range(from, bytes, false, WHERE);
    entry_range(to, bytes, true, WHERE);
    return memmove(to, from, bytes);
}

void *lab_memset(void *to, int value, size_t bytes) {
    entry_range(to, bytes, true, WHERE);
    return memset(to, value, bytes);
}

int lab_memcmp(const void *left, const void *right, size_t bytes) {
    entry_range(left, bytes, false, WHERE);
    entry_range(right, bytes, false, WHERE);
    return memcmp(left, right, bytes);
}

/* A mutex is its first 32-bit word: 0, or one more than the thread that holds it. Initializers are all zero. */
int lab_mutex_init(void *mutex, const void *attributes) {
    (void)attributes;
    memset(mutex, 0, sizeof(uint32_t));
    return 0;
}

int lab_mutex_destroy(void *mutex) {
    (void)mutex;
    return 0;
}

int lab_mutex_lock(void *mutex) {
    uint32_t holder = entry_lock_word(mutex, WHERE);
    while (holder != 0) {
        machine_block((uintptr_t)mutex);
        holder = entry_lock_word_again(mutex);
    }
    entry_set_lock_word(mutex, machine.current + 1, WHERE);
    return 0;
}

int lab_mutex_trylock(void *mutex) {
    if (entry_lock_word(mutex, WHERE) != 0)
        return EBUSY;
    entry_set_lock_word(mutex, machine.current + 1, WHERE);
    return 0;
}

int lab_mutex_unlock(void *mutex) {
    uint32_t holder = entry_lock_word(mutex, WHERE);
    if (holder != machine.current + 1)
        machine_fault(FAULT_ANSWER, WHERE, 0, "%s releases a lock at %%1 that it does not hold",
                      machine_role(machine.current));
    entry_set_lock_word(mutex, 0, WHERE);
    machine_wake((uintptr_t)mutex);
    return 0;
}

/* A thread that yields waits for another: the schedule chooses, nothing more. */
int lab_yield(void) {
    machine_point(WHERE);
    return 0;
}

int lab_nanosleep(const struct timespec *duration, struct timespec *left) {
    (void)duration, (void)left;
    return lab_yield();
}

int lab_clock_gettime(int clock, struct timespec *now) {
    (void)clock;
    *now = (struct timespec){.tv_sec = (time_t)(machine.step / 1000000000u),
                             .tv_nsec = (long)(machine.step % 1000000000u)};
    return 0;
}

_Noreturn void lab_abort(void) {
    machine_fault(FAULT_WILD, WHERE, 0, "%s calls abort at %%1", machine_role(machine.current));
}

_Noreturn void lab_assert_fail(const char *assertion, const char *file, unsigned line, const char *function) {
    (void)file, (void)line, (void)function;
    machine_fault(FAULT_WILD, WHERE, 0, "%s: assertion fails at %%1: %s", machine_role(machine.current), assertion);
}

/* The same under other names: objcopy wants each target once, and newer clangs call their own memcpy. */
#define ALSO(of) __attribute__((alias(#of)))
ALSO(lab_memcpy) void *__tsan_memcpy(void *to, const void *from, size_t bytes);
ALSO(lab_memmove) void *__tsan_memmove(void *to, const void *from, size_t bytes);
ALSO(lab_memset) void *__tsan_memset(void *to, int value, size_t bytes);
ALSO(lab_new) void *lab_new_array(size_t bytes);
/* A size and an alignment behind the pointer are of no use here. */
ALSO(lab_free) void lab_delete(void *pointer);
ALSO(lab_free) void lab_delete_array(void *pointer);
ALSO(lab_free) void lab_delete_sized(void *pointer);
ALSO(lab_free) void lab_delete_aligned(void *pointer);
ALSO(lab_free) void lab_delete_sized_aligned(void *pointer);
