/* A plan whose long packages are handed out in parts (cuts.h). The parts of a round are sent in
 * turn, the first of each package, then the second of each, as if they were rounds of their own, so
 * that no worker waits until another one has all its parts. Core tasks stay with the workers that
 * the plan chose. */
#include <math.h>
#include <stdlib.h>

#include "planner/dispatch/cuts.h"
#include "planner/dispatch/dispatch_kind.h"
#include "planner/model/plan_cursor.h"

/* A package that is handed out in parts. Its core tasks before `from`, counted from 0, have been
 * handed out; those from `end` on are done elsewhere. */
struct parted {
    struct package whole;
    struct cuts_package cut;
    int64_t from, end;
};

struct dispatch_parts {
    struct dispatch base;
    struct dispatch *plan; /* owned */
    struct cuts cuts;
    double *worked_s;     /* owned; by worker: seconds of work on what it has been given */
    struct parted *round; /* owned; the packages of the plan whose parts are being handed out */
    int64_t count;
    struct package ahead; /* the plan's next package, of another round */
    bool has_ahead;
    int64_t part, parts, at; /* the next part: its number, of how many, of which package */
    int64_t index, rounds;   /* of the next part; rounds before the current parts */
};

/* ---- how many there are ---------------------------------------------------------------------- */

/* Adds one package for that slot of the plan, for each time that its round is repeated. */
static void demand_add(const struct plan *plan, const struct deadline_setup *setup, int64_t slot,
                       struct cuts_demand *demand, double *tasks)
{
    double work_s = 0;
    for (size_t r = 0; r < plan->round_count; r++) {
        const double load = plan->rounds[r].loads[slot], repeat = (double)plan->rounds[r].repeat;
        if (!(load > 0))
            continue;
        const struct deadline_cost cost =
            setup->cost(setup->self, plan->workers[slot], (int64_t)load);
        *tasks += repeat * load;
        work_s += repeat * cost.work_s;
        demand->port_s += repeat * cost.way_s;
    }
    demand->run_s = fmax(demand->run_s, work_s);
}

static int64_t workers_of(const struct plan *plan)
{
    int64_t workers = 1;
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        workers = plan->workers[slot] < workers ? workers : plan->workers[slot] + 1;
    return workers;
}

/* False: out of memory. */
static bool plan_cuts(const struct plan *plan, const struct deadline_setup *costs,
                      struct cuts *cuts)
{
    struct deadline_setup setup = *costs;
    setup.workers = workers_of(plan);
    double *tasks = calloc((size_t)setup.workers, sizeof *tasks);
    struct cuts_demand demand = {.tasks = tasks};
    if (!tasks)
        return false;
    for (int64_t slot = 0; slot < plan->worker_count; slot++)
        demand_add(plan, &setup, slot, &demand, &tasks[plan->workers[slot]]);
    *cuts = cuts_find(&demand, &setup);
    free(tasks);
    return true;
}

/* Has the plan a package so long that it may be divided? */
static bool some_is_long(const struct plan *plan, const struct cuts *cuts)
{
    for (int64_t slot = 0; cuts->parts > 1 && slot < plan->worker_count; slot++)
        for (size_t r = 0; r < plan->round_count; r++) {
            const int64_t tasks = (int64_t)plan->rounds[r].loads[slot];
            if (tasks > 0 &&
                cuts_long(cuts, cuts_package(cuts, plan->workers[slot], tasks, 0).work_s))
                return true;
        }
    return false;
}

bool dispatch_parts_cost(const struct plan *plan, const struct deadline_setup *setup,
                         double *cost_s)
{
    struct cuts cuts;
    if (!plan_cuts(plan, setup, &cuts))
        return false;
    *cost_s = some_is_long(plan, &cuts) ? cuts.cost_s : 0;
    return true;
}

/* ---- round after round ----------------------------------------------------------------------- */

static void package_take(struct dispatch_parts *self)
{
    const struct package *whole = &self->ahead;
    double *worked_s = &self->worked_s[whole->worker];
    const struct cuts_package cut =
        cuts_package(&self->cuts, whole->worker, whole->count, *worked_s);
    const int64_t parts = cuts_count(&self->cuts, &cut, 0, whole->count);
    *worked_s += cut.work_s;
    self->has_ahead = false;
    self->round[self->count++] = (struct parted){*whole, cut, 0, whole->count};
    self->parts = parts > self->parts ? parts : self->parts;
}

/* Takes the plan's next round. */
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

/* Takes the package's next part. */
static void part_take(const struct cuts *cuts, struct parted *parted, struct package *package)
{
    const int64_t end = cuts_end(cuts, &parted->cut, parted->from);
    *package = parted->whole;
    package->first += parted->from;
    package->count = (end < parted->end ? end : parted->end) - parted->from;
    parted->from += package->count;
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
            struct parted *parted = &self->round[self->at];
            if (parted->from >= parted->end)
                continue;
            self->at++;
            part_take(&self->cuts, parted, package);
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
        if (self->round[k].whole.worker == worker && self->round[k].from < self->round[k].end)
            return true;
    return dispatch_gives_more(self->plan, worker);
}

/* The core tasks left of the current round. */
static int64_t round_left(const struct dispatch_parts *self)
{
    int64_t tasks = 0;
    for (int64_t k = 0; k < self->count; k++)
        tasks += self->round[k].end - self->round[k].from;
    return tasks;
}

static int64_t parts_left(const struct dispatch *dispatch)
{
    const struct dispatch_parts *self = (const struct dispatch_parts *)dispatch;
    return dispatch_left(self->plan) + round_left(self);
}

/* Cuts that share of what is left off the package's end, in whole parts. */
static struct task_range parted_cut(const struct cuts *cuts, struct parted *parted, double share)
{
    const int64_t parts = cuts_count(cuts, &parted->cut, parted->from, parted->end);
    const int64_t before = parted->end;
    parted->end = parted->from;
    for (int64_t k = (int64_t)ceil(share * (double)parts); k < parts; k++)
        parted->end = cuts_end(cuts, &parted->cut, parted->end);
    return (struct task_range){parted->whole.first + parted->end, before - parted->end};
}

/* Cuts the same share off each package of the round. */
static bool round_cut(struct dispatch_parts *self, int64_t tasks, struct dispatch_given *given)
{
    const double share = fmin(1, (double)tasks / (double)round_left(self));
    const int64_t enough = given->tasks + tasks;
    for (int64_t k = 0; k < self->count && given->tasks < enough; k++) {
        struct parted *parted = &self->round[k];
        if (parted->from < parted->end &&
            !dispatch_given_add(given, parted_cut(&self->cuts, parted, share), 0))
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
    free(self->worked_s);
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
    struct cuts cuts;
    if (!plan_cuts(plan, setup, &cuts))
        return NULL;
    if (!some_is_long(plan, &cuts))
        return dispatch_new_plan(plan);
    struct dispatch_parts *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    *self = (struct dispatch_parts){.base = {&kind}, .cuts = cuts};
    self->plan = dispatch_new_plan(plan);
    self->round = calloc((size_t)plan->worker_count, sizeof *self->round);
    self->worked_s = calloc((size_t)cuts.setup.workers, sizeof *self->worked_s);
    if (self->plan && self->round && self->worked_s)
        return &self->base;
    parts_free(&self->base);
    return NULL;
}
