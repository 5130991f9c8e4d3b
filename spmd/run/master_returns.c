/* Results that workers return to a master that writes them. A report says what will follow it; the
 * bytes are received a few packages at a time, in the order of reports, so that memory is bounded,
 * one silent worker does not hold up the others, and a worker learns by what is not taken that the
 * store is slow. A package counts once its results are written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/pages.h"
#include "spmd/job/packed_results.h"
#include "spmd/run/master.h"
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
    int rank;
    int room; /* NO_ROOM: its bytes are not being received yet */
    struct link_request receiving;
    size_t size; /* as received */
    bool arrived;
    double begun_s, end_s; /* on the incoming port */
    double due_s;          /* not taken before, over an emulated one; 0: at once */
    struct wire_result report[];
};

struct master_returns {
    struct master_return *first, **end; /* owned; in order of reports */
    struct room rooms[UNDER_WAY];
    double port_free_s;
};

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

double master_returns_memory(const struct job *job, int64_t tasks)
{
    return UNDER_WAY * (double)packed_results_least(job, tasks);
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
    if (good)
        returns->end = &returns->first;
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

void master_returns_release(struct master *master)
{
    struct master_returns *returns = master->returns;
    if (!returns)
        return;
    for (struct master_return *each = returns->first, *next; each; each = next) {
        next = each->next;
        return_abandon(returns, each);
        free(each);
    }
    for (int k = 0; k < UNDER_WAY; k++)
        free(returns->rooms[k].bytes);
    free(returns);
    master->returns = NULL;
}

/* ---- receiving ----------------------------------------------------------------------------- */

bool master_returns_add(struct master *master, int rank, const struct wire_result *report)
{
    struct master_returns *returns = master->returns;
    const size_t size = wire_result_size(master->run->job->state_size, report->troubled);
    struct master_return *added = calloc(1, sizeof *added + size);
    if (!added)
        return failure_memory(master->failure, "keeping reports");
    *added = (struct master_return){.rank = rank, .room = NO_ROOM};
    memcpy(added->report, report, size);
    *returns->end = added;
    returns->end = &added->next;
    master->workers[rank - 1].returning++;
    return true;
}

static double port_s(const struct master *master, const struct package *package)
{
    return emulation_cost(master->run->emulation, OPERATION_RESULT, package->worker,
                          package->count);
}

/* False: there is no room at present, or its worker is lost for want of memory. */
static bool return_begin(struct master *master, struct master_return *each)
{
    struct master_returns *returns = master->returns;
    const struct wire_result *report = each->report;
    const size_t size = (size_t)report->returned;
    const int room = room_find(returns);
    if (room == NO_ROOM)
        return false;
    if (!room_reserve(&returns->rooms[room], size)) {
        master_lose(master, each->rank, "there is no memory for the results that it returns",
                    false);
        return false;
    }
    returns->rooms[room].taken = true;
    each->room = room;
    each->begun_s = fmax(report->times.handed_s, returns->port_free_s);
    if (master->run->emulation)
        each->end_s = each->due_s = returns->port_free_s =
            each->begun_s + port_s(master, &report->package);
    link_receive(master->run->comm->link, returns->rooms[room].bytes, size, each->rank, WIRE_RETURN,
                 &each->receiving);
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
    for (struct master_return *each = master->returns ? master->returns->first : NULL; each;
         each = each->next) {
        if (!is_awaited(each))
            continue;
        if (each->room == NO_ROOM && !return_begin(master, each))
            return;
        return_test(master, each);
    }
}

double master_returns_due_s(const struct master *master)
{
    const double now = comm_now(master->run->comm);
    double due_s = 0;
    for (const struct master_return *each = master->returns ? master->returns->first : NULL;
         each && each->arrived; each = each->next)
        if (each->due_s > now && (!(due_s > 0) || each->due_s - now < due_s))
            due_s = each->due_s - now;
    return due_s;
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
    master->workers[each->rank - 1].returning--;
    master_report_settle(master, each->rank, each->report, written);
}

/* What was computed, into the store. False: it could not be written. */
static bool results_write(struct master *master, struct master_return *each,
                          struct package_results *results, double start_s)
{
    const struct package *package = &each->report->package;
    if (master->run->job->state_size > 0)
        results->state = (char *)(each->report + 1);
    if (!store_write(master->run->store, results, master->failure))
        return false;
    const double end_s = comm_now(master->run->comm);
    master_event(master, each->rank, OPERATION_RESULT, package, each->begun_s, each->end_s);
    master_event(master, 0, OPERATION_COLLECT, package, start_s, end_s);
    master->outcome->makespan_s = fmax(master->outcome->makespan_s, end_s - master->origin_s);
    return true;
}

/* A run that has failed only lets its workers end. Whoever is lost while an emulated master is busy
 * has its package done by others, and nothing is written. */
static void results_collect(struct master *master, struct master_return *each)
{
    struct package_results results;
    if (!is_whole(master, each, &results)) {
        master_lose(master, each->rank, "it returned results that are damaged", false);
        return;
    }
    if (master->failure->code != FAILURE_NONE) {
        report_settle(master, each, false);
        return;
    }
    const double start_s = comm_now(master->run->comm);
    master_sleep(master, OPERATION_COLLECT, &each->report->package, start_s);
    if (master_counts_on(master, each->rank))
        report_settle(master, each, results_write(master, each, &results, start_s));
}

/* The first that is there, and by an emulated port's time; a worker's in their order. The link that
 * leads to it; NULL: there is none. */
static struct master_return **ripe_find(struct master *master)
{
    const double now = comm_now(master->run->comm);
    for (struct master_return **at = &master->returns->first; *at; at = &(*at)->next) {
        const struct master_return *earlier = master->returns->first;
        if (is_awaited(*at) && (*at)->room == NO_ROOM)
            return NULL;
        if (is_awaited(*at) || (*at)->due_s > now)
            continue;
        while (earlier != *at && earlier->rank != (*at)->rank)
            earlier = earlier->next;
        if (earlier == *at)
            return at;
    }
    return NULL;
}

static struct master_return *return_unlink(struct master_returns *returns,
                                           struct master_return **at)
{
    struct master_return *gone = *at;
    *at = gone->next;
    if (!*at)
        returns->end = at;
    return gone;
}

void master_returns_collect(struct master *master)
{
    struct master_returns *returns = master->returns;
    for (struct master_return **at; returns && (at = ripe_find(master));) {
        struct master_return *each = return_unlink(returns, at);
        if (each->report->returned > 0)
            results_collect(master, each);
        else
            report_settle(master, each, true);
        return_abandon(returns, each);
        free(each);
        master_hear(master);
    }
}

void master_returns_drop(struct master *master, int rank)
{
    struct master_returns *returns = master->returns;
    for (struct master_return **at = returns ? &returns->first : NULL; at && *at;) {
        if ((*at)->rank != rank) {
            at = &(*at)->next;
            continue;
        }
        struct master_return *dropped = return_unlink(returns, at);
        return_abandon(returns, dropped);
        free(dropped);
    }
    if (returns)
        master->workers[rank - 1].returning = 0;
}

bool master_returns_wait(const struct master *master)
{
    return master->returns && master->returns->first;
}
