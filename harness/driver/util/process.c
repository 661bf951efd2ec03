#include "harness/driver/util/process.h"
#include "harness/driver/util/files.h"
#include "harness/measuring/clock/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MAX ((size_t)64 << 20)
#define WALL_MAX 10 /* times its time limit, that a process may take on a busy machine */
#define MEMORY_PERIOD 0.25

static volatile sig_atomic_t asked_to_stop;
static uint64_t memory_limit;

static void note_interrupt(int number) {
    (void)number;
    asked_to_stop = 1;
}

/* Only ends the sleep of watch. */
static void note_child(int number) { (void)number; }

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
#define STOPS (sizeof stops / sizeof stops[0])

void catch_interrupts(void) {
    struct sigaction action = {.sa_handler = note_interrupt}, before;
    for (size_t i = 0; i < STOPS; i++) {
        /* what was ignored stays ignored: nohup means it */
        if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stops[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

void process_limit_memory(uint64_t bytes) { memory_limit = bytes; }

uint64_t process_memory_limit(void) { return memory_limit; }

bool interrupted(void) { return asked_to_stop; }

double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Adds or removes the signals that watch looks for: blocked except while it sleeps, so that none comes between a look
 * and the sleep. */
static void change_watched(sigset_t *set, int (*change)(sigset_t *, int)) {
    for (size_t i = 0; i < STOPS; i++)
        change(set, stops[i]);
    change(set, SIGCHLD);
}

static bool has_ended(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

/* In the child: when memory runs out, the kernel ends it rather than the driver, which holds everything measured so
 * far. Not allowed everywhere; then the kernel chooses. */
static void go_first_when_memory_ends(void) {
    const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    write_all(score, "1000", 4);
    close(score);
}

/* In the child, between fork and exec. started: written with errno when exec fails. */
static void become(const char *const *arguments, int output, int errors, int started, pid_t parent,
                   const sigset_t *mask) {
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    /* A driver killed by SIGKILL cannot kill its child; the kernel does. It may be gone already. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    go_first_when_memory_ends();
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    int why = errno;
    ssize_t told = write(started, &why, sizeof why);
    _exit(told == sizeof why ? 127 : 126);
}

/* Reads once into text. Returns false at the end. */
static bool drain(int descriptor, struct text *text) {
    char block[65536];
    ssize_t got = read(descriptor, block, sizeof block);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    text_append(text, block, (size_t)got);
    return got > 0;
}

/* Reads the rest of the pipes without waiting for grandchildren that may still hold them open. */
static void drain_rest(const struct pollfd *pipes, struct process *process) {
    struct text *texts[] = {&process->output, &process->errors};
    for (int i = 0; i < 2; i++) {
        if (pipes[i].fd < 0)
            continue;
        fcntl(pipes[i].fd, F_SETFL, O_NONBLOCK);
        for (size_t before = (size_t)-1; before != texts[i]->length && texts[i]->length <= OUTPUT_MAX;) {
            before = texts[i]->length;
            drain(pipes[i].fd, texts[i]);
        }
    }
}

static double processor_seconds(pid_t child) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds that are left of timeout: see process_run. */
static double time_left(pid_t child, double start, double timeout) {
    double elapsed = seconds_now() - start;
    if (elapsed < timeout)
        return timeout - elapsed;
    cpu_set_t allowed;
    int processors = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    if (elapsed >= WALL_MAX * timeout || processor_seconds(child) >= processors * timeout)
        return 0;
    return timeout - (elapsed - clock_waited(child));
}

/* Does it hold more memory than it may? */
static bool is_too_large(pid_t child) {
    char path[48], line[128];
    unsigned long long size, resident;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
    return memory_limit > 0 && file_line(path, line, sizeof line) && sscanf(line, "%llu %llu", &size, &resident) == 2 &&
           resident * (unsigned long long)sysconf(_SC_PAGESIZE) > memory_limit;
}

/* Sleeps until the process ended by itself (PROCESS_EXITED) or has to be stopped. */
static enum process_end watch(struct process *process, pid_t child, struct pollfd *pipes, double start, double timeout,
                              const sigset_t *unblocked) {
    struct text *texts[] = {&process->output, &process->errors};
    for (;;) {
        double left = time_left(child, start, timeout);
        if (has_ended(child))
            return PROCESS_EXITED;
        if (asked_to_stop)
            return PROCESS_INTERRUPTED;
        if (left <= 0)
            return PROCESS_TIMEOUT;
        if (process->output.length > OUTPUT_MAX || process->errors.length > OUTPUT_MAX)
            return PROCESS_TOO_MUCH;
        if (is_too_large(child))
            return PROCESS_TOO_LARGE;
        if (memory_limit > 0 && left > MEMORY_PERIOD)
            left = MEMORY_PERIOD;
        struct timespec wait = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
        if (ppoll(pipes, 2, &wait, unblocked) < 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (pipes[i].revents && !drain(pipes[i].fd, texts[i]))
                pipes[i].fd = -1;
    }
}

static void reap(struct process *process, pid_t child, enum process_end end) {
    int status = 0;
    if (end != PROCESS_EXITED)
        kill(-child, SIGKILL);
    while (wait4(child, &status, 0, &process->usage) < 0 && errno == EINTR)
        continue;
    /* anything left running in its group would disturb the next measurement */
    kill(-child, SIGKILL);
    process->end = end;
    if (end != PROCESS_EXITED)
        return;
    process->end = WIFEXITED(status) ? PROCESS_EXITED : PROCESS_KILLED;
    process->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

/* Where a whole job is killed (by Slurm, by a shell), its processes are so one by one, and this one may come after its
 * child. Who is alive a moment later was not meant, so that the child's end says something of the child. */
static void wait_for_own_end(struct process *process) {
    static const struct timespec moment = {.tv_nsec = 50000000};
    const int code = process->code;
    if (process->end != PROCESS_KILLED || (code != SIGKILL && code != SIGTERM && code != SIGINT && code != SIGHUP))
        return;
    for (int i = 0; i < 20 && !asked_to_stop; i++)
        nanosleep(&moment, NULL);
    if (asked_to_stop)
        process->end = PROCESS_INTERRUPTED;
}

/* The parent's part, from fork to the end. */
static void attend(struct process *process, pid_t child, int output, int errors, int started, double start,
                   double timeout, const sigset_t *unblocked) {
    int why;
    setpgid(child, child);
    if (read(started, &why, sizeof why) == sizeof why) {
        reap(process, child, PROCESS_EXITED);
        process->end = PROCESS_NOT_STARTED;
        process->code = why;
        return;
    }
    struct pollfd pipes[2] = {{output, POLLIN, 0}, {errors, POLLIN, 0}};
    enum process_end end = watch(process, child, pipes, start, timeout, unblocked);
    reap(process, child, end);
    drain_rest(pipes, process);
}

void process_run(struct process *process, const char *const *arguments, double timeout) {
    enum { OUTPUT, ERRORS, STARTED, PIPES };
    int pipes[PIPES][2];
    sigset_t watched, unblocked, before;
    struct sigaction action = {.sa_handler = note_child, .sa_flags = SA_NOCLDSTOP};
    const double start = seconds_now();
    pid_t parent = getpid(), child = -1;
    int opened = 0;
    *process = (struct process){.end = PROCESS_NOT_STARTED};
    while (opened < PIPES && pipe2(pipes[opened], O_CLOEXEC) == 0) /* no other child inherits them */
        opened++;
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&watched);
    change_watched(&watched, sigaddset);
    sigprocmask(SIG_BLOCK, &watched, &before);
    unblocked = before;
    change_watched(&unblocked, sigdelset);
    if (opened == PIPES)
        child = fork();
    if (child == 0)
        become(arguments, pipes[OUTPUT][1], pipes[ERRORS][1], pipes[STARTED][1], parent, &before);
    process->code = child < 0 ? errno : 0;
    for (int i = 0; i < opened; i++)
        close(pipes[i][1]);
    if (child > 0)
        attend(process, child, pipes[OUTPUT][0], pipes[ERRORS][0], pipes[STARTED][0], start, timeout, &unblocked);
    for (int i = 0; i < opened; i++)
        close(pipes[i][0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    process->seconds = seconds_now() - start;
    wait_for_own_end(process);
}

void process_free(struct process *process) {
    text_free(&process->output);
    text_free(&process->errors);
}

const char *process_ending(const struct process *process, double timeout) {
    const int code = process->code;
    switch (process->end) {
    case PROCESS_KILLED:
        return formatted("was killed by signal %d (%s)%s", code, strsignal(code),
                         code == SIGKILL ? ", as the kernel does when memory runs out" : "");
    case PROCESS_TIMEOUT:
        return formatted("did not end within %g s%s and was killed", timeout,
                         process->seconds > 1.5 * timeout ? ", not counting waits for a processor," : "");
    case PROCESS_TOO_LARGE:
        return formatted("held more than %.4g MiB of memory (--memory-limit) and was killed",
                         (double)memory_limit / (1 << 20));
    case PROCESS_TOO_MUCH:
        return formatted("wrote more than %zu MiB and was killed", OUTPUT_MAX >> 20);
    case PROCESS_INTERRUPTED:
        return "was stopped on request";
    case PROCESS_NOT_STARTED:
        return formatted("could not be started: %s", strerror(code));
    case PROCESS_EXITED:
        break;
    }
    return formatted("ended with exit code %d", code);
}

int process_here(const char *const *arguments, struct text *output) {
    int ends[2] = {-1, -1}, status;
    fflush(stdout);
    pid_t child = output && pipe2(ends, O_CLOEXEC) != 0 ? -1 : fork();
    if (child == 0) {
        if (output)
            dup2(ends[1], STDOUT_FILENO);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    }
    if (child <= 0) {
        fprintf(stderr, "stealbench: %s: %s\n", arguments[0], strerror(errno));
        if (child == 0)
            _exit(3);
        return 3;
    }
    close(ends[1]);
    while (output && drain(ends[0], output))
        continue;
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 3;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGPIPE)
        fprintf(stderr, "stealbench: %s was killed by signal %d\n", arguments[0], WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
