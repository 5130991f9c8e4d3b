#include "spmd/node/node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t node_number(void)
{
    static const char *const names[] = {"SLURM_NODEID", "PMI_RANK", "PMIX_RANK",
                                        "OMPI_COMM_WORLD_RANK"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *text = getenv(names[k]);
        if (text && text[0] >= '0' && text[0] <= '9')
            return strtoll(text, NULL, 10);
    }
    return 0;
}

int node_end(struct failure *failure)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        failure_set(failure, FAILURE_FAILED,
                    "cannot write standard output: %s; check where it goes",
                    strerror(errno ? errno : EIO));
    if (failure->code != FAILURE_NONE)
        fprintf(stderr, "scow: %s\n", failure->text);
    return (int)failure->code;
}
