#include "proof/checks/verdict.h"
#include "harness/measuring/clock.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* When does a step hang? A spinning step uses processor time, a sleeping one uses none. Processor time is the better
 * measure: on a busy machine a sound check may wait long for a processor, and then there is no verdict. A step does not
 * hang while threads spin for a thread that has not run yet: that thread may be about to let them go on.
 */
#ifndef HANG_WAITED /* share of them that threads may have waited for a processor; more is no verdict. Where faults    \
                       are planted: all */
#define HANG_WAITED 0.25
#endif
#ifndef HANG_PROCESSOR_SECONDS
#define HANG_PROCESSOR_SECONDS (CHECK_SANITIZED ? 8.0 : 3.0)
#endif
/* seconds: a thread that ran for so long in this step could have ended it */
#define HAD_ITS_TURN (HANG_PROCESSOR_SECONDS / 10)
#ifndef HANG_SECONDS /* shorter for planted faults that make the check hang */
#define HANG_SECONDS 60.0
#endif
#define WATCH_PERIOD_MICROSECONDS 50000
#define WATCHED_THREADS 64

struct line {
    char text[360];
    size_t length;
};

static struct {
    const char *check, *deque;
    uint64_t seed;
    pthread_mutex_t lock; /* protects the two texts, which the failing thread reads */
    struct line tried, repeat;
    _Atomic unsigned long step;
    atomic_bool over;   /* the check has passed or failed; a second thread with a verdict says nothing (only_verdict) */
    atomic_bool passed; /* the watchdog may end */
    pthread_t watchdog;
    bool (*explain)(void);
    void (*after_hang)(void);
} current = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A second thread with a verdict waits for the end of the process. The watchdog does not: check_passed waits for it. */
static void only_verdict(void) {
    if (!atomic_exchange_explicit(&current.over, true, memory_order_relaxed))
        return;
    if (pthread_equal(pthread_self(), current.watchdog))
        pthread_exit(NULL);
    for (;;)
        pause();
}

/* A failure is printed. */
_Noreturn static void give_up(bool hangs) {
    fflush(stdout);
    if (hangs && current.after_hang)
        current.after_hang();
    _exit(1);
}

_Noreturn static void fail(bool hangs, const char *format, va_list arguments) {
    only_verdict();
    pthread_mutex_lock(&current.lock);
    if (current.explain) {
        alarm(0); /* of crashed() */
        if (current.explain())
            give_up(hangs);
    }
    printf("%s; step %lu\n%s\n", current.tried.text, check_steps(), current.repeat.text);
    printf("FAILED %s of %s: ", current.check, current.deque);
    vprintf(format, arguments);
    printf("\n");
    give_up(hangs);
}

_Noreturn void check_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(false, format, arguments);
}

_Noreturn __attribute__((format(printf, 1, 2))) static void hangs(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(true, format, arguments);
}

void check_when_it_fails(bool (*explain)(void), void (*after_hang)(void)) {
    current.explain = explain;
    current.after_hang = after_hang;
}

void check_again(void) {
    current.explain = NULL;
    current.after_hang = NULL;
    atomic_store_explicit(&current.over, false, memory_order_relaxed);
    current.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/* The step that is watched, as the watchdog saw it first. */
struct watched {
    unsigned long step;
    uint64_t start;
    unsigned hung; /* consecutive looks at which the step seemed to hang: a thread that has just had its turn may have
                      just ended it */
    double processor, waited; /* waited: in the middle of the step's time; -1 before that */
    struct clock_thread threads[WATCHED_THREADS];
    size_t count;
};

static void watch_step(struct watched *now) {
    now->step = check_steps();
    now->hung = 0;
    now->start = clock_nanoseconds();
    now->processor = processor_seconds();
    now->waited = -1;
    now->count = clock_threads(0, now->threads, WATCHED_THREADS);
}

/* Has one of the check's threads waited for a processor in this step, and hardly got one? */
static bool starves(const struct watched *since) {
    struct clock_thread now[WATCHED_THREADS];
    for (size_t i = clock_threads(0, now, WATCHED_THREADS); i-- > 0;) {
        for (size_t j = 0; j < since->count; j++) {
            if (since->threads[j].id != now[i].id)
                continue;
            now[i].ran -= since->threads[j].ran;
            now[i].waited -= since->threads[j].waited;
        }
        if (now[i].id != syscall(SYS_gettid) && now[i].waited > HAD_ITS_TURN && now[i].ran < HAD_ITS_TURN)
            return true;
    }
    return false;
}

static void *watch(void *unused) {
    struct watched step;
    (void)unused;
    watch_step(&step);
    while (!atomic_load_explicit(&current.passed, memory_order_relaxed)) {
        usleep(WATCH_PERIOD_MICROSECONDS);
        if (check_steps() != step.step) {
            watch_step(&step);
            continue;
        }
        double seconds = (double)(clock_nanoseconds() - step.start) * 1e-9;
        double processor = processor_seconds() - step.processor;
        if (seconds > HANG_SECONDS / 2 && step.waited < 0)
            step.waited = clock_waited(0);
        if (seconds > HANG_SECONDS && clock_waited(0) - step.waited > HANG_SECONDS * HANG_WAITED) {
            only_verdict();
            printf("no verdict of %s on %s: this step waited %.0f s for a processor\n", current.check, current.deque,
                   clock_waited(0) - step.waited);
            fflush(stdout);
            _exit(NO_VERDICT);
        }
        step.hung = processor > HANG_PROCESSOR_SECONDS && !starves(&step) ? step.hung + 1 : 0;
        if (seconds > HANG_SECONDS || step.hung > 2)
            hangs("it hangs: no end of this step after %.1f s of processor time", processor);
    }
    return NULL;
}

/* Printing is not safe in a signal handler. But the process is lost anyway, and printing mostly works. If the crash was
 * inside printing, printing waits for itself, and the alarm ends the process. */
static void crashed(int number) {
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    if (number == SIGABRT) /* most often the allocator's, which holds its lock: to fork would wait for it */
        current.explain = NULL;
    check_fail("it crashed: %s", strsignal(number));
}

#if CHECK_THREAD_SANITIZER
/* The first race is enough, and it fails the check like any other fault. ThreadSanitizer looks for this name. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "halt_on_error=1:exitcode=1"; }
#endif

#if CHECK_SANITIZED
void __sanitizer_set_death_callback(void (*callback)(void));

/* After a sanitizer's report: prints what was tried, and how to repeat it. The sanitizer may hold locks, so this only
 * calls what it does not intercept. */
__attribute__((no_sanitize("address", "thread", "undefined"))) static void reported(void) {
    syscall(SYS_write, STDOUT_FILENO, current.tried.text, current.tried.length);
    syscall(SYS_write, STDOUT_FILENO, "\n", 1);
    syscall(SYS_write, STDOUT_FILENO, current.repeat.text, current.repeat.length);
    syscall(SYS_write, STDOUT_FILENO, "\n", 1);
}
#endif

/* Sanitizers report crashes themselves, with a stack trace. */
static void report_crashes(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#if CHECK_SANITIZED
    __sanitizer_set_death_callback(reported);
    return;
#endif
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], crashed);
}

void check_begin(const char *check, const char *deque, const struct check_request *request) {
    static char buffer[BUFSIZ];
    /* A report about a crash inside malloc must not need malloc. */
    setvbuf(stdout, buffer, _IOLBF, sizeof buffer);
    current.check = check;
    current.deque = deque;
    current.seed = request->seed;
    check_trying("", "starting");
    report_crashes();
    if (pthread_create(&current.watchdog, NULL, watch, NULL) != 0) {
        fprintf(stderr, "%s: no thread for the watchdog\n", deque);
        exit(3);
    }
}

__attribute__((format(printf, 2, 3))) static void say(struct line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    line->length = length < 0 ? 0 : (size_t)length < sizeof line->text ? (size_t)length : sizeof line->text - 1;
}

void check_trying(const char *options, const char *format, ...) {
    char trying[300];
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&current.lock);
    vsnprintf(trying, sizeof trying, format, arguments);
    say(&current.tried, "  tried: %s; seed %llu", trying, (unsigned long long)current.seed);
    say(&current.repeat, "  repeat: %s --check %s %s", program_invocation_name, current.check, options);
    pthread_mutex_unlock(&current.lock);
    va_end(arguments);
}

void check_step(void) { atomic_fetch_add_explicit(&current.step, 1, memory_order_relaxed); }

unsigned long check_steps(void) { return atomic_load_explicit(&current.step, memory_order_relaxed); }

int check_passed(const char *format, ...) {
    va_list arguments;
    only_verdict();
    atomic_store_explicit(&current.passed, true, memory_order_relaxed);
    pthread_join(current.watchdog, NULL);
    va_start(arguments, format);
    printf("passed %s of %s: ", current.check, current.deque);
    vprintf(format, arguments);
    printf(", seed %llu\n", (unsigned long long)current.seed);
    va_end(arguments);
    return 0;
}
