/*
 * Monitor: after a benchmark phase in which tasks are handed out one by one until every worker has
 * reported, phases of half of what is left, shared so that all would end together: (y_i + x_i) t_i
 * equal for all i, y_i the tasks that worker i still has, t_i the mean of its last eta task times,
 * no x_i negative (E. M. R. Rosenvinge, Online task scheduling on heterogeneous clusters, NTNU
 * 2004, section 3.2). A worker that asks and has no share left begins the next phase.
 *
 * With r, a share is sent in packages of at most r tasks, each of which reports when it is done:
 * timings come every r tasks. An r below what may be sent is taken for that: else the packages that
 * are sent in its place would be more than the worker's share. r=auto: as few as let what a
 * package costs beside its core tasks, c, be 1 % of their time t: ceil(100 c / t). eta=auto: of 1,
 * 2, 5, 10, 20 and 50 the one whose means have been closest to the next task time so far, by
 * squares, of all workers together (chapter 9 leaves both open). With phi, a worker gets its next
 * package when it has fewer than phi tasks.
 */
#include <inttypes.h>
#include <math.h>

#include "planner/base/limits.h"
#include "planner/dispatch/rule.h"

enum { MONITOR_ETA, MONITOR_R, MONITOR_PHI };

enum { ETAS = 6, ETA_MOST = 50 };
static const int64_t etas[ETAS] = {1, 2, 5, 10, 20, ETA_MOST};

struct monitor {
    int64_t shared;       /* sum of all shares */
    double squares[ETAS]; /* eta=auto: sums of squared errors, and the place of the least */
    int best;
};

/* One package: its tasks and the seconds per task. */
struct timing {
    int64_t tasks;
    double per_task_s;
};

struct monitor_worker {
    int64_t share;          /* assigned in this phase, not yet requested */
    double recent_s;        /* mean of its last eta tasks */
    struct timing recent[]; /* a ring of its last eta packages */
};

/* How many packages are kept of each worker: one for each of the task times, as each may have only
 * one core task. */
static int64_t ring_of(const int64_t *option)
{
    return option[MONITOR_ETA] == RULE_WORD ? ETA_MOST : option[MONITOR_ETA];
}

static size_t monitor_worker_size(const int64_t *option)
{
    return sizeof(struct monitor_worker) + (size_t)ring_of(option) * sizeof(struct timing);
}

static struct monitor_worker *monitor_of(const struct rule_worker *worker)
{
    return worker->own;
}

/* The core tasks that a worker has or will have. */
static double held_by(const struct rule_worker *worker)
{
    return (double)(worker->queued + monitor_of(worker)->share);
}

/* The worker's share; a lost worker has none. */
static double share_of(const struct rule_worker *worker, double level_s)
{
    return worker->lost ? 0 : level_s / monitor_of(worker)->recent_s - held_by(worker);
}

/* The time at which all workers with a share would end together. Every iteration drops workers
 * whose share would be negative, so there are at most p of them. */
static double level_find(const struct rule_state *state, double batch)
{
    double level_s = HUGE_VAL;
    for (;;) {
        double tasks = batch, speeds = 0;
        for (int64_t k = 0; k < state->workers; k++) {
            const struct rule_worker *worker = &state->worker[k];
            if (share_of(worker, level_s) <= 0)
                continue;
            tasks += held_by(worker);
            speeds += 1 / monitor_of(worker)->recent_s;
        }
        double lower_s = tasks / speeds;
        if (!(lower_s < level_s))
            return level_s;
        level_s = lower_s;
    }
}

static double fraction_of(const struct rule_worker *worker, double level_s)
{
    const double share = fmax(share_of(worker, level_s), 0);
    return share - floor(share);
}

/* How many shares have a fraction above `than`. */
static int64_t fractions_above(const struct rule_state *state, double level_s, double than)
{
    int64_t above = 0;
    for (int64_t k = 0; k < state->workers; k++)
        above += fraction_of(&state->worker[k], level_s) > than;
    return above;
}

/* The least fraction above which no more than `most` shares lie. */
static double fraction_find(const struct rule_state *state, double level_s, int64_t most)
{
    enum { HALVINGS = 40 };
    double low = -1, high = 1;
    for (int step = 0; step < HALVINGS; step++) {
        const double middle = (low + high) / 2;
        if (fractions_above(state, level_s, middle) > most)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void share_add(struct rule_state *state, struct rule_worker *worker, int64_t tasks,
                      int64_t *batch)
{
    struct monitor *own = state->own;
    tasks = tasks < *batch ? tasks : *batch;
    monitor_of(worker)->share += tasks;
    own->shared += tasks;
    *batch -= tasks;
}

/* Rounds shares by largest remainders, as in figure 3.2: all are rounded down, and those with the
 * greatest fractions get one core task more; of equal fractions, the first ones. */
static void phase_start(struct rule_state *state)
{
    const struct monitor *own = state->own;
    const int64_t open = state->left - own->shared;
    int64_t batch = open > 1 ? open / 2 : open, whole = 0;
    const double level_s = level_find(state, (double)batch);
    for (int64_t k = 0; k < state->workers; k++)
        whole += (int64_t)floor(fmax(share_of(&state->worker[k], level_s), 0));
    const int64_t more = batch > whole ? batch - whole : 0;
    const double greatest = fraction_find(state, level_s, more);
    int64_t equal = more - fractions_above(state, level_s, greatest);
    for (int64_t k = 0; k < state->workers; k++) {
        struct rule_worker *worker = &state->worker[k];
        const double share = fmax(share_of(worker, level_s), 0), fraction = share - floor(share);
        bool one = fraction > greatest;
        if (!one && equal > 0 && share > 0 && fraction >= greatest - 1e-9) {
            one = true;
            equal--;
        }
        share_add(state, worker, (int64_t)floor(share) + one, &batch);
    }
}

/* r=auto: computed when all workers have reported. */
static int64_t report_tasks(const struct rule_state *state)
{
    static const double COST = 0.01;
    double sum_s = 0, living = 0;
    for (int64_t k = 0; k < state->workers; k++)
        if (!state->worker[k].lost) {
            sum_s += monitor_of(&state->worker[k])->recent_s;
            living++;
        }
    const double tasks = ceil(state->overhead_s * living / (COST * sum_s) - 1e-9);
    return (int64_t)fmin(fmax(tasks, 1), (double)state->tasks);
}

/* How much of the share is sent at a time. */
static int64_t piece_of(const struct rule_state *state, int64_t share)
{
    const int64_t least = (int64_t)state->least, asked = state->option[MONITOR_R];
    const int64_t r = asked == RULE_WORD ? report_tasks(state) : asked;
    const int64_t piece = r < least ? least : r;
    return r > 0 && share > piece ? piece : share;
}

static double monitor_chunk(struct rule_state *state, int64_t worker)
{
    struct monitor *own = state->own;
    struct monitor_worker *self = monitor_of(&state->worker[worker]);
    const int64_t phi = state->option[MONITOR_PHI];
    if (phi > 0 && state->worker[worker].queued >= phi)
        return 0;
    if (!rule_all_reported(state, 1))
        return 1;
    if (self->share == 0 && state->left > own->shared)
        phase_start(state);
    const int64_t tasks = piece_of(state, self->share);
    own->shared -= tasks;
    self->share -= tasks;
    return (double)tasks;
}

/* Notes what piece_of does with an r that is too small. */
static void monitor_note(int64_t least, const int64_t *option, struct text *text)
{
    const int64_t r = option[MONITOR_R];
    if (r > 0 && r < least)
        text_add(text,
                 "monitor's r=%" PRId64 " is taken for %" PRId64
                 ", the fewest core tasks of a package that may be sent",
                 r, least);
}

/* Its share goes back to all workers. */
static void monitor_lost(struct rule_state *state, int64_t worker)
{
    struct monitor *own = state->own;
    struct monitor_worker *self = monitor_of(&state->worker[worker]);
    own->shared -= self->share;
    self->share = 0;
}

/* Shares were parts of what there was before: new ones are made as workers request. */
static void monitor_cut(struct rule_state *state)
{
    struct monitor *own = state->own;
    for (int64_t k = 0; k < state->workers; k++)
        monitor_of(&state->worker[k])->share = 0;
    own->shared = 0;
}

/* The mean over the last eta core tasks; only as many as needed count of the oldest package. */
static double recent_mean(const struct rule_worker *worker, int64_t eta, int64_t ring)
{
    double sum_s = 0;
    int64_t counted = 0;
    for (int64_t k = worker->packages - 1; k >= 0 && k >= worker->packages - eta && counted < eta;
         k--) {
        const struct timing *timing = &monitor_of(worker)->recent[k % ring];
        const int64_t tasks = timing->tasks < eta - counted ? timing->tasks : eta - counted;
        sum_s += (double)tasks * timing->per_task_s;
        counted += tasks;
    }
    return sum_s / (double)counted;
}

static int64_t eta_of(const struct rule_state *state)
{
    const struct monitor *own = state->own;
    const int64_t eta = state->option[MONITOR_ETA];
    return eta == RULE_WORD ? etas[own->best] : eta;
}

/* Adds, for each eta, the error of its mean as a forecast of the next task time. */
static void etas_learn(struct rule_state *state, const struct rule_worker *before, double now_s)
{
    struct monitor *own = state->own;
    for (int k = 0; k < ETAS; k++) {
        const double off_s = now_s - recent_mean(before, etas[k], ring_of(state->option));
        own->squares[k] += off_s * off_s;
    }
    own->best = 0;
    for (int k = 1; k < ETAS; k++)
        if (own->squares[k] < own->squares[own->best])
            own->best = k;
}

static void means_renew(struct rule_state *state)
{
    for (int64_t k = 0; k < state->workers; k++)
        if (state->worker[k].packages > 0)
            monitor_of(&state->worker[k])->recent_s =
                recent_mean(&state->worker[k], eta_of(state), ring_of(state->option));
}

static void monitor_report(struct rule_state *state, int64_t worker, double tasks, double work_s,
                           double total_s)
{
    const struct rule_worker *self = &state->worker[worker];
    const int64_t ring = ring_of(state->option), eta = eta_of(state);
    const double now_s = fmax(work_s / tasks, 1e-12);
    (void)total_s;
    if (state->option[MONITOR_ETA] == RULE_WORD && self->packages > 1) {
        struct rule_worker before = *self;
        before.packages--;
        etas_learn(state, &before, now_s);
    }
    monitor_of(self)->recent[(self->packages - 1) % ring] =
        (struct timing){(int64_t)fmax(1, round(tasks)), now_s};
    monitor_of(self)->recent_s = recent_mean(self, eta_of(state), ring);
    if (eta != eta_of(state))
        means_renew(state);
}

const struct rule rule_monitor = {
    .name = "monitor",
    .summary = "phases with equal ends, from recent task times",
    .note = monitor_note,
    .state_size = sizeof(struct monitor),
    .worker_size = monitor_worker_size,
    .chunk = monitor_chunk,
    .report = monitor_report,
    .lost = monitor_lost,
    .cut = monitor_cut,
    .options = {{"eta",
                 "number of recent core tasks of which a worker's mean time is taken",
                 NULL,
                 20,
                 10000,
                 {"auto"}},
                {"r",
                 "number of core tasks after which a worker reports",
                 "its whole share",
                 0,
                 LIMIT_TASKS,
                 {"auto"}},
                {"phi",
                 "number of core tasks below which a worker gets more",
                 "as --ahead says",
                 0,
                 LIMIT_TASKS,
                 {NULL}}}};
