#include "extras/simulate/engine.h"
#include "extras/simulate/lines.h"
#include "extras/simulate/memory.h"
#include "extras/simulate/operations.h"
#include "proof/lab/engine/coroutine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORES_MAX 128
#define LOADS_MAX 12      /* lines under way to one processor */
#define NEAR_POINTER 4096 /* bytes: an access so close behind a value on its way is taken to depend on it */
#define FENCES 64         /* of a thread, whose next load is remembered */
#define ACCESS_COSTS 3    /* tenths of an instruction: inside of an operation its instructions are counted */
#define LONGEST INT64_C(100000000000000) /* ps: a run of more virtual time has no end */
#define LATEST (2 * LONGEST)             /* of an event */

struct store {
    uintptr_t address;
    uint64_t value;
    unsigned size;   /* 0: the value is in memory already (a plain store) */
    int64_t granted; /* when the line that was asked for it comes; others may have asked since, and get it later */
    int64_t ready;   /* and all instructions before it have retired */
};

struct load {
    int64_t arrives;
    int64_t began; /* instructions of its thread, in tenths */
    uint64_t value;
};

/* The load that had to wait for its line when the thread last came by that fence or locked instruction. */
struct behind {
    uintptr_t fence, address;
};

struct thread {
    struct coroutine coroutine;
    void *(*body)(void *);
    void *argument;
    int64_t clock, instructions; /* tenths */
    int64_t fence_ends, stored;  /* when its last fence is over; when its last store reached memory */
    bool used, blocked, ended;
    struct store stores[STORES_MAX];
    unsigned first_store, store_count, valued; /* valued: how many of them bring a value */
    struct load loads[LOADS_MAX];
    unsigned first_load, load_count;
    uintptr_t last_access; /* the instruction */
    struct behind behind[FENCES], *learns;
    uintptr_t early; /* the address that was asked for early */
    int64_t early_arrives;
};

static struct thread *threads;
static unsigned thread_count, current;
static int64_t now, ahead;

/* --- what happens when: a heap of nodes. Node n: thread n runs on; node MACHINE_THREADS_MAX + n: its oldest store
 * reaches memory. */
#define NODES (2 * MACHINE_THREADS_MAX)
#define ABSENT UINT16_MAX
/* A heap's entry is a time and a node in one number: ties go to the lower node. Behind the last there are always two
 * that are later than any. */
static int64_t heap[NODES + 2];
static uint16_t place[NODES];
static unsigned heap_count;

static int64_t entry_of(unsigned node, int64_t time) { return (time < LATEST ? time : LATEST) * NODES + node; }
static unsigned node_of(int64_t entry) { return (unsigned)(entry & (NODES - 1)); }
static int64_t time_of(int64_t entry) { return entry / NODES; }

static void set_place(unsigned at, int64_t entry) {
    heap[at] = entry;
    place[node_of(entry)] = (uint16_t)at;
}

static void sift_up(unsigned at, int64_t entry) {
    for (; at > 0 && entry < heap[(at - 1) / 2]; at = (at - 1) / 2)
        set_place(at, heap[(at - 1) / 2]);
    set_place(at, entry);
}

static void sift_down(unsigned at, int64_t entry) {
    for (unsigned child; (child = 2 * at + 1) < heap_count; at = child) {
        child += heap[child + 1] < heap[child];
        if (entry < heap[child])
            break;
        set_place(at, heap[child]);
    }
    set_place(at, entry);
}

static void remove_node(unsigned node) {
    const unsigned at = place[node];
    const int64_t last = heap[--heap_count];
    heap[heap_count] = INT64_MAX;
    place[node] = ABSENT;
    if (node_of(last) == node)
        return;
    if (at > 0 && last < heap[(at - 1) / 2])
        sift_up(at, last);
    else
        sift_down(at, last);
}

static void insert_node(unsigned node, int64_t time) {
    if (place[node] != ABSENT)
        remove_node(node);
    sift_up(heap_count++, entry_of(node, time));
}

/* The first event leaves, another comes. */
static void replace_first(unsigned node, int64_t time) {
    place[node_of(heap[0])] = ABSENT;
    sift_down(0, entry_of(node, time));
}

static int64_t time_due(unsigned node) { return time_of(heap[place[node]]); }

/* --- stores reach memory */
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static struct thread *self(void) { return &threads[current]; }
static struct store *store_at(struct thread *thread, unsigned i) {
    return &thread->stores[(thread->first_store + i) % STORES_MAX];
}

static void write_value(uintptr_t address, unsigned size, uint64_t value) { memcpy((void *)address, &value, size); }

static void settle_store(struct thread *thread, struct store *store) {
    if (!store->size)
        return;
    write_value(store->address, store->size, store->value);
    store->size = 0;
    thread->valued--;
}

/* The thread lacks the line, or waits for it already. When it comes. */
static int64_t ask_to_write(struct line *line, unsigned number, int64_t time) {
    int64_t leaves;
    return line->exclusive && line->owner == number ? line->arrives : line_move(line, number, time, now, true, &leaves);
}

/* The thread's oldest store: it reaches memory, unless the line was lost again meanwhile. */
static void drain(unsigned number) {
    struct thread *thread = &threads[number];
    struct store *store = store_at(thread, 0);
    struct line *line = line_find(store->address, number);
    if (store->granted != now && !line_held(line, number, now, true)) {
        store->granted = ask_to_write(line, number, now);
        insert_node(MACHINE_THREADS_MAX + number, store->granted);
        return;
    }
    line->written = true;
    settle_store(thread, store);
    thread->stored = now;
    thread->first_store = (thread->first_store + 1) % STORES_MAX;
    if (--thread->store_count > 0)
        insert_node(MACHINE_THREADS_MAX + number, larger(now + machine.instruction, store_at(thread, 0)->ready));
}

/* --- who runs */
static void give_up(const char *why) {
    fprintf(stderr, "stealbench simulate: %s, at %lld ns of virtual time\n", why, (long long)(now / 1000));
    exit(4);
}

static void set_now(int64_t time) {
    now = larger(now, time);
    if (now > LONGEST)
        give_up("no end");
}

/* This event, which has left the heap, happens, and those after it, until it is the running thread's turn. */
static void happens(int64_t event) {
    for (;;) {
        const unsigned node = node_of(event);
        set_now(time_of(event));
        if (node < MACHINE_THREADS_MAX) {
            struct thread *from = self();
            if (threads[node].blocked) { /* its time is over */
                threads[node].blocked = false;
                threads[node].clock = time_of(event);
            }
            if (node != current) {
                current = node;
                coroutine_switch(&from->coroutine, &self()->coroutine);
            }
            return;
        }
        drain(node - MACHINE_THREADS_MAX);
        if (heap_count == 0)
            give_up("every thread waits for another");
        event = heap[0];
        remove_node(node_of(event));
    }
}

static void dispatch(void) {
    if (heap_count == 0)
        give_up("every thread waits for another");
    const int64_t event = heap[0];
    remove_node(node_of(event));
    happens(event);
}

/* Its own event is not in the heap while a thread runs. */
static void wait_until(int64_t time) {
    const int64_t event = heap[0];
    if (heap_count == 0 || entry_of(current, time) < event) {
        set_now(time);
        return;
    }
    replace_first(current, time);
    happens(event);
}

/* All that happens before that time happens. */
static inline void happen_until(int64_t time) {
    while (heap[0] < entry_of(current, time))
        wait_until(time);
}

static void run_body(void) {
    self()->body(self()->argument);
    engine_end();
}

/* So many numbers have been in use. Distances differ by an eighth either way. */
static void note_threads(unsigned count) {
    if (count <= thread_count)
        return;
    thread_count = count;
    ahead = machine_least_distance(count) / 2 * 7 / 8;
}

static void give_stack(unsigned number) {
    struct coroutine *coroutine = &threads[number].coroutine;
    size_t bytes;
    char *low = memory_stack(number, &bytes);
    coroutine->stack_low = (uintptr_t)low;
    coroutine->stack_high = (uintptr_t)low + bytes;
}

void engine_run(void *(*body)(void *), void *argument) {
    struct coroutine here;
    machine_read();
    memory_open();
    lines_start();
    if (!(threads = calloc(MACHINE_THREADS_MAX, sizeof *threads)))
        abort();
    memset(place, 0xff, sizeof place);
    for (unsigned at = 0; at < NODES + 2; at++)
        heap[at] = INT64_MAX;
    note_threads(1);
    threads[0] = (struct thread){.body = body, .argument = argument, .used = true};
    give_stack(0);
    coroutine_start(&threads[0].coroutine, run_body);
    coroutine_switch(&here, &threads[0].coroutine);
}

static unsigned unused_number(void) {
    unsigned number = 0;
    while (number < MACHINE_THREADS_MAX && threads[number].used)
        number++;
    if (number == MACHINE_THREADS_MAX)
        give_up("too many threads");
    note_threads(number + 1);
    return number;
}

unsigned engine_start(void *(*body)(void *), void *argument) {
    const unsigned number = unused_number();
    const int64_t now_there = self()->clock;
    threads[number] = (struct thread){.body = body, .argument = argument, .clock = now_there, .used = true};
    give_stack(number);
    coroutine_start(&threads[number].coroutine, run_body);
    insert_node(number, threads[number].clock);
    return number;
}

void engine_end(void) {
    engine_fence();
    self()->ended = true;
    for (;;)
        dispatch();
}

bool engine_ended(unsigned thread) { return threads[thread].ended; }
void engine_forget(unsigned thread) { threads[thread].used = false; }
unsigned engine_self(void) { return current; }
unsigned engine_threads(void) { return thread_count; }
int64_t engine_now(void) { return self()->clock; }

void engine_work(int64_t tenths) {
    self()->instructions += tenths;
    self()->clock += tenths * machine.instruction / 10;
}

void engine_called(void) {
    if (!operation_inside[current])
        engine_work(machine.call);
}

void engine_pass(int64_t picoseconds) { self()->clock += picoseconds; }

void engine_sleep_until(int64_t time) {
    self()->clock = larger(self()->clock, time);
    happen_until(self()->clock);
}

bool engine_block(int64_t until) {
    struct thread *thread = self();
    thread->blocked = true;
    if (until > 0)
        insert_node(current, larger(until, thread->clock));
    const int64_t limit = until;
    dispatch();
    return limit == 0 || thread->clock != limit;
}

void engine_wake(unsigned number, int64_t at) {
    struct thread *thread = &threads[number];
    thread->blocked = false;
    thread->clock = larger(at, thread->clock);
    insert_node(number, thread->clock);
}

bool engine_blocked(unsigned thread) { return threads[thread].blocked; }

/* --- loads under way */
static void forget_oldest_load(struct thread *thread) {
    thread->clock = larger(thread->clock, thread->loads[thread->first_load].arrives);
    thread->first_load = (thread->first_load + 1) % LOADS_MAX;
    thread->load_count--;
}

void engine_wait_for_loads(void) {
    struct thread *thread = self();
    while (thread->load_count > 0)
        forget_oldest_load(thread);
}

/* A processor looks ahead only so far; and what depends on a value waits for it. */
static void look_ahead(struct thread *thread, uintptr_t address) {
    while (thread->load_count > 0) {
        const struct load *oldest = &thread->loads[thread->first_load];
        if (oldest->arrives > thread->clock && thread->instructions - oldest->began <= machine.window * 10)
            break;
        forget_oldest_load(thread);
    }
    for (unsigned i = 0; i < thread->load_count; i++) {
        const struct load *load = &thread->loads[(thread->first_load + i) % LOADS_MAX];
        if (address - load->value < NEAR_POINTER)
            thread->clock = larger(thread->clock, load->arrives);
    }
}

static int64_t last_load_arrives(const struct thread *thread) {
    int64_t last = 0;
    for (unsigned i = 0; i < thread->load_count; i++)
        last = larger(last, thread->loads[(thread->first_load + i) % LOADS_MAX].arrives);
    return last;
}

/* --- accesses */

/* Instructions: of a deque's operations they are known; elsewhere each access stands for some. */
static int64_t access_costs(void) { return operation_inside[current] ? ACCESS_COSTS : machine.work; }

/* Does the thread hold the line at its clock, all having happened that could take it away? */
static bool hits(uintptr_t address, bool write) {
    struct thread *thread = self();
    for (int turn = 0; turn < 2; turn++) {
        struct line *line = line_find(address, current);
        const bool held = line_held(line, current, thread->clock, write);
        const int64_t must = held ? thread->clock - ahead : thread->clock;
        if (heap[0] >= entry_of(0, must))
            return held;
        happen_until(thread->clock);
    }
    return line_held(line_find(address, current), current, thread->clock, write);
}

static bool on_its_way(uintptr_t address) {
    const struct line *line = line_find(address, current);
    return line->exclusive && line->owner == current;
}

/* While a fence or a locked instruction waits, a processor goes ahead with the load behind it: it asks for the line at
 * once, and again if the line was lost before it is the load's turn. */
static void ask_early(uintptr_t fence) {
    struct thread *thread = self();
    struct behind *behind = &thread->behind[fence % FENCES];
    thread->learns = behind;
    if (behind->fence != fence) {
        *behind = (struct behind){.fence = fence};
        return;
    }
    const bool waits = thread->store_count > 0 || last_load_arrives(thread) > thread->clock;
    if (!waits || !behind->address || hits(behind->address, false) || on_its_way(behind->address))
        return;
    int64_t leaves;
    thread->early = behind->address;
    thread->early_arrives = line_move(line_find(thread->early, current), current, thread->clock, now, false, &leaves);
}

static void load_goes_on(struct thread *thread, uintptr_t address, unsigned size, int64_t arrives) {
    if (thread->load_count == LOADS_MAX)
        forget_oldest_load(thread);
    struct load *load = &thread->loads[(thread->first_load + thread->load_count++) % LOADS_MAX];
    *load = (struct load){.arrives = arrives, .began = thread->instructions};
    memcpy(&load->value, (const void *)address, size < 8 ? size : 8);
}

void engine_load(uintptr_t address, unsigned size, uintptr_t where) {
    struct thread *thread = self();
    const bool early = address == thread->early;
    thread->last_access = where;
    engine_work(access_costs());
    look_ahead(thread, address);
    if (early)
        thread->early = 0;
    if (hits(address, false) || on_its_way(address)) {
        if (early && thread->early_arrives > thread->clock)
            load_goes_on(thread, address, size, thread->early_arrives);
        return;
    }
    if (thread->learns) {
        thread->learns->address = address;
        thread->learns = NULL;
    }
    int64_t leaves, arrives = line_move(line_find(address, current), current, thread->clock, now, false, &leaves);
    if (leaves > now)
        wait_until(leaves);
    load_goes_on(thread, address, size, arrives);
}

bool engine_own_store(uintptr_t address, unsigned size, uint64_t *value) {
    struct thread *thread = self();
    for (unsigned i = thread->valued > 0 ? thread->store_count : 0; i-- > 0;) {
        const struct store *store = store_at(thread, i);
        if (store->size == size && store->address == address) {
            *value = store->value;
            return true;
        }
        if (store->size && store->address < address + size && address < store->address + store->size)
            break; /* another part of the word: seldom; memory has it when the store is over */
    }
    return false;
}

static void wait_for_stores(unsigned left) {
    struct thread *thread = self();
    while (thread->store_count > left)
        wait_until(larger(thread->clock, time_due(MACHINE_THREADS_MAX + current) + 1));
    if (left == 0)
        thread->clock = larger(thread->clock, thread->stored);
    else
        thread->clock = larger(thread->clock, now);
}

static void store(uintptr_t address, unsigned size, uint64_t value) {
    struct thread *thread = self();
    look_ahead(thread, address);
    if (thread->store_count >= machine.buffer)
        wait_for_stores((unsigned)machine.buffer - 1);
    int64_t ready = larger(thread->clock, last_load_arrives(thread)), granted = 0;
    if (hits(address, true)) {
        if (thread->store_count == 0 && ready == thread->clock) {
            line_find(address, current)->written = true;
            if (size)
                write_value(address, size, value);
            return;
        }
    } else if (ready == thread->clock) { /* else it asks when it retires: drain() */
        granted = ready = ask_to_write(line_find(address, current), current, thread->clock);
    }
    *store_at(thread, thread->store_count++) =
        (struct store){.address = address, .value = value, .size = size, .granted = granted, .ready = ready};
    thread->valued += size > 0;
    if (thread->store_count == 1)
        insert_node(MACHINE_THREADS_MAX + current, larger(ready, now));
}

/* A value for a thread's own stack is there at once: a store that reached memory later would hit what lies there by
 * then, which no instrumentation shows. */
void engine_store(uintptr_t address, unsigned size, uint64_t value, uintptr_t where) {
    const struct coroutine *own = &self()->coroutine;
    self()->last_access = where;
    engine_work(access_costs());
    if (size && address >= own->stack_low && address < own->stack_high) {
        write_value(address, size, value);
        size = 0;
    }
    store(address, size, value);
}

/* The compiled code accesses these bytes itself. */
static void settle(uintptr_t address, size_t bytes) {
    struct thread *thread = self();
    for (unsigned i = 0; thread->valued > 0 && i < thread->store_count; i++) {
        struct store *store = store_at(thread, i);
        if (store->address < address + bytes && address < store->address + store->size)
            settle_store(thread, store);
    }
}

void engine_range(uintptr_t address, size_t bytes, bool write, uintptr_t where) {
    if (bytes == 0)
        return;
    settle(address, bytes);
    for (uintptr_t at = address & ~(uintptr_t)63; at < address + bytes; at += 64) {
        if (write)
            engine_store(at < address ? address : at, 0, 0, where);
        else
            engine_load(at < address ? address : at, 1, where);
    }
}

void engine_fence(void) {
    struct thread *thread = self();
    ask_early(thread->last_access);
    engine_wait_for_loads();
    wait_for_stores(0);
    thread->clock = larger(thread->clock, thread->fence_ends);
    thread->fence_ends = thread->clock + machine.fence;
}

void engine_rmw(uintptr_t address, uintptr_t where) {
    struct thread *thread = self();
    engine_work(access_costs());
    ask_early(where);
    engine_wait_for_loads();
    wait_for_stores(0);
    thread->clock = larger(thread->clock, thread->fence_ends);
    if (!hits(address, true)) {
        const int64_t arrives = ask_to_write(line_find(address, current), current, thread->clock);
        wait_until(larger(arrives, now));
        thread->clock = larger(thread->clock, arrives);
    }
}

void engine_rmw_finished(uintptr_t address) {
    struct thread *thread = self();
    struct line *line = line_find(address, current);
    thread->clock += machine.locked;
    line->written = true;
    line->arrives = larger(line->arrives, thread->clock);
    thread->stored = thread->clock;
}

bool engine_interrupt(unsigned number, int64_t costs) {
    struct thread *thread = &threads[number];
    if (number == current || !thread->used || thread->ended || thread->blocked)
        return false;
    while (thread->store_count > 0) {
        settle_store(thread, store_at(thread, 0));
        thread->first_store = (thread->first_store + 1) % STORES_MAX;
        thread->store_count--;
    }
    if (place[MACHINE_THREADS_MAX + number] != ABSENT)
        remove_node(MACHINE_THREADS_MAX + number);
    thread->clock = larger(thread->clock, now) + costs;
    if (place[number] != ABSENT)
        insert_node(number, time_due(number) + costs);
    return true;
}
