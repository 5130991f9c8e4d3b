/* Preloaded into scow: alarms come 300 times as soon, and the rank STOPS_RANK is stopped when MPI
 * is over. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

int MPI_Finalize(void);

unsigned alarm(unsigned seconds)
{
    const double sooner_s = seconds / 300.0;
    const struct itimerval time = {
        .it_value = {(time_t)sooner_s, (suseconds_t)(1e6 * (sooner_s - (double)(time_t)sooner_s))}};
    setitimer(ITIMER_REAL, &time, NULL);
    return 0;
}

int MPI_Finalize(void)
{
    const char *stops = getenv("STOPS_RANK"), *rank = getenv("PMI_RANK");
    int (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "MPI_Finalize");
    const int code = real();
    if (stops && rank && strcmp(stops, rank) == 0)
        raise(SIGSTOP);
    return code;
}
