/* Preloaded into scow: alarms come 300 times as soon. */
#define _GNU_SOURCE
#include <sys/time.h>
#include <unistd.h>

unsigned alarm(unsigned seconds)
{
    const double sooner_s = seconds / 300.0;
    const struct itimerval time = {
        .it_value = {(time_t)sooner_s, (suseconds_t)(1e6 * (sooner_s - (double)(time_t)sooner_s))}};
    setitimer(ITIMER_REAL, &time, NULL);
    return 0;
}
