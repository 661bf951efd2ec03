
/* A struct deque and what it allocates are aligned to DEQUE_LINE bytes, which malloc and calloc do not see to.
 * deque_new does: NULL, and errno says EINVAL or ENOMEM. deque_delete, after every thread is done with it, gives it
 * back. */
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

DEQUE_SLOW_PATH void deque_delete(struct deque *deque) {
    if (deque)
        deque_destroy(deque);
    DEQUE_FREE(deque);
}
