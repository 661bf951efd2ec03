/* machine.h: the machine that a deque runs on in the lab: threads, their store buffers, one memory.
 *
 * Before each access to shared memory the running thread asks the schedule which thread runs next. Threads change
 * nowhere else. The same executable under the same schedule makes the same run.
 */
#pragma once

#include "proof/lab/engine/coroutine.h"
#include "proof/lab/engine/memory.h"
#include "proof/lab/engine/races.h"
#include "proof/lab/engine/store_buffer.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What can go wrong in a run, the worst last. */
enum fault_kind {
    FAULT_NONE,
    FAULT_RACE,     /* plain accesses that nothing orders */
    FAULT_ANSWER,   /* EMPTY, LOST or FULL although impossible */
    FAULT_HANGS,    /* the run does not end, or nobody can go on */
    FAULT_LOST,     /* an item never came out */
    FAULT_DOUBLED,  /* an item came out more often than it went in */
    FAULT_STRANGER, /* something came out that is no item, or an item before its contents */
    FAULT_FREED,    /* memory was used after it was freed, or freed twice */
    FAULT_WILD,     /* an access to memory that the lab does not know */
    FAULT_CANNOT    /* the client could not be set up: no verdict */
};
const char *fault_name(enum fault_kind);

struct fault {
    enum fault_kind kind;
    char text[400];
    uint64_t step;
    uintptr_t where[2]; /* return addresses for %1 and %2 in the text; 0: unused */
};

/* The schedule's answers before each access. CHOICE_OLDER (which store a load reads, or that a weak CAS fails) occurs
 * only in lists of steps. */
enum choice_kind { CHOICE_RUN, CHOICE_DRAIN_ONE, CHOICE_DRAIN_ALL, CHOICE_OLDER };
struct choice {
    enum choice_kind kind;
    unsigned thread;
};

struct schedule; /* schedule.h */

enum thread_state { THREAD_ABSENT, THREAD_READY, THREAD_BLOCKED, THREAD_STOPPED, THREAD_FINISHED };

struct access_counts {
    uint64_t loads, stores, rmws, fences, plain;
    uint64_t system_calls; /* heavy fences that the kernel runs */
};

struct lab_thread {
    struct coroutine coroutine;
    struct store_buffer buffer;
    enum thread_state state;
    void (*body)(void);
    uintptr_t blocked_on;
    uint64_t points, stop_at; /* points: accesses begun; stop_at: the thread stops for ever before this one */
    uintptr_t last_where, previous_where; /* return addresses of the last access begun, and of the one before */
    struct access_counts counters;
};

#define NEVER UINT64_MAX

struct machine {
    struct lab_thread thread[LAB_CLOCKS]; /* the last one is LAB_MAIN */
    unsigned count;                       /* threads of this run, without the main thread */
    unsigned current;                     /* LAB_CLOCKS: no thread */
    unsigned runnable;                    /* a bit a thread */
    unsigned buffered;                    /* a bit for each thread whose store buffer is not empty */
    struct schedule *schedule;
    bool plain_points;
    bool weak; /* memory is weak, and the running thread is not main */
    bool in_main;
    uint64_t step, step_limit; /* of this run */
    uint64_t accesses;         /* over all runs */
    uint64_t switches;
    struct fault fault; /* the fault that ended the run */
    struct fault noted; /* the worst fault that did not: a race, an impossible answer */
    struct coroutine scheduler;
    char note[400]; /* client and seed, for the watchdog's message */
};
extern struct machine machine;

/* Call once. globals: the deque's own global variables, which are reset before every run. */
void machine_open(void *globals, size_t globals_bytes);

/* Call before a new client. Empties memory and sets the deque's global variables as at program start. */
void machine_reset(void);

/* Begins a run: no threads, no fault. */
void machine_begin(uint64_t step_limit);

/* Runs body as the main thread, alone, after every earlier store has arrived. Returns false if it ended in a fault. */
bool machine_call(void (*body)(void));

/* Starts threads 0 to count - 1 and runs them under the schedule until all have finished or stopped, or a fault occurs.
 */
bool machine_run(void (*const bodies[])(void), unsigned count, struct schedule *);

/* Continues a run whose threads stopped or that got new bodies. */
bool machine_continue(struct schedule *);
void machine_start_thread(unsigned thread, void (*body)(void));
void machine_release_stopped(unsigned thread);

/* Any thread of the lab. After a note the run goes on, because it may show a worse fault; a fault ends it. where:
 * return addresses, or 0. */
void machine_note(enum fault_kind, uintptr_t where1, uintptr_t where2, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void machine_fault(enum fault_kind, uintptr_t where1, uintptr_t where2, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* For the entry points and the libc shim. */
void machine_point(uintptr_t where); /* before an access: the schedule chooses */
void machine_drain(unsigned thread); /* all stores of the thread reach memory */
void machine_race(const struct race *);
void machine_block(uintptr_t on); /* until machine_wake(on) */
void machine_wake(uintptr_t on);
/* Ends the run on a bad address. */
void machine_address(uintptr_t address, size_t size, uintptr_t where, const char *what);

/* Is address on the running thread's own stack? */
static inline bool machine_own_stack(uintptr_t address) {
    const struct coroutine *own = &machine.thread[machine.current].coroutine;
    return address >= own->stack_low && address < own->stack_high;
}
static inline struct lab_thread *machine_self(void) { return &machine.thread[machine.current]; }
static inline void machine_note_buffer(unsigned thread) {
    if (machine.thread[thread].buffer.count > 0)
        machine.buffered |= 1u << thread;
    else
        machine.buffered &= ~(1u << thread);
}

/* A thread in words: "owner", "thief", "thief 2", "set-up". */
const char *machine_role(unsigned thread);
