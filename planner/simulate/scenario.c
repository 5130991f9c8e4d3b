#include "planner/simulate/scenario.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/simulate/fast_forward.h"
#include "planner/simulate/star.h"

/* A package that is out, to be reported when its time has come. */
struct report {
    struct package package;
    double start_s, end_s;
    double there_s, answer_s; /* a waiting master takes it in from then on, and takes so long */
};

/* Reports in the order in which they come: a binary heap. */
struct report_heap {
    struct report *items; /* owned */
    size_t count, capacity;
};

struct scenario_state {
    const struct platform *platform;
    const struct scenario *scenario;
    struct dispatch *dispatch;
    struct star star;
    struct report_heap heap;
    struct trace *trace;
    struct fast_forward *forward; /* NULL: every package is played */
    bool lost_known;
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

/* Down to where it belongs. */
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

/* splitmix64's finalizer over seed, package and kind: a stream without order. */
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

/* A log-normal factor of mean 1, its standard deviation being the noise (Box and Muller), times
 * the outlier's. */
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
    double *const operations[] = {&cost->envelope_s, &cost->send_s,    &cost->link_s,
                                  &cost->receive_s,  &cost->compute_s, &cost->output_s};
    for (unsigned kind = 0; kind < 6; kind++)
        if (*operations[kind] != 0)
            *operations[kind] *= noise_factor(scenario, package->index, kind);
}

/* What is done after the slowing down takes longer. */
static void cost_slow(const struct scenario *scenario, double start_s, struct star_cost *cost)
{
    double *const operations[] = {&cost->receive_s, &cost->compute_s, &cost->output_s};
    for (unsigned kind = 0; kind < 3; kind++) {
        const double fast_s = fmin(fmax(scenario->slow_from_s - start_s, 0), *operations[kind]);
        *operations[kind] = fast_s + (*operations[kind] - fast_s) * scenario->slow_factor;
        start_s += *operations[kind];
    }
}

static bool worker_slow(const struct scenario *scenario, int64_t worker)
{
    return worker >= scenario->slow_first && worker - scenario->slow_first < scenario->slow_workers;
}

static bool package_lost(const struct scenario_state *state, const struct package *package,
                         double end_s)
{
    return package->worker == state->scenario->lost_worker && end_s > state->scenario->lost_s;
}

/* The master waits for reports only where they decide something. */
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

/* What such packages take in the mean, where the platform says `cost`. */
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

static bool package_send(struct scenario_state *state, const struct package *package,
                         struct failure *failure)
{
    double load = (double)package->count;
    const struct platform_window *window = platform_nearest(state->platform, load);
    struct star_times times;
    const struct platform_class *class = platform_worker(window, package->worker);
    const struct star_cost usual = star_cost_of(window, class, load);
    const double weight =
        platform_weight(state->platform, class->compute, (double)package->first, load);
    const double port_s = state->star.port_s;
    struct star_cost cost = usual;
    const struct variation *variation = state->scenario->variation;
    if (variation && variation->price)
        variation->price(variation->self, package, &cost);
    cost.compute_s *= weight;
    cost_disturb(state->scenario, package, &cost);
    if (worker_slow(state->scenario, package->worker))
        cost_slow(state->scenario, star_start(&state->star, package->worker, &cost), &cost);
    star_send(&state->star, package->worker, &cost, &times);
    if (state->forward) {
        const struct star_cost mean = package_mean(state, package, usual, weight);
        fast_forward_note(state->forward, package, &times, &cost, &mean, port_s);
    }
    const struct trace_event event = {.round = package->round,
                                      .package = package->index,
                                      .first = package->first,
                                      .tasks = package->count};
    if (state->trace && !star_trace(&times, package->worker, event, state->trace))
        return failure_memory(failure, "tracing the simulation");
    struct report report = {*package, times.start_s, times.end_s, times.end_s, 0};
    request_add(state, window, package, &report);
    if (!package_lost(state, package, times.end_s) && !heap_push(&state->heap, &report))
        return failure_memory(failure, "simulating");
    return true;
}

/* The next thing that the master hears of: a report, or the loss. HUGE_VAL: nothing. */
static double next_event(const struct scenario_state *state)
{
    double event_s = state->heap.count > 0 ? state->heap.items[0].there_s : HUGE_VAL;
    if (state->scenario->lost_worker >= 0 && !state->lost_known)
        event_s = fmin(event_s, state->scenario->lost_s);
    return event_s;
}

static void event_tell(struct scenario_state *state)
{
    const struct scenario *scenario = state->scenario;
    bool reported = state->heap.count > 0;
    if (scenario->lost_worker >= 0 && !state->lost_known &&
        (!reported || scenario->lost_s < state->heap.items[0].there_s)) {
        state->lost_known = true;
        dispatch_lost(state->dispatch, scenario->lost_worker);
        return;
    }
    const struct report report = heap_pop(&state->heap);
    state->star.master_s += report.answer_s;
    state->star.master_busy_s += report.answer_s;
    if (state->forward)
        fast_forward_answer(state->forward, report.answer_s);
    dispatch_done(state->dispatch, &report.package, report.start_s, report.end_s);
}

/* Reports that are under way come later, too. */
static void reports_move(struct report_heap *heap, const double *later_s)
{
    for (size_t k = 0; k < heap->count; k++) {
        struct report *report = &heap->items[k];
        const double moved_s = later_s[report->package.worker];
        report->start_s += moved_s;
        report->end_s += moved_s;
        report->there_s += moved_s;
    }
    for (size_t k = heap->count; k-- > 0;)
        heap_sink(heap, k, heap->items[k]);
}

static void scenario_wait(struct scenario_state *state, double until_s)
{
    struct star *star = &state->star;
    const double from_s = star->master_s;
    star->master_s = star_later(from_s, until_s);
    if (state->forward)
        fast_forward_wait(state->forward, star->master_s - from_s);
}

/* Until every task has been handed out, and with a loss ahead until every one is done. */
static bool scenario_simulate(struct scenario_state *state, struct failure *failure)
{
    struct star *star = &state->star;
    for (bool alone = false;;) { /* nothing can happen but that time goes on */
        struct package package;
        while (next_event(state) <= star->master_s)
            event_tell(state);
        if (state->forward && fast_forward_try(state->forward, state->dispatch, star))
            reports_move(&state->heap, state->forward->later_s);
        enum dispatch_answer answer = dispatch_next(state->dispatch, star->master_s, &package);
        if (answer == DISPATCH_FINISHED)
            return true;
        if (answer == DISPATCH_OUT_OF_MEMORY)
            return failure_memory(failure, "simulating");
        if (answer == DISPATCH_SEND) {
            if (!package_send(state, &package, failure))
                return false;
            alone = false;
            continue;
        }
        const double event_s = next_event(state), due_s = dispatch_due_s(state->dispatch);
        if (!isfinite(event_s) && (alone || !isfinite(due_s)))
            return failure_set(failure, FAILURE_INFEASIBLE,
                               "no worker is left for the remaining tasks: simulate more "
                               "workers");
        alone = !isfinite(event_s);
        scenario_wait(state, fmin(event_s, due_s));
    }
}

/* What a lost worker did after its end does not count. */
static void lost_forget(struct star *star, const struct scenario *scenario)
{
    if (scenario->lost_worker < 0)
        return;
    struct star_worker *worker = &star->workers[scenario->lost_worker];
    worker->end_s = fmin(worker->end_s, scenario->lost_s);
    worker->first_s = fmin(worker->first_s, worker->end_s);
    worker->busy_s = fmin(worker->busy_s, worker->end_s - worker->first_s);
    worker->output_s = fmin(worker->output_s, worker->busy_s);
}

static const struct platform *starts_of(const struct scenario *scenario,
                                        const struct platform *platform)
{
    const struct variation *variation = scenario->variation;
    return variation && variation->starts ? variation->starts : platform;
}

bool simulate_scenario(const struct platform *platform, struct dispatch *dispatch,
                       const struct scenario *scenario, struct trace *trace,
                       struct simulation *simulation, struct failure *failure)
{
    struct scenario_state state = {
        .platform = platform, .scenario = scenario, .dispatch = dispatch, .trace = trace};
    struct fast_forward forward = {.workers = NULL};
    const bool forwards = scenario->played > 0 && !trace;
    if (!star_init(&state.star, platform, platform->worker_count) ||
        (forwards && !fast_forward_init(&forward, platform, scenario))) {
        star_release(&state.star);
        fast_forward_release(&forward);
        return failure_memory(failure, "simulating");
    }
    state.forward = forwards ? &forward : NULL;
    star_restart(&state.star, starts_of(scenario, platform), NULL);
    bool good = scenario_simulate(&state, failure);
    if (good) {
        lost_forget(&state.star, scenario);
        star_sum(&state.star, simulation);
    }
    free(state.heap.items);
    star_release(&state.star);
    fast_forward_release(&forward);
    return good;
}
