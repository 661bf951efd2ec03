/* input_file.h: a file of a test's own, for readers of inputs. */
#ifndef STEALBENCH_TESTS_INPUT_FILE_H
#define STEALBENCH_TESTS_INPUT_FILE_H

#include "tests/unit.h"

static char path[64];

static int have_path(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/stealbench-input-%ld", (long)getpid());
    return 0;
}

static int drop_path(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

static void write_bytes(const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}
static void write_file(const char *text) { write_bytes(text, strlen(text)); }

/* The message is "path:line: ... why". */
static void demand_message(const char *message, unsigned line, const char *why) {
    char begins[128];
    snprintf(begins, sizeof begins, "%s:%u: ", path, line);
    if (strncmp(message, begins, strlen(begins)) != 0 || !strstr(message, why))
        fail_msg("\"%s\" should begin with \"%s\" and say \"%s\"", message, begins, why);
}

#endif
