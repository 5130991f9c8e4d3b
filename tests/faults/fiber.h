/* A function with a stack of its own, that runs until it gives way. */
#ifndef TESTS_FAULTS_FIBER_H
#define TESTS_FAULTS_FIBER_H

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_SANITIZED 1
#endif
#endif

struct fiber;

/* To be begun with the first fiber_enter. Stacks are used again. Out of memory ends the program. */
struct fiber *fiber_new(void (*call)(void));
/* From outside all fibers: goes on with it until it gives way. */
void fiber_enter(struct fiber *fiber);
/* From within it. */
void fiber_leave(struct fiber *fiber);
/* Whether it has come to its end or not. */
void fiber_free(struct fiber *fiber);

#endif
