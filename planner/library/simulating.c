#include "planner/library/simulating.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/base/limits.h"
#include "planner/files/availability_tsv.h"
#include "planner/files/joins_tsv.h"
#include "planner/library/wanted.h"
#include "planner/model/shared.h"
#include "planner/replan/stars_decided.h"
#include "planner/simulate/loop.h"

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double network_busy(const struct simulation *simulation)
{
    return simulation->master_busy_s > simulation->port_busy_s ? simulation->master_busy_s
                                                               : simulation->port_busy_s;
}

static double workers_time(const struct simulation *simulation)
{
    return (double)simulation->workers_used * simulation->makespan_s;
}

double simulated_busy_share(const struct simulated *simulated)
{
    return ratio(simulated->simulation.worker_busy_s, workers_time(&simulated->simulation));
}

double simulated_network_share(const struct simulated *simulated)
{
    return ratio(network_busy(&simulated->simulation), simulated->simulation.makespan_s);
}

static bool loads_wanted(const struct simulation_request *request)
{
    return request->loads || request->patterns_s > 0;
}

/* Limit of workers times seconds of load patterns, which need memory for each step. */
#define PATTERNS_MOST 1e8

static bool loads_check(const struct simulation_request *request, struct failure *failure)
{
    if (!(request->patterns_s >= 0 && request->patterns_s <= PATTERNS_MOST))
        return failure_set(failure, FAILURE_USAGE, "--load-patterns must be seconds, from 0 to %g",
                           PATTERNS_MOST);
    if ((request->loads && request->patterns_s > 0) ||
        (loads_wanted(request) && request->scenario.slow_workers > 0))
        return failure_set(
            failure, FAILURE_USAGE,
            "--loads, --load-patterns and --slow each say how fast workers are: give "
            "one of them");
    return true;
}

/* A list of packages is made only for jobs of up to so many core tasks. */
enum { PACKAGES_KEPT = 1000000 };

bool simulation_request_check(const struct simulation_request *request, bool planned,
                              struct failure *failure)
{
    const struct scenario *scenario = &request->scenario;
    if (!planned && !request->rule)
        return failure_set(failure, FAILURE_USAGE,
                           "give a plan, a rule (-s RULE -X TASKS), or a plan and the rule that "
                           "assigns its core tasks");
    if (planned == (request->tasks > 0))
        return failure_set(failure, FAILURE_USAGE,
                           planned ? "a plan has its own number of core tasks: leave -X out"
                                   : "a rule alone needs a number of core tasks: add -X TASKS");
    if (planned && request->weights)
        return failure_set(failure, FAILURE_USAGE,
                           "a plan has the weights that it was made with: leave weights out, or "
                           "simulate a rule (-s RULE)");
    if (request->weights && !weights_match(request->weights, request->tasks, failure))
        return false;
    if (request->rule && (request->replan || request->tail))
        return failure_set(failure, FAILURE_USAGE,
                           "--replan and --tail are for plans: leave -s RULE out and name a plan");
    if (request->dca && !request->rule)
        return failure_set(failure, FAILURE_USAGE, "--dca is for rules: add -s RULE");
    if (request->dca && !dispatch_rule_is_closed(request->rule, failure))
        return false;
    if (request->packages && (!request->rule || planned || request->tasks > PACKAGES_KEPT))
        return failure_set(failure, FAILURE_USAGE,
                           "--packages lists what a rule (-s) sends without a plan, for at most "
                           "%d core tasks: a plan names its packages itself",
                           (int)PACKAGES_KEPT);
    if (request->traced && !planned && request->tasks > PACKAGES_KEPT)
        return failure_set(failure, FAILURE_USAGE,
                           "a rule may send as many packages as there are core tasks, too many for "
                           "a chart: leave --gantt out");
    if (request->ahead > 1000 || request->buffers > LIMIT_BUFFERS || request->block > INT32_MAX ||
        request->seeds > 1000000)
        return failure_set(
            failure, FAILURE_USAGE,
            "--ahead and --buffers are at most 1000, --seeds at most 1000000: give less");
    if (!(scenario->noise >= 0 && scenario->noise <= 10 && scenario->outlier_rate >= 0 &&
          scenario->outlier_rate <= 1 && scenario->outlier_factor > 0 &&
          scenario->slow_factor > 0 && scenario->slow_from_s >= 0 && scenario->lost_s >= 0 &&
          request->effort_s >= 0))
        return failure_set(failure, FAILURE_USAGE,
                           "--noise must be from 0 to 10, --outliers from 0 to 1, factors positive "
                           "and times not negative");
    if (request->joins && scenario->lost_worker >= 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--joins says when workers go, too: leave --lose out");
    return loads_check(request, failure);
}

static bool setting_find(const struct simulation_request *request, const struct profile *profile,
                         const struct plan *plan, const struct profile_setting **setting,
                         struct failure *failure)
{
    struct parameter_list wanted = {0};
    bool good = wanted_read(request->set, request->block, &wanted, failure) &&
                wanted_check(profile, request->path, &wanted, failure);
    if (good && plan && !parameter_list_merge(&wanted, &plan->parameters))
        good = failure_memory(failure, "choosing a setting");
    *setting = good ? profile_find(profile, &wanted, plan ? plan->threads : 0) : NULL;
    parameter_list_release(&wanted);
    return *setting ||
           failure_set(failure, FAILURE_MISMATCH,
                       "'%s' has no setting, or several, for these parameters: say which "
                       "by --set or --block, or take the profile that the plan was made "
                       "from",
                       request->path);
}

static bool request_usual(const struct simulation_request *request)
{
    const struct scenario *scenario = &request->scenario;
    return !loads_wanted(request) && !(scenario->noise > 0) && !(scenario->outlier_rate > 0) &&
           scenario->slow_workers == 0 && scenario->lost_worker < 0 && !scenario->copies &&
           !request->joins;
}

/* How many packages are simulated one by one: in one simulation, and in the simulations of all
 * seeds together; the others are summed up. */
enum { SIMULATED_MOST = 1000000, SIMULATED_SEEDS = 1000000, SIMULATED_LEAST = 4000 };

static int64_t simulated_of(int64_t seeds)
{
    const int64_t fit = SIMULATED_SEEDS / (seeds > 0 ? seeds : 1);
    return fit > SIMULATED_MOST ? SIMULATED_MOST : fit < SIMULATED_LEAST ? SIMULATED_LEAST : fit;
}

/* Load patterns with random parts: every run of an ensemble draws its own. */
struct patterns {
    struct simulated *simulated;
    struct failure *failure;
};

static bool patterns_draw(struct simulated *simulated, uint64_t seed, struct failure *failure)
{
    availability_release(&simulated->availability);
    return availability_patterns(&simulated->availability, simulated->platform.worker_count,
                                 simulated->request->patterns_s, seed, failure);
}

static void patterns_begin(void *self, int64_t run)
{
    const struct patterns *patterns = self;
    struct simulated *simulated = patterns->simulated;
    patterns_draw(simulated, simulated->request->scenario.seed + (uint64_t)run, patterns->failure);
}

/* Repeats the simulation with several seeds. */
static bool seeds_simulate(struct simulated *simulated, const struct decision *decision,
                           const struct scenario *asked, struct failure *failure)
{
    struct patterns patterns = {simulated, failure};
    const struct variation drawn = {.begin = patterns_begin, .self = &patterns};
    struct scenario scenario = *asked;
    scenario.simulated = simulated_of(simulated->request->seeds);
    if (simulated->request->patterns_s > 0)
        scenario.variation = &drawn;
    const struct ensemble_setup setup = {.platform = &simulated->platform,
                                         .decision = decision,
                                         .scenario = &scenario,
                                         .runs = simulated->request->seeds};
    return ensemble_study(&setup, &simulated->robustness, failure) && failure->code == FAILURE_NONE;
}

/* NULL: no trace is wanted. */
static struct trace *trace_of(struct simulated *simulated)
{
    const struct simulation_request *request = simulated->request;
    return request->packages || request->traced ? &simulated->trace : NULL;
}

static bool decision_simulate(struct simulated *simulated, const struct decision *decision,
                              const struct watching *watching, struct failure *failure)
{
    struct scenario scenario = simulated->request->scenario;
    scenario.simulated = SIMULATED_MOST;
    scenario.effort = &simulated->effort;
    if (loads_wanted(simulated->request))
        scenario.availability = &simulated->availability;
    if (simulated->request->joins)
        scenario.joins = &simulated->joins;
    struct dispatch *dispatch =
        decision_dispatch(decision, &simulated->platform, &scenario, failure);
    bool good = dispatch && simulate_scenario(&simulated->platform, dispatch, &scenario,
                                              trace_of(simulated), &simulated->simulation, failure);
    /* A recovering dispatch hides the one that it contains. */
    const struct dispatch *watch =
        good && watching && scenario.lost_worker < 0 && !scenario.copies && !scenario.joins
            ? watching_watch(watching, dispatch)
            : NULL;
    if (watch) {
        watching_tell(watch, 0, 0, &simulated->told);
        watching_json(watch, 0, 0, &simulated->listed);
    }
    if (good && scenario.copies) {
        dispatch_copied_tell(dispatch, &simulated->told);
        dispatch_copied_json(dispatch, 0, 0, &simulated->copied);
    }
    dispatch_free(&dispatch);
    simulated->has_robustness = simulated->request->seeds > 1;
    return good &&
           (!simulated->has_robustness || seeds_simulate(simulated, decision, &scenario, failure));
}

/* The tail that was asked for, else the plan's; NULL: none. */
static const char *tail_of(const struct simulation_request *request, const struct plan *plan)
{
    const char *tail = request->tail ? request->tail : plan->tail;
    return tail && strcmp(tail, WATCHING_NO_TAIL) != 0 ? tail : NULL;
}

static int ahead_of(const struct simulation_request *request, int usual)
{
    return request->ahead > 0 ? (int)request->ahead : usual;
}

static bool watched_simulate(struct simulated *simulated, const struct plan *plan,
                             const struct profile_setting *setting, struct failure *failure)
{
    const struct simulation_request *asked = simulated->request;
    const struct watching_request request = {.plan = plan,
                                             .setting = setting,
                                             .workers = asked->workers,
                                             .tolerance = asked->replan,
                                             .tail = tail_of(asked, plan),
                                             .ahead = ahead_of(asked, WATCHING_AHEAD),
                                             .noise = asked->scenario.noise,
                                             .effort = &simulated->effort};
    struct watching watching;
    if (!watching_init(&watching, &request, failure))
        return false;
    simulated->tasks = plan->tasks;
    simulated->tail = request.tail;
    simulated->tail_tasks = watching.tail.setup.tasks;
    const bool good = decision_simulate(simulated, &watching.decision, &watching, failure);
    watching_release(&watching);
    return good;
}

/* Repeats the simulation of several masters with several seeds. */
static bool stars_repeat(struct simulated *simulated, const struct stars_decided *decided,
                         const struct scenario *scenario, struct failure *failure)
{
    const struct decision plan = {.plan = decided->plan};
    const struct ensemble_setup setup = {.platform = &simulated->platform,
                                         .decision = &plan,
                                         .decisions = decided->decisions,
                                         .scenario = scenario,
                                         .runs = simulated->request->seeds};
    simulated->has_robustness = setup.runs > 1;
    return !simulated->has_robustness || ensemble_study(&setup, &simulated->robustness, failure);
}

/* Simulates several masters, side by side with core tasks that move between them, or in groups. */
static bool several_simulate(struct simulated *simulated, const struct stars_request *asked,
                             struct failure *failure)
{
    struct scenario scenario = simulated->request->scenario;
    struct stars_decided decided = {.plan = asked->watching.plan};
    struct stars_told told = {.lines = TEXT_INIT};
    scenario.effort = &simulated->effort;
    if (stars_decide(asked) && !stars_decided_init(&decided, asked, failure))
        return false;
    const bool good =
        stars_decided_simulate(&decided, &simulated->platform, &scenario, trace_of(simulated),
                               &told, &simulated->simulation, failure) &&
        stars_repeat(simulated, &decided, &scenario, failure);
    if (told.lines.length > 0)
        text_add(&simulated->told, "%s", told.lines.bytes);
    if (told.replanned)
        text_add(&simulated->listed, "%s", told.replanned);
    moves_tell(&told.moves, &simulated->told);
    moves_json(&told.moves, &simulated->moved);
    simulated->tail_tasks = stars_decided_tail(&decided);
    stars_told_release(&told);
    stars_decided_release(&decided);
    return good;
}

/* Simulates masters with what they decide by, besides their plans. */
static bool stars_simulate(struct simulated *simulated, const struct plan *plan,
                           const struct profile_setting *setting, struct failure *failure)
{
    const struct simulation_request *request = simulated->request;
    const struct stars_request asked = {
        .watching = {.plan = plan,
                     .setting = setting,
                     .workers = request->workers,
                     .tolerance = request->replan,
                     .tail = request->rule ? NULL : tail_of(request, plan),
                     .ahead = ahead_of(request, WATCHING_AHEAD),
                     .noise = request->scenario.noise,
                     .effort = &simulated->effort},
        .rule = request->rule};
    simulated->masters = plan_masters(plan);
    simulated->groups = plan->child_count;
    simulated->tasks = plan->tasks;
    simulated->tail = asked.watching.tail;
    return several_simulate(simulated, &asked, failure);
}

/* A plan with fractional loads can only be simulated without noise. */
static bool plan_simulate(struct simulated *simulated, const struct plan *plan,
                          struct failure *failure)
{
    const struct decision decision = {.plan = plan};
    simulated->masters = plan_masters(plan);
    simulated->groups = plan->child_count;
    const bool usual = request_usual(simulated->request);
    simulated->tasks = plan->tasks;
    if (!simulate_plan(&simulated->platform, plan, usual ? trace_of(simulated) : NULL,
                       &simulated->simulation, failure))
        return false;
    if (usual)
        return true;
    if (plan->real_valued)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the plan has fractional loads, which only the simulation without "
                           "disturbances can handle: plan again without --real-valued");
    const struct stars_request follows = {.watching = {.plan = plan}};
    return plan_is_several(plan) ? several_simulate(simulated, &follows, failure)
                                 : decision_simulate(simulated, &decision, NULL, failure);
}

/* A note of the rule, as a line of the table. */
static void rule_note(const struct dispatch_setup *setup, struct text *text)
{
    struct text note = TEXT_INIT;
    dispatch_rule_note(setup, &note);
    if (note.length > 0)
        text_add(text, "note        %s\n", note.bytes);
    text_release(&note);
}

/* Simulates a rule with so many core tasks. */
static bool rule_simulate(struct simulated *simulated, int64_t tasks, int ahead,
                          struct failure *failure)
{
    if (simulated->request->dca && results_return(simulated->platform.results))
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' says that results return to the master, and with --dca no master "
                           "takes them: leave it out",
                           simulated->request->path);
    if (simulated->request->dca)
        platform_leave_master_out(&simulated->platform);
    const struct simulation_request *request = simulated->request;
    struct dispatch_setup setup = {.rule = request->rule,
                                   .tasks = tasks,
                                   .workers = simulated->platform.worker_count,
                                   .closed = request->dca,
                                   .ahead = ahead};
    double *weights = dispatch_setup_platform(&setup, &simulated->platform);
    if (!weights)
        return failure_memory(failure, "simulating a rule");
    setup.deviation_s = request->scenario.noise / weights[0];
    rule_note(&setup, &simulated->told);
    const struct decision decision = {.setup = &setup};
    simulated->tasks = (double)tasks;
    bool good = decision_simulate(simulated, &decision, NULL, failure);
    free(weights);
    return good;
}

/* How far a plan's packages are sent ahead follows from buffers and watching: --ahead is for
 * rules. */
static bool ahead_check(const struct simulation_request *request, const struct plan *plan,
                        struct failure *failure)
{
    if (request->ahead == 0 || request->rule || tail_of(request, plan))
        return true;
    return failure_set(failure, FAILURE_USAGE,
                       "--ahead is for rules: add --tail RULE, or simulate one with -s RULE, or "
                       "leave it out (--buffers says how many packages a plan's workers receive "
                       "ahead)");
}

/* Checks what cannot be simulated with several masters. */
static bool masters_check(const struct simulated *simulated, const struct plan *plan,
                          struct failure *failure)
{
    const struct simulation_request *request = simulated->request;
    const int64_t lost = request->scenario.lost_worker;
    const bool decided = request->rule || request->replan || tail_of(request, plan);
    const bool usual = !decided && request_usual(request);
    if (!plan_is_several(plan))
        return true;
    if (lost >= 0 && plan_has_master(plan, lost + 1))
        return failure_set(failure, FAILURE_USAGE,
                           "rank %" PRId64 " is a master, and --lose is for workers: give the rank "
                           "of one that computes",
                           lost + 1);
    return (!request->dca && !loads_wanted(request) && !request->joins &&
            (usual || !loop_needs_events(&simulated->platform))) ||
           failure_set(failure, FAILURE_USAGE,
                       "the plan has several masters, which are simulated with noise, outliers, "
                       "slow and lost workers in the single-port model: leave --dca, --loads, "
                       "--load-patterns and --joins out");
}

/* Simulates the plan if one is given, else the rule. */
static bool either_simulate(struct simulated *simulated, const struct plan *plan,
                            const struct profile_setting *setting, struct failure *failure)
{
    const struct simulation_request *request = simulated->request;
    const struct scenario *scenario = &request->scenario;
    const int64_t workers = simulated->platform.worker_count;
    if (scenario->slow_workers > workers || scenario->lost_worker >= workers)
        return failure_set(failure, FAILURE_USAGE,
                           "--slow and --lose name more workers than the %" PRId64
                           " there are: name fewer, or simulate more with -n",
                           workers);
    if (!plan)
        return rule_simulate(simulated, request->tasks, ahead_of(request, 1), failure);
    if (!ahead_check(request, plan, failure) || !masters_check(simulated, plan, failure))
        return false;
    const bool decided = request->rule || request->replan || tail_of(request, plan);
    if (decided && plan_is_several(plan))
        return stars_simulate(simulated, plan, setting, failure);
    if (request->rule)
        return rule_simulate(simulated, (int64_t)plan->tasks, ahead_of(request, WATCHING_AHEAD),
                             failure);
    return decided ? watched_simulate(simulated, plan, setting, failure)
                   : plan_simulate(simulated, plan, failure);
}

/* Reads which workers come and go; they must exist. */
static bool joins_find(struct simulated *simulated, struct failure *failure)
{
    const char *path = simulated->request->joins;
    struct joins *joins = &simulated->joins;
    const int64_t workers = simulated->platform.worker_count;
    if (!path)
        return true;
    if (simulated->platform.operating != OPERATING_SINGLE_PORT ||
        simulated->platform.results == RESULTS_END)
        return failure_set(failure, FAILURE_USAGE,
                           "--joins is for the single-port model, and for results that workers "
                           "write or return with each package: take another profile or plan");
    if (!joins_read(joins, path, failure))
        return false;
    const int64_t last = joins->spans[joins->span_count - 1].worker;
    if (last >= workers)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: names worker %" PRId64 ", and there are %" PRId64
                           ": simulate more (-n)",
                           path, last + 1, workers);
    return joins_settle(joins, workers) || failure_memory(failure, "reading who is there when");
}

static bool loads_find(struct simulated *simulated, const struct profile_setting *setting,
                       struct failure *failure)
{
    const struct simulation_request *request = simulated->request;
    const int64_t workers = simulated->platform.worker_count;
    if (request->loads)
        return availability_read(&simulated->availability, request->loads, failure) &&
               availability_place(&simulated->availability, setting, workers, failure);
    if (request->patterns_s * (double)workers > PATTERNS_MOST)
        return failure_set(failure, FAILURE_USAGE,
                           "--load-patterns is too long for %" PRId64
                           " workers: seconds times workers are at most %g",
                           workers, PATTERNS_MOST);
    return !(request->patterns_s > 0) || patterns_draw(simulated, request->scenario.seed, failure);
}

/* Where loads are given, they say what others take of the processors, in place of what the plan
 * expected. Core tasks differ by weights, or by the profile's regions. */
static bool machine_init(struct simulated *simulated, struct profile *profile,
                         const struct plan *plan, const struct profile_setting *setting,
                         struct failure *failure)
{
    const struct simulation_request *request = simulated->request;
    const bool apart = plan && profile->shared && loads_wanted(request);
    if (apart)
        shared_undo(profile, plan);
    struct platform *platform = &simulated->platform;
    const double tasks = plan ? plan->tasks : (double)request->tasks;
    const bool good = platform_init(platform, setting, request->workers, failure);
    if (apart)
        shared_again(profile, plan);
    if (!good || platform_map(platform, setting, tasks, failure))
        return good;
    platform_release(platform);
    return false;
}

bool simulated_make(struct profile *profile, const struct plan *plan,
                    const struct simulation_request *request, struct simulated *simulated,
                    struct failure *failure)
{
    const double effort_s = request->effort_s > 0 ? request->effort_s : SIMULATION_EFFORT_S;
    struct simulated made = {.request = request, .effort = {effort_s * EFFORT_SECOND}};
    const struct profile_setting *setting;
    if (plan && plan->operating != OPERATING_SINGLE_PORT)
        profile_operate(profile, plan->operating);
    if (!simulation_request_check(request, plan != NULL, failure) ||
        !wanted_model(profile, request->model, failure) ||
        (plan && !beyond_follow(profile, plan, failure)) ||
        !beyond_extend(profile, request->workers, 0, failure) ||
        !setting_find(request, profile, plan, &setting, failure))
        return false;
    if (request->weights &&
        !weights_measured(request->weights, &profile->weights, request->path, failure))
        return false;
    profile_weigh(profile, plan ? plan->weights : request->weights);
    if (!machine_init(&made, profile, plan, setting, failure))
        return false;
    made.beyond = beyond_of(profile, made.platform.worker_count);
    if (plan)
        made.platform.buffers = plan_buffers(plan);
    if (request->buffers > 0)
        made.platform.buffers = (int)request->buffers;
    const bool good = loads_find(&made, setting, failure) && joins_find(&made, failure) &&
                      either_simulate(&made, plan, setting, failure);
    if (good)
        *simulated = made;
    else
        simulated_release(&made);
    return good;
}

void simulated_release(struct simulated *simulated)
{
    trace_release(&simulated->trace);
    text_release(&simulated->told);
    text_release(&simulated->listed);
    text_release(&simulated->copied);
    text_release(&simulated->moved);
    availability_release(&simulated->availability);
    joins_release(&simulated->joins);
    platform_release(&simulated->platform);
}

struct member {
    const char *key;
    double value;
};

static void members_json(const struct member *members, size_t count, struct json_text *json)
{
    for (size_t k = 0; k < count; k++)
        json_number(json, members[k].key, members[k].value);
}

/* Writes [worker, core tasks] for every package, in the order of sending. */
static void packages_json(const struct trace *trace, struct json_text *json)
{
    struct json_text sent = json_open_in(json, "sent", "[", ", ");
    for (size_t k = 0; k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        if (event->operation != OPERATION_COMPUTE)
            continue;
        struct json_text package = json_open_in(&sent, NULL, "[", ", ");
        json_count(&package, NULL, event->rank - 1);
        json_count(&package, NULL, event->tasks);
        json_close(&package, "]");
    }
    json_close(&sent, "]");
}

void simulated_json(const struct simulated *simulated, struct text *text)
{
    const struct simulation *simulation = &simulated->simulation;
    double ideal_s = platform_ideal(&simulated->platform, simulated->tasks);
    const struct member members[] = {
        {"makespan_s", simulation->makespan_s},
        {"ideal_s", ideal_s},
        {"over_ideal", ratio(simulation->makespan_s, ideal_s)},
        {"workers", (double)simulation->workers_used},
        {"packages", (double)simulation->packages},
        {"worker_busy_share", ratio(simulation->worker_busy_s, workers_time(simulation))},
        {"network_utilization", ratio(network_busy(simulation), simulation->makespan_s)},
        {"master_busy_s", simulation->master_busy_s},
        {"port_busy_s", simulation->port_busy_s},
        {"worker_busy_s", simulation->worker_busy_s},
        {"output_s", simulation->output_s},
        {"idle_first_s", simulation->idle_first_s},
        {"idle_between_s", simulation->idle_between_s},
        {"idle_last_s", simulation->idle_last_s},
        {"earliest_end_s", simulation->earliest_end_s},
        {"latest_end_s", simulation->latest_end_s},
        {"end_variation", simulation->end_variation}};
    const struct member spread[] = {{"seeds", (double)simulated->request->seeds},
                                    {"least_s", simulated->robustness.least_s},
                                    {"median_s", simulated->robustness.median_s},
                                    {"p95_s", simulated->robustness.p95_s},
                                    {"greatest_s", simulated->robustness.greatest_s}};
    struct json_text json = json_open(text, "{", ", ");
    json_word(&json, "schema", "scow-simulation-1");
    members_json(members, sizeof members / sizeof *members, &json);
    if (simulated->has_robustness)
        members_json(spread, sizeof spread / sizeof *spread, &json);
    if (simulated->masters > 1)
        json_count(&json, "masters", (int64_t)simulated->masters);
    if (simulated->groups > 0)
        json_count(&json, "groups", (int64_t)simulated->groups);
    if (simulated->tail)
        json_count(&json, "tail_tasks", simulated->tail_tasks);
    if (simulated->listed.bytes)
        json_raw(&json, "replanned", simulated->listed.bytes);
    if (simulated->moved.bytes)
        json_raw(&json, "moved", simulated->moved.bytes);
    if (simulated->copied.bytes)
        json_raw(&json, "copied", simulated->copied.bytes);
    if (simulated->request->packages)
        packages_json(&simulated->trace, &json);
    json_close(&json, "}\n");
}
