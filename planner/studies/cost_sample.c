#include "planner/studies/cost_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/random.h"
#include "planner/model/beyond.h"
#include "planner/model/plan.h"

/* A drawn cost is never below this share of the fitted one: a normal deviate has no lower limit,
 * and a cost must stay above 0. */
static const double SHARE_LEAST = 0.01;
/* The greatest relative deviation that is drawn: a package that takes next to nothing has a jitter
 * that is many times its cost. */
static const double DEVIATION_MOST = 10;

/* The sum of four uniform deviates, scaled to mean 0 and variance 1, is close to normal, quick to
 * draw, and never beyond BELL_MOST = 2 sqrt(3). */
static const double BELL_MOST = 3.4642;

static double random_bell(uint64_t *random)
{
    const uint64_t bits = random_bits(random);
    const uint64_t sum =
        (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    return ((double)sum - 131070) * (1.7320508075688772 / 65536);
}

/* A factor of mean 1 with this relative deviation: 1 plus a scaled bell where that stays above 0,
 * else the exponential of a bell, divided by its mean (sinh(s/2)/(s/2))^4, where s is the width of
 * each of the four uniform deviates. */
static struct drawn_factor factor_of(double deviation)
{
    if (deviation * BELL_MOST < 1)
        return (struct drawn_factor){.sigma = deviation};
    const double sigma = sqrt(log1p(deviation * deviation));
    const double quarter = sigma * 0.8660254037844386;
    return (struct drawn_factor){sigma, .mean = pow(sinh(quarter) / quarter, 4)};
}

/* A positive factor of mean 1. */
static double package_factor(uint64_t *random, const struct drawn_factor *factor)
{
    const double off = factor->sigma * random_bell(random);
    return factor->mean > 0 ? exp(off) / factor->mean : 1 + off;
}

/* The same by a normal deviate: log-normal. */
static double common_factor(double normal, double deviation)
{
    const double variance = log1p(deviation * deviation);
    return exp(sqrt(variance) * normal - variance / 2);
}

static bool window_copy(struct platform_window *window, const struct profile_window *from,
                        bool returns)
{
    const struct cost none = {0, 0};
    int64_t first = 0;
    *window = (struct platform_window){.least = from->least,
                                       .greatest = from->greatest,
                                       .envelope = from->envelope.cost,
                                       .send = from->send.cost,
                                       .collect = returns ? from->collect.cost : none};
    window->classes = calloc(from->worker_count, sizeof *window->classes);
    for (size_t k = 0; window->classes && k < from->worker_count; k++) {
        const struct profile_worker *worker = &from->workers[k];
        window->classes[k] = (struct platform_class){.first = first,
                                                     .count = worker->count,
                                                     .link = worker->link.cost,
                                                     .receive = worker->receive.cost,
                                                     .compute = worker->compute.cost,
                                                     .output = worker->output.cost,
                                                     .result = returns ? worker->result.cost : none,
                                                     .request = worker->request.cost,
                                                     .start_s = worker->start.cost.latency_s};
        first += worker->count;
        window->class_count++;
    }
    return window->classes != NULL;
}

/* The platform of a setting, with a class for each of the profile's classes: equal costs are not
 * merged, because their fits differ. */
static bool platform_copy(struct platform *platform, const struct profile_setting *setting,
                          int buffers)
{
    *platform = (struct platform){.worker_count = profile_workers(&setting->windows[0]),
                                  .buffers = buffers,
                                  .write_behind = platform_writes_behind(setting),
                                  .results = platform_returns(setting),
                                  .operating = setting->operating};
    platform->windows = calloc(setting->window_count, sizeof *platform->windows);
    bool good = platform->windows != NULL;
    for (size_t k = 0; good && k < setting->window_count; k++) {
        platform->window_count++;
        good = window_copy(&platform->windows[k], &setting->windows[k],
                           results_return(platform->results));
    }
    return good;
}

/* What all costs of a run have in common: a normal deviate for the drift of each operation, a
 * factor for all of them, and a factor for computing, by the total of core tasks that differ. */
struct common {
    double drifts[DRAWN_OPERATIONS], history, total;
};

/* Draws latency and rate from the fit's bivariate normal distribution, and multiplies them by what
 * the run has in common. Deviates are drawn even where they are not used, so that runs with equal
 * seeds stay comparable. */
static struct cost cost_draw(struct cost_sample *sample, const struct measured_cost *fitted,
                             enum operation operation, const struct common *common)
{
    const struct fit *fit = &fitted->fit;
    const double first = random_normal(&sample->random), second = random_normal(&sample->random);
    const double remaining = sqrt(fmax(0, 1 - fit->correlation * fit->correlation));
    /* The drift of single workers in computing is drawn for each of them (factor_draw). */
    const double drift =
        operation == OPERATION_COMPUTE ? fit->drift : hypot(fit->drift, fit->drift_own);
    struct cost cost = fitted->cost;
    if (sample->request->packages_only)
        return cost;
    cost.latency_s += fit->stderr_latency_s * first;
    cost.s_per_task += fit->stderr_s_per_task * (fit->correlation * first + remaining * second);
    double factor = common->history * common_factor(common->drifts[operation], drift);
    if (operation == OPERATION_COMPUTE)
        factor *= common->total;
    return (struct cost){cost.latency_s * factor, cost.s_per_task * factor};
}

/* One window's fitted costs, and those that are drawn. */
struct drawn_window {
    const struct profile_window *fitted;
    struct platform_window *drawn;
};

/* Neighbouring windows may share one fitted cost, which is then drawn once for both. */
static struct cost cost_repeat(const struct measured_cost *fitted,
                               const struct measured_cost *before, struct cost drawn,
                               struct cost drawn_before)
{
    const bool same = before && fitted->cost.latency_s == before->cost.latency_s &&
                      fitted->cost.s_per_task == before->cost.s_per_task &&
                      fitted->fit.stderr_s_per_task == before->fit.stderr_s_per_task;
    return same ? drawn_before : drawn;
}

/* Draws the time of a start only for workers that have one, so that with equal seeds all others get
 * the same draws as without starts. */
static double start_draw(struct cost_sample *sample, const struct measured_cost *fitted)
{
    const struct fit *fit = &fitted->fit;
    if (!(fitted->cost.latency_s > 0) || sample->request->packages_only)
        return fitted->cost.latency_s;
    const double off = hypot(fit->deviation, fit->jitter_s / fitted->cost.latency_s);
    const double mean_s =
        fitted->cost.latency_s + fit->stderr_latency_s * random_normal(&sample->random);
    const double factor = common_factor(random_normal(&sample->random),
                                        hypot(hypot(fit->drift, fit->drift_own), off));
    return fmax(mean_s * factor, SHARE_LEAST * fitted->cost.latency_s);
}

static void class_draw(struct cost_sample *sample, const struct drawn_window *window,
                       const struct drawn_window *before, int64_t k, const struct common *common)
{
    const struct profile_worker *fitted = &window->fitted->workers[k];
    const struct profile_worker *old = before ? &before->fitted->workers[k] : NULL;
    struct platform_class *class = &window->drawn->classes[k];
    const struct platform_class none = {0}, *last = before ? &before->drawn->classes[k] : &none;
    class->link = cost_repeat(&fitted->link, old ? &old->link : NULL,
                              cost_draw(sample, &fitted->link, OPERATION_LINK, common), last->link);
    class->receive =
        cost_repeat(&fitted->receive, old ? &old->receive : NULL,
                    cost_draw(sample, &fitted->receive, OPERATION_RECEIVE, common), last->receive);
    class->compute =
        cost_repeat(&fitted->compute, old ? &old->compute : NULL,
                    cost_draw(sample, &fitted->compute, OPERATION_COMPUTE, common), last->compute);
    class->output =
        cost_repeat(&fitted->output, old ? &old->output : NULL,
                    cost_draw(sample, &fitted->output, OPERATION_OUTPUT, common), last->output);
    if (sample->operations > OPERATION_RESULT)
        class->result =
            cost_repeat(&fitted->result, old ? &old->result : NULL,
                        cost_draw(sample, &fitted->result, OPERATION_RESULT, common), last->result);
    class->start_s = before ? last->start_s : start_draw(sample, &fitted->start);
}

/* Workers beyond the measured ones (--beyond) repeat one of these: they get its drawn costs. */
static void beyond_draw(const struct cost_sample *sample, const struct drawn_window *window)
{
    const int64_t rank = beyond_rank(sample->request->profile);
    const struct platform_class *like =
        &window->drawn->classes[profile_class(window->fitted, rank - 1)];
    struct platform_class *beyond = &window->drawn->classes[window->drawn->class_count - 1];
    beyond->link = like->link;
    beyond->receive = like->receive;
    beyond->compute = like->compute;
    beyond->output = like->output;
    beyond->result = like->result;
    beyond->start_s = like->start_s;
}

/* `before` is the window below it, NULL for the first. */
static void window_draw(struct cost_sample *sample, const struct drawn_window *window,
                        const struct drawn_window *before, const struct common *common)
{
    const struct profile_window *fitted = window->fitted;
    const struct cost none = {0, 0};
    window->drawn->envelope =
        cost_repeat(&fitted->envelope, before ? &before->fitted->envelope : NULL,
                    cost_draw(sample, &fitted->envelope, OPERATION_ENVELOPE, common),
                    before ? before->drawn->envelope : none);
    window->drawn->send = cost_repeat(&fitted->send, before ? &before->fitted->send : NULL,
                                      cost_draw(sample, &fitted->send, OPERATION_SEND, common),
                                      before ? before->drawn->send : none);
    if (sample->operations > OPERATION_COLLECT)
        window->drawn->collect =
            cost_repeat(&fitted->collect, before ? &before->fitted->collect : NULL,
                        cost_draw(sample, &fitted->collect, OPERATION_COLLECT, common),
                        before ? before->drawn->collect : none);
    for (int64_t k = 0; k < window->drawn->class_count; k++)
        class_draw(sample, window, before, k, common);
    if (sample->request->profile->beyond > 0)
        beyond_draw(sample, window);
}

static void platform_draw(struct cost_sample *sample)
{
    const struct interval_request *request = sample->request;
    struct common common = {.total = 1};
    struct drawn_window before = {&request->setting->windows[0], &sample->drawn.windows[0]};
    common.history = common_factor(random_normal(&sample->random), profile_drift(request->profile));
    for (int k = 0; k < sample->operations; k++)
        common.drifts[k] = random_normal(&sample->random);
    struct cost_map map = request->setting->map;
    map.unseen = profile_setting_unseen(request->setting);
    common.total = map.work.tasks > 0 ? cost_map_total(&map, random_normal(&sample->random)) : 1;
    for (int64_t w = 0; w < sample->drawn.window_count; w++) {
        const struct drawn_window window = {&request->setting->windows[w],
                                            &sample->drawn.windows[w]};
        const bool alike = w > 0 && before.fitted->worker_count == window.fitted->worker_count;
        window_draw(sample, &window, alike ? &before : NULL, &common);
        before = window;
    }
}

/* Draws the drift of one worker's speed. */
static void factor_draw(struct cost_sample *sample, int64_t worker)
{
    const struct platform_window *window = &sample->fitted.windows[0];
    const struct profile_window *from = &sample->request->setting->windows[0];
    const int64_t class = platform_worker(window, worker) - window->classes;
    const double own = from->workers[class].compute.fit.drift_own;
    sample->factors[worker] = 1;
    if (own > 0 && !sample->request->packages_only)
        sample->factors[worker] = common_factor(random_normal(&sample->random), own);
}

/* Draws for all workers that compute by the plan; of several masters, by all their plans. */
static void planned_draw(struct cost_sample *sample, const struct plan *plan)
{
    for (int64_t k = 0; plan->child_count == 0 && k < plan->worker_count; k++)
        factor_draw(sample, plan->workers[k]);
    for (size_t k = 0; k < plan->star_count; k++)
        planned_draw(sample, &plan->stars[k]);
    for (size_t k = 0; k < plan->child_count; k++)
        planned_draw(sample, &plan->children[k]);
}

/* Draws the workers of the plan first, so that these get the same factors whether or not there are
 * others. The others get packages only by a tail or a rule, or where core tasks move between
 * masters. */
static void factors_draw(struct cost_sample *sample)
{
    const struct plan *plan = sample->request->plan;
    const bool all = plan->tail || sample->request->on_request || plan->star_count > 0;
    memset(sample->factors, 0, (size_t)sample->fitted.worker_count * sizeof *sample->factors);
    planned_draw(sample, plan);
    for (int64_t k = 0; all && k < sample->fitted.worker_count; k++)
        if (!(sample->factors[k] > 0))
            factor_draw(sample, k);
}

static void seconds_of(const struct platform_window *window, const struct platform_class *class,
                       double load, double seconds[DRAWN_OPERATIONS])
{
    struct star_cost cost = star_cost_of(window, class, load);
    for (int k = 0; k < DRAWN_OPERATIONS; k++)
        seconds[k] = *star_cost_part(&cost, (enum operation)k);
}

void cost_sample_cost(const struct cost_sample *sample, int64_t worker, double load,
                      struct drawn_cost *cost)
{
    const struct profile_setting *setting = sample->request->setting;
    const struct platform_window *found = platform_find(&sample->fitted, load);
    const struct platform_window *fitted =
        found ? found
              : platform_nearest(&sample->fitted,
                                 load); /* a rule's last package may be smaller than any window */
    const struct platform_window *drawn = &sample->drawn.windows[fitted - sample->fitted.windows];
    const struct platform_class *class = platform_worker(fitted, worker);
    const int64_t index = class - fitted->classes;
    const struct profile_window *window = &setting->windows[fitted - sample->fitted.windows];
    const struct profile_costs fits = profile_costs(window, &window->workers[index]);
    double fitted_s[DRAWN_OPERATIONS];
    seconds_of(fitted, class, load, fitted_s);
    seconds_of(drawn, &drawn->classes[index], load, cost->seconds);
    for (int k = 0; k < DRAWN_OPERATIONS; k++) {
        cost->seconds[k] = fmax(cost->seconds[k], SHARE_LEAST * fitted_s[k]);
        cost->deviations[k] = fmin(measured_cost_deviation(fits.items[k], load), DEVIATION_MOST);
    }
    if (setting->spread_count > 0)
        cost->deviations[OPERATION_COMPUTE] =
            hypot(cost->deviations[OPERATION_COMPUTE], profile_setting_deviation(setting, load));
    for (int k = 0; k < DRAWN_OPERATIONS; k++)
        cost->factors[k] = factor_of(cost->deviations[k]);
}

struct star_cost cost_sample_package(struct cost_sample *sample, int64_t worker,
                                     const struct drawn_cost *cost)
{
    struct star_cost taken = {0};
    for (int k = 0; k < sample->operations; k++)
        *star_cost_part(&taken, (enum operation)k) =
            cost->seconds[k] * package_factor(&sample->random, &cost->factors[k]);
    taken.compute_s *= sample->factors[worker];
    return taken;
}

static const struct drawn_cost *last_cost(struct cost_sample *sample, const struct package *package)
{
    struct drawn_last *last = &sample->lasts[package->worker];
    if (last->tasks != package->count)
        cost_sample_cost(sample, package->worker, (double)package->count, &last->cost);
    last->tasks = package->count;
    return &last->cost;
}

static void price(void *self, const struct package *package, struct star_cost *cost)
{
    struct cost_sample *sample = self;
    *cost = cost_sample_package(sample, package->worker, last_cost(sample, package));
}

static void mean(void *self, const struct package *package, struct star_cost *cost)
{
    struct cost_sample *sample = self;
    const double *seconds = last_cost(sample, package)->seconds;
    for (int k = 0; k < DRAWN_OPERATIONS; k++)
        *star_cost_part(cost, (enum operation)k) = seconds[k];
    cost->compute_s *= sample->factors[package->worker];
}

double cost_sample_normal(struct cost_sample *sample)
{
    return random_bell(&sample->random);
}

void cost_sample_begin(struct cost_sample *sample, int64_t run)
{
    sample->random = sample->request->seed + (uint64_t)run * 0xd1b54a32d192ed03u;
    platform_draw(sample);
    factors_draw(sample);
    for (int64_t k = 0; k < sample->fitted.worker_count; k++)
        sample->lasts[k].tasks = 0;
}

static void run_begin(void *self, int64_t run)
{
    cost_sample_begin(self, run);
}

struct variation cost_sample_variation(struct cost_sample *sample)
{
    return (struct variation){
        .begin = run_begin, .price = price, .mean = mean, .self = sample, .drawn = &sample->drawn};
}

bool cost_sample_init(struct cost_sample *sample, const struct interval_request *request)
{
    const int buffers = plan_buffers(request->plan);
    *sample = (struct cost_sample){.request = request, .random = request->seed};
    struct failure none = FAILURE_INIT;
    if (!platform_copy(&sample->fitted, request->setting, buffers) ||
        !platform_copy(&sample->drawn, request->setting, buffers) ||
        !platform_map(&sample->fitted, request->setting, request->plan->tasks, &none))
        return false;
    sample->operations =
        results_return(sample->fitted.results) ? OPERATION_COLLECT + 1 : OPERATION_RESULT;
    const size_t workers = (size_t)sample->fitted.worker_count;
    sample->factors = calloc(workers, sizeof *sample->factors);
    sample->lasts = calloc(workers, sizeof *sample->lasts);
    return sample->factors && sample->lasts;
}

void cost_sample_release(struct cost_sample *sample)
{
    platform_release(&sample->fitted);
    platform_release(&sample->drawn);
    free(sample->factors);
    free(sample->lasts);
    *sample = (struct cost_sample){.request = NULL};
}
