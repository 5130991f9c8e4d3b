#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/duration.h"
#include "planner/dispatch/stream.h"
#include "planner/model/task_places.h"
#include "spmd/master/master.h"
#include "spmd/run/execution_state.h"
#include "spmd/run/expected_cost.h"
#include "spmd/run/progress_curve.h"

struct plan_prediction execution_prediction(const struct execution_state *state)
{
    const struct execution *execution = state->execution;
    struct plan_prediction predicted =
        execution->pilot ? execution->pilot->predicted : state->plan->predicted;
    if (!(state->decider.expected_s > 0) || !predicted.known)
        return predicted;
    if (execution->replan || !plan_tail_own(state->plan, execution->tail))
        return (struct plan_prediction){.known = true, .makespan_s = state->decider.expected_s};
    if (!(predicted.without_variation_s > 0))
        predicted.makespan_s = state->decider.expected_s;
    return predicted;
}

bool execution_copies(const struct execution_state *state)
{
    const struct execution *execution = state->execution;
    const struct job *job = &state->making.job;
    const bool apart = job->state_size == 0 && !job->results.emits;
    /* In other operating models it is not known here when a package is overdue. */
    if (emulation_operating(execution_sleeps(state) ? state->costs : NULL) != OPERATING_SINGLE_PORT)
        return false;
    return !state->star.heads && !execution->once && !execution->counted &&
           (job->task->flags & SCOW_ONCE) == 0 && !execution->keeps && execution->patience_s > 0 &&
           (execution->collects || apart);
}

/* Do this master's workers keep their results? */
static bool run_keeps(const struct execution_state *state)
{
    return state->execution->keeps && !state->star.heads;
}

static struct deadline_setup expected_setup(const struct execution_state *state)
{
    return (struct deadline_setup){.cost = state->costs ? expected_cost : NULL,
                                   .start_s = state->costs ? expected_start_s : NULL,
                                   .self = state->costs,
                                   .workers = execution_workers(state)};
}

/* Local to the master. */
static bool copies_set(const struct execution_state *state, const struct run *run,
                       struct dispatch *recovery, struct failure *failure)
{
    const struct deadline_setup setup = expected_setup(state);
    if (!execution_copies(state))
        return true;
    dispatch_recovery_ahead(recovery, master_ahead(run));
    return dispatch_recovery_copy(recovery, &setup) ||
           failure_memory(failure, "preparing for overdue packages");
}

/* The weights of the job's core tasks; NULL: not known. */
static const struct work *worth_of(const struct execution_state *state)
{
    const struct task_weights *weights = state->execution->plan->weights;
    return weights && work_differs(&weights->work) ? &weights->work : NULL;
}

/* The worth of those core tasks of the star's plan that are left. False: out of memory. */
static bool units_left(const struct execution_state *state, const struct work *worth, double *units)
{
    const struct resume *resume = &state->resume;
    const struct plan *plan = execution_plan(state);
    struct task_range left = {(int64_t)plan->first, (int64_t)plan->tasks};
    struct task_places places;
    *units = resume->on ? 0 : work_worth(worth, left);
    if (!resume->on || resume->by_plan == 0)
        return true;
    const bool good =
        task_places_init(&places, resume->remaining.ranges, resume->remaining.range_count);
    while (good && left.count > 0) {
        const struct task_range piece = task_places_piece(&places, left);
        *units += work_worth(worth, piece);
        left.first += piece.count;
        left.count -= piece.count;
    }
    task_places_release(&places);
    return good;
}

/* Moves go by the worth of core tasks, where the plan knows it. */
static bool moves_weigh(const struct execution_state *state, struct dispatch *recovery,
                        struct failure *failure)
{
    const struct work *worth = worth_of(state);
    double units;
    if (!worth)
        return true;
    if (!units_left(state, worth, &units))
        return failure_memory(failure, "preparing one of several masters");
    dispatch_recovery_weigh(recovery, worth, units);
    return true;
}

/* Local to one of several masters. Core tasks that others may take over must not be held by slow
 * workers: these get no more than they need while they work. Rules and watched plans do that
 * themselves. */
static bool moves_set(const struct execution_state *state, const struct run *run,
                      struct dispatch *recovery, struct failure *failure)
{
    static const double worked_s = 0.05;
    if (!masters_share_work(run->masters))
        return true;
    const struct plan *plan = execution_plan(state);
    const double mean_s = expected_mean_s(state->costs, plan);
    const double enough = 1 + fmax(plan_buffers(plan), mean_s > 0 ? worked_s / mean_s : HUGE_VAL);
    if (!state->decider.by_rule && !state->execution->replan)
        dispatch_recovery_ahead(recovery, (int64_t)fmin(enough, (double)master_ahead(run)));
    masters_begin(run->masters, recovery);
    return moves_weigh(state, recovery, failure);
}

/* Local to the master. What would not end in time is not begun. */
static bool deadline_set(const struct execution_state *state, struct dispatch *recovery,
                         struct failure *failure)
{
    static const double margin = 0.1;
    const struct execution *execution = state->execution;
    const struct until *until = state->star.size > 0 ? &state->star.until : execution->until;
    const struct plan_prediction predicted = execution_prediction(state);
    char words[DURATION_SIZE];
    /* Only masters of groups know what their workers need. */
    if (!until || !until->known || state->star.heads)
        return true;
    const double left_s = until_left_s(until, until_now());
    const double kept_s = expected_returns_s(execution->keeps ? state->costs : NULL,
                                             execution_workers(state), state->plan->tasks);
    struct deadline_setup setup = expected_setup(state);
    setup.end_s = left_s - kept_s;
    setup.margin = margin;
    if (!execution->quiet && comm_leads(execution->comm) && predicted.known &&
        predicted.makespan_s > left_s)
        fprintf(stderr,
                "%s: %s ends this run in %s, sooner than predicted: core tasks that fit are "
                "begun, the others when the run is resumed\n",
                execution->command, until->who, duration_print(fmax(0, left_s), words));
    return dispatch_recovery_deadline(recovery, &setup) ||
           failure_memory(failure, "preparing for the end of the job");
}

/* Local to the master. Begins to tell observers the progress. */
static void status_start(struct execution_state *state, const struct run *run,
                         struct progress *progress, const struct run_outcome *outcome)
{
    const struct execution *execution = state->execution;
    const bool ends = execution->until && execution->until->known;
    const struct run *all = run->whole ? run->whole : run;
    if (execution->comm->rank > 0)
        return;
    const struct status_setup setup = {.output = execution->output,
                                       .command = execution->command,
                                       .progress = progress,
                                       .outcome = outcome,
                                       .members = all->members,
                                       .kept = state->resume.before.tasks,
                                       .kept_failed = state->resume.before.failed,
                                       .workers = execution_workers_all(state),
                                       .masters_beside = execution_masters(state) - 1,
                                       .job_end_s = ends ? execution->until->end_s : 0};
    status_begin(&state->status, &setup);
    progress->tick = (struct progress_tick){status_tell, &state->status};
}

/* Adds to what is told already. */
static void copies_tell(const struct execution_state *state, struct run_outcome *outcome)
{
    struct text told = TEXT_INIT, listed = TEXT_INIT;
    size_t copied;
    dispatch_recovery_copied(state->dispatch, &copied);
    if (copied == 0)
        return;
    text_add(&told, "%s", outcome->told ? outcome->told : "");
    dispatch_copied_tell(state->dispatch, &told);
    dispatch_copied_json(state->dispatch, state->decider.begun_s, state->star.before, &listed);
    free(outcome->told);
    outcome->told = text_take(&told);
    outcome->copied = text_take(&listed);
}

/* Takes notes of when and why what remained was planned anew. */
static void told_take(const struct execution_state *state, const struct dispatch *decides,
                      struct run_outcome *outcome)
{
    struct pilot *pilot = state->execution->pilot;
    if (pilot)
        pilot->tell(pilot, &outcome->told, &outcome->replanned);
    else
        decider_tell(&state->decider, decides, &outcome->told, &outcome->replanned);
    copies_tell(state, outcome);
}

struct leading {
    struct progress progress;
    const struct dispatch *decides; /* what decides, if it could be made; else NULL */
};

/* The state while the first master waits for the others. */
struct waiting {
    const struct run *run;
    struct progress *progress;
    const struct run_outcome *outcome;
};

static void waiting_show(void *self)
{
    const struct waiting *waiting = self;
    struct progress *progress = waiting->progress;
    progress->elsewhere = waiting->run->masters->elsewhere_tasks;
    progress->elsewhere_failed = waiting->run->masters->elsewhere_failed;
    progress_show(progress, waiting->outcome->summary.tasks,
                  comm_now(waiting->run->comm) - waiting->run->members->origin_s);
}

/* Local to one of several masters. Ends together with the others; notes about its own packages are
 * taken before. */
static void others_join(struct execution_state *state, const struct run *run,
                        struct leading *leading, struct run_outcome *outcome,
                        struct failure *failure)
{
    struct progress *progress = &leading->progress;
    struct waiting waiting = {run, progress, outcome};
    if (leading->decides)
        told_take(state, leading->decides, outcome);
    else
        copies_tell(state, outcome);
    outcome->trace_cut = !trace_writer_end(&state->tracing);
    masters_join(&state->star.masters, run, outcome,
                 &(struct progress_tick){waiting_show, &waiting}, failure);
    progress->elsewhere = progress->elsewhere_failed = 0;
}

/* Local to the master. Works until all packages are done, or none fits into the remaining time. */
static bool packages_lead(struct execution_state *state, const struct run *run,
                          struct leading *leading, struct run_outcome *outcome,
                          struct failure *failure)
{
    struct dispatch *dispatch = state->dispatch;
    if (dispatch) {
        dispatch_recovery_limit(dispatch, state->decider.largest);
        deadline_set(state, dispatch, failure);
        copies_set(state, run, dispatch, failure);
        moves_set(state, run, dispatch, failure);
    }
    status_start(state, run, &leading->progress, outcome);
    const bool good = master_run(run, dispatch, &leading->progress, outcome, failure);
    if (dispatch && dispatch_recovery_over(dispatch)) {
        outcome->stopped = true;
        outcome->ends = state->execution->until->who;
    }
    if (run->masters)
        others_join(state, run, leading, outcome, failure);
    status_pause(&state->status);
    return good;
}

/* Local to the master. To be ended. */
static void progress_begin(const struct execution_state *state, struct progress *progress)
{
    const struct execution *execution = state->execution;
    const struct plan_prediction predicted = execution_prediction(state);
    const bool planned = predicted.known && !execution->rule;
    const struct resume *resume = &state->resume;
    const bool shown = !execution->quiet && comm_leads(execution->comm);
    progress_init(progress, shown ? stderr : NULL,
                  resume->on ? resume->left : (int64_t)state->plan->tasks,
                  execution->pilot ? -1
                  : planned        ? predicted.makespan_s
                                   : 0);
    if (planned && progress->out && !execution->pilot && !(state->decider.expected_s > 0))
        progress->curve = progress_curve_of(state->plan, execution->profile);
}

static struct dispatch *survey_new(const struct execution_state *state,
                                   struct pilot_context *context, struct failure *failure)
{
    const struct resume *resume = &state->resume;
    context->job = &state->making.job;
    context->ranges = resume->on ? resume->remaining.ranges : NULL;
    context->range_count = resume->on ? resume->remaining.range_count : 0;
    context->most = state->decider.largest;
    context->workers = execution_workers(state);
    return pilot_survey(context, (int64_t)state->plan->tasks, failure);
}

/* Local to the master. Makes the decision object of the survey, the plan or the rule. */
static struct dispatch *decides_new(const struct execution_state *state,
                                    struct pilot_context *context, struct failure *failure)
{
    const struct deadline_setup expected = expected_setup(state);
    if (context->pilot)
        return survey_new(state, context, failure);
    return decider_dispatch(&state->decider, execution_copies(state) ? &expected : NULL, failure);
}

/* Local to the master. Makes the dispatch that hands out all that is left, by `decides` (owned;
 * NULL: it could not be made). */
static void dispatch_make(struct execution_state *state, struct dispatch *decides,
                          struct failure *failure)
{
    const struct resume *resume = &state->resume;
    if (decides && execution_is_group(state))
        decides = state->stream = dispatch_new_stream(decides, (int64_t)state->star.plan.tasks);
    /* A group gets its part of it from the master above. */
    if (decides && resume->on && !execution_is_group(state))
        decides = resume_dispatch(resume, decides, failure);
    if (decides)
        decides = dispatch_new_recovery(decides, execution_workers(state));
    state->dispatch = decides;
    if (decides && run_keeps(state))
        dispatch_recovery_keep(decides);
    if (decides && execution_is_group(state))
        dispatch_recovery_apart(decides);
    if (decides && state->execution->joins)
        dispatch_recovery_empty(decides);
    if (!decides)
        failure_memory(failure, "preparing for the loss of workers");
    else if (resume->on)
        resume_suspects(resume, decides, failure);
}

void execution_preview(struct execution_state *state, struct failure *failure)
{
    struct pilot *pilot = state->execution->pilot;
    const struct resume *resume = &state->resume;
    const struct trace none = {.events = NULL};
    struct progress silent;
    struct pilot_context context = {.pilot = pilot, .trace = &none, .progress = &silent};
    progress_init(&silent, NULL, (int64_t)state->plan->tasks, 0);
    const int64_t left = resume->on ? resume->left : (int64_t)state->plan->tasks;
    if (left > 0)
        dispatch_make(state, decides_new(state, &context, failure), failure);
    const struct pilot_preview seen = {.making = &state->making,
                                       .dispatch = state->dispatch,
                                       .left = left,
                                       .workers = execution_workers(state)};
    if (failure->code == FAILURE_NONE)
        pilot->preview(pilot, &seen);
    dispatch_free(&state->dispatch);
    progress_end(&silent);
}

bool execution_lead(struct execution_state *state, const struct run *run,
                    struct run_outcome *outcome, struct failure *failure)
{
    struct leading leading;
    struct pilot_context context = {.pilot = state->execution->pilot,
                                    .trace = &outcome->trace,
                                    .had = &outcome->had,
                                    .progress = &leading.progress};
    struct dispatch *decides = decides_new(state, &context, failure);
    leading.decides = state->resume.on && state->resume.by_plan == 0 ? NULL : decides;
    dispatch_make(state, decides, failure);
    progress_begin(state, &leading.progress);
    struct run own = *run;
    own.stream = state->stream;
    bool good = packages_lead(state, &own, &leading, outcome, failure);
    progress_end(&leading.progress);
    if (good && !run->masters && leading.decides)
        told_take(state, leading.decides, outcome);
    return good;
}
