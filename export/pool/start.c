/* Opens a pool from its options. */
static bool order_by_distance(struct pool_worker *worker, unsigned others) { /* POOL_NEAREST is not available here */
    (void)worker;
    (void)others;
    return false;
}

const char *pool_places_unsupported(const struct cell *cell) {
    (void)cell;
    return NULL;
}
