/*
 * Runs of strips over the simulated link: messages late and in another order, workers of changing
 * speed, so that strips get other widths, requests to stop at any moment, grids that cannot be
 * kept, and workers that are killed, of which the master hears late. Whatever happens, the grid is
 * that of one strip, to the bit. Everything follows from a seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/protocol/interrupt.h"
#include "spmd/strips/exchange_probe.h"
#include "spmd/strips/strips_run.h"
#include "tests/faults/world.h"

enum { ROWS_MOST = 6, COLUMNS_MOST = 24, ITERATIONS_MOST = 60, PARTS_MOST = 6 };
static const double part_most_s = 1e5;

/* What all ranks of a trial see. */
static struct {
    struct strips_plan plan;
    struct strip strips[RANKS_MOST];
    struct jacobi_values values;
    struct strips_run run;
    /* The master's file: what is kept, and what is being written. */
    double kept[COLUMNS_MOST][ROWS_MOST], draft[COLUMNS_MOST][ROWS_MOST];
    int64_t iterations; /* that it is of */
    bool filled[COLUMNS_MOST];
    double failing; /* probability that a column cannot be kept */
    bool complete;
    int64_t rebalanced, stops, failures, losses, survived;
    bool killed;   /* somebody is, in this part */
    double late_s; /* after which the master sees that */
    int status;    /* the master's, in the last part */
} trial;

/* ---- the definition ------------------------------------------------------------------------ */

static double expected[COLUMNS_MOST][ROWS_MOST];

/* In one strip. Returns how many iterations there are until the run may end. */
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

/* ---- the grid's file ------------------------------------------------------------------------- */

static bool grid_begin(void *self, struct failure *failure)
{
    (void)self, (void)failure;
    memset(trial.filled, 0, sizeof trial.filled);
    return true;
}

static bool grid_put(void *self, int64_t first, int64_t count, const double *columns,
                     int64_t stride, struct failure *failure)
{
    (void)self;
    if (dice_hit(&world.dice, trial.failing)) {
        trial.failures++;
        return failure_set(failure, FAILURE_FAILED, "the disk is full");
    }
    for (int64_t k = 0; k < count; k++) {
        if (trial.filled[first + k])
            world_wrong("column %" PRId64 " comes twice", first + k);
        trial.filled[first + k] = true;
        memcpy(trial.draft[first + k], columns + k * stride,
               (size_t)trial.plan.job.rows * sizeof(double));
    }
    return true;
}

static bool grid_end(void *self, const struct strips_outcome *outcome, struct failure *failure)
{
    (void)self, (void)failure;
    for (int64_t k = 0; k < trial.plan.job.columns; k++)
        if (!trial.filled[k])
            world_wrong("column %" PRId64 " is missing", k);
    memcpy(trial.kept, trial.draft, sizeof trial.kept);
    trial.iterations = outcome->iterations;
    trial.complete = outcome->complete;
    return true;
}

static bool grid_get(void *self, int64_t first, int64_t count, double *columns, int64_t stride,
                     struct failure *failure)
{
    (void)self, (void)failure;
    for (int64_t k = 0; k < count; k++)
        memcpy(columns + k * stride, trial.kept[first + k],
               (size_t)trial.plan.job.rows * sizeof(double));
    return true;
}

static const struct strips_grid grid = {grid_begin, grid_put, grid_end, grid_get, NULL};

/* ---- ranks --------------------------------------------------------------------------------- */

/* How computing takes time, of each rank another one, and how ranks see that others are gone: the
 * master late, a worker when it looks. */
struct slow {
    struct comm_watch base;
    double step_s;
    double gone_s[RANKS_MOST]; /* the master's: since when; 0: it is there */
    bool told[RANKS_MOST];
};

static void slow_look(void *self)
{
    struct slow *slow = self;
    slow->base.next_s = 0;
    if (world.current->number > 0 && world.rank[0].state == RANK_KILLED)
        world_leave(world.current, RANK_ENDED, FAILURE_STOPPED);
    if (world.current->number > 0)
        world_sleep(slow->step_s * dice_between(&world.dice, 1, 1.2), false);
}

static bool poll_gone(void *self, struct comm_event *event)
{
    struct slow *slow = self;
    for (int rank = 1; world.current->number == 0 && rank < world.ranks; rank++) {
        if (slow->told[rank] || world.rank[rank].state != RANK_KILLED)
            continue;
        if (!(slow->gone_s[rank] > 0))
            slow->gone_s[rank] = world.now_s;
        slow->told[rank] = world.now_s - slow->gone_s[rank] >= trial.late_s;
        *event = (struct comm_event){.news = COMM_LOST, .peer = rank, .why = "it was killed"};
        if (slow->told[rank])
            return true;
    }
    return false;
}

static void master_run(const struct strips_run *run, struct failure *failure)
{
    struct strips_master *master;
    if (!strips_master_new(run, &grid, &master, failure))
        return;
    const struct strips_outcome *outcome = strips_master_outcome(master);
    strips_master_run(master, failure);
    trial.rebalanced += outcome->rebalanced;
    trial.losses += (int64_t)outcome->loss_count;
    trial.survived += outcome->loss_count > 0 && outcome->complete;
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
    struct slow slow = {.base = {.look = slow_look, .poll = poll_gone, .self = &slow},
                        .step_s = dice_about(&world.dice, 1e-5, 0.1)};
    comm_init(&comm, (struct link){0});
    comm_watch_add(&comm, &slow.base);
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

/* A message takes one to two latencies; who has two neighbours exchanges with both at once. */
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
    trial.failing = dice_hit(dice, 0.2) ? dice_between(dice, 0.05, 0.5) : 0;
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
        (int)(trial.plan.job.columns < RANKS_MOST - 2 ? trial.plan.job.columns : RANKS_MOST - 2);
    const int count = 1 + (int)dice_below(dice, (uint64_t)most);
    const int workers = count + (int)dice_below(dice, 2);
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

/* ---- whole ----------------------------------------------------------------------------------- */

static void part_run(bool fair)
{
    const int workers = strips_draw();
    trial.run = (struct strips_run){.plan = &trial.plan,
                                    .values = trial.values,
                                    .threads = 1,
                                    .done = trial.iterations,
                                    .rebalances = dice_hit(&world.dice, 0.7),
                                    .asked = asked};
    world.weather = weather_draw();
    trial.late_s = dice_about(&world.dice, 1e-3, 10);
    trial.killed = false;
    if (fair)
        trial.failing = 0;
    world_begin(workers + 1, rank_main);
    world_say("part with %d workers, %zu strips of %" PRId64 " columns, from iteration %" PRId64,
              workers, trial.plan.strip_count, trial.plan.job.columns, trial.iterations);
    if (!fair && dice_hit(&world.dice, 0.5)) {
        trial.stops++;
        world_event(dice_about(&world.dice, 1e-3, 10), EVENT_ASK,
                    (int)dice_below(&world.dice, (uint64_t)workers + 1), 0, NULL);
    }
    while (!fair && dice_hit(&world.dice, 0.4)) {
        trial.killed = true;
        world_event(dice_about(&world.dice, 1e-3, 10), EVENT_KILL,
                    (int)dice_below(&world.dice, (uint64_t)workers + 1), 0, NULL);
    }
    if (!world_run(part_most_s))
        world_wrong("the part has not ended after %.0f s", part_most_s);
    for (int k = 0; k <= workers; k++)
        if (world_lives(k))
            world_wrong("rank %d waits for ever", k);
    world_end();
}

static bool trial_run(uint64_t seed, FILE *log)
{
    const int64_t rebalanced = trial.rebalanced, stops = trial.stops, failures = trial.failures;
    const int64_t losses = trial.losses, survived = trial.survived;
    memset(&trial, 0, sizeof trial);
    trial.rebalanced = rebalanced, trial.stops = stops, trial.failures = failures;
    trial.losses = losses, trial.survived = survived;
    world.dice = (struct dice){seed};
    world.log = log;
    world.wrong[0] = '\0';
    plan_draw();
    const int64_t wanted = expected_make();
    for (int part = 0; !trial.complete && !world.wrong[0] && part <= PARTS_MOST; part++)
        part_run(part == PARTS_MOST);
    if (!world.wrong[0] && (!trial.complete || trial.iterations < wanted))
        world_wrong("it ends after %" PRId64 " of %" PRId64 " iterations", trial.iterations,
                    wanted);
    if (!world.wrong[0])
        probe_try(seed);
    for (int64_t column = 0; trial.iterations == wanted && column < trial.plan.job.columns;
         column++)
        if (memcmp(trial.kept[column], expected[column],
                   (size_t)trial.plan.job.rows * sizeof(double)) != 0)
            world_wrong("column %" PRId64 " is not that of one strip", column);
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
           " times, %" PRId64 " grids not kept, %" PRId64 " workers lost, %" PRId64
           " times with the run going on to its end; none wrong\n",
           count, trial.rebalanced, trial.stops, trial.failures, trial.losses, trial.survived);
    return trial.rebalanced == 0 || trial.stops == 0 || trial.failures == 0 || trial.survived == 0;
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
