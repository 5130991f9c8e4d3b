#include "planner/simulate/stars.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct star_play {
    struct platform platform; /* owned: its workers alone */
    struct plan plan;         /* owned: its workers, counted from 0; what else it has is borrowed */
    struct decision follows;  /* its plan */
    struct scenario scenario; /* as far as it is of its workers */
    const struct variation *varies; /* borrowed; of all; NULL: nothing varies */
    struct variation variation;     /* of its workers */
    struct platform drawn;          /* owned; likewise */
    struct trace trace;             /* owned; its ranks count from its master */
    struct dispatch *inner;         /* the next one's: what decides */
    struct dispatch *dispatch;
    struct scenario_play *play;
};

struct stars_play {
    const struct stars_setup *setup;
    struct star_play *stars;  /* owned */
    struct moves_star *known; /* owned */
    int count;
    bool traces;
    struct moves_list *moves;
};

/* ---- beginning and end ---------------------------------------------------------------------- */

int64_t stars_workers(const struct plan *plan, int star, int64_t ranks)
{
    const int64_t master = plan->stars[star].master;
    int64_t end = ranks;
    for (size_t other = 0; other < plan->star_count; other++)
        if (plan->stars[other].master > master && plan->stars[other].master < end)
            end = plan->stars[other].master;
    return end - master - 1;
}

/* The star's plan and workers, as its master counts them. To be released in any case. */
static bool star_take(struct star_play *star, const struct stars_setup *setup, int k,
                      struct failure *failure)
{
    const struct plan *plan = &setup->plan->stars[k];
    const int64_t before = plan->master;
    const int64_t workers = stars_workers(setup->plan, k, setup->platform->worker_count + 1);
    star->plan = *plan;
    star->plan.workers = calloc((size_t)plan->worker_count, sizeof *star->plan.workers);
    if (!star->plan.workers)
        return failure_memory(failure, "simulating");
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        star->plan.workers[slot] = plan->workers[slot] - before;
        if (star->plan.workers[slot] < 0 || star->plan.workers[slot] >= workers)
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan has rank %" PRId64 " work for the master on rank %" PRId64
                               ", after which there are %" PRId64
                               " ranks: make the plan again with this profile",
                               plan->workers[slot] + 1, before, workers > 0 ? workers : 0);
    }
    return (workers > 0 && platform_part(setup->platform, before, workers, &star->platform)) ||
           failure_memory(failure, "simulating");
}

/* What becomes of its workers. */
static void star_disturb(struct star_play *star, const struct scenario *scenario, int k)
{
    struct scenario *own = &star->scenario;
    const int64_t before = star->plan.master, workers = star->platform.worker_count;
    const int64_t slow_end = scenario->slow_first + scenario->slow_workers - before;
    *own = *scenario;
    own->seed += (uint64_t)k << 32; /* noise of its own */
    own->played = 0;
    own->lost_worker -= before;
    if (scenario->lost_worker < before || own->lost_worker >= workers)
        own->lost_worker = -1;
    own->slow_first = scenario->slow_first > before ? scenario->slow_first - before : 0;
    own->slow_workers = slow_end > own->slow_first ? slow_end - own->slow_first : 0;
}

static void star_price(void *self, const struct package *package, struct star_cost *cost)
{
    const struct star_play *star = self;
    struct package ranked = *package;
    ranked.worker += star->plan.master;
    star->varies->price(star->varies->self, &ranked, cost);
}

static double star_weight(void *self, double first, double tasks)
{
    const struct star_play *star = self;
    return star->varies->weight(star->varies->self, first, tasks);
}

/* What varies is told of workers as all count them. */
static bool star_vary(struct star_play *star, const struct variation *variation,
                      struct failure *failure)
{
    star->varies = variation;
    if (!variation)
        return true;
    star->variation = (struct variation){.price = variation->price ? star_price : NULL,
                                         .weight = variation->weight ? star_weight : NULL,
                                         .self = star};
    star->scenario.variation = &star->variation;
    if (!variation->drawn)
        return true;
    star->variation.drawn = &star->drawn;
    return platform_part(variation->drawn, star->plan.master, star->platform.worker_count,
                         &star->drawn) ||
           failure_memory(failure, "simulating");
}

/* What moves goes out in packages of at most so many core tasks, as in a run. */
static int64_t largest_of(const struct decision *decision, const struct plan *plan)
{
    const int64_t planned = (int64_t)plan_largest_load(plan);
    const struct plan_tail *tail = decision->tail;
    if (decision->setup)
        return decision->setup->most;
    return tail && tail->setup.tasks > 0 && tail->setup.most > planned ? tail->setup.most : planned;
}

/* A plan's packages wait with the master, for others may take them over; rules and watched plans
 * hand out no more than workers need. */
static bool star_decide(struct star_play *star, const struct decision *decision,
                        struct failure *failure)
{
    const bool planned = decision->plan && !decision->watch;
    star->inner = decision_inner(decision, &star->platform, &star->scenario, failure);
    if (!star->inner)
        return false;
    star->dispatch = decision_recovery(star->inner, &star->platform, &star->scenario);
    if (!star->dispatch)
        return failure_memory(failure, "simulating");
    dispatch_recovery_open(star->dispatch);
    dispatch_recovery_limit(star->dispatch, largest_of(decision, &star->plan));
    if (planned)
        dispatch_recovery_ahead(star->dispatch, star->platform.buffers + 1);
    return true;
}

static bool star_begin(struct stars_play *play, int k, struct failure *failure)
{
    const struct stars_setup *setup = play->setup;
    struct star_play *star = &play->stars[k];
    if (!star_take(star, setup, k, failure))
        return false;
    star->follows = (struct decision){.plan = &star->plan};
    star_disturb(star, setup->scenario, k);
    if (!star_vary(star, setup->scenario->variation, failure) ||
        !star_decide(star, setup->decisions ? &setup->decisions[k] : &star->follows, failure))
        return false;
    star->play = scenario_play_new(&star->platform, star->dispatch, &star->scenario,
                                   play->traces ? &star->trace : NULL, 0, failure);
    return star->play != NULL;
}

static void star_release(struct star_play *star)
{
    scenario_play_free(&star->play);
    dispatch_free(&star->dispatch);
    trace_release(&star->trace);
    platform_part_release(&star->platform);
    platform_part_release(&star->drawn);
    free(star->plan.workers);
}

static void play_release(struct stars_play *play)
{
    for (int k = 0; play->stars && k < play->count; k++)
        star_release(&play->stars[k]);
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
                                    .from = play->setup->plan->stars[pair->from].master,
                                    .to = play->setup->plan->stars[pair->to].master,
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
        if (!scenario_play_run(play->stars[k].play, then_s, failure))
            return false;
        /* What masters do at the same time, none has told the others of. */
        if (then_s > now_s && !moves_look(play, now_s, &over, failure))
            return false;
    }
    return stars_end(play, now_s, failure);
}

/* As ranks of the job. */
static bool trace_join(const struct star_play *star, struct trace *trace)
{
    for (size_t k = 0; k < star->trace.count; k++) {
        struct trace_event event = star->trace.events[k];
        event.rank += (int32_t)star->plan.master;
        if (!trace_add(trace, &event))
            return false;
    }
    return true;
}

static bool stars_sum(struct stars_play *play, struct trace *trace, struct simulation *joined,
                      struct failure *failure)
{
    const struct stars_setup *setup = play->setup;
    bool good = true;
    for (int k = 0; good && k < play->count; k++) {
        struct star_play *star = &play->stars[k];
        struct simulation sum;
        scenario_play_sum(star->play, &sum);
        simulation_join(joined, &sum);
        good = !trace || trace_join(star, trace) || failure_memory(failure, "simulating");
        if (setup->decided)
            setup->decided(setup->self, k, star->inner);
    }
    return good;
}

bool simulate_stars(const struct stars_setup *setup, struct trace *trace, struct moves_list *moves,
                    struct simulation *simulation, struct failure *failure)
{
    const size_t count = setup->plan->star_count;
    struct stars_play play = {
        .setup = setup, .count = (int)count, .traces = trace != NULL, .moves = moves};
    struct simulation joined = {.packages = 0};
    play.stars = calloc(count, sizeof *play.stars);
    play.known = calloc(count, sizeof *play.known);
    if (!play.stars || !play.known) {
        play_release(&play);
        return failure_memory(failure, "simulating");
    }
    bool good = true;
    for (int k = 0; good && k < play.count; k++)
        good = star_begin(&play, k, failure);
    good = good && stars_play(&play, failure) && stars_sum(&play, trace, &joined, failure);
    if (good)
        *simulation = joined;
    play_release(&play);
    return good;
}
