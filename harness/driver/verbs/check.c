#include "harness/driver/verbs/check.h"
#include "harness/driver/plan/catalogue.h"
#include "harness/driver/plan/stamp.h"
#include "harness/driver/util/process.h"
#include <stdio.h>
#include <string.h>

/* How a deque's executables are built; in folders below the build folder. */
static const struct {
    const char *folders, *title;
} flavours[] = {{DEQUE_FOLDERS, "plain"}, {"address", "address and undefined"}, {"thread", "thread"}, {"lab", "lab"}};
#define FLAVOURS (sizeof flavours / sizeof flavours[0])

struct gate {
    struct catalogue catalogues[FLAVOURS];
    const struct gate_request *request;
    unsigned counts[CHECK_INTERRUPTED]; /* rows of each result */
    bool interrupted;
};

static bool over(const struct gate *gate) {
    return gate->interrupted || (gate->request->fail_fast && gate->counts[CHECK_FAILED] > 0);
}

static bool wanted(const struct gate *gate, const char *check) {
    return !gate->request->check || strcmp(gate->request->check, check) == 0;
}

static void print_row(const char *verdict, const char *deque, const char *check, const char *flavour,
                      const char *rest) {
    printf("%-10s %-32s %-12s %-22s %s\n", verdict, deque, check, flavour, rest);
    fflush(stdout);
}

static void count(struct gate *gate, enum check_result result, const char *deque, const char *check, size_t flavour,
                  const char *why) {
    static const char *const words[] = LIST_WORDS(CHECK_RESULTS);
    gate->counts[result]++;
    print_row(words[result], deque, check, flavours[flavour].title, why);
}

/* Check number i of all that the deque's executables hold, and the one that holds it; NULL: they hold fewer. */
static const struct described_check *check_number(const struct catalogue_deque *deque, size_t i,
                                                  const char **executable) {
    for (size_t j = 0; j < deque->part_count; j++) {
        const struct description *description = &deque->parts[j].description;
        *executable = deque->parts[j].executable;
        if (i < description->check_count)
            return &description->checks[i];
        i -= description->check_count;
    }
    return NULL;
}

static enum check_result run_one(struct gate *gate, const char *executable, const char *check, double *took, char *why,
                                 struct text *details) {
    enum check_result result = check_run(executable, check, gate->request->seconds, took, why, details);
    gate->interrupted |= result == CHECK_INTERRUPTED || interrupted();
    return result;
}

/* A sound deque: every check of one flavour is a row, and has to pass. */
static void check_flavour(struct gate *gate, const struct catalogue_deque *deque, size_t flavour) {
    const struct described_check *check;
    const char *executable;
    char why[MESSAGE_SIZE];
    double took;
    struct text details = {0};
    for (size_t i = 0; (check = check_number(deque, i, &executable)) && !over(gate); i++) {
        if (!wanted(gate, check->name))
            continue;
        text_cut(&details, 0);
        enum check_result result = run_one(gate, executable, check->name, &took, why, &details);
        if (gate->interrupted)
            break;
        if (result == CHECK_PASSED)
            snprintf(why, sizeof why, "%.1f s", took);
        count(gate, result, deque->id, check->name, flavour, why);
        fputs(text_string(&details), stdout);
    }
    text_free(&details);
}

/* An unsound deque is one row, which passes as soon as a check catches it. Returns whether this flavour did. */
static bool catch_in_flavour(struct gate *gate, const struct catalogue_deque *deque, size_t flavour) {
    const struct described_check *check;
    const char *executable;
    char why[MESSAGE_SIZE], caught[MESSAGE_SIZE];
    double took;
    for (size_t i = 0; (check = check_number(deque, i, &executable)) && !gate->interrupted; i++) {
        if (!wanted(gate, check->name))
            continue;
        if (run_one(gate, executable, check->name, &took, why, NULL) != CHECK_FAILED || gate->interrupted)
            continue;
        snprintf(caught, sizeof caught, "caught, as it must be: %.400s", why);
        count(gate, CHECK_PASSED, deque->id, check->name, flavour, caught);
        return true;
    }
    return false;
}

static void say_missing(struct gate *gate, const char *id, size_t flavour) {
    count(gate, CHECK_IMPOSSIBLE, id, "-", flavour, "this build is not there: make gate_builds");
}

static void check_sound(struct gate *gate, const char *id) {
    for (size_t i = 0; i < FLAVOURS && !over(gate); i++) {
        const struct catalogue_deque *deque = catalogue_find(&gate->catalogues[i], id);
        const char *why = catalogue_absent(&gate->catalogues[i], id), *executable;
        if (deque && check_number(deque, 0, &executable))
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
    if (gate->request->check) { /* others may catch it */
        print_row("none", id, gate->request->check, "all",
                  "is known to be wrong, and this check alone did not catch it");
        return;
    }
    gate->counts[CHECK_FAILED]++;
    print_row("FAILED", id, "all", "all", "is known to be wrong, and no check caught it");
}

static void check_deque(struct gate *gate, const struct catalogue_deque *deque) {
    if (deque->sound || deque->reference)
        check_sound(gate, deque->id);
    else
        check_unsound(gate, deque->id);
}

/* Executables that do not even describe themselves. */
static void fail_broken(struct gate *gate, size_t flavour) {
    const struct catalogue *catalogue = &gate->catalogues[flavour];
    for (size_t i = 0; i < catalogue->broken_count; i++)
        count(gate, CHECK_FAILED, catalogue->broken[i].id, "--describe", flavour, catalogue->broken[i].why);
}

/* Every check that a flavour's executables hold, once each, for the nearest name. */
static size_t names_of_checks(const struct catalogue *catalogue, const char **names, size_t count, size_t max) {
    const struct described_check *check;
    const char *executable;
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        for (size_t j = 0; (check = check_number(&catalogue->deques[i], j, &executable)); j++) {
            size_t known = 0;
            while (known < count && strcmp(names[known], check->name) != 0)
                known++;
            if (known == count && count < max)
                names[count++] = check->name;
        }
    }
    return count;
}

/* 0; 2 with a message when the one check that is wanted is none. */
static int must_know_check(const struct gate *gate, char *message) {
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < FLAVOURS; i++)
        count = names_of_checks(&gate->catalogues[i], names, count, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < count; i++)
        if (wanted(gate, names[i]))
            return 0;
    if (!gate->request->check)
        return 0;
    say_unknown("check", gate->request->check, names, count, message);
    return 2;
}

static int check_all(struct gate *gate, char *message) {
    const struct catalogue *plain = &gate->catalogues[0];
    const char *const *ids = gate->request->ids;
    const size_t count = gate->request->count;
    const struct catalogue_deque *deque;
    int result = must_know_check(gate, message);
    for (size_t i = 0; i < count && result == 0; i++)
        result = catalogue_must_find(plain, ids[i], false, &deque, message);
    if (result)
        return result;
    for (size_t i = 0; i < count && !over(gate); i++)
        if (catalogue_must_find(plain, ids[i], false, &deque, message) == 0)
            check_deque(gate, deque);
    for (size_t i = 0; i < plain->deque_count && count == 0 && !over(gate); i++)
        check_deque(gate, &plain->deques[i]);
    for (size_t i = 0; i < FLAVOURS && count == 0 && !over(gate); i++)
        fail_broken(gate, i);
    return 0;
}

int gate(const char *build, const struct gate_request *request) {
    struct gate gate = {.request = request};
    char message[MESSAGE_SIZE], ignored[MESSAGE_SIZE];
    int result = 0;
    for (size_t i = 0; i < FLAVOURS; i++) {
        /* of the first all: they are what a name is looked for in */
        int opened = catalogue_open_some(&gate.catalogues[i], build, flavours[i].folders, request->ids,
                                         i == 0 ? 0 : request->count, i == 0 ? message : ignored);
        result = i == 0 ? opened : result;
    }
    if (result == 0)
        result = check_all(&gate, message);
    if (result)
        fprintf(stderr, "stealbench check: %s\n", message);
    for (size_t i = 0; i < FLAVOURS; i++)
        catalogue_close(&gate.catalogues[i]);
    if (result)
        return result;
    const unsigned missing = gate.counts[CHECK_IMPOSSIBLE], undecided = gate.counts[CHECK_UNDECIDED];
    if (missing > 0)
        printf("%u could not be made\n", missing);
    if (undecided > 0)
        printf("%u came to no verdict, which says nothing of the deque: check these again when the machine is idle\n",
               undecided);
    printf("%u passed, %u failed\n", gate.counts[CHECK_PASSED], gate.counts[CHECK_FAILED]);
    return gate.interrupted ? 130 : gate.counts[CHECK_FAILED] > 0 ? 1 : missing + undecided > 0 ? 3 : 0;
}
