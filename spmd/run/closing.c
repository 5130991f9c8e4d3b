#include "spmd/run/closing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "spmd/protocol/membership.h"
#include "spmd/run/energy.h"
#include "spmd/run/resume.h"
#include "spmd/run/usage.h"
#include "spmd/transport/wire.h"
#include "spmd/worker/worker.h"

/* Bytes of numbers that are normalised between two signs of life, or a core task if that has more.
 * Rows that are cut at its ends cost more, so it is large. */
static const size_t piece_bytes = 64 << 20;
/* Stands for a worker's ending once it has answered. */
enum { ANSWERED = -1 };

static _Noreturn void memory_over(const struct comm *comm)
{
    fprintf(stderr, "scow: rank %d is out of memory while ending the run\n", comm->rank);
    link_abort(comm->link, FAILURE_FAILED);
}

/* ---- every rank ---------------------------------------------------------------------------- */

static bool range_normalize(const struct run *run, struct task_range range,
                            const struct summary *summary, struct failure *failure)
{
    const int64_t most = (int64_t)(piece_bytes / (run->job->tile_size + 1)) + 1;
    for (int64_t at = 0; at < range.count; at += most) {
        const int64_t rest = range.count - at;
        comm_look(run->comm);
        if (!store_normalize(run->store, range.first + at, rest < most ? rest : most, summary,
                             run->threads, failure))
            return false;
    }
    return true;
}

/* Normalises what this worker has done. */
static bool done_normalize(const struct run *run, const struct done_packages *done,
                           const struct summary *summary, struct failure *failure)
{
    for (int64_t i = 0; i < done->count; i++) {
        if (!range_normalize(run, done->items[i], summary, failure))
            return false;
    }
    return true;
}

static bool input_check(const struct closing *closing, struct failure *failure)
{
    return !closing->input || input_unchanged(closing->input, closing->digest, failure);
}

/* ---- the master ---------------------------------------------------------------------------- */

/* The state while workers end their parts. */
struct gathering {
    const struct closing *closing;
    struct membership *members;
    struct wire_close *orders;    /* owned, by member; those being sent */
    struct link_request *sending; /* owned, by member */
    struct wire_closed answer;
    struct link_request receiving;
    int awaited;  /* how many members */
    bool changed; /* a worker has seen that the input has changed */
    const struct summary *summary;
    struct failure *failure;
};

static void orders_fill(const struct gathering *gathering, enum wire_ending ending)
{
    const struct run *run = gathering->closing->run;
    const bool collects = run->collects;
    const int64_t living = membership_living(gathering->members);
    int64_t which = 0;
    for (int member = 1; member <= run->members->count; member++) {
        struct wire_close *order = &gathering->orders[member];
        *order = (struct wire_close){.ending = ending, .count = -1, .summary = *gathering->summary};
        if (!membership_lives(gathering->members, member)) {
            order->ending = WIRE_ENDING_FAILED;
        } else if (collects) {
            order->count = 0; /* the master does it itself */
        } else if (gathering->closing->even) {
            const struct task_range share = resume_share(run->job->setup.tasks, living, which++);
            order->first = share.first;
            order->count = share.count;
        }
    }
}

static void answer_post(struct gathering *gathering)
{
    link_receive(gathering->closing->run->comm->link, &gathering->answer, sizeof gathering->answer,
                 LINK_ANYBODY, WIRE_CLOSED, &gathering->receiving);
}

static void orders_send(struct gathering *gathering)
{
    const struct run *run = gathering->closing->run;
    struct membership *members = gathering->members;
    for (int member = 1; member <= members->count; member++) {
        if (membership_lost(members, member))
            continue;
        link_send(run->comm->link, &gathering->orders[member], sizeof *gathering->orders,
                  membership_peer(members, member), WIRE_CLOSE, &gathering->sending[member]);
        membership_await(members, member, true);
        gathering->awaited++;
    }
}

/* Does what that worker has not normalised, or may not have. */
static void share_take_over(struct gathering *gathering, int member)
{
    const struct run *run = gathering->closing->run;
    const struct wire_close *order = &gathering->orders[member];
    struct task_range range = {order->first, order->count};
    if (order->count < 0)
        range = (struct task_range){0, run->job->setup.tasks};
    if (order->ending == WIRE_ENDING_WHOLE)
        range_normalize(run, range, gathering->summary, gathering->failure);
}

static void answer_take(struct gathering *gathering, int member)
{
    const struct wire_closed *answer = &gathering->answer;
    if (member == 0 || membership_lost(gathering->members, member) ||
        gathering->orders[member].ending == ANSWERED)
        return; /* its part is done by others, or done */
    membership_heard(gathering->members, member);
    membership_await(gathering->members, member, false);
    gathering->awaited--;
    gathering->closing->used->processor_s += answer->processor_s;
    gathering->closing->used->energy_j += answer->energy_j;
    gathering->changed = gathering->changed || answer->changed;
    if (answer->failure.code != FAILURE_NONE)
        failure_set(gathering->failure, answer->failure.code, "%s", answer->failure.text);
    else if (answer->share.code != FAILURE_NONE)
        share_take_over(gathering, member);
    gathering->orders[member].ending = ANSWERED;
}

static void member_lose(struct gathering *gathering, int member)
{
    membership_note(gathering->members, member, 0);
    if (gathering->orders[member].ending == ANSWERED)
        return;
    gathering->awaited--;
    gathering->closing->used->energy_j =
        (double)NAN; /* it may have been the rank that measured its node */
    share_take_over(gathering, member);
}

static void answers_await(struct gathering *gathering)
{
    struct pause pause = {0};
    struct member_event event;
    answer_post(gathering);
    while (gathering->awaited > 0) {
        const struct awaited awaited = {.requests = {&gathering->receiving}};
        if (link_test(&gathering->receiving)) {
            answer_take(gathering, membership_of(gathering->members, gathering->receiving.peer));
            answer_post(gathering);
            continue;
        }
        if (membership_poll(gathering->members, &event)) /* no worker joins any more */
            member_lose(gathering, event.member);
        else
            comm_pause(gathering->closing->run->comm, &pause, &awaited);
    }
    link_cancel(&gathering->receiving);
}

/* Orders that a lost rank may still read are not freed. */
static void gathering_release(struct gathering *gathering)
{
    const struct comm *comm = gathering->closing->run->comm;
    bool under_way = false;
    for (int member = 1; gathering->sending && member <= gathering->members->count; member++) {
        if (!membership_lost(gathering->members, member))
            comm_wait(comm, &gathering->sending[member]);
        under_way = !link_test(&gathering->sending[member]) || under_way;
    }
    if (under_way)
        return;
    free(gathering->orders);
    free(gathering->sending);
}

static bool input_changed(const struct gathering *gathering)
{
    struct failure how = FAILURE_INIT;
    const struct closing *closing = gathering->closing;
    if (!gathering->changed && input_check(closing, &how))
        return false;
    *gathering->failure = (struct failure)FAILURE_INIT;
    return !failure_set(gathering->failure, FAILURE_MISMATCH,
                        "'%s' has changed while it was read: no result counts, and the output says "
                        "so; leave it alone while it is in use, and run again",
                        closing->run->job->input_name);
}

/* A later part of the run, or the next level of a search, needs the file: it must be on the disk
 * even if this node is lost. */
static bool is_built_on(const struct run *run, enum wire_ending ending)
{
    return ending == WIRE_ENDING_KEPT || (ending == WIRE_ENDING_WHOLE && run->job->setup.level > 0);
}

bool closing_lead(const struct closing *closing, enum wire_ending ending,
                  const struct summary *summary, struct failure *failure)
{
    const struct run *run = closing->run;
    const size_t slots = (size_t)run->members->count + 1;
    struct gathering gathering = {.closing = closing,
                                  .members = run->members,
                                  .orders = calloc(slots, sizeof *gathering.orders),
                                  .sending = calloc(slots, sizeof *gathering.sending),
                                  .summary = summary,
                                  .failure = failure};
    struct failure clearing = FAILURE_INIT;
    if (!gathering.orders || !gathering.sending) {
        free(gathering.orders);
        free(gathering.sending);
        memory_over(run->comm);
    }
    liveness_work(run->liveness, false);
    orders_fill(&gathering, ending);
    if (ending == WIRE_ENDING_WHOLE && (run->collects || membership_living(run->members) == 0))
        range_normalize(run, (struct task_range){0, run->job->setup.tasks}, summary, failure);
    orders_send(&gathering);
    answers_await(&gathering);
    if (is_built_on(run, ending))
        store_flush(run->store, failure);
    const bool counts = !input_changed(&gathering) && ending != WIRE_ENDING_VOID;
    if (!counts && !store_forget(run->store, &clearing))
        *failure = clearing;
    store_end(run->store, failure);
    gathering_release(&gathering);
    return failure->code == FAILURE_NONE;
}

/* ---- the verdict --------------------------------------------------------------------------- */

/* How long the master waits until workers have received the verdict. One that is stopped until then
 * gets no other message, and sees that the master is gone. */
static const double taken_most_s = 10;

/* What all workers are told at the end. With many lost workers, sending it takes a while. */
struct verdict {
    struct wire_verdict *head;    /* owned */
    struct wire_lost *lost;       /* owned; as many as the head says */
    struct link_request *sending; /* owned; for both, to each member that is not lost */
    size_t sending_count;
};

/* A verdict that a worker may still read. */
static struct verdict untaken;

static void verdict_release(struct verdict *verdict)
{
    free(verdict->head);
    free(verdict->lost);
    free(verdict->sending);
}

/* To be released, also after failure: out of memory. */
static bool verdict_init(struct verdict *verdict, const struct failure *failure,
                         const struct run_outcome *outcome, int members)
{
    const int count = outcome->lost.count;
    *verdict = (struct verdict){
        .head = malloc(sizeof *verdict->head),
        .lost = calloc((size_t)count + 1, sizeof *verdict->lost),
        .sending = calloc(2 * (size_t)members + 1, sizeof *verdict->sending),
    };
    if (!verdict->head || !verdict->lost || !verdict->sending)
        return false;
    *verdict->head = (struct wire_verdict){*failure, count};
    for (int k = 0; k < count; k++)
        verdict->lost[k] = (struct wire_lost){outcome->others.items[k], outcome->lost.items[k]};
    return true;
}

static void verdict_send(const struct run *run, struct verdict *verdict, int peer)
{
    const size_t size = (size_t)verdict->head->lost * sizeof *verdict->lost;
    link_send(run->comm->link, verdict->head, sizeof *verdict->head, peer, WIRE_VERDICT,
              &verdict->sending[verdict->sending_count++]);
    if (size > 0)
        link_send(run->comm->link, verdict->lost, size, peer, WIRE_VERDICT,
                  &verdict->sending[verdict->sending_count++]);
}

/* What no worker receives is not freed. */
static void verdict_await(const struct comm *comm, struct verdict *verdict)
{
    const double until_s = clock_now() + taken_most_s;
    struct pause pause = {0};
    size_t taken = 0;
    while (taken < verdict->sending_count && clock_now() < until_s) {
        const struct awaited awaited = {.requests = {&verdict->sending[taken]}};
        if (link_test(&verdict->sending[taken]))
            taken++;
        else
            comm_pause(comm, &pause, &awaited);
    }
    bool left = false;
    for (size_t k = taken; k < verdict->sending_count; k++)
        if (!link_test(&verdict->sending[k])) {
            link_forget(&verdict->sending[k]);
            left = true;
        }
    if (left)
        untaken = *verdict;
    else
        verdict_release(verdict);
}

void closing_verdict(const struct closing *closing, const struct failure *verdict,
                     struct run_outcome *outcome)
{
    const struct run *run = closing->run;
    struct membership *members = run->members;
    outcome->broken = membership_processes(members, &outcome->others);
    if (outcome->broken)
        outcome->lost.items = membership_lost_peers(members, &outcome->lost.count);
    if (outcome->broken && !outcome->lost.items)
        memory_over(run->comm);
    struct verdict told;
    if (!verdict_init(&told, verdict, outcome, members->count))
        memory_over(run->comm);
    for (int member = 1; member <= members->count; member++)
        if (!membership_lost(members, member))
            verdict_send(run, &told, membership_peer(members, member));
    verdict_await(run->comm, &told);
}

/* ---- a worker ------------------------------------------------------------------------------ */

static void part_end(const struct closing *closing, const struct wire_close *order,
                     const struct done_packages *done, struct wire_closed *answer)
{
    const struct run *run = closing->run;
    const struct task_range range = {order->first, order->count};
    if (order->ending == WIRE_ENDING_WHOLE && order->count < 0)
        done_normalize(run, done, &order->summary, &answer->share);
    else if (order->ending == WIRE_ENDING_WHOLE)
        range_normalize(run, range, &order->summary, &answer->share);
    if (is_built_on(run, (enum wire_ending)order->ending))
        store_flush(run->store, &answer->failure);
    answer->changed = !input_check(closing, &answer->failure);
    store_end(run->store, &answer->failure);
}

/* Receives as many lost workers as the verdict says, after it. */
static void lost_hear(const struct comm *comm, int count, struct run_outcome *outcome)
{
    const size_t most = (size_t)count;
    struct wire_lost *lost = calloc(most, sizeof *lost);
    outcome->others.items = calloc(most, sizeof *outcome->others.items);
    outcome->lost.items = calloc(most, sizeof *outcome->lost.items);
    if (!lost || !outcome->others.items || !outcome->lost.items)
        memory_over(comm);
    comm_receive(comm, lost, most * sizeof *lost, 0, WIRE_VERDICT);
    for (int k = 0; k < count; k++) {
        outcome->others.items[k] = lost[k].process;
        outcome->lost.items[k] = (int)lost[k].peer;
    }
    outcome->others.count = outcome->lost.count = count;
    free(lost);
}

static void verdict_hear(const struct comm *comm, struct run_outcome *outcome,
                         struct failure *failure)
{
    struct wire_verdict verdict;
    comm_receive(comm, &verdict, sizeof verdict, 0, WIRE_VERDICT);
    *failure = verdict.failure;
    outcome->broken = verdict.lost > 0;
    if (outcome->broken)
        lost_hear(comm, (int)verdict.lost, outcome);
}

void closing_follow(const struct closing *closing, const struct done_packages *done,
                    struct run_outcome *outcome, struct failure *failure)
{
    const struct comm *comm = closing->run->comm;
    struct wire_close order;
    struct wire_closed answer = {.failure = FAILURE_INIT, .share = FAILURE_INIT};
    comm_receive(comm, &order, sizeof order, 0, WIRE_CLOSE);
    part_end(closing, &order, done, &answer);
    struct run_usage used;
    usage_measure(&used);
    answer.processor_s = used.processor_s;
    answer.energy_j = energy_watch_read(closing->run->energy);
    liveness_hush(
        closing->run->liveness); /* MPI would complain about messages that are never received */
    comm_send(comm, &answer, sizeof answer, 0, WIRE_CLOSED);
    verdict_hear(comm, outcome, failure);
    outcome->summary = order.summary;
}
