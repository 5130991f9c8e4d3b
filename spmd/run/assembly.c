#include "spmd/run/assembly.h"

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

/* The words; sent from where they lie. */
enum word { HERE, LAST, LEAVE };
static const int words[] = {HERE, LAST, LEAVE};

/* Local. Nobody waits for it to arrive. */
static void word_send(const struct assembly *assembly, int rank, enum word word)
{
    MPI_Request request;
    MPI_Isend(&words[word], 1, MPI_INT, rank, WIRE_PRESENT, assembly->comm->mpi, &request);
    MPI_Request_free(&request);
}

/* Those that this rank listens to: [first, end). */
static int others_first(const struct assembly *assembly)
{
    return assembly->comm->rank == 0 ? 1 : 0;
}

static int others_end(const struct assembly *assembly)
{
    return assembly->comm->rank == 0 ? assembly->comm->size : 1;
}

static void others_tell(const struct assembly *assembly, enum word word)
{
    for (int rank = others_first(assembly); rank < others_end(assembly); rank++)
        word_send(assembly, rank, word);
}

static void listen(struct assembly *assembly)
{
    MPI_Irecv(&assembly->word, 1, MPI_INT, MPI_ANY_SOURCE, WIRE_PRESENT, assembly->comm->mpi,
              &assembly->listening);
}

static void words_take(struct assembly *assembly)
{
    for (;;) {
        int done = 0;
        MPI_Status status;
        MPI_Test(&assembly->listening, &done, &status);
        if (!done)
            return;
        if (assembly->word == LEAVE)
            _exit(FAILURE_STOPPED);
        assembly->heard_s[status.MPI_SOURCE] = clock_now();
        assembly->here += assembly->word == LAST;
        listen(assembly);
    }
}

/* One sentence. */
static void missing_say(const struct assembly *assembly, int missed, bool gone)
{
    const struct assembly_setup *setup = &assembly->setup;
    char how[80] = "is gone";
    if (!gone)
        snprintf(how, sizeof how, "has said nothing for %.0f s", assembly->most_s);
    fprintf(stderr, "%s: %s: rank %d %s, and %s: run the same again\n", setup->program, setup->path,
            missed, how, setup->state);
}

/* Says so for all, and leaves with them. */
static _Noreturn void missing(struct assembly *assembly, int missed, bool gone)
{
    const struct comm *comm = assembly->comm;
    const double start_s = clock_now();
    for (int rank = 0; rank < comm->size; rank++)
        if (rank != comm->rank) /* the one that is missing, too, should it come back */
            word_send(assembly, rank, LEAVE);
    if (assembly->leaving.call)
        assembly->leaving.call(assembly->leaving.self);
    missing_say(assembly, missed, gone);
    while (clock_now() - start_s < said_s) {
        int flag = 0; /* MPI moves only while it is called */
        MPI_Iprobe(MPI_ANY_SOURCE, WIRE_PRESENT, comm->mpi, &flag, MPI_STATUS_IGNORE);
        clock_nap(nap_s);
    }
    process_end(&assembly->processes[missed]);
    _exit(FAILURE_STOPPED);
}

/* So much later than others this rank says that one is missing. */
static double later_s(const struct assembly *assembly)
{
    const int before = assembly->comm->rank - 1;
    return before > 0 ? apart_s * (before < APART_MOST ? before : APART_MOST) : 0;
}

static void other_look(struct assembly *assembly, int rank, double now)
{
    const double silent_s = now - assembly->heard_s[rank] - later_s(assembly);
    if (silent_s > fmin(silence_s, assembly->most_s) && process_gone(&assembly->processes[rank]))
        missing(assembly, rank, true);
    if (silent_s > assembly->most_s)
        missing(assembly, rank, false);
}

static void look(void *self)
{
    struct assembly *assembly = self;
    const double now = clock_now(), away = now - assembly->looked_s - away_s;
    words_take(assembly);
    if (now - assembly->told_s >= tell_every_s) {
        assembly->told_s = now;
        others_tell(assembly, HERE);
    }
    for (int rank = others_first(assembly); rank < others_end(assembly); rank++) {
        double *heard_s = &assembly->heard_s[rank];
        if (away > 0)
            *heard_s = fmin(*heard_s + away, now);
        other_look(assembly, rank, now);
    }
    assembly->looked_s = now;
}

/* Collective. Who could be ended, were it stopped: the workers by the master, the master by them.
 */
static void processes_share(struct assembly *assembly)
{
    const struct process mine = process_self();
    comm_gather(assembly->comm, &mine, sizeof mine, assembly->processes);
    comm_broadcast(assembly->comm, assembly->processes, sizeof *assembly->processes);
}

void assembly_bear(struct assembly *assembly, double most_s)
{
    assembly->most_s = most_s > 0 ? most_s : assembly->setup.most_s;
}

bool assembly_begin(struct assembly *assembly, const struct assembly_setup *setup,
                    struct failure *failure)
{
    const double now = clock_now();
    struct comm *comm = setup->comm;
    *assembly = (struct assembly){.base = {look, assembly, now},
                                  .setup = *setup,
                                  .comm = comm,
                                  .most_s = setup->most_s,
                                  .heard_s = calloc((size_t)comm->size, sizeof(double)),
                                  .processes = calloc((size_t)comm->size, sizeof(struct process)),
                                  .told_s = now,
                                  .looked_s = now,
                                  .listening = MPI_REQUEST_NULL};
    const bool ready = assembly->heard_s && assembly->processes;
    if (!ready)
        failure_memory(failure, "waiting for all ranks");
    if (!comm_agree(comm, failure) || !ready) {
        assembly->comm = NULL;
        assembly_end(assembly);
        return false;
    }
    for (int rank = 0; rank < comm->size; rank++)
        assembly->heard_s[rank] = now;
    listen(assembly);
    comm->vigil = &assembly->base;
    processes_share(assembly);
    return true;
}

void assembly_end(struct assembly *assembly)
{
    struct comm *comm = assembly->comm;
    struct pause pause = {0};
    if (comm) {
        others_tell(assembly, LAST);
        for (;;) {
            const struct awaited awaited = {.left_s = 0};
            words_take(assembly);
            if (assembly->here == others_end(assembly) - others_first(assembly))
                break;
            comm_pause(comm, &pause, &awaited);
        }
        MPI_Cancel(&assembly->listening);
        MPI_Wait(&assembly->listening, MPI_STATUS_IGNORE);
        comm->vigil = NULL;
    }
    free(assembly->heard_s);
    free(assembly->processes);
    *assembly = (struct assembly){.comm = NULL};
}
