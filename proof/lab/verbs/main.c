/* main.c: the lab's executable for one deque: build/lab/ID count|explore|stop [options]. It also describes itself and
 * runs explore and stop as checks, as a timed executable does (harness/README.md), which is how the gate calls it. */
#include "harness/measuring/cell/describe.h"
#include "proof/lab/clients/operations.h"
#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/entry.h"
#include "proof/lab/engine/machine.h"
#include "proof/lab/verbs/count.h"
#include "proof/lab/verbs/explore.h"
#include "proof/lab/verbs/room.h"
#include "proof/lab/verbs/stop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The deque's own global variables: its data and bss sections, renamed when it was built (lab.mk). */
extern char __start_lab_globals[] __attribute__((weak)), __stop_lab_globals[] __attribute__((weak));

#define DEFAULT_SCHEDULES 20000 /* for each client */
#define BLOCK_MAX 12            /* items: what thieves leave is found out with 16 */

static const char usage[] =
    "usage: %s count [--csv|--orders|--variables|--room]\n"
    "       %s explore [--schedules=N] [--seed=S] [--client=NAME] [--bound=B] [--seconds=S] [--fault=KIND]\n"
    "                  [--memory=tso|weak] [--buffer=N] [--block=N] [--quiet] [--replay=R]\n"
    "       %s stop\n"
    "       %s --describe | --check explore|stop [--seed=S] [--seconds=S]\n"
    "       with any of them: --mode=VALUE for a deque that has modes; --fences=kernel|pair for one with asymmetric\n"
    "                  fences: what it does where the kernel does not run them (kernel)\n";

static int say_usage(const char *name) {
    fprintf(stderr, usage, name, name, name, name);
    return 2;
}

/* The value of --name=value, or NULL when argument is another. */
static const char *option(const char *argument, const char *name) {
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool whole(const char *text, uint64_t least, uint64_t max, uint64_t *value) {
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 0);
    return *end == '\0' && *value >= least && *value <= max;
}

static bool number_option(const char *argument, const char *name, uint64_t least, uint64_t max, uint64_t *value,
                          bool *bad) {
    const char *text = option(argument, name);
    if (!text)
        return false;
    if (!whole(text, least, max, value)) {
        fprintf(stderr, "stealbench lab: %s is a whole number from %llu to %llu, not '%s'\n", name,
                (unsigned long long)least, (unsigned long long)max, text);
        *bad = true;
    }
    return true;
}

/* What thieves leave depends on it. */
static void set_block(unsigned block) {
    if (block == scene_usual_block)
        return;
    scene_usual_block = block;
    scene_find_left();
}

static bool set_mode(const char *text) {
    const char *values = operations.traits.mode_values;
    unsigned number = 0;
    for (const char *at = values; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL, number++) {
        size_t length = strcspn(at, "|");
        if (strlen(text) == length && strncmp(at, text, length) == 0) {
            scene_mode = number;
            return true;
        }
    }
    fprintf(stderr, "stealbench lab: %s has %s%s\n", operations.traits.id, values ? "these modes: " : "no modes",
            values ? values : "");
    return false;
}

static bool set_fences(const char *text) {
    entry_fences_paired = strcmp(text, "pair") == 0;
    if (!entry_fences_paired && strcmp(text, "kernel") != 0)
        fprintf(stderr, "stealbench lab: --fences is kernel or pair, not '%s'\n", text);
    else if (!operations.traits.asymmetric_fences)
        fprintf(stderr, "stealbench lab: %s has no asymmetric fences\n", operations.traits.id);
    else
        return true;
    return false;
}

/* What all verbs take. */
static bool deque_option(const char *argument, bool *bad) {
    const char *mode = option(argument, "--mode"), *fences = option(argument, "--fences");
    if ((mode && !set_mode(mode)) || (fences && !set_fences(fences)))
        *bad = true;
    return mode || fences;
}

static bool fault_option(const char *text, enum fault_kind *kind) {
    static const struct {
        const char *name;
        enum fault_kind kind;
    } kinds[] = {{"race", FAULT_RACE},   {"answer", FAULT_ANSWER},   {"hangs", FAULT_HANGS},
                 {"lost", FAULT_LOST},   {"doubled", FAULT_DOUBLED}, {"stranger", FAULT_STRANGER},
                 {"freed", FAULT_FREED}, {"wild", FAULT_WILD}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(text, kinds[i].name) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    fprintf(stderr,
            "stealbench lab: --fault is race, answer, hangs, lost, doubled, stranger, freed or wild, not '%s'\n", text);
    return false;
}

static bool memory_option(const char *text, bool *weak) {
    *weak = strcmp(text, "weak") == 0;
    if (*weak || strcmp(text, "tso") == 0)
        return true;
    fprintf(stderr, "stealbench lab: --memory is tso or weak, not '%s'\n", text);
    return false;
}

static int run_explore(const char *name, char **arguments) {
    struct explore_request request = {.program = name, .seed = 1, .schedules = DEFAULT_SCHEDULES, .bound = 2};
    uint64_t bound = request.bound, buffer = STORE_BUFFER_DEPTH, block = scene_usual_block;
    bool bad = false, counted = false, buffered = false;
    for (; *arguments; arguments++) {
        const char *text;
        counted = counted || option(*arguments, "--schedules");
        buffered = buffered || option(*arguments, "--buffer");
        if (number_option(*arguments, "--schedules", 0, UINT64_MAX, &request.schedules, &bad) ||
            number_option(*arguments, "--seed", 0, UINT64_MAX, &request.seed, &bad) ||
            number_option(*arguments, "--bound", 0, 8, &bound, &bad) ||
            number_option(*arguments, "--buffer", 1, STORE_BUFFER_MAX, &buffer, &bad) ||
            number_option(*arguments, "--block", 1, BLOCK_MAX, &block, &bad) || deque_option(*arguments, &bad))
            continue;
        if ((text = option(*arguments, "--seconds")))
            request.seconds = strtod(text, NULL);
        else if ((text = option(*arguments, "--client")))
            request.client = text;
        else if ((text = option(*arguments, "--replay")))
            request.replay = text;
        else if ((text = option(*arguments, "--fault")))
            bad = bad || !fault_option(text, &request.fault);
        else if (strcmp(*arguments, "--quiet") == 0)
            request.quiet = true;
        else if ((text = option(*arguments, "--memory")))
            bad = bad || !memory_option(text, &request.weak);
        else
            return say_usage(name);
        if (option(*arguments, "--seconds") && !(request.seconds > 0 && request.seconds < 1e6)) {
            fprintf(stderr, "stealbench lab: --seconds is a number above 0, not '%s'\n",
                    option(*arguments, "--seconds"));
            bad = true;
        }
    }
    request.bound = (unsigned)bound;
    store_buffer_depth = (unsigned)buffer;
    set_block((unsigned)block);
    if (buffered && request.weak) {
        fprintf(stderr, "stealbench lab: --buffer is of --memory=tso: weak memory has no store buffers\n");
        return 2;
    }
    if (request.seconds > 0 && !counted)
        request.schedules = UINT64_MAX; /* as many as fit */
    if (request.replay && !request.client) {
        fprintf(stderr, "stealbench lab: --replay needs the --client that the schedule is of\n");
        return 2;
    }
    return bad ? 2 : explore(&request);
}

static int run_count(const char *name, char **arguments) {
    enum count_form form = COUNT_TABLE;
    bool rooms = false, bad = false;
    for (; *arguments; arguments++) {
        if (strcmp(*arguments, "--csv") == 0)
            form = COUNT_CSV;
        else if (strcmp(*arguments, "--orders") == 0)
            form = COUNT_ORDERS;
        else if (strcmp(*arguments, "--variables") == 0)
            form = COUNT_VARIABLES;
        else if (strcmp(*arguments, "--room") == 0)
            rooms = true;
        else if (!deque_option(*arguments, &bad))
            return say_usage(name);
    }
    return bad ? 2 : rooms ? room() : count(form);
}

static int run_stop(const char *name, char **arguments) {
    bool bad = false;
    for (; *arguments; arguments++)
        if (!deque_option(*arguments, &bad))
            return say_usage(name);
    return bad ? 2 : stop();
}

/* One mode after the other, with the kernel's fences and without where it uses them, each in a process of its own:
 * explore and stop keep what they found. The last line names the failure, if there was one. */
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
    return explore(&(struct explore_request){.program = operations.traits.id,
                                             .seed = request->seed,
                                             .schedules = UINT64_MAX,
                                             .bound = 2,
                                             .seconds = request->seconds / 2,
                                             .quiet = true,
                                             .weak = weak});
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

static int run_check(const char *name, char **arguments) {
    struct check_request request = {.seed = 1, .seconds = 2};
    uint64_t rounds;
    bool bad = false;
    for (char **argument = arguments + 1; *arguments && *argument; argument++) {
        const char *text;
        if ((text = option(*argument, "--seconds")))
            request.seconds = strtod(text, NULL);
        else if (!number_option(*argument, "--seed", 0, UINT64_MAX, &request.seed, &bad) &&
                 !number_option(*argument, "--rounds", 0, UINT64_MAX, &rounds, &bad))
            return say_usage(name);
    }
    for (size_t i = 0; i < sizeof checks / sizeof *checks && *arguments && !bad; i++)
        if (strcmp(*arguments, checks[i]->name) == 0)
            return checks[i]->run(&request);
    return say_usage(name);
}

static int run_describe(void) {
    struct registered registered = {.checks = checks, .check_count = sizeof checks / sizeof *checks};
    describe(&operations.traits, sizeof(void *), NULL, &registered);
    return 0;
}

int main(int argument_count, char **arguments) {
    if (argument_count < 2)
        return say_usage(arguments[0]);
    if (strcmp(arguments[1], "--describe") == 0)
        return run_describe();
    machine_open(__start_lab_globals, (size_t)(__stop_lab_globals - __start_lab_globals));
    scene_open();
    scene_find_left();
    if (strcmp(arguments[1], "explore") == 0)
        return run_explore(arguments[0], arguments + 2);
    if (strcmp(arguments[1], "count") == 0)
        return run_count(arguments[0], arguments + 2);
    if (strcmp(arguments[1], "stop") == 0)
        return run_stop(arguments[0], arguments + 2);
    if (strcmp(arguments[1], "--check") == 0)
        return run_check(arguments[0], arguments + 2);
    return say_usage(arguments[0]);
}
