/* Workers take packages by a counter, and report them. What is not reported when no worker takes
 * packages any more was taken by lost workers, and is handed out to others. Until then it cannot be
 * told from what others work on, except the package that a lost worker has noted in the output,
 * which may have been the cause of its loss. */
#include <stdlib.h>

#include "spmd/master/master_state.h"
#include "spmd/master/task_gaps.h"
#include "spmd/protocol/counting.h"

struct master_counted {
    struct task_gaps left; /* core tasks that are neither reported nor suspect */
    bool *counts;          /* owned; by worker: does it take packages */
    int counting;          /* how many workers do */
    int64_t index;         /* greater than the indices of all reported packages */
    struct dispatch *rule; /* owned: says which package is taken next */
    int64_t step;          /* the last step that it has said; -1: none */
    int64_t step_tasks;    /* core tasks of that step */
    bool closed;           /* the counter has passed the last package */
};

bool master_counted_init(struct master *master, struct failure *failure)
{
    const struct counted *counted = master->run->counted;
    if (!counted)
        return true;
    struct master_counted *made = calloc(1, sizeof *made);
    master->counted = made;
    if (!made)
        return failure_memory(failure, "preparing the master");
    made->step = -1;
    made->rule = dispatch_new_rule(counted->setup, failure);
    made->counts = calloc((size_t)master->run->members->expected, sizeof *made->counts);
    const bool good =
        made->counts && task_gaps_init(&made->left, counted->ranges, counted->range_count);
    return made->rule && (good || failure_memory(failure, "preparing the master"));
}

void master_counted_release(struct master *master)
{
    if (!master->counted)
        return;
    task_gaps_release(&master->counted->left);
    free(master->counted->counts);
    if (master->counted->rule)
        dispatch_free(&master->counted->rule);
    free(master->counted);
    master->counted = NULL;
}

void master_counted_begin(struct master *master)
{
    struct master_counted *counted = master->counted;
    for (int member = 1; member <= master->run->members->count; member++) {
        counted->counts[member - 1] = master_counts_on(master, member);
        counted->counting += counted->counts[member - 1];
    }
}

bool master_counts(const struct master *master, int member)
{
    const struct master_counted *counted = master->counted;
    return counted && (member == 0 ? counted->counting > 0 : counted->counts[member - 1]);
}

const struct package *master_counted_expect(const struct master *master, int member,
                                            const struct wire_result *report)
{
    const struct package *package = &report->package;
    const struct task_range range = package_range(package);
    const bool can_be = package->worker == member - 1 && package->index >= 0 &&
                        package->round >= 0 && task_gaps_have(&master->counted->left, range);
    return can_be ? package : NULL;
}

void master_counted_done(struct master *master, const struct package *package)
{
    struct master_counted *counted = master->counted;
    if (!task_gaps_fill(&counted->left, package_range(package)))
        failure_memory(master->failure, "keeping what is not done");
    if (counted->index <= package->index)
        counted->index = package->index + 1;
}

/* What a lost worker may have written of these core tasks does not count. */
static void gap_disown(struct master *master, struct task_range gap)
{
    const struct package package = {.first = gap.first, .count = gap.count};
    for (int member = 1; member <= master->run->members->count; member++)
        if (!master_counts_on(master, member))
            store_disown(master->run->store, member, &package, 1);
}

/* All workers have reported what they have taken: hands out what is left. */
static void gaps_hand_out(struct master *master)
{
    struct master_counted *counted = master->counted;
    for (int64_t k = 0; k < counted->left.count; k++) {
        const struct task_range gap = counted->left.ranges[k];
        gap_disown(master, gap);
        if (!dispatch_recovery_add(master->dispatch, gap, counted->index))
            failure_memory(master->failure, "deciding what to send");
    }
    counted->left.count = 0;
}

void master_counted_over(struct master *master, int member)
{
    struct master_counted *counted = master->counted;
    counted->counts[member - 1] = false;
    counted->counting--;
    if (counted->counting == 0 && membership_living(master->run->members) > 0)
        gaps_hand_out(master);
}

/* The package that the lost worker was working on is suspect, and handed out when no worker takes
 * packages any more. Returns its number of core tasks. */
static int64_t noted_suspect(struct master *master, int member)
{
    struct master_counted *counted = master->counted;
    struct losses_in_flight noted;
    if (!losses_of(master->run->losses, member, &noted) || noted.count <= 0)
        return 0;
    const struct task_range range = {noted.first, noted.count};
    const struct losses_row row = {
        .first = noted.first, .count = noted.count, .losses = 1, .signal = noted.signal};
    if (!task_gaps_have(&counted->left, range))
        return 0;
    if (!task_gaps_fill(&counted->left, range) ||
        !dispatch_recovery_suspect(master->dispatch, range, 1)) {
        failure_memory(master->failure, "deciding what to send");
        return 0;
    }
    const struct package package = {.first = range.first, .count = range.count};
    store_disown(master->run->store, member, &package, 1);
    master_loss_note(master, member, &row);
    return range.count;
}

int64_t master_counted_lost(struct master *master, int member, bool at_work)
{
    if (!master_counts(master, member))
        return 0;
    const int64_t tasks = at_work ? noted_suspect(master, member) : 0;
    master_counted_over(master, member);
    return tasks;
}

/* The rank that has the counter adds to it without a message. Returns the counter's value
 * before. */
static int64_t counter_add(const struct master *master, int64_t more)
{
    struct link_request adding;
    int64_t before;
    link_counter_add(master->run->counted->counter, more, &before, &adding);
    comm_wait(master->run->comm, &adding);
    return before;
}

void master_counted_close(struct master *master)
{
    struct master_counted *counted = master->counted;
    if (!counted || counted->closed)
        return;
    counted->closed = true;
    counter_add(master, COUNTED_END);
}

/* The core tasks of the package that is taken next; 0: there is none. */
static int64_t next_tasks(struct master *master)
{
    struct master_counted *counted = master->counted;
    const int64_t step = counter_add(master, 0);
    struct package package;
    if (step == counted->step)
        return counted->step_tasks;
    counted->step = step;
    counted->step_tasks = dispatch_rule_package(counted->rule, step, &package) ? package.count : 0;
    return counted->step_tasks;
}

void master_counted_watch(struct master *master)
{
    const double now_s = comm_now(master->run->comm) - master->origin_s;
    if (master->counted->closed || !dispatch_recovery_ends(master->dispatch))
        return;
    const int64_t tasks = next_tasks(master);
    if (tasks > 0 && !dispatch_recovery_fits(master->dispatch, tasks, now_s))
        master_counted_close(master);
}
