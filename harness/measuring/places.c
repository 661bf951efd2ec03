#include "harness/measuring/places.h"
#include "harness/measuring/parameters.h"
#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the machine */

/* hwloc's parts that look for graphics cards are slow, and some print lines on stderr if there is no card; plugins
 * print as early as hwloc_topology_init. */
void *processors_only(void) {
    static const char *const others[] = {"rsmi", "nvml", "cuda", "opencl", "levelzero", "gl", "pci"};
    hwloc_topology_t topology;
    setenv("HWLOC_PLUGINS_PATH", "", 1);
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) /* skip parts that this hwloc does not have */
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, others[i]);
    return topology;
}

/* The processors that this process may use; or all processors of another machine. NULL, with a message: there is none.
 */
static hwloc_topology_t load_topology(const char *machine, char *message) {
    hwloc_topology_t topology = processors_only();
    const bool file = machine && access(machine, R_OK) == 0;
    if (!topology || (file && hwloc_topology_set_xml(topology, machine) != 0) ||
        (machine && !file && hwloc_topology_set_synthetic(topology, machine) != 0) ||
        hwloc_topology_load(topology) != 0) {
        if (topology)
            hwloc_topology_destroy(topology);
        snprintf(message, MESSAGE_SIZE, "hwloc could not load the topology of this machine");
        if (machine)
            snprintf(message, MESSAGE_SIZE,
                     "%.200s is neither an XML file of lstopo's nor a description like \"pack:2 [numa] core:32 pu:2\"",
                     machine);
        return NULL;
    }
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (!machine && hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_topology_restrict(topology, allowed, 0);
    hwloc_bitmap_free(allowed);
    return topology;
}

/* "2 sockets, 64 cores, 128 processors (0-127)" */
static void say_machine(hwloc_topology_t topology, char *text, size_t size) {
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_PU};
    static const char *const names[] = {"socket", "core", "processor"};
    char list[160];
    *text = '\0';
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        int count = hwloc_get_nbobjs_by_type(topology, types[i]);
        string_add(text, size, "%s%d %s%s", i ? ", " : "", count, names[i], count == 1 ? "" : "s");
    }
    hwloc_bitmap_list_snprintf(list, sizeof list, hwloc_topology_get_topology_cpuset(topology));
    string_add(text, size, " (%s)", list);
}

/* --- fast and saving cores */

/* The kind's processors, and the name of its cores: "IntelCore", or an ARM core's capacity. "": its cores have no name,
 * so only a frequency tells them from others. */
static const char *kind_at(hwloc_topology_t topology, int kind, hwloc_bitmap_t processors) {
    struct hwloc_info_s *facts;
    unsigned count = 0;
    if (hwloc_cpukinds_get_info(topology, (unsigned)kind, processors, NULL, &count, &facts, 0) != 0)
        return "";
    for (unsigned i = 0; i < count; i++)
        if (strcmp(facts[i].name, "CoreType") == 0 || strcmp(facts[i].name, "LinuxCapacity") == 0)
            return facts[i].value;
    return "";
}

/* The processors of all kinds of that name: hwloc also tells kinds apart by their frequencies. */
static hwloc_bitmap_t named_kinds(hwloc_topology_t topology, const char *name) {
    hwloc_bitmap_t all = hwloc_bitmap_alloc(), some = hwloc_bitmap_alloc();
    for (int kind = hwloc_cpukinds_get_nr(topology, 0); kind-- > 0;)
        if (strcmp(kind_at(topology, kind, some), name) == 0)
            hwloc_bitmap_or(all, all, some);
    hwloc_bitmap_free(some);
    return all;
}

/* Leaves only the processors of the fastest kind in the topology; all if they are alike. */
static void keep_fastest(hwloc_topology_t topology) {
    const int kinds = hwloc_cpukinds_get_nr(topology, 0);
    const char *name = kinds > 1 ? kind_at(topology, kinds - 1, NULL) : ""; /* hwloc's last is the fastest */
    if (!*name)
        return;
    hwloc_bitmap_t fastest = named_kinds(topology, name);
    hwloc_topology_restrict(topology, fastest, 0);
    hwloc_bitmap_free(fastest);
}

void kinds_text(void *topology, char *text, size_t size) {
    const char *before = "";
    unsigned names = 0;
    *text = '\0';
    for (int kind = hwloc_cpukinds_get_nr(topology, 0); kind-- > 0;) {
        const char *name = kind_at(topology, kind, NULL);
        char list[160];
        if (!*name || strcmp(name, before) == 0)
            continue;
        hwloc_bitmap_t processors = named_kinds(topology, name);
        hwloc_bitmap_list_snprintf(list, sizeof list, processors);
        hwloc_bitmap_free(processors);
        string_add(text, size, "%s%s %s", names++ ? ", " : "", name, list);
        before = name;
    }
    if (names < 2)
        *text = '\0';
}

bool places_find_facts(const char *machine, struct places_facts *facts, char *message) {
    hwloc_topology_t topology = load_topology(machine, message);
    *facts = (struct places_facts){0};
    if (!topology)
        return false;
    const bool told = !machine || access(machine, R_OK) == 0 || strstr(machine, "memory=");
    facts->memory = told ? hwloc_get_root_obj(topology)->total_memory : 0; /* hwloc makes up what is not described */
    facts->sockets = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
    say_machine(topology, facts->hardware, sizeof facts->hardware);
    kinds_text(topology, facts->kinds, sizeof facts->kinds);
    keep_fastest(topology);
    facts->processors = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    hwloc_topology_destroy(topology);
    return true;
}

/* --- placements: each lists processors in the order of the threads, and returns how many */

static int ordered[PLACES_MAX];

/* hwloc's order: all processors of a core before the next core. */
static unsigned siblings_order(hwloc_topology_t topology) {
    unsigned taken = 0;
    for (hwloc_obj_t one = NULL; taken < PLACES_MAX && (one = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, one));)
        ordered[taken++] = (int)one->os_index;
    return taken;
}

/* Adds the processors of these cores, except the cores in `without`, which may be NULL. Round k adds the k-th processor
 * of every core, so that no core has two before all have one. */
static void add_cores(hwloc_topology_t topology, hwloc_const_cpuset_t cores, hwloc_const_cpuset_t without,
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
                ordered[(*taken)++] = (int)processor->os_index;
        }
    }
}

static unsigned compact_order(hwloc_topology_t topology) {
    unsigned taken = 0;
    add_cores(topology, hwloc_topology_get_topology_cpuset(topology), NULL, &taken);
    return taken > 0 ? taken : siblings_order(topology);
}

/* hwloc's own distribution of so many threads over the machine. */
static unsigned scatter_order(hwloc_topology_t topology, unsigned threads) {
    static hwloc_bitmap_t sets[PLACES_MAX];
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    const unsigned processors = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    const unsigned wanted = threads < processors ? threads : processors;
    if (hwloc_distrib(topology, &root, 1, sets, wanted, INT_MAX, 0) != 0)
        return 0;
    for (unsigned i = 0; i < wanted; i++) {
        ordered[i] = hwloc_bitmap_first(sets[i]);
        hwloc_bitmap_free(sets[i]);
    }
    return wanted;
}

/* Puts the owner on the first processor, then lists every place with that relation to it for thieves. */
static unsigned related_order(hwloc_topology_t topology, const char *relation) {
    hwloc_const_cpuset_t all = hwloc_topology_get_topology_cpuset(topology);
    hwloc_obj_t owner = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, owner);
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, owner);
    hwloc_const_cpuset_t socket = package ? package->cpuset : all, own = core ? core->cpuset : owner->cpuset;
    unsigned taken = 0;
    ordered[taken++] = (int)owner->os_index;
    if (strcmp(relation, "same-core") == 0) {
        hwloc_obj_t sibling = owner;
        while ((sibling = hwloc_get_next_obj_inside_cpuset_by_type(topology, own, HWLOC_OBJ_PU, sibling)))
            ordered[taken++] = (int)sibling->os_index;
    } else if (strcmp(relation, "same-socket") == 0) {
        add_cores(topology, socket, own, &taken);
    } else {
        add_cores(topology, all, socket, &taken);
    }
    return taken;
}

static bool is_relation(const char *placement) {
    return choice_index("same-core|same-socket|cross-socket", placement) >= 0;
}

/* Reads "0+2+4". Returns 0 if it is no such list or names a processor that does not exist. */
static unsigned listed_order(hwloc_topology_t topology, const char *placement) {
    unsigned taken = 0;
    char *end;
    for (const char *at = placement; isdigit((unsigned char)*at) && taken < PLACES_MAX; at = end + 1) {
        unsigned long processor = strtoul(at, &end, 10);
        if (processor > INT_MAX ||
            !hwloc_bitmap_isset(hwloc_topology_get_topology_cpuset(topology), (unsigned)processor))
            return 0;
        ordered[taken++] = (int)processor;
        if (*end != '+')
            return *end == '\0' ? taken : 0;
    }
    return 0;
}

static unsigned find_order(hwloc_topology_t topology, const char *placement, unsigned threads) {
    if (choice_index("compact|mixed|none", placement) >= 0)
        return compact_order(topology);
    if (strcmp(placement, "siblings") == 0)
        return siblings_order(topology);
    if (strcmp(placement, "scatter") == 0)
        return scatter_order(topology, threads);
    return is_relation(placement) ? related_order(topology, placement) : listed_order(topology, placement);
}

int places_plan(struct places *places, const char *placement, unsigned threads, const char *machine, char *message) {
    char hardware[256];
    *places = (struct places){.count = threads};
    if (threads == 0 || threads > PLACES_MAX) {
        snprintf(message, MESSAGE_SIZE, "threads=%u: expected 1 to %d", threads, PLACES_MAX);
        return EINVAL;
    }
    hwloc_topology_t topology = load_topology(machine, message);
    if (!topology)
        return ENOMEM;
    places->topology = topology;
    const bool bound = strcmp(placement, "none") != 0;
    if (bound && strcmp(placement, "mixed") != 0 && !isdigit((unsigned char)*placement))
        keep_fastest(topology);
    places->processors = (unsigned)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    const unsigned found = find_order(topology, placement, threads);
    if (found > 0 && (threads <= found || !is_relation(placement))) {
        for (unsigned i = 0; i < threads; i++)
            places->processor[i] = bound ? ordered[i % found] : -1;
        places->oversubscribed = threads > found;
        return 0;
    }
    say_machine(topology, hardware, sizeof hardware);
    if (found == 0)
        snprintf(message, MESSAGE_SIZE,
                 "placement=%.96s: expected compact, siblings, scatter, same-core, same-socket, cross-socket, mixed, "
                 "none, or processors joined by +; this process may use %s",
                 placement, hardware);
    else
        snprintf(message, MESSAGE_SIZE,
                 "placement=%s: an owner and %u %s, but this placement has room for %u here; this process may use %s",
                 placement, threads - 1, threads == 2 ? "thief" : "thieves", found - 1, hardware);
    places_close(places);
    return found == 0 ? EINVAL : ENODEV;
}

int places_open(struct places *places, const struct cell *cell, unsigned threads) {
    const struct value *memory = settings_get(cell->settings, "memory");
    char message[MESSAGE_SIZE], nodes[64];
    int failure = places_plan(places, cell_text(cell, "placement"), threads, NULL, message);
    if (failure == 0 && memory)
        failure = places_memory_nodes(places, memory->text, nodes, sizeof nodes, message);
    if (failure == 0)
        return 0;
    places_close(places);
    fprintf(stderr, "stealbench: %s\n", message);
    if (failure != ENODEV)
        return failure == EINVAL ? 2 : 3;
    cell_no_sample(cell, "process", 0, "placement", "", "denied");
    return PLACES_DENIED;
}

int places_take(struct places *places, unsigned thread) {
    const int flags = HWLOC_CPUBIND_THREAD;
    places->got[thread] = -1;
    if (places->processor[thread] < 0)
        return -1;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_only(set, (unsigned)places->processor[thread]);
    if (hwloc_set_cpubind(places->topology, set, flags | HWLOC_CPUBIND_STRICT) == 0 &&
        hwloc_get_cpubind(places->topology, set, flags) == 0 && hwloc_bitmap_weight(set) == 1)
        places->got[thread] = hwloc_bitmap_first(set);
    hwloc_bitmap_free(set);
    return places->got[thread];
}

void places_close(struct places *places) {
    if (places->topology)
        hwloc_topology_destroy(places->topology);
    places->topology = NULL;
}

/* --- memory */

static void nodes_text(hwloc_const_bitmap_t nodes, char *text, size_t size) {
    *text = '\0';
    for (int node = hwloc_bitmap_first(nodes); node >= 0; node = hwloc_bitmap_next(nodes, node))
        string_add(text, size, "%s%d", *text ? "+" : "", node);
}

static bool has_nodes(const struct places *places) {
    return hwloc_get_nbobjs_by_type(places->topology, HWLOC_OBJ_NUMANODE) > 1;
}

/* Sets nodes to the node of a thread's processor. Returns false if the thread is not bound. */
static bool nodes_of_thread(const struct places *places, unsigned thread, hwloc_bitmap_t nodes) {
    if (thread >= places->count || places->processor[thread] < 0)
        return false;
    hwloc_obj_t processor = hwloc_get_pu_obj_by_os_index(places->topology, (unsigned)places->processor[thread]);
    return processor && processor->nodeset && hwloc_bitmap_copy(nodes, processor->nodeset) == 0;
}

/* The nodes that `memory` asks for; empty if it leaves that open. Returns 0, or ENODEV with a message. */
static int wanted_nodes(const struct places *places, const char *memory, hwloc_bitmap_t nodes, char *message) {
    const bool thief = strcmp(memory, "thief") == 0;
    if (strcmp(memory, "interleaved") == 0)
        hwloc_bitmap_copy(nodes, hwloc_topology_get_topology_nodeset(places->topology));
    else if (!nodes_of_thread(places, thief, nodes) && thief) {
        snprintf(message, MESSAGE_SIZE,
                 places->count < 2 ? "memory=thief: this cell has no thief"
                                   : "memory=thief: with placement=none no thief has a node of its own");
        return ENODEV;
    }
    return 0;
}

int places_memory_nodes(const struct places *places, const char *memory, char *text, size_t size, char *message) {
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    const int failure = wanted_nodes(places, memory, nodes, message);
    if (hwloc_bitmap_iszero(nodes))
        snprintf(text, size, "any");
    else
        nodes_text(nodes, text, size);
    hwloc_bitmap_free(nodes);
    return failure;
}

bool places_bind_memory(const struct places *places, const char *memory) {
    char message[MESSAGE_SIZE];
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    bool bound = wanted_nodes(places, memory, nodes, message) == 0;
    hwloc_membind_policy_t policy = strcmp(memory, "interleaved") == 0 ? HWLOC_MEMBIND_INTERLEAVE : HWLOC_MEMBIND_BIND;
    /* malloc may give the deque memory that the thread touched before: that memory moves, too */
    if (bound && !hwloc_bitmap_iszero(nodes) && has_nodes(places) &&
        hwloc_set_membind(places->topology, nodes, policy,
                          HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE) != 0) {
        bound = false;
        snprintf(message, sizeof message, "memory=%s: the system refuses to bind memory: %s", memory, strerror(errno));
    }
    hwloc_bitmap_free(nodes);
    if (!bound)
        fprintf(stderr, "stealbench: %s\n", message);
    return bound;
}

void places_bring_memory(const struct places *places, unsigned thread) {
    const int flags = HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET;
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    if (has_nodes(places) && nodes_of_thread(places, thread, nodes)) {
        hwloc_set_membind(places->topology, nodes, HWLOC_MEMBIND_BIND, flags | HWLOC_MEMBIND_MIGRATE);
        /* a thread inherits the binding of the thread that starts it */
        hwloc_set_membind(places->topology, hwloc_topology_get_topology_nodeset(places->topology),
                          HWLOC_MEMBIND_DEFAULT, flags);
    }
    hwloc_bitmap_free(nodes);
}

void places_note_memory(struct places *places, const void *address, size_t bytes) {
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    if (hwloc_get_area_memlocation(places->topology, address, bytes, nodes, HWLOC_MEMBIND_BYNODESET) == 0)
        nodes_text(nodes, places->nodes, sizeof places->nodes);
    if (!*places->nodes)
        snprintf(places->nodes, sizeof places->nodes, "unknown");
    hwloc_bitmap_free(nodes);
}

/* --- in words */

void places_list(const struct places *places, char *text, size_t size) {
    const int *processor = places->processor;
    *text = '\0';
    for (unsigned i = 0, next; i < places->count; i = next) {
        for (next = i + 1; next < places->count && processor[next] == processor[next - 1] + 1; next++)
            continue;
        string_add(text, size, "%s%d", *text ? "," : "", processor[i]);
        if (next > i + 1)
            string_add(text, size, "-%d", processor[next - 1]);
    }
    if (processor[0] < 0)
        snprintf(text, size, "any");
}

void places_text(const struct places *places, const char *first, const char *others, char *text, size_t size) {
    *text = '\0';
    for (unsigned i = 0; i < places->count; i++) {
        char worker[16], processor[16] = "any";
        snprintf(worker, sizeof worker, "w%u", i);
        if (places->got[i] >= 0)
            snprintf(processor, sizeof processor, "%d", places->got[i]);
        string_add(text, size, "%s%s:%s", *text ? ";" : "", i == 0 ? first : others ? others : worker, processor);
    }
    if (*places->nodes)
        string_add(text, size, "%smemory:%s", *text ? ";" : "", places->nodes);
}

void places_report(const struct places *places, const struct cell *cell, const char *first, const char *others) {
    char text[PLACES_MAX * 16 + sizeof places->nodes];
    if (cell->repetitions == 0) /* a check */
        return;
    places_text(places, first, others, text, sizeof text);
    cell_placement(text);
}
