#include "calibrate/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/job/engine.h"
#include "spmd/output/store.h"
#include "spmd/protocol/returns.h"

enum { NAME_BYTES = 64 };

/* The list from everybody's names, NAME_BYTES each. Owned; NULL: out of memory. */
static char **names_split(const char *all, int workers)
{
    char **names = calloc((size_t)workers + 1, sizeof *names);
    for (int i = 0; names && i < workers; i++)
        names[i] = strdup(all + (size_t)(i + 1) * NAME_BYTES);
    return names;
}

bool labels_workers(const struct comm *comm, char ***names, struct failure *failure)
{
    char node[LINK_NAME_SIZE], mine[NAME_BYTES] = "";
    link_machine(node);
    snprintf(mine, sizeof mine, "%.40s:%d", node, comm->rank);
    char *all = calloc((size_t)comm->size, NAME_BYTES);
    *names = NULL;
    if (!all)
        failure_memory(failure, "naming the workers");
    bool good = comm_agree(comm, failure);
    if (good)
        comm_gather(comm, mine, sizeof mine, all);
    if (good && comm->rank == 0)
        *names = names_split(all, comm->size - 1);
    if (good && comm->rank == 0 && !*names)
        failure_memory(failure, "naming the workers");
    free(all);
    return comm_agree(comm, failure);
}

void labels_workers_free(char ***names, int workers)
{
    for (int i = 0; *names && i < workers; i++)
        free((*names)[i]);
    free(*names);
    *names = NULL;
}

struct memory labels_memory(const struct job *job, int64_t largest, int threads)
{
    double bytes[2], messages[2];
    const int64_t sizes[2] = {1, largest > 1 ? largest : 2};
    for (int i = 0; i < 2; i++) {
        messages[i] = (double)job_message_most(job, sizes[i]);
        bytes[i] =
            (double)(PLATFORM_BUFFERS + 1) * messages[i] +
            (job->values.staged ? (double)job_package_most(job, sizes[i]) : 0) +
            (job->values.write_behind ? store_memory(job, sizes[i]) : 0) +
            (results_return(job->values.results) ? returns_memory(job, PLATFORM_BUFFERS, sizes[i])
                                                 : 0) +
            engine_memory(job, sizes[i], threads);
    }
    const double tasks = (double)(sizes[1] - sizes[0]), rate = (bytes[1] - bytes[0]) / tasks;
    const double message_rate = (messages[1] - messages[0]) / tasks;
    return (struct memory){.bytes = fmax(0, bytes[0] - rate),
                           .bytes_per_task = fmax(0, rate),
                           .message = fmax(0, messages[0] - message_rate),
                           .message_per_task = fmax(0, message_rate)};
}

bool labels_kernel(struct profile *profile, const struct kernel *kernel, struct failure *failure)
{
    profile->kernel = strdup(kernel->task->name);
    if (kernel->plugin) {
        profile->plugin = strdup(kernel->plugin);
        profile->plugin_sha256 = strdup(kernel->sha256);
    }
    return (profile->kernel && (!kernel->plugin || (profile->plugin && profile->plugin_sha256))) ||
           failure_memory(failure, "writing the profile");
}
