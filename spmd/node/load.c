#include "spmd/node/load.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct load_thread {
    const struct load_request *request; /* borrowed */
    struct timespec begin;              /* the same for all threads */
    pthread_t thread;
    int cpu; /* -1: not bound */
    int error;
    double worked_s;
};

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

static void sleep_for(double seconds)
{
    const double whole_s = floor(seconds);
    const struct timespec wanted = {(time_t)whole_s, (long)(1e9 * (seconds - whole_s))};
    nanosleep(&wanted, NULL);
}

/* Some 20 us of computing trigonometric functions. */
static double functions_compute(double x)
{
    for (int k = 0; k < 500; k++)
        x = sin(x) + cos(x);
    return x;
}

static void pattern_run(struct load_thread *own)
{
    const struct load_request *request = own->request;
    volatile double kept = 1;
    for (double at_s; (at_s = seconds_since(&own->begin)) < request->seconds;) {
        double until_s;
        if (!load_pattern_high(request->pattern, request->seconds, request->seed, request->node,
                               at_s, &until_s))
            sleep_for(until_s - at_s);
        else
            while (seconds_since(&own->begin) < until_s)
                kept = functions_compute(kept);
    }
}

static void *thread_run(void *self)
{
    struct load_thread *own = self;
    struct timespec worked;
    if (own->cpu >= 0 && !cpu_bind(own->cpu)) {
        own->error = errno;
        return NULL;
    }
    pattern_run(own);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked);
    own->worked_s = (double)worked.tv_sec + 1e-9 * (double)worked.tv_nsec;
    return NULL;
}

static bool thread_refuse(const struct load_thread *thread, struct failure *failure)
{
    if (thread->cpu < 0)
        return failure_set(failure, FAILURE_FAILED, "cannot start a thread: %s: give fewer",
                           strerror(thread->error));
    return failure_set(failure, FAILURE_FAILED,
                       "cannot run on processor %d: %s: name other processors with --cpu",
                       thread->cpu, strerror(thread->error));
}

bool load_make(const struct load_request *request, double *worked_s, struct failure *failure)
{
    struct load_thread *threads = calloc((size_t)request->threads, sizeof *threads);
    struct timespec begin;
    int started = 0;
    bool good = true;
    if (!threads)
        return failure_memory(failure, "making load");
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (; good && started < request->threads; started += good) {
        struct load_thread *next = &threads[started];
        const int cpu = request->cpus ? request->cpus->cpus[started % request->cpus->count] : -1;
        *next = (struct load_thread){.request = request, .begin = begin, .cpu = cpu};
        const int error = pthread_create(&next->thread, NULL, thread_run, next);
        if (error != 0)
            next->error = error; /* the thread itself may have set it already */
        good = error == 0 || thread_refuse(next, failure);
    }
    *worked_s = 0;
    for (int k = 0; k < started; k++) {
        pthread_join(threads[k].thread, NULL);
        *worked_s += threads[k].worked_s;
        if (threads[k].error != 0)
            good = thread_refuse(&threads[k], failure);
    }
    free(threads);
    return good;
}
