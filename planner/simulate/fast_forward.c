#include "planner/simulate/fast_forward.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/random.h"

/* A series of packages is simulated in three parts: the first ones, until its rhythm is steady; the
 * section, whose times stand for what is skipped; and the last ones. These are the shares of the
 * first and the last part. Every part has at least ROUNDS_LEAST rounds more than a worker has
 * buffers. */
static const double SHARE_BEFORE = 0.2, SHARE_END = 0.2;
enum { ROUNDS_LEAST = 4 };
/* What is skipped is divided into so many pieces, within which core tasks are taken to cost the
 * same. */
enum { PIECES = 64 };
/* After so many skips the start of a single worker ends no skip any more. */
enum { STARTS_MOST = 64 };
/* Before a loss only this part of the time is skipped at once, because what is skipped may take
 * longer than the section. */
static const double UNTIL_LOSS = 0.9;
/* Relative: workers that are as late as the latest one within CLOSE hold up the others together;
 * master or port hold up all where they are busy for more than BOUND of the time. */
static const double CLOSE = 1e-3, BOUND = 0.95;

bool fast_forward_init(struct fast_forward *forward, const struct platform *platform,
                       const struct scenario *scenario)
{
    const size_t workers = (size_t)platform->worker_count;
    *forward = (struct fast_forward){.platform = platform, .scenario = scenario, .begun = -1};
    forward->workers = calloc(workers, sizeof *forward->workers);
    forward->later_s = calloc(workers, sizeof *forward->later_s);
    return forward->workers && forward->later_s;
}

void fast_forward_release(struct fast_forward *forward)
{
    free(forward->workers);
    free(forward->later_s);
}

/* ---- what the section takes
 * ------------------------------------------------------------------------- */

static void section_begin(struct fast_forward *forward, const struct star *star)
{
    for (int64_t k = 0; k < forward->platform->worker_count; k++)
        forward->workers[k] = (struct forward_worker){.load = forward->workers[k].load,
                                                      .share = forward->workers[k].share,
                                                      .busy_s = star->workers[k].busy_s,
                                                      .output_s = star->workers[k].output_s};
    forward->master_s = forward->port_s = 0;
    forward->master_idle_s = forward->port_idle_s = 0;
    forward->first = forward->end;
    forward->begun = forward->noted;
    forward->begun_s = star->master_s;
}

static void series_begin(struct fast_forward *forward, int64_t series)
{
    forward->series = series;
    forward->noted = 0;
    forward->begun = -1;
    forward->over = false;
}

/* The share of computing that grows with core tasks' weights: its latency does not. */
static double share_of(const struct platform *platform, const struct package *package)
{
    const double load = (double)package->count;
    const struct platform_window *window = platform_nearest(platform, load);
    const struct cost compute = platform_worker(window, package->worker)->compute;
    const double all_s = cost_of(compute, load);
    return all_s > 0 ? fmin(1, compute.s_per_task * load / all_s) : 0;
}

void fast_forward_note(struct fast_forward *forward, const struct package *package,
                       const struct star_times *times, const struct star_cost *cost,
                       const struct star_cost *mean, double port_s)
{
    struct forward_worker *worker = &forward->workers[package->worker];
    const double off_s = cost->receive_s + cost->compute_s + cost->output_s - mean->receive_s -
                         mean->compute_s - mean->output_s;
    forward->end = (double)(package->first + package->count);
    if (worker->load != package->count) {
        series_begin(forward, forward->series);
        worker->share = share_of(forward->platform, package);
    }
    worker->load = package->count;
    forward->noted++;
    worker->packages++;
    worker->compute_s += mean->compute_s;
    worker->own_s += mean->receive_s + mean->compute_s;
    worker->out_s += mean->output_s;
    worker->idle_s += times->start_s - times->idle_s;
    worker->variance_s2 += off_s * off_s;
    forward->master_s += mean->envelope_s + mean->send_s;
    forward->port_s += mean->link_s;
    forward->port_idle_s += times->link_s - port_s;
}

void fast_forward_answer(struct fast_forward *forward, double seconds)
{
    forward->master_s += seconds;
}

void fast_forward_wait(struct fast_forward *forward, double seconds)
{
    forward->master_idle_s += seconds;
}

/* ---- what core tasks cost along the job ----------------------------------------------------- */

/* The weights of core tasks in a part of the job, relative to the mean: by the map, and by what
 * varies for all. */
struct weights {
    double map, common;
};

static bool varies_by_place(const struct fast_forward *forward)
{
    const struct variation *variation = forward->scenario->variation;
    return variation && variation->weight;
}

static struct weights weights_of(const struct fast_forward *forward, double first, double tasks)
{
    const struct variation *variation = forward->scenario->variation;
    return (struct weights){
        platform_work(forward->platform, first, tasks),
        varies_by_place(forward) ? variation->weight(variation->self, first, tasks) : 1};
}

/* For how long the worker's packages of the section would occupy it, if their core tasks had the
 * weights `there`. */
static double held_at(const struct fast_forward *forward, const struct forward_worker *worker,
                      struct weights section, struct weights there)
{
    const double share = worker->share;
    const double map = (1 + share * (there.map - 1)) / (1 + share * (section.map - 1));
    const double own_s =
        worker->own_s + worker->compute_s * (map * there.common / section.common - 1);
    return forward->platform->write_behind ? fmax(own_s, worker->out_s) : own_s + worker->out_s;
}

static int pieces_of(const struct fast_forward *forward)
{
    return work_differs(&forward->platform->work) || varies_by_place(forward) ? PIECES : 1;
}

/* ---- rounds of a plan ----------------------------------------------------------------------- */

/* For how long the section's packages occupy the master, the port, and the worker that has most to
 * do. The longest of these determines the pace. */
struct held {
    double master_s, port_s, worker_s;
};

static double held_most(struct held held)
{
    return fmax(fmax(held.master_s, held.port_s), held.worker_s);
}

static struct held rounds_held(const struct fast_forward *forward, struct weights section,
                               struct weights there)
{
    struct held held = {forward->master_s, forward->port_s, 0};
    for (int64_t k = 0; k < forward->platform->worker_count; k++)
        if (forward->workers[k].packages > 0)
            held.worker_s =
                fmax(held.worker_s, held_at(forward, &forward->workers[k], section, there));
    return held;
}

/* What a section takes besides that: waiting of what determines the pace, and the variance of the
 * whole. */
struct beside {
    double idle_s, variance_s2;
};

/* The mean over the workers that hold up all others. */
static struct beside workers_beside(const struct fast_forward *forward, struct held held,
                                    struct weights section)
{
    struct beside beside = {0, 0};
    double count = 0;
    for (int64_t k = 0; k < forward->platform->worker_count; k++) {
        const struct forward_worker *worker = &forward->workers[k];
        if (worker->packages == 0 ||
            held_at(forward, worker, section, section) < (1 - CLOSE) * held.worker_s)
            continue;
        beside.idle_s += worker->idle_s;
        beside.variance_s2 += worker->variance_s2;
        count++;
    }
    return (struct beside){beside.idle_s / count, beside.variance_s2 / (count * count)};
}

static struct beside rounds_beside(const struct fast_forward *forward, struct held held,
                                   struct weights section)
{
    if (held.worker_s >= held_most(held))
        return workers_beside(forward, held, section);
    return (struct beside){held.port_s > held.master_s ? forward->port_idle_s : 0, 0};
}

/* A normal deviate, the same for equal seeds. */
static double deviate(struct fast_forward *forward)
{
    uint64_t random = forward->scenario->seed + 0x9e3779b97f4a7c15u * (uint64_t)forward->skips;
    random_bits(&random);
    return random_normal(&random);
}

/* The seconds of `times` sections like this one, from its end on. */
static double rounds_seconds(struct fast_forward *forward, double times)
{
    const double tasks = times * (forward->end - forward->first);
    const struct weights section =
        weights_of(forward, forward->first, forward->end - forward->first);
    const struct held usual = rounds_held(forward, section, section);
    const struct beside beside = rounds_beside(forward, usual, section);
    const bool workers = usual.worker_s >= held_most(usual);
    const int pieces = pieces_of(forward);
    double sum_s = 0;
    for (int k = 0; k < pieces; k++) {
        const double part = tasks / pieces;
        const struct weights there = weights_of(forward, forward->end + k * part, part);
        const struct held held = rounds_held(forward, section, there);
        const bool alike = (held.worker_s >= held_most(held)) == workers;
        sum_s += (held_most(held) + (alike ? beside.idle_s : 0)) * times / pieces;
    }
    return fmax(0, sum_s + deviate(forward) * sqrt(times * beside.variance_s2));
}

/* ---- packages on request -------------------------------------------------------------------- */

/* The seconds of one of the worker's packages, with its waiting for it. */
static double cycle_at(const struct fast_forward *forward, const struct forward_worker *worker,
                       struct weights section, struct weights there, bool waits)
{
    const double held_s = held_at(forward, worker, section, there);
    return (held_s + (waits ? worker->idle_s : 0)) / (double)worker->packages;
}

/* How many packages a second all workers together can do. */
static double rate_at(const struct fast_forward *forward, struct weights section,
                      struct weights there, bool waits)
{
    double rate = 0;
    for (int64_t k = 0; k < forward->platform->worker_count; k++)
        if (forward->workers[k].packages > 0)
            rate += 1 / fmax(cycle_at(forward, &forward->workers[k], section, there, waits), 1e-30);
    return rate;
}

/* What all requests must pass, the master or the port: the seconds of a package there, and its
 * waiting. */
struct gate {
    double package_s, idle_s;
    bool bound; /* it determines the pace */
};

static struct gate gate_of(const struct fast_forward *forward, struct weights section)
{
    const double packages = (double)(forward->noted - forward->begun);
    const bool port = forward->port_s > forward->master_s;
    const double package_s = (port ? forward->port_s : forward->master_s) / packages;
    const double idle_s = (port ? forward->port_idle_s : forward->master_idle_s) / packages;
    const double rate = rate_at(forward, section, section, true);
    return (struct gate){package_s, idle_s, package_s * rate > BOUND};
}

static double requests_seconds(struct fast_forward *forward, struct gate gate, double packages,
                               double tasks)
{
    const struct weights section =
        weights_of(forward, forward->first, forward->end - forward->first);
    const int pieces = pieces_of(forward);
    double sum_s = 0, variance_s2 = 0;
    for (int k = 0; k < pieces; k++) {
        const double part = tasks / pieces;
        const struct weights there = weights_of(forward, forward->end + k * part, part);
        const double workers_s = 1 / rate_at(forward, section, there, !gate.bound);
        const double gate_s = gate.package_s + (gate.bound ? gate.idle_s : 0);
        sum_s += fmax(workers_s, gate_s) * packages / pieces;
    }
    const int64_t workers = forward->platform->worker_count;
    for (int64_t k = 0; k < workers; k++)
        variance_s2 += forward->workers[k].variance_s2;
    const double times = packages / (double)(forward->noted - forward->begun);
    const double off_s = sqrt(times * variance_s2) / (double)workers;
    return fmax(0, sum_s + (gate.bound ? 0 : deviate(forward) * off_s));
}

/* ---- skipping ------------------------------------------------------------------------------- */

/* Moves one worker on by so many packages like those of the section. */
static void worker_skip(struct fast_forward *forward, struct star *star, int64_t k, double packages,
                        double later_s)
{
    const struct forward_worker *worker = &forward->workers[k];
    struct star_worker *to = &star->workers[k];
    const double times = packages / (double)worker->packages;
    const double busy_s = to->busy_s - worker->busy_s, output_s = to->output_s - worker->output_s;
    forward->later_s[k] = later_s;
    to->free_s += later_s;
    to->end_s += later_s;
    to->packages += (int64_t)packages;
    to->busy_s += times * busy_s;
    to->output_s += times * output_s;
    for (int b = 0; b < star->buffers; b++)
        star->starts[k * star->buffers + b] += later_s;
}

static void rounds_skip(struct fast_forward *forward, const struct dispatch_run *run, int64_t turns,
                        struct star *star, struct dispatch_skip *skip)
{
    const double rounds = (double)(forward->noted - forward->begun) / (double)run->packages;
    const double times = (double)turns / rounds;
    const double later_s = rounds_seconds(forward, times);
    for (int64_t k = 0; k < forward->platform->worker_count; k++) {
        forward->later_s[k] = 0;
        if (forward->workers[k].packages > 0)
            worker_skip(forward, star, k, (double)turns, later_s);
    }
    star->master_s += times * forward->master_s;
    star->port_s += later_s;
    star->master_busy_s += times * forward->master_s;
    star->port_busy_s += times * forward->port_s;
    skip->packages = turns * run->packages;
    skip->tasks = turns * run->tasks;
}

/* Divides the skipped packages among workers by how long each takes for one; differences between
 * the workers' times stay as they are. */
static void requests_skip(struct fast_forward *forward, const struct dispatch_run *run,
                          int64_t turns, struct star *star, struct dispatch_skip *skip)
{
    const double noted = (double)(forward->noted - forward->begun);
    const struct weights section =
        weights_of(forward, forward->first, forward->end - forward->first);
    const struct gate gate = gate_of(forward, section);
    const double rate = rate_at(forward, section, section, true);
    const double all_s = requests_seconds(forward, gate, (double)turns,
                                          (double)turns * (forward->end - forward->first) / noted);
    (void)run;
    for (int64_t k = 0; k < forward->platform->worker_count; k++) {
        const struct forward_worker *worker = &forward->workers[k];
        forward->later_s[k] = 0;
        if (worker->packages == 0)
            continue;
        const double cycle_s = cycle_at(forward, worker, section, section, true);
        const double share =
            gate.bound ? (double)worker->packages / noted : 1 / (fmax(cycle_s, 1e-30) * rate);
        const double exact = (double)turns * share, packages = nearbyint(exact);
        const double off_s = gate.bound ? 0 : (packages - exact) * cycle_s;
        worker_skip(forward, star, k, packages, fmax(0, all_s + off_s));
        skip->packages += (int64_t)packages;
        skip->tasks += (int64_t)packages * worker->load;
    }
    const double times = (double)turns / noted;
    star->master_s += all_s;
    star->port_s += all_s;
    star->master_busy_s += times * forward->master_s;
    star->port_busy_s += times * forward->port_s;
}

/* How many turns to simulate before the section, in it, and at the end of the series. */
struct simulated {
    int64_t before, section, end;
};

static struct simulated simulated_of(const struct fast_forward *forward,
                                     const struct dispatch_run *run)
{
    const int64_t unit = run->asked ? forward->platform->worker_count : 1;
    const double packages = (double)(run->asked ? forward->platform->worker_count : run->packages);
    /* The k-th series gets a k-th of the turns. Few dispatches have many series, and these only
     * where sizes change little by little. */
    const double rounds = (double)forward->scenario->simulated / packages / (1 + forward->skips);
    const int64_t least = forward->platform->buffers + ROUNDS_LEAST;
    const int64_t before = (int64_t)(SHARE_BEFORE * rounds), end = (int64_t)(SHARE_END * rounds);
    const int64_t section = (int64_t)((1 - SHARE_BEFORE - SHARE_END) * rounds);
    return (struct simulated){unit * (before > least ? before : least),
                              unit * (section > least ? section : least),
                              unit * (end > least ? end : least)};
}

/* Is it still before the time when workers become slow? Then the section would not tell what comes
 * after it. */
static bool slow_ahead(const struct fast_forward *forward, const struct star *star)
{
    const struct scenario *scenario = forward->scenario;
    return scenario->slow_workers > 0 && star->port_s < scenario->slow_from_s;
}

/* Has the section of this series been simulated completely? */
static bool section_over(struct fast_forward *forward, const struct dispatch_run *run,
                         const struct simulated *simulated, const struct star *star)
{
    const int64_t turns = forward->noted / run->packages;
    if (forward->begun < 0 && turns >= simulated->before)
        section_begin(forward, star);
    return forward->begun >= 0 &&
           (forward->noted - forward->begun) / run->packages >= simulated->section;
}

/* When the next worker has started, and asks for packages as well; HUGE_VAL: all have started, or
 * too many start at different times to end a skip for each. */
static double next_start(const struct fast_forward *forward, const struct star *star, double from_s)
{
    double next_s = HUGE_VAL;
    for (int64_t k = 0; forward->skips < STARTS_MOST && k < star->worker_count; k++)
        if (star->workers[k].prepared_s > from_s)
            next_s = fmin(next_s, star->workers[k].prepared_s);
    return next_s;
}

/* When the loss that is still to come happens; HUGE_VAL: there is none. */
static double loss_ahead(const struct fast_forward *forward, const struct star *star)
{
    const struct scenario *scenario = forward->scenario;
    return scenario->lost_worker >= 0 && star->master_s < scenario->lost_s ? scenario->lost_s
                                                                           : HUGE_VAL;
}

/* How many turns like those of the section pass in so many seconds. */
static double turns_in(const struct fast_forward *forward, const struct dispatch_run *run,
                       const struct star *star, double seconds)
{
    const double section_s = star->master_s - forward->begun_s;
    const double turns = (double)(forward->noted - forward->begun) / (double)run->packages;
    return seconds * turns / fmax(section_s, 1e-30);
}

/* How many turns to skip; below 0: none from here, but perhaps later. */
static int64_t turns_skipped(const struct fast_forward *forward, const struct dispatch_run *run,
                             const struct simulated *simulated, const struct star *star)
{
    const int64_t left = run->turns - simulated->end;
    const double start_s = run->asked ? next_start(forward, star, forward->begun_s) : HUGE_VAL;
    const double lost_s = loss_ahead(forward, star);
    double turns = (double)left;
    if (isfinite(start_s))
        turns = fmin(turns, turns_in(forward, run, star, start_s - star->master_s));
    if (isfinite(lost_s))
        turns =
            pieces_of(forward) > 1
                ? -1
                : fmin(turns, UNTIL_LOSS * turns_in(forward, run, star, lost_s - star->master_s) -
                                  (double)simulated->end);
    return turns < (double)left ? (turns > 0 ? (int64_t)turns : -1) : left;
}

void fast_forward_lost(struct fast_forward *forward)
{
    series_begin(forward, forward->series);
}

bool fast_forward_try(struct fast_forward *forward, struct dispatch *dispatch, struct star *star)
{
    const struct dispatch_run run = dispatch_run(dispatch);
    if (run.turns == 0 || slow_ahead(forward, star))
        return false;
    if (run.series != forward->series)
        series_begin(forward, run.series);
    const struct simulated simulated = simulated_of(forward, &run);
    if (forward->over || !section_over(forward, &run, &simulated, star))
        return false;
    const int64_t turns = turns_skipped(forward, &run, &simulated, star);
    if (turns < simulated.before + simulated.section) {
        const bool over = turns == run.turns - simulated.end;
        series_begin(forward, run.series);
        forward->over = over;
        return false;
    }
    struct dispatch_skip skip = {.turns = turns, .later_s = forward->later_s};
    const bool before_loss = isfinite(loss_ahead(forward, star));
    forward->over = true;
    forward->skips++;
    if (run.asked)
        requests_skip(forward, &run, turns, star, &skip);
    else
        rounds_skip(forward, &run, turns, star, &skip);
    dispatch_skip(dispatch, &skip);
    if (before_loss)
        series_begin(forward, forward->series);
    return true;
}
