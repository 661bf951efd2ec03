#include "harness/driver/verbs/verbs.h"

/* The run's folder that the word names, or NULL. */
static const char *measured(const char *word, const char *root) {
    const char *const places[] = {word, formatted("%s/results/%s", root, word)};
    for (size_t i = 0; i < 2; i++)
        if (access(path_join(places[i], "manifest.json"), R_OK) == 0)
            return places[i];
    return NULL;
}

static bool is_deque(const char *word, const char *root) {
    return access(formatted("%s/queues/%s.h", root, word), R_OK) == 0;
}

static bool is_revision(const char *word) {
    const char *const ask[] = {"git", "rev-parse", "--verify", "--quiet", formatted("%s^{commit}", word), NULL};
    struct process process;
    process_run(&process, ask, 10);
    return process.end == PROCESS_EXITED && process.code == 0;
}

/* The line of: suite compare --deque=A,B */
static struct command_line line_of_two(const struct command_line *given, const char *a, const char *b) {
    struct command_line line = *given;
    line.words = words_of("compare", NULL);
    suite_line_add(&line.values, formatted("deque=%s,%s", a, b));
    return line;
}

/* Builds what comparing two deques needs. harness.judging.compare builds what differs between two revisions. */
static int ready_to_compare(const struct job *job, const char *a, const char *b) {
    if (!is_deque(a, job->root) && !is_deque(b, job->root) && is_revision(a) && is_revision(b)) {
        const int missing = call_packages(job, "build pages git -- optional");
        return missing ? missing : call_describe(job, NULL, NULL);
    }
    names_must_have_deque(job->root, a);
    if (strcmp(b, "all") != 0)
        names_must_have_deque(job->root, b);
    const char *none;
    struct command_line line = line_of_two(job->line, a, b);
    line.only_build = true;
    return measure_line(job, &line, &none);
}

/* harness.judging.compare also measures, because statistics decide when to stop. */
int carry_out_compare(const struct job *job) {
    const char *a = job->line->words.at[0], *b = job->line->words.at[1];
    const char *first = measured(a, job->root), *second = measured(b, job->root);
    struct words compare = module_words("harness.judging.compare");
    if (strcmp(a, b) == 0)
        refuse(2, "%.200s against itself tells nothing", a);
    if (has(job->line, "dry-run")) {
        const struct command_line line = line_of_two(job->line, a, b);
        return measure_then(job, &line, (struct words){0}, NULL);
    }
    const int result = first && second ? call_packages(job, "build pages") : ready_to_compare(job, a, b);
    if (result)
        return result;
    words_add(&compare, first && second ? first : a);
    words_add(&compare, first && second ? second : b);
    words_add_all(&compare, &job->line->options);
    return call(compare);
}
