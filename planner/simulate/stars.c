#include "planner/simulate/stars.h"

#include <math.h>
#include <stdlib.h>

#include "planner/simulate/star_part.h"

struct star_simulator {
    struct star_part part;  /* owned */
    struct trace trace;     /* owned; ranks are relative to its master */
    struct dispatch *inner; /* owned by `dispatch`: what decides */
    struct dispatch *dispatch;
    struct scenario_simulator *simulator;
    struct dispatch_share told; /* to the first master, as of the last time */
    double tell_s;              /* when the next time is, if there is no news before */
    bool stale;                 /* it has gone on since then */
};

struct stars_simulator {
    const struct stars_setup *setup;
    struct star_simulator *stars; /* owned */
    struct moves_star *known;     /* owned */
    int count;
    bool traces;
    struct moves_list *moves;
};

/* ---- beginning and end ---------------------------------------------------------------------- */

/* Core tasks that move between masters are sent in packages of at most this size, as in a run. */
static int64_t largest_of(const struct decision *decision, const struct plan *plan)
{
    const struct plan_tail *tail = decision->tail;
    int64_t largest = (int64_t)plan_largest_load(plan);
    if (decision->setup)
        return decision->setup->most;
    if (tail && tail->setup.tasks > 0 && tail->setup.most > largest)
        largest = tail->setup.most;
    return decision->watched_largest > largest ? decision->watched_largest : largest;
}

/* The weights of core tasks that the plan knows, as a run would be given them; NULL: none. */
static const struct work *worth_of(const struct plan *plan)
{
    const struct task_weights *weights = plan->weights;
    return weights && work_differs(&weights->work) ? &weights->work : NULL;
}

/* A plan's packages stay with the master until they are due, because other masters may take them
 * over. Rules and watched plans hand out no more than workers need anyway. */
static bool star_decide(struct star_simulator *star, const struct decision *decision,
                        const struct work *worth, struct failure *failure)
{
    const struct star_part *part = &star->part;
    const struct task_range range = {(int64_t)part->plan.first, (int64_t)part->plan.tasks};
    const bool planned = decision->plan && !decision->watch;
    star->inner = decision_inner(decision, &part->platform, &part->scenario, failure);
    if (!star->inner)
        return false;
    star->dispatch = decision_recovery(star->inner, &part->platform, &part->scenario);
    if (!star->dispatch)
        return failure_memory(failure, "simulating");
    dispatch_recovery_open(star->dispatch);
    if (worth)
        dispatch_recovery_weigh(star->dispatch, worth, work_worth(worth, range));
    dispatch_recovery_limit(star->dispatch, largest_of(decision, &part->plan));
    if (planned)
        dispatch_recovery_ahead(star->dispatch, part->platform.buffers + 1);
    return true;
}

static bool star_begin(struct stars_simulator *simulator, int k, struct failure *failure)
{
    const struct stars_setup *setup = simulator->setup;
    struct star_simulator *star = &simulator->stars[k];
    struct star_part *part = &star->part;
    const struct star_part_setup own = {
        .platform = setup->platform,
        .scenario = setup->scenario,
        .plan = &setup->plan->stars[k],
        .workers = plan_workers_behind(setup->plan, setup->plan->stars[k].master,
                                       setup->platform->worker_count + 1),
        .number = k};
    if (!star_part_init(part, &own, failure) ||
        !star_decide(star, setup->decisions ? &setup->decisions[k] : &part->follows,
                     worth_of(setup->plan), failure))
        return false;
    star->tell_s = HUGE_VAL; /* it has not begun */
    star->simulator = scenario_simulator_new(&part->platform, star->dispatch, &part->scenario,
                                             simulator->traces ? &star->trace : NULL, 0, failure);
    return star->simulator != NULL;
}

static void star_release(struct star_simulator *star)
{
    scenario_simulator_free(&star->simulator);
    dispatch_free(&star->dispatch);
    trace_release(&star->trace);
    star_part_release(&star->part);
}

static void simulator_release(struct stars_simulator *simulator)
{
    for (int k = 0; simulator->stars && k < simulator->count; k++)
        star_release(&simulator->stars[k]);
    free(simulator->stars);
    free(simulator->known);
}

/* ---- side by side --------------------------------------------------------------------------- */

/* The star whose step is next, when that is (*next_s), and when the next step of another star is
 * (*then_s). */
static int star_next(const struct stars_simulator *simulator, double *next_s, double *then_s)
{
    int next = 0;
    *next_s = *then_s = HUGE_VAL;
    for (int k = 0; k < simulator->count; k++) {
        const double at_s = scenario_simulator_next(simulator->stars[k].simulator);
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

static void star_tell(struct star_simulator *star, double now_s)
{
    star->told = dispatch_recovery_share(star->dispatch);
    star->tell_s = moves_tell_next_s(now_s);
    star->stale = false;
}

/* What all have told by then, before one goes on. */
static void stars_tell(struct stars_simulator *simulator, double now_s)
{
    for (int k = 0; k < simulator->count; k++)
        if (now_s >= simulator->stars[k].tell_s)
            star_tell(&simulator->stars[k], now_s);
}

/* The first master knows of its own star at once, of others what they have told. */
static void stars_look(struct stars_simulator *simulator, double now_s)
{
    for (int k = 0; k < simulator->count; k++) {
        struct star_simulator *star = &simulator->stars[k];
        const struct dispatch_share share = dispatch_recovery_share(star->dispatch);
        if (k == 0 || moves_is_news(&share, &star->told))
            star_tell(star, now_s);
        simulator->known[k] = (struct moves_star){.share = star->told};
    }
}

/* When the first master next hears of a star what somebody waits for; HUGE_VAL: before another step
 * it does not. */
static double tell_next_s(const struct stars_simulator *simulator)
{
    double next_s = HUGE_VAL;
    bool wants = false;
    for (int k = 0; k < simulator->count; k++) {
        wants = wants || simulator->known[k].share.wants;
        if (simulator->stars[k].stale)
            next_s = fmin(next_s, simulator->stars[k].tell_s);
    }
    return wants ? next_s : HUGE_VAL;
}

static bool move_make(struct stars_simulator *simulator, const struct moves_pair *pair,
                      double now_s)
{
    struct dispatch_given given = {.items = NULL};
    struct star_simulator *from = &simulator->stars[pair->from], *to = &simulator->stars[pair->to];
    const struct dispatch_share share = dispatch_recovery_share(from->dispatch);
    const double half = moves_half(&share);
    bool good = dispatch_recovery_give(from->dispatch, half, &given) &&
                dispatch_recovery_take(to->dispatch, &given);
    const struct moves_made made = {.at_s = now_s,
                                    .from = simulator->setup->plan->stars[pair->from].master,
                                    .to = simulator->setup->plan->stars[pair->to].master,
                                    .tasks = given.tasks};
    good = good && (given.tasks == 0 || moves_list_add(simulator->moves, &made));
    scenario_simulator_wake(from->simulator, now_s);
    scenario_simulator_wake(to->simulator, now_s);
    star_tell(from, now_s);
    star_tell(to, now_s);
    dispatch_given_release(&given);
    return good;
}

/* Moves core tasks as the first master does in a run. *over: all core tasks are done. */
static bool moves_look(struct stars_simulator *simulator, double now_s, bool *over,
                       struct failure *failure)
{
    struct moves_pair pair;
    stars_look(simulator, now_s);
    *over = moves_are_over(simulator->known, simulator->count);
    if (*over || !moves_find(simulator->known, simulator->count, now_s, &pair))
        return true;
    return move_make(simulator, &pair, now_s) || failure_memory(failure, "simulating");
}

static bool stars_end(struct stars_simulator *simulator, double now_s, struct failure *failure)
{
    bool good = true;
    for (int k = 0; good && k < simulator->count; k++) {
        dispatch_recovery_close(simulator->stars[k].dispatch);
        scenario_simulator_wake(simulator->stars[k].simulator, now_s);
        good = scenario_simulator_run(simulator->stars[k].simulator, HUGE_VAL, failure);
    }
    return good;
}

/* The next step of one of them, or the next time that another master tells something. */
static bool stars_step(struct stars_simulator *simulator, double *now_s, bool *over,
                       struct failure *failure)
{
    double next_s, then_s;
    const int k = star_next(simulator, &next_s, &then_s);
    const double tell_s = tell_next_s(simulator);
    if (!isfinite(next_s) && !isfinite(tell_s))
        return failure_set(failure, FAILURE_INFEASIBLE,
                           "no worker is left for the remaining tasks: simulate more workers");
    *now_s = fmin(next_s, tell_s);
    stars_tell(simulator, *now_s);
    if (tell_s <= next_s)
        return moves_look(simulator, *now_s, over, failure);
    simulator->stars[k].stale = true;
    if (!scenario_simulator_run(simulator->stars[k].simulator,
                                fmin(then_s, moves_tell_next_s(*now_s)), failure))
        return false;
    /* Masters that act at the same time have not told each other of it: moves are decided after the
     * last of them. */
    return !(then_s > *now_s) || moves_look(simulator, *now_s, over, failure);
}

static bool stars_simulate(struct stars_simulator *simulator, struct failure *failure)
{
    double now_s = 0;
    for (bool over = false; !over;)
        if (!stars_step(simulator, &now_s, &over, failure))
            return false;
    return stars_end(simulator, now_s, failure);
}

static bool stars_sum(struct stars_simulator *simulator, struct trace *trace,
                      struct simulation *joined, struct failure *failure)
{
    const struct stars_setup *setup = simulator->setup;
    bool good = true;
    for (int k = 0; good && k < simulator->count; k++) {
        struct star_simulator *star = &simulator->stars[k];
        struct simulation sum;
        scenario_simulator_sum(star->simulator, &sum);
        simulation_join(joined, &sum);
        good = !trace || star_part_trace(&star->part, &star->trace, trace) ||
               failure_memory(failure, "simulating");
        if (setup->decided)
            setup->decided(setup->self, k, star->inner);
    }
    return good;
}

bool simulate_stars(const struct stars_setup *setup, struct trace *trace, struct moves_list *moves,
                    struct simulation *simulation, struct failure *failure)
{
    const size_t count = setup->plan->star_count;
    struct stars_simulator simulator = {
        .setup = setup, .count = (int)count, .traces = trace != NULL, .moves = moves};
    struct simulation joined = {.packages = 0};
    simulator.stars = calloc(count, sizeof *simulator.stars);
    simulator.known = calloc(count, sizeof *simulator.known);
    if (!simulator.stars || !simulator.known) {
        simulator_release(&simulator);
        return failure_memory(failure, "simulating");
    }
    bool good = true;
    for (int k = 0; good && k < simulator.count; k++)
        good = star_begin(&simulator, k, failure);
    good = good && stars_simulate(&simulator, failure) &&
           stars_sum(&simulator, trace, &joined, failure);
    if (good)
        *simulation = joined;
    simulator_release(&simulator);
    return good;
}
