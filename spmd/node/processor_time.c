#include "spmd/node/processor_time.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Reads two numbers in nanoseconds: the time on a processor, which is counted only at the clock's
 * ticks, and the time in the queue for one. */
static bool schedstat_read(int file, struct processor_time *time)
{
    char text[80], *second;
    const ssize_t size = pread(file, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    time->worked_s = 1e-9 * strtod(text, &second);
    time->queued_s = 1e-9 * strtod(second, NULL);
    return *second == ' ';
}

/* The same of a thread by its file's path. */
static bool thread_read(const char *path, struct processor_time *time)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool counted = file >= 0 && schedstat_read(file, time);
    if (file >= 0)
        close(file);
    return counted;
}

static bool counter_open(struct processor_counter *counter)
{
    if (!counter->open) {
        counter->file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
        counter->open = counter->file >= 0;
    }
    return counter->open;
}

void processor_counter_close(struct processor_counter *counter)
{
    if (counter->open)
        close(counter->file);
    *counter = (struct processor_counter){0};
}

bool processor_time_now(struct processor_counter *counter, struct processor_time *now)
{
    struct timespec worked;
    if (!counter_open(counter) || !schedstat_read(counter->file, now) ||
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked) != 0)
        return false;
    now->worked_s = (double)worked.tv_sec + 1e-9 * (double)worked.tv_nsec;
    return true;
}

bool processor_time_team(struct processor_counter *counter, int threads, struct processor_time *now)
{
    char path[320];
    struct processor_time one;
    bool counted = false;
    if (threads <= 1)
        return processor_time_now(counter, now);
    *now = (struct processor_time){0, 0};
    DIR *all = opendir("/proc/self/task");
    for (const struct dirent *thread; all && (thread = readdir(all));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread->d_name);
        if (thread->d_name[0] == '.' || !thread_read(path, &one))
            continue;
        now->worked_s += one.worked_s;
        now->queued_s += one.queued_s;
        counted = true;
    }
    if (all)
        closedir(all);
    return counted;
}

void processor_time_add(struct processor_time *sum, const struct processor_time *from,
                        const struct processor_time *to)
{
    sum->worked_s += fmax(0, to->worked_s - from->worked_s);
    sum->queued_s += fmax(0, to->queued_s - from->queued_s);
}

double processor_availability(const struct processor_time *from, const struct processor_time *to)
{
    const double worked_s = to->worked_s - from->worked_s, queued_s = to->queued_s - from->queued_s;
    return worked_s + queued_s > 0 ? worked_s / (worked_s + queued_s) : 1;
}
