/* main.c: the lab's executable for one deque: build/lab/ID count|explore|stop [options]. It also describes itself and
 * runs explore and stop as checks, as a timed executable does (harness/README.md), which is how the gate calls it. */
#include "harness/measuring/describe.h"
#include "harness/measuring/parameters.h"
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
#define BLOCK_MAX 12            /* items; what thieves leave is measured with blocks of 16 */

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

/* The options, and the verbs that they belong to. */
enum { COUNT = 1, EXPLORE = 2, STOP = 4, CHECK = 8, ALL = 15 };
static const struct option {
    unsigned verbs;
    struct parameter parameter;
} options[] = {
    {COUNT, PARAMETER_SWITCH("csv", "")},
    {EXPLORE, PARAMETER_SWITCH("quiet", "")},
    {EXPLORE, PARAMETER_TEXT("client", "", "")},
    {EXPLORE, PARAMETER_TEXT("replay", "", "")},
    {EXPLORE | CHECK, PARAMETER_REAL("seconds", 0, 0.001, 1e6, "s", "")},
    {EXPLORE, PARAMETER_INTEGER("schedules", 0, 0, 1e18, "", "")},
    {EXPLORE | CHECK, PARAMETER_INTEGER("seed", 1, 0, 0x1p64, "", "")},
    {EXPLORE, PARAMETER_INTEGER("bound", 2, 0, 8, "", "")},
    {EXPLORE, PARAMETER_INTEGER("buffer", 0, 1, STORE_BUFFER_MAX, "", "")},
    {EXPLORE, PARAMETER_INTEGER("block", 0, 1, BLOCK_MAX, "", "")},
    {CHECK, PARAMETER_INTEGER("rounds", 0, 0, 0x1p64, "", "")}, /* other checks use it; ignored here */
    /* In the order of enum fault_kind. */
    {EXPLORE, PARAMETER_CHOICE("fault", "any", "any|race|answer|hangs|lost|doubled|stranger|freed|wild", "")},
    {EXPLORE, PARAMETER_CHOICE("memory", "tso", "tso|weak", "")},
    {EXPLORE, PARAMETER_CHOICE("slots", "plain", "plain|atomic", "")},
    {ALL, PARAMETER_CHOICE("fences", "kernel", "kernel|pair", "")},
    {ALL, PARAMETER_TEXT("mode", "", "")},
};
static struct settings settings; /* the options that were given */

static const char *text_of(const char *name) {
    const struct value *value = settings_get(&settings, name);
    return value ? value->text : NULL;
}
static uint64_t number_of(const char *name, uint64_t otherwise) {
    const struct value *value = settings_get(&settings, name);
    return value ? value->integer : otherwise;
}
static unsigned choice_of(const char *name) {
    const struct value *value = settings_get(&settings, name);
    return value ? (unsigned)value->choice : 0;
}
static double seconds_of(double otherwise) {
    const struct value *value = settings_get(&settings, "seconds");
    return value ? value->real : otherwise;
}

/* The option that a word such as "--seed=1" gives to this verb, or NULL. */
static const struct parameter *option_of(unsigned verb, const char *word) {
    const size_t length = strcspn(word, "=");
    for (const struct option *option = options; option < options + sizeof options / sizeof *options; option++)
        if ((option->verbs & verb) && strncmp(word, "--", 2) == 0 && strlen(option->parameter.name) == length - 2 &&
            strncmp(option->parameter.name, word + 2, length - 2) == 0)
            return &option->parameter;
    return NULL;
}

/* Returns 0, or 2 if an argument does not belong to the verb. */
static int read_options(const char *program, unsigned verb, char **arguments) {
    const struct deque_traits *traits = &operations.traits;
    char message[MESSAGE_SIZE] = "";
    for (; *arguments && !*message; arguments++) {
        const struct parameter *option = option_of(verb, *arguments);
        const char *value = strchr(*arguments, '=');
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
    entry_fences_paired = choice_of("fences") == 1;
    entry_slots_atomic = choice_of("slots") == 1;
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
    return read_options(program, EXPLORE, shown);
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
        .fault = choice_of("fault"),
        .program = program,
        .quiet = number_of("quiet", 0),
        .weak = choice_of("memory") == 1};
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
    if (status == 0) {
        one.weak = true;
        status = explore(&one);
    }
    if (!explore_found_race_of_slots())
        return status;
    entry_slots_atomic = one.weak = true; /* what does the race do? */
    if (explore(&one) == 0)
        printf("%s: a race of plain slots; no item was seen to be lost or doubled by it\n", operations.traits.id);
    return status;
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

static int run_check(const char *program, const char *name) {
    const struct check_request request = {.seed = number_of("seed", 1), .seconds = seconds_of(2)};
    for (size_t i = 0; i < sizeof checks / sizeof *checks && name; i++)
        if (strcmp(name, checks[i]->name) == 0)
            return checks[i]->run(&request);
    return say_usage(program);
}

static int run_describe(void) {
    struct registered registered = {.checks = checks, .check_count = sizeof checks / sizeof *checks};
    describe(&operations.traits, sizeof(void *), NULL, &registered);
    return 0;
}

static int run(unsigned verb, char **arguments) {
    const char *program = arguments[0];
    char **first = arguments + 2 + (verb == CHECK && arguments[2]);
    int bad = read_options(program, verb, first);
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
