/* generator.c: the thread that hands over each request at its own time, and the one that takes a processor away. */
#include "harness/measuring/clock/clock.h"
#include "workloads/serve/load_state.h"
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#define LEAD 1000000         /* ns from the generator's start to time 0 */
#define AWAY_PERIOD 10000000 /* ns */
#define LOOK 50000           /* ns between two looks whether all requests have ended */

static void sleep_for(uint64_t nanoseconds) {
    const struct timespec time = {.tv_sec = (time_t)(nanoseconds / 1000000000u),
                                  .tv_nsec = (long)(nanoseconds % 1000000000u)};
    nanosleep(&time, NULL);
}

/* Until the deadline: asleep as long as it is far away. The time then. */
static uint64_t wait_until(uint64_t due, uint64_t spin) {
    uint64_t now;
    while ((now = clock_nanoseconds()) < due)
        if (due - now > spin)
            sleep_for(due - now - spin);
    return now;
}

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double switches_of(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/* Processor time of all threads but this one so far. */
static struct load_spent spent(uint64_t now) {
    return (struct load_spent){.seconds = (double)now * 1e-9,
                               .processor_seconds =
                                   seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID),
                               .switches = switches_of(RUSAGE_SELF) - switches_of(RUSAGE_THREAD)};
}

static void submit_all(struct load *load, uint64_t start) {
    for (size_t i = 0; i < load->count; i++) {
        struct load_request *request = &load->requests[i];
        request->due += start;
        request->given = wait_until(request->due, load->spin);
        /* acquire: pairs with the release in load_end; what is under way is what was given and has not ended */
        request->found_idle = atomic_load_explicit(&load->ended, memory_order_acquire) == i;
        if (!load->server->submit(load->server->context, i)) {
            atomic_store_explicit(&load->failed, true, memory_order_relaxed);
            load->count = i; /* no more requests will come */
        }
    }
}

static void *generate(void *argument) {
    struct load *load = argument;
    const struct load_server *server = load->server;
    places_take(server->places, server->threads);
    prctl(PR_SET_TIMERSLACK, 1);
    if (server->attach)
        server->attach(server->context, true);
    while (!atomic_load_explicit(&load->opened, memory_order_acquire)) /* pairs with the release in load_opened */
        sched_yield();
    const uint64_t start = wait_until(clock_nanoseconds() + LEAD, 0);
    const struct load_spent before = spent(start);
    submit_all(load, start);
    if (load->count == 0)
        wait_until(start + (uint64_t)(load->nothing * 1e9), 0);
    while (atomic_load_explicit(&load->ended, memory_order_acquire) < load->count)
        sleep_for(LOOK);
    const struct load_spent after = spent(clock_nanoseconds());
    /* the clocks are read one after the other, so an idle server's time may come out slightly negative */
    load->spent = (struct load_spent){.seconds = after.seconds - before.seconds,
                                      .processor_seconds = fmax(0, after.processor_seconds - before.processor_seconds),
                                      .switches = after.switches - before.switches};
    atomic_store_explicit(&load->over, true, memory_order_relaxed);
    if (server->close)
        server->close(server->context);
    if (server->attach)
        server->attach(server->context, false);
    return NULL;
}

/* Acts as another program on the first server's processor. */
static void *take_away(void *argument) {
    struct load *load = argument;
    const uint64_t taken = AWAY_PERIOD / 100 * load->away;
    places_take(load->server->places, 0);
    while (!atomic_load_explicit(&load->over, memory_order_relaxed)) {
        const uint64_t until = clock_nanoseconds() + taken;
        while (clock_nanoseconds() < until)
            continue;
        sleep_for(AWAY_PERIOD - taken);
    }
    return NULL;
}

/* At its place from the start: the caller's processor may be one that a worker never leaves. */
static int start_at(struct load *load, unsigned place, void *(*run)(void *), pthread_t *thread) {
    pthread_attr_t attributes;
    cpu_set_t set;
    pthread_attr_init(&attributes);
    CPU_ZERO(&set);
    if (load->server->places->processor[place] >= 0) {
        CPU_SET((size_t)load->server->places->processor[place], &set);
        pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    }
    const int failure = pthread_create(thread, &attributes, run, load);
    pthread_attr_destroy(&attributes);
    if (failure)
        fprintf(stderr, "stealbench: serve: no thread for the generator\n");
    return failure ? 3 : 0;
}

int generator_start(struct load *load, pthread_t threads[2]) {
    if (start_at(load, load->server->threads, generate, &threads[0]) != 0)
        return 3;
    if (load->away == 0 || start_at(load, 0, take_away, &threads[1]) != 0)
        threads[1] = threads[0];
    return 0;
}
