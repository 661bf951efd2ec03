#include "harness/driver/verbs/programs.c"

static void list_suites(const char *root) {
    const struct words names = names_of_suites(root);
    foreach (name, names) {
        const struct suite suite = suite_read(*name, suite_path(*name, root));
        printf("%-12s %s\n", suite.name, suite.title);
        foreach (section, suite.sections)
            printf("    [%s] %s\n", section->tag, section->title);
    }
    if (names.count == 0)
        refuse(3, "no suite in %.400s/suites", root);
}

/* Suites are read by the driver alone, what else is listed by Python. */
int carry_out_list(const struct job *job) {
    const struct command_line *line = job->line;
    const char *what = line->words.count ? line->words.at[0] : "deques";
    const bool of_metrics = same(what, "metrics"), of_suites = same(what, "suites");
    if (line->words.count > 1 && !of_metrics)
        refuse(2, "only metrics takes a word to look for");
    if (has(line, "csv") && of_suites)
        refuse(2, "--csv is for deques and workloads");
    if (of_suites) {
        list_suites(job->root);
        return 0;
    }
    if (!of_metrics)
        need_descriptions(job, NULL, same(what, "deques") ? &(struct words){0} : NULL);
    const char *more = of_metrics ? line->words.at[1] : has(line, "csv") ? "--csv" : NULL;
    return call(words_of("setup/python.sh", "-m", "harness.judging.listing", job->build, what, more, NULL));
}
