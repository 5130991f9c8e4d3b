#include "planner/strips/strips_play.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/strips/strips_left.h"

struct player {
    const struct strips_plan *plan;
    const struct availability *availability;
    struct strips_outcome *outcome;
    int64_t *widths, *later;           /* owned; by strip */
    double *ends_s, *before_s;         /* owned; of the iteration at hand and of the one before */
    double *computed_s;                /* owned; since the last test */
    double *paces;                     /* owned; seconds of a column, as they were */
    struct strip_cost *costs;          /* owned; by these */
    bool *there;                       /* owned; all */
    double test_s, gather_s, column_s; /* of one test, of one grid, of one column that moves */
};

/* ---- memory -------------------------------------------------------------------------------- */

static void player_release(struct player *player)
{
    free(player->widths);
    free(player->later);
    free(player->ends_s);
    free(player->before_s);
    free(player->computed_s);
    free(player->paces);
    free(player->costs);
    free(player->there);
}

static bool player_room(struct player *player)
{
    const size_t count = player->plan->strip_count;
    player->widths = calloc(count, sizeof *player->widths);
    player->later = calloc(count, sizeof *player->later);
    player->ends_s = calloc(count, sizeof *player->ends_s);
    player->before_s = calloc(count, sizeof *player->before_s);
    player->computed_s = calloc(count, sizeof *player->computed_s);
    player->paces = calloc(count, sizeof *player->paces);
    player->costs = calloc(count, sizeof *player->costs);
    player->there = calloc(count, sizeof *player->there);
    player->outcome->strips = calloc(count, sizeof *player->outcome->strips);
    player->outcome->strip_count = count;
    return player->widths && player->later && player->ends_s && player->before_s &&
           player->computed_s && player->paces && player->costs && player->there &&
           player->outcome->strips;
}

static void player_fill(struct player *player)
{
    const struct strips_plan *plan = player->plan;
    const struct strips_job *job = &plan->job;
    const double tests = ceil((double)job->iterations / (double)job->every);
    for (size_t k = 0; k < plan->strip_count; k++) {
        player->widths[k] = plan->strips[k].columns;
        player->there[k] = true;
        player->outcome->strips[k].rank = plan->strips[k].rank;
    }
    player->test_s = plan->predicted.test_s / tests;
    player->gather_s = plan->predicted.gather_s / (job->keep ? tests : 1);
    player->column_s = plan->strips[0].exchange_s;
}

/* ---- playing ------------------------------------------------------------------------------- */

static double lasts(const struct player *player, size_t strip, enum operation operation,
                    double start_s, double seconds)
{
    const struct availability_series *series =
        availability_of(player->availability, player->plan->strips[strip].rank - 1);
    return series ? availability_lasts(series, operation, start_s, seconds) : seconds;
}

/* When a strip has its borders: it and its neighbours have done the iteration before. */
static double begins_s(const struct player *player, size_t strip)
{
    const double *before_s = player->before_s;
    double start_s = before_s[strip];
    if (strip > 0)
        start_s = fmax(start_s, before_s[strip - 1]);
    if (strip + 1 < player->plan->strip_count)
        start_s = fmax(start_s, before_s[strip + 1]);
    return start_s;
}

static void iteration_play(struct player *player)
{
    const struct strips_plan *plan = player->plan;
    double *before_s = player->before_s;
    player->before_s = player->ends_s;
    player->ends_s = before_s;
    for (size_t k = 0; k < plan->strip_count; k++) {
        const struct strip *strip = &plan->strips[k];
        const double width = (double)player->widths[k] / (double)strip->columns;
        const double start_s = begins_s(player, k);
        const double borders_s = lasts(player, k, OPERATION_LINK, start_s, strip->exchange_s);
        const double compute_s =
            lasts(player, k, OPERATION_COMPUTE, start_s + borders_s, strip->compute_s * width);
        player->ends_s[k] = start_s + borders_s + compute_s;
        player->computed_s[k] += compute_s;
        player->outcome->strips[k].compute_s += compute_s;
        player->outcome->strips[k].wait_s += start_s - player->before_s[k] + borders_s;
    }
}

static double latest_s(const struct player *player)
{
    double latest = 0;
    for (size_t k = 0; k < player->plan->strip_count; k++)
        latest = fmax(latest, player->ends_s[k]);
    return latest;
}

static void all_wait(struct player *player, double until_s)
{
    for (size_t k = 0; k < player->plan->strip_count; k++)
        player->ends_s[k] = until_s;
}

/* As in the run: half as much each time what was before. */
static void paces_take(struct player *player, double done)
{
    for (size_t k = 0; k < player->plan->strip_count; k++) {
        const double now_s = player->computed_s[k] / done / (double)player->widths[k];
        player->paces[k] = player->paces[k] > 0 ? (now_s + player->paces[k]) / 2 : now_s;
        player->computed_s[k] = 0;
        player->costs[k] =
            (struct strip_cost){player->paces[k], player->plan->strips[k].exchange_s};
    }
}

/* Seconds that moving takes; 0: widths stay. False: out of memory. */
static bool widths_change(struct player *player, double left, double *moving_s)
{
    const struct strips_plan *plan = player->plan;
    const int64_t count = (int64_t)plan->strip_count;
    *moving_s = 0;
    if (count < 2 || !(left > 0))
        return true;
    const int64_t having = strips_left_plan(plan, player->paces, player->there, player->later);
    if (having < count ||
        !strips_pay(player->costs, count, player->widths, player->later, left, player->column_s))
        return having >= 0;
    *moving_s = (double)strips_moved(player->widths, player->later, count) * player->column_s;
    memcpy(player->widths, player->later, plan->strip_count * sizeof *player->widths);
    player->outcome->rebalanced++;
    return true;
}

/* Iterations up to a test, and what that brings. */
static bool segment_play(struct player *player, int64_t stop)
{
    struct strips_outcome *outcome = player->outcome;
    const struct strips_job *job = &player->plan->job;
    const double start_s = latest_s(player), done = (double)(stop - outcome->iterations);
    double moving_s = 0;
    for (; outcome->iterations < stop; outcome->iterations++)
        iteration_play(player);
    const double end_s = latest_s(player);
    const double gather_s = job->keep || stop == job->iterations ? player->gather_s : 0;
    outcome->step_s += end_s - start_s;
    outcome->tests++;
    outcome->gather_s += gather_s;
    paces_take(player, done);
    const bool good = widths_change(player, (double)(job->iterations - stop), &moving_s);
    outcome->test_s += player->test_s + moving_s;
    all_wait(player, end_s + player->test_s + gather_s + moving_s);
    return good;
}

static bool all_play(struct player *player)
{
    struct strips_outcome *outcome = player->outcome;
    const struct strips_job *job = &player->plan->job;
    while (outcome->iterations < job->iterations) {
        const int64_t left = job->iterations - outcome->iterations;
        if (!segment_play(player, outcome->iterations + (left < job->every ? left : job->every)))
            return false;
    }
    outcome->total_s = latest_s(player);
    outcome->step_s /= (double)job->iterations;
    outcome->complete = outcome->simulated = true;
    for (size_t k = 0; k < player->plan->strip_count; k++)
        outcome->strips[k].columns = player->widths[k];
    return true;
}

static bool plan_check(const struct strips_plan *plan, struct failure *failure)
{
    const double all = (double)plan->job.iterations * (double)plan->strip_count;
    if (all > STRIPS_PLAY_MOST)
        return failure_set(failure, FAILURE_USAGE,
                           "%.3g iterations of strips are too many to be played: plan fewer, up to "
                           "%.0g",
                           all, STRIPS_PLAY_MOST);
    for (size_t k = 0; k < plan->strip_count; k++)
        if (!(plan->strips[k].compute_s > 0))
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan does not say what the strip of worker %" PRId64
                               " takes: make it from a profile",
                               plan->strips[k].rank);
    return true;
}

bool strips_play(const struct strips_plan *plan, const struct availability *availability,
                 struct strips_outcome *outcome, struct failure *failure)
{
    struct player player = {.plan = plan, .availability = availability, .outcome = outcome};
    *outcome = (struct strips_outcome){.strips = NULL};
    if (!plan_check(plan, failure))
        return false;
    bool good = player_room(&player);
    if (good) {
        player_fill(&player);
        good = all_play(&player);
    }
    player_release(&player);
    if (!good) {
        strips_outcome_release(outcome);
        return failure_memory(failure, "playing strips");
    }
    return true;
}
