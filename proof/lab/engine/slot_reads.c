#include "proof/lab/engine/slot_reads.h"

#define READS_MAX 64 /* reads in one operation; further reads are not watched */
#define POINTER_BYTES 8

struct slot_read {
    uintptr_t address, where;
    uint64_t value;
    uint32_t clock;
    unsigned writer; /* a thread that has stored there since, unordered; LAB_CLOCKS: none */
    uintptr_t written_where;
};

static struct slot_read reads[LAB_CLOCKS][READS_MAX];
static unsigned count[LAB_CLOCKS];
static uintptr_t noted[LAB_CLOCKS]; /* the slot from which this thread's last item came */

void slot_reads_begin(unsigned thread) { count[thread] = 0; }

void slot_reads_loaded(unsigned thread, uintptr_t address, uint64_t value, uintptr_t where) {
    if (count[thread] < READS_MAX)
        reads[thread][count[thread]++] = (struct slot_read){
            .address = address, .where = where, .value = value, .clock = races_clock(thread), .writer = LAB_CLOCKS};
}

void slot_reads_stored(unsigned thread, uintptr_t address, uint64_t value, uintptr_t where) {
    if (noted[thread] == address)
        races_forget_read(thread, address);
    for (unsigned other = 0; other < LAB_CLOCKS; other++)
        for (unsigned i = 0; i < count[other] && other != thread; i++) {
            struct slot_read *read = &reads[other][i];
            if (read->address == address && read->value != value && read->writer == LAB_CLOCKS &&
                !races_knows(thread, other, read->clock)) {
                read->writer = thread;
                read->written_where = where;
            }
        }
}

void slot_reads_exchanged(unsigned thread, uintptr_t address) {
    for (unsigned i = 0; i < count[thread]; i++)
        if (reads[thread][i].address == address)
            reads[thread][i] = reads[thread][--count[thread]], i--;
}

bool slot_reads_came_out(unsigned thread, uint64_t value, struct race *race) {
    for (unsigned i = count[thread]; i-- > 0;) {
        const struct slot_read *read = &reads[thread][i];
        if (read->value != value)
            continue;
        if (read->writer == LAB_CLOCKS) {
            noted[thread] = read->address;
            races_note_read(thread, read->address, POINTER_BYTES, read->clock, read->where);
            return false;
        }
        *race = (struct race){
            .address = read->address,
            .first = {.thread = thread, .atomic = true, .where = read->where},
            .second = {.thread = read->writer, .write = true, .atomic = true, .where = read->written_where}};
        return true;
    }
    return false;
}
