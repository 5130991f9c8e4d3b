/*
 * What is left of a job as a dispatch. An inner dispatch assigns as many core tasks as there are
 * left, as if they were a whole job, and this one says which they are. A package that would cross
 * the end of a range is sent in pieces, and counts as reported when all of them are. A worker has
 * few pieces of one package at a time: more would wait for a free buffer, and delay what goes to
 * others.
 *
 * Long packages of a rule are sent in parts (cuts.h) in the same way, with the whole job as one
 * range.
 */
#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/cuts.h"
#include "planner/dispatch/dispatch_kind.h"
#include "planner/model/task_places.h"

/* At most so many pieces of a worker are not reported at a time. */
enum { PIECES_AHEAD = 2 };
/* At most so many packages of the inner dispatch are not sent completely, for each worker and in
 * addition: it must not run further ahead, but may decide several times about some workers before
 * it comes to others. */
enum { UNSENT_PER_WORKER = 8, UNSENT_MORE = 64 };

/* A package of the inner dispatch whose pieces are not all reported. */
struct whole {
    struct package package;
    struct task_range left;      /* of it, not sent yet, as the inner dispatch numbers core tasks */
    int64_t sent, reported;      /* pieces */
    struct dispatch_times times; /* of the reported pieces */
    double had_s, worked_s;      /* processor time of these pieces, NaN: not known; their time */
    double from_s;               /* for a rule in parts: work that its worker has before it */
};

/* A piece that is not reported. */
struct piece {
    int64_t index; /* as which it was handed out */
    int64_t whole; /* index of its package */
    int64_t worker;
};

struct ranges_worker {
    int64_t pieces; /* which it has not reported */
    int64_t looked; /* the last look at its first package that is not sent completely */
    bool lost;      /* it will report nothing */
    bool late;      /* its packages go to others */
    double given_s; /* for a rule in parts: work that it has been given */
};

struct dispatch_ranges {
    struct dispatch base;
    struct dispatch *inner;    /* owned */
    struct task_places places; /* of the ranges */
    struct cuts cuts;          /* for a rule of the whole job; parts 0: there are ranges */
    struct whole *wholes;      /* owned; in the order of the inner dispatch */
    size_t whole_count, whole_capacity, unsent; /* unsent: of them, not sent whole */
    struct piece *pieces;                       /* owned */
    size_t piece_count, piece_capacity;
    struct ranges_worker *workers; /* owned */
    int64_t worker_count;
    struct package own; /* what is left of the master's, as the inner dispatch numbers core tasks */
    int64_t look;       /* number of the latest look */
    int64_t index;      /* of the next piece */
    bool over;          /* the inner one has handed out everything */
};

/* Makes room for one more piece and one more package. */
static bool room_make(struct dispatch_ranges *self)
{
    struct piece *pieces =
        array_reserve(self->pieces, &self->piece_capacity, self->piece_count + 1, sizeof *pieces);
    if (!pieces)
        return false;
    self->pieces = pieces;
    struct whole *wholes =
        array_reserve(self->wholes, &self->whole_capacity, self->whole_count + 1, sizeof *wholes);
    if (!wholes)
        return false;
    self->wholes = wholes;
    return true;
}

/* The core tasks of the package to send next: up to the end of a range or of a part. */
static struct task_range piece_next(const struct dispatch_ranges *self, const struct whole *whole)
{
    const struct package *package = &whole->package;
    const int64_t sent = whole->left.first - package->first;
    if (self->cuts.parts == 0)
        return task_places_piece(&self->places, whole->left);
    const struct cuts_package cut =
        cuts_package(&self->cuts, package->worker, package->count, whole->from_s);
    return (struct task_range){whole->left.first, cuts_end(&self->cuts, &cut, sent) - sent};
}

static void piece_send(struct dispatch_ranges *self, struct whole *whole, struct package *package)
{
    const struct task_range piece = piece_next(self, whole);
    *package = whole->package;
    package->index = self->index++;
    package->first = piece.first;
    package->count = piece.count;
    whole->left.first += package->count;
    whole->left.count -= package->count;
    whole->sent++;
    self->unsent -= whole->left.count == 0;
    self->workers[package->worker].pieces++;
    self->pieces[self->piece_count++] =
        (struct piece){package->index, whole->package.index, package->worker};
}

/* Does the package lie in one range, and is it sent in one part? */
static bool is_in_one(const struct dispatch_ranges *self, const struct whole *whole)
{
    struct whole unsent = *whole;
    unsent.left = (struct task_range){whole->package.first, whole->package.count};
    return piece_next(self, &unsent).count == whole->package.count;
}

/* May the next piece be sent now? It must be of its worker's first package, and must not wait there
 * behind other pieces. */
static bool is_next(const struct dispatch_ranges *self, const struct whole *whole)
{
    const struct ranges_worker *worker = &self->workers[whole->package.worker];
    return worker->lost || worker->late || worker->pieces < PIECES_AHEAD || is_in_one(self, whole);
}

/* The next package that has a piece to be sent; NULL: all wait. */
static struct whole *whole_next(struct dispatch_ranges *self)
{
    self->look++;
    for (size_t k = 0; self->unsent > 0 && k < self->whole_count; k++) {
        struct whole *whole = &self->wholes[k];
        struct ranges_worker *worker = &self->workers[whole->package.worker];
        if (whole->left.count == 0 || worker->looked == self->look)
            continue;
        worker->looked = self->look;
        if (is_next(self, whole))
            return whole;
    }
    return NULL;
}

static void whole_add(struct dispatch_ranges *self, const struct whole *whole)
{
    self->wholes[self->whole_count++] = *whole;
    self->unsent++;
}

/* Can the package of a rule in parts be sent whole? Then nothing need be kept of it. */
static bool is_passed(struct dispatch_ranges *self, const struct whole *whole,
                      struct package *package)
{
    if (self->cuts.parts == 0 || self->unsent > 0 || !is_in_one(self, whole))
        return false;
    *package = whole->package;
    package->index = self->index++;
    return true;
}

static struct whole whole_of(struct dispatch_ranges *self, const struct package *package)
{
    struct whole whole = {.package = *package, .left = package_range(package)};
    if (self->cuts.parts > 1) {
        double *given_s = &self->workers[package->worker].given_s;
        whole.from_s = *given_s;
        *given_s += cuts_package(&self->cuts, package->worker, package->count, 0).work_s;
    }
    return whole;
}

static bool is_far_ahead(const struct dispatch_ranges *self)
{
    return self->unsent >= (size_t)(UNSENT_PER_WORKER * self->worker_count + UNSENT_MORE);
}

static enum dispatch_answer ranges_next(struct dispatch *dispatch, double now_s,
                                        struct package *package)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    for (;;) {
        if (!room_make(self))
            return DISPATCH_OUT_OF_MEMORY;
        struct whole *whole = whole_next(self);
        if (whole) {
            piece_send(self, whole, package);
            return DISPATCH_SEND;
        }
        if (is_far_ahead(self))
            return DISPATCH_WAIT;
        struct package next;
        const enum dispatch_answer answer = dispatch_next(self->inner, now_s, &next);
        self->over = answer == DISPATCH_FINISHED;
        if (answer != DISPATCH_SEND)
            return self->unsent > 0 ? DISPATCH_WAIT : answer;
        const struct whole taken = whole_of(self, &next);
        if (is_passed(self, &taken, package))
            return DISPATCH_SEND;
        whole_add(self, &taken);
    }
}

/* Finds the package that has this piece, and removes the piece from those that wait for a report;
 * whole_count: there is none. */
static size_t whole_take(struct dispatch_ranges *self, int64_t index)
{
    size_t at = 0, k = 0;
    while (at < self->piece_count && self->pieces[at].index != index)
        at++;
    if (at == self->piece_count)
        return self->whole_count;
    const int64_t whole = self->pieces[at].whole;
    self->workers[self->pieces[at].worker].pieces--;
    self->pieces[at] = self->pieces[--self->piece_count];
    while (k < self->whole_count && self->wholes[k].package.index != whole)
        k++;
    return k;
}

/* Reports the package to the inner dispatch, once all its pieces have been sent and reported. */
static void whole_end(struct dispatch_ranges *self, size_t k)
{
    const struct whole *whole = &self->wholes[k];
    if (whole->reported < whole->sent || whole->left.count > 0)
        return;
    if (whole->sent > 0)
        dispatch_report(self->inner, &whole->package, whole->times);
    else
        dispatch_unsent(self->inner, &whole->package);
    for (size_t i = k + 1; i < self->whole_count; i++)
        self->wholes[i - 1] = self->wholes[i];
    self->whole_count--;
}

/* Adds a piece's report: the package goes from its first piece's start to its last one's end, with
 * the mean of their shares of a processor. */
static void whole_report(struct whole *whole, struct dispatch_times piece)
{
    struct dispatch_times *times = &whole->times;
    const bool first = whole->reported++ == 0;
    whole->had_s += piece.share > 0 ? piece.share * (piece.end_s - piece.start_s) : (double)NAN;
    whole->worked_s += piece.end_s - piece.start_s;
    times->start_s = first ? piece.start_s : fmin(times->start_s, piece.start_s);
    times->end_s = first ? piece.end_s : fmax(times->end_s, piece.end_s);
    times->share = whole->had_s > 0 ? fmin(whole->had_s / whole->worked_s, 1) : 0;
}

static void ranges_done(struct dispatch *dispatch, const struct package *package,
                        struct dispatch_times times)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    const size_t k = whole_take(self, package->index);
    if (k == self->whole_count && self->cuts.parts > 0)
        dispatch_report(self->inner, package, times); /* it was passed on whole */
    if (k == self->whole_count)
        return;
    whole_report(&self->wholes[k], times);
    whole_end(self, k);
}

static void ranges_unsent(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    const size_t k = whole_take(self, package->index);
    if (k == self->whole_count && self->cuts.parts > 0)
        dispatch_unsent(self->inner, package);
    if (k == self->whole_count)
        return;
    self->wholes[k].sent--;
    whole_end(self, k);
}

static bool ranges_own(struct dispatch *dispatch, double now_s, int64_t most,
                       struct package *package)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    struct package *own = &self->own;
    if (own->count == 0 && !dispatch_own(self->inner, now_s, most, own))
        return false;
    const struct task_range wanted = {own->first, own->count < most ? own->count : most};
    const struct task_range piece = task_places_piece(&self->places, wanted);
    *package = *own;
    package->first = piece.first;
    package->count = piece.count;
    own->first += package->count;
    own->count -= package->count;
    return true;
}

/* Packages that a lost worker had are kept in `wholes`, but never reported; so are those that the
 * inner dispatch still hands out to it, which others do. */
static void ranges_lost(struct dispatch *dispatch, int64_t worker)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    self->workers[worker].lost = true;
    dispatch_lost(self->inner, worker);
}

static void ranges_late(struct dispatch *dispatch, int64_t worker, bool late)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    self->workers[worker].late = late;
    dispatch_late(self->inner, worker, late);
}

static void ranges_joined(struct dispatch *dispatch, int64_t worker, int64_t like, double now_s)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    self->workers[worker].lost = false;
    self->workers[worker].pieces = 0; /* earlier ones are never reported */
    dispatch_joined(self->inner, worker, like, now_s);
}

static void ranges_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over)
{
    dispatch_busy(((struct dispatch_ranges *)dispatch)->inner, worker, until_s, over);
}

static int64_t ranges_left(const struct dispatch *dispatch)
{
    return dispatch_left(((const struct dispatch_ranges *)dispatch)->inner);
}

/* Translates the inner dispatch's core tasks to ranges of the job. */
static bool places_give(const struct dispatch_ranges *self, const struct dispatch_given *numbers,
                        struct dispatch_given *given)
{
    for (size_t k = 0; k < numbers->count; k++) {
        struct task_range left = numbers->items[k].range;
        while (left.count > 0) {
            const struct task_range piece = task_places_piece(&self->places, left);
            if (!dispatch_given_add(given, piece, numbers->items[k].losses))
                return false;
            left.first += piece.count;
            left.count -= piece.count;
        }
    }
    return true;
}

static bool ranges_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    struct dispatch_given numbers = {.items = NULL};
    if (self->cuts.parts > 0) /* a rule of the whole job */
        return dispatch_cut(self->inner, tasks, given);
    const bool good =
        dispatch_cut(self->inner, tasks, &numbers) && places_give(self, &numbers, given);
    dispatch_given_release(&numbers);
    return good;
}

static const struct dispatch *ranges_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_ranges *)dispatch)->inner;
}

/* When all is handed out, reports of the last pieces decide nothing any more. */
static bool ranges_hears(const struct dispatch *dispatch)
{
    const struct dispatch_ranges *self = (const struct dispatch_ranges *)dispatch;
    return !self->over && dispatch_hears(self->inner);
}

static void ranges_free(struct dispatch *dispatch)
{
    struct dispatch_ranges *self = (struct dispatch_ranges *)dispatch;
    dispatch_free(&self->inner);
    task_places_release(&self->places);
    free(self->wholes);
    free(self->pieces);
    free(self->workers);
    free(self);
}

struct dispatch *dispatch_new_ranges(struct dispatch *inner, const struct task_range *ranges,
                                     int64_t count, int64_t workers)
{
    static const struct dispatch_kind kind = {.next = ranges_next,
                                              .done = ranges_done,
                                              .unsent = ranges_unsent,
                                              .lost = ranges_lost,
                                              .hears = ranges_hears,
                                              .late = ranges_late,
                                              .joined = ranges_joined,
                                              .free = ranges_free,
                                              .inner = ranges_inner,
                                              .busy = ranges_busy,
                                              .own = ranges_own,
                                              .left = ranges_left,
                                              .cut = ranges_cut};
    struct dispatch_ranges *self = calloc(1, sizeof *self);
    if (!self) {
        dispatch_free(&inner);
        return NULL;
    }
    *self = (struct dispatch_ranges){.base = {&kind}, .inner = inner, .worker_count = workers};
    self->workers = calloc((size_t)workers, sizeof *self->workers);
    if (!task_places_init(&self->places, ranges, count) || !self->workers) {
        ranges_free(&self->base);
        return NULL;
    }
    return &self->base;
}

/* ---- rules in parts -------------------------------------------------------------------------- */

/* Divides the whole job by the workers' weights. False: out of memory. */
static bool rule_cuts(const struct dispatch_setup *setup, const struct deadline_setup *costs,
                      struct cuts *cuts)
{
    double *tasks = calloc((size_t)setup->workers, sizeof *tasks), weights = 0;
    struct cuts_demand demand = {.tasks = tasks};
    for (int64_t k = 0; k < setup->workers; k++)
        weights += setup->weights ? setup->weights[k] : 1;
    for (int64_t k = 0; tasks && k < setup->workers; k++) {
        tasks[k] = (double)setup->tasks * (setup->weights ? setup->weights[k] : 1) / weights;
        const struct deadline_cost cost = costs->cost(costs->self, k, (int64_t)fmax(1, tasks[k]));
        demand.run_s = fmax(demand.run_s, cost.work_s);
    }
    if (tasks)
        *cuts = cuts_find(&demand, costs);
    free(tasks);
    return tasks != NULL;
}

struct dispatch *dispatch_new_rule_parts(struct dispatch *rule, const struct dispatch_setup *setup,
                                         const struct deadline_setup *costs)
{
    struct cuts cuts;
    if (!rule_cuts(setup, costs, &cuts)) {
        dispatch_free(&rule);
        return NULL;
    }
    if (cuts.parts == 1)
        return rule;
    struct dispatch *dispatch = dispatch_new_ranges(rule, NULL, 0, setup->workers);
    if (dispatch)
        ((struct dispatch_ranges *)dispatch)->cuts = cuts;
    return dispatch;
}
