/* process_test.c: programs run to their end: output, exit, signals, time limits, what they used. */
#include "harness/driver/util/process.h"
#include "tests/unit.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void shell(struct process *process, const char *script, double timeout) {
    const char *const arguments[] = {"sh", "-c", script, NULL};
    process_run(process, arguments, timeout);
}

static void ends(const char *script, enum process_end end, int code) {
    struct process process;
    shell(&process, script, 10);
    assert_int_equal(process.end, end);
    assert_int_equal(process.code, code);
}

TEST(ends_are_told_apart) {
    ends("exit 0", PROCESS_EXITED, 0);
    ends("exit 3", PROCESS_EXITED, 3);
    ends("kill -SEGV $$", PROCESS_KILLED, SIGSEGV);
    ends("kill -KILL $$", PROCESS_KILLED, SIGKILL);
    /* closing its output is not ending */
    ends("exec >&- 2>&-; sleep 0.1; exit 5", PROCESS_EXITED, 5);
}

TEST(output_and_errors_are_kept_apart) {
    struct process process;
    shell(&process, "echo out; echo err >&2; cat", 10);
    assert_string_equal(text_string(&process.output), "out\n");
    assert_string_equal(text_string(&process.errors), "err\n");
    shell(&process, "head -c 3000000 /dev/zero", 10);
    assert_int_equal(process.output.length, 3000000);
}

TEST(a_program_that_is_not_there) {
    const char *const arguments[] = {"/nowhere/at-all", NULL};
    struct process process;
    process_run(&process, arguments, 10);
    assert_int_equal(process.end, PROCESS_NOT_STARTED);
    assert_int_equal(process.code, ENOENT);
    assert_string_equal(process_ending(&process, 10), "could not be started: No such file or directory");
}

/* A program's remaining children neither delay its end nor survive it. */
TEST(a_child_left_behind_does_not_delay_the_end) {
    struct process process;
    shell(&process, "sleep 100 & echo done", 20);
    assert_int_equal(process.end, PROCESS_EXITED);
    assert_true(process.seconds < 10);
    assert_string_equal(text_string(&process.output), "done\n");
}

TEST(what_it_used_is_told) {
    struct process process;
    shell(&process, "sleep 0.2", 10);
    assert_true(process.seconds >= 0.2 && process.seconds < 10);
    assert_true(process.usage.ru_maxrss > 100);
    assert_true(process.usage.ru_nvcsw > 0);
}

/* This program as a child: uses so many seconds of processor time. */
static int burn(const char *seconds) {
    while ((double)clock() / CLOCKS_PER_SEC < strtod(seconds, NULL))
        continue;
    return 0;
}

/* Several processes on one processor: each takes several times as long, and waits the rest. */
TEST(waiting_for_a_processor_does_not_count) {
    static const char *const needs[] = {"/proc/self/exe", "burn", "0.1", NULL};
    enum { OTHERS = 5 };
    cpu_set_t before, one;
    pid_t others[OTHERS];
    struct process process;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < OTHERS; i++)
        if ((others[i] = fork()) == 0)
            _exit(burn("60"));
    process_run(&process, needs, 0.4); /* 10 times that is the end: room for a busy machine */
    for (int i = 0; i < OTHERS; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(process.end, PROCESS_EXITED);
    assert_true(process.seconds > 0.4);
}

TEST(what_only_computes_ends_in_time_too) {
    static const char *const never[] = {"/proc/self/exe", "burn", "1000", NULL};
    struct process process;
    process_run(&process, never, 0.2);
    assert_int_equal(process.end, PROCESS_TIMEOUT);
}

TEST(the_kernel_out_of_memory_chooses_it_first) {
    struct process process;
    shell(&process, "cat /proc/self/oom_score_adj", 10);
    assert_string_equal(text_string(&process.output), "1000\n");
}

/* A job's processes are killed one by one: the child first, and then who watches it, which must not call that a crash.
 * In a process of its own, for the request is remembered. */
TEST(killed_just_before_us_is_no_crash) {
    int status;
    pid_t watcher = fork();
    if (watcher == 0) {
        struct process process;
        signal(SIGTERM, SIG_DFL);
        catch_interrupts();
        if (fork() == 0) {
            usleep(400000);
            kill(getppid(), SIGTERM);
            _exit(0);
        }
        shell(&process, "kill -KILL $$", 20);
        _exit(process.end == PROCESS_INTERRUPTED ? 0 : 1);
    }
    assert_int_equal(waitpid(watcher, &status, 0), watcher);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The last: the request is remembered. */
TEST(a_request_to_stop_ends_it) {
    struct process process;
    signal(SIGINT, SIG_DFL); /* ignored where the tests run in the background, and so it would stay */
    catch_interrupts();
    assert_false(interrupted());
    shell(&process, "kill -INT $PPID; sleep 100", 20);
    assert_int_equal(process.end, PROCESS_INTERRUPTED);
    assert_true(interrupted());
}

int main(int count, char **arguments) {
    if (count == 3)
        return burn(arguments[2]);
    return unit_tests_run(NULL, NULL);
}
