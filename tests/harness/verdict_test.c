/* verdict_test.c: how a check fails, and when its watchdog says that it hangs: never while threads spin for
 * one that has had no processor. Each check is a process of its own, on one processor, so that threads need each
 * other's turns; what is compared is processor time, however busy the machine is. */
#define HANG_PROCESSOR_SECONDS 0.5
#include "proof/checks/verdict.c"
#include "tests/unit.h"
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static atomic_bool let_go;

static void spin(void) {
    while (!atomic_load_explicit(&let_go, memory_order_relaxed))
        continue;
}

static void *spin_too(void *unused) {
    spin();
    return unused;
}

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

/* A check in a process of its own: this thread spins beside another. What it printed; how it ended. */
static int run_check(void *(*other)(void *), char *said, size_t size) {
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        dup2(pipes[1], STDOUT_FILENO);
        stay_on_one_processor();
        gate_begin("sample", "some_deque", &(struct check_request){.seed = 17});
        gate_trying("--seed=17 --rounds=1", "one spins for %s", "another");
        if (pthread_create(&thread, NULL, other, NULL) != 0)
            _exit(3);
        spin();
        exit(gate_passed("it ended"));
    }
    close(pipes[1]);
    FILE *from = fdopen(pipes[0], "r");
    said[fread(said, 1, size - 1, from)] = '\0';
    fclose(from);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(who_has_had_no_processor_is_waited_for) {
    char said[1000];
    int code = run_check(let_go_at_last, said, sizeof said);
    assert_string_equal(said, "passed sample of some_deque: it ended, seed 17\n");
    assert_int_equal(code, 0);
}

TEST(what_all_spin_for_never_comes) {
    char said[1000];
    assert_int_equal(run_check(spin_too, said, sizeof said), 1);
    assert_non_null(strstr(said, "  tried: one spins for another; seed 17; step 0\n"));
    assert_non_null(strstr(said, " --check sample --seed=17 --rounds=1\n"));
    assert_non_null(strstr(said, "FAILED sample of some_deque: it hangs"));
}
