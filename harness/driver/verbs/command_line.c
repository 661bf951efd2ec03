#include "harness/driver/verbs/command_line.h"
#include "harness/driver/plan/catalogue.h"
#include "harness/driver/util/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verbs[] = {"list", "run", "suite", "check", "lab", "doctor"};
#define VERBS (sizeof verbs / sizeof verbs[0])

#define IN(verb) (1u << (verb))
#define TIMING (IN(VERB_RUN) | IN(VERB_SUITE))
#define EVERYWHERE (TIMING | IN(VERB_LIST) | IN(VERB_CHECK) | IN(VERB_LAB) | IN(VERB_DOCTOR))

enum takes { TAKES_NOTHING, TAKES_VALUE, MAY_TAKE_VALUE };

/* What an option sets: a flag, a value, or both. */
struct option {
    const char *name;
    enum takes takes;
    unsigned in; /* the verbs that have it */
    size_t flag, value;
};

#define NO_PLACE ((size_t)-1)
#define PLACE(member) offsetof(struct command_line, member)
static const struct option options[] = {
    {"help", TAKES_NOTHING, EVERYWHERE, PLACE(help), NO_PLACE},
    {"csv", MAY_TAKE_VALUE, TIMING | IN(VERB_LIST), PLACE(wants_csv), PLACE(csv)},
    {"name", TAKES_VALUE, TIMING, NO_PLACE, PLACE(name)},
    {"results", TAKES_VALUE, TIMING, NO_PLACE, PLACE(results)},
    {"deques_in", TAKES_VALUE, TIMING, NO_PLACE, PLACE(deques_in)},
    {"resume", MAY_TAKE_VALUE, TIMING, PLACE(wants_resume), PLACE(resume)},
    {"anyway", TAKES_NOTHING, TIMING, PLACE(anyway), NO_PLACE},
    {"memory_limit", TAKES_VALUE, TIMING | IN(VERB_CHECK), NO_PLACE, PLACE(memory_limit)},
    {"unsound", TAKES_NOTHING, TIMING, PLACE(unsound), NO_PLACE},
    {"needs", TAKES_NOTHING, TIMING, PLACE(needs), NO_PLACE},
    {"dry_run", TAKES_NOTHING, TIMING, PLACE(dry_run), NO_PLACE},
    {"topology", TAKES_VALUE, TIMING, NO_PLACE, PLACE(topology)},
    {"part", TAKES_VALUE, TIMING, NO_PLACE, PLACE(part)},
    {"repeat", TAKES_VALUE, TIMING, NO_PLACE, PLACE(repeat)},
    {"split", TAKES_VALUE, TIMING, NO_PLACE, PLACE(split)},
    {"host", TAKES_VALUE, TIMING, NO_PLACE, PLACE(host)},
    {"quiet", TAKES_NOTHING, TIMING, PLACE(quiet), NO_PLACE},
    {"seconds", TAKES_VALUE, IN(VERB_CHECK), NO_PLACE, PLACE(seconds)},
    {"check", TAKES_VALUE, IN(VERB_CHECK), NO_PLACE, PLACE(check)},
    {"fail_fast", TAKES_NOTHING, IN(VERB_CHECK), PLACE(fail_fast), NO_PLACE},
};
#define OPTIONS (sizeof options / sizeof options[0])

/* An argument "--name", "--name=value" or "--name value" being read. */
struct reading {
    struct command_line *line;
    const char *const *arguments;
    int count, at;
    char name[sizeof((struct suite_key *)0)->name]; /* with _ for - */
    const char *value;                              /* NULL: none given by = */
    char *message;
};

/* The value, from the next argument where = gave none. */
static int need_value(struct reading *reading) {
    if (!reading->value && reading->at + 1 < reading->count && strncmp(reading->arguments[reading->at + 1], "--", 2))
        reading->value = reading->arguments[++reading->at];
    if (reading->value && *reading->value)
        return 0;
    snprintf(reading->message, MESSAGE_SIZE, "--%s wants a value", reading->name);
    return 2;
}

static int take_option(struct reading *reading, const struct option *option) {
    char *base = (char *)reading->line;
    if (option->takes == TAKES_NOTHING && reading->value) {
        snprintf(reading->message, MESSAGE_SIZE, "--%s takes no value", option->name);
        return 2;
    }
    if (option->takes == TAKES_VALUE || reading->value) {
        int result = need_value(reading);
        if (result)
            return result;
    }
    if (option->flag != NO_PLACE)
        memcpy(base + option->flag, &(bool){true}, sizeof(bool));
    if (option->value != NO_PLACE && reading->value)
        memcpy(base + option->value, &reading->value, sizeof reading->value);
    return 0;
}

/* Adds name=value to one of the two lists. */
static int add_assignment(struct reading *reading, struct suite_line *line, const char *value) {
    struct text assignment = {0};
    text_format(&assignment, "%s=%s", reading->name, value);
    int result = suite_line_add(line, assignment.data, reading->message);
    text_free(&assignment);
    return result;
}

static int take_assignment(struct reading *reading, struct suite_line *line) {
    int result = need_value(reading);
    return result ? result : add_assignment(reading, line, reading->value);
}

/* invocations, precision and the like: their ranges are known here. */
static int take_override(struct reading *reading) {
    struct suite_options ignored = suite_default_options;
    int result = need_value(reading);
    if (result == 0)
        result = suite_set_option(&ignored, reading->name, reading->value, reading->message);
    if (result)
        return result;
    char number[64]; /* 2% is 2, for behind a % the values of a line have digits */
    size_t length = strlen(reading->value);
    snprintf(number, sizeof number, "%.*s", (int)(reading->value[length - 1] == '%' ? length - 1 : length),
             reading->value);
    return add_assignment(reading, &reading->line->overrides, number);
}

static int say_unknown_option(struct reading *reading) {
    const char *names[OPTIONS + 8];
    size_t count = 0;
    char what[64];
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].in & IN(reading->line->verb))
            names[count++] = options[i].name;
    for (const struct parameter *one = suite_option_parameters; one->name && reading->line->verb == VERB_SUITE; one++)
        names[count++] = one->name;
    if (reading->line->verb == VERB_SUITE) {
        names[count++] = "deque";
        names[count++] = "only";
    }
    snprintf(what, sizeof what, "option of %s", verbs[reading->line->verb]);
    say_unknown(what, reading->name, names, count, reading->message);
    return 2;
}

static int split_name(struct reading *reading) {
    const char *name = reading->arguments[reading->at] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    if (length == 0 || length >= sizeof reading->name) {
        snprintf(reading->message, MESSAGE_SIZE, "%.60s: no such option", reading->arguments[reading->at]);
        return 2;
    }
    for (size_t i = 0; i < length; i++)
        reading->name[i] = name[i] == '-' ? '_' : name[i];
    reading->name[length] = '\0';
    reading->value = equals ? equals + 1 : NULL;
    return 0;
}

static int take_dashed(struct reading *reading) {
    enum verb verb = reading->line->verb;
    int result = split_name(reading);
    if (result)
        return result;
    for (size_t i = 0; i < OPTIONS; i++)
        if (strcmp(options[i].name, reading->name) == 0 && options[i].in & IN(verb))
            return take_option(reading, &options[i]);
    if (TIMING & IN(verb) && parameter_find(suite_option_parameters, reading->name))
        return take_override(reading);
    bool filter = strcmp(reading->name, "deque") == 0 || strcmp(reading->name, "only") == 0;
    if (verb == VERB_LAB) {
        reading->line->passed_on[reading->line->passed_on_count++] = reading->arguments[reading->at];
        return 0;
    }
    if (verb == VERB_RUN || (verb == VERB_SUITE && filter))
        return take_assignment(reading, &reading->line->values);
    return say_unknown_option(reading);
}

static int take_verb(struct command_line *line, const char *word, char *message) {
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        line->verb = VERB_VERSION;
        return 0;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        line->verb = VERB_HELP;
        return 0;
    }
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(word, verbs[i]) == 0) {
            line->verb = (enum verb)i;
            return 0;
        }
    }
    say_unknown("verb", word, verbs, VERBS, message);
    return 2;
}

static int check_words(const struct command_line *line, char *message) {
    static const char *const wanted[] = {"list wants one of deques, workloads, suites",
                                         "run wants one workload; stealbench list workloads names them",
                                         "suite wants one suite; stealbench list suites names them"};
    if (line->help || line->verb == VERB_CHECK || line->verb >= VERB_HELP)
        return 0;
    if (line->verb == VERB_LAB) {
        if (line->word_count > 0)
            return 0;
        snprintf(message, MESSAGE_SIZE, "lab wants one of count, explore, stop");
        return 2;
    }
    if (line->verb == VERB_DOCTOR) {
        if (line->word_count == 0)
            return 0;
        snprintf(message, MESSAGE_SIZE, "doctor takes nothing: %.60s", line->words[0]);
        return 2;
    }
    if (line->topology && !line->dry_run) {
        snprintf(message, MESSAGE_SIZE,
                 "--topology is of another machine: it goes with --dry-run, which measures nothing");
        return 2;
    }
    if (line->word_count == 1)
        return 0;
    snprintf(message, MESSAGE_SIZE, "%s", wanted[line->verb]);
    return 2;
}

int command_line_parse(struct command_line *line, int count, const char *const *arguments, char *message) {
    struct reading reading = {line, arguments, count, 2, "", NULL, message};
    *line = (struct command_line){.verb = VERB_HELP};
    if (count < 2) {
        snprintf(message, MESSAGE_SIZE, "a verb is missing: list, run, suite, check, lab or doctor");
        return 2;
    }
    line->words = allocate((size_t)count, sizeof line->words[0]);
    line->passed_on = allocate((size_t)count, sizeof line->passed_on[0]);
    int result = take_verb(line, arguments[1], message);
    for (; reading.at < count && result == 0; reading.at++) {
        const char *argument = arguments[reading.at];
        if (strcmp(argument, "-h") == 0)
            line->help = true;
        else if (strncmp(argument, "--", 2) == 0 && line->verb < VERB_HELP)
            result = take_dashed(&reading);
        else
            line->words[line->word_count++] = argument;
    }
    return result ? result : check_words(line, message);
}

void command_line_free(struct command_line *line) {
    suite_line_clear(&line->values);
    suite_line_clear(&line->overrides);
    free(line->words);
    free(line->passed_on);
    *line = (struct command_line){.verb = VERB_HELP};
}

#define TIMING_HELP                                                                                                    \
    "  --invocations=N      fresh processes a cell (1 to 1000)\n"                                                      \
    "  --precision=N%       as many as make an interval reach N % to either side; --invocations at most (60)\n"        \
    "  --repetitions=N      measurements a process (1 to 1000)\n"                                                      \
    "  --minimum-time=S     seconds a measurement lasts at least\n"                                                    \
    "  --timeout=S          seconds after which a process is killed; waiting for a processor does not count\n"         \
    "  --name=RUN           the run's folder in results/ (default: the time and the suite)\n"                          \
    "  --results=FOLDER     where run folders are made (default: results/ of the source tree)\n"                       \
    "  --deques-in=[SIDE=]FOLDER[:...]  time the executables of other folders than those below build, as SIDE/ID\n"    \
    "  --resume[=RUN]       go on with the latest run of this kind, or with that one\n"                                \
    "  --anyway             resume even a run of another machine, kernel, compiler or flags\n"                         \
    "  --memory-limit=BYTES that one process may hold (k, M, G; default: 7/8 of the machine's or control group's)\n"   \
    "  --csv=-|FILE         print the rows of samples.csv as well\n"                                                   \
    "  --needs              print the run's folder and what make has to build first (run.sh does); measure nothing\n"  \
    "  --dry-run            every cell, its places and how long it will take: as before on this machine, or as a "     \
    "few\n"                                                                                                            \
    "                       cells that are tried; measure nothing else\n"                                              \
    "  --topology=MACHINE   with --dry-run: on another machine, an XML file of lstopo's or a description of "          \
    "hwloc's,\n"                                                                                                       \
    "                       'pack:2 [numa] core:32 pu:2'; nothing is tried, and a cell takes what its suite says\n"    \
    "  --split=N|LENGTH     divide the run named by --name into N parts, or into parts of 30m, 2h, say; measure "      \
    "nothing\n"                                                                                                        \
    "  --part=I/N           measure part I of N of the run named by --name, or go on with it; ./run.sh merge joins "   \
    "them\n"                                                                                                           \
    "  --repeat=K           measure the part once more, on another node: 2, 3, ...\n"                                  \
    "  --host=NAME          this machine's name in the results (default: its own)\n"                                   \
    "  --unsound            time deques that are known to be wrong or fail their checks; their rows are flagged\n"     \
    "  --quiet              no progress\n"

static const char *const helps[] = {
    [VERB_LIST] = "usage: stealbench list deques|workloads|suites [--csv]\n",
    [VERB_RUN] = "usage: stealbench run WORKLOAD [--deque=A,B] [--PARAMETER=VALUE,VALUE ...] [options]\n"
                 "\n"
                 "Measures every combination of the values given. Deques: ids, or all (every sound one and the\n"
                 "references; the default), sound, reference. `stealbench list workloads` gives the parameters.\n"
                 "\n" TIMING_HELP,
    [VERB_SUITE] = "usage: stealbench suite NAME|FILE [--only=TAG,TAG] [--deque=A,B] [options]\n"
                   "\n"
                   "Measures a suite of suites/NAME.suite. --only takes these sections of it, --deque these deques.\n"
                   "\n" TIMING_HELP,
    [VERB_CHECK] =
        "usage: stealbench check [DEQUE ...] [--check=NAME] [--fail-fast] [--seconds=S]\n"
        "\n"
        "Runs every check of every deque, or of those named, in the plain build and under the sanitizers.\n"
        "A deque that is known to be wrong has to be caught. Below what failed: the command that repeats it, and\n"
        "a sanitizer's report.\n"
        "\n"
        "  --check=NAME         this check alone: conformance, stress, preempt, stopped, pool, explore, stop\n"
        "  --fail-fast          stop at the first failure\n"
        "  --seconds=S          that each check's random search lasts (default 1.2)\n"
        "  --memory-limit=BYTES that one process may hold (default: 7/8 of the machine's)\n",
    [VERB_LAB] = "usage: stealbench lab count|explore|stop [DEQUE ...] [options]\n"
                 "\n"
                 "Runs deques under our own scheduler (lab/README.md); without names every sound one.\n"
                 "\n"
                 "  count    loads, stores, read-modify-writes and fences of each operation   [--csv]\n"
                 "           [--variables]: which variable each operation reads and writes, and where\n"
                 "           [--room]: how many items fit after pushes, steals and a pop\n"
                 "  explore  schedules in which an item is lost or doubled   [--seconds=S] [--schedules=N] [--seed=S]\n"
                 "           [--bound=B] [--client=NAME] [--replay=R] [--quiet]\n"
                 "  stop     what the others can still do when a thread stops for ever\n"
                 "           any of them: [--mode=VALUE] for a deque that has modes\n",
    [VERB_DOCTOR] = "usage: stealbench doctor\n"
                    "\n"
                    "What is wrong with this machine for measuring, why it matters, and the command that mends it.\n",
    [VERB_HELP] =
        "stealbench: work-stealing deques, proven and measured.\n"
        "\n"
        "  stealbench list deques|workloads|suites   what there is\n"
        "  stealbench run WORKLOAD [...]             measure any combination of deques and parameters\n"
        "  stealbench suite NAME [...]               measure a suite: smoke, quick, paper, or a file\n"
        "  stealbench check [DEQUE ...]              the correctness gate\n"
        "  stealbench lab count|explore|stop [...]   a deque under our own scheduler\n"
        "  stealbench doctor                         what stands in the way of measuring here\n"
        "\n"
        "stealbench VERB --help tells more. Exit: 0 fine, 1 a check failed or a deque was refused, 2 usage,\n"
        "3 something is missing or came to no verdict, 4 a cell crashed or timed out or results could not be written,\n"
        "130 interrupted.\n",
    [VERB_VERSION] = ""};

const char *help_text(enum verb verb) { return helps[verb]; }
