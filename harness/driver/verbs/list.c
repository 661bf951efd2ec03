#include "harness/driver/verbs/verbs.h"

static void list_suites(const char *root) {
    const struct words names = names_of_suites(root);
    for (size_t i = 0; i < names.count; i++) {
        const struct suite suite = suite_read(names.at[i], formatted("%s/suites/%s.suite", root, names.at[i]));
        printf("%-12s %s\n", suite.name, suite.title);
        for (size_t j = 0; j < suite.section_count; j++)
            printf("    [%s] %s\n", suite.sections[j].tag, suite.sections[j].title);
    }
    if (names.count == 0)
        refuse(3, "no suite in %.400s/suites", root);
}

/* Suites are read by the driver alone, what else is listed by Python. */
int carry_out_list(const struct job *job) {
    const struct command_line *line = job->line;
    const char *what = line->words.count ? line->words.at[0] : "deques";
    const bool of_metrics = strcmp(what, "metrics") == 0, of_suites = strcmp(what, "suites") == 0;
    if (line->words.count > 1 && !of_metrics)
        refuse(2, "only metrics takes a word to look for");
    if (has(line, "csv") && of_suites)
        refuse(2, "--csv is for deques and workloads");
    if (of_suites) {
        list_suites(job->root);
        return 0;
    }
    const struct words none = {0};
    const int result = of_metrics ? 0 : call_describe(job, NULL, strcmp(what, "deques") == 0 ? &none : NULL);
    const char *more = of_metrics ? line->words.at[1] : has(line, "csv") ? "--csv" : NULL;
    return result ? result
                  : call(words_of("setup/python.sh", "-m", "harness.judging.listing", job->build, what, more, NULL));
}
