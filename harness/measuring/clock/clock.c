#include "harness/measuring/clock/clock.h"
#include "harness/measuring/median.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 101, READS = 100 };

struct clock_facts clock_calibrate(void) {
    double overheads[SERIES];
    uint64_t smallest = UINT64_MAX;
    for (int series = 0; series < SERIES; series++) {
        uint64_t start = clock_nanoseconds(), before = start, now = start;
        for (int i = 0; i < READS; i++) {
            now = clock_nanoseconds();
            if (now > before && now - before < smallest)
                smallest = now - before;
            before = now;
        }
        overheads[series] = (double)(now - start) / (double)READS;
    }
    return (struct clock_facts){.overhead = median(overheads, SERIES), .resolution = (double)smallest};
}

/* /proc/PID/task/TID/schedstat: nanoseconds on a processor, nanoseconds waiting for one, turns. */
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
    struct clock_thread threads[1024]; /* more than this suite ever starts */
    double max = 0;
    for (size_t i = clock_threads(process, threads, sizeof threads / sizeof threads[0]); i-- > 0;)
        max = threads[i].waited > max ? threads[i].waited : max;
    return max;
}
