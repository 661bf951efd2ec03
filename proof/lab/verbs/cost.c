#include "proof/lab/verbs/cost.h"
#include "proof/lab/engine/entry.h"
#include <stdio.h>
#include <string.h>

#define WORDS_MAX 4096
#define WORD 8
#define LINE_BYTES 64

/* The operation that each thread is in. */
static struct {
    bool inside;
    struct access_counts before;
    struct coherence_counts coherence[COHERENCE_WIDTHS];
    uintptr_t word[WORDS_MAX];
    size_t words;
} running[LAB_CLOCKS];

struct cost cost[LAB_CLOCKS][COST_KINDS];
unsigned cost_set_up_by;
static bool notes_writes; /* the first of two runs, which learns who writes what */

static void note_word(unsigned thread, uintptr_t word) {
    for (size_t i = 0; i < running[thread].words; i++)
        if (running[thread].word[i] == word)
            return;
    if (running[thread].words < WORDS_MAX)
        running[thread].word[running[thread].words++] = word;
}

static void touched(uintptr_t address, size_t bytes, bool write) {
    unsigned thread = machine.current == LAB_MAIN ? cost_set_up_by : machine.current;
    coherence_touch(thread, address, bytes, write);
    if (!running[thread].inside)
        return;
    if (write && notes_writes)
        coherence_wrote(thread, address, bytes);
    for (uintptr_t word = address / WORD * WORD; word < address + bytes; word += WORD)
        note_word(thread, word);
}

void cost_begin(unsigned thread) {
    if (thread == LAB_MAIN)
        return;
    running[thread].before = machine.thread[thread].counters;
    memcpy(running[thread].coherence, coherence_counts[thread], sizeof running[thread].coherence);
    running[thread].words = 0;
    running[thread].inside = true;
}

static size_t lines_of(const uintptr_t *word, size_t words) {
    size_t lines = 0;
    for (size_t i = 0; i < words; i++) {
        size_t same = 0;
        while (same < i && word[same] / LINE_BYTES != word[i] / LINE_BYTES)
            same++;
        lines += same == i;
    }
    return lines;
}

/* Counts are structs of uint64_t only. */
#define COUNTS_IN(counts) (sizeof(counts) / sizeof(uint64_t))

static void add_accesses(struct cost *to, unsigned thread) {
    const uint64_t *now = (const uint64_t *)&machine.thread[thread].counters;
    const uint64_t *before = (const uint64_t *)&running[thread].before;
    uint64_t *sum = (uint64_t *)&to->sum, *least = (uint64_t *)&to->least;
    for (size_t i = 0; i < COUNTS_IN(to->sum); i++) {
        uint64_t call = now[i] - before[i];
        sum[i] += call;
        if (to->calls == 0 || call < least[i])
            least[i] = call;
    }
}

static void add_coherence(struct cost *to, unsigned thread) {
    for (enum coherence_width width = COHERENCE_LINE; width < COHERENCE_WIDTHS; width++) {
        const uint64_t *now = (const uint64_t *)&coherence_counts[thread][width];
        const uint64_t *before = (const uint64_t *)&running[thread].coherence[width];
        uint64_t *sum = (uint64_t *)&to->coherence[width];
        for (size_t i = 0; i < COUNTS_IN(to->coherence[width]); i++)
            sum[i] += now[i] - before[i];
        for (size_t i = 0; i < running[thread].words; i++)
            to->beside[width] += coherence_beside(thread, running[thread].word[i], width);
    }
}

void cost_end(unsigned thread, unsigned kind) {
    if (thread == LAB_MAIN)
        return;
    running[thread].inside = false;
    if (notes_writes || kind >= COST_KINDS)
        return;
    struct cost *of = &cost[thread][kind];
    add_accesses(of, thread);
    add_coherence(of, thread);
    of->lines += lines_of(running[thread].word, running[thread].words);
    of->calls++;
}

void cost_forget(void) { memset(cost, 0, sizeof cost); }

bool cost_measure(bool (*run)(void)) {
    bool done = true;
    coherence_forget();
    for (int pass = 0; done && pass < 2; pass++) {
        notes_writes = pass == 0;
        coherence_empty();
        memset(running, 0, sizeof running);
        entry_touched = touched;
        done = run();
        entry_touched = NULL;
    }
    return done;
}

void cost_print_head(void) {
    printf("deque,operation,situation,outcome,rule,calls,loads,stores,rmws,fences,transfers,invalidations,upgrades,"
           "false_sharing,transfers_128,invalidations_128,upgrades_128,false_sharing_128,system_calls,plain,lines\n");
}

void cost_print(const struct cost *mean, const char *id, const char *operation, const char *situation,
                const char *outcome, const char *rule) {
    double calls = (double)mean->calls;
    printf("%s,%s,%s,%s,%s,%llu,%.4f,%.4f,%.4f,%.4f", id, operation, situation, outcome, rule,
           (unsigned long long)mean->calls, (double)mean->sum.loads / calls, (double)mean->sum.stores / calls,
           (double)mean->sum.rmws / calls, (double)mean->sum.fences / calls);
    for (int width = 0; width < COHERENCE_WIDTHS; width++)
        printf(",%.4f,%.4f,%.4f,%.4f", (double)mean->coherence[width].transfers / calls,
               (double)mean->coherence[width].invalidations / calls, (double)mean->coherence[width].upgrades / calls,
               (double)mean->beside[width] / calls);
    printf(",%.4f,%.4f,%.4f\n", (double)mean->sum.system_calls / calls, (double)mean->sum.plain / calls,
           (double)mean->lines / calls);
}
