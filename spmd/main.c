/* scow-run: executes a plan. One program on every rank; rank 0 is the master. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "planner/profile.h"
#include "planner/textfile.h"
#include "spmd/execute.h"
#include "spmd/session.h"

struct arguments {
    const char *plan, *input, *output, *profile, *isa;
    bool quiet, verbose, version;
};

/* Everything read from files, the same on every rank. */
struct papers {
    char *plan_text, *profile_text; /* owned; profile NULL: none */
    struct plan plan;
};

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            struct arguments *arguments, bool *over, struct failure *failure)
{
    const struct option_row rows[] = {
        {'i', "input", "IMAGE", OPTION_TEXT, &arguments->input,
         "PNG, PGM, or HDF5 data set (file.h5:/path) that the plan was made for"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->output, "HDF5 file to create"},
        {'p', "profile", "FILE", OPTION_TEXT, &arguments->profile,
         "profile the plan was made from, kept in the output for the report (default: the plan's "
         "own, where it is found)"},
        {0, "isa", "NAME", OPTION_TEXT, &arguments->isa,
         "instruction set to compute with: auto, avx512, avx2, generic"},
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
    if (!session_options(comm, &table, argc, argv, &operand, 1, &operands, &arguments->version,
                         over, failure))
        return false;
    arguments->plan = operand;
    if (*over)
        return true;
    if (!arguments->plan || !arguments->input || !arguments->output)
        return failure_set(failure, FAILURE_USAGE, "%s is missing: see scow run --help",
                           !arguments->plan    ? "the plan"
                           : !arguments->input ? "the input (-i IMAGE)"
                                               : "the output (-o FILE)");
    if (arguments->isa && !kernel_isa_pin(arguments->isa))
        return failure_set(failure, FAILURE_USAGE,
                           "--isa %s: unknown, or not available on this processor", arguments->isa);
    return true;
}

/* A profile's text, owned, if the file is there and is the one the plan was made from. */
static char *profile_try(const char *path, const char *digest, size_t *length)
{
    struct failure absent = FAILURE_INIT;
    char found[65];
    char *text = textfile_read(path, length, &absent);
    if (!text)
        return NULL;
    textfile_sha256(text, *length, found);
    if (strcmp(found, digest) == 0)
        return text;
    free(text);
    return NULL;
}

/* Local to the master. The plan's own profile: where it was when the plan was made, or beside the
 * plan. NULL: not found, and the report will have less to say. */
static char *profile_find_text(const char *plan_path, const struct plan *plan, size_t *length)
{
    if (!plan->profile || !plan->profile_sha256)
        return NULL;
    char *text = profile_try(plan->profile, plan->profile_sha256, length);
    if (text)
        return text;
    const char *name = strrchr(plan->profile, '/'), *end = strrchr(plan_path, '/');
    char beside[4096];
    int directory = end ? (int)(end - plan_path) + 1 : 0;
    int bytes = snprintf(beside, sizeof beside, "%.*s%s", directory, plan_path,
                         name ? name + 1 : plan->profile);
    if (bytes < 0 || (size_t)bytes >= sizeof beside)
        return NULL;
    return profile_try(beside, plan->profile_sha256, length);
}

/* Collective. */
static void profile_seek(const struct comm *comm, const struct arguments *arguments,
                         struct papers *papers)
{
    size_t length = 0;
    char *text = NULL;
    if (comm->rank == 0)
        text = profile_find_text(arguments->plan, &papers->plan, &length);
    if (comm->rank == 0 && !text && papers->plan.profile && !arguments->quiet)
        fprintf(stderr,
                "scow run: the plan's profile '%s' is not to be found (name it with -p): the "
                "report will have no prediction of single operations\n",
                papers->plan.profile);
    int found = text != NULL;
    comm_broadcast(comm, &found, sizeof found);
    if (found)
        papers->profile_text = comm_broadcast_text(comm, text, &length);
}

/* Collective. A profile that is not the plan's own would explain nothing. */
static bool profile_read(const struct comm *comm, const struct arguments *arguments,
                         struct papers *papers, struct failure *failure)
{
    size_t length = 0;
    papers->profile_text = session_read(comm, arguments->profile, &length, failure);
    if (!papers->profile_text)
        return false;
    struct profile profile;
    if (!profile_parse(&profile, papers->profile_text, length, arguments->profile, failure))
        return false;
    profile_release(&profile);
    char digest[65];
    textfile_sha256(papers->profile_text, length, digest);
    if (papers->plan.profile_sha256 && strcmp(digest, papers->plan.profile_sha256) != 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is not the profile that %s was made from: plan again with it",
                           arguments->profile, arguments->plan);
    return true;
}

/* Collective. */
static bool papers_read(const struct comm *comm, const struct arguments *arguments,
                        struct papers *papers, struct failure *failure)
{
    size_t length = 0;
    papers->plan_text = session_read(comm, arguments->plan, &length, failure);
    if (!papers->plan_text)
        return false;
    if (!plan_parse(&papers->plan, papers->plan_text, length, arguments->plan, failure))
        return false;
    if (arguments->profile)
        return profile_read(comm, arguments, papers, failure);
    profile_seek(comm, arguments, papers);
    return true;
}

static void papers_release(struct papers *papers)
{
    plan_release(&papers->plan);
    free(papers->plan_text);
    free(papers->profile_text);
}

static void outcome_print(const struct arguments *arguments, const struct plan *plan,
                          const struct run_outcome *outcome)
{
    const struct summary *summary = &outcome->summary;
    printf("%s: %" PRId64 " core tasks in %.4f s", arguments->output, summary->tasks,
           outcome->makespan_s);
    if (plan->predicted.known)
        printf(" (predicted %.4f s, %+.1f %%)", plan->predicted.makespan_s,
               100 * (outcome->makespan_s / plan->predicted.makespan_s - 1));
    printf("\nresponse %g to %g, checksum %016" PRIx64 "\n", summary->minimum, summary->maximum,
           summary->checksum);
    if (summary->not_numbers > 0)
        printf("%" PRId64 " of %" PRId64 " values are not numbers\n", summary->not_numbers,
               summary->values);
}

/* What makes a profile's times other than this run's. */
static void profile_compare(const struct papers *papers, int threads)
{
    struct profile profile;
    struct failure failure = FAILURE_INIT;
    if (!papers->profile_text ||
        !profile_parse(&profile, papers->profile_text, strlen(papers->profile_text), "", &failure))
        return;
    const struct profile_origin *origin = &profile.origin;
    if (origin->threads > 0 && origin->threads != threads)
        fprintf(stderr,
                "scow run: the profile was measured with %d threads per rank, this run has %d: "
                "times will differ (OMP_NUM_THREADS)\n",
                origin->threads, threads);
    if (origin->isa && strcmp(origin->isa, kernel_isa()) != 0)
        fprintf(stderr,
                "scow run: the profile was measured with %s, this run computes with %s: times "
                "will differ (--isa)\n",
                origin->isa, kernel_isa());
    profile_release(&profile);
}

/* Local to the master. */
static void intent_print(const struct arguments *arguments, const struct papers *papers,
                         int threads)
{
    const struct plan *plan = &papers->plan;
    if (!arguments->quiet)
        profile_compare(papers, threads);
    if (arguments->verbose)
        fprintf(stderr,
                "scow run: %s: %.0f core tasks in %" PRId64 " packages to %" PRId64
                " workers by %s, %d threads each, %s\n",
                arguments->plan, plan->tasks, plan_packages(plan), plan_workers_needed(plan),
                plan->scheduler, threads, kernel_isa());
}

static void run_command(struct comm *comm, int argc, char **argv, struct failure *failure)
{
    struct arguments arguments = {0};
    struct papers papers = {0};
    struct run_outcome outcome = {0};
    bool over = false;
    arguments_parse(comm, argc, argv, &arguments, &over, failure);
    if (!comm_agree(comm, failure) || over)
        return;
    if (!papers_read(comm, &arguments, &papers, failure))
        goto out;
    comm_align_clocks(comm);
    struct execution execution = {
        .comm = comm,
        .plan = &papers.plan,
        .plan_text = papers.plan_text,
        .profile_text = papers.profile_text,
        .plan_name = arguments.plan,
        .input = arguments.input,
        .output = arguments.output,
        .threads = session_threads(comm),
        .quiet = arguments.quiet,
    };
    if (comm->rank == 0)
        intent_print(&arguments, &papers, execution.threads);
    if (execute_run(&execution, &outcome, failure) && comm->rank == 0)
        outcome_print(&arguments, &papers.plan, &outcome);
out:
    run_outcome_release(&outcome);
    papers_release(&papers);
}

int main(int argc, char **argv)
{
    struct comm comm;
    struct failure failure = FAILURE_INIT;
    session_begin(&comm, &argc, &argv);
    run_command(&comm, argc, argv, &failure);
    return session_end(&comm, "scow run", &failure);
}
