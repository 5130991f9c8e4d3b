#include "planner/simulate/stars.h"

#include <math.h>
#include <stdlib.h>

#include "planner/simulate/decision.h"

struct star_course {
    struct scenario scenario; /* as far as it is of its workers */
    struct dispatch *dispatch;
    struct scenario_play *play;
};

struct stars_course {
    const struct platform *platform;
    const struct plan *plan;
    struct star_course *stars; /* owned */
    struct moves_star *known;  /* owned */
    int count;
    struct moves_list *moves;
};

/* ---- beginning and end ---------------------------------------------------------------------- */

/* Its ranks are those from its master to the next one. */
static int64_t ranks_end(const struct stars_course *course, int k)
{
    const struct plan *stars = course->plan->stars;
    int64_t end = course->platform->worker_count + 1;
    for (int other = 0; other < course->count; other++)
        if (stars[other].master > stars[k].master && stars[other].master < end)
            end = stars[other].master;
    return end;
}

/* The others' workers are not there for it. */
static void workers_choose(const struct stars_course *course, int k)
{
    const int64_t master = course->plan->stars[k].master, end = ranks_end(course, k);
    for (int64_t worker = 0; worker < course->platform->worker_count; worker++)
        if (worker + 1 <= master || worker + 1 >= end)
            dispatch_lost(course->stars[k].dispatch, worker);
}

static bool star_begin(struct stars_course *course, int k, const struct scenario *scenario,
                       struct failure *failure)
{
    struct star_course *star = &course->stars[k];
    const struct plan *plan = &course->plan->stars[k];
    const struct decision decision = {.plan = plan};
    const int64_t lost_rank = scenario->lost_worker + 1;
    star->scenario = *scenario;
    star->scenario.seed += (uint64_t)k << 32; /* noise of its own */
    star->scenario.played = 0;
    if (lost_rank <= plan->master || lost_rank >= ranks_end(course, k))
        star->scenario.lost_worker = -1;
    struct scenario recovering = star->scenario;
    recovering.lost_worker = 0; /* what moves needs such a dispatch */
    star->dispatch = decision_dispatch(&decision, course->platform, &recovering, failure);
    if (!star->dispatch)
        return false;
    dispatch_recovery_open(star->dispatch);
    dispatch_recovery_ahead(star->dispatch, course->platform->buffers + 1);
    workers_choose(course, k);
    star->play = scenario_play_new(course->platform, star->dispatch, &star->scenario, NULL,
                                   plan->master, failure);
    return star->play != NULL;
}

static void course_release(struct stars_course *course)
{
    for (int k = 0; course->stars && k < course->count; k++) {
        scenario_play_free(&course->stars[k].play);
        dispatch_free(&course->stars[k].dispatch);
    }
    free(course->stars);
    free(course->known);
}

/* ---- side by side --------------------------------------------------------------------------- */

/* Whose step is next, *next_s, and when another one's is, *then_s. */
static int star_next(const struct stars_course *course, double *next_s, double *then_s)
{
    int next = 0;
    *next_s = *then_s = HUGE_VAL;
    for (int k = 0; k < course->count; k++) {
        const double at_s = scenario_play_next(course->stars[k].play);
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

static bool move_make(struct stars_course *course, const struct moves_pair *pair, double now_s)
{
    struct dispatch_given given = {.items = NULL};
    struct star_course *from = &course->stars[pair->from], *to = &course->stars[pair->to];
    const int64_t half = moves_half(&course->known[pair->from].share);
    bool good = dispatch_recovery_give(from->dispatch, half, &given) &&
                dispatch_recovery_take(to->dispatch, &given);
    const struct moves_made made = {.at_s = now_s,
                                    .from = course->plan->stars[pair->from].master,
                                    .to = course->plan->stars[pair->to].master,
                                    .tasks = given.tasks};
    good = good && (given.tasks == 0 || moves_list_add(course->moves, &made));
    scenario_play_wake(from->play, now_s);
    scenario_play_wake(to->play, now_s);
    dispatch_given_release(&given);
    return good;
}

/* As the first master does. *over: all is done. */
static bool moves_look(struct stars_course *course, double now_s, bool *over,
                       struct failure *failure)
{
    struct moves_pair pair;
    for (int k = 0; k < course->count; k++)
        course->known[k] =
            (struct moves_star){.share = dispatch_recovery_share(course->stars[k].dispatch),
                                .done = scenario_play_done(course->stars[k].play)};
    *over = moves_are_over(course->known, course->count);
    if (*over || !moves_find(course->known, course->count, now_s, &pair))
        return true;
    return move_make(course, &pair, now_s) || failure_memory(failure, "simulating");
}

static bool stars_end(struct stars_course *course, double now_s, struct failure *failure)
{
    bool good = true;
    for (int k = 0; good && k < course->count; k++) {
        dispatch_recovery_close(course->stars[k].dispatch);
        scenario_play_wake(course->stars[k].play, now_s);
        good = scenario_play_run(course->stars[k].play, HUGE_VAL, failure);
    }
    return good;
}

static bool stars_play(struct stars_course *course, struct failure *failure)
{
    double now_s = 0, next_s, then_s;
    for (bool over = false; !over;) {
        const int k = star_next(course, &next_s, &then_s);
        if (!isfinite(next_s))
            return failure_set(failure, FAILURE_INFEASIBLE,
                               "no worker is left for the remaining tasks: simulate more workers");
        now_s = next_s;
        if (!scenario_play_run(course->stars[k].play, then_s, failure) ||
            !moves_look(course, now_s, &over, failure))
            return false;
    }
    return stars_end(course, now_s, failure);
}

bool simulate_stars(const struct platform *platform, const struct plan *plan,
                    const struct scenario *scenario, struct moves_list *moves,
                    struct simulation *simulation, struct failure *failure)
{
    struct stars_course course = {
        .platform = platform, .plan = plan, .count = (int)plan->star_count, .moves = moves};
    struct simulation joined = {.packages = 0};
    course.stars = calloc(plan->star_count, sizeof *course.stars);
    course.known = calloc(plan->star_count, sizeof *course.known);
    if (!course.stars || !course.known) {
        course_release(&course);
        return failure_memory(failure, "simulating");
    }
    bool good = true;
    for (int k = 0; good && k < course.count; k++)
        good = star_begin(&course, k, scenario, failure);
    good = good && stars_play(&course, failure);
    for (int k = 0; good && k < course.count; k++) {
        struct simulation star;
        scenario_play_sum(course.stars[k].play, &star);
        simulation_join(&joined, &star);
    }
    if (good)
        *simulation = joined;
    course_release(&course);
    return good;
}
