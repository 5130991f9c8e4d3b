#include "spmd/transport/liveness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "planner/base/file_lock.h"

/* Seconds between two messages in which a rank says that it lives. */
static const double tell_every_s = 1;
/* Seconds between two looks of the master at workers where each rank is by itself, and of a worker
 * at the master's lock, which costs the server of a network file system a request. */
static const double look_every_s = 0.25, probe_every_s = 3;
/* A rank that has not looked for longer than this was itself busy or stopped: that does not count
 * as the others' silence. */
static const double away_s = 2;
/* After so many seconds of silence it is checked whether the process is there. */
static const double silence_s = 3;
/* A worker may be silent for so many times the longest package's time or, while no time is known,
 * for so many times the shortest deadline; always for so many times the time after which it says
 * that it lives. */
static const double deadline_factor = 10, unknown_factor = 60, told_factor = 2;
/* Each of the first ranks reports a missing one this much later than the rank before it, so that
 * mostly one of them does it for all. */
static const double apart_s = 0.5;
enum { APART_MOST = 20 };
/* A sentence that was printed must pass the launcher before ranks end, because the launcher may
 * break with them; meanwhile the others are told. */
static const double said_s = 1, nap_s = 0.01;
/* A rank that says that the master is gone stays until all others have noticed it themselves; one
 * that has been given up stays until the master has printed everything. */
static const double stay_s = 6, stay_nap_s = 0.1;

/* ---- words --------------------------------------------------------------------------------- */

static bool leads(const struct liveness *liveness)
{
    return comm_leads(liveness->comm);
}

/* The ranks that this one watches: [first, end). */
static int others_first(const struct liveness *liveness)
{
    return leads(liveness) ? 1 : 0;
}

static int others_end(const struct liveness *liveness)
{
    return leads(liveness) ? liveness->comm->size : 1;
}

/* The message is not waited for, so it is sent from static memory. Every one contains the sender's
 * process: a rank that receives it then knows which process it may have to end. */
static void word_send(const struct liveness *liveness, int rank, enum wire_word word)
{
    static struct wire_present words[WIRE_WORDS];
    struct link_request request;
    words[word] = (struct wire_present){word, liveness->self};
    link_send(liveness->comm->link, &words[word], sizeof words[word], rank, WIRE_PRESENT, &request);
    link_forget(&request);
}

static void others_tell(const struct liveness *liveness, enum wire_word word)
{
    for (int rank = others_first(liveness); rank < others_end(liveness); rank++)
        word_send(liveness, rank, word);
}

static void listen(struct liveness *liveness)
{
    link_receive(liveness->comm->link, &liveness->word, sizeof liveness->word, LINK_ANYBODY,
                 WIRE_PRESENT, &liveness->listening);
}

/* ---- who is there -------------------------------------------------------------------------- */

/* A rank that holds its lock is there, whatever the system says about its process. */
static bool holds_place(const struct liveness *liveness, int rank)
{
    return liveness->lock >= 0 && file_lock_taken(liveness->lock, comm_place(liveness->comm, rank));
}

static bool is_gone(const struct liveness *liveness, int rank)
{
    const struct liveness_peer *peer = &liveness->peers[rank];
    return !holds_place(liveness, rank) && (peer->seen || process_has_ended(&peer->process) ||
                                            link_left(liveness->comm->link, rank));
}

/* Is the rank known to be there? (This is more than not being known to be gone.) */
static bool is_there(const struct liveness *liveness, int rank)
{
    const struct liveness_peer *peer = &liveness->peers[rank];
    return holds_place(liveness, rank) || (!peer->seen && process_is_alive(&peer->process));
}

/* For as long as this rank was away itself, the others' silence does not count. */
static void silence_excuse(struct liveness *liveness, double now_s)
{
    const double away = now_s - liveness->looked_s - away_s;
    for (int rank = others_first(liveness); away > 0 && rank < others_end(liveness); rank++) {
        struct liveness_peer *peer = &liveness->peers[rank];
        peer->heard_s = fmin(peer->heard_s + away, now_s);
    }
}

/* This rank has been given up. If it ended now, the launcher might end those that go on: it waits
 * until the master has ended, as far as that can be seen. */
static _Noreturn void stay_away(const struct liveness *liveness)
{
    while (is_there(liveness, 0))
        clock_nap(stay_nap_s);
    clock_nap(stay_s);
    _exit(FAILURE_FAILED);
}

static void word_take(struct liveness *liveness, int rank)
{
    struct liveness_peer *peer = &liveness->peers[rank];
    switch (liveness->word.word) {
    case WIRE_LEAVE:
        if (!liveness->apart) /* where each rank is by itself, it goes on without the others */
            _exit(FAILURE_STOPPED);
        break;
    case WIRE_LOST:
        stay_away(liveness);
    case WIRE_LAST:
        peer->last = true;
        break;
    case WIRE_GOES:
    case WIRE_ENDS:
        peer->leaves = (enum wire_word)liveness->word.word;
        break;
    default:
        break;
    }
    peer->heard_s = clock_now();
    peer->process = liveness->word.process;
}

static void words_take(struct liveness *liveness)
{
    while (link_test(&liveness->listening)) {
        word_take(liveness, liveness->listening.peer);
        listen(liveness);
    }
}

/* ---- all need all -------------------------------------------------------------------------- */

/* Prints the sentence. */
static void missing_say(const struct liveness *liveness, int missed, bool gone)
{
    const struct liveness_words *words = &liveness->words;
    char how[80] = "is gone";
    if (!gone)
        snprintf(how, sizeof how, "has said nothing for %.0f s", liveness->most_s);
    fprintf(stderr, "%s: %s: rank %d %s, and %s: %s\n", words->program, words->path,
            comm_place(liveness->comm, missed), how, words->state, words->again);
}

/* Tells all other ranks, and leaves with them. */
static _Noreturn void missing(struct liveness *liveness, int missed, bool gone)
{
    const struct comm *comm = liveness->comm;
    const double start_s = clock_now();
    for (int rank = 0; rank < comm->size; rank++)
        if (rank != comm->rank) /* also the missing one, in case it comes back */
            word_send(liveness, rank, WIRE_LEAVE);
    if (liveness->leaving.call)
        liveness->leaving.call(liveness->leaving.self);
    missing_say(liveness, missed, gone);
    while (clock_now() - start_s < said_s) {
        link_progress(comm->link); /* messages advance only in this call */
        clock_nap(nap_s);
    }
    process_kill(&liveness->peers[missed].process);
    _exit(FAILURE_STOPPED);
}

/* By so many seconds this rank waits longer than others before it says that one is missing. */
static double later_s(const struct liveness *liveness)
{
    const int before = liveness->comm->rank - 1;
    return before > 0 ? apart_s * (before < APART_MOST ? before : APART_MOST) : 0;
}

static void together_look(struct liveness *liveness, double now_s)
{
    silence_excuse(liveness, now_s);
    liveness->looked_s = now_s;
    for (int rank = others_first(liveness); rank < others_end(liveness); rank++) {
        const double silent_s = now_s - liveness->peers[rank].heard_s - later_s(liveness);
        if (silent_s > fmin(silence_s, liveness->most_s) && is_gone(liveness, rank))
            missing(liveness, rank, true);
        if (silent_s > liveness->most_s)
            missing(liveness, rank, false);
    }
}

/* ---- each by itself: a worker -------------------------------------------------------------- */

/* One worker says it for all: the one that gets the lock behind those of the ranks or, without
 * locks, the first one. */
static bool speaks(const struct liveness *liveness)
{
    const struct comm *comm = liveness->comm;
    return liveness->lock >= 0 ? file_lock_place(liveness->lock, comm_all(comm)) : comm->rank == 1;
}

static _Noreturn void master_gone(struct liveness *liveness)
{
    const struct liveness_words *words = &liveness->words;
    char which[32] = "";
    if (liveness->comm->before > 0)
        snprintf(which, sizeof which, " on rank %d", comm_place(liveness->comm, 0));
    if (liveness->leaving.call)
        liveness->leaving.call(liveness->leaving.self);
    if (speaks(liveness) && words->goes_on) {
        fprintf(stderr, "%s: %s: the master%s is gone, and its group leaves\n", words->program,
                words->path, which);
        clock_nap(stay_s);
    } else if (speaks(liveness)) {
        fprintf(stderr, "%s: %s: the master%s is gone; what is done is kept: %s to go on\n",
                words->program, words->path, which, words->again);
        clock_nap(stay_s);
    }
    clock_nap(said_s);
    _exit(FAILURE_STOPPED);
}

static void master_look(struct liveness *liveness, double now_s)
{
    if (now_s - liveness->looked_s < probe_every_s)
        return;
    liveness->looked_s = now_s;
    if (is_gone(liveness, 0))
        master_gone(liveness);
}

static void look(void *self)
{
    struct liveness *liveness = self;
    const double now_s = clock_now();
    const bool tells = !liveness->silent && (!liveness->apart || !leads(liveness));
    words_take(liveness);
    if (tells && now_s - liveness->told_s >= tell_every_s) {
        liveness->told_s = now_s;
        others_tell(liveness, WIRE_LIVES);
    }
    if (!liveness->apart)
        together_look(liveness, now_s);
    else if (!leads(liveness))
        master_look(liveness, now_s);
}

void liveness_pass(struct liveness *liveness)
{
    if (liveness)
        words_take(liveness);
}

void liveness_hush(struct liveness *liveness)
{
    if (liveness)
        liveness->silent = true;
}

void liveness_leave(struct liveness *liveness, bool asked)
{
    if (liveness)
        others_tell(liveness, asked ? WIRE_GOES : WIRE_ENDS);
    liveness_hush(liveness);
}

/* ---- each by itself: the master ------------------------------------------------------------ */

void liveness_work(struct liveness *liveness, bool working)
{
    if (liveness)
        liveness->working = working;
}

void liveness_await(struct liveness *liveness, int peer, bool awaited)
{
    struct liveness_peer *other = liveness ? &liveness->peers[peer] : NULL;
    if (other && awaited && !other->awaited)
        other->heard_s = fmax(other->heard_s, clock_now());
    if (other)
        other->awaited = awaited;
}

void liveness_heard(struct liveness *liveness, int peer)
{
    if (liveness)
        liveness->peers[peer].heard_s = clock_now();
}

void liveness_took(struct liveness *liveness, double seconds)
{
    if (liveness)
        liveness->longest_s = fmax(liveness->longest_s, seconds);
}

void liveness_give_up(struct liveness *liveness, int peer)
{
    if (!liveness)
        return;
    liveness->peers[peer].lost = true;
    liveness->peers[peer].awaited = false;
    word_send(liveness, peer, WIRE_LOST);
}

static double deadline_floor(double deadline_s)
{
    return fmax(deadline_s, told_factor * tell_every_s);
}

double liveness_deadline(double least_s, double longest_s)
{
    return deadline_floor(longest_s > 0 ? fmax(least_s, deadline_factor * longest_s)
                                        : unknown_factor * least_s);
}

static double deadline_of(const struct liveness *liveness)
{
    return liveness->working ? liveness_deadline(liveness->least_s, liveness->longest_s)
                             : deadline_floor(liveness->least_s);
}

/* A link that reports an end is reliable. Messages that arrived before it have been received by the
 * next look. */
static bool has_left(struct liveness *liveness, int rank, double now_s, struct comm_event *event)
{
    struct liveness_peer *peer = &liveness->peers[rank];
    if (peer->lost || !link_left(liveness->comm->link, rank))
        return false;
    if (peer->left_s <= 0)
        peer->left_s = now_s;
    *event = (struct comm_event){
        .news = peer->leaves ? COMM_LEFT : COMM_LOST,
        .peer = rank,
    };
    snprintf(event->why, sizeof event->why, "%s",
             peer->leaves == WIRE_GOES   ? "as asked"
             : peer->leaves == WIRE_ENDS ? "as its time ends"
                                         : "its process or connection is gone");
    return now_s - peer->left_s >= look_every_s;
}

/* True: *event says how the rank was lost. */
static bool is_lost(const struct liveness *liveness, int rank, double now_s,
                    struct comm_event *event)
{
    const struct liveness_peer *peer = &liveness->peers[rank];
    const double silent_s = now_s - peer->heard_s;
    *event = (struct comm_event){.news = COMM_LOST, .peer = rank, .why = "its process is gone"};
    if (peer->lost || silent_s < fmin(silence_s, liveness->least_s))
        return false;
    if (is_gone(liveness, rank))
        return true;
    if (!peer->awaited || silent_s < deadline_of(liveness))
        return false;
    snprintf(event->why, sizeof event->why, "it has said nothing for %.0f s", silent_s);
    return true;
}

/* Is called often, and looks a few times per second. */
static bool poll_lost(void *self, struct comm_event *event)
{
    struct liveness *liveness = self;
    const double now_s = clock_now();
    if (!liveness->apart || !leads(liveness) || now_s - liveness->looked_s < look_every_s)
        return false;
    silence_excuse(liveness, now_s);
    liveness->looked_s = now_s;
    words_take(liveness);
    for (int rank = others_first(liveness); rank < others_end(liveness); rank++)
        if (has_left(liveness, rank, now_s, event) || is_lost(liveness, rank, now_s, event)) {
            liveness->peers[rank].lost = true;
            liveness->looked_s = now_s - look_every_s; /* other ranks may be lost, too */
            return true;
        }
    return false;
}

/* Is there a rank of the job that does not hold its lock? */
static bool place_is_free(const struct liveness *liveness)
{
    const struct comm *comm = liveness->comm;
    const int own = comm_place(comm, comm->rank);
    for (int place = 0; place < comm_all(comm); place++)
        if (place != own && !file_lock_taken(liveness->lock, place))
            return true;
    return false;
}

bool liveness_misses(struct liveness *liveness)
{
    bool misses = false;
    if (!liveness || !liveness->apart)
        return false;
    for (int rank = others_first(liveness); leads(liveness) && rank < others_end(liveness); rank++)
        if (is_gone(liveness, rank)) {
            misses = true;
            liveness->peers[rank].heard_s = 0;
        }
    /* Of ranks that other masters lead only their locks are known. */
    if (!leads(liveness) || liveness->comm->all > 0)
        misses = misses || !liveness->peers[others_first(liveness)].seen || place_is_free(liveness);
    return misses;
}

/* ---- beginning, parting, end --------------------------------------------------------------- */

void liveness_patience(struct liveness *liveness, double most_s)
{
    if (liveness)
        liveness->most_s = most_s > 0 ? most_s : liveness->usual_s;
}

void liveness_place(struct liveness *liveness, const char *path)
{
    liveness->lock = file_lock_together(path);
    if (liveness->lock >= 0)
        file_lock_place(liveness->lock, comm_place(liveness->comm, liveness->comm->rank));
}

void liveness_join(struct liveness *liveness, int peer, const struct process *process)
{
    if (liveness)
        liveness->peers[peer] = (struct liveness_peer){
            .process = *process, .seen = holds_place(liveness, peer), .heard_s = clock_now()};
}

void liveness_part(struct liveness *liveness, double least_s, double longest_s)
{
    if (!liveness)
        return;
    liveness->apart = true;
    liveness->least_s = least_s;
    liveness->longest_s = longest_s;
    liveness->looked_s = clock_now();
}

bool liveness_begin(struct liveness *liveness, struct comm *comm,
                    const struct liveness_words *words, double most_s, struct failure *failure)
{
    const double now_s = clock_now();
    *liveness = (struct liveness){.watch = {look, poll_lost, liveness, now_s, NULL},
                                  .comm = comm,
                                  .words = *words,
                                  .peers = calloc((size_t)comm->size, sizeof(struct liveness_peer)),
                                  .self = process_self(),
                                  .lock = -1,
                                  .usual_s = most_s,
                                  .most_s = most_s,
                                  .told_s = now_s,
                                  .looked_s = now_s};
    for (int rank = 0; liveness->peers && rank < comm->size; rank++)
        liveness->peers[rank].heard_s = now_s;
    if (!liveness->peers) {
        failure_memory(failure, "looking after all ranks");
    } else {
        listen(liveness);
        others_tell(liveness, WIRE_LIVES);
        comm_watch_add(comm, &liveness->watch);
    }
    if (comm_agree(comm, failure))
        return true;
    liveness->apart = true; /* other ranks may have no locks */
    liveness_end(liveness);
    return false;
}

/* Collective. No rank stops saying that it lives while another one still listens. */
static void last_words(struct liveness *liveness)
{
    struct pause pause = {0};
    others_tell(liveness, WIRE_LAST);
    for (;;) {
        const struct awaited awaited = {.left_s = 0};
        int last = 0;
        words_take(liveness);
        for (int rank = others_first(liveness); rank < others_end(liveness); rank++)
            last += liveness->peers[rank].last;
        if (last == others_end(liveness) - others_first(liveness))
            return;
        comm_pause(liveness->comm, &pause, &awaited);
    }
}

void liveness_end(struct liveness *liveness)
{
    if (!liveness || !liveness->comm)
        return;
    if (!liveness->apart)
        last_words(liveness);
    if (liveness->listening.pending)
        words_take(liveness); /* they were sent before the ranks' last answers */
    link_cancel(&liveness->listening);
    comm_watch_remove(liveness->comm, &liveness->watch);
    if (liveness->lock >= 0)
        close(liveness->lock);
    free(liveness->peers);
    *liveness = (struct liveness){.lock = -1};
}
