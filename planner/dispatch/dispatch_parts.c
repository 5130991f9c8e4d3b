/*
 * A plan whose long packages are handed out in parts, one after the other to their workers: what a
 * worker that stops has not reported is a part then, not all that it was to do.
 *
 * The parts of a round go out in turn, the first of each package, then the second of each, as if
 * they were rounds of their own, so that no worker waits for the last part of another. Core tasks
 * stay with the workers that the plan chose. Each part costs its worker and the port what a package
 * costs whatever its size, so parts are as small as can be had for a small share of the run.
 */
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/dispatch_kind.h"
#include "planner/model/plan_cursor.h"

/* Shares of a run's time: the lengths of parts that are tried, the shortest first; what parts may
 * cost a worker; and what all that is sent may take of the port's time, which then delays nobody.
 */
static const double shares[] = {0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.51};
static const double cost_most = 0.01, port_most = 0.5;
/* Nothing shorter is found overdue much sooner. */
static const double least_s = 0.25;

/* A package that is handed out in so many parts; from `end` on they are done elsewhere. */
struct parted {
    struct package whole;
    int64_t parts, end;
};

struct dispatch_parts {
    struct dispatch base;
    struct dispatch *plan; /* owned */
    struct deadline_setup setup;
    double longest_s;     /* of a part */
    struct parted *round; /* owned; the plan's packages whose parts are handed out */
    int64_t count;
    struct package ahead; /* the plan's next one, of another round */
    bool has_ahead;
    int64_t part, parts, at; /* the next one: of how many, of which package */
    int64_t index, rounds;   /* of the next one; before the parts at hand */
};

static double work_s(const struct deadline_setup *setup, int64_t worker, double tasks)
{
    return setup->cost(setup->self, worker, (int64_t)tasks).work_s;
}

/* In how many parts that package goes out. */
static int64_t parts_of(const struct deadline_setup *setup, double longest_s, int64_t worker,
                        double tasks)
{
    const double parts = ceil(work_s(setup, worker, tasks) / longest_s);
    return parts > 1 ? (int64_t)fmin(parts, tasks) : 1;
}

/* ---- how long parts are ---------------------------------------------------------------------- */

/* What a plan costs in parts of some length. */
struct parts_price {
    double port_s; /* all that is sent */
    double more_s; /* than whole packages, for the worker that is most concerned */
    bool any;      /* package goes out in parts */
};

/* A package in so many parts: what these take, and how much longer its worker works on them. */
static struct deadline_cost parts_cost(const struct deadline_setup *setup, int64_t parts,
                                       int64_t worker, double tasks)
{
    const double whole_s = work_s(setup, worker, tasks);
    const struct deadline_cost part =
        setup->cost(setup->self, worker, (int64_t)(tasks / (double)parts));
    return (struct deadline_cost){(double)parts * part.way_s,
                                  fmax(0, (double)parts * part.work_s - whole_s)};
}

static struct parts_price price_of(const struct plan *plan, const struct deadline_setup *setup,
                                   double longest_s)
{
    struct parts_price price = {0, 0, false};
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        double more_s = 0;
        for (size_t r = 0; r < plan->round_count; r++) {
            const double tasks = plan->rounds[r].loads[slot];
            if (!(tasks > 0))
                continue;
            const int64_t parts = parts_of(setup, longest_s, plan->workers[slot], tasks);
            const struct deadline_cost cost = parts_cost(setup, parts, plan->workers[slot], tasks);
            price.any = price.any || parts > 1;
            price.port_s += (double)plan->rounds[r].repeat * cost.way_s;
            more_s += (double)plan->rounds[r].repeat * cost.work_s;
        }
        price.more_s = fmax(price.more_s, more_s);
    }
    return price;
}

/* Of the worker that works longest. */
static double work_all_s(const struct plan *plan, const struct deadline_setup *setup)
{
    double most_s = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        double sum_s = 0;
        for (size_t r = 0; r < plan->round_count; r++)
            if (plan->rounds[r].loads[slot] > 0)
                sum_s += (double)plan->rounds[r].repeat *
                         work_s(setup, plan->workers[slot], plan->rounds[r].loads[slot]);
        most_s = fmax(most_s, sum_s);
    }
    return most_s;
}

/* 0: all packages go out whole. */
static double longest_find(const struct plan *plan, const struct deadline_setup *setup)
{
    const double all_s = work_all_s(plan, setup);
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        const double longest_s = fmax(shares[k] * all_s, least_s);
        const struct parts_price price = price_of(plan, setup, longest_s);
        if (!price.any)
            return 0;
        if (price.more_s <= cost_most * all_s && price.port_s <= port_most * all_s)
            return longest_s;
    }
    return 0;
}

double dispatch_parts_cost_s(const struct plan *plan, const struct deadline_setup *setup)
{
    const double longest_s = longest_find(plan, setup);
    return longest_s > 0 ? price_of(plan, setup, longest_s).more_s : 0;
}

/* ---- round after round ----------------------------------------------------------------------- */

/* Its first part that is not handed out. */
static int64_t part_next(const struct dispatch_parts *self, int64_t at)
{
    return self->part + (at < self->at);
}

static void package_take(struct dispatch_parts *self)
{
    const struct package *whole = &self->ahead;
    const int64_t parts =
        parts_of(&self->setup, self->longest_s, whole->worker, (double)whole->count);
    self->has_ahead = false;
    self->round[self->count++] = (struct parted){*whole, parts, parts};
    self->parts = parts > self->parts ? parts : self->parts;
}

/* The plan's next round. */
static void round_take(struct dispatch_parts *self)
{
    self->rounds += self->parts;
    self->count = self->part = self->parts = self->at = 0;
    for (;;) {
        if (!self->has_ahead)
            self->has_ahead = dispatch_next(self->plan, 0, &self->ahead) == DISPATCH_SEND;
        if (!self->has_ahead || (self->count > 0 && self->ahead.round != self->round->whole.round))
            return;
        package_take(self);
    }
}

/* Of so many parts of equal size, up to one core task. */
static void part_cut(struct package *package, int64_t part, int64_t parts)
{
    const int64_t each = package->count / parts, more = package->count % parts;
    package->first += part * each + (part < more ? part : more);
    package->count = each + (part < more);
}

static enum dispatch_answer parts_next(struct dispatch *dispatch, double now_s,
                                       struct package *package)
{
    struct dispatch_parts *self = (struct dispatch_parts *)dispatch;
    (void)now_s;
    for (;;) {
        if (self->part == self->parts)
            round_take(self);
        if (self->count == 0)
            return DISPATCH_FINISHED;
        for (; self->at < self->count; self->at++) {
            const struct parted *parted = &self->round[self->at];
            if (self->part >= parted->end)
                continue;
            self->at++;
            *package = parted->whole;
            part_cut(package, self->part, parted->parts);
            package->index = self->index++;
            package->round = self->rounds + self->part;
            return DISPATCH_SEND;
        }
        self->part++;
        self->at = 0;
    }
}

static bool parts_give_more(const struct dispatch *dispatch, int64_t worker)
{
    const struct dispatch_parts *self = (const struct dispatch_parts *)dispatch;
    if (self->has_ahead && self->ahead.worker == worker)
        return true;
    for (int64_t k = 0; k < self->count; k++)
        if (self->round[k].whole.worker == worker && part_next(self, k) < self->round[k].end)
            return true;
    return dispatch_gives_more(self->plan, worker);
}

/* Core tasks of the package's parts from that one to before `end`. */
static struct task_range parts_range(const struct parted *parted, int64_t part, int64_t end)
{
    struct package first = parted->whole, last = parted->whole;
    if (part >= end)
        return (struct task_range){0, 0};
    part_cut(&first, part, parted->parts);
    part_cut(&last, end - 1, parted->parts);
    return (struct task_range){first.first, last.first + last.count - first.first};
}

/* Of the round at hand. */
static int64_t round_left(const struct dispatch_parts *self)
{
    int64_t tasks = 0;
    for (int64_t k = 0; k < self->count; k++)
        tasks += parts_range(&self->round[k], part_next(self, k), self->round[k].end).count;
    return tasks;
}

static int64_t parts_left(const struct dispatch *dispatch)
{
    const struct dispatch_parts *self = (const struct dispatch_parts *)dispatch;
    return dispatch_left(self->plan) + round_left(self);
}

/* The same share of each package, in whole parts. */
static bool round_cut(struct dispatch_parts *self, int64_t tasks, struct dispatch_given *given)
{
    const double share = fmin(1, (double)tasks / (double)round_left(self));
    const int64_t enough = given->tasks + tasks;
    for (int64_t k = 0; k < self->count && given->tasks < enough; k++) {
        struct parted *parted = &self->round[k];
        const int64_t parts = parted->end - part_next(self, k);
        if (parts <= 0)
            continue;
        const int64_t end = parted->end;
        parted->end -= (int64_t)ceil(share * (double)parts);
        if (!dispatch_given_add(given, parts_range(parted, parted->end, end), 0))
            return false;
    }
    return true;
}

static bool parts_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_parts *self = (struct dispatch_parts *)dispatch;
    const int64_t enough = given->tasks + tasks;
    if (!dispatch_cut(self->plan, tasks, given))
        return false;
    return given->tasks >= enough || round_left(self) == 0 ||
           round_cut(self, enough - given->tasks, given);
}

static bool parts_own(struct dispatch *dispatch, double now_s, int64_t most,
                      struct package *package)
{
    return dispatch_own(((struct dispatch_parts *)dispatch)->plan, now_s, most, package);
}

static const struct dispatch *parts_inner(const struct dispatch *dispatch)
{
    return ((const struct dispatch_parts *)dispatch)->plan;
}

static void parts_free(struct dispatch *dispatch)
{
    struct dispatch_parts *self = (struct dispatch_parts *)dispatch;
    dispatch_free(&self->plan);
    free(self->round);
    free(self);
}

struct dispatch *dispatch_new_parts(const struct plan *plan, const struct deadline_setup *setup)
{
    static const struct dispatch_kind kind = {.next = parts_next,
                                              .free = parts_free,
                                              .inner = parts_inner,
                                              .gives_more = parts_give_more,
                                              .own = parts_own,
                                              .left = parts_left,
                                              .cut = parts_cut};
    const double longest_s = longest_find(plan, setup);
    if (!(longest_s > 0))
        return dispatch_new_plan(plan);
    struct dispatch_parts *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    *self = (struct dispatch_parts){.base = {&kind}, .setup = *setup, .longest_s = longest_s};
    self->plan = dispatch_new_plan(plan);
    self->round = calloc((size_t)plan->worker_count, sizeof *self->round);
    if (self->plan && self->round)
        return &self->base;
    parts_free(&self->base);
    return NULL;
}
