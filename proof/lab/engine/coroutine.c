#undef _FORTIFY_SOURCE /* it takes a jump to another stack for a mistake */
#include "proof/lab/engine/coroutine.h"
#include <string.h>
#include <ucontext.h>

static struct coroutine *making;
static ucontext_t maker;

static void first_frame(void) {
    struct coroutine *const self = making;
    if (_setjmp(self->first) == 0)
        setcontext(&maker);
    self->body();
}

/* swapcontext asks the kernel for signals each time, so it only makes the frame to which each start jumps. */
void coroutine_start(struct coroutine *coroutine, void (*body)(void)) {
    if (!coroutine->made) {
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = (void *)coroutine->stack_low;
        context.uc_stack.ss_size = coroutine->stack_high - coroutine->stack_low;
        makecontext(&context, first_frame, 0);
        making = coroutine;
        coroutine->made = true;
        swapcontext(&maker, &context);
    }
    coroutine->body = body;
    memcpy(coroutine->now, coroutine->first, sizeof coroutine->now);
}

void coroutine_switch(struct coroutine *from, struct coroutine *to) {
    if (_setjmp(from->now) == 0)
        _longjmp(to->now, 1);
}
