#define _GNU_SOURCE /* sched_getaffinity */
#include "spmd/job/launch.h"

#include <hdf5.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/command/command.h"
#include "kernel/vector/isa.h"
#include "planner/files/textfile.h"

void launch_begin(struct comm *comm, int *argc, char ***argv)
{
    /* No MPI call is ever made inside a parallel region. */
    int provided = MPI_THREAD_SINGLE;
    /* A file over the size limit shall be a failed write with a sentence, not a death. */
    signal(SIGXFSZ, SIG_IGN);
    /* Ranks do not fork: what starts processes for them comes before MPI. */
    command_spawner_begin();
    /* Started before MPI and told not to end by itself, HDF5 ends where launch_end says and not
     * within MPI_Finalize, where a file that could not be closed would crash it. */
    H5dont_atexit();
    H5open();
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    comm_init(comm, MPI_COMM_WORLD);
}

int launch_end(struct comm *comm, const char *name, const struct failure *failure)
{
    struct failure result = *failure;
    comm_agree(comm, &result);
    if (comm->rank == 0) {
        if (result.code == FAILURE_NONE && (fflush(stdout) != 0 || ferror(stdout)))
            failure_set(&result, FAILURE_FAILED,
                        "standard output cannot be written: is the disk full?");
        if (result.code != FAILURE_NONE)
            fprintf(stderr, "%s: %s\n", name, result.text);
    }
    comm_broadcast(comm, &result.code, sizeof result.code);
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE) == 0)
        H5close();
    /* Not MPI_Abort, whatever happened: it can overtake the sentence on its way through mpiexec. */
    MPI_Finalize();
    return (int)result.code;
}

bool launch_options(const struct comm *comm, const struct option_table *table, int argc,
                    char **argv, char **operands, int operand_most, int *operand_count,
                    const bool *version, bool *over, struct failure *failure)
{
    enum option_help help;
    if (!options_parse(table, argc, argv, operands, operand_most, operand_count, &help, failure))
        return false;
    *over = help != OPTION_HELP_NONE || *version;
    if (*over && comm->rank == 0) {
        if (help != OPTION_HELP_NONE)
            options_help(table, help, stdout);
        else
            puts(launch_version());
    }
    if (!*over && comm->size < 2)
        return failure_set(failure, FAILURE_USAGE,
                           "needs a master and at least one worker: start it with mpiexec -n 2 "
                           "or more");
    return true;
}

char *launch_read(const struct comm *comm, const char *path, size_t *length,
                  struct failure *failure)
{
    char *text = comm->rank == 0 ? textfile_read(path, length, failure) : NULL;
    if (!comm_agree(comm, failure)) {
        free(text);
        return NULL;
    }
    return comm_broadcast_text(comm, text, length);
}

static int cores_allowed(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set);
}

int launch_threads(const struct comm *comm)
{
    int workers = comm_workers_on_node(comm);
    if (getenv("OMP_NUM_THREADS"))
        return omp_get_max_threads();
    int share = cores_allowed() / workers;
    return share > 1 ? share : 1;
}

const char *launch_version(void)
{
    static char line[400];
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    unsigned major = 0, minor = 0, release = 0;
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, "\n")] = '\0';
    for (char *tab = mpi; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    H5get_libversion(&major, &minor, &release);
    snprintf(line, sizeof line, "scow %s (%.80s; HDF5 %u.%u.%u; %s %s; %s)", SCOW_VERSION, mpi,
             major, minor, release,
#ifdef __clang__
             "clang", __clang_version__,
#else
             "gcc", __VERSION__,
#endif
             isa_name(isa_current()));
    return line;
}
