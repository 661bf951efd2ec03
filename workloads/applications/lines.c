#include "workloads/applications/lines.h"
#include "workloads/applications/descriptors.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lines_open(struct lines *lines, const char *path, char *message) {
    struct stat status;
    *lines = (struct lines){.path = path, .message = message, .failure = EINVAL};
    /* at once, also where it is a pipe that nobody writes into; of a file O_NONBLOCK means nothing */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        lines->failure = out_of_descriptors(errno) ? errno : EINVAL;
        snprintf(message, LINES_MESSAGE, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        snprintf(message, LINES_MESSAGE, "%s: is %s, not a file", path,
                 S_ISDIR(status.st_mode) ? "a folder" : "a device, a pipe or a socket");
    } else if (!(lines->file = fdopen(descriptor, "r"))) {
        lines->failure = ENOMEM;
        snprintf(message, LINES_MESSAGE, "%s: no memory to read it", path);
    } else {
        return lines->failure = 0;
    }
    if (descriptor >= 0)
        close(descriptor);
    return lines->failure;
}

bool lines_next(struct lines *lines) {
    errno = 0;
    ssize_t length = getline(&lines->line, &lines->size, lines->file);
    if (length < 0) {
        if (ferror(lines->file) || errno == ENOMEM)
            lines_wrong(lines, "cannot be read: %s", strerror(errno));
        return false;
    }
    lines->number++;
    if (strlen(lines->line) != (size_t)length) {
        lines_wrong(lines, "holds a zero byte: no text");
        return false;
    }
    lines->ended = length > 0 && lines->line[length - 1] == '\n';
    while (length > 0 && (lines->line[length - 1] == '\n' || lines->line[length - 1] == '\r'))
        lines->line[--length] = '\0';
    return true;
}

int lines_wrong(struct lines *lines, const char *format, ...) {
    va_list values;
    int length = snprintf(lines->message, LINES_MESSAGE, "%s:%llu: ", lines->path, (unsigned long long)lines->number);
    if (length > 0 && length < LINES_MESSAGE) {
        va_start(values, format);
        vsnprintf(lines->message + length, (size_t)(LINES_MESSAGE - length), format, values);
        va_end(values);
    }
    return lines->failure = EINVAL;
}

void lines_close(struct lines *lines) {
    if (lines->file)
        fclose(lines->file);
    free(lines->line);
    lines->file = NULL;
    lines->line = NULL;
}

bool number_here(const char **text, uint64_t max, uint64_t *number) {
    const char *at = *text + strspn(*text, " \t");
    char *end;
    if (!isdigit((unsigned char)*at)) /* strtoull accepts signs */
        return false;
    errno = 0;
    *number = strtoull(at, &end, 10);
    *text = end;
    return errno == 0 && *number <= max && (*end == '\0' || isblank((unsigned char)*end));
}

bool nothing_here(const char *text) { return text[strspn(text, " \t")] == '\0'; }
