/* Results that workers return: asked for, carried over emulated ports, received, written. */
#include <math.h>

#include "spmd/job/packed_results.h"
#include "spmd/master/master_returns.h"
#include "spmd/transport/wire.h"

/* ---- asking -------------------------------------------------------------------------------- */

/* The number of the worker's last package; -1: there is nothing to ask for at present. */
static int64_t asking_of(const struct master *master, int member)
{
    int64_t count;
    const struct package *packages = outstanding_of(&master->outstanding, member - 1, &count);
    const struct asking *asking = &master->returns->askings[member - 1];
    const bool due =
        count > 0 && asking->asked <= asking->reported && packages[count - 1].index > asking->asked;
    return due ? packages[count - 1].index : -1;
}

static void worker_ask(struct master *master, int member)
{
    struct wire_package header = {.kind = WIRE_GIVE};
    master_claim(master);
    header.package.index = asking_of(master, member);
    if (!master_counts_on(master, member) || header.package.index < 0)
        return; /* the worker was lost meanwhile */
    outbox_post(master->outbox, master_peer(master, member), &header, 0, 0);
    master->returns->askings[member - 1].asked = header.package.index;
    master->returns->askings[member - 1].wanted = false;
    if (master_returns_unreported(master, member) == 0)
        master_returns_come(master, member);
}

static bool works(const struct master *master)
{
    for (int member = 1; member <= master->run->members->count; member++)
        if (master_returns_unreported(master, member) > 0)
            return true;
    return false;
}

void master_returns_ask(struct master *master, enum dispatch_answer answer)
{
    struct master_returns *returns = master->returns;
    if (!returns || !returns->askings)
        return;
    const bool all = answer == DISPATCH_HANDED_OUT || (answer == DISPATCH_WAIT && !works(master));
    if (!all && !returns->wanted)
        return;
    returns->wanted = false;
    for (int member = 1; member <= master->run->members->count; member++) {
        const bool wanted = returns->askings[member - 1].wanted;
        if ((all || wanted) && asking_of(master, member) >= 0)
            worker_ask(master, member);
        else
            returns->wanted = returns->wanted || (wanted && master_counts_on(master, member));
    }
}

void master_returns_sent(struct master *master, int member)
{
    struct master_returns *returns = master->returns;
    if (!returns || !returns->askings || dispatch_gives_more(master->dispatch, member - 1))
        return;
    if (asking_of(master, member) >= 0)
        worker_ask(master,
                   member); /* at once, because the master may receive others' results next */
    else
        returns->askings[member - 1].wanted = returns->wanted = true;
}

/* ---- emulated ports ------------------------------------------------------------------------ */

static bool is_waiting(const struct master_return *each)
{
    return each->due_s > 0 && !isfinite(each->due_s);
}

/* When it can begin to pass its port: not before the master's processor is free, where that
 * receives it. */
static double start_of(const struct master *master, const struct master_return *each)
{
    const double start_s = ports_in_s(master->ports, each->member - 1, each->ready_s);
    return emulation_traits(master->run->emulation)->master_takes ? fmax(start_s, master->busy_s)
                                                                  : start_s;
}

/* Of those that wait for a port, the one that can begin first; of equal ones, the one that has
 * waited longest. NULL: none waits. */
static struct master_return *next_find(const struct master *master)
{
    struct master_return *next = NULL;
    double next_s = HUGE_VAL;
    if (!master->returns || !master->ports)
        return NULL;
    for (struct master_return *each = master->returns->coming.first; each; each = each->next) {
        const double start_s = is_waiting(each) ? start_of(master, each) : HUGE_VAL;
        if (!(start_s < HUGE_VAL) || start_s > next_s ||
            (start_s == next_s && next && each->ready_s >= next->ready_s))
            continue;
        next = each;
        next_s = start_s;
    }
    return next;
}

double master_returns_next_s(const struct master *master)
{
    const struct master_return *next = next_find(master);
    return next ? start_of(master, next) : HUGE_VAL;
}

/* Results pass the ports. A worker may be lost by the time that the master's processor has received
 * its results. */
void master_returns_carry(struct master *master)
{
    const struct emulation *emulation = master->run->emulation;
    const struct operating_traits *traits = emulation_traits(emulation);
    struct master_return *next = next_find(master);
    const double result_s =
        emulation_cost(emulation, OPERATION_RESULT, next->member - 1, (int64_t)next->load);
    const bool through = traits->worker_returns && !master->run->keeps;
    const struct port_phase phase =
        ports_return(master->ports, next->member - 1, start_of(master, next), result_s, through);
    next->begun_s = phase.start_s;
    next->end_s = next->due_s = phase.end_s;
    if (traits->master_takes)
        master_await(master, phase.end_s);
}

/* Receives results that need the master's processor, unless a package can be sent before. */
static void results_carry(struct master *master)
{
    const struct operating_traits *traits = emulation_traits(master->run->emulation);
    while (master->ports && traits->master_takes) {
        const double next_s = master_returns_next_s(master);
        if (next_s > comm_now(master->run->comm) ||
            (traits->master_sends && next_s > fmax(ports_out_s(master->ports), master->busy_s)))
            return;
        master_returns_carry(master);
        master_hear(master);
    }
}

/* Where a worker waits until its results are sent, they are not taken before. Results at a worker's
 * end are not taken before either: they would use the room of others that have passed their
 * ports. */
static bool is_held(const struct master *master, const struct master_return *each)
{
    return (emulation_traits(master->run->emulation)->worker_returns || master->run->keeps) &&
           each->due_s > comm_now(master->run->comm);
}

/* ---- receiving ----------------------------------------------------------------------------- */

/* Begins to receive into that room. False: the worker is given up, because memory is lacking. */
static bool return_begin(struct master *master, struct master_return *each, int room)
{
    struct master_returns *returns = master->returns;
    const struct wire_result *report = each->report;
    const size_t size = (size_t)report->returned;
    if (!room_reserve(&returns->rooms[room], size)) {
        master_lose(master, each->member, "there is no memory for the results that it returns",
                    false);
        return false;
    }
    returns->rooms[room].taken = true;
    each->room = room;
    if (!(each->begun_s > 0))
        each->begun_s = fmax(each->ready_s, returns->port_free_s);
    link_receive(master->run->comm->link, returns->rooms[room].bytes, size,
                 master_peer(master, each->member), WIRE_RETURN, &each->receiving);
    return true;
}

static bool is_awaited(const struct master_return *each)
{
    return each->report->returned > 0 && !each->arrived;
}

static void return_test(struct master *master, struct master_return *each)
{
    struct master_returns *returns = master->returns;
    if (!link_test(&each->receiving))
        return;
    each->arrived = true;
    each->size = each->receiving.size;
    if (master->run->emulation)
        return;
    each->end_s = returns->port_free_s = comm_now(master->run->comm);
    each->begun_s = fmin(each->begun_s, each->end_s); /* clocks may differ a little */
}

/* Do earlier results of the same worker still wait for a room? It sends its results in order, and
 * the later ones would take their bytes, and the rooms that they wait for. */
static bool is_behind(const struct master *master, const struct master_return *each)
{
    const struct master_return *earlier = master->returns->coming.first;
    while (earlier != each &&
           !(earlier->member == each->member && is_awaited(earlier) && earlier->room == NO_ROOM))
        earlier = earlier->next;
    return earlier != each;
}

void master_returns_hear(struct master *master)
{
    int holders = 0; /* how many have rooms: when all rooms are used, no other can begin */
    for (struct master_return *each = master->returns ? master->returns->coming.first : NULL;
         each && holders < UNDER_WAY; each = each->next) {
        const bool begins = is_awaited(each) && each->room == NO_ROOM && !is_held(master, each) &&
                            !is_behind(master, each);
        const int room = begins ? room_find(master->returns) : NO_ROOM;
        if (begins && room != NO_ROOM && !return_begin(master, each, room))
            return; /* the list may have changed */
        holders += each->room != NO_ROOM;
        if (is_awaited(each) && each->room != NO_ROOM)
            return_test(master, each);
    }
}

void master_returns_await(const struct master *master, struct awaited *awaited)
{
    struct master_return *each = master->returns ? master->returns->coming.first : NULL;
    while (each && !(is_awaited(each) && each->room != NO_ROOM))
        each = each->next;
    if (each)
        awaited->requests[2] = &each->receiving;
}

double master_returns_due_s(const struct master *master)
{
    double due_s = HUGE_VAL;
    if (!master->returns || !master->ports)
        return 0;
    for (const struct master_return *each = master->returns->coming.first; each; each = each->next)
        if (each->due_s > master->looked_s)
            due_s = fmin(due_s, each->due_s);
    return master_left_s(master, due_s);
}

/* ---- collecting ---------------------------------------------------------------------------- */

static bool is_whole(const struct master *master, const struct master_return *each,
                     struct package_results *results)
{
    const struct wire_result *report = each->report;
    const struct package *package = &report->package;
    char *bytes = master->returns->rooms[each->room].bytes;
    return wire_return_check(report, bytes, each->size) &&
           packed_results_open(master->run->job, bytes, each->size, results) &&
           results->first == package->first && results->count == package->count;
}

/* The report is valid, and belongs to the worker's oldest package. */
static void report_settle(struct master *master, const struct master_return *each, bool written)
{
    master->workers[each->member - 1].returning--;
    master_report_settle(master, each->member, each->report, written);
}

/* Adds the results' way to the trace: they have passed the port, or do so with a later package of
 * the worker. */
static void result_trace(struct master *master, const struct master_return *each)
{
    if (each->load > 0) {
        master_event(master, each->member, OPERATION_RESULT, &each->report->package, each->begun_s,
                     each->end_s);
        return;
    }
    struct master_return *next = master->ports ? NULL : master->returns->coming.first;
    for (; next; next = next->next)
        if (is_returned(next, each->member)) {
            next->begun_s = each->begun_s;
            return;
        }
}

/* Writes the results to the store. False: that failed. */
static bool results_write(struct master *master, struct master_return *each,
                          struct package_results *results, double start_s)
{
    const struct package *package = &each->report->package;
    if (master->run->job->state_size > 0)
        results->state = (char *)(each->report + 1);
    if (!store_write(master->run->store, results, master->failure)) {
        master->returns->unwritable = true;
        return false;
    }
    const double end_s = comm_now(master->run->comm);
    master->busy_s = end_s;
    result_trace(master, each);
    master_event(master, 0, OPERATION_COLLECT, package, start_s, end_s);
    master->outcome->makespan_s = fmax(master->outcome->makespan_s, end_s - master->origin_s);
    return true;
}

/* Results that cannot be written, or do not count, are only received, so that their worker can end.
 * If a worker is lost while an emulated master is busy, others do its package, and nothing is
 * written. */
static void results_collect(struct master *master, struct master_return *each)
{
    struct package_results results;
    if (!is_whole(master, each, &results)) {
        master_lose(master, each->member, "it returned results that are damaged", false);
        return;
    }
    if (master->returns->unwritable || !dispatch_claim(master->dispatch, &each->report->package)) {
        report_settle(master, each, false);
        return;
    }
    const double start_s = comm_now(master->run->comm);
    struct package taken = each->report->package;
    taken.count = (int64_t)each->load;
    if (taken.count > 0)
        master_sleep(master, OPERATION_COLLECT, &taken, start_s);
    if (master_counts_on(master, each->member))
        report_settle(master, each, results_write(master, each, &results, start_s));
}

/* The first results that have arrived and, by an emulated port's time, may be taken; those of one
 * worker in their order. Returns the pointer to them in the list; NULL: there are none. */
static struct master_return **ripe_find(struct master *master)
{
    const double now = comm_now(master->run->comm);
    for (struct master_return **at = &master->returns->coming.first; *at; at = &(*at)->next) {
        const struct master_return *earlier = master->returns->coming.first;
        if (is_awaited(*at) && (*at)->room == NO_ROOM && !master->ports)
            return NULL; /* those behind it have not arrived either */
        if (is_awaited(*at) || (*at)->due_s > now)
            continue;
        while (earlier != *at && earlier->member != (*at)->member)
            earlier = earlier->next;
        if (earlier == *at)
            return at;
    }
    return NULL;
}

void master_returns_collect(struct master *master)
{
    struct master_returns *returns = master->returns;
    while (returns) {
        results_carry(master);
        struct master_return **at = ripe_find(master);
        if (!at)
            return;
        struct master_return *each = returns_unlink(&returns->coming, at);
        if (each->report->returned > 0)
            results_collect(master, each);
        else
            report_settle(master, each, true);
        return_free(returns, each);
        master_hear(master);
    }
}
