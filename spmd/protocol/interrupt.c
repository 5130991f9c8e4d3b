#include "spmd/protocol/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

/* Ctrl-C reaches a rank both from its terminal and from its launcher, within so many seconds: that
 * counts as one. */
static const double twice_s = 1;

static volatile sig_atomic_t asked, hinted; /* asked: the signal's number */
static struct timespec asked_at;            /* set before these two, by the handler only */

static double passed_s(struct timespec since, struct timespec now)
{
    return (double)(now.tv_sec - since.tv_sec) + 1e-9 * (double)(now.tv_nsec - since.tv_nsec);
}

static void ask(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!asked && number == SIGUSR1) {
        asked_at = now;
        hinted = 1;
    } else if (!asked) {
        asked_at = now;
        asked = number;
    } else if (passed_s(asked_at, now) > twice_s) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void interrupt_watch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1};
    struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&action.sa_mask, numbers[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

bool interrupt_asked(void)
{
    return asked != 0;
}

const char *interrupt_name(void)
{
    return asked == SIGINT    ? "SIGINT"
           : asked == SIGTERM ? "SIGTERM"
           : asked == SIGUSR1 ? "SIGUSR1"
                              : NULL;
}

bool interrupt_hinted(void)
{
    return hinted != 0;
}

void interrupt_settle(bool meant)
{
    hinted = 0;
    if (meant && !asked)
        asked = SIGUSR1;
}
