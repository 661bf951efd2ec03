#include "harness/driver/verbs/verbs.h"

/* Makes one run of the parts. Draws its table, figures and report if Python's packages are installed. */
int carry_out_merge(const struct job *job) {
    const char *run = run_named(job->line->words.at[0], job->root);
    struct words merge = module_words("harness.cluster.merge"), draw = module_words("plots.draw");
    words_add(&merge, run);
    words_add_all(&merge, &job->line->options);
    words_add(&draw, run);
    const int result = call(merge);
    if (!has(job->line, "missing") && access(path_join(run, "manifest.json"), R_OK) == 0 && result != 2 &&
        call(draw) != 0)
        fprintf(stderr,
                "merged but not drawn: copy %s to a machine with Python's packages, and call ./run.sh report there\n",
                run);
    return result;
}
