#include "proof/lab/engine/source.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WANTED_MAX 512
#define NAME_BYTES 192

struct wanted {
    uintptr_t where;
    char path[NAME_BYTES];     /* "queues/chase_lev.h:78"; empty: unknown */
    char function[NAME_BYTES]; /* "deque_push" */
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
        if (!current->function[0]) { /* "NAME.isra.0" is a copy that the compiler made of NAME */
            snprintf(current->function, sizeof current->function, "%.*s", (int)strcspn(line, "."), line);
            continue;
        }
        if (strstr(line, "/include/c++/")) { /* std::atomic: whoever calls it is meant */
            current->function[0] = '\0';
            continue;
        }
        const char *path = strncmp(line, "./", 2) == 0 ? line + 2 : line;
        snprintf(current->path, sizeof current->path, "%.*s", NAME_BYTES - 1, path);
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

static const char *path_of(uintptr_t where) {
    source_want(where);
    if (resolved_count < wanted_count)
        resolve();
    struct wanted *found = find(where);
    return found && found->path[0] ? found->path : NULL;
}

const char *source_name(uintptr_t where) {
    const char *path = path_of(where);
    if (!path)
        return "?";
    const char *base = strrchr(path, '/');
    return base ? base + 1 : path;
}

const char *source_function(uintptr_t where) {
    const char *path = path_of(where);
    return path ? find(where)->function : "?";
}

static FILE *open_source(const char *path, size_t length) {
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    FILE *file = fopen(name, "r");
    const char *inside =
        strstr(name, "queues/"); /* an absolute path of another machine: try the part from queues/ on */
    return file || !inside ? file : fopen(inside, "r");
}

/* The line of that number and, if `whole`, the lines up to the end of its statement. NULL: the file has fewer lines. */
static const char *read_lines(FILE *file, long number, bool whole) {
    static char text[1024];
    bool found = true;
    for (; number > 0 && found; number--)
        found = fgets(text, sizeof text, file) != NULL;
    for (size_t length; found && whole && !strpbrk(text, ";{") && (length = strlen(text)) + 1 < sizeof text;)
        whole = fgets(text + length, (int)(sizeof text - length), file) != NULL;
    return found ? text : NULL;
}

static const char *lines_at(uintptr_t where, bool whole) {
    const char *path = path_of(where), *colon = path ? strrchr(path, ':') : NULL;
    FILE *file = colon ? open_source(path, (size_t)(colon - path)) : NULL;
    if (!file)
        return NULL;
    const char *text = read_lines(file, strtol(colon + 1, NULL, 10), whole);
    fclose(file);
    return text ? text + strspn(text, " \t") : NULL;
}

const char *source_line(uintptr_t where) {
    static char line[512];
    const char *text = lines_at(where, false);
    if (!text)
        return NULL;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    return line;
}

const char *source_statement(uintptr_t where) { return lines_at(where, true); }
