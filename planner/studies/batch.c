#include "planner/studies/batch.h"

#include <inttypes.h>
#include <math.h>

/* What a rank needs besides packages and results: program, MPI, HDF5, stacks of threads. 51 MB were
 * seen with MPICH on one node; thousands of ranks and faster networks take more. */
static const double RANK_BYTES = 256e6;

/* Calibration had its ranks spread evenly over its nodes (the last node may have had fewer): so
 * many ranks a node are asked for. */
static void spread_find(const struct advice *advice, struct batch *batch)
{
    const struct profile_origin *origin = &advice->profile->origin;
    const int64_t measured = 1 + profile_workers(&advice->setting->windows[0]);
    if (origin->nodes == 0)
        return;
    batch->ranks_per_node = (measured + origin->nodes - 1) / origin->nodes;
    batch->nodes = (batch->ranks + batch->ranks_per_node - 1) / batch->ranks_per_node;
}

/* Margins on what was measured: pages may be shared otherwise and packages lie at other places;
 * commands, beyond that, differ from each other. */
static const double RANK_MARGIN = 1.06, COMMAND_MARGIN = 1.15;
/* The margin where a profile does not measure the master and workers apart. */
static const double RANK_MARGIN_OLD = 1.12;
/* In such profiles it is not known how much of a rank's peak was for its packages, as not all
 * memory that is set aside for them is used. So smaller packages are not taken to save more than a
 * fifth of it. */
static const double RANK_LEAST = 0.8;

/* The commands that a worker runs at a time. */
static int64_t commands_find(const struct advice *advice, const struct batch *batch)
{
    const struct parameter *jobs = parameter_list_find(&advice->setting->parameters, "jobs");
    if (!jobs)
        jobs = parameter_list_find(&advice->profile->parameters, "jobs");
    if (jobs && jobs->number >= 1)
        return (int64_t)jobs->number;
    return batch->threads > 0 ? batch->threads : 1;
}

/* The workers on the node that has the most of them, which is the node with the fewest masters. */
static int64_t workers_on_node(const struct batch *batch)
{
    const int64_t ranks =
        batch->ranks <= batch->ranks_per_node ? batch->ranks : batch->ranks_per_node;
    return ranks - batch->node_masters[0];
}

/* The fewest and the most masters on a node; nodes are filled with ranks one after the other. */
static void masters_find(const struct advice *advice, struct batch *batch)
{
    int64_t fewest = INT64_MAX, most = 0;
    for (int64_t node = 0; node < batch->nodes; node++) {
        const int64_t first = node * batch->ranks_per_node;
        const int64_t masters =
            plan_masters_among(advice->plan, first, first + batch->ranks_per_node);
        fewest = masters < fewest ? masters : fewest;
        most = masters > most ? masters : most;
    }
    batch->node_masters[0] = most > 0 ? fewest : 0;
    batch->node_masters[1] = most;
}

/* The bytes of a master, including the plan's messages under way; where no master was measured,
 * those of a worker. */
static double master_find(const struct advice *advice, double rank)
{
    const double base = advice->profile->peaks.master;
    return base > 0 ? base + advice_master(advice->plan, &advice->setting->memory) : rank;
}

/* The bytes of all ranks on the node that needs the most: that is the node with the most masters
 * or, where masters need less than workers, with the fewest. */
static double ranks_sum(const struct advice *advice, const struct batch *batch, double rank)
{
    const double more = master_find(advice, rank) - rank;
    const int64_t masters = batch->node_masters[more > 0];
    return (double)batch->ranks_per_node * rank + (double)masters * more;
}

/* The peak that was measured, more or less by the bytes by which the plan's packages are larger or
 * smaller than the measured ones, and a margin. Masters run no commands. */
static double peaks_sum(const struct advice *advice, const struct batch *batch, double worker)
{
    const struct profile_peaks *peaks = &advice->profile->peaks;
    const double known = memory_greatest(advice->setting);
    const double least = peaks->master > 0 ? 0 : RANK_LEAST;
    const double margin = peaks->master > 0 ? RANK_MARGIN : RANK_MARGIN_OLD;
    const double rank = fmax(least * peaks->rank, peaks->rank + worker - known);
    const int64_t workers = workers_on_node(batch);
    return margin * ranks_sum(advice, batch, rank) +
           COMMAND_MARGIN * (double)(workers * commands_find(advice, batch)) * peaks->command;
}

static void memory_find(const struct advice *advice, struct batch *batch)
{
    const double worker = advice_memory(advice->plan, &advice->setting->memory);
    if (advice->profile->peaks.rank > 0 && batch->nodes > 0)
        batch->node_bytes = peaks_sum(advice, batch, worker);
    else if (worker > 0 && batch->nodes > 0)
        batch->node_bytes = (double)batch->ranks_per_node * (worker + RANK_BYTES);
}

static void times_find(const struct advice *advice, struct batch *batch)
{
    batch->walltime_s = (int64_t)advice_walltime(advice, &batch->most_s);
    batch->startup_s = advice_startup(advice);
    batch->warning_s = (int64_t)advice_warning(advice, batch->most_s);
}

void batch_find(const struct advice *advice, struct batch *batch)
{
    const struct plan *plan = advice->plan;
    *batch = (struct batch){.ranks = 1 + plan_workers_needed(plan),
                            .threads = plan->threads > 0
                                           ? plan->threads
                                           : profile_threads(advice->profile, advice->setting),
                            .risk = advice->risk,
                            .pace = advice->pace};
    batch->masters = plan_masters_among(plan, 0, batch->ranks);
    spread_find(advice, batch);
    masters_find(advice, batch);
    memory_find(advice, batch);
    times_find(advice, batch);
}

/* Whole nodes are asked for: with fewer tasks, srun would spread them evenly over the nodes, and
 * not as they were measured. The ranks beyond the plan's stay idle. */
static int64_t batch_tasks(const struct batch *batch)
{
    return batch->nodes > 0 ? batch->nodes * batch->ranks_per_node : batch->ranks;
}

static void remark_add(const struct batch *batch, struct text *text)
{
    const int64_t workers = batch->ranks - batch->masters;
    if (batch->masters > 1)
        text_add(text, "# %" PRId64 " masters", batch->masters);
    else
        text_add(text, "# a master");
    text_add(text, " and %" PRId64 " worker%s; exceeded by %.3g %% of runs: ", workers,
             workers == 1 ? "" : "s", 100 * batch->risk);
    text_add_seconds(text, batch->most_s);
    if (batch->pace > 1)
        text_add(text, " at the pace so far, %.3g times as long as predicted", batch->pace);
    text_add(text, ", with %.0f s of start-up; warned %" PRId64 " s before the end\n",
             batch->startup_s, batch->warning_s);
}

static void walltime_add(const struct batch *batch, struct text *text)
{
    const int64_t minutes = batch->walltime_s / 60;
    text_add(text, "%02" PRId64 ":%02" PRId64 ":00\n", minutes / 60, minutes % 60);
}

static double megabytes(const struct batch *batch)
{
    return ceil(batch->node_bytes / 1e6);
}

void batch_slurm(const struct batch *batch, struct text *text)
{
    remark_add(batch, text);
    if (batch->nodes > 0)
        text_add(text, "#SBATCH --nodes=%" PRId64 "\n", batch->nodes);
    text_add(text, "#SBATCH --ntasks=%" PRId64 "\n", batch_tasks(batch));
    if (batch->nodes > 0)
        text_add(text, "#SBATCH --ntasks-per-node=%" PRId64 "\n", batch->ranks_per_node);
    if (batch->threads > 0)
        text_add(text, "#SBATCH --cpus-per-task=%" PRId64 "\n", batch->threads);
    if (batch->gpus > 0 && batch->nodes > 0)
        text_add(text, "#SBATCH --gpus-per-node=%" PRId64 "\n",
                 batch->gpus * workers_on_node(batch));
    else if (batch->gpus > 0)
        text_add(text, "#SBATCH --gpus-per-task=%" PRId64 "\n", batch->gpus);
    if (batch->node_bytes > 0)
        text_add(text, "#SBATCH --mem=%.0fM\n", megabytes(batch));
    text_add(text, "#SBATCH --time=");
    walltime_add(batch, text);
    text_add(text, "#SBATCH --signal=B:USR1@%" PRId64 "\n", batch->warning_s);
}

void batch_pbs(const struct batch *batch, struct text *text)
{
    /* Where nothing is known of nodes, a chunk is one rank, and PBS decides where it runs. */
    const int64_t chunks = batch->nodes > 0 ? batch->nodes : batch->ranks;
    const int64_t ranks = batch->nodes > 0 ? batch->ranks_per_node : 1;
    const int64_t threads = batch->threads > 0 ? batch->threads : 1;
    remark_add(batch, text);
    text_add(text, "#PBS -l select=%" PRId64 ":ncpus=%" PRId64 ":mpiprocs=%" PRId64, chunks,
             ranks * threads, ranks);
    text_add(text, ":ompthreads=%" PRId64, threads);
    if (batch->gpus > 0)
        text_add(text, ":ngpus=%" PRId64,
                 batch->gpus * (batch->nodes > 0 ? workers_on_node(batch) : 1));
    if (batch->node_bytes > 0)
        text_add(text, ":mem=%.0fmb", megabytes(batch));
    text_add(text, "\n#PBS -l walltime=");
    walltime_add(batch, text);
    text_add(text, "#PBS -v SCOW_STOP_AFTER=%" PRId64 "\n", batch->walltime_s - batch->warning_s);
}
