#include "planner/schedulers/scheduler.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/optimal/optimal.h"
#include "planner/schedulers/rounds/rounds_schedulers.h"
#include "planner/schedulers/scow/scow_schedulers.h"
#include "planner/schedulers/search/ready.h"

static const struct scheduler table[] = {
    {SCHEDULER_QUICK, "SCOW, maximal production: periodic rounds, the port is never idle",
     scow_mp_make, SCHEDULER_FEWER_USEFUL},
    {"scow-pwu", "SCOW, perfect utilization: periodic rounds, the workers are never idle",
     scow_pwu_make, SCHEDULER_FEWER_USEFUL},
    {"periodic", "the linear model's steady state, with all latencies in every period",
     periodic_make, SCHEDULER_FEWER_USEFUL | SCHEDULER_FEWER_EQUAL},
    {"umr", "uniform multi-round: growing rounds without gaps", umr_make, SCHEDULER_FEWER_USEFUL},
    {"umr2", "multi-round with resource selection: growing or shrinking rounds", umr2_make,
     SCHEDULER_FEWER_USEFUL},
    {"umr-scow", "a ramp of uniform rounds, then SCOW", umr_scow_make, SCHEDULER_FEWER_USEFUL},
    {"mi", "multi-installment: the linear model's rounds", multi_installment_make,
     SCHEDULER_FEWER_USEFUL},
    {"single", "one package per worker, all ending together", single_round_make,
     SCHEDULER_FEWER_EVERY},
    {"static", "one package per worker, proportional to its speed", static_split_make,
     SCHEDULER_FEWER_EVERY | SCHEDULER_FEWER_EQUAL},
    {"optimal", "linear programming over all loads, orders, workers and rounds", optimal_make,
     SCHEDULER_FEWER_NEVER},
    {SCHEDULER_BALANCE,
     "SCOW, maximal utilization: port and workers as busy as can be; not part of auto",
     scow_mu_make, SCHEDULER_FEWER_USEFUL},
    {"apples", "one package per worker, all taking equally long by themselves; not part of auto",
     apples_make, SCHEDULER_FEWER_EVERY | SCHEDULER_FEWER_EQUAL},
};

/* How many schedulers `auto` tries: all but the last ones of the table, which are used by name
 * only. Maximal utilization trades production for it, so that its plans are hardly ever the
 * fastest; apples is `single` without knowledge of the port. */
enum { NAMED_ONLY = 2, AUTOMATIC = sizeof table / sizeof table[0] - NAMED_ONLY };
/* Those that `optimal`, the last one of `auto`, starts from. */
enum { OTHERS = AUTOMATIC - 1 };

_Static_assert(sizeof table / sizeof table[0] <= SCHEDULERS_MOST, "omissions have no room");

const struct scheduler *scheduler_list(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

size_t scheduler_automatic(void)
{
    return AUTOMATIC;
}

const struct scheduler *scheduler_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* An invalid plan is a bug of ours; in a release build it is refused. */
static bool made_name(const struct scheduler *scheduler, const struct platform *platform,
                      struct plan *plan, struct failure *failure)
{
    struct failure wrong = FAILURE_INIT;
    const bool good = plan_check(platform, plan, &wrong);
    assert(wrong.code != FAILURE_MISMATCH);
    if (good && (plan->scheduler = strdup(scheduler->name)) != NULL)
        return true;
    plan_release(plan);
    if (wrong.code != FAILURE_MISMATCH)
        return failure_memory(failure, "planning");
    return failure_set(failure, FAILURE_INFEASIBLE, "%s does not apply: %s; please report that",
                       scheduler->name, wrong.text);
}

static struct schedule_request with_others(const struct schedule_request *request)
{
    struct schedule_request own = *request;
    own.others = table;
    own.other_count = OTHERS;
    return own;
}

bool scheduler_make_for_all(const struct scheduler *scheduler,
                            const struct schedule_request *request, struct plan *plan,
                            struct failure *failure)
{
    const struct schedule_request own = with_others(request);
    return scheduler->make(&own, plan, failure);
}

bool scheduler_make(const struct scheduler *scheduler, const struct schedule_request *request,
                    struct plan *plan, struct failure *failure)
{
    struct plan made = {.kernel = NULL};
    struct failure refused = FAILURE_INIT;
    const struct schedule_request own = with_others(request);
    if (!ready_make(scheduler, &own, &made, &refused)) {
        if (refused.code != FAILURE_INFEASIBLE)
            return failure_set(failure, refused.code, "%s", refused.text);
        return failure_set(failure, refused.code, "%s does not apply: %s", scheduler->name,
                           refused.text);
    }
    if (!made_name(scheduler, request->platform, &made, failure))
        return false;
    *plan = made;
    return true;
}

/* The entry with the least makespan, or NULL. */
static struct schedule_entry *set_best(const struct schedule_set *set)
{
    struct schedule_entry *best = NULL;
    for (size_t i = 0; i < set->count; i++) {
        struct schedule_entry *entry = &set->entries[i];
        if (entry->made &&
            (best == NULL || entry->plan.predicted.makespan_s < best->plan.predicted.makespan_s))
            best = entry;
    }
    return best;
}

static double worker_seconds(const struct plan *plan)
{
    return (double)plan_workers_used(plan) * plan->predicted.makespan_s;
}

/* Differences that are rounding do not count: otherwise they would decide which of two equal plans
 * is kept. */
bool schedule_thriftier(const struct plan *plan, const struct plan *than)
{
    static const double ROUNDING = 1e-9;
    const double mine = worker_seconds(plan), other = worker_seconds(than);
    const int64_t workers = plan_workers_used(plan), others = plan_workers_used(than);
    if (fabs(mine - other) > ROUNDING * other)
        return mine < other;
    return workers < others;
}

/* The least predicted makespan, seconds; HUGE_VAL: there is no plan. */
static double schedule_set_least(const struct schedule_set *set)
{
    const struct schedule_entry *best = set_best(set);
    return best == NULL ? HUGE_VAL : best->plan.predicted.makespan_s;
}

struct schedule_entry *schedule_set_choose(const struct schedule_set *set, double within)
{
    const double most_s = (1 + within) * schedule_set_least(set);
    struct schedule_entry *best = set_best(set);
    for (size_t i = 0; i < set->count; i++) {
        struct schedule_entry *entry = &set->entries[i];
        if (entry->made && entry->plan.predicted.makespan_s <= most_s &&
            schedule_thriftier(&entry->plan, &best->plan))
            best = entry;
    }
    return best;
}

/* Can a scheduler that takes long hardly gain anything any more? */
static bool set_suffices(const struct schedule_set *set)
{
    static const double GAP = 1e-5;
    const struct schedule_entry *best = set_best(set);
    return best != NULL && best->plan.predicted.gap <= GAP;
}

static bool entry_make(struct schedule_entry *entry, const struct schedule_request *request,
                       struct failure *failure)
{
    if (effort_spent(request->effort)) {
        entry->omission = SCHEDULE_NO_EFFORT;
        return true;
    }
    entry->made = scheduler_make(entry->scheduler, request, &entry->plan, &entry->refused);
    if (effort_spent(request->effort))
        entry->omission = SCHEDULE_CUT_SHORT;
    return entry->made || entry->refused.code == FAILURE_INFEASIBLE ||
           failure_set(failure, entry->refused.code, "%s", entry->refused.text);
}

/* Makes the plans of all but `optimal`, which starts from them. */
static bool others_make(const struct schedule_request *request, struct schedule_set *set,
                        struct failure *failure)
{
    bool good = true;
    for (size_t i = 0; good && i < set->count; i++)
        if (set->entries[i].scheduler->make != optimal_make)
            good = entry_make(&set->entries[i], request, failure);
    return good;
}

static bool optimum_make(const struct schedule_request *request, struct schedule_set *set,
                         struct failure *failure)
{
    struct schedule_request started = *request;
    bool good = true;
    started.known = set;
    for (size_t i = 0; good && i < set->count; i++) {
        struct schedule_entry *entry = &set->entries[i];
        if (entry->scheduler->make != optimal_make)
            continue;
        if (request->effort != NULL && set_suffices(set))
            entry->omission = SCHEDULE_NO_GAIN;
        else
            good = entry_make(entry, &started, failure);
    }
    return good;
}

bool schedule_set_make(const struct schedule_request *request, struct schedule_set *set,
                       struct failure *failure)
{
    struct schedule_set made = {.count = AUTOMATIC};
    struct schedule_request own = *request;
    struct effort half = {0};
    made.entries = calloc(made.count, sizeof *made.entries);
    if (made.entries == NULL)
        return failure_memory(failure, "planning");
    for (size_t i = 0; i < made.count; i++)
        made.entries[i].scheduler = &table[i];
    if (request->effort != NULL) {
        half.left = request->effort->left / 2;
        request->effort->left -= half.left;
        own.effort = &half;
    }
    bool good = others_make(&own, &made, failure);
    effort_use(request->effort, -half.left);
    good = good && optimum_make(request, &made, failure);
    if (good)
        *set = made;
    else
        schedule_set_release(&made);
    return good;
}

void schedule_set_release(struct schedule_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        plan_release(&set->entries[i].plan);
    free(set->entries);
    *set = (struct schedule_set){.entries = NULL};
}

static void omissions_list(const struct schedule_set *set, struct schedule_omissions *omissions)
{
    omissions->count = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->entries[i].omission != SCHEDULE_TRIED) {
            omissions->items[omissions->count].scheduler = set->entries[i].scheduler->name;
            omissions->items[omissions->count++].why = set->entries[i].omission;
        }
}

/* The first reason of those that do not apply. */
static const char *set_refusal(const struct schedule_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->entries[i].refused.code != FAILURE_NONE)
            return set->entries[i].refused.text;
    return "";
}

bool schedule_set_take(struct schedule_set *set, double within, struct plan *plan,
                       struct schedule_omissions *omissions, struct failure *failure)
{
    struct schedule_entry *best = schedule_set_choose(set, within);
    if (best == NULL)
        return failure_set(failure, FAILURE_INFEASIBLE, "no scheduler has a plan (%s)",
                           set_refusal(set));
    *plan = best->plan;
    best->plan = (struct plan){.kernel = NULL};
    if (omissions != NULL)
        omissions_list(set, omissions);
    return true;
}

bool schedule_auto(const struct schedule_request *request, struct plan *plan,
                   struct schedule_omissions *omissions, struct failure *failure)
{
    struct schedule_set set = {.count = 0};
    if (!schedule_set_make(request, &set, failure))
        return false;
    const bool good = schedule_set_take(&set, SCHEDULE_WITHIN, plan, omissions, failure);
    schedule_set_release(&set);
    return good;
}
