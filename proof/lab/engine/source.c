#include "proof/lab/engine/source.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WANTED_MAX 512
#define NAME_BYTES 96

struct wanted {
    uintptr_t where;
    char name[NAME_BYTES]; /* "chase_lev.h:78"; empty: unknown */
    bool named;            /* the function's name has been read; its place is next */
};

static struct wanted wanted[WANTED_MAX];
static size_t wanted_count, resolved_count;

static struct wanted *find(uintptr_t where) {
    for (size_t i = 0; i < wanted_count; i++)
        if (wanted[i].where == where)
            return &wanted[i];
    return NULL;
}

void source_want(uintptr_t where) {
    if (where > 1 && !find(where) && wanted_count < WANTED_MAX)
        wanted[wanted_count++].where = where;
}

/* addr2line -a -f answers with an address, then a line with its name and a "file:line" for each function, innermost
 * first. A path may have spaces. */
static void take_answers(FILE *answers) {
    char line[1024];
    struct wanted *current = NULL;
    while (fgets(line, sizeof line, answers)) {
        line[strcspn(line, "\n")] = '\0';
        char *more = strstr(line, " (discriminator ");
        if (more)
            *more = '\0';
        if (strncmp(line, "0x", 2) == 0) {
            current = find((uintptr_t)strtoull(line, NULL, 16) + 1);
            continue;
        }
        if (!current || line[0] == '?')
            continue;
        if (!current->named) {
            current->named = true;
            continue;
        }
        if (strstr(line, "/include/c++/")) { /* std::atomic: whoever calls it is meant */
            current->named = false;
            continue;
        }
        const char *slash = strrchr(line, '/');
        snprintf(current->name, sizeof current->name, "%.*s", NAME_BYTES - 1, slash ? slash + 1 : line);
        current = NULL; /* the outer functions of an inlined line are left out */
    }
}

static void resolve(void) {
    static char command[64 + WANTED_MAX * 20];
    int length = snprintf(command, sizeof command, "addr2line -a -f -i -e /proc/%ld/exe", (long)getpid());
    for (; resolved_count < wanted_count; resolved_count++)
        length += snprintf(command + length, sizeof command - (size_t)length, " 0x%llx",
                           (unsigned long long)wanted[resolved_count].where -
                               1); /* an address inside the call, not after it */
    snprintf(command + length, sizeof command - (size_t)length, " 2>/dev/null");
    FILE *answers = popen(command, "r");
    if (answers)
        take_answers(answers);
    int status = answers ? pclose(answers) : -1;
    if (status != 0)
        fprintf(stderr, "stealbench lab: no addr2line, so no file and line in reports: install binutils\n");
}

const char *source_name(uintptr_t where) {
    source_want(where);
    if (resolved_count < wanted_count)
        resolve();
    struct wanted *found = find(where);
    return found && found->name[0] ? found->name : "?";
}
