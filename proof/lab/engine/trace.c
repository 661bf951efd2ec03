#include "proof/lab/engine/trace.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS_MAX 4096
#define COLUMN 58

struct event {
    enum event_kind kind;
    unsigned thread, size;
    int order;
    uintptr_t address, where;
    uint64_t value, before;
    unsigned hidden_by; /* the thread whose store this load could not see yet; LAB_CLOCKS: none */
    char text[48];
};

static bool trace_on;
static struct event events[EVENTS_MAX];
static size_t event_count, forgotten;
static struct event *unsettled[LAB_CLOCKS]; /* a plain write or read whose value was not known yet */

void trace_begin(void) {
    trace_on = true;
    event_count = forgotten = 0;
    memset(unsettled, 0, sizeof unsettled);
}

void trace_end(void) { trace_on = false; }

static struct event *add_event(const struct event *event) {
    static struct event one_too_many;
    const bool fits = event_count < EVENTS_MAX;
    struct event *added = fits ? &events[event_count++] : &one_too_many;
    forgotten += !fits;
    *added = *event;
    return added;
}

void trace_settle(unsigned thread) {
    if (!trace_on || !unsettled[thread])
        return;
    struct event *event = unsettled[thread];
    memcpy(&event->value, (void *)event->address, event->size < 8 ? event->size : 8);
    unsettled[thread] = NULL;
}

/* The thread whose store to these bytes another thread's load cannot see yet, or LAB_CLOCKS. */
static unsigned hidden_store(uintptr_t address, unsigned size) {
    for (unsigned thread = 0; thread < LAB_THREADS; thread++)
        if (thread != machine.current && store_buffer_newest(&machine.thread[thread].buffer, address, size) > 0)
            return thread;
    return LAB_CLOCKS;
}

void trace_access(enum event_kind kind, uintptr_t address, unsigned size, int order, uint64_t value, uint64_t before,
                  uintptr_t where) {
    if (!trace_on || machine.in_main)
        return;
    trace_settle(machine.current);
    struct event *event = add_event(&(struct event){kind, machine.current, size, order, address, where, value, before,
                                                    kind == EVENT_LOAD ? hidden_store(address, size) : LAB_CLOCKS, ""});
    if (kind == EVENT_WRITE)
        unsettled[machine.current] = event;
    if (kind == EVENT_READ)
        memcpy(&event->value, (void *)address, size < 8 ? size : 8);
}

void trace_arrived(unsigned thread, uintptr_t address, unsigned size, uint64_t value) {
    if (trace_on && !machine.in_main)
        add_event(&(struct event){EVENT_ARRIVED, thread, size, 0, address, 0, value, 0, LAB_CLOCKS, ""});
}

void trace_text(enum event_kind kind, const char *format, ...) {
    if (!trace_on)
        return;
    trace_settle(machine.current);
    struct event *event = add_event(&(struct event){.kind = kind, .thread = machine.current, .hidden_by = LAB_CLOCKS});
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(event->text, sizeof event->text, format, arguments);
    va_end(arguments);
}

/* Lines */

#define WANTED_MAX 512
#define NAME_BYTES 96

/* Places in the code whose lines a report will name. addr2line is asked for all of them at once. */
static struct wanted {
    uintptr_t where;
    char name[NAME_BYTES]; /* "chase_lev.h:78"; empty: unknown */
} wanted[WANTED_MAX];
static size_t wanted_count, resolved_count;

static struct wanted *find_wanted(uintptr_t where) {
    for (size_t i = 0; i < wanted_count; i++)
        if (wanted[i].where == where)
            return &wanted[i];
    return NULL;
}

static void want(uintptr_t where) {
    if (where > 1 && !find_wanted(where) && wanted_count < WANTED_MAX)
        wanted[wanted_count++].where = where;
}

/* addr2line -a -i answers with an address, then "file:line" of each function, innermost first. A path may have spaces.
 */
static void take_answers(FILE *answers) {
    char line[1024];
    struct wanted *current = NULL;
    while (fgets(line, sizeof line, answers)) {
        const char *more = strstr(line, " (discriminator "), *slash;
        line[more ? (size_t)(more - line) : strcspn(line, "\n")] = '\0';
        slash = strrchr(line, '/');
        if (strncmp(line, "0x", 2) == 0)
            current = find_wanted((uintptr_t)strtoull(line, NULL, 16) + 1);
        else if (current && !current->name[0] && line[0] != '?' &&
                 !strstr(line, "/include/c++/")) /* std::atomic: whoever calls it is meant */
            snprintf(current->name, sizeof current->name, "%.*s", NAME_BYTES - 1, slash ? slash + 1 : line);
    }
}

static void resolve(void) {
    static char command[64 + WANTED_MAX * 20];
    int length = snprintf(command, sizeof command, "addr2line -a -i -e /proc/%ld/exe", (long)getpid());
    for (; resolved_count < wanted_count; resolved_count++)
        length += snprintf(command + length, sizeof command - (size_t)length, " 0x%llx",
                           (unsigned long long)wanted[resolved_count].where -
                               1); /* an address inside the call, not after it */
    snprintf(command + length, sizeof command - (size_t)length, " 2>/dev/null");
    FILE *answers = popen(command, "r");
    if (answers)
        take_answers(answers);
    int status = answers ? pclose(answers) : -1;
    if (status != 0)
        fprintf(stderr, "stealbench lab: no addr2line, so no file and line in reports: install binutils\n");
}

const char *source_name(uintptr_t where) {
    want(where);
    if (resolved_count < wanted_count)
        resolve();
    struct wanted *found = find_wanted(where);
    return found && found->name[0] ? found->name : "?";
}

/* Copies form to text, each %x with a letter x of letters replaced by the word in its place. */
static void fill_in(const char *form, const char *letters, const char *const *words, char *text, size_t size) {
    size_t used = 0;
    for (; *form && used + 1 < size; form++) {
        const char *letter = *form == '%' && form[1] ? strchr(letters, form[1]) : NULL;
        form += letter != NULL;
        used += (size_t)(letter ? snprintf(text + used, size - used, "%s", words[letter - letters])
                                : snprintf(text + used, size - used, "%c", *form));
    }
    text[used < size ? used : size - 1] = '\0';
}

void fault_text(const struct fault *fault, char *text, size_t size) {
    const char *lines[2];
    for (int i = 0; i < 2; i++)
        lines[i] = fault->where[i] > 1 ? source_name(fault->where[i]) : "?";
    fill_in(fault->text, "12", lines, text, size);
}

/* Printing */

/* Formats a value for a person: a small number, minus a small number, or what it points to. */
static void value_text(uint64_t value, unsigned size, char *text, size_t room) {
    uint64_t sign = size < 8 ? (uint64_t)1 << (size * 8 - 1) : (uint64_t)1 << 63;
    uint64_t mask = sign | (sign - 1);
    value &= mask;
    if (memory_in_heap((uintptr_t)value))
        memory_describe((uintptr_t)value, text, room);
    else if ((value & sign) && mask - value < 65536)
        snprintf(text, room, "-%llu", (unsigned long long)(mask - value + 1));
    else if (value < 1u << 20)
        snprintf(text, room, "%llu", (unsigned long long)value);
    else
        snprintf(text, room, "0x%llx", (unsigned long long)value);
}

/* By kind: L is the line, A the address, V and B its value now and before, O the order, T the text. */
static const char *const forms[] = {[EVENT_LOAD] = "%L  load %A -> %V",
                                    [EVENT_STORE] = "%L  store %A = %V (%O)",
                                    [EVENT_RMW] = "%L  rmw %A: %B -> %V",
                                    [EVENT_CAS] = "%L  cas %A: %B -> %V",
                                    [EVENT_CAS_FAILED] = "%L  cas %A fails: finds %B",
                                    [EVENT_CAS_FAILED_FOR_NOTHING] =
                                        "%L  cas %A fails for no reason, as a weak one may",
                                    [EVENT_FENCE] = "%L  fence %O",
                                    [EVENT_READ] = "%L  read %A -> %V",
                                    [EVENT_WRITE] = "%L  write %A = %V",
                                    [EVENT_ARRIVED] = "   (%A = %V is in memory now)",
                                    [EVENT_LOCK] = "%L  lock %A",
                                    [EVENT_UNLOCK] = "%L  unlock %A",
                                    [EVENT_FREE] = "%L  free %A",
                                    [EVENT_CALL] = "%T",
                                    [EVENT_ANSWER] = "   %T",
                                    [EVENT_FAULT] = "^^^ %T"};

static void event_text(const struct event *event, char *text, size_t room) {
    static const char *const orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    char at[64], value[64], before[64];
    memory_describe(event->address, at, sizeof at);
    value_text(event->value, event->size, value, sizeof value);
    value_text(event->before, event->size, before, sizeof before);
    fill_in(forms[event->kind], "LAVBOT",
            (const char *const[]){event->where ? source_name(event->where) : "", at, value, before,
                                  orders[event->order], event->text},
            text, room);
    const size_t used = strlen(text);
    if ((event->kind == EVENT_LOAD || event->kind == EVENT_READ) && event->before > 0)
        snprintf(text + used, room - used, " (%s newer store%s)", before, event->before > 1 ? "s" : "");
    else if (event->hidden_by < LAB_CLOCKS)
        snprintf(text + used, room - used, " (%s's store is not in memory yet)", machine_role(event->hidden_by));
}

/* Does any thread write there during the run? */
static bool written(const struct event *read) {
    for (size_t i = 0; i < event_count; i++) {
        const struct event *other = &events[i];
        bool writes = other->kind == EVENT_STORE || other->kind == EVENT_RMW || other->kind == EVENT_CAS ||
                      other->kind == EVENT_WRITE || other->kind == EVENT_FREE;
        if (writes && other->address < read->address + read->size && read->address < other->address + 8)
            return true;
    }
    return false;
}

/* Left out: plain reads of memory that never changes, the client's reads of an item's contents, and the main thread's
 * search at the end where it finds nothing. */
static bool explains(const struct event *event, bool contents) {
    if (event->thread == LAB_MAIN)
        return event->kind == EVENT_FAULT || (event->kind == EVENT_ANSWER && strstr(event->text, "OK"));
    if (event->kind == EVENT_READ && !written(event))
        return false;
    return contents || !event->where || strncmp(source_name(event->where), "operations.c", 12) != 0;
}

static void print_event(FILE *out, const struct event *event, size_t number) {
    char text[256], line[320];
    event_text(event, text, sizeof text);
    if (event->thread > 1)
        snprintf(line, sizeof line, "%s: %s", event->thread == LAB_MAIN ? "in the end" : machine_role(event->thread),
                 text);
    else
        snprintf(line, sizeof line, "%s", text);
    if (event->thread == 0)
        fprintf(out, "%4zu  %-*s |\n", number, COLUMN, line);
    else
        fprintf(out, "%4zu  %-*s | %s\n", number, COLUMN, "", line);
}

/* Events after the last fault are left out. */
static void cut_behind_fault(void) {
    size_t last = event_count;
    for (size_t i = 0; i < event_count; i++)
        if (events[i].kind == EVENT_FAULT)
            last = i + 1;
    event_count = last;
}

void trace_print(FILE *out, bool contents) {
    size_t number = 0;
    cut_behind_fault();
    for (size_t i = 0; i < event_count; i++)
        if (events[i].where)
            want(events[i].where);
    fprintf(out, "%4s  %-*s | %s\n", "", COLUMN, machine_role(0), machine_role(1));
    for (size_t i = 0; i < event_count; i++)
        if (explains(&events[i], contents))
            print_event(out, &events[i], ++number);
    if (forgotten > 0)
        fprintf(out, "      ... and %zu more accesses\n", forgotten);
}
