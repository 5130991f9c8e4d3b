#include <stdlib.h>

#include "spmd/run/run.h"
#include "spmd/run/station.h"
#include "spmd/transport/wire.h"

struct worker {
    const struct run *run;
    struct station station;
    struct wire_result report; /* travelling while `sending` is not null */
    MPI_Request sending;
    double free_s;
};

/* The report's buffer is free again once the last report has left. */
static struct wire_result *report_begin(struct worker *worker, const struct package *package)
{
    comm_wait(&worker->sending, MPI_STATUS_IGNORE);
    worker->report = (struct wire_result){.package = *package};
    summary_init(&worker->report.summary);
    return &worker->report;
}

static void report_send(struct worker *worker)
{
    MPI_Isend(&worker->report, (int)sizeof worker->report, MPI_BYTE, 0, WIRE_RESULT,
              worker->run->comm->mpi, &worker->sending);
}

static void package_done(struct worker *worker, const struct inbox_package *in,
                         struct wire_result *report, struct failure *failure)
{
    const struct comm *comm = worker->run->comm;
    struct wire_times *times = &report->times;
    times->start_s = comm_now(comm);
    times->receive_s = station_compute(&worker->station, in);
    times->computed_s = comm_now(comm);
    station_output(&worker->station, &in->header.package, &report->summary, failure);
    times->written_s = comm_now(comm);
}

/* After a failure packages are only acknowledged, so that the master can count them. */
static void package_work(struct worker *worker, const struct inbox_package *in,
                         struct failure *failure)
{
    const struct package *package = &in->header.package;
    struct wire_result *report = report_begin(worker, package);
    report->times.free_s = worker->free_s;
    report->times.transit_s = in->transit_s;
    report->times.arrived_s = in->arrived_s;
    if (failure->code == FAILURE_NONE)
        package_done(worker, in, report, failure);
    report->failure = *failure;
    report_send(worker);
}

static bool share_add(struct share *share, const struct package *package)
{
    if (share->count == share->capacity) {
        int64_t capacity = share->capacity ? 2 * share->capacity : 64;
        struct package *more = realloc(share->packages, (size_t)capacity * sizeof *more);
        if (!more)
            return false;
        share->packages = more;
        share->capacity = capacity;
    }
    share->packages[share->count++] = *package;
    return true;
}

static void worker_loop(struct worker *worker, struct share *share, struct failure *failure)
{
    worker->free_s = comm_now(worker->run->comm);
    for (;;) {
        struct inbox_package in;
        inbox_take(worker->station.inbox, &in);
        if (in.header.kind == WIRE_STOP)
            return;
        if (in.header.kind == WIRE_WARM) {
            inbox_done(worker->station.inbox);
            continue;
        }
        if (!share_add(share, &in.header.package))
            failure_memory(failure, "keeping the list of packages done");
        package_work(worker, &in, failure);
        inbox_done(worker->station.inbox);
        worker->free_s = comm_now(worker->run->comm);
    }
}

bool worker_run(const struct run *run, struct share *share, struct failure *failure)
{
    struct worker worker = {.run = run, .sending = MPI_REQUEST_NULL};
    bool ready = station_init(&worker.station, run, failure);
    if (comm_agree(run->comm, failure))
        worker_loop(&worker, share, failure);
    else
        ready = false;
    comm_wait(&worker.sending, MPI_STATUS_IGNORE);
    station_release(&worker.station);
    return ready && failure->code == FAILURE_NONE;
}

bool worker_normalize(const struct run *run, const struct share *share,
                      const struct summary *summary, struct failure *failure)
{
    bool good = true;
    for (int64_t i = 0; good && i < share->count; i++)
        good = store_normalize(run->store, share->packages[i].first, share->packages[i].count,
                               summary, failure);
    return good;
}

void share_release(struct share *share)
{
    free(share->packages);
    *share = (struct share){0};
}
