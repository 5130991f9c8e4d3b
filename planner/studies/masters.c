#include "planner/studies/masters.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/setting_part.h"
#include "planner/studies/least_cost.h"

/* ---- stars --------------------------------------------------------------------------------- */

/* A master and its workers: a star of the job. */
struct star_ranks {
    struct platform platform; /* owned: its workers alone */
    int64_t master;           /* its rank; its workers are the ranks behind it */
    size_t alike;             /* the first star with such a platform */
    double weight;            /* the size of its part of the job, relative to the others' */
    int64_t first, tasks;
};

/* All stars, and what they work on. */
struct stars {
    const struct planning *planning;
    const struct platform *whole; /* with the job's cost map */
    struct star_ranks *items;     /* owned */
    size_t count;
};

static void stars_release(struct stars *stars)
{
    for (size_t k = 0; k < stars->count; k++)
        platform_release(&stars->items[k].platform);
    free(stars->items);
}

/* Stars of neighbouring ranks, whose sizes differ by one rank at most. Parts of the job are first
 * as large as what each star's workers can do if no master delays them. */
static bool stars_init(struct stars *stars, const struct planning *planning,
                       const struct platform *whole, int64_t masters, struct failure *failure)
{
    const int64_t ranks = whole->worker_count + 1;
    *stars = (struct stars){.planning = planning, .whole = whole};
    stars->items = calloc((size_t)masters, sizeof *stars->items);
    if (!stars->items)
        return failure_memory(failure, "planning several masters");
    for (int64_t k = 0; k < masters; k++) {
        struct star_ranks *star = &stars->items[k];
        star->master = k * ranks / masters;
        if (!planning_neighbours(planning, star->master, (k + 1) * ranks / masters - 2,
                                 &star->platform, failure)) {
            stars_release(stars);
            return false;
        }
        stars->count++;
        star->weight = 1 / platform_ideal(&star->platform, 1);
        while (star->alike < (size_t)k &&
               !platform_alike(&star->platform, &stars->items[star->alike].platform))
            star->alike++;
    }
    return true;
}

/* Divides the job by weight; each part has at least one core task. */
static void stars_share(struct stars *stars)
{
    const double tasks = stars->planning->tasks;
    double all = 0, before = 0;
    int64_t end = 0;
    for (size_t k = 0; k < stars->count; k++)
        all += stars->items[k].weight;
    for (size_t k = 0; k < stars->count; k++) {
        struct star_ranks *star = &stars->items[k];
        const int64_t begin = end, later = (int64_t)(stars->count - k - 1);
        before += star->weight;
        end = k + 1 == stars->count ? (int64_t)tasks
                                    : work_nearest(&stars->whole->work, (int64_t)tasks,
                                                   tasks * before / all, begin + 1);
        if (end > (int64_t)tasks - later)
            end = (int64_t)tasks - later;
        star->first = begin;
        star->tasks = end - begin;
    }
}

/* ---- their plans --------------------------------------------------------------------------- */

/* The first star whose plan is the same but for its ranks; the star itself, where core tasks of
 * different weight make each plan different. */
static size_t star_like(const struct stars *stars, size_t star)
{
    const struct star_ranks *items = stars->items;
    const bool own = stars->planning->real_valued || planning_is_weighed(stars->planning);
    for (size_t k = 0; k < star && !own; k++)
        if (items[k].alike == items[star].alike && items[k].tasks == items[star].tasks)
            return k;
    return star;
}

static int64_t stars_different(const struct stars *stars)
{
    int64_t different = 0;
    for (size_t k = 0; k < stars->count; k++)
        different += star_like(stars, k) == k;
    return different;
}

/* How stars are planned. Schedulers that are left out are noted in `omissions`. */
struct star_making {
    const struct scheduler *scheduler;    /* NULL: auto */
    double effort;                        /* units, of each plan that is different; 0: no limit */
    struct schedule_omissions *omissions; /* may be NULL */
};

static bool platform_schedule(const struct stars *stars, const struct platform *platform,
                              double tasks, const struct star_making *making, struct plan *plan,
                              struct failure *failure)
{
    struct effort effort = {making->effort};
    const struct schedule_request request = {.platform = platform,
                                             .tasks = tasks,
                                             .real_valued = stars->planning->real_valued,
                                             .effort = making->effort > 0 ? &effort : NULL};
    return making->scheduler ? scheduler_make(making->scheduler, &request, plan, failure)
                             : schedule_auto(&request, plan, making->omissions, failure);
}

/* Plans core tasks of known weights as the range of the job that they are, for one master. */
static bool weighed_schedule(const struct stars *stars, const struct star_ranks *star,
                             const struct star_making *making, struct plan *plan,
                             struct failure *failure)
{
    const struct plan range = {.first = (double)star->first, .tasks = (double)star->tasks};
    struct planning own = *stars->planning;
    struct setting_part part;
    struct platform platform;
    if (!setting_part_star(&part, own.setting, star->master, star->platform.worker_count, &range))
        return failure_memory(failure, "planning several masters");
    own.setting = &part.setting;
    own.tasks = range.tasks;
    own.workers = 0;
    own.effort_s = making->effort / EFFORT_SECOND;
    bool good = planning_platform(&own, &platform, failure);
    if (good) {
        good = platform_schedule(stars, &platform, own.tasks, making, plan, failure) &&
               (planning_apply_map(&own, plan, failure) || (plan_release(plan), false));
        platform_release(&platform);
    }
    setting_part_release(&part);
    return good;
}

static bool star_schedule(const struct stars *stars, const struct star_ranks *star,
                          const struct star_making *making, struct plan *plan,
                          struct failure *failure)
{
    return planning_is_weighed(stars->planning)
               ? weighed_schedule(stars, star, making, plan, failure)
               : platform_schedule(stars, &star->platform, (double)star->tasks, making, plan,
                                   failure);
}

/* Renumbers the workers of a plan from those of one star to those of another one. */
static void star_place(struct plan *plan, int64_t from, int64_t to)
{
    plan->master = to;
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        plan->workers[slot] += to - from;
}

static bool star_copy(const struct plan *from, int64_t master, struct plan *plan)
{
    if (!plan_head(from, from->tasks, plan))
        return false;
    plan->scheduler = strdup(from->scheduler);
    plan->predicted = from->predicted;
    star_place(plan, from->master, master);
    return plan->scheduler != NULL;
}

/* Predicts a star's plan by simulation, where core tasks differ along the job. */
static bool star_predict(const struct stars *stars, struct plan *plan, struct failure *failure)
{
    struct simulation simulation;
    if (!work_differs(&stars->whole->work))
        return true;
    if (!simulate_plan(stars->whole, plan, NULL, &simulation, failure))
        return false;
    plan->predicted.worker_busy_share *= plan->predicted.makespan_s / simulation.makespan_s;
    plan->predicted.makespan_s = simulation.makespan_s;
    return true;
}

static bool star_make(const struct stars *stars, size_t k, const struct star_making *making,
                      struct plan *plan, struct failure *failure)
{
    const struct star_ranks *star = &stars->items[k];
    const size_t like = star_like(stars, k);
    if (like < k)
        return star_copy(&plan->stars[like], star->master, &plan->stars[k]) ||
               failure_memory(failure, "planning several masters");
    if (!star_schedule(stars, star, making, &plan->stars[k], failure))
        return false;
    star_place(&plan->stars[k], 0, star->master);
    return true;
}

/* Plans each star; *plan is to be released in any case. */
static bool stars_plan(const struct stars *stars, const struct star_making *making,
                       struct plan *plan, struct failure *failure)
{
    *plan =
        (struct plan){.tasks = stars->planning->tasks, .real_valued = stars->planning->real_valued};
    assert(stars->count > 0); /* there are always several masters */
    plan->stars = calloc(stars->count, sizeof *plan->stars);
    if (!plan->stars)
        return failure_memory(failure, "planning several masters");
    while (plan->star_count < stars->count) {
        const size_t k = plan->star_count;
        if (!star_make(stars, k, making, plan, failure))
            return false;
        plan->star_count++;
    }
    plan_inherit(plan);
    bool good = true;
    for (size_t k = 0; good && k < plan->star_count; k++)
        good = star_predict(stars, &plan->stars[k], failure);
    return good;
}

static double stars_end(const struct plan *plan)
{
    double end_s = 0;
    for (size_t k = 0; k < plan->star_count; k++)
        end_s = fmax(end_s, plan->stars[k].predicted.makespan_s);
    return end_s;
}

/* Makes each star's weight the work that it did in a second. False: the stars end together already
 * or, even if they did, would take longer than `than_s`. */
static bool stars_weigh(struct stars *stars, const struct plan *plan, double than_s)
{
    static const double TOGETHER = 0.002;
    double least_s = HUGE_VAL, work = 0, speed = 0;
    for (size_t k = 0; k < plan->star_count; k++)
        least_s = fmin(least_s, plan->stars[k].predicted.makespan_s);
    if (stars_end(plan) <= (1 + TOGETHER) * least_s)
        return false;
    for (size_t k = 0; k < stars->count; k++) {
        const struct plan *star = &plan->stars[k];
        const double cost =
            work_mean_cost(&stars->whole->work, plan->tasks, star->first, star->tasks);
        stars->items[k].weight = cost * star->tasks / star->predicted.makespan_s;
        work += cost * star->tasks;
        speed += stars->items[k].weight;
    }
    return work <= than_s * speed;
}

/* Divides the job first by what workers could do, and then again and again by the speeds that the
 * stars had with their parts, as long as a makespan up to `than_s` is possible. *best is to be
 * released in any case. */
static bool stars_balance(struct stars *stars, const struct star_making *making, double than_s,
                          struct plan *best, struct failure *failure)
{
    enum { ROUNDS = 4 };
    stars_share(stars);
    bool good = stars_plan(stars, making, best, failure);
    for (int k = 0; good && k < ROUNDS; k++) {
        struct plan plan;
        if (!stars_weigh(stars, best, than_s))
            break;
        stars_share(stars);
        good = stars_plan(stars, making, &plan, failure);
        const bool better = good && stars_end(&plan) < stars_end(best);
        if (better) {
            const struct plan worse = *best;
            *best = plan;
            plan = worse;
        }
        plan_release(&plan);
        if (!better)
            break;
    }
    return good;
}

/* ---- how many masters ---------------------------------------------------------------------- */

static struct star_making making_of(const struct planning *planning, const char *scheduler,
                                    double share)
{
    const double second =
        EFFORT_SECOND * (scheduler_find(planning->scheduler) ? (double)PLANNING_EFFORT_NAMED : 1.0);
    return (struct star_making){.scheduler = scheduler_find(scheduler),
                                .effort = share * planning->effort_s * second};
}

/* Sums over workers: of core tasks per second, and of those that could be done during the waits for
 * first packages; and the longest such wait. */
struct least {
    double speed, idle, latest_s;
};

/* When the k-th worker begins, the port has sent k packages. Which worker that is, is not known:
 * the bound holds for any order, because the waits are counted as if the slowest worker had all of
 * them. */
static void least_add(struct least *least, const struct platform *platform)
{
    const struct cost port = least_port(platform);
    const double workers = (double)platform->worker_count;
    double slowest = HUGE_VAL;
    for (int64_t k = 0; k < platform->worker_count; k++) {
        const struct cost work = least_work(platform, k);
        const double rate = 1 / fmax(work.s_per_task, 1e-15);
        least->speed += rate;
        least->idle += rate * work.latency_s;
        least->latest_s = fmax(least->latest_s, work.latency_s + workers * port.latency_s);
        slowest = fmin(slowest, rate);
    }
    least->idle += slowest * port.latency_s * workers * (workers + 1) / 2;
}

/* A lower bound on the makespan with these masters, for any parts and plans. It must also hold if
 * some workers are left out. They do nothing, which is less than the bound credits them with,
 * unless the makespan is shorter than their wait: then no wait is taken off. */
static double stars_least(const struct stars *stars)
{
    static const double BUT_FOR_ROUNDING = 1 - 1e-9;
    const struct platform *whole = stars->whole;
    const double tasks = stars->planning->tasks;
    struct least least = {0, 0, 0};
    if (results_return(whole->results) || whole->operating != OPERATING_SINGLE_PORT ||
        work_differs(&whole->work) || work_differs(&whole->bytes))
        return 0;
    for (size_t k = 0; k < stars->count; k++)
        least_add(&least, &stars->items[k].platform);
    const double waited_s = (tasks + least.idle) / least.speed;
    const double worked_s = waited_s >= least.latest_s ? waited_s : tasks / least.speed;
    const double sent_s = tasks * least_port(whole).s_per_task / (double)stars->count;
    return BUT_FOR_ROUNDING * fmax(worked_s, sent_s);
}

/* The least time of so many masters by quick plans; HUGE_VAL: no plan takes at most `than_s`. */
static bool count_try(const struct planning *planning, const struct platform *whole,
                      int64_t masters, double than_s, double *makespan_s, struct failure *failure)
{
    static const double SHARE = 0.02;
    struct star_making making = making_of(planning, SCHEDULER_QUICK, SHARE);
    struct failure refused = FAILURE_INIT;
    struct stars stars;
    struct plan plan = {.kernel = NULL};
    *makespan_s = HUGE_VAL;
    if (!stars_init(&stars, planning, whole, masters, failure))
        return false;
    if (stars_least(&stars) <= than_s && stars_balance(&stars, &making, than_s, &plan, &refused))
        *makespan_s = stars_end(&plan);
    plan_release(&plan);
    stars_release(&stars);
    return refused.code == FAILURE_NONE || refused.code == FAILURE_INFEASIBLE ||
           failure_set(failure, refused.code, "%s", refused.text);
}

/* The most masters that can each have a worker and a core task. */
static int64_t masters_most(const struct planning *planning, const struct platform *whole)
{
    const int64_t ranks = (whole->worker_count + 1) / 2;
    const int64_t most = ranks < MASTERS_MOST ? ranks : MASTERS_MOST;
    return planning->tasks < (double)most ? (int64_t)planning->tasks : most;
}

struct best_count {
    int64_t masters;
    double makespan_s;
};

static bool count_offer(const struct planning *planning, const struct platform *whole,
                        int64_t masters, struct best_count *best, struct failure *failure)
{
    double makespan_s;
    if (masters < 1 || masters > masters_most(planning, whole))
        return true;
    if (!count_try(planning, whole, masters, best->makespan_s, &makespan_s, failure))
        return false;
    if (makespan_s < best->makespan_s ||
        (makespan_s == best->makespan_s && masters < best->masters))
        *best = (struct best_count){masters, makespan_s};
    return true;
}

/* Does a step between numbers of masters end the search, because it saved no more than counts as
 * equal? Only a step that is small relative to the number of masters. */
static bool step_ends(int64_t step, double before_s, const struct best_count *best)
{
    enum { FINE = 8 };
    return step * FINE <= best->masters && best->makespan_s >= (1 - SCHEDULE_WITHIN) * before_s;
}

/* Searches for the least number of masters, from `fewest` on, whose plan takes less than *best, if
 * there is one. It tries powers of two first, downwards: plans for many masters are made quickly,
 * and their bounds rule out most numbers of few masters. Then it tries numbers around the best, by
 * steps that are halved: the makespan falls up to about P / (lambda + 1) masters and rises beyond,
 * where lambda is the number of workers that one master can feed. Neighbours that are powers of two
 * are known already. */
static bool count_search(const struct planning *planning, const struct platform *whole,
                         int64_t fewest, struct best_count *best, struct failure *failure)
{
    const int64_t most = masters_most(planning, whole);
    int64_t masters = 1;
    bool good = true;
    while (2 * masters <= most)
        masters *= 2;
    for (; good && masters >= fewest; masters /= 2)
        good = count_offer(planning, whole, masters, best, failure);
    const int64_t known = best->masters / 2;
    for (int64_t step = known; good && step > 0; step /= 2) {
        const int64_t from = best->masters;
        const double before_s = best->makespan_s;
        good = (from - step == known || count_offer(planning, whole, from - step, best, failure)) &&
               count_offer(planning, whole, from + step, best, failure);
        if (step_ends(step, before_s, best))
            break;
    }
    return good;
}

/* ---- the plan ------------------------------------------------------------------------------ */

/* Sums up the stars' predictions: means over workers, the busiest master, and a bound that holds
 * for any parts and any number of masters. */
static void stars_sum(const struct stars *stars, struct plan *plan)
{
    struct plan_prediction sum = {.known = true, .makespan_s = stars_end(plan)};
    double speed = 0, used = 0;
    for (size_t k = 0; k < plan->star_count; k++) {
        const struct plan_prediction *star = &plan->stars[k].predicted;
        const double workers = (double)plan_workers_used(&plan->stars[k]);
        const double share = star->makespan_s / sum.makespan_s;
        used += workers;
        speed += 1 / platform_ideal(&stars->items[k].platform, 1);
        sum.period_s = fmax(sum.period_s, star->period_s);
        sum.worker_utilization += workers * star->worker_utilization;
        sum.master_utilization += workers * star->master_utilization;
        sum.worker_busy_share += workers * star->worker_busy_share * share;
        sum.network_utilization = fmax(sum.network_utilization, star->network_utilization * share);
        sum.output_s = fmax(sum.output_s, star->output_s);
    }
    sum.worker_utilization /= used;
    sum.master_utilization /= used;
    sum.worker_busy_share /= used;
    sum.utilization = sum.worker_utilization + sum.master_utilization;
    sum.lower_bound_s = plan->tasks / speed;
    sum.gap = sum.makespan_s / sum.lower_bound_s - 1;
    plan->predicted = sum;
}

/* The plan is named after the scheduler of its stars; "auto" where they differ. */
static bool scheduler_name(struct plan *plan)
{
    const char *name = plan->stars[0].scheduler;
    for (size_t k = 1; k < plan->star_count; k++)
        if (strcmp(name, plan->stars[k].scheduler) != 0)
            name = SCHEDULER_AUTO;
    plan->scheduler = strdup(name);
    return plan->scheduler != NULL;
}

static bool several_make(const struct planning *planning, const struct platform *whole,
                         int64_t masters, double share, struct plan *plan, struct failure *failure)
{
    struct stars stars;
    struct star_making making = making_of(planning, planning->scheduler, share);
    struct plan made = {.kernel = NULL};
    if (!stars_init(&stars, planning, whole, masters, failure))
        return false;
    making.omissions = planning->omissions;
    stars_share(&stars);
    making.effort /= (double)stars_different(&stars);
    bool good = stars_balance(&stars, &making, HUGE_VAL, &made, failure);
    if (good) {
        stars_sum(&stars, &made);
        good = ((scheduler_name(&made) && planning_note_weights(planning, &made)) ||
                failure_memory(failure, "planning several masters")) &&
               planning_check_total(&made, failure) && planning_label(planning, &made, failure) &&
               planning_note_beyond(planning, whole->worker_count, &made, failure);
    }
    plan_inherit(&made);
    good = good && (!planning->tail || planning_tail(planning, planning->tail, &made, failure));
    stars_release(&stars);
    if (good)
        *plan = made;
    else
        plan_release(&made);
    return good;
}

/* *may: can one master take as little as `than_s`, by the bound? */
static bool one_may(const struct planning *planning, const struct platform *whole, double than_s,
                    bool *may, struct failure *failure)
{
    struct stars one;
    if (!stars_init(&one, planning, whole, 1, failure))
        return false;
    *may = stars_least(&one) <= than_s;
    stars_release(&one);
    return true;
}

/* One master's plan replaces *plan unless several masters save enough. */
static bool one_keep(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    struct schedule_omissions omissions = {.count = 0};
    struct planning alone = *planning;
    struct plan one;
    if (planning->omissions)
        alone.omissions = &omissions;
    if (!planning_make(&alone, &one, failure))
        return false;
    if (plan->predicted.makespan_s >= (1 - MASTERS_GAIN) * one.predicted.makespan_s) {
        const struct plan several = *plan;
        *plan = one;
        one = several;
        if (planning->omissions)
            *planning->omissions = omissions;
    }
    plan_release(&one);
    return true;
}

/* Plans for so many masters, or for one where they do not save enough. */
static bool better_make(const struct planning *planning, const struct platform *whole,
                        int64_t masters, struct plan *plan, struct failure *failure)
{
    static const double SHARE = 0.5;
    struct planning half = *planning;
    bool may = false;
    half.effort_s *= SHARE;
    if (!several_make(planning, whole, masters, SHARE, plan, failure))
        return false;
    const double than_s = plan->predicted.makespan_s / (1 - MASTERS_GAIN);
    if (one_may(planning, whole, than_s, &may, failure) && (!may || one_keep(&half, plan, failure)))
        return true;
    plan_release(plan);
    return false;
}

static bool masters_check(const struct planning *planning, const struct platform *whole,
                          int64_t masters, struct failure *failure)
{
    const int64_t ranks = whole->worker_count + 1, most = masters_most(planning, whole);
    if (masters <= most)
        return true;
    if (masters > MASTERS_MOST)
        return failure_set(failure, FAILURE_USAGE, MASTERS_TOO_MANY, (int)MASTERS_MOST);
    if (2 * masters > ranks)
        return failure_set(failure, FAILURE_USAGE,
                           "%" PRId64 " masters with a worker each need %" PRId64
                           " ranks, and there are %" PRId64 ": give at most --masters %" PRId64,
                           masters, 2 * masters, ranks, most);
    return failure_set(failure, FAILURE_USAGE,
                       "%" PRId64 " masters for %.0f core tasks: give at most --masters %" PRId64,
                       masters, planning->tasks, most);
}

/* Tries the wanted number of masters, or fewer where ranks or core tasks do not suffice. */
static bool count_look(const struct planning *planning, const struct platform *whole,
                       int64_t wanted, struct best_count *best, struct failure *failure)
{
    const int64_t most = masters_most(planning, whole), masters = wanted < most ? wanted : most;
    double makespan_s;
    if (masters <= 1)
        return true;
    if (!count_try(planning, whole, masters, HUGE_VAL, &makespan_s, failure))
        return false;
    if (isfinite(makespan_s))
        *best = (struct best_count){masters, makespan_s};
    return true;
}

bool masters_quick(const struct planning *planning, int64_t wanted, double one_s, int64_t *masters,
                   double *makespan_s, struct failure *failure)
{
    const bool chosen = wanted == MASTERS_AUTO;
    struct platform whole;
    struct best_count best = {1, chosen ? (1 - MASTERS_GAIN) * one_s : one_s};
    if (!planning_platform_placed(planning, &whole, failure))
        return false;
    const bool good = chosen ? count_search(planning, &whole, 2, &best, failure)
                             : count_look(planning, &whole, wanted, &best, failure);
    platform_release(&whole);
    *masters = best.masters;
    *makespan_s = best.masters > 1 ? best.makespan_s : one_s;
    return good;
}

bool masters_find(const struct planning *planning, const struct plan *plan, int64_t *masters,
                  double *makespan_s, struct failure *failure)
{
    return masters_quick(planning, MASTERS_AUTO, plan->predicted.makespan_s, masters, makespan_s,
                         failure);
}

bool masters_make(const struct planning *planning, int64_t masters, struct plan *plan,
                  struct failure *failure)
{
    struct platform whole;
    const bool chosen = masters == MASTERS_AUTO;
    struct best_count best = {chosen ? 1 : masters, chosen ? HUGE_VAL : 0};
    if (!planning_platform_placed(planning, &whole, failure))
        return false;
    bool good = chosen ? count_search(planning, &whole, 1, &best, failure)
                       : masters_check(planning, &whole, masters, failure);
    if (good && best.masters == 1)
        good = planning_make(planning, plan, failure);
    else if (good && chosen)
        good = better_make(planning, &whole, best.masters, plan, failure);
    else if (good)
        good = several_make(planning, &whole, masters, 1, plan, failure);
    platform_release(&whole);
    return good;
}
