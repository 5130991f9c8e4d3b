#include "calibrate/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/focus.h"
#include "calibrate/probing.h"
#include "calibrate/scout.h"
#include "calibrate/strata_probe.h"

/* No pass begins that would end later than so many budgets, and no package is sent after so many.
 */
static const double BUDGET_TIMES = 1.05, BUDGET_MOST = 1.15;
/* Of the budget, what workers may take to start anew once more, so that starts are timed often. */
static const double RESTARTS_SHARE = 0.1;
/* Of the budget, what may go to places all over the job. */
static const double STRATA_SHARE = 0.3, STRATA_SHARE_MOST = 0.5;
/* But so many seconds, if that is no more than the second share: few places tell too little. */
static const double STRATA_S = 2;
/* A pass of the second half takes so many times as long as one of the first, about. */
static const double AGAIN_TIMES = 1.7;
/* About how many probes a campaign has; how often at most what was scouted is measured again. */
enum { PROBES_ABOUT = 24, ROUNDS_MOST = 6, RESTARTS_ALL = -1 };
/* Of the focus' share of a pass, what goes to packages; the rest is making the ranks ready. */
static const double PACKAGES_SHARE = 0.75;

/* ---- strata -------------------------------------------------------------------------------- */

enum { STRATA_PASS = 2 * CAMPAIGN_SETS_MOST - 2 };

static bool strata_run(void *probing, const struct design_pass *pass, int64_t largest)
{
    struct probing *self = probing;
    const struct probing_run probe = {
        .pass = pass, .largest = largest, .ahead = true, .until_s = BUDGET_MOST * self->budget_s};
    struct probe_outcome outcome;
    const bool good = probing_run(self, &probe, STRATA_PASS, self->samples, &outcome);
    probe_outcome_release(&outcome);
    return good;
}

static double strata_now(void *probing)
{
    return probing_spent_s(probing);
}

/* By how much the fastest worker beats the mean of all. */
static double lead_of(const double *paces, int workers)
{
    double fastest = 0, sum = 0;
    for (int rank = 1; rank <= workers; rank++) {
        fastest = fmax(fastest, 1 / paces[rank]);
        sum += 1 / paces[rank];
    }
    return fastest * workers / sum;
}

/* What the whole job takes, wherever it is heavy: where core tasks differ, that is what is known of
 * costs from then on. */
static void strata_measure(struct probing *self)
{
    const struct campaign *campaign = self->campaign;
    const double left_s = self->budget_s - probing_spent_s(self);
    const double least_s = fmin(STRATA_SHARE_MOST * left_s, STRATA_S);
    double *paces = calloc((size_t)campaign->workers + 1, sizeof *paces);
    struct strata_probe probe = {.samples = self->samples,
                                 .setting = campaign->setting,
                                 .tasks = campaign->tasks,
                                 .workers = campaign->workers,
                                 .seed = campaign->seed + 2,
                                 .budget_s = fmax(STRATA_SHARE * left_s, least_s),
                                 .overhead_s = self->costs.overhead_s,
                                 .latency_s = self->costs.latency_s,
                                 .s_per_task = self->costs.s_per_task,
                                 .paces = paces,
                                 .run = strata_run,
                                 .now = strata_now,
                                 .self = self};
    if (!paces)
        failure_memory(self->failure, "choosing what to probe");
    else if (strata_probe(&probe, self->failure) && paces[1] > 0) {
        self->costs.s_per_task = probe.s_per_task;
        self->costs.lead = lead_of(paces, campaign->workers);
    }
    free(paces);
}

/* ---- passes -------------------------------------------------------------------------------- */

/* May the next pass begin with workers that start anew? */
static bool restarts(struct probing *self)
{
    if (self->restarts == 0)
        return false;
    self->restarts -= self->restarts > 0;
    return true;
}

static bool pass_run(struct probing *self, const struct design_pass *pass, int64_t largest,
                     bool ahead, bool afresh)
{
    const bool focused = pass >= self->focus_sets && pass < self->focus_sets + CAMPAIGN_SETS_MOST;
    struct weight *weight = focused ? &self->focus_weight : &self->grid_weight;
    for (int64_t k = 0; k < pass->part_count && self->failure->code == FAILURE_NONE; k++) {
        const struct probing_run probe = {.pass = pass,
                                          .part = k,
                                          .largest = largest,
                                          .ahead = ahead,
                                          .afresh = afresh || self->restarts == RESTARTS_ALL,
                                          .until_s = BUDGET_MOST * self->budget_s};
        struct probe_outcome outcome;
        probing_run(self, &probe, self->pass, self->samples, &outcome);
        weight->worked_s += outcome.worked_s;
        weight->stalled_s += outcome.stalled_s;
        probe_outcome_release(&outcome);
        afresh = false;
    }
    return self->failure->code == FAILURE_NONE;
}

static double package_s(const struct probing *self, int64_t tasks)
{
    return self->costs.latency_s + self->costs.s_per_task * (double)tasks;
}

/* Seconds of the packages of one part that the busiest worker gets: they stand worker by worker. */
static double part_s(const struct probing *self, const struct design_pass *pass,
                     const struct design_part *part)
{
    double longest = 0, own = 0;
    for (int64_t i = part->begin; i < part->end; i++) {
        const bool same =
            i > part->begin && pass->packages[i].worker == pass->packages[i - 1].worker;
        own = (same ? own : 0) + package_s(self, pass->packages[i].tasks);
        longest = fmax(longest, own);
    }
    return longest;
}

/* Seconds that a pass takes, by what was scouted, but for starts that are few. */
static double pass_expect(const struct probing *self, const struct design_pass *pass)
{
    const bool all = self->restarts == RESTARTS_ALL;
    double sum = all ? (double)pass->part_count * self->costs.start_s : 0;
    for (int64_t k = 0; k < pass->part_count; k++)
        sum += part_s(self, pass, &pass->parts[k]) + self->costs.overhead_s;
    return sum;
}

static void grid_make(struct probing *self)
{
    const struct campaign *campaign = self->campaign;
    const struct campaign_effort *effort = &campaign->effort;
    const struct allotment *allotment = &self->allotment;
    design_init(&self->grid, campaign->tasks, campaign->workers, campaign->seed);
    design_grid(&self->grid, allotment->largest, allotment->growth);
    design_copies(&self->grid, self->costs.latency_s, self->costs.s_per_task, allotment->pass_s,
                  effort->copies_most);
}

/* Is there time for so much more? */
static bool time_left(const struct probing *self, double seconds)
{
    return probing_spent_s(self) + seconds <= BUDGET_TIMES * self->budget_s;
}

/* Packages of the last set of places come one by one, both times: there a link is seen. */
static bool comes_ahead(const struct probing *self, int set)
{
    return set < self->allotment.sets - 1 || set == 0;
}

/* When it will be over, if what is left takes so long. */
static void end_expect(struct probing *self, double left_s)
{
    const double spent_s = probing_spent_s(self);
    self->end_s = fmin(spent_s + left_s, fmax(spent_s, BUDGET_TIMES * self->budget_s));
}

/* Seconds for the starts of workers that are still to come, where only a few passes have one. */
static double starts_s(const struct probing *self)
{
    const int most = 2 * self->allotment.sets - self->pass;
    const int starts = self->restarts < most ? self->restarts : most;
    return starts > 0 ? starts * self->costs.start_s : 0;
}

/* Once the places of a pass are known, so is how long it takes: there must be time to do it twice,
 * but for the first one. False: there is not. */
static bool first_run(struct probing *self, int set)
{
    const int left = self->allotment.sets - set;
    struct design_pass *pass = &self->grid_sets[set];
    if (!design_pass_make(&self->grid, pass, self->failure))
        return false;
    const double pass_s = fmax(pass_expect(self, pass), self->pass_s);
    if (!time_left(self, (set == 0 ? 1 : 2) * pass_s))
        return false;
    end_expect(self, (left + AGAIN_TIMES * self->allotment.sets) * pass_s + starts_s(self));
    return pass_run(self, pass, design_largest(&self->grid), comes_ahead(self, set),
                    restarts(self));
}

static void first_half(struct probing *self)
{
    for (int set = 0; set < self->allotment.sets; set++) {
        const double begun_s = probing_spent_s(self);
        if (!first_run(self, set))
            return;
        self->pass_s = probing_spent_s(self) - begun_s;
        self->is_measured = true;
        self->pass++;
    }
}

/* Sizes that matter most, as far as is known by now. */
static void focus_make(struct probing *self)
{
    const struct campaign *campaign = self->campaign;
    const double left_s = self->budget_s - probing_spent_s(self);
    const double pass_s = PACKAGES_SHARE * fmax(0, left_s / self->pass - self->pass_s);
    const struct focus_job job = {.setting = campaign->setting,
                                  .largest = design_largest(&self->grid),
                                  .workers = campaign->workers,
                                  .tasks = (double)campaign->tasks,
                                  .write_behind = campaign->write_behind};
    struct focus focus;
    design_init(&self->focus, campaign->tasks, campaign->workers, campaign->seed + 1);
    if (!focus_find(self->samples, &job, &focus, self->failure))
        return;
    for (int k = 0; k < focus.count; k++)
        if (package_s(self, focus.tasks[k]) <= pass_s)
            design_add(&self->focus, focus.tasks[k]);
    if (self->focus.size_count > 0)
        design_copies(&self->focus, self->costs.latency_s, self->costs.s_per_task, pass_s,
                      campaign->effort.copies_most);
}

/* The packages in focus of one pass: places come twice. */
static struct design_pass *focus_pass(struct probing *self, int set)
{
    struct design_pass *pass = &self->focus_sets[set / 2];
    if (self->focus.size_count == 0)
        return NULL;
    if (set % 2 == 0)
        return design_pass_make(&self->focus, pass, self->failure) ? pass : NULL;
    design_pass_shuffle(&self->focus, pass);
    return pass;
}

/* Both parts of a pass of the second half, as far as there is time. False: there is none. */
static bool again_run(struct probing *self, int set, int sets)
{
    struct design_pass *grid = &self->grid_sets[set];
    const struct design_pass *focus = focus_pass(self, set);
    const double grid_s = pass_expect(self, grid), focus_s = focus ? pass_expect(self, focus) : 0;
    if (self->failure->code != FAILURE_NONE || !time_left(self, grid_s))
        return false;
    end_expect(self, (sets - set) * fmax(grid_s + focus_s, self->again_s) + starts_s(self));
    design_pass_shuffle(&self->grid, grid);
    const int64_t largest = design_largest(&self->grid);
    if (!pass_run(self, grid, largest, comes_ahead(self, set), restarts(self)))
        return false;
    return !focus || !time_left(self, focus_s) || pass_run(self, focus, largest, true, false);
}

/* The first half's packages again, and those in focus, at places that come twice, too. */
static void second_half(struct probing *self)
{
    const int sets = self->pass;
    for (int set = 0; set < sets; set++) {
        const double begun_s = probing_spent_s(self);
        if (!again_run(self, set, sets))
            return;
        self->again_s = probing_spent_s(self) - begun_s;
        self->pass++;
    }
}

/* ---- where there is no time for passes ----------------------------------------------------- */

static bool step_fits(const struct probing *self, const struct scout_step *step)
{
    return time_left(self, scout_step_s(self, step->tasks, step->longest_s));
}

/* What was scouted once more, the largest first; not the very first package. */
static void scouted_again(struct probing *self)
{
    for (int round = 0; round < ROUNDS_MOST; round++) {
        int done = 0;
        for (int k = self->step_count - 1; k > 0; k--) {
            if (self->failure->code != FAILURE_NONE || !step_fits(self, &self->steps[k]))
                continue;
            scout_again(self, &self->steps[k], round);
            done++;
        }
        self->pass++;
        if (done == 0)
            return;
    }
}

static bool scouted_keep(struct probing *self)
{
    self->is_scouted_kept = true;
    for (int64_t i = 0; i < self->scouted.count; i++)
        if (!samples_add(self->samples, &self->scouted.items[i]))
            return failure_memory(self->failure, "keeping the probes");
    return true;
}

/* ---- a campaign ---------------------------------------------------------------------------- */

/* What the packages of a plan wait for is what counts, where there are any. */
static double stalled_share(const struct probing *self)
{
    const struct weight *weight =
        self->focus_weight.worked_s > 0 ? &self->focus_weight : &self->grid_weight;
    return weight->worked_s > 0 ? weight->stalled_s / weight->worked_s : 0;
}

/* How often workers may start anew: always, where that takes hardly any time. */
static int restarts_most(const struct probing *self)
{
    const double bearable_s = RESTARTS_SHARE * self->budget_s, start_s = self->costs.start_s;
    return start_s * PROBES_ABOUT <= bearable_s ? RESTARTS_ALL : (int)(bearable_s / start_s);
}

static void allot(struct probing *self)
{
    const int64_t most = allotment_size_most(self->campaign, self->costs.lead);
    if (self->budget_s > self->campaign->effort.budget_s) /* at least the largest once more */
        self->budget_s = fmax(self->campaign->effort.budget_s,
                              probing_spent_s(self) +
                                  scout_step_s(self, self->costs.largest, self->costs.largest_s));
    self->end_s = self->budget_s;
    self->allotment = allotment_make(&self->costs, &self->campaign->effort, most,
                                     self->budget_s - probing_spent_s(self));
    self->restarts = restarts_most(self);
}

static void passes(struct probing *self)
{
    grid_make(self);
    first_half(self);
    if (self->failure->code == FAILURE_NONE && self->pass > 0)
        focus_make(self);
    if (self->failure->code == FAILURE_NONE)
        second_half(self);
}

/* Passes, or what there is time for. */
static void measure(struct probing *self)
{
    if (self->allotment.sets > 0)
        passes(self);
    if (self->pass < self->campaign->effort.sets || self->restarts != RESTARTS_ALL)
        scouted_keep(self);
    if (!self->is_measured && self->failure->code == FAILURE_NONE)
        scouted_again(self);
}

/* What was measured, and what it would take to measure enough: the steps so far, those that are
 * missing, and the largest one twice. */
static void outcome_fill(struct probing *self)
{
    struct campaign_outcome *outcome = self->outcome;
    const struct scouting *costs = &self->costs;
    const int64_t most = allotment_size_most(self->campaign, 1);
    const int64_t need = allotment_need(costs, most);
    outcome->scouting = *costs;
    outcome->most = allotment_size_most(self->campaign, costs->lead);
    outcome->stalled_share = stalled_share(self);
    outcome->largest = self->is_measured ? design_largest(&self->grid) : 1;
    if (self->is_scouted_kept && costs->largest > outcome->largest)
        outcome->largest = costs->largest;
    const bool single = outcome->largest == 1 && most > 1; /* nothing tells latency from rate */
    if (need <= outcome->largest && !single)
        return;
    outcome->wanted = single ? (int64_t)fmin(4, (double)most) : need;
    const double need_s = costs->latency_s + costs->s_per_task * (double)outcome->wanted;
    outcome->wanted_s = probing_spent_s(self) + 3 * need_s;
}

static void probing_release(struct probing *self)
{
    for (int set = 0; set < CAMPAIGN_SETS_MOST; set++) {
        design_pass_release(&self->grid_sets[set]);
        design_pass_release(&self->focus_sets[set]);
    }
    scout_release(self);
}

bool campaign_run(const struct campaign *campaign, struct samples *samples,
                  struct campaign_outcome *outcome, struct failure *failure)
{
    struct probing self = {.campaign = campaign,
                           .samples = samples,
                           .failure = failure,
                           .outcome = outcome,
                           .budget_s = campaign->effort.budget_s,
                           .end_s = campaign->effort.budget_s,
                           .costs = campaign->known};
    *outcome = (struct campaign_outcome){.largest = 1};
    self.begun_s = campaign->prober.now(campaign->prober.self);
    if (campaign->known.largest == 0)
        scout(&self);
    if (failure->code == FAILURE_NONE)
        strata_measure(&self);
    self.is_scouted = true;
    if (failure->code == FAILURE_NONE)
        allot(&self);
    if (failure->code == FAILURE_NONE)
        measure(&self);
    outcome_fill(&self);
    probing_release(&self);
    return failure->code == FAILURE_NONE;
}
