#include <math.h>

#include "planner/dispatch/watch_parts.h"

/* A measured time weighs at least as much as one of the last RECENT ones. */
enum { RECENT = 8 };
/* After every change of plan the next one needs a larger deviation. That is forgotten
 * exponentially, with this share of the whole run as time constant. With many workers, several may
 * change at the same time. */
static const double tolerance_step = 0.5, forgotten_share = 0.1;
enum { TOGETHER = 8 };
/* A package that is overdue is taken to need this many times as long as it has taken so far. */
static const double overdue_factor = 1.5;

double watch_out_start_s(const struct watch_worker *worker)
{
    return fmax(worker->free_s, worker->out[0].arrived_s);
}

double watch_first_end_s(const struct dispatch_watch *self, int64_t at)
{
    const struct watch_worker *worker = &self->workers[at];
    return watch_out_start_s(worker) +
           worker->factor * watch_work_s(self, at, worker->out[0].tasks);
}

bool watch_probed(const struct watch_worker *worker)
{
    return worker->probes == 0 && worker->probing > 0;
}

/* After the last probe of a worker that joined: what remains is planned anew in any case. */
static void probe_report(struct dispatch_watch *self, int64_t at)
{
    struct watch_worker *worker = &self->workers[at];
    if (worker->probing == 0 || --worker->probing > 0)
        return;
    self->newcomer = at;
    self->alarm = true;
}

static double noise_limit(const struct dispatch_watch *self, double deviations)
{
    return fmax(self->setup.tolerance, deviations * self->setup.deviation);
}

static double changes_kept(const struct dispatch_watch *self, double now_s)
{
    const double forgotten_s = forgotten_share * self->whole_s;
    return forgotten_s > 0 ? self->changes_recent * exp((self->changed_s - now_s) / forgotten_s)
                           : self->changes_recent;
}

void watch_changed(struct dispatch_watch *self)
{
    self->changes_recent = changes_kept(self, self->asked_s) + 1;
    self->changed_s = self->asked_s;
}

double watch_caution(const struct dispatch_watch *self)
{
    const double together = fmax(1, (double)self->setup.workers / TOGETHER);
    return 1 + tolerance_step * changes_kept(self, self->asked_s) / together;
}

/* The time of a package that is begun at start_s, until it is reported. Where results are written
 * while the worker computes, those of earlier packages may delay it, because packages are reported
 * in order. */
static double package_predict(const struct dispatch_watch *self, int64_t worker, double tasks,
                              double start_s)
{
    if (!self->setup.platform->write_behind)
        return watch_work_s(self, worker, tasks);
    const struct platform_window *window = platform_nearest(self->setup.platform, tasks);
    const struct platform_class *class = watch_class(self, worker, window);
    const double computed_s = start_s + cost_of(cost_sum(class->receive, class->compute), tasks);
    return fmax(computed_s, self->workers[worker].ended_s) + cost_of(class->output, tasks) -
           start_s;
}

bool watch_unsettled(const struct dispatch_watch *self, int64_t at)
{
    const struct watch_worker *worker = &self->workers[at];
    return worker->reports <= 1 && worker->factor > 1 + noise_limit(self, 4);
}

bool watch_late(const struct dispatch_watch *self, int64_t at)
{
    const struct watch_worker *worker = &self->workers[at];
    return worker->lost || worker->factor > (1 + noise_limit(self, 4)) * worker->expected;
}

/* The deviation from what was expected, relative, that is more than noise. */
static double off_least(const struct dispatch_watch *self, const struct watch_worker *worker)
{
    return watch_caution(self) * noise_limit(self, 3 / sqrt(fmax(worker->reports, 1)));
}

bool watch_faster(const struct dispatch_watch *self, int64_t at)
{
    const struct watch_worker *worker = &self->workers[at];
    return worker->expected / worker->factor - 1 > off_least(self, worker);
}

/* The worker's deviation from what was expected if it is more than noise, else 0. */
static double worker_off(const struct dispatch_watch *self, const struct watch_worker *worker)
{
    const double off = fabs(worker->factor / worker->expected - 1);
    if (worker->lost)
        return 0;
    return off > off_least(self, worker) ? off : 0;
}

void watch_report(struct dispatch *dispatch, const struct package *package,
                  struct dispatch_times times)
{
    struct dispatch_watch *self = (struct dispatch_watch *)dispatch;
    struct watch_worker *worker = &self->workers[package->worker];
    const double tasks = worker->out_count > 0 ? worker->out[0].tasks : (double)package->count;
    const double predicted_s = package_predict(self, package->worker, tasks, times.start_s);
    const double before = worker->reports > 0 ? worker->measured_s / worker->predicted_s : 0;
    self->news = true;
    worker->overdue = false;
    worker->ended_s = times.end_s;
    worker->free_s = times.end_s - watch_behind_s(self, package->worker, tasks);
    worker->out_count -= worker->out_count > 0;
    for (int k = 0; k < worker->out_count; k++)
        worker->out[k] = worker->out[k + 1];
    if (!(predicted_s > 0) || !(times.end_s > times.start_s))
        return;
    const double ratio = (times.end_s - times.start_s) / predicted_s;
    if (worker->reports > 0 && fabs(ratio / before - 1) > noise_limit(self, 4))
        worker->reports = worker->measured_s = worker->predicted_s = 0;
    if (worker->reports >= RECENT) {
        worker->measured_s *= 0.5;
        worker->predicted_s *= 0.5;
        worker->reports *= 0.5;
    }
    worker->measured_s += times.end_s - times.start_s;
    worker->predicted_s += predicted_s;
    worker->reports++;
    worker->factor = worker->measured_s / worker->predicted_s;
    self->alarm = self->alarm || worker_off(self, worker) > 0;
    probe_report(self, package->worker);
}

void watch_worth(struct dispatch *dispatch, int64_t worker, double units)
{
    struct watch_worker *to = &((struct dispatch_watch *)dispatch)->workers[worker];
    if (to->out_count > 0 && !to->lost)
        to->out[to->out_count - 1].tasks = units;
}

void watch_busy(struct dispatch *dispatch, int64_t worker, double until_s, bool over)
{
    struct watch_worker *to = &((struct dispatch_watch *)dispatch)->workers[worker];
    to->busy = !over;
    to->free_s = fmax(until_s, to->start_s);
}

/* The same for the oldest package that the worker has. */
static double first_predict(const struct dispatch_watch *self, int64_t at)
{
    const struct watch_worker *worker = &self->workers[at];
    return package_predict(self, at, worker->out[0].tasks, watch_out_start_s(worker));
}

/* Before a worker's first report, a start that takes longer than expected does not mean slow
 * work. */
static double start_margin_s(const struct dispatch_watch *self, const struct watch_worker *worker)
{
    return worker->ended_s > 0 ? 0 : worker->start_s * watch_caution(self) * noise_limit(self, 4);
}

/* From when on the oldest package that the worker has is overdue. */
static double overdue_from_s(const struct dispatch_watch *self, int64_t at, double returns_s)
{
    const struct watch_worker *worker = &self->workers[at];
    if (worker->out_count == 0 || worker->lost || worker->busy)
        return HUGE_VAL;
    const double reckoned_s = worker->factor * first_predict(self, at);
    return reckoned_s > 0 ? watch_out_start_s(worker) + start_margin_s(self, worker) + returns_s +
                                reckoned_s * (1 + watch_caution(self) * noise_limit(self, 4))
                          : HUGE_VAL;
}

bool watch_overdue(struct dispatch_watch *self, double now_s)
{
    const double returns_s = watch_returns_s(self);
    bool some = false;
    for (int64_t k = 0; k < self->setup.workers; k++) {
        struct watch_worker *worker = &self->workers[k];
        if (now_s < overdue_from_s(self, k, returns_s))
            continue;
        worker->factor = overdue_factor * (now_s - returns_s - watch_out_start_s(worker)) /
                         first_predict(self, k);
        worker->overdue = true;
        some = true;
    }
    return some;
}

double watch_due_s(const struct dispatch_watch *self)
{
    const double returns_s = watch_returns_s(self);
    double due_s = HUGE_VAL;
    for (int64_t k = 0; k < self->setup.workers; k++)
        due_s = fmin(due_s, overdue_from_s(self, k, returns_s));
    return due_s;
}

int64_t watch_farthest(const struct dispatch_watch *self)
{
    int64_t farthest = -1;
    double most = 0;
    for (int64_t k = 0; k < self->setup.workers; k++) {
        const double off = worker_off(self, &self->workers[k]);
        if (off > most) {
            most = off;
            farthest = k;
        }
    }
    return farthest;
}
