#include "planner/studies/several.h"

#include <inttypes.h>
#include <math.h>

#include "planner/model/platform.h"
#include "planner/studies/feeding.h"
#include "planner/studies/masters.h"
#include "planner/studies/trees.h"

/* ---- where it could pay --------------------------------------------------------------------- */

/* The time that the port spends on the latencies of one package for each worker. Where that is next
 * to nothing, and all workers are fed, several masters have nothing to save. */
static double latencies_s(const struct platform *whole, double load)
{
    const struct platform_window *window = platform_nearest(whole, load);
    const double prepared_s = window->envelope.latency_s + window->send.latency_s;
    double sum_s = 0;
    for (int64_t k = 0; k < window->class_count; k++)
        sum_s +=
            (double)window->classes[k].count * fmax(prepared_s, window->classes[k].link.latency_s);
    return sum_s;
}

static bool is_delayed(const struct planning *planning, const struct plan *plan, bool *delayed,
                       struct failure *failure)
{
    struct platform whole;
    if (!planning_platform(planning, &whole, failure))
        return false;
    *delayed = latencies_s(&whole, plan_largest_load(plan)) >
               fmin(MASTERS_GAIN, TREE_GAIN) * plan->predicted.makespan_s;
    platform_release(&whole);
    return true;
}

static bool may_pay(const struct planning *planning, const struct plan *plan, bool *pays,
                    struct failure *failure)
{
    int64_t fed = 0, there = 0;
    if (!feeding_find(planning->setting, planning->workers, plan_largest_load(plan), &fed, &there,
                      failure) ||
        !is_delayed(planning, plan, pays, failure))
        return false;
    *pays = *pays || fed < there;
    return true;
}

/* What quick plans promise to take less time than the plan. */
struct found {
    int64_t masters, groups; /* 1 and 0: none does */
    double masters_s, groups_s;
};

static bool tree_find(const struct planning *planning, double than_s, struct found *found,
                      struct failure *failure)
{
    found->groups = 0;
    return trees_find(planning, than_s, &found->groups, &found->groups_s, failure);
}

static double enough_s(const struct plan *one)
{
    return (1 - TREE_GAIN) * one->predicted.makespan_s;
}

static bool find(const struct planning *planning, const struct plan *plan, struct found *found,
                 struct failure *failure)
{
    bool pays;
    *found = (struct found){.masters = 1};
    if (!may_pay(planning, plan, &pays, failure))
        return false;
    return !pays || (masters_find(planning, plan, &found->masters, &found->masters_s, failure) &&
                     tree_find(planning, enough_s(plan), found, failure));
}

/* ---- the plan ------------------------------------------------------------------------------- */

/* What the plan was made from (observed shares) moves to the plan that is kept. */
static void basis_move(struct plan *from, struct plan *to)
{
    to->shared = from->shared;
    to->shared_count = from->shared_count;
    to->others = from->others;
    to->other_count = from->other_count;
    from->shared = NULL;
    from->others = NULL;
    from->shared_count = from->other_count = 0;
}

/* `other` (owned) replaces the plan where it takes less than `than_s`. */
static void lesser_keep(struct plan *plan, struct plan *other, double than_s)
{
    if (other->predicted.makespan_s < than_s) {
        basis_move(plan, other);
        const struct plan worse = *plan;
        *plan = *other;
        *other = worse;
    }
    plan_release(other);
}

/* An infeasible plan is left out; any other failure is passed on. */
static bool is_made(bool made, const struct failure *refused, struct failure *failure)
{
    return made || refused->code == FAILURE_INFEASIBLE ||
           failure_set(failure, refused->code, "%s", refused->text);
}

/* Plans several masters side by side, with the number that is best by quick plans, and keeps that
 * plan where it saves enough. */
static bool beside_take(const struct planning *planning, struct plan *plan, double enough,
                        struct failure *failure)
{
    struct failure refused = FAILURE_INIT;
    struct plan other;
    int64_t masters;
    double takes_s;
    if (!masters_find(planning, plan, &masters, &takes_s, failure))
        return false;
    if (masters == 1)
        return true;
    const bool made = masters_make(planning, masters, &other, &refused);
    if (made)
        lesser_keep(plan, &other, enough);
    return is_made(made, &refused, failure);
}

/* Plans a tree, and keeps it where it takes less than `enough`, and than what is best so far by
 * more than counts as equal. A tree is planned in full only if its equal rounds, which are quickly
 * planned, come within NEAR of what is best so far. */
static bool tree_take(const struct planning *planning, struct plan *plan, double enough,
                      struct failure *failure)
{
    static const double NEAR = 0.02;
    const double now_s = plan->predicted.makespan_s, than_s = fmin(enough, (1 + NEAR) * now_s);
    const double less_s = fmin(enough, (1 - SCHEDULE_WITHIN) * now_s);
    struct failure refused = FAILURE_INIT;
    struct found found = {.masters = 1};
    struct plan other;
    if (!tree_find(planning, than_s, &found, failure))
        return false;
    if (found.groups == 0)
        return true;
    const bool made = trees_make_less(planning, found.groups, less_s, &other, &refused);
    if (made)
        lesser_keep(plan, &other, less_s);
    return is_made(made, &refused, failure);
}

bool several_take(const struct planning *planning, struct plan *plan, struct several *several,
                  struct failure *failure)
{
    const double one_s = plan->predicted.makespan_s, enough = enough_s(plan);
    bool pays;
    *several = (struct several){.looked = true};
    if (!may_pay(planning, plan, &pays, failure) ||
        (pays && (!beside_take(planning, plan, enough, failure) ||
                  !tree_take(planning, plan, enough, failure))))
        return false;
    if (plan->star_count > 0 || plan->child_count > 0)
        several->one_s = one_s;
    return true;
}

/* ---- side by side with one ------------------------------------------------------------------ */

/* Plans in full what quick plans have found. */
static bool kind_make(const struct planning *planning, const struct found *found,
                      enum several_kind kind, struct plan *plan, struct failure *refused)
{
    static const double gains[SEVERAL_KINDS] = {
        [SEVERAL_BESIDE] = MASTERS_GAIN, [SEVERAL_TREE] = TREE_GAIN};
    if (kind == SEVERAL_BESIDE && found->masters > 1)
        return masters_make(planning, found->masters, plan, refused);
    if (kind == SEVERAL_TREE && found->groups > 0)
        return trees_make(planning, found->groups, plan, refused);
    return failure_set(refused, FAILURE_INFEASIBLE, "would save less than %.0f %% over one master",
                       100 * gains[kind]);
}

bool several_compare(const struct planning *planning, const struct plan *one,
                     struct several_row rows[SEVERAL_KINDS], struct failure *failure)
{
    struct found found = {.masters = 1};
    for (int kind = 0; kind < SEVERAL_KINDS; kind++)
        rows[kind] = (struct several_row){.refused = FAILURE_INIT};
    if (!find(planning, one, &found, failure))
        return false;
    for (int kind = 0; kind < SEVERAL_KINDS; kind++) {
        struct several_row *row = &rows[kind];
        row->made = kind_make(planning, &found, (enum several_kind)kind, &row->plan, &row->refused);
        if (!is_made(row->made, &row->refused, failure))
            return false;
    }
    return true;
}

void several_rows_release(struct several_row rows[SEVERAL_KINDS])
{
    for (int kind = 0; kind < SEVERAL_KINDS; kind++)
        plan_release(&rows[kind].plan);
}

/* ---- words ---------------------------------------------------------------------------------- */

void several_tell(const struct several *several, const struct plan *plan, struct text *text)
{
    const double makespan_s = plan_prediction_steady(&plan->predicted).makespan_s;
    if (!(several->one_s > 0))
        return;
    text_add(text, "one master  would take ");
    text_add_seconds(text, several->one_s);
    text_add(text, "%s, %.3g times as long: --masters 1 keeps it\n",
             plan->predicted.without_variation_s > 0 ? " without variation" : "",
             several->one_s / makespan_s);
}

/* Says how much less than the plan that makespan is. */
static void saved_add(struct text *text, const struct plan *plan, double makespan_s)
{
    const struct plan_prediction *predicted = &plan->predicted;
    text_add_seconds(text, makespan_s);
    text_add(text, "%s, %.0f %% less",
             predicted->without_variation_s > 0 ? " without variation" : "",
             100 * (1 - makespan_s / plan_prediction_steady(predicted).makespan_s));
}

bool several_offer(const struct planning *planning, const struct several *several,
                   const struct plan *plan, struct text *text, struct failure *failure)
{
    struct plan steady = *plan;
    struct found found;
    if (several->looked)
        return true;
    steady.predicted = plan_prediction_steady(&plan->predicted);
    if (!find(planning, &steady, &found, failure))
        return false;
    if (found.masters > 1) {
        text_add(text, "masters     %" PRId64 " masters side by side would take ", found.masters);
        saved_add(text, plan, found.masters_s);
        text_add(text, ": --masters auto plans them\n");
    }
    if (found.groups > 0) {
        text_add(text, "tree        %" PRId64 " groups with masters of their own would take ",
                 found.groups);
        saved_add(text, plan, found.groups_s);
        text_add(text, ": --tree auto plans them\n");
    }
    return true;
}
