#include <inttypes.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/library/handle.h"
#include "planner/library/simulating.h"

static bool numbers_check(const struct scow_simulation_request *taken, struct failure *failure)
{
    const int64_t counts[] = {taken->tasks,   taken->workers, taken->block, taken->ahead,
                              taken->buffers, taken->seeds,   taken->slow,  taken->lose};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k] < 0 || counts[k] > LIMIT_TASKS)
            return failure_set(failure, FAILURE_USAGE,
                               "counts of a simulation's request must be from 0, as usual, to "
                               "%" PRId64 ", not %" PRId64,
                               (int64_t)LIMIT_TASKS, counts[k]);
    return true;
}

static bool request_read(const struct scow_profile *profile,
                         const struct scow_simulation_request *given,
                         struct simulation_request *request, struct failure *failure)
{
    static const struct scow_simulation_request usual = SCOW_SIMULATION_REQUEST_INIT;
    struct scow_simulation_request taken;
    if (!structure_take(&taken, sizeof taken, given ? given : &usual, "scow_simulation_request",
                        failure) ||
        !numbers_check(&taken, failure))
        return false;
    *request = (struct simulation_request){
        .path = profile->name,
        .rule = taken.rule,
        .set = taken.set,
        .replan = taken.replan,
        .tail = taken.tail,
        .tasks = taken.tasks,
        .workers = taken.workers,
        .block = taken.block,
        .ahead = taken.ahead,
        .buffers = taken.buffers,
        .seeds = taken.seeds > 0 ? taken.seeds : 1,
        .scenario = SCENARIO_INIT,
    };
    struct scenario *scenario = &request->scenario;
    scenario->seed = taken.seed > 0 ? taken.seed : 1;
    scenario->noise = taken.noise;
    scenario->slow_workers = taken.slow;
    scenario->slow_factor = taken.slow_factor > 0 || taken.slow_factor < 0 ? taken.slow_factor : 2;
    scenario->slow_from_s = taken.slow_from_s;
    scenario->lost_worker = taken.lose - 1;
    scenario->lost_s = taken.lost_s;
    return true;
}

static struct scow_simulation outcome_of(const struct simulated *simulated)
{
    const struct simulation *simulation = &simulated->simulation;
    const struct ensemble_summary one = {simulation->makespan_s, simulation->makespan_s,
                                         simulation->makespan_s, simulation->makespan_s};
    const struct ensemble_summary *seeds =
        simulated->has_robustness ? &simulated->robustness : &one;
    return (struct scow_simulation){
        .makespan_s = simulation->makespan_s,
        .ideal_s = platform_ideal(&simulated->platform, simulated->tasks),
        .busy_share = simulated_busy_share(simulated),
        .network_utilization = simulated_network_share(simulated),
        .earliest_end_s = simulation->earliest_end_s,
        .latest_end_s = simulation->latest_end_s,
        .end_variation = simulation->end_variation,
        .packages = simulation->packages,
        .workers = simulation->workers_used,
        .least_s = seeds->least_s,
        .median_s = seeds->median_s,
        .p95_s = seeds->p95_s,
        .greatest_s = seeds->greatest_s,
    };
}

/* Fills in as many members as the caller's version of the structure has. */
static bool outcome_give(const struct simulated *simulated, struct scow_simulation *given,
                         struct failure *failure)
{
    struct scow_simulation outcome = outcome_of(simulated);
    const size_t known = given->size;
    if (known < sizeof known || known > 65536)
        return failure_set(failure, FAILURE_USAGE,
                           "scow_simulation: its size is not set: begin with SCOW_SIMULATION_INIT");
    outcome.size = known;
    memcpy(given, &outcome, known < sizeof outcome ? known : sizeof outcome);
    return true;
}

/* The caller may want the outcome, the text, or both: those that are not NULL. */
static bool simulate(const struct scow_profile *handle, const struct scow_plan *plan,
                     const struct scow_simulation_request *given, struct scow_simulation *outcome,
                     struct text *text, struct failure *failure)
{
    struct simulation_request request;
    struct simulated simulated;
    struct profile profile;
    if (!request_read(handle, given, &request, failure) ||
        !handle_profile_copy(handle, &profile, failure))
        return false;
    bool good =
        simulated_make(&profile, plan ? &plan->planned.plan : NULL, &request, &simulated, failure);
    if (good) {
        good = !outcome || outcome_give(&simulated, outcome, failure);
        if (text)
            simulated_json(&simulated, text);
        simulated_release(&simulated);
    }
    profile_release(&profile);
    return good;
}

int scow_simulate(struct scow_simulation *simulation, const struct scow_profile *profile,
                  const struct scow_plan *plan, const struct scow_simulation_request *request,
                  struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    simulate(profile, plan, request, simulation, NULL, &entry.failure);
    return entry_end(&entry, error);
}

int scow_simulate_text(char **text, const struct scow_profile *profile,
                       const struct scow_plan *plan, const struct scow_simulation_request *request,
                       struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct text made = TEXT_INIT;
    const bool good = simulate(profile, plan, request, NULL, &made, &entry.failure);
    *text = entry_give_text(&entry, &made, good, "describing the simulation");
    return entry_end(&entry, error);
}
