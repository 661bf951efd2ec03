/* deque_main.c: main of a deque's own executable. Compiled once: deque_here tells it the deque.
 *
 *   --describe                                          describes this deque, its workloads and its checks
 *   --run WORKLOAD [name=value ...] [--invocation=N] [--repetitions=N] [--minimum-time=SECONDS]
 *   --check NAME [--seed=N] [--seconds=S] [--rounds=N]
 *   [name=value ...] --benchmark_...                    as a binary of Google Benchmark, of these settings
 *
 * The driver (stealbench) calls it this way; you can, too. Exit code: 0 fine, 1 a wrong answer or a failed check, 2
 * usage, 3 cannot be done here.
 */
#include "harness/measuring/counters.h"
#include "harness/measuring/describe.h"
#include "harness/measuring/gbench.h"
#include "harness/measuring/places.h"
#include <pthread.h>
#include <stdio.h>

/* The value of a "--name=value" argument, or NULL. */
static const char *option(const char *argument, const char *name) {
    size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || argument[length] != '=')
        return NULL;
    return argument + length + 1;
}

static int usage(const char *what, const char *argument) {
    fprintf(stderr,
            "%s: %s: %s\nusage: --describe | --run WORKLOAD [name=value ...] | --check NAME | [name=value ...] "
            "--benchmark_filter=WORKLOAD\n",
            deque_here.id, what, argument);
    return 2;
}

/* The tables of parameters of a cell: the workload's own, the common one, and the deque's mode. */
#define TABLES (PARAMETER_TABLES + 2)
static void find_tables(const struct workload *workload, const struct parameter *tables[TABLES]) {
    static struct parameter mode[2] = {PARAMETERS_END, PARAMETERS_END};
    describe_mode(&deque_here.traits, &mode[0]);
    memcpy(tables, workload->parameters, sizeof workload->parameters);
    tables[PARAMETER_TABLES] = common_parameters;
    tables[PARAMETER_TABLES + 1] = mode;
}

/* Sets parameters that were not given to their defaults. */
static int complete(struct settings *settings, const struct parameter *const tables[TABLES]) {
    char message[MESSAGE_SIZE], preset[VALUE_SIZE];
    for (size_t i = 0; i < TABLES; i++)
        for (const struct parameter *one = tables[i]; one && one->name; one++)
            if (!settings_get(settings, one->name) &&
                !settings_set(settings, one, settings_default(settings, one, preset), message))
                return usage("not possible", message);
    return 0;
}

/* The parameter that a "name=value" sets, or NULL. */
static const struct parameter *find_parameter(const struct parameter *const tables[TABLES], const char *argument) {
    char name[NAME_SIZE];
    const struct parameter *parameter = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
    for (size_t i = 0; i < TABLES && !parameter; i++)
        parameter = parameter_find(tables[i], name);
    return parameter;
}

static int take_setting(struct settings *settings, const struct parameter *const tables[TABLES], const char *argument) {
    char message[MESSAGE_SIZE], processors[24];
    const struct parameter *parameter = find_parameter(tables, argument);
    const char *equals = strchr(argument, '=');
    if (!equals)
        return usage("not a name=value", argument);
    if (!parameter)
        return usage("no such parameter", argument);
    const char *given = equals + 1;
    snprintf(processors, sizeof processors, "%u", places_processors());
    if (strcmp(parameter->name, "threads") == 0 && strcmp(given, "all") == 0)
        given = processors;
    return settings_set(settings, parameter, given, message) ? 0 : usage("not possible", message);
}

static void *start_and_end(void *argument) { return argument; }

/* Before the first cell of a process: starts a second thread, because the C library uses cheaper locks in a process
 * that has always had only one. 0 or 3. */
static int start(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, start_and_end, NULL) == 0 && pthread_join(thread, NULL) == 0)
        return 0;
    fprintf(stderr, "%s: no second thread can be started\n", deque_here.id);
    return 3;
}

static int run(int count, char **arguments) {
    struct registered registered = registered_here();
    const struct workload *workload = NULL;
    static struct settings settings;
    const struct parameter *tables[TABLES];
    struct cell cell = {.settings = &settings, .repetitions = 1, .minimum_time = 0.02};
    if (count < 1)
        return usage("a workload is missing", "--run");
    for (size_t i = 0; i < registered.workload_count; i++)
        if (strcmp(registered.workloads[i]->name, arguments[0]) == 0)
            workload = registered.workloads[i];
    if (!workload)
        return usage("no such workload", arguments[0]);
    find_tables(workload, tables);
    for (int i = 1; i < count; i++) {
        const char *value;
        int wrong = 0;
        if ((value = option(arguments[i], "--invocation")))
            cell.invocation = (unsigned)strtoul(value, NULL, 10);
        else if ((value = option(arguments[i], "--repetitions")))
            cell.repetitions = (unsigned)strtoul(value, NULL, 10);
        else if ((value = option(arguments[i], "--minimum-time")))
            cell.minimum_time = strtod(value, NULL);
        else
            wrong = take_setting(&settings, tables, arguments[i]);
        if (wrong)
            return wrong;
    }
    if (cell.repetitions == 0 || cell.repetitions > 1000)
        return usage("--repetitions: expected 1 to 1000", "");
    if (!(cell.minimum_time > 0 && cell.minimum_time <= 3600))
        return usage("--minimum-time: expected more than 0 and at most 3600 seconds", "");
    int incomplete = complete(&settings, tables);
    if (incomplete)
        return incomplete;
    cell.seed = cell_integer(&cell, "seed") * 0x9e3779b97f4a7c15u + cell.invocation;
    cell.flags = deque_here.traits.sound ? 0 : SAMPLE_UNSOUND;
    const char *why = workload->unsupported ? workload->unsupported(&cell) : NULL;
    if (why) {
        fprintf(stderr, "%s: %s: %s\n", deque_here.id, workload->name, why);
        cell_no_sample(&cell, "process", 0, workload->name, "", "unsupported");
        return 0;
    }
    if (start() != 0)
        return 3;
    counters_open(&cell);
    int result = workload->run(&cell);
    counters_close(&cell);
    cell_peak_memory();
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

/* --- as a binary of Google Benchmark: the workloads that it can drive, each with the settings that it has */

#pragma weak gbench /* some executables are linked without */

struct benchmark {
    const struct workload *workload;
    struct settings settings;
    struct cell cell;
    int result;
    char name[MESSAGE_SIZE];
};

/* Each call times another variant of the code, as each invocation of a cell does. */
static const char *run_benchmark(void *context) {
    struct benchmark *benchmark = context;
    const char *why = benchmark->workload->unsupported ? benchmark->workload->unsupported(&benchmark->cell) : NULL;
    if (why)
        return why;
    const int result = benchmark->workload->run(&benchmark->cell);
    benchmark->cell.invocation++;
    if (result != 0)
        benchmark->result = result;
    return result == 1 ? "a wrong answer" : result ? "cannot be prepared here" : NULL;
}

/* Takes the settings that this workload has; their names become part of the benchmark's. */
static int open_benchmark(struct benchmark *benchmark, const struct workload *workload, char **arguments, int count) {
    const struct parameter *tables[TABLES];
    int wrong = 0;
    *benchmark = (struct benchmark){.workload = workload, .cell = {.repetitions = 1, .minimum_time = 0.02}};
    benchmark->cell.settings = &benchmark->settings;
    find_tables(workload, tables);
    if (!find_parameter(tables, "method=google"))
        return 0;
    snprintf(benchmark->name, sizeof benchmark->name, "%s", workload->name);
    for (int i = 1; i < count && !wrong; i++) {
        const size_t used = strlen(benchmark->name);
        if (!find_parameter(tables, arguments[i]))
            continue;
        snprintf(benchmark->name + used, sizeof benchmark->name - used, "/%s", arguments[i]);
        wrong = take_setting(&benchmark->settings, tables, arguments[i]);
    }
    wrong = wrong ? wrong : take_setting(&benchmark->settings, tables, "method=google");
    wrong = wrong ? wrong : complete(&benchmark->settings, tables);
    if (wrong)
        return wrong;
    benchmark->cell.seed = cell_integer(&benchmark->cell, "seed") * 0x9e3779b97f4a7c15u;
    gbench()->add(benchmark->name, run_benchmark, benchmark);
    return 0;
}

static bool is_setting(const struct registered *registered, const char *argument) {
    const struct parameter *tables[TABLES];
    for (size_t i = 0; i < registered->workload_count; i++) {
        find_tables(registered->workloads[i], tables);
        if (find_parameter(tables, argument))
            return true;
    }
    return false;
}

#define BENCHMARKS_MAX 16 /* workloads of an executable */

static int run_benchmarks(int count, char **arguments) {
    static struct benchmark benchmarks[BENCHMARKS_MAX];
    const struct registered registered = registered_here();
    int left = 1, result = gbench() ? start() : 3;
    cell_mute();
    for (size_t i = 0; i < registered.workload_count && i < BENCHMARKS_MAX && result == 0; i++)
        result = open_benchmark(&benchmarks[i], registered.workloads[i], arguments, count);
    for (int i = 1; i < count && result == 0; i++) {
        if (*arguments[i] == '-')
            arguments[left++] = arguments[i];
        else if (!is_setting(&registered, arguments[i]))
            result = usage("no such parameter", arguments[i]);
    }
    if (result == 0 && !gbench()->main(left, arguments))
        return 2;
    for (size_t i = 0; i < BENCHMARKS_MAX && result == 0; i++)
        result = benchmarks[i].result;
    return result;
}

static bool is_for_google(int count, char **arguments) {
    for (int i = 1; i < count && gbench; i++)
        if (strncmp(arguments[i], "--benchmark_", strlen("--benchmark_")) == 0)
            return true;
    return false;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--describe") == 0) {
        struct registered registered = registered_here();
        describe(&deque_here, &registered);
        return 0;
    }
    if (count >= 2 && strcmp(arguments[1], "--run") == 0)
        return run(count - 2, arguments + 2);
    if (count >= 2 && strcmp(arguments[1], "--check") == 0)
        return check(count - 2, arguments + 2);
    if (is_for_google(count, arguments))
        return run_benchmarks(count, arguments);
    return usage("nothing to do", count > 1 ? arguments[1] : "no argument");
}
