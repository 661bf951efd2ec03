#include "harness/driver/record/results.h"
#include "harness/driver/record/distances.h"
#include "harness/driver/record/headline.h"
#include "harness/driver/record/invocation.h"
#include "harness/driver/record/manifest.h"
#include "harness/driver/util/files.h"
#include "harness/measuring/cell/parameters.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char header[] = SAMPLES_COLUMNS "\n";
static const char histograms_header[] = HISTOGRAMS_COLUMNS "\n";
static const struct results closed = {.samples = -1, .copy = -1, .histograms = -1};

/* Notes the invocation that this row ends, if it ends one. false when it is not a row. */
static bool take_row(char *row, struct finished *finished, struct headline *headline, bool *ends) {
    char *field[SAMPLES_COLUMN_COUNT], *end;
    if (split_csv(row, field, SAMPLES_COLUMN_COUNT) != SAMPLES_COLUMN_COUNT)
        return false;
    uint64_t cell = strtoull(field[COLUMN_CELL], &end, 16);
    if (end != field[COLUMN_CELL] + 16 || *end)
        return false;
    unsigned long invocation = strtoul(field[COLUMN_INVOCATION], &end, 10);
    if (end == field[COLUMN_INVOCATION] || *end)
        return false;
    *ends = strcmp(field[COLUMN_METRIC], INVOCATION_END) == 0 && strcmp(field[COLUMN_ROLE], "process") == 0;
    if (!strstr(field[COLUMN_FLAGS], FLAG_MOVED))
        headline_take(headline, field[COLUMN_ROLE], field[COLUMN_METRIC], field[COLUMN_UNIT], field[COLUMN_STATUS],
                      field[COLUMN_VALUE],
                      *field[COLUMN_DISTANCE] ? strtod(field[COLUMN_DISTANCE], NULL) : (double)NAN);
    if (!*ends)
        return true;
    const struct judged judged = headline_end(headline);
    if (strcmp(field[COLUMN_STATUS], STATUS_UNPROVEN) == 0)
        return true;
    finished->at = reallocate(finished->at, finished->count + 1, sizeof finished->at[0]);
    finished->at[finished->count++] = (struct finished_invocation){
        .cell = cell,
        .subject = plan_subject(field[COLUMN_WORKLOAD], field[COLUMN_DEQUE], field[COLUMN_PARAMS]),
        .invocation = (unsigned)invocation,
        .ok = strcmp(field[COLUMN_STATUS], "ok") == 0,
        .judged = judged,
        .seconds = strtod(field[COLUMN_VALUE], NULL)};
    return true;
}

bool samples_scan(const char *text, size_t length, struct finished *finished, size_t *whole, char *message) {
    const size_t header_length = sizeof header - 1;
    unsigned number = 1;
    struct headline headline = {0};
    *finished = (struct finished){0};
    *whole = 0;
    /* killed while the header was written: nothing is there yet */
    if (length < header_length && memcmp(text, header, length) == 0)
        return true;
    if (length < header_length || memcmp(text, header, header_length) != 0) {
        snprintf(message, MESSAGE_SIZE, "its first line is not that of a samples.csv of version %d", SAMPLES_VERSION);
        return false;
    }
    *whole = header_length;
    for (const char *row = text + header_length, *end = text + length; row < end;) {
        const char *line_end = memchr(row, '\n', (size_t)(end - row));
        bool ends = false;
        number++;
        if (!line_end)
            break;
        char *copy = strndup(row, (size_t)(line_end - row));
        bool fine = copy && take_row(copy, finished, &headline, &ends);
        free(copy);
        row = line_end + 1;
        if (fine && ends)
            *whole = (size_t)(row - text);
        /* only the end of the file can be torn: a bad row before that was not written by us */
        if (!fine && row < end) {
            snprintf(message, MESSAGE_SIZE, "its line %u is no row", number);
            headline_end(&headline);
            return false;
        }
    }
    headline_end(&headline);
    return true;
}

/* Is this the row of a finished invocation? The rows of one are next to each other, so the last one found is tried
 * first. false also when it is not a row: *no_row. */
static bool is_finished(char *row, const struct finished *finished, size_t *last, bool *no_row) {
    char *field[HISTOGRAMS_COLUMN_COUNT], *cell_end, *end;
    *no_row = true;
    if (split_csv(row, field, HISTOGRAMS_COLUMN_COUNT) != HISTOGRAMS_COLUMN_COUNT)
        return false;
    uint64_t cell = strtoull(field[HISTOGRAM_CELL], &cell_end, 16);
    unsigned long invocation = strtoul(field[HISTOGRAM_INVOCATION], &end, 10);
    if (cell_end != field[HISTOGRAM_CELL] + 16 || *cell_end || end == field[HISTOGRAM_INVOCATION] || *end)
        return false;
    *no_row = false;
    for (size_t i = 0; i < finished->count; i++, ++*last) {
        const struct finished_invocation *one = &finished->at[*last % finished->count];
        if (one->cell == cell && one->invocation == invocation)
            return true;
    }
    return false;
}

bool histograms_scan(const char *text, size_t length, const struct finished *finished, size_t *whole, char *message) {
    const size_t header_length = sizeof histograms_header - 1;
    size_t last = 0;
    unsigned number = 1;
    bool strange = false;
    *whole = 0;
    if (length < header_length && memcmp(text, histograms_header, length) == 0)
        return true;
    if (length < header_length || memcmp(text, histograms_header, header_length) != 0) {
        snprintf(message, MESSAGE_SIZE, "its first line is not that of a histograms.csv of version %d",
                 HISTOGRAMS_VERSION);
        return false;
    }
    *whole = header_length;
    for (const char *row = text + header_length, *end = text + length, *line_end; row < end; row = line_end + 1) {
        line_end = memchr(row, '\n', (size_t)(end - row));
        if (!line_end)
            break;
        number++;
        char *copy = strndup(row, (size_t)(line_end - row));
        bool no_row, fine = copy && is_finished(copy, finished, &last, &no_row);
        free(copy);
        if (fine && strange) {
            snprintf(message, MESSAGE_SIZE, "a line before its line %u is of no invocation in samples.csv", number);
            return false;
        }
        strange |= !fine;
        if (fine)
            *whole = (size_t)(line_end + 1 - text);
    }
    return true;
}

static int say_error(char *message, const char *what, const char *path, int error) {
    const char *advice = error == ENOSPC || error == EDQUOT ? ": make room, then go on with --resume" : "";
    snprintf(message, MESSAGE_SIZE, "%s %.300s: %s%s", what, path, strerror(error), advice);
    return 4;
}

static bool is_run_name(const char *name) {
    size_t length = strlen(name);
    if (length == 0 || length > 100 || *name == '.')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("._-+", *name))
            return false;
    return true;
}

static int open_samples(struct results *results, int flags, char *message) {
    char *path = path_join(results->folder, "samples.csv");
    int result = 0;
    results->samples = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
    if (results->samples < 0) {
        result = say_error(message, "cannot write", path, errno);
    } else if (flock(results->samples, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        snprintf(message, MESSAGE_SIZE, "another stealbench is writing to %.300s", results->folder);
        result = 2;
    }
    free(path);
    return result;
}

/* Writes, and when not everything could be written, takes back what was. */
static int append_whole(int descriptor, off_t *end, const char *bytes, size_t length) {
    int result = write_all(descriptor, bytes, length);
    if (result == 0 && fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS)
        result = errno;
    if (result == 0)
        *end += (off_t)length;
    else if (ftruncate(descriptor, *end) != 0)
        return result; /* it stays torn; resuming the run cuts it off */
    return result;
}

static int append_header(struct results *results, char *message) {
    int result = append_whole(results->samples, &results->length, header, sizeof header - 1);
    return result ? say_error(message, "cannot write", results->folder, result) : 0;
}

int results_create(struct results *results, const char *parent, const char *name, char *message) {
    *results = closed;
    if (!is_run_name(name)) {
        snprintf(message, MESSAGE_SIZE, "%.60s cannot name a run: 1 to 100 letters, digits or ._-+ are wanted", name);
        return 2;
    }
    int unmade = folder_make(parent);
    if (unmade)
        return say_error(message, "cannot make", parent, unmade);
    results->folder = path_join(parent, name);
    if (mkdir(results->folder, 0777) != 0) {
        if (errno != EEXIST)
            return say_error(message, "cannot make", results->folder, errno);
        snprintf(message, MESSAGE_SIZE,
                 "%.300s is there already: take it up again with --resume=%.100s, or give another name",
                 results->folder, name);
        return 2;
    }
    int result = open_samples(results, O_CREAT | O_EXCL, message);
    return result ? result : append_header(results, message);
}

/* Scans the file and cuts off what is incomplete. */
static int take_up(struct results *results, struct finished *finished, char *message) {
    struct text text = {0};
    char why[MESSAGE_SIZE];
    size_t whole;
    char *path = path_join(results->folder, "samples.csv");
    int unread = file_read(path, &text);
    int result = 0;
    if (unread) {
        result = say_error(message, "cannot read", path, unread);
    } else if (!samples_scan(text_string(&text), text.length, finished, &whole, why)) {
        snprintf(message, MESSAGE_SIZE, "%.200s cannot be taken up again: %.250s", path, why);
        result = 4;
    } else if (whole < text.length && ftruncate(results->samples, (off_t)whole) != 0) {
        result = say_error(message, "cannot cut off the unfinished end of", path, errno);
    } else {
        results->length = (off_t)whole;
    }
    text_free(&text);
    free(path);
    return result || results->length > 0 ? result : append_header(results, message);
}

/* 0 with results->histograms at -1 when there is none and none is to be made. */
static int open_histograms(struct results *results, int flags, char *message) {
    char *path = path_join(results->folder, "histograms.csv");
    int result = 0;
    results->histograms = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
    if (results->histograms < 0 && (errno != ENOENT || flags & O_CREAT))
        result = say_error(message, "cannot write", path, errno);
    free(path);
    return result;
}

/* The same with histograms.csv, where there is one. */
static int take_up_histograms(struct results *results, const struct finished *finished, char *message) {
    struct text text = {0};
    char why[MESSAGE_SIZE];
    size_t whole;
    int result = open_histograms(results, 0, message);
    if (result || results->histograms < 0)
        return result;
    char *path = path_join(results->folder, "histograms.csv");
    int unread = file_read(path, &text);
    if (unread) {
        result = say_error(message, "cannot read", path, unread);
    } else if (!histograms_scan(text_string(&text), text.length, finished, &whole, why)) {
        snprintf(message, MESSAGE_SIZE, "%.200s cannot be taken up again: %.250s", path, why);
        result = 4;
    } else if (whole < text.length && ftruncate(results->histograms, (off_t)whole) != 0) {
        result = say_error(message, "cannot cut off the unfinished end of", path, errno);
    } else {
        results->histograms_length = (off_t)whole;
    }
    text_free(&text);
    free(path);
    return result;
}

int results_resume(struct results *results, const char *folder, struct finished *finished, char *message) {
    struct stat status;
    *results = closed;
    results->folder = duplicate(folder);
    *finished = (struct finished){0};
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        snprintf(message, MESSAGE_SIZE, "no such run: %.400s", folder);
        return 2;
    }
    char *samples = path_join(folder, "samples.csv");
    bool run = stat(samples, &status) == 0;
    free(samples);
    if (!run) {
        snprintf(message, MESSAGE_SIZE, "no run: %.400s has no samples.csv", folder);
        return 2;
    }
    int result = open_samples(results, 0, message);
    if (result == 0)
        result = take_up(results, finished, message);
    return result ? result : take_up_histograms(results, finished, message);
}

static int say_copy(int error, char *message) {
    snprintf(message, MESSAGE_SIZE, "cannot write where --csv= wants the rows: %s", strerror(error));
    return 4;
}

int results_copy_to(struct results *results, int descriptor, char *message) {
    struct text text = {0};
    char *path = path_join(results->folder, "samples.csv");
    int result = file_read(path, &text);
    if (result == 0)
        result = write_all(descriptor, text_string(&text), text.length);
    text_free(&text);
    free(path);
    results->copy = descriptor;
    return result ? say_copy(result, message) : 0;
}

static int append_histograms(struct results *results, const struct text *rows, char *message) {
    int result = results->histograms < 0 ? open_histograms(results, O_CREAT, message) : 0;
    if (result)
        return result;
    if (results->histograms_length == 0)
        result = append_whole(results->histograms, &results->histograms_length, histograms_header,
                              sizeof histograms_header - 1);
    if (result == 0)
        result = append_whole(results->histograms, &results->histograms_length, text_string(rows), rows->length);
    return result ? say_error(message, "cannot write to", results->folder, result) : 0;
}

int results_append(struct results *results, const struct text *rows, const struct text *histograms, char *message) {
    const off_t before = results->histograms_length;
    int result = histograms->length > 0 ? append_histograms(results, histograms, message) : 0;
    if (result)
        return result;
    result = append_whole(results->samples, &results->length, text_string(rows), rows->length);
    if (result) {
        if (results->histograms_length > before && ftruncate(results->histograms, before) == 0)
            results->histograms_length = before; /* if that fails, resuming the run cuts it off */
        return say_error(message, "cannot write to", results->folder, result);
    }
    result = results->copy < 0 ? 0 : write_all(results->copy, text_string(rows), rows->length);
    return result ? say_copy(result, message) : 0;
}

void results_close(struct results *results) {
    if (results->samples >= 0)
        close(results->samples);
    if (results->histograms >= 0)
        close(results->histograms);
    if (results->copy >= 0)
        close(results->copy);
    free(results->folder);
    *results = closed;
}

char *results_new_name(const char *parent, const char *suite) {
    char stamp[32];
    time_t now = time(NULL);
    struct tm utc;
    struct stat status;
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
    for (unsigned i = 1;; i++) {
        struct text name = {0};
        text_format(&name, "%s-%s", stamp, suite);
        if (i > 1)
            text_format(&name, "-%u", i);
        char *path = path_join(parent, name.data);
        bool taken = lstat(path, &status) == 0;
        free(path);
        if (!taken)
            return name.data;
        text_free(&name);
    }
}

char *results_latest(const char *parent, const char *suite) {
    char *latest = NULL, latest_start[64] = "", named[128], start[64];
    DIR *entries = opendir(parent);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        if (entry->d_name[0] == '.')
            continue;
        char *folder = path_join(parent, entry->d_name);
        bool fits = manifest_text(folder, "suite", named, sizeof named) && strcmp(named, suite) == 0 &&
                    manifest_text(folder, "start", start, sizeof start);
        int order = fits ? strcmp(start, latest_start) : -1;
        if (order > 0 || (order == 0 && latest && strcmp(entry->d_name, latest) > 0)) {
            free(latest);
            latest = duplicate(entry->d_name);
            snprintf(latest_start, sizeof latest_start, "%s", start);
        }
        free(folder);
    }
    if (entries)
        closedir(entries);
    return latest;
}
