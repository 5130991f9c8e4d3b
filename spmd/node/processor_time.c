#include "spmd/node/processor_time.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The second number: nanoseconds in the queue for a processor. The first, those with one, is only
 * counted at the clock's ticks. */
static double queue_read(void)
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

bool processor_time_now(struct processor_time *now)
{
    struct timespec worked;
    now->queued_s = queue_read();
    if (now->queued_s < 0 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked) != 0)
        return false;
    now->worked_s = (double)worked.tv_sec + 1e-9 * (double)worked.tv_nsec;
    return true;
}

double processor_availability(const struct processor_time *from, const struct processor_time *to)
{
    const double worked_s = to->worked_s - from->worked_s, queued_s = to->queued_s - from->queued_s;
    return worked_s + queued_s > 0 ? worked_s / (worked_s + queued_s) : 1;
}
