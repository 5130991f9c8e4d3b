#include "planner/studies/typical.h"

#include <stdlib.h>

#include "planner/simulate/scenario.h"
#include "planner/studies/cost_sample.h"

/* Simulations, and packages in all of them; an odd number has a median. */
enum { DRAWS_MOST = 101, DRAWS_LEAST = 11, PACKAGES_MOST = 1000000 };

/* One simulation of many. */
struct draw {
    double makespan_s;
    int64_t run;
};

struct typical {
    const struct typical_request *request;
    struct cost_sample sample; /* owned */
    int64_t packages;          /* priced so far */
};

static void package_price(void *pricer, const struct package *package, struct star_cost *cost)
{
    struct typical *typical = pricer;
    typical->packages++;
    cost_sample_price(&typical->sample, package, cost);
}

static bool rule_simulate(const struct typical_request *request, const struct scenario *scenario,
                          struct trace *trace, struct simulation *simulation,
                          struct failure *failure)
{
    struct dispatch *dispatch = dispatch_new_rule(request->rule, failure);
    const bool good = dispatch && simulate_scenario(request->platform, dispatch, scenario, trace,
                                                    simulation, failure);
    dispatch_free(&dispatch);
    return good;
}

static bool draw_simulate(struct typical *typical, int64_t run, struct trace *trace,
                          struct simulation *simulation, struct failure *failure)
{
    struct scenario scenario = SCENARIO_INIT;
    scenario.price = package_price;
    scenario.pricer = typical;
    scenario.starts = &typical->sample.drawn;
    cost_sample_begin(&typical->sample, run);
    return rule_simulate(typical->request, &scenario, trace, simulation, failure);
}

static int by_makespan(const void *a, const void *b)
{
    const struct draw *p = a, *q = b;
    if (p->makespan_s != q->makespan_s)
        return p->makespan_s < q->makespan_s ? -1 : 1;
    return (p->run > q->run) - (p->run < q->run);
}

/* In the order of their makespans, as many as the packages of the first one leave room for; *count
 * of 0: too few. */
static bool draws_make(struct typical *typical, struct draw draws[DRAWS_MOST], int64_t *count,
                       struct failure *failure)
{
    *count = DRAWS_MOST;
    for (int64_t k = 0; k < *count; k++) {
        struct simulation simulation;
        if (!draw_simulate(typical, k, NULL, &simulation, failure))
            return false;
        draws[k] = (struct draw){simulation.makespan_s, k};
        const int64_t room = PACKAGES_MOST / typical->packages;
        if (k == 0 && room < *count)
            *count = room - 1 + room % 2;
        if (*count < DRAWS_LEAST)
            *count = 0;
    }
    qsort(draws, (size_t)*count, sizeof *draws, by_makespan);
    return true;
}

static bool typical_draw(struct typical *typical, struct trace *trace,
                         struct simulation *simulation, struct failure *failure)
{
    const struct scenario usual = SCENARIO_INIT;
    struct draw draws[DRAWS_MOST];
    int64_t count;
    if (!draws_make(typical, draws, &count, failure))
        return false;
    return count == 0 ? rule_simulate(typical->request, &usual, trace, simulation, failure)
                      : draw_simulate(typical, draws[count / 2].run, trace, simulation, failure);
}

/* What is drawn for a request. */
static struct interval_request drawn_of(const struct typical_request *request, bool packages_only)
{
    return (struct interval_request){.profile = request->profile,
                                     .setting = request->setting,
                                     .plan = request->plan,
                                     .seed = 1,
                                     .packages_only = packages_only,
                                     .dealt = true};
}

bool typical_simulate(const struct typical_request *request, struct trace *trace,
                      struct simulation *simulation, struct failure *failure)
{
    const struct scenario usual = SCENARIO_INIT;
    const struct interval_request packages = drawn_of(request, true);
    struct typical typical = {.request = request};
    if (!interval_known(request->profile, request->setting))
        return rule_simulate(request, &usual, trace, simulation, failure);
    const bool good = cost_sample_init(&typical.sample, &packages)
                          ? typical_draw(&typical, trace, simulation, failure)
                          : failure_memory(failure, "simulating a rule");
    cost_sample_release(&typical.sample);
    return good;
}

static bool quantiles_find(struct typical *typical, double interval_s[2], struct failure *failure)
{
    struct draw draws[DRAWS_MOST];
    double makespans_s[DRAWS_MOST];
    struct interval interval = {.makespans_s = makespans_s};
    if (!draws_make(typical, draws, &interval.draws, failure))
        return false;
    for (int64_t k = 0; k < interval.draws; k++)
        makespans_s[k] = draws[k].makespan_s;
    for (int end = 0; interval.draws > 0 && end < 2; end++)
        interval_s[end] = interval_quantile(&interval, end == 0 ? 0.05 : 0.95);
    return true;
}

bool typical_interval(const struct typical_request *request, double interval_s[2],
                      struct failure *failure)
{
    const struct interval_request everything = drawn_of(request, false);
    struct typical typical = {.request = request};
    interval_s[0] = interval_s[1] = 0;
    if (!interval_known(request->profile, request->setting))
        return true;
    const bool good = cost_sample_init(&typical.sample, &everything)
                          ? quantiles_find(&typical, interval_s, failure)
                          : failure_memory(failure, "simulating a rule");
    cost_sample_release(&typical.sample);
    return good;
}
