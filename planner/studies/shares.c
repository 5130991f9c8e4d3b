#include "planner/studies/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/platform.h"

/* Nobody waits for ever for a processor that somebody has seen at all, and nobody was measured
 * without one. */
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

/* The two that stand for the class; false: it was not seen. */
static bool nodes_find(const struct observations *observations, const char *name,
                       const struct observed_node *found[2])
{
    static const char TO[] = " to ";
    const char *to = name ? strstr(name, TO) : NULL;
    found[0] = found[1] = name ? node_named(observations, name, strlen(name)) : NULL;
    if (!found[0] && to) {
        found[0] = node_named(observations, name, (size_t)(to - name));
        found[1] = node_named(observations, to + strlen(TO), strlen(to + strlen(TO)));
    }
    if (!found[0] && !found[1] && observations->count == 1)
        found[0] = found[1] = &observations->nodes[0];
    found[0] = found[0] ? found[0] : found[1];
    found[1] = found[1] ? found[1] : found[0];
    return found[0] != NULL;
}

/* `before`: what there was of the processors when the workers were measured; 0: not known. */
static struct plan_shared share_of(const struct observed_node *const nodes[2], double span_s,
                                   double before)
{
    const double all = before > 0 ? before : 1;
    const struct availability_forecast a = observed_forecast(nodes[0], span_s);
    const struct availability_forecast b = observed_forecast(nodes[1], span_s);
    const double share = fmin(fmax((a.share + b.share) / 2, SHARE_LEAST), 1) / all;
    return (struct plan_shared){.share = fmin(share, SHARE_MOST),
                                .deviation = fmax(a.deviation, b.deviation) / all};
}

/* One for each class, over the next span_s. */
static bool classes_forecast(const struct observations *observations, const char *path,
                             const struct profile_window *window, double span_s,
                             struct plan_shared *shared, struct failure *failure)
{
    int64_t rank = 1;
    for (size_t k = 0; k < window->worker_count; k++) {
        const struct profile_worker *class = &window->workers[k];
        const struct observed_node *nodes[2];
        if (!nodes_find(observations, class->name, nodes))
            return failure_set(
                failure, FAILURE_MISMATCH,
                "%s: nobody has looked at '%.60s', a class of the profile: run 'scow "
                "sense' there, too",
                path, class->name ? class->name : "");
        shared[k] = share_of(nodes, span_s, class->availability);
        shared[k].first_rank = rank;
        rank += class->count;
        shared[k].last_rank = rank - 1;
    }
    return true;
}

/* Neighbours that the same node stands for become one. */
static size_t equal_join(struct plan_shared *shared, size_t count)
{
    size_t kept = 0;
    for (size_t k = 1; k < count; k++)
        if (shared[k].share == shared[kept].share && shared[k].deviation == shared[kept].deviation)
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
