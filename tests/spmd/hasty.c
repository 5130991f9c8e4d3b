/* Preloaded into scow: what takes minutes takes moments, and no time passes while ranks come
 * together.
 *
 * With STOPS_RANK that rank is stopped when MPI is over, and an alarm that another one has set by
 * then comes after a moment. With DAY_STANDS the first thread's clock of the day stands still, so
 * that `--until 3s` means three seconds of work, however long the ranks take to begin. With neither
 * alarms come 300 times as soon. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int MPI_Finalize(void);

static void alarm_in(double seconds)
{
    const time_t whole = (time_t)seconds;
    const struct itimerval time = {
        .it_value = {whole, (suseconds_t)(1e6 * (seconds - (double)whole))}};
    setitimer(ITIMER_REAL, &time, NULL);
}

unsigned alarm(unsigned seconds)
{
    const bool soon = !getenv("STOPS_RANK") && !getenv("DAY_STANDS");
    alarm_in(soon ? seconds / 300.0 : seconds);
    return 0;
}

int MPI_Finalize(void)
{
    static const double moment_s = 0.2;
    const char *stops = getenv("STOPS_RANK"), *rank = getenv("PMI_RANK");
    int (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "MPI_Finalize");
    const int code = real();
    if (stops && rank && strcmp(stops, rank) == 0)
        raise(SIGSTOP);
    else if (stops)
        alarm_in(moment_s);
    return code;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    static struct timespec first;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    const int code = real(clock, now);
    if (clock != CLOCK_REALTIME || !getenv("DAY_STANDS") || gettid() != getpid())
        return code;
    if (first.tv_sec == 0)
        first = *now;
    *now = first;
    return code;
}
