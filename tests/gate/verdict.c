#include "tests/gate/verdict.h"
#include "harness/clock.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A step that hangs burns processor time if it spins, and none if it sleeps. Processor time is the better measure: on
 * a busy machine a sound check can stand still for long without having had a processor, and then there is no verdict.
 */
#ifndef HANG_WAITED /* share of them that threads may have waited for a processor; more is no verdict. Where faults    \
                       are planted: all */
#define HANG_WAITED 0.25
#endif
#define HANG_PROCESSOR_SECONDS (GATE_SANITIZED ? 8.0 : 3.0)
#ifndef HANG_SECONDS /* less where faults are planted that make it hang */
#define HANG_SECONDS 60.0
#endif
#define WATCH_PERIOD_MICROSECONDS 50000

static struct {
    const char *check, *deque;
    uint64_t seed;
    pthread_mutex_t lock; /* of the two texts, which whoever fails reads */
    char options[160];
    char trying[320];
    _Atomic unsigned long step;
    atomic_bool over;   /* the check has passed or failed; whoever comes second has nothing to say */
    atomic_bool passed; /* the watchdog may go */
    pthread_t watchdog;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

_Noreturn static void fail(const char *format, va_list arguments) {
    if (atomic_exchange_explicit(&gate.over, true, memory_order_relaxed))
        for (;;)
            pause();
    pthread_mutex_lock(&gate.lock);
    printf("  tried: %s; step %lu, seed %llu\n", gate.trying, gate_steps(), (unsigned long long)gate.seed);
    printf("  repeat: build/deques/%s --check %s %s\n", gate.deque, gate.check, gate.options);
    printf("FAILED %s of %s: ", gate.check, gate.deque);
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    _exit(1);
}

_Noreturn void gate_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(format, arguments);
}

_Noreturn void gate_undecided(const char *format, ...) {
    va_list arguments;
    if (atomic_exchange_explicit(&gate.over, true, memory_order_relaxed))
        for (;;)
            pause();
    va_start(arguments, format);
    printf("no verdict of %s on %s: ", gate.check, gate.deque);
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    _exit(NO_VERDICT);
}

static void *watch(void *unused) {
    unsigned long seen = gate_steps();
    double processor = processor_seconds(), waited = -1; /* by the middle of the time that a step has */
    uint64_t start = clock_nanoseconds();
    (void)unused;
    while (!atomic_load_explicit(&gate.passed, memory_order_relaxed)) {
        usleep(WATCH_PERIOD_MICROSECONDS);
        double seconds = (double)(clock_nanoseconds() - start) * 1e-9;
        if (gate_steps() != seen) {
            seen = gate_steps();
            processor = processor_seconds();
            waited = -1;
            start = clock_nanoseconds();
            continue;
        }
        if (seconds > HANG_SECONDS / 2 && waited < 0)
            waited = clock_waited(0);
        if (seconds > HANG_SECONDS && clock_waited(0) - waited > HANG_SECONDS * HANG_WAITED)
            gate_undecided("this step waited %.0f s for a processor", clock_waited(0) - waited);
        if (seconds > HANG_SECONDS || processor_seconds() - processor > HANG_PROCESSOR_SECONDS)
            gate_fail("it hangs: no end of this step after %.1f s of processor time", processor_seconds() - processor);
    }
    return NULL;
}

/* Printing is not safe in a signal handler; the process is lost anyway, and mostly it works. The alarm ends it when
 * the crash was inside of printing, which then waits for itself. */
static void crashed(int number) {
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    gate_fail("it crashed: %s", strsignal(number));
}

#if GATE_THREAD_SANITIZER
/* The first race is enough, and it is a failed check like any other. ThreadSanitizer looks for this name. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "halt_on_error=1:exitcode=1"; }
#endif

/* Sanitizers report crashes themselves, with a stack. */
static void report_crashes(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    if (GATE_SANITIZED)
        return;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], crashed);
}

void gate_begin(const char *check, const char *deque, const struct check_request *request) {
    static char buffer[BUFSIZ];
    /* A report about a crash inside of malloc must not need malloc. */
    setvbuf(stdout, buffer, _IOLBF, sizeof buffer);
    gate.check = check;
    gate.deque = deque;
    gate.seed = request->seed;
    gate_trying("", "starting");
    report_crashes();
    if (pthread_create(&gate.watchdog, NULL, watch, NULL) != 0) {
        fprintf(stderr, "%s: no thread for the watchdog\n", deque);
        exit(3);
    }
}

void gate_trying(const char *options, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&gate.lock);
    snprintf(gate.options, sizeof gate.options, "%s", options);
    vsnprintf(gate.trying, sizeof gate.trying, format, arguments);
    pthread_mutex_unlock(&gate.lock);
    va_end(arguments);
}

void gate_step(void) { atomic_fetch_add_explicit(&gate.step, 1, memory_order_relaxed); }

unsigned long gate_steps(void) { return atomic_load_explicit(&gate.step, memory_order_relaxed); }

int gate_passed(const char *format, ...) {
    va_list arguments;
    if (atomic_exchange_explicit(&gate.over, true, memory_order_relaxed))
        for (;;)
            pause();
    atomic_store_explicit(&gate.passed, true, memory_order_relaxed);
    pthread_join(gate.watchdog, NULL);
    va_start(arguments, format);
    printf("passed %s of %s: ", gate.check, gate.deque);
    vprintf(format, arguments);
    printf(", seed %llu\n", (unsigned long long)gate.seed);
    va_end(arguments);
    return 0;
}

uint64_t gate_mix(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9e3779b97f4a7c15u + b;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
