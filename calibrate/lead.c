/* The master's side of probing. */
#include <math.h>
#include <unistd.h>

#include "calibrate/probe.h"
#include "calibrate/protocol.h"
#include "spmd/output/outputfile.h"
#include "spmd/output/store.h"
#include "spmd/transport/outbox.h"
#include "spmd/transport/wire.h"

const struct probe_effort probe_quick = {
    .places = 8, .blocks = 1, .growth = 4, .longest_s = 0.2, .block_s = 5e-3};
const struct probe_effort probe_thorough = {
    .places = 8, .blocks = 3, .growth = 2, .longest_s = 1.0, .block_s = 5e-3};

/* Exchanges for one timing of a link, and for the cost of receiving. */
enum { LINK_LEAST = 8, LINK_MOST = 4096, RECEIVES = 12 };
/* A package may take this much memory on its way. */
static const double package_bytes_most = 512e6;

struct leader {
    const struct probe_setup *setup;
    struct samples *samples;
    struct failure *failure;
    struct outbox *outbox;
    struct store *store;
};

/* One package size at one place. */
struct probe {
    struct leader *leader;
    int64_t first, count;
    size_t size; /* bytes of the package here */
};

static const struct outbox_idle no_idle = {NULL, NULL};

static int worker_count(const struct leader *leader)
{
    return leader->setup->comm->size - 1;
}

static void order_send(const struct leader *leader, int rank, const struct probe_order *order)
{
    comm_send(leader->setup->comm, order, sizeof *order, rank, WIRE_CONTROL);
}

static void order_all(const struct leader *leader, const struct probe_order *order)
{
    for (int rank = 1; rank <= worker_count(leader); rank++)
        order_send(leader, rank, order);
}

static void record(const struct probe *probe, int rank, enum operation operation, int64_t first,
                   int64_t repeats, double seconds)
{
    struct leader *leader = probe->leader;
    struct sample sample = {leader->setup->setting, rank,    operation, first,
                            probe->count,           repeats, seconds};
    if (!samples_add(leader->samples, &sample))
        failure_memory(leader->failure, "keeping the probes");
}

/* ---- envelope ------------------------------------------------------------------------------ */

/* What the master does with a package: nothing where workers read by themselves. */
static bool package_pack(const struct probe *probe, void *bytes, size_t *size)
{
    const struct probe_setup *setup = probe->leader->setup;
    *size = 0;
    return setup->job->values.staged || job_pack(setup->job, setup->input, probe->first,
                                                 probe->count, bytes, size, probe->leader->failure);
}

/* The package behind this one, or the job's first. */
static void package_advance(struct probe *probe)
{
    const int64_t next = probe->first + probe->count;
    probe->first = next + probe->count <= probe->leader->setup->job->setup.tasks ? next : 0;
}

/* A run packs every task once and finds it where the reader left it; the same package again would
 * come from the nearest cache, several times faster. So each is the one behind the last. */
static void probe_envelope(const struct probe *probe)
{
    const struct probe_setup *setup = probe->leader->setup;
    struct probe next = *probe;
    for (int block = 0; block < setup->effort.blocks; block++) {
        const int64_t first = next.first;
        double start = comm_now(setup->comm), spent = 0;
        int64_t repeats = 0;
        while (spent < setup->effort.block_s) {
            size_t size;
            if (!package_pack(&next, outbox_claim(probe->leader->outbox, no_idle), &size))
                return;
            package_advance(&next);
            spent = comm_now(setup->comm) - start;
            repeats++;
        }
        record(probe, 0, OPERATION_ENVELOPE, first, repeats, spent / (double)repeats);
    }
}

/* ---- transport ----------------------------------------------------------------------------- */

struct departure {
    double start_s, left_s; /* before and after the send */
};

/* The outbox's next buffer, with `size` bytes of whatever it holds. */
static struct departure buffer_post(const struct probe *probe, int rank, size_t size)
{
    struct leader *leader = probe->leader;
    const struct wire_package header = {.kind = WIRE_WORK,
                                        .package = {.first = probe->first, .count = probe->count},
                                        .size = (int64_t)size};
    struct departure departure = {.start_s = comm_now(leader->setup->comm)};
    outbox_post(leader->outbox, rank, &header, size, 0);
    departure.left_s = comm_now(leader->setup->comm);
    return departure;
}

/* A package that nobody computes: only its length matters. */
static struct departure length_post(const struct probe *probe, int rank)
{
    outbox_claim(probe->leader->outbox, no_idle);
    return buffer_post(probe, rank, probe->size);
}

/* One that is computed. */
static void package_post(const struct probe *probe, int rank)
{
    size_t size = 0;
    package_pack(probe, outbox_claim(probe->leader->outbox, no_idle), &size);
    buffer_post(probe, rank, size);
}

/* Wait for a worker's answer while large transfers advance. */
static double answer_wait(const struct leader *leader, int rank)
{
    double value = 0;
    MPI_Request request;
    MPI_Irecv(&value, (int)sizeof value, MPI_BYTE, rank, WIRE_CONTROL, leader->setup->comm->mpi,
              &request);
    struct pause pause = {0};
    for (int done = 0; !done;) {
        outbox_progress(leader->outbox);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            comm_pause(&pause);
    }
    return value;
}

/* What a package costs on its way to one idle worker. */
struct passage {
    double send_s;  /* on the master */
    double delay_s; /* from the end of the send to the worker's having it all */
};

static struct passage passage_time(const struct probe *probe, int rank, int64_t repeats)
{
    struct probe_order order = {.kind = PROBE_LINK, .repeats = repeats};
    struct passage sum = {0, 0};
    order_send(probe->leader, rank, &order);
    for (int64_t i = 0; i < repeats; i++) {
        struct departure departure = length_post(probe, rank);
        sum.send_s += departure.left_s - departure.start_s;
        sum.delay_s += fmax(0, answer_wait(probe->leader, rank) - departure.left_s);
    }
    return (struct passage){sum.send_s / (double)repeats, sum.delay_s / (double)repeats};
}

/* As many exchanges as make one timing long enough. */
static int64_t passage_repeats(const struct probe *probe, int rank)
{
    const struct comm *comm = probe->leader->setup->comm;
    for (int64_t repeats = LINK_LEAST;; repeats *= 2) {
        double start = comm_now(comm);
        passage_time(probe, rank, repeats);
        double spent = comm_now(comm) - start;
        if (spent >= probe->leader->setup->effort.block_s || 2 * repeats > LINK_MOST)
            return repeats;
    }
}

static double receive_time(const struct probe *probe, int rank, double delay_s)
{
    struct probe_order order = {
        .kind = PROBE_RECEIVE, .repeats = 1, .seconds = fmax(2e-4, 3 * delay_s)};
    order_send(probe->leader, rank, &order);
    length_post(probe, rank);
    return answer_wait(probe->leader, rank);
}

/* The port is busy for what of the delay the worker does not spend itself. */
static void probe_passage(const struct probe *probe, int rank)
{
    const struct probe_effort *effort = &probe->leader->setup->effort;
    int64_t repeats = passage_repeats(probe, rank);
    for (int block = 0; block < effort->blocks; block++) {
        struct passage passage = passage_time(probe, rank, repeats);
        double receive_s = 0;
        for (int i = 0; i < RECEIVES; i++)
            receive_s += receive_time(probe, rank, passage.delay_s) / RECEIVES;
        record(probe, rank, OPERATION_SEND, probe->first, repeats, passage.send_s);
        record(probe, rank, OPERATION_RECEIVE, probe->first, RECEIVES, receive_s);
        record(probe, rank, OPERATION_LINK, probe->first, repeats,
               fmax(0, passage.delay_s - receive_s));
    }
}

/* ---- work ---------------------------------------------------------------------------------- */

/* The scratch file is new at every place: each worker has its share of it to write, as in a run. A
 * package larger than that is written once, overlapping its neighbour's. */
static void fresh_range(const struct probe *probe, int rank, struct probe_order *order)
{
    int64_t tasks = probe->leader->setup->job->setup.tasks, workers = worker_count(probe->leader);
    order->fresh_first = tasks * (rank - 1) / workers;
    order->fresh_last = tasks * rank / workers;
    if (order->fresh_last - order->fresh_first >= probe->count)
        return;
    order->fresh_first = workers > 1 ? (tasks - probe->count) * (rank - 1) / (workers - 1) : 0;
    order->fresh_last = order->fresh_first + probe->count;
}

static void work_record(const struct probe *probe, int rank, const struct probe_work *work)
{
    for (int64_t i = 0; i < work->compute_count; i++)
        record(probe, rank, OPERATION_COMPUTE, work->compute[i].first, work->compute[i].repeats,
               work->compute[i].seconds);
    for (int64_t i = 0; i < work->output_count; i++)
        record(probe, rank, OPERATION_OUTPUT, work->output[i].first, work->output[i].repeats,
               work->output[i].seconds);
}

/* Collective. Returns the longest computation, seconds. */
static double probe_work_all(const struct probe *probe)
{
    const struct leader *leader = probe->leader;
    const struct comm *comm = leader->setup->comm;
    double longest = 0;
    for (int rank = 1; rank <= worker_count(leader); rank++) {
        struct probe_order order = {.kind = PROBE_WORK, .count = probe->count};
        fresh_range(probe, rank, &order);
        order_send(leader, rank, &order);
        package_post(probe, rank);
    }
    outbox_drain(leader->outbox, no_idle);
    comm_barrier(comm);
    for (int rank = 1; rank <= worker_count(leader); rank++) {
        struct probe_work work;
        comm_receive(comm, &work, sizeof work, rank, WIRE_CONTROL);
        if (work.failure.code != FAILURE_NONE)
            failure_set(leader->failure, work.failure.code, "%s", work.failure.text);
        else
            work_record(probe, rank, &work);
        for (int64_t i = 0; i < work.compute_count; i++)
            longest = fmax(longest, work.compute[i].seconds);
    }
    return longest;
}

/* ---- sizes --------------------------------------------------------------------------------- */

/* Collective, with serve_open. */
static bool lead_open(struct leader *leader, int64_t count)
{
    const struct probe_setup *setup = leader->setup;
    const struct job *job = setup->job;
    struct probe_order order = {.kind = PROBE_OPEN, .count = count};
    const struct output_info info = {.plan = "{}",
                                     .emitted = setup->scratch,
                                     .isa = "",
                                     .events = 1,
                                     .workers = worker_count(leader)};
    const struct store_setup store = {setup->scratch, setup->scratch, true};
    order_all(leader, &order);
    struct output_places places = {0};
    bool created = outputfile_create(setup->scratch, job, &info, &places, leader->failure);
    if (!comm_agree(setup->comm, leader->failure))
        return false;
    leader->store = store_open(&store, &places, setup->comm, job, leader->failure);
    if (created)
        unlink(setup->scratch); /* everybody has it open: it goes with them, whatever happens */
    if (!leader->store)
        return false;
    size_t bytes = job_message_most(job, count) + JOB_GUARD;
    leader->outbox = outbox_new(setup->comm, 2, bytes, leader->failure);
    return comm_agree(setup->comm, leader->failure);
}

/* Collective, with serve_clear. */
static void lead_clear(struct leader *leader)
{
    if (leader->outbox) {
        outbox_drain(leader->outbox, no_idle);
        outbox_free(&leader->outbox);
    }
    store_close(&leader->store, leader->failure);
}

static void operations_probe(struct probe *probe, double *longest_s)
{
    struct failure *failure = probe->leader->failure;
    if (!package_pack(probe, outbox_claim(probe->leader->outbox, no_idle), &probe->size))
        return;
    probe_envelope(probe);
    for (int rank = 1; rank <= worker_count(probe->leader) && failure->code == FAILURE_NONE; rank++)
        probe_passage(probe, rank);
    if (failure->code == FAILURE_NONE)
        *longest_s = fmax(*longest_s, probe_work_all(probe));
}

/* Where a package of `count` tasks is probed: a random place in the place's own part of the job, so
 * that no row or slice of the input is in step with the places. The same numbers every time
 * (SplitMix64's output function). */
static int64_t place_first(const struct leader *leader, int64_t count, int place)
{
    const int64_t room = leader->setup->job->setup.tasks - count + 1;
    const int places = leader->setup->effort.places;
    const double begin = (double)room * place / places, end = (double)room * (place + 1) / places;
    uint64_t z = (uint64_t)count * 0x9e3779b97f4a7c15u + (uint64_t)place + 1;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    const double uniform = (double)((z ^ z >> 31) >> 11) * 0x1p-53;
    const int64_t first = (int64_t)(begin + uniform * (end - begin));
    return first < room ? first : room - 1;
}

/* Collective. */
static void place_probe(struct leader *leader, int64_t count, int place, double *longest_s)
{
    struct probe probe = {
        .leader = leader,
        .first = place_first(leader, count, place),
        .count = count,
    };
    bool staged = lead_open(leader, count);
    if (staged) {
        struct probe_order order = {.kind = PROBE_CLEAR};
        operations_probe(&probe, longest_s);
        order_all(leader, &order);
    }
    lead_clear(leader);
}

/* Collective. Returns the longest computation, seconds. */
static double size_probe(struct leader *leader, int64_t count)
{
    double longest_s = 0;
    for (int place = 0; place < leader->setup->effort.places; place++)
        if (leader->failure->code == FAILURE_NONE)
            place_probe(leader, count, place, &longest_s);
    return longest_s;
}

/* No plan for all workers gives one of them much more than its even share. */
static int64_t size_most(const struct leader *leader)
{
    const struct job *job = leader->setup->job;
    double share = 1.5 * (double)job->setup.tasks / worker_count(leader);
    double one =
        fmax((double)job_package_most(job, 1), (double)(job->tile_size + job->record_size) + 1);
    double most =
        fmin(fmin((double)job->setup.tasks, ceil(share)), floor(package_bytes_most / one));
    return most > 1 ? (int64_t)most : 1;
}

bool probe_lead(const struct probe_setup *setup, struct samples *samples, int64_t *largest,
                struct failure *failure)
{
    struct leader leader = {.setup = setup, .samples = samples, .failure = failure};
    int64_t most = size_most(&leader);
    for (int64_t count = 1; failure->code == FAILURE_NONE;) {
        double longest = size_probe(&leader, count);
        *largest = count;
        if (count == most || longest > setup->effort.longest_s)
            break;
        count = count * setup->effort.growth < most ? count * setup->effort.growth : most;
    }
    return failure->code == FAILURE_NONE;
}

void probe_end(const struct probe_setup *setup)
{
    struct leader leader = {.setup = setup};
    struct probe_order order = {.kind = PROBE_END};
    order_all(&leader, &order);
}
