#include "spmd/run/pilot.h"

#include <stdio.h>

#include "planner/files/plan_json.h"

static struct survey_levels timings_compare(void *self, const struct survey_timings *timings)
{
    struct pilot_context *context = self;
    return context->pilot->levels(context->pilot, context, timings);
}

static struct dispatch *remaining_plan(void *self, const struct survey_remaining *remaining)
{
    struct pilot_context *context = self;
    context->remaining = remaining;
    return context->pilot->plan(context->pilot, context);
}

struct dispatch *pilot_survey(struct pilot_context *context, int64_t tasks, struct failure *failure)
{
    const struct survey_setup setup = {.tasks = tasks,
                                       .workers = context->workers,
                                       .most = context->most,
                                       .seed = 1,
                                       .planner = {timings_compare, remaining_plan, context}};
    struct dispatch *survey = dispatch_new_survey(&setup);
    if (!survey)
        failure_memory(failure, "surveying the job");
    return survey;
}

char *pilot_plan_print(const struct pilot *pilot, const struct plan *plan)
{
    char tail[128] = "";
    struct plan predicted = *plan; /* borrows what it points to */
    snprintf(tail, sizeof tail, "%s", pilot->tail ? pilot->tail : "");
    predicted.predicted = pilot->predicted;
    predicted.tail = tail[0] ? tail : NULL;
    return plan_print(&predicted);
}
