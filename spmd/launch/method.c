#include "spmd/launch/method.h"

#include <string.h>

bool method_check(const struct job *job, const char *masters, int rank, struct failure *failure)
{
    char mine[JOB_METHOD_SIZE];
    job_method(job, mine, sizeof mine);
    return strcmp(mine, masters) == 0 ||
           failure_set(
               failure, FAILURE_FAILED,
               "rank %d would compute in another way (%.170s) than the master (%.170s): start the "
               "same build of scow on all nodes",
               rank, mine, masters);
}

bool kernel_agree(const struct comm *comm, const struct kernel *kernel, struct failure *failure)
{
    char masters[sizeof kernel->sha256];
    memcpy(masters, kernel->sha256, sizeof masters);
    comm_broadcast(comm, masters, sizeof masters);
    if (strcmp(kernel->sha256, masters) != 0)
        failure_set(failure, FAILURE_MISMATCH,
                    "plug-in '%s' is another file on rank %d than on the master: put it on a file "
                    "system that all nodes see",
                    kernel->plugin, comm->rank);
    return comm_agree(comm, failure);
}
