/*
 * The optimal plan for a given order, worker set and number of rounds by linear programming, and a
 * search over these three. It is our own; the program is in optimal_lp.c.
 *
 * The search starts from the other schedulers' plans and from what workers would choose at the
 * prices of the lower bound, and goes to better neighbours. Loads become whole by largest
 * remainders over all packages, and by local improvement. Where there are many workers, it also
 * uses programs of groups of workers (groups.h). Its effort is counted in sizes of programs and not
 * in seconds, so that the same request gives the same plan.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/optimal/groups.h"
#include "planner/schedulers/optimal/optimal.h"
#include "planner/schedulers/optimal/optimal_lp.h"
#include "planner/schedulers/optimal/optimal_priced.h"
#include "planner/schedulers/search/discretise.h"
#include "planner/schedulers/search/fewer.h"
#include "planner/schedulers/search/level.h"
#include "planner/schedulers/search/local_search.h"
#include "planner/schedulers/search/search.h"

/* A point of the search: a number of workers, or of groups, and of rounds. */
struct point {
    int64_t count, rounds;
    double makespan_s; /* the program's value; HUGE_VAL where it has none */
};

struct walk {
    struct search *search;
    const struct ranking *ranking;
    const struct groups *groups; /* NULL: no groups */
    double effort;               /* left, in squared packages: the solver's time grows so */
    struct point tried[256];
    size_t tried_count;
    struct optimal_basis basis; /* owned; of the last program: the next one begins with it */
    struct point solved;        /* the point that it belongs to */
};

enum { PACKAGES_MOST = 900, WALK_EFFORT = 1000000 };

/* Workers of the ranking beyond which groups are tried, and how many groups. */
enum { WORKERS_ALONE = 64, GROUPS_MOST = 24 };

/* Offers the loads of workers as a candidate. */
static void offer_workers(struct walk *walk, int64_t workers, int64_t rounds, double *loads)
{
    struct plan candidate;
    if (!discretise(walk->ranking, loads, workers * rounds, walk->search->request->tasks,
                    &walk->search->out_of_memory))
        return;
    candidate_open(walk->search, &candidate, walk->ranking, workers);
    for (int64_t r = 0; r < rounds; r++)
        candidate_round(walk->search, &candidate, 1, loads + r * workers);
    search_offer(walk->search, &candidate);
}

/* Offers the program's loads as a candidate. For groups the program is only an approximation, and
 * with many workers the plan is long: only those near the incumbent are offered. */
static void offer_loads(struct walk *walk, const struct point *point, double *loads)
{
    static const double FAR = 1.02;
    if (walk->groups == NULL) {
        offer_workers(walk, point->count, point->rounds, loads);
        return;
    }
    if (point->makespan_s > FAR * walk->search->best_s)
        return;
    const int64_t workers = groups_workers(walk->groups, point->count);
    double *expanded = malloc((size_t)(workers * point->rounds) * sizeof *expanded);
    if (expanded == NULL) {
        walk->search->out_of_memory = true;
        return;
    }
    groups_expand(walk->groups, point->count, point->rounds, loads, expanded);
    offer_workers(walk, workers, point->rounds, expanded);
    free(expanded);
}

/* Which package of the last program each package is like: that of its worker in the same round or,
 * for further rounds, in the last one. Owned; NULL: out of memory. */
static int64_t *packages_like(const struct walk *walk, const struct point *point)
{
    int64_t *like = malloc((size_t)(point->count * point->rounds) * sizeof *like);
    for (int64_t r = 0; like != NULL && r < point->rounds; r++)
        for (int64_t i = 0; i < point->count; i++) {
            const int64_t round = r < walk->solved.rounds ? r : walk->solved.rounds - 1;
            like[r * point->count + i] =
                i < walk->solved.count ? round * walk->solved.count + i : -1;
        }
    return like;
}

static bool program_solve(struct walk *walk, struct point *point, double *loads)
{
    const struct schedule_request *request = walk->search->request;
    struct optimal_basis ended = {NULL, 0};
    int64_t *like = packages_like(walk, point);
    const struct optimal_lp lp = {.ranking = walk->ranking,
                                  .groups = walk->groups,
                                  .count = point->count,
                                  .rounds = point->rounds,
                                  .buffers = request->platform->buffers,
                                  .tasks = request->tasks,
                                  .from = &walk->basis,
                                  .like = like,
                                  .to = &ended,
                                  .effort = request->effort};
    walk->search->out_of_memory = walk->search->out_of_memory || like == NULL;
    const bool good = like != NULL && optimal_lp_solve(&lp, loads, &point->makespan_s,
                                                       &walk->search->out_of_memory);
    if (good) {
        optimal_basis_release(&walk->basis);
        walk->basis = ended;
        walk->solved = *point;
    }
    free(like);
    return good;
}

static void point_solve(struct walk *walk, struct point *point)
{
    const double packages = (double)(point->count * point->rounds);
    point->makespan_s = HUGE_VAL;
    /* A program of few packages has a cost, too. */
    walk->effort -= packages * packages + 1000;
    double *loads = malloc((size_t)packages * sizeof *loads);
    if (loads == NULL)
        walk->search->out_of_memory = true;
    else if (program_solve(walk, point, loads))
        offer_loads(walk, point, loads);
    free(loads);
}

/* How many squared packages one program may have at present. */
static double walk_room(const struct walk *walk)
{
    /* Units of effort per squared package of a program that begins without a basis. */
    enum { UNITS = 50, UNITS_GROUPS = 400, ROOM_MOST = PACKAGES_MOST * PACKAGES_MOST };
    const struct effort *effort = walk->search->request->effort;
    const double units = walk->groups != NULL ? UNITS_GROUPS : UNITS;
    const double room = fmin(fmax(walk->effort, 0), ROOM_MOST);
    return effort != NULL ? fmin(room, fmax(effort->left, 0) / units) : room;
}

static int64_t walk_workers(const struct walk *walk, int64_t count)
{
    return walk->groups != NULL ? groups_workers(walk->groups, count) : count;
}

/* The value at a point, from the table where it has been tried. */
static struct point walk_try(struct walk *walk, int64_t count, int64_t rounds)
{
    struct point point = {count, rounds, HUGE_VAL};
    for (size_t k = 0; k < walk->tried_count; k++)
        if (walk->tried[k].count == count && walk->tried[k].rounds == rounds)
            return walk->tried[k];
    const double packages = (double)count * (double)rounds;
    const int64_t most = walk->groups != NULL ? walk->groups->count : walk->ranking->count;
    const bool fits =
        count >= 1 && count <= most && rounds >= 1 && packages <= PACKAGES_MOST &&
        packages * packages <= walk->effort && !effort_spent(walk->search->request->effort) &&
        (double)walk_workers(walk, count) * (double)rounds * walk->ranking->greatest >=
            walk->search->request->tasks;
    if (!fits || walk->search->out_of_memory ||
        walk->tried_count == sizeof walk->tried / sizeof walk->tried[0])
        return point;
    point_solve(walk, &point);
    walk->tried[walk->tried_count++] = point;
    return point;
}

/* Goes on in one direction as long as that helps. */
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

/* The plan's numbers of workers and rounds; rounds are limited to what a program has room for and
 * may cost. */
static struct point walk_start(const struct walk *walk, const struct point *shape)
{
    const double room = floor(sqrt(walk_room(walk)));
    struct point start = *shape;
    if (walk->groups != NULL)
        start.count = groups_with(walk->groups, shape->count);
    if ((double)start.count * (double)start.rounds > room)
        start.rounds = (int64_t)fmax(floor(room / (double)start.count), 1);
    return start;
}

/* Large steps first, then single ones in all eight directions. */
static void walk_from(struct walk *walk, const struct point *shape)
{
    const struct point start = walk_start(walk, shape);
    struct point best = walk_try(walk, start.count, start.rounds), before;
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

/* Where searches begin: the shapes of the other schedulers' plans, the best one first. */
struct starts {
    struct point points[16];
    size_t count;
    double bound_s;             /* a lower bound on any schedule's makespan */
    struct prices prices;       /* the prices that give it */
    struct optimal_basis basis; /* owned; of the last program, in any order */
    struct point solved;        /* the point that it belongs to */
    uint64_t seen[12];          /* hashes of orders in which programs have been solved */
    size_t seen_count;
};

/* Different views may put workers into the same order, and a program does not depend on the
 * view. */
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

/* Can hardly anything more be gained? */
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
    return (struct point){plan->worker_count, plan_rounds_total(plan), plan->predicted.makespan_s};
}

/* Offers the plan as a candidate, and begins a search with it. */
static void start_take(struct search *search, struct starts *starts, const struct plan *plan)
{
    struct plan candidate;
    starts_add(starts, plan_shape(plan));
    candidate_copy(search, &candidate, plan);
    search_offer(search, &candidate);
}

/* Makes every other scheduler's plan for all workers, if they are not made yet. */
static bool starts_plan(struct search *search, struct starts *starts, struct failure *failure)
{
    const struct scheduler *others = search->request->others;
    for (size_t i = 0; i < search->request->other_count; i++) {
        struct plan plan = {.kernel = NULL};
        struct failure refused = FAILURE_INIT;
        if (others[i].make(search->request, &plan, &refused))
            start_take(search, starts, &plan);
        else if (refused.code != FAILURE_INFEASIBLE)
            return failure_set(failure, refused.code, "%s", refused.text);
        plan_release(&plan);
    }
    return true;
}

/* Makes plans for fewer workers as well, unless hardly any of them can be better than the
 * incumbent. */
static bool fewer_take(struct search *search, const struct prices *prices, struct failure *failure)
{
    const struct scheduler *others = search->request->others;
    for (size_t i = 0; i < search->request->other_count; i++) {
        struct plan plan, candidate;
        bool made;
        if (!fewer_make_below(&others[i], search->request, prices, search->best_s, &plan, &made,
                              failure))
            return false;
        if (made) {
            candidate_copy(search, &candidate, &plan);
            search_offer(search, &candidate);
        }
        plan_release(&plan);
    }
    return true;
}

static bool starts_make(struct search *search, struct starts *starts, struct failure *failure)
{
    const struct schedule_set *known = search->request->known;
    if (known == NULL)
        return starts_plan(search, starts, failure);
    for (size_t i = 0; i < known->count; i++)
        if (known->entries[i].made)
            start_take(search, starts, &known->entries[i].plan);
    return true;
}

/* Searches in one order, from every start. */
static void walk_all(struct walk *walk, const struct starts *starts, double effort)
{
    for (size_t k = 0; k < starts->count && !is_enough(walk->search, starts->bound_s); k++) {
        /* Half of what is left is for the best start, half of the rest for the next one, and so
         * on. */
        effort += walk->effort;
        walk->effort = k + 1 < starts->count ? effort / 2 : effort;
        effort -= walk->effort;
        walk_from(walk, &starts->points[k]);
    }
}

/* Searches with programs of groups, and levels the best result: in a group all workers work equally
 * long, but the last ones begin later. */
static void walk_groups(struct search *search, const struct ranking *ranking,
                        const struct starts *starts, double effort)
{
    struct groups groups;
    struct search fork = search_fork(search);
    struct walk walk = {.search = &fork, .ranking = ranking, .groups = &groups};
    if (!groups_init(&groups, ranking, GROUPS_MOST)) {
        search->out_of_memory = true;
        return;
    }
    walk_all(&walk, starts, effort);
    optimal_basis_release(&walk.basis);
    search_level(&fork, ranking);
    search_join(search, &fork);
    groups_release(&groups);
}

static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    struct starts *starts = context;
    const double windows = (double)search->request->platform->window_count;
    const bool grouped = ranking->count > WORKERS_ALONE, alone = ranking->count <= PACKAGES_MOST;
    bool ready;
    platform_start_most(search->request->platform, &ready);
    const int orders = ranking->equal ? 1 : ready ? RANKING_BY_START : RANKING_ORDERS;
    double effort = WALK_EFFORT / (windows * orders);
    struct walk walk = {
        .search = search, .ranking = ranking, .basis = starts->basis, .solved = starts->solved};
    if (!order_is_new(starts, ranking))
        return false;
    effort = grouped && alone ? effort / 2 : effort;
    if (alone)
        walk_all(&walk, starts, effort);
    starts->basis = walk.basis; /* of the same slots' packages in another order */
    starts->solved = walk.solved;
    if (grouped && !is_enough(search, starts->bound_s))
        walk_groups(search, ranking, starts, effort);
    return false;
}

static bool bound_make(const struct search *search, struct starts *starts, struct failure *failure)
{
    const struct schedule_request *request = search->request;
    return bound_makespan(request->platform, request->tasks, request->real_valued, &starts->bound_s,
                          failure) &&
           (!bound_priced_applies(request->platform) ||
            bound_priced(request->platform, request->tasks, request->real_valued, search->best_s,
                         request->effort, &starts->bound_s, &starts->prices, failure));
}

/* Solves programs for what workers would choose at the bound's prices, improved separately: one
 * that looks worse before may be better afterwards. */
static void priced_search(struct search *search, const struct starts *starts)
{
    enum { PRICED_EFFORT = 600000 };
    const struct platform *platform = search->request->platform;
    struct search fork = search_fork(search);
    search_allot(&fork, 1);
    for (int64_t w = 0; w < platform->window_count && !search_exhausted(&fork); w++) {
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
                           "there is no linear programming: install coinor-libclp-dev, and "
                           "build again if this build was made without it");
    if (!search_init(&search, request, failure))
        return false;
    if (!starts_make(&search, &starts, failure) ||
        (search.best_s < HUGE_VAL && !bound_make(&search, &starts, failure))) {
        search_release(&search);
        return false;
    }
    search_visit(&search, RANKING_EVERY_ORDER, visit_ranking, &starts);
    optimal_basis_release(&starts.basis);
    search_allot(&search, 1);
    search_improve(&search);
    const bool priced = bound_priced_applies(request->platform);
    if (priced && search.best_s < HUGE_VAL && !search.out_of_memory &&
        !is_enough(&search, starts.bound_s))
        priced_search(&search, &starts);
    if (priced && request->known == NULL && !fewer_take(&search, &starts.prices, failure)) {
        search_release(&search);
        return false;
    }
    if (!search_finish(&search, "packages within the profile's windows cannot add up to the tasks",
                       plan, failure))
        return false;
    plan->predicted.lower_bound_s = fmax(plan->predicted.lower_bound_s, starts.bound_s);
    plan->predicted.gap = plan->predicted.makespan_s / plan->predicted.lower_bound_s - 1;
    return true;
}
