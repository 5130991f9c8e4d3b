#include "spmd/master/ports.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "spmd/master/master_state.h"

struct ports_setup {
    enum operating operating;
    int64_t workers;
    int buffers; /* packages that a worker can receive ahead, >= 1 */
};

struct place {
    int64_t sent, done; /* how many packages */
    double free_s;      /* when it is done with the last of them, and with its start */
    double *arrivals;   /* of package n, at n modulo (buffers + 1): no more can be there */
    double out_s, in_s; /* when the master's ports for it are free, if it has its own */
};

struct queued {
    struct package package;
    double ready_s, link_s;
};

struct ports {
    struct ports_setup setup;
    const struct operating_traits *traits;
    struct place *places; /* owned; one for each worker */
    double *arrivals;     /* owned; of all places */
    struct queued *items; /* owned; those from `first` on wait */
    size_t first, end, capacity;
    double out_s, in_s; /* when the ports are free */
    double begun_s; /* when the last package began its way: none overtakes it, with any number of
                       ports */
};

static int64_t arrivals_each(const struct ports_setup *setup)
{
    return (int64_t)setup->buffers + 1;
}

/* NULL: out of memory. */
static struct ports *ports_new(const struct ports_setup *setup)
{
    struct ports *ports = calloc(1, sizeof *ports);
    if (!ports)
        return NULL;
    ports->setup = *setup;
    ports->traits = operating_traits(setup->operating);
    ports->places = calloc((size_t)setup->workers, sizeof *ports->places);
    ports->arrivals =
        calloc((size_t)(setup->workers * arrivals_each(setup)), sizeof *ports->arrivals);
    if (!ports->places || !ports->arrivals) {
        ports_free(&ports);
        return NULL;
    }
    for (int64_t k = 0; k < setup->workers; k++)
        ports->places[k].arrivals = ports->arrivals + k * arrivals_each(setup);
    return ports;
}

void ports_free(struct ports **ports)
{
    if (!*ports)
        return;
    free((*ports)->places);
    free((*ports)->arrivals);
    free((*ports)->items);
    free(*ports);
    *ports = NULL;
}

static struct place *place_of(const struct ports *ports, int64_t worker)
{
    assert(worker >= 0 && worker < ports->setup.workers);
    return &ports->places[worker];
}

static double *arrival_of(const struct ports *ports, struct place *place, int64_t package)
{
    return &place->arrivals[package % arrivals_each(&ports->setup)];
}

/* ---- workers ------------------------------------------------------------------------------- */

/* The worker's start lasts until then. */
static void ports_prepare(struct ports *ports, int64_t worker, double prepared_s)
{
    struct place *place = place_of(ports, worker);
    place->free_s = fmax(place->free_s, prepared_s);
}

/* The worker has done its oldest package, and can begin the next one then. Where the operating
 * model has it return results before that, it is busy until ports_return. */
static void ports_done(struct ports *ports, int64_t worker, double free_s)
{
    place_of(ports, worker)->done++;
    ports_prepare(ports, worker, free_s);
}

/* Removes all that waits for that worker, and expects no report from it. */
static void ports_drop(struct ports *ports, int64_t worker)
{
    size_t kept = ports->first;
    for (size_t k = ports->first; k < ports->end; k++)
        if (ports->items[k].package.worker != worker)
            ports->items[kept++] = ports->items[k];
    ports->end = kept;
}

/* ---- out ----------------------------------------------------------------------------------- */

static double *port_out(struct ports *ports, int64_t worker)
{
    return ports->traits->port_each ? &place_of(ports, worker)->out_s : &ports->out_s;
}

/* Reuses the places of packages that have begun their way. */
static bool items_reserve(struct ports *ports)
{
    const size_t count = ports->end - ports->first;
    if (ports->first > 0 && ports->end == ports->capacity) {
        memmove(ports->items, ports->items + ports->first, count * sizeof *ports->items);
        ports->first = 0;
        ports->end = count;
    }
    struct queued *items =
        array_reserve(ports->items, &ports->capacity, ports->end + 1, sizeof *items);
    if (items)
        ports->items = items;
    return items != NULL;
}

bool ports_queue(struct ports *ports, const struct package *package, double ready_s, double link_s)
{
    if (!items_reserve(ports))
        return false;
    ports->items[ports->end++] = (struct queued){*package, ready_s, link_s};
    return true;
}

/* When the worker's processor is free to receive. */
static double processor_free_s(const struct place *place)
{
    return place->done == place->sent ? place->free_s : HUGE_VAL;
}

/* When the worker begins the package that has the buffer. Packages that it has done, it began
 * before. */
static double buffer_free_s(const struct ports *ports, struct place *place)
{
    const int64_t held = place->sent - ports->setup.buffers;
    if (held < place->done)
        return 0;
    return held > place->done ? HUGE_VAL : fmax(place->free_s, *arrival_of(ports, place, held));
}

/* When the worker can receive a package. */
static double room_s(const struct ports *ports, struct place *place)
{
    if (ports->setup.operating == OPERATING_SINGLE_PORT)
        return 0;
    return ports->traits->worker_takes ? processor_free_s(place) : buffer_free_s(ports, place);
}

double ports_out_s(const struct ports *ports)
{
    if (ports->first == ports->end)
        return HUGE_VAL;
    const struct queued *next = &ports->items[ports->first];
    struct place *place = place_of(ports, next->package.worker);
    const double port_s = ports->traits->port_each ? place->out_s : ports->out_s;
    return fmax(fmax(next->ready_s, ports->begun_s), fmax(port_s, room_s(ports, place)));
}

struct port_phase ports_send(struct ports *ports, double start_s, struct package *package)
{
    assert(start_s >= ports_out_s(ports));
    const struct queued *next = &ports->items[ports->first++];
    struct place *place = place_of(ports, next->package.worker);
    const struct port_phase phase = {start_s, start_s + next->link_s};
    *package = next->package;
    ports->begun_s = start_s;
    *port_out(ports, package->worker) = phase.end_s;
    *arrival_of(ports, place, place->sent++) = phase.end_s;
    return phase;
}

/* ---- in ------------------------------------------------------------------------------------ */

static double *port_in(struct ports *ports, int64_t worker)
{
    if (ports->traits->half_duplex)
        return &ports->out_s;
    return ports->traits->port_each ? &place_of(ports, worker)->in_s : &ports->in_s;
}

double ports_in_s(const struct ports *ports, int64_t worker, double ready_s)
{
    const struct place *place = place_of(ports, worker);
    if (ports->traits->half_duplex)
        return fmax(ready_s, ports->out_s);
    return fmax(ready_s, ports->traits->port_each ? place->in_s : ports->in_s);
}

struct port_phase ports_return(struct ports *ports, int64_t worker, double start_s, double result_s,
                               bool through)
{
    const struct port_phase phase = {start_s, start_s + result_s};
    *port_in(ports, worker) = phase.end_s;
    if (through)
        ports_done(ports, worker, phase.end_s);
    return phase;
}

/* ---- the master's -------------------------------------------------------------------------- */

bool master_ports_init(struct master *master)
{
    const struct run *run = master->run;
    const struct ports_setup setup = {emulation_operating(run->emulation), run->members->expected,
                                      run->buffers};
    if (run->emulation)
        master->ports = ports_new(&setup);
    return master->ports || !run->emulation;
}

void master_ports_begin(struct master *master)
{
    const struct run *run = master->run;
    for (int64_t worker = 0; master->ports && worker < run->members->expected; worker++)
        ports_prepare(master->ports, worker,
                      master->origin_s +
                          emulation_cost(run->emulation, OPERATION_START, worker, 1));
}

void master_ports_drop(struct master *master, int member)
{
    if (!master->ports)
        return;
    ports_drop(master->ports, member - 1);
    while (outbox_depart(master->outbox, master_peer(master, member), 0))
        ;
}

void master_ports_done(struct master *master, int member, const struct wire_result *report)
{
    const struct run *run = master->run;
    const struct wire_times *times = &report->times;
    const bool owes =
        report->returned > 0 && !run->keeps && emulation_traits(run->emulation)->worker_returns;
    const bool hands = run->collects || run->job->values.write_behind;
    const double free_s = hands ? times->handed_s : times->written_s;
    if (!master->ports)
        return;
    if (owes)
        ports_prepare(master->ports, member - 1, free_s);
    else
        ports_done(master->ports, member - 1, free_s);
}
