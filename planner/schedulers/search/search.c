#include "planner/schedulers/search/search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"

/* About a second of evaluations; the most promising candidates come first. */
enum { EFFORT_MOST = 6000000 };

bool search_init(struct search *search, const struct schedule_request *request,
                 struct failure *failure)
{
    struct evaluator *evaluator = evaluator_new(request->platform);
    if (evaluator == NULL)
        return failure_memory(failure, "planning");
    *search = (struct search){
        .request = request, .evaluator = evaluator, .best_s = HUGE_VAL, .effort_most = EFFORT_MOST};
    return true;
}

void search_release(struct search *search)
{
    evaluator_free(&search->evaluator);
    plan_release(&search->best);
}

void candidate_open(struct search *search, struct plan *candidate, const struct ranking *ranking,
                    int64_t count)
{
    *candidate = (struct plan){.tasks = search->request->tasks,
                               .real_valued = search->request->real_valued,
                               .worker_count = count};
    candidate->workers = malloc((size_t)count * sizeof *candidate->workers);
    if (candidate->workers == NULL) {
        search->out_of_memory = true;
        return;
    }
    for (int64_t i = 0; i < count; i++)
        candidate->workers[i] = ranking->workers[i].id;
}

double loads_sum(const double *loads, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += loads[i];
    return sum;
}

void candidate_round(struct search *search, struct plan *candidate, int64_t repeat,
                     const double *loads)
{
    const int64_t count = candidate->worker_count;
    if (search->out_of_memory || repeat < 1 || !(loads_sum(loads, count) > 0))
        return;
    double *copy = malloc((size_t)count * sizeof *copy);
    struct plan_round *rounds =
        array_extend(candidate->rounds, candidate->round_count, sizeof *rounds);
    if (rounds != NULL)
        candidate->rounds = rounds;
    if (copy == NULL || rounds == NULL) {
        free(copy);
        search->out_of_memory = true;
        return;
    }
    memcpy(copy, loads, (size_t)count * sizeof *copy);
    rounds[candidate->round_count++] = (struct plan_round){.repeat = repeat, .loads = copy};
}

void candidate_copy(struct search *search, struct plan *candidate, const struct plan *plan)
{
    *candidate = (struct plan){
        .tasks = plan->tasks, .real_valued = plan->real_valued, .worker_count = plan->worker_count};
    const size_t size = (size_t)plan->worker_count * sizeof *candidate->workers;
    candidate->workers = malloc(size);
    if (candidate->workers == NULL) {
        search->out_of_memory = true;
        return;
    }
    memcpy(candidate->workers, plan->workers, size);
    for (size_t r = 0; r < plan->round_count; r++)
        candidate_round(search, candidate, plan->rounds[r].repeat, plan->rounds[r].loads);
}

/* Removes rounds that levelling has left empty. Are all core tasks in the plan? */
static bool candidate_complete(struct plan *candidate)
{
    double sum = 0;
    size_t kept = 0;
    for (size_t r = 0; r < candidate->round_count; r++) {
        const struct plan_round round = candidate->rounds[r];
        const double tasks = loads_sum(round.loads, candidate->worker_count);
        sum += (double)round.repeat * tasks;
        if (tasks > 0)
            candidate->rounds[kept++] = round;
        else
            free(round.loads);
    }
    candidate->round_count = kept;
    return fabs(sum - candidate->tasks) <= (candidate->real_valued ? 1e-6 * candidate->tasks : 0);
}

/* Charges the effort of an evaluation; `before` is the evaluator's effort before it. */
static void evaluation_charge(const struct search *search, const struct plan *candidate,
                              int64_t before)
{
    effort_use(search->request->effort,
               (double)(evaluator_effort(search->evaluator) - before) +
                   (double)candidate->round_count * (double)candidate->worker_count);
}

double search_evaluate(struct search *search, const struct plan *candidate, double *ends)
{
    const int64_t before = evaluator_effort(search->evaluator);
    const double makespan_s = evaluator_makespan(search->evaluator, candidate, ends);
    evaluation_charge(search, candidate, before);
    return makespan_s;
}

double search_evaluate_below(struct search *search, const struct plan *candidate,
                             const double *work_s, double limit_s)
{
    const int64_t before = evaluator_effort(search->evaluator);
    const double makespan_s =
        evaluator_makespan_below(search->evaluator, candidate, work_s, limit_s);
    evaluation_charge(search, candidate, before);
    return makespan_s;
}

/* Charges the effort of making a candidate, besides its evaluation. */
static void candidate_charge(const struct search *search, const struct plan *candidate)
{
    enum { CANDIDATE = 200, LOAD = 4 }; /* units of effort */
    effort_use(search->request->effort,
               CANDIDATE + LOAD * (double)candidate->round_count * (double)candidate->worker_count);
}

void search_allot(struct search *search, double share)
{
    search->effort_most =
        evaluator_effort(search->evaluator) + (int64_t)(share * (double)EFFORT_MOST);
}

static int bits_count(unsigned set)
{
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

/* The visit of one window. */
struct round_trip {
    struct search *search;
    const struct platform_window *window;
    int64_t windows; /* windows that are left, including this one */
    unsigned views;  /* of this window */
    unsigned orders;
    int done; /* parts so far: a part is one order in one view */
    bool (*visit)(struct search *search, struct ranking *ranking, void *context);
    void *context;
};

/* The rankings of one view so far. */
struct view_orders {
    struct ranking rankings[RANKING_ORDERS]; /* owned */
    int count;
};

/* Where the master is the port, a core task takes it equally long for every worker: then only the
 * orders by work and by start differ. */
static unsigned view_orders(enum ranking_view view, unsigned orders)
{
    const unsigned by_work = 1u << RANKING_BY_WORK, by_start = 1u << RANKING_BY_START;
    return view == RANKING_OF_MASTER && (orders & by_work) != 0 ? orders & (by_work | by_start)
                                                                : orders;
}

static bool same_sequence(const struct ranking *one, const struct ranking *other)
{
    int64_t i = 0;
    while (i < one->count && one->workers[i].id == other->workers[i].id)
        i++;
    return i == one->count;
}

/* Did an earlier order of the view put the workers into the same sequence? */
static bool is_repeated(const struct view_orders *before, const struct ranking *ranking)
{
    for (int k = 0; k < before->count; k++)
        if (same_sequence(&before->rankings[k], ranking))
            return true;
    return false;
}

/* Allots an equal part of what is left of the request's effort, and of the usual effort. */
static void trip_allot(const struct round_trip *trip, bool equal)
{
    struct search *search = trip->search;
    const struct effort *effort = search->request->effort;
    const int64_t windows = search->request->platform->window_count;
    const int parts = bits_count(trip->views) * (equal ? 1 : bits_count(trip->orders));
    const double left = (double)(trip->windows * parts - trip->done);
    search_allot(search, 1 / (double)(windows * parts));
    if (effort != NULL)
        search->effort_kept = fmax(effort->left, 0) * (1 - 1 / fmax(left, 1));
}

/* Visits one order of a view; true: the orders that follow give nothing new. */
static bool order_visit(struct round_trip *trip, enum ranking_view view, enum ranking_order order,
                        struct view_orders *before)
{
    struct search *search = trip->search;
    struct ranking *ranking = &before->rankings[before->count];
    if (!ranking_init(ranking, search->request->platform, trip->window,
                      search->request->real_valued, order)) {
        search->out_of_memory = true;
        return true;
    }
    trip->views = ranking_views(ranking, search->request->tasks);
    if (view != RANKING_OF_GREATEST)
        ranking_turn(ranking, view, order);
    const bool equal = ranking->equal; /* `visit` may average the ranking */
    if ((trip->views >> view & 1u) == 0 || is_repeated(before, ranking)) {
        ranking_release(ranking);
        return (trip->views >> view & 1u) == 0;
    }
    before->count++;
    trip_allot(trip, equal);
    return trip->visit(search, ranking, trip->context) || equal;
}

static void view_visit(struct round_trip *trip, enum ranking_view view)
{
    const unsigned orders = view_orders(view, trip->orders);
    struct view_orders before = {.count = 0};
    bool enough = false;
    for (int order = 0; order < RANKING_ORDERS && !enough && !trip->search->out_of_memory;
         order++) {
        if ((orders >> order & 1u) != 0)
            enough = order_visit(trip, view, (enum ranking_order)order, &before);
        trip->done += (int)(trip->orders >> order & 1u);
    }
    while (before.count > 0)
        ranking_release(&before.rankings[--before.count]);
}

void search_visit(struct search *search, unsigned orders,
                  bool (*visit)(struct search *search, struct ranking *ranking, void *context),
                  void *context)
{
    const struct platform *platform = search->request->platform;
    const double kept = search->effort_kept;
    bool equal;
    platform_start_most(platform, &equal);
    if (equal)
        orders &= ~(1u << RANKING_BY_START);
    for (int64_t w = 0; w < platform->window_count; w++) {
        struct round_trip trip = {.search = search,
                                  .window = &platform->windows[w],
                                  .windows = platform->window_count - w,
                                  .views = (1u << RANKING_VIEWS) - 1,
                                  .orders = orders,
                                  .visit = visit,
                                  .context = context};
        for (int view = 0; view < RANKING_VIEWS; view++)
            if ((trip.views >> view & 1u) != 0)
                view_visit(&trip, (enum ranking_view)view);
    }
    search->effort_kept = kept;
}

bool search_exhausted(const struct search *search)
{
    return search->out_of_memory || evaluator_effort(search->evaluator) >= search->effort_most ||
           (search->request->effort != NULL &&
            search->request->effort->left <= search->effort_kept);
}

/* Differences that are rounding do not count: otherwise they would decide which of two equal plans
 * is kept. */
static bool candidate_better(const struct search *search, double makespan_s)
{
    return makespan_s < search->best_s * (1 - 1e-12) ||
           (search->best_s == HUGE_VAL && makespan_s < HUGE_VAL);
}

bool search_take(struct search *search, struct plan *candidate, double makespan_s)
{
    const bool better = candidate_better(search, makespan_s);
    const bool accepted = better && candidate_complete(candidate);
    assert(accepted == better);
    if (accepted) {
        const struct plan before = search->best;
        search->best = *candidate;
        *candidate = before;
        search->best_s = makespan_s;
    }
    plan_release(candidate);
    *candidate = (struct plan){.kernel = NULL};
    return accepted;
}

bool search_offer(struct search *search, struct plan *candidate)
{
    const bool complete = search->out_of_memory || candidate_complete(candidate);
    assert(complete); /* a release build refuses the plan rather than lose core tasks */
    candidate_charge(search, candidate);
    const bool wanted = complete && !search->out_of_memory &&
                        (search->best_s == HUGE_VAL || !search_exhausted(search));
    return search_take(search, candidate,
                       wanted ? search_evaluate(search, candidate, NULL) : HUGE_VAL);
}

struct search search_fork(const struct search *search)
{
    struct search fork = *search;
    fork.best = (struct plan){.kernel = NULL};
    fork.best_s = HUGE_VAL;
    return fork;
}

bool search_join(struct search *search, struct search *fork)
{
    const bool better = candidate_better(search, fork->best_s);
    search->out_of_memory = search->out_of_memory || fork->out_of_memory;
    if (better) {
        plan_release(&search->best);
        search->best = fork->best;
        search->best_s = fork->best_s;
    } else {
        plan_release(&fork->best);
    }
    return better;
}

/* Removes workers that never get a package. */
static void plan_shrink(struct plan *plan)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < plan->worker_count; i++) {
        bool used = false;
        for (size_t r = 0; r < plan->round_count && !used; r++)
            used = plan->rounds[r].loads[i] > 0;
        if (!used)
            continue;
        plan->workers[kept] = plan->workers[i];
        for (size_t r = 0; r < plan->round_count; r++)
            plan->rounds[r].loads[kept] = plan->rounds[r].loads[i];
        kept++;
    }
    plan->worker_count = kept;
}

bool search_finish(struct search *search, const char *reason, struct plan *plan,
                   struct failure *failure)
{
    bool good = false;
    struct plan *best = &search->best;
    if (search->out_of_memory) {
        failure_memory(failure, "planning");
        goto out;
    }
    if (search->best_s == HUGE_VAL) {
        failure_set(failure, FAILURE_INFEASIBLE, "%s", reason);
        goto out;
    }
    plan_shrink(best);
    if (!schedule_predict(search->request->platform, best, failure))
        goto out;
    *plan = *best;
    *best = (struct plan){.kernel = NULL};
    good = true;
out:
    search_release(search);
    return good;
}
