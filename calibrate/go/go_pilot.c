#include "calibrate/go/go_pilot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/files/textfile.h"
#include "planner/report/watts.h"
#include "planner/studies/advice.h"
#include "planner/studies/sweep.h"

/* The plan is watched, and what remains planned anew where workers are off by more. */
static const char TOLERANCE[] = "10%";
/* What takes less is over before watching it could pay. */
static const double WATCHED_LEAST_S = 2;
/* More workers are worth a word where the knee is that many times as many. */
static const double MORE_WORKERS = 1.5;
/* Workers wait while these are looked for: no more than so many times as many, and only where the
 * rest takes so many seconds for each of them, of which that is a small part. Plans whose results
 * return are simulated event by event, which takes longer. */
enum { WORTH_TIMES = 8 };
static const double WORTH_LEAST_S = 0.1, WORTH_RETURNS_LEAST_S = 4;

/* ---- words --------------------------------------------------------------------------------- */

/* How many workers would be worth it: the knee of the sweep. */
static void worth_print(const struct go_pilot *pilot, const struct pilot_context *context)
{
    const int64_t most = (int64_t)WORTH_TIMES * context->workers;
    const struct planning planning = {.profile = &pilot->remaining,
                                      .setting = &pilot->remaining.settings[0],
                                      .remaining = true,
                                      .workers = most,
                                      .scheduler = SCHEDULER_QUICK,
                                      .tasks = (double)context->remaining->tasks};
    const double least_s =
        results_return(plan_returns(&pilot->plan)) ? WORTH_RETURNS_LEAST_S : WORTH_LEAST_S;
    struct failure none = FAILURE_INIT;
    struct sweep sweep;
    if (pilot->plan.predicted.makespan_s < least_s * context->workers ||
        !sweep_make(&planning, &sweep, &none))
        return;
    const int64_t knee = sweep.marks[SWEEP_KNEE];
    for (size_t k = 0; k < sweep.count; k++)
        if (sweep.rows[k].workers == knee && (double)knee > MORE_WORKERS * context->workers)
            fprintf(stderr,
                    "scow go: %s%" PRId64 " workers like these%s would be worth it: %.3g s for "
                    "what remains\n",
                    knee < most ? "up to " : "", knee, knee < most ? "" : " and more",
                    sweep.rows[k].makespan_s);
        else if (sweep.rows[k].workers == knee && 2 * knee <= context->workers)
            fprintf(stderr,
                    "scow go: %" PRId64 " workers would be enough: %.3g s for what remains\n", knee,
                    sweep.rows[k].makespan_s);
    sweep_release(&sweep);
}

/* What the weights that were given have turned out to tell. */
static void weights_print(const struct go_pilot *pilot)
{
    const struct task_weights *given = pilot->origin.weights;
    const struct weighing *weighing = &pilot->levels.weighing;
    if (given && !pilot->levels.weights)
        fprintf(stderr, "scow go: weights (%s) do not tell what core tasks take, and are ignored\n",
                given->source);
    else if (given && weighing->explained > 0)
        fprintf(stderr,
                "scow go: weights (%s) explain %.0f %% of what packages of a size differ by; "
                "%.0f %% of a mean core task is the same for all\n",
                given->source, 100 * weighing->explained, 100 * weighing->constant);
}

static void prediction_print(const struct go_pilot *pilot, const struct pilot_context *context)
{
    const struct survey_remaining *remaining = context->remaining;
    const struct plan_prediction *predicted = &pilot->plan.predicted;
    fprintf(stderr,
            "scow go: measured in %.3g s; the other %" PRId64 " core tasks will take %.4g s",
            remaining->now_s, remaining->tasks, predicted->makespan_s);
    if (predicted->interval_s[1] > 0)
        fprintf(stderr, " (90 %% between %.4g and %.4g s)", predicted->interval_s[0],
                predicted->interval_s[1]);
    if (pilot->rule)
        fprintf(stderr, " on %d workers, on request by %s, for core tasks differ\n",
                context->workers, pilot->rule);
    else
        fprintf(stderr, " on %" PRId64 " workers by %s%s%s\n", plan_workers_used(&pilot->plan),
                pilot->plan.scheduler, pilot->plan.tail ? ", the end on request by " : "",
                pilot->plan.tail ? pilot->plan.tail : "");
    worth_print(pilot, context);
}

/* ---- planning ------------------------------------------------------------------------------ */

/* Beside the output, for later; the run does not depend on it. */
static void file_leave(const char *path, const char *text)
{
    struct failure failure = FAILURE_INIT;
    if (text && !textfile_write(path, text, &failure))
        fprintf(stderr, "scow go: %s\n", failure.text);
}

static void files_leave(const struct go_pilot *pilot)
{
    char *plan = plan_print(&pilot->plan);
    file_leave(pilot->origin.profile, pilot->profile_text);
    file_leave(pilot->plan_path, plan);
    free(plan);
}

static void prediction_shift(struct plan_prediction *predicted, double seconds)
{
    predicted->makespan_s += seconds;
    if (predicted->without_variation_s > 0)
        predicted->without_variation_s += seconds;
    for (int k = 0; predicted->interval_s[1] > 0 && k < 2; k++)
        predicted->interval_s[k] += seconds;
}

/* The prediction of the whole run: its probes took what they took. */
static struct plan_prediction whole_of(const struct plan_prediction *rest, double now_s)
{
    struct plan_prediction whole = {.known = true, .makespan_s = now_s + rest->makespan_s};
    for (int k = 0; rest->interval_s[1] > 0 && k < 2; k++)
        whole.interval_s[k] = now_s + rest->interval_s[k];
    return whole;
}

static bool remaining_decide(struct go_pilot *pilot, const struct pilot_context *context,
                             struct failure *failure)
{
    const bool watched = !pilot->rule && pilot->plan.predicted.makespan_s >= WATCHED_LEAST_S;
    pilot->base.replan = watched ? TOLERANCE : NULL;
    const struct decider_request request = {.plan = &pilot->plan,
                                            .rule = pilot->rule,
                                            .replan = pilot->base.replan,
                                            .tail = pilot->rule ? NULL : pilot->plan.tail,
                                            .profile = &pilot->remaining,
                                            .ahead = WATCHING_AHEAD,
                                            .workers = context->workers};
    if (!decider_init(&pilot->decider, &request, failure))
        return false;
    pilot->decider.begun_s = context->remaining->now_s;
    pilot->dispatch = decider_dispatch(&pilot->decider, NULL, failure);
    return pilot->dispatch != NULL;
}

/* Of the core tasks that remain, if these are worth anything. */
static bool weights_remain(struct go_pilot *pilot, const struct survey_remaining *remaining,
                           struct failure *failure)
{
    const struct task_weights *surveyed = pilot->levels.weights;
    if (surveyed)
        pilot->weights = weights_select(surveyed, remaining->ranges, remaining->pieces);
    return pilot->weights || !surveyed ||
           failure_set(failure, FAILURE_INFEASIBLE, "the weights of what remains are all 0");
}

/* Where core tasks differ, by the plan or by a rule, whichever is expected to take less. */
static bool rule_choose(struct go_pilot *pilot, const struct pilot_context *context,
                        struct failure *failure)
{
    struct plan_prediction on_request;
    if (!pilot_unequal(context, &pilot->remaining))
        return true;
    if (!pilot_rule_predict(context, &pilot->remaining, &pilot->plan, &on_request, failure))
        return false;
    if (!pilot_prefers_request(context, &pilot->plan.predicted, &on_request))
        return true;
    pilot->rule = pilot_rule(&pilot->remaining);
    pilot->plan.predicted = on_request;
    return true;
}

static bool remaining_plan(struct go_pilot *pilot, const struct pilot_context *context,
                           struct failure *failure)
{
    const struct pilot_timings timings = {&pilot->samples, &pilot->levels};
    if (!pilot_samples(context, context->remaining->timings, &pilot->samples, failure))
        return false;
    if (!pilot->levels.workers.factors)
        return failure_memory(failure, "comparing the workers");
    if (!weights_remain(pilot, context->remaining, failure))
        return false;
    if (!pilot_profile(context, &pilot->origin, &timings, &pilot->profile, failure))
        return false;
    pilot->profile_text = profile_print(&pilot->profile);
    if (!pilot_profile_remaining(context, &pilot->profile, pilot->weights, &pilot->remaining,
                                 failure))
        return false;
    if (!pilot->profile_text)
        return failure_memory(failure, "writing the profile");
    if (!pilot_plan(context, &pilot->origin, &pilot->remaining, &pilot->plan, failure))
        return false;
    return rule_choose(pilot, context, failure) && remaining_decide(pilot, context, failure);
}

static struct survey_levels go_levels(struct pilot *base, const struct pilot_context *context,
                                      const struct survey_timings *timings)
{
    struct go_pilot *pilot = (struct go_pilot *)base;
    if (!pilot_levels_find(context, timings, pilot->origin.weights, &pilot->levels))
        pilot_levels_release(&pilot->levels);
    return pilot_levels_survey(&pilot->levels);
}

static struct dispatch *go_plan(struct pilot *base, const struct pilot_context *context)
{
    struct go_pilot *pilot = (struct go_pilot *)base;
    struct failure failure = FAILURE_INIT;
    const bool planned = remaining_plan(pilot, context, &failure);
    base->profile_text = pilot->profile_text;
    progress_break(context->progress);
    if (!planned) {
        context->progress->predicted_s = 0;
        if (!pilot->quiet)
            fprintf(stderr,
                    "scow go: nothing is predicted (%s): packages are assigned on request\n",
                    failure.text);
        return NULL;
    }
    base->tail = pilot->rule ? NULL : pilot->plan.tail;
    prediction_shift(&pilot->plan.predicted, pilot_beside(context, &pilot->remaining));
    base->predicted = whole_of(&pilot->plan.predicted, context->remaining->now_s);
    progress_plan(context->progress, context->remaining->now_s,
                  context->progress->tasks - context->remaining->tasks, base->predicted.makespan_s);
    if (!pilot->quiet) {
        weights_print(pilot);
        prediction_print(pilot, context);
    }
    files_leave(pilot);
    return pilot->dispatch;
}

static void go_tell(struct pilot *base, char **lines, char **json)
{
    struct go_pilot *pilot = (struct go_pilot *)base;
    *lines = *json = NULL;
    if (pilot->dispatch)
        decider_tell(&pilot->decider, pilot->dispatch, lines, json);
}

void go_pilot_init(struct go_pilot *pilot, const struct pilot_origin *origin, const char *plan_path,
                   bool quiet)
{
    *pilot = (struct go_pilot){.base = {.levels = go_levels, .plan = go_plan, .tell = go_tell},
                               .origin = *origin,
                               .plan_path = plan_path,
                               .quiet = quiet};
}

void go_pilot_complete(struct go_pilot *pilot, const struct run_record *record)
{
    struct profile *profile = &pilot->profile;
    if (profile->setting_count == 0)
        return;
    profile->peaks = advice_peaks(&record->plan, &profile->settings[0], run_record_peaks(record));
    profile->overhead = (struct overhead){record->startup_s, record->finish_s};
    watts_learn(record, profile);
    char *text = profile_print(profile);
    file_leave(pilot->origin.profile, text);
    free(text);
}

void go_pilot_release(struct go_pilot *pilot)
{
    decider_release(&pilot->decider);
    samples_release(&pilot->samples);
    pilot_levels_release(&pilot->levels);
    profile_release(&pilot->profile);
    profile_release(&pilot->remaining);
    weights_free(pilot->weights);
    plan_release(&pilot->plan);
    free(pilot->profile_text);
}
