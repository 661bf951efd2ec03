#include "harness/driver/verbs/programs.c"

/* The first word is what the lab is to do. Returns the worst exit code; 1 is a fault or a refuted claim. */
int carry_out_lab(const struct job *job) {
    const struct words wanted = {job->line->words.at + 1, job->line->words.count - 1};
    const char *what = job->line->words.at[0];
    int worst = 0;
    need_build(job, targets_with("lab", wanted));
    const struct catalogue catalogue = catalogue_open(job->build, "lab", wanted.count > 0 ? &wanted : NULL);
    foreach (id, wanted)
        catalogue_must_find(&catalogue, *id, false);
    catalogue_must_hold(&catalogue);
    foreach (deque, catalogue.deques) {
        struct words words = words_of(deque->parts.at[0].executable, what, NULL);
        words_add_all(&words, job->line->options);
        if (wanted.count == 0 && deque->kind != DEQUE_SOUND)
            continue;
        if (wanted.count != 1 && same(what, "explore"))
            printf("== %s\n", deque->id);
        const int result = call(words); /* it writes to our standard output: a trace is long and wanted at once */
        worst = result > worst ? result : worst;
    }
    return worst;
}
