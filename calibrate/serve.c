/* The workers' side of probing. */
#include <time.h>

#include "calibrate/probe.h"
#include "calibrate/protocol.h"
#include "spmd/run/context.h"
#include "spmd/transport/wire.h"

struct server {
    const struct probe_setup *setup;
    struct run run;
    struct store *store;
    struct worker_context context;
};

static void nap(double seconds)
{
    struct timespec length = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&length, NULL);
}

/* Collective, with lead_open. */
static bool serve_open(struct server *server, const struct probe_order *order,
                       struct failure *failure)
{
    const struct probe_setup *setup = server->setup;
    if (!comm_agree(setup->comm, failure)) /* the master has made the file */
        return false;
    const struct output_places masters = {0};
    const struct store_setup store = {setup->scratch, setup->scratch, true};
    server->store = store_open(&store, &masters, setup->comm, setup->job, failure);
    if (!server->store)
        return false;
    server->run = (struct run){.comm = setup->comm,
                               .job = setup->job,
                               .input = setup->input,
                               .store = server->store,
                               .largest_package = order->count,
                               .threads = setup->threads};
    worker_context_init(&server->context, &server->run, failure);
    return comm_agree(setup->comm, failure);
}

/* Collective, with lead_clear. */
static void serve_clear(struct server *server, struct failure *failure)
{
    worker_context_release(&server->context);
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
        inbox_take(server->context.inbox, &in);
        inbox_done(server->context.inbox);
        answer(server, in.arrived_s);
    }
}

/* The first touch lets a large transfer start, the second finds it done: what remains is what the
 * worker itself must do. */
static void serve_receive(struct server *server, const struct probe_order *order)
{
    const struct comm *comm = server->setup->comm;
    struct inbox *inbox = server->context.inbox;
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

/* Where in its share of the scratch file a worker writes next. Only places that were never written
 * count: that is how a run finds them. */
struct fresh {
    int64_t next, last;
};

/* One timing of each: packages computed and written in turn, as in a run. */
struct turns {
    int64_t computed, written;
    double compute_s, output_s;
};

static bool turn(struct server *server, const struct inbox_package *in, struct fresh *fresh,
                 struct turns *turns, struct failure *failure)
{
    const struct comm *comm = server->setup->comm;
    const int64_t count = in->header.package.count;
    struct summary summary;
    summary_init(&summary);
    struct compute_times times;
    double start = comm_now(comm);
    if (!worker_context_compute(&server->context, in, &times, failure))
        return false;
    double computed = comm_now(comm);
    turns->compute_s += computed - start;
    turns->computed++;
    if (fresh->next + count > fresh->last)
        return true;
    worker_context_move(&server->context, fresh->next);
    if (!worker_context_output(&server->context, &summary, failure))
        return false;
    turns->output_s += comm_now(comm) - computed;
    turns->written++;
    fresh->next += count;
    return true;
}

/* Long enough for both, as long as there are places to write to. */
static bool turns_last(const struct turns *turns, const struct fresh *fresh, int64_t count,
                       double block_s)
{
    bool room = fresh->next + count <= fresh->last;
    return turns->compute_s < block_s || (room && turns->output_s < block_s);
}

static void turns_record(const struct turns *turns, int64_t first, int64_t written_first,
                         struct probe_work *work)
{
    work->compute[work->compute_count++] =
        (struct probe_timing){first, turns->computed, turns->compute_s / (double)turns->computed};
    if (turns->written > 0)
        work->output[work->output_count++] = (struct probe_timing){
            written_first, turns->written, turns->output_s / (double)turns->written};
}

static void time_work(struct server *server, const struct inbox_package *in,
                      const struct probe_order *order, struct probe_work *work)
{
    const struct probe_effort *effort = &server->setup->effort;
    struct fresh fresh = {order->fresh_first, order->fresh_last};
    for (int block = 0; block < effort->blocks; block++) {
        struct turns turns = {0};
        int64_t written_first = fresh.next;
        do {
            if (!turn(server, in, &fresh, &turns, &work->failure))
                return;
        } while (turns_last(&turns, &fresh, order->count, effort->block_s));
        turns_record(&turns, in->header.package.first, written_first, work);
    }
}

/* Workers of a run are not in step: each begins a part of a turn later than the one before it, or
 * their writes would always meet. */
static void fall_out_of_step(const struct server *server, double turn_s)
{
    const struct comm *comm = server->setup->comm;
    nap(turn_s * (comm->rank - 1) / (comm->size - 1));
}

/* Collective but for the answer: all workers at once. */
static void serve_work(struct server *server, const struct probe_order *order)
{
    const struct comm *comm = server->setup->comm;
    struct probe_work work = {.failure = FAILURE_INIT};
    struct inbox_package in;
    inbox_take(server->context.inbox, &in);
    double start = comm_now(comm);
    struct compute_times times; /* caches, pages, threads */
    worker_context_compute(&server->context, &in, &times, &work.failure);
    double turn_s = comm_now(comm) - start;
    comm_barrier(comm);
    fall_out_of_step(server, turn_s);
    if (work.failure.code == FAILURE_NONE)
        time_work(server, &in, order, &work);
    inbox_done(server->context.inbox);
    comm_send(comm, &work, sizeof work, 0, WIRE_CONTROL);
}

bool probe_serve(const struct probe_setup *setup, struct failure *failure)
{
    struct server server = {.setup = setup};
    for (;;) {
        struct probe_order order;
        comm_receive(setup->comm, &order, sizeof order, 0, WIRE_CONTROL);
        switch ((enum probe_kind)order.kind) {
        case PROBE_OPEN:
            if (!serve_open(&server, &order, failure))
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
