#include "planner/studies/planning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/nearest.h"
#include "planner/model/beyond.h"
#include "planner/model/plan_cursor.h"
#include "planner/model/selection.h"
#include "planner/replan/stars_decided.h"
#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/bounds/bound_unequal.h"
#include "planner/schedulers/scheduler.h"
#include "planner/schedulers/search/cut.h"
#include "planner/studies/master_share.h"
#include "planner/studies/stars_tail.h"

/* The rules that may assign the end of a plan whose core tasks are unequal. Plain factoring, by 2,
 * assigns half of what is left in each batch; but each worker also has a package beside the one it
 * works on, which nobody can take back, so that too much would be promised: factoring by 3 assigns
 * less. */
static const char *const tails_unequal[] = {"fac,part=3", "awf-c"};
/* The second rule looks at all workers for every package: it is not tried with more workers than
 * this. */
enum { TAIL_WEIGHED = 1, WEIGHED_MOST = 256 };
static const double tail_gain_least = 0.005;

bool planning_check_scheduler(const char *name, struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    size_t count = 0;
    const struct scheduler *list = scheduler_list(&count);
    if (strcmp(name, SCHEDULER_AUTO) == 0 || scheduler_find(name))
        return true;
    nearest_try(&nearest, SCHEDULER_AUTO);
    for (size_t k = 0; k < count; k++)
        nearest_try(&nearest, list[k].name);
    return failure_set(failure, FAILURE_USAGE, "unknown scheduler '%.60s': %s", name,
                       nearest_hint(&nearest, "", "'scow plan --help' lists them", hint));
}

/* `what` is borrowed, and must be static. */
static void omission_add(const struct planning *planning, const char *what,
                         enum schedule_omission why)
{
    struct schedule_omissions *omissions = planning->omissions;
    if (!omissions || omissions->count == SCHEDULERS_MOST)
        return;
    omissions->items[omissions->count].scheduler = what;
    omissions->items[omissions->count++].why = why;
}

bool planning_note_beyond(const struct planning *planning, int64_t workers, struct plan *plan,
                          struct failure *failure)
{
    const struct plan_beyond beyond = beyond_of(planning->profile, workers);
    plan->beyond = beyond;
    plan->beyond.name = beyond.name ? strdup(beyond.name) : NULL;
    return plan->beyond.name || !beyond.name || failure_memory(failure, "making a plan");
}

/* A plan says that results return even where the profile implies it by having their costs. */
static bool results_label(const struct planning *planning, struct plan *plan)
{
    const enum results results = platform_returns(planning->setting);
    return !results_return(results) || plan_returns(plan) == results ||
           parameter_list_add(&plan->parameters, RESULTS_PARAMETER, results_name(results), 0);
}

bool planning_is_placeless(const struct planning *planning)
{
    return planning->remaining && !profile_setting_weighed(planning->setting);
}

/* Adds the packages of one master, in their order, as regions of their mean weight to `made`. */
static void packages_add(const struct work *work, const struct plan *plan, struct work *made)
{
    struct plan_cursor cursor = PLAN_CURSOR(plan);
    while (plan_cursor_next(&cursor))
        made->regions[made->region_count++] = (struct work_region){
            .tasks = (int64_t)cursor.load,
            .cost = work_mean_cost(work, (double)work->tasks, cursor.first, cursor.load)};
}

/* Regions that are the packages of all masters side by side, so that every package costs what it
 * did. */
static bool work_of_packages(const struct work *work, const struct plan *plan, struct work *made)
{
    *made = (struct work){.tasks = work->tasks};
    made->regions = calloc((size_t)plan_packages(plan), sizeof *made->regions);
    if (!made->regions)
        return false;
    for (size_t k = 0; k < plan->star_count; k++)
        packages_add(work, &plan->stars[k], made);
    if (plan->star_count == 0)
        packages_add(work, plan, made);
    return work_settle(made);
}

/* Reduces regions to as many as a plan keeps. Where packages are too many to be regions, regions of
 * about equal numbers of core tasks are made. */
static bool work_shorten(struct work *work, const struct plan *plan)
{
    struct work made;
    if (work->region_count <= WEIGHTS_REGIONS_KEPT)
        return true;
    if (plan_packages(plan) > CUT_PACKAGES_MOST)
        return work_coarsen(work, CUT_PACKAGES_MOST);
    if (plan->child_count > 0) /* packages of groups are in an order of their own */
        return work_coarsen(work, WEIGHTS_REGIONS_KEPT);
    if (!work_of_packages(work, plan, &made)) {
        work_release(&made);
        return false;
    }
    work_release(work);
    *work = made;
    work_share(work);
    return true;
}

/* The plan gets its own copy of the weights. */
bool planning_note_weights(const struct planning *planning, struct plan *plan)
{
    const struct task_weights *weights = planning->setting->weights;
    if (!weights || plan->real_valued || planning_is_placeless(planning))
        return true;
    plan->weights = weights_copy(weights);
    return plan->weights && work_shorten(&plan->weights->work, plan) &&
           (!plan->weights->bytes || work_shorten(&plan->weights->bytes->work, plan));
}

/* Adds to the plan everything that a scheduler does not know. */
bool planning_label(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    const struct profile *profile = planning->profile;
    plan->threads = planning->setting->threads;
    plan->operating = planning->setting->operating;
    plan->buffers = planning->buffers;
    plan->production = planning->production;
    plan->kernel = strdup(profile->kernel);
    if (planning->path)
        plan->profile = strdup(planning->path);
    if (planning->digest)
        plan->profile_sha256 = strdup(planning->digest);
    if (!plan->scheduler)
        plan->scheduler = strdup(planning->scheduler);
    if (profile->plugin)
        plan->plugin = strdup(profile->plugin);
    if (profile->plugin_sha256)
        plan->plugin_sha256 = strdup(profile->plugin_sha256);
    if (!plan->kernel || !plan->scheduler || (planning->path && !plan->profile) ||
        (planning->digest && !plan->profile_sha256) || (profile->plugin && !plan->plugin) ||
        (profile->plugin_sha256 && !plan->plugin_sha256) ||
        !parameter_list_copy(&plan->parameters, &profile->parameters) ||
        !parameter_list_merge(&plan->parameters, &planning->setting->parameters) ||
        !results_label(planning, plan))
        return failure_memory(failure, "making a plan");
    return true;
}

bool planning_platform(const struct planning *planning, struct platform *platform,
                       struct failure *failure)
{
    if (!platform_init(platform, planning->setting, planning->workers, failure))
        return false;
    if (planning->buffers > 0)
        platform->buffers = planning->buffers;
    return true;
}

bool planning_platform_placed(const struct planning *planning, struct platform *platform,
                              struct failure *failure)
{
    if (!planning_platform(planning, platform, failure))
        return false;
    if (planning_is_placeless(planning) ||
        platform_map(platform, planning->setting, planning->tasks, failure))
        return true;
    platform_release(platform);
    return false;
}

/* Predicts by simulation, where the end is assigned on request or core tasks differ along the job.
 * The periods that the scheduler found stay. */
void planning_predict(const struct simulation *simulation, struct plan_prediction *predicted)
{
    const double makespan_s = simulation->makespan_s;
    const double network_s = fmax(simulation->port_busy_s, simulation->master_busy_s);
    const double workers_s = makespan_s * (double)simulation->workers_used;
    predicted->makespan_s = makespan_s;
    predicted->worker_busy_share = workers_s > 0 ? simulation->worker_busy_s / workers_s : 0;
    predicted->network_utilization = makespan_s > 0 ? fmin(network_s / makespan_s, 1) : 0;
    predicted->gap = predicted->lower_bound_s > 0 ? makespan_s / predicted->lower_bound_s - 1 : 0;
    predicted->output_s = simulation->output_s;
}

bool planning_chosen(const struct planning *planning, const struct plan_selection *selection,
                     struct platform *platform, struct failure *failure)
{
    struct profile_setting setting;
    struct planning own = *planning;
    if (!selection_setting(planning->setting, selection, &setting))
        return failure_memory(failure, "planning for a part of the workers");
    own.setting = &setting;
    own.workers = 0;
    const bool good = planning_platform(&own, platform, failure);
    selection_setting_release(&setting);
    return good;
}

bool planning_neighbours(const struct planning *planning, int64_t first, int64_t last,
                         struct platform *platform, struct failure *failure)
{
    struct plan_run run = {first, last};
    return planning_chosen(planning, &(const struct plan_selection){&run, 1}, platform, failure);
}

struct watching_request planning_watching(const struct planning *planning, const char *tail,
                                          const struct plan *plan)
{
    return (struct watching_request){.plan = plan,
                                     .setting = planning->setting,
                                     .workers = planning->workers,
                                     .tail = tail,
                                     .ahead = WATCHING_AHEAD};
}

bool planning_simulate(const struct planning *planning, const struct plan *plan,
                       struct trace *trace, struct simulation *simulation, struct failure *failure)
{
    const struct stars_request request = {.watching =
                                              planning_watching(planning, plan->tail, plan)};
    struct platform platform;
    if (plan->tail)
        return plan_is_several(plan)
                   ? stars_expect(&request, trace, simulation, failure)
                   : watching_simulate(&request.watching, trace, simulation, failure);
    if (!planning_platform(planning, &platform, failure))
        return false;
    const bool good = (planning_is_placeless(planning) ||
                       platform_map(&platform, planning->setting, plan->tasks, failure)) &&
                      simulate_plan(&platform, plan, trace, simulation, failure);
    platform_release(&platform);
    return good;
}

bool planning_tail(const struct planning *planning, const char *tail, struct plan *plan,
                   struct failure *failure)
{
    struct simulation simulation;
    plan->tail = strdup(tail);
    if (!plan->tail)
        return failure_memory(failure, "making a plan");
    if (!planning_simulate(planning, plan, NULL, &simulation, failure))
        return false;
    planning_predict(&simulation, &plan->predicted);
    return true;
}

size_t planning_regions(const struct planning *planning)
{
    const struct work *bytes = profile_setting_bytes(planning->setting);
    const size_t regions = profile_setting_regions(planning->setting);
    if (planning_is_placeless(planning))
        return 0;
    return bytes && bytes->region_count > regions ? bytes->region_count : regions;
}

/* Are differences between core tasks larger than what is known of them may be off, or do the bytes
 * differ that are sent of them? */
static bool work_known(const struct planning *planning)
{
    const struct profile_setting *setting = planning->setting;
    const double error = profile_setting_weighed(setting) ? 0 : setting->map.error;
    const struct task_weights *bytes = setting->weights ? setting->weights->bytes : NULL;
    return profile_setting_known(setting) > error || (bytes && bytes->deviation > 0);
}

bool planning_is_weighed(const struct planning *planning)
{
    return planning->setting->weights && !planning_is_placeless(planning) && work_known(planning);
}

/* Makes the packages of the plan's rounds equal in weight in place of number, where that takes less
 * time; `platform` has the work. */
static bool plan_cut(const struct planning *planning, const struct platform *platform,
                     struct plan *plan, struct simulation *simulation, struct failure *failure)
{
    static const double SHARE = 0.03;
    const double second = planning->effort_s > 0 ? planning->effort_s : PLANNING_EFFORT_S;
    struct effort effort = {SHARE * second * EFFORT_SECOND};
    struct simulation weighed;
    struct plan cut;
    bool possible = false;
    if (!work_known(planning))
        return true;
    if (!packages_cut(platform, plan, &cut, &possible, failure))
        return false;
    if (!possible)
        return true;
    const bool good = packages_improve(platform, &cut, &effort, failure) &&
                      simulate_plan(platform, &cut, NULL, &weighed, failure);
    if (good && weighed.makespan_s < simulation->makespan_s) {
        plan_take_rounds(plan, &cut);
        *simulation = weighed;
    }
    plan_release(&cut);
    return good;
}

/* The scheduler planned only what is left to the workers: adds the master's part. */
static void master_note(const struct planning *planning, struct plan *plan)
{
    if (!(planning->master_tasks > 0))
        return;
    plan->tasks += planning->master_tasks;
    plan->own =
        (struct plan_master){planning->master_tasks, profile_setting_master_s(planning->setting)};
}

static bool bound_find(const struct planning *planning, const struct platform *platform,
                       struct plan *plan, struct failure *failure)
{
    const struct master_bound asked = {.bound = planning_regions(planning) > 0 ? bound_unequal
                                                                               : bound_makespan,
                                       .platform = platform,
                                       .tasks = plan->tasks,
                                       .task_s = plan->own.task_s,
                                       .real_valued = plan->real_valued};
    return master_bound(&asked, &plan->predicted.lower_bound_s, failure);
}

bool planning_apply_map(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    struct platform platform;
    struct simulation simulation;
    const bool mapped = planning_regions(planning) > 0;
    master_note(planning, plan);
    if (!mapped && !(plan->own.tasks > 0))
        return true;
    if (!planning_platform(planning, &platform, failure))
        return false;
    const bool good =
        (!mapped || platform_map(&platform, planning->setting, plan->tasks, failure)) &&
        simulate_plan(&platform, plan, NULL, &simulation, failure) &&
        (plan->own.tasks > 0 || plan_cut(planning, &platform, plan, &simulation, failure)) &&
        bound_find(planning, &platform, plan, failure);
    platform_release(&platform);
    if (good)
        planning_predict(&simulation, &plan->predicted);
    return good;
}

bool planning_apply_map_all(const struct planning *planning, struct schedule_set *set,
                            struct failure *failure)
{
    bool good = true;
    for (size_t k = 0; good && k < set->count; k++)
        good =
            !set->entries[k].made || planning_apply_map(planning, &set->entries[k].plan, failure);
    return good;
}

/* A rule for the tail, its best share of the tasks, and what that gains, relative; 0: nothing would
 * be assigned. */
struct end_choice {
    const char *rule;
    double share, gain;
};

static bool stars_gain(const struct planning *planning, const char *tail, const struct plan *plan,
                       struct end_choice *choice, struct failure *failure)
{
    struct stars_tail found;
    if (!stars_tail_find(planning, plan, tail, &found, failure))
        return false;
    *choice = (struct end_choice){tail, found.share, found.gain};
    return true;
}

static bool tail_gain(const struct planning *planning, const char *tail, const struct plan *plan,
                      struct end_choice *choice, struct failure *failure)
{
    const struct watching_request request = planning_watching(planning, tail, plan);
    struct watching watching;
    if (plan_is_several(plan))
        return stars_gain(planning, tail, plan, choice, failure);
    if (!watching_init(&watching, &request, failure))
        return false;
    choice->rule = tail;
    choice->share = watching.tail.share;
    choice->gain = watching.tail.setup.tasks > 0 ? watching.tail.gain : 0;
    watching_release(&watching);
    return true;
}

/* Is enough effort left to look for tails? Simulating a package with noise costs as much as
 * evaluating several. */
static bool tail_afford(const struct planning *planning, const struct plan *plan, int64_t workers)
{
    static const double UNITS = 8, SHARE = 0.5;
    const double packages =
        plan_is_several(plan) ? stars_tail_effort(plan, workers) : plan_tail_effort(workers);
    return !(planning->effort_s > 0) ||
           UNITS * packages <= SHARE * planning->effort_s * EFFORT_SECOND;
}

/* Adds the tail with its share, so that the run does not search for it again and assigns what was
 * predicted. */
static bool end_add(const struct planning *planning, const struct end_choice *choice,
                    struct plan *plan, struct failure *failure)
{
    char tail[64];
    snprintf(tail, sizeof tail, "%s:%.10g%%", choice->rule, 100 * choice->share);
    return planning_tail(planning, tail, plan, failure);
}

/* The relative deviation of the time that a worker takes for all its packages: by its speed, and by
 * the deviations of single packages of that size. */
static double ends_deviation(const struct profile_setting *setting, const struct plan *plan)
{
    const double usual = plan_largest_load(plan),
                 packages = (double)plan_rounds_total(plan) / (double)plan_masters(plan);
    return hypot(profile_speed_deviation(setting, usual),
                 profile_timing_deviation(setting, usual) / sqrt(fmax(packages, 1)));
}

bool planning_tail_unequal(const struct planning *planning, struct plan *plan,
                           struct failure *failure)
{
    struct end_choice best = {.rule = NULL, .gain = tail_gain_least};
    if (profile_setting_unequal(planning->setting, 1) <= PLANNING_UNEQUAL &&
        ends_deviation(planning->setting, plan) <= PLANNING_ENDS_UNSURE)
        return true;
    const int64_t workers = profile_workers(&planning->setting->windows[0]);
    if (!tail_afford(planning, plan, workers)) {
        omission_add(planning, "an end on request", SCHEDULE_NO_EFFORT);
        return true;
    }
    for (size_t k = 0; k <= (workers <= WEIGHED_MOST ? TAIL_WEIGHED : 0); k++) {
        struct end_choice choice;
        if (!tail_gain(planning, tails_unequal[k], plan, &choice, failure))
            return false;
        if (choice.gain >= best.gain)
            best = choice;
    }
    return !best.rule || end_add(planning, &best, plan, failure);
}

void planning_omissions(const struct schedule_omissions *omissions, double effort_s,
                        struct text *text)
{
    static const struct {
        enum schedule_omission why;
        const char *what;
        bool effort;
    } lines[] = {{SCHEDULE_CUT_SHORT, "cut short   ", true},
                 {SCHEDULE_NO_EFFORT, "left out    ", true},
                 {SCHEDULE_NO_GAIN, "left out    ", false}};
    for (size_t line = 0; line < sizeof lines / sizeof *lines; line++) {
        const char *before = lines[line].what;
        for (size_t k = 0; k < omissions->count; k++) {
            if (omissions->items[k].why != lines[line].why)
                continue;
            text_add(text, "%s%s", before, omissions->items[k].scheduler);
            before = ", ";
        }
        if (before == lines[line].what)
            continue;
        if (lines[line].effort)
            text_add(text, ": the effort of %.3g s was used up, --effort allows more\n", effort_s);
        else
            text_add(text, ": no plan can be better than this one by more than 0.001 %%\n");
    }
}

bool planning_check_total(const struct plan *plan, struct failure *failure)
{
    const double makespan_s = plan->predicted.makespan_s;
    return makespan_s <= LIMIT_TOTAL_S ||
           failure_set(failure, FAILURE_INFEASIBLE,
                       "the plan would take %.3g s, and none may take more than %.0e s: check the "
                       "profile's costs and the number of core tasks",
                       makespan_s, LIMIT_TOTAL_S);
}

static double planning_within(const struct planning *planning)
{
    return planning->within > 0 ? planning->within : planning->within < 0 ? 0 : SCHEDULE_WITHIN;
}

/* The best plan of all schedulers, after each is simulated as it would be run. */
static bool best_make(const struct planning *planning, const struct schedule_request *request,
                      struct plan *plan, struct failure *failure)
{
    struct schedule_set set = {.count = 0};
    const bool good =
        schedule_set_make(request, &set, failure) &&
        planning_apply_map_all(planning, &set, failure) &&
        schedule_set_take(&set, planning_within(planning), plan, planning->omissions, failure);
    schedule_set_release(&set);
    return good;
}

bool planning_make(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    if (planning->master_computes)
        return master_share_make(planning, plan, failure);
    struct platform platform;
    struct plan made = {0};
    if (!planning_platform(planning, &platform, failure))
        return false;
    const struct scheduler *scheduler = scheduler_find(planning->scheduler);
    const bool limited = planning->effort_s > 0;
    const double second = EFFORT_SECOND * (scheduler ? PLANNING_EFFORT_NAMED : 1);
    struct effort effort = {planning->effort_s * second};
    const struct schedule_request request = {.platform = &platform,
                                             .tasks = planning->tasks - planning->master_tasks,
                                             .production = planning->production,
                                             .real_valued = planning->real_valued,
                                             .effort = limited ? &effort : NULL};
    bool good = scheduler ? scheduler_make(scheduler, &request, &made, failure) &&
                                planning_apply_map(planning, &made, failure)
                          : best_make(planning, &request, &made, failure);
    if (good && scheduler && effort_spent(request.effort))
        omission_add(planning, scheduler->name, SCHEDULE_CUT_SHORT);
    good = good && planning_check_total(&made, failure) &&
           planning_label(planning, &made, failure) &&
           planning_note_beyond(planning, platform.worker_count, &made, failure) &&
           (planning_note_weights(planning, &made) || failure_memory(failure, "making a plan")) &&
           (!planning->tail || planning_tail(planning, planning->tail, &made, failure));
    if (planning->used_s && limited)
        *planning->used_s += planning->effort_s - effort.left / second;
    platform_release(&platform);
    if (good)
        *plan = made;
    else
        plan_release(&made);
    return good;
}
