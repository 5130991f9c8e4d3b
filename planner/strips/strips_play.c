#include "planner/strips/strips_play.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/strips/strips_left.h"

/* What a worker did since the last test. */
struct part {
    double compute_s, wait_s;
};

struct player {
    const struct strips_plan *plan;
    const struct strips_scenario *scenario;
    struct strips_outcome *outcome;
    int64_t *widths, *later;           /* owned; by slot; 0: no strip */
    int64_t *having;                   /* owned; the slots with a strip, from west to east, */
    int64_t having_count;              /* and how many they are */
    double *s_per_column;              /* owned; of the worker in that slot */
    double *exchange_s;                /* owned; of one exchange with its neighbours */
    double *ends_s, *before_s;         /* owned; of this iteration and of the one before */
    struct part *parts;                /* owned; since the last test */
    double *paces;                     /* owned; measured seconds per column; 0: not known */
    struct strip_cost *costs;          /* owned; costs by these */
    bool *there, *has;                 /* owned; is the worker there; has it a strip */
    double test_s, gather_s, border_s; /* of one test, of one grid, of one border or column */
    double noted_s;                    /* up to when work is not lost by a loss */
    double stepped_s;                  /* of all iterations so far, */
    int64_t stepped;                   /* and how many that were */
    int64_t kept;                      /* iterations of the grid that was kept last */
    bool lost;                         /* the worker that is to be lost has been lost */
};

/* ---- memory -------------------------------------------------------------------------------- */

static void player_release(struct player *player)
{
    free(player->widths);
    free(player->later);
    free(player->having);
    free(player->s_per_column);
    free(player->exchange_s);
    free(player->ends_s);
    free(player->before_s);
    free(player->parts);
    free(player->paces);
    free(player->costs);
    free(player->there);
    free(player->has);
}

static bool player_room(struct player *player)
{
    const size_t count = player->plan->strip_count;
    struct strips_outcome *outcome = player->outcome;
    player->widths = calloc(count, sizeof *player->widths);
    player->later = calloc(count, sizeof *player->later);
    player->having = calloc(count, sizeof *player->having);
    player->s_per_column = calloc(count, sizeof *player->s_per_column);
    player->exchange_s = calloc(count, sizeof *player->exchange_s);
    player->ends_s = calloc(count, sizeof *player->ends_s);
    player->before_s = calloc(count, sizeof *player->before_s);
    player->parts = calloc(count, sizeof *player->parts);
    player->paces = calloc(count, sizeof *player->paces);
    player->costs = calloc(count, sizeof *player->costs);
    player->there = calloc(count, sizeof *player->there);
    player->has = calloc(count, sizeof *player->has);
    outcome->strips = calloc(count, sizeof *outcome->strips);
    outcome->losses = calloc(1, sizeof *outcome->losses);
    outcome->strip_count = count;
    return player->widths && player->later && player->having && player->s_per_column &&
           player->exchange_s && player->ends_s && player->before_s && player->parts &&
           player->paces && player->costs && player->there && player->has && outcome->strips &&
           outcome->losses;
}

static void having_find(struct player *player)
{
    player->having_count = 0;
    for (size_t k = 0; k < player->plan->strip_count; k++)
        if (player->widths[k] > 0)
            player->having[player->having_count++] = (int64_t)k;
}

static void player_fill(struct player *player)
{
    const struct strips_plan *plan = player->plan;
    const struct strips_job *job = &plan->job;
    const double tests = ceil((double)job->iterations / (double)job->every);
    for (size_t k = 0; k < plan->strip_count; k++) {
        const struct strip *strip = &plan->strips[k];
        player->widths[k] = strip->columns;
        player->s_per_column[k] = strip->compute_s / (double)strip->columns;
        player->exchange_s[k] = strip->exchange_s;
        player->there[k] = true;
        player->outcome->strips[k].rank = strip->rank;
    }
    having_find(player);
    player->test_s = plan->predicted.test_s / tests;
    player->gather_s = plan->predicted.gather_s / (job->keep ? tests : 1);
    player->border_s = plan->strips[0].exchange_s;
}

/* ---- iterations ---------------------------------------------------------------------------- */

static int64_t rank_of(const struct player *player, int64_t place)
{
    return player->outcome->strips[place].rank;
}

static double lasts(const struct player *player, int64_t place, enum operation operation,
                    double start_s, double seconds)
{
    const struct availability *availability = player->scenario->availability;
    const struct availability_series *series =
        availability ? availability_of(availability, rank_of(player, place) - 1) : NULL;
    return series ? availability_lasts(series, operation, start_s, seconds) : seconds;
}

/* When strip `at`, among those there are, has its borders: after it and its neighbours have done
 * the iteration before. */
static double begins_s(const struct player *player, int64_t at)
{
    const double *before_s = player->before_s;
    double start_s = before_s[player->having[at]];
    if (at > 0)
        start_s = fmax(start_s, before_s[player->having[at - 1]]);
    if (at + 1 < player->having_count)
        start_s = fmax(start_s, before_s[player->having[at + 1]]);
    return start_s;
}

static void iteration_play(struct player *player)
{
    double *before_s = player->before_s;
    player->before_s = player->ends_s;
    player->ends_s = before_s;
    for (int64_t at = 0; at < player->having_count; at++) {
        const int64_t k = player->having[at];
        const double columns_s = player->s_per_column[k] * (double)player->widths[k];
        const double start_s = begins_s(player, at);
        const double borders_s = lasts(player, k, OPERATION_LINK, start_s, player->exchange_s[k]);
        const double compute_s =
            lasts(player, k, OPERATION_COMPUTE, start_s + borders_s, columns_s);
        player->ends_s[k] = start_s + borders_s + compute_s;
        player->parts[k].compute_s += compute_s;
        player->parts[k].wait_s += start_s - player->before_s[k] + borders_s;
    }
}

static double latest_s(const struct player *player)
{
    double latest = 0;
    for (int64_t at = 0; at < player->having_count; at++)
        latest = fmax(latest, player->ends_s[player->having[at]]);
    return latest;
}

static void all_wait(struct player *player, double until_s)
{
    for (int64_t at = 0; at < player->having_count; at++)
        player->ends_s[player->having[at]] = until_s;
}

/* ---- tests --------------------------------------------------------------------------------- */

/* Updates measured speeds as a run does: the old value counts half. */
static void paces_take(struct player *player, double done)
{
    for (size_t k = 0; k < player->plan->strip_count; k++) {
        struct part *part = &player->parts[k];
        player->has[k] = player->widths[k] > 0;
        player->costs[k] = (struct strip_cost){0, player->plan->strips[k].exchange_s};
        if (!player->has[k])
            continue;
        const double now_s = part->compute_s / done / (double)player->widths[k];
        player->paces[k] = player->paces[k] > 0 ? (now_s + player->paces[k]) / 2 : now_s;
        player->costs[k].s_per_column = player->paces[k];
        player->outcome->strips[k].compute_s += part->compute_s;
        player->outcome->strips[k].wait_s += part->wait_s;
        *part = (struct part){0, 0};
    }
}

/* Changes widths where that is worth it; *moving_s becomes the time of moving columns, 0: widths
 * stay. False: out of memory. */
static bool widths_change(struct player *player, double left, double *moving_s)
{
    const struct strips_plan *plan = player->plan;
    const int64_t count = (int64_t)plan->strip_count;
    *moving_s = 0;
    if (player->having_count < 2 || !(left > 0))
        return true;
    const int64_t having = strips_left_plan(plan, player->paces, player->has, player->later);
    if (having < player->having_count ||
        !strips_pay(player->costs, count, player->widths, player->later, left, player->border_s))
        return having >= 0;
    *moving_s = (double)strips_moved(player->widths, player->later, count) * player->border_s;
    memcpy(player->widths, player->later, plan->strip_count * sizeof *player->widths);
    player->outcome->rebalanced++;
    return true;
}

/* ---- a loss -------------------------------------------------------------------------------- */

/* The slot of the strip that is to be lost; negative: none is. */
static int64_t place_lost(const struct player *player)
{
    for (int64_t at = 0; at < player->having_count && !player->lost; at++)
        if (rank_of(player, player->having[at]) == player->scenario->lost)
            return player->having[at];
    return -1;
}

static bool is_lost_before(const struct player *player, double until_s)
{
    return place_lost(player) >= 0 && player->scenario->lost_s < until_s;
}

/* The first rank without a strip in the plan; 0: there is none. */
static int64_t spare_find(const struct player *player)
{
    const struct strips_plan *plan = player->plan;
    for (int64_t rank = 1; rank <= player->scenario->workers; rank++) {
        size_t k = 0;
        while (k < plan->strip_count && plan->strips[k].rank != rank)
            k++;
        if (k == plan->strip_count)
            return rank;
    }
    return 0;
}

static void place_give(struct player *player, int64_t place, int64_t spare)
{
    const double *s_per_column = player->scenario->s_per_column;
    if (s_per_column)
        player->s_per_column[place] *=
            s_per_column[spare - 1] / s_per_column[rank_of(player, place) - 1];
    player->outcome->strips[place].rank = spare;
    player->paces[place] = 0;
}

/* Divides the grid among the workers that are left. False: out of memory. */
static bool widths_renew(struct player *player)
{
    if (strips_left_plan(player->plan, player->paces, player->there, player->widths) < 0)
        return false;
    having_find(player);
    for (int64_t at = 0; at < player->having_count; at++)
        player->exchange_s[player->having[at]] =
            ((at > 0) + (at + 1 < player->having_count)) * player->border_s;
    return true;
}

static bool loss_note(struct player *player, int64_t spare)
{
    struct strips_outcome *outcome = player->outcome;
    outcome->losses[0] = (struct strips_loss){.rank = player->scenario->lost,
                                              .iterations = outcome->iterations,
                                              .from = player->kept,
                                              .spare = spare,
                                              .at_s = player->scenario->lost_s,
                                              .why = strdup("as asked for")};
    outcome->loss_count = outcome->losses[0].why != NULL;
    return outcome->losses[0].why != NULL;
}

/* All work since noted_s is lost, and all strips begin again with the grid that was kept. */
static void begin_anew(struct player *player)
{
    struct strips_outcome *outcome = player->outcome;
    const bool scatters = player->kept > 0 && player->having_count > 0;
    const double begun_s = player->scenario->lost_s + (scatters ? player->gather_s : 0);
    memset(player->parts, 0, player->plan->strip_count * sizeof *player->parts);
    outcome->lost_s += begun_s - player->noted_s;
    outcome->iterations = player->kept;
    player->noted_s = begun_s;
    all_wait(player, begun_s);
}

/* False: out of memory. */
static bool loss_play(struct player *player)
{
    const int64_t place = place_lost(player), spare = spare_find(player);
    player->lost = true;
    if (!loss_note(player, spare))
        return false;
    if (spare > 0)
        place_give(player, place, spare);
    else
        player->there[place] = false;
    if (spare == 0 && !widths_renew(player))
        return false;
    begin_anew(player);
    return true;
}

/* ---- whole --------------------------------------------------------------------------------- */

/* All workers have reported: work up to now is not lost any more. */
static void reports_take(struct player *player, int64_t stop, double start_s)
{
    const double end_s = latest_s(player), done = (double)(stop - player->outcome->iterations);
    player->stepped_s += end_s - start_s;
    player->stepped += stop - player->outcome->iterations;
    player->outcome->iterations = stop;
    player->outcome->tests++;
    player->noted_s = end_s + player->test_s;
    paces_take(player, done);
}

/* Simulates the iterations up to a test, and the test. False: out of memory. */
static bool segment_play(struct player *player, int64_t stop)
{
    const struct strips_job *job = &player->plan->job;
    const bool keeps = job->keep || stop == job->iterations;
    const double start_s = latest_s(player);
    double moving_s = 0;
    for (int64_t k = player->outcome->iterations; k < stop; k++)
        iteration_play(player);
    if (is_lost_before(player, latest_s(player) + player->test_s))
        return loss_play(player);
    reports_take(player, stop, start_s);
    if (keeps && is_lost_before(player, player->noted_s + player->gather_s))
        return loss_play(player);
    if (keeps) {
        player->kept = stop;
        player->outcome->gather_s += player->gather_s;
        player->noted_s += player->gather_s;
    }
    const bool good = widths_change(player, (double)(job->iterations - stop), &moving_s);
    all_wait(player, player->noted_s + moving_s);
    return good;
}

static void outcome_fill(struct player *player)
{
    struct strips_outcome *outcome = player->outcome;
    outcome->simulated = true;
    outcome->complete = outcome->iterations >= player->plan->job.iterations;
    outcome->total_s = player->noted_s;
    outcome->step_s = player->stepped_s / fmax(1, (double)player->stepped);
    outcome->test_s =
        fmax(0, outcome->total_s - player->stepped_s - outcome->gather_s - outcome->lost_s);
    for (size_t k = 0; k < player->plan->strip_count; k++)
        outcome->strips[k].columns = player->widths[k];
}

static bool all_play(struct player *player)
{
    const struct strips_outcome *outcome = player->outcome;
    const struct strips_job *job = &player->plan->job;
    while (outcome->iterations < job->iterations && player->having_count > 0) {
        const int64_t next = (outcome->iterations / job->every + 1) * job->every;
        if (!segment_play(player, next < job->iterations ? next : job->iterations))
            return false;
    }
    outcome_fill(player);
    return true;
}

static bool plan_check(const struct strips_plan *plan, struct failure *failure)
{
    const double all = (double)plan->job.iterations * (double)plan->strip_count;
    if (all > STRIPS_PLAY_MOST)
        return failure_set(
            failure, FAILURE_USAGE,
            "%.3g iterations of strips are too many to be simulated: plan fewer, up to %.0g", all,
            STRIPS_PLAY_MOST);
    for (size_t k = 0; k < plan->strip_count; k++)
        if (!(plan->strips[k].compute_s > 0))
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan does not say what the strip of worker %" PRId64
                               " takes: make it from a profile",
                               plan->strips[k].rank);
    return true;
}

bool strips_play(const struct strips_plan *plan, const struct strips_scenario *scenario,
                 struct strips_outcome *outcome, struct failure *failure)
{
    struct player player = {.plan = plan, .scenario = scenario, .outcome = outcome};
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
        return failure_memory(failure, "simulating strips");
    }
    return true;
}
