/*
 * The optimal plan for a given order, worker set and number of rounds, by linear programming, and a
 * search over the three. Ours; the program is in optimal_lp.c.
 *
 * The search starts from the other schedulers' plans and from what the workers would choose at the
 * prices of the lower bound, and walks to better neighbours; whole loads come from largest
 * remainders over all packages and from local improvement. What it may cost is
 * counted in sizes of programs, not in seconds, so that the same request gives the same plan.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/bound.h"
#include "planner/schedulers/discretise.h"
#include "planner/schedulers/local_search.h"
#include "planner/schedulers/optimal_lp.h"
#include "planner/schedulers/optimal_priced.h"
#include "planner/schedulers/schedulers.h"
#include "planner/schedulers/search.h"

/* One point of the search. */
struct point {
    int64_t count, rounds;
    double makespan_s; /* the program's value; HUGE_VAL where it has none */
};

struct walk {
    struct search *search;
    const struct ranking *ranking;
    double effort; /* sum of squared packages still to be spent; the solver's time grows so */
    struct point tried[256];
    size_t tried_count;
};

enum { PACKAGES_MOST = 900, WALK_EFFORT = 1000000 };

/* The program's loads as a candidate. */
static void offer_loads(struct walk *walk, const struct point *point, double *loads)
{
    struct plan candidate;
    if (!discretise(walk->ranking, loads, point->count * point->rounds,
                    walk->search->request->tasks, &walk->search->out_of_memory))
        return;
    candidate_open(walk->search, &candidate, walk->ranking, point->count);
    for (int64_t r = 0; r < point->rounds; r++)
        candidate_round(walk->search, &candidate, 1, loads + r * point->count);
    search_offer(walk->search, &candidate);
}

static void point_solve(struct walk *walk, struct point *point)
{
    const struct schedule_request *request = walk->search->request;
    const double packages = (double)(point->count * point->rounds);
    const struct optimal_lp lp = {.ranking = walk->ranking,
                                  .count = point->count,
                                  .rounds = point->rounds,
                                  .buffers = request->platform->buffers,
                                  .tasks = request->tasks};
    point->makespan_s = HUGE_VAL;
    /* Programs of a few packages are not free either. */
    walk->effort -= packages * packages + 1000;
    double *loads = malloc((size_t)packages * sizeof *loads);
    if (loads == NULL)
        walk->search->out_of_memory = true;
    else if (optimal_lp_solve(&lp, loads, &point->makespan_s, &walk->search->out_of_memory))
        offer_loads(walk, point, loads);
    free(loads);
}

/* The value at a point, from memory where it has been tried. */
static struct point walk_try(struct walk *walk, int64_t count, int64_t rounds)
{
    struct point point = {count, rounds, HUGE_VAL};
    for (size_t k = 0; k < walk->tried_count; k++)
        if (walk->tried[k].count == count && walk->tried[k].rounds == rounds)
            return walk->tried[k];
    const double packages = (double)count * (double)rounds;
    const bool fits = count >= 1 && count <= walk->ranking->count && rounds >= 1 &&
                      packages <= PACKAGES_MOST && packages * packages <= walk->effort &&
                      packages * walk->ranking->greatest >= walk->search->request->tasks;
    if (!fits || walk->search->out_of_memory ||
        walk->tried_count == sizeof walk->tried / sizeof walk->tried[0])
        return point;
    point_solve(walk, &point);
    walk->tried[walk->tried_count++] = point;
    return point;
}

/* Go on in one direction as long as it helps. */
static struct point walk_along(struct walk *walk, struct point best, int64_t count, int64_t rounds)
{
    for (;;) {
        const struct point next = walk_try(walk, best.count + count, best.rounds + rounds);
        if (!(next.makespan_s < best.makespan_s))
            return best;
        best = next;
    }
}

static int64_t step_of(int64_t value, int64_t part)
{
    return value / part > 1 ? value / part : 1;
}

/* Coarse steps first, then single ones in all eight directions. */
static void walk_from(struct walk *walk, int64_t count, int64_t rounds)
{
    struct point best = walk_try(walk, count, rounds), before;
    for (int64_t part = 4; part <= 64; part *= 4)
        do {
            const int64_t far = step_of(best.count, 2 * part), long_ = step_of(best.rounds, part);
            before = best;
            best = walk_along(walk, best, 0, long_);
            best = walk_along(walk, best, 0, -long_);
            best = walk_along(walk, best, far, 0);
            best = walk_along(walk, best, -far, 0);
            best = walk_along(walk, best, far, -long_);
            best = walk_along(walk, best, -far, long_);
        } while (best.makespan_s < before.makespan_s);
}

/* Where walks begin: the shapes of the other schedulers' plans, best first. */
struct starts {
    struct point points[16];
    size_t count;
    double bound_s;       /* on any schedule's makespan */
    struct prices prices; /* that give it */
    uint64_t seen[9];     /* orders in which programs have been solved, by their hashes */
    size_t seen_count;
};

/* Another view may show the workers in the same order, and programs do not see views. */
static bool order_is_new(struct starts *starts, const struct ranking *ranking)
{
    uint64_t hash = 1469598103934665603u ^ (uint64_t)ranking->least; /* FNV-1a, by window */
    for (int64_t i = 0; i < ranking->count; i++)
        hash = (hash ^ (uint64_t)ranking->workers[i].id) * 1099511628211u;
    for (size_t k = 0; k < starts->seen_count; k++)
        if (starts->seen[k] == hash)
            return false;
    if (starts->seen_count < sizeof starts->seen / sizeof starts->seen[0])
        starts->seen[starts->seen_count++] = hash;
    return true;
}

/* Whether hardly anything is left to be won. */
static bool is_enough(const struct search *search, double bound_s)
{
    static const double GAP = 1e-5;
    return search->best_s <= bound_s * (1 + GAP);
}

static void starts_add(struct starts *starts, struct point point)
{
    size_t place = starts->count;
    if (starts->count == sizeof starts->points / sizeof starts->points[0])
        return;
    for (; place > 0 && point.makespan_s < starts->points[place - 1].makespan_s; place--)
        starts->points[place] = starts->points[place - 1];
    starts->points[place] = point;
    starts->count++;
}

static struct point plan_shape(const struct plan *plan)
{
    struct point shape = {plan->worker_count, plan_rounds_total(plan), plan->predicted.makespan_s};
    if (shape.count <= PACKAGES_MOST && shape.rounds > PACKAGES_MOST / shape.count)
        shape.rounds = PACKAGES_MOST / shape.count;
    return shape;
}

/* Every other scheduler's plan is a candidate and the start of a walk. */
static bool starts_make(struct search *search, struct starts *starts, struct failure *failure)
{
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    for (size_t i = 0; i < count; i++) {
        struct plan plan = {.kernel = NULL};
        struct failure refused = FAILURE_INIT;
        if (list[i].make == optimal_make)
            continue;
        if (scheduler_make(&list[i], search->request, &plan, &refused)) {
            free(plan.scheduler); /* candidates bear no name */
            plan.scheduler = NULL;
            starts_add(starts, plan_shape(&plan));
            search_offer(search, &plan);
        } else if (refused.code != FAILURE_INFEASIBLE) {
            return failure_set(failure, refused.code, "%s", refused.text);
        }
    }
    return true;
}

static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    struct starts *starts = context;
    const double windows = (double)search->request->platform->window_count;
    double effort = WALK_EFFORT / (windows * (ranking->equal ? 1 : RANKING_ORDERS));
    struct walk walk = {.search = search, .ranking = ranking};
    if (!order_is_new(starts, ranking))
        return false;
    for (size_t k = 0; k < starts->count && !is_enough(search, starts->bound_s); k++) {
        /* Half of what is left for the best start, and so on. */
        effort += walk.effort;
        walk.effort = k + 1 < starts->count ? effort / 2 : effort;
        effort -= walk.effort;
        walk_from(&walk, starts->points[k].count, starts->points[k].rounds);
    }
    return false;
}

static bool bound_make(const struct search *search, struct starts *starts, struct failure *failure)
{
    const struct schedule_request *request = search->request;
    return bound_makespan(request->platform, request->tasks, request->real_valued, &starts->bound_s,
                          failure) &&
           bound_priced(request->platform, request->tasks, request->real_valued, search->best_s,
                        &starts->bound_s, &starts->prices, failure);
}

/* Programs over what the workers would choose at the prices of the bound, improved by themselves:
 * what looks worse before may be better after it. */
static void priced_search(struct search *search, const struct starts *starts)
{
    enum { PRICED_EFFORT = 600000 };
    const struct platform *platform = search->request->platform;
    struct search fork = search_fork(search);
    search_allot(&fork, 1);
    for (int64_t w = 0; w < platform->window_count && !fork.out_of_memory; w++) {
        struct ranking ranking;
        if (!ranking_init(&ranking, platform, &platform->windows[w], search->request->real_valued,
                          RANKING_BY_FEED)) {
            fork.out_of_memory = true;
            break;
        }
        optimal_priced(&fork, &ranking, &starts->prices, starts->bound_s,
                       PRICED_EFFORT / (double)platform->window_count);
        ranking_release(&ranking);
    }
    search_improve(&fork);
    search_join(search, &fork);
}

bool optimal_make(const struct schedule_request *request, struct plan *plan,
                  struct failure *failure)
{
    struct search search;
    struct starts starts = {.count = 0};
    if (!optimal_lp_available())
        return failure_set(failure, FAILURE_INFEASIBLE,
                           "this build has no linear programming, install "
                           "coinor-libclp-dev and build again");
    if (!search_init(&search, request, failure))
        return false;
    if (!starts_make(&search, &starts, failure) ||
        (search.best_s < HUGE_VAL && !bound_make(&search, &starts, failure))) {
        search_release(&search);
        return false;
    }
    search_visit(&search, RANKING_EVERY_ORDER, visit_ranking, &starts);
    search_allot(&search, 1);
    search_improve(&search);
    if (search.best_s < HUGE_VAL && !search.out_of_memory && !is_enough(&search, starts.bound_s))
        priced_search(&search, &starts);
    if (!search_finish(&search, "packages within the profile's windows cannot add up to the tasks",
                       plan, failure))
        return false;
    plan->predicted.lower_bound_s = fmax(plan->predicted.lower_bound_s, starts.bound_s);
    plan->predicted.gap = plan->predicted.makespan_s / plan->predicted.lower_bound_s - 1;
    return true;
}
