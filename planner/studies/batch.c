#include "planner/studies/batch.h"

#include <inttypes.h>
#include <math.h>

/* Results on their way to the disk, and the file closed. */
static const double FLUSH_S = 30;
/* Slurm looks at its clock so often: a warning may come that much before it was asked for. */
static const double EARLY_S = 60;
/* Of a rank, beside packages and results: program, MPI, HDF5, stacks of threads. 51 MB were seen
 * with MPICH on a node; thousands of ranks and faster networks take more. */
static const double RANK_BYTES = 256e6;

/* Ranks were spread evenly over the nodes, the last of which may have had fewer. */
static void spread_find(const struct advice *advice, struct batch *batch)
{
    const struct profile_origin *origin = &advice->profile->origin;
    const int64_t measured = 1 + profile_workers(&advice->setting->windows[0]);
    if (origin->nodes == 0)
        return;
    batch->ranks_per_node = (measured + origin->nodes - 1) / origin->nodes;
    batch->nodes = (batch->ranks + batch->ranks_per_node - 1) / batch->ranks_per_node;
}

static void memory_find(const struct advice *advice, struct batch *batch)
{
    const double worker = advice_memory(advice->plan, &advice->setting->memory);
    if (worker > 0 && batch->nodes > 0)
        batch->node_bytes = (double)batch->ranks_per_node * (worker + RANK_BYTES);
}

/* Asked to stop, workers finish their packages: at most a round of these, as long as it takes at
 * that risk. */
static void times_find(const struct advice *advice, struct batch *batch)
{
    const struct plan_prediction *predicted = &advice->plan->predicted;
    advice_walltime(advice, &batch->most_s);
    const double longer = predicted->makespan_s > 0 ? batch->most_s / predicted->makespan_s : 1;
    const double warning_s = ceil(predicted->period_s * longer + FLUSH_S);
    batch->startup_s = ADVICE_STARTUP_S;
    batch->warning_s = (int64_t)warning_s;
    batch->walltime_s =
        60 * (int64_t)ceil((ADVICE_STARTUP_S + batch->most_s + warning_s + EARLY_S) / 60);
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
    spread_find(advice, batch);
    memory_find(advice, batch);
    times_find(advice, batch);
}

/* Nodes are filled, or srun would spread fewer tasks evenly and not as they were measured; the
 * ranks behind the plan's stay idle. */
static int64_t batch_tasks(const struct batch *batch)
{
    return batch->nodes > 0 ? batch->nodes * batch->ranks_per_node : batch->ranks;
}

static void remark_add(const struct batch *batch, struct text *text)
{
    text_add(text,
             "# a master and %" PRId64 " worker%s; exceeded by %.3g %% of runs: ", batch->ranks - 1,
             batch->ranks == 2 ? "" : "s", 100 * batch->risk);
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
    if (batch->node_bytes > 0)
        text_add(text, "#SBATCH --mem=%.0fM\n", megabytes(batch));
    text_add(text, "#SBATCH --time=");
    walltime_add(batch, text);
    text_add(text, "#SBATCH --signal=B:USR1@%" PRId64 "\n", batch->warning_s);
}

void batch_pbs(const struct batch *batch, struct text *text)
{
    /* Where nothing is known of nodes, a chunk is a rank, and PBS puts it where it likes. */
    const int64_t chunks = batch->nodes > 0 ? batch->nodes : batch->ranks;
    const int64_t ranks = batch->nodes > 0 ? batch->ranks_per_node : 1;
    const int64_t threads = batch->threads > 0 ? batch->threads : 1;
    remark_add(batch, text);
    text_add(text, "#PBS -l select=%" PRId64 ":ncpus=%" PRId64 ":mpiprocs=%" PRId64, chunks,
             ranks * threads, ranks);
    text_add(text, ":ompthreads=%" PRId64, threads);
    if (batch->node_bytes > 0)
        text_add(text, ":mem=%.0fmb", megabytes(batch));
    text_add(text, "\n#PBS -l walltime=");
    walltime_add(batch, text);
    text_add(text, "#PBS -v SCOW_STOP_AFTER=%" PRId64 "\n", batch->walltime_s - batch->warning_s);
}
