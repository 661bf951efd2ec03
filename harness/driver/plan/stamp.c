#include "harness/driver/plan/plan.h"
#include "harness/driver/util/process.h"
#include "harness/measuring/cell.h"
#include <libgen.h>

static bool says_repeat(const char *line) { return begins_with(line, "  repeat: "); }

/* Is this one of the lines in which a check says what it tried and how to repeat it? */
static bool says_how(const char *line) {
    return begins_with(line, "  tried: ") || begins_with(line, "  operations:") || says_repeat(line);
}

static bool opens_report(const char *line) { return strstr(line, "Sanitizer:") || strstr(line, "runtime error:"); }

/* Chooses the line that tells most: what the check said last, else what a sanitizer said, else the last line.
 * Sanitizers report memory leaks after "passed". */
static void tell_reason(const struct process *process, const char **why) {
    const struct words output = split_words(text_string(&process->output), "\n");
    const struct words errors = split_words(text_string(&process->errors), "\n");
    const char *line = NULL;
    for (size_t i = 0; i < output.count; i++)
        if (!says_how(output.at[i]) && !begins_with(output.at[i], "passed "))
            line = output.at[i];
    const bool said = line;
    for (size_t i = 0; i < errors.count && !said; i++) {
        line = errors.at[i];
        if (opens_report(line))
            break;
    }
    if (line)
        *why = formatted("%.400s", line);
}

/* How far a check that passed has reached: "passed CHECK of DEQUE: REACH; more". */
static const char *reach_of(const struct process *process) {
    const char *said = strstr(text_string(&process->output), "passed "), *reach = said ? strstr(said, ": ") : NULL;
    const size_t length = reach ? strcspn(reach, ";\n") : 0;
    return reach && reach[length] == ';' ? formatted("%.*s", (int)length - 2, reach + 2) : "";
}

/* What the check tried and how to repeat it, if it came so far. Then a sanitizer's report up to its summary: only pages
 * of addresses follow that. */
static void tell_details(const struct process *process, const char *const *arguments, struct text *details) {
    const struct words output = split_words(text_string(&process->output), "\n");
    const struct words errors = split_words(text_string(&process->errors), "\n");
    bool repeat = false, report = false;
    for (size_t i = 0; i < output.count; i++) {
        if (says_how(output.at[i]))
            text_format(details, "%s\n", output.at[i]);
        repeat |= says_repeat(output.at[i]);
    }
    text_add(details, repeat ? "" : "  repeat:");
    for (; *arguments && !repeat; arguments++)
        text_format(details, " %s", *arguments);
    text_add(details, repeat ? "" : "\n");
    for (size_t i = 0; i < errors.count; i++) {
        report = report || opens_report(errors.at[i]);
        if (report)
            text_format(details, "  %s\n", errors.at[i]);
        if (report && begins_with(errors.at[i], "SUMMARY:"))
            break;
    }
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
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0] && process->end == PROCESS_KILLED; i++)
        if (code == crashes[i])
            return CHECK_FAILED;
    return CHECK_UNDECIDED;
}

enum check_result check_run(const char *executable, const char *check, double seconds, double *took, const char **why,
                            struct text *details) {
    const double timeout = 60 + 20 * seconds; /* a check may overrun, under a sanitizer even more, but not for ever */
    const char *const arguments[] = {executable, "--check", check, "--seed=1", formatted("--seconds=%.9g", seconds),
                                     NULL};
    struct process process;
    process_run(&process, arguments, timeout);
    const enum check_result result = result_of(&process);
    *why = process_ending(&process, timeout);
    if (process.end == PROCESS_EXITED && process.code != 0)
        tell_reason(&process, why);
    if (result == CHECK_PASSED)
        *why = reach_of(&process);
    if (result == CHECK_FAILED && details)
        tell_details(&process, arguments, details);
    *took = process.seconds;
    process_free(&process);
    return result;
}

/* The lab's executable for this deque and its hash; NULL if the lab has none. */
static const char *lab_executable(const struct catalogue_deque *deque, const char *build, uint64_t *content) {
    const char *path = formatted("%s/lab/%s", build, deque->id);
    return file_hash(path, content) == 0 ? path : NULL;
}

/* How many checks of this executable belong to the stamp. */
static size_t count_checks(const struct description *description) {
    size_t count = 0;
    for (size_t i = 0; i < description->check_count; i++)
        count += description->checks[i].in_stamp;
    return count;
}

static struct text stamp_text(const struct catalogue_deque *deque, const char *build) {
    struct text text = {0};
    uint64_t content;
    lab_executable(deque, build, &content);
    text_format(&text, "stealbench-stamp 3\n%s\n", deque->id);
    for (size_t i = 0; i < deque->part_count; i++)
        if (count_checks(&deque->parts[i].description) > 0)
            text_format(&text, "checks %016" PRIx64 "\n", deque->parts[i].content);
    text_format(&text, "lab %016" PRIx64 "\npassed\n", content);
    return text;
}

bool stamp_kept(const struct catalogue_deque *deque, const char *build) {
    struct text kept = {0};
    const struct text wanted = stamp_text(deque, build);
    return file_read(formatted("%s/stamps/%s", build, deque->id), &kept) == 0 &&
           strcmp(text_string(&kept), wanted.data) == 0;
}

static enum check_result check_for_stamp(const char *executable, const char *check, double seconds, const char **why) {
    double took;
    const enum check_result result = check_run(executable, check, seconds, &took, why, NULL);
    *why = formatted("the check %.60s: %.400s", check, *why);
    return result;
}

enum check_result stamp_make(const struct catalogue_deque *deque, const char *build, const char **why) {
    uint64_t content;
    const char *lab = lab_executable(deque, build, &content);
    size_t count = lab != NULL;
    for (size_t i = 0; i < deque->part_count; i++)
        count += count_checks(&deque->parts[i].description);
    const double seconds = STAMP_SECONDS / (double)(count > 0 ? count : 1);
    enum check_result result = count > 0 ? CHECK_PASSED : CHECK_FAILED;
    *why = "none of its executables holds a check";
    for (size_t i = 0; i < deque->part_count; i++) {
        const struct description *description = &deque->parts[i].description;
        for (size_t j = 0; j < description->check_count && result == CHECK_PASSED; j++)
            if (description->checks[j].in_stamp)
                result = check_for_stamp(deque->parts[i].executable, description->checks[j].name, seconds, why);
    }
    if (lab && result == CHECK_PASSED)
        result = check_for_stamp(lab, "explore", seconds, why);
    const char *path = formatted("%s/stamps/%s", build, deque->id);
    const struct text text = stamp_text(deque, build);
    if (result == CHECK_PASSED && folder_make(dirname(duplicate(path))) == 0)
        file_replace(path, &text); /* if that fails, the stamp is made again next time */
    return result;
}
