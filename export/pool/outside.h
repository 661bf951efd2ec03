/* Stands for the suite around the pool: gives the pool its options, and does nothing where the suite places threads or
 * records. */
struct cell {
    const struct pool_options *options;
    uint64_t seed;
    unsigned flags, repetitions, invocation;
};
enum { SAMPLE_EMULATED, SAMPLE_OVERSUBSCRIBED };

static inline uint64_t cell_integer(const struct cell *cell, const char *name) {
    const struct pool_options *options = cell->options;
    return strcmp(name, "threads") == 0 ? options->threads
           : strcmp(name, "slot") == 0  ? options->slot
           : strcmp(name, "turns") == 0 ? options->turns
           : strcmp(name, "room") == 0  ? options->room
           : strcmp(name, "block") == 0 ? options->block
           : strcmp(name, "steal") == 0 ? options->percent
                                        : 0;
}
static inline unsigned cell_choice(const struct cell *cell, const char *name) {
    const struct pool_options *options = cell->options;
    return strcmp(name, "victims") == 0 ? (unsigned)options->victims
           : strcmp(name, "idle") == 0  ? (unsigned)options->idle
                                        : options->mode;
}
static inline bool cell_is(const struct cell *cell, const char *name, const char *value) {
    return strcmp(name, "steal") == 0 && strcmp(value, "half") == 0 && cell->options->half;
}

struct counters {
    char none;
};
static inline void counters_start(struct counters *counters) { (void)counters; }
static inline void counters_stop(struct counters *counters) { (void)counters; }

struct histogram {
    char none;
};
static inline int histogram_init(struct histogram *histogram, uint64_t highest) {
    (void)histogram, (void)highest;
    return 0;
}
static inline void histogram_free(struct histogram *histogram) { (void)histogram; }
static inline void histogram_clear(struct histogram *histogram) { (void)histogram; }
static inline void histogram_record(struct histogram *histogram, uint64_t value) { (void)histogram, (void)value; }

/* Threads run wherever the system likes. */
struct places {
    bool oversubscribed;
};
static inline int places_open(struct places *places, const struct cell *cell, unsigned threads) {
    (void)cell;
    places->oversubscribed = threads > (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    return 0;
}
static inline int places_take(struct places *places, unsigned thread) {
    (void)places, (void)thread;
    return -1;
}
static inline void places_bring_memory(const struct places *places, unsigned thread) { (void)places, (void)thread; }
static inline bool places_bind_memory(const struct places *places, const char *memory) {
    (void)places, (void)memory;
    return true;
}
static inline void places_report(const struct places *places, const struct cell *cell, const char *first,
                                 const char *others) {
    (void)places, (void)cell, (void)first, (void)others;
}
static inline void places_close(struct places *places) { (void)places; }
static inline void distance_report(const struct cell *cell, const struct places *places) { (void)cell, (void)places; }
