#include "spmd/protocol/run.h"

#include <stdlib.h>

void rejection_keep(struct run_outcome *outcome, const struct rejection *rejection)
{
    int at = outcome->rejection_count;
    if (at == RUN_REJECTIONS && rejection->task >= outcome->rejections[at - 1].task)
        return;
    if (at == RUN_REJECTIONS)
        at--;
    else
        outcome->rejection_count++;
    for (; at > 0 && outcome->rejections[at - 1].task > rejection->task; at--)
        outcome->rejections[at] = outcome->rejections[at - 1];
    outcome->rejections[at] = *rejection;
}

void run_outcome_release(struct run_outcome *outcome)
{
    trace_release(&outcome->trace);
    free(outcome->state);
    free(outcome->json);
    free(outcome->told);
    free(outcome->replanned);
    free(outcome->copied);
    free(outcome->moved);
    free(outcome->losses);
    free(outcome->failures);
    run_had_release(&outcome->had);
    free(outcome->others.items);
    free(outcome->lost.items);
    outcome->state = NULL;
    outcome->losses = outcome->failures = NULL;
    outcome->others = (struct process_list){NULL, 0};
    outcome->lost = (struct rank_list){NULL, 0};
    outcome->json = outcome->told = outcome->replanned = outcome->copied = outcome->moved = NULL;
}
