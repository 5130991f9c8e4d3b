#define _GNU_SOURCE /* cpu_set_t */
#include "spmd/launch/launch.h"

#include <assert.h>
#include <hdf5.h>
#include <inttypes.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/command/command.h"
#include "kernel/vector/isa.h"
#include "planner/base/limits.h"
#include "planner/base/text.h"
#include "planner/files/textfile.h"
#include "spmd/input/spool.h"
#include "spmd/launch/cores.h"
#include "spmd/launch/terminal.h"
#include "spmd/transport/link_mpi.h"
#include "spmd/transport/wire.h"

/* So long ranks have to come together: one that has died before would be waited for for ever. */
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
    /* No MPI call is ever made inside a parallel region. */
    int provided = MPI_THREAD_SINGLE;
    /* A file over the size limit shall be a failed write with a sentence, not a death. */
    signal(SIGXFSZ, SIG_IGN);
    /* Ranks do not fork: what starts processes for them comes before MPI. */
    command_spawner_begin();
    /* Where network file systems lock whole files for HDF5, that is in the way of the locks by
     * which ranks see each other (spmd/transport/file_lock.h); an output has one run at a time
     * anyway.
     */
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    /* Started before MPI and told not to end by itself, HDF5 ends where launch_end says and not
     * within MPI_Finalize, where a file that could not be closed would crash it. */
    H5dont_atexit();
    H5open();
    signal(SIGALRM, begin_over);
    alarm(BEGIN_S);
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    comm_init(comm, link_mpi(MPI_COMM_WORLD));
    comm_find_node(comm);
}

void launch_assembled(void)
{
    alarm(0);
}

/* ---- ending -------------------------------------------------------------------------------- */

/* So long a rank waits for the others at its very end, when all is done and written: one that dies
 * there would be waited for for ever. And after a loss, for the master's last word. */
enum { LAST_S = 60, FAREWELL_S = 10 };

/* What is left to do when the others do not answer. */
static struct {
    int code;
    size_t size;
    char text[600];
    const struct process *others; /* borrowed; that are in reach */
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
    if (comm->rank == 0 && failure->code != FAILURE_NONE)
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

/* Local. With ranks lost, MPI cannot end, and a launcher may end everybody when the first one
 * leaves: so the master leaves first, having said all. Processes that do not answer any more are
 * ended, as far as they are in reach: a launcher would wait for one that is stopped. MPICH's
 * can break (SIGPIPE) when several leave at a time. */
static _Noreturn void leave(const struct comm *comm, const char *name, struct failure *result)
{
    static const double heard_s = 1; /* what was said has passed through the launcher */
    if (comm->rank == 0)
        result_say(name, result);
    else
        farewell_await(comm);
    fflush(NULL);
    if (comm->rank == 0)
        clock_nap(heard_s);
    for (int rank = 1; comm->rank == 0 && rank < comm->size; rank++)
        comm_tell(comm, rank, WIRE_FAREWELL);
    for (int k = 0; comm->others.items && k < comm->others.count; k++)
        process_kill(&comm->others.items[k]);
    _exit((int)result->code);
}

/* Local to the master, when all is over. One that is stopped in its very last moments would keep
 * its launcher waiting: the alarm that is set ends it. */
static void others_outlive(const struct comm *comm)
{
    static const double nap_s = 1e-3;
    for (int k = 0; comm->rank == 0 && k < last_word.other_count; k++)
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
    if (comm->rank == 0)
        result_say(name, &result);
    last_word.size = 0;
    comm_broadcast(comm, &result.code, sizeof result.code);
    last_word.code = (int)result.code;
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE) == 0)
        H5close();
    /* Not MPI_Abort, whatever happened: it can overtake the sentence on its way through mpiexec. */
    MPI_Finalize();
    others_outlive(comm);
    alarm(0);
    free(comm->others.items);
    return (int)result.code;
}

/* ---- options ------------------------------------------------------------------------------- */

static const struct option_row shared_rows[] = {
    {0, "results", "FILE", OPTION_TEXT, NULL,
     "for what core tasks write: FILE.1, FILE.2, ..., one a worker (default: OUTPUT.results)"},
    {0, "collect", NULL, OPTION_FLAG, NULL,
     "workers return results to the master, which writes them: only it needs access to the output"},
    {0, "until", "TIME", OPTION_TEXT, NULL,
     "begin nothing that would not end by then: 2h30m, 45s (from now), 18:30, 2026-11-23T18:30; "
     "none (default: the end of the job, as Slurm or PBS says)"},
    {0, "patience", "SECONDS", OPTION_NUMBER, NULL,
     "a worker that is silent for so long, and for ten times the longest package, is lost (60)"},
    {0, "no-copies", NULL, OPTION_FLAG, NULL,
     "wait for packages that are overdue when some worker has nothing more to do, and do not hand "
     "them out once more"},
    {0, "gpus-per-worker", "N", OPTION_COUNT, NULL,
     "give each worker N of its node's GPUs, none to two of them (CUDA_VISIBLE_DEVICES, "
     "ROCR_VISIBLE_DEVICES, SCOW_GPUS)"},
    {0, "isa", "NAME", OPTION_TEXT, NULL,
     "instruction set to compute with: auto, avx512, avx2, generic (sse2)"},
    {'q', "quiet", NULL, OPTION_FLAG, NULL, "no progress, only the outcome and failures"},
    {0, "version", NULL, OPTION_FLAG, NULL, "print versions and exit"},
    {0, "staged", NULL, OPTION_FLAG, NULL,
     "workers read their packages from the input by themselves, not from the master"},
};

struct option_row launch_row(const char *name, void *value)
{
    size_t k = 0;
    while (k + 1 < sizeof shared_rows / sizeof *shared_rows &&
           strcmp(shared_rows[k].name, name) != 0)
        k++;
    assert(strcmp(shared_rows[k].name, name) == 0);
    struct option_row row = shared_rows[k];
    row.value = value;
    return row;
}

bool launch_patience_check(double patience_s, struct failure *failure)
{
    return patience_s > 0 ||
           failure_set(failure, FAILURE_USAGE, "--patience is in seconds, above 0");
}

/* Local to the master. */
static void help_print(const struct option_table *table, enum option_help help)
{
    const int terminal = terminal_open(stdout);
    options_help(table, help, terminal >= 0 ? terminal_columns(terminal) : 0, stdout);
    if (terminal >= 0)
        close(terminal);
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
            help_print(table, help);
        else
            puts(launch_version());
    }
    return true;
}

bool launch_ranks_check(const struct comm *comm, struct failure *failure)
{
    return comm->size >= 2 || failure_set(failure, FAILURE_USAGE,
                                          "needs a master and at least one worker: start it with "
                                          "mpiexec -n 2 or more");
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

bool launch_threads_check(struct failure *failure)
{
    const int64_t asked = getenv("OMP_NUM_THREADS") ? omp_get_max_threads() : 1;
    return asked <= LIMIT_THREADS ||
           failure_set(failure, FAILURE_USAGE,
                       "OMP_NUM_THREADS asks for %" PRId64 " threads, and a rank can have %" PRId64
                       " at most: set it lower",
                       asked, LIMIT_THREADS);
}

int launch_threads(const struct comm *comm)
{
    int workers = comm_workers_on_node(comm);
    if (getenv("OMP_NUM_THREADS"))
        return omp_get_max_threads();
    cpu_set_t cores;
    cores_allowed(&cores);
    const int share = CPU_COUNT(&cores) / workers;
    return share > 1 ? share : 1;
}

const char *launch_version(void)
{
    static char line[400];
    char mpi[LINK_VERSION_SIZE];
    unsigned major = 0, minor = 0, release = 0;
    link_version(mpi);
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

/* With odd characters in quotes, as a shell wants it. */
static void word_add(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%+=:,./_-";
    if (*word && word[strspn(word, plain)] == '\0') {
        text_add(text, " %s", word);
        return;
    }
    text_add(text, " '");
    for (; *word; word++) {
        if (*word == '\'')
            text_add(text, "'\\''");
        else
            text_add(text, "%c", *word);
    }
    text_add(text, "'");
}

/* The most that an output keeps of it. */
enum { LINE_MOST = 32000 };

char *launch_line(const struct comm *comm, const char *command, int argc, char **argv)
{
    struct text text = TEXT_INIT;
    text_add(&text, "mpiexec -n %d scow %s", comm->size, command);
    for (int i = 1; i < argc; i++)
        word_add(&text, argv[i]);
    char *line = text_take(&text);
    if (line && strlen(line) < LINE_MOST)
        return line;
    free(line);
    return NULL;
}

char *launch_input(const struct comm *comm, const char *input, const char *output, bool again,
                   struct failure *failure)
{
    const bool spooled = spool_wanted(input);
    char *name = spooled ? spool_name(output) : input ? strdup(input) : NULL;
    if (input && !name)
        failure_memory(failure, "naming the input");
    else if (spooled && comm->rank == 0)
        spool_write(name, again, failure);
    comm_agree(comm, failure);
    return name;
}
