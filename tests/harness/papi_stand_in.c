/* papi_stand_in.c: a libpapi whose counts and failures are scripted, loaded in its place by STEALBENCH_PAPI.
 *
 * The script is what the test put into `stand_in`, which it finds by name, or for processes of their own the
 * environment's PAPI_STAND_IN: "PAPI_L1_DCM=4000 PAPI_L2_TCM=300". Every event counts as many as its entry says in each
 * window that holds it; the processor has `counters` of them; an event that is not scripted does not exist.
 */
#include "tests/harness/papi_stand_in.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
enum { INVALID = -1, NO_EVENT = -7, CONFLICT = -8, NOT_RUNNING = -9, IS_RUNNING = -10, NO_SET = -11, DISABLED = -25 };

EXPORTED struct papi_stand_in stand_in;

__attribute__((constructor)) static void read_script(void) {
    const char *script = getenv("PAPI_STAND_IN");
    int used;
    for (int i = 0; script && i < STAND_IN_EVENTS; i++, script += used) {
        if (sscanf(script, " %63[^=]=%lld%n", stand_in.event[i].name, &stand_in.event[i].count, &used) != 2)
            break;
        stand_in.version = 7 << 24;
        stand_in.counters = STAND_IN_EVENTS;
    }
}

struct set {
    int event[STAND_IN_EVENTS];
    int count;
    bool made, running, multiplexed;
};
static struct set sets[STAND_IN_SETS];

static struct set *set_of(int number) {
    return number >= 0 && number < STAND_IN_SETS && sets[number].made ? &sets[number] : NULL;
}

EXPORTED int PAPI_library_init(int version) {
    if (version != stand_in.version)
        return INVALID;
    return stand_in.init_failure ? stand_in.init_failure : version;
}
EXPORTED int PAPI_thread_init(unsigned long (*identify)(void)) { return identify() ? 0 : INVALID; }
EXPORTED int PAPI_multiplex_init(void) { return 0; }
EXPORTED int PAPI_set_domain(int domain) {
    stand_in.domain = domain;
    return 0;
}
EXPORTED int PAPI_num_components(void) { return 1; }

/* Laid out as PAPI_component_info_t begins. */
EXPORTED const void *PAPI_get_component_info(int number) {
    static struct {
        char name[128], short_name[64], description[128], version[64], support_version[64], kernel_version[64];
        char reason[1024];
    } info = {.name = "stand_in"};
    snprintf(info.reason, sizeof info.reason, "%s", stand_in.disabled);
    return number == 0 ? &info : NULL;
}

EXPORTED int PAPI_create_eventset(int *number) {
    for (int i = 0; i < STAND_IN_SETS; i++) {
        bool free_one = false;
        /* threads make sets at the same time */
        static atomic_flag taken[STAND_IN_SETS];
        free_one = !atomic_flag_test_and_set(&taken[i]);
        if (!free_one)
            continue;
        sets[i] = (struct set){.made = true};
        *number = i;
        return 0;
    }
    return NO_SET;
}
EXPORTED int PAPI_assign_eventset_component(int number, int component) {
    return set_of(number) && component == 0 ? 0 : INVALID;
}
EXPORTED int PAPI_set_multiplex(int number) {
    struct set *set = set_of(number);
    if (!set)
        return NO_SET;
    set->multiplexed = true;
    return 0;
}
EXPORTED int PAPI_event_name_to_code(const char *name, int *code) {
    if (*stand_in.disabled)
        return DISABLED;
    for (int i = 0; i < STAND_IN_EVENTS; i++) {
        if (strcmp(stand_in.event[i].name, name) != 0)
            continue;
        *code = i;
        return stand_in.event[i].failure;
    }
    return NO_EVENT;
}
EXPORTED int PAPI_add_event(int number, int code) {
    struct set *set = set_of(number);
    if (!set)
        return NO_SET;
    if (!set->multiplexed && set->count == stand_in.counters && !stand_in.conflicts_at_start)
        return CONFLICT;
    set->event[set->count++] = code;
    return 0;
}
EXPORTED int PAPI_start(int number) {
    struct set *set = set_of(number);
    if (!set)
        return NO_SET;
    if (set->running)
        return IS_RUNNING;
    if (!set->multiplexed && set->count > stand_in.counters)
        return CONFLICT;
    if (stand_in.start_failure)
        return stand_in.start_failure;
    set->running = true;
    return 0;
}
EXPORTED int PAPI_stop(int number, long long *values) {
    struct set *set = set_of(number);
    if (!set || !set->running)
        return set ? NOT_RUNNING : NO_SET;
    set->running = false;
    for (int i = 0; i < set->count; i++)
        values[i] = stand_in.event[set->event[i]].count;
    return 0;
}
EXPORTED int PAPI_cleanup_eventset(int number) { return set_of(number) ? 0 : NO_SET; }
EXPORTED int PAPI_destroy_eventset(int *number) {
    stand_in.destroyed += set_of(*number) != NULL;
    *number = -1;
    return 0;
}
EXPORTED int PAPI_unregister_thread(void) { return 0; }
EXPORTED char *PAPI_strerror(int code) {
    static char text[32];
    snprintf(text, sizeof text, "stand-in says %d", code);
    return text;
}
