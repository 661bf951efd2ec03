/* main.c: the lab's executable for one deque: build/lab/ID count|explore|stop [options]. It also describes itself and
 * runs explore and stop as checks, as a timed executable does (harness/README.md), which is how the gate calls it. */
#include "harness/measuring/describe.h"
#include "proof/lab/clients/operations.h"
#include "proof/lab/clients/program.h"
#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/entry.h"
#include "proof/lab/engine/machine.h"
#include "proof/lab/verbs/verbs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The deque's own global variables: its data and bss sections, renamed when it was built (instrument.sh). */
extern char __start_lab_globals[] __attribute__((weak)), __stop_lab_globals[] __attribute__((weak));

#define DEFAULT_SCHEDULES 20000 /* schedules per client */
#define SHOWN_BY_MAX 128        /* characters of DEQUE_SHOWN_BY */
#define NOT_SET UINT64_MAX
#define FENCES_NOT_SET 2
#define BLOCK_MAX 12 /* items; what thieves leave is measured with blocks of 16 */

static const char usage[] =
    "usage: %s count [--csv]\n"
    "       %s explore [--schedules=N] [--seed=S] [--client=NAME] [--bound=B] [--seconds=S] [--fault=KIND]\n"
    "                  [--memory=tso|weak] [--slots=plain|atomic] [--buffer=N] [--block=N] [--quiet] [--replay=R]\n"
    "       %s stop\n"
    "       %s --describe | --check explore|stop [--seed=S] [--seconds=S]\n"
    "       with any of them: --mode=VALUE for a deque that has modes; --fences=kernel|pair for one with asymmetric\n"
    "                  fences: what it does where the kernel does not run them (kernel)\n";

static int say_usage(const char *name) {
    fprintf(stderr, usage, name, name, name, name);
    return 2;
}

/* The options of the command line. */
static struct {
    struct explore_request explore;
    uint64_t buffer, block, rounds;
    unsigned memory, slots, fences;
    bool csv;
} settings = {.explore = {.schedules = NOT_SET, .seed = 1, .bound = 2},
              .buffer = NOT_SET,
              .fences = FENCES_NOT_SET,
              .block = NOT_SET};

enum { COUNT = 1, EXPLORE = 2, STOP = 4, CHECK = 8, ALL = 15 };

/* Says how an option is read; one of the pointers is set. */
static const struct option {
    const char *name;
    unsigned verbs;
    bool *flag;
    const char **text;
    double *seconds;
    uint64_t *number, least, max;
    unsigned *choice;
    const char *values; /* of a choice: "one|two" */
} known_options[] = {
    {"--csv", COUNT, .flag = &settings.csv},
    {"--quiet", EXPLORE, .flag = &settings.explore.quiet},
    {"--client", EXPLORE, .text = &settings.explore.client},
    {"--replay", EXPLORE, .text = &settings.explore.replay},
    {"--seconds", EXPLORE | CHECK, .seconds = &settings.explore.seconds},
    {"--schedules", EXPLORE, .number = &settings.explore.schedules, .max = NOT_SET - 1},
    {"--seed", EXPLORE | CHECK, .number = &settings.explore.seed, .max = UINT64_MAX},
    {"--bound", EXPLORE, .number = &settings.explore.bound, .max = 8},
    {"--buffer", EXPLORE, .number = &settings.buffer, .least = 1, .max = STORE_BUFFER_MAX},
    {"--block", EXPLORE, .number = &settings.block, .least = 1, .max = BLOCK_MAX},
    {"--rounds", CHECK, .number = &settings.rounds, .max = UINT64_MAX}, /* other checks use it; ignored here */
    /* In the order of enum fault_kind. */
    {"--fault", EXPLORE, .choice = &settings.explore.fault,
     .values = "any|race|answer|hangs|lost|doubled|stranger|freed|wild"},
    {"--memory", EXPLORE, .choice = &settings.memory, .values = "tso|weak"},
    {"--slots", EXPLORE, .choice = &settings.slots, .values = "plain|atomic"},
    {"--fences", ALL, .choice = &settings.fences, .values = "kernel|pair"},
    {"--mode", ALL, .choice = &scene_mode}, /* the choices are the deque's */
};

static bool read_number(const struct option *option, const char *text) {
    char *end;
    uint64_t value = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end || value < option->least || value > option->max) {
        fprintf(stderr, "stealbench lab: %s is a whole number from %llu to %llu, not '%s'\n", option->name,
                (unsigned long long)option->least, (unsigned long long)option->max, text);
        return false;
    }
    *option->number = value;
    return true;
}

static bool read_seconds(const char *text, double *seconds) {
    *seconds = strtod(text, NULL);
    if (*seconds > 0 && *seconds < 1e6)
        return true;
    fprintf(stderr, "stealbench lab: --seconds is a number above 0, not '%s'\n", text);
    return false;
}

static bool read_choice(const struct option *option, const char *text) {
    const char *values = option->values ? option->values : operations.traits.mode_values;
    unsigned number = 0;
    for (const char *at = values; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL, number++) {
        size_t length = strcspn(at, "|");
        if (strlen(text) == length && strncmp(at, text, length) == 0) {
            *option->choice = number;
            return true;
        }
    }
    if (values)
        fprintf(stderr, "stealbench lab: %s is one of %s, not '%s'\n", option->name, values, text);
    else
        fprintf(stderr, "stealbench lab: %s has no modes\n", operations.traits.id);
    return false;
}

static bool read_option(const struct option *option, const char *text) {
    if (option->flag)
        return *option->flag = true;
    if (option->text) {
        *option->text = text;
        return true;
    }
    return option->seconds  ? read_seconds(text, option->seconds)
           : option->number ? read_number(option, text)
                            : read_choice(option, text);
}

/* Returns 0, or 2 if an argument does not belong to the verb. */
static int read_options(const char *program, unsigned verb, char **arguments) {
    bool good = true;
    for (; *arguments; arguments++) {
        const struct option *option = known_options, *end = option + sizeof known_options / sizeof *known_options;
        size_t length = strcspn(*arguments, "=");
        while (option < end && !((option->verbs & verb) && strlen(option->name) == length &&
                                 strncmp(option->name, *arguments, length) == 0))
            option++;
        if (option == end || ((*arguments)[length] == '=') == (option->flag != NULL))
            return say_usage(program);
        good = read_option(option, *arguments + length + 1) && good;
    }
    if (good && settings.fences != FENCES_NOT_SET && !operations.traits.asymmetric_fences) {
        fprintf(stderr, "stealbench lab: %s has no asymmetric fences\n", operations.traits.id);
        good = false;
    }
    entry_fences_paired = settings.fences == 1;
    entry_slots_atomic = settings.slots == 1;
    return good ? 0 : 2;
}

/* explore as an unsound deque's header asks for it, where no option says how. */
static int read_shown_by(const char *program, char **arguments) {
    static char options[SHOWN_BY_MAX];
    char *shown[SHOWN_BY_MAX] = {0}, *rest = options;
    for (; *arguments; arguments++)
        if (strcmp(*arguments, "--quiet") != 0 && strncmp(*arguments, "--mode=", 7) != 0)
            return 0;
    snprintf(options, sizeof options, "%s", operations.shown_by);
    for (size_t i = 0; (shown[i] = strsep(&rest, " ")); i++)
        continue;
    printf("%s: with %s, which its fault needs\n", operations.traits.id, operations.shown_by);
    return read_options(program, EXPLORE, shown);
}

static int run_explore(const char *program) {
    struct explore_request *request = &settings.explore;
    request->program = program;
    request->weak = settings.memory == 1;
    if (request->weak && settings.buffer != NOT_SET) {
        fprintf(stderr, "stealbench lab: --buffer is of --memory=tso: weak memory has no store buffers\n");
        return 2;
    }
    if (request->replay && !request->client) {
        fprintf(stderr, "stealbench lab: --replay needs the --client that the schedule is of\n");
        return 2;
    }
    if (settings.buffer != NOT_SET)
        store_buffer_depth = (unsigned)settings.buffer;
    if (settings.block != NOT_SET) { /* the number of items that thieves leave depends on it */
        scene_usual_block = program_block = (unsigned)settings.block;
        scene_find_left();
    }
    if (request->schedules == NOT_SET && request->seconds == 0)
        request->schedules = DEFAULT_SCHEDULES; /* otherwise as many as fit */
    return explore(request);
}

/* Checks every mode, with and without the kernel's fences where the deque uses them. Each gets a process of its own,
 * because explore and stop keep what they found. The last line names the failure, if there was one. */
static int in_each_mode(int (*check)(const struct check_request *), const struct check_request *request) {
    unsigned modes = 1, fences = operations.traits.asymmetric_fences ? 2 : 1;
    for (const char *at = operations.traits.mode_values; at && (at = strchr(at, '|')); at++)
        modes++;
    struct check_request one = *request;
    one.seconds /= modes * fences;
    for (unsigned way = 0; way < modes * fences; way++) {
        int status;
        scene_mode = way / fences;
        entry_fences_paired = way % fences == 1;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            exit(check(&one));
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 3;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
    }
    return 0;
}

static int explore_on(const struct check_request *request, bool weak) {
    struct explore_request one = {.program = operations.traits.id,
                                  .seed = request->seed,
                                  .schedules = UINT64_MAX,
                                  .bound = 2,
                                  .seconds = request->seconds / 2,
                                  .quiet = true,
                                  .weak = weak};
    int status = explore(&one);
    if (!explore_found_race_of_slots())
        return status;
    entry_slots_atomic = one.weak = true; /* what does the race do? */
    if (explore(&one) == 0)
        printf("%s: a race of plain slots; no item was seen to be lost or doubled by it\n", operations.traits.id);
    return status;
}
static int explore_tso(const struct check_request *request) { return explore_on(request, false); }
static int explore_weak(const struct check_request *request) { return explore_on(request, true); }

static int stop_once(const struct check_request *request) {
    (void)request;
    char options[SCENE_OPTIONS_MAX];
    scene_options(options, sizeof options);
    int refuted = stop();
    if (refuted)
        printf("a claim of progress is refuted, or an item is lost, when a thread stops: stealbench lab stop %s%s\n",
               operations.traits.id, options);
    return refuted;
}

static int check_explore(const struct check_request *request) {
    int status = in_each_mode(explore_tso, request);
    return status ? status : in_each_mode(explore_weak, request);
}
static int check_stop(const struct check_request *request) { return in_each_mode(stop_once, request); }

static const struct check explore_check = {
    .name = "explore", .summary = "random and bounded exhaustive schedules", .in_stamp = true, .run = check_explore};
static const struct check stop_check = {
    .name = "stop", .summary = "what others can do when a thread stops", .run = check_stop};
static const struct check *const checks[] = {&explore_check, &stop_check};

static int run_check(const char *name) {
    struct check_request request = {.seed = settings.explore.seed,
                                    .seconds = settings.explore.seconds > 0 ? settings.explore.seconds : 2};
    for (size_t i = 0; i < sizeof checks / sizeof *checks && name; i++)
        if (strcmp(name, checks[i]->name) == 0)
            return checks[i]->run(&request);
    return -1;
}

static int run_describe(void) {
    struct registered registered = {.checks = checks, .check_count = sizeof checks / sizeof *checks};
    describe(&operations.traits, sizeof(void *), NULL, &registered);
    return 0;
}

static int run(unsigned verb, char **arguments) {
    const char *program = arguments[0];
    char **first = arguments + 2 + (verb == CHECK && arguments[2]);
    int bad = read_options(program, verb, first), status;
    if (!bad && verb == EXPLORE && operations.shown_by)
        bad = read_shown_by(program, first);
    if (bad)
        return bad;
    switch (verb) {
    case COUNT:
        return count(settings.csv);
    case EXPLORE:
        return run_explore(program);
    case STOP:
        return stop();
    default:
        status = run_check(arguments[2]);
        return status < 0 ? say_usage(program) : status;
    }
}

int main(int argument_count, char **arguments) {
    static const char *const verbs[] = {"count", "explore", "stop", "--check"}; /* in the order of their bits */
    if (argument_count < 2)
        return say_usage(arguments[0]);
    if (strcmp(arguments[1], "--describe") == 0)
        return run_describe();
    machine_open(__start_lab_globals, (size_t)(__stop_lab_globals - __start_lab_globals));
    scene_open();
    scene_find_left();
    for (unsigned i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(arguments[1], verbs[i]) == 0)
            return run(1u << i, arguments);
    return say_usage(arguments[0]);
}
