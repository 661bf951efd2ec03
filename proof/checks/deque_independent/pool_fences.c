/* pool_fences.c: workers that fall asleep share fences (workloads/pool/fences.h). A worker may go on only after a fence
 * that began after it had spoken, and it makes no fence of its own if another's will do.
 *
 * With real threads the critical moments last some instructions. Here the check supplies the fence, and everything
 * happens in one thread: callers speak before, during and after a fence, in random order.
 */
#include "proof/checks/deque_independent/pool_check.h"

#define CALLERS 4
#define STEPS 60

struct caller {
    bool waits;         /* has spoken, and is not past a fence yet */
    uint64_t said;      /* its number */
    unsigned moment;    /* when it spoke */
    unsigned meanwhile; /* ... during this fence; 0: between two fences */
};

static struct {
    struct pool_fences fences;
    struct caller caller[CALLERS];
    uint64_t random;
    unsigned moment, made;   /* made: number of fences so far */
    unsigned newest;         /* when the newest fence began */
    unsigned said_meanwhile; /* how often a caller spoke during a fence, */
    unsigned shared;         /* and went on because of another caller's fence */
} scene;

static void say(struct caller *caller, unsigned meanwhile) {
    if (caller->waits)
        return;
    *caller = (struct caller){.waits = true, .moment = ++scene.moment, .meanwhile = meanwhile};
    caller->said = pool_fences_said(&scene.fences);
    scene.said_meanwhile += meanwhile > 0;
}

static struct caller *anybody(void) { return &scene.caller[random_below(&scene.random, CALLERS)]; }

/* The fence begins with this call. */
static bool fence(struct pool_fences *fences) {
    (void)fences;
    scene.newest = ++scene.moment;
    scene.made++;
    for (uint64_t i = random_below(&scene.random, CALLERS); i > 0; i--)
        say(anybody(), scene.made);
    return true;
}

static void go_on(struct caller *caller) {
    if (!caller->waits)
        return;
    unsigned made = scene.made;
    bool heard = scene.newest > caller->moment; /* the caller knows that no fence is in progress now */
    bool own = pool_fences_past(&scene.fences, caller->said);
    if (own != (scene.made > made))
        gate_fail("a worker that made a fence was not told so, or one that made none was");
    if (scene.newest < caller->moment)
        gate_fail("a worker relied on a fence that had begun before its announcement%s",
                  caller->meanwhile ? ", which came during that fence" : "");
    if (own && heard)
        gate_fail("a worker made a fence though one had begun and ended since its announcement");
    scene.shared += !own;
    caller->waits = false;
    gate_step();
}

void check_fences(uint64_t seed, unsigned rounds) {
    gate_trying("", "fences that are shared");
    scene.said_meanwhile = scene.shared = 0;
    for (unsigned round = 0; round < rounds; round++) {
        scene.random = random_start(seed, round);
        scene.moment = scene.made = scene.newest = 0;
        memset(scene.caller, 0, sizeof scene.caller);
        pool_fences_open(&scene.fences, fence);
        for (unsigned i = 0; i < STEPS; i++) {
            if (random_below(&scene.random, 2))
                say(anybody(), 0);
            else
                go_on(anybody());
        }
        pool_fences_close(&scene.fences);
    }
    if (scene.said_meanwhile == 0 || scene.shared == 0)
        gate_fail("no announcement came during a fence, or no fence was shared: this test showed nothing");
}
