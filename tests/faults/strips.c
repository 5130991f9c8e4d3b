/* Runs of strips over the simulated link: messages that are late and in another order, workers of
 * changing speed, so that strips get other widths, requests to stop at any moment, grids that
 * cannot be kept or are damaged, and workers that are killed, which the master notices late, with
 * or without others to take their places. In every case the grid is that of one strip, to the bit.
 * Where nothing is late, a run takes as long as it is simulated to
 * (planner/strips/strips_simulate.h). Everything follows from a seed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/strips/strips_simulate.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/strips/exchange_probe.h"
#include "spmd/strips/strips_run.h"
#include "tests/faults/strips_grid.h"
#include "tests/faults/world.h"

enum { ITERATIONS_MOST = 60, PARTS_MOST = 6 };
static const double part_most_s = 1e5;
/* When a part begins, on the world's clock. */
static const double start_s = 1000;

/* Of all trials. */
static struct {
    int64_t rebalanced, stops, failures, damaged, losses, spares, survived, simulated;
} counts;

/* What all ranks of a trial see. */
static struct {
    struct strips_plan plan;
    struct strip strips[RANKS_MOST];
    struct jacobi_values values;
    struct strips_run run;
    double s_per_column[RANKS_MOST]; /* of each rank, alone on its processor */
    double unsteady;                 /* and by how much longer it may take, by chance */
    struct availability others;      /* processors that others use as well; without places: none */
    double late_s;                   /* after which the master notices that a worker was killed */
    int status;                      /* of the master, in the last part */
    struct strips_outcome outcome;   /* of the master, where it is compared */
    bool compared;
} trial;

/* ---- the definition ------------------------------------------------------------------------ */

static double expected[COLUMNS_MOST][ROWS_MOST];

/* Computes the grid as one strip. Returns how many iterations there are until the run may end. */
static int64_t expected_make(void)
{
    const struct strips_job *job = &trial.plan.job;
    static double arrays[2][(COLUMNS_MOST + 2) * (ROWS_MOST + 2)];
    struct jacobi_strip strip = {.rows = job->rows,
                                 .columns = job->columns,
                                 .now = arrays[0],
                                 .next = arrays[1],
                                 .threads = 1};
    int64_t done = 0;
    jacobi_strip_begin(&strip, &trial.values);
    for (bool over = false; !over;) {
        jacobi_strip_step(&strip, 1, job->columns + 1, (struct jacobi_pulse){NULL, NULL});
        const double change = jacobi_strip_change(&strip);
        double *before = strip.now;
        strip.now = strip.next;
        strip.next = before;
        done++;
        over = done == job->iterations ||
               (done % job->every == 0 && job->tolerance > 0 && change <= job->tolerance);
    }
    for (int64_t column = 0; column < job->columns; column++)
        memcpy(expected[column], jacobi_column(&strip, strip.now, column + 1),
               (size_t)job->rows * sizeof(double));
    return done;
}

/* ---- ranks --------------------------------------------------------------------------------- */

/* How ranks notice that others are gone: the master late, a worker when it looks. */
struct watch {
    struct comm_watch base;
    double gone_s[RANKS_MOST]; /* at the master: since when; 0: it is there */
    bool told[RANKS_MOST];
};

static void watch_look(void *self)
{
    struct watch *watch = self;
    watch->base.next_s = 0;
    if (world.current->number > 0 && world.rank[0].state == RANK_KILLED)
        world_leave(world.current, RANK_ENDED, FAILURE_STOPPED);
}

/* Computing a column takes a rank its time. */
static void column_last(void)
{
    const int rank = world.current->number;
    const struct availability_series *series = availability_of(&trial.others, rank - 1);
    const double alone_s =
        trial.s_per_column[rank] * dice_between(&world.dice, 1, 1 + trial.unsteady);
    world_sleep(series
                    ? availability_lasts(series, OPERATION_COMPUTE, world.now_s - start_s, alone_s)
                    : alone_s,
                false);
}

bool __real_jacobi_strip_step(const struct jacobi_strip *strip, int64_t first, int64_t end,
                              struct jacobi_pulse pulse);
bool __wrap_jacobi_strip_step(const struct jacobi_strip *strip, int64_t first, int64_t end,
                              struct jacobi_pulse pulse);
bool __wrap_jacobi_strip_step(const struct jacobi_strip *strip, int64_t first, int64_t end,
                              struct jacobi_pulse pulse)
{
    bool good = true;
    if (!world.current)
        return __real_jacobi_strip_step(strip, first, end, pulse);
    for (; good && first < end; first++) {
        column_last();
        good = __real_jacobi_strip_step(strip, first, first + 1, pulse);
    }
    return good;
}

static bool poll_gone(void *self, struct comm_event *event)
{
    struct watch *watch = self;
    for (int rank = 1; world.current->number == 0 && rank < world.ranks; rank++) {
        if (watch->told[rank] || world.rank[rank].state != RANK_KILLED)
            continue;
        if (!(watch->gone_s[rank] > 0))
            watch->gone_s[rank] = world.now_s;
        watch->told[rank] = world.now_s - watch->gone_s[rank] >= trial.late_s;
        *event = (struct comm_event){.news = COMM_LOST, .peer = rank, .why = "it was killed"};
        if (watch->told[rank])
            return true;
    }
    return false;
}

/* Copies what the comparison needs, as it must outlive the master. */
static void outcome_copy(const struct strips_outcome *outcome)
{
    static struct strip_measured strips[RANKS_MOST];
    static struct strips_loss losses[RANKS_MOST];
    trial.outcome = *outcome;
    trial.outcome.strips = strips;
    trial.outcome.losses = losses;
    memcpy(strips, outcome->strips, outcome->strip_count * sizeof *strips);
    memcpy(losses, outcome->losses, outcome->loss_count * sizeof *losses);
}

static void master_run(const struct strips_run *run, struct failure *failure)
{
    struct strips_master *master;
    if (!strips_master_new(run, &simulated_grid, &master, failure))
        return;
    const struct strips_outcome *outcome = strips_master_outcome(master);
    strips_master_run(master, failure);
    counts.rebalanced += outcome->rebalanced;
    counts.losses += (int64_t)outcome->loss_count;
    counts.survived += outcome->loss_count > 0 && outcome->complete;
    for (size_t k = 0; k < outcome->loss_count; k++)
        counts.spares += outcome->losses[k].spare > 0;
    if (trial.compared)
        outcome_copy(outcome);
    if (!(outcome->total_s >= 0 && outcome->test_s >= 0 && outcome->lost_s >= 0 &&
          outcome->gather_s >= 0))
        world_wrong("times are negative");
    strips_master_end(master, failure);
    strips_master_free(&master);
}

static void worker_run(const struct strips_run *run, struct failure *failure)
{
    struct strips_worker *worker;
    struct strips_end end;
    if (!strips_worker_new(run, &worker, failure))
        return;
    strips_worker_run(worker, &end);
    strips_worker_free(&worker);
}

static void rank_main(void)
{
    struct failure failure = FAILURE_INIT;
    struct comm comm;
    struct watch watch = {.base = {.look = watch_look, .poll = poll_gone, .self = &watch}};
    comm_init(&comm, (struct link){0});
    comm_watch_add(&comm, &watch.base);
    struct strips_run run = trial.run;
    run.comm = &comm;
    if (comm.rank == 0)
        master_run(&run, &failure);
    else
        worker_run(&run, &failure);
    if (comm.rank == 0)
        trial.status = (int)failure.code;
    world_say("rank %d ends%s%s", comm.rank, failure.text[0] ? ": " : "", failure.text);
    world_leave(world.current, RANK_ENDED, 0);
}

/* ---- what a border costs --------------------------------------------------------------------- */

static struct exchange_sample sampled[EXCHANGE_SIZES];
static int sample_count;

static void probe_main(void)
{
    struct failure failure = FAILURE_INIT;
    struct exchange_sample samples[EXCHANGE_SIZES] = {{0}};
    struct comm comm;
    int count = 0;
    comm_init(&comm, (struct link){0});
    if (!exchange_probe(&comm, 4096, samples, &count, &failure))
        world_wrong("an exchange cannot be measured: %s", failure.text);
    if (comm.rank == 0) {
        memcpy(sampled, samples, sizeof sampled);
        sample_count = count;
    }
    world_leave(world.current, RANK_ENDED, 0);
}

/* A message takes one to two latencies; a strip with two neighbours exchanges with both at the same
 * time. */
static void probe_try(uint64_t seed)
{
    world.dice = (struct dice){seed};
    const int workers = 1 + (int)dice_below(&world.dice, RANKS_MOST - 1);
    world.weather = (struct weather){.latency_s = dice_about(&world.dice, 1e-5, 0.01),
                                     .eager = dice_hit(&world.dice, 0.5) ? 100 : SIZE_MAX};
    const double latency_s = world.weather.latency_s;
    world_begin(workers + 1, probe_main);
    if (!world_run(part_most_s))
        world_wrong("measuring exchanges does not end");
    world_end();
    if (sample_count != (workers > 1 ? EXCHANGE_SIZES : 0))
        world_wrong("%d samples of %d workers", sample_count, workers);
    for (int k = 0; k < sample_count; k++)
        if (!(sampled[k].seconds > 0.4 * latency_s && sampled[k].seconds < 3 * latency_s) ||
            !(sampled[k].deviation_s > 0) || sampled[k].bytes > 4096)
            world_wrong("a border of %zu bytes takes %g s at a latency of %g s", sampled[k].bytes,
                        sampled[k].seconds, latency_s);
}

/* ---- chance ---------------------------------------------------------------------------------- */

static void plan_draw(void)
{
    struct dice *dice = &world.dice;
    struct strips_job *job = &trial.plan.job;
    job->rows = 1 + (int64_t)dice_below(dice, ROWS_MOST);
    job->columns = 1 + (int64_t)dice_below(dice, COLUMNS_MOST);
    job->iterations = 1 + (int64_t)dice_below(dice, ITERATIONS_MOST);
    job->every = 1 + (int64_t)dice_below(dice, 12);
    job->tolerance = dice_hit(dice, 0.3) ? dice_about(dice, 1e-6, 1e-2) : 0;
    job->keep = dice_hit(dice, 0.4);
    trial.values = (struct jacobi_values){.north = 1, .south = -0.5, .east = 0.3, .inside = 0.1};
    grid_kept.failing = dice_hit(dice, 0.2) ? dice_between(dice, 0.05, 0.5) : 0;
}

static bool asked(void *self)
{
    (void)self;
    return interrupt_asked();
}

/* Any widths for any of the workers, in any order. */
static int strips_draw(void)
{
    struct dice *dice = &world.dice;
    const int most =
        (int)(trial.plan.job.columns < RANKS_MOST - 3 ? trial.plan.job.columns : RANKS_MOST - 3);
    const int count = 1 + (int)dice_below(dice, (uint64_t)most);
    const int workers = count + (int)dice_below(dice, 3);
    int64_t left = trial.plan.job.columns;
    for (int k = 0; k < count; k++) {
        const int64_t room = left - (count - 1 - k);
        const int64_t columns =
            k + 1 == count ? left : 1 + (int64_t)dice_below(dice, (uint64_t)room);
        trial.strips[k] = (struct strip){.rank = k + 1, .columns = columns, .exchange_s = 1e-6};
        left -= columns;
    }
    for (int k = count - 1; k > 0; k--) {
        const int other = (int)dice_below(dice, (uint64_t)k + 1);
        const int64_t rank = trial.strips[k].rank;
        trial.strips[k].rank = trial.strips[other].rank;
        trial.strips[other].rank = rank;
    }
    trial.plan.strips = trial.strips;
    trial.plan.strip_count = (size_t)count;
    return workers;
}

static struct weather weather_draw(void)
{
    struct dice *dice = &world.dice;
    return (struct weather){.latency_s = dice_about(dice, 1e-5, 0.01),
                            .late = dice_hit(dice, 0.6) ? dice_about(dice, 0.01, 0.5) : 0,
                            .late_s = dice_about(dice, 0.02, 3),
                            .eager = dice_hit(dice, 0.5) ? 16 : SIZE_MAX};
}

/* ---- trials ------------------------------------------------------------------------------------
 */

static void trial_begin(uint64_t seed, bool in_file)
{
    static char kernel[] = "jacobi";
    memset(&trial, 0, sizeof trial);
    trial.plan.kernel = kernel;
    world.dice = (struct dice){seed};
    grid_new(in_file);
}

static void trial_end(void)
{
    counts.failures += grid_kept.failures;
    counts.damaged += grid_kept.damaged;
    grid_release();
}

/* ---- as simulated ---------------------------------------------------------------------------- */

/* Nothing is late, borders cost nothing, and one worker may lose half of its processor. */
static void steady_draw(int workers)
{
    struct dice *dice = &world.dice;
    trial.plan.job.tolerance = grid_kept.failing = 0;
    for (int rank = 1; rank <= workers; rank++)
        trial.s_per_column[rank] = dice_about(dice, 0.02, 0.2);
    for (size_t k = 0; k < trial.plan.strip_count; k++)
        trial.strips[k].compute_s =
            trial.s_per_column[trial.strips[k].rank] * (double)trial.strips[k].columns;
    trial.plan.predicted = (struct strips_prediction){.step_s = 0};
    trial.run = (struct strips_run){.plan = &trial.plan,
                                    .values = trial.values,
                                    .threads = 1,
                                    .rebalances = true,
                                    .asked = asked};
    world.weather = (struct weather){.latency_s = 1e-6, .eager = SIZE_MAX};
}

static void others_draw(size_t *places, int workers, double span_s)
{
    struct dice *dice = &world.dice;
    if (!dice_hit(dice, 0.5))
        return;
    struct availability_series *series = availability_series(&trial.others, NULL);
    if (!series || !availability_add(series, 0, 1, 1) ||
        !availability_add(series, dice_between(dice, 0.01, 1) * span_s, 0.5, 1))
        world_wrong("out of memory");
    trial.others.places = places;
    trial.others.workers = workers;
    places[1 + dice_below(dice, (uint64_t)workers)] = 1;
}

/* False: it cannot be simulated. */
static bool simulate(const struct strips_scenario *scenario, struct strips_outcome *outcome)
{
    struct failure failure = FAILURE_INIT;
    if (strips_simulate(&trial.plan, scenario, outcome, &failure))
        return true;
    world_wrong("it cannot be simulated: %s", failure.text);
    return false;
}

static bool losses_alike(const struct strips_outcome *one, const struct strips_outcome *other)
{
    return one->loss_count == other->loss_count && one->complete == other->complete &&
           (one->loss_count == 0 || (one->losses[0].rank == other->losses[0].rank &&
                                     one->losses[0].from == other->losses[0].from &&
                                     one->losses[0].spare == other->losses[0].spare &&
                                     one->losses[0].iterations == other->losses[0].iterations));
}

/* The master looks every quarter of a second, and a worker that waits for a neighbour has computed
 * all that needs no border: so times may differ by up to an iteration for each time that all stop
 * together. */
static double differ_most_s(const struct strips_outcome *simulated)
{
    static const double seen_s = 0.5;
    return seen_s + 2 * simulated->step_s;
}

static void outcomes_compare(const struct strips_outcome *simulated)
{
    const struct strips_outcome *run = &trial.outcome;
    const double off_s = differ_most_s(simulated);
    if (!losses_alike(run, simulated))
        world_wrong("%zu workers lost and %s, and in simulation %zu and %s", run->loss_count,
                    run->complete ? "complete" : "not complete", simulated->loss_count,
                    simulated->complete ? "complete" : "not complete");
    else if (!(fabs(run->total_s - simulated->total_s) <= off_s + 0.02 * simulated->total_s))
        world_wrong("it takes %.3f s, and in simulation %.3f", run->total_s, simulated->total_s);
    else if (!(fabs(run->lost_s - simulated->lost_s) <= off_s))
        world_wrong("%.3f s are lost, and in simulation %.3f", run->lost_s, simulated->lost_s);
    for (size_t k = 0; k < simulated->strip_count && run->rebalanced == simulated->rebalanced; k++)
        if (run->strips[k].rank != simulated->strips[k].rank ||
            llabs(run->strips[k].columns - simulated->strips[k].columns) > 1)
            world_wrong("in the end worker %" PRId64 " has %" PRId64
                        " columns, and in simulation worker %" PRId64 " %" PRId64,
                        run->strips[k].rank, run->strips[k].columns, simulated->strips[k].rank,
                        simulated->strips[k].columns);
    counts.simulated += simulated->loss_count > 0;
}

static void outcome_say(const char *who, const struct strips_outcome *outcome)
{
    world_say("%s: %.3f s, %.3f of an iteration, %.3f lost, %" PRId64 " tests", who,
              outcome->total_s, outcome->step_s, outcome->lost_s, outcome->tests);
    for (size_t k = 0; k < outcome->strip_count; k++)
        world_say("  worker %" PRId64 ": %" PRId64 " columns, %.3f s computing, %.3f s waiting",
                  outcome->strips[k].rank, outcome->strips[k].columns, outcome->strips[k].compute_s,
                  outcome->strips[k].wait_s);
}

static void steady_run(int workers, const struct strips_scenario *scenario)
{
    trial.compared = true;
    grid_begin_part(&trial.plan);
    world_begin(workers + 1, rank_main);
    if (scenario->lost > 0)
        world_event(scenario->lost_s, EVENT_KILL, (int)scenario->lost, 0, NULL);
    if (!world_run(part_most_s))
        world_wrong("the run has not ended after %.0f s", part_most_s);
    world_end();
    grid_end_part(true);
}

/* Runs that tell nothing are left out: a loss so near to a test that the moment decides what is
 * lost, or widths that change at another test when the loss is noticed a little later. */
static bool is_clear(struct strips_scenario scenario, const struct strips_outcome *simulated)
{
    static const double near_s[] = {-1, 0.25, 0.5, 1};
    const double lost_s = scenario.lost_s;
    bool clear = true;
    for (size_t k = 0; clear && k < sizeof near_s / sizeof *near_s; k++) {
        struct strips_outcome other;
        scenario.lost_s = fmax(0, lost_s + near_s[k]);
        clear =
            simulate(&scenario, &other) && losses_alike(&other, simulated) &&
            other.rebalanced == simulated->rebalanced &&
            fabs(other.total_s - simulated->total_s) < fabs(near_s[k]) + differ_most_s(simulated);
        strips_outcome_release(&other);
    }
    return clear;
}

static void simulated_try(uint64_t seed)
{
    size_t places[RANKS_MOST + 1] = {0};
    struct strips_outcome simulated;
    trial_begin(~seed, false);
    plan_draw();
    const int workers = strips_draw();
    steady_draw(workers);
    struct strips_scenario scenario = {
        .availability = &trial.others, .workers = workers, .s_per_column = trial.s_per_column + 1};
    if (!simulate(&scenario, &simulated))
        return;
    const double span_s = simulated.total_s;
    strips_outcome_release(&simulated);
    others_draw(places, workers, span_s);
    if (dice_hit(&world.dice, 0.8)) {
        scenario.lost = trial.strips[dice_below(&world.dice, trial.plan.strip_count)].rank;
        scenario.lost_s = dice_between(&world.dice, 0, 1.2) * span_s;
    }
    if (simulate(&scenario, &simulated)) {
        const bool clear = is_clear(scenario, &simulated);
        steady_run(workers, &scenario);
        outcome_say("run", &trial.outcome);
        outcome_say("simulated", &simulated);
        if (clear && !world.wrong[0])
            outcomes_compare(&simulated);
        strips_outcome_release(&simulated);
    }
    trial.others.places = NULL;
    availability_release(&trial.others);
}

/* ---- whole ----------------------------------------------------------------------------------- */

static void part_run(bool fair)
{
    const int workers = strips_draw();
    grid_begin_part(&trial.plan);
    if (world.wrong[0]) {
        grid_end_part(false);
        return;
    }
    trial.run = (struct strips_run){.plan = &trial.plan,
                                    .values = trial.values,
                                    .threads = 1,
                                    .done = grid_kept.iterations,
                                    .rebalances = dice_hit(&world.dice, 0.7),
                                    .asked = asked};
    world.weather = weather_draw();
    trial.late_s = dice_about(&world.dice, 1e-3, 10);
    trial.unsteady = 0.2;
    for (int rank = 1; rank <= workers; rank++)
        trial.s_per_column[rank] = dice_about(&world.dice, 1e-5, 0.03);
    if (fair)
        grid_kept.failing = 0;
    world_begin(workers + 1, rank_main);
    world_say("part with %d workers, %zu strips of %" PRId64 " columns, from iteration %" PRId64,
              workers, trial.plan.strip_count, trial.plan.job.columns, grid_kept.iterations);
    if (!fair && dice_hit(&world.dice, 0.5)) {
        counts.stops++;
        world_event(dice_about(&world.dice, 1e-3, 10), EVENT_ASK,
                    (int)dice_below(&world.dice, (uint64_t)workers + 1), 0, NULL);
    }
    while (!fair && dice_hit(&world.dice, 0.4)) {
        world_event(dice_about(&world.dice, 1e-3, 10), EVENT_KILL,
                    (int)dice_below(&world.dice, (uint64_t)workers + 1), 0, NULL);
    }
    if (!world_run(part_most_s))
        world_wrong("the part has not ended after %.0f s", part_most_s);
    for (int k = 0; k <= workers; k++)
        if (world_lives(k))
            world_wrong("rank %d waits for ever", k);
    const bool sealed = world.rank[0].state == RANK_ENDED &&
                        (trial.status == FAILURE_NONE || trial.status == FAILURE_STOPPED);
    world_end();
    grid_end_part(sealed);
}

/* Runs parts until all is done; in the last one nothing goes wrong. */
static void parts_run(void)
{
    const int64_t wanted = expected_make();
    for (int part = 0; !grid_kept.complete && !world.wrong[0] && part <= PARTS_MOST; part++)
        part_run(part == PARTS_MOST);
    if (!world.wrong[0] && (!grid_kept.complete || grid_kept.iterations < wanted))
        world_wrong("it ends after %" PRId64 " of %" PRId64 " iterations", grid_kept.iterations,
                    wanted);
    for (int64_t column = 0; grid_kept.iterations == wanted && column < trial.plan.job.columns;
         column++)
        if (memcmp(grid_kept.cells[column], expected[column],
                   (size_t)trial.plan.job.rows * sizeof(double)) != 0)
            world_wrong("column %" PRId64 " is not that of one strip", column);
}

/* Files are slower than memory, so only a few trials use them. */
static bool trial_run(uint64_t seed, FILE *log)
{
    enum { OF_FILES = 8 };
    world.log = log;
    world.wrong[0] = '\0';
    trial_begin(seed, seed % OF_FILES == 0);
    plan_draw();
    parts_run();
    trial_end();
    if (!world.wrong[0])
        probe_try(seed);
    if (!world.wrong[0])
        simulated_try(seed);
    return !world.wrong[0];
}

static int many_run(uint64_t from, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (!trial_run(from + (uint64_t)k, NULL)) {
            printf("seed %" PRIu64 ": %s (replay: strips-simulated --seed %" PRIu64 ")\n",
                   from + (uint64_t)k, world.wrong, from + (uint64_t)k);
            return 1;
        }
    printf("%" PRId64 " runs, rebalanced %" PRId64 " times, asked to stop %" PRId64
           " times, %" PRId64 " grids not kept, %" PRId64 " damaged, %" PRId64
           " workers lost, %" PRId64 " of their places taken, %" PRId64
           " times with the run going on to its end, %" PRId64 " losses as simulated; none wrong\n",
           count, counts.rebalanced, counts.stops, counts.failures, counts.damaged, counts.losses,
           counts.spares, counts.survived, counts.simulated);
    return counts.rebalanced == 0 || counts.stops == 0 || counts.failures == 0 ||
           counts.damaged == 0 || counts.spares == 0 || counts.survived == 0 ||
           counts.simulated == 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--seed") == 0)
        return !trial_run(strtoull(argv[2], NULL, 10), stdout);
    if (argc == 3 && strcmp(argv[1], "--count") == 0)
        return many_run(1, strtoll(argv[2], NULL, 10));
    printf("usage: strips-simulated --seed N | --count N\n");
    return 64;
}
