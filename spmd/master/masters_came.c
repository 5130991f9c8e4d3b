/* Messages with what other stars came to, for the first master, which adds it to its own star's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "spmd/master/masters_parts.h"
#include "spmd/protocol/membership.h"

/* ---- what a star came to -------------------------------------------------------------------- */

/* As it is sent: followed by the state of a reduction, if there is one, by what workers had of
 * their processors, by losses, and by three texts. */
struct came {
    struct failure failure;
    struct summary summary;
    struct rejection rejections[RUN_REJECTIONS];
    int64_t rejection_count, packages, had_count, loss_count;
    double makespan_s, begun_s, worked_s, stalled_s;
    int64_t stopped, late, given_up, trace_cut, has_state;
};

/* A worker that its master no longer counted on, by its rank in the job. */
struct came_loss {
    struct loss loss;
    int64_t state; /* enum member_state */
};

/* What a group came to, beyond what it has reported to the master above it. */
static void came_relayed(struct came *came)
{
    came->failure = (struct failure)FAILURE_INIT;
    summary_init(&came->summary);
    came->rejection_count = came->stopped = came->given_up = came->has_state = 0;
}

static struct came came_of(const struct run *run, const struct run_outcome *outcome,
                           const struct failure *failure)
{
    struct came came = {.failure = *failure,
                        .summary = outcome->summary,
                        .rejection_count = outcome->rejection_count,
                        .packages = outcome->packages,
                        .had_count = outcome->had.count,
                        .loss_count = run->members->loss_count,
                        .makespan_s = outcome->makespan_s,
                        .begun_s = outcome->begun_s,
                        .worked_s = outcome->worked_s,
                        .stalled_s = outcome->stalled_s,
                        .stopped = outcome->stopped,
                        .late = outcome->ends != NULL,
                        .given_up = outcome->given_up,
                        .trace_cut = outcome->trace_cut,
                        .has_state = outcome->state != NULL};
    memcpy(came.rejections, outcome->rejections, sizeof came.rejections);
    if (run->above)
        came_relayed(&came);
    return came;
}

static void losses_put(struct bundle *bundle, const struct membership *members)
{
    for (int k = 0; k < members->loss_count; k++) {
        const struct loss *loss = &members->losses[k];
        struct came_loss came = {*loss, membership_lost(members, loss->member) ? MEMBER_LOST
                                                                               : MEMBER_FAILED};
        came.loss.member = membership_rank(members, loss->member);
        bundle_put(bundle, &came, sizeof came);
    }
}

static void text_put(struct bundle *bundle, const char *text)
{
    bundle_put_text(bundle, text, text ? strlen(text) : 0);
}

void masters_came_put(struct bundle *bundle, const struct run *run,
                      const struct run_outcome *outcome, const struct failure *failure)
{
    const struct came came = came_of(run, outcome, failure);
    bundle_put(bundle, &came, sizeof came);
    if (came.has_state)
        bundle_put(bundle, outcome->state, run->job->state_size);
    bundle_put(bundle, outcome->had.items, (size_t)came.had_count * sizeof *outcome->had.items);
    losses_put(bundle, run->members);
    text_put(bundle, outcome->told);
    text_put(bundle, outcome->copied);
    text_put(bundle, outcome->replanned);
}

/* ---- adding it ------------------------------------------------------------------------------ */

/* Appends the text; `text` becomes owned. */
static void text_join(char **all, char *text)
{
    struct text joined = TEXT_INIT;
    if (text) {
        text_add(&joined, "%s%s", *all ? *all : "", text);
        free(*all);
        *all = text_take(&joined);
    }
    free(text);
}

/* Makes room for all workers. */
static bool had_widen(struct run_outcome *outcome, int64_t workers)
{
    struct run_had_list wide = {.items = NULL};
    bool good = true;
    for (int64_t k = 0; good && k < outcome->had.count; k++)
        good = run_had_add(&wide, workers, k, outcome->had.items[k]);
    run_had_release(&outcome->had);
    outcome->had = wide;
    return good;
}

static bool had_add(struct run_outcome *outcome, struct bundle *bundle, int64_t count, int before,
                    int64_t workers)
{
    for (int64_t k = 0; k < count; k++) {
        struct run_had had;
        bundle_take(bundle, &had, sizeof had);
        if (!run_had_add(&outcome->had, workers, before + k, had))
            return false;
    }
    return true;
}

static void all_losses_add(struct masters *masters, struct bundle *bundle, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        struct came_loss came;
        bundle_take(bundle, &came, sizeof came);
        membership_take(masters->members, &came.loss, (enum member_state)came.state);
    }
}

static void state_add(const struct run *run, struct run_outcome *outcome, struct bundle *bundle,
                      struct failure *failure)
{
    /* Copied, because a state must be aligned. */
    void *state = malloc(run->job->state_size);
    if (state)
        bundle_take(bundle, state, run->job->state_size);
    if (state && outcome->state)
        run->job->task->merge(run->job->opened, outcome->state, state);
    else
        failure_memory(failure, "adding what the masters' workers have done");
    free(state);
}

static void figures_add(const struct came *came, struct run_outcome *outcome)
{
    summary_merge(&outcome->summary, &came->summary);
    for (int k = 0; k < (int)came->rejection_count; k++)
        rejection_keep(outcome, &came->rejections[k]);
    outcome->packages += came->packages;
    outcome->worked_s += came->worked_s;
    outcome->stalled_s += came->stalled_s;
    outcome->makespan_s = fmax(outcome->makespan_s, came->makespan_s);
    if (came->packages > 0)
        outcome->begun_s = fmin(outcome->begun_s, came->begun_s);
    outcome->stopped = outcome->stopped || came->stopped;
    outcome->given_up = outcome->given_up || came->given_up;
    outcome->trace_cut = outcome->trace_cut || came->trace_cut;
}

static void came_add(struct masters *masters, int number, const struct run *run,
                     struct run_outcome *outcome, struct failure *failure)
{
    struct master_told *told = &masters->told[number];
    struct bundle bundle = {.bytes = told->came, .size = (size_t)told->last.bytes};
    const int before = masters_rank(masters, number);
    struct failure none = FAILURE_INIT;
    struct came came;
    size_t length;
    bundle_take(&bundle, &came, sizeof came);
    figures_add(&came, outcome);
    if (came.has_state)
        state_add(run, outcome, &bundle, failure);
    if (!had_add(outcome, &bundle, came.had_count, before, comm_all(masters->comm) - 1))
        failure_memory(failure, "adding what the masters' workers have done");
    all_losses_add(masters, &bundle, came.loss_count);
    text_join(&outcome->told, bundle_take_text(&bundle, &length, &none));
    json_array_join(&outcome->copied, bundle_take_text(&bundle, &length, &none));
    json_array_join(&outcome->replanned, bundle_take_text(&bundle, &length, &none));
    if (came.late && !outcome->ends)
        outcome->ends = masters->until;
    if (came.failure.code != FAILURE_NONE)
        failure_set(failure, came.failure.code, "%s", came.failure.text);
}

/* The last results of its star may be in the output without anybody knowing it. */
static void lost_tell(const struct masters *masters, int number, const struct run *run,
                      struct run_outcome *outcome, struct failure *failure)
{
    const struct wire_master *last = &masters->told[number].last;
    if (masters->tree)
        return; /* others have done what that star had */
    outcome->summary.tasks += last->tasks;
    outcome->summary.failed += last->failed;
    outcome->master_lost = true;
    failure_set(failure, FAILURE_STOPPED,
                "%s: the master on rank %d is lost; what is done is kept: %s to go on",
                masters->members->path, masters_rank(masters, number), run->again);
}

/* Adds the losses of the first master's own star, in the form in which others send theirs. */
static void own_losses_add(struct masters *masters, const struct membership *members)
{
    struct bundle bundle = {0};
    losses_put(&bundle, members);
    all_losses_add(masters, &bundle, bundle.cut ? 0 : members->loss_count);
    bundle_release(&bundle);
}

void masters_came_add(struct masters *masters, const struct run *run, struct run_outcome *outcome,
                      struct failure *failure)
{
    own_losses_add(masters, run->members);
    if (!had_widen(outcome, comm_all(masters->comm) - 1))
        failure_memory(failure, "adding what the masters' workers have done");
    for (int k = 1; k < masters_count(masters); k++) {
        if (masters->told[k].ended)
            came_add(masters, k, run, outcome, failure);
        else
            lost_tell(masters, k, run, outcome, failure);
    }
    /* Messages on their way to a star that had ended reach nobody. */
    outcome->stopped = outcome->stopped || (masters->ending && !masters->closed);
    if (masters->vain)
        failure_set(failure, FAILURE_STOPPED,
                    "%s: no worker is left; what is done is kept: %s to go on",
                    masters->members->path, run->again);
    outcome->makespan_s -= outcome->begun_s;
}
