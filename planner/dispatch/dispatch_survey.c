#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "planner/base/random.h"
#include "planner/dispatch/dispatch_kind.h"
#include "planner/dispatch/survey.h"
#include "planner/dispatch/survey_pieces.h"

/* There is a stratum for so many core tasks; jobs with fewer core tasks for each worker are not
 * surveyed. */
enum { TASKS_PER_STRATUM = 8, TASKS_PER_WORKER = 10 };
/* At most one of so many core tasks is handed out as a probe; one of MISSING_SHARE while single
 * ones are awaited. */
enum { PROBES_SHARE = 6, MISSING_SHARE = 4 };
/* Strata are halved as long as the total is not known within this: half the width of its 90 %
 * interval, relative. */
static const double DOUBT_MOST = 0.1;
/* The second size, from which on the latency of packages is known; larger sizes double. */
enum { SECOND_SIZE = 4, GROWTH = 2, SIZES_LEAST = 3 };
/* The largest package that is timed is one of so many parts of a worker's core tasks. */
enum { LARGEST_SHARE = 10 };
/* The latencies of all probes may take this share of the job's time. */
static const double LATENCIES_SHARE = 0.05;
/* A package that takes so many times its latency, and this share of a worker's time for the job, is
 * the largest that must be timed: smaller ones alone do not tell what transfers cost. */
static const double LATENCIES_ENOUGH = 10, PACKAGE_SHARE = 0.005;
/* A worker gets its next probe before it has reported the others only while these take less than
 * this; otherwise that probe would wait for long when what remains is planned. */
static const double AHEAD_BELOW_S = 0.05;
static const double GOLDEN = 0.6180339887498949;

struct probe {
    int64_t first, tasks;
    bool single; /* it times the stratum in which it lies */
    bool out;    /* not reported yet, and its worker is not lost */
    int64_t worker;
};

struct survey_worker {
    int64_t sent, outstanding; /* packages */
    int64_t tasks;             /* of the outstanding packages */
    double busy_from_s;        /* since when it is busy with the first of them */
    int64_t first;             /* its first reported probe; -1: none */
    double first_s; /* the time of its first probe, until the next one tells whether it included the
                       worker's start; 0: it is decided */
    bool lost;
    bool late; /* no report of it is expected for now */
};

struct dispatch_survey {
    struct dispatch base;
    struct survey_setup setup;
    struct survey_timings timings;
    struct task_range *free; /* owned; core tasks that no worker has been given, ascending */
    size_t free_count, free_capacity;
    struct probe *probes; /* owned; by index of the package */
    size_t probe_count, probe_capacity;
    int64_t handed;              /* core tasks that were handed out */
    int strata;                  /* at the beginning */
    int64_t singles;             /* strata that have been probed */
    int64_t singles_out;         /* single core tasks that are not reported */
    int stride;                  /* from one stratum to the next to be probed */
    uint64_t random;             /* of the generator */
    struct survey_levels levels; /* as the planner knows them */
    struct survey_pieces pieces; /* what remains, in the pieces that are assigned */
    struct dispatch *remaining;  /* owned; assigns them, once they are planned */
    double remaining_s;          /* when assigning them begins */
    bool remaining_begun;        /* remaining_s is known: planning itself takes time */
    double planned_s;            /* when planning was begun */
    struct survey_worker workers[];
};

/* ---- places -------------------------------------------------------------------------------- */

/* Removes these core tasks, which lie in the range at `at`, from those that are free. */
static bool range_cut(struct dispatch_survey *self, size_t at, int64_t first, int64_t count)
{
    struct task_range *ranges =
        array_reserve(self->free, &self->free_capacity, self->free_count + 1, sizeof *ranges);
    if (!ranges)
        return false;
    self->free = ranges;
    const struct task_range range = ranges[at];
    const struct task_range before = {range.first, first - range.first};
    const struct task_range after = {first + count, range.first + range.count - first - count};
    const size_t pieces = (size_t)(before.count > 0) + (size_t)(after.count > 0);
    memmove(ranges + at + pieces, ranges + at + 1, (self->free_count - at - 1) * sizeof *ranges);
    if (before.count > 0)
        ranges[at] = before;
    if (after.count > 0)
        ranges[at + pieces - 1] = after;
    self->free_count += pieces - 1;
    return true;
}

static int common_divisor(int a, int b)
{
    while (b != 0) {
        const int left = a % b;
        a = b;
        b = left;
    }
    return a;
}

/* A stride through the strata, by the golden section: each few consecutive ones are from all over
 * the job. */
static int stride_find(int strata)
{
    int stride = (int)lround(GOLDEN * strata);
    while (stride == 0 || common_divisor(strata, stride) != 1)
        stride++;
    return stride;
}

/* The next stratum in that order or, after all, one whose probe told nothing; -1: there is none. */
static int stratum_next(const struct dispatch_survey *self)
{
    const struct survey_timings *timings = &self->timings;
    if (self->singles < self->strata)
        return (int)(self->singles * self->stride % self->strata);
    for (int k = 0; k < timings->stratum_count; k++)
        if (isnan(timings->strata[k].seconds) && timings->strata[k].probing == 0)
            return k;
    return -1;
}

static bool is_free(const struct dispatch_survey *self, struct task_range range)
{
    for (size_t k = 0; k < self->free_count; k++)
        if (self->free[k].first < range.first + range.count &&
            range.first < self->free[k].first + self->free[k].count)
            return true;
    return false;
}

/* Halves strata; false: none can be halved. */
static bool strata_divide(struct dispatch_survey *self)
{
    struct task_range halves[2];
    const int count = survey_timings_halves(&self->timings, halves);
    bool divided = false;
    for (int k = 0; k < count; k++)
        if (self->timings.stratum_count < SURVEY_STRATA_MOST && is_free(self, halves[k])) {
            survey_timings_divide(&self->timings, halves[k]);
            divided = true;
        }
    return divided;
}

/* A random free core task of that stratum, or the next free one behind it. */
static size_t single_place(struct dispatch_survey *self, int stratum, int64_t *first)
{
    const struct task_range own = self->timings.strata[stratum].range;
    const int64_t wanted = strata_place(own, 1, &self->random).first;
    size_t at = 0;
    while (at + 1 < self->free_count && self->free[at].first + self->free[at].count <= wanted)
        at++;
    const struct task_range *range = &self->free[at];
    const int64_t last = range->first + range->count - 1;
    *first = wanted < range->first ? range->first : wanted > last ? last : wanted;
    return at;
}

/* Places a package in the longest free range, at an end that another probe has made, so that what
 * remains has no more pieces than before, each of which costs a latency. If there is no such end,
 * at a random place. */
static size_t package_place(struct dispatch_survey *self, int64_t *first, int64_t *count)
{
    size_t at = 0;
    for (size_t k = 1; k < self->free_count; k++)
        if (self->free[k].count > self->free[at].count)
            at = k;
    const struct task_range *range = &self->free[at];
    if (*count > range->count)
        *count = range->count;
    const int64_t last = range->first + range->count - *count;
    *first = last;
    if (range->first > 0)
        *first = range->first;
    else if (range->count == self->setup.tasks)
        *first = (int64_t)(random_uniform(&self->random) * ((double)last + 1));
    return at;
}

/* ---- sizes --------------------------------------------------------------------------------- */

static int64_t size_limit(const struct dispatch_survey *self)
{
    const int64_t share = self->setup.tasks / (LARGEST_SHARE * self->setup.workers);
    const int64_t most = share < self->setup.most ? share : self->setup.most;
    return most > 1 ? most : 1;
}

/* Seconds that all workers together may still spend on latencies. */
static double latencies_left(const struct dispatch_survey *self, struct cost cost)
{
    const double all_s = cost.s_per_task * (double)self->setup.tasks + cost.latency_s;
    return LATENCIES_SHARE * all_s -
           survey_timings_latency(&self->timings) * (double)self->probe_count;
}

/* However equal the first probes are, heavy core tasks may lie together where none was timed: every
 * stratum is to be probed. */
static bool singles_wanted(const struct dispatch_survey *self, struct cost cost)
{
    return stratum_next(self) >= 0 && latencies_left(self, cost) > 0;
}

/* Half the width of the 90 % interval of the total, relative; HUGE_VAL: nothing is known. */
static double doubt(const struct survey_timings *timings)
{
    struct stratum strata[SURVEY_STRATA_MOST];
    const size_t count = survey_timings_strata(timings, strata);
    if (count == 0)
        return HUGE_VAL;
    size_t region_count = 0;
    struct region *regions = strata_regions(strata, count, &region_count);
    const struct strata_total total = strata_total(strata, count, regions, region_count);
    free(regions);
    return STRATA_NORMAL_95 * total.error + total.unseen / 2;
}

/* While the total is uncertain, strata are halved, and single core tasks of the halves are
 * timed. */
static bool halves_wanted(struct dispatch_survey *self, struct cost cost)
{
    if (self->singles < self->strata || self->handed >= self->setup.tasks / PROBES_SHARE ||
        !(latencies_left(self, cost) > 0) || !(doubt(&self->timings) > DOUBT_MOST))
        return false;
    return stratum_next(self) >= 0 || strata_divide(self);
}

/* Is a package that takes so long the largest that must be timed? */
static bool is_long(const struct dispatch_survey *self, struct cost cost, double seconds)
{
    const double worker_s =
        cost.s_per_task * (double)self->setup.tasks / (double)self->setup.workers;
    return seconds > fmax(LATENCIES_ENOUGH * cost.latency_s, PACKAGE_SHARE * worker_s);
}

/* The next of the doubling sizes that not every worker has had; 0: no more sizes are needed. */
static int64_t larger_size(struct dispatch_survey *self, struct cost cost)
{
    const int64_t limit = size_limit(self);
    const bool enough = survey_timings_known(&self->timings) >= SIZES_LEAST;
    for (int64_t tasks = GROWTH; tasks <= limit && latencies_left(self, cost) > 0;
         tasks *= GROWTH) {
        const double seconds = cost.latency_s + cost.s_per_task * (double)tasks;
        const struct survey_size *size = survey_timings_size(&self->timings, tasks);
        if (size->sent < self->setup.workers)
            return tasks;
        if (enough && is_long(self, cost, seconds))
            return 0;
    }
    return 0;
}

/* Single core tasks that are not reported yet may be the longest of all: what remains is not
 * planned without them, unless others have done too much meanwhile. */
static bool singles_missing(const struct dispatch_survey *self)
{
    return self->singles_out > 0 && self->handed < self->setup.tasks / MISSING_SHARE;
}

enum wish { WISH_SINGLE, WISH_PACKAGE, WISH_WAIT, WISH_END };

/* More single core tasks, packages like the largest so far, or the end of the survey. */
static enum wish wish_last(struct dispatch_survey *self, struct cost cost, int64_t *tasks)
{
    const struct survey_timings *timings = &self->timings;
    if (halves_wanted(self, cost))
        return WISH_SINGLE;
    *tasks = timings->size_count > 0 ? timings->sizes[timings->size_count - 1].tasks : 1;
    return singles_missing(self) ? WISH_PACKAGE : WISH_END;
}

/* What this worker should get. The first two probes of each worker are a single core task and a
 * small package. */
static enum wish wish_of(struct dispatch_survey *self, const struct survey_worker *worker,
                         int64_t *tasks)
{
    const int64_t limit = size_limit(self);
    const struct cost cost = survey_timings_cost(&self->timings);
    if (self->setup.tasks < TASKS_PER_WORKER * self->setup.workers)
        return WISH_END;
    if (worker->sent == 0)
        return WISH_SINGLE;
    if (self->handed >= self->setup.tasks / PROBES_SHARE)
        return wish_last(self, cost, tasks);
    *tasks = SECOND_SIZE < limit ? SECOND_SIZE : limit;
    if (worker->sent == 1 && limit > 1)
        return WISH_PACKAGE;
    if (limit > 1 && survey_timings_known(&self->timings) < 2)
        return worker->outstanding > 0 ? WISH_WAIT : WISH_SINGLE;
    if (singles_wanted(self, cost))
        return WISH_SINGLE;
    *tasks = larger_size(self, cost);
    return *tasks > 0 ? WISH_PACKAGE : wish_last(self, cost, tasks);
}

/* How long the worker takes for the probes that it has. */
static double probes_s(const struct dispatch_survey *self, const struct survey_worker *worker)
{
    const struct cost cost = survey_timings_cost(&self->timings);
    return cost.latency_s * (double)worker->outstanding + cost.s_per_task * (double)worker->tasks;
}

/* ---- what remains -------------------------------------------------------------------------- */

/* The same by the regions in which the probes lie, because a package in a heavy region takes
 * longer. */
static double probes_regional_s(const struct dispatch_survey *self, int64_t worker)
{
    const struct survey_pieces *pieces = &self->pieces;
    const double factor = self->levels.factors ? self->levels.factors[worker] : 1;
    double sum_s = 0;
    if (pieces->region_count < 2 && !(pieces->work && pieces->zone_count > 0))
        return probes_s(self, &self->workers[worker]);
    for (size_t k = 0; k < self->probe_count; k++)
        if (self->probes[k].out && self->probes[k].worker == worker)
            sum_s +=
                factor * survey_pieces_cost(pieces, self->probes[k].first, self->probes[k].tasks);
    return sum_s;
}

/* A worker that still has probes does not count as late with what follows them. */
static void remaining_wait(struct dispatch_survey *self)
{
    for (int64_t w = 0; w < self->setup.workers; w++)
        if (self->workers[w].outstanding > 0)
            dispatch_busy(self->remaining, w, probes_regional_s(self, w), false);
}

/* What remains is planned as if all workers were there: says now which of them are lost or late. */
static void remaining_lose(struct dispatch_survey *self)
{
    for (int64_t w = 0; w < self->setup.workers; w++)
        if (self->workers[w].lost)
            dispatch_lost(self->remaining, w);
        else if (self->workers[w].late)
            dispatch_late(self->remaining, w, true);
}

/* How long workers are busy, in the mean, as far as is known. */
static double busy_s(const struct dispatch_survey *self, double now_s)
{
    double sum_s = 0;
    for (int64_t w = 0; w < self->setup.workers; w++)
        if (self->workers[w].outstanding > 0)
            sum_s += fmax(0, self->workers[w].busy_from_s + probes_regional_s(self, w) - now_s);
    return sum_s / (double)self->setup.workers;
}

/* Corrects the strata's timings for the speed of the worker that did each, and for the weight of
 * the core task that was timed. */
static void strata_level(struct dispatch_survey *self)
{
    const struct survey_planner *planner = &self->setup.planner;
    struct survey_levels *levels = &self->levels;
    if (planner->levels)
        *levels = planner->levels(planner->self, &self->timings);
    if (levels->factors)
        survey_timings_level(&self->timings, levels->factors);
    if (levels->work)
        survey_timings_weigh(&self->timings, levels->work, levels->s_per_task);
}

/* False: out of memory. */
static bool replan_remaining(struct dispatch_survey *self, double now_s)
{
    const struct survey_planner *planner = &self->setup.planner;
    strata_level(self);
    const struct survey_job job = {.most = self->setup.most,
                                   .workers = self->setup.workers,
                                   .timings = &self->timings,
                                   .work = self->levels.work};
    if (!survey_pieces_make(&self->pieces, &job, self->free, self->free_count))
        return false;
    const struct survey_remaining remaining = {
        .now_s = now_s,
        .tasks = self->setup.tasks - self->handed,
        .probes = (int64_t)self->probe_count,
        .busy_s = busy_s(self, now_s),
        .ranges = self->pieces.items,
        .pieces = self->pieces.count,
        .worth_s = survey_pieces_worth(&self->pieces),
        .last_s = survey_pieces_last(&self->pieces),
        .total = self->pieces.total,
        .regions = self->pieces.region_count,
        .timings = &self->timings,
    };
    struct dispatch *inner = planner->plan ? planner->plan(planner->self, &remaining) : NULL;
    self->remaining = survey_pieces_dispatch(&self->pieces, &job, inner);
    self->planned_s = now_s;
    if (self->remaining)
        remaining_lose(self);
    return self->remaining != NULL;
}

/* The clock of what remains begins after planning: otherwise its first packages would seem to have
 * been under way during that. */
static void remaining_begin(struct dispatch_survey *self, double now_s)
{
    if (self->remaining_begun)
        return;
    self->remaining_s = now_s;
    self->remaining_begun = true;
    remaining_wait(self);
}

static enum dispatch_answer remaining_next(struct dispatch_survey *self, double now_s,
                                           struct package *package)
{
    remaining_begin(self, now_s);
    const enum dispatch_answer answer =
        dispatch_next(self->remaining, now_s - self->remaining_s, package);
    if (answer == DISPATCH_SEND) {
        package->index += (int64_t)self->probe_count;
        package->round++;
    }
    return answer;
}

/* ---- probes -------------------------------------------------------------------------------- */

static bool has_room(const struct dispatch_survey *self, const struct survey_worker *worker)
{
    return !worker->lost && !worker->late &&
           (worker->outstanding == 0 ||
            (worker->outstanding == 1 && probes_s(self, worker) < AHEAD_BELOW_S));
}

static bool probe_send(struct dispatch_survey *self, double now_s, enum wish wish, int64_t tasks,
                       struct package *package)
{
    const int64_t worker = package->worker;
    struct probe *probes =
        array_reserve(self->probes, &self->probe_capacity, self->probe_count + 1, sizeof *probes);
    int64_t first, count = wish == WISH_SINGLE ? 1 : tasks;
    if (!probes)
        return false;
    self->probes = probes;
    const int stratum = wish == WISH_SINGLE ? stratum_next(self) : -1;
    const size_t at =
        stratum >= 0 ? single_place(self, stratum, &first) : package_place(self, &first, &count);
    if (!range_cut(self, at, first, count))
        return false;
    *package = (struct package){(int64_t)self->probe_count, 0, worker, first, count};
    const bool within = stratum >= 0 && survey_timings_stratum(&self->timings, first) == stratum;
    probes[self->probe_count++] = (struct probe){first, count, within, true, worker};
    survey_timings_size(&self->timings, count)->sent++;
    self->singles += stratum >= 0 && self->singles < self->strata;
    if (within) {
        self->singles_out++;
        self->timings.strata[stratum].probing++;
    }
    self->handed += count;
    if (self->workers[worker].outstanding == 0)
        self->workers[worker].busy_from_s = now_s;
    self->workers[worker].sent++;
    self->workers[worker].outstanding++;
    self->workers[worker].tasks += count;
    return true;
}

/* The worker that has had the fewest probes. */
static int64_t worker_next(const struct dispatch_survey *self)
{
    int64_t found = -1;
    for (int64_t w = 0; w < self->setup.workers; w++)
        if (has_room(self, &self->workers[w]) &&
            (found < 0 || self->workers[w].sent < self->workers[found].sent))
            found = w;
    return found;
}

static enum dispatch_answer survey_next(struct dispatch *dispatch, double now_s,
                                        struct package *package)
{
    struct dispatch_survey *self = (struct dispatch_survey *)dispatch;
    int64_t tasks = 1;
    if (self->remaining)
        return remaining_next(self, now_s, package);
    if (self->handed == self->setup.tasks)
        return DISPATCH_FINISHED;
    const int64_t worker = worker_next(self);
    if (worker < 0)
        return DISPATCH_WAIT;
    const enum wish wish = wish_of(self, &self->workers[worker], &tasks);
    if (wish == WISH_WAIT)
        return DISPATCH_WAIT;
    if (wish == WISH_END)
        return replan_remaining(self, now_s) ? DISPATCH_WAIT : DISPATCH_OUT_OF_MEMORY;
    package->worker = worker;
    return probe_send(self, now_s, wish, tasks, package) ? DISPATCH_SEND : DISPATCH_OUT_OF_MEMORY;
}

static struct survey_stratum *stratum_of(struct dispatch_survey *self, const struct probe *probe)
{
    return &self->timings.strata[survey_timings_stratum(&self->timings, probe->first)];
}

static void probe_count(struct dispatch_survey *self, const struct probe *probe, double seconds)
{
    struct survey_size *size = survey_timings_size(&self->timings, probe->tasks);
    size->reported++;
    size->squares += seconds * seconds;
    size->seconds += seconds;
    if (probe->single) {
        stratum_of(self, probe)->seconds = seconds;
        stratum_of(self, probe)->place = probe->first;
        stratum_of(self, probe)->worker = probe->worker;
    }
}

/* A worker's first probe may have waited for a program to be loaded. It counts only if the next
 * one, of the same or a larger size, took no less. */
static void probe_done(struct dispatch_survey *self, const struct package *package, double seconds)
{
    const struct probe *probe = &self->probes[package->index];
    struct survey_worker *worker = &self->workers[probe->worker];
    self->probes[package->index].out = false;
    worker->outstanding--;
    if (probe->single) {
        self->singles_out--;
        stratum_of(self, probe)->probing--;
    }
    worker->tasks -= probe->tasks;
    if (worker->first < 0) {
        worker->first = package->index;
        worker->first_s = seconds;
        return;
    }
    if (worker->first_s > 0 && worker->first_s <= seconds)
        probe_count(self, &self->probes[worker->first], worker->first_s);
    worker->first_s = 0;
    probe_count(self, probe, seconds);
}

/* Reports of what remains have numbers and a clock of their own. */
static void survey_done(struct dispatch *dispatch, const struct package *package,
                        struct dispatch_times times)
{
    struct dispatch_survey *self = (struct dispatch_survey *)dispatch;
    struct package own = *package;
    if (package->index < (int64_t)self->probe_count) {
        self->workers[package->worker].busy_from_s = times.end_s;
        probe_done(self, package, times.end_s - times.start_s);
        if (self->remaining_begun && self->workers[package->worker].outstanding == 0)
            dispatch_busy(self->remaining, package->worker, times.end_s - self->remaining_s, true);
        return;
    }
    own.index -= (int64_t)self->probe_count;
    own.round--;
    times.start_s -= self->remaining_s;
    times.end_s -= self->remaining_s;
    dispatch_report(self->remaining, &own, times);
}

/* A probe that will not be reported: its core tasks are done by another worker, and its timing is
 * missing. */
static void probe_lose(struct dispatch_survey *self, const struct probe *probe)
{
    if (!probe->single || stratum_of(self, probe)->probing == 0)
        return;
    self->singles_out--;
    stratum_of(self, probe)->probing--;
}

static void survey_lost(struct dispatch *dispatch, int64_t worker)
{
    struct dispatch_survey *self = (struct dispatch_survey *)dispatch;
    struct survey_worker *lost = &self->workers[worker];
    for (size_t k = self->probe_count; k > 0 && lost->outstanding > 0; k--) {
        if (self->probes[k - 1].worker != worker || !self->probes[k - 1].out)
            continue;
        probe_lose(self, &self->probes[k - 1]);
        self->probes[k - 1].out = false;
        lost->outstanding--;
    }
    lost->tasks = 0;
    lost->lost = true;
    if (self->remaining)
        dispatch_lost(self->remaining, worker);
}

static void survey_late(struct dispatch *dispatch, int64_t worker, bool late)
{
    struct dispatch_survey *self = (struct dispatch_survey *)dispatch;
    self->workers[worker].late = late;
    if (self->remaining)
        dispatch_late(self->remaining, worker, late);
}

/* The worker's core tasks go to others; probes among them are not handed out as probes again. */
static void survey_unsent(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_survey *self = (struct dispatch_survey *)dispatch;
    struct package own = *package;
    if (package->index < (int64_t)self->probe_count) {
        struct probe *probe = &self->probes[package->index];
        probe_lose(self, probe);
        probe->out = false;
        self->workers[probe->worker].outstanding--;
        self->workers[probe->worker].tasks -= probe->tasks;
        return;
    }
    own.index -= (int64_t)self->probe_count;
    own.round--;
    dispatch_unsent(self->remaining, &own);
}

static double survey_due(const struct dispatch *dispatch)
{
    const struct dispatch_survey *self = (const struct dispatch_survey *)dispatch;
    if (self->remaining && !self->remaining_begun)
        return nextafter(self->planned_s, HUGE_VAL);
    /* This must not be earlier than the due time by rounding: the caller would ask again and get
     * the same time. */
    return self->remaining
               ? nextafter(dispatch_due_s(self->remaining) + self->remaining_s, HUGE_VAL)
               : HUGE_VAL;
}

static void survey_free(struct dispatch *dispatch)
{
    struct dispatch_survey *self = (struct dispatch_survey *)dispatch;
    dispatch_free(&self->remaining);
    free(self->free);
    free(self->probes);
    survey_pieces_release(&self->pieces);
    free(self);
}

struct dispatch *dispatch_new_survey(const struct survey_setup *setup)
{
    static const struct dispatch_kind kind = {.next = survey_next,
                                              .done = survey_done,
                                              .unsent = survey_unsent,
                                              .lost = survey_lost,
                                              .late = survey_late,
                                              .free = survey_free,
                                              .due = survey_due};
    struct dispatch_survey *self =
        calloc(1, sizeof *self + (size_t)setup->workers * sizeof self->workers[0]);
    if (!self)
        return NULL;
    self->base.kind = &kind;
    self->setup = *setup;
    self->random = setup->seed;
    const int64_t strata = setup->tasks / TASKS_PER_STRATUM;
    self->strata = strata > SURVEY_STRATA_FIRST ? SURVEY_STRATA_FIRST
                   : strata > 1                 ? (int)strata
                                                : 1;
    survey_timings_init(&self->timings, setup->tasks, self->strata);
    self->stride = stride_find(self->strata);
    for (int64_t w = 0; w < setup->workers; w++)
        self->workers[w].first = -1;
    self->free = array_reserve(NULL, &self->free_capacity, 1, sizeof *self->free);
    if (!self->free) {
        survey_free(&self->base);
        return NULL;
    }
    self->free[0] = (struct task_range){0, setup->tasks};
    self->free_count = 1;
    return &self->base;
}
