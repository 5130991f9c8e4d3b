#include "calibrate/go/pilot_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit/assemble.h"
#include "calibrate/labels.h"
#include "calibrate/rank_shares.h"
#include "planner/files/profile_json.h"
#include "planner/studies/interval.h"
#include "planner/studies/planning.h"
#include "planner/studies/typical.h"

/* Choosing a plan may take this share of what the remaining tasks take one worker, between these
 * bounds in seconds: workers wait meanwhile. */
static const double EFFORT_SHARE = 1e-3, EFFORT_LEAST_S = 0.02;

/* Standard error of the job's total, relative, above which tasks are taken to differ. */
static const double ERROR_POOLED = 0.02;
/* The rest of a job differs from its probes by so much at least, relative: they take a small part
 * of it, and what the machine does beside, it may do later or no more. */
static const double DRIFT_LEAST = 0.025;

/* ---- timings ------------------------------------------------------------------------------- */

/* No two workers have timed the same tasks. Where tasks differ, as timings or weights say, their
 * timings are taken together, and workers are told apart by more than their tasks can make of it
 * alone. */
static bool is_pooled(const struct pilot_context *context, bool weighed)
{
    return weighed || context->remaining->regions > 1 ||
           context->remaining->total.error > ERROR_POOLED;
}

/* Is it of a worker's first package, and took a later one of no fewer tasks less? Then something
 * was made ready; otherwise it tells as much as any. */
static bool is_cold(const struct pilot_context *context, const struct trace_event *event)
{
    const struct trace *trace = context->trace;
    const double seconds = event->end_s - event->start_s;
    if (event->package >= context->workers)
        return false;
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *later = &trace->events[k];
        if (later->rank == event->rank && later->operation == event->operation &&
            later->package > event->package && later->tasks >= event->tasks &&
            later->end_s - later->start_s < seconds)
            return true;
    }
    return false;
}

bool pilot_samples(const struct pilot_context *context, const struct survey_timings *timings,
                   struct samples *samples, struct failure *failure)
{
    const struct trace *trace = context->trace;
    *samples = (struct samples){.items = NULL};
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        struct sample sample = {.rank = event->rank,
                                .operation = (enum operation)event->operation,
                                .cold = is_cold(context, event),
                                .first = event->first,
                                .tasks = event->tasks,
                                .seconds = event->end_s - event->start_s};
        const struct survey_stratum *stratum =
            &timings->strata[survey_timings_stratum(timings, event->first)];
        if (event->tasks == 1 && stratum->place == event->first && !isnan(stratum->seconds))
            sample.stratum = stratum->range;
        if (event->operation != OPERATION_IDLE && !samples_add(samples, &sample))
            return failure_memory(failure, "keeping the probes");
    }
    return samples->count > 0 ||
           failure_set(failure, FAILURE_INFEASIBLE, "too few core tasks for each worker");
}

/* ---- profile ------------------------------------------------------------------------------- */

static int64_t largest_timed(const struct samples *samples)
{
    int64_t largest = 1;
    for (int64_t i = 0; i < samples->count; i++)
        if (samples->items[i].operation == OPERATION_COMPUTE && samples->items[i].tasks > largest)
            largest = samples->items[i].tasks;
    return largest;
}

/* What a single task takes to compute, in the mean of all workers. */
static double single_s(const struct profile_window *window)
{
    double sum = 0, count = 0;
    for (size_t k = 0; k < window->worker_count; k++) {
        const struct profile_worker *class = &window->workers[k];
        sum += (double)class->count * cost_of(class->compute.cost, 1);
        count += (double)class->count;
    }
    return sum / count;
}

static double latency_mean(const struct profile_window *window)
{
    double sum = 0, count = 0;
    for (size_t k = 0; k < window->worker_count; k++) {
        const struct profile_worker *class = &window->workers[k];
        sum += (double)class->count * fmax(0, class->compute.cost.latency_s);
        count += (double)class->count;
    }
    return sum / count;
}

/* A single task then takes the mean worker so long; its package's latency stays. */
static void rates_scale(struct profile_setting *setting, double seconds)
{
    const struct profile_window *first = &setting->windows[0];
    const double timed_s = single_s(first), latency_s = fmin(latency_mean(first), seconds / 2);
    const double factor = (seconds - latency_s) / (timed_s - latency_s);
    for (size_t k = 0; k < setting->window_count; k++)
        for (size_t i = 0; i < setting->windows[k].worker_count; i++)
            setting->windows[k].workers[i].compute.cost.s_per_task *= factor;
}

/* Larger packages lie in lighter parts of the job or in heavier ones, which is easily mistaken for
 * a latency, or for costs that break; single tasks are known best, and keep what they take. */
static void computing_settle(struct profile_setting *setting, double latency_most_s)
{
    struct profile_window *first = &setting->windows[0];
    const double mean_s = latency_mean(first);
    const double share = mean_s > latency_most_s ? latency_most_s / mean_s : 1;
    for (size_t i = 0; i < first->worker_count; i++) {
        struct cost *cost = &first->workers[i].compute.cost;
        const double latency_s = share * fmax(0, cost->latency_s);
        cost->s_per_task += cost->latency_s - latency_s;
        cost->latency_s = latency_s;
    }
    for (size_t k = 1; k < setting->window_count; k++)
        for (size_t i = 0; i < first->worker_count; i++)
            setting->windows[k].workers[i].compute = first->workers[i].compute;
}

/* No core task is timed twice, so that no fit tells what they differ by: as neighbours in a region
 * do. Of packages their sum, as if they were independent. */
static bool spreads_suppose(const struct survey_timings *timings, struct profile_setting *setting)
{
    struct stratum strata[SURVEY_STRATA_MOST];
    const size_t count = survey_timings_strata(timings, strata);
    const double deviation = count > 0 ? strata_deviation(strata, count) : 0;
    if (setting->spread_count > 0 && setting->spreads[0].deviation > 0)
        return true;
    struct spread *spreads = calloc(SPREADS_MOST, sizeof *spreads);
    if (!spreads)
        return false;
    free(setting->spreads);
    setting->spreads = spreads;
    setting->spread_count = 0;
    for (int64_t tasks = 1; tasks <= timings->tasks; tasks *= 2)
        spreads[setting->spread_count++] = (struct spread){tasks, deviation / sqrt((double)tasks)};
    return true;
}

static void drifts_suppose(struct profile_setting *setting)
{
    for (size_t k = 0; k < setting->window_count; k++)
        for (size_t i = 0; i < setting->windows[k].worker_count; i++) {
            struct fit *fit = &setting->windows[k].workers[i].compute.fit;
            fit->drift = fmax(fit->drift, DRIFT_LEAST);
        }
}

/* How far the total may be off is known by its strata, and counts beside the interval: what
 * packages of some sizes were off by is part of that. */
static void errors_drop(struct profile_setting *setting)
{
    for (size_t k = 0; k < setting->window_count; k++)
        for (size_t i = 0; i < setting->windows[k].worker_count; i++) {
            struct fit *fit = &setting->windows[k].workers[i].compute.fit;
            fit->stderr_latency_s = fit->stderr_s_per_task = 0;
        }
}

/* The workers have started. */
static void starts_drop(struct profile_setting *setting)
{
    for (size_t k = 0; k < setting->window_count; k++)
        for (size_t i = 0; i < setting->windows[k].worker_count; i++)
            setting->windows[k].workers[i].start = (struct measured_cost){.fit = {.n = 0}};
}

/* What holds for the largest packages timed is taken to hold for larger ones: the plan is watched,
 * and learns when it does not. */
static void windows_open(struct profile_setting *setting, int64_t most)
{
    struct profile_window *last = &setting->windows[setting->window_count - 1];
    if (last->greatest < most)
        last->greatest = most;
}

static void computing_scale(struct measured_cost *cost, double factor)
{
    cost->cost.latency_s *= factor;
    cost->cost.s_per_task *= factor;
    cost->fit.stderr_latency_s *= factor;
    cost->fit.stderr_s_per_task *= factor;
    cost->fit.jitter_s *= factor;
}

/* The mean worker's costs, for all of them: neighbours with the same factor are a class, and each
 * worker may be off by what its factor is. */
static bool window_spread(struct profile_window *window, const struct worker_factors *all)
{
    const int workers = all->workers;
    const double *factors = all->factors;
    struct profile_worker *classes = calloc((size_t)workers, sizeof *classes);
    struct profile_worker *one = &window->workers[0];
    if (!classes)
        return false;
    free(one->name);
    one->name = NULL;
    window->worker_count = 0;
    for (int k = 0; k < workers; k++) {
        if (k == 0 || factors[k] != factors[k - 1]) {
            classes[window->worker_count] = *one;
            computing_scale(&classes[window->worker_count].compute, factors[k]);
            classes[window->worker_count++].count = 0;
        }
        struct profile_worker *class = &classes[window->worker_count - 1];
        class->count++;
        class->compute.fit.drift_own = fmax(class->compute.fit.drift_own, all->errors[k]);
    }
    free(window->workers);
    window->workers = classes;
    return true;
}

/* All timings as if one worker had them, who takes what one of factor 1 does. To be released, also
 * on failure. */
static bool samples_pool(const struct samples *samples, const double *factors,
                         struct samples *pooled)
{
    bool good = true;
    *pooled = (struct samples){.items = NULL};
    for (int64_t i = 0; good && i < samples->count; i++) {
        struct sample sample = samples->items[i];
        if (sample.rank > 0 && sample.operation == OPERATION_COMPUTE)
            sample.seconds /= factors[sample.rank - 1];
        sample.rank = sample.rank > 0 ? 1 : 0;
        good = samples_add(pooled, &sample);
    }
    return good;
}

static bool setting_pooled(const struct pilot_origin *origin, const struct pilot_timings *timings,
                           struct profile_setting *setting, struct failure *failure)
{
    const struct worker_factors *workers = &timings->levels->workers;
    struct samples pooled = {.items = NULL};
    bool good = samples_pool(timings->samples, workers->factors, &pooled) ||
                failure_memory(failure, "fitting costs");
    pooled.weights = timings->levels->weights ? origin->weights : NULL;
    good = good && assemble_setting(&pooled, 0, largest_timed(timings->samples), 1, origin->names,
                                    setting, failure);
    bool spread = good;
    for (size_t k = 0; spread && k < setting->window_count; k++)
        spread = window_spread(&setting->windows[k], workers);
    if (good && !spread) {
        profile_setting_release(setting);
        failure_memory(failure, "fitting costs");
    }
    samples_release(&pooled);
    return spread;
}

/* Each worker's own costs. Core tasks are alike: no place tells anything of its part of the job. */
static bool setting_alike(const struct pilot_origin *origin, const struct pilot_timings *timings,
                          struct profile_setting *setting, struct failure *failure)
{
    struct samples placeless = {.items = NULL};
    bool good = true;
    for (int64_t i = 0; good && i < timings->samples->count; i++) {
        struct sample sample = timings->samples->items[i];
        sample.stratum = (struct task_range){0, 0};
        good = samples_add(&placeless, &sample);
    }
    if (!good)
        failure_memory(failure, "fitting costs");
    good =
        good && assemble_setting(&placeless, 0, largest_timed(&placeless),
                                 timings->levels->workers.workers, origin->names, setting, failure);
    samples_release(&placeless);
    return good;
}

static bool setting_make(const struct pilot_context *context, const struct pilot_origin *origin,
                         const struct pilot_timings *timings, struct profile_setting *setting,
                         struct failure *failure)
{
    char method[JOB_METHOD_SIZE];
    const bool weighed = timings->levels->weights != NULL;
    const bool pooled = is_pooled(context, weighed);
    if (!(pooled ? setting_pooled(origin, timings, setting, failure)
                 : setting_alike(origin, timings, setting, failure)))
        return false;
    if (pooled)
        computing_settle(setting, weighed ? timings->levels->compute.latency_s
                                          : survey_timings_latency(context->remaining->timings));
    if (!spreads_suppose(context->remaining->timings, setting)) {
        profile_setting_release(setting);
        return failure_memory(failure, "fitting what core tasks differ by");
    }
    windows_open(setting, context->most);
    drifts_suppose(setting);
    job_method(context->job, method, sizeof method);
    setting->memory = labels_memory(context->job, context->most, origin->threads);
    setting->method = method[0] ? strdup(method) : NULL;
    if (!method[0] || setting->method)
        return true;
    profile_setting_release(setting);
    return failure_memory(failure, "writing the profile");
}

/* Files write the block under a key of its setting's. */
static bool parameters_fill(const struct pilot_context *context, struct profile *profile,
                            struct failure *failure)
{
    struct parameter_list all = {0};
    bool good = values_describe(&context->job->values, context->job->task, &all, failure);
    const struct parameter *block = parameter_list_block(&all);
    for (size_t i = 0; good && i < all.count; i++) {
        const struct parameter *item = &all.items[i];
        struct parameter_list *list =
            item == block ? &profile->settings[0].parameters : &profile->parameters;
        good = parameter_list_add(list, item->name, item->word, item->number) ||
               failure_memory(failure, "writing the profile");
    }
    parameter_list_release(&all);
    return good;
}

/* What others left of processors and of the network while all this was timed. */
static void others_put(const struct pilot_context *context, const struct pilot_origin *origin,
                       const struct pilot_timings *timings, struct profile *profile)
{
    if (context->had)
        rank_shares_put(context->had, timings->samples, profile);
    if (origin->bandwidths)
        rank_bandwidths_put(origin->bandwidths, context->workers, profile);
}

bool pilot_profile(const struct pilot_context *context, const struct pilot_origin *origin,
                   const struct pilot_timings *timings, struct profile *profile,
                   struct failure *failure)
{
    struct profile_setting *setting = calloc(1, sizeof *setting);
    *profile = (struct profile){.kernel = NULL};
    if (!setting)
        return failure_memory(failure, "writing the profile");
    if (!setting_make(context, origin, timings, setting, failure)) {
        free(setting);
        return false;
    }
    profile->settings = setting;
    profile->setting_count = 1;
    place_sign(origin->place, &profile->origin);
    others_put(context, origin, timings, profile);
    const bool named =
        weights_name_init(&profile->weights, timings->levels->weights ? origin->weights : NULL) ||
        failure_memory(failure, "writing the profile");
    if (named && labels_kernel(profile, origin->kernel, failure) &&
        parameters_fill(context, profile, failure))
        return true;
    profile_release(profile);
    return false;
}

bool pilot_profile_remaining(const struct pilot_context *context, const struct profile *profile,
                             const struct task_weights *weights, struct profile *remaining,
                             struct failure *failure)
{
    if (!profile_copy(remaining, profile)) {
        profile_release(remaining);
        return failure_memory(failure, "planning what remains");
    }
    struct profile_setting *setting = &remaining->settings[0];
    if (context->remaining->regions > 1)
        rates_scale(setting, context->remaining->worth_s);
    if (is_pooled(context, weights != NULL))
        errors_drop(setting);
    starts_drop(setting);
    work_release(&setting->map.work);
    profile_weigh(remaining, weights);
    return true;
}

/* ---- plan ---------------------------------------------------------------------------------- */

/* What the survey does not know of the tasks that remain comes on top of what the profile knows:
 * the error of their total, and above it what nobody has seen. */
static void interval_widen(const struct pilot_context *context, struct plan_prediction *predicted)
{
    const struct strata_total *total = &context->remaining->total;
    const double error = STRATA_NORMAL_95 * total->error;
    if (!(predicted->interval_s[1] > 0))
        return;
    const double below = 1 - predicted->interval_s[0] / predicted->makespan_s;
    const double above = predicted->interval_s[1] / predicted->makespan_s - 1;
    predicted->interval_s[0] = predicted->makespan_s * fmax(1 - hypot(below, error), 0);
    predicted->interval_s[1] = predicted->makespan_s * (1 + hypot(above, error) + total->unseen);
}

static void interval_find(const struct pilot_context *context, const struct profile *profile,
                          struct plan *plan)
{
    const struct interval_request request = {.profile = profile,
                                             .setting = &profile->settings[0],
                                             .plan = plan,
                                             .workers = context->workers};
    struct failure none = FAILURE_INIT;
    struct interval interval;
    if (!interval_known(profile, request.setting) || !interval_draw(&request, &interval, &none))
        return;
    interval_predict(&interval, &plan->predicted);
    interval_release(&interval);
    interval_widen(context, &plan->predicted);
}

bool pilot_plan(const struct pilot_context *context, const struct pilot_origin *origin,
                const struct profile *profile, struct plan *plan, struct failure *failure)
{
    const double tasks = (double)context->remaining->tasks;
    const double alone_s = tasks * single_s(&profile->settings[0].windows[0]);
    const struct planning planning = {
        .profile = profile,
        .setting = &profile->settings[0],
        .path = origin->profile,
        .scheduler = SCHEDULER_AUTO,
        .remaining = true,
        .tasks = tasks,
        .effort_s = fmin(PLANNING_EFFORT_S, fmax(EFFORT_LEAST_S, EFFORT_SHARE * alone_s)),
    };
    if (!planning_make(&planning, plan, failure))
        return false;
    if (!planning_tail_unequal(&planning, plan, failure)) {
        plan_release(plan);
        return false;
    }
    interval_find(context, profile, plan);
    return true;
}

/* ---- what else it takes ---------------------------------------------------------------------- */

/* Of the slowest worker's computing, relative to the mean worker's. */
static double slowest_of(const struct profile_window *window)
{
    double most_s = 0;
    for (size_t k = 0; k < window->worker_count; k++)
        most_s = fmax(most_s, cost_of(window->workers[k].compute.cost, 1));
    return most_s / single_s(window);
}

/* Where units of the mean task's cost are predicted and the last tasks are heavier than that, one
 * of these is under way when all others are done: for half of it in the mean. */
static double last_task_s(const struct pilot_context *context, const struct profile_window *window)
{
    const struct survey_remaining *remaining = context->remaining;
    if (remaining->regions < 2 || context->workers < 2)
        return 0;
    return slowest_of(window) * fmax(0, remaining->last_s - remaining->worth_s) / 2;
}

double pilot_beside(const struct pilot_context *context, const struct profile *profile)
{
    const struct profile_window *window = &profile->settings[0].windows[0];
    double latency_s = 0;
    for (size_t k = 0; k < window->worker_count; k++)
        latency_s = fmax(latency_s, window->workers[k].compute.cost.latency_s);
    return context->remaining->busy_s + last_task_s(context, window) +
           latency_s * (double)(context->remaining->pieces - 1) / context->workers;
}

/* ---- on request ---------------------------------------------------------------------------- */

/* What a plan would be made of is not known well. */
static bool is_uncertain(const struct pilot_context *context)
{
    return context->remaining->regions > 1 || context->remaining->total.error > PLANNING_UNEQUAL;
}

bool pilot_unequal(const struct pilot_context *context, const struct profile *profile)
{
    return is_uncertain(context) ||
           profile_setting_deviation(&profile->settings[0], 1) > PLANNING_UNEQUAL;
}

/* In the middle of what it takes when all that is uncertain is drawn; without an interval, unknown.
 */
static double middle_s(const struct plan_prediction *predicted)
{
    return predicted->interval_s[1] > 0 ? (predicted->interval_s[0] + predicted->interval_s[1]) / 2
                                        : (double)NAN;
}

bool pilot_prefers_request(const struct pilot_context *context,
                           const struct plan_prediction *planned,
                           const struct plan_prediction *on_request)
{
    return is_uncertain(context) || !(middle_s(planned) <= middle_s(on_request));
}

const char *pilot_rule(const struct profile *profile)
{
    return profile->settings[0].windows[0].worker_count > 1 ? "awf-c" : SURVEY_RULE;
}

bool pilot_rule_predict(const struct pilot_context *context, const struct profile *profile,
                        const struct plan *plan, struct plan_prediction *predicted,
                        struct failure *failure)
{
    struct dispatch_setup setup = {.rule = pilot_rule(profile),
                                   .tasks = context->remaining->tasks,
                                   .workers = context->workers,
                                   .ahead = WATCHING_AHEAD};
    struct platform platform;
    struct simulation simulation;
    if (!platform_init(&platform, &profile->settings[0], 0, failure))
        return false;
    if (profile_setting_weighed(&profile->settings[0]) &&
        !platform_map(&platform, &profile->settings[0], (double)setup.tasks, failure)) {
        platform_release(&platform);
        return false;
    }
    double *weights = dispatch_setup_platform(&setup, &platform);
    const struct typical_request request = {profile, &profile->settings[0], plan, &platform,
                                            &setup};
    *predicted = (struct plan_prediction){.known = true};
    bool good = weights || failure_memory(failure, "predicting a rule");
    good = good && typical_simulate(&request, NULL, &simulation, failure) &&
           typical_interval(&request, predicted->interval_s, failure);
    if (good)
        predicted->makespan_s = simulation.makespan_s;
    if (good)
        interval_widen(context, predicted);
    free(weights);
    platform_release(&platform);
    return good;
}
