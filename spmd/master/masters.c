#include "spmd/master/masters.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/protocol/interrupt.h"
#include "spmd/protocol/membership.h"
#include "spmd/transport/bundle.h"
#include "spmd/transport/wire.h"

/* How often another master tells the first one how far it is. */
static const double tell_every_s = 0.25;

static bool is_first(const struct masters *masters)
{
    return masters->number == 0;
}

static int count_of(const struct masters *masters)
{
    return (int)masters->plan->star_count;
}

/* The rank of that master. */
static int rank_of(const struct masters *masters, int number)
{
    return (int)masters->plan->stars[number].master;
}

/* The master on that rank; 0: none of the others is. */
static int number_of(const struct masters *masters, int rank)
{
    for (int k = 1; k < count_of(masters); k++)
        if (rank_of(masters, k) == rank)
            return k;
    return 0;
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static void listen(struct masters *masters)
{
    link_receive(masters->comm->link, &masters->message, sizeof masters->message, LINK_ANYBODY,
                 WIRE_MASTER, &masters->request);
}

bool masters_init(struct masters *masters, const struct comm *comm, const struct plan *plan,
                  int number)
{
    *masters = (struct masters){.comm = comm, .plan = plan, .number = number};
    if (!is_first(masters)) {
        link_receive(comm->link, NULL, 0, 0, WIRE_MASTER_END, &masters->release);
        return true;
    }
    masters->told = calloc(plan->star_count, sizeof *masters->told);
    listen(masters);
    return masters->told != NULL;
}

void masters_release(struct masters *masters)
{
    if (!masters->comm)
        return;
    link_cancel(&masters->release);
    if (is_first(masters))
        link_cancel(&masters->request);
    for (int k = 1; masters->told && k < count_of(masters); k++) {
        link_cancel(&masters->told[k].coming);
        free(masters->told[k].came);
    }
    free(masters->told);
    *masters = (struct masters){.comm = NULL};
}

/* ---- the first one -------------------------------------------------------------------------- */

/* Each hears it once: when the run shall end, or when its star has. */
static void master_release(struct masters *masters, int number)
{
    struct master_told *told = &masters->told[number];
    if (!told->released && !told->lost)
        comm_tell(masters->comm, rank_of(masters, number), WIRE_MASTER_END);
    told->released = true;
}

static void all_end(struct masters *masters)
{
    masters->ending = true;
    for (int k = 1; k < count_of(masters); k++)
        master_release(masters, k);
}

/* What its star came to is to follow. */
static void coming_post(struct masters *masters, int number)
{
    struct master_told *told = &masters->told[number];
    const size_t bytes = (size_t)told->last.bytes;
    told->came = malloc(bytes);
    if (!told->came)
        link_abort(masters->comm->link, FAILURE_FAILED);
    link_receive(masters->comm->link, told->came, bytes, rank_of(masters, number), WIRE_MASTER_CAME,
                 &told->coming);
}

static void message_take(struct masters *masters, int rank)
{
    const int number = number_of(masters, rank);
    struct master_told *told = &masters->told[number];
    if (number == 0 || told->lost || told->came)
        return;
    masters->elsewhere_tasks += masters->message.tasks - told->last.tasks;
    masters->elsewhere_failed += masters->message.failed - told->last.failed;
    told->last = masters->message;
    if (told->last.bytes > 0)
        coming_post(masters, number);
    if (told->last.ends)
        all_end(masters);
}

static void came_look(struct masters *masters)
{
    for (int k = 1; k < count_of(masters); k++) {
        struct master_told *told = &masters->told[k];
        if (!told->came || told->ended || !link_test(&told->coming))
            continue;
        told->ended = true;
        master_release(masters, k);
    }
}

/* Nobody is left to lead the others of its star. */
static void master_lost(struct masters *masters, int number)
{
    struct master_told *told = &masters->told[number];
    const int first = rank_of(masters, number);
    if (told->ended)
        return;
    told->lost = true;
    link_cancel(&told->coming);
    for (int rank = first + 1; rank < comm_all(masters->comm); rank++) {
        if (number_of(masters, rank) > 0)
            break;
        if (!membership_lost(masters->members, rank))
            membership_lose(masters->members, rank, MEMBER_LOST, "so is its master");
    }
    all_end(masters);
}

static void losses_look(struct masters *masters)
{
    struct member_event event;
    while (membership_poll(masters->members, &event)) {
        const int number = number_of(masters, event.member);
        if (number > 0)
            master_lost(masters, number);
    }
}

static void first_hear(struct masters *masters, bool ends)
{
    while (link_test(&masters->request)) {
        message_take(masters, masters->request.peer);
        listen(masters);
    }
    came_look(masters);
    losses_look(masters);
    if (ends && !masters->ending)
        all_end(masters);
}

/* ---- another one ---------------------------------------------------------------------------- */

static void message_send(struct masters *masters, const struct wire_master *message)
{
    comm_wait(masters->comm, &masters->request);
    masters->message = *message;
    link_send(masters->comm->link, &masters->message, sizeof masters->message, 0, WIRE_MASTER,
              &masters->request);
}

static void other_hear(struct masters *masters, const struct masters_own *own)
{
    const double now_s = clock_now();
    masters->ending = masters->ending || link_test(&masters->release);
    if (now_s < masters->told_s + tell_every_s || !link_test(&masters->request))
        return;
    masters->told_s = now_s;
    message_send(masters, &(struct wire_master){own->tasks, own->failed, own->ends, 0});
}

bool masters_hear(struct masters *masters, const struct masters_own *own)
{
    if (is_first(masters))
        first_hear(masters, own->ends);
    else
        other_hear(masters, own);
    return masters->ending;
}

/* ---- what a star came to -------------------------------------------------------------------- */

/* As it travels: then the state of a reduction, if there is one, what workers had of their
 * processors, losses, and two texts. */
struct came {
    struct failure failure;
    struct summary summary;
    struct rejection rejections[RUN_REJECTIONS];
    int64_t rejection_count, packages, had_count, loss_count;
    double makespan_s, begun_s, worked_s, stalled_s;
    int64_t stopped, late, given_up, trace_cut, has_state;
};

/* Of a worker that it has not counted on any more. */
struct came_loss {
    struct loss loss;
    int64_t state; /* enum member_state */
};

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
    return came;
}

static void losses_put(struct bundle *bundle, const struct membership *members)
{
    for (int k = 0; k < members->loss_count; k++) {
        const struct loss *loss = &members->losses[k];
        const struct came_loss came = {
            *loss, membership_lost(members, loss->member) ? MEMBER_LOST : MEMBER_FAILED};
        bundle_put(bundle, &came, sizeof came);
    }
}

static void text_put(struct bundle *bundle, const char *text)
{
    bundle_put_text(bundle, text, text ? strlen(text) : 0);
}

static void came_put(struct bundle *bundle, const struct run *run,
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
}

static void came_send(struct masters *masters, const struct run *run,
                      const struct run_outcome *outcome, const struct failure *failure)
{
    struct bundle bundle = {0};
    came_put(&bundle, run, outcome, failure);
    if (bundle.cut || bundle.size > LINK_MOST)
        link_abort(masters->comm->link, FAILURE_FAILED);
    message_send(masters, &(struct wire_master){outcome->summary.tasks, outcome->summary.failed,
                                                failure->code != FAILURE_NONE || outcome->stopped,
                                                (int64_t)bundle.size});
    comm_send(masters->comm, bundle.bytes, bundle.size, 0, WIRE_MASTER_CAME);
    comm_wait(masters->comm, &masters->request);
    comm_wait(masters->comm, &masters->release);
    bundle_release(&bundle);
}

/* ---- adding it ------------------------------------------------------------------------------ */

/* Behind what there is; `text` is taken over. */
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

/* The same of arrays of JSON. */
static void array_join(char **all, char *array)
{
    struct text joined = TEXT_INIT;
    if (array && *all) {
        text_add(&joined, "%.*s, %s", (int)strlen(*all) - 1, *all, array + 1);
        free(*all);
        *all = text_take(&joined);
        free(array);
    } else if (array) {
        *all = array;
    }
}

/* Room for all workers. */
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

/* Of another master's star, whose first worker has so many ranks before it. */
static void all_losses_add(struct masters *masters, struct bundle *bundle, int64_t count,
                           int before)
{
    for (int64_t k = 0; k < count; k++) {
        struct came_loss came;
        bundle_take(bundle, &came, sizeof came);
        came.loss.member += before;
        membership_take(masters->members, &came.loss, (enum member_state)came.state);
    }
}

static void state_add(const struct run *run, struct run_outcome *outcome, struct bundle *bundle,
                      struct failure *failure)
{
    /* Taken out, for a state must be aligned. */
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
    const int before = rank_of(masters, number);
    struct failure none = FAILURE_INIT;
    struct came came;
    size_t length;
    bundle_take(&bundle, &came, sizeof came);
    figures_add(&came, outcome);
    if (came.has_state)
        state_add(run, outcome, &bundle, failure);
    if (!had_add(outcome, &bundle, came.had_count, before, comm_all(masters->comm) - 1))
        failure_memory(failure, "adding what the masters' workers have done");
    all_losses_add(masters, &bundle, came.loss_count, before);
    text_join(&outcome->told, bundle_take_text(&bundle, &length, &none));
    array_join(&outcome->copied, bundle_take_text(&bundle, &length, &none));
    if (came.late && !outcome->ends)
        outcome->ends = masters->until;
    if (came.failure.code != FAILURE_NONE)
        failure_set(failure, came.failure.code, "%s", came.failure.text);
}

/* Its star's last results may be in the output, and nobody knows of them. */
static void lost_tell(const struct masters *masters, int number, const struct run *run,
                      struct run_outcome *outcome, struct failure *failure)
{
    const struct wire_master *last = &masters->told[number].last;
    outcome->summary.tasks += last->tasks;
    outcome->summary.failed += last->failed;
    failure_set(failure, FAILURE_STOPPED,
                "%s: the master on rank %d is lost; what is done is kept: %s to go on",
                masters->members->path, rank_of(masters, number), run->again);
}

/* ---- joining -------------------------------------------------------------------------------- */

static bool is_awaited(const struct masters *masters)
{
    for (int k = 1; k < count_of(masters); k++)
        if (!masters->told[k].ended && !masters->told[k].lost)
            return true;
    return false;
}

/* Has this rank been asked to stop, and not only told that another one has died? */
static bool is_asked(const struct masters *masters)
{
    if (interrupt_hinted())
        interrupt_settle(!liveness_misses(masters->liveness));
    return interrupt_asked();
}

static void others_await(struct masters *masters, const struct progress_tick *idle, bool ends)
{
    struct pause pause = {0};
    first_hear(masters, ends);
    while (is_awaited(masters)) {
        const struct awaited awaited = {.requests = {&masters->request}};
        idle->tell(idle->self);
        comm_pause(masters->comm, &pause, &awaited);
        first_hear(masters, is_asked(masters));
    }
}

/* The first star's own, as others tell theirs. */
static void own_losses_add(struct masters *masters, const struct membership *members)
{
    struct bundle bundle = {0};
    losses_put(&bundle, members);
    all_losses_add(masters, &bundle, bundle.cut ? 0 : members->loss_count, 0);
    bundle_release(&bundle);
}

static void others_add(struct masters *masters, const struct run *run, struct run_outcome *outcome,
                       struct failure *failure)
{
    own_losses_add(masters, run->members);
    if (!had_widen(outcome, comm_all(masters->comm) - 1))
        failure_memory(failure, "adding what the masters' workers have done");
    for (int k = 1; k < count_of(masters); k++) {
        if (masters->told[k].ended)
            came_add(masters, k, run, outcome, failure);
        else
            lost_tell(masters, k, run, outcome, failure);
    }
    outcome->makespan_s -= outcome->begun_s;
}

void masters_join(struct masters *masters, const struct run *run, struct run_outcome *outcome,
                  const struct progress_tick *idle, struct failure *failure)
{
    if (!is_first(masters)) {
        came_send(masters, run, outcome, failure);
        return;
    }
    others_await(masters, idle, failure->code != FAILURE_NONE || outcome->stopped);
    others_add(masters, run, outcome, failure);
}
