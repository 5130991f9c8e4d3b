/* What a master knows of its members without a message: where they are, whether it counts on them,
 * which package one was lost with; and whether the master has been asked to stop. */
#include <inttypes.h>
#include <stdio.h>

#include "spmd/master/master_state.h"
#include "spmd/protocol/interrupt.h"

int master_peer(const struct master *master, int member)
{
    return membership_peer(master->run->members, member);
}

bool master_counts_on(const struct master *master, int member)
{
    return membership_lives(master->run->members, member);
}

bool master_reaches(const struct master *master, int member)
{
    return !membership_lost(master->run->members, member);
}

static void loss_tell(const struct master *master, int member, const struct losses_row *row)
{
    const struct order *order = &master->run->job->order;
    const int64_t last = order_task(order, row->first + row->count - 1);
    fprintf(stderr, "%s: worker %d was working on core task", master->run->members->command,
            membership_rank(master->run->members, member));
    if (row->count > 1)
        fprintf(stderr, "s %" PRId64 " to", job_task_number(order_task(order, row->first)));
    fprintf(stderr, " %" PRId64 "%s (%s)\n", job_task_number(last),
            row->count > 1 && order_differs(order) ? " in the plan's order" : "",
            losses_cause(row->signal));
}

void master_loss_note(struct master *master, int member, const struct losses_row *row)
{
    loss_tell(master, member, row);
    losses_add(master->run->losses, row);
}

bool master_asked(const struct master *master)
{
    if (interrupt_hinted())
        interrupt_settle(!liveness_misses(master->run->liveness));
    return master->asked || interrupt_asked();
}
