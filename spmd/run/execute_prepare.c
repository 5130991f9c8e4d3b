#include <math.h>
#include <stdio.h>

#include "spmd/run/execution_state.h"
#include "spmd/run/fitting.h"
#include "spmd/run/usage.h"

static struct fitting fitting_of(const struct execution_state *state)
{
    const struct execution *execution = state->execution;
    return (struct fitting){.comm = execution->comm,
                            .job = &state->making.job,
                            .plan = execution->plan,
                            .plan_name = execution->plan_name,
                            .input = execution->input,
                            .threads = execution->threads,
                            .collects = execution->collects,
                            .keeps = execution->keeps};
}

/* The largest package of a survey: an equal share, as far as it needs no more memory than this on
 * its way. 0: there is no survey. */
static int64_t surveyed_most(const struct execution_state *state)
{
    static const double bytes_most = 64e6;
    const double tasks = state->plan->tasks, workers = execution_workers(state);
    const double one = (double)job_package_most(&state->making.job, 1) + 1;
    if (!state->execution->pilot)
        return 0;
    return (int64_t)fmax(1, fmin(ceil(tasks / workers), floor(bytes_most / one)));
}

const char *execution_digest(const struct execution_state *state)
{
    return state->digest ? digest_known(state->digest) : "";
}

/* Local to the master. Meanwhile the waiting workers are told that the master lives. */
static bool digest_await(const void *comm, struct digest *digest, struct failure *failure)
{
    static const double nap_s = 0.02;
    digest_hurry(digest);
    while (digest_busy(digest)) {
        comm_look(comm);
        clock_nap(nap_s);
    }
    return digest_wait(digest, failure);
}

/* Local to the master. */
static void digest_start(struct execution_state *state, struct failure *failure)
{
    input_stamp(state->making.input, state->stamp, failure);
    input_identity(state->making.input, state->identity, failure);
    state->digest = digest_begin(state->making.input, state->making.digest, failure);
    snprintf(state->early, sizeof state->early, "%s", execution_digest(state));
    input_untouched(state->making.input, failure);
}

/* NULL: the task describes the job. */
static const struct description *level_made(const struct execution *execution)
{
    const struct execution_level *level = execution->level;
    return level && level->made.tasks > 0 ? &level->made : NULL;
}

/* Local, the same on every rank. Core task and values are the plan's. Results that return are
 * written by the master alone while workers compute, whatever the plan says. */
static void values_make(const struct execution *execution, struct values *values,
                        struct failure *failure)
{
    const struct scow_task *task = execution->kernel->task;
    if (failure->code == FAILURE_NONE)
        values_read(values, task, &execution->plan->parameters, execution->plan_name, true,
                    failure);
    if (failure->code == FAILURE_NONE && execution->changed)
        values_change(values, task, execution->changed, failure);
    values->write_behind = values->write_behind && !execution->collects;
    if (failure->code == FAILURE_NONE)
        values_resize(values, task, execution->plan->tasks);
}

bool execution_job_make(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    struct values values = {0};
    values_make(execution, &values, failure);
    const bool good = making_start(&state->making, execution->comm, execution->kernel->task,
                                   &values, execution->input, level_made(execution), failure);
    values_release(&values);
    if (!good)
        return false;
    if (state->leads)
        digest_start(state, failure);
    const struct fitting fitting = fitting_of(state);
    fitting_job(&fitting, failure);
    execution_counted_check(state, failure);
    return true;
}

struct run_request execution_requested(void)
{
    struct run_request requested;
    usage_requested(&requested);
    return requested;
}

struct resume_setup execution_resume_setup(const struct execution_state *state)
{
    const struct execution *execution = state->execution;
    return (struct resume_setup){
        .comm = execution->comm,
        .leads = state->leads,
        .peers = execution_peers(state),
        .path = execution->output,
        .command = execution->command,
        .wanted = {.job = &state->making.job,
                   .plan = execution->plan,
                   .plan_name = execution->plan_name,
                   /* A level's plan is made again for the ranks that are left. */
                   .any_plan = execution->pilot != NULL || level_made(execution) != NULL,
                   .input = execution->input,
                   .input_stamp = state->stamp,
                   .input_identity = state->identity,
                   .digest = state->digest,
                   .wait = digest_await,
                   .waiter = execution->comm,
                   .plugin_sha256 = execution->kernel->plugin ? execution->kernel->sha256 : NULL,
                   .isa = execution->isa,
                   .emitted = execution->emitted_given ? execution->emitted : NULL,
                   .retry_lost = execution->retry_lost},
        .profile_text = execution->profile_text,
        .profile = execution->profile,
        .collects = execution->collects,
        .computes = execution_computes(state),
        .joins = execution->joins != NULL,
        .trust = execution->trust,
        .part = {.began_s = state->began_s,
                 .workers = execution_workers_expected(state),
                 .conditions = execution_conditions(state),
                 .surveyed = execution->pilot != NULL,
                 .command_line = execution->command_line,
                 .requested = execution_requested(),
                 .rule = execution->rule,
                 .tail = execution->tail,
                 .replan = execution->replan,
                 .ahead = execution->ahead,
                 .counted = execution->counted},
    };
}

bool execution_work_find(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    const struct resume_setup setup = execution_resume_setup(state);
    struct resume *resume = &state->resume;
    if (!execution->resume)
        return true;
    if (!resume_init(resume, &setup, failure))
        return false;
    if (resume->left > 0)
        state->plan = &resume->plan;
    if (!resume->on && state->leads && !execution->quiet && !execution->pilot)
        fprintf(stderr, "%s: %s is not there yet: begins with the first core task\n",
                execution->command, execution->output);
    return true;
}

/* ---- what decides ---------------------------------------------------------------------------- */

/* Local. Where only the end of a run is left, nothing needs to be decided. */
static void decider_make(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    const struct fitting fitting = fitting_of(state);
    const bool over = state->resume.on && state->resume.left == 0;
    const bool several = execution_is_starred(state);
    const struct decider_request request = {.plan = execution_plan(state),
                                            .whole = several ? state->plan : NULL,
                                            .before = several ? state->star.before : 0,
                                            .heads = state->star.heads,
                                            .rule = over ? NULL : execution->rule,
                                            .replan = over ? NULL : execution->replan,
                                            .tail = over ? NULL : execution->tail,
                                            .profile = execution->profile,
                                            .ahead = execution->ahead,
                                            .workers = execution_workers(state),
                                            .joins = execution->joins != NULL,
                                            .counted = execution->counted,
                                            .surveyed_most = surveyed_most(state)};
    if (!decider_init(&state->decider, &request, failure))
        return;
    const struct fitting_packages packages = {.plan = state->plan,
                                              .largest = state->decider.largest,
                                              .by_rule = state->decider.by_rule ||
                                                         execution->pilot != NULL,
                                              .resumed = state->resume.on};
    (void)(fitting_plan(&fitting, &packages, failure) &&
           fitting_memory(&fitting, state->decider.largest, failure));
}

/* Local. */
static void costs_make(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    struct failure unknown = FAILURE_INIT;
    state->costs = emulation_new(execution->profile, execution->plan, state->star.before,
                                 execution_sleeps(state) ? failure : &unknown);
    if (state->costs && state->star.heads)
        emulation_ranks(state->costs, state->star.places, state->star.size);
}

/* Collective. The workers on this rank's node; masters do not count. */
static int workers_per_node(const struct execution_state *state)
{
    const struct comm *comm = state->execution->comm;
    if (!execution_is_starred(state))
        return comm_workers_on_node(comm);
    const int workers = comm_sum_on_node(comm, !execution_leads(state));
    return workers > 0 ? workers : 1;
}

bool execution_decider_make(struct execution_state *state, struct failure *failure)
{
    state->workers_per_node = workers_per_node(state);
    if (failure->code == FAILURE_NONE)
        decider_make(state, failure);
    if (failure->code == FAILURE_NONE)
        costs_make(state, failure);
    return comm_agree(state->execution->comm, failure);
}
