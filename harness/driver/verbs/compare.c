#include "harness/driver/verbs/measure.c"

/* The run's folder that the word names, or NULL. */
static const char *measured(const char *word, const char *root) {
    const char *run = run_found(word, root);
    return run && access(path_join(run, "manifest.json"), R_OK) == 0 ? run : NULL;
}

static bool is_deque(const char *word, const char *root) {
    return access(formatted("%s/queues/%s.h", root, word), R_OK) == 0;
}

static bool is_revision(const char *word, const char *root) {
    const char *why;
    return ask_git(root, "rev-parse", formatted("%s^{commit}", word), &why);
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
    if (!is_deque(a, job->root) && !is_deque(b, job->root) && is_revision(a, job->root) && is_revision(b, job->root)) {
        need_packages(job, "build pages git -- optional");
        need_descriptions(job, NULL, NULL);
        return 0;
    }
    names_must_have_deque(a, job->root, "");
    names_must_have_deque(b, job->root, "all");
    const char *none;
    struct command_line line = line_of_two(job->line, a, b);
    line.only_build = true;
    return measure_line(job, &line, &none);
}

/* harness.judging.compare also measures, because statistics decide when to stop. */
int carry_out_compare(const struct job *job) {
    const char *a = job->line->words.at[0], *b = job->line->words.at[1];
    const char *first = measured(a, job->root), *second = measured(b, job->root);
    const bool of_runs = first && second;
    if (same(a, b))
        refuse(2, "%.200s against itself tells nothing", a);
    if (has(job->line, "dry-run")) {
        const struct command_line line = line_of_two(job->line, a, b);
        return measure_then(job, &line, (struct words){0}, NULL);
    }
    if (of_runs)
        need_packages(job, "build pages");
    const int result = of_runs ? 0 : ready_to_compare(job, a, b);
    struct words compare = module_words("harness.judging.compare");
    words_add_all(&compare, of_runs ? words_of(first, second, NULL) : words_of(a, b, NULL));
    words_add_all(&compare, job->line->options);
    return result ? result : call(compare);
}

/* Compares the counts, or this tree against a revision. */
int carry_out_ci(const struct job *job) {
    struct words words = words_of("harness/judging/counts/counts.sh", NULL);
    if (has(job->line, "against")) {
        need_packages(job, "git");
        need_descriptions(job, NULL, NULL);
        words = module_words("harness.judging.ci");
    }
    words_add_all(&words, job->line->given);
    return call(words);
}
