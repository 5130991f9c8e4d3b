/*
 * What groups have reported of a reduction, so that the output can be corrected where a group is
 * lost.
 *
 * For the master above it, a group's package is done when all of it is reported. The states of the
 * group's workers in the output contain more: what they have done of packages that were not. Where
 * the group is lost, others do these packages again, and the workers' states would count them
 * twice. So what the group has reported, and what an earlier run has left for its ranks, is kept
 * here, and then replaces the workers' states. Until that is written, ledger and states do not
 * agree, which a resumed run recognises (spmd/resume/remaining.h).
 */
#include <stdlib.h>

#include "spmd/master/master_state.h"

struct master_groups {
    char *sums; /* owned; a slot for each member (store_group_read) */
    int *ranks; /* owned; of the current group */
};

static char *sum_of(const struct master *master, int member)
{
    const size_t size = store_group_size(master->run->job);
    return master->groups->sums + (size_t)(member - 1) * size;
}

/* Lists the group's ranks, its master first. */
static int ranks_list(const struct master *master, int member)
{
    int *ranks = master->groups->ranks, count = 0;
    for (int rank = 1; rank < comm_all(master->run->whole->comm); rank++)
        if (master->run->behind[rank] == member)
            ranks[count++] = rank;
    return count;
}

bool master_groups_init(struct master *master, struct failure *failure)
{
    const struct run *run = master->run;
    const int members = run->members->expected;
    if (!run->heads || run->job->state_size == 0)
        return true;
    if (!run->store)
        return false; /* the output could not be opened, so that no run begins */
    struct master_groups *groups = calloc(1, sizeof *groups);
    master->groups = groups;
    if (groups) {
        groups->sums = calloc((size_t)members, store_group_size(run->job));
        groups->ranks = calloc((size_t)comm_all(run->whole->comm), sizeof *groups->ranks);
    }
    if (!groups || !groups->sums || !groups->ranks)
        return failure_memory(failure, "preparing for the loss of groups");
    for (int member = 1; member <= members; member++)
        if (!store_group_read(run->store, groups->ranks, ranks_list(master, member),
                              sum_of(master, member)))
            return failure_set(failure, FAILURE_FAILED,
                               "%s: what groups have summed up could not be read back: check the "
                               "disk",
                               run->members->path);
    return true;
}

void master_groups_release(struct master *master)
{
    if (!master->groups)
        return;
    free(master->groups->sums);
    free(master->groups->ranks);
    free(master->groups);
    master->groups = NULL;
}

void master_groups_take(struct master *master, int member, const struct package *package,
                        const void *state)
{
    if (master->groups)
        store_group_add(master->run->job, sum_of(master, member), package, state);
}

void master_groups_lost(struct master *master, int member)
{
    if (!master->groups)
        return;
    const int count = ranks_list(master, member);
    store_group_replace(master->run->store, master->groups->ranks, count, sum_of(master, member));
}
