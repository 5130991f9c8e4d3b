#include "spmd/run/ending.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/process.h"
#include "spmd/job/commands.h"
#include "spmd/job/rejected.h"
#include "spmd/output/outputfile.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/protocol/membership.h"
#include "spmd/run/energy.h"
#include "spmd/run/usage.h"
#include "spmd/worker/worker.h"

/* Prints the outcome of a reduction. */
static void outcome_print(const struct job *job, struct run_outcome *outcome,
                          struct failure *failure)
{
    if (outcome->state)
        outcome->json = job_print(job, outcome->state, failure);
    if (outcome->json)
        summary_add_outcome(&outcome->summary, outcome->json);
}

/* What this part of the run has done. */
static struct run_part part_of(const struct run_outcome *outcome)
{
    return (struct run_part){.makespan_s = outcome->makespan_s,
                             .tasks = outcome->summary.tasks - outcome->kept,
                             .packages = outcome->packages};
}

/* What the output keeps of this run, whether everything is done or not. */
struct account {
    struct output_outcome outcome; /* points to the others, so it must not be moved */
    struct run_part part;
    char *losses, *joined, *plan, *had; /* owned */
};

static void account_make(struct account *account, const struct ending *ending,
                         const struct run_outcome *outcome, const struct run_usage *used)
{
    const struct pilot *pilot = ending->pilot;
    account->part = part_of(outcome);
    account->losses = membership_json(ending->closing.run->members);
    account->joined = membership_came_json(ending->closing.run->members);
    account->had = run_had_json(&outcome->had);
    account->plan = pilot ? pilot_plan_print(pilot, ending->plan) : NULL;
    account->outcome = (struct output_outcome){.plan = account->plan,
                                               .profile = pilot ? pilot->profile_text : NULL,
                                               .tail = pilot ? pilot->tail : NULL,
                                               .replan = pilot ? pilot->replan : NULL,
                                               .trace_cut = outcome->trace_cut,
                                               .input_sha256 = digest_known(ending->digest),
                                               .told = outcome->told,
                                               .replanned = outcome->replanned,
                                               .copied = outcome->copied,
                                               .moved = outcome->moved,
                                               .lost = account->losses,
                                               .lost_told = outcome->losses,
                                               .joined = account->joined,
                                               .had = account->had,
                                               .startup_s = outcome->startup_s,
                                               .used = used,
                                               .part = &account->part};
}

static void account_release(struct account *account)
{
    free(account->losses);
    free(account->joined);
    free(account->plan);
    free(account->had);
}

/* Says that no further core task would have ended in time. */
static void time_tell(const struct ending *ending, const struct run_outcome *outcome,
                      const struct run_part *part, struct failure *failure)
{
    const int64_t tasks = ending->closing.run->job->setup.tasks;
    if (part->tasks > 0)
        failure_set(failure, FAILURE_STOPPED,
                    "%s: %s ends this run too soon for what is left, with %" PRId64 " of %" PRId64
                    " core tasks done: %s to go on",
                    ending->output, outcome->ends, outcome->summary.tasks, tasks, ending->again);
    else
        failure_set(failure, FAILURE_STOPPED,
                    "%s: %s ends this run too soon for a single core task, with %" PRId64
                    " of %" PRId64 " done: ask for more time, and %s",
                    ending->output, outcome->ends, outcome->summary.tasks, tasks, ending->again);
}

/* Says that all core tasks that were tried have failed. */
static void failures_tell(const struct ending *ending, struct run_outcome *outcome,
                          struct failure *failure)
{
    enum { TOLD = 2 };
    const struct job *job = ending->closing.run->job;
    struct commands *commands = commands_of(job, ending->closing.run->input);
    struct text text = TEXT_INIT;
    for (int k = 0; k < outcome->rejection_count && k < TOLD; k++)
        rejected_add(&outcome->rejections[k], commands, &text);
    commands_close(&commands);
    outcome->failures = text_take(&text);
    failure_set(failure, FAILURE_FAILED,
                "%s: all %" PRId64 " core tasks that were tried have failed, of %" PRId64
                ": find out why and %s, with --halt never if all of them may fail",
                ending->output, outcome->summary.tasks, job->setup.tasks, ending->again);
}

enum { ENDED_SIZE = 600 };

/* Prints how the run ended, for the output. */
static void ended_print(const struct run_outcome *outcome, const struct failure *failure,
                        char ended[ENDED_SIZE])
{
    const char *signal = interrupt_name();
    if (failure->code == FAILURE_STOPPED)
        snprintf(ended, ENDED_SIZE, "stopped, as %s",
                 outcome->master_lost ? "one of its masters was lost" : "no worker was left");
    else if (outcome->given_up)
        snprintf(ended, ENDED_SIZE, "halted, as all core tasks that were tried had failed");
    else if (outcome->ends)
        snprintf(ended, ENDED_SIZE, "stopped because time ran out, as %s says", outcome->ends);
    else
        snprintf(ended, ENDED_SIZE, "stopped as asked%s%s%s", signal ? " (" : "",
                 signal ? signal : "", signal ? ")" : "");
}

/* Stops as asked, or because no rank is left to go on: the file stays as it is, with what is
 * done. */
static void stop(const struct ending *ending, struct run_outcome *outcome,
                 const struct run_usage *used, struct failure *failure)
{
    struct failure marking = FAILURE_INIT;
    struct account account;
    char ended[ENDED_SIZE];
    ended_print(outcome, failure, ended);
    account_make(&account, ending, outcome, used);
    account.outcome.ended = ended;
    if (!outputfile_stop(ending->output, &account.outcome, &marking) &&
        failure->code == FAILURE_NONE)
        *failure = marking;
    if (outcome->given_up && failure->code == FAILURE_NONE)
        failures_tell(ending, outcome, failure);
    if (outcome->ends && failure->code == FAILURE_NONE)
        time_tell(ending, outcome, &account.part, failure);
    failure_set(failure, FAILURE_STOPPED,
                "%s: stopped as asked, with %" PRId64 " of %" PRId64
                " core tasks done: %s to go on",
                ending->output, outcome->summary.tasks, ending->closing.run->job->setup.tasks,
                ending->again);
    account_release(&account);
}

/* Ends because of failed core tasks, as with --halt, or of a failure of the machine. */
static void halt(const struct ending *ending, const struct failure *failure)
{
    char ended[ENDED_SIZE];
    snprintf(ended, sizeof ended, "halted: %s", failure->text);
    outputfile_halt(ending->output, ended);
}

/* The run is complete. A digest that was computed meanwhile is valid only if the input has not been
 * touched until then. */
static void seal(const struct ending *ending, const struct run_outcome *outcome, double start_s,
                 const struct run_usage *used, struct failure *failure)
{
    const struct closing *closing = &ending->closing;
    if (!digest_wait(ending->digest, failure) ||
        !input_unchanged(closing->input, closing->digest, failure))
        return;
    struct account account;
    account_make(&account, ending, outcome, used);
    account.outcome.summary = &outcome->summary;
    account.outcome.outcome = outcome->json;
    account.outcome.finish_s = comm_now(closing->run->comm) - start_s;
    outputfile_seal(ending->output, &account.outcome, failure);
    account_release(&account);
}

/* Sizes and times said that the input is that of the run before, but its bytes differ: what was
 * done then and now does not belong together. */
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

/* Whatever is believed of packages: an output in which core tasks are missing is not sealed. */
static void whole_check(const struct ending *ending, const struct run_outcome *outcome,
                        struct failure *failure)
{
    const int64_t tasks = ending->closing.run->job->setup.tasks;
    if (outcome->summary.tasks != tasks)
        failure_set(failure, FAILURE_FAILED,
                    "%s: %" PRId64 " of %" PRId64 " core tasks were counted although no package "
                    "is left: %s for those that are missing; please report that",
                    ending->output, outcome->summary.tasks, tasks, ending->again);
}

static enum wire_ending ending_find(const struct ending *ending, struct run_outcome *outcome,
                                    struct failure *failure)
{
    const struct job *job = ending->closing.run->job;
    outcome->stopped = outcome->stopped && outcome->summary.tasks < job->setup.tasks;
    if (failure->code == FAILURE_NONE && !outcome->stopped)
        whole_check(ending, outcome, failure);
    if (failure->code == FAILURE_NONE && !outcome->stopped && is_another(ending, failure))
        return WIRE_ENDING_VOID;
    if (failure->code == FAILURE_NONE && !outcome->stopped)
        outcome_print(job, outcome, failure);
    if (failure->code != FAILURE_NONE)
        return WIRE_ENDING_FAILED;
    return outcome->stopped ? WIRE_ENDING_KEPT : WIRE_ENDING_WHOLE;
}

/* The energy of all nodes; 0: not known. A lost rank may have been the one that measured its
 * node. */
static double energy_find(const struct run *run, double others_j)
{
    const double energy_j = energy_watch_read(run->energy) + others_j;
    return isnan(energy_j) || run->members->loss_count > 0 ? 0 : energy_j;
}

void ending_lead(const struct ending *ending, struct run_outcome *outcome, struct failure *failure)
{
    const struct run *run = ending->closing.run;
    const double start_s = comm_now(run->comm);
    const enum wire_ending how = ending_find(ending, outcome, failure);
    if (how == WIRE_ENDING_WHOLE)
        digest_hurry(ending->digest);
    outcome->summary.master_peak = process_peak();
    struct run_usage used, others = {.walltime_s = 0};
    struct closing closing = ending->closing;
    closing.used = &others;
    const bool good = closing_lead(&closing, how, &outcome->summary, failure);
    outcome->losses = membership_lines(run->members);
    usage_measure(&used);
    used.processor_s += others.processor_s;
    used.energy_j = energy_find(run, others.energy_j);
    if ((good && outcome->stopped) || failure->code == FAILURE_STOPPED)
        stop(ending, outcome, &used, failure);
    else if (good)
        seal(ending, outcome, start_s, &used, failure);
    else if (how == WIRE_ENDING_VOID)
        outputfile_distrust(ending->output);
    else
        halt(ending, failure);
    closing_verdict(&ending->closing, failure, outcome);
}

void ending_follow(const struct ending *ending, const struct done_packages *done,
                   struct run_outcome *outcome, struct failure *failure)
{
    closing_follow(&ending->closing, done, outcome, failure);
}
