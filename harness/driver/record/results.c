#include "harness/driver/record/record.h"
#include <sys/file.h>

#define SAMPLES "samples.csv"
#define HISTOGRAMS "histograms.csv"
static const char samples_heading[] = SAMPLES_COLUMNS "\n", histograms_heading[] = HISTOGRAMS_COLUMNS "\n";
const struct results results_closed = {.samples = {.descriptor = -1}, .histograms = {.descriptor = -1}};

/* The two that begin most rows: a cell's id and an invocation. */
static bool read_ids(const char *cell, const char *invocation, uint64_t *id, unsigned *number) {
    char *end;
    *id = strtoull(cell, &end, 16);
    if (end != cell + 16 || *end)
        return false;
    *number = (unsigned)strtoul(invocation, &end, 10);
    return end != invocation && !*end;
}

/* Notes the invocation that this row ends, if it ends one. Returns false if the line is no row. */
static bool take_row(char *row, struct finished *finished, struct headline *headline, bool *ends) {
    char *field[SAMPLES_COLUMN_COUNT];
    struct finished_invocation one = {0};
    if (split_fields(row, ",", field, SAMPLES_COLUMN_COUNT) != SAMPLES_COLUMN_COUNT ||
        !read_ids(field[COLUMN_CELL], field[COLUMN_INVOCATION], &one.cell, &one.invocation))
        return false;
    *ends = strcmp(field[COLUMN_METRIC], INVOCATION_END) == 0 && strcmp(field[COLUMN_ROLE], "process") == 0;
    if (!strstr(field[COLUMN_FLAGS], FLAG_MOVED))
        headline_take(headline, field[COLUMN_ROLE], field[COLUMN_METRIC], field[COLUMN_STATUS], field[COLUMN_VALUE]);
    if (!*ends)
        return true;
    one.subject = plan_subject(field[COLUMN_WORKLOAD], field[COLUMN_DEQUE], field[COLUMN_PARAMS]);
    one.ok = strcmp(field[COLUMN_STATUS], "ok") == 0;
    one.value = headline_end(headline);
    one.seconds = strtod(field[COLUMN_VALUE], NULL);
    if (strcmp(field[COLUMN_STATUS], STATUS_UNPROVEN) != 0) {
        const size_t i = ONE_MORE(finished->at, finished->count);
        finished->at[i] = one;
    }
    return true;
}

/* Refused: it does not begin with this heading. The heading's length, 0 where the driver was killed while it wrote
 * that.
 */
static size_t check_heading(const char *text, size_t length, const char *heading, const char *file, unsigned version) {
    const size_t wanted = strlen(heading);
    if (memcmp(text, heading, length < wanted ? length : wanted) != 0)
        refuse(4, "its first line is not that of a %s of version %u", file, version);
    return length < wanted ? 0 : wanted;
}

/* Adds the invocations of a samples.csv. Returns how many of its bytes are complete; the driver was stopped while it
 * wrote the rest. Refuses a text that is no samples.csv of this version. */
static size_t samples_scan(char *text, size_t length, struct finished *finished) {
    struct headline headline = {0};
    unsigned number = 1;
    size_t whole = check_heading(text, length, samples_heading, SAMPLES, SAMPLES_VERSION);
    char *row, *rest = whole > 0 ? text + whole : NULL;
    while ((row = strsep(&rest, "\n")) && rest) { /* what has no end of line is torn */
        bool ends = false;
        number++;
        /* Only the end of the file can be torn. We did not write a bad row before the end. */
        if (!take_row(row, finished, &headline, &ends) && *rest)
            refuse(4, "its line %u is no row", number);
        if (ends)
            whole = (size_t)(rest - text);
    }
    headline_end(&headline);
    return whole;
}

/* Is this a row of a finished invocation? Its rows are next to each other, so the last invocation found is tried first.
 */
static bool is_finished(char *row, const struct finished *finished, size_t *last) {
    char *field[HISTOGRAMS_COLUMN_COUNT];
    uint64_t cell;
    unsigned invocation;
    if (split_fields(row, ",", field, HISTOGRAMS_COLUMN_COUNT) != HISTOGRAMS_COLUMN_COUNT ||
        !read_ids(field[HISTOGRAM_CELL], field[HISTOGRAM_INVOCATION], &cell, &invocation))
        return false;
    for (size_t i = 0; i < finished->count; i++, ++*last) {
        const struct finished_invocation *one = &finished->at[*last % finished->count];
        if (one->cell == cell && one->invocation == invocation)
            return true;
    }
    return false;
}

/* How many bytes of a histograms.csv belong to these invocations. Refuses another version. */
static size_t histograms_scan(char *text, size_t length, struct finished *finished) {
    size_t last = 0, whole = check_heading(text, length, histograms_heading, HISTOGRAMS, HISTOGRAMS_VERSION);
    char *row, *rest = whole > 0 ? text + whole : NULL;
    while ((row = strsep(&rest, "\n")) && rest)
        if (is_finished(row, finished, &last))
            whole = (size_t)(rest - text);
    return whole;
}

static const char *why_not(const char *what, const char *path, int error) {
    return formatted("%s %.300s: %s%s", what, path, strerror(error),
                     error == ENOSPC || error == EDQUOT ? ": make room, then continue with --resume" : "");
}

static int open_file(const char *folder, const char *name, int flags) {
    char *path = path_join(folder, name);
    const int descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
    free(path);
    return descriptor;
}

static void open_samples(struct results *results, int flags) {
    results->samples.descriptor = open_file(results->folder, SAMPLES, flags);
    if (results->samples.descriptor < 0)
        refuse(4, "%s", why_not("cannot write", path_join(results->folder, SAMPLES), errno));
    if (flock(results->samples.descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        refuse(2, "another stealbench is writing to %.300s", results->folder);
}

/* Writes and syncs. If only part could be written, takes that back. If this fails too, the file stays torn, and
 * resuming the run cuts off the end. */
static int append_whole(struct run_file *file, const char *bytes, size_t length) {
    int result = write_all(file->descriptor, bytes, length);
    if (result == 0 && fsync(file->descriptor) != 0 && errno != EINVAL && errno != EROFS)
        result = errno;
    if (result == 0)
        file->length += (off_t)length;
    else if (ftruncate(file->descriptor, file->length) != 0)
        return result;
    return result;
}

static void append_heading(struct results *results) {
    const int result = append_whole(&results->samples, samples_heading, sizeof samples_heading - 1);
    if (result)
        refuse(4, "%s", why_not("cannot write", results->folder, result));
}

/* Returns false if the name is taken. */
static bool make_results(struct results *results, const char *parent, const char *name) {
    *results = results_closed;
    if (!is_name(name, ".+") || *name == '.' || strlen(name) > 100)
        refuse(2, "%.60s cannot name a run: expected 1 to 100 letters, digits or ._-+", name);
    const int unmade = folder_make(parent);
    if (unmade)
        refuse(4, "%s", why_not("cannot make", parent, unmade));
    results->folder = path_join(parent, name);
    if (mkdir(results->folder, 0777) != 0) {
        if (errno == EEXIST)
            return false;
        refuse(4, "%s", why_not("cannot make", results->folder, errno));
    }
    open_samples(results, O_CREAT | O_EXCL);
    append_heading(results);
    return true;
}

struct results results_create(const char *parent, const char *name) {
    struct results results;
    if (!make_results(&results, parent, name))
        refuse(2, "%.300s exists already: resume it with --resume=%.100s, or choose another name", results.folder,
               name);
    return results;
}

typedef size_t scanner(char *text, size_t length, struct finished *);

/* Reads a file to continue it. Returns how many bytes the scan keeps; *cut: how many it drops. */
static size_t read_rows(const char *folder, const char *name, scanner *scan, struct finished *finished, size_t *cut) {
    struct text text = {0};
    const char *path = path_join(folder, name);
    const int unread = file_read(path, &text);
    if (unread)
        refuse(4, "%s", why_not("cannot read", path, unread));
    refusal_place = formatted("%.200s cannot be resumed", path);
    text_add(&text, "");
    const size_t whole = scan(text.data, text.length, finished);
    refusal_place = NULL;
    *cut = text.length - whole;
    text_free(&text);
    return whole;
}

/* Cuts off what is incomplete. */
static void take_up(struct run_file *file, const char *folder, const char *name, scanner *scan,
                    struct finished *finished) {
    size_t cut;
    file->length = (off_t)read_rows(folder, name, scan, finished, &cut);
    if (cut > 0 && ftruncate(file->descriptor, file->length) != 0)
        refuse(4, "%s", why_not("cannot cut off the unfinished end of", path_join(folder, name), errno));
}

void results_must_exist(const char *folder) {
    struct stat status;
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        refuse(2, "no such run: %.400s", folder);
    if (access(path_join(folder, SAMPLES), F_OK) != 0)
        refuse(2, "no run: %.400s has no samples.csv", folder);
}

struct results results_resume(const char *folder, struct finished *finished) {
    struct results results = results_closed;
    results.folder = duplicate(folder);
    open_samples(&results, 0);
    *finished = (struct finished){0};
    take_up(&results.samples, folder, SAMPLES, samples_scan, finished);
    if (results.samples.length == 0)
        append_heading(&results);
    results.histograms.descriptor = open_file(folder, HISTOGRAMS, 0);
    if (results.histograms.descriptor >= 0)
        take_up(&results.histograms, folder, HISTOGRAMS, histograms_scan, finished);
    else if (errno != ENOENT)
        refuse(4, "%s", why_not("cannot write", path_join(folder, HISTOGRAMS), errno));
    return results;
}

static const char *append_histograms(struct results *results, const struct text *rows) {
    struct run_file *file = &results->histograms;
    if (file->descriptor < 0)
        file->descriptor = open_file(results->folder, HISTOGRAMS, O_CREAT);
    if (file->descriptor < 0)
        return why_not("cannot write", path_join(results->folder, HISTOGRAMS), errno);
    int result = 0;
    if (file->length == 0)
        result = append_whole(file, histograms_heading, sizeof histograms_heading - 1);
    if (result == 0)
        result = append_whole(file, text_string(rows), rows->length);
    return result ? why_not("cannot write to", results->folder, result) : NULL;
}

const char *results_append(struct results *results, const struct text *rows, const struct text *histograms) {
    const off_t before = results->histograms.length;
    const char *why = histograms->length > 0 ? append_histograms(results, histograms) : NULL;
    if (why)
        return why;
    const int result = append_whole(&results->samples, text_string(rows), rows->length);
    if (result) {
        if (results->histograms.length > before && ftruncate(results->histograms.descriptor, before) == 0)
            results->histograms.length = before; /* if this fails, resuming the run cuts it off */
        return why_not("cannot write to", results->folder, result);
    }
    return NULL;
}

void results_close(struct results *results) {
    const int descriptors[] = {results->samples.descriptor, results->histograms.descriptor};
    for (size_t i = 0; i < 2; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    *results = results_closed;
}

char *results_new_name(const char *parent, const char *suite) {
    char stamp[32];
    const time_t now = time(NULL);
    struct tm utc;
    struct stat status;
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
    char *name = formatted("%s-%s", stamp, suite);
    for (unsigned i = 2; lstat(path_join(parent, name), &status) == 0; i++)
        name = formatted("%s-%s-%u", stamp, suite, i);
    return name;
}

const char *results_latest(const char *parent, const char *suite) {
    const char *latest = NULL, *latest_start = "";
    const struct words names = folder_names(parent, "");
    for (size_t i = 0; i < names.count; i++) {
        json_t *manifest = manifest_read(path_join(parent, names.at[i]));
        const char *of = manifest_text(manifest, "suite"), *start = manifest_text(manifest, "start");
        if (of && start && strcmp(of, suite) == 0 && strcmp(start, latest_start) >= 0) {
            latest = names.at[i];
            latest_start = duplicate(start);
        }
        json_decref(manifest);
    }
    return latest;
}

/* --- the parts of a run that several nodes measure */

static char *parts_folder(const char *run, unsigned part, unsigned repeat) {
    return formatted("%s/parts/%u/repeat-%u", run, part, repeat);
}

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
    size_t unfinished;
    if (access(path_join(folder, SAMPLES), F_OK) == 0)
        read_rows(folder, SAMPLES, samples_scan, finished, &unfinished);
}

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
