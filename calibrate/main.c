/* scow-calibrate: measures a cluster with short probe runs and writes its profile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibration.h"
#include "kernel/kernel.h"
#include "planner/base/limits.h"
#include "planner/files/profile_json.h"
#include "planner/files/textfile.h"
#include "spmd/job/instructions.h"
#include "spmd/job/job.h"
#include "spmd/job/launch.h"

enum { BLOCKS_MOST = 16 };

struct arguments {
    const char *kernel, *input, *blocks, *output, *probes, *scratch, *isa;
    const char *values[KERNEL_PARAMETER_MOST]; /* as typed; NULL: the default */
    bool quick, quiet, version;
};

/* ---- command line -------------------------------------------------------------------------- */

/* The kernel whose parameters are options: the one that -k names anywhere, else the first. An
 * unknown name is refused later. */
static const struct kernel *kernel_named(int argc, char **argv)
{
    size_t count = 0;
    const struct kernel *kernel = NULL;
    for (int i = 1; i + 1 < argc && !kernel; i++)
        if (strcmp(argv[i], "-k") == 0 || strcmp(argv[i], "--kernel") == 0)
            kernel = kernel_find(argv[i + 1]);
    return kernel ? kernel : kernel_list(&count)[0];
}

static size_t rows_fill(struct arguments *arguments, const struct kernel *kernel,
                        struct option_row *rows)
{
    const struct option_row fixed[] = {
        {'k', "kernel", "NAME", OPTION_TEXT, &arguments->kernel,
         "core task to measure (default: matched-filter)"},
        {'i', "image", "IMAGE", OPTION_TEXT, &arguments->input,
         "PNG, PGM, or HDF5 data set (file.h5:/path) like the ones to be processed"},
        {0, "blocks", "B,B,...", OPTION_TEXT, &arguments->blocks,
         "edges of a core task to measure, in pixels (default: 64)"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->output,
         "profile to write (default: standard output)"},
        {0, "probes", "FILE", OPTION_TEXT, &arguments->probes,
         "write every timing there, tab-separated"},
        {0, "scratch", "DIR", OPTION_TEXT, &arguments->scratch,
         "directory like the run's output's, for trial writes (default: that of the profile)"},
        {0, "quick", NULL, OPTION_FLAG, &arguments->quick, "fewer package sizes and timings"},
        {0, "isa", "NAME", OPTION_TEXT, &arguments->isa,
         "instruction set to compute with: auto, avx512, avx2, generic (sse2)"},
        {'q', "quiet", NULL, OPTION_FLAG, &arguments->quiet, "only failures"},
        {0, "version", NULL, OPTION_FLAG, &arguments->version, "print versions and exit"},
    };
    size_t count = sizeof fixed / sizeof fixed[0];
    memcpy(rows, fixed, sizeof fixed);
    for (int i = 0; i < kernel->parameter_count; i++)
        rows[count++] = (struct option_row){
            0,           kernel->parameters[i].name, "VALUE",
            OPTION_TEXT, &arguments->values[i],      kernel->parameters[i].help};
    return count;
}

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            struct arguments *arguments, bool *over, struct failure *failure)
{
    struct option_row rows[16 + KERNEL_PARAMETER_MOST];
    const struct option_table table = {
        .usage = "scow calibrate -i IMAGE [-k KERNEL] [options] -o PROFILE",
        .purpose =
            "Started as mpiexec -n P+1 scow calibrate ...: measure what envelopes, sends, links, "
            "receiving, computing and output cost on "
            "these ranks, as latency + rate x core tasks.",
        .rows = rows,
        .row_count = rows_fill(arguments, kernel_named(argc, argv), rows),
        .epilogue = "Start it as the run will be started: same nodes, ranks per node and threads "
                    "(OMP_NUM_THREADS).\nExit: 0 done, 1 failed, 2 usage, 4 input does not fit.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &operand, 0, &operands, &arguments->version, over,
                        failure) ||
        *over)
        return failure->code == FAILURE_NONE;
    if (!arguments->input)
        return failure_set(failure, FAILURE_USAGE,
                           "the input (-i IMAGE) is missing: see scow calibrate --help");
    return !arguments->isa || instructions_pin(arguments->isa, comm, failure);
}

static bool blocks_have(const int *blocks, int count, int block)
{
    for (int i = 0; i < count; i++)
        if (blocks[i] == block)
            return true;
    return false;
}

/* "32,64" into blocks[]; returns how many, 0 with *failure set. */
static int blocks_parse(const char *text, int *blocks, struct failure *failure)
{
    int count = 0;
    for (const char *at = text;; at++) {
        char *end = NULL;
        long value = strtol(at, &end, 10);
        if (end == at || value < 1 || value > LIMIT_BLOCK || count == BLOCKS_MOST ||
            blocks_have(blocks, count, (int)value) || (*end && *end != ','))
            break;
        blocks[count++] = (int)value;
        at = end;
        if (!*end)
            return count;
    }
    failure_set(failure, FAILURE_USAGE,
                "--blocks %s: give up to %d different whole numbers of pixels, separated by commas",
                text, BLOCKS_MOST);
    return 0;
}

static bool values_list(const struct kernel *kernel, const struct arguments *arguments,
                        struct parameter_list *list, struct failure *failure)
{
    for (int i = 0; i < kernel->parameter_count; i++) {
        const char *text = arguments->values[i];
        if (!text)
            continue;
        char *end = NULL;
        double number = strtod(text, &end);
        bool is_number = end != text && *end == '\0';
        if (!parameter_list_add(list, kernel->parameters[i].name, is_number ? NULL : text, number))
            return failure_memory(failure, "reading the command line");
    }
    return true;
}

/* ---- outcome ------------------------------------------------------------------------------- */

/* Owned: where the profile goes, for the trial writes to go there too. NULL: out of memory. */
static char *scratch_directory(const struct arguments *arguments)
{
    if (arguments->scratch)
        return strdup(arguments->scratch);
    const char *slash = arguments->output ? strrchr(arguments->output, '/') : NULL;
    return slash ? strndup(arguments->output,
                           slash > arguments->output ? (size_t)(slash - arguments->output) : 1)
                 : strdup(".");
}

static bool text_write(char *text, const char *path, struct failure *failure)
{
    bool good =
        text ? textfile_write(path, text, failure) : failure_memory(failure, "writing the profile");
    free(text);
    return good;
}

/* Local to the master. */
static bool outcome_write(const struct arguments *arguments, const struct calibration *calibration,
                          struct failure *failure)
{
    if (arguments->probes &&
        !text_write(samples_print(&calibration->samples), arguments->probes, failure))
        return false;
    return text_write(profile_print(&calibration->profile),
                      arguments->output ? arguments->output : "-", failure);
}

/* Local to the master. Minutes of probing shall not end in a file that cannot be written. */
static bool outcome_check(const struct arguments *arguments, struct failure *failure)
{
    return (!arguments->probes || textfile_check(arguments->probes, failure)) &&
           (!arguments->output || textfile_check(arguments->output, failure));
}

/* Local, the same on every rank. */
static bool request_fill(struct calibration_request *request, const struct arguments *arguments,
                         struct kernel_setup *setup, int *blocks, struct failure *failure)
{
    struct parameter_list list = {0};
    request->kernel =
        job_kernel(arguments->kernel ? arguments->kernel : "matched-filter", "--kernel", failure);
    bool good = request->kernel && values_list(request->kernel, arguments, &list, failure) &&
                job_parameters(request->kernel, &list, "command line", setup, failure);
    parameter_list_release(&list);
    if (!good) {
        failure->code = FAILURE_USAGE;
        return false;
    }
    request->values = setup->values;
    request->input = arguments->input;
    request->blocks = blocks;
    request->block_count =
        blocks_parse(arguments->blocks ? arguments->blocks : "64", blocks, failure);
    request->effort = arguments->quick ? probe_quick : probe_thorough;
    request->quiet = arguments->quiet;
    return request->block_count > 0;
}

static void calibrate_command(struct comm *comm, int argc, char **argv, struct failure *failure)
{
    struct arguments arguments = {0};
    struct calibration calibration = {0};
    struct calibration_request request = {0};
    struct kernel_setup setup = {0};
    int blocks[BLOCKS_MOST];
    bool over = false;
    if (arguments_parse(comm, argc, argv, &arguments, &over, failure) && !over)
        request_fill(&request, &arguments, &setup, blocks, failure);
    char *scratch = scratch_directory(&arguments);
    if (comm->rank == 0 && failure->code == FAILURE_NONE && !over)
        outcome_check(&arguments, failure);
    if (!scratch)
        failure_memory(failure, "naming the scratch file");
    if (!comm_agree(comm, failure) || over)
        goto out;
    request.scratch = scratch;
    request.threads = launch_threads(comm);
    if (calibration_make(&calibration, comm, &request, failure) && comm->rank == 0)
        outcome_write(&arguments, &calibration, failure);
out:
    calibration_release(&calibration);
    free(scratch);
}

int main(int argc, char **argv)
{
    struct comm comm;
    struct failure failure = FAILURE_INIT;
    launch_begin(&comm, &argc, &argv);
    calibrate_command(&comm, argc, argv, &failure);
    return launch_end(&comm, "scow calibrate", &failure);
}
