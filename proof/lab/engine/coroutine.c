#include "proof/lab/engine/coroutine.h"

#ifdef LAB_UCONTEXT

#include <stdlib.h>

void coroutine_start(struct coroutine *coroutine, void (*body)(void)) {
    if (getcontext(&coroutine->context) != 0)
        abort();
    coroutine->context.uc_stack.ss_sp = (void *)coroutine->stack_low;
    coroutine->context.uc_stack.ss_size = coroutine->stack_high - coroutine->stack_low;
    coroutine->context.uc_link = NULL;
    makecontext(&coroutine->context, body, 0);
}

void coroutine_switch(struct coroutine *from, struct coroutine *to) { swapcontext(&from->context, &to->context); }

#else

/* void coroutine_swap(void **save, void *load): pushes the registers that a call must preserve, swaps stacks, and pops
 * the other stack's registers. */
__asm__(".text\n"
        ".globl coroutine_swap\n"
        ".type coroutine_swap, @function\n"
        "coroutine_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size coroutine_swap, . - coroutine_swap\n");
void coroutine_swap(void **save, void *load);

#define SAVED_REGISTERS 6

void coroutine_start(struct coroutine *coroutine, void (*body)(void)) {
    /* What the first swap pops: six registers, then body as the return address. The word above is body's own return
     * address, never used; with it the stack is aligned as the ABI requires on entry to a function. */
    uintptr_t *top = (uintptr_t *)(coroutine->stack_high & ~(uintptr_t)15);
    *--top = 0;
    *--top = (uintptr_t)body;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        *--top = 0;
    coroutine->stack_pointer = top;
}

void coroutine_switch(struct coroutine *from, struct coroutine *to) {
    coroutine_swap(&from->stack_pointer, to->stack_pointer);
}

#endif
