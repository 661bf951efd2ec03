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
#define OPTIONS_END                                                                                                    \
    { NULL, NULL, NULL, 0, NOWHERE, NOWHERE }
#define MEMORY_LIMIT                                                                                                   \
    TEXT("memory-limit", "BYTES", memory_limit,                                                                        \
         "memory that one process may use (k, M, G); default: 7/8 of the machine's or control group's")
#define TOPOLOGY                                                                                                       \
    TEXT("topology", "MACHINE", topology,                                                                              \
         "with --dry-run: plan for another machine: an XML file from lstopo, or hwloc's description, 'pack:2 [numa] "  \
         "core:32 pu:2'; nothing measured here then counts for its times")

#define NAME_OF_RUN TEXT("name", "RUN", name, "name of the run's folder in results/; default: time and suite")

static const struct option_group suites = {
    "What is measured:", NULL,
    (const struct verb_option[]){
        PASSED_ON("only", "TAG,TAG", "only these sections of the suite"),
        PASSED_ON("deque", "A,B", "only these deques: ids, or all, classic, sound, reference, unsound"), NAME_OF_RUN,
        OPTIONS_END}};

static const struct option_group workload = {
    "What is measured:", NULL,
    (const struct verb_option[]){
        PASSED_ON("deque", "A,B", "ids, or all (sound ones and references; the default), classic, sound, reference"),
        PASSED_ON("PARAMETER", "A,B", "values of a parameter of the workload, such as --batch=1,64"), NAME_OF_RUN,
        OPTIONS_END}};

static const struct option_group how_often = {
    "How often, and how long:", NULL,
    (const struct verb_option[]){
        PASSED_ON("invocations", "N", "fresh processes for each cell"),
        PASSED_ON("repetitions", "N", "measurements in each process"),
        PASSED_ON("minimum-time", "SECONDS", "least time of a measurement"),
        PASSED_ON("precision", "PERCENT", "stop when half of the interval is this share of the median; 0: never"),
        PASSED_ON("timeout", "SECONDS", "longest time of a process"),
        PASSED_ON("variants", "N", "variants of the code to draw from"), OPTIONS_END}};

static const struct option_group timing = {
    "The run:", NULL,
    (const struct verb_option[]){
        {"resume", "?RUN", "continue the latest run of this kind, or this one", 0,
         offsetof(struct command_line, wants_resume), offsetof(struct command_line, resume)},
        TEXT("within", "TIME", within,
             "measure for this long (90m, 8h): the sections of least worth are left out, time to spare goes to the "
             "widest intervals"),
        FLAG("dry-run", dry_run,
             "print every cell, its places and its estimated time, and which of the papers' claims they can answer; "
             "build "
             "and measure nothing"),
        FLAG("unsound", unsound, "also time deques that are wrong or fail their checks; their rows are flagged"),
        FLAG("quiet", quiet, "no progress"),
        OPTIONS_END}};

static const struct option_group elsewhere = {
    "Other folders, builds, machines:", NULL,
    (const struct verb_option[]){
        TEXT("results", "FOLDER", results, "where run folders are made; default: results/ of the source tree"),
        TEXT("deques-in", "SIDE=FOLDER:...", deques_in,
             "time executables of these folders instead of build/; SIDE= names them SIDE/ID"),
        FLAG("anyway", anyway, "resume although machine, kernel, compiler or flags differ"), MEMORY_LIMIT, TOPOLOGY,
        OPTIONS_END}};

static const struct option_group parts = {
    "In parts, on several nodes (docs/cluster.md):", NULL,
    (const struct verb_option[]){
        TEXT("split", "N|LENGTH", split,
             "print N parts of the run, or parts of a length (30m, 2h), and their times; measure nothing"),
        TEXT("part", "I/N", part,
             "measure or continue part I of N of the run named by --name; stealbench merge joins the parts"),
        TEXT("repeat", "K", repeat, "measure the part again, on another node: 2, 3, ..."), OPTIONS_END}};

static const struct option_group slurm = {
    "Through Slurm (docs/cluster.md):", "slurm",
    (const struct verb_option[]){
        FLAG("slurm", slurm, "submit a Slurm job array and merge its parts"),
        WITH_LETTER('p', "partition", "PARTITION", "as sbatch's"),
        WITH_LETTER('N', "nodes", "N", "use at most N nodes at a time"),
        WITH_LETTER('C', "constraint", "FEATURE", "as sbatch's"), WITH_LETTER('A', "account", "ACCOUNT", "as sbatch's"),
        PASSED_ON("qos", "QOS", "as sbatch's"), PASSED_ON("reservation", "NAME", "as sbatch's"),
        WITH_LETTER('t', "time", "TIME", "time limit of a job; default: twice its part's estimate plus 20 minutes"),
        PASSED_ON("length", "TIME", "how long a job should take (30m), or the number of parts"),
        PASSED_ON("repeat-nodes", "N", "measure each cell on N nodes"),
        TEXT("march", "PROCESSOR", march, "build here, for this processor (gcc's -march)"),
        PASSED_ON("sbatch", "OPTION", "one more option for sbatch; may be repeated"), OPTIONS_END}};

static const struct option_group compared = {
    "What is measured:", NULL,
    (const struct verb_option[]){
        PASSED_ON("only", "CELL,CELL", "only these cells of suites/compare.suite"),
        PASSED_ON("deque", "A,B", "of two revisions: these instead of all that differ; of two runs: this one"),
        PASSED_ON("budget", "TIME",
                  "stop measuring a pair after this time; undecided cells are 'not settled'; default: 5m"),
        FLAG("dry-run", dry_run, "of two deques: print every cell, its places and its time; measure nothing"), TOPOLOGY,
        TEXT("name", "RUN", name, "name of the run's folder in results/; default: the time"),
        FLAG("unsound", unsound, "also time deques that fail their checks"), MEMORY_LIMIT, OPTIONS_END}};

static const struct option_group comparing = {
    "How it is judged:", NULL,
    (const struct verb_option[]){PASSED_ON("metric", "NAME", "only this metric, such as push_latency or idle_time"),
                                 PASSED_ON("threshold", "PERCENT", "smaller differences count as none; default: 2"),
                                 PASSED_ON("exit-code", NULL, "exit 1 if anything is slower in A, or fails only there"),
                                 FLAG("anyway", anyway, "compare although machine, kernel, compiler or flags differ"),
                                 OPTIONS_END}};

static const struct option_group merging = {
    "Options:", NULL,
    (const struct verb_option[]){
        FLAG("missing", missing, "only print what is missing"),
        PASSED_ON("anyway", NULL, "merge parts of different commits, builds, processors or kernels"), OPTIONS_END}};

static const struct option_group checking = {
    "Options:", NULL,
    (const struct verb_option[]){
        TEXT("check", "NAME,NAME", check, "only these checks: " CHECK_NAMES),
        TEXT("seconds", "S", seconds, "how long each check searches at random; default: 1.2"),
        TEXT("from", "FOLDER:...", from, "build upstream/... from the originals in these folders"), MEMORY_LIMIT,
        FLAG("all", all, "without names: all tests, with every installed compiler"), OPTIONS_END}};

static const struct option_group laboratory_options = {
    "For count:", NULL, (const struct verb_option[]){FLAG("csv", csv, "the table as CSV"), OPTIONS_END}};

static const struct option_group exploring = {
    "For explore:", NULL,
    (const struct verb_option[]){
        PASSED_ON("seconds", "S", "how long it searches"), PASSED_ON("schedules", "N", "schedules of each client"),
        PASSED_ON("seed", "S", "of the random schedules"),
        PASSED_ON("bound", "B", "try all schedules with up to B preemptions"),
        PASSED_ON("client", "NAME", "only this client, or programs; or a program, as explore prints them"),
        PASSED_ON("replay", "R", "run the schedule that a failure printed"),
        PASSED_ON("memory", "tso|weak", "memory model"),
        PASSED_ON("slots", "plain|atomic", "atomic: plain slots count as relaxed atomics"),
        PASSED_ON("buffer", "N", "size of a thread's store buffer"),
        PASSED_ON("block", "N", "items in a block, for deques made of blocks"),
        PASSED_ON("fault", "KIND", "look only for this kind of fault"), PASSED_ON("quiet", NULL, "no trace"),
        OPTIONS_END}};

static const struct option_group of_all_lab = {
    "For all three:", NULL,
    (const struct verb_option[]){
        PASSED_ON("mode", "VALUE", "mode of a deque that has modes"),
        PASSED_ON("fences", "kernel|pair", "asymmetric fences with the kernel's membarrier, or without (pair)"),
        OPTIONS_END}};

static const struct option_group counting = {
    "Against results/baseline:", NULL,
    (const struct verb_option[]){
        PASSED_ON("update-baseline", NULL, "write new counts of these deques, or of all, into results/baseline"),
        OPTIONS_END}};

static const struct option_group against = {
    "Against a revision:", "against",
    (const struct verb_option[]){
        {"against", "?REVISION", "also build this revision, or the merge base, and time both in turns", 0,
         offsetof(struct command_line, against), NOWHERE},
        PASSED_ON("deque", "A,B", "time these deques instead of those that the change touches"),
        PASSED_ON("only", "CELL,CELL", "only these cells of suites/ci.suite"),
        PASSED_ON("budget", "TIME", "stop measuring after this time; default: 10m"),
        PASSED_ON("threshold", "PERCENT", "smaller slowdowns count as none; default: 2"),
        PASSED_ON("no-counts", NULL, "only times"),
        PASSED_ON("no-times", NULL, "only counts"),
        PASSED_ON("name", "NAME", "name of the folder in results/"),
        PASSED_ON("unsound", NULL, "also time deques that fail their checks"),
        OPTIONS_END}};

static const struct option_group ci_trials = {
    "Trials of ci --against:", "ci",
    (const struct verb_option[]){
        FLAG("ci", ci, "put identical builds and planted slowdowns through it, trial by trial"),
        PASSED_ON("trials", "N", "trials of each kind; default: 20; 200 show the promised shares"),
        PASSED_ON("for", "TIME", "begin no trial after this time (90s, 20m, 4h)"), OPTIONS_END}};

static const struct option_group fidelity_table = {
    "With fidelity:", NULL,
    (const struct verb_option[]){FLAG("table", table, "our fastest deques beside the best original, a row a question"),
                                 OPTIONS_END}};

static const struct option_group reporting = {
    "Options:", NULL,
    (const struct verb_option[]){
        PASSED_ON("to", "FOLDER", "write the report as a folder for a static host"),
        PASSED_ON("style", "acm|ieee|slides", "figures as PDF for a paper or slides, into RUN/figures-STYLE"),
        PASSED_ON("wide", NULL, "also RUN/wide.csv, which has a column for each parameter"), OPTIONS_END}};

static const struct option_group listing = {
    "Options:", NULL, (const struct verb_option[]){FLAG("csv", csv, "deques or workloads as CSV"), OPTIONS_END}};

static const struct option_group examining = {
    "Options:", NULL, (const struct verb_option[]){FLAG("json", json, "the findings as JSON"), OPTIONS_END}};

static const struct option_group exporting = {
    "Options:", NULL,
    (const struct verb_option[]){
        PASSED_ON("prefix", "NAME", "prefix of every name; default: the deque's id, or pool"),
        PASSED_ON("item", "TYPE", "type of the items: a pointer, or an integer of 4 or 8 bytes; default: void *"),
        PASSED_ON("deque", "NAME", "of pool: the deque that it uses"),
        WITH_LETTER('o', "output", "FILE", "default: standard output"),
        PASSED_ON("unchecked", NULL, "do not check the deque first; the header then begins with NOT CHECKED"),
        OPTIONS_END}};

static const struct option_group adopting = {
    "Options:", NULL,
    (const struct verb_option[]){
        PASSED_ON("class", "TYPE", "the class, with void * for items, such as 'my::Queue<void *>'"),
        PASSED_ON("name", "NAME", "it becomes adopted/NAME; default: the file's name"),
        PASSED_ON("item", "TYPE", "the pointer that the class holds; default: void *"),
        PASSED_ON("include", "FOLDER", "where more headers are; may be repeated"),
        PASSED_ON("push", "METHOD", "the owner's push, if it has no usual name"),
        PASSED_ON("pop", "METHOD", "the owner's pop"), PASSED_ON("steal", "METHOD", "the thieves' steal"),
        PASSED_ON("size", "METHOD", "how many items there are"), PASSED_ON("empty", "METHOD", "are there none?"),
        PASSED_ON("capacity", "METHOD", "the most that it holds"),
        PASSED_ON("growable", NULL, "it has no capacity, though its push returns bool"),
        PASSED_ON("fifo", NULL, "the owner, too, takes the oldest item"), OPTIONS_END}};

static const struct option_group setting_up = {
    "Options:", NULL,
    (const struct verb_option[]){PASSED_ON("venv", NULL, "install Python's packages into results/.venv"), OPTIONS_END}};

#define ANY 1000 /* words */
const struct verb verbs[] = {
    {.group = "Measure",
     .name = "suite",
     .summary = "a suite, by file or name, which may stand alone; ends with table, figures and report",
     .arguments = "NAME|FILE",
     .words = {WORDS_SUITE, NULL, 1, 1},
     .groups = {&suites, &how_often, &timing, &elsewhere, &parts, &slurm},
     .carry_out = carry_out_suite,
     .starts_deques = true},
    {.group = "Measure",
     .name = "run",
     .summary = "one workload with all combinations of these parameters",
     .arguments = "WORKLOAD [--PARAMETER=VALUE,VALUE ...]",
     .words = {WORDS_WORKLOAD, NULL, 1, 1},
     .text =
         "`stealbench list workloads` shows the workloads and their parameters. Whole numbers may end on k, M or G.",
     .groups = {&workload, &how_often, &timing, &elsewhere},
     .carry_out = carry_out_run,
     .starts_deques = true},
    {.group = "Measure",
     .name = "compare",
     .summary = "A against B: measures until each cell is decided",
     .arguments = "A B",
     .words = {WORDS_FREE, NULL, 2, 2},
     .text = "A and B: two deques, runs, or revisions of this tree; B may be `all`: A against each other sound deque, "
             "pair by "
             "pair. --invocations=N measures exactly N pairs and uses the rule for a fixed number (docs/results.md).",
     .groups = {&compared, &how_often, &comparing},
     .carry_out = carry_out_compare,
     .starts_deques = true},
    {.group = "Measure",
     .name = "merge",
     .summary = "joins the parts of a run that several nodes measured",
     .arguments = "RUN",
     .words = {WORDS_RUNS, NULL, 1, 1},
     .groups = {&merging},
     .carry_out = carry_out_merge},
    {.group = "Prove",
     .name = "check",
     .summary = "all checks of these deques, plain and under sanitizers; without names all tests",
     .arguments = "[DEQUE ...]",
     .words = {WORDS_DEQUES, NULL, 0, ANY},
     .text = "Deques that are known to be wrong must be caught. Each failure is followed by the command that repeats "
             "it and by the sanitizer's report.",
     .groups = {&checking},
     .carry_out = carry_out_check,
     .starts_deques = true},
    {.group = "Prove",
     .name = "lab",
     .summary = "deques under our own scheduler: costs, faults, who can block whom",
     .arguments = "count|explore|stop [DEQUE ...]",
     .words = {WORDS_CHOICE, "count|explore|stop", 1, ANY},
     .text = "Without names: every sound deque. count: loads, stores, read-modify-writes and fences of each operation. "
             "explore: schedules in which an item is lost or doubled. stop: what the others can still do when a thread "
             "stops for ever. proof/lab/README.md tells more.",
     .groups = {&laboratory_options, &exploring, &of_all_lab},
     .packages = "build",
     .carry_out = carry_out_lab,
     .starts_deques = true},
    {.group = "Prove",
     .name = "ci",
     .summary = "fails if exact counts exceed results/baseline, or if a cell is slower than a revision",
     .arguments = "[DEQUE ...]",
     .words = {WORDS_DEQUES, NULL, 0, ANY},
     .text = "Exit 1 if a count increased or a cell is slower, 3 if that is not decided (docs/ci.md).",
     .groups = {&counting, &against},
     .packages = "build pages valgrind",
     .carry_out = carry_out_ci},
    {.group = "Prove",
     .name = "trust",
     .other_deques = true,
     .summary = "the suite measures itself: planted times, its own cost, loops written by hand",
     .arguments = "[fidelity]",
     .words = {WORDS_CHOICE, "fidelity", 0, 1},
     .text = "fidelity: our ports against the originals that are installed (queues/upstream).",
     .groups = {&fidelity_table, &suites, &how_often, &timing, &elsewhere, &ci_trials},
     .packages = MEASURING,
     .carry_out = carry_out_trust,
     .starts_deques = true},
    {.group = "Show",
     .name = "report",
     .summary = "table, figures and report of a run",
     .arguments = "RUN",
     .words = {WORDS_RUNS, NULL, 1, 1},
     .groups = {&reporting},
     .packages = "build pages",
     .program = "setup/python.sh -m plots.draw"},
    {.group = "Show",
     .name = "list",
     .summary = "lists deques, workloads, suites, or what each metric means",
     .arguments = "[deques|workloads|suites|metrics] [WORD]",
     .words = {WORDS_CHOICE, "deques|workloads|suites|metrics", 0, 2},
     .groups = {&listing},
     .carry_out = carry_out_list},
    {.group = "Show",
     .name = "doctor",
     .summary = "what disturbs measuring on this machine, and how to fix it",
     .groups = {&examining},
     .carry_out = carry_out_doctor},
    {.group = "Use",
     .name = "export",
     .summary = "a deque, or the pool on one, as a header that stands alone, C11 and C++17",
     .arguments = "DEQUE | pool --deque=NAME",
     .words = {WORDS_DEQUES, NULL, 1, 1},
     .groups = {&exporting},
     .packages = "build pages",
     .program = "setup/python.sh -m export"},
    {.group = "Use",
     .name = "adopt",
     .summary = "a C++ class, or a Rust crate, as a deque of the suite: adopted/NAME",
     .arguments = "FILE",
     .words = {WORDS_FREE, NULL, 1, 1},
     .text = "The compiler says which of the usual names the class has. docs/cpp.md tells more.",
     .groups = {&adopting},
     .packages = "build",
     .program = "setup/python.sh -m queues.upstream.adopt"},
    {.group = "Use",
     .name = "extras",
     .summary = "what is not part of the suite, or one of these programs (extras/NAME/README.md)",
     .arguments = "[NAME ...]",
     .words = {WORDS_FREE, NULL, 0, ANY},
     .carry_out = carry_out_extras,
     .passes_on = true},
    {.group = "Use",
     .name = "setup",
     .summary = "prints (as root: installs) what is missing",
     .groups = {&setting_up},
     .program = "setup/packages.sh"},
    {.group = "Use",
     .name = "help",
     .summary = "this help, or that of a verb; --version prints the version",
     .arguments = "[VERB]",
     .words = {WORDS_FREE, NULL, 0, 1},
     .carry_out = carry_out_help},
    {.name = NULL}};

const struct verb *verb_find(const char *name, const struct words *suite_names) {
    const struct verb *suite = NULL;
    struct words names = {0};
    for (const struct verb *verb = verbs; verb->name; verb++) {
        if (strcmp(verb->name, name) == 0)
            return verb;
        if (verb->words.named == WORDS_SUITE)
            suite = verb;
        words_add(&names, verb->name);
    }
    if (words_have(suite_names, name))
        return suite;
    words_add_all(&names, suite_names);
    refuse_unknown("verb", name, &names);
}
