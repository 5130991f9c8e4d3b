#include <math.h>
#include <stdlib.h>

#include "spmd/master/masters_parts.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/protocol/membership.h"
#include "spmd/transport/wire.h"

/* The most seconds between two messages that say that it lives (liveness.h). */
static const double sign_s = 1;

static bool is_first(const struct masters *masters)
{
    return masters->number == 0;
}

/* The number of the master on that rank; 0: it is none of the other masters. */
static int number_of(const struct masters *masters, int rank)
{
    for (int k = 1; k < masters_count(masters); k++)
        if (masters_rank(masters, k) == rank)
            return k;
    return 0;
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static void listen(struct masters *masters)
{
    link_receive(masters->comm->link, &masters->message, sizeof masters->message, LINK_ANYBODY,
                 WIRE_MASTER, &masters->request);
}

static bool first_init(struct masters *masters)
{
    const size_t count = (size_t)masters->count;
    masters->told = calloc(count, sizeof *masters->told);
    masters->stars = calloc(count, sizeof *masters->stars);
    listen(masters);
    for (size_t k = 0; masters->told && k < count; k++)
        masters->told[k].last.share.living = 1; /* until its first message says otherwise */
    return masters->told && masters->stars;
}

static bool other_init(struct masters *masters)
{
    masters->order = calloc(1, sizeof *masters->order);
    masters->given = calloc(1, sizeof *masters->given);
    link_receive(masters->comm->link, NULL, 0, 0, WIRE_MASTER_END, &masters->release);
    if (masters->order)
        masters_obey_next(masters);
    return masters->order && masters->given;
}

bool masters_share_work(const struct masters *masters)
{
    return masters && !masters->tree;
}

bool masters_init(struct masters *masters, const struct comm *comm, const int *ranks, int count,
                  int number)
{
    *masters = (struct masters){.comm = comm, .ranks = ranks, .count = count, .number = number};
    return is_first(masters) ? first_init(masters) : other_init(masters);
}

/* Frees the bytes that were sent, unless they have not left, which happens where a master is
 * lost. */
static void sent_release(struct link_request *request, void *bytes)
{
    if (link_test(request))
        free(bytes);
    else
        link_forget(request);
}

static void told_release(struct master_told *told)
{
    link_cancel(&told->coming);
    link_cancel(&told->giving);
    sent_release(&told->ordering, told->order);
    free(told->came);
    free(told->given);
}

void masters_release(struct masters *masters)
{
    if (!masters->comm)
        return;
    link_cancel(&masters->release);
    link_cancel(&masters->ordered);
    if (is_first(masters))
        link_cancel(&masters->request);
    for (int k = 0; masters->told && k < masters_count(masters); k++)
        told_release(&masters->told[k]);
    sent_release(&masters->giving, masters->given);
    free(masters->told);
    free(masters->stars);
    moves_list_release(&masters->moves);
    free(masters->order);
    *masters = (struct masters){.comm = NULL};
}

void masters_begin(struct masters *masters, struct dispatch *dispatch)
{
    masters->dispatch = dispatch;
    dispatch_recovery_open(dispatch);
}

bool masters_idle(const struct masters *masters)
{
    return masters_share(masters).finished;
}

/* Is there something to tell or, for the first master, to react to? */
static bool is_news(const struct masters *masters, const struct dispatch_share *share)
{
    if (is_first(masters))
        return !masters->tree && !masters->ending && !masters->closed &&
               moves_is_news(share, &masters->stars[0].share);
    return moves_is_news(share, &masters->message.share) ||
           masters->orders != masters->message.orders;
}

bool masters_have_news(struct masters *masters)
{
    const struct dispatch_share share = masters_share(masters);
    return is_news(masters, &share) && (is_first(masters) || link_test(&masters->request));
}

double masters_tell_s(struct masters *masters)
{
    return is_first(masters) || !link_test(&masters->request) ? HUGE_VAL : masters->tell_s;
}

void masters_await(struct masters *masters, struct awaited *awaited)
{
    int at = AWAITED_MOST - 1;
    awaited->requests[at--] = is_first(masters) ? &masters->request : &masters->ordered;
    for (int k = 1; is_first(masters) && k < masters_count(masters); k++) {
        struct master_told *told = &masters->told[k];
        if (told->giving.pending)
            awaited->requests[at] = &told->giving;
        if (told->coming.pending)
            awaited->requests[at] = &told->coming;
    }
}

/* ---- the first one -------------------------------------------------------------------------- */

/* Tells that master once that it may end: when the whole run ends, or when its star has. */
static void master_release(struct masters *masters, int number)
{
    struct master_told *told = &masters->told[number];
    if (!told->released && !told->lost)
        comm_tell(masters->comm, masters_rank(masters, number), WIRE_MASTER_END);
    told->released = true;
}

static void all_end(struct masters *masters)
{
    masters->ending = true;
    for (int k = 1; k < masters_count(masters); k++)
        master_release(masters, k);
}

/* Prepares to receive what its star came to. */
static void coming_post(struct masters *masters, int number)
{
    struct master_told *told = &masters->told[number];
    const size_t bytes = (size_t)told->last.bytes;
    told->came = malloc(bytes);
    if (!told->came)
        link_abort(masters->comm->link, FAILURE_FAILED);
    link_receive(masters->comm->link, told->came, bytes, masters_rank(masters, number),
                 WIRE_MASTER_CAME, &told->coming);
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
    for (int k = 1; k < masters_count(masters); k++) {
        struct master_told *told = &masters->told[k];
        if (!told->came || told->ended || told->lost || !link_test(&told->coming))
            continue;
        told->ended = true;
        membership_await(masters->members, masters_rank(masters, k), false);
        master_release(masters, k);
    }
}

static void rank_lost(struct masters *masters, int rank)
{
    if (!membership_lost(masters->members, rank))
        membership_lose(masters->members, rank, MEMBER_LOST, "so is its master");
}

/* No master is left for the other ranks of its star. In a tree they leave, with all below them. */
static void master_lost(struct masters *masters, int number)
{
    struct master_told *told = &masters->told[number];
    const int first = masters_rank(masters, number);
    if (told->ended || told->lost)
        return;
    told->lost = true;
    link_cancel(&told->coming);
    for (int rank = first + 1; rank < comm_all(masters->comm); rank++) {
        if (number_of(masters, rank) > 0)
            break;
        rank_lost(masters, rank);
    }
    for (int k = number + 1; masters->tree && k < masters_count(masters); k++)
        if (masters->parents[k] == number) {
            rank_lost(masters, masters_rank(masters, k));
            master_lost(masters, k);
        }
    if (!masters->tree)
        all_end(masters);
}

void masters_lose(struct masters *masters, int rank, const char *why)
{
    if (!is_first(masters))
        return;
    if (!membership_lost(masters->members, rank))
        membership_lose(masters->members, rank, MEMBER_LOST, why);
    master_lost(masters, number_of(masters, rank));
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

/* Is called after all have begun. Other masters then say that they live until their stars have
 * ended; one that is silent counts as lost, even if its process is there. */
static void others_watch(struct masters *masters)
{
    struct liveness *liveness = masters->members->liveness;
    if (masters->watches)
        return;
    masters->watches = true;
    liveness_took(liveness, sign_s);
    liveness_work(liveness, true);
    for (int k = 1; k < masters_count(masters); k++)
        membership_await(masters->members, masters_rank(masters, k), true);
}

static void first_hear(struct masters *masters, const struct masters_own *own)
{
    others_watch(masters);
    while (link_test(&masters->request)) {
        message_take(masters, masters->request.peer);
        listen(masters);
    }
    came_look(masters);
    losses_look(masters);
    masters_move(masters, own);
    if ((own->ends || masters->vain) && !masters->ending)
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
    masters->ending = masters->ending || link_test(&masters->release);
    masters_obey(masters);
    const struct dispatch_share share = masters_share(masters);
    if (own->now_s < masters->tell_s && !is_news(masters, &share))
        return;
    if (!link_test(&masters->request))
        return;
    masters->tell_s = moves_tell_next_s(own->now_s);
    message_send(masters, &(struct wire_master){own->tasks, own->failed, own->ends, 0, share,
                                                masters->orders});
}

bool masters_hear(struct masters *masters, const struct masters_own *own)
{
    if (is_first(masters))
        first_hear(masters, own);
    else
        other_hear(masters, own);
    return masters->ending;
}

/* ---- joining -------------------------------------------------------------------------------- */

static void came_send(struct masters *masters, const struct run *run,
                      const struct run_outcome *outcome, const struct failure *failure)
{
    struct bundle bundle = {0};
    masters_came_put(&bundle, run, outcome, failure);
    if (bundle.cut || bundle.size > LINK_MOST)
        link_abort(masters->comm->link, FAILURE_FAILED);
    struct wire_master last = {outcome->summary.tasks,
                               outcome->summary.failed,
                               failure->code != FAILURE_NONE || outcome->stopped,
                               (int64_t)bundle.size,
                               masters_share(masters),
                               masters->orders};
    if (run->above) /* a group's results are in its reports */
        last.tasks = last.failed = last.ends = 0;
    message_send(masters, &last);
    comm_send(masters->comm, bundle.bytes, bundle.size, 0, WIRE_MASTER_CAME);
    comm_wait(masters->comm, &masters->request);
    comm_wait(masters->comm, &masters->release);
    bundle_release(&bundle);
}

static bool is_awaited(const struct masters *masters)
{
    for (int k = 1; k < masters_count(masters); k++)
        if (!masters->told[k].ended && !masters->told[k].lost)
            return true;
    return false;
}

/* Has this rank been asked to stop, or did it only hear of another rank's end? */
static bool is_asked(const struct masters *masters)
{
    if (interrupt_hinted())
        interrupt_settle(!liveness_misses(masters->liveness));
    return interrupt_asked();
}

/* Is called after this master's own star has ended. */
static void others_await(struct masters *masters, const struct run *run,
                         const struct progress_tick *idle, bool ends)
{
    struct masters_own own = {.ends = ends};
    struct pause pause = {0};
    first_hear(masters, &own);
    while (is_awaited(masters)) {
        struct awaited awaited = {.left_s = 0};
        masters_await(masters, &awaited);
        idle->tell(idle->self);
        comm_pause(masters->comm, &pause, &awaited);
        own.ends = is_asked(masters);
        own.now_s = comm_now(run->comm) - run->members->origin_s;
        first_hear(masters, &own);
    }
}

void masters_join(struct masters *masters, const struct run *run, struct run_outcome *outcome,
                  const struct progress_tick *idle, struct failure *failure)
{
    masters->dispatch = NULL;
    if (!is_first(masters)) {
        came_send(masters, run, outcome, failure);
        return;
    }
    others_await(masters, run, idle, failure->code != FAILURE_NONE || outcome->stopped);
    masters_came_add(masters, run, outcome, failure);
    masters_moves_tell(masters, run->members->origin_s, outcome);
}
