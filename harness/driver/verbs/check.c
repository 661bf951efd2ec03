#include "harness/driver/verbs/verbs.h"

#define KNOWN_FAULT "known_fault" /* the check that a sanitizer has to fail (proof/checks/known_fault.c) */
#define CHECK_SECONDS 1.2         /* length of each random search by default */

/* How a deque's executables are built, their folders below the build folder, and the sanitizer that must be in them. */
static const struct {
    const char *folders, *title, *sanitizer;
} flavours[] = {{NULL, "plain", NULL},
                {"address", "address and undefined", "AddressSanitizer"},
                {"thread", "thread", "ThreadSanitizer"},
                {"lab", "lab", NULL}};
#define FLAVOURS (sizeof flavours / sizeof flavours[0])

/* A check that failed. */
struct finding {
    const char *check, *why, *details;
    size_t flavour;
};

struct checking {
    struct catalogue catalogues[FLAVOURS];
    const struct command_line *line;
    double seconds;
    unsigned counts[CHECK_INTERRUPTED]; /* number of rows with each result */
    struct finding *findings;           /* of the deque that is checked, in the order of the checks */
    size_t finding_count;
    bool interrupted;
};

static bool wanted(const struct checking *checking, const char *check) {
    const struct words checks =
        split_words(value_of(checking->line, "check") ? value_of(checking->line, "check") : check, ",");
    return words_have(&checks, check);
}

static void print_row(const char *verdict, const char *deque, const char *check, const char *flavour,
                      const char *rest) {
    printf("%-10s %-32s %-12s %-22s %s\n", verdict, deque, check, flavour, rest);
    fflush(stdout);
}

static void count(struct checking *checking, enum check_result result, const char *deque, const char *check,
                  size_t flavour, const char *why) {
    static const char *const words[] = LIST_WORDS(CHECK_RESULTS);
    checking->counts[result]++;
    print_row(words[result], deque, check, flavours[flavour].title, why);
}

/* Check number i of all in the deque's executables, and the executable that holds it. NULL: there are fewer. */
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

/* A failure is kept until all checks of its deque have run; everything else is a row at once. */
static void note(struct checking *checking, enum check_result result, const char *deque, const struct finding *found) {
    if (result != CHECK_FAILED) {
        count(checking, result, deque, found->check, found->flavour, found->why);
        return;
    }
    checking->counts[result]++;
    const size_t i = ONE_MORE(checking->findings, checking->finding_count);
    checking->findings[i] = *found;
}

/* How much a failure of this check tells: less is more. One thread needs no luck, and the lab has the schedule. */
static int worth(const struct finding *found) {
    static const char *const order[] = {"conformance", "explore", "stop"};
    int place = 0;
    while (place < 3 && strcmp(found->check, order[place]) != 0)
        place++;
    return place;
}

/* The first failure of a check, and in which builds it fails besides. */
static void print_also(const struct finding *first, const struct finding *end, const struct finding *best) {
    printf("  also: %s (%s", first->check, flavours[first->flavour].title);
    for (const struct finding *later = first + 1; later < end; later++)
        if (later != best && strcmp(later->check, first->check) == 0)
            printf(", %s", flavours[later->flavour].title);
    printf("): %s\n", first->why);
}

/* All failures of a deque as one finding: the one that tells most, then who failed besides, check by check. */
static void print_findings(const struct checking *checking, const char *id) {
    const struct finding *all = checking->findings, *end = all + checking->finding_count, *best = all;
    if (checking->finding_count == 0)
        return;
    for (const struct finding *one = all; one < end; one++)
        best = worth(one) < worth(best) ? one : best;
    print_row("FAILED", id, best->check, flavours[best->flavour].title, best->why);
    fputs(best->details, stdout);
    for (const struct finding *one = all; one < end; one++) {
        bool first = one != best;
        for (const struct finding *before = all; before < one && first; before++)
            first = before == best || strcmp(before->check, one->check) != 0;
        if (first)
            print_also(one, end, best);
    }
    if (worth(best) > 0)
        printf("  trace: ./run.sh lab %s %s\n", worth(best) == 2 ? "stop" : "explore", id);
}

/* Does the sanitizer of this build report a race and a write behind an array? Without it every check would pass. */
static void check_sanitizer(struct checking *checking, const char *executable, const char *id, size_t flavour) {
    const char *why;
    double took;
    const enum check_result result = check_run(executable, KNOWN_FAULT, checking->seconds, &took, &why, NULL);
    checking->interrupted |= result == CHECK_INTERRUPTED || interrupted();
    if (!checking->interrupted && (result == CHECK_PASSED || !strstr(why, flavours[flavour].sanitizer)))
        note(checking, CHECK_FAILED, id,
             &(struct finding){KNOWN_FAULT,
                               formatted("no report by %s, which is not in this build", flavours[flavour].sanitizer),
                               "", flavour});
}

/* A sound deque has a row for each check, and all must pass. An unsound deque has one row, and passes when a check
 * catches it. Returns whether one did. */
static bool check_flavour(struct checking *checking, const struct catalogue_deque *deque, size_t flavour, bool sound) {
    const struct described_check *check;
    const char *executable;
    for (size_t i = 0; (check = check_number(deque, i, &executable)) && !checking->interrupted; i++) {
        const char *why;
        double took;
        struct text details = {0};
        if (strcmp(check->name, KNOWN_FAULT) == 0 && sound && flavours[flavour].sanitizer)
            check_sanitizer(checking, executable, deque->id, flavour);
        if (strcmp(check->name, KNOWN_FAULT) == 0 || !wanted(checking, check->name))
            continue;
        const enum check_result result = check_run(executable, check->name, checking->seconds, &took, &why, &details);
        checking->interrupted |= result == CHECK_INTERRUPTED || interrupted();
        if (checking->interrupted)
            return false;
        if (sound) {
            const char *said = result == CHECK_PASSED ? formatted("%.1f s%s%s", took, *why ? "  " : "", why) : why;
            note(checking, result, deque->id, &(struct finding){check->name, said, text_string(&details), flavour});
        } else if (result == CHECK_FAILED) {
            count(checking, CHECK_PASSED, deque->id, check->name, flavour,
                  formatted("caught, as it must be: %.400s", why));
            return true;
        }
    }
    return false;
}

static void check_deque(struct checking *checking, const struct catalogue_deque *deque) {
    const char *id = deque->id, *check = value_of(checking->line, "check"), *executable;
    const bool sound = deque->sound || deque->reference;
    checking->finding_count = 0;
    for (size_t i = 0; i < FLAVOURS && !checking->interrupted; i++) {
        const struct catalogue_deque *built = catalogue_find(&checking->catalogues[i], id);
        const char *why = catalogue_why_absent(&checking->catalogues[i], id);
        if (built && (!sound || check_number(built, 0, &executable))) {
            if (check_flavour(checking, built, i, sound))
                return;
        } else if (sound && why) { /* this build cannot exist, so it is not missing */
            print_row("none", id, "-", flavours[i].title, why);
        } else {
            count(checking, CHECK_IMPOSSIBLE, id, "-", i, "this build is not there: make check_builds");
        }
    }
    print_findings(checking, id);
    if (sound || checking->interrupted)
        return;
    checking->counts[CHECK_FAILED] += !check; /* other checks may catch it */
    print_row(check ? "none" : "FAILED", id, check ? check : "all", "all",
              check ? "is known to be wrong, and that alone did not catch it"
                    : "is known to be wrong, and no check caught it");
}

static void check_all(struct checking *checking) {
    const struct catalogue *plain = &checking->catalogues[0];
    const struct words *ids = &checking->line->words;
    const char *id;
    json_t *why;
    for (size_t i = 0; i < ids->count; i++)
        catalogue_must_find(plain, ids->at[i], false);
    for (size_t i = 0; i < ids->count && !checking->interrupted; i++)
        check_deque(checking, catalogue_find(plain, ids->at[i]));
    for (size_t i = 0; i < plain->deque_count && ids->count == 0 && !checking->interrupted; i++)
        check_deque(checking, &plain->deques[i]);
    for (size_t i = 0; i < FLAVOURS && ids->count == 0 && !checking->interrupted; i++)
        json_object_foreach(checking->catalogues[i].broken, id, why) /* it cannot even describe itself */
            count(checking, CHECK_FAILED, id, "--describe", i, json_string_value(why));
}

static int check_deques(const struct command_line *line, const char *build, double seconds) {
    static struct checking checking;
    catch_interrupts();
    checking = (struct checking){.line = line, .seconds = seconds};
    const struct words *ids = line->words.count ? &line->words : NULL;
    checking.catalogues[0] = catalogue_open_built(build, ids);
    for (size_t i = 1; i < FLAVOURS; i++)
        checking.catalogues[i] = catalogue_open(build, flavours[i].folders, ids);
    catalogue_must_hold(&checking.catalogues[0]);
    check_all(&checking);
    const unsigned missing = checking.counts[CHECK_IMPOSSIBLE], undecided = checking.counts[CHECK_UNDECIDED];
    if (missing > 0)
        printf("%u could not be run\n", missing);
    if (undecided > 0)
        printf("%u came to no verdict: nothing is known to be wrong. Check these again when the machine is idle\n",
               undecided);
    printf("%u passed, %u failed\n", checking.counts[CHECK_PASSED], checking.counts[CHECK_FAILED]);
    return checking.interrupted ? 130 : checking.counts[CHECK_FAILED] > 0 ? 1 : missing + undecided > 0 ? 3 : 0;
}

static const struct parameter seconds_parameter = PARAMETER_REAL("seconds", 1, 0.01, 3600, "s", "");

/* UPSTREAM_FROM tells the build where originals are. */
static void look_for_originals(const char *from) {
    const struct words folders = split_words(from, ":");
    for (size_t i = 0; i < folders.count; i++)
        if (access(path_join(folders.at[i], "."), R_OK | X_OK) != 0)
            refuse(2, "--from: no such folder: %.300s", folders.at[i]);
    setenv("UPSTREAM_FROM", from, 1);
}

/* Without names and options, runs all tests. */
int carry_out_check(const struct job *job) {
    const struct command_line *line = job->line;
    const double seconds =
        value_of(line, "seconds") ? must_read(&seconds_parameter, value_of(line, "seconds")).real : CHECK_SECONDS;
    if (has(line, "all") && (line->words.count || line->options.count > 1))
        refuse(2, "--all runs all tests: it takes no other words or options");
    const bool everything = job->whole && line->given.count == has(line, "all");
    const char *asked = value_of(line, "check");
    const struct words names = split_words(CHECK_NAMES, ", "), checks = split_words(asked ? asked : "", ",");
    for (size_t i = 0; i < checks.count; i++)
        if (!words_have(&names, checks.at[i]))
            refuse_unknown("check", checks.at[i], &names);
    if (value_of(line, "from"))
        look_for_originals(value_of(line, "from"));
    int result = call_packages(job, "build pages check -- optional");
    if (everything)
        return result ? result : call(words_of("tests/run.sh", has(line, "all") ? "--all" : NULL, NULL));
    result = result ? result : call_build(job, targets_with("check_builds", &line->words));
    return result ? result : check_deques(line, job->build, seconds);
}
