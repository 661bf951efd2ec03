/* table.h: the one table of verbs: what each is called, takes and needs, and who carries it out. Help, the man page,
 * the completion and the check of the command line are made of it. */
#ifndef STEALBENCH_TABLE_H
#define STEALBENCH_TABLE_H

#include "harness/driver/util/text.h"
#include <stdbool.h>
#include <stddef.h>

struct command_line;
struct job;

#define NOWHERE ((size_t)-1)

struct verb_option {
    const char *name;  /* with - between its words */
    const char *value; /* what its value is called; "?RUN": RUN, which may be left out; NULL: it takes none */
    const char *help;
    char letter;       /* -x; 0: none */
    size_t flag, text; /* where in struct command_line it is kept, or NOWHERE: passed on as it is */
};

/* Options that several verbs share. with: the option that they go with, NULL: they stand alone. */
struct option_group {
    const char *title, *with;
    const struct verb_option *options; /* ends on a name NULL */
};

/* What a verb's words name, so that a wrong one is answered before anything is built. */
enum named { WORDS_FREE, WORDS_DEQUES, WORDS_RUNS, WORDS_CHOICE, WORDS_SUITE, WORDS_WORKLOAD };

#define GROUPS_MAX 4

/* What most verbs that measure need: sets of setup/packages.sh. */
#define MEASURING "build pages -- optional"

struct verb {
    const char *group, *name, *summary, *arguments; /* summary: one line; arguments: as help writes them */
    const char *former;                             /* another name that answers as this one does; NULL: none */
    const char *now;  /* a name of before, which answers: the verb that does it now, else NULL */
    const char *text; /* what help says besides; NULL: nothing */
    const struct option_group *groups[GROUPS_MAX];
    enum named named;
    const char *choices;  /* of its first word, "a|b" */
    size_t least, most;   /* words */
    const char *packages; /* sets of setup/packages.sh; NULL: none but those that the driver is built with */
    int (*carry_out)(const struct job *);
    const char *program; /* which carries it out with the words as they are, where carry_out is NULL */
    bool other_deques;   /* its --deque names what is not in queues/ */
    bool measures;       /* has the options of a suite's cells, too (suite_option_parameters) */
};

/* Ends on a name NULL; in the order of help. */
extern const struct verb verbs[];

/* By its name or a former one; NULL. */
const struct verb *verb_find(const char *name);

/* Every name that answers. */
struct words verb_names(void);

#endif
