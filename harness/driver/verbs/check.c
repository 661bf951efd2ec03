#include "harness/driver/plan/stamp.c"
#include "harness/driver/verbs/programs.c"

#define CHECK_NAMES "conformance, stress, preempt, pool, explore, stop"
#define KNOWN_FAULT "known_fault" /* the check that a sanitizer has to fail (proof/checks/known_fault.c) */

/* Length of each random search, half as long under a sanitizer: what one finds needs little luck. */
static const struct parameter seconds_parameter = PARAMETER_REAL("seconds", 1.2, 0.01, 3600, "s", "");

/* How a deque's executables are built, their folders below the build folder, and the sanitizer that must be in them. */
static const struct {
    const char *folders, *title, *sanitizer;
} flavours[] = {{NULL, "plain", NULL},
                {"address", "address and undefined", "AddressSanitizer"},
                {"thread", "thread", "ThreadSanitizer"},
                {"lab", "lab", NULL}};
#define FLAVOURS (LENGTH(flavours))

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
    LIST(struct finding) findings;      /* of the deque that is checked, in the order of the checks */
    bool interrupted;
};

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

/* A failure is kept until all checks of its deque have run. */
static void keep(struct checking *checking, struct finding found) {
    checking->counts[CHECK_FAILED]++;
    *ONE_MORE(checking->findings) = found;
}

/* How much a failure of this check tells: less is more. One thread needs no luck, and the lab has the schedule. */
static int worth(const struct finding *found) {
    const int place = choice_index("conformance|explore|stop", found->check);
    return place < 0 ? 3 : place;
}

/* All failures of a deque as one finding: the one that tells most, then who failed besides, check by check. */
static void print_findings(const struct checking *checking, const char *id) {
    const struct finding *all = checking->findings.at, *end = all + checking->findings.count, *best = all;
    struct words told = {0};
    if (all == end)
        return;
    for (const struct finding *one = all; one < end; one++)
        best = worth(one) < worth(best) ? one : best;
    print_row("FAILED", id, best->check, flavours[best->flavour].title, best->why);
    fputs(best->details, stdout);
    for (const struct finding *one = all; one < end; one++) {
        if (one == best || !words_add_once(&told, one->check))
            continue;
        printf("  also: %s (%s", one->check, flavours[one->flavour].title);
        for (const struct finding *later = one + 1; later < end; later++)
            if (later != best && same(later->check, one->check))
                printf(", %s", flavours[later->flavour].title);
        printf("): %s\n", one->why);
    }
    if (worth(best) > 0)
        printf("  trace: ./run.sh lab %s %s\n", worth(best) == 2 ? "stop" : "explore", id);
}

static struct checked run(struct checking *checking, const struct deque_check *check, size_t flavour) {
    const double seconds = flavours[flavour].sanitizer ? checking->seconds / 2 : checking->seconds;
    const struct checked checked = check_run(check->executable, check->name, seconds);
    checking->interrupted |= checked.result == CHECK_INTERRUPTED || interrupted();
    return checked;
}

/* Does the sanitizer of this build report a race and a write behind an array? Without it every check would pass. */
static void check_sanitizer(struct checking *checking, const struct deque_check *check, size_t flavour) {
    const char *sanitizer = flavours[flavour].sanitizer;
    const struct checked checked = run(checking, check, flavour);
    if (!checking->interrupted && (checked.result == CHECK_PASSED || !strstr(checked.why, sanitizer)))
        keep(checking,
             (struct finding){KNOWN_FAULT, formatted("no report by %s, which is not in this build", sanitizer), "",
                              flavour});
}

/* A sound deque has a row for each check, and all must pass. An unsound deque has one row, and passes when a check
 * catches it. Returns whether one did. */
static bool check_flavour(struct checking *checking, const struct catalogue_deque *deque, size_t flavour, bool sound) {
    const struct checks checks = checks_of(deque);
    const char *wanted = value_of(checking->line, "check");
    for (size_t i = 0; i < checks.count && !checking->interrupted; i++) {
        const struct deque_check *check = &checks.at[i];
        const bool known_fault = same(check->name, KNOWN_FAULT);
        if (known_fault && sound && flavours[flavour].sanitizer)
            check_sanitizer(checking, check, flavour);
        if (known_fault || (wanted && !words_have(split_words(wanted, ","), check->name)))
            continue;
        const struct checked checked = run(checking, check, flavour);
        const char *why = checked.why;
        if (checking->interrupted)
            return false;
        if (checked.result == CHECK_FAILED && !sound) {
            count(checking, CHECK_PASSED, deque->id, check->name, flavour,
                  formatted("caught, as it must be: %.400s", why));
            return true;
        }
        if (checked.result == CHECK_FAILED)
            keep(checking, (struct finding){check->name, why, checked.details, flavour});
        else if (sound)
            count(checking, checked.result, deque->id, check->name, flavour,
                  checked.result == CHECK_PASSED ? formatted("%.1f s%s%s", checked.seconds, *why ? "  " : "", why)
                                                 : why);
    }
    return false;
}

static void check_deque(struct checking *checking, const struct catalogue_deque *deque) {
    const char *id = deque->id, *check = value_of(checking->line, "check");
    const bool sound = deque->kind != DEQUE_UNSOUND;
    checking->findings.count = 0;
    for (size_t i = 0; i < FLAVOURS && !checking->interrupted; i++) {
        const struct catalogue_deque *built = catalogue_find(&checking->catalogues[i], id);
        const char *why = catalogue_why_absent(&checking->catalogues[i], id);
        if (built && (!sound || checks_of(built).count > 0)) {
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
    const struct words ids = checking->line->words;
    const char *id;
    json_t *why;
    foreach (one, ids)
        catalogue_must_find(plain, *one, false);
    foreach (deque, plain->deques)
        if (ids.count == 0)
            check_deque(checking, deque);
    foreach (one, ids)
        check_deque(checking, catalogue_find(plain, *one));
    for (size_t i = 0; i < FLAVOURS && ids.count == 0 && !checking->interrupted; i++)
        json_object_foreach(checking->catalogues[i].broken, id, why) /* it cannot even describe itself */
            count(checking, CHECK_FAILED, id, "--describe", i, json_string_value(why));
}

static int check_deques(const struct command_line *line, const char *build) {
    struct checking checking = {.line = line, .seconds = number_of(line, &seconds_parameter).real};
    const struct words *ids = line->words.count ? &line->words : NULL;
    catch_interrupts();
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

/* UPSTREAM_FROM tells the build where originals are. */
static void look_for_originals(const char *from) {
    const struct words folders = split_words(from, ":");
    foreach (folder, folders)
        if (access(path_join(*folder, "."), R_OK | X_OK) != 0)
            refuse(2, "--from: no such folder: %.300s", *folder);
    setenv("UPSTREAM_FROM", from, 1);
}

/* Without names and options, runs all tests. */
int carry_out_check(const struct job *job) {
    const struct command_line *line = job->line;
    const bool all = has(line, "all");
    const char *asked = value_of(line, "check");
    const struct words names = split_words(CHECK_NAMES, ", "), checks = split_words(asked ? asked : "", ",");
    number_of(line, &seconds_parameter);
    if (all && (line->words.count || line->options.count > 1))
        refuse(2, "--all runs all tests: it takes no other words or options");
    foreach (check, checks)
        if (!words_have(names, *check))
            refuse_unknown("check", *check, names);
    if (value_of(line, "from"))
        look_for_originals(value_of(line, "from"));
    need_packages(job, "build pages check -- optional");
    if (job->whole && line->given.count == all)
        return call(words_of("tests/run.sh", all ? "--all" : NULL, NULL));
    need_build(job, targets_with("check_builds", line->words));
    return check_deques(line, job->build);
}
