#include "planner/library/planned.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "planner/library/expected_levels.h"
#include "planner/library/request.h"
#include "planner/library/wanted.h"
#include "planner/model/beyond.h"
#include "planner/model/order.h"
#include "planner/model/plan.h"
#include "planner/model/platform.h"
#include "planner/model/shared.h"
#include "planner/studies/charge.h"
#include "planner/studies/choice.h"
#include "planner/studies/left_out.h"
#include "planner/studies/masters.h"
#include "planner/studies/planning.h"
#include "planner/studies/several.h"
#include "planner/studies/shares.h"
#include "planner/studies/sweep.h"
#include "planner/studies/trees.h"

/* ---- choice -------------------------------------------------------------------------------- */

/* Finds the best of a profile's settings for a job, by making a plan for each wanted one. */

/* The core tasks of the job with the setting's parameters. */
static bool tasks_count(const struct plan_request *request, const struct profile *profile,
                        const struct profile_setting *setting, int64_t *tasks,
                        struct failure *failure)
{
    *tasks = request->tasks;
    return request->tasks > 0 || request->count(request->context, profile, setting, tasks, failure);
}

/* How many settings are to be tried. */
static size_t settings_wanted(const struct profile *profile, const struct parameter_list *wanted)
{
    size_t count = 0;
    for (size_t k = 0; k < profile->setting_count; k++)
        count += profile_setting_suits(&profile->settings[k], wanted);
    return count;
}

/* Does `list` agree with `part` in all parameters that say what the job is? Others say only how it
 * is done. */
static bool job_has(const struct parameter_list *list, const struct parameter_list *part)
{
    for (size_t k = 0; k < part->count; k++) {
        const struct parameter *item = &part->items[k];
        const struct parameter *own = parameter_list_find(list, item->name);
        if (strcmp(item->name, PLATFORM_WRITE_BEHIND) != 0 && strcmp(item->name, "staged") != 0 &&
            strcmp(item->name, ORDER_PARAMETER) != 0 && !(own && parameter_equal(own, item)))
            return false;
    }
    return true;
}

/* Do all wanted settings do the same job, and differ only in how it is done or in threads? */
static bool settings_alike(const struct profile *profile, const struct parameter_list *wanted)
{
    const struct profile_setting *first = NULL;
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        if (!profile_setting_suits(setting, wanted))
            continue;
        if (first && !(job_has(&first->parameters, &setting->parameters) &&
                       job_has(&setting->parameters, &first->parameters)))
            return false;
        first = setting;
    }
    return true;
}

static bool settings_check(const struct plan_request *request, const struct profile *profile,
                           const struct parameter_list *wanted, struct failure *failure)
{
    const size_t count = settings_wanted(profile, wanted);
    if (count == 0 && request->block > 0 && !request->set)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' has no setting for blocks of %" PRId64
                           ": calibrate with --blocks %" PRId64 ", or choose another",
                           request->path, request->block, request->block);
    if (count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' has no setting with these parameters: 'scow show %s' lists them",
                           request->path, request->path);
    if (request->tasks > 0 && !settings_alike(profile, wanted))
        return failure_set(
            failure, FAILURE_USAGE,
            "'%s' has several settings, and how many core tasks a job has may depend "
            "on that: with -X say which by --block or --set",
            request->path);
    return true;
}

static struct worker_wish wish_of(const struct plan_request *request)
{
    const double within = plan_request_within(request);
    return (struct worker_wish){.objective = plan_request_objective(request),
                                .kinds = {request->require, request->exclude, request->at_most},
                                .deadline_s = request->deadline_s,
                                .budget = request->budget > 0 ? request->budget : -1,
                                .waits = request->waits,
                                .within = within > 0 ? within : 0,
                                .front = request->front};
}

/* With a deadline the plan with the fewest workers is best, else the one with the least
 * makespan. */
static bool plan_better(const struct plan_request *request, const struct plan *plan,
                        const struct plan *than)
{
    int64_t workers = plan_workers_used(plan), than_workers = plan_workers_used(than);
    if (request->deadline_s > 0 && workers != than_workers)
        return workers < than_workers;
    return plan->predicted.makespan_s < than->predicted.makespan_s;
}

/* Weights belong to core tasks in their natural order: refuses other orders. */
static bool order_allows(const struct profile *profile, const struct plan_request *request,
                         struct failure *failure)
{
    const struct parameter *common = parameter_list_find(&profile->parameters, ORDER_PARAMETER);
    bool differs = false;
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct parameter *own =
            parameter_list_find(&profile->settings[k].parameters, ORDER_PARAMETER);
        const struct parameter *said = own ? own : common;
        struct order order = {.kind = ORDER_NATURAL};
        if (said && said->word && order_parse(said->word, &order))
            differs = differs || order_differs(&order);
    }
    return !request->weights || !differs ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: was calibrated for packages that take core tasks in another order, so "
                       "that they are alike: leave weights out, or calibrate without --order",
                       request->path ? request->path : "the profile");
}

/* Costs that were measured with weights are valid only for core tasks with these weights. */
static bool weights_known(const struct profile *profile, const struct plan_request *request,
                          struct failure *failure)
{
    const struct weights_name *measured = &profile->weights;
    const struct task_weights *weights = request->weights;
    const char *path = request->path ? request->path : "the profile";
    if (weights)
        return weights_measured(weights, measured, path, failure);
    return !measured->sha256 || failure_set(failure, FAILURE_MISMATCH,
                                            "%s: was calibrated with the weights of %" PRId64
                                            " core tasks (%s): plan with the same ones",
                                            path, measured->tasks, measured->source);
}

static bool weights_check(const struct plan_request *request, int64_t tasks,
                          struct failure *failure)
{
    return !request->weights || weights_match(request->weights, tasks, failure);
}

/* The best plan so far; found false: there is none, and *refused says why. */
struct choice {
    struct planning planning;
    struct plan plan; /* owned */
    bool found;
    struct plan_other *others; /* owned; of every setting with a plan, including the best */
    size_t other_count, best;  /* the best setting's index in them */
    struct schedule_omissions omissions; /* of the best plan */
    struct worker_choice chosen;         /* owned; of the best plan, where workers are chosen */
    struct failure refused;
};

/* The plan for one setting and, where workers are chosen, the choice that it comes from. */
static bool setting_plan(const struct plan_request *request, const struct planning *planning,
                         struct plan *plan, struct worker_choice *chosen, struct failure *failure)
{
    const struct worker_wish wish = wish_of(request);
    *chosen = (struct worker_choice){.candidates = NULL};
    if (request->masters != 0)
        return masters_make(planning, request->masters, plan, failure);
    if (request->grouping)
        return trees_make_of(planning, request->grouping, request->grouping_path, plan, failure);
    if (request->tree != 0)
        return trees_make(planning, request->tree, plan, failure);
    if (!plan_request_chooses(request))
        return request->deadline_s > 0
                   ? sweep_deadline(planning, request->deadline_s, plan, failure)
                   : planning_make(planning, plan, failure);
    if (!worker_choice_make(planning, &wish, chosen, failure))
        return false;
    if (worker_choice_take(chosen, &wish, plan, failure))
        return true;
    worker_choice_release(chosen);
    return false;
}

static const struct evaluation *evaluation_of(const struct worker_choice *chosen)
{
    return &chosen->candidates[chosen->best].evaluation;
}

/* Is the plan for one setting better than the best one so far? */
static bool choice_better(const struct choice *choice, const struct plan_request *request,
                          const struct plan *made, const struct worker_choice *chosen)
{
    const struct worker_wish wish = wish_of(request);
    if (!choice->found || !plan_request_chooses(request))
        return !choice->found || plan_better(request, made, &choice->plan);
    return worker_wish_better(&wish, evaluation_of(chosen), evaluation_of(&choice->chosen));
}

/* Tries one setting. Another one may be feasible where it is not; any other failure ends the
 * choice. */
static bool choice_try(struct choice *choice, const struct plan_request *request,
                       struct planning *planning, struct failure *failure)
{
    struct plan made;
    struct schedule_omissions omissions = {.count = 0};
    struct failure here = FAILURE_INIT;
    planning->omissions = request->deadline_s > 0 ? NULL : &omissions;
    struct worker_choice chosen;
    bool good = setting_plan(request, planning, &made, &chosen, &here);
    planning->omissions = NULL;
    if (!good) {
        failure_set(&choice->refused, here.code, "%s", here.text);
        return here.code == FAILURE_INFEASIBLE || failure_set(failure, here.code, "%s", here.text);
    }
    struct plan_other *other = &choice->others[choice->other_count++];
    *other = (struct plan_other){.threads = planning->setting->threads,
                                 .makespan_s = made.predicted.makespan_s};
    if (!parameter_list_copy(&other->parameters, &planning->setting->parameters)) {
        plan_release(&made);
        worker_choice_release(&chosen);
        return failure_memory(failure, "comparing settings");
    }
    if (!choice_better(choice, request, &made, &chosen)) {
        plan_release(&made);
        worker_choice_release(&chosen);
        return true;
    }
    plan_release(&choice->plan);
    worker_choice_release(&choice->chosen);
    choice->plan = made;
    choice->chosen = chosen;
    choice->best = choice->other_count - 1;
    choice->planning = *planning;
    choice->omissions = omissions;
    choice->found = true;
    return true;
}

/* Tries all wanted settings, and keeps the best plan. */
static bool settings_try(const struct plan_request *request, const struct parameter_list *wanted,
                         struct planning *planning, struct choice *choice, struct failure *failure)
{
    const struct profile *profile = planning->profile;
    bool good = true;
    planning->effort_s = request->effort_s / (double)settings_wanted(profile, wanted);
    for (size_t k = 0; good && k < profile->setting_count; k++) {
        int64_t tasks = 0;
        planning->setting = &profile->settings[k];
        if (!profile_setting_suits(planning->setting, wanted))
            continue;
        good = tasks_count(request, profile, planning->setting, &tasks, failure) &&
               weights_check(request, tasks, failure);
        planning->tasks = (double)tasks;
        good = good && choice_try(choice, request, planning, failure);
    }
    return good && (choice->found ||
                    failure_set(failure, choice->refused.code, "%s", choice->refused.text));
}

/* Gives the plan the list of the other settings. */
static void others_hand_over(struct choice *choice)
{
    struct plan *plan = &choice->plan;
    parameter_list_release(&choice->others[choice->best].parameters);
    choice->other_count--;
    for (size_t k = choice->best; k < choice->other_count; k++)
        choice->others[k] = choice->others[k + 1];
    plan->others = choice->others;
    plan->other_count = choice->other_count;
}

static void choice_release(struct choice *choice)
{
    plan_release(&choice->plan);
    worker_choice_release(&choice->chosen);
    for (size_t k = 0; k < choice->other_count; k++)
        parameter_list_release(&choice->others[k].parameters);
    free(choice->others);
}

/* Makes the best plan, to be released. *planning has all members set except setting and tasks,
 * which are filled in. *omissions: the schedulers that "auto" left out. With several settings, the
 * plan lists the makespans of the others. FAILURE_MISMATCH: the profile has no such setting;
 * FAILURE_INFEASIBLE: none has a plan. */
static bool choice_make(const struct plan_request *request, struct planning *planning,
                        struct plan *plan, struct worker_choice *chosen,
                        struct schedule_omissions *omissions, struct failure *failure)
{
    struct choice choice = {.refused = FAILURE_INIT};
    if (request->within || plan_request_chooses(request))
        planning->within = -1; /* settings are compared by their least makespans */
    struct parameter_list wanted = {0};
    choice.others = calloc(planning->profile->setting_count, sizeof *choice.others);
    if (!choice.others)
        return failure_memory(failure, "comparing settings");
    const bool good = wanted_read(request->set, request->block, &wanted, failure) &&
                      wanted_check(planning->profile, request->path, &wanted, failure) &&
                      settings_check(request, planning->profile, &wanted, failure) &&
                      settings_try(request, &wanted, planning, &choice, failure);
    parameter_list_release(&wanted);
    if (!good) {
        choice_release(&choice);
        return false;
    }
    const double within = plan_request_chooses(request) ? -1 : plan_request_within(request);
    if (within >= 0 && !sweep_within(&choice.planning, within, &choice.plan, failure)) {
        choice_release(&choice);
        return false;
    }
    others_hand_over(&choice);
    *plan = choice.plan;
    *chosen = choice.chosen;
    *planning = choice.planning;
    *omissions = choice.omissions;
    return true;
}

/* Forecasts the shares that the profile's workers will have of their machines; the plan owns
 * them. */
static bool shares_find(struct profile *profile, const struct plan_request *request,
                        struct plan *plan, struct failure *failure)
{
    int64_t tasks = 0;
    if (!request->load)
        return true;
    if (!tasks_count(request, profile, &profile->settings[0], &tasks, failure) ||
        !shares_forecast(request->load, request->load_path, profile, (double)tasks, &plan->shared,
                         &plan->shared_count, failure))
        return false;
    shared_follow(profile, plan->shared, plan->shared_count);
    return true;
}

/* ---- planned ------------------------------------------------------------------------------- */

/* The part of a planning that follows from the options alone. */
static struct planning planning_begin(const struct profile *profile,
                                      const struct plan_request *request)
{
    return (struct planning){.profile = profile,
                             .path = request->unnamed ? NULL : request->path,
                             .digest = request->digest,
                             .scheduler = request->scheduler,
                             .workers = request->workers,
                             .buffers = (int)request->buffers,
                             .real_valued = request->real_valued,
                             .production = request->production,
                             .master_computes = request->master_computes,
                             .tail = plan_request_tail(request)};
}

bool planned_draw(struct planned *planned, struct failure *failure)
{
    const struct planning *planning = &planned->planning;
    const struct interval_request request = {.profile = planning->profile,
                                             .setting = planning->setting,
                                             .plan = &planned->plan,
                                             .workers = planning->workers};
    if (!interval_known(planning->profile, planning->setting))
        return true;
    if (!interval_draw(&request, &planned->interval, failure))
        return false;
    interval_predict(&planned->interval, &planned->plan.predicted);
    return true;
}

/* How many workers of each kind are used by a plan that was made without a choice of workers;
 * owned. */
static int64_t *used_find(const struct kinds *kinds, const struct plan *plan)
{
    int64_t *all = calloc(kinds->count, sizeof *all), *used = calloc(kinds->count, sizeof *used);
    for (size_t k = 0; all && k < kinds->count; k++)
        all[k] = kind_workers(&kinds->items[k]);
    for (int64_t slot = 0; all && used && slot < plan->worker_count; slot++)
        if (plan_slot_loaded(plan, slot))
            used[kinds_of(kinds, all, plan->workers[slot])]++;
    if (!all) {
        free(used);
        used = NULL;
    }
    free(all);
    return used;
}

static bool why_plain(const struct planned *planned, const struct worker_wish *wish,
                      struct text *text, struct failure *failure)
{
    const struct planning *planning = &planned->planning;
    const struct plan *plan = &planned->plan;
    struct evaluation evaluation;
    struct kinds kinds;
    if (!kinds_init(&kinds, planning->profile, planning->setting, planning->workers, &wish->kinds,
                    failure))
        return false;
    int64_t *used = used_find(&kinds, plan);
    charge_evaluate(planning->profile, planning->setting, NULL, plan, &evaluation);
    const bool good = used ? left_out_text(planning, wish, &kinds, used, &evaluation, text, failure)
                           : failure_memory(failure, "saying why workers are left out");
    free(used);
    kinds_release(&kinds);
    return good;
}

/* This is called while the profile still has all workers, which are named there. */
static bool why_tell(struct planned *planned, const struct plan_request *request,
                     struct failure *failure)
{
    const struct worker_wish wish = wish_of(request);
    const struct worker_choice *chosen = &planned->chosen;
    struct text text = TEXT_INIT;
    if (!request->why)
        return true;
    const bool good = chosen->count > 0 ? left_out_text(&planned->planning, &wish, &chosen->kinds,
                                                        chosen->candidates[chosen->best].used,
                                                        evaluation_of(chosen), &text, failure)
                                        : why_plain(planned, &wish, &text, failure);
    planned->why = text_finish(&text, good, "saying why workers are left out", failure);
    return planned->why != NULL;
}

/* After this the profile has only the workers that the plan starts. */
static bool workers_settle(struct profile *profile, struct planned *planned,
                           struct failure *failure)
{
    if (planned->chosen.count == 0)
        return true;
    planned->planning.workers = 0;
    beyond_settle(profile, beyond_measured(profile));
    return beyond_follow(profile, &planned->plan, failure);
}

static bool prices_check(const struct profile *profile, const struct plan_request *request,
                         struct failure *failure)
{
    const struct objective *objective = plan_request_objective(request);
    if (charge_known(profile, &profile->settings[0]) ||
        !(objective->priced || request->budget > 0 || request->front))
        return true;
    return failure_set(failure, FAILURE_USAGE,
                       "no rank has a price, so no plan costs anything: give --price CLASS=P, or "
                       "price_s in '%s'",
                       request->path);
}

/* Notes what the plan was asked to keep to, and predicts what it costs. */
static void costs_predict(struct planned *planned, const struct plan_request *request)
{
    const struct planning *planning = &planned->planning;
    planned->plan.deadline_s = request->deadline_s;
    planned->plan.budget = request->budget;
    if (planned->chosen.count > 0 || charge_known(planning->profile, planning->setting) ||
        energy_known(planning->profile, planning->setting))
        charge_predict(planning->profile, planning->setting, request->waits, &planned->plan);
}

/* Adds how many workers would be worth it, with a part of the plan's effort. That is left out where
 * the objective is not the makespan, and where core tasks differ along the job, because it is
 * computed with mean ones. */
static bool choice_add(const struct plan_request *request, struct planned *planned,
                       struct failure *failure)
{
    static const double SHARE = 0.25;
    struct platform platform;
    if (planned->plan.objective || planning_regions(&planned->planning) > 0)
        return true;
    if (!planning_platform(&planned->planning, &platform, failure))
        return false;
    const bool good = choice_find(&platform, SHARE * request->effort_s, &planned->plan, failure);
    platform_release(&platform);
    return good;
}

/* Adds a tail, except to a search in levels; and how many workers would be worth it, for one
 * master. */
static bool plan_complete(const struct plan_request *request, struct planned *planned,
                          struct failure *failure)
{
    const struct plan *plan = &planned->plan;
    const bool open =
        plan_request_tail_open(request) && planned->planning.setting->level_count == 0;
    const bool single = !plan_is_several(plan);
    return (!open || planning_tail_unequal(&planned->planning, &planned->plan, failure)) &&
           (request->bare || !single || choice_add(request, planned, failure));
}

/* Levels have one master, and weights are known only for the first level. */
static bool levels_expect(const struct plan_request *request, struct planned *planned,
                          struct failure *failure)
{
    const struct planning *planning = &planned->planning;
    struct plan *plan = &planned->plan;
    const struct expected_levels_request asked = {
        .profile = planning->profile,
        .setting = planning->setting,
        .workers = planning->workers > 0 ? planning->workers
                                         : profile_workers(&planning->setting->windows[0]),
        .path = request->path,
        .said = request->levels};
    return request->bare || plan->star_count > 0 || plan->child_count > 0 || plan->weights ||
           expected_levels_find(&asked, plan, failure);
}

/* Where the number of masters is not given, finds it before the plan's tail is searched for. Levels
 * and results that return have one master. */
static bool several_look(const struct plan_request *request, struct planned *planned,
                         struct failure *failure)
{
    const struct profile_setting *setting = planned->planning.setting;
    struct plan *plan = &planned->plan;
    if (!request->several || request->bare || setting->level_count > 0 || request->levels ||
        results_return(plan_returns(plan)) || plan->operating != OPERATING_SINGLE_PORT)
        return true;
    return several_take(&planned->planning, plan, &planned->several, failure);
}

bool planned_make(struct profile *profile, const struct plan_request *request,
                  struct planned *planned, struct failure *failure)
{
    struct planned made = {.planning = planning_begin(profile, request),
                           .network_unknown =
                               request->load && shares_network_unknown(request->load, profile)};
    struct plan shares = {.shared = NULL};
    profile_weigh(profile, request->weights);
    if (!plan_request_check(request, failure) || !order_allows(profile, request, failure) ||
        !weights_known(profile, request, failure) ||
        !shares_find(profile, request, &shares, failure) ||
        !wanted_model(profile, request->model, failure) ||
        !wanted_workers(profile, request->path, request->workers, request->like, failure) ||
        !wanted_prices(profile, request->path, request->price, failure) ||
        !prices_check(profile, request, failure) ||
        !choice_make(request, &made.planning, &made.plan, &made.chosen, &made.omissions, failure)) {
        free(shares.shared);
        return false;
    }
    assert(made.planning.setting); /* the setting of the best plan */
    made.plan.shared = shares.shared;
    made.plan.shared_count = shares.shared_count;
    bool good = why_tell(&made, request, failure) && workers_settle(profile, &made, failure) &&
                several_look(request, &made, failure);
    made.planning.omissions = &made.omissions;
    good = good && plan_complete(request, &made, failure) && levels_expect(request, &made, failure);
    made.planning.omissions = NULL;
    good = good && (request->bare || planned_draw(&made, failure));
    if (good) {
        costs_predict(&made, request);
        *planned = made;
    } else {
        planned_release(&made);
    }
    return good;
}

void planned_left_out(const struct planned *planned, struct text *text)
{
    several_tell(&planned->several, &planned->plan, text);
    if (planned->network_unknown)
        text_add(text, "network     left out where the profile does not say what bandwidth it was "
                       "measured with: calibrate again\n");
}

struct advice planned_advice(const struct planned *planned, double risk, double pace)
{
    return (struct advice){.plan = &planned->plan,
                           .profile = planned->planning.profile,
                           .setting = planned->planning.setting,
                           .interval =
                               planned->interval.ensemble.count > 0 ? &planned->interval : NULL,
                           .risk = risk,
                           .workers = planned->planning.workers,
                           .remaining = planned->planning.remaining,
                           .pace = pace};
}

void planned_release(struct planned *planned)
{
    plan_release(&planned->plan);
    interval_release(&planned->interval);
    worker_choice_release(&planned->chosen);
    free(planned->why);
    *planned = (struct planned){.planning = {.profile = NULL}};
}
