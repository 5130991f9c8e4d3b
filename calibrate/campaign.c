#include "calibrate/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/focus.h"
#include "planner/model/requests.h"

/* Scouting ends with a package of this share of the budget, and grows by this factor. Of one task
 * it bears more: a rate is known from two sizes only. */
static const double SCOUT_SHARE = 0.02, SCOUT_SHARE_FIRST = 0.2;
enum { SCOUT_GROWTH = 4, SCOUT_PACKAGES = 2 };
/* Of a pass's time, what goes to packages; the rest is making the ranks ready. */
static const double PACKAGES_SHARE = 0.75;
/* A package may take this much memory on its way. */
static const double PACKAGE_BYTES_MOST = 512e6;
/* Workers are unlike where the fastest beats their mean by more than this, and then may get this
 * much more than its speed says, for all that speeds are known from few packages. */
static const double LEAD_LEAST = 1.1, LEAD_MARGIN = 1.05;
/* A report has come when it is older than so many others took, and so many seconds more. */
static const double LATE_TIMES = 2, LATE_S = 2e-5;

/* For how much of their work workers waited for the store. */
struct weight {
    double worked_s, stalled_s;
};

/* A campaign under way. */
struct survey {
    const struct campaign *campaign;
    struct samples *samples;
    struct failure *failure;
    double begun_s, pass_begun_s, pass_s; /* on the communicator's clock; the last pass's length */
    double latency_s, s_per_task;         /* of a package on the slowest worker, or the master */
    double *scouted_s; /* owned; by rank: the quickest package of the last size scouted; 0: none */
    struct design grid, focus;
    struct design_pass grid_sets[CAMPAIGN_SETS_MOST], focus_sets[CAMPAIGN_SETS_MOST];
    struct weight grid_weight, focus_weight;
    bool scouted;
    int pass; /* the next one's number within the campaign */
};

static const struct comm *comm_of(const struct survey *self)
{
    return self->campaign->setup->comm;
}

static double spent_s(const struct survey *self)
{
    return comm_now(comm_of(self)) - self->begun_s;
}

static void tell(void *survey)
{
    const struct survey *self = survey;
    const struct campaign *campaign = self->campaign;
    if (campaign->watch.tell)
        campaign->watch.tell(campaign->watch.self, self->scouted ? self->pass : -1,
                             2 * campaign->effort.sets,
                             fmax(0, campaign->effort.budget_s - spent_s(self)));
}

/* ---- one run of the executor --------------------------------------------------------------- */

/* The trace as samples. Of each worker's packages the first is cold (they are handed out in turns),
 * unless it has no other, as the largest ones do. */
static void trace_keep(struct survey *self, const struct trace *trace, int64_t packages, bool ahead)
{
    const int workers = comm_of(self)->size - 1;
    struct sample sample = {.setting = self->campaign->setting,
                            .pass = self->campaign->first_pass + self->pass,
                            .waited = !ahead};
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        if (event->operation == OPERATION_IDLE)
            continue;
        sample.rank = event->rank;
        sample.operation = (enum operation)event->operation;
        sample.cold = event->package < workers && packages > workers;
        sample.first = event->first;
        sample.tasks = event->tasks;
        sample.seconds = event->end_s - event->start_s;
        if (!samples_add(self->samples, &sample))
            failure_memory(self->failure, "keeping the probes");
    }
}

/* The mean of those that a waiting master answered; 0: there are none. */
static double waited_mean(const struct requests *requests)
{
    double sum = 0;
    int64_t waited = 0;
    for (size_t i = 0; i < requests->count; i++)
        if (requests->items[i].late_s <= 0) {
            sum += requests->items[i].seconds;
            waited++;
        }
    return waited > 0 ? sum / (double)waited : 0;
}

/* A master that was busy until long after the report had come shows its own part, which is no
 * longer than the whole. */
static bool is_answer(const struct request *request, double mean_s)
{
    return request->late_s > LATE_S + LATE_TIMES * mean_s && request->seconds <= mean_s;
}

/* How long packages that came one by one waited for their answers, which a waiting master shows in
 * whole: of those that come ahead, some wait for a buffer. */
static void requests_keep(struct survey *self, const struct trace *trace)
{
    struct requests requests;
    struct sample sample = {.setting = self->campaign->setting,
                            .pass = self->campaign->first_pass + self->pass,
                            .waited = true};
    if (!requests_find(trace, 1, &requests)) {
        failure_memory(self->failure, "keeping the probes");
        return;
    }
    const double mean_s = waited_mean(&requests);
    for (size_t i = 0; i < requests.count; i++) {
        const struct request *request = &requests.items[i];
        const bool waited = request->late_s <= 0;
        sample.operation = waited ? OPERATION_REQUEST : OPERATION_ANSWER;
        sample.rank = waited ? (int)request->worker + 1 : 0;
        sample.first = request->first;
        sample.tasks = request->tasks;
        sample.seconds = request->seconds;
        if ((waited || is_answer(request, mean_s)) && !samples_add(self->samples, &sample))
            failure_memory(self->failure, "keeping the probes");
    }
    requests_release(&requests);
}

static struct package *packages_of(const struct design_package *designed, int64_t count)
{
    struct package *packages = calloc((size_t)count + 1, sizeof *packages);
    for (int64_t i = 0; packages && i < count; i++)
        packages[i] = (struct package){.index = i,
                                       .worker = designed[i].worker,
                                       .first = designed[i].first,
                                       .count = designed[i].tasks};
    return packages;
}

/* What happened is to be released. */
static bool part_run(struct survey *self, const struct design_pass *pass, int64_t part,
                     int64_t largest, bool ahead, struct probe_outcome *outcome)
{
    const int64_t begin = pass->parts[part].begin, count = pass->parts[part].end - begin;
    struct package *packages = packages_of(pass->packages + begin, count);
    const struct probe_work work = {packages, count, largest, ahead, {tell, self}};
    *outcome = (struct probe_outcome){.worked_s = 0};
    const bool good = packages ? probe_run(self->campaign->setup, &work, outcome, self->failure)
                               : failure_memory(self->failure, "choosing what to probe");
    free(packages);
    return good;
}

static void part_keep(struct survey *self, const struct trace *trace, int64_t packages, bool ahead)
{
    trace_keep(self, trace, packages, ahead);
    if (!ahead)
        requests_keep(self, trace);
}

static bool pass_run(struct survey *self, const struct design_pass *pass, int64_t largest,
                     bool ahead)
{
    const bool focused = pass >= self->focus_sets && pass < self->focus_sets + CAMPAIGN_SETS_MOST;
    struct weight *weight = focused ? &self->focus_weight : &self->grid_weight;
    for (int64_t k = 0; k < pass->part_count && self->failure->code == FAILURE_NONE; k++) {
        struct probe_outcome outcome;
        if (part_run(self, pass, k, largest, ahead, &outcome))
            part_keep(self, &outcome.trace, pass->parts[k].end - pass->parts[k].begin, ahead);
        weight->worked_s += outcome.worked_s;
        weight->stalled_s += outcome.stalled_s;
        probe_outcome_release(&outcome);
    }
    return self->failure->code == FAILURE_NONE;
}

/* ---- scouting ------------------------------------------------------------------------------ */

/* By how much the fastest worker beats the mean of all, by what scouting saw last. */
static double lead_of(const struct survey *self)
{
    const int workers = comm_of(self)->size - 1;
    double fastest = 0, sum = 0;
    for (int rank = 1; rank <= workers; rank++) {
        if (self->scouted_s[rank] <= 0)
            return 1;
        fastest = fmax(fastest, 1 / self->scouted_s[rank]);
        sum += 1 / self->scouted_s[rank];
    }
    return fastest * workers / sum;
}

/* No plan for all workers gives one of them much more than its even share, or, if it is faster than
 * the others by `lead`, its share by speed. */
static int64_t size_most(const struct survey *self, double lead)
{
    const struct job *job = self->campaign->setup->job;
    const double tasks = (double)job->setup.tasks;
    const double more = lead > LEAD_LEAST ? lead * LEAD_MARGIN : 1;
    const double share = fmin(tasks, ceil(more * tasks / (comm_of(self)->size - 1)));
    const double one =
        fmax((double)job_package_most(job, 1), (double)(job->tile_size + job->record_size) + 1);
    return (int64_t)fmax(1, fmin(share, floor(PACKAGE_BYTES_MOST / one)));
}

static bool is_work(const struct trace_event *event)
{
    return event->operation == OPERATION_RECEIVE || event->operation == OPERATION_COMPUTE ||
           event->operation == OPERATION_OUTPUT;
}

/* How long each worker is busy with one package, by the quickest of its packages: what else held it
 * up is no cost. */
static void quickest_keep(struct survey *self, const struct trace *trace, int64_t packages)
{
    double *busy = calloc((size_t)packages, sizeof *busy);
    if (!busy)
        failure_memory(self->failure, "choosing what to probe");
    for (size_t i = 0; busy && i < trace->count; i++)
        if (is_work(&trace->events[i]))
            busy[trace->events[i].package] += trace->events[i].end_s - trace->events[i].start_s;
    for (size_t i = 0; busy && i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        double *own = &self->scouted_s[event->rank];
        if (event->operation == OPERATION_COMPUTE && (*own == 0 || busy[event->package] < *own))
            *own = busy[event->package];
    }
    free(busy);
}

static double slowest_worker(const struct survey *self)
{
    double slowest = 0;
    for (int rank = 1; rank < comm_of(self)->size; rank++)
        slowest = fmax(slowest, self->scouted_s[rank]);
    return slowest;
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

/* Packages of one size on every worker; the time for one on the slowest, which is the master's for
 * one to each where that is longer. */
static double size_scout(struct survey *self, int64_t tasks, uint64_t seed)
{
    struct design design;
    struct design_pass pass;
    double longest = 0;
    design_init(&design, self->campaign->setup->job->setup.tasks, comm_of(self)->size - 1, seed);
    design_add(&design, tasks);
    design.sizes[0].copies = SCOUT_PACKAGES;
    if (!design_pass_make(&design, &pass, self->failure))
        return 0;
    memset(self->scouted_s, 0, (size_t)comm_of(self)->size * sizeof *self->scouted_s);
    for (int64_t k = 0; k < pass.part_count && self->failure->code == FAILURE_NONE; k++) {
        struct probe_outcome outcome;
        part_run(self, &pass, k, tasks, true, &outcome);
        quickest_keep(self, &outcome.trace, pass.count);
        longest = fmax(longest, master_package(&outcome.trace) * (comm_of(self)->size - 1));
        probe_outcome_release(&outcome);
    }
    design_pass_release(&pass);
    return fmax(longest, slowest_worker(self));
}

/* What takes long is looked at again: a stall must not pass for a cost, or nothing larger would
 * ever be tried. */
static double size_scout_twice(struct survey *self, int64_t tasks, double enough_s)
{
    const uint64_t seed = self->campaign->seed + (uint64_t)tasks;
    const double longest = size_scout(self, tasks, seed);
    if (longest <= enough_s || self->failure->code != FAILURE_NONE)
        return longest;
    return fmin(longest, size_scout(self, tasks, seed + 1));
}

static void scout(struct survey *self)
{
    const int64_t most = size_most(self, 1);
    const double budget_s = self->campaign->effort.budget_s;
    double first_s = 0;
    for (int64_t tasks = 1;; tasks = tasks * SCOUT_GROWTH < most ? tasks * SCOUT_GROWTH : most) {
        const double longest = size_scout_twice(self, tasks, SCOUT_SHARE * budget_s);
        if (tasks == 1)
            first_s = longest;
        self->s_per_task = tasks > 1 ? fmax(0, longest - first_s) / (double)(tasks - 1) : first_s;
        self->latency_s = fmax(1e-6, first_s - self->s_per_task);
        const double bearable_s = (tasks > 1 ? SCOUT_SHARE : SCOUT_SHARE_FIRST) * budget_s;
        if (longest > bearable_s || tasks == most || self->failure->code != FAILURE_NONE)
            return;
    }
}

/* ---- passes -------------------------------------------------------------------------------- */

/* What one pass over the grid may take: the second half of the passes takes twice as long as the
 * first. Where looking around took most of the budget, half of it is spent all the same: packages
 * of one task say nothing of others. */
static double grid_pass_s(const struct survey *self)
{
    const double budget_s = self->campaign->effort.budget_s;
    return fmax(budget_s / 2, budget_s - spent_s(self)) / (3 * self->campaign->effort.sets);
}

/* Sizes such that one package of each fits into a pass. */
static void grid_make(struct survey *self)
{
    const int64_t most = size_most(self, lead_of(self));
    const struct campaign_effort *effort = &self->campaign->effort;
    const double pass_s = PACKAGES_SHARE * grid_pass_s(self);
    const double longest_s = pass_s * (1 - 1 / effort->growth);
    const double affordable =
        self->s_per_task > 0 ? (longest_s - self->latency_s) / self->s_per_task : (double)most;
    const int64_t largest = (int64_t)fmax(1, fmin((double)most, affordable));
    design_init(&self->grid, self->campaign->setup->job->setup.tasks, comm_of(self)->size - 1,
                self->campaign->seed);
    design_grid(&self->grid, largest, effort->growth);
    design_copies(&self->grid, self->latency_s, self->s_per_task, pass_s, effort->copies_most);
}

/* Is there time for so many more passes like the last one? For the first set of places there always
 * is, or nothing would be timed twice. */
static bool time_left(const struct survey *self, int set, double passes)
{
    return set == 0 ||
           spent_s(self) + passes * self->pass_s <= 1.05 * self->campaign->effort.budget_s;
}

static void pass_begin(struct survey *self)
{
    self->pass_begun_s = comm_now(comm_of(self));
}

static void pass_end(struct survey *self)
{
    self->pass_s = comm_now(comm_of(self)) - self->pass_begun_s;
    self->pass++;
}

/* Packages of the last set of places come one by one, both times: there a link is seen. */
static bool comes_ahead(const struct survey *self, int set)
{
    return set < self->campaign->effort.sets - 1;
}

static void first_half(struct survey *self)
{
    const int64_t largest = design_largest(&self->grid);
    for (int set = 0; set < self->campaign->effort.sets && time_left(self, set, 2); set++) {
        pass_begin(self);
        if (!design_pass_make(&self->grid, &self->grid_sets[set], self->failure) ||
            !pass_run(self, &self->grid_sets[set], largest, comes_ahead(self, set)))
            return;
        pass_end(self);
    }
}

/* Sizes that matter most, as far as is known by now. */
static void focus_make(struct survey *self)
{
    const struct campaign *campaign = self->campaign;
    const double left = campaign->effort.budget_s - spent_s(self);
    const double pass_s = PACKAGES_SHARE * fmax(0, left / campaign->effort.sets - self->pass_s);
    const struct focus_job job = {.setting = campaign->setting,
                                  .largest = design_largest(&self->grid),
                                  .workers = comm_of(self)->size - 1,
                                  .tasks = (double)campaign->setup->job->setup.tasks,
                                  .write_behind = campaign->setup->job->values.write_behind};
    struct focus focus;
    design_init(&self->focus, campaign->setup->job->setup.tasks, comm_of(self)->size - 1,
                campaign->seed + 1);
    if (!focus_find(self->samples, &job, &focus, self->failure))
        return;
    for (int k = 0; k < focus.count; k++)
        design_add(&self->focus, focus.tasks[k]);
    design_copies(&self->focus, self->latency_s, self->s_per_task, pass_s,
                  campaign->effort.copies_most);
}

/* The first half's packages again, and those in focus, at places that come twice, too. */
static void second_half(struct survey *self)
{
    const int64_t largest = design_largest(&self->grid);
    const int sets = self->pass;
    for (int set = 0; set < sets && time_left(self, set, 1); set++) {
        const int place = set / 2;
        pass_begin(self);
        design_pass_shuffle(&self->grid, &self->grid_sets[set]);
        if (set % 2 == 1)
            design_pass_shuffle(&self->focus, &self->focus_sets[place]);
        else if (!design_pass_make(&self->focus, &self->focus_sets[place], self->failure))
            return;
        if (!pass_run(self, &self->grid_sets[set], largest, comes_ahead(self, set)) ||
            !pass_run(self, &self->focus_sets[place], largest, true))
            return;
        pass_end(self);
    }
}

/* What the packages of a plan wait for is what counts, where there are any. */
static double stalled_share(const struct survey *self)
{
    const struct weight *weight =
        self->focus_weight.worked_s > 0 ? &self->focus_weight : &self->grid_weight;
    return weight->worked_s > 0 ? weight->stalled_s / weight->worked_s : 0;
}

bool campaign_run(const struct campaign *campaign, struct samples *samples,
                  struct campaign_outcome *outcome, struct failure *failure)
{
    struct survey self = {.campaign = campaign, .samples = samples, .failure = failure};
    self.begun_s = comm_now(campaign->setup->comm);
    self.scouted_s = calloc((size_t)campaign->setup->comm->size, sizeof *self.scouted_s);
    if (!self.scouted_s)
        return failure_memory(failure, "choosing what to probe");
    scout(&self);
    self.scouted = true;
    if (failure->code == FAILURE_NONE) {
        grid_make(&self);
        outcome->largest = design_largest(&self.grid);
        first_half(&self);
    }
    if (failure->code == FAILURE_NONE)
        focus_make(&self);
    if (failure->code == FAILURE_NONE)
        second_half(&self);
    outcome->stalled_share = stalled_share(&self);
    for (int set = 0; set < CAMPAIGN_SETS_MOST; set++) {
        design_pass_release(&self.grid_sets[set]);
        design_pass_release(&self.focus_sets[set]);
    }
    free(self.scouted_s);
    return failure->code == FAILURE_NONE;
}
