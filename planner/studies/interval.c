#include "planner/studies/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/dispatch/moves.h"
#include "planner/model/plan_cursor.h"
#include "planner/replan/stars_decided.h"
#include "planner/simulate/decision.h"
#include "planner/simulate/evaluate.h"
#include "planner/simulate/loop.h"
#include "planner/studies/cost_sample.h"

/* The number of draws of a plan: at most MOST, and only as many as keep the packages of all draws
 * below PACKAGES_QUICK. ENOUGH draws may take up to PACKAGES_MORE packages, and LEAST are always
 * made. */
enum { DRAWS_MOST = 1000, DRAWS_ENOUGH = 200, DRAWS_LEAST = 50 };
enum { PACKAGES_QUICK = 4000000, PACKAGES_MORE = 20000000 };
/* The number of draws with a tail, by the packages that are simulated: of one draw about SIMULATED,
 * and SIMULATED_EACH for each worker (the others are summed up, simulate/fast_forward.h); of all
 * draws at most SIMULATED_MOST, and more draws than LEAST only up to SIMULATED_ENOUGH. */
enum {
    SIMULATED = 1000,
    SIMULATED_EACH = 40,
    SIMULATED_MOST = 4000000,
    SIMULATED_ENOUGH = 2000000
};
/* The number of draws for several masters that are simulated together, because core tasks move
 * between them or groups decide by themselves. By the packages of all draws: LEAST draws up to
 * BESIDE_MOST, more draws only up to BESIDE_ENOUGH. When a master begins it looks at all workers,
 * and BEGINNINGS workers take as long as one package. */
enum { BESIDE_ENOUGH = 400000, BESIDE_MOST = 1000000, BEGINNINGS = 20 };
/* About how many packages a rule makes for each worker. */
enum { PACKAGES_A_WORKER = 24 };

/* Computing and variance of all packages of a worker together, by the fitted costs. */
struct load_sum {
    double compute_s, variance_s2;
};

/* The simulation of one master's plan, which is repeated for each draw. */
struct simulator {
    const struct plan *plan;
    struct cost_sample *sample; /* borrowed */
    bool large;                 /* by the evaluator, not package by package */
    double weight;    /* of a large plan: how many times longer it takes because regions of the job
                         differ */
    struct loop loop; /* owned */
    struct plan_cursor cursor; /* of the draw that is simulated package by package */
    const double *loads;       /* those for which the slots hold costs */
    struct star_cost cost;     /* of the package at hand */
    struct drawn_cost *slots;  /* owned, one per worker of the plan: of a round at hand */
    double *ends_s;            /* owned, likewise */
    struct load_sum *sums;     /* owned, likewise: for a large plan */
    struct own_share own;      /* what the master computes: what is left of it in this draw */
    double own_factor;         /* on the time of what the master computes, in this draw */
    double master_busy_s;      /* for packages, by fitted costs */
};

/* The sample of costs, and what is simulated with each of its draws. */
struct drawing {
    struct cost_sample sample; /* owned */
    struct simulator
        *simulators; /* owned; one for each master; NULL: whole runs are simulated by `decision` */
    size_t count;
    bool tailed;                  /* there is a tail: by `watching`, or by `decided` */
    struct watching watching;     /* owned; one master with a tail */
    struct decision decision;     /* what whole runs go by */
    struct stars_decided decided; /* owned; several masters with a tail */
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

/* Draws the costs of one row of loads. Neighbouring workers mostly have equal packages and the same
 * class, and share a draw then. */
static void slots_fill(const struct simulator *simulator, const double *loads)
{
    const struct plan *plan = simulator->plan;
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const struct platform_window *window;
        if (!(loads[k] > 0))
            continue;
        window = platform_find(&simulator->sample->fitted, loads[k]);
        if (k > 0 && loads[k] == loads[k - 1] &&
            platform_worker(window, plan->workers[k]) ==
                platform_worker(window, plan->workers[k - 1]))
            simulator->slots[k] = simulator->slots[k - 1];
        else
            cost_sample_cost(simulator->sample, plan->workers[k], loads[k], &simulator->slots[k]);
    }
}

/* Adapts the package's cost to where in the job its core tasks lie. */
static void cost_place(struct simulator *simulator)
{
    const struct plan_cursor *cursor = &simulator->cursor;
    const struct platform *fitted = &simulator->sample->fitted;
    if (!platform_differs(fitted))
        return;
    const struct platform_window *window = platform_nearest(fitted, cursor->load);
    const int64_t worker = simulator->plan->workers[cursor->slot];
    star_cost_place(&simulator->cost, fitted, window, platform_worker(window, worker),
                    cursor->first, cursor->load);
}

static enum loop_answer package_next(void *self, struct loop *loop, struct loop_package *package,
                                     struct failure *failure)
{
    struct simulator *simulator = self;
    struct plan_cursor *cursor = &simulator->cursor;
    (void)loop;
    (void)failure;
    if (!plan_cursor_next(cursor))
        return LOOP_END;
    if (cursor->loads != simulator->loads)
        slots_fill(simulator, cursor->loads);
    simulator->loads = cursor->loads;
    simulator->cost = cost_sample_package(simulator->sample, simulator->plan->workers[cursor->slot],
                                          &simulator->slots[cursor->slot]);
    cost_place(simulator);
    package->worker = cursor->slot;
    package->rank = simulator->plan->workers[cursor->slot] + 1;
    package->load = cursor->load;
    package->cost = &simulator->cost;
    return LOOP_SEND;
}

/* Begins the master's own core tasks, with the factor that they have in this draw. */
static void own_begin(struct simulator *simulator)
{
    const struct plan *plan = simulator->plan;
    const struct fit *fit = &simulator->sample->request->setting->master.fit;
    simulator->own = own_share_of(&simulator->sample->fitted, plan);
    simulator->own_factor = 1;
    if (plan->own.tasks > 0)
        simulator->own_factor = fmax(0, 1 + fit->drift * cost_sample_normal(simulator->sample));
}

static bool own_next(void *self, double at_s, double until_s, struct own_span *span)
{
    struct simulator *simulator = self;
    const struct fit *fit = &simulator->sample->request->setting->master.fit;
    if (!own_share_next(&simulator->own, at_s, until_s, span))
        return false;
    const double deviation = fit->deviation / sqrt(span->tasks);
    span->seconds *=
        simulator->own_factor * fmax(0, 1 + deviation * cost_sample_normal(simulator->sample));
    return true;
}

/* Simulates one draw package by package. NaN: out of memory. */
static double packages_simulate(struct simulator *simulator)
{
    struct failure none = FAILURE_INIT;
    const struct loop_source source = {.next = package_next,
                                       .computes = simulator->plan->own.tasks > 0 ? own_next : NULL,
                                       .self = simulator};
    simulator->cursor = (struct plan_cursor)PLAN_CURSOR(simulator->plan);
    simulator->loads = NULL;
    own_begin(simulator);
    loop_restart(&simulator->loop, &simulator->sample->drawn, simulator->plan->workers);
    return loop_run(&simulator->loop, &source, &none) ? loop_makespan(&simulator->loop)
                                                      : (double)NAN;
}

static void sum_add(struct load_sum *sum, const struct drawn_cost *slot, double repeat)
{
    sum->compute_s += repeat * slot->seconds[OPERATION_COMPUTE];
    for (int i = OPERATION_RECEIVE; i < DRAWN_OPERATIONS; i++) {
        const double deviation_s = slot->seconds[i] * slot->deviations[i];
        sum->variance_s2 += repeat * deviation_s * deviation_s;
    }
}

/* Takes from a simulation of a large plan with fitted costs how much longer it takes because
 * regions of the job differ, and how long its master is busy. */
static bool fitted_take(struct simulator *simulator, const struct simulation *heeded)
{
    struct evaluator *evaluator = evaluator_new(&simulator->sample->fitted);
    if (!evaluator)
        return false;
    const double equal_s = evaluator_makespan(evaluator, simulator->plan, simulator->ends_s);
    simulator->weight =
        platform_differs(&simulator->sample->fitted) ? heeded->latest_end_s / equal_s : 1;
    simulator->master_busy_s = heeded->master_busy_s;
    evaluator_free(&evaluator);
    return true;
}

/* Called before the first draw, while the drawn costs are still the fitted ones. */
static void sums_fill(struct simulator *simulator)
{
    const struct plan *plan = simulator->plan;
    for (size_t r = 0; r < plan->round_count; r++) {
        const struct plan_round *round = &plan->rounds[r];
        slots_fill(simulator, round->loads);
        for (int64_t k = 0; k < plan->worker_count; k++)
            if (round->loads[k] > 0)
                sum_add(&simulator->sums[k], &simulator->slots[k], (double)round->repeat);
    }
}

/* One draw of a plan with very many packages. The deviations of a worker's packages add up to one
 * normal deviate for their sum; only that and the drift of its computing are drawn. NaN: out of
 * memory. */
static double rounds_simulate(struct simulator *simulator)
{
    const struct plan *plan = simulator->plan;
    struct evaluator *evaluator = evaluator_new(&simulator->sample->drawn);
    double makespan_s = 0;
    if (!evaluator)
        return (double)NAN;
    evaluator_makespan(evaluator, plan, simulator->ends_s);
    evaluator_free(&evaluator);
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const struct load_sum *sum = &simulator->sums[k];
        const double off_s = cost_sample_normal(simulator->sample) * sqrt(sum->variance_s2) +
                             (simulator->sample->factors[plan->workers[k]] - 1) * sum->compute_s;
        if (simulator->ends_s[k] > 0)
            makespan_s = fmax(makespan_s, simulator->ends_s[k] + off_s);
    }
    struct own_span span = {.seconds = 0};
    own_begin(simulator);
    if (own_next(simulator, 0, HUGE_VAL, &span))
        makespan_s = fmax(makespan_s * simulator->weight, simulator->master_busy_s + span.seconds);
    else
        makespan_s *= simulator->weight;
    return makespan_s;
}

/* ---- several masters ----------------------------------------------------------------------- */

/* When masters side by side end that were simulated one by one: core tasks that a late master has
 * not handed out move to others (dispatch/moves.h). So after the first master has ended, a late one
 * is left only with what its workers hold then, and all together are not faster than the sum of
 * their speeds. */
static double together_s(const struct drawing *drawing, const double *ends_s)
{
    const struct plan *whole = drawing->sample.request->plan;
    double first_s = HUGE_VAL, latest_s = 0, speed = 0;
    for (size_t k = 0; k < drawing->count; k++) {
        first_s = fmin(first_s, ends_s[k]);
        speed += drawing->simulators[k].plan->tasks / ends_s[k];
    }
    for (size_t k = 0; k < drawing->count; k++) {
        const double rounds = (double)plan_rounds_total(drawing->simulators[k].plan);
        const double held_s = (drawing->sample.fitted.buffers + 1) * ends_s[k] / rounds;
        const double kept_s = fmax(held_s, MOVES_WORTH * first_s);
        latest_s = fmax(latest_s, fmin(ends_s[k], first_s + kept_s));
    }
    return fmax(latest_s, whole->tasks / speed);
}

/* ---- draws --------------------------------------------------------------------------------- */

/* Simulates whole runs: of one master with the plan's tail, or of several masters. The rule of the
 * tail knows the fitted costs only, and answers take as long as these say. */
static bool runs_simulate(struct drawing *drawing, int64_t draws, struct ensemble *ensemble,
                          struct failure *failure)
{
    const struct variation variation = cost_sample_variation(&drawing->sample);
    struct scenario scenario = SCENARIO_INIT;
    const struct watching *watching = &drawing->watching;
    const bool alone = watching->decision.plan != NULL;
    const struct ensemble_setup setup = {
        .platform = alone ? &watching->platform : &drawing->sample.fitted,
        .decision = alone ? &watching->decision : &drawing->decision,
        .decisions = drawing->decided.decisions,
        .scenario = &scenario,
        .runs = draws};
    scenario.variation = &variation;
    scenario.seed = drawing->sample.request->seed;
    scenario.simulated = SIMULATED;
    return ensemble_simulate(&setup, ensemble, failure);
}

static void simulator_release(struct simulator *simulator)
{
    loop_release(&simulator->loop);
    free(simulator->slots);
    free(simulator->ends_s);
    free(simulator->sums);
}

static void drawing_release(struct drawing *drawing)
{
    for (size_t k = 0; k < drawing->count; k++)
        simulator_release(&drawing->simulators[k]);
    free(drawing->simulators);
    cost_sample_release(&drawing->sample);
    watching_release(&drawing->watching);
    stars_decided_release(&drawing->decided);
}

/* False: out of memory; the caller releases it all the same. */
static bool simulator_init(struct simulator *simulator, struct cost_sample *sample,
                           const struct plan *plan, bool large)
{
    const size_t slots = (size_t)plan->worker_count;
    *simulator = (struct simulator){.plan = plan, .sample = sample, .large = large, .weight = 1};
    simulator->slots = calloc(slots, sizeof *simulator->slots);
    simulator->ends_s = calloc(slots, sizeof *simulator->ends_s);
    simulator->sums = calloc(slots, sizeof *simulator->sums);
    return simulator->slots && simulator->ends_s && simulator->sums &&
           loop_init(&simulator->loop, &sample->drawn, plan->worker_count);
}

/* The draws of a plan with its tail: few or none where there are very many workers. */
static int64_t draws_tailed(const struct interval_request *request)
{
    const int64_t workers =
        request->workers > 0 ? request->workers : profile_workers(&request->setting->windows[0]);
    const int64_t fast = 2 * (int64_t)SIMULATED + SIMULATED_EACH * workers;
    const int64_t all = plan_packages(request->plan) + PACKAGES_A_WORKER * workers;
    const int64_t each = all < fast ? all : fast, most = all <= fast ? DRAWS_MOST : DRAWS_ENOUGH;
    const int64_t possible = SIMULATED_MOST / each, enough = SIMULATED_ENOUGH / each;
    const int64_t draws = possible < DRAWS_LEAST || enough > DRAWS_LEAST ? enough : DRAWS_LEAST;
    return draws < most ? draws : most;
}

/* The draws of a plan of several masters, all of whose packages are simulated one by one. */
static int64_t draws_several(const struct interval_request *request)
{
    const struct plan *plan = request->plan;
    const int64_t workers = profile_workers(&request->setting->windows[0]);
    const int64_t all = plan_packages(plan) + (plan->tail ? PACKAGES_A_WORKER * workers : 0) +
                        (int64_t)plan_leaves(plan) * workers / BEGINNINGS;
    const int64_t possible = BESIDE_MOST / all, enough = BESIDE_ENOUGH / all;
    const int64_t draws = possible < DRAWS_LEAST || enough > DRAWS_LEAST ? enough : DRAWS_LEAST;
    return draws < DRAWS_MOST ? draws : DRAWS_MOST;
}

static int64_t draws_plain(const struct interval_request *request)
{
    const int64_t packages = plan_packages(request->plan);
    int64_t draws = PACKAGES_QUICK / packages, enough = PACKAGES_MORE / packages;
    draws = draws < DRAWS_MOST ? draws : DRAWS_MOST;
    enough = enough < DRAWS_ENOUGH ? enough : DRAWS_ENOUGH;
    draws = draws > enough ? draws : enough;
    return draws > DRAWS_LEAST ? draws : DRAWS_LEAST;
}

/* Prepares the plan's tail as `scow run` would assign it. */
static bool tail_init(struct drawing *drawing, const struct interval_request *request,
                      struct failure *failure)
{
    const struct stars_request wanted = {.watching = {.plan = request->plan,
                                                      .setting = request->setting,
                                                      .workers = request->workers,
                                                      .tail = request->plan->tail,
                                                      .ahead = WATCHING_AHEAD}};
    drawing->tailed = true;
    return plan_is_several(request->plan)
               ? stars_decided_init(&drawing->decided, &wanted, failure)
               : watching_init(&drawing->watching, &wanted.watching, failure);
}

/* A large plan is simulated once with fitted costs, heeding regions of the job, which its draws do
 * not. */
static bool simulator_prepare(struct simulator *simulator, struct failure *failure)
{
    struct simulation simulation;
    if (!simulator->large)
        return true;
    return simulate_plan(&simulator->sample->fitted, simulator->plan, NULL, &simulation, failure) &&
           (fitted_take(simulator, &simulation) || failure_memory(failure, "sampling makespans"));
}

/* Prepares each master's plan for simulations by itself. */
static bool simulators_init(struct drawing *drawing, const struct plan *plan,
                            struct failure *failure)
{
    const bool large = plan_packages(plan) > PACKAGES_MORE / DRAWS_LEAST;
    const size_t count = plan_masters(plan);
    bool good = true;
    drawing->simulators = calloc(count, sizeof *drawing->simulators);
    if (!drawing->simulators)
        return failure_memory(failure, "sampling makespans");
    for (; good && drawing->count < count; drawing->count++) {
        struct simulator *simulator = &drawing->simulators[drawing->count];
        const struct plan *own = plan->star_count > 0 ? &plan->stars[drawing->count] : plan;
        good = simulator_init(simulator, &drawing->sample, own, large)
                   ? simulator_prepare(simulator, failure)
                   : failure_memory(failure, "sampling makespans");
    }
    return good;
}

/* Must masters be simulated together, because core tasks move between those side by side, or
 * because groups of a tree decide by themselves? */
static bool is_decided(const struct drawing *drawing, const struct plan *plan)
{
    return (plan->star_count > 0 || (plan->child_count > 0 && plan->tail)) && !plan->real_valued &&
           !loop_needs_events(&drawing->sample.fitted) &&
           draws_several(drawing->sample.request) >= DRAWS_LEAST;
}

/* The number of draws, after all is prepared for them; 0 with *failure set. */
static int64_t drawing_prepare(struct drawing *drawing, const struct interval_request *request,
                               struct failure *failure)
{
    const struct plan *plan = request->plan;
    drawing->decision = (struct decision){.plan = plan};
    if (is_decided(drawing, plan))
        return !plan->tail || tail_init(drawing, request, failure) ? draws_several(request) : 0;
    if (plan->tail && !plan_is_several(plan) && draws_tailed(request) >= DRAWS_LEAST)
        return tail_init(drawing, request, failure) ? draws_tailed(request) : 0;
    if (plan->child_count > 0)
        return draws_plain(request);
    return simulators_init(drawing, plan, failure) ? draws_plain(request) : 0;
}

static bool draw_make(struct drawing *drawing, double *ends_s, double *makespan_s,
                      struct failure *failure)
{
    for (size_t k = 0; k < drawing->count; k++) {
        struct simulator *simulator = &drawing->simulators[k];
        ends_s[k] = simulator->large ? rounds_simulate(simulator) : packages_simulate(simulator);
        if (isnan(ends_s[k]))
            return failure_memory(failure, "sampling makespans");
    }
    *makespan_s = drawing->count > 1 ? together_s(drawing, ends_s) : ends_s[0];
    return true;
}

static bool simulators_draw(struct drawing *drawing, int64_t draws, double *ends_s,
                            struct ensemble *ensemble, struct failure *failure)
{
    for (size_t k = 0; k < drawing->count; k++)
        if (drawing->simulators[k].large)
            sums_fill(&drawing->simulators[k]);
    for (int64_t k = 0; k < draws; k++) {
        double makespan_s = 0;
        cost_sample_begin(&drawing->sample, k);
        if (!draw_make(drawing, ends_s, &makespan_s, failure))
            return false;
        ensemble_add(ensemble, makespan_s);
    }
    ensemble_sort(ensemble);
    return true;
}

static bool draws_make(struct drawing *drawing, int64_t draws, struct ensemble *ensemble,
                       struct failure *failure)
{
    if (!drawing->simulators)
        return runs_simulate(drawing, draws, ensemble, failure);
    double *ends_s = calloc(drawing->count, sizeof *ends_s);
    const bool good = ends_s ? ensemble_init(ensemble, draws, failure) &&
                                   simulators_draw(drawing, draws, ends_s, ensemble, failure)
                             : failure_memory(failure, "sampling makespans");
    free(ends_s);
    return good;
}

/* *parts_s becomes how much later the run may end because it sends packages in parts: only for
 * plans by a single port whose packages are not assigned on request; the most of all masters side
 * by side. Groups of a tree send packages in pieces anyway. False: out of memory. */
static bool parts_reckon(const struct drawing *drawing, const struct plan *plan, double *parts_s)
{
    const struct deadline_setup costs = decision_costs(&drawing->sample.fitted);
    const bool made = !drawing->sample.request->packages_only && !plan->tail &&
                      plan->child_count == 0 &&
                      drawing->sample.fitted.operating == OPERATING_SINGLE_PORT;
    *parts_s = 0;
    if (!made)
        return true;
    if (plan->star_count == 0)
        return dispatch_parts_cost(plan, &costs, parts_s);
    for (size_t k = 0; k < plan->star_count; k++) {
        double own_s;
        if (!parts_reckon(drawing, &plan->stars[k], &own_s))
            return false;
        *parts_s = fmax(*parts_s, own_s);
    }
    return true;
}

bool interval_draw(const struct interval_request *request, struct interval *interval,
                   struct failure *failure)
{
    struct drawing drawing = {.simulators = NULL};
    struct simulation simulation;
    struct interval made = {.without_tail = false};
    int64_t draws = 0;
    /* The simulation is for its failure: it refuses loads and workers that the profile lacks. */
    bool good = (cost_sample_init(&drawing.sample, request) ||
                 failure_memory(failure, "sampling makespans")) &&
                simulate_plan(&drawing.sample.fitted, request->plan, NULL, &simulation, failure);
    if (good)
        draws = drawing_prepare(&drawing, request, failure);
    good = draws > 0 &&
           (parts_reckon(&drawing, request->plan, &made.parts_s) ||
            failure_memory(failure, "sampling makespans")) &&
           draws_make(&drawing, draws, &made.ensemble, failure);
    made.without_tail = request->plan->tail && !drawing.tailed;
    if (good)
        *interval = made;
    else
        interval_release(&made);
    drawing_release(&drawing);
    return good;
}

/* Is the median far enough from the makespan by mean costs to be printed? It is if they differ by 1
 * % and by twice the error of the median, which is estimated from the draws; or if mean costs alone
 * lie outside the interval by more than printed digits show. */
static bool median_matters(const struct ensemble *ensemble, const double interval_s[2],
                           double median_s, double steady_s)
{
    static const double TOLD = 0.01, ERRORS = 2, SEEN = 1e-4;
    const double off_s = fabs(median_s - steady_s);
    const bool outside = steady_s < interval_s[0] || steady_s > interval_s[1];
    return (outside && off_s > SEEN * steady_s) ||
           off_s > fmax(TOLD * steady_s, ERRORS * ensemble_median_error(ensemble));
}

void interval_predict(const struct interval *interval, struct plan_prediction *predicted)
{
    const struct ensemble *ensemble = &interval->ensemble;
    const double steady_s = plan_prediction_steady(predicted).makespan_s;
    if (ensemble->count == 0 || interval->without_tail)
        return;
    predicted->interval_s[0] = ensemble_quantile(ensemble, 0.05);
    predicted->interval_s[1] = ensemble_quantile(ensemble, 0.95) + interval->parts_s;
    const double median_s = ensemble_quantile(ensemble, 0.5);
    if (!median_matters(ensemble, predicted->interval_s, median_s, steady_s))
        return;
    predicted->without_variation_s = steady_s;
    predicted->makespan_s = median_s;
    predicted->worker_busy_share *= steady_s / median_s;
    predicted->network_utilization *= steady_s / median_s;
}

void interval_release(struct interval *interval)
{
    ensemble_release(&interval->ensemble);
    *interval = (struct interval){.without_tail = false};
}
