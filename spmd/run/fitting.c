#include "spmd/run/fitting.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "spmd/job/engine.h"
#include "spmd/job/packed_results.h"
#include "spmd/output/store.h"
#include "spmd/protocol/returns.h"
#include "spmd/transport/wire.h"

bool fitting_job(const struct fitting *fitting, struct failure *failure)
{
    const struct plan *plan = fitting->plan;
    const int64_t tasks = fitting->job->setup.tasks;
    return plan->tasks == (double)tasks ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: is for %.0f core tasks, but %s has %" PRId64
                       " with these parameters: plan again%s%s",
                       fitting->plan_name, plan->tasks,
                       fitting->input ? fitting->input : plan->kernel, tasks,
                       fitting->input ? " with -i " : "", fitting->input ? fitting->input : "");
}

/* A package is one message, whose bytes MPI counts in an int. */
static bool message_fits(const struct fitting *fitting, int64_t largest, struct failure *failure)
{
    const size_t bytes = job_message_most(fitting->job, largest);
    return bytes <= (size_t)INT_MAX - sizeof(struct wire_package) ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: a package of %" PRId64 " core tasks would be a message of %.1f GB, and "
                       "the most is 2.1 GB: plan with smaller packages",
                       fitting->plan_name, largest, (double)bytes / 1e9);
}

/* A package's returned results are one message, too. */
static bool results_fit(const struct fitting *fitting, int64_t largest, struct failure *failure)
{
    const size_t bytes = packed_results_least(fitting->job, largest);
    return bytes <= LINK_MOST ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: the results of a package of %" PRId64 " core tasks would be a message "
                       "of %.1f GB, and the most is %.1f GB: plan with smaller packages, or let "
                       "workers write (without --collect)",
                       fitting->plan_name, largest, (double)bytes / 1e9, (double)LINK_MOST / 1e9);
}

/* Other operating models cannot be enforced with a real transport. In a job that sleeps, the master
 * learns only after writing that a worker can take the next package. */
static bool model_fits(const struct fitting *fitting, const struct fitting_packages *packages,
                       struct failure *failure)
{
    const enum operating operating = packages->plan->operating;
    const struct operating_traits *traits = operating_traits(operating);
    const bool sleeps = fitting->job->task->flags & SCOW_SLEEP;
    if (operating == OPERATING_SINGLE_PORT || (packages->by_rule && !sleeps))
        return true;
    if (!sleeps)
        return failure_set(
            failure, FAILURE_MISMATCH,
            "%s: is for the operating model %s, which only the core task 'sleep' can follow, "
            "because all others run with a single port: plan again with --model single-port",
            fitting->plan_name, traits->name);
    return !traits->worker_takes || !fitting->job->values.write_behind ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: is for the operating model %s, in which workers cannot write "
                       "while they compute: plan again with --set write-behind=no",
                       fitting->plan_name, traits->name);
}

bool fitting_plan(const struct fitting *fitting, const struct fitting_packages *packages,
                  struct failure *failure)
{
    const int64_t workers = fitting->comm->size - 1;
    const int64_t needed = plan_workers_needed(packages->plan);
    if (packages->plan->real_valued && !packages->by_rule)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: has fractional loads and cannot be run: plan again without "
                           "--real-valued",
                           fitting->plan_name);
    if (!model_fits(fitting, packages, failure))
        return false;
    if (needed > workers && !packages->by_rule && !packages->resumed)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: needs %" PRId64 " workers, but there are %" PRId64
                           ": start mpiexec with -n %" PRId64 ", or plan again with -n %" PRId64,
                           fitting->plan_name, needed, workers, needed + 1, workers);
    return message_fits(fitting, packages->largest, failure) &&
           (!fitting->collects || results_fit(fitting, packages->largest, failure));
}

/* The memory of one worker for results that it keeps: all that the plan has for the worker with the
 * most. */
static double kept_memory(const struct job *job, const struct plan *plan)
{
    double most = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        double packages = 0, tasks = 0;
        for (size_t r = 0; r < plan->round_count; r++) {
            const double repeat = (double)plan->rounds[r].repeat;
            packages += plan->rounds[r].loads[slot] > 0 ? repeat : 0;
            tasks += repeat * plan->rounds[r].loads[slot];
        }
        const double bytes = returns_kept_memory(job, packages, tasks);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The memory of one worker for results that return. */
static double returned_memory(const struct fitting *fitting, int64_t largest)
{
    if (!fitting->collects)
        return 0;
    return returns_memory(fitting->job, plan_buffers(fitting->plan), largest) +
           (fitting->keeps ? kept_memory(fitting->job, fitting->plan) : 0);
}

bool fitting_memory(const struct fitting *fitting, int64_t largest, struct failure *failure)
{
    const struct job *job = fitting->job;
    const double package = (double)job_message_most(job, largest);
    const double read = job->values.staged ? (double)job_package_most(job, largest) : 0;
    const double work = engine_memory(job, largest, fitting->threads) +
                        (job->values.write_behind ? store_memory(job, largest) : 0);
    const int workers = comm_workers_on_node(fitting->comm);
    const int buffers = plan_buffers(fitting->plan);
    const double needed =
        ((buffers + 1) * package + read + work + returned_memory(fitting, largest)) * workers;
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return needed <= there ||
           failure_set(
               failure, FAILURE_MISMATCH,
               "%s: packages of %" PRId64 " core tasks need %.1f GB on a node with %d "
               "workers and %.1f GB of memory: plan with %s, or start fewer workers per node",
               fitting->plan_name, largest, needed / 1e9, workers, there / 1e9,
               fitting->keeps ? "\"results\": \"package\" in the profile" : "smaller packages");
}
