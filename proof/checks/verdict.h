/* verdict.h: the part of the checks that does not depend on the deque: where a check is, how it fails, and a watchdog.
 * So a check that crashes or hangs says so, and where, just like a check that finds a wrong answer.
 */
#pragma once

#include "harness/measuring/cell.h"
#include <stdatomic.h>
#include <stdbool.h>

/* Is this file compiled for a sanitizer, gcc's or clang's? 0 or 1. */
#if defined(__has_feature)
#define CHECK_HAS_FEATURE(feature) __has_feature(feature)
#else
#define CHECK_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || CHECK_HAS_FEATURE(thread_sanitizer)
#define CHECK_THREAD_SANITIZER 1
#else
#define CHECK_THREAD_SANITIZER 0
#endif
#if CHECK_THREAD_SANITIZER || defined(__SANITIZE_ADDRESS__) || CHECK_HAS_FEATURE(address_sanitizer)
#define CHECK_SANITIZED 1
#else
#define CHECK_SANITIZED 0
#endif

/* Main thread. Starts the watchdog and reports crashes. One check per process: the first failure ends it. */
void check_begin(const char *check, const char *deque, const struct check_request *);

/* Main thread. Says what is being tried from now on ("duel, capacity 1, ..."), and which options repeat it. */
void check_trying(const char *options, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Main thread. One more step or round is done; the watchdog's time starts again. */
void check_step(void);

/* Steps done so far. */
unsigned long check_steps(void);

/* Any thread. Prints what was being tried, how to repeat it and, as the last line, what went wrong, and ends the
 * process with 1. After a wrong answer other threads may be inside the deque for ever, so nothing can be cleaned up. */
_Noreturn void check_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Main thread, after check_begin; NULL: nothing. explain: called before a failure is printed; true: it has printed the
 * failure itself. after_hang: called when a hang is printed; if it returns, the process ends. */
void check_when_it_fails(bool (*explain)(void), void (*after_hang)(void));

/* In a child of a process that fails: its own failures are printed and end it, and nothing else happens. */
void check_again(void);

/* Main thread. Ends the watchdog and prints a line about what was done. Returns 0, the result of a check that passed.
 */
int check_passed(const char *format, ...) __attribute__((format(printf, 1, 2)));
