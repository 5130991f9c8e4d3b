/* The worker that ends last gives core tasks away: those at the ends of its packages to
 * neighbouring packages; single ones to workers that end early, or in exchange for lighter ones. Of
 * single ones, those are tried first that would make both workers end together. Every step is
 * simulated completely, so that the cost of an additional package counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/search/cut.h"
#include "planner/schedulers/search/pieces.h"

/* The most packages of a plan that is improved; how many of the best workers and core tasks are
 * tried. */
enum { IMPROVED_MOST = 4000, GIFTS_MOST = 6 };
/* In larger jobs single core tasks do not matter. */
enum { TASKS_MOST = 1000000 };
/* Relative: a smaller gain is rounding. */
static const double GAIN_LEAST = 1e-9;
/* Units of effort to simulate a package, relative to evaluating one in rounds. */
static const double UNITS = 3;

/* Consecutive core tasks for a worker. */
struct gift {
    int64_t first, count, slot;
};

struct improving {
    const struct platform *platform;
    const struct plan *plan;
    struct star star;
    struct pieces now, next; /* owned */
    double *seconds;         /* owned; of each core task, on one worker */
    double best_s;
    struct effort *effort;
};

/* ---- simulating -------------------------------------------------------------------------------
 */

static void piece_price(struct improving *self, struct piece *piece)
{
    const double load = (double)piece->count;
    const struct platform_window *window = platform_find(self->platform, load);
    const struct platform_class *class = platform_worker(window, self->plan->workers[piece->slot]);
    piece->cost = star_cost_of(window, class, load);
    star_cost_place(&piece->cost, self->platform, window, class, (double)piece->first, load);
    piece->priced = true;
}

/* The makespan, or HUGE_VAL as soon as it is at least `limit_s`. */
static double pieces_simulate(struct improving *self, struct pieces *pieces, double limit_s)
{
    struct star_times times;
    double makespan_s = 0;
    star_restart(&self->star, self->platform, self->plan->workers);
    effort_use(self->effort, UNITS * (double)pieces->count);
    for (size_t k = 0; k < pieces->count; k++) {
        if (!pieces->items[k].priced)
            piece_price(self, &pieces->items[k]);
        star_send(&self->star, pieces->items[k].slot, &pieces->items[k].cost, &times);
        makespan_s = star_later(makespan_s, times.end_s);
        if (makespan_s >= limit_s)
            return HUGE_VAL;
    }
    return makespan_s;
}

/* ---- giving core tasks away
 * -------------------------------------------------------------------------------- */

static bool size_fits(const struct improving *self, int64_t count)
{
    return count == 0 || platform_find(self->platform, (double)count);
}

/* Adds a piece, to the last one where that belongs to the same worker. */
static bool piece_join(const struct improving *self, struct pieces *pieces, struct piece piece)
{
    struct piece *last = pieces->count > 0 ? &pieces->items[pieces->count - 1] : NULL;
    if (piece.count == 0)
        return true;
    if (last && last->slot == piece.slot && size_fits(self, last->count + piece.count)) {
        last->count += piece.count;
        last->priced = false;
        return true;
    }
    if (!pieces_add(pieces, piece.slot, piece.count))
        return false;
    if (piece.priced)
        pieces->items[pieces->count - 1] = piece;
    return true;
}

/* Replaces a piece by what is left before the gift, the gift, and what is left behind it. */
static bool piece_divide(const struct improving *self, struct pieces *to, const struct piece *piece,
                         const struct gift *gift)
{
    const int64_t end = piece->first + piece->count, until = gift->first + gift->count;
    if (until <= piece->first || gift->first >= end)
        return piece_join(self, to, *piece);
    const int64_t before = gift->first > piece->first ? gift->first - piece->first : 0;
    const int64_t behind = end > until ? end - until : 0;
    const struct piece head = {.slot = piece->slot, .count = before};
    const struct piece given = {.slot = gift->slot, .count = piece->count - before - behind};
    const struct piece tail = {.slot = piece->slot, .count = behind};
    return piece_join(self, to, head) && piece_join(self, to, given) && piece_join(self, to, tail);
}

static bool sizes_fit(const struct improving *self, const struct pieces *pieces)
{
    for (size_t k = 0; k < pieces->count; k++)
        if (!pieces->items[k].priced && !size_fits(self, pieces->items[k].count))
            return false;
    return true;
}

/* Makes `to`, which keeps its memory, from the pieces with the gift. False: out of memory. */
static bool gift_make(const struct improving *self, const struct pieces *from, struct pieces *to,
                      const struct gift *gift)
{
    to->count = 0;
    for (size_t k = 0; k < from->count; k++)
        if (!piece_divide(self, to, &from->items[k], gift))
            return false;
    return true;
}

static void pieces_swap(struct improving *self)
{
    const struct pieces held = self->now;
    self->now = self->next;
    self->next = held;
}

/* Keeps `next` where it is better; returns whether it was. */
static bool next_accept(struct improving *self)
{
    if (self->next.count > IMPROVED_MOST || !sizes_fit(self, &self->next))
        return false;
    const double made_s = pieces_simulate(self, &self->next, self->best_s * (1 - GAIN_LEAST));
    if (made_s == HUGE_VAL)
        return false;
    self->best_s = made_s;
    pieces_swap(self);
    return true;
}

/* Tries a gift, with another one in exchange if `back` is not NULL. */
static bool gift_try(struct improving *self, const struct gift *gift, const struct gift *back)
{
    if (effort_spent(self->effort) || !gift_make(self, &self->now, &self->next, gift))
        return false;
    if (!back)
        return next_accept(self);
    struct pieces both = {.items = NULL};
    if (!gift_make(self, &self->next, &both, back)) {
        pieces_release(&both);
        return false;
    }
    pieces_release(&self->next);
    self->next = both;
    return next_accept(self);
}

/* ---- the nearest ---------------------------------------------------------------------------- */

/* Core tasks or workers, sorted by their distance from what is wanted. */
struct choice {
    int64_t items[GIFTS_MOST];
    double off_s[GIFTS_MOST];
    int count;
};

static void choice_offer(struct choice *choice, int64_t item, double off_s)
{
    int at = choice->count;
    while (at > 0 && choice->off_s[at - 1] > off_s)
        at--;
    if (at == GIFTS_MOST)
        return;
    if (choice->count < GIFTS_MOST)
        choice->count++;
    for (int k = choice->count - 1; k > at; k--) {
        choice->items[k] = choice->items[k - 1];
        choice->off_s[k] = choice->off_s[k - 1];
    }
    choice->items[at] = item;
    choice->off_s[at] = off_s;
}

/* ---- what is given ------------------------------------------------------------------------- */

/* Tries to give core tasks at either end of the worker's packages to the neighbours. */
static bool ends_give(struct improving *self, int64_t slot)
{
    for (size_t k = self->now.count; k-- > 0;) {
        const struct piece piece = self->now.items[k];
        if (piece.slot != slot)
            continue;
        for (int64_t count = 1; count <= piece.count; count *= 2) {
            if (k > 0) {
                const struct gift left = {piece.first, count, self->now.items[k - 1].slot};
                if (left.slot != slot && gift_try(self, &left, NULL))
                    return true;
            }
            if (k + 1 < self->now.count) {
                const struct gift right = {piece.first + piece.count - count, count,
                                           self->now.items[k + 1].slot};
                if (right.slot != slot && gift_try(self, &right, NULL))
                    return true;
            }
        }
    }
    return false;
}

/* The worker's core tasks that take about `wanted_s`. */
static struct choice tasks_near(const struct improving *self, int64_t slot, double wanted_s)
{
    struct choice choice = {.count = 0};
    for (size_t k = 0; k < self->now.count; k++) {
        const struct piece *piece = &self->now.items[k];
        for (int64_t at = 0; piece->slot == slot && at < piece->count; at++)
            choice_offer(&choice, piece->first + at,
                         fabs(self->seconds[piece->first + at] - wanted_s));
    }
    return choice;
}

static bool singles_give(struct improving *self, int64_t slot, int64_t taker, double half_s)
{
    const struct choice choice = tasks_near(self, slot, half_s);
    for (int k = 0; k < choice.count; k++) {
        const struct gift gift = {choice.items[k], 1, taker};
        if (gift_try(self, &gift, NULL))
            return true;
    }
    return false;
}

/* Tries to exchange heavier core tasks of the worker for lighter ones of the taker, by half of the
 * difference of their ends. */
static bool singles_exchange(struct improving *self, int64_t slot, int64_t taker, double half_s)
{
    struct choice best = {.count = 0};
    int64_t backs[GIFTS_MOST];
    for (int scale = 1; scale <= GIFTS_MOST; scale++) {
        const struct choice heavy = tasks_near(self, slot, half_s * (1 + scale));
        if (heavy.count == 0)
            return false;
        const double wanted_s = self->seconds[heavy.items[0]] - half_s;
        const struct choice light = tasks_near(self, taker, wanted_s);
        if (light.count == 0)
            return false;
        best.items[best.count] = heavy.items[0];
        backs[best.count++] = light.items[0];
    }
    for (int k = 0; k < best.count; k++) {
        const struct gift gift = {best.items[k], 1, taker}, back = {backs[k], 1, slot};
        if (gift_try(self, &gift, &back))
            return true;
    }
    return false;
}

/* ---- the search ---------------------------------------------------------------------------- */

/* The slot that ends last; *takers: those that end first. One without a package ends when it could
 * begin. */
static int64_t ends_find(struct improving *self, struct choice *takers)
{
    int64_t last = 0;
    self->best_s = pieces_simulate(self, &self->now, HUGE_VAL);
    for (int64_t k = 0; k < self->plan->worker_count; k++) {
        const struct star_worker *worker = &self->star.workers[k];
        choice_offer(takers, k, star_later(worker->end_s, worker->prepared_s));
        if (worker->end_s > self->star.workers[last].end_s)
            last = k;
    }
    return last;
}

/* Makes one improvement; false: none was found. */
static bool step(struct improving *self)
{
    struct choice takers = {.count = 0};
    const int64_t last = ends_find(self, &takers);
    if (ends_give(self, last))
        return true;
    for (int k = 0; k < takers.count; k++) {
        const double half_s = (self->best_s - takers.off_s[k]) / 2;
        if (takers.items[k] != last && (singles_give(self, last, takers.items[k], half_s) ||
                                        singles_exchange(self, last, takers.items[k], half_s)))
            return true;
    }
    return false;
}

/* By the class of the first worker, in the window of the smallest packages: times are only
 * compared. */
static bool seconds_fill(struct improving *self)
{
    const int64_t tasks = (int64_t)self->plan->tasks;
    const double rate_s = self->platform->windows[0].classes[0].compute.s_per_task;
    self->seconds = malloc((size_t)tasks * sizeof *self->seconds);
    for (int64_t k = 0; self->seconds && k < tasks; k++)
        self->seconds[k] =
            rate_s * work_mean_cost(&self->platform->work, self->plan->tasks, (double)k, 1);
    return self->seconds != NULL;
}

static bool improving_init(struct improving *self)
{
    return star_init(&self->star, self->platform, self->plan->worker_count) &&
           pieces_of_plan(&self->now, self->plan) && seconds_fill(self);
}

static void improving_release(struct improving *self)
{
    star_release(&self->star);
    pieces_release(&self->now);
    pieces_release(&self->next);
    free(self->seconds);
}

/* Puts the packages in place of the plan's rounds. */
static bool rounds_put(const struct pieces *pieces, struct plan *plan)
{
    struct plan made = {.worker_count = plan->worker_count};
    const bool good = pieces_to_rounds(pieces, &made);
    if (good)
        plan_take_rounds(plan, &made);
    plan_release(&made);
    return good;
}

bool packages_improve(const struct platform *platform, struct plan *plan, struct effort *effort,
                      struct failure *failure)
{
    struct improving self = {.platform = platform, .plan = plan, .effort = effort};
    bool moved = false;
    if (plan->real_valued || plan->tasks > (double)TASKS_MOST ||
        plan_packages(plan) > IMPROVED_MOST)
        return true;
    bool good = improving_init(&self);
    while (good && !effort_spent(effort) && step(&self))
        moved = true;
    good = good && (!moved || rounds_put(&self.now, plan));
    improving_release(&self);
    return good || failure_memory(failure, "improving a plan");
}
