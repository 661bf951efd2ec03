/* engine.h: threads in virtual time. Each has a clock; the one that is behind runs.
 *
 * A thread may run ahead of the others by half of the least distance between two processors: a line that it holds stays
 * with it for that long after another thread asks for it, so nothing that the others do meanwhile can reach it.
 * Whatever moves a line happens in the order of time. All times are whole picoseconds, and ties go to the lower thread,
 * so the same executable makes the same run everywhere.
 */
#pragma once

#include "extras/simulate/machine.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, first: thread 0 runs the body, which ends the process. */
void engine_run(void *(*body)(void *), void *argument);

/* The running thread's number and time. */
unsigned engine_self(void);
int64_t engine_now(void);
unsigned engine_threads(void);

/* A new thread, ready at the running one's time. Its number. */
unsigned engine_start(void *(*body)(void *), void *argument);
/* The running thread has ended: never returns. */
_Noreturn void engine_end(void);
bool engine_ended(unsigned thread);
void engine_forget(unsigned thread); /* one that has ended: its number is free again */

/* Time passes for the running thread: work that takes so many tenths of an instruction; or waiting, other threads run.
 */
void engine_work(int64_t tenths);
void engine_pass(int64_t picoseconds);
void engine_called(void); /* a function, outside of a deque's operations */
void engine_sleep_until(int64_t time);

/* The running thread stops until another wakes it, or until a time (0: never). false: the time was over. */
bool engine_block(int64_t until);
void engine_wake(unsigned thread, int64_t at); /* at: when it runs on, not before now */
bool engine_blocked(unsigned thread);

/* An access of the running thread to memory. where: the instruction.
 * load: on return the memory holds what the load reads, unless own_store has it. store: the value reaches memory later.
 * rmw: on return memory is this thread's alone; the caller reads and writes it at once, then says finished.
 * range: a plain access; the caller makes it at once. */
void engine_load(uintptr_t address, unsigned size, uintptr_t where);
bool engine_own_store(uintptr_t address, unsigned size, uint64_t *value);
void engine_store(uintptr_t address, unsigned size, uint64_t value, uintptr_t where);
void engine_rmw(uintptr_t address, uintptr_t where);
void engine_rmw_finished(uintptr_t address);
void engine_range(uintptr_t address, size_t bytes, bool write, uintptr_t where);

/* Waits for loads under way; a fence also for the stores. The time of a fence's own hides behind what follows. */
void engine_wait_for_loads(void);
void engine_fence(void);
/* A fence in another thread, which is interrupted. */
bool engine_interrupt(unsigned thread, int64_t costs); /* false: it does not run */
