#include "spmd/run/progress_curve.h"

#include <stdlib.h>

#include "planner/files/plan_profile.h"
#include "planner/model/platform.h"
#include "planner/simulate/simulate.h"

/* So many packages take about a tenth of a second. */
enum { PACKAGES_MOST = 100000 };

static int by_end(const void *a, const void *b)
{
    const double p = ((const struct progress_step *)a)->end_s;
    const double q = ((const struct progress_step *)b)->end_s;
    return (p > q) - (p < q);
}

/* Makes the curve from the ends of packages. */
static struct progress_curve curve_from(const struct trace *trace)
{
    struct progress_curve curve = {calloc(trace->count + 1, sizeof *curve.steps), 0};
    for (size_t k = 0; curve.steps && k < trace->count; k++)
        if (trace->events[k].operation == OPERATION_OUTPUT)
            curve.steps[curve.count++] =
                (struct progress_step){trace->events[k].end_s, trace->events[k].tasks};
    if (curve.count > 0)
        qsort(curve.steps, curve.count, sizeof *curve.steps, by_end);
    for (size_t k = 1; k < curve.count; k++)
        curve.steps[k].done += curve.steps[k - 1].done;
    return curve;
}

static struct progress_curve curve_on(const struct plan *plan,
                                      const struct profile_setting *setting)
{
    struct progress_curve curve = {NULL, 0};
    struct failure none = FAILURE_INIT;
    struct platform platform;
    struct simulation simulation;
    struct trace trace = {.count = 0};
    if (!platform_init(&platform, setting, 0, &none))
        return curve;
    platform.buffers = plan_buffers(plan);
    if (platform_map(&platform, setting, plan->tasks, &none) &&
        simulate_plan(&platform, plan, &trace, &simulation, &none))
        curve = curve_from(&trace);
    trace_release(&trace);
    platform_release(&platform);
    return curve;
}

struct progress_curve progress_curve_of(const struct plan *plan, const struct profile *profile)
{
    struct progress_curve curve = {NULL, 0};
    struct failure none = FAILURE_INIT;
    struct plan_profile seen;
    if (!profile || plan->real_valued || plan_packages(plan) > PACKAGES_MOST)
        return curve;
    if (plan_profile_init(&seen, profile, plan, &none))
        curve = curve_on(plan, seen.setting);
    plan_profile_release(&seen);
    return curve;
}
