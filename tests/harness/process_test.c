/* process_test.c: programs run to their end: output, exit, signals, time limits, what they used. */
#include "harness/files.h"
#include "harness/parameters.h"
#include "harness/process.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void shell(struct process *process, const char *script, double timeout) {
    const char *const arguments[] = {"sh", "-c", script, NULL};
    process_run(process, arguments, timeout);
}

static void ends(const char *script, enum process_end end, int code) {
    struct process process;
    shell(&process, script, 10);
    assert_int_equal(process.end, end);
    assert_int_equal(process.code, code);
    process_free(&process);
}

static void ends_are_told_apart(void **state) {
    (void)state;
    ends("exit 0", PROCESS_EXITED, 0);
    ends("exit 3", PROCESS_EXITED, 3);
    ends("kill -SEGV $$", PROCESS_KILLED, SIGSEGV);
    ends("kill -KILL $$", PROCESS_KILLED, SIGKILL);
    /* closing its output is not ending */
    ends("exec >&- 2>&-; sleep 0.1; exit 5", PROCESS_EXITED, 5);
}

static void output_and_errors_are_kept_apart(void **state) {
    struct process process;
    (void)state;
    shell(&process, "echo out; echo err >&2; cat", 10);
    assert_string_equal(text_string(&process.output), "out\n");
    assert_string_equal(text_string(&process.errors), "err\n");
    process_free(&process);
    shell(&process, "head -c 3000000 /dev/zero", 10);
    assert_int_equal(process.output.length, 3000000);
    process_free(&process);
}

static void a_program_that_is_not_there(void **state) {
    const char *const arguments[] = {"/nowhere/at-all", NULL};
    struct process process;
    char message[MESSAGE_SIZE];
    (void)state;
    process_run(&process, arguments, 10);
    assert_int_equal(process.end, PROCESS_NOT_STARTED);
    assert_int_equal(process.code, ENOENT);
    process_say(&process, 10, message);
    assert_string_equal(message, "could not be started: No such file or directory");
    process_free(&process);
}

/* Has it died? Who inherits it may be slow to notice, so a zombie counts. */
static bool has_died(int pid) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    return !file_line(path, line, sizeof line) || strstr(line, ") Z ");
}

static void a_time_limit_ends_children_too(void **state) {
    struct process process;
    int child = 0;
    (void)state;
    shell(&process, "sleep 100 & echo $!; wait", 0.2);
    assert_int_equal(process.end, PROCESS_TIMEOUT);
    assert_true(process.seconds >= 0.2 && process.seconds < 10);
    assert_int_equal(sscanf(text_string(&process.output), "%d", &child), 1);
    for (unsigned i = 0; i < 1000 && !has_died(child); i++)
        usleep(1000);
    assert_true(has_died(child));
    process_free(&process);
}

/* What a program leaves behind neither delays its end nor survives it. */
static void a_child_left_behind_does_not_delay_the_end(void **state) {
    struct process process;
    (void)state;
    shell(&process, "sleep 100 & echo done", 20);
    assert_int_equal(process.end, PROCESS_EXITED);
    assert_true(process.seconds < 10);
    assert_string_equal(text_string(&process.output), "done\n");
    process_free(&process);
}

static void what_it_used_is_told(void **state) {
    struct process process;
    (void)state;
    shell(&process, "sleep 0.2", 10);
    assert_true(process.seconds >= 0.2 && process.seconds < 10);
    assert_true(process.usage.ru_maxrss > 100);
    assert_true(process.usage.ru_nvcsw > 0);
    process_free(&process);
}

static void a_request_to_stop_ends_it(void **state) {
    struct process process;
    (void)state;
    catch_interrupts();
    assert_false(interrupted());
    shell(&process, "kill -INT $PPID; sleep 100", 20);
    assert_int_equal(process.end, PROCESS_INTERRUPTED);
    assert_true(interrupted());
    process_free(&process);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_told_apart),
        cmocka_unit_test(output_and_errors_are_kept_apart),
        cmocka_unit_test(a_program_that_is_not_there),
        cmocka_unit_test(a_time_limit_ends_children_too),
        cmocka_unit_test(a_child_left_behind_does_not_delay_the_end),
        cmocka_unit_test(what_it_used_is_told),
        cmocka_unit_test(a_request_to_stop_ends_it), /* the last: the request is remembered */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
