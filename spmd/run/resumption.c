#include "spmd/run/resumption.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/plan_json.h"
#include "spmd/output/hold.h"
#include "spmd/run/remainder.h"
#include "spmd/transport/clock.h"

/* ---- what is left -------------------------------------------------------------------------- */

/* Ranks of a run that was killed may need a moment to be gone. */
static int hold_patiently(const char *path, struct failure *failure)
{
    static const double patience_s = 5, nap_s = 0.05;
    const double start_s = clock_now();
    for (;;) {
        struct failure held = FAILURE_INIT;
        const int file = hold_first(path, &held);
        if (file >= 0)
            return file;
        if (clock_now() - start_s > patience_s) {
            failure_set(failure, held.code, "%s", held.text);
            return -1;
        }
        clock_nap(nap_s);
    }
}

/* Local to the master. */
static bool file_look(struct resumption *resumption, const struct resumption_setup *setup,
                      struct failure *failure)
{
    struct remains *remains = &resumption->remains;
    resumption->on = access(setup->path, F_OK) == 0;
    if (!resumption->on)
        return true;
    resumption->hold = hold_patiently(setup->path, failure);
    if (resumption->hold < 0 || !remains_read(remains, setup->path, &setup->wanted, failure))
        return false;
    resumption->places = remains->places;
    resumption->left = remains->left;
    resumption->complete = remains->complete && remains->left == 0;
    resumption->slots = remains->slots;
    resumption->workers = setup->comm->size - 1;
    if (remains->state && remains->slots < resumption->workers)
        resumption->workers = remains->slots;
    remains->workers = resumption->workers;
    return true;
}

/* Local to the master. Owned; NULL: there is nothing left to plan, or *failure is set. */
static char *rest_text(const struct resumption *resumption, const struct resumption_setup *setup,
                       struct failure *failure)
{
    const struct remainder_request request = {
        .plan = setup->wanted.plan,
        .tasks = resumption->left,
        .workers = resumption->workers,
    };
    const char *profile = setup->profile_text ? setup->profile_text : resumption->remains.profile;
    return resumption->left > 0 ? remainder_plan(&request, profile, failure) : NULL;
}

/* Collective. The master's text, which may be NULL, owned on every rank. */
static char *text_share(const struct comm *comm, char *text)
{
    bool there = text != NULL;
    size_t length = text ? strlen(text) : 0;
    comm_broadcast(comm, &there, sizeof there);
    return there ? comm_broadcast_text(comm, text, &length) : NULL;
}

/* Collective. */
static void figures_share(struct resumption *resumption, const struct comm *comm)
{
    comm_broadcast(comm, &resumption->on, sizeof resumption->on);
    comm_broadcast(comm, &resumption->complete, sizeof resumption->complete);
    comm_broadcast(comm, &resumption->workers, sizeof resumption->workers);
    comm_broadcast(comm, &resumption->slots, sizeof resumption->slots);
    comm_broadcast(comm, &resumption->left, sizeof resumption->left);
    comm_broadcast(comm, &resumption->places, sizeof resumption->places);
}

bool resumption_init(struct resumption *resumption, const struct resumption_setup *setup,
                     struct failure *failure)
{
    const struct comm *comm = setup->comm;
    char *text = NULL;
    *resumption = (struct resumption){.hold = -1};
    if (comm->rank == 0 && file_look(resumption, setup, failure) && resumption->on)
        text = rest_text(resumption, setup, failure);
    if (comm_agree(comm, failure)) {
        figures_share(resumption, comm);
        text = text_share(comm, text);
        resumption->emitted = text_share(comm, resumption->remains.emitted);
        resumption->remains.emitted = NULL;
        if (text)
            plan_parse(&resumption->plan, text, strlen(text), "the plan of what is left", failure);
    }
    free(text);
    return comm_agree(comm, failure);
}

void resumption_release(struct resumption *resumption)
{
    remains_release(&resumption->remains);
    plan_release(&resumption->plan);
    free(resumption->emitted);
    if (resumption->on && resumption->hold >= 0)
        close(resumption->hold);
    *resumption = (struct resumption){.hold = -1};
}

/* ---- what is kept -------------------------------------------------------------------------- */

struct task_range resumption_share(int64_t tasks, int64_t shares, int64_t which)
{
    const int64_t each = tasks / shares, more = tasks % shares;
    const int64_t first = which * each + (which < more ? which : more);
    return (struct task_range){first, each + (which < more)};
}

/* Local. In pieces, between which others see that this rank lives. */
static bool share_sum(const struct resumption *resumption, const struct resumption_setup *setup,
                      struct summary *mine, struct failure *failure)
{
    enum { PIECES = 100 };
    const struct comm *comm = setup->comm;
    const struct job *job = setup->wanted.job;
    const struct task_range share = resumption_share(job->setup.tasks, comm->size, comm->rank);
    bool good = true;
    for (int k = 0; good && k < PIECES; k++) {
        const struct task_range piece = resumption_share(share.count, PIECES, k);
        comm_look(comm);
        good =
            piece.count == 0 || remains_sum(setup->path, job, &resumption->places,
                                            share.first + piece.first, piece.count, mine, failure);
    }
    return good;
}

/* Collective. Everybody reads back a share. */
static bool kept_sum(struct resumption *resumption, const struct resumption_setup *setup,
                     struct failure *failure)
{
    const struct comm *comm = setup->comm;
    struct summary mine, *all = comm->rank == 0 ? calloc((size_t)comm->size, sizeof *all) : NULL;
    summary_init(&mine);
    if (comm->rank == 0 && !all)
        failure_memory(failure, "summing up what is done");
    else
        share_sum(resumption, setup, &mine, failure);
    if (comm_agree(comm, failure)) {
        comm_gather(comm, &mine, sizeof mine, all);
        summary_init(&resumption->before);
        for (int rank = 0; all && rank < comm->size; rank++)
            summary_merge(&resumption->before, &all[rank]);
    }
    free(all);
    return failure->code == FAILURE_NONE;
}

bool resumption_begin(struct resumption *resumption, const struct resumption_setup *setup,
                      struct failure *failure)
{
    if (setup->comm->rank == 0)
        remains_mend(&resumption->remains, setup->path, failure);
    return comm_agree(setup->comm, failure) && kept_sum(resumption, setup, failure);
}

struct dispatch *resumption_dispatch(const struct resumption *resumption, struct dispatch *inner,
                                     struct failure *failure)
{
    const struct remains *remains = &resumption->remains;
    struct dispatch *dispatch = dispatch_new_ranges(inner, remains->ranges, remains->range_count);
    if (!dispatch)
        failure_memory(failure, "dealing what is left");
    return dispatch;
}

void resumption_join(const struct resumption *resumption, const struct job *job,
                     struct run_outcome *outcome)
{
    const void *state = resumption->remains.state;
    if (resumption->left == 0)
        summary_init(&outcome->summary); /* there was no run that would have */
    summary_merge(&outcome->summary, &resumption->before);
    if (!state)
        return;
    if (!outcome->state) {
        outcome->state = calloc(1, job->state_size);
        if (outcome->state)
            job->task->reset(job->opened, outcome->state);
    }
    if (outcome->state)
        job->task->merge(job->opened, outcome->state, state);
}
