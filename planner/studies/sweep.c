#include "planner/studies/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/model/beyond.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/feeding.h"
#include "planner/studies/masters.h"

/* ---- alone --------------------------------------------------------------------------------- */

/* The speeds of single workers, to which the efficiency of several is relative. The ideal machine
 * is as fast as all workers together, each as fast as when it does the whole job alone: it takes 1
 * / (sum of 1 / T_i) seconds, where T_i is the makespan with worker i alone. Efficiency is the
 * ideal machine's time divided by the makespan. Where all workers are alike that is speed-up
 * divided by the number of workers. */

/* Neighbouring workers that are equal. */
struct alone {
    int64_t first, count;
    double makespan_s; /* of one of them alone; HUGE_VAL: it cannot do the job alone */
};

struct alone_list {
    struct alone *items; /* owned; all workers of the platform, in their order */
    size_t count;
};

/* The platform of one worker alone; `windows` and `classes` have one place per window. */
static struct platform platform_alone(const struct platform *from, int64_t worker,
                                      struct platform_window *windows,
                                      struct platform_class *classes)
{
    struct platform made = platform_unplaced(from);
    made.worker_count = 1;
    made.windows = windows;
    for (int64_t w = 0; w < from->window_count; w++) {
        windows[w] = from->windows[w];
        classes[w] = *platform_worker(&from->windows[w], worker);
        classes[w].first = 0;
        classes[w].count = 1;
        windows[w].classes = &classes[w];
        windows[w].class_count = 1;
    }
    return made;
}

/* How many workers from `first` on have the same class in every window. */
static int64_t workers_like(const struct platform *platform, int64_t first)
{
    int64_t end = platform->worker_count;
    for (int64_t w = 0; w < platform->window_count; w++) {
        const struct platform_class *class = platform_worker(&platform->windows[w], first);
        if (class->first + class->count < end)
            end = class->first + class->count;
    }
    return end - first;
}

static bool makespan_alone(const struct scheduler *scheduler,
                           const struct schedule_request *request, double *makespan_s,
                           struct failure *failure)
{
    struct failure refused = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    const bool made = scheduler_make_for_all(scheduler, request, &plan, &refused);
    *makespan_s = made ? plan.predicted.makespan_s : HUGE_VAL;
    plan_release(&plan);
    return made || refused.code == FAILURE_INFEASIBLE ||
           failure_set(failure, refused.code, "%s", refused.text);
}

static bool list_fill(struct alone_list *list, const struct scheduler *scheduler,
                      const struct schedule_request *request, struct platform_window *windows,
                      struct platform_class *classes, struct failure *failure)
{
    const struct platform *platform = request->platform;
    for (int64_t first = 0; first < platform->worker_count;) {
        const struct platform single = platform_alone(platform, first, windows, classes);
        struct schedule_request own = *request;
        struct alone item = {.first = first, .count = workers_like(platform, first)};
        own.platform = &single;
        if (!makespan_alone(scheduler, &own, &item.makespan_s, failure))
            return false;
        struct alone *items = array_extend(list->items, list->count, sizeof *items);
        if (!items)
            return failure_memory(failure, "sweeping over worker counts");
        list->items = items;
        items[list->count++] = item;
        first += item.count;
    }
    return true;
}

static void alone_release(struct alone_list *list)
{
    free(list->items);
    *list = (struct alone_list){.items = NULL};
}

/* Plans with that scheduler for one worker of each kind; *list is to be released. Fails only where
 * memory ends. */
static bool alone_init(struct alone_list *list, const struct scheduler *scheduler,
                       const struct schedule_request *request, struct failure *failure)
{
    const size_t windows = (size_t)request->platform->window_count;
    struct platform_window *window = calloc(windows, sizeof *window);
    struct platform_class *class = calloc(windows, sizeof *class);
    struct alone_list made = {.items = NULL};
    const bool good = window && class ? list_fill(&made, scheduler, request, window, class, failure)
                                      : failure_memory(failure, "sweeping over worker counts");
    free(window);
    free(class);
    if (good)
        *list = made;
    else
        alone_release(&made);
    return good;
}

/* The efficiency of the first `workers` workers: at most 1, also where the scheduler's plans for
 * single workers are worse than those for many. */
static double alone_efficiency(const struct alone_list *list, int64_t workers, double makespan_s)
{
    double speed = 0;     /* in jobs per second */
    if (list->count == 1) /* speed-up divided by workers, without rounding of sums */
        return fmin(list->items[0].makespan_s / makespan_s / (double)workers, 1);
    for (size_t k = 0; k < list->count && list->items[k].first < workers; k++) {
        const struct alone *item = &list->items[k];
        const int64_t left = workers - item->first;
        speed += (double)(left < item->count ? left : item->count) / item->makespan_s;
    }
    return fmin(1 / (speed * makespan_s), 1);
}

/* ---- sweep --------------------------------------------------------------------------------- */

/*
 * The knee is where speed-up times efficiency, S(n) S(n) / n, is greatest: there a further worker
 * costs more efficiency than it gains speed (D. L. Eager, J. Zahorjan, E. D. Lazowska, Speedup
 * versus efficiency in parallel systems, IEEE Trans. Comput. 38(3), 1989).
 */

/* Rows besides those of the marks. Every mark but the knee may add a row; the knee is one of the
 * rows that are there. */
enum { GRID_MOST = SWEEP_ROWS_MOST - (SWEEP_MARKS - 1) };

/* Twice as many workers help if they save this share of the makespan. */
static const double HELP_LEAST = 0.01;
/* Between two numbers of workers whose makespans differ by less, none is planned for. */
static const double FLAT = 1e-4;
/* About how many numbers of workers a sweep plans for: its rows, the steps that double, and
 * bisections. The effort is divided by it. */
enum { COUNTS_LIKELY = SWEEP_ROWS_MOST + 20 };

/* ---- a setting with more workers ----------------------------------------------------------- */

static void setting_release(struct profile_setting *setting)
{
    for (size_t k = 0; k < setting->window_count; k++)
        free(setting->windows[k].workers);
    free(setting->windows);
}

/* Copies the window's workers, followed by `more` workers like the one of that rank; names stay
 * borrowed. */
static bool window_grow(const struct profile_window *from, int64_t rank, int64_t more,
                        struct profile_window *window)
{
    const size_t count = from->worker_count;
    *window = *from;
    window->workers = malloc((count + 1) * sizeof *window->workers);
    if (!window->workers)
        return false;
    memcpy(window->workers, from->workers, count * sizeof *window->workers);
    if (more <= 0)
        return true;
    window->workers[count] = from->workers[profile_class(from, rank - 1)];
    window->workers[count].count = more;
    window->worker_count++;
    return true;
}

/* Copies all that planning needs of the setting, with at least `workers` workers; to be released.
 * The cost map stays the original's. */
static bool setting_grow(const struct planning *planning, int64_t workers,
                         struct profile_setting *grown)
{
    const struct profile_setting *from = planning->setting;
    const int64_t more = workers - profile_workers(&from->windows[0]);
    struct profile_setting copy = {.memory = from->memory,
                                   .map = from->map,
                                   .weights = from->weights,
                                   .weighing = from->weighing};
    copy.windows = calloc(from->window_count, sizeof *copy.windows);
    bool good = copy.windows != NULL;
    for (size_t k = 0; good && k < from->window_count; k++) {
        copy.window_count = k + 1;
        good =
            window_grow(&from->windows[k], beyond_rank(planning->profile), more, &copy.windows[k]);
    }
    if (good)
        *grown = copy;
    else
        setting_release(&copy);
    return good;
}

/* ---- the counts that were planned for ------------------------------------------------------ */

struct point {
    struct sweep_row row;
    double
        own_s; /* makespan of the plan that uses all of so many workers; HUGE_VAL: there is none */
    int64_t own_masters;
    bool shown;
};

struct survey {
    struct planning planning; /* for a setting with enough workers */
    const struct scheduler *scheduler;
    int64_t masters; /* the wanted number, or MASTERS_AUTO; 0: one master */
    int64_t workers_per_node;
    struct effort effort;    /* of all plans together */
    bool limited;            /* false: plans take as much effort as they need */
    double used;             /* of the effort */
    int planned;             /* numbers of workers so far */
    struct alone_list alone; /* owned */
    struct point *points;    /* owned; ascending in workers, from 1 worker on */
    size_t count, capacity;
};

/* Plans for each kind of worker alone, up to `most` workers. */
static bool survey_open(struct survey *survey, int64_t most, struct failure *failure)
{
    struct platform platform;
    survey->planning.workers = most;
    if (!planning_platform(&survey->planning, &platform, failure))
        return false;
    const struct schedule_request request = {.platform = &platform,
                                             .tasks = survey->planning.tasks,
                                             .real_valued = survey->planning.real_valued};
    const bool good = alone_init(&survey->alone, survey->scheduler, &request, failure);
    platform_release(&platform);
    return good;
}

/* The effort for all plans of a sweep: with the quick scheduler twice that of one plan by
 * "auto". */
static double survey_effort(const struct planning *planning, const struct scheduler *scheduler)
{
    const bool quick = strcmp(scheduler->name, SCHEDULER_QUICK) == 0;
    return planning->effort_s * (quick ? 2 : PLANNING_EFFORT_NAMED) * EFFORT_SECOND;
}

/* An equal part of the effort that is left. Plans for few workers do not use all of theirs, and
 * leave it to those for many. */
static double survey_share(struct survey *survey)
{
    const int left = COUNTS_LIKELY - survey->planned++;
    const double units = fmax(survey->effort.left, 0) / (left > 1 ? left : 1);
    effort_use(&survey->effort, units);
    return units;
}

/* Tries several masters. That takes a part of the effort for one number of workers, which each of
 * their plans shares (masters.c). */
static bool masters_look(const struct survey *survey, struct point *point, struct failure *failure)
{
    struct planning planning = survey->planning;
    const double one_s = point->own_s;
    planning.workers = point->row.workers;
    planning.scheduler = survey->scheduler->name;
    point->own_masters = 1;
    return survey->masters == 0 || masters_quick(&planning, survey->masters, one_s,
                                                 &point->own_masters, &point->own_s, failure);
}

/* The makespan of a plan of one master that uses all of so many workers; HUGE_VAL: there is none,
 * and a plan for fewer workers serves. */
static bool makespan_find(struct survey *survey, int64_t workers, double *makespan_s,
                          struct failure *failure)
{
    const double units = survey_share(survey);
    struct effort share = {units};
    struct failure refused = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    struct platform platform;
    survey->planning.workers = workers;
    if (!planning_platform(&survey->planning, &platform, failure))
        return false;
    const struct schedule_request request = {.platform = &platform,
                                             .tasks = survey->planning.tasks,
                                             .real_valued = survey->planning.real_valued,
                                             .effort = survey->limited ? &share : NULL};
    const bool made = scheduler_make_for_all(survey->scheduler, &request, &plan, &refused) &&
                      planning_apply_map(&survey->planning, &plan, &refused);
    *makespan_s = made ? plan.predicted.makespan_s : HUGE_VAL;
    effort_use(&survey->effort, -share.left);
    survey->used += units - share.left;
    plan_release(&plan);
    platform_release(&platform);
    if (made || (refused.code == FAILURE_INFEASIBLE && workers > 1))
        return true;
    return refused.code == FAILURE_INFEASIBLE
               ? failure_set(failure, refused.code, "%s does not apply: %s",
                             survey->scheduler->name, refused.text)
               : failure_set(failure, refused.code, "%s", refused.text);
}

/* A job that may use more workers need not use all of them: from row `from` on, no row takes longer
 * than the one before. */
static void survey_settle(struct survey *survey, size_t from)
{
    const double one_s = survey->points[0].own_s;
    const int64_t each = survey->workers_per_node;
    for (size_t k = from; k < survey->count; k++) {
        struct sweep_row *row = &survey->points[k].row;
        const int64_t nodes = (row->workers + each - 1) / each;
        const struct sweep_row *before = k > 0 ? &survey->points[k - 1].row : NULL;
        const bool fewer = before && before->makespan_s < survey->points[k].own_s;
        row->makespan_s = fewer ? before->makespan_s : survey->points[k].own_s;
        row->masters = fewer ? before->masters : survey->points[k].own_masters;
        row->speedup = one_s / row->makespan_s;
        row->efficiency = alone_efficiency(&survey->alone, row->workers, row->makespan_s);
        row->node_seconds = (double)row->workers * row->makespan_s;
        row->node_hours = (double)nodes * row->makespan_s / 3600;
    }
}

/* The makespan for a number of workers whose place in the table is `at`. It is planned for, unless
 * the number is large and its neighbours' makespans are equal. */
static bool makespan_know(struct survey *survey, size_t at, struct point *point,
                          struct failure *failure)
{
    const int64_t workers = point->row.workers;
    if (workers > GRID_MOST && at < survey->count) {
        const struct sweep_row *before = &survey->points[at - 1].row;
        point->own_s = before->makespan_s;
        point->own_masters = before->masters;
        if (fabs(survey->points[at].own_s / point->own_s - 1) < FLAT)
            return true;
    }
    return makespan_find(survey, workers, &point->own_s, failure) &&
           masters_look(survey, point, failure);
}

/* Plans for so many workers unless that is done; *at becomes the row's place. Rows behind it
 * move. */
static bool survey_plan(struct survey *survey, int64_t workers, size_t *at, struct failure *failure)
{
    struct point point = {.row = {.workers = workers}};
    size_t k = 0;
    while (k < survey->count && survey->points[k].row.workers < workers)
        k++;
    *at = k;
    if (k < survey->count && survey->points[k].row.workers == workers)
        return true;
    if (!makespan_know(survey, k, &point, failure) ||
        !feeding_suffices(survey->planning.setting, workers, survey->planning.tasks, &point.row.fed,
                          failure))
        return false;
    struct point *points =
        array_reserve(survey->points, &survey->capacity, survey->count + 1, sizeof *points);
    if (!points)
        return failure_memory(failure, "sweeping over worker counts");
    survey->points = points;
    memmove(points + k + 1, points + k, (survey->count - k) * sizeof *points);
    points[k] = point;
    survey->count++;
    survey_settle(survey, k);
    return true;
}

static bool survey_show(struct survey *survey, int64_t workers, struct failure *failure)
{
    size_t at;
    if (!survey_plan(survey, workers, &at, failure))
        return false;
    survey->points[at].shown = true;
    return true;
}

/* Doubles the number of workers, up to `most`, until that no longer helps, but at least beyond all
 * measured workers. *last becomes the number at which it ended; *enough: it ended because more
 * workers did not help. */
static bool survey_reach(struct survey *survey, int64_t measured, int64_t most, int64_t *last,
                         bool *enough, struct failure *failure)
{
    size_t at;
    double before_s = HUGE_VAL;
    *enough = false;
    for (int64_t workers = 1;; workers = 2 * workers < most ? 2 * workers : most) {
        if (!survey_plan(survey, workers, &at, failure))
            return false;
        const double makespan_s = survey->points[at].row.makespan_s;
        const bool doubled = at > 0 && survey->points[at - 1].row.workers * 2 == workers;
        *enough = workers >= 2 * measured && doubled && makespan_s > (1 - HELP_LEAST) * before_s;
        *last = workers;
        before_s = makespan_s;
        if (*enough || workers >= most)
            return true;
    }
}

/* Shortens the sweep to twice the number of workers beyond which hardly any more is gained, or to
 * the measured workers. */
static int64_t survey_trim(struct survey *survey, int64_t measured, int64_t last)
{
    const double least_s = survey->points[survey->count - 1].row.makespan_s;
    size_t first = 0;
    while (survey->points[first].row.makespan_s > least_s / (1 - HELP_LEAST))
        first++;
    const int64_t enough = 2 * survey->points[first].row.workers;
    const int64_t wanted = enough > measured ? enough : measured;
    const int64_t end = wanted < last ? wanted : last;
    while (survey->points[survey->count - 1].row.workers > end)
        survey->count--;
    return end;
}

/* Chooses the rows: every number where they are small, then numbers in even ratios. */
static bool survey_fill(struct survey *survey, int64_t last, struct failure *failure)
{
    int64_t workers = 1;
    for (int left = GRID_MOST - 1; survey_show(survey, workers, failure); left--) {
        if (workers == last)
            return true;
        const double ratio = pow((double)last / (double)workers, 1.0 / left);
        const int64_t next = (int64_t)round((double)workers * ratio);
        workers = next > workers ? next : workers + 1;
    }
    return false;
}

/* ---- the rows worth knowing ---------------------------------------------------------------- */

static bool point_reaches(const struct point *point, double efficiency)
{
    static const double ROUNDING = 1e-9;
    return point->row.efficiency >= efficiency - ROUNDING;
}

/* *below becomes the first number of workers with less efficiency; 0: there is none. */
static bool below_find(struct survey *survey, double efficiency, int64_t *below,
                       struct failure *failure)
{
    size_t at = 0;
    while (at < survey->count && point_reaches(&survey->points[at], efficiency))
        at++;
    int64_t reached = at > 0 ? survey->points[at - 1].row.workers : 0;
    *below = at < survey->count ? survey->points[at].row.workers : 0;
    while (*below > reached + 1) {
        const int64_t middle = reached + (*below - reached) / 2;
        if (!survey_plan(survey, middle, &at, failure))
            return false;
        *(point_reaches(&survey->points[at], efficiency) ? &reached : below) = middle;
    }
    return true;
}

/* *fed becomes the most workers up to `last` that one master can feed; 0: all of them, or not even
 * one. */
static bool fed_find(const struct survey *survey, int64_t last, int64_t *fed,
                     struct failure *failure)
{
    const struct planning *planning = &survey->planning;
    int64_t unfed = last;
    bool suffices;
    *fed = 0;
    if (survey->points[survey->count - 1].row.fed || !survey->points[0].row.fed)
        return true;
    for (*fed = 1; unfed > *fed + 1;) {
        const int64_t middle = *fed + (unfed - *fed) / 2;
        if (!feeding_suffices(planning->setting, middle, planning->tasks, &suffices, failure))
            return false;
        *(suffices ? fed : &unfed) = middle;
    }
    return true;
}

static int64_t survey_knee(const struct survey *survey)
{
    size_t knee = 0;
    double best = 0;
    for (size_t k = 0; k < survey->count; k++) {
        const struct point *point = &survey->points[k];
        const double gain = point->row.speedup * point->row.efficiency;
        if (point->shown && gain > best) {
            best = gain;
            knee = k;
        }
    }
    return survey->points[knee].row.workers;
}

static bool mark_show(struct survey *survey, int64_t workers, struct failure *failure)
{
    return workers == 0 || survey_show(survey, workers, failure);
}

/* Efficiencies come last, because planning for another number of workers may improve the rows
 * behind it. */
static bool marks_set(struct survey *survey, int64_t last, struct sweep *sweep,
                      struct failure *failure)
{
    static const double efficiencies[SWEEP_MARKS] = {
        [SWEEP_BELOW_90] = 0.9, [SWEEP_BELOW_75] = 0.75, [SWEEP_BELOW_50] = 0.5};
    int64_t *marks = sweep->marks;
    marks[SWEEP_MEASURED] = sweep->available <= last ? sweep->available : 0;
    if (!fed_find(survey, last, &marks[SWEEP_FED], failure) ||
        !mark_show(survey, marks[SWEEP_MEASURED], failure) ||
        !mark_show(survey, marks[SWEEP_FED], failure))
        return false;
    for (int k = SWEEP_BELOW_90; k <= SWEEP_BELOW_50; k++)
        if (!below_find(survey, efficiencies[k], &marks[k], failure) ||
            !mark_show(survey, marks[k], failure))
            return false;
    marks[SWEEP_KNEE] = survey_knee(survey);
    return true;
}

/* ---- the sweep ----------------------------------------------------------------------------- */

static bool rows_copy(const struct survey *survey, struct sweep *sweep)
{
    sweep->rows = calloc(SWEEP_ROWS_MOST, sizeof *sweep->rows);
    for (size_t k = 0; sweep->rows && k < survey->count; k++)
        if (survey->points[k].shown)
            sweep->rows[sweep->count++] = survey->points[k].row;
    return sweep->rows != NULL;
}

static bool survey_make(struct survey *survey, int64_t asked, int64_t most, struct sweep *sweep,
                        struct failure *failure)
{
    const int64_t measured = sweep->available;
    int64_t last = asked;
    bool enough = false;
    if (!survey_show(survey, 1, failure))
        return false;
    if (asked == 0) {
        if (!survey_reach(survey, measured, most, &last, &enough, failure))
            return false;
        last = enough ? survey_trim(survey, measured, last) : last;
        sweep->end = enough ? SWEEP_ENOUGH : last < SWEEP_WORKERS_MOST ? SWEEP_TASKS : SWEEP_LIMIT;
    }
    sweep->beyond = beyond_of(survey->planning.profile, last);
    return survey_fill(survey, last, failure) && marks_set(survey, last, sweep, failure) &&
           (rows_copy(survey, sweep) || failure_memory(failure, "sweeping over worker counts"));
}

bool sweep_make(const struct planning *planning, struct sweep *sweep, struct failure *failure)
{
    return sweep_make_with(planning, 0, sweep, failure);
}

bool sweep_make_with(const struct planning *planning, int64_t masters, struct sweep *sweep,
                     struct failure *failure)
{
    const int64_t measured = beyond_measured(planning->profile), asked = planning->workers;
    const int64_t useful = (int64_t)fmin(planning->tasks, SWEEP_WORKERS_MOST);
    const int64_t most = asked > 0 ? asked : useful > measured ? useful : measured;
    const int per_node = planning->profile->origin.workers_per_node;
    const bool quick = strcmp(planning->scheduler, SCHEDULER_AUTO) == 0;
    struct survey survey = {.planning = *planning,
                            .scheduler =
                                scheduler_find(quick ? SCHEDULER_QUICK : planning->scheduler),
                            .masters = masters,
                            .workers_per_node = per_node > 0 ? per_node : 1,
                            .limited = planning->effort_s > 0};
    survey.effort.left = survey_effort(planning, survey.scheduler);
    struct profile_setting grown;
    struct sweep made = {.scheduler = survey.scheduler->name,
                         .several = masters != 0,
                         .available = measured,
                         .workers_per_node = survey.workers_per_node,
                         .regions = planning_regions(planning)};
    if (!setting_grow(planning, most, &grown))
        return failure_memory(failure, "sweeping over worker counts");
    survey.planning.setting = &grown;
    const bool good =
        survey_open(&survey, most, failure) && survey_make(&survey, asked, most, &made, failure);
    made.alike = survey.alone.count == 1;
    if (planning->used_s && survey.limited)
        *planning->used_s += survey.used / EFFORT_SECOND;
    alone_release(&survey.alone);
    free(survey.points);
    setting_release(&grown);
    if (good)
        *sweep = made;
    else
        sweep_release(&made);
    return good;
}

void sweep_release(struct sweep *sweep)
{
    free(sweep->rows);
    *sweep = (struct sweep){.rows = NULL};
}

/* ---- deadlines ----------------------------------------------------------------------------- */

/* After the bisection, so many numbers just below are tried one by one. */
enum { FEWER_MOST = 3 };

/* The search for the fewest workers that meet a deadline. */
struct deadline_search {
    struct planning planning;
    double deadline_s;
    struct plan kept;        /* owned; for `workers` workers */
    int64_t workers;         /* the fewest so far; 0: none */
    double least_s;          /* the least makespan so far */
    struct failure refused;  /* why a number of workers had no plan at all */
    double effort_s, used_s; /* for all tries; 0: unlimited */
    int tries;               /* about how many are still to come */
};

/* An equal part of the effort that is left; if there are more tries than expected, the last ones
 * get next to nothing. */
static double effort_share(const struct deadline_search *search)
{
    static const double least = 1e-3;
    const int tries = search->tries > 1 ? search->tries : 1;
    return search->effort_s > 0
               ? fmax(search->effort_s - search->used_s, least * search->effort_s) / tries
               : 0;
}

/* Does a plan for `workers` workers meet the deadline? It is kept when it does. */
static bool deadline_try(struct deadline_search *search, int64_t workers, bool *met,
                         struct failure *failure)
{
    struct plan made;
    struct failure refused = FAILURE_INIT;
    search->planning.workers = workers;
    search->planning.effort_s = effort_share(search);
    search->tries--;
    *met = false;
    if (!planning_make(&search->planning, &made, &refused)) {
        failure_set(&search->refused, refused.code, "%s", refused.text);
        return refused.code == FAILURE_INFEASIBLE ||
               failure_set(failure, refused.code, "%s", refused.text);
    }
    *met = made.predicted.makespan_s <= search->deadline_s;
    search->least_s = fmin(search->least_s, made.predicted.makespan_s);
    if (*met) {
        plan_release(&search->kept);
        search->kept = made;
        search->workers = workers;
    } else {
        plan_release(&made);
    }
    return true;
}

/* Tries a few numbers below `workers`, one by one, and goes on from the first that meets the
 * deadline. */
static bool deadline_lower(struct deadline_search *search, int64_t workers, struct failure *failure)
{
    for (int64_t fewer = 1; fewer <= FEWER_MOST && fewer < workers; fewer++) {
        bool met;
        if (!deadline_try(search, workers - fewer, &met, failure))
            return false;
        if (met) {
            workers -= fewer;
            fewer = 0;
        }
    }
    return true;
}

/* Bisects as if more workers never took longer. */
static bool deadline_bisect(struct deadline_search *search, struct failure *failure)
{
    int64_t low = 1;
    while (low < search->workers) {
        int64_t middle = low + (search->workers - low) / 2;
        bool met;
        if (!deadline_try(search, middle, &met, failure))
            return false;
        if (!met)
            low = middle + 1;
    }
    return true;
}

static bool deadline_refuse(const struct deadline_search *search, int64_t workers,
                            struct failure *failure)
{
    if (!isfinite(search->least_s))
        return failure_set(failure, search->refused.code, "%s", search->refused.text);
    return failure_set(
        failure, FAILURE_INFEASIBLE,
        "no plan meets the deadline of %.6g s: the least predicted makespan is %.6g s, with up to "
        "%" PRId64 " workers",
        search->deadline_s, search->least_s, workers);
}

/* A plan for more workers may leave some idle, so more workers hardly ever take longer, and
 * bisection finds the least number. But a scheduler that must use all workers may take longer when
 * a slow one is added, and rounding can cost a core task. Therefore a few lower numbers are tried
 * one by one before and after it. */
bool sweep_deadline(const struct planning *planning, double deadline_s, struct plan *plan,
                    struct failure *failure)
{
    struct deadline_search search = {.planning = *planning,
                                     .deadline_s = deadline_s,
                                     .least_s = HUGE_VAL,
                                     .refused = FAILURE_INIT,
                                     .effort_s = planning->effort_s};
    search.planning.used_s = &search.used_s;
    search.planning.within = -1; /* a plan that takes a little longer may miss the deadline */
    int64_t available = profile_workers(&planning->setting->windows[0]);
    int64_t most =
        planning->workers > 0 && planning->workers < available ? planning->workers : available;
    search.tries = 2 * FEWER_MOST + (int)ceil(log2((double)most));
    bool met;
    bool good = deadline_try(&search, most, &met, failure) &&
                (met || deadline_lower(&search, most, failure)) &&
                deadline_bisect(&search, failure) &&
                deadline_lower(&search, search.workers, failure);
    if (good && search.workers == 0)
        good = deadline_refuse(&search, most, failure);
    if (planning->used_s)
        *planning->used_s += search.used_s;
    if (good)
        *plan = search.kept;
    else
        plan_release(&search.kept);
    return good;
}

/* Keeps `made` in place of the plan where it is thriftier and takes at most most_s; else releases
 * it. */
static void thriftier_keep(struct plan *plan, struct plan *made, double most_s)
{
    if (made->predicted.makespan_s <= most_s && schedule_thriftier(made, plan)) {
        plan_release(plan);
        *plan = *made;
    } else {
        plan_release(made);
    }
}

bool sweep_within(const struct planning *planning, double within, struct plan *plan,
                  struct failure *failure)
{
    const double most_s = (1 + within) * plan->predicted.makespan_s;
    struct planning wide = *planning;
    struct failure refused = FAILURE_INIT;
    struct plan made;
    wide.within = within;
    wide.omissions = NULL;
    if (!planning_make(&wide, &made, failure))
        return false;
    thriftier_keep(plan, &made, most_s);
    if (!sweep_deadline(&wide, most_s, &made, &refused))
        return refused.code == FAILURE_INFEASIBLE ||
               failure_set(failure, refused.code, "%s", refused.text);
    thriftier_keep(plan, &made, most_s);
    return true;
}
