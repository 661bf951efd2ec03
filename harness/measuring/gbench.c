#include "harness/measuring/gbench.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOM 32 /* for the names below */

/* The build folder is the one above the executable that holds build.json. */
static const struct gbench_calls *open_gbench(void) {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - ROOM);
    path[length > 0 ? length : 0] = '\0';
    for (char *end; (end = strrchr(path, '/')); *end = '\0') {
        strcpy(end, "/build.json");
        if (access(path, F_OK) == 0) {
            strcpy(end, "/gbench.so");
            break;
        }
    }
    void *library = dlopen(path, RTLD_NOW);
    const struct gbench_calls *found = library ? dlsym(library, "gbench_here") : NULL;
    if (!found)
        fprintf(stderr, "stealbench: make google: %s\n", dlerror());
    return found;
}

const struct gbench_calls *gbench(void) {
    static const struct gbench_calls *opened;
    return opened ? opened : (opened = open_gbench());
}
