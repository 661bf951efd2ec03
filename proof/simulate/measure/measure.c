/* measure.c: this machine's numbers for simulate, as far as two processors can tell them: a line's way between the
 * first two processors of this process, locked instruction, fence, read of the clock, pause, sched_yield, membarrier.
 * Prints a line each: name, value, least and largest of the rounds, in ns. */
#include "harness/measuring/clock/clock.h"
#include "harness/measuring/threads/distance.h"
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS 31
#define SECONDS_A_DISTANCE 0.01

static _Atomic uint64_t word;
static uint64_t plain;
static _Atomic bool over;

/* Work that an instruction can hide behind, as behind a deque's operation. */
static inline void work(void) {
    for (int i = 0; i < 8; i++) {
        plain += plain >> 3;
        __asm__ volatile("" : "+r"(plain));
    }
}

static void nothing(void) { work(); }
static void locked(void) {
    work();
    atomic_fetch_add_explicit(&word, 1, memory_order_relaxed);
}
static void fence(void) {
    work();
    atomic_store_explicit(&word, plain, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with none: it is timed */
}
static void read_clock(void) {
    work();
    clock_nanoseconds();
}
static void pause_once(void) {
    work();
#if defined(__x86_64__)
    __asm__ volatile("pause");
#endif
}
static void yield(void) { sched_yield(); }
static void barrier(void) { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *name, double *rounds, size_t count) {
    qsort(rounds, count, sizeof rounds[0], compare);
    printf("%s\t%.2f\t%.2f\t%.2f\n", name, rounds[count / 2], rounds[count / 20], rounds[count - 1 - count / 20]);
    fflush(stdout);
}

static double time_of(void (*one)(void), unsigned times) {
    const uint64_t begin = clock_nanoseconds();
    for (unsigned i = 0; i < times; i++)
        one();
    return (double)(clock_nanoseconds() - begin) / times;
}

/* less: what the loop takes without it. */
static void measure(const char *name, void (*one)(void), unsigned times, void (*less)(void)) {
    double rounds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        rounds[i] = time_of(one, times) - (less ? time_of(less, times) : 0);
    tell(name, rounds, ROUNDS);
}

static void *runs(void *argument) {
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        ;
    return argument;
}

int main(void) {
    double rounds[ROUNDS];
    cpu_set_t allowed;
    int processors[2], count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 3;
    for (int i = 0; i < CPU_SETSIZE && count < 2; i++)
        if (CPU_ISSET((size_t)i, &allowed))
            processors[count++] = i;
    for (int i = 0; i < ROUNDS && count == 2; i++)
        rounds[i] = distance_between(processors[0], processors[1], SECONDS_A_DISTANCE);
    if (count == 2)
        tell("distance", rounds, ROUNDS);
    measure("locked", locked, 20000, nothing);
    measure("fence", fence, 20000, nothing);
    measure("clock", read_clock, 5000, nothing);
    measure("pause", pause_once, 5000, nothing);
    measure("yield", yield, 1000, NULL);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
        return 0;
    measure("barrier_alone", barrier, 500, NULL);
    pthread_t other;
    if (count < 2 || pthread_create(&other, NULL, runs, NULL) != 0)
        return 0;
    measure("barrier", barrier, 200, NULL);
    atomic_store_explicit(&over, true, memory_order_relaxed);
    pthread_join(other, NULL);
    return 0;
}
