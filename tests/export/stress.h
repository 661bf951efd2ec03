/* stress.h: one exported deque under an owner and thieves. Included once for each deque, in C and in C++, with
 *
 *   PREFIX, PREFIX_UP   the names' beginnings
 *   THIEVES             1, or as many as may steal at once
 *   HAS_POLL, LISTS, AT_LEAST_ONCE   0 or 1
 *
 * defines PREFIX_stress: 0 when every item that went in came out, and just once unless AT_LEAST_ONCE. */
#define JOINED(left, right) left##_##right
#define JOIN(left, right) JOINED(left, right)
#define NAME(rest) JOIN(PREFIX, rest)
#define VALUE(rest) JOIN(PREFIX_UP, rest)

#ifndef STRESS_ITEMS
#define STRESS_ITEMS 20000
#endif

struct NAME(object) {
#if LISTS
    struct NAME(link) link;
#endif
    unsigned taken[THIEVES + 1]; /* how often, by each thread */
};

struct NAME(world) {
    struct NAME(deque) deques[THIEVES + 1]; /* the owner's first */
    struct NAME(object) * objects;
    int over; /* guarded by lock */
    pthread_mutex_t lock;
};

struct NAME(thief) {
    struct NAME(world) * world;
    unsigned number; /* from 1 */
};

static int NAME(is_over)(struct NAME(world) * world) {
    pthread_mutex_lock(&world->lock);
    int over = world->over;
    pthread_mutex_unlock(&world->lock);
    return over;
}

static void NAME(took)(NAME(item) item, unsigned who) { ((struct NAME(object) *)(void *)item)->taken[who]++; }

static void *NAME(run_thief)(void *argument) {
    struct NAME(thief) *thief = (struct NAME(thief) *)argument;
    struct NAME(world) *world = thief->world;
    for (unsigned turn = 0; turn % 64 != 0 || !NAME(is_over)(world); turn++) {
        NAME(item) item = NULL;
        if (NAME(steal)(&world->deques[0], &world->deques[thief->number], &item) == VALUE(OK))
            NAME(took)(item, thief->number);
        else
            sched_yield();
    }
    return NULL;
}

static int NAME(stress)(void) {
    struct NAME(world) *world = (struct NAME(world) *)aligned_alloc(128, (sizeof *world + 127) / 128 * 128);
    struct NAME(thief) thieves[THIEVES];
    pthread_t threads[THIEVES];
    NAME(item) item = NULL;
    int wrong = 0;
    memset((void *)world, 0, sizeof *world);
    struct NAME(config) usual;
    memset(&usual, 0, sizeof usual);
    struct NAME(deque) *made = NAME(new)(&usual);
    if (!made || (size_t)made % VALUE(LINE) != 0)
        return -2;
    NAME(delete)(made);
    world->objects = (struct NAME(object) *)calloc(STRESS_ITEMS, sizeof *world->objects);
    pthread_mutex_init(&world->lock, NULL);
    for (unsigned i = 0; i <= THIEVES; i++) {
        struct NAME(config) config;
        memset(&config, 0, sizeof config);
        config.capacity = 256;
        config.worker = i;
        config.workers = THIEVES + 1;
        config.first = &world->deques[0];
        if (NAME(init)(&world->deques[i], &config) != 0)
            return -1;
    }
    for (unsigned i = 0; i < THIEVES; i++) {
        thieves[i].world = world;
        thieves[i].number = i + 1;
        pthread_create(&threads[i], NULL, NAME(run_thief), &thieves[i]);
    }
    for (unsigned i = 0; i < STRESS_ITEMS; i++) {
        while (NAME(push)(&world->deques[0], (NAME(item))(void *)&world->objects[i]) == VALUE(FULL)) {
            if (NAME(pop)(&world->deques[0], &item) == VALUE(OK))
                NAME(took)(item, 0);
            else
                sched_yield(); /* a thief has yet to make room */
        }
        if (i % 3 == 0 && NAME(pop)(&world->deques[0], &item) == VALUE(OK))
            NAME(took)(item, 0);
#if HAS_POLL
        NAME(poll)(&world->deques[0]);
#endif
    }
    for (unsigned empty = 0; empty < 100;) { /* a steal under way may hide what is left for a moment */
        if (NAME(pop)(&world->deques[0], &item) == VALUE(OK)) {
            NAME(took)(item, 0);
            empty = 0;
        } else {
            empty++;
            sched_yield();
        }
#if HAS_POLL
        NAME(poll)(&world->deques[0]);
#endif
    }
    pthread_mutex_lock(&world->lock);
    world->over = 1;
    pthread_mutex_unlock(&world->lock);
    for (unsigned i = 0; i < THIEVES; i++)
        pthread_join(threads[i], NULL);
    while (NAME(pop)(&world->deques[0], &item) == VALUE(OK))
        NAME(took)(item, 0);
    for (unsigned i = 0; i < STRESS_ITEMS; i++) {
        unsigned taken = 0;
        for (unsigned j = 0; j <= THIEVES; j++)
            taken += world->objects[i].taken[j];
        wrong += AT_LEAST_ONCE ? taken < 1 : taken != 1;
    }
    for (unsigned i = THIEVES + 1; i-- > 0;)
        NAME(destroy)(&world->deques[i]);
    free(world->objects);
    free((void *)world);
    return wrong;
}

#undef JOINED
#undef JOIN
#undef NAME
#undef VALUE
#undef PREFIX
#undef PREFIX_UP
#undef THIEVES
#undef HAS_POLL
#undef LISTS
#undef AT_LEAST_ONCE
