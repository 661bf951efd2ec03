#include "harness/driver/verbs/table.h"
#include "harness/driver/verbs/verbs.h"
#include <string.h>

#define PASSED_ON(name, value, help)                                                                                   \
    { name, value, help, 0, NOWHERE, NOWHERE }
#define WITH_LETTER(letter, name, value, help)                                                                         \
    { name, value, help, letter, NOWHERE, NOWHERE }
#define FLAG(name, member, help)                                                                                       \
    { name, NULL, help, 0, offsetof(struct command_line, member), NOWHERE }
#define TEXT(name, value, member, help)                                                                                \
    { name, value, help, 0, NOWHERE, offsetof(struct command_line, member) }
#define MAY_HAVE(name, value, member, help)                                                                            \
    { name, value, help, 0, offsetof(struct command_line, wants_##member), offsetof(struct command_line, member) }
#define OPTIONS_END                                                                                                    \
    { NULL, NULL, NULL, 0, NOWHERE, NOWHERE }
#define NEEDS FLAG("needs", needs, "print what has to be built first; run nothing")
#define MEMORY_LIMIT                                                                                                   \
    TEXT("memory-limit", "BYTES", memory_limit,                                                                        \
         "that one process may hold: k, M, G; default: 7/8 of the machine's or control group's")
#define TOPOLOGY                                                                                                       \
    TEXT("topology", "MACHINE", topology,                                                                              \
         "with --dry-run: on another machine, an XML file of lstopo's or a description of hwloc's, 'pack:2 [numa] "    \
         "core:32 pu:2'; nothing is tried, and a cell takes what its suite says")

static const struct option_group timing = {
    "How it is measured:", NULL,
    (const struct verb_option[]){
        TEXT("name", "RUN", name, "the run's folder in results/; default: the time and the suite"),
        TEXT("results", "FOLDER", results, "where run folders are made; default: results/ of the source tree"),
        TEXT("deques-in", "SIDE=FOLDER:...", deques_in,
             "time the executables of other folders than those below build, as SIDE/ID where SIDE= is given"),
        MAY_HAVE("resume", "?RUN", resume, "go on with the latest run of this kind, or with that one"),
        FLAG("anyway", anyway, "resume even a run of another machine, kernel, compiler or flags"), MEMORY_LIMIT,
        MAY_HAVE("csv", "?FILE", csv, "print the rows of samples.csv as well, or write them into a file (- : print)"),
        MAY_HAVE("json", "?FILE", json, "the same rows as JSON, when the run has ended"),
        FLAG("needs", needs, "print the run's folder and what has to be built first; measure nothing"),
        FLAG("dry-run", dry_run,
             "every cell, its places and how long it will take: as before on this machine, or as a few cells that are "
             "tried; measure nothing else"),
        TOPOLOGY,
        TEXT("split", "N|LENGTH", split,
             "divide the run named by --name into N parts, or into parts of 30m, 2h, say; measure nothing"),
        TEXT("part", "I/N", part,
             "measure part I of N of the run named by --name, or go on with it; stealbench merge joins them"),
        TEXT("repeat", "K", repeat, "measure the part once more, on another node: 2, 3, ..."),
        TEXT("host", "NAME", host, "this machine's name in the results; default: its own"),
        FLAG("unsound", unsound, "time deques that are known to be wrong or fail their checks; their rows are flagged"),
        FLAG("quiet", quiet, "no progress"), OPTIONS_END}};

static const struct option_group suites = {
    "Which of it:", NULL,
    (const struct verb_option[]){PASSED_ON("only", "TAG,TAG", "these sections of the suite"),
                                 PASSED_ON("deque", "A,B", "these deques: ids, or all, sound, reference, unsound"),
                                 OPTIONS_END}};

static const struct option_group slurm = {
    "On a cluster (docs/cluster.md):", "slurm",
    (const struct verb_option[]){
        FLAG("slurm", slurm, "as a job array of Slurm, merged afterwards"),
        WITH_LETTER('p', "partition", "PARTITION", "as sbatch's"),
        WITH_LETTER('N', "nodes", "N", "so many nodes at a time at most"),
        WITH_LETTER('C', "constraint", "FEATURE", "as sbatch's"), WITH_LETTER('A', "account", "ACCOUNT", "as sbatch's"),
        PASSED_ON("qos", "QOS", "as sbatch's"), PASSED_ON("reservation", "NAME", "as sbatch's"),
        WITH_LETTER('t', "time", "TIME", "limit of an element; default: what its part takes twice, and 20 minutes"),
        PASSED_ON("length", "TIME", "what an element is wished to take (30m), or a number of parts"),
        PASSED_ON("repeat-nodes", "N", "measure each cell on N nodes"),
        TEXT("march", "PROCESSOR", march, "build for this processor (gcc's -march), here"),
        FLAG("build-on-node", build_on_node, "build in a job on a node of the kind that measures; waits for it"),
        PASSED_ON("sbatch", "OPTION", "one more option of sbatch's; can be given again"), OPTIONS_END}};

static const struct option_group workload = {
    "Which of it:", NULL,
    (const struct verb_option[]){
        PASSED_ON("deque", "A,B", "ids, or all (every sound one and the references; the default), sound, reference"),
        OPTIONS_END}};

static const struct option_group compared = {
    "What is measured:", NULL,
    (const struct verb_option[]){
        PASSED_ON("only", "CELL,CELL", "of the cells of suites/compare.suite"),
        PASSED_ON("deque", "A,B", "of two revisions: these, else each that differs; of two runs: the one to look at"),
        PASSED_ON("budget", "TIME", "of measuring: what is not decided by then is not settled; default: 5m"),
        FLAG("dry-run", dry_run, "of two deques: every cell, its places and how long one takes; measure nothing else"),
        TOPOLOGY, TEXT("name", "RUN", name, "the run's folder in results/; default: the time"),
        FLAG("unsound", unsound, "time deques that fail their checks, too"), MEMORY_LIMIT, OPTIONS_END}};

static const struct option_group comparing = {
    "How it is judged:", NULL,
    (const struct verb_option[]){
        PASSED_ON("all", NULL, "diagnostics too, such as idle_time"),
        PASSED_ON("metric", "NAME", "this metric only, such as push_latency"),
        PASSED_ON("threshold", "PERCENT", "differences below it are none; default: 2"),
        PASSED_ON("confidence", "PERCENT", "of the intervals and of all calls; default: 95"),
        PASSED_ON("gate", NULL, "exit 1 when anything got slower, or failed in A alone"),
        FLAG("anyway", anyway, "compare runs of different machines, kernels, compilers or flags, too"), OPTIONS_END}};

static const struct option_group quick_runtimes = {
    "How much of it:", NULL,
    (const struct verb_option[]){FLAG("quick", quick, "six sections, six times each"), OPTIONS_END}};

static const struct option_group merging = {
    "Options:", NULL,
    (const struct verb_option[]){FLAG("missing", missing, "only say what is missing"),
                                 PASSED_ON("anyway", NULL, "mix parts of several commits, builds, processors, kernels"),
                                 OPTIONS_END}};

static const struct option_group checking = {
    "Options:", NULL,
    (const struct verb_option[]){
        TEXT("check", "NAME", check, "this check alone: conformance, stress, preempt, stopped, pool, explore, stop"),
        FLAG("fail-fast", fail_fast, "stop at the first failure"),
        TEXT("seconds", "S", seconds, "that each check's random search lasts; default: 1.2"), MEMORY_LIMIT, NEEDS,
        FLAG("all", all, "without names: the dear tests too, with every compiler that is here"), OPTIONS_END}};

static const struct option_group laboratory_options = {
    "Of count:", NULL,
    (const struct verb_option[]){
        MAY_HAVE("csv", NULL, csv, "the table as CSV"), MAY_HAVE("json", NULL, json, "the same as JSON"),
        PASSED_ON("variables", NULL, "which variable each operation reads and writes, and where"),
        PASSED_ON("orders", NULL, "which memory orders it asks for"),
        PASSED_ON("room", NULL, "how many items fit after pushes, steals and a pop"), OPTIONS_END}};

static const struct option_group exploring = {
    "Of explore:", NULL,
    (const struct verb_option[]){
        PASSED_ON("seconds", "S", "that it lasts"), PASSED_ON("schedules", "N", "of each client"),
        PASSED_ON("seed", "S", "of the random ones"),
        PASSED_ON("bound", "B", "preemptions, all schedules up to so many"),
        PASSED_ON("client", "NAME", "this one alone"), PASSED_ON("replay", "R", "the schedule that a failure printed"),
        PASSED_ON("memory", "tso|weak", "what stores and loads may do"),
        PASSED_ON("buffer", "N", "stores that a thread's buffer holds"),
        PASSED_ON("block", "N", "items of a block, of deques made of blocks"),
        PASSED_ON("fault", "KIND", "this kind of fault alone"), PASSED_ON("quiet", NULL, "no trace"), OPTIONS_END}};

static const struct option_group of_all_lab = {
    "Of any of them:", NULL,
    (const struct verb_option[]){
        NEEDS, PASSED_ON("mode", "VALUE", "of a deque that has modes"),
        PASSED_ON("fences", "kernel|pair", "of asymmetric fences: what they are where the kernel does not run them"),
        OPTIONS_END}};

static const struct option_group ci = {
    "Options:", NULL,
    (const struct verb_option[]){
        FLAG("update-baseline", update_baseline, "write results/baseline anew, of these deques or of all"),
        MAY_HAVE("against", "?REVISION", against,
                 "build that revision as well, or the merge base, and time the two in turns"),
        PASSED_ON("deque", "A,B", "with --against: these, whatever the change touches"),
        PASSED_ON("only", "CELL,CELL", "with --against: of the cells of suites/gate.suite"),
        PASSED_ON("budget", "TIME", "with --against: of measuring; default: 10m"),
        PASSED_ON("threshold", "PERCENT", "with --against: a slowdown below it is none; default: 2"),
        PASSED_ON("no-counts", NULL, "with --against: times alone"),
        PASSED_ON("no-times", NULL, "with --against: counts alone"),
        PASSED_ON("name", "NAME", "with --against: of the folder below results/"),
        PASSED_ON("unsound", NULL, "with --against: time deques that fail their checks, too"), OPTIONS_END}};

static const struct option_group gate_trials = {
    "Of the gate:", "gate",
    (const struct verb_option[]){
        FLAG("gate", gate, "identical builds and planted slowdowns through ci's gate, trial by trial"),
        PASSED_ON("trials", "N", "of each kind; default: 20; 200 show what is promised"),
        PASSED_ON("counted", "N", "of those that are counted; default: as many"),
        PASSED_ON("for", "TIME", "measure no longer than that: 90s, 20m, 4h; --resume=NAME goes on"),
        PASSED_ON("budget", "TIME", "of a gate of all cells; default: 10m"),
        PASSED_ON("beside", NULL, "beside a process that burns one processor"), OPTIONS_END}};

static const struct option_group judging = {
    "Options:", NULL, (const struct verb_option[]){FLAG("gate", gate, "exit 1 when a limit is broken"), OPTIONS_END}};

static const struct option_group reporting = {
    "Options:", NULL,
    (const struct verb_option[]){
        TEXT("to", "FOLDER", to, "of one run: a folder for a static host, links followed"),
        PASSED_ON("style", "acm|ieee|slides", "of one run: figures for a paper or slides, into RUN/figures-STYLE"),
        TEXT("output", "FILE", output, "of several runs: where their page goes; default: the first run's folder"),
        OPTIONS_END}};

static const struct option_group history = {
    "Options:", NULL,
    (const struct verb_option[]){PASSED_ON("deque", "A,B", "these alone"), PASSED_ON("workload", "W,X", "these alone"),
                                 PASSED_ON("runs", "FOLDER", "what has the runs; default: results"),
                                 PASSED_ON("csv", "FILE", "all points as data"),
                                 PASSED_ON("json", "FILE", "the same as JSON"), OPTIONS_END}};

static const struct option_group listing = {"Options:", NULL,
                                            (const struct verb_option[]){MAY_HAVE("csv", NULL, csv, "as CSV"),
                                                                         MAY_HAVE("json", NULL, json, "as JSON"),
                                                                         OPTIONS_END}};

static const struct option_group exporting = {
    "Options:", NULL,
    (const struct verb_option[]){
        PASSED_ON("prefix", "NAME", "begins every name; default: the deque's own name, or pool"),
        PASSED_ON("item", "TYPE", "what it carries: a pointer type, or an integer of 4 or 8 bytes; default: void *"),
        PASSED_ON("deque", "NAME", "of pool: what it is to run on"),
        WITH_LETTER('o', "output", "FILE", "where to; default: standard output"),
        PASSED_ON("library", "FOLDER",
                  "a library for CMake and pkg-config, with a wrapper for C++, an example and a test"),
        OPTIONS_END}};

static const struct option_group setting_up = {
    "Options:", NULL,
    (const struct verb_option[]){
        PASSED_ON("prefix", "DIR", "how it is had on Debian, Fedora, Arch, by Spack or conda, in a folder of your own"),
        PASSED_ON("venv", NULL, "Python's packages into results/.venv"), OPTIONS_END}};

static const struct option_group helping = {
    "Options:", NULL,
    (const struct verb_option[]){FLAG("man", man, "the man page"),
                                 FLAG("completion", completion, "completion for bash"), OPTIONS_END}};

#define A_SUITE(verb, what)                                                                                            \
    {                                                                                                                  \
        .group = "Measure", .name = verb, .summary = what, .groups = {&suites, &timing, &slurm},                       \
        .packages = MEASURING, .carry_out = carry_out_suite, .measures = true                                          \
    }

const struct verb verbs[] = {
    A_SUITE("smoke", "suites/smoke.suite: does everything work? Two processors take a minute"),
    A_SUITE("quick", "suites/quick.suite, some minutes: what ./run.sh does when no verb is given"),
    A_SUITE("paper", "suites/paper.suite: two processors take for paper 5 to 14 hours (by the precision asked for)"),
    {.group = "Measure",
     .name = "suite",
     .summary = "any other suite, by its name or file: table, figures and report at the end",
     .arguments = "NAME|FILE",
     .groups = {&suites, &timing, &slurm},
     .named = WORDS_SUITE,
     .least = 1,
     .most = 1,
     .packages = MEASURING,
     .carry_out = carry_out_suite,
     .measures = true},
    {.group = "Measure",
     .name = "run",
     .summary = "one workload with any parameters, every combination of the values given",
     .arguments = "WORKLOAD [--PARAMETER=VALUE,VALUE ...]",
     .text = "`stealbench list workloads` has the workloads and their parameters. Whole numbers may end on k, M or G.",
     .groups = {&workload, &timing},
     .named = WORDS_WORKLOAD,
     .least = 1,
     .most = 1,
     .packages = MEASURING,
     .carry_out = carry_out_run,
     .measures = true},
    {.group = "Measure",
     .name = "compare",
     .summary = "A against B, measured until it is decided who is faster at what",
     .arguments = "A B",
     .text = "A and B: two deques, runs, revisions of this tree, or files of Google Benchmark. With --invocations=N so "
             "many pairs are measured and judged by the rule for so many (docs/results.md).",
     .groups = {&compared, &comparing},
     .least = 2,
     .most = 2,
     .carry_out = carry_out_compare,
     .measures = true},
    {.group = "Measure",
     .name = "runtimes",
     .other_deques = true,
     .former = "peers",
     .summary = "our pool against oneTBB, OpenMP, Rayon, Go, ForkJoinPool, find, bfs, fd on the same work",
     .groups = {&quick_runtimes, &suites, &timing},
     .packages = "build pages -- optional runtimes",
     .carry_out = carry_out_runtimes,
     .measures = true},
    {.group = "Measure",
     .name = "merge",
     .summary = "one run of the parts that were measured on several nodes",
     .arguments = "RUN",
     .groups = {&merging},
     .named = WORDS_RUNS,
     .least = 1,
     .most = 1,
     .carry_out = carry_out_merge},
    {.group = "Prove",
     .name = "check",
     .summary = "every check of these deques, plain and under the sanitizers; without names all tests",
     .arguments = "[DEQUE ...]",
     .text =
         "A deque that is known to be wrong has to be caught. Below what failed: the command that repeats it, and a "
         "sanitizer's report.",
     .groups = {&checking},
     .named = WORDS_DEQUES,
     .most = 1000,
     .packages = "build pages check -- optional",
     .carry_out = carry_out_check},
    {.group = "Prove",
     .name = "lab",
     .summary = "deques under our own scheduler: what they cost, how they break, who can stop whom",
     .arguments = "count|explore|stop [DEQUE ...]",
     .text = "Without names every sound deque. count: loads, stores, read-modify-writes and fences of each operation. "
             "explore: schedules in which an item is lost or doubled. stop: what the others can still do when a thread "
             "stops for ever. proof/lab/README.md tells more.",
     .groups = {&laboratory_options, &exploring, &of_all_lab},
     .named = WORDS_CHOICE,
     .choices = "count|explore|stop",
     .least = 1,
     .most = 1000,
     .packages = "build",
     .carry_out = carry_out_lab},
    {.group = "Prove",
     .name = "ci",
     .summary = "did anything get dearer than results/baseline in counts, or slower than a revision?",
     .arguments = "[DEQUE ...]",
     .text = "Exit 1 when a count increased or a cell is slower, 3 when that is not decided (docs/ci.md).",
     .groups = {&ci},
     .named = WORDS_DEQUES,
     .most = 1000,
     .packages = "build pages valgrind",
     .carry_out = carry_out_ci},
    {.group = "Prove",
     .name = "trust",
     .other_deques = true,
     .summary = "the suite measures itself: planted times, its own cost, loops written by hand",
     .arguments = "[itself|threads]",
     .text = "threads: are two threads ever slower than one?",
     .groups = {&suites, &timing, &gate_trials},
     .named = WORDS_CHOICE,
     .choices = "itself|threads",
     .most = 1,
     .packages = MEASURING,
     .carry_out = carry_out_trust,
     .measures = true},
    {.group = "Prove",
     .name = "fidelity",
     .summary = "our ports against the live originals that are installed (queues/upstream)",
     .groups = {&judging, &suites, &timing},
     .packages = MEASURING,
     .carry_out = carry_out_fidelity,
     .measures = true},
    {.group = "Show",
     .name = "report",
     .summary = "table, figures and report of a run; several runs side by side; a folder for the web",
     .arguments = "RUN [RUN ...]",
     .groups = {&reporting},
     .named = WORDS_RUNS,
     .least = 1,
     .most = 1000,
     .packages = "build pages",
     .carry_out = carry_out_report},
    {.name = "draw",
     .now = "report RUN",
     .summary = "table, figures and report of a run again",
     .arguments = "RUN",
     .groups = {&reporting},
     .named = WORDS_RUNS,
     .least = 1,
     .most = 1,
     .packages = "build pages",
     .carry_out = carry_out_report},
    {.name = "publish",
     .now = "report RUN --to=FOLDER",
     .summary = "a run's report as a folder for a static host",
     .arguments = "RUN",
     .groups = {&reporting},
     .named = WORDS_RUNS,
     .least = 1,
     .most = 1,
     .packages = "build pages",
     .carry_out = carry_out_publish},
    {.group = "Show",
     .name = "history",
     .other_deques = true,
     .summary = "all runs by commit, with the places from which on a cell is slower or faster",
     .arguments = "[METRIC]",
     .groups = {&history},
     .most = 1,
     .packages = "build pages",
     .program = "setup/python.sh -m plots.history"},
    {.group = "Show",
     .name = "list",
     .summary = "what there is; metrics: what each recorded value is",
     .arguments = "deques|workloads|suites|metrics [WORD]",
     .groups = {&listing},
     .named = WORDS_CHOICE,
     .choices = "deques|workloads|suites|metrics",
     .least = 1,
     .most = 2,
     .carry_out = carry_out_list},
    {.group = "Show",
     .name = "doctor",
     .summary = "what is wrong for measuring on this machine, and what mends it",
     .carry_out = carry_out_doctor},
    {.group = "Use",
     .name = "export",
     .summary = "a deque, or the pool on one, as a header that stands alone, C11 and C++17",
     .arguments = "DEQUE | pool --deque=NAME",
     .groups = {&exporting},
     .named = WORDS_DEQUES,
     .least = 1,
     .most = 1,
     .packages = "build pages",
     .program = "setup/python.sh -m export"},
    {.group = "Use",
     .name = "setup",
     .summary = "look for (as root: install) what is needed",
     .groups = {&setting_up},
     .program = "setup/packages.sh"},
    {.group = "Use",
     .name = "help",
     .summary = "this, or what a verb takes; --man, --completion",
     .arguments = "[VERB]",
     .groups = {&helping},
     .most = 1,
     .carry_out = carry_out_help},
    {.group = "Use", .name = "version", .summary = "which version this is", .carry_out = carry_out_version},
    {.name = NULL}};

const struct verb *verb_find(const char *name) {
    for (const struct verb *verb = verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0 || (verb->former && strcmp(verb->former, name) == 0))
            return verb;
    return NULL;
}

const struct verb_option *verb_has(const struct verb *verb, const char *name, char letter,
                                   const struct option_group **group) {
    for (size_t i = 0; i < GROUPS_MAX && verb->groups[i]; i++) {
        for (const struct verb_option *option = verb->groups[i]->options; option->name; option++) {
            if (name ? strcmp(option->name, name) != 0 : option->letter != letter)
                continue;
            if (group)
                *group = verb->groups[i];
            return option;
        }
    }
    return NULL;
}

struct words verb_names(void) {
    struct words names = {0};
    for (const struct verb *verb = verbs; verb->name; verb++) {
        words_add(&names, verb->name);
        if (verb->former)
            words_add(&names, verb->former);
    }
    return names;
}
