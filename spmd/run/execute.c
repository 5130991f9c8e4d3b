#include "spmd/run/execute.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spmd/job/method.h"
#include "spmd/output/outputfile.h"
#include "spmd/transport/inbox.h"
#include "spmd/transport/wire.h"

/* What one rank opens and must close again. */
struct stage {
    const struct execution *execution;
    struct image *image; /* the master's */
    struct job job;
    struct store *store;
    bool created;              /* the master has made the output */
    struct dispatch *dispatch; /* the master's */
    char digest[65];
};

/* Collective. The master opens; everybody learns the shape. */
static bool input_open(struct stage *stage, struct extent *extent, struct failure *failure)
{
    const struct comm *comm = stage->execution->comm;
    if (comm->rank == 0) {
        stage->image = image_open(stage->execution->input, failure);
        if (stage->image && image_sha256(stage->image, stage->digest, failure))
            *extent = *image_shape(stage->image);
    }
    if (!comm_agree(comm, failure))
        return false;
    comm_broadcast(comm, extent, sizeof *extent);
    comm_broadcast(comm, stage->digest, sizeof stage->digest);
    return true;
}

/* Local. A package is one message, and MPI counts its bytes in an int. */
static bool packages_fit(const struct execution *execution, const struct job *job,
                         struct failure *failure)
{
    int64_t largest = (int64_t)plan_largest_load(execution->plan);
    size_t bytes = job->kernel->package_bytes_most(job->made, largest);
    if (bytes <= (size_t)INT_MAX - sizeof(struct wire_package))
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: a package of %" PRId64 " core tasks would be a message of %.1f GB, and "
                       "the most is 2.1 GB: plan with smaller packages",
                       execution->plan_name, largest, (double)bytes / 1e9);
}

/* Collective. The kernel hands out memory that is not there and kills later: ask before. */
static bool memory_suffices(struct stage *stage, struct failure *failure)
{
    const struct execution *execution = stage->execution;
    const struct kernel *kernel = stage->job.kernel;
    int64_t largest = (int64_t)plan_largest_load(execution->plan);
    double package = (double)kernel->package_bytes_most(stage->job.made, largest);
    double results = (double)largest * (double)kernel->result_stride(stage->job.made) * 4;
    double work = (double)kernel->workspace_bytes(stage->job.made, execution->threads);
    int workers = comm_workers_on_node(execution->comm);
    double needed = ((INBOX_AHEAD + 1) * package + results + work) * workers;
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (needed > there)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: packages of %" PRId64 " core tasks need %.1f GB on a node with %d "
                    "workers and %.1f GB of memory: plan with smaller packages, or start fewer "
                    "workers per node",
                    execution->plan_name, largest, needed / 1e9, workers, there / 1e9);
    return comm_agree(execution->comm, failure);
}

/* Local, the same on every rank. */
static bool plan_fits(const struct execution *execution, const struct job *job,
                      struct failure *failure)
{
    const struct plan *plan = execution->plan;
    int64_t workers = execution->comm->size - 1, needed = plan_workers_needed(plan);
    if (plan->real_valued)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: has fractional loads and cannot be run: plan again without "
                           "--real-valued",
                           execution->plan_name);
    if (plan->tasks != (double)job->tasks)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is for %.0f core tasks, but %s has %" PRId64 " of %d x %d pixels: "
                           "plan again with -i %s",
                           execution->plan_name, plan->tasks, execution->input, job->tasks,
                           plan->block, plan->block, execution->input);
    if (needed > workers)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: needs %" PRId64 " workers, but there are %" PRId64
                           ": start mpiexec with -n %" PRId64 ", or plan again with -n %" PRId64,
                           execution->plan_name, needed, workers, needed + 1, workers);
    return packages_fit(execution, job, failure);
}

/* Local. The kernel and its parameters as the plan has them. NULL with *failure set. */
static const struct kernel *setup_read(const struct execution *execution,
                                       struct kernel_setup *setup, struct failure *failure)
{
    const struct plan *plan = execution->plan;
    const struct kernel *kernel = job_kernel(plan->kernel, execution->plan_name, failure);
    if (!kernel)
        return NULL;
    if (plan->block < 1) {
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: has no block size: add \"block\" with the edge of a core task in pixels",
                    execution->plan_name);
        return NULL;
    }
    setup->block = plan->block;
    return job_parameters(kernel, &plan->parameters, execution->plan_name, setup, failure) ? kernel
                                                                                           : NULL;
}

/* Collective. What the plan leaves to the processor, the master's decides. Ranks that started
 * different builds may not all know the plan's words. */
static bool job_make(struct stage *stage, const struct extent *extent, struct failure *failure)
{
    const struct execution *execution = stage->execution;
    struct kernel_setup setup = {.extent = *extent};
    const struct kernel *kernel = setup_read(execution, &setup, failure);
    if (kernel)
        kernel->settle(&setup);
    if (!comm_agree(execution->comm, failure))
        return false;
    comm_broadcast(execution->comm, setup.values, sizeof setup.values);
    if (job_init(&stage->job, kernel, &setup, execution->input, failure))
        plan_fits(execution, &stage->job, failure);
    return comm_agree(execution->comm, failure);
}

/* Collective. The master makes the file, everybody opens it. */
static bool output_open(struct stage *stage, struct failure *failure)
{
    const struct execution *execution = stage->execution;
    struct output_info info = {
        .plan = execution->plan_text,
        .profile = execution->profile_text,
        .input = execution->input,
        .input_sha256 = stage->digest,
        .isa = execution->isa,
        .events = plan_packages(execution->plan) * RUN_EVENTS_PER_PACKAGE,
    };
    struct output_places places = {0};
    if (execution->comm->rank == 0)
        stage->created = outputfile_create(execution->output, &stage->job, &info, &places, failure);
    if (!comm_agree(execution->comm, failure))
        return false;
    stage->store = store_open(execution->output, &places, execution->comm, &stage->job, failure);
    return stage->store != NULL;
}

static void idle_ranks_say(const struct execution *execution)
{
    int64_t used = plan_workers_used(execution->plan), workers = execution->comm->size - 1;
    if (!execution->quiet && execution->comm->rank == 0 && used < workers)
        fprintf(stderr,
                "scow run: the plan uses %" PRId64 " of %" PRId64 " workers: the rest stay idle\n",
                used, workers);
}

/* Local to the master. */
static bool lead(struct stage *stage, const struct run *run, struct run_outcome *outcome,
                 struct failure *failure)
{
    const struct execution *execution = stage->execution;
    stage->dispatch = dispatch_new_plan(execution->plan);
    if (!stage->dispatch)
        failure_memory(failure, "starting the plan");
    struct progress progress;
    const struct plan_prediction *predicted = &execution->plan->predicted;
    progress_init(&progress, execution->quiet ? NULL : stderr, stage->job.tasks,
                  predicted->known ? predicted->makespan_s : 0);
    bool good = master_run(run, stage->dispatch, stage->image, &progress, outcome, failure);
    progress_end(&progress);
    return good;
}

/* Collective. The last package is done: everybody normalises its own share, the master seals. */
static bool finish(struct stage *stage, const struct run *run, const struct share *share,
                   struct run_outcome *outcome, struct failure *failure)
{
    const struct comm *comm = run->comm;
    double start = comm_now(comm);
    comm_broadcast(comm, &outcome->summary, sizeof outcome->summary);
    if (comm->rank != 0)
        worker_normalize(run, share, &outcome->summary, failure);
    bool good = comm_agree(comm, failure);
    good = store_close(&stage->store, failure) && good;
    if (good && comm->rank == 0) {
        struct output_outcome sealed = {&outcome->trace, &outcome->summary, comm_now(comm) - start};
        outputfile_seal(stage->execution->output, &sealed, failure);
    }
    return comm_agree(comm, failure);
}

/* Collective. */
static bool perform(struct stage *stage, struct run_outcome *outcome, struct failure *failure)
{
    const struct execution *execution = stage->execution;
    struct run run = {
        .comm = execution->comm,
        .job = &stage->job,
        .store = stage->store,
        .largest_package = (int64_t)plan_largest_load(execution->plan),
        .threads = execution->threads,
    };
    struct share share = {0};
    idle_ranks_say(execution);
    if (execution->comm->rank == 0)
        lead(stage, &run, outcome, failure);
    else
        worker_run(&run, &share, failure);
    bool good =
        comm_agree(execution->comm, failure) && finish(stage, &run, &share, outcome, failure);
    share_release(&share);
    return good;
}

bool execute_run(const struct execution *execution, struct run_outcome *outcome,
                 struct failure *failure)
{
    struct stage stage = {.execution = execution};
    struct extent extent = {0};
    bool good = false;
    if (!input_open(&stage, &extent, failure))
        goto out;
    if (!job_make(&stage, &extent, failure) ||
        !method_agree(execution->comm, &stage.job, failure) || !memory_suffices(&stage, failure) ||
        !output_open(&stage, failure))
        goto out;
    good = perform(&stage, outcome, failure);
out:
    good = store_close(&stage.store, failure) && good;
    if (stage.created && !good && outcome->summary.tasks == 0)
        unlink(
            execution->output); /* it holds nothing, and would stand in the way of the next try */
    dispatch_free(&stage.dispatch);
    job_release(&stage.job);
    image_close(&stage.image);
    return good;
}
