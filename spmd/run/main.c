/* scow-run: executes a plan. One program on every rank; rank 0 is the master. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/profile_json.h"
#include "planner/model/profile.h"
#include "spmd/job/instructions.h"
#include "spmd/job/launch.h"
#include "spmd/job/papers.h"
#include "spmd/run/execute.h"

struct arguments {
    const char *plan, *input, *output, *profile, *isa;
    bool quiet, verbose, version;
};

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            struct arguments *arguments, bool *over, struct failure *failure)
{
    const struct option_row rows[] = {
        {'i', "image", "IMAGE", OPTION_TEXT, &arguments->input,
         "PNG, PGM, or HDF5 data set (file.h5:/path) that the plan was made for"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->output, "HDF5 file to create"},
        {'p', "profile", "FILE", OPTION_TEXT, &arguments->profile,
         "profile the plan was made from, kept in the output for the report (default: the plan's "
         "own, where it is found)"},
        {0, "isa", "NAME", OPTION_TEXT, &arguments->isa,
         "instruction set to compute with: auto, avx512, avx2, generic (sse2)"},
        {'q', "quiet", NULL, OPTION_FLAG, &arguments->quiet, "no progress, only failures"},
        {'v', "verbose", NULL, OPTION_FLAG, &arguments->verbose, "say what is being done"},
        {0, "version", NULL, OPTION_FLAG, &arguments->version, "print versions and exit"},
    };
    const struct option_table table = {
        .usage = "scow run PLAN -i IMAGE -o FILE [options]",
        .purpose = "Execute a plan, started as mpiexec -n P+1 scow run ...: rank 0 is the master, "
                   "ranks 1 to P "
                   "are the workers.",
        .rows = rows,
        .row_count = sizeof rows / sizeof rows[0],
        .epilogue = "Threads per rank: OMP_NUM_THREADS, or the node's cores shared among its "
                    "workers.\nExit: 0 done, 1 failed, 2 usage, 4 plan, input or output do not "
                    "match.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &operand, 1, &operands, &arguments->version, over,
                        failure))
        return false;
    arguments->plan = operand;
    if (*over)
        return true;
    if (!arguments->plan || !arguments->input || !arguments->output)
        return failure_set(failure, FAILURE_USAGE, "%s is missing: see scow run --help",
                           !arguments->plan    ? "the plan"
                           : !arguments->input ? "the input (-i IMAGE)"
                                               : "the output (-o FILE)");
    return !arguments->isa || instructions_pin(arguments->isa, comm, failure);
}

static void outcome_print(const struct arguments *arguments, const struct plan *plan,
                          const struct run_outcome *outcome)
{
    const struct summary *summary = &outcome->summary;
    printf("%s: %" PRId64 " core tasks in %.4f s", arguments->output, summary->tasks,
           outcome->makespan_s);
    if (plan->predicted.known && plan->predicted.makespan_s > 0)
        printf(" (predicted %.4f s, %+.1f %%)", plan->predicted.makespan_s,
               100 * (outcome->makespan_s / plan->predicted.makespan_s - 1));
    if (summary->values > summary->not_numbers)
        printf("\nresponse %g to %g", summary->minimum, summary->maximum);
    else
        printf("\nresponse without a single number");
    printf(", checksum %016" PRIx64 "\n", summary->checksum);
    if (summary->not_numbers > 0)
        printf("%" PRId64 " of %" PRId64 " values are not numbers\n", summary->not_numbers,
               summary->values);
}

/* What makes a profile's times other than this run's. */
static void profile_compare(const struct papers *papers, const struct execution *execution)
{
    struct profile profile;
    struct failure failure = FAILURE_INIT;
    if (!papers->profile_text ||
        !profile_parse(&profile, papers->profile_text, strlen(papers->profile_text), "", &failure))
        return;
    const struct profile_origin *origin = &profile.origin;
    if (origin->threads > 0 && origin->threads != execution->threads)
        fprintf(stderr,
                "scow run: the profile was measured with %d threads per rank, this run has %d: "
                "times will differ (OMP_NUM_THREADS)\n",
                origin->threads, execution->threads);
    if (origin->isa && !instructions_alike(origin->isa, execution->isa))
        fprintf(stderr,
                "scow run: the profile was measured with %s, this run computes with %s: times "
                "will differ (--isa)\n",
                origin->isa, execution->isa);
    profile_release(&profile);
}

/* Local to the master. */
static void intent_print(const struct arguments *arguments, const struct papers *papers,
                         const struct execution *execution)
{
    const struct plan *plan = &papers->plan;
    if (!arguments->quiet && plan->profile && !papers->profile_text)
        fprintf(stderr,
                "scow run: the plan's profile '%s' is not to be found (name it with -p): the "
                "report will have no prediction of single operations\n",
                plan->profile);
    if (!arguments->quiet)
        profile_compare(papers, execution);
    if (arguments->verbose)
        fprintf(stderr,
                "scow run: %s: %.0f core tasks in %" PRId64 " packages to %" PRId64
                " workers by %s, %d threads each, %s\n",
                arguments->plan, plan->tasks, plan_packages(plan), plan_workers_needed(plan),
                plan->scheduler, execution->threads, execution->isa);
}

static void run_command(struct comm *comm, int argc, char **argv, struct failure *failure)
{
    struct arguments arguments = {0};
    struct papers papers = {0};
    struct run_outcome outcome = {0};
    char *isa = NULL;
    bool over = false;
    arguments_parse(comm, argc, argv, &arguments, &over, failure);
    if (!comm_agree(comm, failure) || over)
        return;
    if (!papers_read(&papers, comm, arguments.plan, arguments.profile, failure))
        goto out;
    comm_align_clocks(comm);
    isa = instructions_gather(comm);
    struct execution execution = {
        .comm = comm,
        .plan = &papers.plan,
        .plan_text = papers.plan_text,
        .profile_text = papers.profile_text,
        .plan_name = arguments.plan,
        .input = arguments.input,
        .output = arguments.output,
        .isa = isa,
        .threads = launch_threads(comm),
        .quiet = arguments.quiet,
    };
    if (comm->rank == 0)
        intent_print(&arguments, &papers, &execution);
    if (execute_run(&execution, &outcome, failure) && comm->rank == 0)
        outcome_print(&arguments, &papers.plan, &outcome);
out:
    free(isa);
    run_outcome_release(&outcome);
    papers_release(&papers);
}

int main(int argc, char **argv)
{
    struct comm comm;
    struct failure failure = FAILURE_INIT;
    launch_begin(&comm, &argc, &argv);
    run_command(&comm, argc, argv, &failure);
    return launch_end(&comm, "scow run", &failure);
}
