/* The ports of a master that only emulates. Whenever the master is called it finds out which
 * message may begin its way; a package leaves, and results may be taken, once the port has carried
 * them. Where a transfer occupies the master's processor, too, it happens between two operations,
 * and excludes any other. In a job that does not sleep nothing is done here. */
#include <math.h>

#include "spmd/master/master_state.h"

static const struct operating_traits *traits_of(const struct master *master)
{
    return emulation_traits(master->run->emulation);
}

static bool package_queue(struct master *master, const struct package *package, double ready_s)
{
    const double link_s =
        emulation_cost(master->run->emulation, OPERATION_LINK, package->worker, package->count);
    return ports_queue(master->ports, package, ready_s, link_s) ||
           failure_memory(master->failure, "queueing packages");
}

/* May the package begin? Where results may come first, that is known only when its time has
 * come. */
static bool is_due(const struct master *master, double out_s)
{
    return isfinite(out_s) &&
           (!traits_of(master)->half_duplex || out_s <= comm_now(master->run->comm));
}

/* The first package of the queue begins its way. */
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

/* Waits until the package may begin. False: its worker was lost meanwhile, and the package is no
 * longer queued. */
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

/* When the next package can begin to use a port; the processor is not considered. */
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
