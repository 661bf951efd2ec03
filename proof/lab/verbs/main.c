/* main.c: the lab's executable for one deque: build/lab/ID count|explore|stop [options]. It also describes itself and
 * runs explore and stop as checks, as a timed executable does (harness/README.md), which is how `check` calls it. */
#include "harness/measuring/describe.h"
#include "harness/measuring/parameters.h"
#include "proof/lab/clients/operations.h"
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
#define BLOCK_MAX 12            /* items; what thieves leave is measured with blocks of 16 */

static const char usage[] =
    "usage: %s count [--csv]\n"
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

/* The options of each verb, and then those of any. */
#define ANY PARAMETER_CHOICE("fences", "kernel", "kernel|pair", ""), PARAMETER_TEXT("mode", "", ""), PARAMETERS_END
static const struct parameter count_options[] = {PARAMETER_SWITCH("csv", ""), ANY};
static const struct parameter explore_options[] = {
    PARAMETER_SWITCH("quiet", ""), PARAMETER_TEXT("client", "", ""), PARAMETER_TEXT("replay", "", ""),
    PARAMETER_REAL("seconds", 0, 0.001, 1e6, "s", ""), PARAMETER_INTEGER("schedules", 0, 0, 1e18, "", ""),
    PARAMETER_INTEGER("seed", 1, 0, 0x1p64, "", ""), PARAMETER_INTEGER("bound", 2, 0, 8, "", ""),
    PARAMETER_INTEGER("buffer", 0, 1, STORE_BUFFER_MAX, "", ""), PARAMETER_INTEGER("block", 0, 1, BLOCK_MAX, "", ""),
    /* In the order of enum fault_kind. */
    PARAMETER_CHOICE("fault", "any", "any|race|answer|hangs|lost|doubled|stranger|freed|wild", ""),
    PARAMETER_CHOICE("memory", "tso", "tso|weak", ""), ANY};
static const struct parameter stop_options[] = {ANY};
static const struct parameter check_options[] = {
    PARAMETER_REAL("seconds", 0, 0.001, 1e6, "s", ""), PARAMETER_INTEGER("seed", 1, 0, 0x1p64, "", ""),
    PARAMETER_INTEGER("rounds", 0, 0, 0x1p64, "", ""), /* other checks use it; ignored here */
    ANY};
static struct settings settings; /* the options that were given */

static const char *text_of(const char *name) {
    const struct value *value = settings_get(&settings, name);
    return value ? value->text : NULL;
}
static uint64_t number_of(const char *name, uint64_t otherwise) {
    const struct value *value = settings_get(&settings, name);
    return !value ? otherwise : value->parameter->kind == KIND_CHOICE ? (uint64_t)value->choice : value->integer;
}
static double seconds_of(double otherwise) {
    const struct value *value = settings_get(&settings, "seconds");
    return value ? value->real : otherwise;
}

/* Returns 0, or 2 if an argument is none of these options. */
static int read_options(const char *program, const struct parameter *options, char **arguments) {
    const struct deque_traits *traits = &operations.traits;
    char message[MESSAGE_SIZE] = "", name[NAME_SIZE];
    for (; *arguments && !*message; arguments++) {
        const char *value = strchr(*arguments, '=');
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*arguments, "="), *arguments);
        const struct parameter *option = strncmp(name, "--", 2) == 0 ? parameter_find(options, name + 2) : NULL;
        bool is_switch = option && option->kind == KIND_INTEGER && option->maximum == 1;
        if (!option || is_switch == (value != NULL))
            return say_usage(program);
        settings_set(&settings, option, value ? value + 1 : "1", message);
    }
    const int mode = text_of("mode") ? choice_index(traits->mode_values, text_of("mode")) : 0;
    if (mode < 0)
        snprintf(message, sizeof message, "mode: %s has no such one; its modes: %s", traits->id,
                 traits->mode ? traits->mode_values : "none");
    if (text_of("fences") && !traits->asymmetric_fences)
        snprintf(message, sizeof message, "fences: %s has no asymmetric fences", traits->id);
    if (text_of("replay") && !text_of("client"))
        snprintf(message, sizeof message, "replay needs the --client that the schedule is of");
    if (*message)
        fprintf(stderr, "stealbench lab: --%s\n", message);
    scene_mode = (unsigned)mode;
    entry_fences_paired = number_of("fences", 0);
    return *message ? 2 : 0;
}

/* explore as an unsound deque's header asks for it, where no option says how. */
static int read_shown_by(const char *program, char **arguments) {
    static char text[SHOWN_BY_MAX];
    char *shown[SHOWN_BY_MAX] = {0}, *rest = text;
    for (; *arguments; arguments++)
        if (strcmp(*arguments, "--quiet") != 0 && strncmp(*arguments, "--mode=", 7) != 0)
            return 0;
    snprintf(text, sizeof text, "%s", operations.shown_by);
    for (size_t i = 0; (shown[i] = strsep(&rest, " ")); i++)
        continue;
    printf("%s: with %s, which its fault needs\n", operations.traits.id, operations.shown_by);
    return read_options(program, explore_options, shown);
}

static int run_explore(const char *program) {
    const struct explore_request request = {
        .seed = number_of("seed", 1),
        /* as many as fit into the time, if that is given */
        .schedules = number_of("schedules", text_of("seconds") ? UINT64_MAX : DEFAULT_SCHEDULES),
        .bound = number_of("bound", 2),
        .seconds = seconds_of(0),
        .client = text_of("client"),
        .replay = text_of("replay"),
        .fault = (unsigned)number_of("fault", FAULT_NONE),
        .program = program,
        .quiet = number_of("quiet", 0),
        .weak = number_of("memory", 0)};
    store_buffer_depth = (unsigned)number_of("buffer", store_buffer_depth);
    if (text_of("block")) { /* the number of items that thieves leave depends on it */
        scene_usual_block = program_block = (unsigned)number_of("block", 0);
        scene_find_left();
    }
    return explore(&request);
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

/* On TSO, then on weak memory. */
static int explore_both(const struct check_request *request) {
    struct explore_request one = {.program = operations.traits.id,
                                  .seed = request->seed,
                                  .schedules = UINT64_MAX,
                                  .bound = 2,
                                  .seconds = request->seconds / 2,
                                  .quiet = true};
    int status = explore(&one);
    one.weak = status == 0 || explore_found_race();
    return one.weak ? explore(&one) | status : status;
}

static int stop_once(const struct check_request *request) {
    (void)request;
    const int refuted = stop();
    if (refuted)
        printf("a claim of progress is refuted, or an item is lost, when a thread stops: stealbench lab stop %s%s\n",
               operations.traits.id, scene_options());
    return refuted;
}

static int check_explore(const struct check_request *request) { return in_each_mode(explore_both, request); }
static int check_stop(const struct check_request *request) { return in_each_mode(stop_once, request); }

static const struct check explore_check = {
    .name = "explore", .summary = "random and bounded exhaustive schedules", .in_stamp = true, .run = check_explore};
static const struct check stop_check = {
    .name = "stop", .summary = "what others can do when a thread stops", .run = check_stop};
static const struct check *const checks[] = {&explore_check, &stop_check};
static const struct registered registered = {.checks = checks, .check_count = sizeof checks / sizeof *checks};

static int run_check(const char *program, const char *name) {
    const struct check_request request = {.seed = number_of("seed", 1), .seconds = seconds_of(2)};
    for (size_t i = 0; i < registered.check_count && name; i++)
        if (strcmp(name, checks[i]->name) == 0)
            return checks[i]->run(&request);
    return say_usage(program);
}

int main(int argument_count, char **arguments) {
    enum { COUNT, EXPLORE, STOP, CHECK, VERBS };
    static const struct {
        const char *name;
        const struct parameter *options;
    } verbs[] = {
        {"count", count_options}, {"explore", explore_options}, {"stop", stop_options}, {"--check", check_options}};
    const char *program = arguments[0], *named = argument_count < 2 ? "" : arguments[1];
    if (strcmp(named, "--describe") == 0) {
        const struct deque_here here = {operations.traits, operations.traits.id, sizeof(void *)};
        describe(&here, &registered);
        return 0;
    }
    unsigned verb = COUNT;
    while (verb < VERBS && strcmp(named, verbs[verb].name) != 0)
        verb++;
    if (verb == VERBS)
        return say_usage(program);
    machine_open(__start_lab_globals, (size_t)(__stop_lab_globals - __start_lab_globals));
    scene_open();
    scene_find_left();
    char **first = arguments + 2 + (verb == CHECK && arguments[2]);
    int bad = read_options(program, verbs[verb].options, first);
    if (!bad && verb == EXPLORE && operations.shown_by)
        bad = read_shown_by(program, first);
    if (bad)
        return bad;
    switch (verb) {
    case COUNT:
        return count(number_of("csv", 0));
    case EXPLORE:
        return run_explore(program);
    case STOP:
        return stop();
    default:
        return run_check(program, arguments[2]);
    }
}
