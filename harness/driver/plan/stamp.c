/* stamp.c: a stamp says that a deque passed its short checks. Only deques with a stamp are timed.
 *
 * The checks are executables (build/checks/ID, build/lab/ID) of the same header, compiler and flags as what is timed. A
 * stamp is kept in build/stamps/ID with a hash of these executables. Failures are not kept. */
#pragma once

#include "harness/driver/plan/catalogue.c"
#include <libgen.h>

#define STAMP_SECONDS 1.0 /* for all checks of one deque */

/* What came of a check. It failed when it said so, or crashed; it is undecided when it said so, or was killed from
 * outside. */
#define CHECK_RESULTS(RESULT)                                                                                          \
    RESULT(CHECK_PASSED, "passed")                                                                                     \
    RESULT(CHECK_FAILED, "FAILED")                                                                                     \
    RESULT(CHECK_UNDECIDED, "no verdict")                                                                              \
    RESULT(CHECK_IMPOSSIBLE, "missing")                                                                                \
    RESULT(CHECK_INTERRUPTED, "stopped")

enum check_result { CHECK_RESULTS(LIST_NAME) };

struct checked {
    enum check_result result;
    double seconds;      /* that it took */
    const char *why;     /* in words; of one that passed, how far it reached */
    const char *details; /* of a failure: how to repeat it, a sanitizer's report */
};

/* All checks that the deque's executables hold. */
struct deque_check {
    const char *executable, *name;
    bool in_stamp;
    const struct catalogue_part *part;
};

struct checks {
    struct deque_check *at;
    size_t count;
};

static bool says_repeat(const char *line) { return begins_with(line, "  repeat: "); }

/* Is this one of the lines in which a check says what it tried and how to repeat it? */
static bool says_how(const char *line) {
    return begins_with(line, "  tried: ") || begins_with(line, "  operations:") || says_repeat(line);
}

static bool opens_report(const char *line) { return strstr(line, "Sanitizer:") || strstr(line, "runtime error:"); }

/* The line that tells most: what the check said last, else what a sanitizer said, else the last line; or NULL.
 * Sanitizers report memory leaks after "passed". */
static const char *reason_of(struct words output, struct words errors) {
    const char *line = NULL;
    foreach (said, output)
        if (!says_how(*said) && !begins_with(*said, "passed "))
            line = *said;
    const bool by_check = line;
    for (size_t i = 0; i < errors.count && !by_check && !(line && opens_report(line)); i++)
        line = errors.at[i];
    return line ? formatted("%.400s", line) : NULL;
}

/* How far a check that passed has reached: "passed CHECK of DEQUE: REACH; more". */
static const char *reach_of(const struct process *process) {
    const char *said = strstr(text_string(&process->output), "passed "), *reach = said ? strstr(said, ": ") : NULL;
    const size_t length = reach ? strcspn(reach, ";\n") : 0;
    return reach && reach[length] == ';' ? formatted("%.*s", (int)length - 2, reach + 2) : "";
}

/* What the check tried and how to repeat it, if it came so far. Then a sanitizer's report up to its summary: only pages
 * of addresses follow that. */
static const char *details_of(struct words output, struct words errors, const char *const *arguments) {
    struct text details = {0};
    bool repeat = false, report = false;
    foreach (line, output) {
        if (says_how(*line))
            text_format(&details, "%s\n", *line);
        repeat |= says_repeat(*line);
    }
    text_add(&details, repeat ? "" : "  repeat:");
    for (; *arguments && !repeat; arguments++)
        text_format(&details, " %s", *arguments);
    text_add(&details, repeat ? "" : "\n");
    foreach (line, errors) {
        report = report || opens_report(*line);
        if (report)
            text_format(&details, "  %s\n", *line);
        if (report && begins_with(*line, "SUMMARY:"))
            break;
    }
    return text_string(&details);
}

static enum check_result result_of(const struct process *process) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    const int code = process->code;
    if (process->end == PROCESS_INTERRUPTED)
        return CHECK_INTERRUPTED;
    if (process->end == PROCESS_NOT_STARTED)
        return CHECK_IMPOSSIBLE;
    if (process->end == PROCESS_EXITED && code != 2 && code != NO_VERDICT)
        return code == 0 ? CHECK_PASSED : code == 3 ? CHECK_IMPOSSIBLE : CHECK_FAILED;
    foreach (crash, LIST_OF(crashes))
        if (process->end == PROCESS_KILLED && code == *crash)
            return CHECK_FAILED;
    return CHECK_UNDECIDED;
}

struct checked check_run(const char *executable, const char *check, double seconds) {
    const double timeout = 60 + 20 * seconds; /* a check may overrun, under a sanitizer even more, but not for ever */
    const char *const arguments[] = {executable, "--check", check, "--seed=1", formatted("--seconds=%.9g", seconds),
                                     NULL};
    struct process process;
    process_run(&process, arguments, timeout);
    const struct words output = split_words(text_string(&process.output), "\n");
    const struct words errors = split_words(text_string(&process.errors), "\n");
    struct checked checked = {result_of(&process), process.seconds, process_ending(&process, timeout), ""};
    const char *reason = process.end == PROCESS_EXITED && process.code != 0 ? reason_of(output, errors) : NULL;
    checked.why = checked.result == CHECK_PASSED ? reach_of(&process) : reason ? reason : checked.why;
    if (checked.result == CHECK_FAILED)
        checked.details = details_of(output, errors, arguments);
    process_free(&process);
    return checked;
}

struct checks checks_of(const struct catalogue_deque *deque) {
    struct checks checks = {0};
    foreach (part, deque->parts)
        foreach (one, part->description.checks)
            *ONE_MORE(checks) = (struct deque_check){part->executable, one->name, one->in_stamp, part};
    return checks;
}

/* Of these very executables, so that the checks run again when one has changed. */
static const char *stamp_text(const struct catalogue_deque *deque, const char *lab) {
    const struct checks checks = checks_of(deque);
    uint64_t hash = hash_string(HASH_START, deque->id), content;
    foreach (check, checks)
        if (check->in_stamp)
            hash = hash_bytes(hash, &check->part->content, sizeof check->part->content);
    file_hash(lab, &content);
    return formatted("stealbench-stamp 4 %016" PRIx64 "\n", hash_bytes(hash, &content, sizeof content));
}

/* Runs the deque's short checks, also the lab's if it knows the deque, unless there is a stamp. Keeps one if all
 * passed. Returns what came of the last. */
struct checked stamp_make(const struct catalogue_deque *deque, const char *build, bool quiet) {
    const char *lab = formatted("%s/lab/%s", build, deque->id), *path = formatted("%s/stamps/%s", build, deque->id);
    const struct checks all = checks_of(deque);
    const char *text = stamp_text(deque, lab);
    struct checks few = {0};
    if (same(file_text(path), text))
        return (struct checked){.result = CHECK_PASSED};
    if (!quiet)
        fprintf(stderr, "checking %s before it is timed (about %g s, once a build)\n", deque->id, STAMP_SECONDS);
    foreach (check, all)
        if (check->in_stamp)
            *ONE_MORE(few) = *check;
    if (access(lab, R_OK) == 0)
        *ONE_MORE(few) = (struct deque_check){lab, "explore", true, NULL};
    struct checked last = {few.count > 0 ? CHECK_PASSED : CHECK_FAILED, 0, "none of its executables holds a check", ""};
    for (size_t i = 0; i < few.count && last.result == CHECK_PASSED; i++) {
        last = check_run(few.at[i].executable, few.at[i].name, STAMP_SECONDS / (double)few.count);
        last.why = formatted("the check %.60s: %.400s", few.at[i].name, last.why);
    }
    if (last.result == CHECK_PASSED && folder_make(dirname(duplicate(path))) == 0)
        file_replace(path, text); /* if that fails, the stamp is made again next time */
    return last;
}
