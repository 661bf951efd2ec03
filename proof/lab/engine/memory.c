#include "proof/lab/engine/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALLOCATIONS_MAX 8192
#define COVERED_MAX 2
#define PAGE ((size_t)4096)
#define PATTERN 0xa5

struct allocation {
    uintptr_t start;
    size_t bytes;
    const char *name;
    uintptr_t freed_at;
};

struct covered {
    void *start;
    unsigned char *kept;
    size_t (*used)(void);
    size_t bytes; /* kept now */
};

unsigned char *memory_states;

static struct allocation allocations[ALLOCATIONS_MAX], kept_allocations[ALLOCATIONS_MAX];
static size_t allocation_count, kept_count;
static size_t heap_used, kept_used, dirty_used;
static unsigned char *kept_heap, *kept_states;
static struct covered covered[COVERED_MAX];
static size_t covered_count;

extern char __executable_start, _end; /* set by the linker */

void *memory_reserve(void *at, size_t bytes) {
    int fixed = at ? MAP_FIXED_NOREPLACE : 0;
    void *got = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    if (got == MAP_FAILED || (at && got != at)) {
        fprintf(stderr,
                "stealbench lab: cannot reserve %zu bytes of address space%s; raise the limit (ulimit -v unlimited)\n",
                bytes, at ? " at the lab's fixed place" : "");
        exit(3);
    }
    return got;
}

void memory_open(void) {
    memory_reserve((void *)MEMORY_BASE, MEMORY_BYTES);
    memory_states = memory_reserve(NULL, MEMORY_HEAP_BYTES / MEMORY_GRANULE);
    kept_states = memory_reserve(NULL, MEMORY_HEAP_BYTES / MEMORY_GRANULE);
    kept_heap = memory_reserve(NULL, MEMORY_HEAP_BYTES);
    for (size_t i = 0; i < MEMORY_STACKS; i++)
        mprotect((void *)(MEMORY_BASE + MEMORY_HEAP_BYTES + i * MEMORY_STACK_BYTES), PAGE, PROT_NONE);
}

void memory_stack(unsigned index, struct coroutine *coroutine) {
    uintptr_t low = MEMORY_BASE + MEMORY_HEAP_BYTES + index * MEMORY_STACK_BYTES;
    coroutine->stack_low = low + PAGE;
    coroutine->stack_high = low + MEMORY_STACK_BYTES;
}

static void set_states(uintptr_t start, size_t bytes, enum memory_state state) {
    memset(memory_states + (start - MEMORY_BASE) / MEMORY_GRANULE, (int)state,
           (bytes + MEMORY_GRANULE - 1) / MEMORY_GRANULE);
}

bool memory_scarce;
long memory_to_fail = -1;

void *memory_allocate(size_t bytes, size_t alignment) {
    if (memory_scarce || (memory_to_fail >= 0 && memory_to_fail-- == 0))
        return NULL;
    if (alignment < MEMORY_GRANULE)
        alignment = MEMORY_GRANULE;
    /* One granule stays unused before each allocation, so that running past an end is noticed. */
    size_t start = (heap_used + MEMORY_GRANULE + alignment - 1) & ~(alignment - 1);
    if (allocation_count == ALLOCATIONS_MAX || bytes > MEMORY_HEAP_BYTES || start > MEMORY_HEAP_BYTES - bytes)
        return NULL;
    heap_used = start + bytes;
    if (heap_used > dirty_used)
        dirty_used = heap_used;
    uintptr_t address = MEMORY_BASE + start;
    memset((void *)address, PATTERN, bytes);
    set_states(address, bytes, MEMORY_LIVE);
    allocations[allocation_count++] = (struct allocation){.start = address, .bytes = bytes};
    return (void *)address;
}

/* The allocation that contains address. Allocations are in ascending order. */
static struct allocation *find_allocation(uintptr_t address) {
    size_t low = 0, high = allocation_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (allocations[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    struct allocation *found = &allocations[low - 1];
    return address < found->start + found->bytes ? found : NULL;
}

bool memory_free(void *pointer, uintptr_t where) {
    if (!pointer)
        return true;
    struct allocation *allocation = find_allocation((uintptr_t)pointer);
    if (!allocation || allocation->start != (uintptr_t)pointer || allocation->freed_at)
        return false;
    allocation->freed_at = where ? where : 1;
    set_states(allocation->start, allocation->bytes, MEMORY_FREED);
    return true;
}

size_t memory_size(const void *pointer) {
    struct allocation *allocation = find_allocation((uintptr_t)pointer);
    return allocation && allocation->start == (uintptr_t)pointer && !allocation->freed_at ? allocation->bytes : 0;
}

size_t memory_unnamed(void) {
    size_t count = 0;
    for (size_t i = 0; i < allocation_count; i++)
        count += !allocations[i].freed_at && !allocations[i].name;
    return count;
}

void memory_name(const void *pointer, const char *name) {
    struct allocation *allocation = find_allocation((uintptr_t)pointer);
    if (allocation)
        allocation->name = name;
}

bool memory_named(uintptr_t address) {
    const struct allocation *allocation = find_allocation(address);
    return allocation && allocation->name;
}

void memory_describe(uintptr_t address, char *text, size_t size) {
    struct allocation *allocation = find_allocation(address);
    if (!allocation) {
        snprintf(text, size, "0x%llx", (unsigned long long)address);
        return;
    }
    const size_t inside = address - allocation->start;
    int used = allocation->name ? snprintf(text, size, "%s", allocation->name)
                                : snprintf(text, size, "memory%zu", (size_t)(allocation - allocations));
    if (inside > 0)
        snprintf(text + used, size - (size_t)used, "+%zu", inside);
}

uintptr_t memory_freed_at(uintptr_t address) {
    struct allocation *allocation = find_allocation(address);
    return allocation ? allocation->freed_at : 0;
}

void memory_clear(void) {
    memory_scarce = false;
    memory_to_fail = -1;
    memset(memory_states, MEMORY_UNUSED, dirty_used / MEMORY_GRANULE + 1);
    heap_used = allocation_count = dirty_used = 0;
}

void memory_keep(void) {
    kept_used = heap_used;
    kept_count = allocation_count;
    memcpy(kept_heap, (void *)MEMORY_BASE, heap_used);
    memcpy(kept_states, memory_states, heap_used / MEMORY_GRANULE + 1);
    memcpy(kept_allocations, allocations, allocation_count * sizeof *allocations);
    for (size_t i = 0; i < covered_count; i++) {
        covered[i].bytes = covered[i].used();
        memcpy(covered[i].kept, covered[i].start, covered[i].bytes);
    }
}

void memory_restore(void) {
    if (dirty_used > kept_used)
        memset(memory_states + kept_used / MEMORY_GRANULE, MEMORY_UNUSED,
               (dirty_used - kept_used) / MEMORY_GRANULE + 2);
    heap_used = dirty_used = kept_used;
    allocation_count = kept_count;
    memcpy((void *)MEMORY_BASE, kept_heap, kept_used);
    memcpy(memory_states, kept_states, kept_used / MEMORY_GRANULE + 1);
    memcpy(allocations, kept_allocations, kept_count * sizeof *allocations);
    for (size_t i = 0; i < covered_count; i++)
        memcpy(covered[i].start, covered[i].kept, covered[i].bytes);
}

void memory_cover(void *start, size_t max, size_t (*used)(void)) {
    if (max > 0)
        covered[covered_count++] = (struct covered){.start = start, .used = used, .kept = memory_reserve(NULL, max)};
}

bool memory_in_program(uintptr_t address) {
    return address >= (uintptr_t)&__executable_start && address < (uintptr_t)&_end;
}
