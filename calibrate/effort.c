#include "calibrate/effort.h"

#include "planner/base/duration.h"

static const struct campaign_effort effort_quick = {
    .budget_s = 4, .growth = 4, .sets = 2, .copies_most = 16};
static const struct campaign_effort effort_usual = {
    .budget_s = 30, .growth = 2, .sets = 4, .copies_most = 32};

static bool budget_read(const char *typed, double *seconds, struct failure *failure)
{
    *seconds = duration_parse(typed);
    return (*seconds > 0 && *seconds < 1e6) ||
           failure_set(failure, FAILURE_USAGE,
                       "--budget needs a time such as 30s, 5m or 1h, not '%.60s'", typed);
}

bool effort_read(struct campaign_effort *effort, bool quick, const char *budget,
                 struct failure *failure)
{
    *effort = quick ? effort_quick : effort_usual;
    effort->may_extend = !quick && !budget;
    return !budget || budget_read(budget, &effort->budget_s, failure);
}
