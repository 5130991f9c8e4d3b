/* Where a parallel program begins and ends. */
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/command/command.h"
#include "spmd/launch/launch.h"
#include "spmd/transport/ranks.h"
#include "spmd/transport/wire.h"

/* Seconds for all ranks to begin: without a limit, one that died before would be waited for
 * forever. */
enum { BEGIN_S = 600 };

static void begin_over(int number)
{
    static const char sentence[] =
        "scow: not all ranks have started within ten minutes; one may have died: start again\n";
    (void)number;
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0)
        _exit(FAILURE_FAILED);
    _exit(FAILURE_STOPPED);
}

void launch_begin(struct comm *comm, int *argc, char ***argv)
{
    /* Writing beyond the limit of a file's size shall fail with a sentence, and not kill the
     * process. */
    signal(SIGXFSZ, SIG_IGN);
    /* Ranks do not fork after MPI has begun: the process that starts others for them comes
     * first. */
    command_spawner_begin();
    /* On network file systems, HDF5's locks of whole files would exclude the locks by which ranks
     * see each other (planner/base/file_lock.h). They are not needed: an output has one run at a
     * time. */
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    /* HDF5 is started before MPI, and told not to end at exit, so that it ends where launch_end
     * says and not while MPI ends, where a file that could not be closed would crash it. */
    H5dont_atexit();
    H5open();
    signal(SIGALRM, begin_over);
    alarm(BEGIN_S);
    comm_init(comm, ranks_begin(argc, argv));
    comm_find_node(comm);
}

/* Seconds for ranks to come together again, without those that are lost. */
enum { AGAIN_S = 60 };

static void again_over(int number)
{
    static const char sentence[] = "scow: not all ranks that were left have come together within a "
                                   "minute; one may have died: run the same again with --resume\n";
    (void)number;
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0)
        _exit(FAILURE_FAILED);
    _exit(FAILURE_STOPPED);
}

void launch_assemble(void)
{
    signal(SIGALRM, again_over);
    alarm(AGAIN_S);
}

void launch_assembled(void)
{
    alarm(0);
}

/* ---- ending -------------------------------------------------------------------------------- */

/* Seconds for which a rank waits for the others at its end, when everything is done and written
 * (one that dies there would be waited for forever); and after a loss for the master's last
 * message. */
enum { LAST_S = 60, FAREWELL_S = 10 };

/* What is needed to end where the others do not answer. */
static struct {
    int code;
    size_t size;
    char text[600];
    const struct process *others; /* borrowed; those on this machine */
    int other_count;
} last_word;

static void last_moment(int number)
{
    (void)number;
    if (last_word.size > 0 && write(STDERR_FILENO, last_word.text, last_word.size) < 0)
        _exit(FAILURE_FAILED);
    for (int k = 0; k < last_word.other_count; k++)
        kill((pid_t)last_word.others[k].number, SIGKILL);
    _exit(last_word.code);
}

static void last_moment_await(struct comm *comm, const char *name, const struct failure *failure)
{
    struct process_list *others = &comm->others;
    for (int k = 0; others->items && k < others->count; k++)
        if (process_is_alive(&others->items[k]))
            others->items[last_word.other_count++] = others->items[k];
    last_word.others = others->items;
    last_word.code = (int)failure->code;
    if (comm_leads(comm) && failure->code != FAILURE_NONE)
        last_word.size = (size_t)snprintf(last_word.text, sizeof last_word.text, "%s: %s\n", name,
                                          failure->text);
    signal(SIGALRM, last_moment);
    alarm(LAST_S);
}

/* Local to the master. */
static void result_say(const char *name, struct failure *result)
{
    if (result->code == FAILURE_NONE && (fflush(stdout) != 0 || ferror(stdout)))
        failure_set(result, FAILURE_FAILED, "standard output cannot be written: is the disk full?");
    if (result->code != FAILURE_NONE)
        fprintf(stderr, "%s: %s\n", name, result->text);
}

static void farewell_await(const struct comm *comm)
{
    static const double nap_s = 1e-3;
    const double start_s = clock_now();
    struct link_request request;
    link_receive(comm->link, NULL, 0, 0, WIRE_FAREWELL, &request);
    while (!link_test(&request) && clock_now() - start_s < FAREWELL_S)
        clock_nap(nap_s);
}

/* Local. If ranks are lost, MPI cannot end, and a launcher may kill all ranks when the first one
 * exits: so the master exits first, after it has printed everything. Processes that no longer
 * answer are killed if they are on this machine, because a launcher would wait for one that is
 * stopped. MPICH's launcher may break (SIGPIPE) when several ranks exit at the same time. */
static _Noreturn void leave(const struct comm *comm, const char *name, struct failure *result)
{
    static const double heard_s = 1; /* time for printed text to pass the launcher */
    if (comm_leads(comm))
        result_say(name, result);
    else
        farewell_await(comm);
    fflush(NULL);
    if (comm_leads(comm))
        clock_nap(heard_s);
    for (int rank = 1; comm_leads(comm) && rank < comm->size; rank++)
        comm_tell(comm, rank, WIRE_FAREWELL);
    for (int k = 0; comm->others.items && k < comm->others.count; k++)
        process_kill(&comm->others.items[k]);
    _exit((int)result->code);
}

/* Local to the master, at the end. A rank that is stopped in its very last moments would keep its
 * launcher waiting: the alarm of last_moment_await kills it. */
static void others_outlive(const struct comm *comm)
{
    static const double nap_s = 1e-3;
    for (int k = 0; comm_leads(comm) && k < last_word.other_count; k++)
        while (process_is_alive(&last_word.others[k]))
            clock_nap(nap_s);
}

int launch_end(struct comm *comm, const char *name, const struct failure *failure)
{
    struct failure result = *failure;
    if (comm->broken)
        leave(comm, name, &result);
    fflush(stdout);
    last_moment_await(comm, name, failure);
    comm_agree(comm, &result);
    if (comm_leads(comm))
        result_say(name, &result);
    last_word.size = 0;
    comm_broadcast(comm, &result.code, sizeof result.code);
    last_word.code = (int)result.code;
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE) == 0)
        H5close();
    /* MPI is never aborted: that can end the job before printed text has passed mpiexec. */
    ranks_end(comm->link);
    others_outlive(comm);
    alarm(0);
    free(comm->others.items);
    return (int)result.code;
}
