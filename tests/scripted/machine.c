#include "tests/scripted/machine.h"
#include "harness/measuring/clock/cycles.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int __real_sched_yield(void);
long __real_syscall(long number, ...);

enum { THREADS = 64, LEAD = 20000 /* ns */, PATIENCE = 1000000 /* looks at the others; then on, whatever they do */ };
#define BEGINNING 1000000000

static struct {
    _Atomic uint64_t now;
    _Atomic bool counts; /* others wait for it */
    _Atomic bool taken;
} threads[THREADS];
static _Thread_local int mine = -1;
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t now_of(int i) { return atomic_load_explicit(&threads[i].now, memory_order_relaxed); }

/* The time of the slowest of the others that count; UINT64_MAX: there are none. */
static uint64_t slowest(void) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < THREADS; i++)
        if (i != mine && atomic_load_explicit(&threads[i].counts, memory_order_acquire) && now_of(i) < least)
            least = now_of(i);
    return least;
}

static void end(void *value) {
    (void)value;
    atomic_store_explicit(&threads[mine].counts, false, memory_order_release);
    atomic_store_explicit(&threads[mine].taken, false, memory_order_release);
}

static void make_key(void) { pthread_key_create(&ending, end); }

/* A thread begins at the time of the fastest there is: its creator's, or later. */
static void begin(void) {
    uint64_t latest = BEGINNING;
    pthread_once(&once, make_key);
    pthread_setspecific(ending, &ending);
    for (int i = 0; i < THREADS; i++)
        if (atomic_load_explicit(&threads[i].taken, memory_order_acquire) && now_of(i) > latest)
            latest = now_of(i);
    for (mine = 0; atomic_exchange_explicit(&threads[mine].taken, true, memory_order_acq_rel); mine++)
        if (mine + 1 == THREADS)
            abort();
    atomic_store_explicit(&threads[mine].now, latest, memory_order_relaxed);
    atomic_store_explicit(&threads[mine].counts, true, memory_order_release);
}

void machine_spend(uint64_t nanoseconds) {
    if (mine < 0)
        begin();
    const uint64_t now = now_of(mine) + nanoseconds;
    atomic_store_explicit(&threads[mine].now, now, memory_order_relaxed);
    for (int look = 0; look < PATIENCE && now > LEAD && slowest() < now - LEAD; look++)
        __real_sched_yield();
}

static void catch_up(void) {
    const uint64_t others = slowest();
    if (others != UINT64_MAX && others > now_of(mine))
        atomic_store_explicit(&threads[mine].now, others, memory_order_relaxed);
}

void machine_pause(void) { __real_sched_yield(); }

/* Around what may block. */
static void leave(void) {
    if (mine < 0)
        begin();
    atomic_store_explicit(&threads[mine].counts, false, memory_order_release);
}
static void come_back(void) {
    catch_up();
    atomic_store_explicit(&threads[mine].counts, true, memory_order_release);
}

/* --- in place of the C library's and of our own */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    machine_spend(clock == CLOCK_MONOTONIC_RAW ? MACHINE_READ : 0);
    time->tv_sec = (time_t)(now_of(mine) / 1000000000);
    time->tv_nsec = (long)(now_of(mine) % 1000000000);
    return 0;
}

int __real_getrusage(int who, struct rusage *usage);
int __wrap_getrusage(int who, struct rusage *usage);
int __wrap_getrusage(int who, struct rusage *usage) {
    const int result = __real_getrusage(who, usage);
    usage->ru_nivcsw = usage->ru_nvcsw = 0;
    return result;
}

int __wrap_sched_yield(void);
int __wrap_sched_yield(void) {
    if (mine < 0)
        begin();
    catch_up();
    return __real_sched_yield();
}

int __real_pthread_join(pthread_t thread, void **value);
int __wrap_pthread_join(pthread_t thread, void **value);
int __wrap_pthread_join(pthread_t thread, void **value) {
    leave();
    const int result = __real_pthread_join(thread, value);
    come_back();
    return result;
}

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
    long words[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(arguments, long);
    va_end(arguments);
    leave();
    const long result = __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    const int error = errno;
    come_back();
    errno = error;
    return result;
}

bool cycles_by_clock = true;
struct cycles_facts cycles_calibrate(void) {
    return (struct cycles_facts){.tick = 1, .sampling_cost = MACHINE_READ, .source = "virtual"};
}
