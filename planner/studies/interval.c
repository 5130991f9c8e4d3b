#include "planner/studies/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/random.h"
#include "planner/model/beyond.h"
#include "planner/model/plan_cursor.h"
#include "planner/simulate/evaluate.h"
#include "planner/simulate/star.h"

/* Draws of a plan: at most so many, and so many packages in all of them; but up to MORE packages at
 * least ENOUGH draws, and always LEAST. */
enum { DRAWS_MOST = 1000, DRAWS_ENOUGH = 200, DRAWS_LEAST = 50 };
enum { PACKAGES_QUICK = 4000000, PACKAGES_MORE = 20000000 };

/* A cost that is drawn below this share of what was fitted is taken to be that share. */
static const double SHARE_LEAST = 0.01;

enum { OPERATIONS = OPERATION_IDLE }; /* those that take the time of a package */

/* One slot of a round: what its package costs by the costs drawn, and how much it may differ. */
struct slot {
    double seconds[OPERATIONS], deviations[OPERATIONS];
};

/* All packages of a worker together, by the costs fitted. */
struct load_sum {
    double compute_s, variance_s2;
};

struct drawing {
    const struct interval_request *request;
    struct platform fitted, drawn; /* owned; classes as in the profile, none joined */
    bool large;                    /* round by round, not package by package */
    struct star star;              /* owned */
    struct slot *slots;            /* owned, one per worker of the plan */
    double *ends_s;                /* owned, likewise */
    double *factors;               /* owned, likewise: of a worker's computing, its own drift */
    struct load_sum *sums;         /* owned, likewise: of a large plan */
    uint64_t random;
};

/* Sum of four uniform deviates, scaled to mean 0 and variance 1: close to normal and quick, and
 * never beyond BELL_MOST. */
static const double BELL_MOST = 3.4642;

static double random_bell(uint64_t *random)
{
    const uint64_t bits = random_bits(random);
    const uint64_t sum =
        (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    return ((double)sum - 131070) * (1.7320508075688772 / 65536);
}

/* A positive factor of mean 1 and this relative deviation. The bell serves where it stays above 0;
 * its exponential, whose mean is known, where it does not. */
static double package_factor(uint64_t *random, double deviation)
{
    const double bell = random_bell(random);
    if (deviation * BELL_MOST < 1)
        return 1 + deviation * bell;
    const double sigma = sqrt(log1p(deviation * deviation));
    const double quarter = sigma * 0.8660254037844386;
    return exp(sigma * bell) / pow(sinh(quarter) / quarter, 4);
}

/* The same from a normal deviate: log-normal. */
static double common_factor(double normal, double deviation)
{
    const double variance = log1p(deviation * deviation);
    return exp(sqrt(variance) * normal - variance / 2);
}

static bool fit_known(const struct measured_cost *cost)
{
    const struct fit *fit = &cost->fit;
    return fit->stderr_latency_s > 0 || fit->stderr_s_per_task > 0 || fit->deviation > 0 ||
           fit->drift > 0 || fit->drift_own > 0;
}

bool interval_known(const struct profile *profile, const struct profile_setting *setting)
{
    bool known = profile_drift(profile) > 0;
    for (size_t w = 0; w < setting->window_count; w++)
        for (size_t k = 0; k < setting->windows[w].worker_count; k++) {
            const struct profile_window *window = &setting->windows[w];
            const struct profile_costs fits = profile_costs(window, &window->workers[k]);
            for (int operation = 0; operation < OPERATIONS; operation++)
                known = known || fit_known(fits.items[operation]);
        }
    return known;
}

static bool window_copy(struct platform_window *window, const struct profile_window *from)
{
    int64_t first = 0;
    *window = (struct platform_window){.least = from->least,
                                       .greatest = from->greatest,
                                       .envelope = from->envelope.cost,
                                       .send = from->send.cost};
    window->classes = calloc(from->worker_count, sizeof *window->classes);
    for (size_t k = 0; window->classes && k < from->worker_count; k++) {
        const struct profile_worker *worker = &from->workers[k];
        window->classes[k] = (struct platform_class){first,
                                                     worker->count,
                                                     worker->link.cost,
                                                     worker->receive.cost,
                                                     worker->compute.cost,
                                                     worker->output.cost,
                                                     worker->request.cost};
        first += worker->count;
        window->class_count++;
    }
    return window->classes != NULL;
}

/* The platform of a setting with one class for each of the profile's, for their fits differ even
 * where their costs do not. */
static bool platform_copy(struct platform *platform, const struct profile_setting *setting,
                          int buffers)
{
    *platform = (struct platform){.worker_count = profile_workers(&setting->windows[0]),
                                  .buffers = buffers};
    platform->windows = calloc(setting->window_count, sizeof *platform->windows);
    bool good = platform->windows != NULL;
    for (size_t k = 0; good && k < setting->window_count; k++) {
        platform->window_count++;
        good = window_copy(&platform->windows[k], &setting->windows[k]);
    }
    return good;
}

/* What a run has in common: a normal deviate for each operation's drift, and a factor. */
struct common {
    double drifts[OPERATIONS], history;
};

/* Latency and rate from the fit's bivariate normal distribution, times what the run has in common.
 * The deviates are taken in any case, so that equal seeds stay comparable. */
static struct cost cost_draw(struct drawing *drawing, const struct measured_cost *fitted,
                             enum operation operation, const struct common *common)
{
    const struct fit *fit = &fitted->fit;
    const double first = random_normal(&drawing->random), second = random_normal(&drawing->random);
    const double rest = sqrt(fmax(0, 1 - fit->correlation * fit->correlation));
    /* A worker's own part counts in computing, where it is drawn for each. */
    const double drift =
        operation == OPERATION_COMPUTE ? fit->drift : hypot(fit->drift, fit->drift_own);
    struct cost cost = fitted->cost;
    if (drawing->request->packages_only)
        return cost;
    cost.latency_s += fit->stderr_latency_s * first;
    cost.s_per_task += fit->stderr_s_per_task * (fit->correlation * first + rest * second);
    const double factor = common->history * common_factor(common->drifts[operation], drift);
    return (struct cost){cost.latency_s * factor, cost.s_per_task * factor};
}

/* One window's costs as they were fitted, and as they are drawn. */
struct drawn_window {
    const struct profile_window *fitted;
    struct platform_window *drawn;
};

/* A cost that does not break between two windows is one and the same in both. */
static struct cost cost_repeat(const struct measured_cost *fitted,
                               const struct measured_cost *before, struct cost drawn,
                               struct cost drawn_before)
{
    const bool same = before && fitted->cost.latency_s == before->cost.latency_s &&
                      fitted->cost.s_per_task == before->cost.s_per_task &&
                      fitted->fit.stderr_s_per_task == before->fit.stderr_s_per_task;
    return same ? drawn_before : drawn;
}

static void class_draw(struct drawing *drawing, const struct drawn_window *window,
                       const struct drawn_window *before, int64_t k, const struct common *common)
{
    const struct profile_worker *fitted = &window->fitted->workers[k];
    const struct profile_worker *old = before ? &before->fitted->workers[k] : NULL;
    struct platform_class *class = &window->drawn->classes[k];
    const struct platform_class none = {0}, *last = before ? &before->drawn->classes[k] : &none;
    class->link =
        cost_repeat(&fitted->link, old ? &old->link : NULL,
                    cost_draw(drawing, &fitted->link, OPERATION_LINK, common), last->link);
    class->receive =
        cost_repeat(&fitted->receive, old ? &old->receive : NULL,
                    cost_draw(drawing, &fitted->receive, OPERATION_RECEIVE, common), last->receive);
    class->compute =
        cost_repeat(&fitted->compute, old ? &old->compute : NULL,
                    cost_draw(drawing, &fitted->compute, OPERATION_COMPUTE, common), last->compute);
    class->output =
        cost_repeat(&fitted->output, old ? &old->output : NULL,
                    cost_draw(drawing, &fitted->output, OPERATION_OUTPUT, common), last->output);
}

/* Workers that nobody measured are like those whom they repeat, whatever those are like. */
static void beyond_draw(const struct drawing *drawing, const struct drawn_window *window)
{
    const int64_t rank = beyond_rank(drawing->request->profile);
    const struct platform_class *like =
        &window->drawn->classes[profile_class(window->fitted, rank - 1)];
    struct platform_class *beyond = &window->drawn->classes[window->drawn->class_count - 1];
    beyond->link = like->link;
    beyond->receive = like->receive;
    beyond->compute = like->compute;
    beyond->output = like->output;
}

/* `before` is the window below it, NULL for the first. */
static void window_draw(struct drawing *drawing, const struct drawn_window *window,
                        const struct drawn_window *before, const struct common *common)
{
    const struct profile_window *fitted = window->fitted;
    const struct cost none = {0, 0};
    window->drawn->envelope =
        cost_repeat(&fitted->envelope, before ? &before->fitted->envelope : NULL,
                    cost_draw(drawing, &fitted->envelope, OPERATION_ENVELOPE, common),
                    before ? before->drawn->envelope : none);
    window->drawn->send = cost_repeat(&fitted->send, before ? &before->fitted->send : NULL,
                                      cost_draw(drawing, &fitted->send, OPERATION_SEND, common),
                                      before ? before->drawn->send : none);
    for (int64_t k = 0; k < window->drawn->class_count; k++)
        class_draw(drawing, window, before, k, common);
    if (drawing->request->profile->beyond > 0)
        beyond_draw(drawing, window);
}

static void platform_draw(struct drawing *drawing)
{
    const struct interval_request *request = drawing->request;
    struct common common;
    struct drawn_window before = {&request->setting->windows[0], &drawing->drawn.windows[0]};
    common.history =
        common_factor(random_normal(&drawing->random), profile_drift(request->profile));
    for (int k = 0; k < OPERATIONS; k++)
        common.drifts[k] = random_normal(&drawing->random);
    for (int64_t w = 0; w < drawing->drawn.window_count; w++) {
        const struct drawn_window window = {&request->setting->windows[w],
                                            &drawing->drawn.windows[w]};
        const bool alike = w > 0 && before.fitted->worker_count == window.fitted->worker_count;
        window_draw(drawing, &window, alike ? &before : NULL, &common);
        before = window;
    }
}

/* Every worker's own drift. */
static void factors_draw(struct drawing *drawing)
{
    const struct plan *plan = drawing->request->plan;
    const struct platform_window *window = &drawing->fitted.windows[0];
    const struct profile_window *from = &drawing->request->setting->windows[0];
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const int64_t class = platform_worker(window, plan->workers[k]) - window->classes;
        const double own = from->workers[class].compute.fit.drift_own;
        drawing->factors[k] = 1;
        if (own > 0 && !drawing->request->packages_only)
            drawing->factors[k] = common_factor(random_normal(&drawing->random), own);
    }
}

static void seconds_of(const struct platform_window *window, const struct platform_class *class,
                       double load, double seconds[OPERATIONS])
{
    const struct star_cost cost = star_cost_of(window, class, load);
    const double all[OPERATIONS] = {cost.envelope_s, cost.send_s,    cost.link_s,
                                    cost.receive_s,  cost.compute_s, cost.output_s};
    memcpy(seconds, all, sizeof all);
}

/* What a package of `load` tasks costs that worker by the costs drawn. */
static void slot_fill(const struct drawing *drawing, int64_t worker, double load, struct slot *slot)
{
    const struct profile_setting *setting = drawing->request->setting;
    const struct platform_window *fitted = platform_find(&drawing->fitted, load);
    const struct platform_window *drawn = &drawing->drawn.windows[fitted - drawing->fitted.windows];
    const struct platform_class *class = platform_worker(fitted, worker);
    const int64_t index = class - fitted->classes;
    const struct profile_window *window = &setting->windows[fitted - drawing->fitted.windows];
    const struct profile_costs fits = profile_costs(window, &window->workers[index]);
    double fitted_s[OPERATIONS];
    seconds_of(fitted, class, load, fitted_s);
    seconds_of(drawn, &drawn->classes[index], load, slot->seconds);
    for (int k = 0; k < OPERATIONS; k++) {
        slot->seconds[k] = fmax(slot->seconds[k], SHARE_LEAST * fitted_s[k]);
        slot->deviations[k] = fits.items[k]->fit.deviation;
    }
    if (setting->spread_count > 0)
        slot->deviations[OPERATION_COMPUTE] =
            hypot(slot->deviations[OPERATION_COMPUTE], profile_setting_deviation(setting, load));
}

/* One round entry; neighbours mostly have equal packages and are of one class. */
static void slots_fill(const struct drawing *drawing, const double *loads)
{
    const struct plan *plan = drawing->request->plan;
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const struct platform_window *window;
        if (!(loads[k] > 0))
            continue;
        window = platform_find(&drawing->fitted, loads[k]);
        if (k > 0 && loads[k] == loads[k - 1] &&
            platform_worker(window, plan->workers[k]) ==
                platform_worker(window, plan->workers[k - 1]))
            drawing->slots[k] = drawing->slots[k - 1];
        else
            slot_fill(drawing, plan->workers[k], loads[k], &drawing->slots[k]);
    }
}

static void star_restart(struct star *star)
{
    memset(star->workers, 0, (size_t)star->worker_count * sizeof *star->workers);
    memset(star->starts, 0,
           (size_t)star->worker_count * (size_t)star->buffers * sizeof *star->starts);
    star->master_s = star->port_s = 0;
}

/* One draw, package by package. */
static double packages_play(struct drawing *drawing)
{
    struct plan_cursor cursor = PLAN_CURSOR(drawing->request->plan);
    const double *loads = NULL; /* whose slots are filled in */
    struct star_times times;
    double makespan_s = 0;
    star_restart(&drawing->star);
    while (plan_cursor_next(&cursor)) {
        if (cursor.loads != loads)
            slots_fill(drawing, cursor.loads);
        loads = cursor.loads;
        const struct slot *slot = &drawing->slots[cursor.slot];
        double seconds[OPERATIONS];
        for (int k = 0; k < OPERATIONS; k++)
            seconds[k] = slot->seconds[k] * package_factor(&drawing->random, slot->deviations[k]);
        seconds[OPERATION_COMPUTE] *= drawing->factors[cursor.slot];
        const struct star_cost cost = {seconds[0], seconds[1], seconds[2],
                                       seconds[3], seconds[4], seconds[5]};
        star_send(&drawing->star, cursor.slot, &cost, &times);
        makespan_s = star_later(makespan_s, times.end_s);
    }
    return makespan_s;
}

static void sum_add(struct load_sum *sum, const struct slot *slot, double repeat)
{
    sum->compute_s += repeat * slot->seconds[OPERATION_COMPUTE];
    for (int i = OPERATION_RECEIVE; i < OPERATIONS; i++) {
        const double deviation_s = slot->seconds[i] * slot->deviations[i];
        sum->variance_s2 += repeat * deviation_s * deviation_s;
    }
}

/* While what is drawn is still what was fitted. */
static void sums_fill(struct drawing *drawing)
{
    const struct plan *plan = drawing->request->plan;
    for (size_t r = 0; r < plan->round_count; r++) {
        const struct plan_round *round = &plan->rounds[r];
        slots_fill(drawing, round->loads);
        for (int64_t k = 0; k < plan->worker_count; k++)
            if (round->loads[k] > 0)
                sum_add(&drawing->sums[k], &drawing->slots[k], (double)round->repeat);
    }
}

/* One draw of a plan with very many packages: only a worker's sum of deviations is felt, and its
 * own drift in the time that it computes. NaN: out of memory. */
static double rounds_play(struct drawing *drawing)
{
    const struct plan *plan = drawing->request->plan;
    struct evaluator *evaluator = evaluator_new(&drawing->drawn);
    double makespan_s = 0;
    if (!evaluator)
        return (double)NAN;
    evaluator_makespan(evaluator, plan, drawing->ends_s);
    evaluator_free(&evaluator);
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const struct load_sum *sum = &drawing->sums[k];
        const double off_s = random_bell(&drawing->random) * sqrt(sum->variance_s2) +
                             (drawing->factors[k] - 1) * sum->compute_s;
        if (drawing->ends_s[k] > 0)
            makespan_s = fmax(makespan_s, drawing->ends_s[k] + off_s);
    }
    return makespan_s;
}

static void drawing_release(struct drawing *drawing)
{
    platform_release(&drawing->fitted);
    platform_release(&drawing->drawn);
    star_release(&drawing->star);
    free(drawing->slots);
    free(drawing->ends_s);
    free(drawing->factors);
    free(drawing->sums);
}

/* False: out of memory; released all the same by the caller. */
static bool drawing_init(struct drawing *drawing, const struct interval_request *request)
{
    const struct plan *plan = request->plan;
    const size_t slots = (size_t)plan->worker_count;
    const int buffers = plan_buffers(plan);
    *drawing = (struct drawing){.request = request, .random = request->seed};
    drawing->slots = calloc(slots, sizeof *drawing->slots);
    drawing->ends_s = calloc(slots, sizeof *drawing->ends_s);
    drawing->factors = calloc(slots, sizeof *drawing->factors);
    drawing->sums = calloc(slots, sizeof *drawing->sums);
    if (!drawing->slots || !drawing->ends_s || !drawing->factors || !drawing->sums ||
        !star_init(&drawing->star, plan->worker_count, buffers) ||
        !platform_copy(&drawing->fitted, request->setting, buffers) ||
        !platform_copy(&drawing->drawn, request->setting, buffers))
        return false;
    drawing->large = plan_packages(plan) > PACKAGES_MORE / DRAWS_LEAST;
    return true;
}

static int64_t draws_of(const struct plan *plan)
{
    const int64_t packages = plan_packages(plan);
    int64_t draws = PACKAGES_QUICK / packages, enough = PACKAGES_MORE / packages;
    draws = draws < DRAWS_MOST ? draws : DRAWS_MOST;
    enough = enough < DRAWS_ENOUGH ? enough : DRAWS_ENOUGH;
    draws = draws > enough ? draws : enough;
    return draws > DRAWS_LEAST ? draws : DRAWS_LEAST;
}

static int makespan_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Each draw begins its own stream of deviates, so that what one takes does not move the next. */
static bool draws_make(struct drawing *drawing, struct interval *interval)
{
    bool good = true;
    if (drawing->large)
        sums_fill(drawing);
    for (int64_t k = 0; k < interval->draws; k++) {
        drawing->random = drawing->request->seed + (uint64_t)k * 0xd1b54a32d192ed03u;
        platform_draw(drawing);
        factors_draw(drawing);
        interval->makespans_s[k] = drawing->large ? rounds_play(drawing) : packages_play(drawing);
        good = good && !isnan(interval->makespans_s[k]);
    }
    qsort(interval->makespans_s, (size_t)interval->draws, sizeof *interval->makespans_s,
          makespan_compare);
    return good;
}

bool interval_draw(const struct interval_request *request, struct interval *interval,
                   struct failure *failure)
{
    struct drawing drawing;
    struct simulation simulation;
    struct interval made = {.draws = draws_of(request->plan)};
    made.makespans_s = calloc((size_t)made.draws, sizeof *made.makespans_s);
    const bool ready = drawing_init(&drawing, request) && made.makespans_s;
    /* Refuses loads and workers that the profile does not have. */
    bool good = ready && simulate_plan(&drawing.fitted, request->plan, NULL, &simulation, failure);
    if (!ready || (good && !draws_make(&drawing, &made)))
        good = failure_memory(failure, "drawing makespans");
    if (good)
        *interval = made;
    else
        interval_release(&made);
    drawing_release(&drawing);
    return good;
}

/* The normal distribution's quantile, by halving. */
static double normal_quantile(double share)
{
    double low = -40, high = 40;
    for (int k = 0; k < 64; k++) {
        const double middle = (low + high) / 2;
        if (erfc(-middle * 0.7071067811865476) / 2 < share)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double tail_quantile(const struct interval *interval, double share)
{
    const double count = (double)interval->draws;
    double sum = 0, squares = 0;
    for (int64_t k = 0; k < interval->draws; k++)
        sum += log(interval->makespans_s[k]) / count;
    for (int64_t k = 0; k < interval->draws; k++) {
        const double off = log(interval->makespans_s[k]) - sum;
        squares += off * off / (count - 1);
    }
    return exp(sum + sqrt(squares) * normal_quantile(share));
}

double interval_quantile(const struct interval *interval, double share)
{
    const double *sorted = interval->makespans_s;
    const double place = share * (double)interval->draws - 0.5;
    const int64_t last = interval->draws - 1;
    if (sorted[0] == sorted[last])
        return sorted[0];
    if (place > (double)(last - 1))
        return fmax(tail_quantile(interval, share), sorted[last]);
    if (place < 1)
        return fmin(tail_quantile(interval, share), sorted[0]);
    const int64_t low = (int64_t)place;
    return sorted[low] + (place - (double)low) * (sorted[low + 1] - sorted[low]);
}

double interval_typical(const struct interval *interval, double predicted_s)
{
    /* Ends are taken in from outside, the farther one first, until half of the draws are left: what
     * then is the farther end is the median of the distances. */
    int64_t first = 0, last = interval->draws - 1;
    const double *sorted = interval->makespans_s;
    while (last - first > interval->draws / 2) {
        if (fabs(sorted[first] - predicted_s) > fabs(sorted[last] - predicted_s))
            first++;
        else
            last--;
    }
    return fmax(fabs(sorted[first] - predicted_s), fabs(sorted[last] - predicted_s)) / predicted_s;
}

void interval_release(struct interval *interval)
{
    free(interval->makespans_s);
    *interval = (struct interval){NULL, 0};
}
