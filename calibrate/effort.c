#include "calibrate/effort.h"

#include <stdlib.h>
#include <string.h>

static const struct campaign_effort effort_quick = {
    .budget_s = 4, .growth = 4, .sets = 2, .copies_most = 16};
static const struct campaign_effort effort_usual = {
    .budget_s = 30, .growth = 2, .sets = 4, .copies_most = 32};

static bool budget_read(const char *typed, double *seconds, struct failure *failure)
{
    static const struct {
        const char *suffix;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
    char *end = NULL;
    const double number = strtod(typed, &end);
    for (size_t k = 0; end != typed && k < sizeof units / sizeof *units; k++)
        if (strcmp(end, units[k].suffix) == 0 && number > 0 && number < 1e6) {
            *seconds = number * units[k].seconds;
            return true;
        }
    return failure_set(failure, FAILURE_USAGE,
                       "--budget needs a time such as 30s, 5m or 1h, not '%.60s'", typed);
}

bool effort_read(struct campaign_effort *effort, bool quick, const char *budget,
                 struct failure *failure)
{
    *effort = quick ? effort_quick : effort_usual;
    return !budget || budget_read(budget, &effort->budget_s, failure);
}
