#include "planner/report/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/beyond.h"
#include "planner/model/shared.h"
#include "planner/report/replay.h"
#include "planner/report/residuals.h"
#include "planner/report/star_views.h"
#include "planner/report/watts.h"
#include "planner/studies/advice.h"

/* So many packages, whose sizes differ by this ratio, are needed to fit a line of their own. */
static const double PACKAGES_LEAST = 8, SIZES_LEAST = 1.5;
/* A smaller relative deviation is not believed: no machine repeats itself so exactly. */
static const double DEVIATION_LEAST = 1e-4;

/*
 * Pooling by inverse variances. A line (latency, rate) that is sure up to a covariance C says as
 * much as normal equations C^-1 x = C^-1 line; a package of size z that took t up to an error e
 * adds (1, z)^T (1, z) / e^2 to the matrix and (1, z)^T t / e^2 to the right side. Sums of such
 * equations are solved by the pooled line, and the inverse of their matrix is its covariance: least
 * squares of observations of which the old line is two, with covariance C (A. C. Aitken, On Least
 * Squares and Linear Combination of Observations, Proc. R. Soc. Edinb. 55, 1935). The drift, which
 * all packages of a run share, widens the run's part of the sum before (drift_widen).
 *
 * Calibration's fits go through LAPACK, from the measured points on. Here there are none of the old
 * line, of which only line and covariance are kept, and millions of the run's, which are summed up
 * as they are read: what remains is one equation with two unknowns, which has a closed form. The
 * sizes are relative to their mean, so that both unknowns are seconds of one size, and the prior's
 * correlation is kept off 1: the matrix is as well conditioned as the packages' sizes allow, and
 * where they are all alike the equations do not make a line (equations_solve).
 */

/* A symmetric matrix and a vector, over (latency, rate times mean size). */
struct pair {
    double a, b;
};

struct square {
    double aa, ab, bb;
};

static struct square square_inverse(struct square m)
{
    const double determinant = m.aa * m.bb - m.ab * m.ab;
    return (struct square){m.bb / determinant, -m.ab / determinant, m.aa / determinant};
}

static struct pair square_apply(struct square m, struct pair v)
{
    return (struct pair){m.aa * v.a + m.ab * v.b, m.ab * v.a + m.bb * v.b};
}

/* What is learned about one operation of one class of workers in one window. */
struct lesson {
    const struct profile_window *window;
    struct measured_cost *cost; /* the cost that is changed */
    struct measured_cost old;
    int64_t first_worker, worker_count;
    enum operation operation;
    double drift;
    /* Of the run's packages: */
    double packages, tasks, seconds, expected_s; /* expected by the old line */
    double least, greatest;                      /* sizes */
    struct cost scaled;                          /* the old line, scaled to the run's mean */
    double squares;                              /* of packages' relative distance from it */
    double deviation, jitter_s;                  /* about the scaled line, as in struct fit */
    double mean_size;
    struct square matrix; /* normal equations, weighted by each package's variance */
    struct pair right;
};

static double package_seconds(const struct replay_package *package, enum operation operation)
{
    struct star_cost cost = package->cost;
    return *star_cost_part(&cost, operation);
}

/* Does the package belong to the lesson's cost? */
static bool package_counts(const struct lesson *lesson, const struct replay_package *package)
{
    return package->tasks >= lesson->window->least && package->tasks <= lesson->window->greatest &&
           package->worker >= lesson->first_worker &&
           package->worker - lesson->first_worker < lesson->worker_count;
}

static void package_sum(struct lesson *lesson, const struct replay_package *package)
{
    const double tasks = (double)package->tasks;
    lesson->packages++;
    lesson->tasks += tasks;
    lesson->seconds += package_seconds(package, lesson->operation);
    lesson->expected_s += cost_of(lesson->old.cost, tasks);
    lesson->least = fmin(lesson->least, tasks);
    lesson->greatest = fmax(lesson->greatest, tasks);
}

static void lesson_scale(struct lesson *lesson)
{
    const struct cost old = lesson->old.cost;
    const double factor = lesson->seconds / lesson->expected_s;
    lesson->mean_size = lesson->tasks / lesson->packages;
    lesson->scaled = lesson->expected_s > 0
                         ? (struct cost){old.latency_s * factor, old.s_per_task * factor}
                         : (struct cost){0, lesson->seconds / lesson->tasks};
}

/* Adds the distance of a single package from the line. */
static void package_scatter(struct lesson *lesson, const struct replay_package *package)
{
    const double line_s = cost_of(lesson->scaled, (double)package->tasks);
    const double off = package_seconds(package, lesson->operation) / line_s - 1;
    const double jitter = lesson->old.fit.jitter_s / line_s;
    lesson->squares += off * off - jitter * jitter;
}

/* The deviation of these packages together with those of the old fit. */
static void lesson_scatter(struct lesson *lesson)
{
    const struct fit *old = &lesson->old.fit;
    const double squares = lesson->squares + old->n * old->deviation * old->deviation;
    const double counted = lesson->packages + (old->deviation > 0 ? old->n : 0);
    lesson->jitter_s = old->jitter_s;
    lesson->deviation = fmax(sqrt(fmax(0, squares / counted)), DEVIATION_LEAST);
}

static void package_equate(struct lesson *lesson, const struct replay_package *package)
{
    struct square *matrix = &lesson->matrix;
    const double tasks = (double)package->tasks, size = tasks / lesson->mean_size;
    const double error_s =
        hypot(lesson->deviation * cost_of(lesson->scaled, tasks), lesson->jitter_s);
    const double weight = 1 / (error_s * error_s);
    const double seconds = package_seconds(package, lesson->operation);
    matrix->aa += weight;
    matrix->ab += weight * size;
    matrix->bb += weight * size * size;
    lesson->right.a += weight * seconds;
    lesson->right.b += weight * size * seconds;
}

/* (A^-1 + D)^-1 = (I + A D)^-1 A: A is what the packages say of both parameters, D the covariance
 * of the drift that all packages share. A may be singular, as it is where all packages have one
 * size. Applied to A and to the right side. */
static void drift_widen(struct square *a, struct pair *right, struct pair line, double drift)
{
    const struct pair at = square_apply(*a, line);
    const double share = drift * drift / (1 + drift * drift * (line.a * at.a + line.b * at.b));
    /* By the formula of Sherman and Morrison, because D is drift^2 times the outer product of the
     * line with itself. */
    const double along = line.a * right->a + line.b * right->b;
    right->a -= share * at.a * along;
    right->b -= share * at.b * along;
    a->aa -= share * at.a * at.a;
    a->ab -= share * at.a * at.b;
    a->bb -= share * at.b * at.b;
}

static bool line_sound(const struct lesson *lesson, struct cost cost)
{
    return isfinite(cost.latency_s) && cost.s_per_task >= 0 &&
           cost.latency_s + cost.s_per_task * (double)lesson->window->least > 0;
}

/* A line and its errors from normal equations; false: these do not determine a line. */
static bool equations_solve(const struct lesson *lesson, struct square matrix, struct pair right,
                            double mean_size, struct measured_cost *made)
{
    const struct square errors = square_inverse(matrix);
    const struct pair line = square_apply(errors, right);
    const struct cost cost = {line.a, line.b / mean_size};
    if (!(errors.aa > 0 && errors.bb > 0) || !line_sound(lesson, cost))
        return false;
    made->cost = cost;
    made->fit.stderr_latency_s = sqrt(errors.aa);
    made->fit.stderr_s_per_task = sqrt(errors.bb) / mean_size;
    made->fit.correlation = fmax(-1, fmin(1, errors.ab / sqrt(errors.aa * errors.bb)));
    return true;
}

/* A line that is only scaled has one error for latency and rate. */
static void scaled_take(const struct lesson *lesson, struct measured_cost *made)
{
    const double error = lesson->deviation / sqrt(lesson->packages);
    made->cost = lesson->scaled;
    made->fit.stderr_latency_s = error * fabs(made->cost.latency_s);
    made->fit.stderr_s_per_task = error * made->cost.s_per_task;
    made->fit.correlation = made->cost.latency_s < 0 ? -1 : 1;
}

static void prior_add(const struct measured_cost *old, double mean_size, struct square *matrix,
                      struct pair *right)
{
    const double latency_s = old->fit.stderr_latency_s;
    const double rate_s = old->fit.stderr_s_per_task * mean_size;
    const double correlation = fmax(-0.999, fmin(0.999, old->fit.correlation));
    const struct square sure = square_inverse(
        (struct square){latency_s * latency_s, correlation * latency_s * rate_s, rate_s * rate_s});
    const struct pair said =
        square_apply(sure, (struct pair){old->cost.latency_s, old->cost.s_per_task * mean_size});
    matrix->aa += sure.aa;
    matrix->ab += sure.ab;
    matrix->bb += sure.bb;
    right->a += said.a;
    right->b += said.b;
}

/* Do the packages tell anything about this cost? */
static bool lesson_counts(const struct lesson *lesson)
{
    return lesson->packages >= 2 && lesson->seconds > 0;
}

static void cost_learn(const struct lesson *lesson)
{
    const struct measured_cost *cost = &lesson->old;
    struct measured_cost made = *cost;
    struct square matrix = lesson->matrix;
    struct pair right = lesson->right;
    const double mean_size = lesson->mean_size;
    const bool known = cost->fit.stderr_latency_s > 0 && cost->fit.stderr_s_per_task > 0;
    const bool wide =
        lesson->packages >= PACKAGES_LEAST && lesson->greatest >= SIZES_LEAST * lesson->least;
    if (known) {
        const double drift = fmax(lesson->drift, hypot(cost->fit.drift, cost->fit.drift_own));
        const struct pair line = {lesson->scaled.latency_s, lesson->scaled.s_per_task * mean_size};
        drift_widen(&matrix, &right, line, drift);
        prior_add(cost, mean_size, &matrix, &right);
    }
    if (!(known || wide) || !equations_solve(lesson, matrix, right, mean_size, &made))
        scaled_take(lesson, &made);
    made.fit.deviation = lesson->deviation;
    made.fit.n = (int)fmin((known ? cost->fit.n : 0) + lesson->packages, 1e9);
    *lesson->cost = made;
}

/* ---- all costs ----------------------------------------------------------------------------- */

/* What is learned from all packages of a run. */
struct lessons {
    struct lesson *items; /* owned */
    size_t count;
    void (*package)(struct lesson *lesson, const struct replay_package *package);
};

static void lesson_add(struct lessons *lessons, struct lesson lesson, enum operation operation,
                       struct measured_cost *cost)
{
    lesson.operation = operation;
    lesson.cost = cost;
    lesson.old = *cost;
    lessons->items[lessons->count++] = lesson;
}

static void window_list(struct lessons *lessons, struct profile_window *window, double drift)
{
    struct lesson lesson = {.window = window,
                            .worker_count = profile_workers(window),
                            .drift = drift,
                            .least = HUGE_VAL};
    int64_t first = 0;
    lesson_add(lessons, lesson, OPERATION_ENVELOPE, &window->envelope);
    lesson_add(lessons, lesson, OPERATION_SEND, &window->send);
    for (size_t w = 0; w < window->worker_count; w++) {
        struct profile_worker *worker = &window->workers[w];
        struct measured_cost *const costs[] = {&worker->link, &worker->receive, &worker->compute,
                                               &worker->output};
        lesson.first_worker = first;
        lesson.worker_count = worker->count;
        for (int k = 0; k < 4; k++)
            lesson_add(lessons, lesson, (enum operation)(OPERATION_LINK + k), costs[k]);
        first += worker->count;
    }
}

/* False: out of memory. */
static bool lessons_list(struct lessons *lessons, struct profile_setting *setting, double drift)
{
    size_t most = 0;
    for (size_t k = 0; k < setting->window_count; k++)
        most += 2 + 4 * setting->windows[k].worker_count;
    *lessons = (struct lessons){.items = calloc(most + 1, sizeof *lessons->items)};
    for (size_t k = 0; lessons->items && k < setting->window_count; k++)
        window_list(lessons, &setting->windows[k], drift);
    return lessons->items != NULL;
}

static void lessons_package(void *self, const struct replay_package *package)
{
    const struct lessons *lessons = self;
    for (size_t k = 0; k < lessons->count; k++)
        if (package_counts(&lessons->items[k], package))
            lessons->package(&lessons->items[k], package);
}

/* The latest start of each worker over all parts; 0: not known. */
struct starts {
    double *prepared_s; /* owned */
    int64_t count;
};

/* Starts of those of the workers first .. first + count - 1 that took part. */
struct start_lesson {
    double sum_s, squares_s2;
    int n;
};

static struct start_lesson starts_sum(const struct starts *starts, int64_t first, int64_t count)
{
    struct start_lesson lesson = {0, 0, 0};
    if (!starts->prepared_s)
        return lesson;
    for (int64_t k = first; k < first + count && k < starts->count; k++) {
        const double start_s = starts->prepared_s[k];
        lesson.sum_s += start_s;
        lesson.squares_s2 += start_s * start_s;
        lesson.n += start_s > 0;
    }
    return lesson;
}

/* Weighs the run's starts and the known one by their variances. */
static void start_learn(const struct start_lesson *lesson, double drift,
                        struct measured_cost *start)
{
    const double mean_s = lesson->sum_s / lesson->n;
    const double variance_s2 =
        lesson->n > 1 ? fmax(0, lesson->squares_s2 - lesson->sum_s * mean_s) / (lesson->n - 1) : 0;
    const double deviation =
        fmax(lesson->n > 1 ? sqrt(variance_s2) / mean_s : start->fit.deviation, DEVIATION_LEAST);
    const double own_s = mean_s * hypot(deviation / sqrt(lesson->n), drift);
    const bool known = start->fit.n > 0 && start->fit.stderr_latency_s > 0;
    const double old = known ? 1 / (start->fit.stderr_latency_s * start->fit.stderr_latency_s) : 0;
    const double weight = 1 / (own_s * own_s);
    start->cost.latency_s = (old * start->cost.latency_s + weight * mean_s) / (old + weight);
    start->fit.stderr_latency_s = 1 / sqrt(old + weight);
    start->fit.deviation = deviation;
    start->fit.n = (known ? start->fit.n : 0) + lesson->n;
}

/* Have all windows the same classes, as calibration makes them? A start must be the same in all. */
static bool classes_alike(const struct profile_setting *setting)
{
    const struct profile_window *one = &setting->windows[0];
    for (size_t w = 1; w < setting->window_count; w++)
        for (size_t k = 0; k < one->worker_count; k++)
            if (setting->windows[w].worker_count != one->worker_count ||
                setting->windows[w].workers[k].count != one->workers[k].count)
                return false;
    return true;
}

static void starts_learn(const struct starts *starts, struct profile_setting *setting, double drift)
{
    int64_t first = 0;
    if (!classes_alike(setting))
        return;
    for (size_t k = 0; k < setting->windows[0].worker_count; k++) {
        struct measured_cost *start = &setting->windows[0].workers[k].start;
        const struct start_lesson lesson =
            starts_sum(starts, first, setting->windows[0].workers[k].count);
        if (lesson.n > 0)
            start_learn(&lesson, drift, start);
        for (size_t w = 1; w < setting->window_count; w++)
            setting->windows[w].workers[k].start = *start;
        first += setting->windows[0].workers[k].count;
    }
}

/* The mean of what was known and what the run took: machines' load and files' sizes change. */
static double overhead_mix(double known_s, double run_s)
{
    return !(run_s > 0) ? known_s : known_s > 0 ? (known_s + run_s) / 2 : run_s;
}

static void overhead_learn(const struct run_record *record, struct overhead *overhead)
{
    overhead->start_s = overhead_mix(overhead->start_s, record->startup_s);
    overhead->seal_s = overhead_mix(overhead->seal_s, record->finish_s);
}

static bool history_append(struct profile *profile, double drift, struct failure *failure)
{
    double *history = calloc(HISTORY_MOST, sizeof *history);
    const size_t kept =
        profile->history_count < HISTORY_MOST ? profile->history_count : (size_t)HISTORY_MOST - 1;
    if (!history)
        return failure_memory(failure, "learning from a run");
    if (kept > 0)
        memcpy(history, profile->history + (profile->history_count - kept), kept * sizeof *history);
    history[kept] = drift;
    free(profile->history);
    profile->history = history;
    profile->history_count = kept + 1;
    return true;
}

/* ---- parts --------------------------------------------------------------------------------- */

/* What is learned from: the run's parts, beginning with the record's own one; of several masters,
 * each star. */
struct parts {
    const struct run_record **items; /* owned; borrowed each */
    bool *complete;                  /* owned; by item: can it be replayed? */
    int64_t count;
    struct star_views **views; /* owned; by the run's parts; NULL: one master */
    int64_t run_parts;
};

static struct run_record *run_part(struct run_record *record, int64_t k)
{
    return k == 0 ? record : &record->others[k - 1];
}

static void parts_release(struct parts *parts)
{
    for (int64_t k = 0; parts->views && k < parts->run_parts; k++)
        star_views_free(&parts->views[k]);
    free(parts->views);
    free(parts->items);
    free(parts->complete);
}

static bool part_list(struct parts *parts, const struct run_record *part, int64_t k)
{
    const size_t stars = part->plan.star_count;
    if (stars == 0) {
        parts->items[parts->count++] = part;
        return true;
    }
    parts->views[k] = star_views_new(part);
    for (size_t star = 0; parts->views[k] && star < stars; star++)
        parts->items[parts->count++] = star_views_record(parts->views[k], star);
    return parts->views[k] != NULL;
}

/* To be released in any case. False: out of memory. */
static bool parts_init(struct parts *parts, struct run_record *record, struct failure *failure)
{
    const int64_t run_parts = record->other_count + 1;
    size_t most = 1;
    for (int64_t k = 0; k < run_parts; k++)
        most += run_part(record, k)->plan.star_count + 1;
    *parts = (struct parts){.items = calloc(most, sizeof(void *)),
                            .complete = calloc(most, sizeof *parts->complete),
                            .views = calloc((size_t)run_parts, sizeof(void *)),
                            .run_parts = run_parts};
    bool good = parts->items && parts->complete && parts->views;
    for (int64_t k = 0; good && k < run_parts; k++)
        good = part_list(parts, run_part(record, k), k);
    return good || failure_memory(failure, "learning from a run");
}

/* What others took of processors and network during the run says nothing about the next run. For
 * each worker of the part: the time of computing with the share of processors that it had when the
 * profile was made, divided by the time that it took; and likewise of links with the profile's
 * bandwidth, if the plan was made for another one. What packages found of the bandwidth is of no
 * use here, because it is derived from the times that they took. *count workers; owned; NULL: out
 * of memory. */
static struct replay_alone *alone_find(const struct run_record *part,
                                       const struct profile_setting *setting, int64_t *count)
{
    const struct profile_window *window = &setting->windows[0];
    const int64_t ranks = run_record_ranks(part), known = profile_workers(window);
    *count = ranks < known ? ranks : known;
    *count = part->had_count > *count ? part->had_count : *count;
    struct replay_alone *alone = calloc((size_t)*count + 1, sizeof *alone);
    for (int64_t k = 0; alone && k < *count; k++) {
        const double had = run_record_had(part, k);
        const size_t class = k < profile_workers(window) ? profile_class(window, k) : 0;
        const double before = window->workers[class].availability;
        alone[k].compute = had > 0 ? had / (before > 0 ? before : 1) : 1;
        alone[k].link = shared_of(&part->plan, k).bandwidth;
    }
    return alone;
}

/* If the part has a prediction and can be replayed, adds both times, as if nobody else had used the
 * processors and the plan had not expected it. */
static bool drift_add(const struct run_record *part, const struct profile_setting *setting,
                      double *predicted_s, double *replayed_s, struct failure *failure)
{
    struct residuals residuals;
    int64_t count;
    if (!run_record_traced(part))
        return true;
    struct replay_alone *alone = alone_find(part, setting, &count);
    if (!alone)
        return failure_memory(failure, "learning from a run");
    const bool good = residuals_make_alone(part, alone, count, &residuals, failure);
    free(alone);
    if (!good)
        return false;
    if (residuals.has_replayed && residuals.has_predicted) {
        /* Variation makes every run longer, and is not a drift of costs. */
        const struct plan_prediction *planned = &part->plan.predicted;
        const double longer =
            residuals.median_s > 0 ? planned->makespan_s / planned->without_variation_s : 1;
        *predicted_s += longer * residuals.predicted.makespan_s;
        *replayed_s += residuals.replayed.makespan_s;
    }
    residuals_release(&residuals);
    return true;
}

/* Adds the run's own drift, over all parts together, to the history. */
static bool drift_note(const struct parts *parts, struct profile *profile,
                       const struct profile_setting *setting, struct failure *failure)
{
    double predicted_s = 0, replayed_s = 0;
    for (int64_t k = 0; k < parts->count; k++)
        if (!drift_add(parts->items[k], setting, &predicted_s, &replayed_s, failure))
            return false;
    const double drift = residuals_error(predicted_s, replayed_s);
    return isnan(drift) || history_append(profile, drift, failure);
}

/* False: out of memory. */
static bool starts_append(struct starts *all, const struct replay *from)
{
    const int64_t count = from->setup.workers;
    if (count > all->count) {
        double *starts = realloc(all->prepared_s, (size_t)count * sizeof *all->prepared_s);
        if (!starts)
            return false;
        for (int64_t k = all->count; k < count; k++)
            starts[k] = 0;
        all->prepared_s = starts;
        all->count = count;
    }
    for (int64_t k = 0; k < count; k++)
        if (from->prepared_s[k] > 0)
            all->prepared_s[k] = from->prepared_s[k];
    return true;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct reading {
    struct replay replay;
    struct failure *failure;
};

static bool reading_take(void *self, const struct trace *block)
{
    struct reading *reading = self;
    return replay_take(&reading->replay, block, reading->failure);
}

/* Reads all packages of a part for the lessons (NULL: none), as if its first workers had been
 * `alone` (NULL: as they were). *complete: it can be replayed. Its starts are added to `starts`,
 * which may be NULL. */
static bool part_read(const struct run_record *part, struct lessons *lessons,
                      const struct replay_alone *alone, int64_t alone_count, struct starts *starts,
                      bool *complete, struct failure *failure)
{
    struct reading reading = {.failure = failure};
    const struct replay_setup setup = {.workers = run_record_ranks(part),
                                       .alone = alone,
                                       .alone_count = alone_count,
                                       .package = lessons ? lessons_package : NULL,
                                       .self = lessons};
    const struct trace_taker taker = {reading_take, &reading};
    bool good = replay_init(&reading.replay, &setup, failure) &&
                run_trace_read(part, &taker, failure) && replay_end(&reading.replay, failure);
    *complete = good && reading.replay.complete;
    if (*complete && starts && !starts_append(starts, &reading.replay))
        good = failure_memory(failure, "learning from a run");
    replay_release(&reading.replay);
    return good;
}

/* Finds the parts that can be replayed; *any: there is one. False: out of memory. */
static bool parts_find(struct parts *parts, bool *any, struct starts *starts,
                       struct failure *failure)
{
    *any = false;
    for (int64_t k = 0; k < parts->count; k++) {
        if (!part_read(parts->items[k], NULL, NULL, 0, starts, &parts->complete[k], failure))
            return false;
        *any = *any || parts->complete[k];
    }
    return true;
}

static bool packages_read(const struct parts *parts, const struct profile_setting *setting,
                          struct lessons *lessons,
                          void (*package)(struct lesson *, const struct replay_package *),
                          struct failure *failure)
{
    bool good = true, again;
    lessons->package = package;
    for (int64_t k = 0; good && k < parts->count; k++) {
        const struct run_record *part = parts->items[k];
        if (!parts->complete[k])
            continue;
        int64_t count;
        struct replay_alone *alone = alone_find(part, setting, &count);
        good = alone ? part_read(part, lessons, alone, count, NULL, &again, failure)
                     : failure_memory(failure, "learning from a run");
        free(alone);
    }
    return good;
}

/* Costs that no package tells anything about stay as they are. */
static void lessons_thin(struct lessons *lessons)
{
    size_t kept = 0;
    for (size_t k = 0; k < lessons->count; k++)
        if (lesson_counts(&lessons->items[k]))
            lessons->items[kept++] = lessons->items[k];
    lessons->count = kept;
}

/* Reads the packages three times: for their sums, their scatter about the line, and their
 * equations. */
static bool setting_learn(const struct parts *parts, double drift, struct profile_setting *setting,
                          struct failure *failure)
{
    struct lessons lessons;
    if (!lessons_list(&lessons, setting, drift))
        return failure_memory(failure, "learning from a run");
    bool good = packages_read(parts, setting, &lessons, package_sum, failure);
    lessons_thin(&lessons);
    for (size_t k = 0; k < lessons.count; k++)
        lesson_scale(&lessons.items[k]);
    good = good && packages_read(parts, setting, &lessons, package_scatter, failure);
    for (size_t k = 0; k < lessons.count; k++)
        lesson_scatter(&lessons.items[k]);
    good = good && packages_read(parts, setting, &lessons, package_equate, failure);
    for (size_t k = 0; good && k < lessons.count; k++)
        cost_learn(&lessons.items[k]);
    free(lessons.items);
    return good;
}

/* ---- whole --------------------------------------------------------------------------------- */

static bool parts_learn(struct run_record *record, struct profile_setting *setting,
                        const struct parts *parts, const struct starts *starts,
                        struct failure *failure)
{
    record->profile.peaks = peaks_most(
        record->profile.peaks, advice_peaks(&record->plan, setting, run_record_peaks(record)));
    beyond_settle(&record->profile, starts->count);
    if (!setting_learn(parts, profile_drift(&record->profile), setting, failure))
        return false;
    overhead_learn(record, &record->profile.overhead);
    watts_learn(record, &record->profile);
    starts_learn(starts, setting, profile_drift(&record->profile));
    return true;
}

/* Replaces the plan's costs by those without others on the machines. */
static void shared_leave(struct run_record *record)
{
    for (int64_t k = 0; k <= record->other_count; k++) {
        struct run_record *part = run_part(record, k);
        if (run_record_traced(part))
            shared_undo(&part->profile, &part->plan);
    }
}

bool learn_costs(struct run_record *record, struct failure *failure)
{
    const struct profile_setting *found =
        record->has_profile
            ? profile_find(&record->profile, &record->plan.parameters, record->plan.threads)
            : NULL;
    struct starts starts = {NULL, 0};
    struct parts parts;
    bool any = false;
    if (!found)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the run has no profile to write its costs into: run with a plan that "
                           "names its profile, or with -p PROFILE");
    struct profile_setting *setting = &record->profile.settings[found - record->profile.settings];
    shared_leave(record);
    bool good = parts_init(&parts, record, failure) &&
                drift_note(&parts, &record->profile, setting, failure) &&
                parts_find(&parts, &any, &starts, failure);
    if (good && !any)
        good = failure_set(
            failure, FAILURE_MISMATCH,
            "the run handed out packages twice or lost some, so its costs say little: run "
            "again");
    good = good && parts_learn(record, setting, &parts, &starts, failure);
    parts_release(&parts);
    free(starts.prepared_s);
    return good;
}
