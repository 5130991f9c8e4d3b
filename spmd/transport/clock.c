#include "spmd/transport/clock.h"

#include <sched.h>
#include <time.h>

/* A nap costs whoever works on the same core some 50 us, so naps grow with the waiting: who has
 * waited long pays at most a ninth more for it, and takes next to nothing from those who work. */
const struct clock_patience clock_patience = {
    .spins = 100, .yields = 20, .least_s = 1e-5, .most_s = 2.5e-4, .growth = 0.125, .late_s = 1e-4};

double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clock_yield(void)
{
    sched_yield();
}

void clock_nap(double seconds)
{
    const time_t whole = (time_t)seconds;
    const struct timespec nap = {whole, (long)(1e9 * (seconds - (double)whole))};
    nanosleep(&nap, NULL);
}
