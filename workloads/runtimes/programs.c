/* programs.c: find, bfs and fd walking the tree that our workload walk walks, as a user runs them: a process that lists
 * every entry, here to /dev/null. Its start is part of the time, as it is of theirs: trees should be large. */
#include "workloads/applications/walk/directory_count.h"
#include "workloads/applications/walk/directory_input.h"
#include "workloads/runtimes/runtime.h"
#include "workloads/runtimes/walk/walking.h"
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 10
#define VERSION_SIZE 64

extern char **environ;

static const struct parameter program_parameters[] = {
    PARAMETER_CHOICE("program", "find", "find|bfs|fd", "which program lists the tree"),
    PARAMETERS_END,
};

struct listing {
    char path[PATH_MAX], option[32];
    char *arguments[ARGUMENTS_MAX];
    uint64_t entries; /* the right counts of its list */
    int code;
};

/* Debian calls fd fdfind. The first of these names that is installed, or NULL. */
static const char *installed(const char *const *names) {
    char command[64];
    for (; *names; names++) {
        snprintf(command, sizeof command, "command -v %s > /dev/null", *names);
        if (system(command) == 0)
            return *names;
    }
    return NULL;
}

/* bfs has threads from its version 3 on. */
static bool bfs_has_threads(void) { return system("bfs -j1 /dev/null -false 2> /dev/null") == 0; }

static const char *const program_names[][3] = {{"find", NULL}, {"bfs", NULL}, {"fdfind", "fd", NULL}};
enum { FIND, BFS, FD, PROGRAMS };

static const char *program_of(const struct cell *cell) {
    return installed(program_names[cell_choice(cell, "program")]);
}

/* The last word of the first line that a program prints when asked for its version: "find (GNU findutils) 4.9.0". */
static void version_of(const char *program, char version[VERSION_SIZE]) {
    char command[64], line[VERSION_SIZE] = "";
    snprintf(version, VERSION_SIZE, "unknown");
    snprintf(command, sizeof command, "%s --version 2>/dev/null", program);
    FILE *said = popen(command, "re");
    if (!said)
        return;
    if (fgets(line, sizeof line, said)) {
        line[strcspn(line, "\n")] = '\0';
        const char *last = strrchr(line, ' ');
        snprintf(version, VERSION_SIZE, "%s", last ? last + 1 : line);
    }
    pclose(said);
}

const char *runtime_title(void) {
    static char title[256];
    size_t used = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        const char *program = installed(program_names[i]);
        char version[VERSION_SIZE];
        if (!program)
            continue;
        version_of(program, version);
        used +=
            (size_t)snprintf(title + used, sizeof title - used, "%s%s %s%s", used ? ", " : "", i == FD ? "fd" : program,
                             version, i == FIND || (i == BFS && !bfs_has_threads()) ? " (one thread)" : "");
    }
    return used ? title : "find, bfs, fd: none installed";
}

/* Every entry below the root on a line of its own, hidden ones too, links not followed; names end on 0 in count mode,
 * since they may contain anything else. */
static void make_arguments(struct listing *listing, const struct cell *cell, bool count) {
    char **next = listing->arguments;
    unsigned threads = (unsigned)cell_integer(cell, "threads");
    *next++ = (char *)program_of(cell);
    if (cell_is(cell, "program", "fd")) {
        snprintf(listing->option, sizeof listing->option, "--threads=%u", threads);
        *next++ = (char *)"--unrestricted";
        *next++ = listing->option;
        if (count)
            *next++ = (char *)"--print0";
        *next++ = (char *)".";
        *next++ = listing->path;
    } else {
        if (cell_is(cell, "program", "bfs") && bfs_has_threads()) {
            snprintf(listing->option, sizeof listing->option, "-j%u", threads);
            *next++ = listing->option;
        }
        *next++ = listing->path;
        *next++ = (char *)"-mindepth";
        *next++ = (char *)"1";
        if (count)
            *next++ = (char *)"-print0";
    }
    *next = NULL;
}

/* Starts it with output into a file or descriptor. Its process number, or -1. */
static pid_t start(const struct listing *listing, int output) {
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int failure = posix_spawnp(&child, listing->arguments[0], &actions, NULL, listing->arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure ? -1 : child;
}

static bool ended_well(pid_t child) {
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Untimed: counts its list. 0, 1 other counts than ours, 3 it does not run. */
static int verify_counts(struct listing *listing, const struct cell *cell) {
    int ends[2];
    static char buffer[1 << 16];
    uint64_t found = 0;
    make_arguments(listing, cell, true);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 3;
    pid_t child = start(listing, ends[1]);
    close(ends[1]);
    for (ssize_t n; child > 0 && (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            found += buffer[i] == '\0';
    close(ends[0]);
    if (!ended_well(child)) {
        fprintf(stderr, "%s did not list %s\n", listing->arguments[0], listing->path);
        return 3;
    }
    if (found == listing->entries)
        return 0;
    fprintf(stderr, "%s lists %llu entries below %s, where %llu are\n", listing->arguments[0],
            (unsigned long long)found, listing->path, (unsigned long long)listing->entries);
    return 1;
}

static void list(void *context) {
    struct listing *listing = context;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!ended_well(start(listing, nowhere)))
        listing->code = 3;
    close(nowhere);
}

static bool went_well(void *context) { return ((struct listing *)context)->code == 0; }

static const char *unsupported(const struct cell *cell) {
    if (cell_is(cell, "cache", "cold"))
        return "only warm walks are compared";
    return program_of(cell) ? NULL : "the program is not installed";
}

static int run(const struct cell *cell) {
    static struct listing listing;
    struct directory_input input;
    struct directory_counted counted;
    int code = directory_input_open(&input, cell, "walk", 0, 0);
    if (code != 0)
        return code;
    snprintf(listing.path, sizeof listing.path, "%s", input.path);
    code = directory_input_counts(&input, &counted);
    if (code == 0) {
        listing.entries = walk_entries(&counted.counts) - 1; /* without the root */
        code = runtime_open(cell);
    }
    if (code == 0) {
        runtime_bind_process(); /* the program and its threads inherit it */
        code = verify_counts(&listing, cell);
    }
    if (code == 0) {
        make_arguments(&listing, cell, false);
        const struct runtime_work work = {&listing, NULL, list, went_well, NULL, 0};
        code = runtime_measure(cell, &work, NULL);
    }
    directory_input_close(&input);
    return code;
}

REGISTER_WORKLOAD(walk, .name = "walk", .summary = "find, bfs and fd listing a tree of directories",
                  .parameters = {program_parameters, walking_parameters, directory_input_parameters,
                                 runtime_parameters},
                  .threads = "threads", .unsupported = unsupported, .run = run);
