#include "planner/simulate/periods.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The times of one round. */
struct round_times {
    double master_s, link_s;
    double longest_s, work_s; /* longest of one worker, sum of all */
    double packages;          /* k */
};

/* The sums over rounds. */
struct period_times {
    double work_s, workers_s; /* sum (r + w)(x), sum k T */
    double port_s, periods_s; /* sum h(x), sum T */
};

static double round_period(const struct round_times *times)
{
    return fmax(fmax(times->master_s, times->link_s), times->longest_s);
}

static void period_times_add(struct period_times *sum, const struct round_times *times,
                             double repeat)
{
    sum->work_s += repeat * times->work_s;
    sum->workers_s += repeat * times->packages * round_period(times);
    sum->port_s += repeat * fmax(times->master_s, times->link_s);
    sum->periods_s += repeat * round_period(times);
}

static struct periods periods_of_times(const struct period_times *sum)
{
    return (struct periods){
        .worker_utilization = sum->workers_s > 0 ? sum->work_s / sum->workers_s : 0,
        .master_utilization = sum->periods_s > 0 ? sum->port_s / sum->periods_s : 0};
}

static struct round_times round_of_plan(const struct platform *platform, const struct plan *plan,
                                        const double *loads)
{
    struct round_times times = {0};
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const struct platform_window *window = platform_find(platform, loads[k]);
        if (!(loads[k] > 0) || window == NULL)
            continue;
        const struct platform_class *class = platform_worker(window, plan->workers[k]);
        const double own_s = cost_of(class->receive, loads[k]) + cost_of(class->compute, loads[k]);
        const double output_s = cost_of(class->output, loads[k]);
        const double work_s = platform->write_behind ? fmax(own_s, output_s) : own_s + output_s;
        times.master_s += cost_of(cost_sum(window->envelope, window->send), loads[k]);
        times.link_s += cost_of(class->link, loads[k]);
        times.longest_s = fmax(times.longest_s, work_s);
        times.work_s += work_s;
        times.packages++;
    }
    return times;
}

static bool plan_repeats(const struct plan *plan)
{
    for (size_t r = 0; r < plan->round_count; r++)
        if (plan->rounds[r].repeat > 1)
            return true;
    return false;
}

struct periods periods_of_plan(const struct platform *platform, const struct plan *plan)
{
    double period_s = 0;
    struct period_times sum = {0};
    const bool repeats = plan_repeats(plan);
    int64_t most = 0;
    for (size_t r = 0; r < plan->round_count; r++) {
        const struct plan_round *round = &plan->rounds[r];
        if (round->repeat <= most && repeats && round->repeat == 1)
            continue;
        const struct round_times times = round_of_plan(platform, plan, round->loads);
        if (round->repeat > most) {
            most = round->repeat;
            period_s = round_period(&times);
        }
        if (!repeats || round->repeat > 1)
            period_times_add(&sum, &times, (double)round->repeat);
    }
    struct periods periods = periods_of_times(&sum);
    periods.period_s = period_s;
    return periods;
}

/* Does this round lie in an entry that is repeated? `entry` and `end`, which begin at 0, move on
 * with ascending rounds. */
static bool round_repeats(const struct plan *plan, int64_t round, size_t *entry, int64_t *end)
{
    while (*entry < plan->round_count && round >= *end + plan->rounds[*entry].repeat)
        *end += plan->rounds[(*entry)++].repeat;
    return *entry < plan->round_count && plan->rounds[*entry].repeat > 1;
}

/* What a worker has done in a round. */
struct worker_round {
    int64_t round;
    double work_s;
    double own_s, output_s; /* computing and writing, where these overlap: the longer one counts */
};

enum { LATEST = 2 };

/* The end of the rounds in the block, from `first` on. In an undamaged trace every round has an
 * event. */
static int64_t rounds_end(const struct period_sums *sums, const struct trace *block)
{
    int64_t end = sums->first + sums->count;
    for (size_t k = 0; k < block->count; k++)
        if (block->events[k].round >= end &&
            block->events[k].round - sums->first < (int64_t)block->count)
            end = block->events[k].round + 1;
    return end;
}

static int64_t ranks_count(const struct trace *trace)
{
    int64_t ranks = 0;
    for (size_t k = 0; k < trace->count; k++)
        ranks = trace->events[k].rank >= ranks ? trace->events[k].rank + 1 : ranks;
    return ranks;
}

/* By how much the worker's work grows by this event. */
static double work_grow(struct worker_round *worker, bool output, double seconds, bool behind)
{
    const double before_s = worker->work_s;
    if (!behind) {
        worker->work_s += seconds;
        return seconds;
    }
    *(output ? &worker->output_s : &worker->own_s) += seconds;
    worker->work_s = fmax(worker->own_s, worker->output_s);
    return worker->work_s - before_s;
}

/* `latest` are this worker's rounds: results of one round may be written while it is at the next
 * one. */
static void work_add(struct round_times *round, struct worker_round latest[LATEST],
                     const struct trace_event *event, bool behind)
{
    struct worker_round *worker = latest;
    if (latest[1].work_s > 0 && latest[1].round == event->round)
        worker = &latest[1];
    if (!(worker->work_s > 0) || worker->round != event->round) {
        latest[1] = latest[0];
        latest[0] = (struct worker_round){.round = event->round};
        round->packages++;
    }
    round->work_s += work_grow(worker, event->operation == OPERATION_OUTPUT,
                               event->end_s - event->start_s, behind);
    round->longest_s = fmax(round->longest_s, worker->work_s);
}

static void rounds_fill(struct period_sums *sums, const struct trace *block)
{
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        const double seconds = event->end_s - event->start_s;
        const int64_t at = event->round - sums->first;
        if (at < 0 || at >= sums->count)
            continue;
        struct round_times *round = &sums->rounds[at];
        if (event->operation == OPERATION_ENVELOPE || event->operation == OPERATION_SEND ||
            event->operation == OPERATION_COLLECT)
            round->master_s += seconds;
        else if (event->operation == OPERATION_LINK)
            round->link_s += seconds;
        else if (event->operation != OPERATION_RESULT && event->operation != OPERATION_IDLE &&
                 event->operation != OPERATION_START && seconds > 0)
            work_add(round, &sums->workers[(int64_t)event->rank * LATEST], event, sums->behind);
    }
}

/* Makes room for rounds up to `count`, new ones being zero. */
static bool rounds_reserve(struct period_sums *sums, int64_t count)
{
    struct round_times *rounds = realloc(sums->rounds, ((size_t)count + 1) * sizeof *rounds);
    if (!rounds)
        return false;
    sums->rounds = rounds;
    for (; sums->count < count; sums->count++)
        rounds[sums->count] = (struct round_times){0};
    return true;
}

static bool ranks_reserve(struct period_sums *sums, int64_t ranks)
{
    if (ranks <= sums->ranks)
        return true;
    struct worker_round *workers = realloc(sums->workers, (size_t)ranks * LATEST * sizeof *workers);
    if (!workers)
        return false;
    sums->workers = workers;
    for (int64_t k = sums->ranks * LATEST; k < ranks * LATEST; k++)
        workers[k] = (struct worker_round){.round = 0};
    sums->ranks = ranks;
    return true;
}

/* Adds up rounds that are complete: all but the last one, which the next block may continue. */
static void rounds_sum(struct period_sums *sums, int64_t count)
{
    struct period_times sum = {sums->work_s, sums->workers_s, sums->port_s, sums->periods_s};
    for (int64_t k = 0; k < count; k++)
        if (!sums->repeats || round_repeats(sums->plan, sums->first + k, &sums->entry, &sums->end))
            period_times_add(&sum, &sums->rounds[k], 1);
    if (sums->count > count)
        memmove(sums->rounds, sums->rounds + count,
                (size_t)(sums->count - count) * sizeof *sums->rounds);
    sums->first += count;
    sums->count -= count;
    sums->work_s = sum.work_s;
    sums->workers_s = sum.workers_s;
    sums->port_s = sum.port_s;
    sums->periods_s = sum.periods_s;
}

void period_sums_init(struct period_sums *sums, const struct plan *plan)
{
    *sums = (struct period_sums){.plan = plan,
                                 .repeats = plan && plan_repeats(plan),
                                 .behind = plan && plan_writes_behind(plan)};
}

bool period_sums_take(struct period_sums *sums, const struct trace *block, const double *hidden)
{
    if (sums->count > 1)
        rounds_sum(sums, sums->count - 1);
    for (size_t k = 0; !sums->plan && k < block->count; k++)
        sums->behind = sums->behind || hidden[k] > 0;
    if (!rounds_reserve(sums, rounds_end(sums, block) - sums->first) ||
        !ranks_reserve(sums, ranks_count(block)))
        return false;
    rounds_fill(sums, block);
    return true;
}

struct periods period_sums_end(struct period_sums *sums)
{
    rounds_sum(sums, sums->count);
    const struct period_times sum = {sums->work_s, sums->workers_s, sums->port_s, sums->periods_s};
    return periods_of_times(&sum);
}

void period_sums_release(struct period_sums *sums)
{
    free(sums->rounds);
    free(sums->workers);
    *sums = (struct period_sums){.plan = NULL};
}

bool periods_of_trace(const struct trace *trace, const struct plan *plan, struct periods *periods)
{
    struct period_sums sums;
    double *hidden = trace_hidden(trace);
    period_sums_init(&sums, plan);
    const bool good = hidden && period_sums_take(&sums, trace, hidden);
    if (good)
        *periods = period_sums_end(&sums);
    period_sums_release(&sums);
    free(hidden);
    return good;
}
