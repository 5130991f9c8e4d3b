#include "planner/simulate/stars.h"

#include <math.h>
#include <stdlib.h>

#include "planner/simulate/decision.h"

struct star_play {
    struct scenario scenario; /* as far as it is of its workers */
    struct dispatch *dispatch;
    struct scenario_play *play;
};

struct stars_play {
    const struct platform *platform;
    const struct plan *plan;
    struct star_play *stars;  /* owned */
    struct moves_star *known; /* owned */
    int count;
    struct moves_list *moves;
};

/* ---- beginning and end ---------------------------------------------------------------------- */

/* Its ranks are those from its master to the next one. */
static int64_t ranks_end(const struct stars_play *play, int k)
{
    const struct plan *stars = play->plan->stars;
    int64_t end = play->platform->worker_count + 1;
    for (int other = 0; other < play->count; other++)
        if (stars[other].master > stars[k].master && stars[other].master < end)
            end = stars[other].master;
    return end;
}

/* The others' workers are not there for it. */
static void workers_choose(const struct stars_play *play, int k)
{
    const int64_t master = play->plan->stars[k].master, end = ranks_end(play, k);
    for (int64_t worker = 0; worker < play->platform->worker_count; worker++)
        if (worker + 1 <= master || worker + 1 >= end)
            dispatch_lost(play->stars[k].dispatch, worker);
}

static bool star_begin(struct stars_play *play, int k, const struct scenario *scenario,
                       struct failure *failure)
{
    struct star_play *star = &play->stars[k];
    const struct plan *plan = &play->plan->stars[k];
    const struct decision decision = {.plan = plan};
    const int64_t lost_rank = scenario->lost_worker + 1;
    star->scenario = *scenario;
    star->scenario.seed += (uint64_t)k << 32; /* noise of its own */
    star->scenario.played = 0;
    if (lost_rank <= plan->master || lost_rank >= ranks_end(play, k))
        star->scenario.lost_worker = -1;
    struct scenario recovering = star->scenario;
    recovering.lost_worker = 0; /* what moves needs such a dispatch */
    star->dispatch = decision_dispatch(&decision, play->platform, &recovering, failure);
    if (!star->dispatch)
        return false;
    dispatch_recovery_open(star->dispatch);
    dispatch_recovery_ahead(star->dispatch, play->platform->buffers + 1);
    workers_choose(play, k);
    star->play = scenario_play_new(play->platform, star->dispatch, &star->scenario, NULL,
                                   plan->master, failure);
    return star->play != NULL;
}

static void play_release(struct stars_play *play)
{
    for (int k = 0; play->stars && k < play->count; k++) {
        scenario_play_free(&play->stars[k].play);
        dispatch_free(&play->stars[k].dispatch);
    }
    free(play->stars);
    free(play->known);
}

/* ---- side by side --------------------------------------------------------------------------- */

/* Whose step is next, *next_s, and when another one's is, *then_s. */
static int star_next(const struct stars_play *play, double *next_s, double *then_s)
{
    int next = 0;
    *next_s = *then_s = HUGE_VAL;
    for (int k = 0; k < play->count; k++) {
        const double at_s = scenario_play_next(play->stars[k].play);
        if (at_s < *next_s) {
            *then_s = *next_s;
            *next_s = at_s;
            next = k;
        } else {
            *then_s = fmin(*then_s, at_s);
        }
    }
    return next;
}

static bool move_make(struct stars_play *play, const struct moves_pair *pair, double now_s)
{
    struct dispatch_given given = {.items = NULL};
    struct star_play *from = &play->stars[pair->from], *to = &play->stars[pair->to];
    const int64_t half = moves_half(&play->known[pair->from].share);
    bool good = dispatch_recovery_give(from->dispatch, half, &given) &&
                dispatch_recovery_take(to->dispatch, &given);
    const struct moves_made made = {.at_s = now_s,
                                    .from = play->plan->stars[pair->from].master,
                                    .to = play->plan->stars[pair->to].master,
                                    .tasks = given.tasks};
    good = good && (given.tasks == 0 || moves_list_add(play->moves, &made));
    scenario_play_wake(from->play, now_s);
    scenario_play_wake(to->play, now_s);
    dispatch_given_release(&given);
    return good;
}

/* As the first master does. *over: all is done. */
static bool moves_look(struct stars_play *play, double now_s, bool *over, struct failure *failure)
{
    struct moves_pair pair;
    for (int k = 0; k < play->count; k++)
        play->known[k] =
            (struct moves_star){.share = dispatch_recovery_share(play->stars[k].dispatch),
                                .done = scenario_play_done(play->stars[k].play)};
    *over = moves_are_over(play->known, play->count);
    if (*over || !moves_find(play->known, play->count, now_s, &pair))
        return true;
    return move_make(play, &pair, now_s) || failure_memory(failure, "simulating");
}

static bool stars_end(struct stars_play *play, double now_s, struct failure *failure)
{
    bool good = true;
    for (int k = 0; good && k < play->count; k++) {
        dispatch_recovery_close(play->stars[k].dispatch);
        scenario_play_wake(play->stars[k].play, now_s);
        good = scenario_play_run(play->stars[k].play, HUGE_VAL, failure);
    }
    return good;
}

static bool stars_play(struct stars_play *play, struct failure *failure)
{
    double now_s = 0, next_s, then_s;
    for (bool over = false; !over;) {
        const int k = star_next(play, &next_s, &then_s);
        if (!isfinite(next_s))
            return failure_set(failure, FAILURE_INFEASIBLE,
                               "no worker is left for the remaining tasks: simulate more workers");
        now_s = next_s;
        if (!scenario_play_run(play->stars[k].play, then_s, failure) ||
            !moves_look(play, now_s, &over, failure))
            return false;
    }
    return stars_end(play, now_s, failure);
}

bool simulate_stars(const struct platform *platform, const struct plan *plan,
                    const struct scenario *scenario, struct moves_list *moves,
                    struct simulation *simulation, struct failure *failure)
{
    struct stars_play play = {
        .platform = platform, .plan = plan, .count = (int)plan->star_count, .moves = moves};
    struct simulation joined = {.packages = 0};
    play.stars = calloc(plan->star_count, sizeof *play.stars);
    play.known = calloc(plan->star_count, sizeof *play.known);
    if (!play.stars || !play.known) {
        play_release(&play);
        return failure_memory(failure, "simulating");
    }
    bool good = true;
    for (int k = 0; good && k < play.count; k++)
        good = star_begin(&play, k, scenario, failure);
    good = good && stars_play(&play, failure);
    for (int k = 0; good && k < play.count; k++) {
        struct simulation star;
        scenario_play_sum(play.stars[k].play, &star);
        simulation_join(&joined, &star);
    }
    if (good)
        *simulation = joined;
    play_release(&play);
    return good;
}
