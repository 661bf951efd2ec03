#include "proof/lab/engine/source.h"
#include "proof/lab/engine/trace.h"
#include "proof/lab/verbs/verbs.h"
#include <stdio.h>
#include <string.h>

#define ROWS_MAX 256
#define CALL_MAX 256 /* most accesses of one call */
#define NAME_BYTES 64

/* The kinds of accesses: as printed, and the calls by which the source makes them. */
#define CALLS_MAX 3
static const struct {
    enum event_kind kind;
    const char *printed, *call[CALLS_MAX];
} accesses[] = {{EVENT_LOAD, "load", {"atomic_load"}},
                {EVENT_STORE, "store", {"atomic_store"}},
                {EVENT_RMW, "exchange", {"atomic_exchange"}},
                {EVENT_RMW, "fetch", {"atomic_fetch_"}},
                {EVENT_CAS, "cas", {"atomic_compare_exchange"}},
                {EVENT_CAS_FAILED, "cas failed", {"atomic_compare_exchange"}},
                {EVENT_LOCK, "lock", {"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_spin_lock"}},
                {EVENT_UNLOCK, "unlock", {"pthread_mutex_unlock", "pthread_spin_unlock"}}};
#define ACCESSES (sizeof accesses / sizeof accesses[0])

struct row {
    char outcome[NAME_BYTES], function[NAME_BYTES], variable[NAME_BYTES];
    const char *access;
    int order;
    unsigned calls, count, last_call;
};
static struct row rows[ROWS_MAX];
static size_t row_count;
static struct {
    char outcome[NAME_BYTES];
    unsigned calls;
} outcomes[8];
static size_t outcome_count;

/* The names that the source gives to an address, and how often each occurs. */
#define VOTES_MAX 4096
static struct vote {
    uintptr_t address;
    char name[NAME_BYTES];
    unsigned count;
} votes[VOTES_MAX];
static size_t vote_count;

static unsigned seen_thread;
static struct event of_call[CALL_MAX];
static size_t made;
static unsigned call_number;
static bool inside;

/* The last field in the first argument of a call: "claim" in "(&victim->blocks[i].claim, ...". */
static void field_of_argument(const char *open, char *name, size_t size) {
    int depth = 0;
    size_t length = 0;
    name[0] = '\0';
    for (const char *at = open; *at; at++) {
        depth += (*at == '(') + (*at == '[') - (*at == ')') - (*at == ']');
        if (depth == 0 || (depth == 1 && *at == ','))
            break;
        if (depth > 1 || *at == ']' || *at == ')')
            continue;
        bool word =
            (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '_';
        if (!word && *at != '[')
            length = 0;
        else if (word && length + 1 < size) {
            name[length++] = *at;
            name[length] = '\0';
        }
    }
}

/* Finds all variables that this text passes to an access of that name; names both if there are two. */
static bool name_variables(const char *text, const char *call, char *variable, size_t size, bool named) {
    for (const char *at = text; (at = strstr(at, call)) && (at = strchr(at, '('));) {
        char field[NAME_BYTES];
        field_of_argument(at, field, sizeof field);
        size_t length = named ? strlen(variable) : 0;
        if (!named || strcmp(variable, field) != 0)
            snprintf(variable + length, size - length, "%s%s", named ? "|" : "", field);
        named = true;
    }
    return named;
}

/* Names the access and its variable, by its source line or, if the line does not show it, by the whole statement. */
static const char *name_access(const struct event *event, char *variable, size_t size) {
    const char *printed = "rmw";
    snprintf(variable, size, "%s", source_name(event->where));
    for (int whole = 0; whole < 2; whole++) {
        const char *text = whole ? source_statement(event->where) : source_line(event->where);
        for (size_t i = 0; text && i < ACCESSES; i++) {
            if (accesses[i].kind != event->kind)
                continue;
            bool named = false;
            printed = accesses[i].printed;
            for (int form = 0; form < CALLS_MAX && accesses[i].call[form]; form++)
                named = name_variables(text, accesses[i].call[form], variable, size, named);
            if (named)
                return printed;
        }
    }
    return event->kind == EVENT_RMW ? "rmw" : printed;
}

/* The name that most accesses of this address have: a compiler that merged two branches may report the wrong line. */
static const char *elected(uintptr_t address, const char *otherwise) {
    const struct vote *best = NULL;
    for (const struct vote *vote = votes; vote < votes + vote_count; vote++)
        if (vote->address == address && (!best || vote->count > best->count))
            best = vote;
    return best ? best->name : otherwise;
}

static void add(const struct event *event, const char *outcome) {
    char named[NAME_BYTES];
    const char *access = name_access(event, named, sizeof named), *function = source_function(event->where);
    const char *variable = elected(event->address, named);
    struct row *row = rows;
    while (row < rows + row_count &&
           (strcmp(row->outcome, outcome) != 0 || strcmp(row->function, function) != 0 ||
            strcmp(row->variable, variable) != 0 || row->access != access || row->order != event->order))
        row++;
    if (row == rows + row_count) {
        if (row_count == ROWS_MAX)
            return;
        row_count++;
        *row = (struct row){.access = access, .order = event->order};
        snprintf(row->outcome, sizeof row->outcome, "%s", outcome);
        snprintf(row->function, sizeof row->function, "%s", function);
        snprintf(row->variable, sizeof row->variable, "%s", variable);
    }
    row->count++;
    row->calls += row->last_call != call_number;
    row->last_call = call_number;
}

/* "steal: OK item3" -> "ok" */
static void outcome_of(const char *answer, char *outcome, size_t size) {
    const char *colon = strstr(answer, ": ");
    size_t length = 0;
    for (const char *at = colon ? colon + 2 : ""; *at >= 'A' && *at <= 'Z' && length + 1 < size; at++)
        outcome[length++] = (char)(*at - 'A' + 'a');
    outcome[length] = '\0';
}

static void end_call(const char *answer) {
    char outcome[NAME_BYTES];
    outcome_of(answer, outcome, sizeof outcome);
    size_t i = 0;
    while (i < outcome_count && strcmp(outcomes[i].outcome, outcome) != 0)
        i++;
    if (i == outcome_count && outcome_count < sizeof outcomes / sizeof outcomes[0]) {
        snprintf(outcomes[i].outcome, sizeof outcomes[i].outcome, "%s", outcome);
        outcomes[outcome_count++].calls = 0;
    }
    if (i < outcome_count)
        outcomes[i].calls++;
    call_number++;
    for (size_t j = 0; j < made; j++)
        add(&of_call[j], outcome);
    made = 0;
    inside = false;
}

static bool is_access(enum event_kind kind) {
    for (size_t i = 0; i < ACCESSES; i++)
        if (accesses[i].kind == kind)
            return true;
    return false;
}

static void see(const struct event *event) {
    if (event->thread != seen_thread)
        return;
    if (event->kind == EVENT_CALL) {
        inside = true;
        made = 0;
    } else if (inside && event->kind == EVENT_ANSWER)
        end_call(event->text);
    else if (inside && is_access(event->kind) && made < CALL_MAX)
        of_call[made++] = *event;
}

static void want(const struct event *event) {
    if (is_access(event->kind))
        source_want(event->where);
}

static void learn(const struct event *event) {
    char name[NAME_BYTES];
    if (!is_access(event->kind))
        return;
    name_access(event, name, sizeof name);
    struct vote *vote = votes;
    while (vote < votes + vote_count && (vote->address != event->address || strcmp(vote->name, name) != 0))
        vote++;
    if (vote == votes + VOTES_MAX)
        return;
    if (vote == votes + vote_count) {
        vote_count++;
        vote->address = event->address;
        snprintf(vote->name, sizeof vote->name, "%s", name);
    }
    vote->count++;
}

void variables_learn(void) {
    trace_each(want); /* asked for all at once */
    trace_each(learn);
}

void variables_print_head(void) {
    printf("deque,operation,situation,outcome,calls,function,variable,access,order,by_calls,count\n");
}

void variables_print(unsigned thread, const char *id, const char *operation, const char *situation) {
    seen_thread = thread;
    row_count = outcome_count = 0;
    call_number = 0;
    inside = false;
    trace_each(see);
    for (size_t o = 0; o < outcome_count; o++)
        for (const struct row *row = rows; row < rows + row_count; row++)
            if (strcmp(row->outcome, outcomes[o].outcome) == 0)
                printf("%s,%s,%s,%s,%u,%s,%s,%s,%s,%u,%u\n", id, operation, situation, row->outcome, outcomes[o].calls,
                       row->function, row->variable, row->access, trace_order_name(row->order), row->calls, row->count);
}
