#include "harness/driver/verbs/lab.h"
#include "harness/driver/plan/catalogue.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const lab_verbs[] = {"count", "explore", "stop"};
#define LAB_VERBS (sizeof lab_verbs / sizeof lab_verbs[0])

/* The lab's program writes straight to our standard output: a trace is long, and wanted while it comes. */
static int run_here(const char *const *arguments) {
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        fprintf(stderr, "stealbench lab: no process for %s: %s\n", arguments[0], strerror(errno));
        return 3;
    }
    if (child == 0) {
        execv(arguments[0], (char *const *)arguments);
        fprintf(stderr, "stealbench lab: %s: %s\n", arguments[0], strerror(errno));
        _exit(3);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 3;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "stealbench lab: %s was killed by signal %d\n", arguments[0], WTERMSIG(status));
    return 4;
}

static int run_deque(const struct command_line *line, const struct catalogue_deque *deque) {
    const char **arguments = allocate(line->passed_on_count + 3, sizeof *arguments);
    size_t count = 0;
    arguments[count++] = deque->parts[0].executable;
    arguments[count++] = line->words[0];
    for (size_t i = 0; i < line->passed_on_count; i++)
        arguments[count++] = line->passed_on[i];
    arguments[count] = NULL;
    if (line->word_count != 2 && strcmp(line->words[0], "explore") == 0)
        printf("== %s\n", deque->id);
    int result = run_here(arguments);
    free(arguments);
    return result;
}

/* The deques named, or every sound one. */
static int run_all(const struct command_line *line, const struct catalogue *catalogue, char *message) {
    const struct catalogue_deque *deque;
    int worst = 0;
    for (size_t i = 1; i < line->word_count; i++) {
        int result = catalogue_must_find(catalogue, line->words[i], false, &deque, message);
        if (result)
            return result;
    }
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        deque = &catalogue->deques[i];
        bool wanted = line->word_count == 1 && deque->sound && !deque->reference;
        for (size_t j = 1; j < line->word_count; j++)
            wanted |= strcmp(line->words[j], deque->id) == 0;
        int result = wanted ? run_deque(line, deque) : 0;
        worst = result > worst ? result : worst;
    }
    *message = '\0';
    return worst;
}

int laboratory(const struct command_line *line, const char *build) {
    char message[MESSAGE_SIZE];
    struct catalogue catalogue = {0};
    bool known = false;
    for (size_t i = 0; i < LAB_VERBS; i++)
        known |= strcmp(line->words[0], lab_verbs[i]) == 0;
    if (!known) {
        say_unknown("thing for the lab to do", line->words[0], lab_verbs, LAB_VERBS, message);
        fprintf(stderr, "stealbench lab: %s\n", message);
        return 2;
    }
    int result = catalogue_open(&catalogue, build, "lab", message);
    if (result == 0)
        result = run_all(line, &catalogue, message);
    if (result && *message)
        fprintf(stderr, "stealbench lab: %s\n", message);
    catalogue_close(&catalogue);
    return result;
}
