
/* A struct deque has to be aligned to DEQUE_LINE bytes; malloc and calloc do not do that, deque_new does. It returns
 * NULL and sets errno to EINVAL or ENOMEM on failure. Call deque_delete when no thread uses the deque any more. */
static_assert(alignof(struct deque) <= DEQUE_LINE, "deque_new keeps its alignment");

DEQUE_SLOW_PATH struct deque *deque_new(const struct deque_config *config) {
    struct deque *deque = DEQUE_ALLOC(sizeof *deque);
    int failure = deque ? deque_init(deque, config) : ENOMEM;
    if (failure == 0)
        return deque;
    DEQUE_FREE(deque);
    errno = failure;
    return NULL;
}

/* Hands the deque over: the next thread that makes an owner's call is its owner. For DEQUE_CHECK_OWNER; else it does
 * nothing. */
static inline void deque_new_owner(struct deque *deque) {
    (void)deque;
    DEQUE_OWNER_NONE(deque);
}

DEQUE_SLOW_PATH void deque_delete(struct deque *deque) {
    if (deque)
        deque_destroy(deque);
    DEQUE_FREE(deque);
}
