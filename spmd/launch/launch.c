#define _GNU_SOURCE /* cpu_set_t */
#include "spmd/launch/launch.h"

#include <assert.h>
#include <hdf5.h>
#include <inttypes.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/vector/isa.h"
#include "planner/base/limits.h"
#include "planner/base/text.h"
#include "planner/files/textfile.h"
#include "spmd/input/spool.h"
#include "spmd/launch/cores.h"
#include "spmd/launch/terminal.h"
#include "spmd/transport/bundle.h"

bool launch_above(void)
{
    static const char *const signs[] = {"PMI_RANK", "PMI_FD", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (getenv(signs[k]))
            return true;
    return false;
}

/* ---- options ------------------------------------------------------------------------------- */

static const struct option_row shared_rows[] = {
    {'p', "profile", "FILE", OPTION_TEXT, NULL,
     "profile the plan was made from, kept in the output for the report (default: the plan's own, "
     "where it is found)"},
    {0, "results", "FILE", OPTION_TEXT, NULL,
     "for what core tasks write: FILE.1, FILE.2, ..., one a worker (default: OUTPUT.results)"},
    {0, "collect", NULL, OPTION_FLAG, NULL,
     "workers return results to the master, which writes them: only it needs access to the output"},
    {0, "trust", NULL, OPTION_FLAG, NULL,
     "with --resume: trust what FILE says is done, without reading results back to compare them "
     "with their digests"},
    {0, "retry-lost", NULL, OPTION_FLAG, NULL,
     "with --resume: begin core tasks again that were given up because workers were lost on them"},
    {0, "until", "TIME", OPTION_TEXT, NULL,
     "begin nothing that would not end by then: 2h30m, 45s (from now), 18:30, 2026-11-23T18:30; "
     "none (default: the end of the job, as Slurm or PBS says)"},
    {0, "patience", "SECONDS", OPTION_NUMBER, NULL,
     "a worker that is silent for so long, and for ten times the longest package, is lost (60)"},
    {0, "no-copies", NULL, OPTION_FLAG, NULL,
     "wait for packages that are overdue when some worker has nothing more to do, do not hand them "
     "out a second time, and send packages whole"},
    {0, "gpus-per-worker", "N", OPTION_COUNT, NULL,
     "give each worker N of its node's GPUs, none of them to two workers (CUDA_VISIBLE_DEVICES, "
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
    if (*over && comm_leads(comm)) {
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
    char *text = comm_leads(comm) ? textfile_read(path, length, failure) : NULL;
    return bundle_share_text(text, length, comm, failure);
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

void launch_word_add(struct text *text, const char *word)
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

/* The longest command line that an output keeps. */
enum { LINE_MOST = 32000 };

char *launch_line(const struct comm *comm, const char *command, int argc, char **argv)
{
    struct text text = TEXT_INIT;
    if (comm->size > 1)
        text_add(&text, "mpiexec -n %d ", comm->size);
    text_add(&text, "scow %s", command);
    for (int i = 1; i < argc; i++)
        launch_word_add(&text, argv[i]);
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
    else if (spooled && comm_leads(comm))
        spool_write(name, again, failure);
    return name;
}
