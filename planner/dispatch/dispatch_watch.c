/* A plan as a dispatch that compares the run with the plan, and has what remains planned anew. */
#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/dispatch/watch_parts.h"

/* The list of what is left is made only to compare plans, and only up to this length. */
enum { KEPT_MOST = 2000000 };
/* A new plan must save this share of the remaining time. */
static const double gain_least = 0.02;
/* A worker that becomes four times as slow holds up to WATCH_AHEAD + 1 packages. These must not
 * take longer than what is left of the run and this share of the whole run; the divisor also allows
 * for noticing it late. */
static const double late_share = 0.15, part_divisor = 4 * (WATCH_AHEAD + 1) + 2;
/* If a worker becomes slow_factor times as slow, what it holds shall end at most this share of the
 * whole run after the others. */
static const double slow_factor = 4, risk_share = 0.12;
/* Where a plan has fewer rounds than this, parts may cost more than they save, unless the port has
 * time for PARTS_MOST parts for every worker. */
enum { PART_ROUNDS = 12, PARTS_MOST = 20 };
/* The latencies of a part are at most one of so many parts of its time, and all parts together
 * occupy the port for at most this share of the predicted makespan. */
static const double part_latencies = 20, port_share = 0.05;

/* Planning anew takes at most this share of the run's time so far, and a little more. Meanwhile the
 * master sends nothing, so that waiting workers look slow, which would be a reason to plan anew
 * again. A worker that joins is planned for in any case. */
static const double planning_share = 0.1, planning_least_s = 0.5;

/* ---- places in the plan -------------------------------------------------------------------- */

static bool parts_are_cheap(const struct dispatch_watch *self)
{
    const struct plan *plan = self->setup.plan;
    double port_s = 0;
    for (int64_t k = 0; k < plan->worker_count; k++)
        port_s += PARTS_MOST * watch_port_latency_s(self, plan->workers[k], plan->tasks);
    return port_s <= port_share * self->whole_s;
}

static bool slots_start(struct dispatch_watch *self, const struct plan *plan)
{
    struct watch_slot *slots = calloc((size_t)plan->worker_count, sizeof *slots);
    if (!slots)
        return false;
    for (int64_t k = 0; k < plan->worker_count; k++)
        watch_slot_enter(plan, k, 0, 0, &slots[k]);
    free(self->slots);
    self->slots = slots;
    self->plan = plan;
    return true;
}

/* The smallest package that may be sent. */
static double probe_of(const struct dispatch_watch *self)
{
    return fmax((double)self->setup.platform->windows[0].least, ceil(self->setup.part_least));
}

/* How many core tasks of the current package to send now. */
static int64_t part_of(const struct dispatch_watch *self, int64_t worker, double left)
{
    const struct platform *platform = self->setup.platform;
    if (self->workers[worker].probes > 0)
        return (int64_t)fmin(left, probe_of(self));
    const struct cost work = watch_work(self, worker, left);
    const double share = (double)self->left / self->setup.plan->tasks;
    const double most_s = self->whole_s * (share + late_share) / part_divisor;
    const double latencies = work.latency_s;
    double parts = ceil(self->workers[worker].factor * cost_of(work, left) / most_s - 1e-9);
    if (latencies > 0)
        parts = fmin(parts, floor(left * work.s_per_task / (part_latencies * latencies)));
    if (!(parts > 1) || !(self->spare_s > 0))
        return (int64_t)left;
    const double part = ceil(left / parts);
    const bool fits = platform_find(platform, part) && platform_find(platform, left - part) &&
                      fmin(part, left - part) >= self->setup.part_least;
    return (int64_t)(fits ? part : left);
}

/* How long the worker in slot `at` needs for what waits there, including the next package. */
static double held_s(const struct dispatch_watch *self, int64_t at)
{
    const int64_t worker = self->plan->workers[at];
    const struct watch_worker *to = &self->workers[worker];
    double tasks_s =
        watch_work_s(self, worker, (double)part_of(self, worker, self->slots[at].left));
    for (int i = 1; i < to->out_count; i++)
        tasks_s += watch_work_s(self, worker, to->out[i].tasks);
    return to->factor * tasks_s;
}

/* From when on the worker in slot `at` could become slow and still end what it holds, including the
 * next package, soon after the others: the least t with t + slow_factor (first_s - t + held_s) <=
 * (1 + risk_share) end_s. */
static double risk_from_s(const struct dispatch_watch *self, int64_t at)
{
    const double first_s = watch_first_end_s(self, self->plan->workers[at]);
    return (slow_factor * (first_s + held_s(self, at)) - (1 + risk_share) * self->end_s) /
           (slow_factor - 1);
}

/* When to begin with a third package for the worker in slot `at`, so that its transfer begins when
 * the first package ends. */
static double third_from_s(const struct dispatch_watch *self, int64_t at)
{
    const struct watch_worker *worker = &self->workers[self->plan->workers[at]];
    const double tasks = worker->out[0].tasks;
    const struct platform_window *window = platform_nearest(self->setup.platform, tasks);
    return watch_first_end_s(self, self->plan->workers[at]) - cost_of(window->envelope, tasks) -
           cost_of(window->send, tasks);
}

/* How many packages may wait at a worker or travel to it; where results are written while it
 * computes, including one that is not reported because it is being written. */
static int ahead_of(const struct dispatch_watch *self)
{
    return WATCH_AHEAD + (self->setup.platform->write_behind ? 1 : 0);
}

/* From when on the worker in slot `at`, which has packages, has room for one more; HUGE_VAL: not
 * before it reports one. A second package is held back only where it is not known how slow the
 * worker is; a third one must also not wait for long at the port. */
static double room_from_s(const struct dispatch_watch *self, int64_t at)
{
    const int64_t worker = self->plan->workers[at];
    const int out = self->workers[worker].out_count;
    if (out == OUT_MOST || watch_probed(&self->workers[worker]))
        return HUGE_VAL;
    if (out <= ahead_of(self))
        return watch_unsettled(self, worker) ? risk_from_s(self, at) : 0;
    const double end_s = watch_first_end_s(self, worker);
    const double from_s =
        fmax(end_s <= self->port_s ? 0 : third_from_s(self, at), risk_from_s(self, at));
    return from_s < end_s ? from_s : HUGE_VAL;
}

static bool room_is(const struct dispatch_watch *self, int64_t at, double now_s)
{
    const int64_t worker = self->plan->workers[at];
    const struct watch_worker *to = &self->workers[worker];
    if (to->lost || to->out_count == 0)
        return true;
    return now_s >= room_from_s(self, at) &&
           (to->out_count <= ahead_of(self) || now_s < watch_first_end_s(self, worker));
}

/* The next time at which a worker has room without having reported; HUGE_VAL: there is none. */
static double room_due_s(const struct dispatch_watch *self)
{
    double due_s = HUGE_VAL;
    for (int64_t k = 0; k < self->plan->worker_count; k++) {
        const struct watch_worker *worker = &self->workers[self->plan->workers[k]];
        if (!(self->slots[k].left > 0) || worker->lost || worker->out_count == 0)
            continue;
        const double from_s = room_from_s(self, k);
        if (from_s > self->asked_s)
            due_s = fmin(due_s, from_s);
    }
    return due_s;
}

/* How far the worker in slot `at` has come in the plan: rounds, and the share of the current
 * one. */
static double progress_of(const struct dispatch_watch *self, int64_t at)
{
    const struct watch_slot *slot = &self->slots[at];
    return (double)slot->round + 1 - slot->left / self->plan->rounds[slot->entry].loads[at];
}

/* Will the worker have room by the time that the port is free? Of an overdue one this is not known,
 * and others would wait for it. */
static bool room_soon(const struct dispatch_watch *self, int64_t at, double now_s)
{
    return room_is(self, at, now_s) || (!self->workers[self->plan->workers[at]].overdue &&
                                        third_from_s(self, at) < fmax(now_s, self->port_s));
}

/* The progress of the worker that is farthest behind, among those that are as fast as expected. */
static double progress_least(const struct dispatch_watch *self, double now_s)
{
    double least = HUGE_VAL;
    for (int64_t k = 0; k < self->plan->worker_count; k++)
        if (self->slots[k].left > 0 && !watch_late(self, self->plan->workers[k]) &&
            !watch_probed(&self->workers[self->plan->workers[k]]) && room_soon(self, k, now_s))
            least = fmin(least, progress_of(self, k));
    return least;
}

/* The slot that comes first in the plan among those whose worker has room, unless it would be too
 * far ahead of the others; -1: none. */
static int64_t slot_choose(const struct dispatch_watch *self, double now_s)
{
    const double most = progress_least(self, now_s) + 1;
    int64_t chosen = -1;
    double earliest = HUGE_VAL;
    for (int64_t k = 0; k < self->plan->worker_count; k++) {
        if (!(self->slots[k].left > 0))
            continue;
        const double progress = progress_of(self, k);
        if (progress < earliest && progress < most && room_is(self, k, now_s)) {
            chosen = k;
            earliest = progress;
        }
    }
    return chosen;
}

/* ---- handing out --------------------------------------------------------------------------- */

/* The transfer's time, by the bytes of these core tasks: a worker that waits for many bytes is not
 * slow. */
static double transfer_s(const struct dispatch_watch *self, struct cost transfer,
                         const struct package *package)
{
    const double tasks = (double)package->count;
    return cost_of(transfer, tasks) *
           platform_bulk(self->setup.platform, transfer, (double)package->first, tasks);
}

static void package_reckon(struct dispatch_watch *self, const struct package *package, double now_s)
{
    struct watch_worker *worker = &self->workers[package->worker];
    const double tasks = (double)package->count;
    const struct platform_window *window = platform_nearest(self->setup.platform, tasks);
    self->master_s = fmax(self->master_s, now_s) + transfer_s(self, window->envelope, package) +
                     transfer_s(self, window->send, package);
    self->port_s = fmax(self->port_s, self->master_s) +
                   transfer_s(self, watch_class(self, package->worker, window)->link, package);
    if (!worker->lost)
        worker->out[worker->out_count++] = (struct watch_out){tasks, self->port_s};
}

static void package_hand(struct dispatch_watch *self, int64_t at, double now_s,
                         struct package *package)
{
    struct watch_slot *slot = &self->slots[at];
    const int64_t worker = self->plan->workers[at];
    *package = (struct package){.index = self->index++,
                                .round = self->round_start + slot->round,
                                .worker = worker,
                                .first = self->first,
                                .count = part_of(self, worker, slot->left)};
    struct watch_worker *to = &self->workers[worker];
    to->probes -= to->probes > 0;
    self->first += package->count;
    self->left -= package->count;
    slot->left -= (double)package->count;
    if (slot->left <= 0)
        watch_slot_advance(self->plan, at, slot);
    else
        self->spare_s -= watch_port_latency_s(self, worker, (double)package->count);
    package_reckon(self, package, now_s);
}

/* ---- what remains ------------------------------------------------------------------------------
 */

static void states_fill(struct dispatch_watch *self, double now_s)
{
    for (int64_t k = 0; k < self->setup.workers; k++) {
        const struct watch_worker *worker = &self->workers[k];
        struct watch_state *state = &self->states[k];
        *state = (struct watch_state){.factor = worker->factor, .lost = worker->lost};
        state->ready_s = worker->free_s;
        for (int i = 0; i < worker->out_count; i++) {
            const double tasks = worker->out[i].tasks;
            state->last_start_s = fmax(state->ready_s, worker->out[i].arrived_s);
            state->ready_s = state->last_start_s + worker->factor * watch_work_s(self, k, tasks);
        }
        state->ready_s = fmax(state->ready_s, now_s);
    }
    for (int64_t k = 0; k < self->plan->worker_count; k++)
        self->states[self->plan->workers[k]].used = true;
}

static int64_t packages_left(const struct dispatch_watch *self)
{
    int64_t packages = 0;
    for (int64_t k = 0; k < self->plan->worker_count; k++) {
        struct watch_slot slot = self->slots[k];
        for (; slot.left > 0 && packages <= KEPT_MOST; watch_slot_advance(self->plan, k, &slot))
            packages++;
    }
    return packages;
}

static int package_compare(const void *a, const void *b)
{
    const struct package *one = a, *two = b;
    if (one->round != two->round)
        return one->round < two->round ? -1 : 1;
    return (one->index > two->index) - (one->index < two->index);
}

/* Lists what is left, in the plan's order; owned. NULL: too long, or out of memory. */
static struct package *kept_list(const struct dispatch_watch *self, int64_t *count)
{
    struct package *kept = NULL;
    *count = packages_left(self);
    if (*count <= KEPT_MOST)
        kept = calloc((size_t)*count + 1, sizeof *kept);
    for (int64_t k = 0, at = 0; kept && k < self->plan->worker_count; k++) {
        struct watch_slot slot = self->slots[k];
        for (; slot.left > 0; watch_slot_advance(self->plan, k, &slot))
            kept[at++] = (struct package){.index = k,
                                          .round = slot.round,
                                          .worker = self->plan->workers[k],
                                          .count = (int64_t)slot.left};
    }
    if (kept)
        qsort(kept, (size_t)*count, sizeof *kept, package_compare);
    return kept;
}

/* Follows the new plan from now on; false: out of memory. */
static bool plan_enter(struct dispatch_watch *self, struct plan *plan)
{
    struct plan before = self->replanned;
    self->replanned = *plan;
    if (!slots_start(self, &self->replanned)) {
        self->replanned = before;
        return false;
    }
    *plan = before;
    self->round_start = self->round_now + 1;
    return true;
}

static bool plan_adopt(struct dispatch_watch *self, struct plan *plan, double end_s)
{
    if (!plan_enter(self, plan))
        return false;
    self->end_s = end_s;
    watch_changed(self);
    return true;
}

static bool change_reserve(struct dispatch_watch *self)
{
    struct watch_change *changes = array_reserve(self->changes, &self->change_capacity,
                                                 self->change_count + 1, sizeof *changes);
    if (changes)
        self->changes = changes;
    return changes != NULL;
}

/* How much a new plan must save, relative to the remaining time. */
static double gain_wanted(const struct dispatch_watch *self)
{
    return watch_caution(self) * gain_least;
}

static void rates_expect(struct dispatch_watch *self)
{
    for (int64_t k = 0; k < self->setup.workers; k++)
        self->workers[k].expected = self->workers[k].factor;
}

/* Did planning fail at last, for example because too many packages are left? It is tried again only
 * when an eighth less is left, because it takes time in which nothing is sent. */
static bool is_vain(const struct dispatch_watch *self)
{
    return self->newcomer < 0 && self->left > self->vain_left - self->vain_left / 8 &&
           self->vain_left > 0;
}

static void answer_take(struct dispatch_watch *self, struct watch_answer *answer,
                        struct watch_change *change)
{
    const double rest_s = answer->kept_end_s - change->now_s;
    change->kept_end_s = answer->kept_end_s;
    change->end_s = answer->end_s;
    const bool better = answer->kept_end_s - answer->end_s > gain_wanted(self) * rest_s;
    change->adopted =
        (better || self->newcomer >= 0) && plan_adopt(self, &answer->plan, answer->end_s);
    self->vain_left = 0;
    rates_expect(self);
}

/* Core tasks for the report to users: plans by weight count units. */
static int64_t tasks_of(const struct dispatch_watch *self, int64_t units)
{
    return self->setup.each > 0 ? (int64_t)llround((double)units / self->setup.each) : units;
}

static bool planning_is_due(const struct dispatch_watch *self, double now_s)
{
    return self->newcomer >= 0 || self->planning_s <= planning_share * now_s + planning_least_s;
}

static bool answer_find(struct dispatch_watch *self, const struct watch_remaining *remaining,
                        struct watch_answer *answer)
{
    const struct watch_planner *planner = &self->setup.planner;
    const double begun_s = self->setup.clock ? self->setup.clock() : 0;
    const bool found = planner->plan(planner->self, remaining, answer);
    self->planning_s += self->setup.clock ? self->setup.clock() - begun_s : 0;
    return found;
}

/* Plans anew if a worker is off, or for a worker `without` further packages if it turned out to be
 * much faster than expected (-1: none). True: another plan is in use. */
static bool plan_reconsider(struct dispatch_watch *self, int64_t without, double now_s)
{
    const int64_t off = self->newcomer >= 0 ? self->newcomer : watch_farthest(self);
    const int64_t farthest = off < 0 && without >= 0 && watch_faster(self, without) ? without : off;
    struct watch_answer answer = {.end_s = 0};
    struct watch_remaining remaining = {.now_s = now_s,
                                        .tasks = self->left,
                                        .workers = self->setup.workers,
                                        .states = self->states,
                                        .gain = self->newcomer < 0 ? gain_wanted(self) : 0};
    if (farthest < 0 || is_vain(self) || !planning_is_due(self, now_s) || !change_reserve(self))
        return false;
    struct watch_change *change = &self->changes[self->change_count];
    *change = (struct watch_change){.now_s = now_s,
                                    .round = self->round_now + 1,
                                    .worker = farthest,
                                    .joined = self->newcomer >= 0,
                                    .expected = self->workers[farthest].expected,
                                    .measured = self->workers[farthest].factor,
                                    .tasks = tasks_of(self, self->left)};
    struct package *kept = kept_list(self, &remaining.kept_count);
    remaining.kept = kept;
    states_fill(self, now_s);
    if (kept && answer_find(self, &remaining, &answer)) {
        answer_take(self, &answer, change);
        self->change_count++;
        self->newcomer = -1;
    } else {
        self->vain_left = self->left;
        rates_expect(self);
    }
    plan_release(&answer.plan);
    free(kept);
    return change->adopted;
}

/* A worker that has no further packages while others may have more than they can do; -1: none. It
 * is looked for only after reports. */
static int64_t worker_without(struct dispatch_watch *self)
{
    if (!self->news)
        return -1;
    self->news = false;
    for (int64_t k = 0; k < self->setup.workers; k++)
        self->states[k].used = false;
    for (int64_t k = 0; k < self->plan->worker_count; k++)
        self->states[self->plan->workers[k]].used = self->slots[k].left > 0;
    for (int64_t k = 0; k < self->setup.workers; k++)
        if (!self->states[k].used && !self->workers[k].lost &&
            self->workers[k].out_count <= WATCH_AHEAD && self->workers[k].reports > 0)
            return k;
    return -1;
}

static enum dispatch_answer watch_next(struct dispatch *dispatch, double now_s,
                                       struct package *package)
{
    struct dispatch_watch *self = (struct dispatch_watch *)dispatch;
    if (self->left == 0)
        return DISPATCH_FINISHED;
    self->asked_s = now_s;
    const bool alarm = self->alarm;
    self->news = watch_overdue(self, now_s) || self->news;
    int64_t at = slot_choose(self, now_s);
    const bool begins = at >= 0 && (self->round_start + self->slots[at].round > self->round_now ||
                                    self->index >= self->look_index);
    if (begins) /* at a new round, or after as many parts as there are workers */
        self->look_index = self->index + self->plan->worker_count;
    self->alarm = false;
    const int64_t without = at < 0 ? worker_without(self) : -1;
    if ((alarm || begins || without >= 0) && plan_reconsider(self, without, now_s))
        at = slot_choose(self, now_s);
    if (at < 0)
        return DISPATCH_WAIT;
    package_hand(self, at, now_s, package);
    if (package->round > self->round_now)
        self->round_now = package->round;
    return DISPATCH_SEND;
}

static double watch_due(const struct dispatch *dispatch)
{
    const struct dispatch_watch *self = (const struct dispatch_watch *)dispatch;
    return self->left > 0 ? fmin(watch_due_s(self), room_due_s(self)) : HUGE_VAL;
}

/* The package was the last one that its worker was given. */
static void watch_unsent(struct dispatch *dispatch, const struct package *package)
{
    struct dispatch_watch *self = (struct dispatch_watch *)dispatch;
    if (package->worker < self->setup.workers && self->workers[package->worker].out_count > 0)
        self->workers[package->worker].out_count--;
}

static void watch_lost(struct dispatch *dispatch, int64_t worker)
{
    struct dispatch_watch *self = (struct dispatch_watch *)dispatch;
    if (worker >= self->setup.workers)
        return; /* it has no package of the plan */
    self->workers[worker].lost = true;
    self->workers[worker].out_count = 0;
    if (self->newcomer == worker)
        self->newcomer = -1;
}

/* How much longer worker `like` takes than this one, by the costs for packages of a usual size. */
static double factor_like(const struct dispatch_watch *self, int64_t worker, int64_t like)
{
    const double tasks = fmax(1, self->setup.plan->tasks / (double)plan_packages(self->setup.plan));
    const double own_s = watch_work_s(self, worker, tasks);
    return own_s > 0 ? watch_work_s(self, like, tasks) / own_s : 1;
}

/* What remains is planned anew for all workers, including those that the present plan does not
 * use. */
static void watch_joined(struct dispatch *dispatch, int64_t worker, int64_t like, double now_s)
{
    struct dispatch_watch *self = (struct dispatch_watch *)dispatch;
    struct watch_worker *joins = &self->workers[worker];
    if (worker >= self->setup.workers)
        return;
    joins->lost = false;
    joins->start_s = joins->free_s = now_s + platform_start(self->setup.platform, worker);
    joins->probes = joins->probing = like == DISPATCH_UNKNOWN ? WATCH_PROBES : 0;
    if (like >= 0 && like != worker)
        joins->factor = joins->expected = factor_like(self, worker, like);
    self->newcomer = worker;
    self->alarm = true;
}

/* ---- what others do ------------------------------------------------------------------------- */

static int64_t watch_left(const struct dispatch *dispatch)
{
    return ((const struct dispatch_watch *)dispatch)->left;
}

/* Makes a round of the plan for each round of the packages. False: out of memory. */
static bool rounds_make(const struct dispatch_watch *self, const struct package *packages,
                        int64_t count, struct plan *plan)
{
    const size_t workers = (size_t)self->plan->worker_count;
    plan->rounds = calloc((size_t)count, sizeof *plan->rounds);
    for (int64_t k = 0; plan->rounds && k < count; k++) {
        struct plan_round *round = &plan->rounds[plan->round_count];
        if (k == 0 || packages[k].round != packages[k - 1].round) {
            *round = (struct plan_round){1, calloc(workers, sizeof *round->loads)};
            plan->round_count++;
        } else {
            round--;
        }
        if (!round->loads)
            return false;
        round->loads[packages[k].index] = (double)packages[k].count;
    }
    return plan->rounds != NULL;
}

/* Makes the present plan without the last core tasks of those packages; to be released. */
static bool plan_shorten(const struct dispatch_watch *self, struct package *kept, int64_t count,
                         int64_t tasks, struct plan *plan)
{
    const size_t workers = (size_t)self->plan->worker_count;
    for (; count > 0 && tasks >= kept[count - 1].count; count--)
        tasks -= kept[count - 1].count;
    if (count > 0)
        kept[count - 1].count -= tasks;
    *plan = (struct plan){.worker_count = self->plan->worker_count};
    plan->workers = calloc(workers, sizeof *plan->workers);
    for (size_t k = 0; plan->workers && k < workers; k++)
        plan->workers[k] = self->plan->workers[k];
    return plan->workers && (count == 0 || rounds_make(self, kept, count, plan));
}

/* Gives nothing away where what is left is too much to be listed. */
static bool watch_cut(struct dispatch *dispatch, int64_t tasks, struct dispatch_given *given)
{
    struct dispatch_watch *self = (struct dispatch_watch *)dispatch;
    const int64_t gone = tasks < self->left ? tasks : self->left;
    int64_t packages;
    struct plan plan = {.workers = NULL};
    struct package *kept = gone > 0 ? kept_list(self, &packages) : NULL;
    if (!kept)
        return gone <= 0 || packages > KEPT_MOST;
    const bool good = plan_shorten(self, kept, packages, gone, &plan) && plan_enter(self, &plan);
    plan_release(&plan);
    free(kept);
    if (!good)
        return false;
    self->left -= gone;
    return dispatch_given_add(given, (struct task_range){self->first + self->left, gone}, 0);
}

static void watch_free(struct dispatch *dispatch)
{
    struct dispatch_watch *self = (struct dispatch_watch *)dispatch;
    plan_release(&self->replanned);
    free(self->slots);
    free(self->workers);
    free(self->states);
    free(self->changes);
    free(self);
}

struct dispatch *dispatch_new_watch(const struct watch_setup *setup)
{
    static const struct dispatch_kind kind = {.next = watch_next,
                                              .done = watch_report,
                                              .unsent = watch_unsent,
                                              .lost = watch_lost,
                                              .joined = watch_joined,
                                              .free = watch_free,
                                              .due = watch_due,
                                              .busy = watch_busy,
                                              .worth = watch_worth,
                                              .left = watch_left,
                                              .cut = watch_cut};
    struct dispatch_watch *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    *self = (struct dispatch_watch){.base = {&kind},
                                    .setup = *setup,
                                    .left = (int64_t)setup->plan->tasks,
                                    .first = (int64_t)setup->plan->first,
                                    .round_now = -1,
                                    .newcomer = -1};
    self->workers = calloc((size_t)setup->workers, sizeof *self->workers);
    self->states = calloc((size_t)setup->workers, sizeof *self->states);
    if (!self->workers || !self->states || !slots_start(self, setup->plan)) {
        watch_free(&self->base);
        return NULL;
    }
    for (int64_t k = 0; k < setup->workers; k++) {
        struct watch_worker *worker = &self->workers[k];
        worker->factor = worker->expected = 1;
        worker->start_s = worker->free_s = platform_start(setup->platform, k);
    }
    self->whole_s = self->end_s = watch_whole_s(self);
    if (plan_rounds_total(setup->plan) >= PART_ROUNDS || parts_are_cheap(self))
        self->spare_s = (1 + port_share) * self->whole_s - watch_port_s(self);
    return &self->base;
}

const struct watch_change *dispatch_watch_changes(const struct dispatch *watch, int64_t *count)
{
    const struct dispatch_watch *self = (const struct dispatch_watch *)watch;
    *count = (int64_t)self->change_count;
    return self->changes;
}
