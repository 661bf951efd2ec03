/* system.c: threads, locks, the futex, the clock and the scheduler as the workloads see them: names.h renames the
 * library's functions to these. */
#include "extras/simulate/engine.h"
#include "extras/simulate/operations.h"
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#define WHERE ((uintptr_t)__builtin_return_address(0))
#define PICOSECONDS_A_SECOND INT64_C(1000000000000)

/* --- the futex */
static const void *waits_on[MACHINE_THREADS_MAX];

static long futex_wait(const uint32_t *word, uint32_t value, const struct timespec *limit) {
    engine_fence();
    engine_pass(machine.futex);
    engine_sleep_until(engine_now());
    if (*(const volatile uint32_t *)word != value) {
        errno = EAGAIN;
        return -1;
    }
    const int64_t until = limit ? engine_now() + limit->tv_sec * PICOSECONDS_A_SECOND + limit->tv_nsec * 1000 : 0;
    waits_on[engine_self()] = word;
    const bool woken = engine_block(until);
    waits_on[engine_self()] = NULL;
    engine_pass(machine.futex / 2);
    return woken ? 0 : -1;
}

/* Sleepers wake in the order of their numbers, from the next one after the waker. */
static long futex_wake(const void *word, int count) {
    long woken = 0;
    engine_fence();
    engine_pass(machine.futex);
    engine_sleep_until(engine_now());
    for (unsigned i = 0; i < engine_threads() && woken < count; i++) {
        const unsigned thread = (engine_self() + i) % engine_threads();
        if (waits_on[thread] != word || !engine_blocked(thread))
            continue;
        waits_on[thread] = NULL;
        engine_wake(thread, engine_now() + machine.wake);
        engine_pass(machine.futex);
        woken++;
    }
    return woken;
}

/* --- membarrier */
void simulate_heavy_fence(int asymmetric) {
    static int64_t last_ends;
    unsigned interrupted = 0;
    engine_fence();
    if (!asymmetric)
        return;
    engine_sleep_until(engine_now());
    while (machine.barrier_serial && last_ends > engine_now())
        engine_sleep_until(last_ends);
    for (unsigned thread = 0; thread < engine_threads(); thread++)
        interrupted += engine_interrupt(thread, machine.interrupt);
    last_ends = engine_now() + (interrupted > 0 ? machine.barrier : machine.barrier_alone);
    engine_sleep_until(last_ends);
}

long simulate_syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long result = -1;
    if (number == SYS_futex) {
        uint32_t *word = va_arg(arguments, uint32_t *);
        const int operation = va_arg(arguments, int);
        const uint32_t value = va_arg(arguments, uint32_t);
        result = operation == FUTEX_WAIT_PRIVATE ? futex_wait(word, value, va_arg(arguments, const struct timespec *))
                                                 : futex_wake(word, (int)value);
    } else if (number == SYS_membarrier) {
        if (va_arg(arguments, int) == MEMBARRIER_CMD_PRIVATE_EXPEDITED)
            simulate_heavy_fence(1);
        result = 0;
    } else {
        errno = ENOSYS;
    }
    va_end(arguments);
    return result;
}

/* --- a lock as the C library has it: 0 free, 1 taken, 2 taken and waited for */
static uint32_t exchange(pthread_mutex_t *mutex, uint32_t value, bool only_free, uintptr_t where) {
    uint32_t before;
    if (!operation_inside[engine_self()]) /* inside, the instructions of the library are among those that were counted
                                           */
        engine_work(80);
    engine_rmw((uintptr_t)mutex, where);
    memcpy(&before, mutex, sizeof before);
    if (!only_free || before == 0)
        memcpy(mutex, &value, sizeof value);
    engine_rmw_finished((uintptr_t)mutex);
    return before;
}

int simulate_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    (void)attributes;
    memset(mutex, 0, sizeof *mutex);
    return 0;
}
int simulate_mutex_destroy(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}
int simulate_mutex_lock(pthread_mutex_t *mutex) {
    if (exchange(mutex, 1, true, WHERE) == 0)
        return 0;
    while (exchange(mutex, 2, false, WHERE) != 0)
        futex_wait((const uint32_t *)mutex, 2, NULL);
    return 0;
}
int simulate_mutex_trylock(pthread_mutex_t *mutex) { return exchange(mutex, 1, true, WHERE) == 0 ? 0 : EBUSY; }
int simulate_mutex_unlock(pthread_mutex_t *mutex) {
    if (exchange(mutex, 0, false, WHERE) == 2)
        futex_wake(mutex, 1);
    return 0;
}

/* --- threads */
int simulate_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    (void)attributes;
    engine_fence();
    *thread = (pthread_t)engine_start(body, argument);
    return 0;
}
int simulate_thread_join(pthread_t thread, void **result) {
    (void)result;
    engine_fence();
    while (!engine_ended((unsigned)thread))
        engine_sleep_until(engine_now() + machine.yield);
    engine_forget((unsigned)thread);
    return 0;
}
pthread_t simulate_thread_self(void) { return (pthread_t)engine_self(); }
/* Who asks how deep the stack may be makes do without: every thread has more than is needed. */
int simulate_thread_attributes(pthread_t thread, pthread_attr_t *attributes) {
    (void)thread, (void)attributes;
    return ENOSYS;
}

int simulate_yield(void) {
    engine_fence();
    engine_sleep_until(engine_now() + machine.yield);
    return 0;
}
int simulate_nanosleep(const struct timespec *duration, struct timespec *left) {
    (void)left;
    engine_sleep_until(engine_now() + duration->tv_sec * PICOSECONDS_A_SECOND + duration->tv_nsec * 1000);
    return 0;
}
void simulate_pause(void) { engine_pass(machine.pause); }

unsigned long simulate_nanoseconds(void) {
    engine_wait_for_loads();
    engine_pass(machine.clock);
    return (unsigned long)engine_now() / 1000;
}
int simulate_clock_gettime(clockid_t clock, struct timespec *now) {
    (void)clock;
    const int64_t nanoseconds = (int64_t)simulate_nanoseconds();
    *now = (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    return 0;
}
