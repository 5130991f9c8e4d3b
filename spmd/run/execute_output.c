#include <stdio.h>

#include "planner/base/own.h"
#include "spmd/output/outputfile.h"
#include "spmd/run/execution_state.h"
#include "spmd/run/run_conditions.h"

/* Workers that a new file has room for states of: some more than there are, so that more can go on
 * with it, as far as that costs little. */
static int slots_wanted(const struct job *job, int workers)
{
    static const size_t spare_bytes = 1 << 20;
    enum { SPARE_MOST = 64 };
    const size_t fit = job->state_size > 0 ? spare_bytes / (2 * (job->state_size + 64)) : 0;
    return workers + (fit < SPARE_MOST ? (int)fit : SPARE_MOST);
}

/* Local to the master. Of the folders that this run writes to. */
static void folders_check(const struct execution *execution)
{
    const char *const places[] = {execution->output, execution->emitted};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (places[k] && own_folder_is_anybodys(places[k])) {
            fprintf(stderr,
                    "%s: %s: anybody may remove or replace files in its folder, which has "
                    "no sticky bit: choose another one, or 'chmod +t' it\n",
                    execution->command, places[k]);
            return;
        }
}

/* Local to the master. */
static void output_create(struct execution_state *state, struct output_places *places,
                          struct failure *failure)
{
    const struct execution *execution = state->execution;
    const struct job *job = &state->making.job;
    const struct output_info info = {
        .plan = execution->plan_text,
        .profile = execution->profile_text,
        .input = execution->input,
        .input_sha256 = execution_digest(state),
        .input_stamp = state->stamp,
        .input_identity = state->identity,
        .plugin = execution->kernel->plugin,
        .plugin_sha256 = execution->kernel->sha256,
        .emitted = execution->emitted,
        .conditions = execution_conditions(state),
        .command_line = execution->command_line,
        .requested = execution_requested(),
        .rule = execution->rule,
        .tail = execution->tail,
        .replan = execution->replan,
        .surveyed = execution->pilot != NULL,
        .ahead = execution->ahead,
        /* How many packages a rule deals is known at the end. */
        .events = execution->rule || execution->pilot
                      ? 1
                      : plan_packages(execution->plan) * RUN_EVENTS_PER_PACKAGE +
                            (int64_t)execution->plan->own.tasks,
        .workers = slots_wanted(job, execution->comm->size - 1 + execution_computes(state)),
        .part = {.began_s = state->began_s, .workers = execution->comm->size - 1},
    };
    state->created = outputfile_create(execution->output, job, &info, places, failure);
}

/* Local to the master. Nobody takes part yet. */
static void members_make(struct execution_state *state)
{
    const struct execution *execution = state->execution;
    const struct membership_setup setup = {.comm = execution->comm,
                                           .liveness = execution->liveness,
                                           .path = execution->output,
                                           .command = execution->command,
                                           .workers = execution_workers(state)};
    membership_init(&state->members, &setup);
}

/* Local to the master. From here on the file beside the output is this part's. */
static void tracing_begin(struct execution_state *state)
{
    const struct execution *execution = state->execution;
    const struct resume *resume = &state->resume;
    const struct trace_part part = {resume->on ? resume->remaining.resumed + 1 : 0, state->began_s};
    trace_writer_begin(&state->tracing, execution->output, execution->command, &part);
}

bool execution_output_open(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    struct resume *resume = &state->resume;
    struct output_places places = resume->places;
    if (execution->comm->rank == 0) {
        state->processor = run_conditions_processor();
        job_method(&state->making.job, state->method, sizeof state->method);
        state->began_s = until_now();
    }
    const struct resume_setup resuming = execution_resume_setup(state);
    if (execution->comm->rank == 0)
        folders_check(execution);
    if (execution->comm->rank == 0)
        members_make(state);
    if (execution->comm->rank == 0 && !resume->on)
        output_create(state, &places, failure);
    if (!comm_agree(execution->comm, failure) ||
        (resume->on && !resume_begin(resume, &resuming, failure)))
        return false;
    if (execution->comm->rank == 0)
        tracing_begin(state);
    const struct store_setup setup = {
        .path = execution->output,
        .emitted = resume->emitted ? resume->emitted : execution->emitted,
        .slots = resume->slots,
        .collected = execution->collects,
        .master_as = execution_computes(state) ? execution_workers(state) + 1 : 0,
        .resumed = resume->on};
    state->store = store_open(&setup, &places, execution->comm, &state->making.job, failure);
    comm_broadcast(execution->comm, &places, sizeof places);
    if (execution->comm->rank == 0 || !execution->collects)
        losses_open(&state->losses, execution->output, &places, execution->comm->rank,
                    resume->remaining.lost_count);
    return state->store != NULL;
}
