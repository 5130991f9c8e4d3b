#include "planner/library/request.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/nearest.h"
#include "planner/library/expected_levels.h"
#include "planner/replan/watching.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/planning.h"

/* Reads "5%" or "0.05". */
static bool within_read(const char *text, double *within)
{
    char *end;
    *within = strtod(text, &end);
    if (end != text && *end == '%') {
        *within /= 100;
        end++;
    }
    return end != text && *end == '\0' && *within >= SCHEDULE_WITHIN && *within <= 10;
}

double plan_request_within(const struct plan_request *request)
{
    double within;
    return request->within && within_read(request->within, &within) ? within : -1;
}

static bool within_check(const struct plan_request *request, struct failure *failure)
{
    if (!request->within)
        return true;
    if (request->deadline_s > 0 && !plan_request_chooses(request))
        return failure_set(failure, FAILURE_USAGE,
                           "--within and --deadline both say how long a plan may take: choose one");
    return plan_request_within(request) >= 0 ||
           failure_set(failure, FAILURE_USAGE,
                       "--within '%.40s': say by how much longer than the least makespan a plan "
                       "may take, from 0.1%% to 1000%%, such as 5%%",
                       request->within);
}

const struct objective *plan_request_objective(const struct plan_request *request)
{
    if (request->objective)
        return objective_find(request->objective);
    return objective_find(request->deadline_s > 0 ? "workers"
                          : request->waits        ? "turnaround"
                                                  : "makespan");
}

bool plan_request_chooses(const struct plan_request *request)
{
    return request->objective || request->budget > 0 || request->require || request->exclude ||
           request->at_most || request->waits || request->front;
}

static bool objective_refuse(const char *name, struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    size_t count = 0;
    const struct objective *list = objective_list(&count);
    for (size_t k = 0; k < count; k++)
        nearest_try(&nearest, list[k].name);
    return failure_set(
        failure, FAILURE_USAGE, "unknown objective '%.60s': %s", name,
        nearest_hint(&nearest, "", "choose makespan, cpu, cost, turnaround or workers", hint));
}

static bool objective_check(const struct plan_request *request, struct failure *failure)
{
    if (request->objective && !objective_find(request->objective))
        return objective_refuse(request->objective, failure);
    if (!(request->budget >= 0))
        return failure_set(failure, FAILURE_USAGE, "--budget must not be negative");
    return !plan_request_objective(request)->waits || request->waits ||
           failure_set(failure, FAILURE_USAGE,
                       "the objective turnaround needs waits in the queue: give --waits FILE");
}

/* A master that computes has the last core tasks, by their number; rounds are for the others. */
static bool master_check(const struct plan_request *request, struct failure *failure)
{
    if (!request->master_computes)
        return true;
    if (request->tail)
        return failure_set(failure, FAILURE_USAGE,
                           "--master-computes has the master compute the job's last core tasks, "
                           "and --tail assigns these on request: leave one of them out");
    return !request->weights ||
           failure_set(failure, FAILURE_USAGE,
                       "--master-computes divides a job by the number of core tasks, and weights "
                       "by what each costs: leave one of them out");
}

static bool production_check(const struct plan_request *request, struct failure *failure)
{
    if (request->production == 0)
        return true;
    if (!(request->production > 0 && request->production <= 1))
        return failure_set(failure, FAILURE_USAGE,
                           "--production must be above 0 and at most 1: the least share of the "
                           "maximal production that a period has");
    return strcmp(request->scheduler, SCHEDULER_BALANCE) == 0 ||
           failure_set(failure, FAILURE_USAGE,
                       "--production is for the scheduler that gives up production for "
                       "utilization: add -s " SCHEDULER_BALANCE ", or leave it out");
}

/* A search whose further levels are not known cannot be planned for several masters. */
static bool levels_check(const struct plan_request *request, struct failure *failure)
{
    if (!request->levels)
        return true;
    if (request->masters != 0 || request->tree != 0 || request->grouping || request->weights)
        return failure_set(failure, FAILURE_USAGE,
                           "--levels is about a search in levels, which has one master and no "
                           "weights: leave %s out",
                           request->weights ? "--weights" : "--masters and --tree");
    return expected_levels_check(request->levels, failure);
}

bool plan_request_check(const struct plan_request *request, struct failure *failure)
{
    if (!(request->deadline_s >= 0))
        return failure_set(failure, FAILURE_USAGE, "--deadline must not be negative");
    if (!(request->effort_s > 0 && request->effort_s <= 1e6))
        return failure_set(failure, FAILURE_USAGE,
                           "--effort must be above 0 and at most 1000000: about how many seconds "
                           "planning with auto may take");
    if (request->buffers > LIMIT_BUFFERS)
        return failure_set(failure, FAILURE_USAGE, "--buffers is at most %" PRId64 ": give less",
                           LIMIT_BUFFERS);
    if (request->tail && request->real_valued)
        return failure_set(failure, FAILURE_USAGE,
                           "--tail needs whole loads: leave --real-valued out");
    return levels_check(request, failure) && production_check(request, failure) &&
           master_check(request, failure) && within_check(request, failure) &&
           objective_check(request, failure) &&
           planning_check_scheduler(request->scheduler, failure);
}

const char *plan_request_tail(const struct plan_request *request)
{
    return request->tail && strcmp(request->tail, WATCHING_NO_TAIL) != 0 ? request->tail : NULL;
}

bool plan_request_tail_open(const struct plan_request *request)
{
    return !request->tail && !request->real_valued && !request->bare && !request->master_computes &&
           strcmp(request->scheduler, SCHEDULER_AUTO) == 0;
}
