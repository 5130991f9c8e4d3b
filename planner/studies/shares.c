#include "planner/studies/shares.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/model/platform.h"

/* Limits of a forecast share. A node that was seen at all is never forecast to stand still, and no
 * class was measured with next to nothing of a node. */
static const double SHARE_LEAST = 0.01, SHARE_MOST = 100;

static const struct observed_node *node_named(const struct observations *observations,
                                              const char *name, size_t length)
{
    for (size_t k = 0; k < observations->count; k++)
        if (strlen(observations->nodes[k].name) == length &&
            strncmp(observations->nodes[k].name, name, length) == 0)
            return &observations->nodes[k];
    return NULL;
}

/* Of a worker's name as calibration gives it ("n1:3"), the length of the part that is the node's
 * name. */
static size_t node_length(const char *name, size_t length)
{
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)name[length - 1 - digits]))
        digits++;
    return digits > 0 && digits + 1 < length && name[length - 1 - digits] == ':'
               ? length - 1 - digits
               : length;
}

/* The node of that name or, if there is none, the node of the worker of that name. */
static const struct observed_node *node_of(const struct observations *observations,
                                           const char *name, size_t length)
{
    const struct observed_node *node = node_named(observations, name, length);
    return node ? node : node_named(observations, name, node_length(name, length));
}

static const char TO[] = " to ";

int shares_nodes(const char *name, struct node_name nodes[2])
{
    const char *to = strstr(name, TO), *last = to ? to + strlen(TO) : name;
    nodes[0].at = name;
    nodes[0].length = node_length(name, to ? (size_t)(to - name) : strlen(name));
    nodes[1] = (struct node_name){last, node_length(last, strlen(last))};
    const bool same = nodes[0].length == nodes[1].length &&
                      strncmp(nodes[0].at, nodes[1].at, nodes[0].length) == 0;
    return same ? 1 : 2;
}

/* The nodes of the class's first and last worker, which stand for the class; false: neither was
 * observed. */
static bool nodes_find(const struct observations *observations, const char *name,
                       const struct observed_node *found[2])
{
    const char *to = name ? strstr(name, TO) : NULL;
    found[0] = found[1] = name ? node_of(observations, name, strlen(name)) : NULL;
    if (!found[0] && to) {
        found[0] = node_of(observations, name, (size_t)(to - name));
        found[1] = node_of(observations, to + strlen(TO), strlen(to + strlen(TO)));
    }
    if (!found[0] && !found[1] && observations->count == 1)
        found[0] = found[1] = &observations->nodes[0];
    found[0] = found[0] ? found[0] : found[1];
    found[1] = found[1] ? found[1] : found[0];
    return found[0] != NULL;
}

/* How much time is to be forecast, by which error. */
struct span {
    double seconds;
    enum forecast_by by;
};

/* Forecasts the mean of two nodes' observations (one node may have none), relative to `before`,
 * what there was when the workers were measured. */
static void series_forecast(const struct observed_series *const series[2], const struct span *span,
                            double before, double most, double *share, double *deviation)
{
    const struct observed_series *one = series[0]->count > 0 ? series[0] : series[1];
    const struct observed_series *other = series[1]->count > 0 ? series[1] : series[0];
    if (one->count == 0)
        return;
    const struct observed_forecast a = observed_forecast(one, span->seconds, span->by);
    const struct observed_forecast b = observed_forecast(other, span->seconds, span->by);
    const double mean = fmin((a.value + b.value) / 2, most) / before;
    *share = fmin(fmax(mean, SHARE_LEAST), SHARE_MOST);
    *deviation = fmin(fmax(a.deviation, b.deviation) / before, LIMIT_DEVIATION);
}

/* A profile that does not say which share of the processors its workers had was measured with all
 * of them. If it does not say the bandwidth, observed bandwidths say nothing about its costs. */
static struct plan_shared share_of(const struct observed_node *const nodes[2],
                                   const struct span *span, const struct profile_worker *class)
{
    const struct observed_series *const cpu[] = {&nodes[0]->cpu, &nodes[1]->cpu};
    const struct observed_series *const bandwidth[] = {&nodes[0]->bandwidth, &nodes[1]->bandwidth};
    struct plan_shared shared = {.share = 1};
    series_forecast(cpu, span, class->availability > 0 ? class->availability : 1, 1, &shared.share,
                    &shared.deviation);
    if (class->bandwidth > 0)
        series_forecast(bandwidth, span, class->bandwidth, HUGE_VAL, &shared.bandwidth,
                        &shared.bandwidth_deviation);
    return shared;
}

/* Forecasts a share for each class, over the next span_s seconds. */
static bool classes_forecast(const struct observations *observations, const char *path,
                             const struct profile_window *window, double span_s,
                             struct plan_shared *shared, struct failure *failure)
{
    const struct span span = {span_s, observations->by};
    int64_t rank = 1;
    for (size_t k = 0; k < window->worker_count; k++) {
        const struct profile_worker *class = &window->workers[k];
        const struct observed_node *nodes[2];
        if (!nodes_find(observations, class->name, nodes))
            return failure_set(failure, FAILURE_MISMATCH,
                               "%s: has no observation of '%.60s', a class of the profile: run "
                               "'scow sense' there, too",
                               path, class->name ? class->name : "");
        shared[k] = share_of(nodes, &span, class);
        shared[k].first_rank = rank;
        rank += class->count;
        shared[k].last_rank = rank - 1;
    }
    return true;
}

static bool shares_equal(const struct plan_shared *a, const struct plan_shared *b)
{
    return a->share == b->share && a->deviation == b->deviation && a->bandwidth == b->bandwidth &&
           a->bandwidth_deviation == b->bandwidth_deviation;
}

/* Joins neighbouring classes with equal shares, which are those of the same node. */
static size_t equal_join(struct plan_shared *shared, size_t count)
{
    size_t kept = 0;
    for (size_t k = 1; k < count; k++)
        if (shares_equal(&shared[k], &shared[kept]))
            shared[kept].last_rank = shared[k].last_rank;
        else
            shared[++kept] = shared[k];
    return kept + 1;
}

/* The mean share of all workers. */
static double share_mean(const struct plan_shared *shared, size_t count)
{
    double sum = 0, workers = 0;
    for (size_t k = 0; k < count; k++) {
        const double here = (double)(shared[k].last_rank - shared[k].first_rank + 1);
        sum += here * shared[k].share;
        workers += here;
    }
    return sum / workers;
}

bool shares_forecast(const struct observations *observations, const char *path,
                     const struct profile *profile, double tasks, struct plan_shared **shared,
                     size_t *count, struct failure *failure)
{
    const struct profile_setting *setting = &profile->settings[0];
    const struct profile_window *window = &setting->windows[0];
    struct platform platform;
    if (!platform_init(&platform, setting, 0, failure))
        return false;
    const double ideal_s = platform_ideal(&platform, tasks);
    platform_release(&platform);
    struct plan_shared *made = calloc(window->worker_count, sizeof *made);
    if (!made)
        return failure_memory(failure, "forecasting shares");
    if (!classes_forecast(observations, path, window, ideal_s, made, failure) ||
        !classes_forecast(observations, path, window,
                          ideal_s / share_mean(made, window->worker_count), made, failure)) {
        free(made);
        return false;
    }
    *count = equal_join(made, window->worker_count);
    *shared = made;
    return true;
}

bool shares_network_unknown(const struct observations *observations, const struct profile *profile)
{
    const struct profile_window *window = &profile->settings[0].windows[0];
    bool seen = false, known = true;
    for (size_t k = 0; k < observations->count; k++)
        seen = seen || observations->nodes[k].bandwidth.count > 0;
    for (size_t k = 0; k < window->worker_count; k++)
        known = known && window->workers[k].bandwidth > 0;
    return seen && !known;
}
