#include "spmd/run/ranks_left.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/selection.h"

void ranks_left_begin(struct ranks_left *left, struct comm *comm)
{
    *left = (struct ranks_left){.comm = comm};
}

bool ranks_left_suffice(const struct ranks_left *left, const struct run_outcome *outcome)
{
    return left->comm->size - outcome->lost.count > 1;
}

static void *room(const struct comm *comm, size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    if (made)
        return made;
    fprintf(stderr, "scow: rank %d is out of memory while leaving lost ranks out\n", comm->rank);
    link_abort(comm->link, FAILURE_FAILED);
}

/* Adds them after those of earlier levels. */
static void lost_add(struct ranks_left *left, const struct process_list *more)
{
    const size_t before = (size_t)left->lost.count, count = (size_t)more->count;
    struct process *items = room(left->comm, before + count, sizeof *items);
    if (before > 0)
        memcpy(items, left->lost.items, before * sizeof *items);
    if (count > 0)
        memcpy(items + before, more->items, count * sizeof *items);
    free(left->lost.items);
    left->lost = (struct process_list){items, (int)(before + count)};
}

static bool is_lost(const struct rank_list *lost, int rank)
{
    int k = 0;
    while (k < lost->count && lost->items[k] != rank)
        k++;
    return k < lost->count;
}

/* Ascending; owned. */
static int *others_of(const struct comm *comm, const struct rank_list *lost)
{
    int *others = room(comm, (size_t)comm->size, sizeof *others), count = 0;
    for (int rank = 0; rank < comm->size; rank++)
        if (!is_lost(lost, rank))
            others[count++] = rank;
    return others;
}

/* A communicator with lost ranks cannot be freed: it is just not used any more. */
void ranks_left_go_on(struct ranks_left *left, struct run_outcome *outcome)
{
    const int count = left->comm->size - outcome->lost.count;
    struct comm *comm = room(left->comm, 1, sizeof *comm);
    int *among = others_of(left->comm, &outcome->lost);
    lost_add(left, &outcome->others);
    comm_among(comm, left->comm, among, count);
    for (int k = 0; left->ranks && k < count; k++)
        among[k] = left->ranks[among[k]];
    free(left->made);
    free(left->ranks);
    left->comm = left->made = comm;
    left->ranks = among;
}

/* The number in the profile of the plan's worker. */
static int64_t selected_of(const struct plan_selection *selection, int64_t worker)
{
    for (size_t k = 0; k < selection->count; k++) {
        const struct plan_run *run = &selection->runs[k];
        const int64_t count = run->last - run->first + 1;
        if (worker < count)
            return run->first + worker;
        worker -= count;
    }
    return selection->count == 0 ? worker : INT64_MAX;
}

bool ranks_left_select(const struct ranks_left *left, const struct plan *plan,
                       const struct profile *profile, struct plan_selection *selection)
{
    const int64_t measured = profile_workers(&profile->settings[0].windows[0]);
    bool good = true;
    *selection = (struct plan_selection){.runs = NULL};
    if (!left->ranks)
        return selection_copy(selection, &plan->selected);
    for (int rank = 1; good && rank < left->comm->size; rank++) {
        const int64_t worker = selected_of(&plan->selected, left->ranks[rank] - 1);
        if (worker < measured) /* those beyond the measured ones follow by themselves */
            good = selection_add(selection, worker, worker);
    }
    return good;
}

void ranks_left_end(struct ranks_left *left, struct run_outcome *outcome)
{
    if (left->lost.count > 0) {
        if (outcome->broken)
            lost_add(left, &outcome->others);
        free(outcome->others.items);
        outcome->others = left->lost;
        outcome->broken = true;
    }
    free(left->made);
    free(left->ranks);
    *left = (struct ranks_left){.comm = NULL};
}
