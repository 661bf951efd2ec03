#include "harness/measuring/places.h"
#include "harness/measuring/parameters.h"
#include "harness/measuring/places_kinds.h"
#include "harness/measuring/processors_only.h"
#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets another machine: a description, or an XML file if one exists by that name. */
static int set_machine(hwloc_topology_t topology, const char *machine) {
    return access(machine, R_OK) == 0 ? hwloc_topology_set_xml(topology, machine)
                                      : hwloc_topology_set_synthetic(topology, machine);
}

/* The processors that this process may use, without I/O devices and other parts that take time to detect; or all
 * processors of another machine. */
static hwloc_topology_t load_topology(const char *machine) {
    hwloc_topology_t topology = processors_only();
    if (!topology)
        return NULL;
    if (machine && set_machine(topology, machine) != 0) {
        hwloc_topology_destroy(topology);
        return NULL;
    }
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return NULL;
    }
    if (!machine) {
        hwloc_bitmap_t mine = hwloc_bitmap_alloc();
        if (mine && hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_PROCESS) == 0)
            hwloc_topology_restrict(topology, mine, 0);
        hwloc_bitmap_free(mine);
    }
    return topology;
}

/* hwloc's order: all processors of a core before the next core. */
static unsigned siblings_order(hwloc_topology_t topology, int *order) {
    int processors = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    unsigned taken = 0;
    for (; taken < (unsigned)processors && taken < PLACES_MAX; taken++)
        order[taken] = (int)hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, taken)->os_index;
    return taken;
}

/* Adds the processors of these cores, except the cores in `without`, which may be NULL. Round k adds the k-th processor
 * of every core, so that no core has two before all have one. */
static void add_cores(hwloc_topology_t topology, hwloc_const_cpuset_t cores, hwloc_const_cpuset_t without, int *order,
                      unsigned *taken) {
    bool any = true;
    for (unsigned sibling = 0; any; sibling++) {
        hwloc_obj_t core = NULL;
        any = false;
        while ((core = hwloc_get_next_obj_inside_cpuset_by_type(topology, cores, HWLOC_OBJ_CORE, core))) {
            hwloc_obj_t processor = hwloc_get_obj_inside_cpuset_by_type(topology, core->cpuset, HWLOC_OBJ_PU, sibling);
            if (!processor || (without && hwloc_bitmap_isincluded(core->cpuset, without)))
                continue;
            any = true;
            if (*taken < PLACES_MAX)
                order[(*taken)++] = (int)processor->os_index;
        }
    }
}

static unsigned compact_order(hwloc_topology_t topology, int *order) {
    unsigned taken = 0;
    add_cores(topology, hwloc_topology_get_topology_cpuset(topology), NULL, order, &taken);
    return taken > 0 ? taken : siblings_order(topology, order);
}

/* hwloc's own distribution of so many threads over the machine. */
static unsigned scatter_order(hwloc_topology_t topology, unsigned threads, int *order) {
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    unsigned processors = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    unsigned wanted = threads < processors ? threads : processors;
    hwloc_bitmap_t *sets = calloc(wanted, sizeof(hwloc_bitmap_t));
    if (!sets || hwloc_distrib(topology, &root, 1, sets, wanted, INT_MAX, 0) != 0) {
        free(sets);
        return 0;
    }
    for (unsigned i = 0; i < wanted; i++) {
        order[i] = hwloc_bitmap_first(sets[i]);
        hwloc_bitmap_free(sets[i]);
    }
    free(sets);
    return wanted;
}

/* Puts the owner on the first processor, then lists every place with that relation to it for thieves. */
static unsigned related_order(hwloc_topology_t topology, const char *relation, int *order) {
    hwloc_const_cpuset_t all = hwloc_topology_get_topology_cpuset(topology);
    hwloc_obj_t owner = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, owner);
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, owner);
    hwloc_const_cpuset_t socket = package ? package->cpuset : all;
    unsigned taken = 0;
    order[taken++] = (int)owner->os_index;
    if (strcmp(relation, "same-core") == 0) {
        hwloc_obj_t sibling = owner;
        while (core &&
               (sibling = hwloc_get_next_obj_inside_cpuset_by_type(topology, core->cpuset, HWLOC_OBJ_PU, sibling)) &&
               taken < PLACES_MAX)
            order[taken++] = (int)sibling->os_index;
    } else if (strcmp(relation, "same-socket") == 0) {
        add_cores(topology, socket, core ? core->cpuset : owner->cpuset, order, &taken);
    } else {
        hwloc_bitmap_t others = hwloc_bitmap_dup(all);
        hwloc_bitmap_andnot(others, others, socket);
        add_cores(topology, others, socket, order, &taken);
        hwloc_bitmap_free(others);
    }
    return taken;
}

static bool is_relation(const char *placement) {
    return strcmp(placement, "same-core") == 0 || strcmp(placement, "same-socket") == 0 ||
           strcmp(placement, "cross-socket") == 0;
}

/* "2 sockets, 64 cores, 128 processors (0-127)" */
static void say_machine(hwloc_topology_t topology, char *text, size_t size) {
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_PU};
    static const char *const names[] = {"socket", "core", "processor"};
    char *list = NULL;
    size_t used = 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0] && used < size; i++) {
        int count = hwloc_get_nbobjs_by_type(topology, types[i]);
        used += (size_t)snprintf(text + used, size - used, "%s%d %s%s", i ? ", " : "", count, names[i],
                                 count == 1 ? "" : "s");
    }
    hwloc_bitmap_list_asprintf(&list, hwloc_topology_get_topology_cpuset(topology));
    if (used < size)
        snprintf(text + used, size - used, " (%.160s)", list ? list : "unknown");
    free(list);
}

static void say_processors(hwloc_topology_t topology, const char *placement, char *message) {
    char *has = NULL;
    hwloc_bitmap_list_asprintf(&has, hwloc_topology_get_topology_cpuset(topology));
    snprintf(message, MESSAGE_SIZE,
             "placement=%.96s: expected compact, siblings, scatter, same-core, same-socket, cross-socket, mixed, none, "
             "or processors joined by +; this process may use %.160s",
             placement, has ? has : "unknown processors");
    free(has);
}

static void say_too_many(hwloc_topology_t topology, const char *placement, unsigned threads, unsigned found,
                         char *message) {
    char machine[256];
    say_machine(topology, machine, sizeof machine);
    snprintf(message, MESSAGE_SIZE,
             "placement=%s: an owner and %u %s, but this placement has room for %u here; this process may use %s",
             placement, threads - 1, threads == 2 ? "thief" : "thieves", found - 1, machine);
}

/* Reads "0+2+4" into order. Returns 0 if it is no such list or names a processor that does not exist. */
static unsigned listed_order(hwloc_topology_t topology, const char *placement, int *order) {
    unsigned taken = 0;
    for (const char *at = placement;; at++) {
        char *end;
        if (!isdigit((unsigned char)*at) || taken == PLACES_MAX)
            return 0;
        unsigned long processor = strtoul(at, &end, 10);
        if (processor > INT_MAX ||
            !hwloc_bitmap_isset(hwloc_topology_get_topology_cpuset(topology), (unsigned)processor))
            return 0;
        order[taken++] = (int)processor;
        at = end;
        if (*at == '\0')
            return taken;
        if (*at != '+')
            return 0;
    }
}

static void say_no_machine(const char *machine, char *message) {
    if (!machine)
        snprintf(message, MESSAGE_SIZE, "hwloc could not load the topology of this machine");
    else
        snprintf(message, MESSAGE_SIZE,
                 "%.200s is neither an XML file of lstopo's nor a description like \"pack:2 [numa] core:32 pu:2\"",
                 machine);
}

bool places_facts(const char *machine, struct places_facts *facts, char *message) {
    hwloc_topology_t topology = load_topology(machine);
    *facts = (struct places_facts){0};
    if (!topology) {
        say_no_machine(machine, message);
        return false;
    }
    const bool told = !machine || access(machine, R_OK) == 0 || strstr(machine, "memory=");
    facts->memory = told ? hwloc_get_root_obj(topology)->total_memory : 0; /* hwloc makes up what is not described */
    facts->sockets = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
    say_machine(topology, facts->hardware, sizeof facts->hardware);
    kinds_text(topology, facts->kinds, sizeof facts->kinds);
    kinds_keep_fastest(topology);
    facts->processors = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    hwloc_topology_destroy(topology);
    return true;
}

int places_plan(struct places *places, const char *placement, unsigned threads, const char *machine, char *message) {
    static int order[PLACES_MAX];
    unsigned found;
    *places = (struct places){.count = threads};
    if (threads == 0 || threads > PLACES_MAX) {
        snprintf(message, MESSAGE_SIZE, "threads=%u: expected 1 to %d", threads, PLACES_MAX);
        return EINVAL;
    }
    hwloc_topology_t topology = load_topology(machine);
    if (!topology) {
        say_no_machine(machine, message);
        return ENOMEM;
    }
    places->topology = topology;
    if (strcmp(placement, "mixed") != 0 && strcmp(placement, "none") != 0 && !isdigit((unsigned char)*placement))
        kinds_keep_fastest(topology);
    places->processors = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    bool bound = strcmp(placement, "none") != 0;
    if (strcmp(placement, "compact") == 0 || strcmp(placement, "mixed") == 0 || !bound)
        found = compact_order(topology, order);
    else if (strcmp(placement, "siblings") == 0)
        found = siblings_order(topology, order);
    else if (strcmp(placement, "scatter") == 0)
        found = scatter_order(topology, threads, order);
    else if (is_relation(placement))
        found = related_order(topology, placement, order);
    else
        found = listed_order(topology, placement, order);
    if (found == 0) {
        say_processors(topology, placement, message);
        places_close(places);
        return EINVAL;
    }
    if (is_relation(placement) && threads > found) {
        say_too_many(topology, placement, threads, found, message);
        places_close(places);
        return ENODEV;
    }
    for (unsigned i = 0; i < threads; i++)
        places->processor[i] = bound ? order[i % found] : -1;
    places->oversubscribed = threads > found;
    return 0;
}

int places_open(struct places *places, const struct cell *cell, unsigned threads) {
    const struct value *memory = settings_get(cell->settings, "memory");
    char message[MESSAGE_SIZE], nodes[64];
    int failure = places_plan(places, cell_text(cell, "placement"), threads, NULL, message);
    if (failure == 0 && memory) {
        failure = places_memory_nodes(places, memory->text, nodes, sizeof nodes, message);
        if (failure != 0)
            places_close(places);
    }
    if (failure == 0)
        return 0;
    fprintf(stderr, "stealbench: %s\n", message);
    if (failure != ENODEV)
        return failure == EINVAL ? 2 : 3;
    cell_no_sample(cell, "process", 0, "placement", "", "denied");
    return PLACES_DENIED;
}

int places_take(struct places *places, unsigned thread) {
    hwloc_topology_t topology = places->topology;
    places->got[thread] = -1;
    if (places->processor[thread] < 0)
        return -1;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int got = -1;
    if (!set)
        return -1;
    hwloc_bitmap_only(set, (unsigned)places->processor[thread]);
    if (hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT) == 0 &&
        hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) == 0 && hwloc_bitmap_weight(set) == 1)
        got = hwloc_bitmap_first(set);
    hwloc_bitmap_free(set);
    places->got[thread] = got;
    return got;
}

void places_list(const struct places *places, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (unsigned i = 0, next; i < places->count && used < size; i = next) {
        const int *processor = places->processor;
        if (processor[i] < 0) {
            snprintf(text, size, "any");
            return;
        }
        for (next = i + 1; next < places->count && processor[next] == processor[next - 1] + 1; next++)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%d", i > 0 ? "," : "", processor[i]);
        if (next > i + 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, "-%d", processor[next - 1]);
    }
}

void places_text(const struct places *places, const char *first, const char *others, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (unsigned i = 0; i < places->count && used < size; i++) {
        char numbered[16], processor[16] = "any";
        snprintf(numbered, sizeof numbered, "w%u", i);
        if (places->got[i] >= 0)
            snprintf(processor, sizeof processor, "%d", places->got[i]);
        used += (size_t)snprintf(text + used, size - used, "%s%s:%s", i > 0 ? ";" : "",
                                 i == 0   ? first
                                 : others ? others
                                          : numbered,
                                 processor);
    }
    if (used < size && *places->nodes)
        snprintf(text + used, size - used, "%smemory:%s", used ? ";" : "", places->nodes);
}

void places_report(const struct places *places, const struct cell *cell, const char *first, const char *others) {
    char text[PLACES_MAX * 16 + sizeof places->nodes];
    if (cell->repetitions == 0) /* a check */
        return;
    places_text(places, first, others, text, sizeof text);
    cell_placement(text);
}

void places_close(struct places *places) {
    if (places->topology)
        hwloc_topology_destroy(places->topology);
    places->topology = NULL;
}
