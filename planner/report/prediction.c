#include "planner/report/prediction.h"

#include <math.h>
#include <stdlib.h>

#include "planner/model/platform.h"
#include "planner/replan/stars_decided.h"
#include "planner/report/sent.h"
#include "planner/studies/typical.h"

enum prediction_wanted prediction_wanted(const struct run_record *record)
{
    if (!record->has_profile || (!record->rule && record->plan.round_count == 0))
        return PREDICTION_NONE;
    return record->rule || record->resumed > 0 || record->surveyed ? PREDICTION_TRIED
                                                                   : PREDICTION_NEEDED;
}

static int64_t greater_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The number of workers of the run: the greatest number of one that did something. */
static int64_t workers_seen(const struct run_record *record)
{
    return greater_of(plan_workers_needed(&record->plan), run_record_ranks(record));
}

/* Predicts a rule with as many of the profile's workers as the run had; interval_s may be NULL. */
static bool rule_predict(const struct run_record *record, const struct profile_setting *setting,
                         const struct platform *platform, struct trace *trace, double *interval_s,
                         struct failure *failure)
{
    struct simulation simulation;
    struct dispatch_setup setup = {.rule = record->rule,
                                   .tasks = (int64_t)record->plan.tasks,
                                   .ahead = record->ahead,
                                   .closed = record->counted};
    setup.workers = run_record_ranks(record);
    if (setup.workers < 1 || setup.workers > platform->worker_count || setup.ahead < 1)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the run had more workers than its profile: calibrate with as many");
    double *weights = dispatch_setup_platform(&setup, platform);
    if (!weights)
        return failure_memory(failure, "simulating a rule");
    const struct typical_request request = {.profile = &record->profile,
                                            .setting = setting,
                                            .plan = &record->plan,
                                            .platform = platform,
                                            .rule = &setup};
    const bool good = typical_simulate(&request, trace, &simulation, failure) &&
                      (!interval_s || typical_interval(&request, interval_s, failure));
    free(weights);
    return good;
}

static struct watching_request watching_of(const struct run_record *record,
                                           const struct profile_setting *setting)
{
    return (struct watching_request){.plan = &record->plan,
                                     .setting = setting,
                                     .workers = workers_seen(record),
                                     .tolerance = record->replan      ? record->replan
                                                  : record->replanned ? "10%"
                                                                      : NULL,
                                     .tail = record->tail,
                                     .ahead = record->ahead > 0 ? record->ahead : WATCHING_AHEAD};
}

/* Predicts a plan that was watched, or had a tail, for the case that nothing unusual happens. */
static bool watched_predict(const struct run_record *record, const struct profile_setting *setting,
                            struct trace *trace, struct failure *failure)
{
    const struct watching_request request = watching_of(record, setting);
    struct simulation simulation;
    return watching_simulate(&request, trace, &simulation, failure);
}

/* Did masters, side by side or of groups, decide by more than their plans? */
static bool stars_decided(const struct run_record *record)
{
    const struct plan *plan = &record->plan;
    return (record->star || plan->star_count > 0 || plan->child_count > 0) && !record->sent &&
           (record->rule || record->tail || record->replan || record->replanned);
}

/* Takes that master's part of the trace, in which it is rank 0. */
static bool trace_take(const struct trace *from, int64_t master, struct trace *trace)
{
    for (size_t k = 0; k < from->count; k++) {
        struct trace_event event = from->events[k];
        if (event.rank == master)
            event.rank = 0;
        if (!trace_add(trace, &event))
            return false;
    }
    return true;
}

/* Predicts all stars, or the one that is the record's. */
static bool stars_predict(const struct run_record *record, const struct profile_setting *setting,
                          struct trace *trace, struct failure *failure)
{
    struct stars_request request = {.watching = watching_of(record, setting), .rule = record->rule};
    struct plan star = record->plan, whole = record->plan;
    struct trace made = {.count = 0};
    struct simulation simulation;
    if (!record->star)
        return stars_expect(&request, trace, &simulation, failure);
    whole.tasks = (double)record->tasks;
    whole.stars = &star;
    whole.star_count = 1;
    request.watching.plan = &whole;
    request.watching.workers = record->star_last;
    const bool good = stars_expect(&request, &made, &simulation, failure) &&
                      (trace_take(&made, record->plan.master, trace) ||
                       failure_memory(failure, "simulating one of several masters"));
    trace_release(&made);
    return good;
}

/* Predicts by the plan's rounds, by a rule, or by both; only a rule alone gives *interval_s, unless
 * it is NULL. */
static bool decision_predict(const struct run_record *record, const struct profile_setting *setting,
                             struct trace *trace, double *interval_s, struct failure *failure)
{
    struct platform platform;
    struct simulation simulation;
    if (stars_decided(record))
        return stars_predict(record, setting, trace, failure);
    if (!record->sent && (record->tail || record->replan || record->replanned))
        return watched_predict(record, setting, trace, failure);
    if (!platform_init(&platform, setting, 0, failure))
        return false;
    platform.buffers = plan_buffers(&record->plan);
    if (record->counted)
        platform_leave_master_out(&platform);
    /* Where the core tasks of a part lie in the job is not known. */
    const bool known = record->star || record->plan.tasks == (double)record->tasks;
    const bool good =
        (!known || platform_map(&platform, setting, (double)record->tasks, failure)) &&
        (record->rule ? rule_predict(record, setting, &platform, trace, interval_s, failure)
                      : simulate_plan(&platform, &record->plan, trace, &simulation, failure));
    platform_release(&platform);
    return good;
}

static const struct profile_setting *setting_of(const struct run_record *record)
{
    return profile_find(&record->profile, &record->plan.parameters, record->plan.threads);
}

bool prediction_make(const struct run_record *record, struct trace *trace, double *interval_s,
                     struct failure *failure)
{
    const struct profile_setting *setting = setting_of(record);
    if (!setting)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the run's profile has no setting with the plan's parameters: run again "
                           "with a plan made from that profile");
    const bool departs = record->loss_count > 0 || record->cut_short || record->sent;
    if (departs && sent_predict(record, setting, trace))
        return !trace->on || trace_finish(trace);
    if (record->spread)
        return failure_set(failure, FAILURE_MISMATCH, "the run's trace does not say what it sent");
    return decision_predict(record, setting, trace, interval_s, failure) &&
           (!trace->on || trace_finish(trace));
}

bool prediction_is_plans(const struct run_record *record)
{
    return record->plan.predicted.interval_s[1] > 0 && !record->rule &&
           plan_tail_own(&record->plan, record->tail) && record->loss_count == 0 &&
           !record->cut_short;
}

/* ---- when it ends -------------------------------------------------------------------------- */

/* When the last worker ends, or the master's own computing. */
static bool end_take(void *self, const struct trace *block)
{
    double *end_s = self;
    for (size_t k = 0; k < block->count; k++)
        if (block->events[k].rank > 0 || trace_event_own(&block->events[k]))
            *end_s = fmax(*end_s, block->events[k].end_s);
    return true;
}

double prediction_end(const struct run_record *record)
{
    struct failure none = FAILURE_INIT;
    double end_s = 0;
    const struct trace_taker taker = {end_take, &end_s};
    struct trace trace = {.on = &taker};
    const bool known = record->has_profile && run_record_traced(record) &&
                       (plan_rounds_total(&record->plan) > 0 || record->rule) &&
                       prediction_make(record, &trace, NULL, &none);
    trace_release(&trace);
    if (known && prediction_is_plans(record) && record->plan.predicted.without_variation_s > 0)
        return record->plan.predicted.makespan_s;
    return known ? end_s : (double)NAN;
}

double prediction_undisturbed(const struct run_record *record)
{
    const struct profile_setting *setting = setting_of(record);
    struct failure none = FAILURE_INIT;
    double end_s = 0;
    const struct trace_taker taker = {end_take, &end_s};
    struct trace trace = {.on = &taker};
    if (record->loss_count == 0 || record->sent || record->cut_short || !setting)
        return (double)NAN;
    const bool known =
        decision_predict(record, setting, &trace, NULL, &none) && trace_finish(&trace);
    trace_release(&trace);
    return known ? end_s : (double)NAN;
}
