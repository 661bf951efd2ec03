/* stealbench.c: main of the driver. It finds the deques below its own folder and hands each verb to its function. */
#include "harness/driver/util/format.h"
#include "harness/driver/verbs/verbs.h"
#include <libgen.h>

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

static int carry_out(const struct job *job) {
    const struct verb *verb = job->line->verb;
    const int result = *verb->packages ? call_packages(job, verb->packages) : 0;
    struct words words = split_words(verb->program, " ");
    if (result)
        return result;
    if (verb->carry_out)
        return verb->carry_out(job);
    for (size_t i = 0; i < job->line->given.count; i++) {
        const char *word = job->line->given.at[i];
        const bool is_run = verb->named == WORDS_RUNS && words_have(&job->line->words, word);
        words_add(&words, is_run ? run_named(word, job->root) : word);
    }
    return call(words);
}

static int obey(const struct job *job) {
    if (job->line->help) {
        command_line_help(job->line->verb, stdout);
        return 0;
    }
    names_check(job->line, job->root);
    if (!job->whole && job->line->verb->starts_deques)
        must_fit_processor(job->build);
    const char *limit = value_of(job->line, "memory-limit"); /* by default the system keeps an eighth */
    process_limit_memory(limit ? must_read(&memory_parameter, limit).integer : machine_memory() / 8 * 7);
    return carry_out(job);
}

static int answer(int count, const char *const *words, bool whole) {
    const char *build = own_folder();
    if (!build)
        refuse(3, "/proc is not mounted, so it cannot find its build folder");
    if (count > 1 && (strcmp(words[1], "--version") == 0 || strcmp(words[1], "version") == 0)) {
        printf("stealbench %s, manifest version %d, samples version %d\n", STEALBENCH_VERSION, MANIFEST_VERSION,
               SAMPLES_VERSION);
        return 0;
    }
    const char *root = dirname(duplicate(build));
    const struct words suites = names_of_suites(root);
    const struct command_line line = command_line_parse(count, words, whole ? "quick" : NULL, &suites);
    setenv("STEALBENCH_VERB", refusal_verb, 1); /* messages of Python's modules use it */
    if (!line.verb->passes_on)
        unsetenv("STEALBENCH_FROM"); /* the paths among the words are absolute now */
    return obey(&(struct job){.line = &line, .build = build, .root = root, .arguments = words, .whole = whole});
}

/* --whole stands before the verb when run.sh calls. Weak: a test of the driver's functions has a main of its own. */
__attribute__((weak)) int main(int count, char **arguments) {
    const bool whole = count > 1 && strcmp(arguments[1], "--whole") == 0;
    if (whole)
        arguments[1] = arguments[0];
    const int result = answer(count - whole, (const char *const *)arguments + whole, whole);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == 0) {
        fputs("stealbench: standard output cannot be written\n", stderr);
        return 4;
    }
    return result;
}
