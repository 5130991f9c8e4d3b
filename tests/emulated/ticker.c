/*
 * A share of a core is accounted for when the kernel looks at who runs there: at its own ticks,
 * which may be 4 ms apart, or whenever somebody else wakes up. Wakes up every so many microseconds
 * on one core, before all others: a share in periods of a few ms is then cut to a fraction of one.
 *
 *     ticker CORE MICROSECONDS
 *
 * With 0 microseconds it does nothing but keep the core awake, whenever nobody else wants it.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("ticker: needs a core and how many microseconds to sleep\n", stderr);
        return 2;
    }
    const struct timespec nap = {0, 1000 * strtol(argv[2], NULL, 10)};
    const struct sched_param first = {.sched_priority = nap.tv_nsec > 0 ? 1 : 0};
    const int policy = nap.tv_nsec > 0 ? SCHED_FIFO : SCHED_IDLE;
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET((size_t)strtol(argv[1], NULL, 10), &core);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || sched_setaffinity(0, sizeof core, &core) != 0 ||
        sched_setscheduler(0, policy, &first) != 0) {
        perror("ticker");
        return 1;
    }
    for (;;)
        if (nap.tv_nsec > 0)
            nanosleep(&nap, NULL);
}
