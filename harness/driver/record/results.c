/* results.c: a run's folder with samples.csv and histograms.csv.
 *
 * The rows of an invocation are written at once and synced, histograms.csv first; the last has the metric
 * invocation_time. Resuming a run cuts off what follows the last such row, and all histograms of other invocations. So
 * whatever stops the driver, only the running invocation is lost. */
#pragma once

#include "harness/driver/plan/cells.c"
#include "harness/driver/record/invocation.c"
#include "harness/driver/util/format.h"
#include "harness/measuring/median.h"
#include <sys/file.h>

/* An invocation that is complete in samples.csv. */
struct finished_invocation {
    uint64_t cell, subject; /* id: of the cell; subject: plan_subject */
    unsigned invocation;
    bool ok;        /* it neither crashed nor timed out, and its input was not refused */
    bool refused;   /* a bad input: it stays bad */
    bool busy;      /* no repetition found a quiet moment */
    bool denied;    /* this machine cannot do it */
    double value;   /* the median, over repetitions, of the first metric that results/metrics.csv marks as a value,
                     * without those during which the processors moved; NAN: there is none */
    double seconds; /* 0: not known */
};

struct finished {
    struct finished_invocation *at;
    size_t count;
};

struct run_file {
    int descriptor; /* -1: closed. The descriptor of samples.csv is locked against a second driver */
    off_t length;   /* length of the complete part */
    const char *name, *heading;
    unsigned version;
};

struct results {
    char *folder;
    struct run_file samples, histograms; /* histograms: closed until there is a row */
};

const struct results results_closed = {
    .samples = {-1, 0, "samples.csv", SAMPLES_COLUMNS "\n", SAMPLES_VERSION},
    .histograms = {-1, 0, "histograms.csv", HISTOGRAMS_COLUMNS "\n", HISTOGRAMS_VERSION}};

/* The two that begin most rows: a cell's id and an invocation. */
static bool read_ids(const char *cell, const char *invocation, uint64_t *id, unsigned *number) {
    char more;
    return strlen(cell) == 16 && sscanf(cell, "%" SCNx64 "%c", id, &more) == 1 &&
           sscanf(invocation, "%u%c", number, &more) == 1;
}

/* The file is C's and a spreadsheet's alike: its texts are in quotation marks, and a comma ends each line. */
enum { NAME_OF_METRIC = 0, MARK_OF_VALUE = 5, COLUMNS_OF_METRICS = 8 };
static const char *const metrics[] = {
#include "results/metrics.csv"
};

static bool is_value(const char *metric) {
    for (size_t row = 0; row < LENGTH(metrics); row += COLUMNS_OF_METRICS)
        if (*metrics[row + MARK_OF_VALUE] && same(metrics[row + NAME_OF_METRIC], metric))
            return true;
    return false;
}

/* What the rows of an invocation say so far. Its headline is of the first metric that is a value. */
struct headline {
    const char *role, *metric;
    LIST(double) values;
    bool ok, busy; /* there is a value; a repetition found no quiet moment */
    bool denied;
};

static void take_headline(struct headline *headline, char *const *field) {
    const char *role = field[COLUMN_ROLE], *metric = field[COLUMN_METRIC];
    const bool ok = same(field[COLUMN_STATUS], "ok");
    headline->denied |= same(metric, field[COLUMN_WORKLOAD]) && same(field[COLUMN_STATUS], "denied");
    if (!is_value(metric))
        return;
    headline->ok |= ok;
    headline->busy |= same(field[COLUMN_STATUS], "busy");
    if (strstr(field[COLUMN_FLAGS], FLAG_MOVED))
        return;
    headline->role = headline->role ? headline->role : role;
    headline->metric = headline->metric ? headline->metric : metric;
    if (ok && same(role, headline->role) && same(metric, headline->metric))
        *ONE_MORE(headline->values) = strtod(field[COLUMN_VALUE], NULL);
}

/* Notes the invocation that this row ends, if it ends one. Returns false if the line is no row. */
static bool take_row(char *row, struct finished *finished, struct headline *headline, bool *ends) {
    char *field[SAMPLES_COLUMN_COUNT];
    struct finished_invocation one = {0};
    if (split_fields(row, ",", field, SAMPLES_COLUMN_COUNT) != SAMPLES_COLUMN_COUNT ||
        !read_ids(field[COLUMN_CELL], field[COLUMN_INVOCATION], &one.cell, &one.invocation))
        return false;
    *ends = same(field[COLUMN_METRIC], INVOCATION_END) && same(field[COLUMN_ROLE], "process");
    take_headline(headline, field);
    if (!*ends)
        return true;
    one.subject = plan_subject(field[COLUMN_WORKLOAD], field[COLUMN_DEQUE], field[COLUMN_PARAMS]);
    one.ok = same(field[COLUMN_STATUS], "ok");
    one.refused = same(field[COLUMN_STATUS], STATUS_REFUSED);
    one.busy = headline->busy && !headline->ok;
    one.denied = headline->denied;
    one.value = headline->values.count > 0 ? median(headline->values.at, headline->values.count) : (double)NAN;
    one.seconds = strtod(field[COLUMN_VALUE], NULL);
    free(headline->values.at);
    *headline = (struct headline){0};
    if (!same(field[COLUMN_STATUS], STATUS_UNPROVEN))
        *ONE_MORE(*finished) = one;
    return true;
}

/* Adds the invocations of a text of samples.csv, of which `whole` bytes are its heading, and changes it. Returns how
 * many bytes are complete; the driver was stopped while it wrote the rest. Refuses what is no row. */
size_t samples_scan(char *text, size_t whole, struct finished *finished) {
    struct headline headline = {0};
    unsigned number = 1;
    char *row, *rest = text + whole;
    while ((row = strsep(&rest, "\n")) && rest) { /* what has no end of line is torn */
        bool ends = false;
        number++;
        /* Only the end of the file can be torn. We did not write a bad row before the end. */
        if (!take_row(row, finished, &headline, &ends) && *rest)
            refuse(4, "its line %u is no row", number);
        if (ends)
            whole = (size_t)(rest - text);
    }
    return whole;
}

/* Is this a row of a finished invocation? */
static bool is_finished(char *row, const struct finished *finished) {
    char *field[HISTOGRAMS_COLUMN_COUNT];
    uint64_t cell;
    unsigned invocation;
    if (split_fields(row, ",", field, HISTOGRAMS_COLUMN_COUNT) != HISTOGRAMS_COLUMN_COUNT ||
        !read_ids(field[HISTOGRAM_CELL], field[HISTOGRAM_INVOCATION], &cell, &invocation))
        return false;
    foreach (one, *finished)
        if (one->cell == cell && one->invocation == invocation)
            return true;
    return false;
}

/* How many bytes of a histograms.csv belong to these invocations: all up to the last row of one. */
static size_t histograms_scan(char *text, size_t whole, struct finished *finished) {
    for (char *end = strrchr(text + whole, '\n'), *before; end; end = before < text + whole ? NULL : before) {
        before = memrchr(text, '\n', (size_t)(end - text));
        *end = '\0';
        if (is_finished(before + 1, finished))
            return (size_t)(end - text) + 1;
    }
    return whole;
}

static const char *why_not(const char *what, const char *path, int error) {
    return formatted("%s %.300s: %s%s", what, path, strerror(error),
                     error == ENOSPC || error == EDQUOT ? ": make room, then continue with --resume" : "");
}

/* Returns false if it cannot. */
static bool open_file(struct run_file *file, const char *folder, int flags) {
    char *path = path_join(folder, file->name);
    file->descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
    free(path);
    return file->descriptor >= 0;
}

static void open_samples(struct results *results, int flags) {
    if (!open_file(&results->samples, results->folder, flags))
        refuse(4, "%s", why_not("cannot write", path_join(results->folder, results->samples.name), errno));
    if (flock(results->samples.descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        refuse(2, "another stealbench is writing to %.300s", results->folder);
}

/* Writes and syncs, the heading first. If only part could be written, takes that back. If this fails too, the file
 * stays torn, and resuming the run cuts off the end. Returns 0 or an errno value. */
static int append_whole(struct run_file *file, const struct text *rows) {
    int result = file->length == 0 ? write_all(file->descriptor, file->heading, strlen(file->heading)) : 0;
    result = result ? result : write_all(file->descriptor, text_string(rows), rows->length);
    if (result == 0 && fsync(file->descriptor) != 0 && errno != EINVAL && errno != EROFS)
        result = errno;
    const off_t length = file->length + (off_t)((file->length == 0 ? strlen(file->heading) : 0) + rows->length);
    if (result == 0)
        file->length = length;
    else if (ftruncate(file->descriptor, file->length) != 0)
        return result; /* resuming the run cuts it off */
    return result;
}

static void append_heading(struct results *results) {
    const int result = append_whole(&results->samples, &(struct text){0});
    if (result)
        refuse(4, "%s", why_not("cannot write", results->folder, result));
}

/* Returns false if the name is taken. */
static bool make_results(struct results *results, const char *parent, const char *name) {
    *results = results_closed;
    results->folder = path_join(parent, name);
    if (!is_name(name, ".+") || *name == '.' || strlen(name) > 100)
        refuse(2, "%.60s cannot name a run: expected 1 to 100 letters, digits or ._-+", name);
    int unmade = folder_make(parent);
    if (unmade)
        refuse(4, "%s", why_not("cannot make", parent, unmade));
    unmade = mkdir(results->folder, 0777) == 0 ? 0 : errno;
    if (unmade && unmade != EEXIST)
        refuse(4, "%s", why_not("cannot make", results->folder, unmade));
    if (unmade)
        return false;
    open_samples(results, O_CREAT | O_EXCL);
    append_heading(results);
    return true;
}

/* Makes parent/name with an empty samples.csv. Refuses a name that is taken. */
struct results results_create(const char *parent, const char *name) {
    struct results results;
    if (!make_results(&results, parent, name))
        refuse(2, "%.300s exists already: resume it with --resume=%.100s, or choose another name", results.folder,
               name);
    return results;
}

/* Reads a file to continue it. Returns how many of its bytes are complete; *cut: how many are not. Refuses one of
 * another version. */
static size_t read_rows(const char *folder, const struct run_file *file, struct finished *finished, size_t *cut) {
    const char *path = path_join(folder, file->name), *heading = file->heading;
    const size_t length = strlen(heading);
    struct text text = {0};
    const int unread = file_read(path, &text);
    if (unread)
        refuse(4, "%s", why_not("cannot read", path, unread));
    refusal_place = formatted("%.200s cannot be resumed", path);
    if (strncmp(text_string(&text), heading, text.length < length ? text.length : length) != 0)
        refuse(4, "its first line is not that of a %s of version %u", file->name, file->version);
    const size_t whole = text.length < length              ? 0 /* killed while it wrote that */
                         : same(file->name, "samples.csv") ? samples_scan(text.data, length, finished)
                                                           : histograms_scan(text.data, length, finished);
    refusal_place = NULL;
    *cut = text.length - whole;
    text_free(&text);
    return whole;
}

/* Cuts off what is incomplete. */
static void take_up(struct run_file *file, const char *folder, struct finished *finished) {
    size_t cut;
    file->length = (off_t)read_rows(folder, file, finished, &cut);
    if (cut > 0 && ftruncate(file->descriptor, file->length) != 0)
        refuse(4, "%s", why_not("cannot cut off the unfinished end of", path_join(folder, file->name), errno));
}

/* Opens a run that exists, and cuts off what is incomplete. Refuses if another driver writes there. */
struct results results_resume(const char *folder, struct finished *finished) {
    struct results results = results_closed;
    results.folder = duplicate(folder);
    open_samples(&results, 0);
    *finished = (struct finished){0};
    take_up(&results.samples, folder, finished);
    if (results.samples.length == 0)
        append_heading(&results);
    if (open_file(&results.histograms, folder, 0))
        take_up(&results.histograms, folder, finished);
    else if (errno != ENOENT)
        refuse(4, "%s", why_not("cannot write", path_join(folder, results.histograms.name), errno));
    return results;
}

/* Appends the rows of an invocation. Returns NULL, or why it cannot; both files then end as before. */
const char *results_append(struct results *results, const struct text *rows, const struct text *histograms) {
    struct run_file *file = &results->histograms;
    const off_t before = file->length;
    if (histograms->length > 0 && file->descriptor < 0 && !open_file(file, results->folder, O_CREAT))
        return why_not("cannot write", path_join(results->folder, file->name), errno);
    int result = histograms->length > 0 ? append_whole(file, histograms) : 0;
    result = result ? result : append_whole(&results->samples, rows);
    if (result && file->length > before && ftruncate(file->descriptor, before) == 0)
        file->length = before; /* if this fails, resuming the run cuts it off */
    return result ? why_not("cannot write to", results->folder, result) : NULL;
}

/* --- the parts of a run that several nodes measure:
 *
 *   RUN/parts/3/repeat-1/attempt-1/        samples.csv, histograms.csv, manifest.json of the first attempt at part 3
 *   RUN/parts/3/repeat-1/attempt-2/        what the first did not finish, for example because its node failed
 *   RUN/parts/3/repeat-2/attempt-1/        the same cells on another node (--repeat)
 *
 * So each file has one writer, even if a node goes on that was thought dead, and no lock is needed, on NFS and Lustre
 * too. harness.cluster.merge makes one run of the parts. */

static char *parts_folder(const char *run, unsigned part, unsigned repeat) {
    return formatted("%s/parts/%u/repeat-%u", run, part, repeat);
}

/* The folder of an attempt that has a manifest, or NULL. */
char *parts_any_attempt(const char *run, unsigned parts) {
    for (unsigned part = 1; part <= parts; part++) {
        char *attempt = path_join(parts_folder(run, part, 1), "attempt-1");
        if (access(path_join(attempt, "manifest.json"), R_OK) == 0)
            return attempt;
    }
    return NULL;
}

/* Adds the finished invocations of the samples.csv in the folder, if there is one. */
static void add_finished(const char *folder, struct finished *finished) {
    const struct run_file *samples = &results_closed.samples;
    size_t unfinished;
    if (access(path_join(folder, samples->name), F_OK) == 0)
        read_rows(folder, samples, finished, &unfinished);
}

/* Makes a folder for the next attempt. Reads what earlier attempts, and a merged run, have finished. */
struct results parts_begin(const char *run, unsigned part, unsigned repeat, struct finished *finished) {
    const char *parent = parts_folder(run, part, repeat);
    struct results results;
    *finished = (struct finished){0};
    if (repeat == 1) /* a merged run renumbers the invocations of other repeats */
        add_finished(run, finished);
    for (unsigned attempt = 1;; attempt++) {
        const char *name = formatted("attempt-%u", attempt), *folder = path_join(parent, name);
        if (access(folder, F_OK) != 0 && make_results(&results, parent, name))
            return results;
        add_finished(folder, finished); /* another attempt may have added some just now */
    }
}
