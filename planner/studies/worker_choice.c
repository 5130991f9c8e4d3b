#include "planner/studies/worker_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/beyond.h"
#include "planner/model/platform.h"
#include "planner/model/selection.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/selected_plan.h"
#include "planner/studies/worker_candidates.h"

/* ---- what is better ------------------------------------------------------------------------ */

/* Is `a` better than `b` among plans whose value is at most `most`, so that they count as equal? */
static bool within_better(const struct worker_wish *wish, double most, const struct evaluation *a,
                          const struct evaluation *b)
{
    const double value = wish->objective->value(a);
    return worker_wish_excess(wish, a) == 0 && value <= most &&
           objective_tie_better(wish->objective, a, b);
}

/* ---- numbers of workers -------------------------------------------------------------------- */

/* What kinds are sorted by. */
enum order { ORDER_BY_PRICE, ORDER_BY_WORK, ORDER_BY_FEED, ORDERS };

struct rank {
    size_t kind;
    double key, work_s;
};

static int rank_compare(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->work_s != y->work_s)
        return x->work_s < y->work_s ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

/* The sort key: of one core task, in the largest package that every worker could have. */
static double key_of(const struct platform *platform, const struct kind *kind, enum order order,
                     double load)
{
    const struct platform_window *window = platform_nearest(platform, load);
    const struct platform_class *class = platform_worker(window, kind->first);
    const double work_s = cost_of(platform_class_work(class), load) / load;
    const double master_s = cost_of(cost_sum(window->envelope, window->send), load) / load;
    if (order == ORDER_BY_PRICE)
        return kind->price.price_s * work_s;
    return order == ORDER_BY_WORK ? work_s : fmax(cost_of(class->link, load) / load, master_s);
}

static bool ranks_make(const struct choosing *choosing, enum order order, struct rank *ranks,
                       struct failure *failure)
{
    const struct kinds *kinds = &choosing->choice->kinds;
    const struct planning *planning = choosing->planning;
    struct platform platform;
    if (!platform_init(&platform, planning->setting, 0, failure))
        return false;
    const double greatest = (double)platform.windows[platform.window_count - 1].greatest;
    const double share = ceil(planning->tasks / (double)platform.worker_count);
    const double load = fmin(greatest, share);
    for (size_t k = 0; k < kinds->count; k++)
        ranks[k] = (struct rank){k, key_of(&platform, &kinds->items[k], order, load),
                                 key_of(&platform, &kinds->items[k], ORDER_BY_WORK, load)};
    platform_release(&platform);
    qsort(ranks, kinds->count, sizeof *ranks, rank_compare);
    return true;
}

/* The first `count` workers in the order of these kinds; of each required class at least one. */
static void prefix_set(struct choosing *choosing, const struct rank *ranks, int64_t count)
{
    const struct kinds *kinds = &choosing->choice->kinds;
    int64_t left = count;
    for (size_t k = 0; k < kinds->count; k++) {
        const struct kind *kind = &kinds->items[ranks[k].kind];
        const int64_t taken = kind->most < left ? kind->most : left;
        choosing->counts[ranks[k].kind] = taken > 0 ? taken : kind->required && kind->most > 0;
        left -= taken;
    }
}

static bool prefix_try(struct choosing *choosing, const struct rank *ranks, int64_t count,
                       bool *better, struct failure *failure)
{
    prefix_set(choosing, ranks, count);
    return counts_try(choosing, better, failure);
}

/* Tries numbers of workers in even ratios, then numbers around the best one by steps that are
 * halved. */
static bool prefixes_try(struct choosing *choosing, const struct rank *ranks, int64_t all,
                         struct failure *failure)
{
    static const double RATIO = 1.5;
    int64_t best = 1, step = 1;
    bool better;
    for (int64_t count = 1;; count = (int64_t)ceil(RATIO * (double)count)) {
        const int64_t here = count < all ? count : all;
        if (!prefix_try(choosing, ranks, here, &better, failure))
            return false;
        if (better)
            best = here;
        if (here == all)
            break;
    }
    while (step < best / 4)
        step *= 2;
    for (; step > 0; step /= 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            const int64_t count = best + sign * step;
            if (count < 1 || count > all)
                continue;
            if (!prefix_try(choosing, ranks, count, &better, failure))
                return false;
            if (better)
                best = count;
        }
    return true;
}

static int64_t workers_most(const struct kinds *kinds)
{
    int64_t all = 0;
    for (size_t k = 0; k < kinds->count; k++)
        all += kinds->items[k].most;
    return all;
}

/* ---- changes of the best one ------------------------------------------------------------------
 */

/* Exchanges are tried only among so few kinds: the number of pairs grows with their square. */
enum { EXCHANGED_MOST = 12 };

static bool step_try(struct choosing *choosing, size_t kind, int64_t step, size_t other,
                     int64_t other_step, bool *better, struct failure *failure)
{
    const struct worker_choice *choice = choosing->choice;
    memcpy(choosing->counts, choice->candidates[choosing->best].counts,
           choice->kinds.count * sizeof *choosing->counts);
    choosing->counts[kind] += step;
    choosing->counts[other] += other_step;
    return counts_try(choosing, better, failure);
}

/* Tries to add workers of one kind and remove workers of another: one for one, one for two, two for
 * one. */
static bool exchanges_try(struct choosing *choosing, int64_t step, bool *better,
                          struct failure *failure)
{
    static const int64_t factors[][2] = {{1, -1}, {1, -2}, {2, -1}};
    const size_t count = choosing->choice->kinds.count;
    for (size_t pair = 0; pair < count * count; pair++)
        for (size_t k = 0; k < sizeof factors / sizeof factors[0]; k++) {
            bool here = false;
            if (pair / count != pair % count &&
                !step_try(choosing, pair / count, factors[k][0] * step, pair % count,
                          factors[k][1] * step, &here, failure))
                return false;
            *better = *better || here;
        }
    return true;
}

/* Tries all changes by `step` workers; *better: one of them was better. */
static bool steps_try(struct choosing *choosing, int64_t step, bool *better,
                      struct failure *failure)
{
    const size_t count = choosing->choice->kinds.count;
    bool here;
    *better = false;
    for (size_t k = 0; k < count; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            if (!step_try(choosing, k, sign * step, k, 0, &here, failure))
                return false;
            *better = *better || here;
        }
    return count > EXCHANGED_MOST || exchanges_try(choosing, step, better, failure);
}

static bool descend(struct choosing *choosing, struct failure *failure)
{
    const int64_t all = workers_most(&choosing->choice->kinds);
    int64_t step = 1;
    while (step < all / 8)
        step *= 2;
    while (step > 0 && choosing->best != SIZE_MAX && choosing->tries > 0) {
        bool better;
        if (!steps_try(choosing, step, &better, failure))
            return false;
        if (!better)
            step /= 2;
    }
    return true;
}

/* ---- by each order ------------------------------------------------------------------------- */

/* The better one of two candidates in this pass; SIZE_MAX: there is none. */
static size_t better_of(const struct choosing *choosing, size_t a, size_t b)
{
    const struct worker_candidate *candidates = choosing->choice->candidates;
    if (a == SIZE_MAX || b == SIZE_MAX)
        return a == SIZE_MAX ? b : a;
    return worker_wish_better(&choosing->pass, &candidates[a].evaluation, &candidates[b].evaluation)
               ? a
               : b;
}

/* For each order of kinds, begins with the best number of first workers and improves it by changes;
 * keeps the best result of all orders. */
static bool orders_try(struct choosing *choosing, struct failure *failure)
{
    const struct kinds *kinds = &choosing->choice->kinds;
    struct rank *ranks = calloc(kinds->count, sizeof *ranks);
    bool good = ranks || failure_memory(failure, "choosing workers");
    size_t best = SIZE_MAX;
    for (enum order order = 0; good && order < ORDERS; order++) {
        choosing->best = SIZE_MAX;
        choosing->tries = WORKER_CHOICE_TRIES;
        good = ranks_make(choosing, order, ranks, failure) &&
               prefixes_try(choosing, ranks, workers_most(kinds), failure) &&
               descend(choosing, failure);
        best = better_of(choosing, best, choosing->best);
    }
    choosing->best = best;
    free(ranks);
    return good;
}

/* ---- all of them, where there are few ------------------------------------------------------ */

static bool counts_few(const struct kinds *kinds, int64_t most)
{
    int64_t all = 1;
    for (size_t k = 0; k < kinds->count; k++) {
        if (kinds->items[k].most >= most)
            return false;
        all *= kinds->items[k].most + 1;
        if (all > most)
            return false;
    }
    return true;
}

/* Counts on like an odometer; false: it was the last combination. */
static bool counts_next(const struct kinds *kinds, int64_t *counts)
{
    for (size_t k = 0; k < kinds->count; k++) {
        if (counts[k]++ < kinds->items[k].most)
            return true;
        counts[k] = 0;
    }
    return false;
}

static bool all_try(struct choosing *choosing, struct failure *failure)
{
    const struct kinds *kinds = &choosing->choice->kinds;
    int64_t *counts = calloc(kinds->count, sizeof *counts);
    bool good = counts != NULL, better;
    if (!good)
        failure_memory(failure, "choosing workers");
    while (good && counts_next(kinds, counts)) {
        memcpy(choosing->counts, counts, kinds->count * sizeof *counts);
        good = counts_try(choosing, &better, failure);
    }
    free(counts);
    return good;
}

/* ---- passes -------------------------------------------------------------------------------- */

static double knee_value(const struct evaluation *evaluation)
{
    return evaluation->makespan_s * evaluation->charge;
}

/* A compromise between makespan and charge: the least product of both. */
static const struct objective knee = {.name = "knee", .value = knee_value};

/* Searches for the best candidate by this objective. Candidates of earlier passes count, too. */
static bool pass_run(struct choosing *choosing, const struct objective *objective, bool limited,
                     struct failure *failure)
{
    choosing->pass = *choosing->wish;
    choosing->pass.objective = objective;
    choosing->best = SIZE_MAX;
    if (!limited) {
        choosing->pass.deadline_s = 0;
        choosing->pass.budget = -1;
    }
    return orders_try(choosing, failure);
}

static bool passes_run(struct choosing *choosing, struct failure *failure)
{
    const struct worker_wish *wish = choosing->wish;
    const int64_t all_most = wish->all_most > 0 ? wish->all_most : WORKER_CHOICE_ALL;
    const bool priced = wish->front || wish->budget >= 0;
    if (counts_few(&choosing->choice->kinds, all_most)) {
        choosing->tries = INT64_MAX;
        choosing->pass = *wish;
        choosing->best = SIZE_MAX;
        return all_try(choosing, failure);
    }
    return pass_run(choosing, wish->objective, true, failure) &&
           (!priced || pass_run(choosing, objective_find("cost"), false, failure)) &&
           (!wish->front || (pass_run(choosing, objective_find("makespan"), false, failure) &&
                             pass_run(choosing, &knee, false, failure)));
}

/* ---- the best one -------------------------------------------------------------------------- */

/* The best candidate that has not been planned again in full; SIZE_MAX: there is none. */
static size_t next_best(const struct worker_choice *choice, const struct worker_wish *wish)
{
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < choice->count; k++) {
        const struct worker_candidate *candidate = &choice->candidates[k];
        if (candidate->made && !candidate->again &&
            (best == SIZE_MAX || worker_wish_better(wish, &candidate->evaluation,
                                                    &choice->candidates[best].evaluation)))
            best = k;
    }
    return best;
}

static void candidate_keep(struct worker_candidate *candidate, struct counts_plan *result)
{
    candidate->plan = result->plan;
    candidate->evaluation = result->evaluation;
    candidate->used = result->used;
    *result = (struct counts_plan){.made = true};
}

/* The part of the effort for planning the best candidates again; first plans get the other part. */
static const double AGAIN_SHARE = 0.5;

/* Plans the candidate again by the scheduler that was asked for, and keeps the quick plan where
 * that is better. */
static bool candidate_again(struct choosing *choosing, struct worker_candidate *candidate,
                            struct failure *failure)
{
    const struct kinds *kinds = &choosing->choice->kinds;
    const struct waits *waits = choosing->wish->waits;
    struct planning planning = *choosing->planning;
    struct counts_plan result;
    planning.effort_s = AGAIN_SHARE * planning.effort_s / WORKER_CHOICE_AGAIN;
    bool good = counts_plan(&planning, kinds, waits, candidate->counts, false, &result, failure);
    if (good && (!result.made ||
                 worker_wish_better(choosing->wish, &candidate->evaluation, &result.evaluation))) {
        counts_plan_release(&result);
        good = counts_plan(&planning, kinds, waits, candidate->counts, true, &result, failure) &&
               planning_label(&planning, &result.plan, failure);
    }
    candidate->again = good;
    if (good)
        candidate_keep(candidate, &result);
    counts_plan_release(&result);
    return good;
}

static bool best_again(struct choosing *choosing, struct failure *failure)
{
    struct worker_choice *choice = choosing->choice;
    for (int k = 0; k < WORKER_CHOICE_AGAIN; k++) {
        const size_t at = next_best(choice, choosing->wish);
        if (at == SIZE_MAX)
            break;
        if (!candidate_again(choosing, &choice->candidates[at], failure))
            return false;
    }
    return true;
}

/* The best of the candidates that were planned again; SIZE_MAX: there is none. */
static size_t best_find(const struct worker_choice *choice, const struct worker_wish *wish)
{
    const double within = wish->within > 0 ? wish->within : SCHEDULE_WITHIN;
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < choice->count; k++)
        if (choice->candidates[k].again &&
            (best == SIZE_MAX || worker_wish_better(wish, &choice->candidates[k].evaluation,
                                                    &choice->candidates[best].evaluation)))
            best = k;
    if (best == SIZE_MAX || worker_wish_excess(wish, &choice->candidates[best].evaluation) > 0)
        return best;
    const double most = (1 + within) * wish->objective->value(&choice->candidates[best].evaluation);
    for (size_t k = 0; k < choice->count; k++)
        if (choice->candidates[k].again &&
            within_better(wish, most, &choice->candidates[k].evaluation,
                          &choice->candidates[best].evaluation))
            best = k;
    return best;
}

/* The thriftiest candidate among those that count as equal may have a quick plan only: plans it
 * again. */
static bool thrifty_again(struct choosing *choosing, struct failure *failure)
{
    const struct worker_wish *wish = choosing->wish;
    struct worker_choice *choice = choosing->choice;
    const size_t best = best_find(choice, wish);
    if (best == SIZE_MAX)
        return true;
    const double within = wish->within > 0 ? wish->within : SCHEDULE_WITHIN;
    const double most = (1 + within) * wish->objective->value(&choice->candidates[best].evaluation);
    size_t thrifty = best;
    for (size_t k = 0; k < choice->count; k++)
        if (choice->candidates[k].made &&
            within_better(wish, most, &choice->candidates[k].evaluation,
                          &choice->candidates[thrifty].evaluation))
            thrifty = k;
    return choice->candidates[thrifty].again ||
           candidate_again(choosing, &choice->candidates[thrifty], failure);
}

/* ---- refusals ------------------------------------------------------------------------------ */

/* The candidate with the least value of an objective, without regard to limits. */
static const struct evaluation *least_find(const struct worker_choice *choice,
                                           const struct objective *objective)
{
    const struct worker_wish free = {.objective = objective, .budget = -1};
    const struct evaluation *least = NULL;
    for (size_t k = 0; k < choice->count; k++)
        if (choice->candidates[k].made &&
            (!least || worker_wish_better(&free, &choice->candidates[k].evaluation, least)))
            least = &choice->candidates[k].evaluation;
    return least;
}

static bool limits_refuse(const struct choosing *choosing, struct failure *failure)
{
    const struct worker_wish *wish = choosing->wish;
    const struct worker_choice *choice = choosing->choice;
    const struct evaluation *nearest = &choice->candidates[choice->best].evaluation;
    const struct evaluation *cheapest = least_find(choice, objective_find("cost"));
    if (wish->budget >= 0 && cheapest->charge > wish->budget)
        return failure_set(failure, FAILURE_INFEASIBLE,
                           "no plan is within the budget of %.6g: the cheapest one costs %.6g and "
                           "takes %.6g s with %" PRId64 " workers",
                           wish->budget, cheapest->charge, cheapest->makespan_s, cheapest->workers);
    if (wish->budget >= 0)
        return failure_set(failure, FAILURE_INFEASIBLE,
                           "no plan meets the deadline of %.6g s within the budget of %.6g: the "
                           "nearest one takes %.6g s and costs %.6g with %" PRId64 " workers",
                           wish->deadline_s, wish->budget, worker_wish_time_s(wish, nearest),
                           nearest->charge, nearest->workers);
    return failure_set(failure, FAILURE_INFEASIBLE,
                       "no plan meets the deadline of %.6g s: the nearest one takes %.6g s with "
                       "%" PRId64 " workers",
                       wish->deadline_s, worker_wish_time_s(wish, nearest), nearest->workers);
}

static bool none_refuse(const struct choosing *choosing, struct failure *failure)
{
    if (choosing->refused.code != FAILURE_NONE)
        return failure_set(failure, choosing->refused.code, "%s", choosing->refused.text);
    return failure_set(failure, FAILURE_INFEASIBLE,
                       "no plan uses the classes that --require names: %.0f core tasks may be too "
                       "few for them",
                       choosing->planning->tasks);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool choose(struct choosing *choosing, struct failure *failure)
{
    struct worker_choice *choice = choosing->choice;
    const struct worker_wish *wish = choosing->wish;
    if (!passes_run(choosing, failure) || !best_again(choosing, failure) ||
        !thrifty_again(choosing, failure))
        return false;
    choice->best = best_find(choice, wish);
    if (choice->best == SIZE_MAX)
        return none_refuse(choosing, failure);
    return worker_wish_excess(wish, &choice->candidates[choice->best].evaluation) == 0 ||
           limits_refuse(choosing, failure);
}

bool worker_choice_make(const struct planning *planning, const struct worker_wish *wish,
                        struct worker_choice *choice, struct failure *failure)
{
    struct worker_choice made = {.candidates = NULL};
    struct choosing choosing = {
        .planning = planning, .wish = wish, .choice = &made, .refused = FAILURE_INIT};
    if (!kinds_init(&made.kinds, planning->profile, planning->setting, planning->workers,
                    &wish->kinds, failure))
        return false;
    choosing.counts = calloc(made.kinds.count, sizeof *choosing.counts);
    bool good = choosing.counts != NULL;
    if (good)
        good = choose(&choosing, failure);
    else
        failure_memory(failure, "choosing workers");
    free(choosing.counts);
    if (good)
        *choice = made;
    else
        worker_choice_release(&made);
    return good;
}

void worker_choice_release(struct worker_choice *choice)
{
    for (size_t k = 0; k < choice->count; k++) {
        plan_release(&choice->candidates[k].plan);
        free(choice->candidates[k].counts);
        free(choice->candidates[k].used);
    }
    free(choice->candidates);
    kinds_release(&choice->kinds);
    *choice = (struct worker_choice){.candidates = NULL};
}

bool worker_choice_take(struct worker_choice *choice, const struct worker_wish *wish,
                        struct plan *plan, struct failure *failure)
{
    struct worker_candidate *best = &choice->candidates[choice->best];
    *plan = best->plan;
    best->plan = (struct plan){.kernel = NULL};
    plan->objective = strdup(wish->objective->name);
    if (plan->objective && selected_plan_note(plan, &choice->kinds, best->used))
        return true;
    plan_release(plan);
    return failure_memory(failure, "choosing workers");
}
