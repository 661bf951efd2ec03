int pool_start(struct pool **pool, const struct pool_options *wanted, const struct pool_settings *settings) {
    struct pool_options options = *wanted;
    struct cell cell = {.options = &options, .seed = options.seed};
    if (options.threads == 0)
        options.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    if (options.room == 0)
        options.room = 1024;
    if (options.threads > POOL_WORKERS_MAX || options.victims == POOL_NEAREST || options.victims > POOL_NONE ||
        options.idle > POOL_WAKE_EACH || options.percent > 100)
        return EINVAL;
    if (pool_unsupported(&cell))
        return EINVAL;
    int failure = pool_open(pool, &cell, settings);
    if (failure == 0)
        (*pool)->cell.options = NULL; /* it was read while the workers started */
    return failure == 0 ? 0 : failure == 2 ? EINVAL : ENOMEM;
}

/* What is not available here. */
struct pool_task *pool_stamp(struct pool_worker *worker, struct pool_task *task) {
    return (void)worker, task;
}
bool pool_histograms_open(struct pool_worker *worker) { return worker != NULL; }
bool pool_order_by_distance(struct pool_worker *worker) { return worker == NULL; }
const char *pool_places_unsupported(const struct cell *cell) { return (void)cell, NULL; }
