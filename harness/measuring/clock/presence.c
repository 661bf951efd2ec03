#include "harness/measuring/clock/presence.h"
#include "harness/measuring/clock/clock.h"
#include <sys/resource.h>
#include <time.h>

long displacements(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static uint64_t time_on_processors(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct presence presence_begin(void) {
    return (struct presence){.displacements = displacements(), .ran = time_on_processors()};
}

bool presence_held(const struct presence *before, uint64_t nanoseconds) {
    const uint64_t ran = time_on_processors() - before->ran; /* a little more than the window, when nothing happened */
    return displacements() == before->displacements && nanoseconds < ran + PRESENCE_GAP + nanoseconds / 100;
}

double frequency_probe(void) {
    enum { TRIES = 5, MULTIPLICATIONS = 8000 };
    uint64_t least = UINT64_MAX, value = 3;
    for (int i = 0; i < TRIES; i++) {
        uint64_t start = clock_nanoseconds();
        for (int j = 0; j < MULTIPLICATIONS; j++) {
            value *= value;
            __asm__ volatile("" : "+r"(value));
        }
        uint64_t took = clock_nanoseconds() - start;
        least = took < least ? took : least;
    }
    return (double)least / (double)MULTIPLICATIONS;
}
