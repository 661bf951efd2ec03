/* places_memory.c: binds a deque's memory to a node, and looks up the node. */
#include "harness/measuring/places.h"
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

static void nodes_text(hwloc_const_bitmap_t nodes, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (int node = hwloc_bitmap_first(nodes); node >= 0 && used < size; node = hwloc_bitmap_next(nodes, node))
        used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "+" : "", node);
}

/* Sets nodes to the node of a thread's processor. Returns false if the thread is not bound. */
static bool nodes_of_thread(const struct places *places, unsigned thread, hwloc_bitmap_t nodes) {
    if (thread >= places->count || places->processor[thread] < 0)
        return false;
    hwloc_obj_t processor = hwloc_get_pu_obj_by_os_index(places->topology, (unsigned)places->processor[thread]);
    if (!processor || !processor->nodeset)
        return false;
    hwloc_bitmap_copy(nodes, processor->nodeset);
    return true;
}

/* The nodes that `memory` asks for; empty if it leaves that open. Returns 0, or ENODEV with a message. */
static int wanted_nodes(const struct places *places, const char *memory, hwloc_bitmap_t nodes, char *message) {
    hwloc_bitmap_zero(nodes);
    if (strcmp(memory, "interleaved") == 0) {
        hwloc_bitmap_copy(nodes, hwloc_topology_get_topology_nodeset(places->topology));
    } else if (strcmp(memory, "thief") == 0 && !nodes_of_thread(places, 1, nodes)) {
        snprintf(message, MESSAGE_SIZE,
                 places->count < 2 ? "memory=thief: this cell has no thief"
                                   : "memory=thief: with placement=none no thief has a node of its own");
        return ENODEV;
    } else if (strcmp(memory, "owner") == 0) {
        nodes_of_thread(places, 0, nodes);
    }
    return 0;
}

int places_memory_nodes(const struct places *places, const char *memory, char *text, size_t size, char *message) {
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    int failure = nodes ? wanted_nodes(places, memory, nodes, message) : ENOMEM;
    if (failure == 0 && hwloc_bitmap_iszero(nodes))
        snprintf(text, size, "any");
    else if (failure == 0)
        nodes_text(nodes, text, size);
    hwloc_bitmap_free(nodes);
    return failure;
}

bool places_bind_memory(const struct places *places, const char *memory) {
    char message[MESSAGE_SIZE] = "no memory";
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    bool bound = nodes && wanted_nodes(places, memory, nodes, message) == 0;
    hwloc_membind_policy_t policy = strcmp(memory, "interleaved") == 0 ? HWLOC_MEMBIND_INTERLEAVE : HWLOC_MEMBIND_BIND;
    /* malloc may give the deque memory that the thread touched before: that memory moves, too */
    if (bound && !hwloc_bitmap_iszero(nodes) && hwloc_get_nbobjs_by_type(places->topology, HWLOC_OBJ_NUMANODE) > 1 &&
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
    if (nodes && hwloc_get_nbobjs_by_type(places->topology, HWLOC_OBJ_NUMANODE) > 1 &&
        nodes_of_thread(places, thread, nodes)) {
        hwloc_set_membind(places->topology, nodes, HWLOC_MEMBIND_BIND, flags | HWLOC_MEMBIND_MIGRATE);
        /* a thread inherits the binding of the thread that starts it */
        hwloc_set_membind(places->topology, hwloc_topology_get_topology_nodeset(places->topology),
                          HWLOC_MEMBIND_DEFAULT, flags);
    }
    hwloc_bitmap_free(nodes);
}

void places_note_memory(struct places *places, const void *address, size_t bytes) {
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    snprintf(places->nodes, sizeof places->nodes, "unknown");
    if (nodes && hwloc_get_area_memlocation(places->topology, address, bytes, nodes, HWLOC_MEMBIND_BYNODESET) == 0 &&
        !hwloc_bitmap_iszero(nodes))
        nodes_text(nodes, places->nodes, sizeof places->nodes);
    hwloc_bitmap_free(nodes);
}
