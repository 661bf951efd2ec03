#include "proof/lab/engine/races.h"
#include <string.h>
#include <sys/mman.h>

/* Bytes that a cell watches. When one thread accesses two neighbouring fields of a cell at different times, the older
 * access is forgotten. Smaller cells would cost time and catch little more. */
#define CELL_BYTES 8
#define EVERY_BYTE 0xff
#define GLOBALS_MAX ((size_t)1 << 20)
#define CLOCK_LIMIT (UINT32_MAX / 2)

enum kind { PLAIN_READ, PLAIN_WRITE, ATOMIC_READ, ATOMIC_WRITE, KINDS };

/* The last access of each kind by each thread: its time, its place in the code, and which of the cell's bytes. */
struct cell {
    uint8_t threads[KINDS]; /* bits of the threads whose accesses may matter */
    uint8_t bytes[KINDS][LAB_CLOCKS];
    uint32_t clock[KINDS][LAB_CLOCKS];
    uint32_t where[KINDS][LAB_CLOCKS]; /* the executable lies below 4 GiB */
};

static struct cell *cells;
static struct clocks *carried_by; /* clocks by the address of an atomic object */
static uintptr_t globals_start;
static size_t globals_size;

static struct clocks seen[LAB_CLOCKS];           /* what each thread knows of the others */
static struct clocks read_unfenced[LAB_CLOCKS];  /* brought by relaxed loads, known after an acquire fence */
static struct clocks release_fenced[LAB_CLOCKS]; /* known at the last release fence: relaxed stores carry it */
static uint32_t begun[LAB_CLOCKS];               /* each thread's clock when the run began */

#define CELLS_SIZE ((MEMORY_BYTES + GLOBALS_MAX) / CELL_BYTES * sizeof(struct cell))
#define CARRIED_SIZE ((MEMORY_BYTES + GLOBALS_MAX) * sizeof(struct clocks))

static void start_clocks(void) {
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++) {
        seen[thread] = (struct clocks){{0}};
        seen[thread].at[thread] = 1;
    }
}

void races_open(uintptr_t globals, size_t globals_bytes) {
    cells = memory_reserve(NULL, CELLS_SIZE);
    carried_by = memory_reserve(NULL, CARRIED_SIZE);
    globals_start = globals;
    globals_size = globals_bytes < GLOBALS_MAX ? globals_bytes : GLOBALS_MAX;
    start_clocks();
}

/* Index of an address in the tables, in bytes; SIZE_MAX for memory that is not watched (constants). */
static inline size_t place(uintptr_t address) {
    if (memory_in_lab(address))
        return address - MEMORY_BASE;
    if (address - globals_start < globals_size)
        return MEMORY_BYTES + (address - globals_start);
    return SIZE_MAX;
}

static void join(struct clocks *into, const struct clocks *from) {
    for (unsigned i = 0; i < LAB_CLOCKS; i++)
        if (into->at[i] < from->at[i])
            into->at[i] = from->at[i];
}

/* Clocks have 32 bits. Long before they wrap, the start of a run forgets everything. */
static void forget(void) {
    madvise(cells, CELLS_SIZE, MADV_DONTNEED);
    madvise(carried_by, CARRIED_SIZE, MADV_DONTNEED);
    start_clocks();
}

void races_begin(void) {
    struct clocks now;
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++) {
        now.at[thread] = seen[thread].at[thread];
        if (now.at[thread] > CLOCK_LIMIT) {
            forget();
            races_begin();
            return;
        }
    }
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++) {
        begun[thread] = now.at[thread];
        seen[thread] = now;
        seen[thread].at[thread]++;
        read_unfenced[thread] = release_fenced[thread] = (struct clocks){{0}};
    }
}

void races_join(void) {
    for (unsigned thread = 0; thread < LAB_CLOCKS; thread++)
        join(&seen[LAB_MAIN], &seen[thread]);
}

/* The first thread that accessed these bytes in this way without `thread` knowing; LAB_CLOCKS: none. Removes accesses
 * of earlier runs. */
static unsigned unordered(struct cell *cell, enum kind kind, unsigned thread, unsigned bytes) {
    for (unsigned left = cell->threads[kind] & ~(1u << thread); left; left &= left - 1) {
        unsigned other = (unsigned)__builtin_ctz(left);
        if (cell->clock[kind][other] <= begun[other])
            cell->threads[kind] = (uint8_t)(cell->threads[kind] & ~(1u << other));
        else if (cell->clock[kind][other] > seen[thread].at[other] && (cell->bytes[kind][other] & bytes))
            return other;
    }
    return LAB_CLOCKS;
}

static inline bool conflicts(struct cell *cell, enum kind kind, unsigned thread, unsigned bytes, struct race *race) {
    if (!(cell->threads[kind] & ~(1u << thread)))
        return false;
    unsigned other = unordered(cell, kind, thread, bytes);
    if (other == LAB_CLOCKS)
        return false;
    race->first = (struct racing){other, kind == PLAIN_WRITE || kind == ATOMIC_WRITE, kind >= ATOMIC_READ,
                                  cell->where[kind][other]};
    return true;
}

static inline void note(struct cell *cell, enum kind kind, unsigned thread, unsigned bytes, uint32_t now,
                        uintptr_t where) {
    bool same = cell->clock[kind][thread] == now;
    cell->bytes[kind][thread] = (uint8_t)(same ? cell->bytes[kind][thread] | bytes : bytes);
    cell->clock[kind][thread] = now;
    cell->where[kind][thread] = (uint32_t)where;
    cell->threads[kind] = (uint8_t)(cell->threads[kind] | 1u << thread);
}

/* Which bytes of the cell at offset the access to [from, from + size) covers, as bits. */
static inline unsigned covered_bytes(size_t offset, size_t from, unsigned size) {
    size_t low = from > offset ? from - offset : 0;
    size_t high = from + size - offset < CELL_BYTES ? from + size - offset : CELL_BYTES;
    return ((1u << high) - 1) & ~((1u << low) - 1);
}

bool races_access(unsigned thread, uintptr_t address, unsigned size, bool atomic, bool write, bool same,
                  uintptr_t where, struct race *race) {
    size_t from = place(address);
    bool raced = false;
    if (from == SIZE_MAX)
        return false;
    for (size_t offset = from / CELL_BYTES * CELL_BYTES; offset < from + size; offset += CELL_BYTES) {
        struct cell *cell = &cells[offset / CELL_BYTES];
        unsigned bytes = covered_bytes(offset, from, size);
        if (!raced)
            raced = conflicts(cell, PLAIN_WRITE, thread, bytes, race) ||
                    (!atomic && conflicts(cell, ATOMIC_WRITE, thread, bytes, race)) ||
                    (write && !same && conflicts(cell, PLAIN_READ, thread, bytes, race)) ||
                    (write && !atomic && conflicts(cell, ATOMIC_READ, thread, bytes, race));
        note(cell, atomic ? (write ? ATOMIC_WRITE : ATOMIC_READ) : (write ? PLAIN_WRITE : PLAIN_READ), thread, bytes,
             seen[thread].at[thread], where);
    }
    if (raced) {
        race->address = address;
        race->second = (struct racing){thread, write, atomic, where};
    }
    return raced;
}

bool races_shared(unsigned thread, uintptr_t address, unsigned size) {
    size_t from = place(address);
    if (from == SIZE_MAX)
        return false;
    for (size_t offset = from / CELL_BYTES * CELL_BYTES; offset < from + size; offset += CELL_BYTES)
        for (unsigned other = 0; other < LAB_CLOCKS; other++)
            for (unsigned kind = 0; kind < KINDS && other != thread; kind++)
                if (cells[offset / CELL_BYTES].clock[kind][other] > begun[other])
                    return true;
    return false;
}

void races_loaded(unsigned thread, uintptr_t address, int order) {
    size_t at = place(address);
    if (at != SIZE_MAX)
        races_read(thread, &carried_by[at], order);
}

void races_read(unsigned thread, const struct clocks *carried, int order) {
    join(&read_unfenced[thread], carried);
    if (order_acquires(order))
        join(&seen[thread], carried);
}

void races_carried(uintptr_t address, struct clocks *carried) {
    size_t at = place(address);
    *carried = at == SIZE_MAX ? (struct clocks){{0}} : carried_by[at];
}

void races_release(unsigned thread, int order, struct clocks *carried) {
    *carried = release_fenced[thread];
    if (!order_releases(order))
        return;
    *carried = seen[thread];
    seen[thread].at[thread]++; /* later accesses are not covered */
}

void races_arrived(uintptr_t address, const struct clocks *carried, bool read_modify_write) {
    size_t at = place(address);
    if (at == SIZE_MAX)
        return;
    if (read_modify_write)
        join(&carried_by[at], carried);
    else
        carried_by[at] = *carried;
}

void races_fence(unsigned thread, int order) {
    if (order_acquires(order))
        join(&seen[thread], &read_unfenced[thread]);
    if (order_releases(order)) {
        release_fenced[thread] = seen[thread];
        seen[thread].at[thread]++;
    }
}

/* Slots */

#define READS_MAX 64 /* reads in one operation; further reads are not watched */

struct slot_read {
    uintptr_t address, where;
    uint64_t value;
    uint32_t clock;
    unsigned writer; /* a thread that has stored there since, unordered; LAB_CLOCKS: none */
    uintptr_t written_where;
};

static struct slot_read reads[LAB_CLOCKS][READS_MAX];
static unsigned reads_made[LAB_CLOCKS];
static uintptr_t noted[LAB_CLOCKS]; /* the slot from which this thread's last item came */

void slot_reads_begin(unsigned thread) { reads_made[thread] = 0; }

void slot_reads_loaded(unsigned thread, uintptr_t address, uint64_t value, uintptr_t where) {
    if (reads_made[thread] < READS_MAX)
        reads[thread][reads_made[thread]++] = (struct slot_read){
            .address = address, .where = where, .value = value, .clock = seen[thread].at[thread], .writer = LAB_CLOCKS};
}

void slot_reads_stored(unsigned thread, uintptr_t address, uint64_t value, uintptr_t where) {
    if (noted[thread] == address && place(address) != SIZE_MAX)
        cells[place(address) / CELL_BYTES].clock[PLAIN_READ][thread] = 0;
    for (unsigned other = 0; other < LAB_CLOCKS; other++)
        for (unsigned i = 0; i < reads_made[other] && other != thread; i++) {
            struct slot_read *read = &reads[other][i];
            if (read->address == address && read->value != value && read->writer == LAB_CLOCKS &&
                seen[thread].at[other] < read->clock) {
                read->writer = thread;
                read->written_where = where;
            }
        }
}

void slot_reads_exchanged(unsigned thread, uintptr_t address) {
    for (unsigned i = 0; i < reads_made[thread]; i++)
        if (reads[thread][i].address == address)
            reads[thread][i] = reads[thread][--reads_made[thread]], i--;
}

bool slot_reads_came_out(unsigned thread, uint64_t value, struct race *race) {
    for (unsigned i = reads_made[thread]; i-- > 0;) {
        const struct slot_read *read = &reads[thread][i];
        if (read->value != value)
            continue;
        if (read->writer == LAB_CLOCKS) {
            size_t at = place(noted[thread] = read->address);
            if (at != SIZE_MAX && cells[at / CELL_BYTES].clock[PLAIN_READ][thread] <= read->clock)
                note(&cells[at / CELL_BYTES], PLAIN_READ, thread, EVERY_BYTE, read->clock, read->where);
            return false;
        }
        *race = (struct race){
            read->address, {thread, false, true, read->where}, {read->writer, true, true, read->written_where}};
        return true;
    }
    return false;
}
