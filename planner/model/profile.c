#include "planner/model/profile.h"

#include <math.h>
#include <stdlib.h>

bool profile_setting_suits(const struct profile_setting *setting,
                           const struct parameter_list *parameters)
{
    for (size_t k = 0; k < setting->parameters.count; k++) {
        const struct parameter *own = &setting->parameters.items[k];
        const struct parameter *given = parameter_list_find(parameters, own->name);
        if (given && !parameter_equal(given, own))
            return false;
    }
    return true;
}

static void rate_scale(struct measured_cost *cost, double factor)
{
    cost->cost.s_per_task *= factor;
    cost->fit.stderr_s_per_task *= factor;
}

static void compute_scale(struct profile_setting *setting, double factor)
{
    for (size_t w = 0; w < setting->window_count; w++)
        for (size_t k = 0; k < setting->windows[w].worker_count; k++)
            rate_scale(&setting->windows[w].workers[k].compute, factor);
}

static void transfers_scale(struct profile_setting *setting, double factor)
{
    for (size_t w = 0; w < setting->window_count; w++) {
        struct profile_window *window = &setting->windows[w];
        rate_scale(&window->envelope, factor);
        rate_scale(&window->send, factor);
        for (size_t k = 0; k < window->worker_count; k++) {
            rate_scale(&window->workers[k].link, factor);
            rate_scale(&window->workers[k].receive, factor);
        }
    }
}

void profile_setting_weigh(struct profile_setting *setting, const struct task_weights *weights)
{
    const double wanted = weights ? weighing_mean(&setting->weighing, weights) : 1;
    const double before = setting->heaviness > 0 ? setting->heaviness : 1;
    const double bulk = weights && weights->bytes ? weights->bytes->mean : 1;
    const double bulk_before = setting->bulk > 0 ? setting->bulk : 1;
    if (wanted != before)
        compute_scale(setting, wanted / before);
    if (bulk != bulk_before)
        transfers_scale(setting, bulk / bulk_before);
    setting->heaviness = wanted;
    setting->bulk = bulk;
    setting->weights = weights;
}

void profile_weigh(struct profile *profile, const struct task_weights *weights)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        profile_setting_weigh(&profile->settings[k], weights);
}

void profile_level(struct profile *profile, int64_t level)
{
    for (size_t k = 0; k < profile->setting_count; k++) {
        struct profile_setting *setting = &profile->settings[k];
        const size_t known = setting->level_count, wanted = (size_t)level;
        if (known > 0)
            compute_scale(setting, setting->levels[(wanted < known ? wanted : known) - 1].compute);
    }
}

static double spread_at(const struct profile_setting *setting, double tasks)
{
    const struct spread *spreads = setting->spreads;
    size_t above = 0;
    while (above < setting->spread_count && (double)spreads[above].tasks < tasks)
        above++;
    if (setting->spread_count == 0)
        return 0;
    if (above == 0 || above == setting->spread_count)
        return spreads[above == 0 ? 0 : above - 1].deviation;
    const struct spread *low = &spreads[above - 1], *high = &spreads[above];
    const double share =
        log(tasks / (double)low->tasks) / log((double)high->tasks / (double)low->tasks);
    return low->deviation + share * (high->deviation - low->deviation);
}

bool profile_setting_work(const struct profile_setting *setting, struct work *work)
{
    return profile_setting_weighed(setting)
               ? weighing_work(&setting->weighing, setting->weights, work)
               : work_copy(work, &setting->map.work);
}

bool profile_setting_placed(const struct profile_setting *setting, double tasks)
{
    const struct cost_map *map = &setting->map;
    if (profile_setting_weighed(setting))
        return work_differs(&setting->weights->work);
    return map->work.region_count > 0 && (double)map->work.tasks == tasks &&
           profile_setting_known(setting) > map->error;
}

double profile_setting_known(const struct profile_setting *setting)
{
    if (!profile_setting_weighed(setting))
        return work_deviation(&setting->map.work);
    const double mean = weighing_mean(&setting->weighing, setting->weights);
    return (1 - setting->weighing.constant / mean) * work_deviation(&setting->weights->work);
}

/* The mean of core tasks with independent weights deviates by one over the root of their number.
 * What neighbours have in common beyond that is part of the spread. */
double profile_setting_deviation(const struct profile_setting *setting, double tasks)
{
    const double all = spread_at(setting, tasks);
    if (!setting->weights || setting->weighing.packages > 0)
        return all;
    const double known = setting->weights->deviation / sqrt(fmax(1, tasks));
    return sqrt(fmax(0, all * all - known * known));
}

double profile_setting_unequal(const struct profile_setting *setting, double tasks)
{
    return hypot(profile_setting_deviation(setting, tasks),
                 fmax(profile_setting_known(setting), profile_setting_unseen(setting)));
}

double profile_setting_region(const struct profile_setting *setting)
{
    if (setting->spread_count < 2)
        return 0;
    const struct spread *small = &setting->spreads[0];
    const struct spread *large = &setting->spreads[setting->spread_count - 1];
    const double times = (double)large->tasks / (double)small->tasks;
    const double both = times * large->deviation * large->deviation;
    return sqrt(fmax(0, both - small->deviation * small->deviation) / (times - 1));
}

double profile_speed_deviation(const struct profile_setting *setting, double tasks)
{
    size_t at = 0;
    double most = 0;
    while (at + 1 < setting->window_count && (double)setting->windows[at].greatest < tasks)
        at++;
    for (size_t k = 0; k < setting->windows[at].worker_count; k++) {
        const struct measured_cost *compute = &setting->windows[at].workers[k].compute;
        const double rate = compute->cost.s_per_task, error = compute->fit.stderr_s_per_task;
        most = fmax(most, hypot(rate > 0 ? error / rate : 0, compute->fit.drift_own));
    }
    return fmin(most, 1);
}

double profile_timing_deviation(const struct profile_setting *setting, double tasks)
{
    double deviation = 0;
    for (size_t w = 0; w < setting->window_count; w++)
        for (size_t k = 0; k < setting->windows[w].worker_count; k++)
            deviation = fmax(
                deviation, measured_cost_deviation(&setting->windows[w].workers[k].compute, tasks));
    return deviation;
}

double profile_package_deviation(const struct profile_setting *setting, double tasks)
{
    return hypot(profile_timing_deviation(setting, tasks),
                 profile_setting_deviation(setting, tasks));
}

int profile_threads(const struct profile *profile, const struct profile_setting *setting)
{
    return setting->threads > 0 ? setting->threads : profile->origin.threads;
}

struct profile_costs profile_costs(const struct profile_window *window,
                                   const struct profile_worker *worker)
{
    return (struct profile_costs){{
        [OPERATION_ENVELOPE] = &window->envelope,
        [OPERATION_SEND] = &window->send,
        [OPERATION_LINK] = &worker->link,
        [OPERATION_RECEIVE] = &worker->receive,
        [OPERATION_COMPUTE] = &worker->compute,
        [OPERATION_OUTPUT] = &worker->output,
        [OPERATION_RESULT] = &worker->result,
        [OPERATION_COLLECT] = &window->collect,
    }};
}

struct profile_peaks peaks_most(struct profile_peaks a, struct profile_peaks b)
{
    return (struct profile_peaks){fmax(a.rank, b.rank), fmax(a.command, b.command),
                                  fmax(a.master, b.master)};
}

double profile_drift(const struct profile *profile)
{
    double squares = 0;
    for (size_t k = 0; k < profile->history_count; k++)
        squares += profile->history[k] * profile->history[k];
    return profile->history_count > 0 ? sqrt(squares / (double)profile->history_count) : 0;
}

const struct profile_setting *profile_find(const struct profile *profile,
                                           const struct parameter_list *parameters, int threads)
{
    const struct profile_setting *suited = NULL, *closest = NULL;
    size_t count = 0;
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        if (threads > 0 && setting->threads > 0 && setting->threads != threads)
            continue;
        if (parameter_list_has(parameters, &setting->parameters) &&
            (!closest || setting->parameters.count > closest->parameters.count))
            closest = setting;
        if (!profile_setting_suits(setting, parameters))
            continue;
        suited = setting;
        count++;
    }
    return closest || count != 1 ? closest : suited;
}

int64_t profile_workers(const struct profile_window *window)
{
    int64_t workers = 0;
    for (size_t k = 0; k < window->worker_count; k++)
        workers += window->workers[k].count;
    return workers;
}

size_t profile_classes(const struct profile *profile, const struct profile_window *window)
{
    return window->worker_count - (profile->beyond > 0);
}

size_t profile_class(const struct profile_window *window, int64_t worker)
{
    size_t class = 0;
    for (int64_t first = 0; first + window->workers[class].count <= worker; class ++)
        first += window->workers[class].count;
    return class;
}

void profile_inherit(struct profile *profile)
{
    const struct parameter_list *list = &profile->parameters;
    const struct parameter *behind = parameter_list_find(list, "write-behind");
    const struct parameter *results = parameter_list_find(list, RESULTS_PARAMETER);
    for (size_t k = 0; k < profile->setting_count; k++) {
        struct profile_setting *setting = &profile->settings[k];
        setting->write_behind = behind && parameter_is_yes(behind);
        if (results && results->word)
            results_find(results->word, &setting->results);
    }
}

static void window_release(struct profile_window *window)
{
    for (size_t k = 0; k < window->worker_count; k++)
        free(window->workers[k].name);
    free(window->workers);
}

void profile_setting_release(struct profile_setting *setting)
{
    for (size_t k = 0; k < setting->window_count; k++)
        window_release(&setting->windows[k]);
    free(setting->windows);
    free(setting->method);
    free(setting->spreads);
    free(setting->levels);
    work_release(&setting->map.work);
    parameter_list_release(&setting->parameters);
}

void profile_release(struct profile *profile)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        profile_setting_release(&profile->settings[k]);
    free(profile->settings);
    free(profile->history);
    parameter_list_release(&profile->parameters);
    free(profile->kernel);
    free(profile->plugin);
    free(profile->plugin_sha256);
    weights_name_release(&profile->weights);
    free(profile->origin.host_name);
    free(profile->origin.processor);
    free(profile->origin.isa);
    free(profile->origin.machine);
    free(profile->origin.mpi);
    free(profile->origin.created);
    free(profile->origin.version);
    *profile = (struct profile){0};
}

void profile_operate(struct profile *profile, enum operating operating)
{
    for (size_t k = 0; k < profile->setting_count; k++)
        profile->settings[k].operating = operating;
}
