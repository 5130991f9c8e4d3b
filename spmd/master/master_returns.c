/*
 * Results that workers return to a master that writes them.
 *
 * A report says which results follow it. Their bytes are received for a few packages at a time, in
 * the order of reports, so that memory is bounded, a silent worker does not delay the others, and
 * workers notice a slow store by results that are not taken. A package counts once its results are
 * written.
 *
 * Where workers keep their results, the master asks for them, up to the last package that a worker
 * gets as far as is known: when the plan has no other one for it, when everything is handed out,
 * when no worker has anything left to compute and yet the decision waits, or when the worker is in
 * trouble. They come after it has reported that package, and pass the port together. Until then the
 * reports are kept here.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/pages.h"
#include "spmd/job/packed_results.h"
#include "spmd/master/master_returns.h"

static void list_add(struct list *list, struct master_return *added)
{
    added->next = NULL;
    *list->end = added;
    list->end = &added->next;
}

/* `at` points to the pointer to it. */
struct master_return *returns_unlink(struct list *list, struct master_return **at)
{
    struct master_return *gone = *at;
    *at = gone->next;
    if (!*at)
        list->end = at;
    return gone;
}

/* ---- room ---------------------------------------------------------------------------------- */

bool room_reserve(struct room *room, size_t size)
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

/* NO_ROOM: no room is free. */
int room_find(const struct master_returns *returns)
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

/* The sender may be gone forever, or may still write its results: its memory is not reused. */
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

/* Forgets a return of which nothing more will come. */
void return_free(struct master_returns *returns, struct master_return *gone)
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

/* When it may be taken, as long as it has not passed a port. */
static double due_first_s(const struct master *master, const struct master_return *each)
{
    return master->run->emulation && each->load > 0 ? HUGE_VAL : 0;
}

/* The results that this worker has kept come now, through the port as one transfer. */
void master_returns_come(struct master *master, int member)
{
    struct master_returns *returns = master->returns;
    struct master_return *last = NULL;
    double load = 0;
    for (struct master_return **at = &returns->kept.first; *at;) {
        if ((*at)->member != member) {
            at = &(*at)->next;
            continue;
        }
        struct master_return *each = returns_unlink(&returns->kept, at);
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

/* Will the worker compute no other package, or is that not known? */
static bool is_trouble(const struct master *master, const struct wire_result *report)
{
    return report->asked || report->skipped ||
           wire_result_told(report, master->run->job->state_size)->failure.code != FAILURE_NONE;
}

/* Keeps the report; if it is the last one that was asked for, or the worker's last one, results
 * come now. */
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
        master_returns_come(master, added->member);
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

void master_returns_stop(struct master *master, int member)
{
    if (!master->returns || !master->returns->askings)
        return;
    master->returns->askings[member - 1].stopped = true;
    if (master_returns_unreported(master, member) == 0)
        master_returns_come(master, member);
}

static void list_drop(struct master_returns *returns, struct list *list, int member)
{
    for (struct master_return **at = &list->first; *at;) {
        if ((*at)->member != member) {
            at = &(*at)->next;
            continue;
        }
        return_free(returns, returns_unlink(list, at));
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
