#include "planner/studies/level_masters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/scheduler.h"
#include "planner/studies/feeding.h"
#include "planner/studies/planning.h"

enum { PARTS_MOST = 1000000 };

/* ---- what becomes of a part that is assigned to so many workers ----------------------------- */

/* How a part is divided among workers. Divisions are kept, because most parts are like earlier
 * ones. */
struct division {
    size_t level;
    int64_t tasks, workers; /* asked for */
    int64_t count;          /* workers that get something; 0: one does it alone */
    int64_t *loads;         /* owned */
    double *ends;           /* owned; since the part's beginning */
    double master_s;        /* until the master has sent all */
    double alone_s;         /* without any workers */
};

struct simulating {
    const struct level_masters_setup *setup;
    struct level_masters *simulated;
    struct division *divisions; /* owned */
    size_t division_count;
    struct event *events; /* owned, a heap */
    size_t event_count, event_room;
    double carried[LEVELS_MOST]; /* parts of core tasks that are still to come */
    int64_t free, parts;
};

static struct planning planning_of(const struct simulating *simulating,
                                   const struct division *division)
{
    const struct plan *plan = simulating->setup->plan;
    const struct profile *profile = &simulating->setup->profiles[division->level];
    return (struct planning){.profile = profile,
                             .setting = profile_find(profile, &plan->parameters, plan->threads),
                             .tasks = (double)division->tasks,
                             .workers = division->workers,
                             .remaining = true};
}

/* The plan by the plan's own scheduler or, where that does not apply, by the quick one. */
static bool plan_find(const struct simulating *simulating, struct planning *planning,
                      struct plan *plan)
{
    const char *wanted = simulating->setup->plan->scheduler;
    struct failure cannot = FAILURE_INIT;
    planning->scheduler = wanted;
    if (wanted && scheduler_find(wanted) && planning_make(planning, plan, &cannot))
        return true;
    cannot = (struct failure)FAILURE_INIT;
    planning->scheduler = SCHEDULER_QUICK;
    return planning_make(planning, plan, &cannot);
}

static void loads_sum(const struct plan *plan, int64_t *loads)
{
    for (size_t r = 0; r < plan->round_count; r++)
        for (int64_t w = 0; w < plan->worker_count; w++)
            loads[w] += (int64_t)plan->rounds[r].loads[w] * plan->rounds[r].repeat;
}

/* Removes workers that get no core task. */
static int64_t idle_drop(struct division *division, int64_t workers)
{
    int64_t count = 0;
    for (int64_t w = 0; w < workers; w++)
        if (division->loads[w] > 0) {
            division->loads[count] = division->loads[w];
            division->ends[count++] = division->ends[w];
        }
    return count;
}

static bool plan_simulate(const struct planning *planning, const struct plan *plan,
                          struct division *division, struct failure *failure)
{
    struct platform platform;
    struct simulation simulation;
    if (!planning_platform(planning, &platform, failure))
        return false;
    division->loads = calloc((size_t)plan->worker_count + 1, sizeof *division->loads);
    division->ends = calloc((size_t)plan->worker_count + 1, sizeof *division->ends);
    bool good = division->loads && division->ends;
    if (!good)
        failure_memory(failure, "simulating levels");
    good = good && simulate_packages(&platform, plan, NULL, &simulation, division->ends, failure);
    if (good) {
        loads_sum(plan, division->loads);
        division->count = idle_drop(division, plan->worker_count);
        division->master_s = simulation.master_busy_s;
    }
    platform_release(&platform);
    return good;
}

/* The time of one worker that does the part by itself, to whom nothing needs to be sent. */
static bool alone_find(const struct planning *planning, struct division *division,
                       struct failure *failure)
{
    struct platform platform;
    if (!platform_init(&platform, planning->setting, 1, failure))
        return false;
    const double tasks = (double)division->tasks;
    const struct platform_class *class = &platform_nearest(&platform, tasks)->classes[0];
    division->alone_s = cost_of(class->compute, tasks) + cost_of(class->output, tasks);
    platform_release(&platform);
    return true;
}

static bool division_make(const struct simulating *simulating, struct division *division,
                          struct failure *failure)
{
    struct planning planning = planning_of(simulating, division);
    struct plan plan;
    if (!alone_find(&planning, division, failure))
        return false;
    if (division->workers < 1 || division->tasks < 2 || !plan_find(simulating, &planning, &plan))
        return true;
    const bool good = plan_simulate(&planning, &plan, division, failure);
    plan_release(&plan);
    return good;
}

/* NULL with *failure set. Borrowed until the next call. */
static const struct division *division_find(struct simulating *simulating, size_t level,
                                            int64_t tasks, int64_t workers, struct failure *failure)
{
    for (size_t k = 0; k < simulating->division_count; k++) {
        const struct division *known = &simulating->divisions[k];
        if (known->level == level && known->tasks == tasks && known->workers == workers)
            return known;
    }
    struct division *grown =
        realloc(simulating->divisions, (simulating->division_count + 1) * sizeof *grown);
    if (!grown) {
        failure_memory(failure, "simulating levels");
        return NULL;
    }
    simulating->divisions = grown;
    struct division *made = &grown[simulating->division_count++];
    *made = (struct division){.level = level, .tasks = tasks, .workers = workers};
    return division_make(simulating, made, failure) ? made : NULL;
}

/* ---- events --------------------------------------------------------------------------------- */

/* Events are taken in the order of time; at equal times workers become free before others ask for
 * some. */
struct event {
    double time_s;
    bool asks;      /* a master asks for workers, for its part; false: a worker is free */
    bool is_worker; /* and not the first master */
    size_t level;
    int64_t tasks;
    int64_t number; /* of the order in which they were added, at equal times */
};

static bool comes_before(const struct event *one, const struct event *other)
{
    if (one->time_s != other->time_s)
        return one->time_s < other->time_s;
    return one->asks != other->asks ? other->asks : one->number < other->number;
}

static void events_swap(struct event *one, struct event *other)
{
    const struct event kept = *one;
    *one = *other;
    *other = kept;
}

static bool event_put(struct simulating *simulating, struct event event, struct failure *failure)
{
    if (simulating->event_count == simulating->event_room) {
        const size_t room = 2 * simulating->event_room + 64;
        struct event *grown = realloc(simulating->events, room * sizeof *grown);
        if (!grown)
            return failure_memory(failure, "simulating levels");
        simulating->events = grown;
        simulating->event_room = room;
    }
    event.number = simulating->parts++;
    if (event.number >= PARTS_MOST)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the levels fall into more than %d parts, which takes too long to "
                           "simulate: give fewer core tasks (-X)",
                           (int)PARTS_MOST);
    size_t at = simulating->event_count++;
    simulating->events[at] = event;
    for (; at > 0 && comes_before(&simulating->events[at], &simulating->events[(at - 1) / 2]);
         at = (at - 1) / 2)
        events_swap(&simulating->events[at], &simulating->events[(at - 1) / 2]);
    return true;
}

static struct event event_take(struct simulating *simulating)
{
    struct event *events = simulating->events;
    const struct event first = events[0];
    const size_t count = --simulating->event_count;
    events[0] = events[count];
    for (size_t at = 0, next; (next = 2 * at + 1) < count; at = next) {
        if (next + 1 < count && comes_before(&events[next + 1], &events[next]))
            next++;
        if (!comes_before(&events[next], &events[at]))
            break;
        events_swap(&events[at], &events[next]);
    }
    return first;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* How many core tasks of the next level these lead to; fractions are added up until they make a
 * whole one. */
static int64_t next_tasks(struct simulating *simulating, size_t level, int64_t tasks)
{
    simulating->carried[level] += (double)tasks * simulating->setup->levels[level].next;
    const double whole = floor(simulating->carried[level] + 0.5);
    simulating->carried[level] -= whole;
    return (int64_t)whole;
}

/* A worker ends its core tasks at end_s: it then asks for workers for what these lead to or, if
 * that is nothing, is free. */
static bool worker_ends(struct simulating *simulating, size_t level, int64_t tasks, double end_s,
                        struct failure *failure)
{
    struct event event = {.time_s = end_s, .is_worker = true, .level = level + 1};
    simulating->simulated->makespan_s = fmax(simulating->simulated->makespan_s, end_s);
    if (level + 1 < simulating->setup->level_count)
        event.tasks = next_tasks(simulating, level, tasks);
    event.asks = event.tasks > 0;
    return event_put(simulating, event, failure);
}

static bool part_alone(struct simulating *simulating, const struct event *event, double alone_s,
                       struct failure *failure)
{
    struct level_masters_row *row = &simulating->simulated->rows[event->level];
    row->alone++;
    row->longest_s = fmax(row->longest_s, alone_s);
    return worker_ends(simulating, event->level, event->tasks, event->time_s + alone_s, failure);
}

static bool part_hand_out(struct simulating *simulating, const struct event *event,
                          const struct division *division, struct failure *failure)
{
    struct level_masters_row *row = &simulating->simulated->rows[event->level];
    const struct event free = {.time_s = event->time_s + division->master_s};
    bool good = !event->is_worker || event_put(simulating, free, failure);
    row->least = row->masters == 0 || division->count < row->least ? division->count : row->least;
    row->most = division->count > row->most ? division->count : row->most;
    row->masters++;
    simulating->free -= division->count;
    for (int64_t w = 0; good && w < division->count; w++) {
        row->longest_s = fmax(row->longest_s, division->ends[w]);
        good = worker_ends(simulating, event->level, division->loads[w],
                           event->time_s + division->ends[w], failure);
    }
    return good;
}

static bool wanted_find(const struct simulating *simulating, const struct event *event,
                        int64_t *wanted, struct failure *failure)
{
    const struct level_masters_setup *setup = simulating->setup;
    const struct profile *profile = &setup->profiles[event->level];
    const double load = ceil((double)event->tasks / (double)setup->workers);
    int64_t there;
    if (!feeding_find(profile_find(profile, &setup->plan->parameters, setup->plan->threads),
                      setup->workers, load, wanted, &there, failure))
        return false;
    ++*wanted;
    return true;
}

/* Begins the part of one of `asking` masters, with its even share of the free workers. */
static bool part_begin(struct simulating *simulating, const struct event *event, int64_t asking,
                       struct failure *failure)
{
    const int64_t share = simulating->free / asking;
    int64_t wanted;
    simulating->simulated->rows[event->level].tasks += event->tasks;
    if (!wanted_find(simulating, event, &wanted, failure))
        return false;
    const struct division *division = division_find(simulating, event->level, event->tasks,
                                                    wanted < share ? wanted : share, failure);
    if (!division)
        return false;
    return division->count > 0 ? part_hand_out(simulating, event, division, failure)
                               : part_alone(simulating, event, division->alone_s, failure);
}

/* Serves all masters that ask at the same time. */
static bool requests_grant(struct simulating *simulating, const struct event *asking, int64_t count,
                           struct failure *failure)
{
    bool good = true;
    for (int64_t k = 0; good && k < count; k++)
        good = part_begin(simulating, &asking[k], count - k, failure);
    return good;
}

static bool moment_simulate(struct simulating *simulating, struct event *asking,
                            struct failure *failure)
{
    const double now_s = simulating->events[0].time_s;
    int64_t count = 0;
    while (simulating->event_count > 0 && simulating->events[0].time_s == now_s) {
        const struct event event = event_take(simulating);
        if (event.asks)
            asking[count++] = event;
        else
            simulating->free++;
    }
    return requests_grant(simulating, asking, count, failure);
}

static void simulating_release(struct simulating *simulating)
{
    for (size_t k = 0; k < simulating->division_count; k++) {
        free(simulating->divisions[k].loads);
        free(simulating->divisions[k].ends);
    }
    free(simulating->divisions);
    free(simulating->events);
}

bool level_masters_simulate(const struct level_masters_setup *setup,
                            struct level_masters *simulated, struct failure *failure)
{
    struct simulating simulating = {.setup = setup, .simulated = simulated, .free = setup->workers};
    const struct event first = {.asks = true, .tasks = (int64_t)setup->plan->tasks};
    /* At most all workers and the first master ask at a time. */
    struct event *asking = calloc((size_t)setup->workers + 1, sizeof *asking);
    *simulated = (struct level_masters){.makespan_s = 0};
    bool good = asking ? event_put(&simulating, first, failure)
                       : failure_memory(failure, "simulating levels");
    while (good && simulating.event_count > 0)
        good = moment_simulate(&simulating, asking, failure);
    free(asking);
    simulating_release(&simulating);
    return good;
}
