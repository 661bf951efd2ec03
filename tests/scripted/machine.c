#include "tests/scripted/machine.h"
#include "harness/measuring/cycles.h"
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int __real_sched_yield(void);
long __real_syscall(long number, ...);

enum {
    THREADS = 64,
    LEAD = 20000 /* ns */,
    WORK = 1000 /* ns: more than a look around takes */,
    PATIENCE = 1000000 /* looks at the others; then on, whatever they do */
};
#define BEGINNING 1000000000

static struct {
    _Atomic uint64_t now;
    _Atomic bool counts; /* others wait for it */
    _Atomic bool yields; /* it has done nothing since it yielded but look around */
    _Atomic bool taken;
} threads[THREADS];
static _Thread_local int mine = -1;
static _Thread_local uint64_t since_yield; /* ns */
static _Thread_local uint64_t not_before;  /* no other thread that counts is earlier */
static _Thread_local long displaced, faults;
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t now_of(int i) { return atomic_load_explicit(&threads[i].now, memory_order_relaxed); }

/* The time of the slowest other thread that counts; at_work: of those that do not yield. UINT64_MAX: there is none. */
static uint64_t slowest(bool at_work) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < THREADS; i++)
        if (i != mine && atomic_load_explicit(&threads[i].counts, memory_order_acquire) && now_of(i) < least &&
            !(at_work && atomic_load_explicit(&threads[i].yields, memory_order_relaxed)))
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
    since_yield += nanoseconds;
    if (since_yield >= WORK)
        atomic_store_explicit(&threads[mine].yields, false, memory_order_relaxed);
    for (int look = 0; look < PATIENCE && now > not_before + LEAD; look++) {
        const uint64_t others = slowest(false);
        not_before = others < now ? others : now; /* one that begins takes the latest time */
        if (now > not_before + LEAD)
            __real_sched_yield();
    }
}

void machine_away(uint64_t nanoseconds) {
    displaced++;
    machine_spend(nanoseconds);
}

void machine_fault(void) { faults++; }

static void catch_up(bool at_work) {
    const uint64_t others = slowest(at_work);
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
    catch_up(false);
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
    usage->ru_nvcsw = 0;
    usage->ru_nivcsw = displaced;
    usage->ru_minflt = faults;
    return result;
}

/* No schedstat, which like all of /proc has no size: the machine at hand may be busy. */
ssize_t __real_pread(int file, void *buffer, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *buffer, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void *buffer, size_t bytes, off_t offset) {
    struct stat status;
    return fstat(file, &status) == 0 && status.st_size > 0 ? __real_pread(file, buffer, bytes, offset) : -1;
}

int __wrap_sched_yield(void);
int __wrap_sched_yield(void) {
    if (mine < 0)
        begin();
    /* Two that only wait must not wait for each other. */
    atomic_store_explicit(&threads[mine].yields, true, memory_order_relaxed);
    since_yield = 0;
    catch_up(true);
    return __real_sched_yield();
}

/* Sleeps until then: on at once, ahead of those who work, for whom it then waits. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left) {
    (void)left;
    machine_spend((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
    return 0;
}

/* A thread that gets a lock, or is woken, is not earlier than the thread that released it, or woke it. Locks (and words
 * to wait for) with equal hashes share a time. */
enum { LOCKS = 1024 };
static _Atomic uint64_t given_up[LOCKS];
static _Atomic uint64_t *time_of(const void *lock) { return &given_up[(uintptr_t)lock / 64 % LOCKS]; }

static void gets(const void *lock) {
    const uint64_t before = atomic_load_explicit(time_of(lock), memory_order_relaxed);
    if (mine < 0)
        begin();
    if (before > now_of(mine))
        atomic_store_explicit(&threads[mine].now, before, memory_order_relaxed);
}

static void gives(const void *lock) {
    if (mine < 0)
        begin();
    if (now_of(mine) > atomic_load_explicit(time_of(lock), memory_order_relaxed))
        atomic_store_explicit(time_of(lock), now_of(mine), memory_order_relaxed);
}

int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock) {
    const int result = __real_pthread_mutex_lock(lock);
    gets(lock);
    return result;
}

int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock) {
    gives(lock);
    return __real_pthread_mutex_unlock(lock);
}

/* Work: a nanosecond an iteration. */
void __wrap_task_cost_work(uint64_t iterations);
void __wrap_task_cost_work(uint64_t iterations) { machine_spend(iterations); }
double __wrap_task_cost_calibrate(void);
double __wrap_task_cost_calibrate(void) { return 1; }

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
    const int futex = number == SYS_futex ? (int)words[1] & FUTEX_CMD_MASK : -1;
    if (futex == FUTEX_WAKE)
        gives((void *)words[0]);
    leave();
    const long result = __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    const int error = errno;
    if (futex == FUTEX_WAIT)
        gets((void *)words[0]);
    come_back();
    errno = error;
    return result;
}

bool cycles_by_clock = true;
struct cycles_facts cycles_calibrate(void) {
    return (struct cycles_facts){.tick = 1, .sampling_cost = MACHINE_READ};
}
