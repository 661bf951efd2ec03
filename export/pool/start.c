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

void pool_timeline_add(struct pool_worker *worker, enum pool_state state, uint64_t now) {
    (void)worker;
    (void)state;
    (void)now;
}
bool pool_timeline_open(struct pool_worker *worker) { return worker != NULL; }
void pool_timeline_begin(struct pool_worker *worker, uint64_t now) {
    (void)worker;
    (void)now;
}
