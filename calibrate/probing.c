#include "calibrate/probing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/requests.h"

/* A report counts as come while the master was busy when it is older than so many times what
 * others took, plus so many seconds. */
static const double LATE_TIMES = 2, LATE_S = 2e-5;

double probing_spent_s(const struct probing *self)
{
    return self->campaign->prober.now(self->campaign->prober.self) - self->begun_s;
}

static void tell(void *probing)
{
    const struct probing *self = probing;
    const struct campaign *campaign = self->campaign;
    if (campaign->watch.tell)
        campaign->watch.tell(
            campaign->watch.self, self->is_scouted && self->allotment.sets > 0 ? self->pass : -1,
            2 * self->allotment.sets, fmax(0, self->end_s - probing_spent_s(self)));
}

void probing_say(struct probing *self, const char *sentence)
{
    if (self->campaign->watch.say && !self->said)
        self->campaign->watch.say(self->campaign->watch.self, sentence);
    self->said = true;
}

/* ---- what is kept -------------------------------------------------------------------------- */

/* Where the timings of a probe go. */
struct keeping {
    const struct probing *probing;
    const struct probing_run *probe;
    int pass;
    struct samples *samples;
    bool fresh; /* workers have started anew */
};

static struct sample sample_begin(const struct keeping *keeping)
{
    const struct campaign *campaign = keeping->probing->campaign;
    return (struct sample){.setting = campaign->setting,
                           .pass = campaign->first_pass + keeping->pass,
                           .waited = !keeping->probe->ahead};
}

/* The stratum for which the package that begins with that core task was placed; empty: none. */
static struct task_range stratum_of(const struct probing_run *probe, int64_t first)
{
    const struct design_package *designed =
        probe->pass->placed ? design_find(probe->pass, probe->part, first) : NULL;
    return designed ? designed->stratum : (struct task_range){0, 0};
}

/* Out of the trace, which then is of workers' packages alone. The first one of a probe starts what
 * the others go on with, and does not count. */
static void own_take(struct own_timings *own, struct trace *trace)
{
    size_t kept = 0;
    bool first = true;
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event event = trace->events[i];
        const double seconds = event.end_s - event.start_s;
        if (!trace_event_own(&event)) {
            trace->events[kept++] = event;
            continue;
        }
        own->count += !first;
        own->sum_s += first ? 0 : seconds;
        own->squares_s2 += first ? 0 : seconds * seconds;
        first = false;
    }
    trace->count = kept;
}

/* The trace as samples. Of each worker's packages the first is cold (they are handed out in turns),
 * unless it has no other, as the largest ones do; but always where workers have just started. */
static void trace_keep(const struct keeping *keeping, const struct trace *trace)
{
    const struct probing *self = keeping->probing;
    const struct design_part *part = &keeping->probe->pass->parts[keeping->probe->part];
    const int64_t packages = part->end - part->begin;
    struct sample sample = sample_begin(keeping);
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_event *event = &trace->events[i];
        const bool early = event->package < self->campaign->workers;
        if (event->operation == OPERATION_IDLE)
            continue;
        sample.rank = event->rank;
        sample.operation = (enum operation)event->operation;
        sample.fresh = early && keeping->fresh;
        sample.cold = early && (packages > self->campaign->workers || sample.fresh);
        sample.first = event->first;
        sample.tasks = event->tasks;
        sample.seconds = event->end_s - event->start_s;
        sample.stratum = stratum_of(keeping->probe, event->first);
        if (!samples_add(keeping->samples, &sample))
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
static void requests_keep(const struct keeping *keeping, const struct trace *trace)
{
    struct requests requests;
    struct sample sample = sample_begin(keeping);
    if (!requests_find(trace, 1, &requests)) {
        failure_memory(keeping->probing->failure, "keeping the probes");
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
        if ((waited || is_answer(request, mean_s)) && !samples_add(keeping->samples, &sample))
            failure_memory(keeping->probing->failure, "keeping the probes");
    }
    requests_release(&requests);
}

/* Of packages smaller than some that these workers had before, memory says little; the master's
 * grows with what calibrations keep and runs do not, so that its first probe's counts. */
static void peaks_keep(struct campaign_outcome *to, const struct probe_work *work,
                       const struct probe_outcome *probed)
{
    if (work->largest == work->held)
        rank_peaks_add(&to->rank_peaks, work->largest, probed->peaks.rank);
    to->peaks.command = fmax(to->peaks.command, probed->peaks.command);
    if (to->peaks.master <= 0)
        to->peaks.master = probed->peaks.master;
}

/* The first few that failed. */
static void failed_keep(struct campaign_outcome *to, const struct probe_outcome *probed)
{
    to->tasks += probed->tasks;
    to->failed += probed->failed;
    if (probed->seal_tasks > to->seal_tasks) {
        to->seal_s = probed->seal_s;
        to->seal_tasks = probed->seal_tasks;
    }
    for (int i = 0; i < probed->rejection_count && to->rejection_count < RUN_REJECTIONS; i++)
        to->rejections[to->rejection_count++] = probed->rejections[i];
}

/* ---- one run of the executor --------------------------------------------------------------- */

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

bool probing_run(struct probing *self, const struct probing_run *probe, int pass,
                 struct samples *samples, struct probe_outcome *outcome)
{
    const struct prober *prober = &self->campaign->prober;
    const struct design_part *part = &probe->pass->parts[probe->part];
    const int64_t count = part->end - part->begin;
    const bool afresh = probe->afresh || !self->is_started;
    const struct keeping keeping = {self, probe, pass, samples, afresh};
    self->held = afresh || probe->largest > self->held ? probe->largest : self->held;
    struct package *packages = packages_of(probe->pass->packages + part->begin, count);
    const struct probe_work work = {.packages = packages,
                                    .count = count,
                                    .largest = probe->largest,
                                    .held = self->held,
                                    .ahead = probe->ahead,
                                    .afresh = afresh,
                                    .master_computes =
                                        self->campaign->master_computes && probe->ahead,
                                    .seals = probe->largest > self->outcome->seal_tasks,
                                    .until_s = self->begun_s + probe->until_s,
                                    .tick = {tell, self}};
    *outcome = (struct probe_outcome){.worked_s = 0};
    self->is_started = true;
    if (!packages)
        failure_memory(self->failure, "choosing what to probe");
    else if (prober->run(prober->self, &work, outcome, self->failure)) {
        own_take(&self->outcome->own, &outcome->trace);
        trace_keep(&keeping, &outcome->trace);
        if (!probe->ahead)
            requests_keep(&keeping, &outcome->trace);
        failed_keep(self->outcome, outcome);
        peaks_keep(self->outcome, &work, outcome);
    }
    free(packages);
    return self->failure->code == FAILURE_NONE;
}
