#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner/base/own.h"
#include "spmd/output/outputfile.h"
#include "spmd/protocol/beginning.h"
#include "spmd/protocol/run_conditions.h"
#include "spmd/run/execution_state.h"

/* For how many workers a new file has room for states: for some more than there are, so that more
 * can resume it, as long as that costs little. */
static int slots_wanted(const struct job *job, int workers)
{
    static const size_t spare_bytes = 1 << 20;
    enum { SPARE_MOST = 64 };
    const size_t fit = job->state_size > 0 ? spare_bytes / (2 * (job->state_size + 64)) : 0;
    return workers + (fit < SPARE_MOST ? (int)fit : SPARE_MOST);
}

/* Local to the master. Checks the folders that this run writes to. */
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
        .level_before = execution->level ? execution->level->before : NULL,
        .requested = execution_requested(),
        .rule = execution->rule,
        .tail = execution->tail,
        .replan = execution->replan,
        .surveyed = execution->pilot != NULL,
        .ahead = execution->ahead,
        .counted = execution->counted,
        /* How many packages a rule assigns is known only at the end. */
        .events = execution->rule || execution->pilot
                      ? 1
                      : plan_packages(execution->plan) * RUN_EVENTS_PER_PACKAGE +
                            (int64_t)execution->plan->own.tasks,
        .workers = slots_wanted(job, execution->comm->size - 1 + execution_computes(state)),
        .members = execution_workers_all(state),
        .part = {.began_s = state->began_s, .workers = execution_workers_expected(state)},
    };
    state->created = outputfile_create(execution->output, job, &info, places, failure);
}

/* Local to a master. No worker takes part yet. */
static void members_make(struct execution_state *state)
{
    const struct execution *execution = state->execution;
    const struct membership_setup setup = {.comm = execution_comm(state),
                                           .liveness = execution_liveness(state),
                                           .path = execution->output,
                                           .command = execution->command,
                                           .workers = execution_workers(state)};
    membership_init(&state->members, &setup);
}

/* Local to the master. From now on the file beside the output is that of this part. */
static void tracing_begin(struct execution_state *state)
{
    const struct execution *execution = state->execution;
    const struct resume *resume = &state->resume;
    const struct trace_part part = {resume->on ? resume->remaining.resumed + 1 : 0, state->began_s};
    trace_writer_begin(&state->tracing, execution->output, execution->command, &part);
    state->star.part = part;
}

/* Local to another master: prepares its own part of the run. */
static void other_begin(struct execution_state *state)
{
    const struct execution *execution = state->execution;
    members_make(state);
    trace_writer_beside(&state->tracing, execution->output, state->star.number, execution->command,
                        &state->star.part);
}

/* Local to the master. Makes the file as it must be when the first package is sent. */
static void output_make(struct execution_state *state, struct output_places *places,
                        struct failure *failure)
{
    const struct resume_setup resuming = execution_resume_setup(state);
    if (state->resume.on)
        resume_begin(&state->resume, &resuming, failure);
    else
        output_create(state, places, failure);
}

static void losses_leave(void *losses)
{
    losses_begin(losses, 0, 0);
}

/* Local. From now on ranks see each other by locks on the output, which exists now. When this rank
 * leaves because another one is gone, the package that it works on is not noted as the cause. */
static void place_take(struct execution_state *state, struct liveness *liveness)
{
    const struct execution *execution = state->execution;
    if (!liveness)
        return;
    liveness->words.again = execution->again;
    liveness->leaving = (struct liveness_leaving){losses_leave, &state->losses};
    if (execution_sees(state))
        liveness_place(liveness, execution->output);
}

/* Local. */
static void output_open(struct execution_state *state, const struct output_places *places,
                        struct failure *failure)
{
    const struct execution *execution = state->execution;
    const struct resume *resume = &state->resume;
    const struct store_setup setup = {
        .path = execution->output,
        .emitted = resume->emitted ? resume->emitted : execution->emitted,
        .slots = resume->slots,
        .collected = execution->collects,
        .leads = execution_leads(state),
        .collects_as = state->star.heads ? 0 : state->star.before + STORE_COLLECTOR,
        .master_as = execution_computes(state) ? execution_workers(state) + 1 : 0,
        .resumed = resume->on};
    state->store = store_open(&setup, places, execution->comm, &state->making.job, failure);
    if (execution_sees(state))
        losses_open(&state->losses, execution->output, places, execution->comm->rank,
                    resume->lost_noted + state->star.number);
    state->losses.stride = execution_masters(state);
    /* The lock for the whole run is taken first: of two locks of one place only the first is held,
     * and that of a star is given up before the end. */
    place_take(state, execution->liveness);
    if (state->star.size > 0)
        place_take(state, execution_liveness(state));
    if (execution_is_group(state) && execution_leads(state) && execution->liveness)
        place_take(state, &state->star.above.liveness);
}

/* What workers are told about the output. */
struct output_told {
    struct output_places places;
    char early[65]; /* the input's digest, as in execution_state */
    struct trace_part part;
};

/* Local to the master. */
static void workers_tell(struct execution_state *state, const struct output_places *places,
                         struct failure *failure)
{
    struct output_told told = {.places = *places, .part = state->star.part};
    struct bundle bundle = {0};
    memcpy(told.early, state->early, sizeof told.early);
    bundle_put(&bundle, &told, sizeof told);
    execution_counted_tell(state, &bundle, failure);
    if (bundle.cut)
        failure_memory(failure, "telling workers of the output");
    for (int peer = 1; peer <= execution_peers(state); peer++)
        beginning_tell(state->execution->comm, peer, &bundle, failure);
    bundle_release(&bundle);
}

bool execution_output_lead(struct execution_state *state, struct failure *failure)
{
    struct output_places places = state->resume.places;
    state->processor = run_conditions_processor();
    job_method(&state->making.job, state->method, sizeof state->method);
    state->began_s = until_now();
    folders_check(state->execution);
    members_make(state);
    output_make(state, &places, failure);
    if (failure->code == FAILURE_NONE) {
        tracing_begin(state);
        output_open(state, &places, failure);
    }
    workers_tell(state, &places, failure);
    if (failure->code != FAILURE_NONE)
        return false;
    const struct resume_setup resuming = execution_resume_setup(state);
    if (state->resume.on)
        resume_sum(&state->resume, &resuming, failure);
    return true;
}

bool execution_output_follow(struct execution_state *state, struct failure *failure)
{
    struct output_told told;
    struct bundle bundle = {0};
    const bool begins =
        beginning_hear(state->execution->comm, HUGE_VAL, &bundle, &state->master, failure);
    if (begins) {
        bundle_take(&bundle, &told, sizeof told);
        memcpy(state->early, told.early, sizeof state->early);
        state->star.part = told.part;
        execution_counted_hear(state, &bundle, failure);
        if (execution_leads(state))
            other_begin(state);
        output_open(state, &told.places, failure);
    }
    bundle_release(&bundle);
    const struct resume_setup resuming = execution_resume_setup(state);
    if (begins && state->resume.on)
        resume_sum_share(&state->resume, &resuming, failure);
    return begins;
}
