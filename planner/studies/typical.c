#include "planner/studies/typical.h"

#include "planner/simulate/ensemble.h"
#include "planner/studies/cost_sample.h"

/* How many simulations there are, and packages in all of them; an odd number of simulations has one
 * with the median. */
enum { RUNS_MOST = 101, RUNS_LEAST = 11, PACKAGES_MOST = 1000000 };

struct typical {
    const struct typical_request *request;
    struct cost_sample sample; /* owned */
    struct variation sampled;  /* of that sample */
    int64_t packages;          /* priced so far */
};

static void package_price(void *self, const struct package *package, struct star_cost *cost)
{
    struct typical *typical = self;
    typical->packages++;
    typical->sampled.price(typical->sampled.self, package, cost);
}

static void run_begin(void *self, int64_t run)
{
    struct typical *typical = self;
    typical->sampled.begin(typical->sampled.self, run);
}

static struct variation variation_of(struct typical *typical)
{
    return (struct variation){.begin = run_begin,
                              .price = package_price,
                              .self = typical,
                              .drawn = typical->sampled.drawn};
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

static bool runs_simulate(struct typical *typical, int64_t runs, struct ensemble *ensemble,
                          struct failure *failure)
{
    const struct decision decision = {.setup = typical->request->rule};
    const struct variation variation = variation_of(typical);
    struct scenario scenario = SCENARIO_INIT;
    const struct ensemble_setup setup = {.platform = typical->request->platform,
                                         .decision = &decision,
                                         .scenario = &scenario,
                                         .runs = runs};
    scenario.variation = &variation;
    return ensemble_simulate(&setup, ensemble, failure);
}

/* Simulates once to see how many packages a simulation has, then as often as PACKAGES_MOST allows,
 * an odd number of times. *ensemble stays empty where that is too few, and is to be released also
 * after false. */
static bool ensemble_make(struct typical *typical, struct ensemble *ensemble,
                          struct failure *failure)
{
    if (!runs_simulate(typical, 1, ensemble, failure))
        return false;
    ensemble_release(ensemble);
    const int64_t room = PACKAGES_MOST / (typical->packages > 0 ? typical->packages : 1);
    const int64_t runs = room < RUNS_MOST ? room - 1 + room % 2 : RUNS_MOST;
    return runs < RUNS_LEAST || runs_simulate(typical, runs, ensemble, failure);
}

/* Repeats the simulation whose makespan is the median or, where there are too few simulations, one
 * without variation. */
static bool typical_run(struct typical *typical, const struct ensemble *ensemble,
                        struct trace *trace, struct simulation *simulation, struct failure *failure)
{
    const struct variation variation = variation_of(typical);
    struct scenario scenario = SCENARIO_INIT;
    if (ensemble->count > 0) {
        scenario.variation = &variation;
        run_begin(typical, ensemble->runs[ensemble->count / 2].number);
    }
    return rule_simulate(typical->request, &scenario, trace, simulation, failure);
}

static bool typical_init(struct typical *typical, const struct typical_request *request,
                         const struct interval_request *drawn, struct failure *failure)
{
    *typical = (struct typical){.request = request};
    if (!cost_sample_init(&typical->sample, drawn))
        return failure_memory(failure, "simulating a rule");
    typical->sampled = cost_sample_variation(&typical->sample);
    return true;
}

/* How costs are drawn for a request. */
static struct interval_request drawn_of(const struct typical_request *request, bool packages_only)
{
    return (struct interval_request){.profile = request->profile,
                                     .setting = request->setting,
                                     .plan = request->plan,
                                     .seed = 1,
                                     .packages_only = packages_only,
                                     .on_request = true};
}

bool typical_simulate(const struct typical_request *request, struct trace *trace,
                      struct simulation *simulation, struct failure *failure)
{
    const struct scenario usual = SCENARIO_INIT;
    const struct interval_request packages = drawn_of(request, true);
    struct ensemble ensemble = {NULL, 0};
    struct typical typical;
    if (!interval_known(request->profile, request->setting))
        return rule_simulate(request, &usual, trace, simulation, failure);
    const bool good = typical_init(&typical, request, &packages, failure) &&
                      ensemble_make(&typical, &ensemble, failure) &&
                      typical_run(&typical, &ensemble, trace, simulation, failure);
    ensemble_release(&ensemble);
    cost_sample_release(&typical.sample);
    return good;
}

bool typical_interval(const struct typical_request *request, double interval_s[2],
                      struct failure *failure)
{
    const struct interval_request everything = drawn_of(request, false);
    struct ensemble ensemble = {NULL, 0};
    struct typical typical;
    interval_s[0] = interval_s[1] = 0;
    if (!interval_known(request->profile, request->setting))
        return true;
    const bool good = typical_init(&typical, request, &everything, failure) &&
                      ensemble_make(&typical, &ensemble, failure);
    if (good && ensemble.count > 0) {
        interval_s[0] = ensemble_quantile(&ensemble, 0.05);
        interval_s[1] = ensemble_quantile(&ensemble, 0.95);
    }
    ensemble_release(&ensemble);
    cost_sample_release(&typical.sample);
    return good;
}
