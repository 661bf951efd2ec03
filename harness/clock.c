#include "harness/clock.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 101, READS = 100 };

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

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
    qsort(overheads, SERIES, sizeof overheads[0], compare_doubles);
    return (struct clock_facts){.overhead = overheads[SERIES / 2], .resolution = (double)smallest};
}

/* /proc/PID/task/TID/schedstat: nanoseconds on a processor, nanoseconds waiting for one, turns. */
double clock_waited(pid_t process) {
    char path[300];
    unsigned long long ran, waited, most = 0;
    snprintf(path, sizeof path, process ? "/proc/%d/task" : "/proc/self/task", (int)process);
    DIR *threads = opendir(path);
    const size_t length = strlen(path);
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        snprintf(path + length, sizeof path - length, "/%.20s/schedstat", thread->d_name);
        FILE *file = *thread->d_name == '.' ? NULL : fopen(path, "re");
        if (!file)
            continue;
        if (fscanf(file, "%llu %llu", &ran, &waited) == 2 && waited > most)
            most = waited;
        fclose(file);
    }
    if (threads)
        closedir(threads);
    return (double)most * 1e-9;
}
