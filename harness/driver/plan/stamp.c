#include "harness/driver/plan/stamp.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/process.h"
#include "harness/measuring/cell/cell.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is this one of the lines in which a check says what it tried and how to repeat it? */
static bool says_how(const char *line) {
    return strncmp(line, "  tried: ", 9) == 0 || strncmp(line, "  repeat: ", 10) == 0;
}

static bool opens_report(const char *line) { return strstr(line, "Sanitizer:") || strstr(line, "runtime error:"); }

/* The line that tells most: what the check said last; else what a sanitizer said; else the last words. */
static void tell_reason(const struct process *process, char *why) {
    char *copy = NULL, *line = NULL, *rest = NULL;
    const struct text *texts[] = {&process->output, &process->errors};
    for (size_t i = 0; i < 2 && !line; i++) {
        free(copy);
        copy = duplicate(text_string(texts[i]));
        rest = NULL;
        for (char *next = strtok_r(copy, "\n", &rest); next; next = strtok_r(NULL, "\n", &rest)) {
            if (i == 0 && (says_how(next) || strncmp(next, "passed ", 7) == 0)) /* memory leaks are found behind that */
                continue;
            line = next;
            if (i == 1 && opens_report(line))
                break;
        }
    }
    if (line)
        snprintf(why, MESSAGE_SIZE, "%.400s", line);
    free(copy);
}

/* What it tried and how to repeat that, by its own word if it got that far; then a sanitizer's report, which names the
 * lines, as far as its summary: behind that come pages of addresses. */
static void tell_details(const struct process *process, const char *const *arguments, struct text *details) {
    char *output = duplicate(text_string(&process->output)), *errors = duplicate(text_string(&process->errors));
    char *rest = NULL;
    bool repeat = false, report = false;
    for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (says_how(line))
            text_format(details, "%s\n", line);
        repeat = repeat || strncmp(line, "  repeat: ", 10) == 0;
    }
    text_add(details, repeat ? "" : "  repeat:");
    for (; *arguments && !repeat; arguments++)
        text_format(details, " %s", *arguments);
    text_add(details, repeat ? "" : "\n");
    for (char *line = strtok_r(errors, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        report = report || opens_report(line);
        if (report)
            text_format(details, "  %s\n", line);
        if (report && strncmp(line, "SUMMARY:", 8) == 0)
            break;
    }
    free(output);
    free(errors);
}

static enum check_result result_of(const struct process *process) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    switch (process->end) {
    case PROCESS_EXITED:
        return process->code == 0                                  ? CHECK_PASSED
               : process->code == 3                                ? CHECK_IMPOSSIBLE
               : process->code == 2 || process->code == NO_VERDICT ? CHECK_UNDECIDED
                                                                   : CHECK_FAILED;
    case PROCESS_KILLED:
        for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
            if (process->code == crashes[i])
                return CHECK_FAILED;
        return CHECK_UNDECIDED;
    case PROCESS_INTERRUPTED:
        return CHECK_INTERRUPTED;
    case PROCESS_NOT_STARTED:
        return CHECK_IMPOSSIBLE;
    case PROCESS_TIMEOUT:
    case PROCESS_TOO_LARGE:
    case PROCESS_TOO_MUCH:
        break;
    }
    return CHECK_UNDECIDED;
}

enum check_result check_run(const char *executable, const char *check, double seconds, double *took, char *why,
                            struct text *details) {
    char limit[48];
    double timeout = 60 + 20 * seconds; /* a check may overrun, under a sanitizer more so, but not for ever */
    struct process process;
    snprintf(limit, sizeof limit, "--seconds=%.9g", seconds);
    const char *const arguments[] = {executable, "--check", check, "--seed=1", limit, NULL};
    process_run(&process, arguments, timeout);
    enum check_result result = result_of(&process);
    process_say(&process, timeout, why);
    if (process.end == PROCESS_EXITED && process.code != 0)
        tell_reason(&process, why);
    if (result == CHECK_FAILED && details)
        tell_details(&process, arguments, details);
    *took = process.seconds;
    process_free(&process);
    return result;
}

/* The lab's executable for this deque, to be freed, and its hash; NULL when the lab has none. */
static char *lab_executable(const struct catalogue_deque *deque, const char *laboratory, uint64_t *content) {
    char *path = path_join(laboratory, deque->id);
    if (file_hash(path, content) == 0)
        return path;
    free(path);
    return NULL;
}

/* How many checks of this executable belong to the stamp. */
static size_t count_checks(const struct description *description) {
    size_t count = 0;
    for (size_t i = 0; i < description->check_count; i++)
        count += description->checks[i].in_stamp;
    return count;
}

static void stamp_text(const struct catalogue_deque *deque, const char *laboratory, struct text *text) {
    uint64_t content = 0;
    char *lab = lab_executable(deque, laboratory, &content);
    text_format(text, "stealbench-stamp 3\n%s\n", deque->id);
    for (size_t i = 0; i < deque->part_count; i++)
        if (count_checks(&deque->parts[i].description) > 0)
            text_format(text, "checks %016" PRIx64 "\n", deque->parts[i].content);
    text_format(text, "lab %016" PRIx64 "\npassed\n", content);
    free(lab);
}

bool stamp_find(struct stamp *stamp, const struct catalogue_deque *deque, const char *folder, const char *laboratory) {
    struct text kept = {0}, wanted = {0};
    *stamp = (struct stamp){.result = STAMP_NOT_MADE};
    if (deque->reference) {
        stamp->result = STAMP_NOT_NEEDED;
        return true;
    }
    char *path = path_join(folder, deque->id);
    stamp_text(deque, laboratory, &wanted);
    if (file_read(path, &kept) == 0 && strcmp(text_string(&kept), wanted.data) == 0) {
        stamp->result = STAMP_PASSED;
        stamp->kept = true;
    }
    free(path);
    text_free(&kept);
    text_free(&wanted);
    return stamp->kept;
}

/* A stamp that cannot be kept is made again next time, so nobody has to hear of it. */
static void keep(const struct catalogue_deque *deque, const char *folder, const char *laboratory) {
    struct text text = {0};
    char *path = path_join(folder, deque->id);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    int unmade = folder_make(path);
    *slash = '/';
    stamp_text(deque, laboratory, &text);
    if (!unmade)
        file_replace(path, &text);
    text_free(&text);
    free(path);
}

/* Runs one check; unless it passes, the stamp ends as it does. */
static void check_for_stamp(struct stamp *stamp, const char *executable, const char *check, double seconds) {
    char why[MESSAGE_SIZE];
    double took;
    enum check_result result = check_run(executable, check, seconds, &took, why, NULL);
    if (result == CHECK_PASSED)
        return;
    stamp->result = result == CHECK_INTERRUPTED ? STAMP_NOT_MADE
                    : result == CHECK_FAILED    ? STAMP_FAILED
                                                : STAMP_UNDECIDED;
    snprintf(stamp->reason, sizeof stamp->reason, "the check %.60s: %.400s", check, why);
}

void stamp_make(struct stamp *stamp, const struct catalogue_deque *deque, const char *folder, const char *laboratory) {
    uint64_t content;
    char *lab = lab_executable(deque, laboratory, &content);
    size_t count = lab != NULL;
    for (size_t i = 0; i < deque->part_count; i++)
        count += count_checks(&deque->parts[i].description);
    double seconds = STAMP_SECONDS / (double)(count > 0 ? count : 1);
    stamp->result = count > 0 ? STAMP_PASSED : STAMP_FAILED;
    snprintf(stamp->reason, sizeof stamp->reason, "none of its executables holds a check");
    for (size_t i = 0; i < deque->part_count; i++) {
        const struct description *description = &deque->parts[i].description;
        for (size_t j = 0; j < description->check_count && stamp->result == STAMP_PASSED; j++)
            if (description->checks[j].in_stamp)
                check_for_stamp(stamp, deque->parts[i].executable, description->checks[j].name, seconds);
    }
    if (lab && stamp->result == STAMP_PASSED)
        check_for_stamp(stamp, lab, "explore", seconds);
    if (stamp->result == STAMP_PASSED)
        keep(deque, folder, laboratory);
    free(lab);
}
