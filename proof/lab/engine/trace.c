#include "proof/lab/engine/trace.h"
#include "proof/lab/engine/machine.h"
#include "proof/lab/engine/source.h"
#include <stdarg.h>
#include <string.h>

#define EVENTS_MAX 4096
#define COLUMN 58

bool trace_on;
static struct event events[EVENTS_MAX];
static size_t event_count, forgotten;
static struct event *unsettled[LAB_CLOCKS]; /* a plain write or read whose value was not known yet */

void trace_begin(void) {
    trace_on = true;
    event_count = forgotten = 0;
    memset(unsettled, 0, sizeof unsettled);
}

void trace_end(void) { trace_on = false; }

static struct event *add(enum event_kind kind, unsigned thread) {
    if (event_count == EVENTS_MAX) {
        forgotten++;
        return NULL;
    }
    struct event *event = &events[event_count++];
    *event = (struct event){.kind = kind, .thread = thread};
    return event;
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
        if (thread != machine.current && store_buffer_holds(&machine.thread[thread].buffer, address, size))
            return thread;
    return LAB_CLOCKS;
}

void trace_access(enum event_kind kind, uintptr_t address, unsigned size, int order, uint64_t value, uint64_t before,
                  uintptr_t where) {
    if (!trace_on || machine.in_main)
        return;
    trace_settle(machine.current);
    struct event *event = add(kind, machine.current);
    if (!event)
        return;
    event->address = address;
    event->size = size;
    event->order = order;
    event->value = value;
    event->before = before;
    event->where = where;
    event->hidden_by = kind == EVENT_LOAD ? hidden_store(address, size) : LAB_CLOCKS;
    if (kind == EVENT_WRITE)
        unsettled[machine.current] = event;
    if (kind == EVENT_READ)
        memcpy(&event->value, (void *)address, size < 8 ? size : 8);
}

void trace_arrived(unsigned thread, uintptr_t address, unsigned size, uint64_t value) {
    struct event *event = trace_on && !machine.in_main ? add(EVENT_ARRIVED, thread) : NULL;
    if (!event)
        return;
    event->address = address;
    event->size = size;
    event->value = value;
}

void trace_text(enum event_kind kind, const char *format, ...) {
    if (!trace_on)
        return;
    trace_settle(machine.current);
    struct event *event = add(kind, machine.current);
    if (!event)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(event->text, sizeof event->text, format, arguments);
    va_end(arguments);
}

static const char *order_name(int order) {
    static const char *const names[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    return names[order];
}

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

static void access_text(const struct event *event, char *text, size_t room) {
    static const char *const verbs[] = {
        [EVENT_LOAD] = "load", [EVENT_READ] = "read",     [EVENT_RMW] = "rmw",   [EVENT_CAS] = "cas",
        [EVENT_LOCK] = "lock", [EVENT_UNLOCK] = "unlock", [EVENT_FREE] = "free", [EVENT_FAULT] = NULL};
    char at[64], value[64], before[64];
    memory_describe(event->address, at, sizeof at);
    value_text(event->value, event->size, value, sizeof value);
    value_text(event->before, event->size, before, sizeof before);
    const char *verb = verbs[event->kind], *order = order_name(event->order);
    const char *line = event->where ? source_name(event->where) : "";
    switch (event->kind) {
    case EVENT_LOAD:
    case EVENT_READ:
        if (event->before > 0)
            snprintf(text, room, "%s  %s %s -> %s (%s newer store%s)", line, verb, at, value, before,
                     event->before > 1 ? "s" : "");
        else
            snprintf(text, room, "%s  %s %s -> %s%s%s%s", line, verb, at, value,
                     event->hidden_by < LAB_CLOCKS ? " (" : "",
                     event->hidden_by < LAB_CLOCKS ? machine_role(event->hidden_by) : "",
                     event->hidden_by < LAB_CLOCKS ? "'s store is not in memory yet)" : "");
        break;
    case EVENT_STORE:
        snprintf(text, room, "%s  store %s = %s (%s)", line, at, value, order);
        break;
    case EVENT_RMW:
    case EVENT_CAS:
        snprintf(text, room, "%s  %s %s: %s -> %s", line, verb, at, before, value);
        break;
    case EVENT_CAS_FAILED:
        snprintf(text, room, "%s  cas %s fails: finds %s", line, at, before);
        break;
    case EVENT_CAS_FAILED_FOR_NOTHING:
        snprintf(text, room, "%s  cas %s fails for no reason, as a weak one may", line, at);
        break;
    case EVENT_FENCE:
        snprintf(text, room, "%s  fence %s", line, order);
        break;
    case EVENT_WRITE:
        snprintf(text, room, "%s  write %s = %s", line, at, value);
        break;
    case EVENT_ARRIVED:
        snprintf(text, room, "   (%s = %s is in memory now)", at, value);
        break;
    case EVENT_LOCK:
    case EVENT_UNLOCK:
    case EVENT_FREE:
        snprintf(text, room, "%s  %s %s", line, verb, at);
        break;
    case EVENT_CALL:
    case EVENT_ANSWER:
        snprintf(text, room, "%s%s", event->kind == EVENT_CALL ? "" : "   ", event->text);
        break;
    case EVENT_FAULT:
        snprintf(text, room, "^^^ %s", event->text);
        break;
    }
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
    access_text(event, text, sizeof text);
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
            source_want(events[i].where);
    fprintf(out, "%4s  %-*s | %s\n", "", COLUMN, machine_role(0), machine_role(1));
    for (size_t i = 0; i < event_count; i++)
        if (explains(&events[i], contents))
            print_event(out, &events[i], ++number);
    if (forgotten > 0)
        fprintf(out, "      ... and %zu more accesses\n", forgotten);
}
