/* What all files of a worker stand on: where its parts lie, its clock, its failure. */
#include <string.h>
#include <time.h>

#include "kernel/command/worker.h"

enum { ALIGNMENT = 64 };

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t polls_size(int slots)
{
    return aligned((1 + POLLS_EACH * (size_t)slots) * sizeof(struct pollfd));
}

/* The words twice: the first of them may stand before them, as the path. */
static size_t words_size(const struct job *job)
{
    return aligned(PATH_SIZE + 2 * job->words_most + VARIABLES_SIZE);
}

size_t worker_size(const struct job *job, int threads)
{
    const int slots = job->jobs ? job->jobs : threads;
    return aligned(sizeof(struct worker)) + aligned((size_t)slots * sizeof(struct slot)) +
           polls_size(slots) + words_size(job) + aligned(COMMAND_HEADER_SIZE + BUFFER_SIZE);
}

void worker_lay_out(struct worker *worker, int threads)
{
    if (worker->slots)
        return;
    char *at = (char *)worker + aligned(sizeof *worker);
    worker->slot_count = worker->job->jobs ? worker->job->jobs : threads;
    worker->slots = (struct slot *)at;
    at += aligned((size_t)worker->slot_count * sizeof *worker->slots);
    worker->polls = (struct pollfd *)at;
    at += polls_size(worker->slot_count);
    worker->words = at;
    worker->buffer = at + words_size(worker->job);
    for (int i = 0; i < worker->slot_count; i++)
        worker->slots[i] = (struct slot){.number = i, .input = -1, .outputs = {-1, -1}};
}

static double clock_now(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double worker_clock(void)
{
    return clock_now(CLOCK_MONOTONIC);
}

double worker_time_of_day(void)
{
    return clock_now(CLOCK_REALTIME);
}

void worker_fail(struct worker *worker, const char *what, int error)
{
    if (worker->status == SCOW_OK)
        worker->status =
            worker->host->fail(worker->host, "worker cannot %s: %s", what, strerror(error));
}
