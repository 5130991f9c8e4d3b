#include "spmd/run/ending.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/output/outputfile.h"
#include "spmd/run/membership.h"

/* The outcome of a reduction. */
static void outcome_print(const struct job *job, struct run_outcome *outcome,
                          struct failure *failure)
{
    if (outcome->state)
        outcome->json = job_print(job, outcome->state, failure);
    if (outcome->json)
        summary_add_outcome(&outcome->summary, outcome->json);
}

/* Of the run, what this time came to. */
static struct run_part part_of(const struct run_outcome *outcome)
{
    return (struct run_part){.makespan_s = outcome->makespan_s,
                             .tasks = outcome->summary.tasks - outcome->kept,
                             .packages = trace_packages(&outcome->trace)};
}

/* As asked, or because nobody is left to go on: the file stays as it is, with what is done. */
static void stop(const struct ending *ending, const struct run_outcome *outcome,
                 struct failure *failure)
{
    struct failure marking = FAILURE_INIT;
    const struct run_part part = part_of(outcome);
    if (!outputfile_stop(ending->output, digest_known(ending->digest), &part, &marking) &&
        failure->code == FAILURE_NONE)
        *failure = marking;
    failure_set(failure, FAILURE_STOPPED,
                "%s: stopped as asked, with %" PRId64 " of %" PRId64
                " core tasks done: run the same again with --resume to go on",
                ending->output, outcome->summary.tasks, ending->closing.run->job->setup.tasks);
}

/* The run is complete. A digest that was taken meanwhile is of an input that nobody has touched
 * until then. */
static void seal(const struct ending *ending, const struct run_outcome *outcome, double start_s,
                 struct failure *failure)
{
    const struct closing *closing = &ending->closing;
    if (!digest_wait(ending->digest, failure) ||
        !input_unchanged(closing->input, closing->digest, failure))
        return;
    char *losses = membership_json(closing->run->members);
    const struct run_part part = part_of(outcome);
    const struct output_outcome sealed = {.trace = &outcome->trace,
                                          .summary = &outcome->summary,
                                          .input_sha256 = digest_known(ending->digest),
                                          .outcome = outcome->json,
                                          .told = outcome->told,
                                          .replanned = outcome->replanned,
                                          .lost = losses,
                                          .lost_told = outcome->losses,
                                          .finish_s = comm_now(closing->run->comm) - start_s,
                                          .part = &part};
    outputfile_seal(ending->output, &sealed, failure);
    free(losses);
}

/* Sizes and times said that it is the input of the run before, and its bytes are others: what was
 * done then and what is done now do not belong together. */
static bool is_another(const struct ending *ending, struct failure *failure)
{
    if (!ending->begun_with || !digest_wait(ending->digest, failure) ||
        strcmp(ending->begun_with, digest_known(ending->digest)) == 0)
        return false;
    return !failure_set(failure, FAILURE_MISMATCH,
                        "%s: was begun with another input than %s, though of the same size and "
                        "time of change (its SHA-256 differs): no result counts, and the output "
                        "says so; resume with the same, or run to another file",
                        ending->output, ending->closing.run->job->input_name);
}

static enum wire_ending ending_find(const struct ending *ending, struct run_outcome *outcome,
                                    struct failure *failure)
{
    const struct job *job = ending->closing.run->job;
    outcome->stopped = outcome->stopped && outcome->summary.tasks < job->setup.tasks;
    if (failure->code == FAILURE_NONE && !outcome->stopped && is_another(ending, failure))
        return WIRE_ENDING_VOID;
    if (failure->code == FAILURE_NONE && !outcome->stopped)
        outcome_print(job, outcome, failure);
    if (failure->code != FAILURE_NONE)
        return WIRE_ENDING_FAILED;
    return outcome->stopped ? WIRE_ENDING_KEPT : WIRE_ENDING_WHOLE;
}

void ending_lead(const struct ending *ending, struct run_outcome *outcome, struct failure *failure)
{
    const struct run *run = ending->closing.run;
    const double start_s = comm_now(run->comm);
    const enum wire_ending how = ending_find(ending, outcome, failure);
    if (how == WIRE_ENDING_WHOLE)
        digest_hurry(ending->digest);
    const bool good = closing_lead(&ending->closing, how, &outcome->summary, failure);
    outcome->losses = membership_lines(run->members);
    if ((good && outcome->stopped) || failure->code == FAILURE_STOPPED)
        stop(ending, outcome, failure);
    else if (good)
        seal(ending, outcome, start_s, failure);
    else if (how == WIRE_ENDING_VOID)
        outputfile_distrust(ending->output);
    outcome->broken = closing_verdict(&ending->closing, failure, &outcome->others);
}

void ending_follow(const struct ending *ending, const struct done_packages *done,
                   struct run_outcome *outcome, struct failure *failure)
{
    outcome->broken =
        closing_follow(&ending->closing, done, &outcome->summary, &outcome->others, failure);
}
