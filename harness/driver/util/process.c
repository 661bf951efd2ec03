/* process.c: runs a program to its end, with a time limit, and returns its output and what it used.
 *
 * While a process runs the driver sleeps, so that it does not disturb the measurement. It wakes when the process ends,
 * for a signal, and four times a second to check the process's time, memory and output. */
#pragma once

#include "harness/driver/util/files.c"
#include "harness/measuring/clock.h"
#include <sys/mman.h>
#include <sys/prctl.h>

enum process_end {
    PROCESS_EXITED,      /* code: what it returned */
    PROCESS_KILLED,      /* code: the signal that killed it */
    PROCESS_TIMEOUT,     /* we killed it */
    PROCESS_TOO_LARGE,   /* we killed it for holding too much memory */
    PROCESS_TOO_MUCH,    /* we killed it for too much output */
    PROCESS_INTERRUPTED, /* we killed it because we were asked to stop */
    PROCESS_NOT_STARTED  /* code: errno */
};

struct process {
    enum process_end end;
    int code;
    struct text output, errors; /* standard output; standard error */
    double seconds;             /* from start to end, wall clock */
    struct rusage usage;
    double throttled; /* how often processors were meanwhile, if the caller looks; NAN: unknown */
};

#define OUTPUT_MAX ((size_t)64 << 20)
#define WALL_MAX 10 /* most time of a process on a busy machine, in units of its time limit */
#define LOOK_PERIOD 0.25

static volatile sig_atomic_t asked_to_stop;
static sigset_t stops; /* the signals that ask to stop */
/* The bytes of memory that a process may hold; 0: any. If memory runs out nevertheless, the kernel kills the process
 * rather than the driver. */
uint64_t process_memory_limit;

static void note_interrupt(int number) {
    (void)number;
    asked_to_stop = 1;
}

/* From here on SIGINT, SIGTERM and SIGHUP end the running process, and interrupted() returns true. SIGPIPE and SIGXFSZ
 * become errors of write. */
void catch_interrupts(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_interrupt}, before;
    foreach (one, LIST_OF(signals))
        /* a signal that was ignored stays ignored: nohup relies on it */
        if (sigaction(*one, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(*one, &action, NULL);
            sigaddset(&stops, *one);
        }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

bool interrupted(void) { return asked_to_stop; }

/* By a clock that only goes forward. */
double seconds_now(void) { return (double)clock_nanoseconds() * 1e-9; }

static size_t size_of(int file) {
    struct stat status;
    return fstat(file, &status) == 0 ? (size_t)status.st_size : 0;
}

/* Appends the file's contents, unless they are too much, and closes it. */
static void take_file(int file, struct text *text) {
    char *path = formatted("/proc/self/fd/%d", file);
    if (size_of(file) <= OUTPUT_MAX)
        file_read(path, text);
    free(path);
    close(file);
}

/* In the child: asks the kernel to kill this process first when memory runs out. The driver holds everything measured
 * so far. Where this is not allowed, the kernel chooses. */
static void go_first_when_memory_ends(void) {
    const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    write_all(score, "1000", 4);
    close(score);
}

/* In the child, between fork and exec. unstarted: set to errno if exec fails. */
static void become(const char *const *arguments, int output, int errors, int *unstarted, pid_t parent,
                   const sigset_t *mask) {
    setpgid(0, 0);
    /* A driver killed by SIGKILL cannot kill its child, but the kernel does. The driver may be gone already. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    go_first_when_memory_ends();
    sigprocmask(SIG_SETMASK, mask, NULL);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    *unstarted = errno;
    _exit(127);
}

static double processor_seconds(pid_t child) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds left of the timeout, as process_run counts them. */
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

/* Does the process hold more memory than allowed? */
static bool is_too_large(pid_t child) {
    unsigned long long resident;
    char *path = formatted("/proc/%d/statm", (int)child), *line = process_memory_limit > 0 ? file_line(path) : NULL;
    const bool read = line && sscanf(line, "%*u %llu", &resident) == 1;
    free(path);
    free(line);
    return read && resident * (unsigned long long)sysconf(_SC_PAGESIZE) > process_memory_limit;
}

static bool has_ended(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

/* Sleeps until the process ended by itself (PROCESS_EXITED) or has to be stopped. signals: wake the driver. */
static enum process_end watch(pid_t child, int output, int errors, double start, double timeout,
                              const sigset_t *signals) {
    for (;;) {
        double left = time_left(child, start, timeout);
        if (has_ended(child))
            return PROCESS_EXITED;
        if (asked_to_stop)
            return PROCESS_INTERRUPTED;
        if (left <= 0)
            return PROCESS_TIMEOUT;
        if (size_of(output) > OUTPUT_MAX || size_of(errors) > OUTPUT_MAX)
            return PROCESS_TOO_MUCH;
        if (is_too_large(child))
            return PROCESS_TOO_LARGE;
        left = left < LOOK_PERIOD ? left : LOOK_PERIOD;
        const struct timespec wait = {.tv_nsec = (long)(left * 1e9)};
        const int woken_by = sigtimedwait(signals, NULL, &wait);
        asked_to_stop |= woken_by > 0 && woken_by != SIGCHLD;
    }
}

static void reap(struct process *process, pid_t child, enum process_end end) {
    int status = 0;
    if (end != PROCESS_EXITED)
        kill(-child, SIGKILL);
    while (wait4(child, &status, 0, &process->usage) < 0 && errno == EINTR)
        continue;
    /* Whatever still runs in its group would disturb the next measurement. */
    kill(-child, SIGKILL);
    process->end = end;
    if (end != PROCESS_EXITED)
        return;
    process->end = WIFEXITED(status) ? PROCESS_EXITED : PROCESS_KILLED;
    process->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

/* Slurm or a shell kills the processes of a job one by one, and the driver may come after its child. If the driver is
 * alive a moment later, only the child was killed. */
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

/* Runs arguments[0] (a path, or a name in PATH) without standard input, in a process group of its own, which dies with
 * the driver. timeout in seconds; time spent waiting for a processor does not count, up to ten times the limit. */
void process_run(struct process *process, const char *const *arguments, double timeout) {
    /* in memory, so that the driver need not wake while the child runs */
    const int output = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
    int *unstarted = mmap(NULL, sizeof *unstarted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const double start = seconds_now();
    const pid_t parent = getpid();
    sigset_t signals = stops, before;
    *process = (struct process){.end = PROCESS_NOT_STARTED};
    signal(SIGCHLD, SIG_DFL);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t child = output < 0 || errors < 0 || unstarted == MAP_FAILED ? -1 : fork();
    if (child == 0)
        become(arguments, output, errors, unstarted, parent, &before);
    process->code = child < 0 ? errno : 0;
    if (child > 0) {
        setpgid(child, child);
        reap(process, child, watch(child, output, errors, start, timeout, &signals));
        if (*unstarted) {
            process->end = PROCESS_NOT_STARTED;
            process->code = *unstarted;
        }
    }
    take_file(output, &process->output);
    take_file(errors, &process->errors);
    munmap(unstarted, sizeof *unstarted);
    sigprocmask(SIG_SETMASK, &before, NULL);
    process->seconds = seconds_now() - start;
    wait_for_own_end(process);
}

void process_free(struct process *process) {
    text_free(&process->output);
    text_free(&process->errors);
}

/* How it ended, in words: "was killed by signal 11 (Segmentation fault)". */
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
                         (double)process_memory_limit / (1 << 20));
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

/* Runs a program with our standard streams and without limits. Returns its exit code; 3, with a message, if it cannot
 * be started; 128 + the signal that killed it. */
int call(struct words words) {
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        execvp(words.at[0], (char *const *)(uintptr_t)words.at);
    }
    if (child <= 0) {
        fprintf(stderr, "stealbench: %s: %s\n", words.at[0], strerror(errno));
        if (child == 0)
            _exit(3);
        return 3;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 3;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGPIPE)
        fprintf(stderr, "stealbench: %s was killed by signal %d\n", words.at[0], WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
