#include "harness/measuring/clock.h"
#include "harness/measuring/median.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { SERIES = 101, READS = 100 };

double clock_overhead(void) {
    double overheads[SERIES];
    for (int series = 0; series < SERIES; series++) {
        uint64_t start = clock_nanoseconds(), now = start;
        for (int i = 0; i < READS; i++)
            now = clock_nanoseconds();
        overheads[series] = (double)(now - start) / (double)READS;
    }
    return median(overheads, SERIES);
}

/* Reads /proc/PID/task/TID/schedstat: nanoseconds on a processor, nanoseconds waiting for one, turns. */
size_t clock_threads(pid_t process, struct clock_thread *found, size_t max) {
    char path[300];
    unsigned long long ran, waited;
    size_t count = 0;
    snprintf(path, sizeof path, process ? "/proc/%d/task" : "/proc/self/task", (int)process);
    DIR *threads = opendir(path);
    const size_t length = strlen(path);
    for (struct dirent *thread; threads && count < max && (thread = readdir(threads));) {
        snprintf(path + length, sizeof path - length, "/%.20s/schedstat", thread->d_name);
        FILE *file = *thread->d_name == '.' ? NULL : fopen(path, "re");
        if (!file)
            continue;
        if (fscanf(file, "%llu %llu", &ran, &waited) == 2)
            found[count++] = (struct clock_thread){atoi(thread->d_name), (double)ran * 1e-9, (double)waited * 1e-9};
        fclose(file);
    }
    if (threads)
        closedir(threads);
    return count;
}

double clock_waited(pid_t process) {
    struct clock_thread threads[1024]; /* more threads than this suite ever starts */
    double max = 0;
    for (size_t i = clock_threads(process, threads, sizeof threads / sizeof threads[0]); i-- > 0;)
        max = threads[i].waited > max ? threads[i].waited : max;
    return max;
}

long displacements(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

struct presence presence_begin(void) {
    return (struct presence){.displacements = displacements(), .ran = time_on_processors()};
}

bool presence_held(const struct presence *before, uint64_t nanoseconds) {
    const uint64_t ran = time_on_processors() - before->ran; /* a little more than the window if nothing happened */
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
