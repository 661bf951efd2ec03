/* stealbench.c: main of the driver. It finds the deques below its own folder and hands each verb to its function.
 *
 * The driver is one compilation, this file: it includes the files of verbs/, and each file those that it uses.
 *
 * build/stealbench VERB uses what is built: it measures, checks, lists. With --whole before the verb, as run.sh calls
 * it, it also looks for packages, builds what the verb needs, and judges and draws what was measured
 * (setup/packages.sh, setup/configure.py, modules of Python). */
#include "harness/driver/verbs/check.c"
#include "harness/driver/verbs/compare.c"
#include "harness/driver/verbs/doctor.c"
#include "harness/driver/verbs/extras.c"
#include "harness/driver/verbs/help.c"
#include "harness/driver/verbs/lab.c"
#include "harness/driver/verbs/list.c"
#include "harness/driver/verbs/trust.c"

#define STEALBENCH_VERSION "0.1.0"

static const struct parameter memory_parameter = PARAMETER_INTEGER("memory_limit", 0, 1 << 24, 1ull << 60, "bytes", "");

/* Refuses a build for another processor: its programs would die of the first unknown instruction. */
static void must_fit_processor(const char *build) {
    json_t *facts = json_load_file(path_join(build, "build.json"), 0, NULL);
    const char *wanted = json_string_value(json_object_get(facts, "instructions"));
    const char *lacking = wanted ? machine_lacks(wanted) : "";
    if (*lacking)
        refuse(3,
               "%s is for another processor, this one lacks %s: build here, or for both (export OPTIMISE='-O3 "
               "-march=x86-64-v2')",
               build, lacking);
}

/* Hands the words to the verb's program. */
static int hand_on(const struct job *job) {
    const struct command_line *line = job->line;
    struct words words = split_words(line->verb->program, " ");
    foreach (word, line->given) {
        const bool is_run = same(line->verb->words, "runs") && words_have(line->words, *word);
        words_add(&words, is_run ? run_named(*word, job->root) : *word);
    }
    return call(words);
}

static const struct {
    const char *verb;
    int (*carry_out)(const struct job *);
} in_c[] = {{"suite", carry_out_suite},   {"run", carry_out_run},       {"compare", carry_out_compare},
            {"merge", carry_out_merge},   {"check", carry_out_check},   {"lab", carry_out_lab},
            {"ci", carry_out_ci},         {"trust", carry_out_trust},   {"list", carry_out_list},
            {"doctor", carry_out_doctor}, {"extras", carry_out_extras}, {"help", carry_out_help}};

static int obey(const struct job *job) {
    const struct verb *verb = job->line->verb;
    if (job->line->help) {
        command_line_help(verb);
        return 0;
    }
    names_check(job->line, job->root);
    if (!job->whole && verb_is(verb, "starts_deques"))
        must_fit_processor(job->build);
    const char *limit = value_of(job->line, "memory-limit"); /* by default the system keeps an eighth */
    process_memory_limit = limit ? must_read(&memory_parameter, limit).integer : machine_memory() / 8 * 7;
    if (*verb->packages)
        need_packages(job, verb->packages);
    foreach (one, LIST_OF(in_c))
        if (same(verb->name, one->verb))
            return one->carry_out(job);
    return hand_on(job);
}

static int answer(int count, const char *const *words, bool whole) {
    char *build = realpath("/proc/self/exe", NULL);
    if (!build)
        refuse(3, "/proc is not mounted, so it cannot find its build folder");
    if (count > 1 && (same(words[1], "--version") || same(words[1], "version"))) {
        printf("stealbench %s, manifest version %d, samples version %d\n", STEALBENCH_VERSION, MANIFEST_VERSION,
               SAMPLES_VERSION);
        return 0;
    }
    build = dirname(build);
    const char *root = dirname(duplicate(build));
    const struct command_line line = command_line_parse(count, words, whole ? "quick" : NULL, names_of_suites(root));
    setenv("STEALBENCH_VERB", refusal_verb, 1); /* messages of Python's modules use it */
    if (!verb_is(line.verb, "passes_on"))
        unsetenv("STEALBENCH_FROM"); /* the paths among the words are absolute now */
    return obey(&(struct job){.line = &line, .build = build, .root = root, .arguments = words, .whole = whole});
}

/* --whole stands before the verb when run.sh calls. */
int main(int count, char **arguments) {
    const bool whole = count > 1 && same(arguments[1], "--whole");
    if (whole)
        arguments[1] = arguments[0];
    const int result = answer(count - whole, (const char *const *)arguments + whole, whole);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == 0) {
        fputs("stealbench: standard output cannot be written\n", stderr);
        return 4;
    }
    return result;
}
