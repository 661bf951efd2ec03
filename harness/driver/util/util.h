/* util.h: strings, lists, files, JSON, child processes, and how the driver ends. What the driver needs of the C library
 * is included here. */
#pragma once

#include "harness/measuring/parameters.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A list; {0} is empty. foreach goes through all elements; each is a pointer. ONE_MORE lengthens it, and is the new
 * element. */
#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        size_t count;                                                                                                  \
    }
#define foreach(each, list) for (__typeof__(&*(list).at) each = (list).at; each < (list).at + (list).count; each++)
#define ONE_MORE(list)                                                                                                 \
    ((list).at = reallocate((list).at, ++(list).count, sizeof *(list).at), (list).at + (list).count - 1)
#define LIST_OF(array) ((LIST(__typeof__(*(array)))){array, LENGTH(array)})
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* --- text.c: strings, text that grows, lists.
 *
 * The driver carries out one command and ends. So it frees only what it allocates for each process that it runs. If
 * memory runs out, the driver ends with exit code 3; the results are on disk. */

/* {0} is empty, with data NULL. Otherwise data ends with a 0 that length does not count. */
struct text {
    char *data;
    size_t length, capacity;
};

void text_append(struct text *, const char *bytes, size_t length);
void text_add(struct text *, const char *string);
void text_take(struct text *, char *string); /* adds and frees it */
#define text_format(text, ...) text_take(text, formatted(__VA_ARGS__))
void text_free(struct text *);

/* As a string, "" when empty. Valid until the text changes. */
const char *text_string(const struct text *);

/* Appends a value as lists of parameters hold it: white space, % ; = , " \\ # and everything outside ASCII become % and
 * two hexadecimal digits. unescape undoes that in place; false if two digits do not follow a %. */
void text_add_escaped(struct text *, const char *value);
bool unescape(char *value);

char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *counted(size_t count, const char *what); /* "1 cell", "2 cells" */
char *duplicate(const char *string);
char *path_join(const char *folder, const char *name);
bool same(const char *, const char *);
bool begins_with(const char *string, const char *beginning);
bool ends_with(const char *string, const char *ending);
bool is_name(const char *text, const char *more); /* of letters, digits, _, - and these */

/* A list of strings; at[count] is NULL. {0} is empty, with at NULL. */
struct words {
    const char **at;
    size_t count;
};
void words_add(struct words *, const char *word);
void words_add_once(struct words *, const char *word);
void words_add_all(struct words *, struct words more);
struct words words_of(const char *first, ...) __attribute__((sentinel));
bool words_have(struct words, const char *word);
const char *joined(struct words, const char *separator);
struct words split_words(const char *string, const char *separators); /* at any of these; empty words are skipped */

/* Splits in place into at most max fields, empty ones too. Returns how many there are in all. */
size_t split_fields(char *line, const char *separator, char **fields, size_t max);

/* Zeroed memory; a larger block with the same contents. */
void *allocate(size_t count, size_t size);
void *reallocate(void *, size_t count, size_t size);

/* A JSON string of any bytes. If they are not UTF-8, ASCII is kept, and other bytes become U+FFFD. */
json_t *json_of_text(const char *text);
json_t *json_of_real(double); /* an integer, if it is whole */

/* --- files.c: whole files, for the driver. Functions that can fail return 0 or an errno value. */

int file_read(const char *path, struct text *); /* appends its contents */

/* Writes the text to a file beside it, syncs, and renames. So the file holds either the old text or the new one, even
 * if several machines write, on NFS and Lustre too. */
int file_replace(const char *path, const struct text *);

int write_all(int descriptor, const char *bytes, size_t length);
int folder_make(const char *path); /* and its parents; existing ones are fine */

/* The names in a folder that end so, without that ending; sorted, without hidden ones; none if there is no folder. */
struct words folder_names(const char *folder, const char *ending);

/* The files at any depth whose names end so, by their paths below the folder without that ending. */
struct words files_below(const char *folder, const char *ending);

int file_hash(const char *path, uint64_t *hash);
char *file_line(const char *path); /* the first line, or NULL */

/* FNV-1a, 64 bits: identities of cells, stamps and suites. Continues a hash (begin with HASH_START) by bytes, or by a
 * string and its final 0, so that "ab","c" and "a","bc" differ. */
#define HASH_START 14695981039346656037u
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t hash_string(uint64_t hash, const char *string);

/* --- refuse.c: ends the driver with a message and an exit code, from wherever a problem is found. */

/* Says "stealbench run: quick.suite:7: no such workload: psuh" on standard error and ends the program. */
_Noreturn void refuse(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with exit code 2: "no such WHAT: WORD; did you mean NEAREST?", or the names there are when none is near. */
_Noreturn void refuse_unknown(const char *what, const char *word, struct words names);

/* The value of a setting. Refuses a wrong one and says the range. Does not keep the text. */
struct value must_read(const struct parameter *, const char *text);

/* What messages begin with: the verb, and a place such as a file's line, or NULL. */
extern const char *refusal_verb, *refusal_place;

/* --- process.c: runs a program to its end, with a time limit, and returns its output and what it used.
 *
 * While a process runs the driver sleeps, so that it does not disturb the measurement. It wakes when the process ends,
 * for a signal, and four times a second to check the process's time, memory and output. */

enum process_end {
    PROCESS_EXITED,      /* code: what it returned */
    PROCESS_KILLED,      /* code: the signal that killed it */
    PROCESS_TIMEOUT,     /* we killed it */
    PROCESS_TOO_LARGE,   /* we killed it for holding too much memory */
    PROCESS_TOO_MUCH,    /* we killed it for too much output */
    PROCESS_INTERRUPTED, /* we killed it because we were asked to stop */
    PROCESS_NOT_STARTED  /* code: errno */
};

struct process {
    enum process_end end;
    int code;
    struct text output, errors; /* standard output; standard error */
    double seconds;             /* from start to end, wall clock */
    struct rusage usage;
    double throttled; /* how often processors were meanwhile, if the caller looks; NAN: unknown */
};

/* Runs arguments[0] (a path, or a name in PATH) without standard input, in a process group of its own, which dies with
 * the driver. timeout in seconds; time spent waiting for a processor does not count, up to ten times the limit. */
void process_run(struct process *, const char *const *arguments, double timeout);
void process_free(struct process *);

/* Runs a program with our standard streams and without limits. Returns its exit code; 3, with a message, if it cannot
 * be started; 128 + the signal that killed it. */
int call(struct words);

/* How it ended, in words: "was killed by signal 11 (Segmentation fault)". */
const char *process_ending(const struct process *, double timeout);

/* The bytes of memory that a process may hold; 0: any. If memory runs out nevertheless, the kernel kills the process
 * rather than the driver. */
extern uint64_t process_memory_limit;

/* From here on SIGINT, SIGTERM and SIGHUP end the running process, and interrupted() returns true. SIGPIPE and SIGXFSZ
 * become errors of write. */
void catch_interrupts(void);
bool interrupted(void);

double seconds_now(void); /* by a clock that only goes forward */
