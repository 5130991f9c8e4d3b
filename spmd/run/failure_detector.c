#include "spmd/run/failure_detector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spmd/transport/wire.h"

/* How often somebody says that it lives. */
static const double tell_every_s = 1;
/* Who has not looked for longer was itself busy or stopped: that was not others' silence. */
static const double away_s = 2;
/* After which silence a process is looked for. */
static const double silence_s = 3;
/* Workers miss the master one after the other, so that one says it for all. */
static const double apart_s = 0.5;
enum { APART_MOST = 20 };
/* What has been said passes through the launcher, and the others hear that it was. */
static const double said_s = 1, nap_s = 0.01;

enum word { HERE, LAST, LEAVE, WORDS };

/* Local. Nobody waits for it to arrive, so it is sent from where it lies for good. Whose it is
 * comes with every word: who listens learns with the first one whom it could end. */
static void word_send(const struct failure_detector *detector, int rank, enum word word)
{
    static struct wire_present words[WORDS];
    struct link_request request;
    words[word] = (struct wire_present){word, detector->self};
    link_send(detector->comm->link, &words[word], sizeof words[word], rank, WIRE_PRESENT, &request);
    link_forget(&request);
}

/* Those that this rank listens to: [first, end). */
static int others_first(const struct failure_detector *detector)
{
    return detector->comm->rank == 0 ? 1 : 0;
}

static int others_end(const struct failure_detector *detector)
{
    return detector->comm->rank == 0 ? detector->comm->size : 1;
}

static void others_tell(const struct failure_detector *detector, enum word word)
{
    for (int rank = others_first(detector); rank < others_end(detector); rank++)
        word_send(detector, rank, word);
}

static void listen(struct failure_detector *detector)
{
    link_receive(detector->comm->link, &detector->word, sizeof detector->word, LINK_ANYBODY,
                 WIRE_PRESENT, &detector->listening);
}

static void words_take(struct failure_detector *detector)
{
    while (link_test(&detector->listening)) {
        const int rank = detector->listening.peer;
        if (detector->word.word == LEAVE)
            _exit(FAILURE_STOPPED);
        detector->heard_s[rank] = clock_now();
        detector->processes[rank] = detector->word.process;
        detector->here += detector->word.word == LAST;
        listen(detector);
    }
}

/* One sentence. */
static void missing_say(const struct failure_detector *detector, int missed, bool gone)
{
    const struct failure_detector_setup *setup = &detector->setup;
    char how[80] = "is gone";
    if (!gone)
        snprintf(how, sizeof how, "has said nothing for %.0f s", detector->most_s);
    fprintf(stderr, "%s: %s: rank %d %s, and %s: run the same again\n", setup->program, setup->path,
            missed, how, setup->state);
}

/* Says so for all, and leaves with them. */
static _Noreturn void missing(struct failure_detector *detector, int missed, bool gone)
{
    const struct comm *comm = detector->comm;
    const double start_s = clock_now();
    for (int rank = 0; rank < comm->size; rank++)
        if (rank != comm->rank) /* the one that is missing, too, should it come back */
            word_send(detector, rank, LEAVE);
    if (detector->leaving.call)
        detector->leaving.call(detector->leaving.self);
    missing_say(detector, missed, gone);
    while (clock_now() - start_s < said_s) {
        link_progress(comm->link); /* messages move only while they are looked at */
        clock_nap(nap_s);
    }
    process_kill(&detector->processes[missed]);
    _exit(FAILURE_STOPPED);
}

/* So much later than others this rank says that one is missing. */
static double later_s(const struct failure_detector *detector)
{
    const int before = detector->comm->rank - 1;
    return before > 0 ? apart_s * (before < APART_MOST ? before : APART_MOST) : 0;
}

static void other_look(struct failure_detector *detector, int rank, double now)
{
    const double silent_s = now - detector->heard_s[rank] - later_s(detector);
    if (silent_s > fmin(silence_s, detector->most_s) &&
        process_has_ended(&detector->processes[rank]))
        missing(detector, rank, true);
    if (silent_s > detector->most_s)
        missing(detector, rank, false);
}

static void look(void *self)
{
    struct failure_detector *detector = self;
    const double now = clock_now(), away = now - detector->looked_s - away_s;
    words_take(detector);
    if (now - detector->told_s >= tell_every_s) {
        detector->told_s = now;
        others_tell(detector, HERE);
    }
    for (int rank = others_first(detector); rank < others_end(detector); rank++) {
        double *heard_s = &detector->heard_s[rank];
        if (away > 0)
            *heard_s = fmin(*heard_s + away, now);
        other_look(detector, rank, now);
    }
    detector->looked_s = now;
}

void failure_detector_patience(struct failure_detector *detector, double most_s)
{
    detector->most_s = most_s > 0 ? most_s : detector->setup.most_s;
}

/* Local. From here on every wait for others looks after them. */
static void watch_begin(struct failure_detector *detector)
{
    for (int rank = 0; rank < detector->comm->size; rank++)
        detector->heard_s[rank] = detector->told_s;
    listen(detector);
    others_tell(detector, HERE);
    detector->comm->watch = &detector->base;
}

static void watch_end(struct failure_detector *detector)
{
    link_cancel(&detector->listening);
    detector->comm->watch = NULL;
}

bool failure_detector_begin(struct failure_detector *detector,
                            const struct failure_detector_setup *setup, struct failure *failure)
{
    const double now = clock_now();
    struct comm *comm = setup->comm;
    *detector =
        (struct failure_detector){.base = {look, detector, now},
                                  .setup = *setup,
                                  .comm = comm,
                                  .most_s = setup->most_s,
                                  .self = process_self(),
                                  .heard_s = calloc((size_t)comm->size, sizeof(double)),
                                  .processes = calloc((size_t)comm->size, sizeof(struct process)),
                                  .told_s = now,
                                  .looked_s = now};
    const bool ready = detector->heard_s && detector->processes;
    if (ready)
        watch_begin(detector);
    else
        failure_memory(failure, "waiting for all ranks");
    if (comm_agree(comm, failure))
        return true;
    if (ready)
        watch_end(detector);
    detector->comm = NULL;
    failure_detector_end(detector);
    return false;
}

void failure_detector_end(struct failure_detector *detector)
{
    struct comm *comm = detector->comm;
    struct pause pause = {0};
    if (comm) {
        others_tell(detector, LAST);
        for (;;) {
            const struct awaited awaited = {.left_s = 0};
            words_take(detector);
            if (detector->here == others_end(detector) - others_first(detector))
                break;
            comm_pause(comm, &pause, &awaited);
        }
        watch_end(detector);
    }
    free(detector->heard_s);
    free(detector->processes);
    *detector = (struct failure_detector){.comm = NULL};
}
