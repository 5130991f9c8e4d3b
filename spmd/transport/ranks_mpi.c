#include "spmd/transport/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spmd/transport/clock.h"
#include "spmd/transport/link_mpi.h"

/* Ranks that are all on one machine must not read each other's memory directly: if one dies during
 * that, UCX (the library under MPICH) ends the reader, too. Their messages go through shared memory
 * instead. Before MPI has begun only the launcher knows on how many machines ranks are; a user who
 * names transports decides. On several machines UCX chooses: without direct access to memory it
 * would use TCP within a machine, which often hangs at the end. */
static void transports_choose(void)
{
    const char *all = getenv("PMI_SIZE"), *here = getenv("MPI_LOCALNRANKS");
    const char *nodes = getenv("SLURM_STEP_NUM_NODES");
    if ((all && here && strcmp(all, here) == 0) || (!here && nodes && strcmp(nodes, "1") == 0))
        setenv("UCX_TLS", "posix,self", 0);
}

struct link ranks_begin(int *argc, char ***argv)
{
    /* MPI is never called within a parallel region. */
    int provided = MPI_THREAD_SINGLE;
    transports_choose();
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    return link_mpi(MPI_COMM_WORLD);
}

/* ---- the end ------------------------------------------------------------------------------- */

/* MPICH over UCX before 4.2 may not end where TCP carries messages: a rank whose connections are
 * closed waits in the launcher's barrier without advancing messages, and another one waits for it
 * to close its own (https://github.com/pmodels/mpich/pull/6596). */
static bool end_may_hang(void)
{
    static const char name[] = "MPICH Version:";
    const char *transports = getenv("UCX_TLS");
    char version[LINK_VERSION_SIZE], *dot;
    link_version(version);
    if (strncmp(version, name, sizeof name - 1) != 0 || !strstr(version, "ch4:ucx"))
        return false;
    const long major = strtol(version + sizeof name - 1, &dot, 10);
    const long minor = *dot == '.' ? strtol(dot + 1, NULL, 10) : 0;
    return (major < 4 || (major == 4 && minor < 2)) &&
           (!transports || strstr(transports, "tcp") || strstr(transports, "all"));
}

/* The file descriptor that connects this rank with the launcher, if the launcher is known to use
 * PMI-1, as MPICH does unless it was configured otherwise; negative: there is none. */
static int launcher_line(void)
{
    char version[LINK_VERSION_SIZE], *end;
    const char *line = getenv("PMI_FD");
    link_version(version);
    if (!line || strstr(version, "--with-pmi=") || strstr(version, "--with-pmix="))
        return -1;
    const long number = strtol(line, &end, 10);
    return *end == '\0' && end > line && number >= 0 && number <= INT_MAX ? (int)number : -1;
}

/* Says what MPI_Finalize says at its end, so that the launcher does not take this rank's exit for a
 * crash. */
static void launcher_tell(int line)
{
    static const char words[] = "cmd=finalize\n";
    char answer[64];
    if (write(line, words, sizeof words - 1) == (ssize_t)sizeof words - 1)
        (void)!read(line, answer, sizeof answer);
}

void ranks_end(struct link all)
{
    static const double nap_s = 1e-4;
    const int line = end_may_hang() ? launcher_line() : -1;
    struct link_request meeting;
    if (line < 0) {
        MPI_Finalize();
        return;
    }
    link_barrier(all, &meeting);
    while (!link_test(&meeting))
        clock_nap(nap_s);
    launcher_tell(line);
}
