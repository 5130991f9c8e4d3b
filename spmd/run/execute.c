#include "spmd/run/execute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spmd/protocol/beginning.h"
#include "spmd/protocol/run_conditions.h"
#include "spmd/resume/levels_kept.h"
#include "spmd/resume/survivors.h"
#include "spmd/run/ending.h"
#include "spmd/run/energy.h"
#include "spmd/run/execution_state.h"
#include "spmd/run/expected_cost.h"
#include "spmd/worker/worker.h"

static void idle_ranks_say(const struct execution_state *state)
{
    const struct execution *execution = state->execution;
    if (execution->pilot || execution->joins || execution->level)
        return; /* how many are needed is found during the run */
    int64_t used = plan_workers_used(state->plan), workers = execution_workers_all(state);
    if (!execution->quiet && state->leads && used < workers && !execution->rule)
        fprintf(stderr,
                "%s: the plan uses %" PRId64 " of %" PRId64 " workers: the others stay idle\n",
                execution->command, used, workers);
}

/* Did this program print that already, for an earlier level? */
static bool is_again(const struct execution *execution)
{
    return execution->level && execution->level->again;
}

static void conditions_say(const struct execution_state *state)
{
    const struct execution *execution = state->execution;
    const struct conditions here = execution_conditions(state);
    if (execution->quiet || !state->leads)
        return;
    if (!is_again(execution))
        run_conditions_warn(&here, execution->plan, execution->profile, execution->command);
    decider_note(&state->decider, execution->command);
}

/* Collective. Is called before anything is measured. Core tasks that sleep need no core, and
 * workers that join are not known yet. */
static void oversubscription_say(const struct execution_state *state)
{
    const struct execution *execution = state->execution;
    if (!execution->quiet && !execution_sleeps(state) && !is_again(execution) && !execution->joins)
        run_conditions_crowded(execution->comm,
                               execution_computes(state) || !execution_leads(state),
                               execution->threads, execution->command);
}

/* Collective. Prints what would be done, in place of doing it. */
static bool preview(struct execution_state *state, struct failure *failure)
{
    const struct comm *comm = state->execution->comm;
    if (!execution_decider_make(state, failure))
        return false;
    if (state->leads)
        execution_preview(state, failure);
    return comm_agree(comm, failure);
}

/* Is nothing left of a resumed run except what is made at its end? */
static bool is_over(const struct execution_state *state)
{
    return state->resume.on && state->resume.left == 0;
}

/* Local to a master. */
static void lead(struct execution_state *state, const struct run *run, struct run_outcome *outcome,
                 struct failure *failure)
{
    const struct resume *resume = &state->resume;
    if (is_over(state))
        beginning_lead(run, failure);
    else
        execution_lead(state, run, outcome, failure);
    joining_end(&state->joining);
    if (!run->masters) /* with several masters it has ended, for the first one to read */
        outcome->trace_cut = !trace_writer_end(&state->tracing);
    if (!resume->on)
        return;
    resume_join(resume, run->job, outcome);
    outcome->resumed = true;
    outcome->kept = resume->before.tasks;
}

/* Local to a worker. */
static void follow(const struct execution_state *state, const struct run *run,
                   struct done_packages *done, struct failure *failure)
{
    if (is_over(state))
        beginning_follow(run, failure);
    else
        worker_run(run, done, failure);
}

/* Local. All ranks end their parts, by the first master's message where there are several. */
static void end(struct execution_state *state, const struct run *run,
                const struct done_packages *done, struct run_outcome *outcome,
                struct failure *failure)
{
    const struct resume *resume = &state->resume;
    const bool lost = state->members.loss_count > 0;
    /* Each worker must see what the others wrote. */
    const bool one_node = state->workers_per_node == state->execution->comm->size - 1;
    const struct ending ending = {
        .closing = {.run = run,
                    .input = state->making.input,
                    .digest = state->early,
                    .even = resume->on || lost || one_node || execution_is_starred(state) ||
                            execution_computes(state) || outcome->packages > DONE_MOST},
        .output = state->execution->output,
        .plan = state->plan,
        .pilot = state->execution->pilot,
        .again = state->execution->again,
        .digest = state->digest,
        .begun_with = resume->remaining.input_sha256};
    if (state->leads)
        ending_lead(&ending, outcome, failure);
    else
        ending_follow(&ending, done, outcome, failure);
}

/* The job is given up only if the first core tasks fail: once some succeeded, others will. The
 * limit is no more than a survey of two workers tries before it plans packages, which may be half
 * of the job. */
static int64_t failing_most(const struct execution_state *state)
{
    enum { FAILING_LEAST = 8 };
    const struct summary *before = &state->resume.before;
    const int workers = execution_workers(state);
    if (!state->execution->failing_ends || before->tasks > before->failed)
        return 0;
    return workers > FAILING_LEAST ? workers : FAILING_LEAST;
}

/* The run of this rank's master and its workers. */
static struct run run_of(struct execution_state *state)
{
    const struct execution *execution = state->execution;
    const struct plan *plan = execution_plan(state);
    const bool leads = execution_leads(state);
    return (struct run){
        .comm = execution_comm(state),
        .job = &state->making.job,
        .members = leads ? &state->members : NULL,
        .apart = true,
        .liveness = execution_liveness(state),
        .master = state->star.size > 0 ? state->star.master : state->master,
        .patience_s = execution->patience_s,
        .longest_s = leads ? expected_longest_s(state->costs, plan, execution_workers(state),
                                                state->decider.largest)
                           : 0,
        .input = state->making.input,
        .store = state->store,
        .losses = &state->losses,
        .costs = state->costs,
        .emulation = execution_sleeps(state) ? state->costs : NULL,
        .collects = execution->collects && !state->star.heads,
        .keeps = execution->keeps && !state->star.heads,
        .senses = true,
        .copies = execution_copies(state),
        .counted = state->counted.counter ? &state->counted : NULL,
        .joins = execution->joins != NULL,
        .joining = execution->joins ? &state->joining : NULL,
        .largest_package = state->decider.largest,
        .tasks = state->resume.on ? state->resume.left : (int64_t)plan->tasks,
        .again = execution->again,
        .failing_most = failing_most(state),
        .threads = execution->threads,
        .energy = energy_watch_begin(comm_first_on_node(execution->comm)),
        .buffers = plan_buffers(execution->plan),
        .tracing = leads ? &state->tracing : NULL,
        .remembered = execution->pilot ? RUN_REMEMBERED : 0,
    };
}

/* The run of a group's master, in the star of the master above it. */
static struct run above_of(struct execution_state *state, const struct run *run)
{
    struct execution_above *above = &state->star.above;
    struct run part = *run;
    part.comm = &above->comm;
    part.liveness = state->execution->liveness ? &above->liveness : NULL;
    part.master = above->master;
    part.members = NULL;
    return part;
}

/* The run of the ranks of all masters. */
static struct run whole_of(struct execution_state *state, const struct run *run)
{
    struct run whole = *run;
    whole.comm = state->execution->comm;
    whole.liveness = state->execution->liveness;
    whole.master = state->master;
    whole.members = state->leads ? &state->star.all : NULL;
    whole.collects = state->execution->collects;
    return whole;
}

/* Collective. */
static bool perform(struct execution_state *state, struct run_outcome *outcome,
                    struct failure *failure)
{
    const bool several = execution_is_starred(state), leads = execution_leads(state);
    const bool group = leads && execution_is_group(state);
    struct run run = run_of(state);
    const struct run whole = whole_of(state, &run);
    struct done_packages done = {0};
    state->star.above.run = group ? above_of(state, &run) : run;
    run.above = group ? &state->star.above.run : NULL;
    run.heads = state->star.heads;
    run.behind = state->star.behind;
    if (group) { /* it does what it gets; failures are handled by the first master */
        run.tasks = INT64_MAX;
        run.failing_most = 0;
    }
    run.whole = several ? &whole : NULL;
    run.masters = several && leads ? &state->star.masters : NULL;
    conditions_say(state);
    idle_ranks_say(state);
    if (leads)
        lead(state, &run, outcome, failure);
    else
        follow(state, &run, &done, failure);
    if (!is_over(state))
        outcome->predicted = execution_prediction(state);
    if (!leads)
        execution_star_leave(state);
    end(state, several ? &whole : &run, &done, outcome, failure);
    execution_star_leave(state);
    liveness_end(state->execution->liveness);
    energy_watch_end(run.energy);
    done_packages_release(&done);
    return failure->code == FAILURE_NONE;
}

/* What is known of a run of which nothing is left to do. */
static void complete_tell(const struct execution_state *state, struct run_outcome *outcome)
{
    const struct remaining *remaining = &state->resume.remaining; /* only at the master */
    outcome->resumed = true;
    outcome->kept = state->making.job.setup.tasks;
    outcome->summary = (struct summary){
        .tasks = outcome->kept, .failed = remaining->failed, .checksum = remaining->checksum};
    resume_tell(&state->resume, outcome);
}

static bool is_preview(const struct execution *execution)
{
    return execution->pilot && execution->pilot->preview;
}

/* The output contains nothing, not even a note of lost workers, and would be in the way of the next
 * attempt. */
static bool is_useless(const struct execution_state *state, const struct run_outcome *outcome,
                       bool good)
{
    return state->created && !good && outcome->summary.tasks == 0 && !outcome->stopped &&
           !outcome->losses;
}

/* Local. Tells observers how the run ended; not if it is complete, because the output says so, nor
 * if the output is useless and is removed. */
static void status_finish(struct execution_state *state, const struct run_outcome *outcome,
                          bool good, const struct failure *failure)
{
    const struct execution *execution = state->execution;
    const bool stopped = outcome->stopped || failure->code == FAILURE_STOPPED;
    if (!state->leads || is_preview(execution))
        return;
    if (good || is_useless(state, outcome, good))
        status_remove(&state->status, execution->output);
    else
        status_end(&state->status, stopped ? RUN_STOPPED : RUN_FAILED, &outcome->summary);
}

/* Local. The master finds the core tasks that follow from a completed level; where core tasks have
 * failed, these are not known. */
static bool level_end(const struct execution_state *state, const struct run_outcome *outcome,
                      struct failure *failure)
{
    const struct execution *execution = state->execution;
    struct execution_level *level = execution->level;
    struct survivors survivors;
    if (!level || !state->leads || outcome->summary.failed > 0)
        return true;
    const bool good =
        survivors_read(&survivors, execution->output, state->making.job.setup.tasks, failure) &&
        job_next(&state->making.job, &survivors.all, &level->next, failure);
    survivors_release(&survivors);
    if (good && level->next.tasks == 0)
        levels_kept_end(execution->output);
    return good;
}

bool execute_run(const struct execution *execution, struct run_outcome *outcome,
                 struct failure *failure)
{
    struct execution_state state = {.execution = execution,
                                    .leads = comm_leads(execution->comm),
                                    .plan = execution->plan,
                                    .losses = {.file = -1},
                                    .tracing = {.file = -1}};
    bool good = false;
    if (!execution_job_make(&state, failure) || !execution_work_find(&state, failure))
        goto out;
    if (is_preview(execution)) {
        good = preview(&state, failure);
        goto out;
    }
    if (state.resume.complete) {
        complete_tell(&state, outcome);
        good = level_end(&state, outcome, failure);
        goto out;
    }
    if (!execution_star_find(&state, failure) || !execution_decider_make(&state, failure) ||
        !execution_star_begin(&state, failure) || !execution_counted_begin(&state, failure) ||
        !(state.leads ? execution_output_lead(&state, failure)
                      : execution_output_follow(&state, failure)) ||
        (execution->joins && !execution_joining_begin(&state, failure)))
        goto out;
    oversubscription_say(&state);
    good = perform(&state, outcome, failure) && level_end(&state, outcome, failure);
out:
    execution_counted_end(&state, outcome->broken);
    status_finish(&state, outcome, good, failure);
    good = store_close(&state.store, failure) && good;
    execution_star_end(&state, outcome->broken);
    membership_release(&state.members);
    joining_end(&state.joining);
    if (execution->liveness) /* it is used longer than what it would note */
        execution->liveness->leaving = (struct liveness_leaving){NULL, NULL};
    losses_close(&state.losses);
    if (state.tracing.path)
        trace_writer_end(&state.tracing);
    if (is_useless(&state, outcome, good)) {
        unlink(execution->output);
        trace_writer_remove(execution->output);
    }
    dispatch_free(&state.dispatch);
    decider_release(&state.decider);
    resume_release(&state.resume);
    emulation_free(&state.costs);
    free(state.processor);
    digest_free(&state.digest);
    making_release(&state.making);
    return good;
}
