/* script.h: operations as words ("push 3 steal take 50/4"), and a failure told by as few of them as show it. Part of
 * conformance.c.
 */
#include "harness/measuring/clock.h"
#include "proof/checks/subject.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The words of enum act, and three that stand for several operations: fill the deque, steal and pop all there is. */
enum { FILL = ACTS, ROB, DRAIN, WORDS };
static const char *const words[WORDS] = {"push",      "batch", "reserve",    "list", "pop", "steal", "take",
                                         "take_list", "spill", "steal_into", "fill", "rob", "drain"};

static void perform(unsigned word, struct subject *on, size_t n, size_t m) {
    static enum deque_result (*const single[])(struct subject *) = {[PUSH] = push, [POP] = pop, [STEAL] = steal};
    switch (word) {
    case PUSH:
    case POP:
    case STEAL:
        for (; n > 0; n--)
            single[word](on);
        return;
    case PUSH_BATCH:
        push_batch(on, n);
        return;
    case RESERVE:
        push_reserved(on, n, m);
        return;
    case PUSH_LIST:
        push_list(on, n);
        return;
    case STEAL_BATCH:
        steal_batch(on, (unsigned)n, m);
        return;
    case STEAL_LIST:
        steal_list(on, (unsigned)n);
        return;
    case SPILL:
        spill(on, n);
        return;
    case STEAL_INTO:
        steal_into();
        return;
    case FILL:
        fill(on);
        return;
    case ROB:
        while (steal(on) == DEQUE_OK)
            continue;
        return;
    default:
        empty_by_pop(on);
    }
}

/* Performs the words of a text up to a colon or its end. Returns what follows the colon, or NULL. */
static const char *perform_text(const char *text) {
    while (*text && *text != ':') {
        unsigned word = 0;
        size_t length = strcspn(text, " ");
        while (strlen(words[word]) != length || strncmp(words[word], text, length) != 0)
            if (++word == WORDS)
                check_fail("no such word in a script: %s", text);
        size_t n = 1, m = 0;
        for (text += length; *text == ' ';)
            text++;
        if (*text >= '0' && *text <= '9') {
            char *end;
            n = strtoul(text, &end, 10);
            if (*end == '/')
                m = strtoul(end + 1, &end, 10);
            text = end + strspn(end, " ");
        }
        perform(word, &subject, n, m);
    }
    return *text ? text + 1 + strspn(text + 1, " ") : NULL;
}

/* --- a failure with fewer operations */

#define EXPLAIN_SECONDS 3.0        /* of trying to leave operations out */
#define REPLAY_MICROSECONDS 300000 /* of processor time: a repetition that takes longer hangs */

static struct operation told[TRAIL_MAX];
static size_t told_count, *performed; /* performed: by the last repetition; shared with it */

static void hung(int number) {
    (void)number;
    check_fail("it hangs");
}

/* In a process of its own: the same operations on new deques. */
static void replay(void) {
    struct deque_config first = subject.config, second = other.config;
    const bool pair = trail.pair;
    allocations_live = 0;
    subject.deque = new_deque();
    other.deque = new_deque();
    open_thief();
    first.first = second.first = subject.deque;
    open_subject(&subject, &first);
    if (pair)
        open_subject(&other, &second);
    for (*performed = 0; *performed < told_count;) {
        const struct operation *one = &told[(*performed)++];
        perform(one->act, one->other ? &other : &subject, one->n, one->m);
    }
    if (pair)
        deque_destroy(other.deque);
    close_subject(&subject);
}

/* Do these operations fail? say: the failure is printed. */
static bool repeated(bool say) {
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_UNBLOCK, &all, NULL); /* the failure may be a crash, whose signal is blocked here */
        signal(SIGPROF, hung);
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_usec = REPLAY_MICROSECONDS}}, NULL);
        if (!say && !freopen("/dev/null", "w", stdout))
            _exit(0);
        static char buffer[BUFSIZ]; /* hung() prints, perhaps in the middle of a malloc */
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
        check_again();
        replay();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

/* Leaves out what is not needed: first halves, then ever smaller parts. */
static void leave_out(uint64_t end) {
    static struct operation kept[TRAIL_MAX];
    for (size_t part = told_count / 2; part > 0; part /= 2)
        for (size_t at = 0; at + part <= told_count && clock_nanoseconds() < end;) {
            const size_t before = told_count;
            memcpy(kept, told, before * sizeof told[0]);
            memmove(told + at, told + at + part, (before - at - part) * sizeof told[0]);
            told_count -= part;
            if (repeated(false)) {
                told_count = *performed < told_count ? *performed : told_count;
            } else {
                memcpy(told, kept, before * sizeof told[0]);
                told_count = before;
                at += part;
            }
        }
}

static bool alike(const struct operation *one, const struct operation *other_one) {
    return one->act == other_one->act && one->other == other_one->other && one->n == other_one->n &&
           one->m == other_one->m;
}

static void print_told(void) {
    printf("  operations:");
    for (size_t i = 0, times; i < told_count; i += times) {
        const struct operation *one = &told[i];
        for (times = 1; i + times < told_count && alike(one, one + times);)
            times++;
        printf("%s %s%s", i ? "," : "", one->other ? "other " : "", words[one->act]);
        if (one->act != PUSH && one->act != POP && one->act != STEAL && one->act != STEAL_INTO)
            printf(" %zu", one->n);
        if (one->m)
            printf("/%zu", one->m);
        if (times > 1)
            printf(" x%zu", times);
    }
    printf("\n");
}

/* Prints the failure again with the fewest operations found. Returns whether it did. */
static bool explain(void) {
    const uint64_t end = clock_nanoseconds() + (uint64_t)(EXPLAIN_SECONDS * 1e9);
    if (CHECK_SANITIZED || !trail.whole || trail.count == 0)
        return false;
    performed = mmap(NULL, sizeof *performed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    told_count = trail.count;
    memcpy(told, trail.at, told_count * sizeof told[0]);
    if (performed == MAP_FAILED || !repeated(false))
        return false;
    told_count = *performed;
    leave_out(end);
    print_told();
    return repeated(true);
}
