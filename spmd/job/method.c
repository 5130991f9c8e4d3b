#include "spmd/job/method.h"

#include <string.h>

bool method_agree(const struct comm *comm, const struct job *job, struct failure *failure)
{
    char mine[KERNEL_METHOD_BYTES] = "", masters[KERNEL_METHOD_BYTES];
    job->kernel->describe(job->made, mine, sizeof mine);
    memcpy(masters, mine, sizeof masters);
    comm_broadcast(comm, masters, sizeof masters);
    if (strcmp(mine, masters) != 0)
        failure_set(failure, FAILURE_FAILED,
                    "rank %d would compute otherwise (%.170s) than the master (%.170s): start the "
                    "same build of scow on all nodes",
                    comm->rank, mine, masters);
    return comm_agree(comm, failure);
}
