#include "planner/studies/worker_candidates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/effort.h"
#include "planner/model/selection.h"
#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/charge.h"
#include "planner/studies/master_bound.h"
#include "planner/studies/selected_plan.h"

/* ---- one plan ------------------------------------------------------------------------------ */

/* The planning for these workers only; the setting is to be released. */
static bool planning_for(const struct planning *from, const struct kinds *kinds,
                         const int64_t *counts, struct profile_setting *setting,
                         struct planning *planning, struct failure *failure)
{
    struct plan_selection selection;
    if (!kinds_select(kinds, counts, &selection)) {
        failure_memory(failure, "choosing workers");
        return false;
    }
    const bool good = selection_setting(from->setting, &selection, setting);
    selection_release(&selection);
    *planning = *from;
    planning->setting = setting;
    planning->workers = 0;
    planning->omissions = NULL;
    if (!good)
        failure_memory(failure, "choosing workers");
    return good;
}

/* Plans by a scheduler where the master computes as well. */
static bool plan_shared_by(const struct planning *planning, const char *scheduler,
                           struct plan *plan, struct failure *failure)
{
    struct planning own = *planning;
    own.scheduler = scheduler;
    return planning_make(&own, plan, failure);
}

/* With many workers each candidate gets limited effort (in units): that suffices to compare
 * candidates, as makespans are then some 0.03 % above the least. The best candidates are planned
 * again in full. */
enum { MANY_WORKERS = 128, EFFORT_EACH = 3000 };

/* Plans by one scheduler for all workers of the planning. */
static bool plan_by(const struct planning *planning, const char *scheduler, struct plan *plan,
                    struct failure *failure)
{
    struct platform platform;
    struct plan made = {.kernel = NULL};
    if (planning->master_computes)
        return plan_shared_by(planning, scheduler, plan, failure);
    if (!planning_platform(planning, &platform, failure))
        return false;
    struct effort effort = {(double)platform.worker_count * EFFORT_EACH};
    const struct schedule_request request = {
        .platform = &platform,
        .tasks = planning->tasks,
        .real_valued = planning->real_valued,
        .effort = platform.worker_count >= MANY_WORKERS ? &effort : NULL};
    const bool good = scheduler_make_for_all(scheduler_find(scheduler), &request, &made, failure) &&
                      planning_apply_map(planning, &made, failure);
    platform_release(&platform);
    if (good && (made.scheduler = strdup(scheduler)) != NULL) {
        *plan = made;
        return true;
    }
    plan_release(&made);
    return good ? failure_memory(failure, "choosing workers") : false;
}

/* Plans by the named scheduler; for "auto" by the quickest one and, where that does not apply, by
 * schedulers that nearly always do. */
static bool plan_quickly(const struct planning *planning, struct plan *plan,
                         struct failure *failure)
{
    static const char *const quick[] = {SCHEDULER_QUICK, "single", "static"};
    if (strcmp(planning->scheduler, SCHEDULER_AUTO) != 0)
        return plan_by(planning, planning->scheduler, plan, failure);
    for (size_t k = 0; k < sizeof quick / sizeof quick[0]; k++) {
        struct failure refused = FAILURE_INIT;
        if (plan_by(planning, quick[k], plan, &refused))
            return true;
        failure_set(failure, refused.code, "%s", refused.text);
    }
    return false;
}

/* Does the plan use workers that are like this kind? */
static bool class_used(const struct kinds *kinds, const int64_t *used, const struct kind *kind)
{
    for (size_t k = 0; k < kinds->count; k++)
        if (used[k] > 0 && kinds_alike(&kinds->items[k], kind))
            return true;
    return false;
}

static bool required_used(const struct kinds *kinds, const int64_t *used)
{
    for (size_t k = 0; k < kinds->count; k++)
        if (kinds->items[k].required && !class_used(kinds, used, &kinds->items[k]))
            return false;
    return true;
}

/* Removes from the plan the workers that it does not use; the evaluation is for those that it does
 * use. */
static bool plan_settle(const struct planning *planning, const struct kinds *kinds,
                        const struct waits *waits, const int64_t *counts,
                        struct counts_plan *result, struct failure *failure)
{
    struct planning own;
    struct profile_setting setting;
    result->used = calloc(kinds->count, sizeof *result->used);
    if (!result->used || !selected_plan_settle(&result->plan, kinds, counts, result->used))
        return failure_memory(failure, "choosing workers");
    if (!planning_for(planning, kinds, result->used, &setting, &own, failure))
        return false;
    const bool waited =
        charge_evaluate(planning->profile, &setting, waits, &result->plan, &result->evaluation);
    selection_setting_release(&setting);
    if (!waited)
        failure_set(&result->refused, FAILURE_INFEASIBLE,
                    "--waits says nothing of jobs with more than %" PRId64
                    " ranks: give a line for more, or allow fewer workers",
                    waits->rows[waits->count - 1].ranks);
    result->made = waited && required_used(kinds, result->used);
    return true;
}

bool counts_plan(const struct planning *planning, const struct kinds *kinds,
                 const struct waits *waits, const int64_t *counts, bool quick,
                 struct counts_plan *result, struct failure *failure)
{
    struct planning own;
    struct profile_setting setting;
    *result = (struct counts_plan){.refused = FAILURE_INIT};
    if (!planning_for(planning, kinds, counts, &setting, &own, failure))
        return false;
    const bool made = quick ? plan_quickly(&own, &result->plan, &result->refused)
                            : planning_make(&own, &result->plan, &result->refused);
    selection_setting_release(&setting);
    if (made)
        return plan_settle(planning, kinds, waits, counts, result, failure);
    return result->refused.code == FAILURE_INFEASIBLE ||
           failure_set(failure, result->refused.code, "%s", result->refused.text);
}

void counts_plan_release(struct counts_plan *result)
{
    plan_release(&result->plan);
    free(result->used);
    result->used = NULL;
}

/* ---- candidates ---------------------------------------------------------------------------- */

static bool counts_allowed(const struct kinds *kinds, const int64_t *counts)
{
    int64_t sum = 0;
    for (size_t k = 0; k < kinds->count; k++) {
        if (counts[k] < 0 || counts[k] > kinds->items[k].most)
            return false;
        sum += counts[k];
    }
    return sum > 0 && required_used(kinds, counts);
}

static size_t candidate_find(const struct worker_choice *choice, const int64_t *counts)
{
    const size_t size = choice->kinds.count * sizeof *counts;
    size_t k = 0;
    while (k < choice->count && memcmp(choice->candidates[k].counts, counts, size) != 0)
        k++;
    return k;
}

static bool candidate_add(struct worker_choice *choice, const int64_t *counts,
                          struct failure *failure)
{
    const size_t size = choice->kinds.count * sizeof *counts;
    struct worker_candidate *candidates =
        array_reserve(choice->candidates, &choice->capacity, choice->count + 1, sizeof *candidates);
    if (candidates)
        choice->candidates = candidates;
    int64_t *copy = candidates ? malloc(size) : NULL;
    if (!copy)
        return failure_memory(failure, "choosing workers");
    memcpy(copy, counts, size);
    candidates[choice->count++] = (struct worker_candidate){.counts = copy};
    return true;
}

static bool candidate_plan(struct choosing *choosing, struct worker_candidate *candidate,
                           struct failure *failure)
{
    struct counts_plan quick;
    const bool good = counts_plan(choosing->planning, &choosing->choice->kinds,
                                  choosing->wish->waits, candidate->counts, true, &quick, failure);
    candidate->made = good && quick.made;
    candidate->evaluation = quick.evaluation;
    if (good && !quick.made && quick.refused.code != FAILURE_NONE)
        failure_set(&choosing->refused, quick.refused.code, "%s", quick.refused.text);
    counts_plan_release(&quick);
    return good;
}

/* ---- candidates that need no plan ---------------------------------------------------------- */

/* *least becomes a lower bound on every value of a plan that uses all of these workers, except the
 * busy time, which is not known. */
static bool least_find(const struct choosing *choosing, struct evaluation *least, bool *known,
                       struct failure *failure)
{
    const struct planning *planning = choosing->planning;
    const struct overhead *overhead = &planning->profile->overhead;
    struct planning own;
    struct profile_setting setting;
    struct platform platform;
    if (!planning_for(planning, &choosing->choice->kinds, choosing->counts, &setting, &own,
                      failure))
        return false;
    *least = (struct evaluation){.workers = profile_workers(&setting.windows[0])};
    bool good = planning_platform(&own, &platform, failure);
    if (good) {
        const double task_s = profile_setting_master_s(planning->setting);
        const struct master_bound asked = {.bound = bound_makespan,
                                           .platform = &platform,
                                           .tasks = planning->tasks,
                                           .task_s = planning->master_computes ? task_s : 0,
                                           .real_valued = planning->real_valued};
        good = master_bound(&asked, &least->makespan_s, failure);
        platform_release(&platform);
    }
    least->run_s = overhead->start_s + least->makespan_s + overhead->seal_s;
    least->worker_s = (double)least->workers * least->makespan_s;
    least->charge = charge_of_run(planning->profile, &setting, least->workers, least->run_s);
    *known = !choosing->wish->waits ||
             waits_find(choosing->wish->waits, least->workers + 1, least->run_s, &least->wait_s);
    selection_setting_release(&setting);
    return good;
}

/* Has a candidate a plan that is at least as fast and as cheap as any with all of these workers,
 * and better by the objective by more than counts as equal? Then these workers give no
 * compromise. */
static bool front_beyond(const struct choosing *choosing, const struct evaluation *least)
{
    const struct worker_choice *choice = choosing->choice;
    const struct worker_wish *wish = choosing->wish;
    const double within = wish->within > 0 ? wish->within : SCHEDULE_WITHIN;
    const double value = wish->objective->value(least);
    for (size_t k = 0; k < choice->count; k++) {
        const struct evaluation *other = &choice->candidates[k].evaluation;
        if (choice->candidates[k].made && other->makespan_s <= least->makespan_s &&
            other->charge <= least->charge && (1 + within) * wish->objective->value(other) < value)
            return true;
    }
    return false;
}

/* Is every plan that uses all of these workers out of the question, as the choice and as a
 * compromise (where these are looked for)? Plans that use fewer of them belong to other candidates.
 * Where there are two limits, or waits, which may be shorter for more workers, no candidate is
 * ruled out. */
static bool counts_hopeless(const struct choosing *choosing, bool *hopeless,
                            struct failure *failure)
{
    const struct worker_wish *pass = &choosing->pass;
    const bool limits = pass->deadline_s > 0 && pass->budget >= 0;
    struct evaluation least;
    bool known;
    *hopeless = false;
    if (choosing->best >= choosing->choice->count || limits || (pass->front && pass->waits) ||
        planning_regions(choosing->planning) > 0)
        return true;
    if (!least_find(choosing, &least, &known, failure))
        return false;
    const struct evaluation *best = &choosing->choice->candidates[choosing->best].evaluation;
    const double within = pass->within > 0 ? pass->within : SCHEDULE_WITHIN;
    const double excess = worker_wish_excess(pass, best);
    *hopeless = known && (worker_wish_excess(pass, &least) > excess ||
                          (excess == 0 && pass->objective->value(&least) >
                                              (1 + within) * pass->objective->value(best)));
    *hopeless = *hopeless && (!pass->front || front_beyond(choosing, &least));
    return true;
}

/* How many of the tries a candidate costs: more where there are many workers. */
static int64_t counts_tries(const struct choosing *choosing)
{
    enum { WORKERS_OF_A_TRY = 64 };
    int64_t workers = 0;
    for (size_t k = 0; k < choosing->choice->kinds.count; k++)
        workers += choosing->counts[k];
    return 1 + workers / WORKERS_OF_A_TRY;
}

bool counts_try(struct choosing *choosing, bool *better, struct failure *failure)
{
    struct worker_choice *choice = choosing->choice;
    const size_t at = candidate_find(choice, choosing->counts);
    *better = false;
    if (at == choice->count) {
        if (choosing->tries <= 0 || !counts_allowed(&choice->kinds, choosing->counts))
            return true;
        bool hopeless;
        if (!counts_hopeless(choosing, &hopeless, failure))
            return false;
        if (hopeless && !choosing->pass.front)
            return true;
        choosing->tries -= counts_tries(choosing);
        if (!candidate_add(choice, choosing->counts, failure))
            return false;
        if (hopeless) /* kept without a plan, so that later passes skip it */
            return true;
        if (!candidate_plan(choosing, &choice->candidates[at], failure))
            return false;
    }
    const struct worker_candidate *candidate = &choice->candidates[at];
    if (!candidate->made || (choosing->best < choice->count &&
                             !worker_wish_better(&choosing->pass, &candidate->evaluation,
                                                 &choice->candidates[choosing->best].evaluation)))
        return true;
    *better = choosing->best != at;
    choosing->best = at;
    return true;
}
