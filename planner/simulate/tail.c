/* Where core tasks are equal, the static share follows Complib's notion of dependable performance
 * (after AppLeS): the mean less three standard deviations. The end of a worker deviates by the root
 * of the summed squares of its packages' deviations and of the error of its speed; three times that
 * long, all workers together get their core tasks on request. Where core tasks differ, nothing says
 * how much is dependable, because heavy ones may come last: every share is tried, from the whole
 * job down. */
#include "planner/simulate/tail.h"

#include <math.h>
#include <stdlib.h>

#include "planner/simulate/dependable.h"
#include "planner/simulate/ensemble.h"
#include "planner/simulate/unequal.h"

static const double errors_on_request = 3;
/* Where a speed is less certain than this, relative, no share follows from deviations, and any
 * share of the job may be needed: all are tried. */
static const double speed_sure = 0.02;
/* How much longer, relative, a plan with the tail may take where no package differs. */
static const double cost_most = 0.01;
/* Each size of the tail is simulated DRAWS times, fewer times where there are many workers. Each
 * size is half the one before. */
static const uint64_t first_seed = 0x7a11;
enum { DRAWS = 16, SIZES = 6, SIZES_UNEQUAL = 9 };
/* How many packages of a simulation are simulated one by one, the others being summed up
 * (fast_forward.h); and how many in all simulations of one size. */
enum { SIMULATED = 2000, PACKAGES_MOST = 2 * DRAWS * SIMULATED };
/* At least so many are for each worker, in head and tail together: until the packages' rhythm is
 * steady. */
enum { SIMULATED_EACH = 40 };

static double package_s(const struct plan_tail_request *request, int64_t worker, double tasks)
{
    const struct platform_window *window = platform_nearest(request->platform, tasks);
    const int64_t last = request->platform->worker_count - 1;
    return cost_of(platform_class_work(platform_worker(window, worker < last ? worker : last)),
                   tasks);
}

/* The deviation of the end of the worker whose end is least certain; *rate becomes the core tasks
 * per second of all workers. */
static double end_deviation(const struct plan_tail_request *request, double *rate)
{
    const struct plan *plan = request->plan;
    double most_s2 = 0;
    *rate = 0;
    for (int64_t k = 0; k < plan->worker_count; k++) {
        double squares_s2 = 0, work_s = 0, tasks = 0;
        for (size_t r = 0; r < plan->round_count; r++) {
            const double load = plan->rounds[r].loads[k], times = (double)plan->rounds[r].repeat;
            const double each_s = package_s(request, plan->workers[k], load);
            squares_s2 += times * each_s * each_s;
            work_s += times * each_s;
            tasks += times * load;
        }
        const double packages_s2 = request->deviation * request->deviation * squares_s2;
        const double speed_s = request->speed * work_s;
        most_s2 = fmax(most_s2, packages_s2 + speed_s * speed_s);
        *rate += work_s > 0 ? tasks / work_s : 0;
    }
    return sqrt(most_s2);
}

static struct decision decision_of(const struct plan_tail *tail)
{
    return (struct decision){.plan = &tail->head, .tail = tail};
}

static bool tail_simulate(const struct plan_tail_request *request, const struct plan_tail *tail,
                          const struct scenario *scenario, double *makespan_s,
                          struct failure *failure)
{
    const struct decision decision = decision_of(tail);
    struct simulation simulation;
    struct dispatch *dispatch = decision_dispatch(&decision, request->platform, scenario, failure);
    const bool good = dispatch && simulate_scenario(request->platform, dispatch, scenario, NULL,
                                                    &simulation, failure);
    if (good)
        *makespan_s = simulation.makespan_s;
    dispatch_free(&dispatch);
    return good;
}

static int64_t draws_of(int64_t workers)
{
    const int64_t fit = PACKAGES_MOST / (SIMULATED_EACH * workers + 1);
    return fit < 1 ? 1 : fit < DRAWS ? fit : DRAWS;
}

double plan_tail_effort(int64_t workers)
{
    const double each = fmax(2 * SIMULATED, SIMULATED_EACH * (double)workers);
    return each * (double)(draws_of(workers) + 1) * (SIZES_UNEQUAL + 1);
}

/* The mean over simulations with the same draws for every tail, so that tails can be compared. */
static bool tail_score(const struct plan_tail_request *request, const struct plan_tail *tail,
                       double *mean_s, struct failure *failure)
{
    const int64_t draws = draws_of(request->workers);
    const struct decision decision = decision_of(tail);
    struct scenario scenario = SCENARIO_INIT;
    struct ensemble ensemble;
    struct unequal unequal;
    struct variation variation;
    scenario.seed = first_seed;
    scenario.noise = request->deviation;
    scenario.simulated = SIMULATED;
    if (request->setting) {
        unequal = unequal_draw(request->setting, request->speed, request->plan->tasks, 0, draws);
        variation = unequal_variation(&unequal);
        scenario.variation = &variation;
    }
    const struct ensemble_setup setup = {
        .platform = request->platform, .decision = &decision, .scenario = &scenario, .runs = draws};
    const bool good = ensemble_simulate(&setup, &ensemble, failure);
    if (good)
        *mean_s = ensemble_mean(&ensemble);
    ensemble_release(&ensemble);
    return good;
}

/* The relative deviation of one core task. */
static double task_deviation(const struct plan_tail_request *request)
{
    return request->setting
               ? hypot(request->deviation, profile_setting_deviation(request->setting, 1))
               : request->deviation;
}

/* Adds the rule, which assigns what the head leaves. */
static bool tail_complete(struct plan_tail *tail, const struct plan_tail_request *request,
                          struct failure *failure)
{
    struct scenario usual = SCENARIO_INIT;
    usual.simulated = SIMULATED;
    tail->setup =
        (struct dispatch_setup){.rule = request->rule,
                                .tasks = (int64_t)(request->plan->tasks - tail->head.tasks),
                                .workers = request->workers,
                                .ahead = request->ahead};
    if (tail->setup.tasks == 0)
        return tail_simulate(request, tail, &usual, &tail->makespan_s, failure);
    tail->weights = dispatch_setup_platform(&tail->setup, request->platform);
    if (!tail->weights)
        return failure_memory(failure, "starting a rule");
    tail->setup.deviation_s = task_deviation(request) / tail->weights[0];
    return tail_simulate(request, tail, &usual, &tail->makespan_s, failure);
}

/* Makes a tail with about so many core tasks on request. */
static bool tail_make(struct plan_tail *tail, const struct plan_tail_request *request,
                      double on_request, struct failure *failure)
{
    const double tasks = request->plan->tasks;
    *tail = (struct plan_tail){.share = on_request / tasks};
    return plan_head(request->plan, fmax(0, tasks - ceil(on_request)), &tail->head)
               ? tail_complete(tail, request, failure)
               : failure_memory(failure, "dividing a plan");
}

/* Makes another tail, and keeps the better one of both in *tail. */
static bool tail_offer(struct plan_tail *tail, double *best_s,
                       const struct plan_tail_request *request, double on_request, double most_s,
                       struct failure *failure)
{
    struct plan_tail other;
    double mean_s = 0;
    bool good = tail_make(&other, request, on_request, failure);
    const bool dear = request->equal && other.makespan_s > most_s;
    good = good && (dear || tail_score(request, &other, &mean_s, failure));
    if (good && !dear && mean_s < *best_s) {
        plan_tail_release(tail);
        *tail = other;
        *best_s = mean_s;
    } else {
        plan_tail_release(&other);
    }
    return good;
}

/* Tries as many core tasks on request as the deviations ask for (all of them where core tasks
 * differ or speeds are uncertain), and fewer. */
static bool tail_choose(struct plan_tail *tail, const struct plan_tail_request *request,
                        struct failure *failure)
{
    double rate, whole_s;
    const double wanted = errors_on_request * end_deviation(request, &rate) * rate;
    const bool sure = request->equal && request->speed <= speed_sure;
    double on_request = sure ? fmin(wanted, request->plan->tasks) : request->plan->tasks;
    const int sizes = sure ? SIZES : SIZES_UNEQUAL;
    if (!tail_make(tail, request, 0, failure) || !tail_score(request, tail, &whole_s, failure))
        return false;
    const double most_s = (1 + cost_most) * tail->makespan_s;
    double best_s = whole_s;
    for (int k = 0; k < sizes && on_request >= 1; k++) {
        if (!tail_offer(tail, &best_s, request, on_request, most_s, failure))
            return false;
        on_request /= 2;
    }
    tail->gain = whole_s > 0 ? 1 - best_s / whole_s : 0;
    return true;
}

/* ---- dependable performance --------------------------------------------------------------- */

/* The relative deviation of the worker's speed: how exactly it is known, and how much it drifts, by
 * itself or together with the others. */
static double speed_deviation(const struct plan_tail_request *request, int64_t worker, double usual)
{
    const struct profile_setting *setting = request->setting;
    size_t at = 0;
    if (!setting)
        return 0;
    while (at + 1 < setting->window_count && (double)setting->windows[at].greatest < usual)
        at++;
    const struct profile_window *window = &setting->windows[at];
    const struct measured_cost *compute = &window->workers[profile_class(window, worker)].compute;
    const struct fit *fit = &compute->fit;
    const double rate = compute->cost.s_per_task;
    return hypot(rate > 0 ? fit->stderr_s_per_task / rate : 0, hypot(fit->drift, fit->drift_own));
}

/* The core tasks per second of that slot by the plan, and the relative deviation of the time of all
 * its packages. */
static struct dependable_worker slot_reliance(const struct plan_tail_request *request, int64_t slot)
{
    const struct plan *plan = request->plan;
    double squares_s2 = 0, work_s = 0, tasks = 0, packages = 0;
    for (size_t r = 0; r < plan->round_count; r++) {
        const double load = plan->rounds[r].loads[slot], times = (double)plan->rounds[r].repeat;
        const double each_s = package_s(request, plan->workers[slot], load);
        const double spread =
            request->setting && load > 0 ? profile_setting_deviation(request->setting, load) : 0;
        const double off_s = hypot(request->deviation, spread) * each_s;
        squares_s2 += times * off_s * off_s;
        work_s += times * each_s;
        tasks += times * load;
        packages += load > 0 ? times : 0;
    }
    if (!(work_s > 0))
        return (struct dependable_worker){0, 0};
    const double speed = speed_deviation(request, plan->workers[slot], tasks / packages);
    return (struct dependable_worker){tasks / work_s, hypot(sqrt(squares_s2) / work_s, speed)};
}

/* Where core tasks differ by their places, packages must keep these. Then the head is the plan's
 * first packages, with as many core tasks as are dependable for all workers together. */
static bool relied_head(const struct plan_tail_request *request, const double *shares,
                        struct plan *head)
{
    double tasks = 0;
    for (int64_t k = 0; k < request->plan->worker_count; k++)
        tasks += shares[k];
    return work_differs(&request->platform->work)
               ? plan_head(request->plan, tasks, head)
               : dependable_head(request->plan, request->platform, shares, head);
}

static bool tail_rely(struct plan_tail *tail, const struct plan_tail_request *request,
                      struct failure *failure)
{
    const struct plan *plan = request->plan;
    const size_t count = (size_t)plan->worker_count;
    struct dependable_worker *workers = calloc(count, sizeof *workers);
    double *shares = calloc(count, sizeof *shares);
    bool good = workers && shares;
    if (good) {
        for (int64_t k = 0; k < plan->worker_count; k++)
            workers[k] = slot_reliance(request, k);
        dependable_shares(workers, plan->worker_count, request->errors, plan->tasks, shares);
        good = relied_head(request, shares, &tail->head);
    }
    free(workers);
    free(shares);
    if (!good)
        return failure_memory(failure, "dividing a plan");
    tail->share = 1 - tail->head.tasks / plan->tasks;
    return tail_complete(tail, request, failure);
}

static bool tail_find(struct plan_tail *tail, const struct plan_tail_request *request,
                      struct failure *failure)
{
    if (request->errors > 0)
        return tail_rely(tail, request, failure);
    return request->share >= 0
               ? tail_make(tail, request, request->share * request->plan->tasks, failure)
               : tail_choose(tail, request, failure);
}

/* A part of a job is treated as a job of its own. */
bool plan_tail_init(struct plan_tail *tail, const struct plan_tail_request *request,
                    struct failure *failure)
{
    struct plan own = *request->plan;
    struct plan_tail_request alone = *request;
    own.first = 0;
    alone.plan = &own;
    *tail = (struct plan_tail){.weights = NULL};
    const bool good =
        dispatch_rule_check(request->rule, failure) && tail_find(tail, &alone, failure);
    tail->head.first = request->plan->first;
    tail->setup.first = tail->setup.before = (int64_t)request->plan->first;
    if (!good)
        plan_tail_release(tail);
    return good;
}

void plan_tail_release(struct plan_tail *tail)
{
    plan_release(&tail->head);
    free(tail->weights);
    *tail = (struct plan_tail){.weights = NULL};
}
