#include "tests/faults/fiber.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef FIBER_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

enum { STACK_BYTES = 1 << 18, FIBERS_KEPT = 64 };

struct fiber {
    struct fiber *next;
    void (*call)(void);
    char *stack;
    int begun;
    ucontext_t inside;
    jmp_buf there;
};

static struct fiber *kept;
static ucontext_t outside;
static struct fiber *entered;

struct fiber *fiber_new(void (*call)(void))
{
    struct fiber *fiber = kept;
    if (fiber) {
        kept = fiber->next;
    } else {
        fiber = mmap(NULL, sizeof *fiber + STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fiber == MAP_FAILED) {
            perror("faults-simulated");
            abort();
        }
        fiber->stack = (char *)fiber + (sizeof *fiber + 63) / 64 * 64;
    }
    fiber->call = call;
    fiber->begun = 0;
    return fiber;
}

void fiber_free(struct fiber *fiber)
{
    fiber->next = kept;
    kept = fiber;
}

static size_t stack_size(void)
{
    return STACK_BYTES - 64;
}

#ifdef FIBER_SANITIZED

/* The sanitizer must be told of every change of stacks. */
static const void *outer_stack;
static size_t outer_size;

static void fiber_main(void)
{
    __sanitizer_finish_switch_fiber(NULL, &outer_stack, &outer_size);
    entered->call();
    abort();
}

void fiber_enter(struct fiber *fiber)
{
    void *fake = NULL;
    entered = fiber;
    if (!fiber->begun) {
        fiber->begun = 1;
        getcontext(&fiber->inside);
        fiber->inside.uc_stack.ss_sp = fiber->stack;
        fiber->inside.uc_stack.ss_size = stack_size();
        fiber->inside.uc_link = NULL;
        makecontext(&fiber->inside, fiber_main, 0);
    }
    __sanitizer_start_switch_fiber(&fake, fiber->stack, stack_size());
    swapcontext(&outside, &fiber->inside);
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
}

void fiber_leave(struct fiber *fiber)
{
    void *fake = NULL;
    __sanitizer_start_switch_fiber(&fake, outer_stack, outer_size);
    swapcontext(&fiber->inside, &outside);
    __sanitizer_finish_switch_fiber(fake, &outer_stack, &outer_size);
}

#else

static jmp_buf back;

static void fiber_main(void)
{
    entered->call();
    abort();
}

/* After the first time by jumps: swapcontext makes a system call for the signal mask each time. */
void fiber_enter(struct fiber *fiber)
{
    entered = fiber;
    if (_setjmp(back) != 0)
        return;
    if (fiber->begun)
        _longjmp(fiber->there, 1);
    fiber->begun = 1;
    getcontext(&fiber->inside);
    fiber->inside.uc_stack.ss_sp = fiber->stack;
    fiber->inside.uc_stack.ss_size = stack_size();
    fiber->inside.uc_link = NULL;
    makecontext(&fiber->inside, fiber_main, 0);
    swapcontext(&outside, &fiber->inside);
}

void fiber_leave(struct fiber *fiber)
{
    if (_setjmp(fiber->there) == 0)
        _longjmp(back, 1);
}

#endif
