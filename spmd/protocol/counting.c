#include "spmd/protocol/counting.h"

#include <math.h>
#include <string.h>

bool counting_begin(struct counting *counting, const struct run *run, struct failure *failure)
{
    const struct counted *counted = run->counted;
    *counting = (struct counting){.run = run, .rule = dispatch_new_rule(counted->setup, failure)};
    return counting->rule &&
           (task_places_init(&counting->places, counted->ranges, counted->range_count) ||
            failure_memory(failure, "counting packages"));
}

void counting_worker(struct counting *counting, int64_t worker)
{
    counting->package.worker = worker;
}

void counting_end(struct counting *counting)
{
    if (counting->rule)
        dispatch_free(&counting->rule);
    task_places_release(&counting->places);
    *counting = (struct counting){.run = NULL};
}

/* The time of a request when no rank has to answer it; 0: as long as it takes. */
static double request_s(const struct counting *counting)
{
    const struct emulation *emulation = counting->run->emulation;
    const int64_t worker = counting->package.worker, tasks = counting->tasks;
    if (!emulation || tasks == 0)
        return 0;
    return emulation_fetch_s(emulation, worker, tasks);
}

/* Takes the next number, which no other rank then has. If the master is gone this never ends; a
 * rank that notices it leaves from here. */
static int64_t number_take(struct counting *counting, struct inbox_idle idle)
{
    const struct comm *comm = counting->run->comm;
    const double until_s = comm_now(comm) + request_s(counting);
    struct link_request adding;
    struct awaited awaited = {.requests = {&adding}};
    struct pause pause = {0};
    int64_t number;
    link_counter_add(counting->run->counted->counter, 1, &number, &adding);
    while (!link_test(&adding)) {
        awaited.left_s = idle.call ? idle.call(idle.self) : 0;
        comm_pause(comm, &pause, &awaited);
    }
    awaited.requests[0] = NULL;
    for (double left_s; (left_s = until_s - comm_now(comm)) > 0;) {
        awaited.left_s = left_s;
        comm_pause(comm, &pause, &awaited);
    }
    return number;
}

/* False: all packages are taken. */
static bool package_take(struct counting *counting, struct inbox_idle idle)
{
    const int64_t worker = counting->package.worker;
    const int64_t number = number_take(counting, idle);
    const bool there = dispatch_rule_package(counting->rule, number, &counting->package);
    counting->package.worker = worker;
    return there;
}

/* The first piece of what is left of the package. Indices ascend, and no two pieces have the same
 * one. */
static struct package piece_of(struct counting *counting)
{
    struct package *left = &counting->package, piece = *left;
    const struct task_range wanted = {left->first, left->count};
    const struct task_range place = task_places_piece(&counting->places, wanted);
    piece.index += task_places_range(&counting->places, left->first);
    piece.first = place.first;
    piece.count = counting->tasks = place.count;
    left->first += place.count;
    left->count -= place.count;
    return piece;
}

bool counting_take(struct counting *counting, struct inbox_idle idle, struct inbox_package *in)
{
    const double asked_s = comm_now(counting->run->comm);
    if (counting->package.count == 0 && !package_take(counting, idle))
        return false;
    memset(in, 0, sizeof *in);
    in->header = (struct wire_package){.kind = WIRE_WORK, .package = piece_of(counting)};
    in->transit_s = asked_s;
    in->arrived_s = comm_now(counting->run->comm);
    return true;
}
