#include "spmd/transport/clock.h"

#include <math.h>
#include <sched.h>
#include <time.h>

/* A nap takes about 50 us from a process that works on the same core. So naps grow with the time of
 * waiting: the wait is at most a ninth longer, and costs working processes next to nothing. */
enum { SPINS = 100, YIELDS = 20 };
static const double nap_least_s = 1e-5, nap_most_s = 2.5e-4, nap_growth = 1.125;

const double clock_late_s = 1e-4;

double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clock_nap(double seconds)
{
    const time_t whole = (time_t)seconds;
    const struct timespec nap = {whole, (long)(1e9 * (seconds - (double)whole))};
    nanosleep(&nap, NULL);
}

void clock_pause(struct pause *pause, const struct awaited *awaited)
{
    const long count = pause->count++;
    if (count < SPINS)
        return;
    const double most_s = nap_most_s * (pause->longer > 1 ? pause->longer : 1);
    const double left_s = awaited->left_s > 0 ? awaited->left_s - clock_late_s : most_s;
    if (count < SPINS + YIELDS || left_s < nap_least_s) {
        sched_yield();
        return;
    }
    pause->nap_s = fmin(fmax(pause->nap_s * nap_growth, nap_least_s), most_s);
    clock_nap(fmin(pause->nap_s, left_s));
}
