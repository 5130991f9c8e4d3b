#include "planner/studies/typical.h"

#include <stdlib.h>

#include "planner/simulate/scenario.h"
#include "planner/studies/drawing.h"

/* Simulations, and packages in all of them; an odd number has a median. */
enum { DRAWS_MOST = 101, DRAWS_LEAST = 11, PACKAGES_MOST = 1000000 };

/* One simulation of many. */
struct draw {
    double makespan_s;
    int64_t run;
};

struct typical {
    const struct typical_request *request;
    struct drawing drawing; /* owned */
    int64_t packages;       /* priced so far */
};

static void package_price(void *pricer, const struct package *package, struct star_cost *cost)
{
    struct typical *typical = pricer;
    typical->packages++;
    drawing_price(&typical->drawing, package, cost);
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
    drawing_begin(&typical->drawing, run);
    return rule_simulate(typical->request, &scenario, trace, simulation, failure);
}

static int by_makespan(const void *a, const void *b)
{
    const struct draw *p = a, *q = b;
    if (p->makespan_s != q->makespan_s)
        return p->makespan_s < q->makespan_s ? -1 : 1;
    return (p->run > q->run) - (p->run < q->run);
}

/* As many as the packages of the first one leave room for; *run: that of the median, -1: too few.
 */
static bool median_find(struct typical *typical, int64_t *run, struct failure *failure)
{
    struct draw draws[DRAWS_MOST];
    int64_t count = DRAWS_MOST;
    *run = -1;
    for (int64_t k = 0; k < count; k++) {
        struct simulation simulation;
        if (!draw_simulate(typical, k, NULL, &simulation, failure))
            return false;
        draws[k] = (struct draw){simulation.makespan_s, k};
        const int64_t room = PACKAGES_MOST / typical->packages;
        if (k == 0 && room < count)
            count = room - 1 + room % 2;
        if (count < DRAWS_LEAST)
            return true;
    }
    qsort(draws, (size_t)count, sizeof *draws, by_makespan);
    *run = draws[count / 2].run;
    return true;
}

static bool typical_draw(struct typical *typical, struct trace *trace,
                         struct simulation *simulation, struct failure *failure)
{
    const struct scenario usual = SCENARIO_INIT;
    int64_t run;
    if (!median_find(typical, &run, failure))
        return false;
    return run < 0 ? rule_simulate(typical->request, &usual, trace, simulation, failure)
                   : draw_simulate(typical, run, trace, simulation, failure);
}

bool typical_simulate(const struct typical_request *request, struct trace *trace,
                      struct simulation *simulation, struct failure *failure)
{
    const struct scenario usual = SCENARIO_INIT;
    const struct interval_request packages = {.profile = request->profile,
                                              .setting = request->setting,
                                              .plan = request->plan,
                                              .seed = 1,
                                              .packages_only = true};
    struct typical typical = {.request = request};
    if (!interval_known(request->profile, request->setting))
        return rule_simulate(request, &usual, trace, simulation, failure);
    const bool good = drawing_init(&typical.drawing, &packages)
                          ? typical_draw(&typical, trace, simulation, failure)
                          : failure_memory(failure, "simulating a rule");
    drawing_release(&typical.drawing);
    return good;
}
