#include "spmd/run/stall.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The second number: nanoseconds in the queue for a processor. The first, those with one, is only
 * counted at the clock's ticks. */
static double queued_s(void)
{
    char text[80];
    const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second ? 1e-9 * strtod(second, NULL) : -1;
}

double stall_busy_s(void)
{
    struct timespec worked;
    const double queued = queued_s();
    if (queued < 0 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked) != 0)
        return -1;
    return queued + (double)worked.tv_sec + 1e-9 * (double)worked.tv_nsec;
}
