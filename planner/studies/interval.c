#include "planner/studies/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/plan_cursor.h"
#include "planner/replan/watching.h"
#include "planner/simulate/decision.h"
#include "planner/simulate/evaluate.h"
#include "planner/simulate/loop.h"
#include "planner/studies/cost_sample.h"

/* Draws of a plan: at most so many, and so many packages in all of them; but up to MORE packages at
 * least ENOUGH draws, and always LEAST. */
enum { DRAWS_MOST = 1000, DRAWS_ENOUGH = 200, DRAWS_LEAST = 50 };
enum { PACKAGES_QUICK = 4000000, PACKAGES_MORE = 20000000 };
/* With a tail: packages that are played of a draw, more being summed up (fast_forward.h), at least
 * so many for each worker, and in all; beyond PLAYED_ENOUGH of them no more draws than LEAST. */
enum { PLAYED = 1000, PLAYED_EACH = 40, PLAYED_MOST = 4000000, PLAYED_ENOUGH = 2000000 };
/* About how many packages a rule makes for each worker. */
enum { PACKAGES_DEALT = 24 };

/* All packages of a worker together, by the costs fitted. */
struct load_sum {
    double compute_s, variance_s2;
};

/* A plan that is played again and again. */
struct play {
    const struct plan *plan;
    struct cost_sample sample; /* owned */
    bool large;                /* round by round, not package by package */
    double weight;    /* of a large plan: by how much longer it takes for the regions of the job */
    struct loop loop; /* owned */
    struct plan_cursor cursor; /* of the draw that is played package by package */
    const double *loads;       /* whose slots are filled in */
    struct star_cost cost;     /* of the package at hand */
    struct drawn_cost *slots;  /* owned, one per worker of the plan: of a round at hand */
    double *ends_s;            /* owned, likewise */
    struct load_sum *sums;     /* owned, likewise: of a large plan */
    struct own_share own;      /* of the master: what is left of it in this draw */
    double own_factor;         /* the draw's, on what the master computes */
    double master_busy_s;      /* with packages, as fitted */
    bool tailed;               /* the end is dealt on request: one dispatch decides it all */
    struct watching watching;  /* owned; of that */
};

static bool fit_known(const struct measured_cost *cost)
{
    const struct fit *fit = &cost->fit;
    return fit->stderr_latency_s > 0 || fit->stderr_s_per_task > 0 || fit->deviation > 0 ||
           fit->jitter_s > 0 || fit->drift > 0 || fit->drift_own > 0;
}

bool interval_known(const struct profile *profile, const struct profile_setting *setting)
{
    bool known = profile_drift(profile) > 0;
    for (size_t w = 0; w < setting->window_count; w++)
        for (size_t k = 0; k < setting->windows[w].worker_count; k++) {
            const struct profile_window *window = &setting->windows[w];
            const struct profile_costs fits = profile_costs(window, &window->workers[k]);
            for (int operation = 0; operation < DRAWN_OPERATIONS; operation++)
                known = known || fit_known(fits.items[operation]);
        }
    return known;
}

/* One round entry; neighbours mostly have equal packages and are of one class. */
static void slots_fill(const struct play *play, const double *loads)
{
    const struct plan *plan = play->plan;
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const struct platform_window *window;
        if (!(loads[k] > 0))
            continue;
        window = platform_find(&play->sample.fitted, loads[k]);
        if (k > 0 && loads[k] == loads[k - 1] &&
            platform_worker(window, plan->workers[k]) ==
                platform_worker(window, plan->workers[k - 1]))
            play->slots[k] = play->slots[k - 1];
        else
            cost_sample_cost(&play->sample, plan->workers[k], loads[k], &play->slots[k]);
    }
}

/* What the package at hand takes for where it lies in the job. */
static void cost_place(struct play *play)
{
    const struct plan_cursor *cursor = &play->cursor;
    const struct platform *fitted = &play->sample.fitted;
    if (!platform_differs(fitted))
        return;
    const struct platform_window *window = platform_nearest(fitted, cursor->load);
    const int64_t worker = play->plan->workers[cursor->slot];
    star_cost_place(&play->cost, fitted, window, platform_worker(window, worker), cursor->first,
                    cursor->load);
}

static enum loop_answer package_next(void *self, struct loop *loop, struct loop_package *package,
                                     struct failure *failure)
{
    struct play *play = self;
    struct plan_cursor *cursor = &play->cursor;
    (void)loop;
    (void)failure;
    if (!plan_cursor_next(cursor))
        return LOOP_END;
    if (cursor->loads != play->loads)
        slots_fill(play, cursor->loads);
    play->loads = cursor->loads;
    play->cost = cost_sample_package(&play->sample, play->plan->workers[cursor->slot],
                                     &play->slots[cursor->slot]);
    cost_place(play);
    package->worker = cursor->slot;
    package->rank = play->plan->workers[cursor->slot] + 1;
    package->load = cursor->load;
    package->cost = &play->cost;
    return LOOP_SEND;
}

/* What a master that computes takes longer in this draw. */
static void own_begin(struct play *play)
{
    const struct plan *plan = play->plan;
    const struct fit *fit = &play->sample.request->setting->master.fit;
    play->own = own_share_of(&play->sample.fitted, plan);
    play->own_factor = 1;
    if (plan->own.tasks > 0)
        play->own_factor = fmax(0, 1 + fit->drift * cost_sample_normal(&play->sample));
}

static bool own_next(void *self, double at_s, double until_s, struct own_span *span)
{
    struct play *play = self;
    const struct fit *fit = &play->sample.request->setting->master.fit;
    if (!own_share_next(&play->own, at_s, until_s, span))
        return false;
    const double deviation = fit->deviation / sqrt(span->tasks);
    span->seconds *= play->own_factor * fmax(0, 1 + deviation * cost_sample_normal(&play->sample));
    return true;
}

/* One draw, package by package. NaN: out of memory. */
static double packages_play(struct play *play)
{
    struct failure none = FAILURE_INIT;
    const struct loop_source source = {.next = package_next,
                                       .computes = play->plan->own.tasks > 0 ? own_next : NULL,
                                       .self = play};
    play->cursor = (struct plan_cursor)PLAN_CURSOR(play->plan);
    play->loads = NULL;
    own_begin(play);
    loop_restart(&play->loop, &play->sample.drawn, play->plan->workers);
    return loop_run(&play->loop, &source, &none) ? loop_makespan(&play->loop) : (double)NAN;
}

static void sum_add(struct load_sum *sum, const struct drawn_cost *slot, double repeat)
{
    sum->compute_s += repeat * slot->seconds[OPERATION_COMPUTE];
    for (int i = OPERATION_RECEIVE; i < DRAWN_OPERATIONS; i++) {
        const double deviation_s = slot->seconds[i] * slot->deviations[i];
        sum->variance_s2 += repeat * deviation_s * deviation_s;
    }
}

/* From the simulation of a large plan as fitted, regions heeded. */
static bool fitted_take(struct play *play, const struct simulation *heeded)
{
    struct evaluator *evaluator = evaluator_new(&play->sample.fitted);
    if (!evaluator)
        return false;
    const double equal_s = evaluator_makespan(evaluator, play->plan, play->ends_s);
    play->weight = platform_differs(&play->sample.fitted) ? heeded->latest_end_s / equal_s : 1;
    play->master_busy_s = heeded->master_busy_s;
    evaluator_free(&evaluator);
    return true;
}

/* While what is drawn is still what was fitted. */
static void sums_fill(struct play *play)
{
    const struct plan *plan = play->plan;
    for (size_t r = 0; r < plan->round_count; r++) {
        const struct plan_round *round = &plan->rounds[r];
        slots_fill(play, round->loads);
        for (int64_t k = 0; k < plan->worker_count; k++)
            if (round->loads[k] > 0)
                sum_add(&play->sums[k], &play->slots[k], (double)round->repeat);
    }
}

/* One draw of a plan with very many packages: only a worker's sum of deviations is felt, and its
 * own drift in the time that it computes. NaN: out of memory. */
static double rounds_play(struct play *play)
{
    const struct plan *plan = play->plan;
    struct evaluator *evaluator = evaluator_new(&play->sample.drawn);
    double makespan_s = 0;
    if (!evaluator)
        return (double)NAN;
    evaluator_makespan(evaluator, plan, play->ends_s);
    evaluator_free(&evaluator);
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const struct load_sum *sum = &play->sums[k];
        const double off_s = cost_sample_normal(&play->sample) * sqrt(sum->variance_s2) +
                             (play->sample.factors[plan->workers[k]] - 1) * sum->compute_s;
        if (play->ends_s[k] > 0)
            makespan_s = fmax(makespan_s, play->ends_s[k] + off_s);
    }
    struct own_span span = {.seconds = 0};
    own_begin(play);
    if (own_next(play, 0, HUGE_VAL, &span))
        makespan_s = fmax(makespan_s * play->weight, play->master_busy_s + span.seconds);
    else
        makespan_s *= play->weight;
    return makespan_s;
}

/* With the plan's tail, whose rule was told what the fitted costs say, and answers take as long as
 * these say. */
static bool tail_play(struct play *play, int64_t draws, struct ensemble *ensemble,
                      struct failure *failure)
{
    const struct variation variation = cost_sample_variation(&play->sample);
    struct scenario scenario = SCENARIO_INIT;
    const struct ensemble_setup setup = {.platform = &play->watching.platform,
                                         .decision = &play->watching.decision,
                                         .scenario = &scenario,
                                         .runs = draws};
    scenario.variation = &variation;
    scenario.seed = play->sample.request->seed;
    scenario.played = PLAYED;
    return ensemble_simulate(&setup, ensemble, failure);
}

static void play_release(struct play *play)
{
    cost_sample_release(&play->sample);
    loop_release(&play->loop);
    free(play->slots);
    free(play->ends_s);
    free(play->sums);
    watching_release(&play->watching);
}

/* False: out of memory; released all the same by the caller. */
static bool play_init(struct play *play, const struct interval_request *request)
{
    const struct plan *plan = request->plan;
    const size_t slots = (size_t)plan->worker_count;
    *play = (struct play){.plan = plan, .weight = 1};
    play->slots = calloc(slots, sizeof *play->slots);
    play->ends_s = calloc(slots, sizeof *play->ends_s);
    play->sums = calloc(slots, sizeof *play->sums);
    play->large = plan_packages(plan) > PACKAGES_MORE / DRAWS_LEAST;
    return play->slots && play->ends_s && play->sums && cost_sample_init(&play->sample, request) &&
           loop_init(&play->loop, &play->sample.drawn, plan->worker_count);
}

/* With the plan's tail, few or none where there are very many workers. */
static int64_t draws_tailed(const struct interval_request *request)
{
    const int64_t workers =
        request->workers > 0 ? request->workers : profile_workers(&request->setting->windows[0]);
    const int64_t fast = 2 * (int64_t)PLAYED + PLAYED_EACH * workers;
    const int64_t all = plan_packages(request->plan) + PACKAGES_DEALT * workers;
    const int64_t each = all < fast ? all : fast, most = all <= fast ? DRAWS_MOST : DRAWS_ENOUGH;
    const int64_t possible = PLAYED_MOST / each, enough = PLAYED_ENOUGH / each;
    const int64_t draws = possible < DRAWS_LEAST || enough > DRAWS_LEAST ? enough : DRAWS_LEAST;
    return draws < most ? draws : most;
}

/* The plan's tail, as `scow run` would deal it. */
static bool tail_init(struct play *play, const struct interval_request *request,
                      struct failure *failure)
{
    const struct watching_request wanted = {.plan = request->plan,
                                            .setting = request->setting,
                                            .workers = request->workers,
                                            .tail = request->plan->tail,
                                            .ahead = WATCHING_AHEAD};
    play->tailed = request->plan->tail && draws_tailed(request) >= DRAWS_LEAST;
    if (!play->tailed)
        return true;
    return watching_init(&play->watching, &wanted, failure);
}

static int64_t draws_of(const struct interval_request *request)
{
    const struct plan *plan = request->plan;
    const int64_t packages = plan_packages(plan), tailed = plan->tail ? draws_tailed(request) : 0;
    if (tailed >= DRAWS_LEAST)
        return tailed;
    int64_t draws = PACKAGES_QUICK / packages, enough = PACKAGES_MORE / packages;
    draws = draws < DRAWS_MOST ? draws : DRAWS_MOST;
    enough = enough < DRAWS_ENOUGH ? enough : DRAWS_ENOUGH;
    draws = draws > enough ? draws : enough;
    return draws > DRAWS_LEAST ? draws : DRAWS_LEAST;
}

static bool draw_make(struct play *play, double *makespan_s, struct failure *failure)
{
    *makespan_s = play->large ? rounds_play(play) : packages_play(play);
    return !isnan(*makespan_s) || failure_memory(failure, "drawing makespans");
}

static bool draws_make(struct play *play, int64_t draws, struct ensemble *ensemble,
                       struct failure *failure)
{
    if (play->tailed)
        return tail_play(play, draws, ensemble, failure);
    if (play->large)
        sums_fill(play);
    if (!ensemble_init(ensemble, draws, failure))
        return false;
    for (int64_t k = 0; k < draws; k++) {
        double makespan_s;
        cost_sample_begin(&play->sample, k);
        if (!draw_make(play, &makespan_s, failure))
            return false;
        ensemble_add(ensemble, makespan_s);
    }
    ensemble_sort(ensemble);
    return true;
}

/* As runs make them: of plans by a single port, where packages are not dealt. False: out of memory.
 */
static bool parts_reckon(const struct play *play, const struct interval_request *request,
                         double *parts_s)
{
    const struct deadline_setup costs = decision_costs(&play->sample.fitted);
    const bool made = !request->packages_only && !request->plan->tail &&
                      play->sample.fitted.operating == OPERATING_SINGLE_PORT;
    return !made || dispatch_parts_cost(request->plan, &costs, parts_s);
}

bool interval_draw(const struct interval_request *request, struct interval *interval,
                   struct failure *failure)
{
    struct play play;
    struct simulation simulation;
    struct interval made = {.without_tail = false};
    const bool ready = play_init(&play, request);
    /* Refuses loads and workers that the profile does not have. */
    const bool good =
        ready ? simulate_plan(&play.sample.fitted, request->plan, NULL, &simulation, failure) &&
                    tail_init(&play, request, failure) &&
                    (!play.large || fitted_take(&play, &simulation) ||
                     failure_memory(failure, "drawing makespans")) &&
                    (parts_reckon(&play, request, &made.parts_s) ||
                     failure_memory(failure, "drawing makespans")) &&
                    draws_make(&play, draws_of(request), &made.ensemble, failure)
              : failure_memory(failure, "drawing makespans");
    made.without_tail = request->plan->tail && !play.tailed;
    if (good)
        *interval = made;
    else
        interval_release(&made);
    play_release(&play);
    return good;
}

void interval_release(struct interval *interval)
{
    ensemble_release(&interval->ensemble);
    *interval = (struct interval){.without_tail = false};
}
