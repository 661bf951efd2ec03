/* entry.c: what the functions that the compiler calls in instrumented code (entry_points.h) do in the lab. */
#include "proof/lab/engine/entry.h"
#include "proof/lab/engine/schedule.h"
#include "proof/lab/engine/trace.h"
#include "proof/lab/engine/weak_memory.h"
#include <stdatomic.h>
#include <string.h>

#define WHERE ((uintptr_t)__builtin_return_address(0))

void (*entry_touched)(uintptr_t address, size_t bytes, bool write);

#define SLOT_BYTES sizeof(uint64_t)

/* The access to a plain slot that the compiled code makes next (entry_settle). */
static struct {
    uintptr_t address; /* 0: none */
    bool write;
    uint64_t before; /* what memory holds but for this access */
} slot;

static inline void touch(uintptr_t address, size_t bytes, bool write) {
    if (entry_touched)
        entry_touched(address, bytes, write);
}

static void check_race_atomic(uintptr_t address, unsigned size, bool write, bool same, uintptr_t where) {
    struct race race;
    if (races_access(machine.current, address, size, true, write, same, where, &race))
        machine_race(&race);
}

/* Does the store write the pointer that is there already? That happens when a deque copies items into a ring where they
 * were before. No read can tell. */
static bool stores_the_same(uintptr_t address, unsigned size, uint64_t value) {
    uint64_t now;
    if (!memory_in_heap((uintptr_t)value))
        return false;
    if (machine.weak || !store_buffer_read(&machine_self()->buffer, address, size, &now))
        now = peek(address, size);
    return now == value;
}

/* A load on weak memory. It may read an older value: the schedule decides. */
static uint64_t load_weakly(uintptr_t address, unsigned size, int order, unsigned *older) {
    unsigned max = weak_choices(machine.current, address, size, order);
    if (max > 0)
        *older = schedule_older(machine.schedule, max);
    if (*older > 0)
        return weak_load(machine.current, address, order, *older);
    weak_load_newest(machine.current, address, size, order);
    return peek(address, size);
}

/* The value that a load finds. *older: how many stores are newer. */
static uint64_t load_at(uintptr_t address, unsigned size, int order, unsigned *older) {
    struct store_buffer *buffer = &machine_self()->buffer;
    uint64_t value;
    if (machine.weak)
        return load_weakly(address, size, order, older);
    if (buffer->count > 0 && store_buffer_read(buffer, address, size, &value))
        return value;
    races_loaded(machine.current, address, order);
    machine_note_buffer(machine.current);
    return peek(address, size);
}

static uint64_t atomic_load_at(uintptr_t address, unsigned size, int order, uintptr_t where) {
    machine_point(where);
    struct lab_thread *self = machine_self();
    self->counters.loads++;
    machine_address(address, size, where, "atomic load");
    touch(address, size, false);
    check_race_atomic(address, size, false, false, where);
    unsigned older = 0;
    uint64_t value = load_at(address, size, order, &older);
    if (memory_in_heap((uintptr_t)value))
        slot_reads_loaded(machine.current, address, value, where);
    trace_access(EVENT_LOAD, address, size, order, value, older, where);
    return value;
}

/* A store, its access noted already. */
static void store_at(uintptr_t address, unsigned size, uint64_t value, int order) {
    struct clocks carried;
    races_release(machine.current, order, &carried);
    if (machine.weak) {
        weak_choices(machine.current, address, size, memory_order_relaxed); /* the old value stays readable */
        memcpy((void *)address, &value, size);
        races_arrived(address, &carried, false);
        weak_stored(machine.current, address, order, false);
        return;
    }
    store_buffer_put(&machine_self()->buffer, address, value, size, &carried);
    machine.buffered |= 1u << machine.current;
}

static void atomic_store_at(uintptr_t address, unsigned size, uint64_t value, int order, uintptr_t where) {
    machine_point(where);
    struct lab_thread *self = machine_self();
    self->counters.stores++;
    machine_address(address, size, where, "atomic store");
    touch(address, size, true);
    check_race_atomic(address, size, true, stores_the_same(address, size, value), where);
    slot_reads_stored(machine.current, address, value, where);
    trace_access(EVENT_STORE, address, size, order, value, 0, where);
    store_at(address, size, value, order);
    if (order == memory_order_seq_cst && !machine.weak) { /* an exchange on x86 */
        self->counters.fences++;
        machine_drain(machine.current);
    }
}

/* The beginning of a read-modify-write: an access and a full fence. The write will reach memory at once. */
static void enter_rmw(uintptr_t address, unsigned size, uintptr_t where) {
    machine_point(where);
    machine_self()->counters.rmws++;
    machine_address(address, size, where, "atomic read-modify-write");
    touch(address, size, true);
    machine_drain(machine.current);
}

static void finish_rmw(uintptr_t address, unsigned size, uint64_t value, int order, uintptr_t where) {
    struct clocks carried;
    check_race_atomic(address, size, true, false, where);
    slot_reads_exchanged(machine.current, address);
    if (machine.weak)
        weak_found(machine.current, address, size, order);
    races_loaded(machine.current, address, order);
    races_release(machine.current, order, &carried);
    memcpy((void *)address, &value, size);
    races_arrived(address, &carried, true);
    if (machine.weak)
        weak_stored(machine.current, address, order, true);
}

/* A weak CAS may fail for no reason. The schedule decides, as it does which store a load reads. */
static bool fails_for_nothing(void) { return !machine.in_main && schedule_older(machine.schedule, 1) > 0; }

/* Returns whether the CAS succeeded. *found: the value that it found. */
static bool compare_exchange_at(uintptr_t address, unsigned size, uint64_t expected, uint64_t value, bool weak,
                                int success, int failure, uintptr_t where, uint64_t *found) {
    enter_rmw(address, size, where);
    const uint64_t before = *found = peek(address, size);
    const bool done = before == expected && !(weak && fails_for_nothing());
    if (done) {
        finish_rmw(address, size, value, success, where);
    } else {
        check_race_atomic(address, size, false, false, where);
        races_loaded(machine.current, address, failure);
        if (machine.weak)
            weak_load_newest(machine.current, address, size, failure);
    }
    trace_access(done                 ? EVENT_CAS
                 : before == expected ? EVENT_CAS_FAILED_FOR_NOTHING
                                      : EVENT_CAS_FAILED,
                 address, size, success, value, before, where);
    return done;
}

/* A word of the deque's arrays, on weak memory. Items and the deque itself have names. */
static bool is_slot(uintptr_t address, size_t size) {
    return machine.weak && size == SLOT_BYTES && address % SLOT_BYTES == 0 && memory_in_heap(address) &&
           !memory_named(address);
}

void entry_settle(void) {
    trace_settle(machine.current);
    if (slot.address == 0)
        return;
    const uintptr_t address = slot.address;
    const uint64_t value = peek(address, SLOT_BYTES);
    slot.address = 0;
    memcpy((void *)address, &slot.before, SLOT_BYTES);
    if (slot.write)
        store_at(address, SLOT_BYTES, value, memory_order_relaxed);
}

/* Leaves in memory what a relaxed load of the slot finds, until the compiled code has read it. */
static void slot_at(uintptr_t address, bool write, uintptr_t where) {
    unsigned older = 0;
    uint64_t before = peek(address, SLOT_BYTES);
    if (!write) {
        uint64_t value = load_weakly(address, SLOT_BYTES, memory_order_relaxed, &older);
        memcpy((void *)address, &value, SLOT_BYTES);
    }
    trace_access(write ? EVENT_WRITE : EVENT_READ, address, SLOT_BYTES, 0, 0, older, where);
    slot.address = address;
    slot.write = write;
    slot.before = before;
}

static void plain_at(uintptr_t address, size_t size, bool write, uintptr_t where) {
    if (machine_own_stack(address) || size == 0)
        return;
    entry_settle();
    const bool atomic = is_slot(address, size);
    if (atomic || machine.plain_points)
        machine_point(where);
    struct lab_thread *self = machine_self();
    self->counters.plain++;
    machine_address(address, size, where, write ? "write" : "read");
    touch(address, size, write);
    if (self->buffer.count > 0) {
        /* The compiled code accesses memory itself, so our buffered stores to these bytes must be there. A write that
         * another thread may see must not overtake our older stores. */
        store_buffer_settle(&self->buffer, address, size);
        if (write && machine.plain_points && races_shared(machine.current, address, (unsigned)size))
            machine_drain(machine.current);
        machine_note_buffer(machine.current);
    }
    struct race race;
    if (races_access(machine.current, address, (unsigned)size, false, write, false, where, &race))
        machine_race(&race);
    if (atomic)
        slot_at(address, write, where);
    else
        trace_access(write ? EVENT_WRITE : EVENT_READ, address, (unsigned)size, 0, 0, 0, where);
}

static void fence_at(int order, uintptr_t where) {
    entry_settle();
    /* On x86 weaker fences are no instruction and delay nothing: only the order is noted. */
    if (order == memory_order_seq_cst) {
        machine_point(where);
        machine_self()->counters.fences++;
        machine_drain(machine.current);
    }
    races_fence(machine.current, order);
    if (machine.weak)
        weak_fence(machine.current, order);
    trace_access(EVENT_FENCE, 0, 0, order, 0, 0, where);
}

bool entry_fences_paired;

bool entry_fences_asymmetric(void) { return !entry_fences_paired; }

/* A fence in the calling thread, then one in every other thread, wherever it is, then one in the calling thread again.
 */
void entry_heavy_fence(bool asymmetric) {
    const uintptr_t where = WHERE;
    trace_text(EVENT_ANSWER, "heavy fence:");
    fence_at(memory_order_seq_cst, where);
    if (!asymmetric)
        return;
    machine_self()->counters.system_calls++;
    for (unsigned thread = 0; thread < machine.count; thread++) {
        if (thread == machine.current)
            continue;
        machine_drain(thread);
        if (machine.weak)
            weak_fence(thread, memory_order_seq_cst);
    }
    fence_at(memory_order_seq_cst, where);
}

static void fetched_at(uintptr_t address, unsigned size, uint64_t before, uint64_t after, int order, uintptr_t where) {
    finish_rmw(address, size, after, order, where);
    trace_access(EVENT_RMW, address, size, order, after, before, where);
}

#include "proof/lab/engine/entry_points.h"

void __tsan_func_entry(void *caller) { (void)caller; }

void entry_range(const void *at, size_t bytes, bool write, uintptr_t where) {
    plain_at((uintptr_t)at, bytes, write, where);
}

uint32_t entry_lock_word(const void *at, uintptr_t where) {
    enter_rmw((uintptr_t)at, sizeof(uint32_t), where);
    return (uint32_t)peek((uintptr_t)at, sizeof(uint32_t));
}

uint32_t entry_lock_word_again(const void *at) {
    machine_self()->counters.rmws++;
    return (uint32_t)peek((uintptr_t)at, sizeof(uint32_t));
}

void entry_set_lock_word(void *at, uint32_t value, uintptr_t where) {
    finish_rmw((uintptr_t)at, sizeof(uint32_t), value, memory_order_acq_rel, where);
    trace_access(value ? EVENT_LOCK : EVENT_UNLOCK, (uintptr_t)at, sizeof(uint32_t), memory_order_acq_rel, value, 0,
                 where);
}
