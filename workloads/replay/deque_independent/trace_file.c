#include "workloads/replay/deque_independent/trace_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME(value, name) name,
static const char *const operations[] = {TRACE_OPERATIONS(NAME)};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* Moves *text behind the word, which has to be there. */
static bool word_here(const char **text, const char *word) {
    const char *at = *text + strspn(*text, " ");
    const size_t length = strlen(word);
    if (strncmp(at, word, length) != 0 || (at[length] != ' ' && at[length] != '\0'))
        return false;
    *text = at + length;
    return true;
}

static bool named_number(const char **text, const char *name, uint64_t max, uint64_t *number) {
    return word_here(text, name) && number_here(text, max, number);
}

/* The next line; the file may not end here. */
static int next(struct lines *lines, const char *wanted) {
    if (lines_next(lines))
        return 0;
    return lines->failure ? lines->failure : lines_wrong(lines, "the file ends before %s: it is not whole", wanted);
}

static int read_head(struct trace *trace, struct lines *lines) {
    uint64_t threads, deques;
    if (!lines_next(lines) || strcmp(lines->line, "deque trace 1") != 0)
        return lines_wrong(lines, "no trace: what PREFIX_trace writes begins with \"deque trace 1\"");
    int failure = next(lines, "\"threads\"");
    if (failure)
        return failure;
    const char *text = lines->line;
    if (!named_number(&text, "threads", TRACE_THREADS_MAX, &threads) ||
        !named_number(&text, "deques", 2 * TRACE_THREADS_MAX, &deques) || !nothing_here(text) || threads == 0 ||
        deques < threads)
        return lines_wrong(lines, "expected \"threads N deques M\", with 1 <= N <= %d and N <= M", TRACE_THREADS_MAX);
    trace->threads = (unsigned)threads;
    trace->deques = (unsigned)deques;
    return 0;
}

static int read_event(const struct trace *trace, unsigned thread, struct lines *lines, struct trace_event *event) {
    uint64_t deque, items, times, gap;
    const char *text = lines->line;
    unsigned operation = 0;
    while (operation < OPERATIONS && !word_here(&text, operations[operation]))
        operation++;
    if (operation == OPERATIONS || !number_here(&text, trace->deques - 1, &deque) ||
        !number_here(&text, TRACE_ITEMS_MAX, &items) || !number_here(&text, UINT32_MAX, &times) ||
        !number_here(&text, TRACE_GAP_MAX, &gap) || !nothing_here(text) || times == 0)
        return lines_wrong(lines, "expected \"OPERATION DEQUE ITEMS TIMES NANOSECONDS\", of %u deques", trace->deques);
    if (operation <= TRACE_POP ? deque != thread : deque == thread)
        return lines_wrong(lines, "thread %u pushes to and pops from deque %u, and steals from others", thread, thread);
    if (operation == TRACE_PUSH ? items == 0 : items > 1 && operation <= TRACE_STEAL)
        return lines_wrong(lines, "a push has items, a pop and a steal at most one");
    *event = (struct trace_event){gap, (uint32_t)items, (uint32_t)times, (uint16_t)deque, (uint16_t)operation};
    return 0;
}

static int read_thread(struct trace *trace, unsigned number, struct lines *lines) {
    struct trace_thread *thread = &trace->of[number];
    uint64_t found, count;
    int failure = next(lines, "every thread's line");
    const char *text = failure ? "" : lines->line;
    if (failure)
        return failure;
    if (!named_number(&text, "thread", TRACE_THREADS_MAX, &found) || found != number ||
        !named_number(&text, "events", SIZE_MAX / sizeof *thread->events, &count) || !nothing_here(text))
        return lines_wrong(lines, "expected \"thread %u events N\"", number);
    for (size_t room = 0; thread->count < count; thread->count++) {
        struct trace_event *event;
        if (thread->count == room) { /* not at once: the number may be wrong */
            event = realloc(thread->events, (room = room ? 2 * room : 1024) * sizeof *event);
            if (!event)
                return ENOMEM;
            thread->events = event;
        }
        event = &thread->events[thread->count];
        if ((failure = next(lines, "its last operation")) || (failure = read_event(trace, number, lines, event)))
            return failure;
        thread->pushed += event->operation == TRACE_PUSH ? (uint64_t)event->items * event->times : 0;
        thread->operations += event->times;
        trace->batches |= event->items > 1;
        if (event->items > trace->items_most)
            trace->items_most = event->items;
    }
    return 0;
}

int trace_read(struct trace *trace, const char *path, char *message) {
    struct lines lines;
    *trace = (struct trace){0};
    int failure = lines_open(&lines, path, message);
    if (failure)
        return failure;
    failure = read_head(trace, &lines);
    for (unsigned i = 0; failure == 0 && i < trace->threads; i++)
        failure = read_thread(trace, i, &lines);
    if (failure == 0 && (failure = next(&lines, "\"end\"")) == 0 && strcmp(lines.line, "end") != 0)
        failure = lines_wrong(&lines, "expected \"end\"");
    if (failure == 0 && lines_next(&lines))
        failure = lines_wrong(&lines, "something follows \"end\"");
    if (failure == ENOMEM)
        snprintf(message, LINES_MESSAGE, "%s: no memory to read it", path);
    lines_close(&lines);
    return failure;
}
