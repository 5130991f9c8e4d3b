/* What a master does while it waits: it takes in messages, receives and writes results
 * (master_collecting.c), and lets messages begin their way over emulated ports (master_ports.c).
 * These three files call each other, because a transfer or a write that occupies the master's
 * processor is itself waited for. */
#include <math.h>

#include "spmd/master/master_state.h"
#include "spmd/master/masters.h"

/* How long the master waits for what is due already: not 0, which would mean that nothing is
 * due. */
static const double soon_s = 1e-9;

/* Exchanges messages with the other masters: if one of them must end, all do. */
static void others_hear(struct master *master)
{
    const struct summary *summary = &master->outcome->summary;
    struct masters *masters = master->run->masters;
    if (!masters)
        return;
    /* What a group has done is told by the master above it. */
    const bool ends = master_asked(master) || master->failure->code != FAILURE_NONE;
    const double now_s = comm_now(master->run->comm) - master->origin_s;
    const struct masters_own own =
        master->relay ? (struct masters_own){.now_s = now_s}
                      : (struct masters_own){summary->tasks, summary->failed, ends, now_s};
    master->asked = masters_hear(masters, &own) || master->asked;
    master->progress->elsewhere = masters->elsewhere_tasks;
    master->progress->elsewhere_failed = masters->elsewhere_failed;
}

void master_hear(struct master *master)
{
    while (link_test(&master->receiving)) {
        const int member = membership_of(master->run->members, master->receiving.peer);
        if (member > 0)
            master_report_take(master, member, master->receiving.size);
        master_listen(master);
    }
    master_ports_move(master);
    master_returns_hear(master);
    master_members(master);
    const double now_s = comm_now(master->run->comm) - master->origin_s;
    others_hear(master);
    if (master->run->tracing)
        trace_writer_tick(master->run->tracing, now_s);
    progress_show(master->progress, master->outcome->summary.tasks + master_returns_kept(master),
                  now_s);
}

void master_idle(struct master *master)
{
    master->looked_s = comm_now(master->run->comm);
    master_hear(master);
    master_returns_collect(master);
}

static void idle_take(void *self)
{
    master_idle(self);
}

struct outbox_idle master_outbox_idle(struct master *master)
{
    return (struct outbox_idle){idle_take, master, &master->receiving};
}

void *master_claim(struct master *master)
{
    return outbox_claim(master->outbox, master_outbox_idle(master));
}

/* ---- until something happens ---------------------------------------------------------------- */

/* Something is due in left_s seconds; 0: nothing is due. */
static void awaited_until(struct awaited *awaited, double left_s)
{
    if (left_s > 0 && (!(awaited->left_s > 0) || left_s < awaited->left_s))
        awaited->left_s = left_s;
}

double master_left_s(const struct master *master, double due_s)
{
    const double left_s = due_s - comm_now(master->run->comm);
    return due_s > master->looked_s && isfinite(due_s) ? fmax(left_s, soon_s) : 0;
}

void master_pause(struct master *master, struct pause *pause, double due_s)
{
    struct awaited awaited = {.requests = {&master->receiving}};
    outbox_await(master->outbox, &awaited);
    master_returns_await(master, &awaited);
    master_relay_await(master, &awaited);
    if (master->run->masters) {
        masters_await(master->run->masters, &awaited);
        awaited_until(&awaited, masters_have_news(master->run->masters) ? soon_s : 0);
        due_s = fmin(due_s, masters_tell_s(master->run->masters));
    }
    awaited_until(&awaited, master_returns_due_s(master));
    awaited_until(&awaited, master_ports_due_s(master));
    if (isfinite(due_s))
        awaited_until(&awaited,
                      fmax(master->origin_s + due_s - comm_now(master->run->comm), soon_s));
    comm_pause(master->run->comm, pause, &awaited);
}

/* While the master waits, it receives results, and packages leave. */
void master_await(struct master *master, double end_s)
{
    const struct comm *comm = master->run->comm;
    const double looked_s = master->looked_s;
    struct pause pause = {.longer = OUTBOX_NAPS};
    for (; comm_now(comm) < end_s; master_pause(master, &pause, end_s - master->origin_s)) {
        master->looked_s = comm_now(comm);
        master_hear(master);
        outbox_progress(master->outbox);
    }
    master->looked_s = looked_s; /* results have not been received */
    master->busy_s = comm_now(comm);
}

void master_sleep(struct master *master, enum operation operation, const struct package *package,
                  double start_s)
{
    const struct emulation *emulation = master->run->emulation;
    if (emulation)
        master_await(master,
                     emulation_end(emulation, operation, package->worker, package->count, start_s));
}
