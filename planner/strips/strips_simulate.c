#include "planner/strips/strips_simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/strips/strips_left.h"

/* What a worker did since the last test. */
struct part {
    double compute_s, wait_s;
};

struct simulator {
    const struct strips_plan *plan;
    const struct strips_scenario *scenario;
    struct strips_outcome *outcome;
    int64_t *widths, *later;           /* owned; by slot; 0: no strip */
    int64_t *having;                   /* owned; the slots with a strip, from west to east, */
    int64_t having_count;              /* and how many they are */
    double *s_per_column;              /* owned; of the worker in that slot */
    double *exchange_s;                /* owned; of one exchange with its neighbours */
    double *ends_s, *before_s;         /* owned; of this iteration and of the one before */
    struct part *parts;                /* owned; since the last test */
    double *paces;                     /* owned; measured seconds per column; 0: not known */
    struct strip_cost *costs;          /* owned; costs by these */
    bool *there, *has;                 /* owned; is the worker there; has it a strip */
    double test_s, gather_s, border_s; /* of one test, of one grid, of one border or column */
    double noted_s;                    /* up to when work is not lost by a loss */
    double stepped_s;                  /* of all iterations so far, */
    int64_t stepped;                   /* and how many that were */
    int64_t kept;                      /* iterations of the grid that was kept last */
    bool lost;                         /* the worker that is to be lost has been lost */
};

/* ---- memory -------------------------------------------------------------------------------- */

static void simulator_release(struct simulator *simulator)
{
    free(simulator->widths);
    free(simulator->later);
    free(simulator->having);
    free(simulator->s_per_column);
    free(simulator->exchange_s);
    free(simulator->ends_s);
    free(simulator->before_s);
    free(simulator->parts);
    free(simulator->paces);
    free(simulator->costs);
    free(simulator->there);
    free(simulator->has);
}

static bool simulator_room(struct simulator *simulator)
{
    const size_t count = simulator->plan->strip_count;
    struct strips_outcome *outcome = simulator->outcome;
    simulator->widths = calloc(count, sizeof *simulator->widths);
    simulator->later = calloc(count, sizeof *simulator->later);
    simulator->having = calloc(count, sizeof *simulator->having);
    simulator->s_per_column = calloc(count, sizeof *simulator->s_per_column);
    simulator->exchange_s = calloc(count, sizeof *simulator->exchange_s);
    simulator->ends_s = calloc(count, sizeof *simulator->ends_s);
    simulator->before_s = calloc(count, sizeof *simulator->before_s);
    simulator->parts = calloc(count, sizeof *simulator->parts);
    simulator->paces = calloc(count, sizeof *simulator->paces);
    simulator->costs = calloc(count, sizeof *simulator->costs);
    simulator->there = calloc(count, sizeof *simulator->there);
    simulator->has = calloc(count, sizeof *simulator->has);
    outcome->strips = calloc(count, sizeof *outcome->strips);
    outcome->losses = calloc(1, sizeof *outcome->losses);
    outcome->strip_count = count;
    return simulator->widths && simulator->later && simulator->having && simulator->s_per_column &&
           simulator->exchange_s && simulator->ends_s && simulator->before_s && simulator->parts &&
           simulator->paces && simulator->costs && simulator->there && simulator->has &&
           outcome->strips && outcome->losses;
}

static void having_find(struct simulator *simulator)
{
    simulator->having_count = 0;
    for (size_t k = 0; k < simulator->plan->strip_count; k++)
        if (simulator->widths[k] > 0)
            simulator->having[simulator->having_count++] = (int64_t)k;
}

static void simulator_fill(struct simulator *simulator)
{
    const struct strips_plan *plan = simulator->plan;
    const struct strips_job *job = &plan->job;
    const double tests = ceil((double)job->iterations / (double)job->every);
    for (size_t k = 0; k < plan->strip_count; k++) {
        const struct strip *strip = &plan->strips[k];
        simulator->widths[k] = strip->columns;
        simulator->s_per_column[k] = strip->compute_s / (double)strip->columns;
        simulator->exchange_s[k] = strip->exchange_s;
        simulator->there[k] = true;
        simulator->outcome->strips[k].rank = strip->rank;
    }
    having_find(simulator);
    simulator->test_s = plan->predicted.test_s / tests;
    simulator->gather_s = plan->predicted.gather_s / (job->keep ? tests : 1);
    simulator->border_s = plan->strips[0].exchange_s;
}

/* ---- iterations ---------------------------------------------------------------------------- */

static int64_t rank_of(const struct simulator *simulator, int64_t place)
{
    return simulator->outcome->strips[place].rank;
}

static double lasts(const struct simulator *simulator, int64_t place, enum operation operation,
                    double start_s, double seconds)
{
    const struct availability *availability = simulator->scenario->availability;
    const struct availability_series *series =
        availability ? availability_of(availability, rank_of(simulator, place) - 1) : NULL;
    return series ? availability_lasts(series, operation, start_s, seconds) : seconds;
}

/* When strip `at`, among those there are, has its borders: after it and its neighbours have done
 * the iteration before. */
static double begins_s(const struct simulator *simulator, int64_t at)
{
    const double *before_s = simulator->before_s;
    double start_s = before_s[simulator->having[at]];
    if (at > 0)
        start_s = fmax(start_s, before_s[simulator->having[at - 1]]);
    if (at + 1 < simulator->having_count)
        start_s = fmax(start_s, before_s[simulator->having[at + 1]]);
    return start_s;
}

static void iteration_simulate(struct simulator *simulator)
{
    double *before_s = simulator->before_s;
    simulator->before_s = simulator->ends_s;
    simulator->ends_s = before_s;
    for (int64_t at = 0; at < simulator->having_count; at++) {
        const int64_t k = simulator->having[at];
        const double columns_s = simulator->s_per_column[k] * (double)simulator->widths[k];
        const double start_s = begins_s(simulator, at);
        const double borders_s =
            lasts(simulator, k, OPERATION_LINK, start_s, simulator->exchange_s[k]);
        const double compute_s =
            lasts(simulator, k, OPERATION_COMPUTE, start_s + borders_s, columns_s);
        simulator->ends_s[k] = start_s + borders_s + compute_s;
        simulator->parts[k].compute_s += compute_s;
        simulator->parts[k].wait_s += start_s - simulator->before_s[k] + borders_s;
    }
}

static double latest_s(const struct simulator *simulator)
{
    double latest = 0;
    for (int64_t at = 0; at < simulator->having_count; at++)
        latest = fmax(latest, simulator->ends_s[simulator->having[at]]);
    return latest;
}

static void all_wait(struct simulator *simulator, double until_s)
{
    for (int64_t at = 0; at < simulator->having_count; at++)
        simulator->ends_s[simulator->having[at]] = until_s;
}

/* ---- tests --------------------------------------------------------------------------------- */

/* Updates measured speeds as a run does: the old value counts half. */
static void paces_take(struct simulator *simulator, double done)
{
    for (size_t k = 0; k < simulator->plan->strip_count; k++) {
        struct part *part = &simulator->parts[k];
        simulator->has[k] = simulator->widths[k] > 0;
        simulator->costs[k] = (struct strip_cost){0, simulator->plan->strips[k].exchange_s};
        if (!simulator->has[k])
            continue;
        const double now_s = part->compute_s / done / (double)simulator->widths[k];
        simulator->paces[k] = simulator->paces[k] > 0 ? (now_s + simulator->paces[k]) / 2 : now_s;
        simulator->costs[k].s_per_column = simulator->paces[k];
        simulator->outcome->strips[k].compute_s += part->compute_s;
        simulator->outcome->strips[k].wait_s += part->wait_s;
        *part = (struct part){0, 0};
    }
}

/* Changes widths where that is worth it; *moving_s becomes the time of moving columns, 0: widths
 * stay. False: out of memory. */
static bool widths_change(struct simulator *simulator, double left, double *moving_s)
{
    const struct strips_plan *plan = simulator->plan;
    const int64_t count = (int64_t)plan->strip_count;
    *moving_s = 0;
    if (simulator->having_count < 2 || !(left > 0))
        return true;
    const int64_t having =
        strips_left_plan(plan, simulator->paces, simulator->has, simulator->later);
    if (having < simulator->having_count ||
        !strips_pay(simulator->costs, count, simulator->widths, simulator->later, left,
                    simulator->border_s))
        return having >= 0;
    *moving_s =
        (double)strips_moved(simulator->widths, simulator->later, count) * simulator->border_s;
    memcpy(simulator->widths, simulator->later, plan->strip_count * sizeof *simulator->widths);
    simulator->outcome->rebalanced++;
    return true;
}

/* ---- a loss -------------------------------------------------------------------------------- */

/* The slot of the strip that is to be lost; negative: none is. */
static int64_t place_lost(const struct simulator *simulator)
{
    for (int64_t at = 0; at < simulator->having_count && !simulator->lost; at++)
        if (rank_of(simulator, simulator->having[at]) == simulator->scenario->lost)
            return simulator->having[at];
    return -1;
}

static bool is_lost_before(const struct simulator *simulator, double until_s)
{
    return place_lost(simulator) >= 0 && simulator->scenario->lost_s < until_s;
}

/* The first rank without a strip in the plan; 0: there is none. */
static int64_t spare_find(const struct simulator *simulator)
{
    const struct strips_plan *plan = simulator->plan;
    for (int64_t rank = 1; rank <= simulator->scenario->workers; rank++) {
        size_t k = 0;
        while (k < plan->strip_count && plan->strips[k].rank != rank)
            k++;
        if (k == plan->strip_count)
            return rank;
    }
    return 0;
}

static void place_give(struct simulator *simulator, int64_t place, int64_t spare)
{
    const double *s_per_column = simulator->scenario->s_per_column;
    if (s_per_column)
        simulator->s_per_column[place] *=
            s_per_column[spare - 1] / s_per_column[rank_of(simulator, place) - 1];
    simulator->outcome->strips[place].rank = spare;
    simulator->paces[place] = 0;
}

/* Divides the grid among the workers that are left. False: out of memory. */
static bool widths_renew(struct simulator *simulator)
{
    if (strips_left_plan(simulator->plan, simulator->paces, simulator->there, simulator->widths) <
        0)
        return false;
    having_find(simulator);
    for (int64_t at = 0; at < simulator->having_count; at++)
        simulator->exchange_s[simulator->having[at]] =
            ((at > 0) + (at + 1 < simulator->having_count)) * simulator->border_s;
    return true;
}

static bool loss_note(struct simulator *simulator, int64_t spare)
{
    struct strips_outcome *outcome = simulator->outcome;
    outcome->losses[0] = (struct strips_loss){.rank = simulator->scenario->lost,
                                              .iterations = outcome->iterations,
                                              .from = simulator->kept,
                                              .spare = spare,
                                              .at_s = simulator->scenario->lost_s,
                                              .why = strdup("as asked for")};
    outcome->loss_count = outcome->losses[0].why != NULL;
    return outcome->losses[0].why != NULL;
}

/* All work since noted_s is lost, and all strips begin again with the grid that was kept. */
static void begin_anew(struct simulator *simulator)
{
    struct strips_outcome *outcome = simulator->outcome;
    const bool scatters = simulator->kept > 0 && simulator->having_count > 0;
    const double begun_s = simulator->scenario->lost_s + (scatters ? simulator->gather_s : 0);
    memset(simulator->parts, 0, simulator->plan->strip_count * sizeof *simulator->parts);
    outcome->lost_s += begun_s - simulator->noted_s;
    outcome->iterations = simulator->kept;
    simulator->noted_s = begun_s;
    all_wait(simulator, begun_s);
}

/* False: out of memory. */
static bool loss_simulate(struct simulator *simulator)
{
    const int64_t place = place_lost(simulator), spare = spare_find(simulator);
    simulator->lost = true;
    if (!loss_note(simulator, spare))
        return false;
    if (spare > 0)
        place_give(simulator, place, spare);
    else
        simulator->there[place] = false;
    if (spare == 0 && !widths_renew(simulator))
        return false;
    begin_anew(simulator);
    return true;
}

/* ---- whole --------------------------------------------------------------------------------- */

/* All workers have reported: work up to now is not lost any more. */
static void reports_take(struct simulator *simulator, int64_t stop, double start_s)
{
    const double end_s = latest_s(simulator),
                 done = (double)(stop - simulator->outcome->iterations);
    simulator->stepped_s += end_s - start_s;
    simulator->stepped += stop - simulator->outcome->iterations;
    simulator->outcome->iterations = stop;
    simulator->outcome->tests++;
    simulator->noted_s = end_s + simulator->test_s;
    paces_take(simulator, done);
}

/* Simulates the iterations up to a test, and the test. False: out of memory. */
static bool segment_simulate(struct simulator *simulator, int64_t stop)
{
    const struct strips_job *job = &simulator->plan->job;
    const bool keeps = job->keep || stop == job->iterations;
    const double start_s = latest_s(simulator);
    double moving_s = 0;
    for (int64_t k = simulator->outcome->iterations; k < stop; k++)
        iteration_simulate(simulator);
    if (is_lost_before(simulator, latest_s(simulator) + simulator->test_s))
        return loss_simulate(simulator);
    reports_take(simulator, stop, start_s);
    if (keeps && is_lost_before(simulator, simulator->noted_s + simulator->gather_s))
        return loss_simulate(simulator);
    if (keeps) {
        simulator->kept = stop;
        simulator->outcome->gather_s += simulator->gather_s;
        simulator->noted_s += simulator->gather_s;
    }
    const bool good = widths_change(simulator, (double)(job->iterations - stop), &moving_s);
    all_wait(simulator, simulator->noted_s + moving_s);
    return good;
}

static void outcome_fill(struct simulator *simulator)
{
    struct strips_outcome *outcome = simulator->outcome;
    outcome->simulated = true;
    outcome->complete = outcome->iterations >= simulator->plan->job.iterations;
    outcome->total_s = simulator->noted_s;
    outcome->step_s = simulator->stepped_s / fmax(1, (double)simulator->stepped);
    outcome->test_s =
        fmax(0, outcome->total_s - simulator->stepped_s - outcome->gather_s - outcome->lost_s);
    for (size_t k = 0; k < simulator->plan->strip_count; k++)
        outcome->strips[k].columns = simulator->widths[k];
}

static bool all_simulate(struct simulator *simulator)
{
    const struct strips_outcome *outcome = simulator->outcome;
    const struct strips_job *job = &simulator->plan->job;
    while (outcome->iterations < job->iterations && simulator->having_count > 0) {
        const int64_t next = (outcome->iterations / job->every + 1) * job->every;
        if (!segment_simulate(simulator, next < job->iterations ? next : job->iterations))
            return false;
    }
    outcome_fill(simulator);
    return true;
}

static bool plan_check(const struct strips_plan *plan, struct failure *failure)
{
    const double all = (double)plan->job.iterations * (double)plan->strip_count;
    if (all > STRIPS_SIMULATED_MOST)
        return failure_set(
            failure, FAILURE_USAGE,
            "%.3g iterations of strips are too many to be simulated: plan fewer, up to %.0g", all,
            STRIPS_SIMULATED_MOST);
    for (size_t k = 0; k < plan->strip_count; k++)
        if (!(plan->strips[k].compute_s > 0))
            return failure_set(failure, FAILURE_MISMATCH,
                               "the plan does not say what the strip of worker %" PRId64
                               " takes: make it from a profile",
                               plan->strips[k].rank);
    return true;
}

bool strips_simulate(const struct strips_plan *plan, const struct strips_scenario *scenario,
                     struct strips_outcome *outcome, struct failure *failure)
{
    struct simulator simulator = {.plan = plan, .scenario = scenario, .outcome = outcome};
    *outcome = (struct strips_outcome){.strips = NULL};
    if (!plan_check(plan, failure))
        return false;
    bool good = simulator_room(&simulator);
    if (good) {
        simulator_fill(&simulator);
        good = all_simulate(&simulator);
    }
    simulator_release(&simulator);
    if (!good) {
        strips_outcome_release(outcome);
        return failure_memory(failure, "simulating strips");
    }
    return true;
}
