/* The ports of a master that sleeps (ports.h): which message may go on its way is found out
 * whenever the master hears, and a package leaves, or results may be taken, once its port has
 * carried it. What takes the master's processor, too, it does between two operations, and then
 * nothing else. Without a job that sleeps there is nothing to do here. */
#include <math.h>

#include "spmd/master/master_state.h"

static const struct operating_traits *traits_of(const struct master *master)
{
    return emulation_traits(master->run->emulation);
}

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
    const bool owes = report->returned > 0 && !run->keeps && traits_of(master)->worker_returns;
    const bool hands = run->collects || run->job->values.write_behind;
    const double free_s = hands ? times->handed_s : times->written_s;
    if (!master->ports)
        return;
    if (owes)
        ports_prepare(master->ports, member - 1, free_s);
    else
        ports_done(master->ports, member - 1, free_s);
}

/* ---- out ----------------------------------------------------------------------------------- */

static bool package_queue(struct master *master, const struct package *package, double ready_s)
{
    const double link_s =
        emulation_cost(master->run->emulation, OPERATION_LINK, package->worker, package->count);
    return ports_queue(master->ports, package, ready_s, link_s) ||
           failure_memory(master->failure, "queueing packages");
}

/* May it begin? Where results may come first, that is known when its time has come. */
static bool is_due(const struct master *master, double out_s)
{
    return isfinite(out_s) &&
           (!traits_of(master)->half_duplex || out_s <= comm_now(master->run->comm));
}

/* The first in the queue begins its way. */
static void package_begin(struct master *master)
{
    struct package package;
    const struct port_phase phase = ports_send(master->ports, ports_out_s(master->ports), &package);
    outstanding_left(&master->outstanding, &package, phase.start_s);
    outbox_depart(master->outbox, master_peer(master, (int)package.worker + 1), phase.end_s);
}

double master_ports_departure(struct master *master, const struct package *package)
{
    if (traits_of(master)->master_sends) {
        outstanding_left(&master->outstanding, package, master->carried_s);
        return 0;
    }
    return package_queue(master, package, master->busy_s) ? HUGE_VAL : 0;
}

/* It may begin now. False: its worker was lost meanwhile, and nothing of it is queued any more. */
static bool carrying_await(struct master *master, const struct package *package)
{
    struct pause pause = {.longer = OUTBOX_NAPS};
    for (;;) {
        master_idle(master);
        if (!master_counts_on(master, (int)package->worker + 1))
            return false;
        if (ports_out_s(master->ports) <= comm_now(master->run->comm))
            return true;
        outbox_progress(master->outbox);
        master_pause(master, &pause, HUGE_VAL);
    }
}

bool master_ports_carry(struct master *master, const struct package *package)
{
    struct package carried;
    if (!master->ports || !traits_of(master)->master_sends ||
        !master_counts_on(master, (int)package->worker + 1))
        return true;
    if (!package_queue(master, package, master->busy_s))
        return false;
    if (!carrying_await(master, package))
        return true;
    const struct port_phase phase =
        ports_send(master->ports, fmax(ports_out_s(master->ports), master->busy_s), &carried);
    master->carried_s = phase.start_s;
    master_await(master, phase.end_s);
    return true;
}

/* ---- both ---------------------------------------------------------------------------------- */

/* Of the next that may begin on a port, beside the processor. */
static double out_s(const struct master *master)
{
    return traits_of(master)->master_sends ? HUGE_VAL : ports_out_s(master->ports);
}

static double in_s(const struct master *master)
{
    return traits_of(master)->master_takes ? HUGE_VAL : master_returns_next_s(master);
}

void master_ports_move(struct master *master)
{
    while (master->ports) {
        const double next_out_s = out_s(master), next_in_s = in_s(master);
        if (next_in_s <= next_out_s && next_in_s <= comm_now(master->run->comm))
            master_returns_carry(master);
        else if (is_due(master, next_out_s))
            package_begin(master);
        else
            return;
    }
}

double master_ports_due_s(const struct master *master)
{
    if (!master->ports)
        return 0;
    const double next_s = fmin(ports_out_s(master->ports), master_returns_next_s(master));
    return master_left_s(master, next_s);
}
