#include "calibrate/fit/assemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit/spreads.h"
#include "calibrate/fit/strata_fit.h"
#include "calibrate/fit/student.h"
#include "calibrate/fit/weighing_fit.h"

/* ---- score --------------------------------------------------------------------------------- */

enum { HELD_OUT = 10, PACKAGES_LEAST = 20 };

/* Packages held out go behind the others, which keep their order. Returns how many timings stay;
 * the held out ones are in `held`. */
static int64_t samples_divide(struct sample *samples, int64_t count, struct sample *held,
                              int64_t *held_count)
{
    int64_t package = -1, kept = 0;
    struct sample last = {.tasks = -1};
    *held_count = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!sample_same_package(&last, &samples[i]))
            package++;
        last = samples[i];
        if (package % HELD_OUT == HELD_OUT / 2)
            held[(*held_count)++] = last;
        else
            samples[kept++] = last;
    }
    return package + 1 < PACKAGES_LEAST ? 0 : kept;
}

static double held_out_error(const struct costs *costs, const struct sample *held, int64_t count)
{
    double squares = 0, seen = 0;
    for (int64_t i = 0; i < count; i++) {
        const double tasks = (double)held[i].tasks;
        const double expected = cost_of(costs_find(costs, tasks)->cost.cost, tasks);
        if (expected <= 0)
            continue;
        const double off = held[i].seconds - expected;
        squares += off * off;
        seen += expected * expected;
    }
    return seen > 0 ? sqrt(squares / seen) : 0;
}

bool score_make(struct sample *samples, int64_t count, double *held_out, double *noise,
                struct failure *failure)
{
    int64_t held_count = 0;
    struct points points;
    struct costs costs;
    *held_out = *noise = 0;
    struct sample *held = malloc(((size_t)count + 1) * sizeof *held);
    if (!held)
        return failure_memory(failure, "scoring the fit");
    const int64_t kept = samples_divide(samples, count, held, &held_count);
    bool good = true;
    if (kept > 0) {
        points_make(samples, kept, &points);
        good = costs_from_points(&points, &costs, failure);
        *noise = points.noise.together;
        *held_out = good ? held_out_error(&costs, held, held_count) : 0;
    }
    free(held);
    return good;
}

/* ---- start --------------------------------------------------------------------------------- */

/* Starts of one program differ by so much, relative: what they were seen to differ by counts beside
 * it as what so many more timings would say, for a few that happened to agree say little of how far
 * the next one is off. */
static const double usual_deviation = 0.01;
enum { USUAL_FREEDOM = 2 };
/* A first package takes longer than others by cold memory alone; a start is longer than this, and
 * than this part of computing the package. */
static const double start_least_s = 0.01, start_least = 0.2;
/* And its mean is longer than what later packages are off their fit by chance: where core tasks are
 * unlike each other, a first one that is long tells nothing of a start. */
static const double deviations_least = 3;

struct moments {
    double sum_s, squares_s2; /* the latter of deviations from the mean */
    int n;
};

static bool is_of(const struct sample *sample, int setting, const struct worker_class *class,
                  enum operation operation)
{
    return sample->setting == setting && sample->operation == operation &&
           sample->rank >= class->least && sample->rank <= class->greatest;
}

static const struct costs *compute_of(const struct worker_class *class)
{
    int k = 0;
    while (class_operations[k] != OPERATION_COMPUTE)
        k++;
    return &class->costs[k];
}

static double expected_s(const struct worker_class *class, const struct sample *sample)
{
    const double tasks = (double)sample->tasks;
    return cost_of(costs_find(compute_of(class), tasks)->cost.cost, tasks);
}

/* Of a worker's first package since it was begun anew: what it took beyond computing; 0: nothing
 * to speak of. */
static double beyond_s(const struct worker_class *class, const struct sample *first)
{
    const double compute_s = expected_s(class, first);
    const double more_s = first->seconds - compute_s;
    return more_s > fmax(start_least_s, start_least * compute_s) ? more_s : 0;
}

/* What later packages are off by, as the standard deviation of one core task, of which a package is
 * a sum, seconds; 0: there are none. */
static double chance_s(const struct samples *samples, int setting, const struct worker_class *class)
{
    double squares_s2 = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (sample->fresh || !is_of(sample, setting, class, OPERATION_COMPUTE))
            continue;
        const double off_s = sample->seconds - expected_s(class, sample);
        squares_s2 += off_s * off_s / (double)sample->tasks;
        count++;
    }
    return count > 0 ? sqrt(squares_s2 / (double)count) : 0;
}

/* Welford, Note on a method for calculating corrected sums of squares, 1962. */
static void moments_add(struct moments *moments, double seconds)
{
    const double before_s = moments->n > 0 ? moments->sum_s / moments->n : seconds;
    moments->sum_s += seconds;
    moments->n++;
    moments->squares_s2 += (seconds - before_s) * (seconds - moments->sum_s / moments->n);
}

/* Relative, and wide enough for so few. */
static double deviation_of(const struct moments *moments, double mean_s)
{
    const double freedom = moments->n - 1 + USUAL_FREEDOM;
    const double squares =
        moments->squares_s2 / (mean_s * mean_s) + USUAL_FREEDOM * usual_deviation * usual_deviation;
    return student_widening(freedom) * sqrt(squares / freedom);
}

static struct measured_cost start_latency_of(const struct moments *moments)
{
    const double mean_s = moments->sum_s / moments->n;
    const double deviation = deviation_of(moments, mean_s);
    return (struct measured_cost){.cost = {mean_s, 0},
                                  .fit = {.stderr_latency_s = deviation * mean_s / sqrt(moments->n),
                                          .deviation = deviation,
                                          .n = moments->n}};
}

struct measured_cost start_fit(const struct samples *samples, int setting,
                               const struct worker_class *class)
{
    struct moments told = {0, 0, 0}, beyond = {0, 0, 0};
    int64_t fresh_tasks = 0;
    int fresh = 0;
    for (int64_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (is_of(sample, setting, class, OPERATION_START) && sample->seconds > 0)
            moments_add(&told, sample->seconds);
        if (!sample->fresh || !is_of(sample, setting, class, OPERATION_COMPUTE))
            continue;
        const double more_s = beyond_s(class, sample);
        fresh++;
        fresh_tasks += sample->tasks;
        if (more_s > 0)
            moments_add(&beyond, more_s);
    }
    const struct moments *most = told.n >= beyond.n ? &told : &beyond;
    const double chance = chance_s(samples, setting, class) * sqrt((double)fresh_tasks);
    if (most->n == 0 || 2 * most->n < fresh ||
        (most == &beyond && beyond.sum_s < deviations_least * chance))
        return (struct measured_cost){.cost = {0, 0}};
    return start_latency_of(most);
}

/* ---- windows ------------------------------------------------------------------------------- */

enum { BREAKS_MOST = 1024 };

/* Somewhere above package size `above`, at the latest at `upto`. */
struct place {
    double above, upto;
    double at; /* probably */
    double gain;
};

/* Where the two lines meet, if that is between them: else they jump, nobody knows where. */
static double place_of(const struct piece *before, const struct piece *after)
{
    const struct cost *a = &before->cost.cost, *b = &after->cost.cost;
    const double meet = (a->latency_s - b->latency_s) / (b->s_per_task - a->s_per_task);
    const bool between = meet > before->greatest && meet < after->least;
    return between ? meet : sqrt(before->greatest * after->least);
}

static int by_size(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    return (p->at > q->at) - (p->at < q->at);
}

/* Sorted. */
static int places_find(const struct costs *const *costs, int count, struct place *places)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        for (int k = 1; k < costs[i]->count && found < BREAKS_MOST; k++) {
            const struct piece *before = &costs[i]->pieces[k - 1], *after = &costs[i]->pieces[k];
            places[found++] = (struct place){before->greatest, after->least,
                                             place_of(before, after), after->gain};
        }
    qsort(places, (size_t)found, sizeof *places, by_size);
    return found;
}

/* What cannot be told apart is one: at the place of the clearer one. */
static int places_merge(struct place *places, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct place *last = kept > 0 ? &places[kept - 1] : NULL;
        if (!last || places[i].above >= last->upto) {
            places[kept++] = places[i];
            continue;
        }
        last->at = places[i].gain > last->gain ? places[i].at : last->at;
        last->upto = fmin(last->upto, places[i].upto);
        last->gain += places[i].gain;
    }
    return kept;
}

static int places_thin(struct place *places, int count)
{
    while (count > WINDOWS_MOST - 1) {
        int weakest = 0;
        for (int i = 1; i < count; i++)
            if (places[i].gain < places[weakest].gain)
                weakest = i;
        for (int i = weakest; i + 1 < count; i++)
            places[i] = places[i + 1];
        count--;
    }
    return count;
}

void windows_make(const struct costs *const *costs, int count, int64_t largest,
                  struct windows *windows)
{
    struct place places[BREAKS_MOST];
    int found = places_find(costs, count, places);
    found = places_thin(places, places_merge(places, found));
    windows->count = 0;
    for (int i = 0; i < found; i++) {
        const int64_t at = (int64_t)places[i].at;
        const int64_t before = windows->count > 0 ? windows->greatest[windows->count - 1] : 0;
        if (at > before && at < largest)
            windows->greatest[windows->count++] = at;
    }
    windows->greatest[windows->count++] = largest;
}

/* ---- assemble ------------------------------------------------------------------------------ */

/* Of classes' operations. */
enum { COMPUTE_AT = 2 };
/* A latency below so many standard errors is none. */
static const double LATENCY_DEVIATIONS = 2;

enum { MASTER_OPERATIONS = 3 };
static const enum operation master_operations[MASTER_OPERATIONS] = {
    OPERATION_ENVELOPE, OPERATION_SEND, OPERATION_COLLECT};

/* Everything fitted of one setting. */
struct assembly {
    struct costs master[MASTER_OPERATIONS];
    struct costs answer;          /* breaks of requests make no windows: no plan has them */
    struct worker_class *classes; /* owned */
    int class_count;
    struct windows windows;
    struct strata_fit strata; /* owned */
    struct samples level;     /* owned: where core tasks differ, in place of the samples */
    struct weighing weighing;
    struct work
        work; /* owned: of weights that tell what core tasks take; no tasks: there are none */
};

/* ---- fits ---------------------------------------------------------------------------------- */

/* Where any operation breaks. */
static bool windows_find(struct assembly *assembly, int64_t largest, struct failure *failure)
{
    const int count = MASTER_OPERATIONS + assembly->class_count * CLASS_OPERATIONS;
    const struct costs **all = calloc((size_t)count, sizeof(const struct costs *));
    int at = 0;
    if (!all)
        return failure_memory(failure, "fitting costs");
    for (int k = 0; k < MASTER_OPERATIONS; k++)
        all[at++] = &assembly->master[k];
    for (int i = 0; i < assembly->class_count; i++)
        for (int k = 0; k < CLASS_OPERATIONS; k++)
            all[at++] = &assembly->classes[i].costs[k];
    windows_make(all, count, largest, &assembly->windows);
    free(all);
    return true;
}

/* What is to be fitted. */
struct fitting {
    const struct samples *samples;
    int setting, workers;
    int64_t largest;
};

/* Of a single worker's computing, as the smallest packages tell; 0 where they do not. */
static double latency_of(const struct assembly *assembly)
{
    const struct measured_cost *cost = &assembly->classes[0].costs[COMPUTE_AT].pieces[0].cost;
    const double latency_s = cost->cost.latency_s;
    return latency_s > LATENCY_DEVIATIONS * cost->fit.stderr_latency_s ? latency_s : 0;
}

static bool weights_apply(struct assembly *assembly, struct failure *failure)
{
    return assembly->work.tasks == 0 ||
           strata_fit_weigh(&assembly->strata, &assembly->work, failure);
}

/* What weights, if they are known, have to do with what packages took, and these cost by that. */
static bool weights_find(struct assembly *assembly, const struct fitting *fitting,
                         struct cost *compute, struct failure *failure)
{
    const struct task_weights *weights = fitting->samples->weights;
    if (!weights)
        return true;
    if (!weighing_fit(fitting->samples, fitting->setting, fitting->workers,
                      &assembly->strata.workers, &assembly->weighing, compute, failure))
        return false;
    const struct profile_setting weighed = {.weights = weights, .weighing = assembly->weighing};
    if (profile_setting_weighed(&weighed) && !profile_setting_work(&weighed, &assembly->work))
        return failure_memory(failure, "fitting what core tasks differ by");
    return weights_apply(assembly, failure);
}

/* Strata and classes where a package costs `compute`, as far as is known. */
static bool unequal_fit(struct assembly *assembly, const struct fitting *fitting,
                        const struct cost *compute, struct failure *failure)
{
    strata_fit_release(&assembly->strata);
    samples_release(&assembly->level);
    free(assembly->classes);
    assembly->classes = NULL;
    if (!strata_fit_make(fitting->samples, fitting->setting, fitting->workers, compute->latency_s,
                         &assembly->strata, failure) ||
        !weights_apply(assembly, failure))
        return false;
    if (!strata_level(fitting->samples, fitting->setting, &assembly->strata, compute,
                      &assembly->level))
        return failure_memory(failure, "fitting costs");
    const struct two_way *workers =
        &assembly->strata.workers; /* none: nothing was timed in strata */
    assembly->classes =
        classes_make(&assembly->level, fitting->setting, fitting->workers,
                     workers->terms ? workers : NULL, &assembly->class_count, failure);
    return assembly->classes != NULL;
}

/* Where core tasks differ, places that happened to be timed say how costs go with a package's size;
 * what the whole job takes is said by strata where it has regions, and by all places where not, or
 * where weights say what makes them differ: a fit trusts sizes most whose places happened to be
 * alike. */
static bool total_keep(struct assembly *assembly, const struct fitting *fitting, double latency_s,
                       struct failure *failure)
{
    const struct worker_class *class = &assembly->classes[0];
    struct strata_total pool;
    double tasks;
    if (assembly->strata.count == 0) /* all that was timed is in the fit, and nothing beside */
        return true;
    double wanted_s = strata_package_s(&assembly->strata, latency_s, &tasks);
    const struct measured_cost *cost = &costs_find(&class->costs[COMPUTE_AT], tasks)->cost;
    const double fitted_s = cost_of(cost->cost, tasks) * exp(-class->term);
    if (!strata_pool(&assembly->level, fitting->setting, fitting->workers, latency_s,
                     &assembly->strata, &pool))
        return failure_memory(failure, "fitting costs");
    if (assembly->strata.map.work.region_count == 0 || assembly->strata.weighed) {
        wanted_s = pool.mean_s > 0 ? latency_s + tasks * pool.mean_s : 0;
        const double known = cost->fit.stderr_s_per_task / fmax(cost->cost.s_per_task, 1e-300);
        assembly->strata.map.error = sqrt(fmax(0, pool.error * pool.error - known * known));
    }
    if (wanted_s > 0 && fitted_s > 0)
        classes_scale(assembly->classes, assembly->class_count, wanted_s / fitted_s);
    return true;
}

/* What the quickest place took: no package's latency is longer. */
static double place_least(const struct strata_fit *fit)
{
    double least_s = HUGE_VAL;
    for (size_t k = 0; k < fit->count; k++)
        least_s = fmin(least_s, (double)fit->strata[k].place.count * fit->strata[k].cost_s);
    return least_s;
}

/* Where core tasks differ, packages of some size that happened to lie at heavier places must not
 * pass for costs that grow faster than sizes, or hardly grow: what contradicts the quickest place
 * says nothing, and any part of that may be latency. */
static double latency_bound(double latency_s, double least_s)
{
    return latency_s > least_s ? least_s / 2 : fmax(0, latency_s);
}

/* The smallest packages that were fitted take what they took. */
static void latencies_bound(struct assembly *assembly, double least_s)
{
    for (int i = 0; i < assembly->class_count; i++) {
        struct costs *costs = &assembly->classes[i].costs[COMPUTE_AT];
        struct cost *cost = &costs->pieces[0].cost.cost;
        const double tasks = costs->pieces[0].least, package_s = cost_of(*cost, tasks);
        const double latency_s = fmin(latency_bound(cost->latency_s, least_s), package_s / 2);
        if (costs->count == 1 && (cost->latency_s < 0 || cost->latency_s > least_s))
            *cost = (struct cost){latency_s, (package_s - latency_s) / tasks};
    }
}

/* Twice: how much of a package is the same wherever it lies, the first fit tells, unless weights
 * have told it. */
static bool classes_find(struct assembly *assembly, const struct fitting *fitting,
                         struct failure *failure)
{
    struct cost compute = {0, 0};
    if (!strata_fit_make(fitting->samples, fitting->setting, fitting->workers, 0, &assembly->strata,
                         failure) ||
        !weights_find(assembly, fitting, &compute, failure))
        return false;
    if (!assembly->strata.differ) {
        assembly->classes = classes_make(fitting->samples, fitting->setting, fitting->workers, NULL,
                                         &assembly->class_count, failure);
        return assembly->classes != NULL;
    }
    if (!unequal_fit(assembly, fitting, &compute, failure))
        return false;
    const double least_s = place_least(&assembly->strata);
    if (compute.s_per_task == 0) {
        compute.latency_s = latency_bound(latency_of(assembly), least_s);
        compute.s_per_task = assembly->classes[0].costs[COMPUTE_AT].pieces[0].cost.cost.s_per_task;
        if (compute.latency_s > 0 && !unequal_fit(assembly, fitting, &compute, failure))
            return false;
    }
    latencies_bound(assembly, least_s);
    return total_keep(assembly, fitting, compute.latency_s, failure);
}

static bool assembly_fit(struct assembly *assembly, const struct samples *samples, int setting,
                         int64_t largest, int workers, struct failure *failure)
{
    const struct fitting fitting = {samples, setting, workers, largest};
    bool good = true;
    for (int k = 0; good && k < MASTER_OPERATIONS; k++) {
        const struct sample_choice choice = {setting, 0, 0, master_operations[k], SAMPLE_BUSY};
        good = costs_fit(samples, &choice, &assembly->master[k], failure);
    }
    const struct sample_choice answers = {setting, 0, 0, OPERATION_ANSWER, SAMPLE_ANY};
    if (!good || !costs_fit(samples, &answers, &assembly->answer, failure))
        return false;
    return classes_find(assembly, &fitting, failure) && windows_find(assembly, largest, failure);
}

/* Seconds per task: no plan can be made for workers that compute in no time at all. */
static const double COMPUTE_LEAST = 1e-9;
/* A run differs from its calibration by so much at least, relative: passes follow each other at
 * once, and what they differ by says little of an hour later. */
static const double DRIFT_LEAST = 0.01;

/* ---- the profile --------------------------------------------------------------------------- */

/* Of the window's middle; a break that moved when it was merged may let a latency below 0 outweigh
 * the rate at the window's edge: then half the rate's part is left there. */
static struct measured_cost cost_in(const struct costs *costs, const struct profile_window *window)
{
    const double least = (double)window->least, greatest = (double)window->greatest;
    struct measured_cost cost = costs_find(costs, sqrt(least * greatest))->cost;
    if (cost_of(cost.cost, least) <= 0 && cost.cost.latency_s < 0)
        cost.cost.latency_s = -cost.cost.s_per_task * least / 2;
    return cost;
}

/* Owned: "node:1", and of several "node:1 to node:4". */
static char *class_name(const struct worker_class *class, char *const *names)
{
    const char *first = names[class->least - 1], *last = names[class->greatest - 1];
    if (class->least == class->greatest)
        return strdup(first);
    const size_t size = strlen(first) + strlen(last) + sizeof " to ";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s to %s", first, last);
    return name;
}

static bool worker_fill(const struct worker_class *class, char *const *names,
                        const struct profile_window *window, struct profile_worker *worker,
                        struct failure *failure)
{
    struct measured_cost *const costs[CLASS_OPERATIONS] = {
        &worker->link, &worker->receive, &worker->compute, &worker->output, &worker->result};
    worker->count = class->greatest - class->least + 1;
    worker->name = class_name(class, names);
    for (int k = 0; k < CLASS_OPERATIONS; k++)
        *costs[k] = cost_in(&class->costs[k], window);
    worker->request = cost_in(&class->request, window);
    worker->compute.cost.s_per_task = fmax(worker->compute.cost.s_per_task, COMPUTE_LEAST);
    worker->compute.fit.drift = fmax(worker->compute.fit.drift, DRIFT_LEAST);
    return worker->name || failure_memory(failure, "writing the profile");
}

static bool window_fill(const struct assembly *assembly, char *const *names,
                        struct profile_window *window, struct failure *failure)
{
    window->envelope = cost_in(&assembly->master[0], window);
    window->send = cost_in(&assembly->master[1], window);
    window->collect = cost_in(&assembly->master[2], window);
    window->answer = cost_in(&assembly->answer, window);
    window->workers = calloc((size_t)assembly->class_count, sizeof *window->workers);
    if (!window->workers)
        return failure_memory(failure, "writing the profile");
    window->worker_count = (size_t)assembly->class_count;
    bool good = true;
    for (int i = 0; good && i < assembly->class_count; i++)
        good = worker_fill(&assembly->classes[i], names, window, &window->workers[i], failure);
    return good;
}

static bool windows_fill(const struct assembly *assembly, char *const *names,
                         struct profile_setting *setting, struct failure *failure)
{
    setting->windows = calloc((size_t)assembly->windows.count, sizeof *setting->windows);
    if (!setting->windows)
        return failure_memory(failure, "writing the profile");
    setting->window_count = (size_t)assembly->windows.count;
    bool good = true;
    for (int k = 0; good && k < assembly->windows.count; k++) {
        setting->windows[k].least = k > 0 ? assembly->windows.greatest[k - 1] + 1 : 1;
        setting->windows[k].greatest = assembly->windows.greatest[k];
        good = window_fill(assembly, names, &setting->windows[k], failure);
    }
    return good;
}

/* Of all workers, as if they were of the first class. Sorted, owned; NULL: out of memory. */
static struct sample *computing_level(const struct assembly *assembly,
                                      const struct samples *samples, int setting, int64_t *count)
{
    const int last = assembly->classes[assembly->class_count - 1].greatest;
    const struct sample_choice all = {setting, 1, last, OPERATION_COMPUTE, SAMPLE_BUSY};
    if (assembly->strata.differ)
        return samples_choose(&assembly->level, &all, count);
    return classes_level(samples, setting, assembly->classes, assembly->class_count, count);
}

/* A worker starts once, whatever the window. */
static void starts_fill(const struct assembly *assembly, const struct samples *samples, int setting,
                        struct profile_setting *fitted)
{
    for (int i = 0; i < assembly->class_count; i++) {
        const struct measured_cost start = start_fit(samples, setting, &assembly->classes[i]);
        for (size_t w = 0; w < fitted->window_count; w++)
            fitted->windows[w].workers[i].start = start;
    }
}

/* By how much packages differ, and how well the fit predicts them: of all workers together, for
 * places are the same whoever computes them. */
static bool packages_fill(const struct assembly *assembly, const struct samples *samples,
                          int setting, struct profile_setting *fitted, struct failure *failure)
{
    int64_t count = 0;
    struct sample *computing = computing_level(assembly, samples, setting, &count);
    struct sample *again = computing ? malloc(((size_t)count + 1) * sizeof *again) : NULL;
    struct spread *spreads = calloc(SPREADS_MOST, sizeof *spreads);
    struct points points;
    bool good = again && spreads;
    if (good) {
        memcpy(again, computing, (size_t)count * sizeof *again);
        points_make(again, count, &points);
        fitted->spreads = spreads;
        fitted->spread_count =
            spreads_find(computing, count, hypot(points.drift, points.drift_own), spreads);
        good = score_make(computing, count, &fitted->score.held_out, &fitted->score.noise, failure);
    } else {
        failure_memory(failure, "fitting what packages differ by");
        free(spreads);
    }
    free(again);
    free(computing);
    return good;
}

/* Core tasks of packages that were timed in strata, or where none were, of all packages. */
static int64_t tasks_timed(const struct assembly *assembly)
{
    int64_t timed = 0;
    for (size_t k = 0; k < assembly->strata.count; k++)
        timed += assembly->strata.strata[k].place.count;
    for (int64_t i = 0; timed == 0 && i < assembly->level.count; i++)
        if (assembly->level.items[i].operation == OPERATION_COMPUTE)
            timed += assembly->level.items[i].tasks;
    return timed;
}

/* Weights are in no profile: its map then says how certain the job's total is, and no more. */
static void map_take(struct assembly *assembly, struct profile_setting *fitted)
{
    struct cost_map *map = &assembly->strata.map;
    fitted->map = *map;
    if (assembly->strata.weighed) {
        const int64_t timed = tasks_timed(assembly), tasks = map->work.tasks;
        fitted->map = (struct cost_map){.work = {.tasks = tasks},
                                        .sampled = timed < tasks ? timed : tasks,
                                        .error = map->error};
    } else {
        *map = (struct cost_map){.sampled = 0};
    }
}

bool assemble_setting(const struct samples *samples, int setting, int64_t largest, int workers,
                      char *const *names, struct profile_setting *fitted, struct failure *failure)
{
    struct profile_setting made = {.window_count = 0};
    struct assembly assembly = {.classes = NULL};
    const bool good = assembly_fit(&assembly, samples, setting, largest, workers, failure) &&
                      windows_fill(&assembly, names, &made, failure) &&
                      packages_fill(&assembly, samples, setting, &made, failure);
    if (good)
        starts_fill(&assembly, samples, setting, &made);
    map_take(&assembly, &made);
    made.weighing = assembly.weighing;
    strata_fit_release(&assembly.strata);
    samples_release(&assembly.level);
    work_release(&assembly.work);
    free(assembly.classes);
    if (good)
        *fitted = made;
    else
        profile_setting_release(&made);
    return good;
}
