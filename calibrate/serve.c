/* The workers' side of probing. */
#include <time.h>

#include "calibrate/probe.h"
#include "calibrate/protocol.h"
#include "spmd/station.h"
#include "spmd/wire.h"

struct server {
    const struct probe_setup *setup;
    struct run run;
    struct store *store;
    struct station station;
};

static void nap(double seconds)
{
    struct timespec length = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&length, NULL);
}

/* Collective, with lead_stage. */
static bool serve_stage(struct server *server, const struct probe_order *order,
                        struct failure *failure)
{
    const struct probe_setup *setup = server->setup;
    if (!comm_agree(setup->comm, failure)) /* the master has made the file */
        return false;
    const struct output_places masters = {0};
    server->store = store_open(setup->scratch, &masters, setup->comm, setup->job, failure);
    if (!server->store)
        return false;
    server->run = (struct run){.comm = setup->comm,
                               .job = setup->job,
                               .store = server->store,
                               .largest_package = order->count,
                               .threads = setup->threads};
    station_init(&server->station, &server->run, failure);
    return comm_agree(setup->comm, failure);
}

/* Collective, with lead_clear. */
static void serve_clear(struct server *server, struct failure *failure)
{
    station_release(&server->station);
    store_close(&server->store, failure);
}

static void answer(const struct server *server, double value)
{
    comm_send(server->setup->comm, &value, sizeof value, 0, WIRE_CONTROL);
}

static void serve_link(struct server *server, const struct probe_order *order)
{
    for (int64_t i = 0; i < order->repeats; i++) {
        struct inbox_package in;
        inbox_take(server->station.inbox, &in);
        inbox_done(server->station.inbox);
        answer(server, in.arrived_s);
    }
}

/* The first touch lets a large transfer start, the second finds it done: what remains is what the
 * worker itself must do. */
static void serve_receive(struct server *server, const struct probe_order *order)
{
    const struct comm *comm = server->setup->comm;
    struct inbox *inbox = server->station.inbox;
    for (int64_t i = 0; i < order->repeats; i++) {
        struct inbox_package in;
        nap(order->seconds);
        inbox_progress_s(inbox);
        inbox_progress(inbox);
        nap(order->seconds);
        double start = comm_now(comm);
        inbox_take(inbox, &in);
        double end = comm_now(comm);
        inbox_done(inbox);
        answer(server, end - start + inbox_progress_s(inbox));
    }
}

static void time_compute(struct server *server, const struct inbox_package *in,
                         struct probe_work *work)
{
    const struct probe_effort *effort = &server->setup->effort;
    for (int block = 0; block < effort->blocks; block++) {
        double start = comm_now(server->setup->comm), spent = 0;
        int64_t repeats = 0;
        while (spent < effort->block_s) {
            station_compute(&server->station, in);
            spent = comm_now(server->setup->comm) - start;
            repeats++;
        }
        work->compute[work->compute_count++] =
            (struct probe_timing){in->header.package.first, repeats, spent / (double)repeats};
    }
}

/* Results into places of the file that were never written, as in a run. */
static void time_output(struct server *server, const struct probe_order *order,
                        struct probe_work *work)
{
    const struct comm *comm = server->setup->comm;
    struct package package = {.first = order->fresh_first, .count = order->count};
    struct package opening = {.first = order->fresh_first, .count = 1};
    struct summary summary;
    summary_init(&summary);
    /* A rank's very first write costs milliseconds once: not a package's cost. */
    if (!station_output(&server->station, &opening, &summary, &work->failure))
        return;
    for (int block = 0; block < server->setup->effort.blocks; block++) {
        struct probe_timing timing = {.first = package.first};
        double start = comm_now(comm), spent = 0;
        while (spent < server->setup->effort.block_s &&
               package.first + package.count <= order->fresh_last) {
            if (!station_output(&server->station, &package, &summary, &work->failure))
                return;
            spent = comm_now(comm) - start;
            timing.repeats++;
            package.first += package.count;
        }
        if (timing.repeats == 0)
            return;
        timing.seconds = spent / (double)timing.repeats;
        work->output[work->output_count++] = timing;
    }
}

/* Collective but for the answer: all workers at once. */
static void serve_work(struct server *server, const struct probe_order *order)
{
    const struct comm *comm = server->setup->comm;
    struct probe_work work = {.failure = FAILURE_INIT};
    struct inbox_package in;
    inbox_take(server->station.inbox, &in);
    station_compute(&server->station, &in); /* warm: caches, pages, threads */
    comm_barrier(comm);
    time_compute(server, &in, &work);
    inbox_done(server->station.inbox);
    comm_barrier(comm);
    time_output(server, order, &work);
    comm_send(comm, &work, sizeof work, 0, WIRE_CONTROL);
}

bool probe_serve(const struct probe_setup *setup, struct failure *failure)
{
    struct server server = {.setup = setup};
    for (;;) {
        struct probe_order order;
        comm_receive(setup->comm, &order, sizeof order, 0, WIRE_CONTROL);
        switch ((enum probe_kind)order.kind) {
        case PROBE_STAGE:
            if (!serve_stage(&server, &order, failure))
                serve_clear(&server, failure);
            break;
        case PROBE_LINK:
            serve_link(&server, &order);
            break;
        case PROBE_RECEIVE:
            serve_receive(&server, &order);
            break;
        case PROBE_WORK:
            serve_work(&server, &order);
            break;
        case PROBE_CLEAR:
            serve_clear(&server, failure);
            break;
        case PROBE_END:
            return failure->code == FAILURE_NONE;
        }
    }
}
