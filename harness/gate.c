#include "harness/gate.h"
#include "harness/catalogue.h"
#include "harness/files.h"
#include "harness/process.h"
#include "harness/stamp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a deque's executable is built; each in a folder of its own below the build folder. */
static const struct {
    const char *folder, *title;
} flavours[] = {{"deques", "plain"}, {"address", "address and undefined"}, {"thread", "thread"}, {"lab", "lab"}};
#define FLAVOURS (sizeof flavours / sizeof flavours[0])

struct gate {
    struct catalogue catalogues[FLAVOURS];
    double seconds;
    unsigned passed, failed, undecided, missing;
    bool interrupted;
};

static void print_row(const char *verdict, const char *deque, const char *check, const char *flavour,
                      const char *rest) {
    printf("%-10s %-32s %-12s %-22s %s\n", verdict, deque, check, flavour, rest);
    fflush(stdout);
}

static enum check_result run_one(struct gate *gate, const struct catalogue_deque *deque, size_t check, double *took,
                                 char *why) {
    const char *name = deque->description.checks[check].name;
    enum check_result result = check_run(deque->executable, name, gate->seconds, took, why);
    gate->interrupted |= result == CHECK_INTERRUPTED || interrupted();
    return result;
}

/* A sound deque: every check of one flavour is a row, and has to pass. */
static void check_flavour(struct gate *gate, const struct catalogue_deque *deque, size_t flavour) {
    char why[MESSAGE_SIZE];
    double took;
    for (size_t i = 0; i < deque->description.check_count && !gate->interrupted; i++) {
        const char *name = deque->description.checks[i].name;
        enum check_result result = run_one(gate, deque, i, &took, why);
        if (gate->interrupted)
            return;
        if (result == CHECK_PASSED)
            snprintf(why, sizeof why, "%.1f s", took);
        gate->passed += result == CHECK_PASSED;
        gate->failed += result == CHECK_FAILED;
        gate->undecided += result == CHECK_UNDECIDED;
        gate->missing += result == CHECK_IMPOSSIBLE;
        print_row(result == CHECK_PASSED      ? "passed"
                  : result == CHECK_FAILED    ? "FAILED"
                  : result == CHECK_UNDECIDED ? "no verdict"
                                              : "missing",
                  deque->id, name, flavours[flavour].title, why);
    }
}

/* An unsound deque is one row, which passes as soon as a check catches it. Returns whether this flavour did. */
static bool catch_in_flavour(struct gate *gate, const struct catalogue_deque *deque, size_t flavour) {
    char why[MESSAGE_SIZE], caught[MESSAGE_SIZE];
    double took;
    for (size_t i = 0; i < deque->description.check_count && !gate->interrupted; i++) {
        if (run_one(gate, deque, i, &took, why) != CHECK_FAILED || gate->interrupted)
            continue;
        snprintf(caught, sizeof caught, "caught, as it must be: %.400s", why);
        print_row("passed", deque->id, deque->description.checks[i].name, flavours[flavour].title, caught);
        gate->passed++;
        return true;
    }
    return false;
}

static void say_missing(struct gate *gate, const char *id, size_t flavour) {
    gate->missing++;
    print_row("missing", id, "-", flavours[flavour].title, "this build is not there: make gate_builds");
}

static void check_sound(struct gate *gate, const char *id) {
    for (size_t i = 0; i < FLAVOURS && !gate->interrupted; i++) {
        const struct catalogue_deque *deque = catalogue_find(&gate->catalogues[i], id);
        const char *why = catalogue_absent(&gate->catalogues[i], id);
        if (deque && deque->description.check_count > 0)
            check_flavour(gate, deque, i);
        else if (why) /* nothing is missing that could be there */
            print_row("none", id, "-", flavours[i].title, why);
        else
            say_missing(gate, id, i);
    }
}

static void check_unsound(struct gate *gate, const char *id) {
    for (size_t i = 0; i < FLAVOURS && !gate->interrupted; i++) {
        const struct catalogue_deque *deque = catalogue_find(&gate->catalogues[i], id);
        if (!deque)
            say_missing(gate, id, i);
        else if (catch_in_flavour(gate, deque, i))
            return;
    }
    if (gate->interrupted)
        return;
    gate->failed++;
    print_row("FAILED", id, "all", "all", "is known to be wrong, and no check caught it");
}

static void check_deque(struct gate *gate, const struct catalogue_deque *deque) {
    if (deque->sound || deque->baseline)
        check_sound(gate, deque->id);
    else
        check_unsound(gate, deque->id);
}

/* Executables that do not even describe themselves. */
static void fail_broken(struct gate *gate, size_t flavour) {
    const struct catalogue *catalogue = &gate->catalogues[flavour];
    for (size_t i = 0; i < catalogue->broken_count; i++) {
        gate->failed++;
        print_row("FAILED", catalogue->broken[i].id, "--describe", flavours[flavour].title, catalogue->broken[i].why);
    }
}

static int check_all(struct gate *gate, const char *const *ids, size_t count, char *message) {
    const struct catalogue *plain = &gate->catalogues[0];
    const struct catalogue_deque *deque;
    for (size_t i = 0; i < count; i++) {
        int result = catalogue_must_find(plain, ids[i], false, &deque, message);
        if (result)
            return result;
    }
    for (size_t i = 0; i < count && !gate->interrupted; i++)
        if (catalogue_must_find(plain, ids[i], false, &deque, message) == 0)
            check_deque(gate, deque);
    for (size_t i = 0; i < plain->deque_count && count == 0 && !gate->interrupted; i++)
        check_deque(gate, &plain->deques[i]);
    for (size_t i = 0; i < FLAVOURS && count == 0; i++)
        fail_broken(gate, i);
    return 0;
}

int gate(const char *build, const char *const *ids, size_t count, double seconds) {
    struct gate gate = {.seconds = seconds};
    char message[MESSAGE_SIZE], ignored[MESSAGE_SIZE];
    int result = 0;
    for (size_t i = 0; i < FLAVOURS; i++) {
        char *folder = path_join(build, flavours[i].folder);
        int opened = catalogue_open(&gate.catalogues[i], folder, i == 0 ? message : ignored);
        result = i == 0 ? opened : result;
        free(folder);
    }
    if (result == 0)
        result = check_all(&gate, ids, count, message);
    if (result)
        fprintf(stderr, "stealbench check: %s\n", message);
    for (size_t i = 0; i < FLAVOURS; i++)
        catalogue_close(&gate.catalogues[i]);
    if (result)
        return result;
    if (gate.missing > 0)
        printf("%u could not be made\n", gate.missing);
    if (gate.undecided > 0)
        printf("%u came to no verdict, which says nothing of the deque: check these again when the machine is idle\n",
               gate.undecided);
    printf("%u passed, %u failed\n", gate.passed, gate.failed);
    return gate.interrupted ? 130 : gate.failed > 0 ? 1 : gate.missing + gate.undecided > 0 ? 3 : 0;
}
