/* Results that workers return to a master that writes them. A report says what will follow it; the
 * bytes are received a few packages at a time, in the order of reports, so that memory is bounded,
 * one silent worker does not hold up the others, and a worker learns by what is not taken that the
 * store is slow. A package counts once its results are written.
 *
 * Where workers keep their results, the master asks for them, behind the last package that a worker
 * gets as far as is known: when the plan has no other one for it, when everything is handed out,
 * when nobody has anything left to compute and yet the decision waits, or when the worker is in
 * trouble. They come once it has reported that package, and go over the port together. Until then
 * the reports are kept here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/pages.h"
#include "spmd/job/packed_results.h"
#include "spmd/master/master_state.h"
#include "spmd/transport/wire.h"

/* Packages whose bytes are received at a time. */
enum { UNDER_WAY = 4 };
enum { NO_ROOM = -1 };

/* For the bytes of a package. */
struct room {
    char *bytes; /* owned */
    size_t size;
    bool taken;
};

/* A report whose results are on their way, or to come. */
struct master_return {
    struct master_return *next;
    int member;
    double load;    /* core tasks whose results go over the port with it; 0: with a later one */
    double ready_s; /* to be sent */
    int room;       /* NO_ROOM: its bytes are not being received yet */
    struct link_request receiving;
    size_t size; /* as received */
    bool arrived;
    double begun_s, end_s; /* on the incoming port; with those that go with it */
    double due_s;          /* not taken before, over an emulated one; 0: at once; HUGE_VAL: it has
                            * not been on it yet */
    struct wire_result report[];
};

/* Owned, in order of reports. */
struct list {
    struct master_return *first, **end;
};

/* What a worker has been asked for: one thing after the other, for it waits until what it returns
 * is taken. */
struct asking {
    int64_t asked;    /* the number of the last package that it is to return; -1: none yet */
    int64_t reported; /* of the last one that it has reported; -1: none */
    bool wanted;      /* it is in trouble */
    bool stopped;     /* it returns all */
};

struct master_returns {
    struct list coming, kept; /* kept by the worker, as far as is known */
    struct asking *askings;   /* owned; one a worker; NULL: nobody keeps results */
    bool wanted;              /* of some worker */
    int64_t tasks;            /* whose results are kept, or on their way after that */
    bool unwritable;          /* the store has failed */
    struct room rooms[UNDER_WAY];
    double port_free_s; /* of a real one */
};

static void list_add(struct list *list, struct master_return *added)
{
    added->next = NULL;
    *list->end = added;
    list->end = &added->next;
}

/* `at` leads to it. */
static struct master_return *list_unlink(struct list *list, struct master_return **at)
{
    struct master_return *gone = *at;
    *at = gone->next;
    if (!*at)
        list->end = at;
    return gone;
}

/* ---- room ---------------------------------------------------------------------------------- */

static bool room_reserve(struct room *room, size_t size)
{
    if (size <= room->size)
        return true;
    free(room->bytes);
    room->bytes = pages_new(size);
    room->size = room->bytes ? size : 0;
    if (room->bytes)
        pages_touch(room->bytes, size);
    return room->bytes != NULL;
}

/* NO_ROOM: none is free. */
static int room_find(const struct master_returns *returns)
{
    for (int k = 0; k < UNDER_WAY; k++)
        if (!returns->rooms[k].taken)
            return k;
    return NO_ROOM;
}

/* False: out of memory. */
static bool askings_make(const struct run *run, struct master_returns *returns)
{
    if (!run->keeps)
        return true;
    returns->askings = calloc((size_t)run->members->expected, sizeof *returns->askings);
    for (int k = 0; returns->askings && k < run->members->expected; k++)
        returns->askings[k].asked = returns->askings[k].reported = -1;
    return returns->askings != NULL;
}

bool master_returns_init(struct master *master)
{
    const struct run *run = master->run;
    if (!run->collects)
        return true;
    const size_t size = packed_results_least(run->job, run->largest_package);
    struct master_returns *returns = calloc(1, sizeof *returns);
    bool good = returns != NULL;
    master->returns = returns;
    if (good) {
        returns->coming.end = &returns->coming.first;
        returns->kept.end = &returns->kept.first;
        good = askings_make(run, returns);
    }
    for (int k = 0; good && k < UNDER_WAY; k++)
        good = size <= LINK_MOST && room_reserve(&returns->rooms[k], size);
    return good;
}

/* The sender may be gone for ever, and may still write there: its room is left to it. */
static void return_abandon(struct master_returns *returns, struct master_return *gone)
{
    if (gone->room == NO_ROOM)
        return;
    struct room *room = &returns->rooms[gone->room];
    if (!gone->arrived) {
        link_forget(&gone->receiving);
        *room = (struct room){.bytes = NULL};
    }
    room->taken = false;
}

/* Nothing is to come of it any more. */
static void return_free(struct master_returns *returns, struct master_return *gone)
{
    if (returns->askings && gone->report->returned > 0)
        returns->tasks -= gone->report->package.count;
    return_abandon(returns, gone);
    free(gone);
}

static void list_release(struct master_returns *returns, struct list *list)
{
    for (struct master_return *each = list->first, *next; each; each = next) {
        next = each->next;
        return_free(returns, each);
    }
}

void master_returns_release(struct master *master)
{
    struct master_returns *returns = master->returns;
    if (!returns)
        return;
    list_release(returns, &returns->coming);
    list_release(returns, &returns->kept);
    free(returns->askings);
    for (int k = 0; k < UNDER_WAY; k++)
        free(returns->rooms[k].bytes);
    free(returns);
    master->returns = NULL;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Does it have results, and is it that worker's? */
static bool is_returned(const struct master_return *each, int member)
{
    return each->member == member && each->report->returned > 0;
}

/* As long as it has not been on a port. */
static double due_first_s(const struct master *master, const struct master_return *each)
{
    return master->run->emulation && each->load > 0 ? HUGE_VAL : 0;
}

/* What that worker keeps comes now, and goes over the port together. */
static void kept_come(struct master *master, int member)
{
    struct master_returns *returns = master->returns;
    struct master_return *last = NULL;
    double load = 0;
    for (struct master_return **at = &returns->kept.first; *at;) {
        if ((*at)->member != member) {
            at = &(*at)->next;
            continue;
        }
        struct master_return *each = list_unlink(&returns->kept, at);
        list_add(&returns->coming, each);
        load += each->load;
        last = each->load > 0 ? each : last;
        each->load = each->due_s = 0;
    }
    if (last) {
        last->load = load;
        last->due_s = due_first_s(master, last);
    }
    for (struct master_return *each = returns->coming.first; last && each; each = each->next)
        if (is_returned(each, member))
            each->ready_s = last->ready_s;
}

int64_t master_returns_unreported(const struct master *master, int member)
{
    int64_t count;
    outstanding_of(&master->outstanding, member - 1, &count);
    return count - master->workers[member - 1].returning;
}

/* Its worker computes no other package, or nobody can know whether it will. */
static bool is_trouble(const struct master *master, const struct wire_result *report)
{
    return report->asked || report->skipped ||
           wire_result_told(report, master->run->job->state_size)->failure.code != FAILURE_NONE;
}

/* That one is the last that it was asked for, or it reports no other. */
static void kept_add(struct master *master, struct master_return *added)
{
    struct master_returns *returns = master->returns;
    struct asking *asking = &returns->askings[added->member - 1];
    list_add(&returns->kept, added);
    returns->tasks += added->load > 0 ? added->report->package.count : 0;
    if (is_trouble(master, added->report))
        asking->wanted = returns->wanted = true;
    asking->reported = added->report->package.index;
    if (asking->asked == asking->reported || added->report->own ||
        (asking->stopped && master_returns_unreported(master, added->member) == 0))
        kept_come(master, added->member);
}

bool master_returns_add(struct master *master, int member, const struct wire_result *report)
{
    struct master_returns *returns = master->returns;
    const size_t size = wire_result_size(master->run->job->state_size, report->troubled);
    struct master_return *added = calloc(1, sizeof *added + size);
    if (!added)
        return failure_memory(master->failure, "keeping reports");
    *added =
        (struct master_return){.member = member,
                               .room = NO_ROOM,
                               .load = report->returned > 0 ? (double)report->package.count : 0,
                               .ready_s = report->times.handed_s};
    added->due_s = due_first_s(master, added);
    memcpy(added->report, report, size);
    master->workers[member - 1].returning++;
    if (returns->askings)
        kept_add(master, added);
    else
        list_add(&returns->coming, added);
    return true;
}

int64_t master_returns_kept(const struct master *master)
{
    return master->returns ? master->returns->tasks : 0;
}

/* The number of its last package; -1: there is nothing that it could be asked for now. */
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
        return; /* it was lost meanwhile */
    outbox_post(master->outbox, master_peer(master, member), &header, 0, 0);
    master->returns->askings[member - 1].asked = header.package.index;
    master->returns->askings[member - 1].wanted = false;
    if (master_returns_unreported(master, member) == 0)
        kept_come(master, member);
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
        worker_ask(master, member); /* at once: the master may take in others' results next */
    else
        returns->askings[member - 1].wanted = returns->wanted = true;
}

void master_returns_stop(struct master *master, int member)
{
    if (!master->returns || !master->returns->askings)
        return;
    master->returns->askings[member - 1].stopped = true;
    if (master_returns_unreported(master, member) == 0)
        kept_come(master, member);
}

/* ---- emulated ports ------------------------------------------------------------------------ */

static bool is_waiting(const struct master_return *each)
{
    return each->due_s > 0 && !isfinite(each->due_s);
}

/* When it can go on its port. The master's processor is busy until then, where that takes it in. */
static double start_of(const struct master *master, const struct master_return *each)
{
    const double start_s = ports_in_s(master->ports, each->member - 1, each->ready_s);
    return emulation_traits(master->run->emulation)->master_takes ? fmax(start_s, master->busy_s)
                                                                  : start_s;
}

/* Of those that wait for a port, the one that can be on it first, the one that has waited longest
 * among equals; NULL: none waits. */
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

/* It may be gone when the master's processor has taken it in. */
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

/* Results that take the master's processor, unless it could send a package before. */
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

/* Where the worker waits for them to be sent, they are not taken before they have been; nor those
 * at a worker's end, which would take the room of others that their ports have carried. */
static bool is_held(const struct master *master, const struct master_return *each)
{
    return (emulation_traits(master->run->emulation)->worker_returns || master->run->keeps) &&
           each->due_s > comm_now(master->run->comm);
}

/* ---- receiving ----------------------------------------------------------------------------- */

/* Into that room. False: its worker is lost for want of memory. */
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
    each->begun_s = fmin(each->begun_s, each->end_s); /* clocks may differ */
}

void master_returns_hear(struct master *master)
{
    int holders = 0; /* of rooms: behind the last one nothing can begin */
    for (struct master_return *each = master->returns ? master->returns->coming.first : NULL;
         each && holders < UNDER_WAY; each = each->next) {
        const bool begins = is_awaited(each) && each->room == NO_ROOM && !is_held(master, each);
        const int room = begins ? room_find(master->returns) : NO_ROOM;
        if (begins && room != NO_ROOM && !return_begin(master, each, room))
            return; /* and maybe others of the list with it */
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

/* The report holds, and is that of its worker's oldest package. */
static void report_settle(struct master *master, const struct master_return *each, bool written)
{
    master->workers[each->member - 1].returning--;
    master_report_settle(master, each->member, each->report, written);
}

/* They have been on the port, or are on it with a later one of the worker. */
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

/* What was computed, into the store. False: it could not be written. */
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

/* What cannot be written, or does not count, is only taken, so that its worker can end. Whoever is
 * lost while an emulated master is busy has its package done by others, and nothing is written. */
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

/* The first that is there, and by an emulated port's time; a worker's in their order. The link that
 * leads to it; NULL: there is none. */
static struct master_return **ripe_find(struct master *master)
{
    const double now = comm_now(master->run->comm);
    for (struct master_return **at = &master->returns->coming.first; *at; at = &(*at)->next) {
        const struct master_return *earlier = master->returns->coming.first;
        if (is_awaited(*at) && (*at)->room == NO_ROOM && !master->ports)
            return NULL; /* nor has any behind it */
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
        struct master_return *each = list_unlink(&returns->coming, at);
        if (each->report->returned > 0)
            results_collect(master, each);
        else
            report_settle(master, each, true);
        return_free(returns, each);
        master_hear(master);
    }
}

static void list_drop(struct master_returns *returns, struct list *list, int member)
{
    for (struct master_return **at = &list->first; *at;) {
        if ((*at)->member != member) {
            at = &(*at)->next;
            continue;
        }
        return_free(returns, list_unlink(list, at));
    }
}

void master_returns_drop(struct master *master, int member)
{
    struct master_returns *returns = master->returns;
    if (!returns)
        return;
    list_drop(returns, &returns->coming, member);
    list_drop(returns, &returns->kept, member);
    master->workers[member - 1].returning = 0;
}

bool master_returns_wait(const struct master *master)
{
    return master->returns && (master->returns->coming.first || master->returns->kept.first);
}
