#include "planner/command/simulate_strips.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/availability_tsv.h"
#include "planner/files/load.h"
#include "planner/files/strips_json.h"
#include "planner/files/textfile.h"
#include "planner/strips/strips_simulate.h"

bool simulate_strips_is(const char *plan, bool *is, struct failure *failure)
{
    size_t length = 0;
    *is = false;
    if (strcmp(plan, "-") ==
        0) /* standard input can be read only once: it is taken as a plan of packages */
        return true;
    char *text = textfile_read(plan, &length, failure);
    *is = text && strips_is(text, length);
    free(text);
    return failure->code == FAILURE_NONE;
}

static bool request_check(const char *plan, const struct simulation_request *request,
                          struct failure *failure)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{request->replan, "--replan"},
                  {request->tail, "--tail"},
                  {request->model, "--model"},
                  {request->joins, "--joins"},
                  {request->set, "--set"},
                  {request->block > 0, "--block"},
                  {request->ahead > 0, "--ahead"},
                  {request->buffers > 0, "--buffers"},
                  {request->seeds > 1, "--seeds"},
                  {request->scenario.noise > 0, "--noise"},
                  {request->scenario.outlier_rate > 0, "--outliers"},
                  {request->scenario.slow_workers > 0, "--slow"},
                  {request->scenario.copies, "--copies"},
                  {request->traced, "--gantt"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].given)
            return failure_set(
                failure, FAILURE_USAGE,
                "%s is for packages of core tasks, and %s is of strips, which go with "
                "--loads, --load-patterns and --lose: leave it out",
                others[k].name, plan);
    return true;
}

/* The plan must use workers that the profile has. */
static bool profile_check(const struct simulation_request *request, const struct profile *profile,
                          const struct strips_plan *plan, struct failure *failure)
{
    const int64_t workers = profile_workers(&profile->settings[0].windows[0]);
    if (strcmp(profile->kernel, plan->kernel) != 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is of the core task %.60s, and the plan of %.60s: give the profile "
                           "that it was made from",
                           request->path, profile->kernel, plan->kernel);
    for (size_t k = 0; k < plan->strip_count; k++)
        if (plan->strips[k].rank > workers)
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan has a strip for worker %" PRId64 ", and %s has %" PRId64
                               ": give the profile that it was made from",
                               plan->strips[k].rank, request->path, workers);
    return true;
}

/* As many workers as -n says or, without it, as many as the plan uses. */
static bool workers_find(const struct simulation_request *request, const struct strips_plan *plan,
                         int64_t *workers, struct failure *failure)
{
    int64_t greatest = 1;
    for (size_t k = 0; k < plan->strip_count; k++)
        greatest = plan->strips[k].rank > greatest ? plan->strips[k].rank : greatest;
    *workers = request->workers > 0 ? request->workers : greatest;
    if (*workers < greatest || *workers > STRIPS_WORKERS_MOST)
        return failure_set(failure, FAILURE_USAGE,
                           "-n %" PRId64 ": the plan has a strip for worker %" PRId64
                           ": say how many workers the run has, at most %d",
                           request->workers, greatest, STRIPS_WORKERS_MOST);
    return request->scenario.lost_worker < *workers ||
           failure_set(failure, FAILURE_USAGE,
                       "--lose %" PRId64 ": the run has %" PRId64 " workers: name one of them",
                       request->scenario.lost_worker + 1, *workers);
}

static bool loads_find(const struct simulation_request *request, const struct profile *profile,
                       int64_t workers, struct availability *availability, struct failure *failure)
{
    const struct profile_setting *setting = &profile->settings[0];
    if (request->loads)
        return availability_read(availability, request->loads, failure) &&
               availability_place(availability, setting, workers, failure);
    return !(request->patterns_s > 0) ||
           availability_patterns(availability, workers, request->patterns_s, request->scenario.seed,
                                 failure);
}

/* Loads say what others take from the processors: undoes what the plan expected of that, which
 * would otherwise count twice. */
static void shares_undo(struct strips_plan *plan)
{
    for (size_t k = 0; k < plan->strip_count; k++)
        for (size_t s = 0; s < plan->shared_count; s++)
            if (plan->strips[k].rank >= plan->shared[s].first_rank &&
                plan->strips[k].rank <= plan->shared[s].last_rank)
                plan->strips[k].compute_s *= plan->shared[s].share;
}

static bool outcome_print(const struct strips_plan *plan, const struct strips_outcome *outcome,
                          bool json, struct failure *failure)
{
    struct text text = TEXT_INIT;
    char *printed = json ? strips_outcome_print(outcome) : NULL;
    if (json && !printed)
        return failure_memory(failure, "describing the simulation");
    if (json)
        text_add(&text, "%s", printed);
    else
        strips_outcome_describe(plan, outcome, &text);
    free(printed);
    return text_print(&text, "describing the simulation", failure);
}

/* Seconds that each worker takes for a column, by the profile; workers beyond those that it
 * measured are like the last one. Owned; NULL: out of memory. */
static double *columns_find(const struct profile *profile, int64_t workers)
{
    const struct profile_setting *setting = &profile->settings[0];
    const struct profile_window *window = &setting->windows[setting->window_count - 1];
    const int64_t known = profile_workers(window);
    double *s_per_column = calloc((size_t)workers, sizeof *s_per_column);
    for (int64_t k = 0; s_per_column && k < workers; k++) {
        const size_t class = profile_class(window, k < known ? k : known - 1);
        s_per_column[k] = window->workers[class].compute.cost.s_per_task;
    }
    return s_per_column;
}

static bool plan_simulate(const struct strips_plan *plan, const struct simulation_request *request,
                          const struct profile *profile, struct strips_outcome *outcome,
                          struct failure *failure)
{
    struct availability availability = {.series = NULL};
    struct strips_scenario scenario = {.availability = &availability,
                                       .lost = request->scenario.lost_worker + 1,
                                       .lost_s = request->scenario.lost_s};
    if (!profile_check(request, profile, plan, failure) ||
        !workers_find(request, plan, &scenario.workers, failure))
        return false;
    double *s_per_column = columns_find(profile, scenario.workers);
    scenario.s_per_column = s_per_column;
    const bool good = (s_per_column || failure_memory(failure, "simulating strips")) &&
                      loads_find(request, profile, scenario.workers, &availability, failure) &&
                      strips_simulate(plan, &scenario, outcome, failure);
    free(s_per_column);
    availability_release(&availability);
    return good;
}

bool simulate_strips(const char *path, const struct simulation_request *request, bool json,
                     bool quiet, struct failure *failure)
{
    struct strips_plan plan = {.kernel = NULL};
    struct strips_outcome outcome = {.strips = NULL};
    struct profile profile;
    size_t length = 0;
    if (!request_check(path, request, failure) ||
        !load_profile(request->path, &profile, NULL, failure))
        return false;
    char *text = textfile_read(path, &length, failure);
    bool good = text && strips_parse(&plan, text, length, path, failure);
    free(text);
    if (good && (request->loads || request->patterns_s > 0))
        shares_undo(&plan);
    good = good && plan_simulate(&plan, request, &profile, &outcome, failure);
    good = good && (quiet || outcome_print(&plan, &outcome, json, failure));
    strips_outcome_release(&outcome);
    strips_plan_release(&plan);
    profile_release(&profile);
    return good;
}
