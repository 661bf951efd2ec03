/* verdict_test.c: a check's watchdog waits for a thread that has had no processor. The check is a process of its own,
 * on one processor, so that threads need each other's turns; what is compared is processor time, however busy the
 * machine is. That it ends what hangs tests/proof/reach_test.py asks. */
#define HANG_PROCESSOR_SECONDS 0.5
#include "proof/checks/verdict.c"
#include "tests/unit.h"
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static atomic_bool let_go;

/* Gets one turn of some seventy, and needs some. */
static void *let_go_at_last(void *unused) {
    struct timespec mine = {0};
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
    while (mine.tv_sec == 0 && mine.tv_nsec < 20000000)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mine);
    atomic_store_explicit(&let_go, true, memory_order_relaxed);
    return unused;
}

static void stay_on_one_processor(void) {
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &allowed) && CPU_COUNT(&one) == 0)
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* This thread of a check spins beside another. */
TEST(who_has_had_no_processor_is_waited_for) {
    char said[1000];
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        dup2(pipes[1], STDOUT_FILENO);
        stay_on_one_processor();
        check_begin("sample", "some_deque", &(struct check_request){.seed = 17});
        if (pthread_create(&thread, NULL, let_go_at_last, NULL) != 0)
            _exit(3);
        while (!atomic_load_explicit(&let_go, memory_order_relaxed))
            continue;
        exit(check_passed("it ended"));
    }
    close(pipes[1]);
    FILE *from = fdopen(pipes[0], "r");
    said[fread(said, 1, sizeof said - 1, from)] = '\0';
    fclose(from);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_string_equal(said, "passed sample of some_deque: it ended, seed 17\n");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
