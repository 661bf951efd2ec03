#include "proof/lab/engine/machine.h"
#include "proof/lab/engine/entry.h"
#include "proof/lab/engine/schedule.h"
#include "proof/lab/engine/trace.h"
#include "proof/lab/engine/weak_memory.h"
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define WATCH_SECONDS 2 /* of processor time */

/* After so many accesses the oldest store of each thread reaches memory, whatever the schedule says. Otherwise a thread
 * could wait for ever for a store of a thread that has ended. */
#define ARRIVES_EVERY 256

struct machine machine;

const char *machine_role(unsigned thread) {
    static const char *const roles[LAB_CLOCKS] = {"owner", "thief", "thief 2", "thief 3", "set-up"};
    return roles[thread];
}

const char *fault_name(enum fault_kind kind) {
    static const char *const names[] = {
        [FAULT_NONE] = "no fault",        [FAULT_RACE] = "data race",       [FAULT_ANSWER] = "wrong answer",
        [FAULT_HANGS] = "hangs",          [FAULT_LOST] = "item lost",       [FAULT_DOUBLED] = "item doubled",
        [FAULT_STRANGER] = "not an item", [FAULT_FREED] = "use after free", [FAULT_WILD] = "wild access",
        [FAULT_CANNOT] = "cannot run",
    };
    return names[kind];
}

/* Suspends the running thread and returns to the caller of machine_continue or machine_call. */
static void back_to_scheduler(void) { coroutine_switch(&machine_self()->coroutine, &machine.scheduler); }

static void describe_fault(struct fault *fault, enum fault_kind kind, uintptr_t where1, uintptr_t where2,
                           const char *format, va_list arguments) {
    fault->kind = kind;
    fault->step = machine.step;
    fault->where[0] = where1;
    fault->where[1] = where2;
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    trace_text(EVENT_FAULT, "%s", fault_name(kind));
}

_Noreturn void machine_fault(enum fault_kind kind, uintptr_t where1, uintptr_t where2, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    describe_fault(&machine.fault, kind, where1, where2, format, arguments);
    va_end(arguments);
    entry_settle();
    back_to_scheduler();
    abort(); /* a thread is never resumed after its fault */
}

void machine_note(enum fault_kind kind, uintptr_t where1, uintptr_t where2, const char *format, ...) {
    if (machine.noted.kind >= kind)
        return;
    va_list arguments;
    va_start(arguments, format);
    describe_fault(&machine.noted, kind, where1, where2, format, arguments);
    va_end(arguments);
}

void machine_race(const struct race *race) {
    static const char *const kinds[2][2] = {{"read", "write"}, {"atomic load", "atomic store"}};
    char at[64];
    if (machine.noted.kind >= FAULT_RACE)
        return;
    memory_describe(race->address, at, sizeof at);
    machine_note(FAULT_RACE, race->first.where, race->second.where,
                 "%s: %s by %s at %%1 and %s by %s at %%2, ordered by nothing", at,
                 kinds[race->first.atomic][race->first.write], machine_role(race->first.thread),
                 kinds[race->second.atomic][race->second.write], machine_role(race->second.thread));
}

void machine_address(uintptr_t address, size_t size, uintptr_t where, const char *what) {
    const bool heap = memory_in_heap(address);
    const char *who = machine_role(machine.current);
    char at[64];
    if (heap ? memory_state(address) == MEMORY_LIVE && memory_state(address + size - 1) == MEMORY_LIVE
             : memory_in_lab(address) || memory_in_program(address))
        return;
    memory_describe(address, at, sizeof at);
    if (heap && memory_state(address) == MEMORY_FREED)
        machine_fault(FAULT_FREED, where, memory_freed_at(address),
                      "%s of %zu bytes at %s by %s at %%1, freed before at %%2", what, size, at, who);
    machine_fault(FAULT_WILD, where, 0, "%s of %zu bytes at %s by %s at %%1: %s", what, size, at, who,
                  heap ? "nothing was allocated there" : "no memory of the deque's");
}

/* The thread's oldest store, if any, reaches memory. */
static void drain_one(unsigned thread) {
    struct store_buffer *buffer = &machine.thread[thread].buffer;
    if (buffer->count > 0) {
        const struct buffered_store *store = store_buffer_drain_one(buffer);
        trace_arrived(thread, store->address, store->size, store->value);
    }
    machine_note_buffer(thread);
}

void machine_drain(unsigned thread) {
    do
        drain_one(thread);
    while (machine.thread[thread].buffer.count > 0);
}

static void drain_as(struct choice choice) {
    if (choice.kind == CHOICE_DRAIN_ALL)
        machine_drain(choice.thread);
    else
        drain_one(choice.thread);
}

static void settle_all(void) {
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++)
        machine_drain(thread);
}

static void set_state(unsigned thread, enum thread_state state) {
    machine.thread[thread].state = state;
    if (state == THREAD_READY)
        machine.runnable |= 1u << thread;
    else
        machine.runnable &= ~(1u << thread);
}

/* Gives the core to the thread that the schedule names. Returns when the schedule names this thread again. If no thread
 * is left, the caller of machine_continue goes on. */
static void hand_over(void) {
    for (;;) {
        if (machine.runnable == 0) {
            back_to_scheduler();
            return; /* machine_continue */
        }
        struct choice choice = schedule_next(machine.schedule);
        if (choice.kind != CHOICE_RUN) {
            drain_as(choice);
            continue;
        }
        if (choice.thread == machine.current)
            return;
        struct lab_thread *from = machine_self();
        machine.current = choice.thread;
        machine.switches++;
        coroutine_switch(&from->coroutine, &machine_self()->coroutine);
        return;
    }
}

void machine_point(uintptr_t where) {
    struct lab_thread *self = machine_self();
    entry_settle();
    self->previous_where = self->last_where;
    self->last_where = where;
    machine.accesses++;
    if (++machine.step > machine.step_limit)
        machine_fault(FAULT_HANGS, where, 0, "no end after %llu accesses; %s is at %%1",
                      (unsigned long long)machine.step_limit, machine_role(machine.current));
    if (machine.in_main)
        return;
    for (unsigned thread = 0; machine.step % ARRIVES_EVERY == 0 && thread < machine.count; thread++)
        drain_one(thread);
    if (self->points++ == self->stop_at) {
        machine_drain(machine.current); /* a processor's stores arrive even if its thread never runs again */
        set_state(machine.current, THREAD_STOPPED);
    }
    hand_over();
}

void machine_block(uintptr_t on) {
    if (machine.in_main)
        machine_fault(FAULT_HANGS, machine_self()->last_where, 0, "waits at %%1 for a lock that nobody will release");
    machine_self()->blocked_on = on;
    set_state(machine.current, THREAD_BLOCKED);
    hand_over();
}

void machine_wake(uintptr_t on) {
    for (unsigned thread = 0; thread < machine.count; thread++)
        if (machine.thread[thread].state == THREAD_BLOCKED && machine.thread[thread].blocked_on == on)
            set_state(thread, THREAD_READY);
}

static void thread_body(void) {
    machine_self()->body();
    entry_settle();
    set_state(machine.current, THREAD_FINISHED);
    hand_over();
    abort(); /* a finished thread is never runnable */
}

void machine_begin(uint64_t step_limit) {
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++) {
        struct lab_thread *one = &machine.thread[thread];
        one->buffer.oldest = one->buffer.count = 0;
        one->buffer.issued = one->buffer.arrived = 0;
        one->state = THREAD_ABSENT;
        one->points = 0;
        one->stop_at = NEVER;
        one->last_where = one->previous_where = 0;
        one->counters = (struct access_counts){0};
    }
    machine.count = 0;
    machine.runnable = machine.buffered = 0;
    machine.step = 0;
    machine.step_limit = step_limit;
    machine.fault.kind = machine.noted.kind = FAULT_NONE;
    races_begin();
}

bool machine_call(void (*body)(void)) {
    settle_all();
    races_join();
    struct lab_thread *main_thread = &machine.thread[LAB_MAIN];
    main_thread->body = body;
    main_thread->state = THREAD_READY;
    machine.in_main = true;
    machine.weak = false;
    machine.current = LAB_MAIN;
    coroutine_start(&main_thread->coroutine, thread_body);
    coroutine_switch(&machine.scheduler, &main_thread->coroutine);
    machine.current = LAB_CLOCKS;
    if (machine.fault.kind != FAULT_NONE)
        return false;
    settle_all();
    return true;
}

void machine_start_thread(unsigned thread, void (*body)(void)) {
    machine.thread[thread].body = body;
    if (thread >= machine.count)
        machine.count = thread + 1;
    coroutine_start(&machine.thread[thread].coroutine, thread_body);
    set_state(thread, THREAD_READY);
}

void machine_release_stopped(unsigned thread) {
    machine.thread[thread].stop_at = NEVER;
    if (machine.thread[thread].state == THREAD_STOPPED)
        set_state(thread, THREAD_READY);
}

/* Called when no thread can run. The run has ended, unless a thread still waits for a lock. */
static void check_blocked(void) {
    for (unsigned thread = 0; thread < machine.count && machine.fault.kind == FAULT_NONE; thread++) {
        if (machine.thread[thread].state != THREAD_BLOCKED)
            continue;
        machine.fault = (struct fault){.kind = FAULT_HANGS, .step = machine.step};
        machine.fault.where[0] = machine.thread[thread].last_where;
        snprintf(machine.fault.text, sizeof machine.fault.text, "%s waits at %%1 for a lock that nobody will release",
                 machine_role(thread));
    }
}

bool machine_continue(struct schedule *schedule) {
    machine.schedule = schedule;
    machine.plain_points = schedule->plain_points;
    machine.weak = schedule->weak;
    machine.in_main = false;
    struct choice choice;
    while (machine.runnable != 0 && (choice = schedule_next(schedule)).kind != CHOICE_RUN)
        drain_as(choice);
    if (machine.runnable != 0) {
        machine.current = choice.thread;
        coroutine_switch(&machine.scheduler, &machine_self()->coroutine);
        machine.current = LAB_CLOCKS;
    }
    if (machine.fault.kind == FAULT_NONE)
        check_blocked();
    return machine.fault.kind == FAULT_NONE;
}

bool machine_run(void (*const bodies[])(void), unsigned count, struct schedule *schedule) {
    settle_all();
    races_begin();
    weak_begin();
    for (unsigned thread = 0; thread < count; thread++)
        machine_start_thread(thread, bodies[thread]);
    return machine_continue(schedule);
}

/* Where a signal interrupted the program, given as a return address; else the last access. */
static uintptr_t interrupted_at(const void *context) {
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] + 1;
#else
    (void)context;
    return machine.current < LAB_CLOCKS ? machine_self()->last_where : 0;
#endif
}

static void on_crash(int signal, siginfo_t *information, void *context) {
    (void)signal, (void)information;
    if (machine.current == LAB_CLOCKS) {
        fprintf(stderr, "stealbench lab: the lab itself crashed (in %s)%s\n", source_name(interrupted_at(context)),
                machine.note);
        _exit(4);
    }
    machine_fault(FAULT_WILD, interrupted_at(context), 0, "%s crashed at %%1", machine_role(machine.current));
}

/* A thread that computes without accesses never reaches the limit on accesses. A timer finds such a thread. */
static void on_watch(int signal, siginfo_t *information, void *context) {
    static uint64_t last_accesses = UINT64_MAX;
    (void)signal, (void)information;
    if (machine.current < LAB_CLOCKS && machine.accesses == last_accesses) {
        fprintf(stderr,
                "stealbench lab: hangs: %s computes in %s without an access to shared memory, at step %llu%s\n"
                "stealbench lab: a loop that waits for another thread has to look at shared memory\n",
                machine_role(machine.current), source_name(interrupted_at(context)), (unsigned long long)machine.step,
                machine.note);
        _exit(1);
    }
    last_accesses = machine.accesses;
}

static void watch(void) {
    static char alternate[64 << 10];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    sigaltstack(&stack, NULL);
    struct sigaction crash = {.sa_sigaction = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO};
    sigaction(SIGSEGV, &crash, NULL);
    sigaction(SIGBUS, &crash, NULL);
    sigaction(SIGFPE, &crash, NULL);
    struct sigaction alarm_action = {.sa_sigaction = on_watch, .sa_flags = SA_ONSTACK | SA_RESTART | SA_SIGINFO};
    sigaction(SIGVTALRM, &alarm_action, NULL);
    struct itimerval every = {.it_interval.tv_sec = WATCH_SECONDS, .it_value.tv_sec = WATCH_SECONDS};
    setitimer(ITIMER_VIRTUAL, &every, NULL);
}

static void *globals, *globals_at_start;
static size_t globals_bytes;

void machine_reset(void) {
    memory_clear();
    memcpy(globals, globals_at_start, globals_bytes);
}

static size_t all_globals(void) { return globals_bytes; }

void machine_open(void *start, size_t bytes) {
    globals = start;
    globals_bytes = bytes;
    globals_at_start = malloc(bytes + 1);
    if (!globals_at_start)
        exit(4);
    memcpy(globals_at_start, globals, bytes);
    memory_open();
    races_open((uintptr_t)globals, globals_bytes);
    memory_cover(globals, globals_bytes, all_globals);
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++)
        memory_stack(thread, &machine.thread[thread].coroutine);
    machine.current = LAB_CLOCKS;
    watch();
}
