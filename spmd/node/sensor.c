#include "spmd/node/sensor.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "spmd/node/cpu_list.h"
#include "spmd/node/processor_time.h"

/* Long enough for several time slices of Linux's scheduler (3 to 12 ms), because a thread that has
 * slept runs first. */
static const double spin_s = 0.1;

struct spin {
    pthread_t thread;
    int cpu;
    bool counted;
    struct processor_time from, to;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *spin_run(void *self)
{
    struct spin *own = self;
    struct processor_counter counter = {0};
    own->counted = cpu_bind(own->cpu) && processor_time_now(&counter, &own->from);
    if (!own->counted)
        return NULL;
    for (const double until_s = now_s() + spin_s; now_s() < until_s;)
        ;
    own->counted = processor_time_now(&counter, &own->to);
    processor_counter_close(&counter);
    return NULL;
}

double sensor_average(const char *text, int processors)
{
    char *end;
    const double average = strtod(text, &end);
    return end != text && average >= 0 ? fmin(1, processors / fmax(average, 1e-9)) : -1;
}

static bool average_look(int processors, double *availability, struct failure *failure)
{
    char text[80] = "";
    const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    const ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = '\0';
    *availability = sensor_average(text, processors);
    return *availability >= 0 ||
           failure_set(failure, FAILURE_FAILED,
                       "cannot tell how busy this machine is: /proc/thread-self/schedstat and "
                       "/proc/loadavg cannot be read");
}

/* The mean over the spins that were counted; false: none was. */
static bool spins_sum(const struct spin *spins, int count, double *availability)
{
    double sum = 0;
    int counted = 0;
    for (int k = 0; k < count; k++)
        if (spins[k].counted) {
            sum += processor_availability(&spins[k].from, &spins[k].to);
            counted++;
        }
    *availability = counted > 0 ? sum / counted : 1;
    return counted > 0;
}

bool sensor_look(double *availability, struct failure *failure)
{
    struct cpu_list cpus;
    int started = 0;
    cpu_list_allowed(&cpus);
    struct spin *spins = calloc((size_t)cpus.count + 1, sizeof *spins);
    if (!spins)
        return failure_memory(failure, "looking at the processors");
    for (; started < cpus.count; started++) {
        spins[started].cpu = cpus.cpus[started];
        if (pthread_create(&spins[started].thread, NULL, spin_run, &spins[started]) != 0)
            break;
    }
    for (int k = 0; k < started; k++)
        pthread_join(spins[k].thread, NULL);
    const bool counted = spins_sum(spins, started, availability);
    free(spins);
    return counted || average_look(cpus.count > 0 ? cpus.count : 1, availability, failure);
}
