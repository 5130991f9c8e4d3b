#include "spmd/run/course.h"

#include <stdlib.h>
#include <string.h>

#include "planner/files/profile_json.h"
#include "planner/model/beyond.h"
#include "planner/model/platform.h"
#include "planner/simulate/simulate.h"

/* A tenth of a second, or so. */
enum { PACKAGES_MOST = 100000 };

static int by_end(const void *a, const void *b)
{
    const double p = ((const struct progress_step *)a)->end_s;
    const double q = ((const struct progress_step *)b)->end_s;
    return (p > q) - (p < q);
}

/* From the packages' ends. */
static struct progress_course course_from(const struct trace *trace)
{
    struct progress_course course = {calloc(trace->count + 1, sizeof *course.steps), 0};
    for (size_t k = 0; course.steps && k < trace->count; k++)
        if (trace->events[k].operation == OPERATION_OUTPUT)
            course.steps[course.count++] =
                (struct progress_step){trace->events[k].end_s, trace->events[k].tasks};
    if (course.count > 0)
        qsort(course.steps, course.count, sizeof *course.steps, by_end);
    for (size_t k = 1; k < course.count; k++)
        course.steps[k].done += course.steps[k - 1].done;
    return course;
}

static struct progress_course course_on(const struct plan *plan,
                                        const struct profile_setting *setting)
{
    struct progress_course course = {NULL, 0};
    struct failure none = FAILURE_INIT;
    struct platform platform;
    struct simulation simulation;
    struct trace trace = {NULL, 0, 0};
    if (!platform_init(&platform, setting, 0, &none))
        return course;
    platform.buffers = plan_buffers(plan);
    if (platform_map(&platform, setting, plan->tasks, &none) &&
        simulate_plan(&platform, plan, &trace, &simulation, &none))
        course = course_from(&trace);
    trace_release(&trace);
    platform_release(&platform);
    return course;
}

struct progress_course course_of(const struct plan *plan, const char *profile_text)
{
    struct progress_course course = {NULL, 0};
    struct failure none = FAILURE_INIT;
    struct profile profile;
    if (!profile_text || plan->real_valued || plan_packages(plan) > PACKAGES_MOST ||
        !profile_parse(&profile, profile_text, strlen(profile_text), "the profile", &none))
        return course;
    const struct profile_setting *setting =
        profile_find(&profile, &plan->parameters, plan->threads);
    if (setting && beyond_follow(&profile, plan, &none))
        course = course_on(plan, setting);
    profile_release(&profile);
    return course;
}
