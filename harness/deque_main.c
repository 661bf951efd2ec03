/* deque_main.c: main of a deque's own executable, compiled once for each deque.
 *
 *   --describe                                          what this deque, its workloads and its checks are
 *   --run WORKLOAD [name=value ...] [--invocation=N] [--repetitions=N] [--minimum-time=SECONDS] [--json=FILE]
 *   --check NAME [--seed=N] [--seconds=S] [--rounds=N]
 *
 * The driver (stealbench) calls it so; by hand it does the same. Exit: 0 fine, 1 a wrong answer or a failed check,
 * 2 usage, 3 cannot be done here.
 */
#include "harness/counters.h"
#include "harness/deque_under_test.h"
#include "harness/describe.h"
#include <pthread.h>
#include <stdio.h>

static struct deque_traits traits = DEQUE_TRAITS;

/* The linker names the ends of a section that C could name; the weak ones are absent in flavours without workloads. */
extern const struct workload *const __start_workload_table[] __attribute__((weak));
extern const struct workload *const __stop_workload_table[] __attribute__((weak));
extern const struct check *const __start_check_table[] __attribute__((weak));
extern const struct check *const __stop_check_table[] __attribute__((weak));

static struct registered registered_here(void) {
    return (struct registered){
        .workloads = __start_workload_table,
        .workload_count = (size_t)(__stop_workload_table - __start_workload_table),
        .checks = __start_check_table,
        .check_count = (size_t)(__stop_check_table - __start_check_table),
    };
}

/* A value of a "--name=value" argument, or NULL. */
static const char *option(const char *argument, const char *name) {
    size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || argument[length] != '=')
        return NULL;
    return argument + length + 1;
}

static int usage(const char *what, const char *argument) {
    fprintf(stderr, "%s: %s: %s\nusage: --describe | --run WORKLOAD [name=value ...] | --check NAME; see README.md\n",
            traits.id, what, argument);
    return 2;
}

/* Sets parameter to its fallback where it is not given yet. */
static void complete(struct settings *settings, const struct parameter *parameter) {
    if (!settings_get(settings, parameter->name))
        settings_set(settings, parameter->name, parameter->fallback);
}

static const struct parameter *parameter_of(const struct workload *workload, const struct parameter *mode,
                                            const char *name) {
    const struct parameter *parameter = parameter_find(workload->parameters, workload->parameter_count, name);
    if (!parameter)
        parameter = parameter_find(common_parameters, common_parameter_count, name);
    if (!parameter && mode->name && strcmp(mode->name, name) == 0)
        parameter = mode;
    return parameter;
}

static int take_setting(struct settings *settings, const struct workload *workload, const struct parameter *mode,
                        const char *argument) {
    char name[sizeof settings->entry[0].name], normal[VALUE_SIZE], message[MESSAGE_SIZE];
    const char *equals = strchr(argument, '=');
    if (!equals || (size_t)(equals - argument) >= sizeof name)
        return usage("not a name=value", argument);
    snprintf(name, sizeof name, "%.*s", (int)(equals - argument), argument);
    const struct parameter *parameter = parameter_of(workload, mode, name);
    if (!parameter)
        return usage("no such parameter", name);
    if (!parameter_accepts(parameter, equals + 1, normal, message))
        return usage("not possible", message);
    settings_set(settings, name, normal);
    return 0;
}

static void *start_and_end(void *argument) { return argument; }

/* A process that has only ever had one thread gets cheaper locks from the C library; no deque is used in such a one. */
static bool had_a_second_thread(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, start_and_end, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

static int run(int count, char **arguments) {
    struct registered registered = registered_here();
    const struct workload *workload = NULL;
    static struct settings settings;
    struct parameter mode = {0};
    struct cell cell = {.settings = &settings, .repetitions = 1, .minimum_time = 0.02};
    if (count < 1)
        return usage("a workload is missing", "--run");
    for (size_t i = 0; i < registered.workload_count; i++)
        if (strcmp(registered.workloads[i]->name, arguments[0]) == 0)
            workload = registered.workloads[i];
    if (!workload)
        return usage("no such workload", arguments[0]);
    describe_mode(&traits, &mode);
    for (int i = 1; i < count; i++) {
        const char *value;
        int wrong = 0;
        if ((value = option(arguments[i], "--invocation")))
            cell.invocation = (unsigned)strtoul(value, NULL, 10);
        else if ((value = option(arguments[i], "--repetitions")))
            cell.repetitions = (unsigned)strtoul(value, NULL, 10);
        else if ((value = option(arguments[i], "--minimum-time")))
            cell.minimum_time = strtod(value, NULL);
        else if ((value = option(arguments[i], "--json")))
            cell.json = value;
        else
            wrong = take_setting(&settings, workload, &mode, arguments[i]);
        if (wrong)
            return wrong;
    }
    if (cell.repetitions == 0 || cell.repetitions > 1000)
        return usage("--repetitions: 1 to 1000 are wanted", "");
    if (!(cell.minimum_time > 0 && cell.minimum_time <= 3600))
        return usage("--minimum-time: more than 0, up to 3600 seconds is wanted", "");
    for (size_t i = 0; i < workload->parameter_count; i++)
        complete(&settings, &workload->parameters[i]);
    for (size_t i = 0; i < common_parameter_count; i++)
        complete(&settings, &common_parameters[i]);
    if (mode.name)
        complete(&settings, &mode);
    cell.seed = cell_integer(&cell, "seed") * 0x9e3779b97f4a7c15u + cell.invocation;
    cell.flags = traits.sound ? 0 : SAMPLE_UNSOUND;
    const char *why = workload->unsupported ? workload->unsupported(&cell) : NULL;
    if (why) {
        fprintf(stderr, "%s: %s: %s\n", traits.id, workload->name, why);
        cell_no_sample(&cell, "process", 0, workload->name, "", "unsupported");
        return 0;
    }
    if (!had_a_second_thread()) {
        fprintf(stderr, "%s: no second thread can be started\n", traits.id);
        return 3;
    }
    counters_open(&cell);
    int result = workload->run(&cell);
    counters_close(&cell);
    return result;
}

static int check(int count, char **arguments) {
    struct registered registered = registered_here();
    struct check_request request = {.seed = 1, .seconds = 1};
    if (count < 1)
        return usage("a check is missing", "--check");
    for (int i = 1; i < count; i++) {
        const char *value;
        if ((value = option(arguments[i], "--seed")))
            request.seed = strtoull(value, NULL, 0);
        else if ((value = option(arguments[i], "--seconds")))
            request.seconds = strtod(value, NULL);
        else if ((value = option(arguments[i], "--rounds")))
            request.rounds = strtoul(value, NULL, 10);
        else
            return usage("no such option", arguments[i]);
    }
    for (size_t i = 0; i < registered.check_count; i++)
        if (strcmp(registered.checks[i]->name, arguments[0]) == 0)
            return registered.checks[i]->run(&request);
    return usage("no such check", arguments[0]);
}

int main(int count, char **arguments) {
#ifdef DEQUE_ID
    traits.id = DEQUE_ID; /* variants of one header, built for the suite's self-measurement, have names of their own */
#endif
#ifdef DEQUE_TITLE
    traits.title = traits.source = DEQUE_TITLE; /* another runtime that poses as a deque (runtimes/) */
#endif
    if (count == 2 && strcmp(arguments[1], "--describe") == 0) {
        struct registered registered = registered_here();
        describe(&traits, sizeof(deque_item), &registered);
        return 0;
    }
    if (count >= 2 && strcmp(arguments[1], "--run") == 0)
        return run(count - 2, arguments + 2);
    if (count >= 2 && strcmp(arguments[1], "--check") == 0)
        return check(count - 2, arguments + 2);
    return usage("nothing to do", count > 1 ? arguments[1] : "no argument");
}
