#include "spmd/protocol/fault.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { FAULTS = sizeof faults / sizeof *faults };

/* Is written before anything can go wrong, and only read by the handler. */
static struct {
    int file;
    off_t place;
    struct sigaction before[FAULTS];
    bool on;
} watching;

/* The previous handler gets the signal next: a fault happens again after the return, and a signal
 * that was sent is sent again. */
static void note(int number, siginfo_t *info, void *context)
{
    const int32_t noted = number;
    (void)context;
    for (size_t k = 0; k < FAULTS; k++)
        if (faults[k] == number)
            sigaction(number, &watching.before[k], NULL);
    const ssize_t written = pwrite(watching.file, &noted, sizeof noted, watching.place);
    if (written < 0 || info->si_code <= 0)
        raise(number);
}

/* After a stack overflow there is no room for a handler on the normal stack: it gets one of its
 * own. */
static void stack_set(void)
{
    static char bytes[1 << 16];
    const stack_t apart = {.ss_sp = bytes, .ss_size = sizeof bytes};
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE))
        sigaltstack(&apart, NULL);
}

void fault_watch(int file, int64_t place)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (place < 0 || watching.on)
        return;
    watching.file = file;
    watching.place = place;
    stack_set();
    for (size_t k = 0; k < FAULTS; k++)
        sigaction(faults[k], &action, &watching.before[k]);
    watching.on = true;
}

void fault_unwatch(void)
{
    for (size_t k = 0; watching.on && k < FAULTS; k++) {
        struct sigaction now;
        if (sigaction(faults[k], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
            now.sa_sigaction == note)
            sigaction(faults[k], &watching.before[k], NULL);
    }
    watching.on = false;
}
