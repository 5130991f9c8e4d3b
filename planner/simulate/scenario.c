#include "planner/simulate/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/simulate/fast_forward.h"
#include "planner/simulate/loop.h"

/* A package whose report is still to come, or, with `returned`, results that have been taken in:
 * those of the package's worker, up to it. */
struct report {
    struct package package;
    bool returned;
    struct dispatch_times times;
    double there_s, answer_s; /* from when a waiting master can take it in, and for how long */
};

/* Reports in the order of their times: a binary heap. */
struct report_heap {
    struct report *items; /* owned */
    size_t count, capacity;
};

/* The source of the loop, for a scenario. */
struct scenario_state {
    const struct platform *platform;
    const struct scenario *scenario;
    struct dispatch *dispatch;
    struct loop *loop;
    struct report_heap heap;
    struct fast_forward *forward; /* NULL: every package is simulated */
    bool lost_known;
    /* Packages that are done while their workers keep the results; owned. */
    struct package *kept;
    size_t kept_count, kept_capacity;
    size_t changed;    /* how many changes of workers that come and go are known */
    int64_t simulated; /* packages that were simulated one by one */
    /* The current package, its costs and the mean costs of such packages, and when the port was
     * free before it. */
    struct package package;
    struct star_cost cost, mean;
    double port_s;
    double counted_s,
        heard_s;        /* the latest end of a package that counts; when the master heard of it */
    bool beside;        /* it is simulated beside other masters; then: */
    bool begins, waits; /* it has just been asked to go on; its master waits */
    bool fed;           /* what moves to it arrives before it goes on */
    bool hands_out;     /* the others go on once it has handed out everything */
    double until_s;     /* when others go on */
    struct availability_step slow_steps[2];
    struct availability_series slow; /* of slow workers; its steps are slow_steps */
};

static bool heap_push(struct report_heap *heap, const struct report *report)
{
    struct report *items =
        array_reserve(heap->items, &heap->capacity, heap->count + 1, sizeof *items);
    if (!items)
        return false;
    heap->items = items;
    size_t at = heap->count++;
    for (; at > 0 && heap->items[(at - 1) / 2].there_s > report->there_s; at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = *report;
    return true;
}

/* Moves the report down the heap to its place. */
static void heap_sink(struct report_heap *heap, size_t at, struct report report)
{
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && heap->items[child + 1].there_s < heap->items[child].there_s)
            child++;
        if (heap->items[child].there_s >= report.there_s)
            break;
        heap->items[at] = heap->items[child];
    }
    heap->items[at] = report;
}

static struct report heap_pop(struct report_heap *heap)
{
    struct report top = heap->items[0];
    struct report last = heap->items[--heap->count];
    heap_sink(heap, 0, last);
    return top;
}

/* Hash of seed, package and kind (the finalizer of splitmix64, Steele, Lea, Flood 2014): the noise
 * of a package does not depend on the order in which packages are simulated. */
static uint64_t noise_bits(uint64_t seed, int64_t package, unsigned kind)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + (uint64_t)package * 0xd1b54a32d192ed03u + kind;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 31);
}

static double noise_unit(uint64_t seed, int64_t package, unsigned kind)
{
    return ((double)(noise_bits(seed, package, kind) >> 11) + 0.5) / 9007199254740992.0;
}

/* A log-normal factor of mean 1 whose standard deviation is the noise (by Box and Muller), times
 * the factor of an outlier. */
static double noise_factor(const struct scenario *scenario, int64_t package, unsigned kind)
{
    static const double TURN = 6.283185307179586;
    double factor = 1;
    if (scenario->noise > 0) {
        double variance = log1p(scenario->noise * scenario->noise);
        double radius = sqrt(-2 * log(noise_unit(scenario->seed, package, 4 * kind)));
        double normal = radius * cos(TURN * noise_unit(scenario->seed, package, 4 * kind + 1));
        factor = exp(sqrt(variance) * normal - variance / 2);
    }
    if (scenario->outlier_rate > 0 &&
        noise_unit(scenario->seed, package, 4 * kind + 2) < scenario->outlier_rate)
        factor *= scenario->outlier_factor;
    return factor;
}

static void cost_disturb(const struct scenario *scenario, const struct package *package,
                         struct star_cost *cost)
{
    static const unsigned kinds[] = {
        [OPERATION_ENVELOPE] = 0, [OPERATION_SEND] = 1,    [OPERATION_LINK] = 2,
        [OPERATION_RECEIVE] = 3,  [OPERATION_COMPUTE] = 4, [OPERATION_OUTPUT] = 5,
        [OPERATION_RESULT] = 8,   [OPERATION_COLLECT] = 9};
    for (int k = 0; k <= OPERATION_COLLECT; k++) {
        double *seconds = star_cost_part(cost, (enum operation)k);
        if (*seconds != 0)
            *seconds *= noise_factor(scenario, package->index, kinds[k]);
    }
}

static bool worker_slow(const struct scenario *scenario, int64_t worker)
{
    return worker >= scenario->slow_first && worker - scenario->slow_first < scenario->slow_workers;
}

static bool package_lost(const struct scenario_state *state, const struct package *package,
                         double end_s)
{
    const struct scenario *scenario = state->scenario;
    if (scenario->joins)
        return end_s > joins_until(scenario->joins, package->worker);
    return package->worker == scenario->lost_worker && end_s > scenario->lost_s;
}

/* A report waits for the master only where reports decide something. */
static void request_add(const struct scenario_state *state, const struct platform_window *window,
                        const struct package *package, struct report *report)
{
    const double load = (double)package->count;
    const struct cost request = platform_worker(window, package->worker)->request;
    if (!dispatch_listens(state->dispatch))
        return;
    report->answer_s =
        cost_of(window->answer, load) * noise_factor(state->scenario, package->index, 6);
    const double all_s = cost_of(request, load) * noise_factor(state->scenario, package->index, 7);
    report->there_s += fmax(all_s - report->answer_s, 0);
}

/* The mean costs of such packages; `cost` is the platform's. */
static struct star_cost package_mean(const struct scenario_state *state,
                                     const struct package *package, struct star_cost cost,
                                     double weight)
{
    const struct scenario *scenario = state->scenario;
    const struct variation *variation = scenario->variation;
    if (variation && variation->mean)
        variation->mean(variation->self, package, &cost);
    cost.compute_s *= weight;
    const double outliers = 1 + scenario->outlier_rate * (scenario->outlier_factor - 1);
    const double slow = worker_slow(scenario, package->worker) ? scenario->slow_factor : 1;
    return (struct star_cost){outliers * cost.envelope_s,       outliers * cost.send_s,
                              outliers * cost.link_s,           outliers * slow * cost.receive_s,
                              outliers * slow * cost.compute_s, outliers * slow * cost.output_s,
                              outliers * cost.result_s,         outliers * cost.collect_s};
}

/* Prepares the share of their processors that slow workers have: all of it until they become
 * slow. */
static void slow_prepare(struct scenario_state *state)
{
    const struct scenario *scenario = state->scenario;
    state->slow_steps[0] = (struct availability_step){0, 1};
    state->slow_steps[1] = (struct availability_step){scenario->slow_from_s, scenario->slow_factor};
    state->slow = (struct availability_series){.cpu = {state->slow_steps, 2, 0}};
}

/* NULL: the worker, or the master (-1), has its processor all the time. */
static const struct availability_series *series_of(const struct scenario_state *state,
                                                   int64_t worker)
{
    if (state->scenario->availability)
        return availability_of(state->scenario->availability, worker);
    return worker_slow(state->scenario, worker) ? &state->slow : NULL;
}

static double scenario_lasts(void *self, int64_t worker, enum operation operation, double start_s,
                             double seconds)
{
    const struct availability_series *series = series_of(self, worker);
    return series ? availability_lasts(series, operation, start_s, seconds) : seconds;
}

/* Prices the current package. */
static void package_price(struct scenario_state *state)
{
    const struct package *package = &state->package;
    const double load = (double)package->count;
    const struct platform_window *window = platform_nearest(state->platform, load);
    const struct platform_class *class = platform_worker(window, package->worker);
    const struct star_cost usual = star_cost_of(window, class, load);
    const struct variation *variation = state->scenario->variation;
    state->cost = usual;
    state->port_s = state->loop->star.port_s;
    if (variation && variation->price)
        variation->price(variation->self, package, &state->cost);
    star_cost_place(&state->cost, state->platform, window, class, (double)package->first, load);
    cost_disturb(state->scenario, package, &state->cost);
    if (state->forward)
        state->mean = package_mean(
            state, package, usual,
            platform_weight(state->platform, class->compute, (double)package->first, load));
}

/* The share of its processor that the worker had while it computed. */
static double share_of(const struct scenario_state *state, int64_t worker,
                       const struct star_times *times)
{
    const struct availability_series *series = series_of(state, worker);
    return series ? availability_share(series, times->received_s, times->computed_s) : 1;
}

/* The package as a dispatch describes it. */
static struct package dispatched(const struct loop_package *package)
{
    return (struct package){package->index, package->round, package->worker,
                            (int64_t)package->first, (int64_t)package->load};
}

static bool package_sent(void *self, struct loop *loop, const struct loop_package *sent,
                         const struct star_times *times, struct failure *failure)
{
    struct scenario_state *state = self;
    const struct package package = dispatched(sent);
    (void)loop;
    if (state->forward)
        fast_forward_note(state->forward, &package, times, sent->cost, &state->mean, state->port_s);
    const double share = share_of(state, sent->worker, times);
    struct report report = {.package = package,
                            .times = {times->start_s, times->end_s, share},
                            .there_s = times->end_s};
    report.there_s = star_later(report.there_s, times->returned_s);
    const bool lost = package_lost(state, &package, report.there_s);
    request_add(state, platform_nearest(state->platform, sent->load), &package, &report);
    return lost || heap_push(&state->heap, &report) || failure_memory(failure, "simulating");
}

static bool results_taken(void *self, const struct loop_package *last, double taken_s,
                          struct failure *failure)
{
    struct scenario_state *state = self;
    const struct report report = {.package = dispatched(last),
                                  .returned = true,
                                  .times = {taken_s, taken_s, 0},
                                  .there_s = taken_s};
    return package_lost(state, &report.package, taken_s) || heap_push(&state->heap, &report) ||
           failure_memory(failure, "simulating");
}

static double worker_gone(void *self, int64_t worker)
{
    const struct scenario *scenario = ((struct scenario_state *)self)->scenario;
    if (scenario->joins)
        return joins_until(scenario->joins, worker);
    return worker == scenario->lost_worker ? scenario->lost_s : HUGE_VAL;
}

/* Does the dispatch need to know which results workers still keep? */
static bool keeps(const struct scenario_state *state)
{
    return state->platform->results == RESULTS_END && state->scenario->lost_worker >= 0;
}

/* Makes room for one more package whose results are kept. */
static bool kept_reserve(struct scenario_state *state)
{
    struct package *kept =
        array_reserve(state->kept, &state->kept_capacity, state->kept_count + 1, sizeof *kept);
    if (kept)
        state->kept = kept;
    return kept != NULL;
}

/* The worker's results up to that package have returned: removes them from those that are kept. */
static void kept_return(struct scenario_state *state, const struct package *last)
{
    size_t left = 0;
    for (size_t k = 0; k < state->kept_count; k++) {
        const struct package *package = &state->kept[k];
        if (package->worker == last->worker && package->index <= last->index)
            dispatch_returned(state->dispatch, package);
        else
            state->kept[left++] = *package;
    }
    state->kept_count = left;
}

/* When the next worker comes or goes; HUGE_VAL: none does. */
static double change_s(const struct scenario_state *state)
{
    const struct joins *joins = state->scenario->joins;
    return joins && state->changed < joins->change_count ? joins->changes[state->changed].at_s
                                                         : HUGE_VAL;
}

/* Tells the dispatch of the change. A worker that comes begins with its start-up. */
static void change_tell(struct scenario_state *state)
{
    const struct joins_change *change = &state->scenario->joins->changes[state->changed++];
    struct star_worker *worker = &state->loop->star.workers[change->worker];
    if (!change->joins) {
        dispatch_lost(state->dispatch, change->worker);
        return;
    }
    worker->free_s = change->at_s + worker->prepared_s;
    dispatch_joined(state->dispatch, change->worker, change->worker, change->at_s);
}

/* When the master next hears of something: a report, a loss, or a worker that joins. HUGE_VAL:
 * nothing is to come. */
static double event_s(const struct scenario_state *state)
{
    double next_s = state->heap.count > 0 ? state->heap.items[0].there_s : HUGE_VAL;
    next_s = fmin(next_s, change_s(state));
    if (state->scenario->lost_worker >= 0 && !state->lost_known)
        next_s = fmin(next_s, state->scenario->lost_s);
    return next_s;
}

static double next_event(void *self)
{
    return event_s(self);
}

/* False: out of memory. */
static bool event_tell(struct scenario_state *state)
{
    const struct scenario *scenario = state->scenario;
    bool reported = state->heap.count > 0;
    if (scenario->lost_worker >= 0 && !state->lost_known &&
        (!reported || scenario->lost_s < state->heap.items[0].there_s)) {
        state->lost_known = true;
        dispatch_lost(state->dispatch, scenario->lost_worker);
        if (state->forward)
            fast_forward_lost(state->forward);
        return true;
    }
    if (change_s(state) < (reported ? state->heap.items[0].there_s : HUGE_VAL)) {
        change_tell(state);
        return true;
    }
    if (keeps(state) && !kept_reserve(state))
        return false;
    struct report report = heap_pop(&state->heap);
    if (report.returned) {
        kept_return(state, &report.package);
        return true;
    }
    report.answer_s =
        scenario_lasts(state, -1, OPERATION_COLLECT, state->loop->star.master_s, report.answer_s);
    state->loop->star.master_s += report.answer_s;
    state->loop->star.master_busy_s += report.answer_s;
    if (state->forward)
        fast_forward_answer(state->forward, report.answer_s);
    if (dispatch_claim(state->dispatch, &report.package)) {
        state->counted_s = fmax(state->counted_s, report.times.end_s);
        state->heard_s = fmax(state->heard_s, report.there_s);
    }
    dispatch_report(state->dispatch, &report.package, report.times);
    if (keeps(state))
        state->kept[state->kept_count++] = report.package;
    return true;
}

/* After a skip, reports that are under way come later by as much as their workers were moved on. */
static void reports_move(struct report_heap *heap, const double *later_s)
{
    for (size_t k = 0; k < heap->count; k++) {
        struct report *report = &heap->items[k];
        const double moved_s = later_s[report->package.worker];
        report->times.start_s += moved_s;
        report->times.end_s += moved_s;
        report->there_s += moved_s;
    }
    for (size_t k = heap->count; k-- > 0;)
        heap_sink(heap, k, heap->items[k]);
}

static void scenario_waited(void *self, double seconds)
{
    struct scenario_state *state = self;
    if (state->forward)
        fast_forward_wait(state->forward, seconds);
}

static double scenario_due(void *self)
{
    const struct scenario_state *state = self;
    const double due_s = dispatch_due_s(state->dispatch);
    return state->beside ? fmin(due_s, state->until_s) : due_s;
}

/* When this master goes on if nothing comes from other masters; HUGE_VAL: it does not. */
static double going_on_s(const struct scenario_state *state)
{
    const double master_s = state->loop->star.master_s;
    if (!state->waits)
        return master_s;
    return fmax(master_s, fmin(event_s(state), dispatch_due_s(state->dispatch)));
}

/* Simulated beside other masters: is it their turn? */
static bool is_others_turn(struct scenario_state *state, double master_s)
{
    const bool theirs = state->beside && !state->begins && master_s >= state->until_s;
    state->begins = false;
    return theirs;
}

/* Takes the effort of a package, once more of them are simulated one by one than
 * scenario->simulated. False: none is left. */
static bool effort_take(struct scenario_state *state, struct failure *failure)
{
    const struct scenario *scenario = state->scenario;
    if (state->simulated++ < scenario->simulated)
        return true;
    if (effort_spent(scenario->effort))
        return failure_set(failure, FAILURE_USAGE,
                           "packages are simulated one by one here, and --effort ended at package "
                           "%" PRId64 ": allow more seconds, or simulate fewer core tasks or a "
                           "plan with larger packages",
                           state->package.index);
    effort_use(scenario->effort, EFFORT_PACKAGE);
    return true;
}

/* Is it the worker's last package? Results at the end return with that one. */
static bool is_last(const struct scenario_state *state, int64_t worker)
{
    return state->platform->results == RESULTS_END && !dispatch_gives_more(state->dispatch, worker);
}

/* Gives packages until all core tasks have been handed out or, where a loss is to come, until all
 * are done. */
static enum loop_answer scenario_next(void *self, struct loop *loop, struct loop_package *next,
                                      struct failure *failure)
{
    struct scenario_state *state = self;
    struct package *package = &state->package;
    bool news = !state->waits;
    if (is_others_turn(state, loop->star.master_s))
        return LOOP_PAUSE;
    for (; next_event(state) <= loop->star.master_s; news = true)
        if (!event_tell(state)) {
            failure_memory(failure, "simulating");
            return LOOP_FAILED;
        }
    if (state->forward && fast_forward_try(state->forward, state->dispatch, &loop->star))
        reports_move(&state->heap, state->forward->later_s);
    const enum dispatch_answer answer =
        dispatch_next(state->dispatch, loop->star.master_s, package);
    state->waits = answer == DISPATCH_WAIT || answer == DISPATCH_HANDED_OUT;
    if (answer == DISPATCH_FINISHED)
        return LOOP_END;
    /* Before this master waits, other masters may move something to it, as of this time. */
    if (state->beside && ((state->hands_out && answer == DISPATCH_HANDED_OUT) ||
                          !isfinite(going_on_s(state)) || (state->waits && news && !state->fed)))
        return LOOP_PAUSE;
    if (answer == DISPATCH_OUT_OF_MEMORY)
        return failure_memory(failure, "simulating") ? LOOP_SEND : LOOP_FAILED;
    if (answer != DISPATCH_SEND)
        return answer == DISPATCH_HANDED_OUT ? LOOP_HANDED_OUT : LOOP_WAIT;
    if (!effort_take(state, failure))
        return LOOP_FAILED;
    package_price(state);
    *next = (struct loop_package){.worker = package->worker,
                                  .rank = package->worker + 1,
                                  .first = (double)package->first,
                                  .load = (double)package->count,
                                  .round = package->round,
                                  .index = package->index,
                                  .last = is_last(state, package->worker),
                                  .cost = &state->cost};
    return LOOP_SEND;
}

static void worker_forget(struct star_worker *worker, double from_s)
{
    worker->end_s = fmin(worker->end_s, from_s);
    worker->first_s = fmin(worker->first_s, worker->end_s);
    worker->busy_s = fmin(worker->busy_s, worker->end_s - worker->first_s);
    worker->output_s = fmin(worker->output_s, worker->busy_s);
}

/* What a worker did after it was lost, or had left, does not count. */
static void lost_forget(struct star *star, const struct scenario *scenario)
{
    if (scenario->lost_worker >= 0)
        worker_forget(&star->workers[scenario->lost_worker], scenario->lost_s);
    for (int64_t k = 0; scenario->joins && k < star->worker_count; k++)
        worker_forget(&star->workers[k], joins_until(scenario->joins, k));
}

/* Work on core tasks that another worker had done before does not count, and work that goes on when
 * all core tasks are done is stopped. */
static void late_forget(struct star *star, const struct scenario_state *state)
{
    for (int64_t k = 0; state->scenario->copies && k < star->worker_count; k++) {
        struct star_worker *worker = &star->workers[k];
        worker->end_s = fmin(worker->end_s, state->counted_s);
        worker->busy_s = fmin(worker->busy_s, fmax(worker->end_s - worker->first_s, 0));
        worker->output_s = fmin(worker->output_s, worker->busy_s);
    }
    if (state->scenario->copies)
        star->results_s = fmin(star->results_s, state->heard_s);
}

/* What the master computes itself, by the dispatch. */
static bool scenario_computes(void *self, double at_s, double until_s, struct own_span *span)
{
    struct scenario_state *state = self;
    const struct variation *variation = state->scenario->variation;
    const struct plan_master master = dispatch_master(state->dispatch);
    const double most = own_share_count(master.tasks, master.task_s, at_s, until_s);
    struct package own;
    if (!dispatch_own(state->dispatch, at_s, (int64_t)most, &own))
        return false;
    *span =
        (struct own_span){(double)own.first, (double)own.count, (double)own.count * master.task_s};
    const struct platform *platform = state->platform;
    if (work_differs(&platform->work))
        span->seconds *= platform_work(platform, span->first, span->tasks);
    if (variation && variation->weight)
        span->seconds *= variation->weight(variation->self, span->first, span->tasks);
    span->seconds *= noise_factor(state->scenario, own.first, 10);
    return true;
}

static const struct platform *starts_of(const struct scenario *scenario,
                                        const struct platform *platform)
{
    const struct variation *variation = scenario->variation;
    return variation && variation->drawn ? variation->drawn : platform;
}

/* May packages be summed up? Not in simulations from event to event, with a trace, or where costs
 * change with time; nor where transfers differ by core tasks, of which sums know nothing. */
static bool forwards(const struct platform *platform, const struct scenario *scenario,
                     const struct trace *trace)
{
    return scenario->simulated > 0 && !trace && !scenario->availability && !scenario->joins &&
           !work_differs(&platform->bytes) && !loop_needs_events(platform);
}

/* Where packages are summed up, what the master computes is added at the end: its sum is the
 * same. */
static void own_sum(struct scenario_state *state, struct simulation *simulation)
{
    struct own_span span;
    while (scenario_computes(state, 0, HUGE_VAL, &span))
        simulation->own_s += span.seconds;
    if (simulation->own_s > 0)
        simulation->makespan_s =
            fmax(simulation->makespan_s, simulation->master_busy_s + simulation->own_s);
}

struct scenario_simulator {
    struct loop loop;
    struct scenario_state state;
    struct loop_source source;
    struct fast_forward forward;
};

static void simulator_release(struct scenario_simulator *simulator)
{
    free(simulator->state.heap.items);
    free(simulator->state.kept);
    loop_release(&simulator->loop);
    fast_forward_release(&simulator->forward);
}

/* Initialises the simulation, which must not be moved in memory until it is released; to be
 * released in any case. */
static bool simulator_init(struct scenario_simulator *simulator, const struct platform *platform,
                           struct dispatch *dispatch, const struct scenario *scenario,
                           struct trace *trace, struct failure *failure)
{
    struct scenario_state *state = &simulator->state;
    const bool varies = scenario->slow_workers > 0 || scenario->availability;
    *simulator = (struct scenario_simulator){.forward = {.workers = NULL}};
    *state = (struct scenario_state){
        .platform = platform, .scenario = scenario, .dispatch = dispatch, .loop = &simulator->loop};
    simulator->source = (struct loop_source){.next = scenario_next,
                                             .sent = package_sent,
                                             .returned = keeps(state) ? results_taken : NULL,
                                             .gone_s = worker_gone,
                                             .event_s = next_event,
                                             .due_s = scenario_due,
                                             .waited = scenario_waited,
                                             .lasts = varies ? scenario_lasts : NULL,
                                             .self = state};
    slow_prepare(state);
    if (forwards(platform, scenario, trace))
        state->forward = &simulator->forward;
    if (!state->forward && dispatch_master(dispatch).tasks > 0)
        simulator->source.computes = scenario_computes;
    if (!loop_init(&simulator->loop, platform, platform->worker_count) ||
        (state->forward && !fast_forward_init(&simulator->forward, platform, scenario)))
        return failure_memory(failure, "simulating");
    simulator->loop.trace = trace;
    loop_restart(&simulator->loop, starts_of(scenario, platform), NULL);
    return true;
}

static void simulator_sum(struct scenario_simulator *simulator, struct simulation *simulation)
{
    lost_forget(&simulator->loop.star, simulator->state.scenario);
    late_forget(&simulator->loop.star, &simulator->state);
    star_sum(&simulator->loop.star, simulation);
    if (simulator->state.forward)
        own_sum(&simulator->state, simulation);
}

bool simulate_scenario(const struct platform *platform, struct dispatch *dispatch,
                       const struct scenario *scenario, struct trace *trace,
                       struct simulation *simulation, struct failure *failure)
{
    struct scenario_simulator simulator;
    const bool good = simulator_init(&simulator, platform, dispatch, scenario, trace, failure) &&
                      loop_run(&simulator.loop, &simulator.source, failure);
    if (good)
        simulator_sum(&simulator, simulation);
    simulator_release(&simulator);
    return good;
}

/* ---- beside others -------------------------------------------------------------------------- */

struct scenario_simulator *scenario_simulator_new(const struct platform *platform,
                                                  struct dispatch *dispatch,
                                                  const struct scenario *scenario,
                                                  struct trace *trace, int64_t master,
                                                  struct failure *failure)
{
    struct scenario_simulator *simulator = malloc(sizeof *simulator);
    if (!simulator) {
        failure_memory(failure, "simulating");
        return NULL;
    }
    if (!simulator_init(simulator, platform, dispatch, scenario, trace, failure))
        scenario_simulator_free(&simulator);
    if (simulator) {
        simulator->state.beside = true;
        simulator->loop.master = (int32_t)master;
    }
    return simulator;
}

void scenario_simulator_free(struct scenario_simulator **simulator)
{
    if (*simulator)
        simulator_release(*simulator);
    free(*simulator);
    *simulator = NULL;
}

bool scenario_simulator_run(struct scenario_simulator *simulator, double until_s,
                            struct failure *failure)
{
    simulator->state.begins = true;
    simulator->state.until_s = until_s;
    return loop_run(&simulator->loop, &simulator->source, failure);
}

double scenario_simulator_next(const struct scenario_simulator *simulator)
{
    return going_on_s(&simulator->state);
}

void scenario_simulator_wake(struct scenario_simulator *simulator, double at_s)
{
    simulator->state.waits = false;
    simulator->loop.star.master_s = fmax(simulator->loop.star.master_s, at_s);
}

bool scenario_simulator_hand_out(struct scenario_simulator *simulator, double *handed_out_s,
                                 struct failure *failure)
{
    simulator->state.fed = simulator->state.hands_out = true;
    const bool good = scenario_simulator_run(simulator, HUGE_VAL, failure);
    simulator->state.hands_out = false;
    *handed_out_s = simulator->loop.star.master_s;
    return good;
}

void scenario_simulator_sum(struct scenario_simulator *simulator, struct simulation *simulation)
{
    simulator_sum(simulator, simulation);
}
