/* What a run asks the batch system for. */
#include "planner/studies/batch.h"
#include "planner/studies/remaining_plan.h"
#include "tests/checks.h"

#include <math.h>

/* A plan on `workers` of a profile's `measured` ones, that were on `nodes` nodes with the master.
 */
struct sample {
    int64_t workers, measured;
    int nodes, threads;
    double makespan_s, period_s, bytes, bytes_per_task, pace;
    double message, message_per_task;
    struct profile_peaks peaks;
    double jobs;
    struct overhead overhead;
};

static struct batch batch_of(const struct sample *sample)
{
    struct profile_worker class = {.count = sample->measured, .compute = {{0, 1}, {.n = 0}}};
    struct profile_window window = {
        .least = 1, .greatest = 1000, .workers = &class, .worker_count = 1};
    struct profile_setting setting = {.windows = &window,
                                      .window_count = 1,
                                      .memory = {.bytes = sample->bytes,
                                                 .bytes_per_task = sample->bytes_per_task,
                                                 .message = sample->message,
                                                 .message_per_task = sample->message_per_task}};
    struct parameter jobs = {.name = "jobs", .number = sample->jobs};
    const struct profile profile = {.settings = &setting,
                                    .parameters = {.items = &jobs, .count = 1},
                                    .peaks = sample->peaks,
                                    .setting_count = 1,
                                    .overhead = sample->overhead,
                                    .origin = {.nodes = sample->nodes, .threads = sample->threads}};
    double loads[64];
    int64_t workers[64];
    for (int64_t k = 0; k < sample->workers; k++) {
        loads[k] = 10;
        workers[k] = k;
    }
    struct plan_round round = {.repeat = 2, .loads = loads};
    const struct plan plan = {.tasks = 20 * (double)sample->workers,
                              .workers = workers,
                              .worker_count = sample->workers,
                              .rounds = &round,
                              .round_count = 1,
                              .predicted = {.known = true,
                                            .makespan_s = sample->makespan_s,
                                            .period_s = sample->period_s}};
    const struct advice advice = {.plan = &plan,
                                  .profile = &profile,
                                  .setting = &setting,
                                  .risk = 0.01,
                                  .pace = sample->pace};
    struct batch batch;
    batch_find(&advice, &batch);
    return batch;
}

static void assert_spread(int64_t workers, int64_t measured, int nodes, int64_t per_node,
                          int64_t wanted)
{
    const struct sample sample = {.workers = workers, .measured = measured, .nodes = nodes};
    const struct batch batch = batch_of(&sample);
    assert_int_equal(batch.ranks, workers + 1);
    assert_int_equal(batch.ranks_per_node, per_node);
    assert_int_equal(batch.nodes, wanted);
}

/* As many ranks on a node as were measured, and as few nodes as these fill. */
static void ranks_are_spread_as_measured(void **state)
{
    (void)state;
    assert_spread(7, 7, 4, 2, 4);
    assert_spread(6, 7, 4, 2, 4);
    assert_spread(5, 7, 4, 2, 3);
    assert_spread(1, 7, 4, 2, 1);
    assert_spread(15, 7, 4, 2, 8); /* beyond what was measured */
    assert_spread(3, 3, 4, 1, 4);
    assert_spread(10, 10, 4, 3, 4); /* 3, 3, 3, 2 */
    assert_spread(5, 5, 0, 0, 0);
}

/* Start-up (30 s), the makespan and a fifth (no interval is known), the warning (a round, as much
 * longer, and 30 s) and the minute that Slurm may be early. */
static void the_walltime_holds_the_warning(void **state)
{
    (void)state;
    const struct sample sample = {.workers = 1, .measured = 1, .makespan_s = 1000, .period_s = 100};
    const struct batch batch = batch_of(&sample);
    assert_int_equal(batch.warning_s, 150);
    assert_int_equal(batch.walltime_s, 60 * 24);
    assert_true(batch.most_s == 1200);
    assert_true(batch.startup_s + batch.most_s <=
                (double)(batch.walltime_s - batch.warning_s - 60));
}

/* Where the start of ranks or sealing was measured to take long, twice that time is allowed for. */
static void the_walltime_holds_what_was_measured(void **state)
{
    (void)state;
    const struct sample sample = {.workers = 1,
                                  .measured = 1,
                                  .makespan_s = 1000,
                                  .period_s = 100,
                                  .overhead = {.start_s = 150, .seal_s = 90}};
    const struct batch batch = batch_of(&sample);
    assert_true(batch.startup_s == 300);
    assert_int_equal(batch.warning_s, 300);
    assert_int_equal(batch.walltime_s, 60 * 31);
}

/* For what is left of a run that was slower than predicted, the walltime is longer in proportion,
 * plus a round and the fixed times. */
static void the_walltime_keeps_the_pace(void **state)
{
    (void)state;
    const struct sample sample = {
        .workers = 1, .measured = 1, .makespan_s = 1000, .period_s = 100, .pace = 1.5};
    const struct batch batch = batch_of(&sample);
    assert_true(batch.most_s == 1800 && batch.warning_s == 210);
    assert_int_equal(batch.walltime_s, 60 * 35);
}

/* By core tasks, over the parts that measured themselves; never faster than predicted. */
static void the_pace_is_that_of_the_parts(void **state)
{
    (void)state;
    const struct plan plan = {.tasks = 1000, .predicted = {.known = true, .makespan_s = 100}};
    const struct plan unknown = {.tasks = 1000};
    const struct run_part parts[] = {{.makespan_s = 20, .tasks = 100},
                                     {.tasks = 500}, /* killed */
                                     {.makespan_s = 25, .tasks = 200}};
    const struct run_part fast = {.makespan_s = 1, .tasks = 100};
    assert_true(remaining_pace(&plan, parts, COUNT_OF(parts)) == 1.5);
    assert_true(remaining_pace(&plan, &fast, 1) == 1);
    assert_true(remaining_pace(&plan, parts + 1, 1) == 1);
    assert_true(remaining_pace(&plan, NULL, 0) == 1);
    assert_true(remaining_pace(&unknown, parts, COUNT_OF(parts)) == 1);
}

static void memory_is_for_a_full_node(void **state)
{
    (void)state;
    const struct sample known = {
        .workers = 7, .measured = 7, .nodes = 4, .bytes = 4e6, .bytes_per_task = 1e6};
    const struct sample unknown = {.workers = 7, .measured = 7, .nodes = 4};
    assert_true(batch_of(&known).node_bytes == 2 * (4e6 + 10e6 + 256e6));
    assert_true(batch_of(&unknown).node_bytes == 0);
}

static void assert_lines(const struct batch *batch,
                         void (*print)(const struct batch *, struct text *), const char *lines)
{
    struct text text = TEXT_INIT;
    print(batch, &text);
    char *said = text_take(&text);
    assert_string_equal(said, lines);
    free(said);
}

#define REMARK                                                                                     \
    "# a master and 7 workers; exceeded by 1 % of runs: 61.50 s, with 30 s of start-up; warned "   \
    "42 s before the end\n"

static void assert_near(double value, double wanted)
{
    assert_true(fabs(value - wanted) <= 1e-9 * wanted);
}

/* What was measured, with a margin of 12 %, for commands 15 %. Of three ranks on the first node one
 * is the master; other nodes have none. Each worker has as many commands as it runs at a time. */
static void memory_is_what_was_measured(void **state)
{
    (void)state;
    struct sample sample = {
        .workers = 2, .measured = 2, .nodes = 1, .threads = 4, .peaks.rank = 40e6};
    assert_near(batch_of(&sample).node_bytes, 1.12 * 120e6);
    sample.peaks.command = 100e6;
    assert_near(batch_of(&sample).node_bytes, 1.12 * 120e6 + 1.15 * 8 * 100e6);
    sample.jobs = 2;
    assert_near(batch_of(&sample).node_bytes, 1.12 * 120e6 + 1.15 * 4 * 100e6);
    sample.workers = sample.measured = 7, sample.nodes = 2;
    assert_near(batch_of(&sample).node_bytes, 1.12 * 160e6 + 1.15 * 8 * 100e6);
    /* Packages of 10 where those of 1000 were measured; but never below four fifths. */
    sample.peaks = (struct profile_peaks){.rank = 40e6};
    sample.bytes_per_task = 1000;
    assert_near(batch_of(&sample).node_bytes, 1.12 * 4 * (40e6 - 990e3));
    sample.bytes_per_task = 1e6;
    assert_near(batch_of(&sample).node_bytes, 1.12 * 4 * 32e6);
}

/* Where the master was measured, too: with messages of ten core tasks, two packages ahead and one
 * more. */
static void memory_of_the_master_is_its_own(void **state)
{
    (void)state;
    struct sample sample = {.workers = 2,
                            .measured = 2,
                            .nodes = 1,
                            .peaks = {.rank = 40e6, .master = 60e6},
                            .message = 1e6,
                            .message_per_task = 1e5};
    assert_near(batch_of(&sample).node_bytes, 1.06 * (80e6 + 60e6 + 5 * 2e6));
    sample.message = 500e6; /* more than the master sends at a time */
    assert_near(batch_of(&sample).node_bytes, 1.06 * (80e6 + 60e6 + 2 * 501e6));
    sample.message = 99e6;
    assert_near(batch_of(&sample).node_bytes, 1.06 * (80e6 + 60e6 + 256e6));
    /* Of two nodes one is without a master. */
    sample.message = sample.message_per_task = 0;
    sample.peaks.master = 10e6, sample.nodes = 2;
    assert_near(batch_of(&sample).node_bytes, 1.06 * 80e6);
}

/* Ranks 0 to 7 in two parts of the job, or in two groups, of which 0 or 1 and 5 are the masters,
 * each with packages of ten core tasks for three workers (two in the first group), and messages of
 * a MB. */
struct several {
    double loads[3];
    int64_t workers[2][3], tops[2];
    struct plan_round round;
    struct plan parts[2], plan;
};

static void several_init(struct several *several, bool tree)
{
    *several = (struct several){.loads = {10, 10, 10}, .workers = {{1, 2, 3}, {4, 5, 6}}};
    several->round = (struct plan_round){.repeat = 4, .loads = several->loads};
    for (int k = 0; k < 2; k++) {
        several->tops[k] = tree ? 4 * k : 0;
        several->parts[k] = (struct plan){.tasks = 120,
                                          .master = tree ? 4 * k + 1 : 4 * k,
                                          .workers = several->workers[k],
                                          .worker_count = 3,
                                          .rounds = &several->round,
                                          .round_count = 1};
    }
    for (int slot = 0; slot < 3; slot++) { /* the indices behind the master's rank */
        several->workers[0][slot] = several->parts[0].master + slot;
        several->workers[1][slot] = several->parts[1].master + slot;
    }
    several->plan = (struct plan){.tasks = 240,
                                  .predicted = {.known = true, .makespan_s = 400, .period_s = 100}};
    if (tree) {
        several->plan.predicted.period_s = 0; /* they have none in common */
        several->plan.workers = several->tops;
        several->plan.worker_count = 2;
        several->plan.rounds = &several->round;
        several->plan.round_count = 1;
        several->plan.children = several->parts;
        several->plan.child_count = 2;
    } else {
        several->plan.stars = several->parts;
        several->plan.star_count = 2;
    }
}

static struct batch several_batch(const struct several *several, int nodes,
                                  struct profile_peaks peaks)
{
    struct profile_worker class = {.count = 8, .compute = {{0, 1}, {.n = 0}}};
    struct profile_window window = {
        .least = 1, .greatest = 10, .workers = &class, .worker_count = 1};
    struct profile_setting setting = {
        .windows = &window, .window_count = 1, .memory = {.message = 1e6}};
    const struct profile profile = {
        .settings = &setting, .peaks = peaks, .setting_count = 1, .origin = {.nodes = nodes}};
    const struct advice advice = {
        .plan = &several->plan, .profile = &profile, .setting = &setting, .risk = 0.01, .pace = 1};
    struct batch batch;
    batch_find(&advice, &batch);
    return batch;
}

static void all_masters_and_workers_are_asked_for(void **state)
{
    static const struct profile_peaks large = {.rank = 40e6, .master = 60e6},
                                      small = {.rank = 40e6, .master = 10e6};
    const double messages = (3 * 2 + 1) * 1e6; /* two for each of three workers, and one more */
    struct several several;
    (void)state;
    several_init(&several, false);
    struct batch batch = several_batch(&several, 3, large); /* three ranks each: 0-2, 3-5, 6-7 */
    assert_int_equal(batch.ranks, 8);
    assert_int_equal(batch.masters, 2);
    assert_int_equal(batch.nodes, 3);
    assert_near(batch.node_bytes, 1.06 * (2 * 40e6 + 60e6 + messages));
    assert_int_equal(batch.warning_s, (int64_t)(100 * 1.2 + 30)); /* a round */
    batch = several_batch(&several, 1, large);
    assert_near(batch.node_bytes, 1.06 * (7 * 40e6 + 2 * (60e6 + messages)));
    /* Masters need less than workers: the node without any counts. */
    batch = several_batch(&several, 3, small);
    assert_near(batch.node_bytes, 1.06 * 3 * 40e6);

    several_init(&several, true);
    batch = several_batch(&several, 3, large);
    assert_int_equal(batch.ranks, 9);
    assert_int_equal(batch.masters, 3);
    assert_near(batch.node_bytes, 1.06 * (40e6 + 2 * (60e6 + messages)));
    assert_int_equal(batch.warning_s, (int64_t)(100 * 1.2 + 30)); /* a fourth of the makespan */
}

/* A run with packages of 10 of what the profile knows up to 1000. */
static void runs_teach_memory_as_profiles_have_it(void **state)
{
    (void)state;
    struct profile_worker class = {.count = 2, .compute = {{0, 1}, {.n = 0}}};
    struct profile_window window = {
        .least = 1, .greatest = 1000, .workers = &class, .worker_count = 1};
    const struct profile_setting setting = {
        .windows = &window, .window_count = 1, .memory = {1e6, 1000, 2e5, 0}};
    double loads[2] = {10, 10};
    int64_t workers[2] = {0, 1};
    struct plan_round round = {.repeat = 1, .loads = loads};
    const struct plan plan = {
        .tasks = 20, .workers = workers, .worker_count = 2, .rounds = &round, .round_count = 1};
    const struct profile_peaks measured = {.rank = 40e6, .command = 7, .master = 50e6};
    const struct profile_peaks learnt = advice_peaks(&plan, &setting, measured);
    assert_near(learnt.rank, 40e6 + 990e3);
    assert_true(learnt.command == 7);
    assert_near(learnt.master, 50e6 - 5 * 2e5);
    const struct profile_peaks old = advice_peaks(&plan, &setting, (struct profile_peaks){0, 0, 0});
    assert_true(old.rank == 0 && old.command == 0 && old.master == 0);
}

static void lines_say_it(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct batch batch = {.ranks = 8,
                          .masters = 1,
                          .nodes = 4,
                          .ranks_per_node = 2,
                          .threads = 3,
                          .node_bytes = 540.2e6,
                          .warning_s = 42,
                          .walltime_s = 60 * (int64_t)(60 * 49 + 5),
                          .startup_s = 30,
                          .most_s = 61.5,
                          .risk = 0.01};
    assert_lines(&batch, batch_slurm,
                 REMARK "#SBATCH --nodes=4\n#SBATCH --ntasks=8\n#SBATCH --ntasks-per-node=2\n"
                        "#SBATCH --cpus-per-task=3\n#SBATCH --mem=541M\n#SBATCH --time=49:05:00\n"
                        "#SBATCH --signal=B:USR1@42\n");
    assert_lines(&batch, batch_pbs,
                 REMARK "#PBS -l select=4:ncpus=6:mpiprocs=2:ompthreads=3:mem=541mb\n"
                        "#PBS -l walltime=49:05:00\n#PBS -v SCOW_STOP_AFTER=176658\n");
    batch.nodes = 3, batch.ranks_per_node = 3; /* filled by nine */
    assert_lines(&batch, batch_slurm,
                 REMARK "#SBATCH --nodes=3\n#SBATCH --ntasks=9\n#SBATCH --ntasks-per-node=3\n"
                        "#SBATCH --cpus-per-task=3\n#SBATCH --mem=541M\n#SBATCH --time=49:05:00\n"
                        "#SBATCH --signal=B:USR1@42\n");
    batch.pace = 1.25;
    batch_slurm(&batch, &text);
    assert_non_null(strstr(text.bytes,
                           "61.50 s at the pace so far, 1.25 times as long as predicted, "
                           "with 30 s of start-up"));
    text_release(&text);
    batch.pace = 1;
    batch.gpus = 2;
    assert_lines(&batch, batch_pbs,
                 REMARK "#PBS -l select=3:ncpus=9:mpiprocs=3:ompthreads=3:ngpus=6:mem=541mb\n"
                        "#PBS -l walltime=49:05:00\n#PBS -v SCOW_STOP_AFTER=176658\n");
    assert_lines(&batch, batch_slurm,
                 REMARK "#SBATCH --nodes=3\n#SBATCH --ntasks=9\n#SBATCH --ntasks-per-node=3\n"
                        "#SBATCH --cpus-per-task=3\n#SBATCH --gpus-per-node=6\n"
                        "#SBATCH --mem=541M\n#SBATCH --time=49:05:00\n"
                        "#SBATCH --signal=B:USR1@42\n");
    batch.gpus = 0;
    batch.nodes = batch.ranks_per_node = batch.threads = 0;
    batch.node_bytes = 0;
    assert_lines(&batch, batch_slurm,
                 REMARK "#SBATCH --ntasks=8\n#SBATCH --time=49:05:00\n#SBATCH "
                        "--signal=B:USR1@42\n");
    assert_lines(&batch, batch_pbs,
                 REMARK "#PBS -l select=8:ncpus=1:mpiprocs=1:ompthreads=1\n"
                        "#PBS -l walltime=49:05:00\n#PBS -v SCOW_STOP_AFTER=176658\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_spread_as_measured),
        cmocka_unit_test(the_walltime_holds_the_warning),
        cmocka_unit_test(the_walltime_holds_what_was_measured),
        cmocka_unit_test(the_walltime_keeps_the_pace),
        cmocka_unit_test(the_pace_is_that_of_the_parts),
        cmocka_unit_test(memory_is_for_a_full_node),
        cmocka_unit_test(memory_is_what_was_measured),
        cmocka_unit_test(memory_of_the_master_is_its_own),
        cmocka_unit_test(all_masters_and_workers_are_asked_for),
        cmocka_unit_test(runs_teach_memory_as_profiles_have_it),
        cmocka_unit_test(lines_say_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
