/* doctor.c: measures what disturbs measuring; harness/judging/doctor.py says why that matters, and what mends it. */
#include "harness/driver/record/machine.c"
#include "harness/driver/verbs/programs.c"
#include "harness/measuring/clock.h"
#include "harness/measuring/distance.h"
#include "harness/measuring/watch.h"

#define WINDOW 200000 /* ns: contention's windows */
#define WINDOWS 2500
#define DISTANCES_PROBED 64 /* most pairs of processors that are probed, 2 ms each */

/* Threads that do nothing but read the clock, as owner and thief would run: which windows has each missed? */
struct listener {
    uint64_t begin;
    bool missed[WINDOWS];
};

static void *listen(void *argument) {
    struct listener *listener = argument;
    const uint64_t begin = listener->begin, end = begin + (uint64_t)WINDOWS * WINDOW;
    uint64_t before = begin, now = 0;
    while (now < begin)
        now = clock_nanoseconds();
    for (; before < end; before = now, now = clock_nanoseconds())
        for (uint64_t k = (before - begin) / WINDOW;
             now - before > WATCH_GAP && k < WINDOWS && k * WINDOW <= now - begin; k++)
            listener->missed[k] = true;
    return NULL;
}

/* The share of windows that no thread missed; below 0: unknown. On one processor one thread listens. */
static double undisturbed(const cpu_set_t *allowed) {
    static struct listener listeners[2];
    pthread_t threads[2];
    unsigned count = 0, missed = 0;
    const uint64_t begin = clock_nanoseconds() + 10000000;
    for (int processor = 0; processor < CPU_SETSIZE && count < 2; processor++) {
        listeners[count].begin = begin;
        if (CPU_ISSET((size_t)processor, allowed))
            count += distance_start_on(processor, &threads[count], listen, &listeners[count]);
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < WINDOWS; i++)
        missed += listeners[0].missed[i] || listeners[1].missed[i];
    return count > 0 ? 1 - (double)missed / WINDOWS : -1;
}

/* Between pairs of processors, in ns. If there are few pairs, each gets more time: on a busy machine, both threads
 * seldom run at once. */
static json_t *distances(const cpu_set_t *allowed) {
    json_t *found = json_array();
    size_t pair = 0;
    const size_t processors = (size_t)CPU_COUNT(allowed), pairs = processors * (processors - 1) / 2;
    const size_t step = (pairs + DISTANCES_PROBED - 1) / DISTANCES_PROBED;
    for (int a = 0; a < CPU_SETSIZE; a++) {
        for (int b = a + 1; b < CPU_SETSIZE; b++) {
            if (!CPU_ISSET((size_t)a, allowed) || !CPU_ISSET((size_t)b, allowed) || pair++ % step != 0)
                continue;
            const double one = distance_between(a, b, pairs < 8 ? 10 * DISTANCE_SECONDS : DISTANCE_SECONDS);
            if (one > 0)
                json_array_append_new(found, json_real(one));
        }
    }
    return found;
}

int carry_out_doctor(const struct job *job) {
    cpu_set_t allowed;
    json_t *facts = machine_read();
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
    const double throttled = machine_throttled();
    json_object_update_new(
        facts, json_pack("{sO si so sf sf so}", "kinds", json_object_get(machine_topology(), "kinds"), "throttled",
                         isnan(throttled) ? 0 : (int)throttled, "distances", distances(&allowed), "undisturbed",
                         undisturbed(&allowed), "clock_read_ns", clock_overhead(), "counters", machine_counters()));
    catch_interrupts(); /* a program that is not there closes the pipe */
    FILE *to = popen(has(job->line, "json") ? "setup/python.sh -m harness.judging.doctor --json"
                                            : "setup/python.sh -m harness.judging.doctor",
                     "w");
    if (!to)
        refuse(3, "setup/python.sh cannot be started");
    json_dumpf(facts, to, 0);
    const int ended = pclose(to), result = WIFEXITED(ended) ? WEXITSTATUS(ended) : 3;
    return result || !job->whole ? result : call(words_of("setup/packages.sh", "--lacking", NULL));
}
