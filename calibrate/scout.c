#include "calibrate/scout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/duration.h"

/* Scouting goes on to packages of this share of the budget. Of one task it bears more: a rate is
 * known from two sizes only. */
static const double SCOUT_SHARE = 0.02, SCOUT_SHARE_FIRST = 0.2;
/* What the budget bears at the end of scouting. */
static const double BUDGET_TIMES = 1.1;
enum { SCOUT_PACKAGES = 2 };
/* Where packages of one size and of a larger one take equally long on all workers but for this
 * share, sizes may grow faster; equally long to this share cannot be told. */
static const double ALIKE_SHARE = 0.1, ALIKE_ERROR = 0.01;
enum { ALIKE_GROWTH = 32 };
/* Growth of packages from one step to the next, at least: less is not worth a step. */
static const double GROWTH_LEAST = 1.5;

/* ---- one step ------------------------------------------------------------------------------ */

static bool is_work(const struct trace_event *event)
{
    return event->operation == OPERATION_RECEIVE || event->operation == OPERATION_COMPUTE ||
           event->operation == OPERATION_OUTPUT || event->operation == OPERATION_START;
}

/* How long each worker is busy with one package, its start with the first one's, by the quickest of
 * its packages: what else held it up is no cost. */
static void quickest_keep(struct probing *self, const struct trace *trace, int64_t packages,
                          double *own_s)
{
    double *busy = calloc((size_t)packages, sizeof *busy);
    if (!busy)
        failure_memory(self->failure, "choosing what to probe");
    for (size_t i = 0; busy && i < trace->count; i++)
        if (is_work(&trace->events[i]))
            busy[trace->events[i].package] += trace->events[i].end_s - trace->events[i].start_s;
    for (size_t i = 0; busy && i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        double *own = &own_s[event->rank];
        if (event->operation == OPERATION_COMPUTE && (*own == 0 || busy[event->package] < *own))
            *own = busy[event->package];
    }
    free(busy);
}

/* The master's mean time for one package. */
static double master_package(const struct trace *trace)
{
    double sum = 0;
    int64_t packages = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        if (event->rank != 0)
            continue;
        sum += event->end_s - event->start_s;
        packages += event->operation == OPERATION_ENVELOPE;
    }
    return packages > 0 ? sum / (double)packages : 0;
}

static double slowest_worker(const struct probing *self, const double *own_s)
{
    double slowest = 0;
    for (int rank = 1; rank <= self->campaign->workers; rank++)
        slowest = fmax(slowest, own_s[rank]);
    return slowest;
}

/* Until when the last event lasted. */
static double trace_end(const struct trace *trace)
{
    double end_s = 0;
    for (size_t i = 0; i < trace->count; i++)
        end_s = fmax(end_s, trace->events[i].end_s);
    return end_s;
}

/* The least that there was. */
static void overhead_keep(struct probing *self, double overhead_s)
{
    double *least_s = &self->costs.overhead_s;
    if (*least_s == 0 || overhead_s < *least_s)
        *least_s = fmax(0, overhead_s);
}

/* Packages of one size to every worker. */
struct stride {
    int64_t tasks;
    int copies;
    bool afresh;
    uint64_t seed; /* of places */
    int pass;      /* to keep them as */
};

/* Runs one step's packages; own_s (NULL: not wanted) becomes what each worker took. Returns the
 * time of one package on the slowest worker or, where it is longer, the time that the master needs
 * to serve each worker once. */
static double stride_run(struct probing *self, const struct stride *stride, struct samples *samples,
                         double *own_s)
{
    struct design design;
    struct design_pass pass;
    double longest = 0;
    design_init(&design, self->campaign->tasks, self->campaign->workers, stride->seed);
    design_add(&design, stride->tasks);
    design.sizes[0].copies = stride->copies;
    if (!design_pass_make(&design, &pass, self->failure))
        return 0;
    for (int64_t k = 0; k < pass.part_count && self->failure->code == FAILURE_NONE; k++) {
        const struct probing_run probe = {&pass,   k, stride->tasks, true, stride->afresh && k == 0,
                                          HUGE_VAL};
        const double begun_s = probing_spent_s(self);
        struct probe_outcome outcome;
        probing_run(self, &probe, stride->pass, samples, &outcome);
        if (own_s)
            quickest_keep(self, &outcome.trace, pass.count, own_s);
        longest = fmax(longest, master_package(&outcome.trace) * self->campaign->workers);
        overhead_keep(self, probing_spent_s(self) - begun_s - trace_end(&outcome.trace));
        self->grid_weight.worked_s += outcome.worked_s;
        self->grid_weight.stalled_s += outcome.stalled_s;
        probe_outcome_release(&outcome);
    }
    design_pass_release(&pass);
    return own_s ? fmax(longest, slowest_worker(self, own_s)) : longest;
}

enum { SCOUT_PASS = 2 * CAMPAIGN_SETS_MOST - 1 };

static uint64_t seed_of(const struct campaign *campaign, int64_t tasks, int round)
{
    return campaign->seed + (uint64_t)tasks + (uint64_t)round * 7919u;
}

/* Of the very first packages: those of the second step are elsewhere. */
enum { ROUND_FIRST = -1 };

bool scout_first(const struct campaign *campaign, struct design_pass *pass, struct failure *failure)
{
    struct design design;
    design_init(&design, campaign->tasks, campaign->workers, seed_of(campaign, 1, ROUND_FIRST));
    design_add(&design, 1);
    return design_pass_make(&design, pass, failure);
}

static void step_run(struct probing *self, int64_t tasks, int copies)
{
    struct scout_step *step = &self->steps[self->step_count];
    const struct stride stride = {
        .tasks = tasks,
        .copies = copies,
        .afresh = self->step_count == 0,
        .seed = seed_of(self->campaign, tasks, self->step_count == 0 ? ROUND_FIRST : 0),
        .pass = SCOUT_PASS};
    *step = (struct scout_step){.tasks = tasks};
    step->own_s = calloc((size_t)self->campaign->workers + 1, sizeof *step->own_s);
    if (!step->own_s) {
        failure_memory(self->failure, "choosing what to probe");
        return;
    }
    self->step_count++;
    step->longest_s = stride_run(self, &stride, &self->scouted, step->own_s);
}

/* What takes a little too long is looked at again: a stall must not pass for a cost, or nothing
 * larger would ever be tried. */
static void step_check(struct probing *self, double enough_s)
{
    struct scout_step *step = &self->steps[self->step_count - 1];
    const struct stride stride = {.tasks = step->tasks,
                                  .copies = SCOUT_PACKAGES,
                                  .seed = seed_of(self->campaign, step->tasks, 1),
                                  .pass = SCOUT_PASS};
    if (step->longest_s <= enough_s || step->longest_s > SCOUT_GROWTH * enough_s)
        return;
    step->longest_s = fmin(step->longest_s, stride_run(self, &stride, &self->scouted, step->own_s));
}

void scout_again(struct probing *self, const struct scout_step *step, int round)
{
    const struct stride stride = {.tasks = step->tasks,
                                  .copies = 1,
                                  .seed = seed_of(self->campaign, step->tasks, (round + 1) / 2 * 2),
                                  .pass = self->pass};
    stride_run(self, &stride, self->samples, NULL);
}

void scout_release(struct probing *self)
{
    for (int k = 0; k < self->step_count; k++)
        free(self->steps[k].own_s);
    samples_release(&self->scouted);
}

/* ---- what steps say ------------------------------------------------------------------------ */

static const struct scout_step *last_of(const struct probing *self)
{
    return &self->steps[self->step_count - 1];
}

/* The least latency that a worker's packages of two sizes leave it. */
static double latency_between(const struct probing *self, const struct scout_step *small,
                              const struct scout_step *large)
{
    double least_s = HUGE_VAL;
    for (int rank = 1; rank <= self->campaign->workers; rank++) {
        const double rate =
            (large->own_s[rank] - small->own_s[rank]) / (double)(large->tasks - small->tasks);
        least_s = fmin(least_s, small->own_s[rank] - fmax(0, rate) * (double)small->tasks);
    }
    return fmax(0, least_s);
}

/* From the second step on: the first one's packages found workers that had to start. */
static double latency_least(const struct probing *self)
{
    double least_s = HUGE_VAL;
    for (int k = 2; k < self->step_count; k++)
        least_s = fmin(least_s, latency_between(self, &self->steps[k - 1], &self->steps[k]));
    return isfinite(least_s) ? least_s : 0;
}

static double lead_of(const struct probing *self)
{
    const double *own_s = last_of(self)->own_s;
    const int workers = self->campaign->workers;
    double fastest = 0, sum = 0;
    for (int rank = 1; rank <= workers; rank++) {
        if (own_s[rank] <= 0)
            return 1;
        fastest = fmax(fastest, 1 / own_s[rank]);
        sum += 1 / own_s[rank];
    }
    return fastest * workers / sum;
}

static void costs_find(struct probing *self)
{
    const struct scout_step *last = last_of(self), *first = &self->steps[self->step_count > 1];
    struct scouting *costs = &self->costs;
    costs->s_per_task =
        last->tasks > 1 ? fmax(0, last->longest_s - first->longest_s) / (double)(last->tasks - 1)
                        : first->longest_s;
    costs->latency_s = fmax(1e-6, first->longest_s - costs->s_per_task);
    costs->latency_least_s = latency_least(self);
    costs->start_s =
        self->step_count > 1 ? fmax(0, self->steps[0].longest_s - self->steps[1].longest_s) : 0;
    costs->lead = lead_of(self);
    costs->largest = last->tasks;
    costs->largest_s = last->longest_s;
}

/* ---- the next step ------------------------------------------------------------------------- */

/* Do packages of all sizes take the same time, on every worker? */
static bool are_alike(const struct probing *self)
{
    const struct scout_step *first = &self->steps[1], *last = last_of(self);
    if (self->step_count < 3)
        return false;
    for (int rank = 1; rank <= self->campaign->workers; rank++)
        if (fabs(last->own_s[rank] - first->own_s[rank]) > ALIKE_SHARE * first->own_s[rank])
            return false;
    return true;
}

/* The most that a core task more may take. */
static double rate_most(const struct probing *self)
{
    const struct scout_step *first = &self->steps[1], *last = last_of(self);
    if (!are_alike(self))
        return last->longest_s / (double)last->tasks;
    return (fmax(0, last->longest_s - first->longest_s) + ALIKE_ERROR * last->longest_s) /
           (double)(last->tasks - first->tasks);
}

static double package_most_s(const struct probing *self, int64_t tasks)
{
    const struct scout_step *last = last_of(self);
    return last->longest_s + rate_most(self) * (double)(tasks - last->tasks);
}

/* Of this size a package takes `seconds` at most. */
static double size_within(const struct probing *self, double seconds)
{
    const struct scout_step *last = last_of(self);
    return (double)last->tasks + floor((seconds - last->longest_s) / rate_most(self));
}

/* What is left for scouting; where the budget may be extended, as much as it takes. */
static double left_s(const struct probing *self)
{
    const struct campaign_effort *effort = &self->campaign->effort;
    return effort->may_extend ? HUGE_VAL : BUDGET_TIMES * effort->budget_s - probing_spent_s(self);
}

/* Is it known by now what packages cost, or have they become long enough? */
static bool is_enough(const struct probing *self, int64_t most)
{
    const struct scout_step *last = last_of(self);
    const double share = last->tasks > 1 ? SCOUT_SHARE : SCOUT_SHARE_FIRST;
    return last->tasks == most || self->failure->code != FAILURE_NONE ||
           self->step_count == SCOUT_STEPS_MOST ||
           (last->longest_s > share * self->campaign->effort.budget_s && last->tasks > 1 &&
            last->longest_s >= ALLOTMENT_LATENCIES * self->costs.latency_least_s);
}

double scout_step_s(const struct probing *self, int64_t tasks, double package_s)
{
    const double all = (double)tasks * self->campaign->workers;
    return ceil(all / (double)self->campaign->tasks) * (package_s + self->costs.overhead_s);
}

static double next_most_s(const struct probing *self, int64_t tasks)
{
    return scout_step_s(self, tasks, package_most_s(self, tasks));
}

/* Fewer core tasks, if so many take too long in all. */
static int64_t size_afford(const struct probing *self, int64_t tasks)
{
    while (tasks > last_of(self)->tasks && next_most_s(self, tasks) > left_s(self))
        tasks = tasks * 7 / 8;
    return tasks;
}

/* Core tasks in the next packages; 0: no larger ones can be afforded. */
static int64_t next_size(const struct probing *self, int64_t most)
{
    const struct scout_step *last = last_of(self);
    const double budget_s = self->campaign->effort.budget_s;
    const bool is_short = probing_spent_s(self) + SCOUT_GROWTH * last->longest_s < budget_s;
    const double growth = is_short ? SCOUT_GROWTH : SCOUT_GROWTH / 2.0;
    const double tasks = fmin(fmin((double)most, size_within(self, growth * last->longest_s)),
                              (double)ALIKE_GROWTH * (double)last->tasks);
    const double need = (double)allotment_need(&self->costs, most);
    const bool is_long = last->longest_s > SCOUT_SHARE * budget_s && self->step_count > 2;
    const double wanted = is_long && need > (double)last->tasks ? fmin(tasks, need) : tasks;
    const int64_t next = size_afford(self, (int64_t)wanted);
    return (double)next >= fmin((double)most, GROWTH_LEAST * (double)last->tasks) ? next : 0;
}

/* How long it will take in all, if the next packages are of that size. */
static double total_s(const struct probing *self, int64_t next, int64_t most)
{
    const struct scouting *costs = &self->costs;
    const double next_s = next_most_s(self, next);
    const int64_t need = allotment_need(costs, most);
    const double package_s = costs->latency_s + costs->s_per_task * (double)need;
    const double need_s = fmax(scout_step_s(self, need, package_s), next_s);
    const double more_s = need > next ? need_s : 0;
    return probing_spent_s(self) + next_s + more_s + need_s;
}

static void extend(struct probing *self, int64_t next, int64_t most)
{
    char package[DURATION_SIZE], budget[DURATION_SIZE], total[DURATION_SIZE];
    char sentence[400];
    const double all_s = total_s(self, next, most);
    if (all_s <= BUDGET_TIMES * self->budget_s)
        return;
    self->budget_s = self->end_s = all_s;
    self->said = false;
    duration_print(last_of(self)->longest_s, package);
    duration_print(self->campaign->effort.budget_s, budget);
    duration_print(all_s, total);
    snprintf(sentence, sizeof sentence,
             "a package of %" PRId64 " core task%s takes %s: to tell what each costs, larger ones "
             "are timed, too, so that this takes up to %s instead of %s (--budget %.0fs keeps to "
             "that time)",
             last_of(self)->tasks, last_of(self)->tasks == 1 ? "" : "s", package, total, budget,
             self->campaign->effort.budget_s);
    probing_say(self, sentence);
}

/* The first package again, now that workers have started; where there is time. */
static void second_run(struct probing *self)
{
    const double first_s = self->steps[0].longest_s;
    const double bearable_s = SCOUT_SHARE_FIRST * self->campaign->effort.budget_s;
    costs_find(self);
    if (scout_step_s(self, 1, first_s) > left_s(self) || self->failure->code != FAILURE_NONE)
        return;
    if (self->campaign->effort.may_extend)
        extend(self, 1, 1);
    step_run(self, 1, first_s > bearable_s ? 1 : SCOUT_PACKAGES);
    costs_find(self);
}

/* Whatever is computed has failed so far. */
static void failures_check(const struct probing *self)
{
    const struct campaign_outcome *outcome = self->outcome;
    enum { TRIED_LEAST = 3 };
    if (outcome->failed == outcome->tasks &&
        (outcome->tasks >= TRIED_LEAST || outcome->tasks >= self->campaign->tasks))
        failure_set(self->failure, FAILURE_FAILED,
                    "all %" PRId64
                    " core tasks that were tried have failed: find out why, and calibrate again",
                    outcome->tasks);
}

void scout(struct probing *self)
{
    const int64_t most = allotment_size_most(self->campaign, 1);
    const double enough_s = SCOUT_SHARE * self->campaign->effort.budget_s;
    step_run(self, 1, 1);
    if (self->failure->code == FAILURE_NONE)
        second_run(self);
    while (self->failure->code == FAILURE_NONE && self->step_count > 1) {
        const int64_t next = is_enough(self, most) ? 0 : next_size(self, most);
        failures_check(self);
        if (next == 0 || self->failure->code != FAILURE_NONE)
            break;
        if (self->campaign->effort.may_extend)
            extend(self, next, most);
        step_run(self, next, package_most_s(self, next) > enough_s ? 1 : SCOUT_PACKAGES);
        if (self->failure->code == FAILURE_NONE)
            step_check(self, enough_s);
        if (self->failure->code == FAILURE_NONE)
            costs_find(self);
    }
}
